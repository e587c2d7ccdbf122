//! Messages nobody would send: whatever arrives is understood or refused, and nothing panics.

use crate::protocol::Request;
use tabiya_lab::work::SplitMix;

const MESSAGES: [&str; 5] = [
    r#"{"type":"analyse","id":1,"position":{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","moves":["e2e4","e7e5"],"chess960":false},"lines":3,"threat":false}"#,
    r#"{"type":"report","id":4294967295,"position":{"fen":"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1","moves":[],"chess960":true},"nodes":1000}"#,
    r#"{"type":"option","name":"Hash","value":"16"}"#,
    r#"{"type":"stop"}"#,
    r#"[[[[{"a":1e308}]]]]"#,
];

#[test]
fn no_message_panics() {
    let mut random = SplitMix::new(1);
    for _ in 0..20_000 {
        let mut text = MESSAGES[random.below(MESSAGES.len())].as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len());
            match random.below(4) {
                0 => text[at] = random.next() as u8,
                1 => drop(text.drain(at..(at + random.below(20)).min(text.len()))),
                2 => text.insert(at, b"{}[]\",:0-9\\eE.u"[random.below(15)]),
                _ => {
                    let other = MESSAGES[random.below(MESSAGES.len())].as_bytes();
                    text.extend_from_slice(&other[random.below(other.len())..]);
                }
            }
            if text.is_empty() {
                break;
            }
        }
        let text = String::from_utf8_lossy(&text);
        if let Ok(request) = serde_json::from_str::<Request>(&text) {
            let _ = request.id();
            if let Request::Analyse { position, .. } | Request::Report { position, .. } = request {
                let _ = position.to_game();
            }
        }
    }
}
