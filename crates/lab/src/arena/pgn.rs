//! Games of a match as PGN, with what the players thought in comments.

use super::game::{MoveNote, PlayedGame};
use super::player::Score;
use super::schedule::Fixture;
use super::spec::EngineSpec;
use std::fmt::Write;
use tabiya_chess::{Board, Color, GameResult};

/// The longest line, as the PGN standard asks.
const WIDTH: usize = 80;

/// Writes a game with its tags, ending with an empty line.
pub(super) fn to_pgn(
    fixture: &Fixture,
    played: &PlayedGame,
    white: &EngineSpec,
    black: &EngineSpec,
    chess960: bool,
) -> String {
    let result = played.end.winner.map_or(GameResult::Draw, GameResult::Win).to_string();
    let start = played.game.start();
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    tag("Event", "Tabiya match");
    tag("Site", "?");
    tag("Date", "????.??.??");
    tag("Round", &format!("{}.{}", fixture.round + 1, fixture.game % 2 + 1));
    tag("White", &white.name);
    tag("Black", &black.name);
    tag("Result", &result);
    if chess960 {
        tag("Variant", "Chess960");
    }
    if *start != Board::default() {
        tag("SetUp", "1");
        tag("FEN", &start.to_string());
    }
    tag("WhiteTimeControl", &white.limits.to_string());
    tag("BlackTimeControl", &black.limits.to_string());
    tag("PlyCount", &played.game.moves().len().to_string());
    tag("Termination", termination(played));
    let reason = played.end.reason;
    match &played.end.detail {
        Some(detail) => tag("Reason", &format!("{reason}: {detail}")),
        None => tag("Reason", &reason.to_string()),
    }
    text.push('\n');
    write_moves(&mut text, played, &result);
    text
}

/// The value of the tag `Termination` that the PGN standard has for this end.
fn termination(played: &PlayedGame) -> &'static str {
    use super::game::Reason;
    match played.end.reason {
        Reason::TimeLoss => "time forfeit",
        Reason::IllegalMove | Reason::Protocol => "rules infraction",
        Reason::Resignation | Reason::DrawAgreement | Reason::Tablebase | Reason::MoveLimit => {
            "adjudication"
        }
        reason if reason.is_failure() => "abandoned",
        _ => "normal",
    }
}

fn write_moves(text: &mut String, played: &PlayedGame, result: &str) {
    let mut line = String::new();
    let mut put = |word: &str| {
        if !line.is_empty() && line.len() + 1 + word.len() > WIDTH {
            let _ = writeln!(text, "{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    };
    let mut board = *played.game.start();
    let opening = played.game.moves().len() - played.notes.len();
    let mut needs_number = true;
    for (index, &mv) in played.game.moves().iter().enumerate() {
        let number = board.fullmove_number();
        if board.side_to_move() == Color::White {
            put(&format!("{number}."));
        } else if needs_number {
            put(&format!("{number}..."));
        }
        put(&board.san(mv));
        let note = index.checked_sub(opening).and_then(|index| played.notes.get(index));
        needs_number = note.is_some();
        if let Some(note) = note {
            for word in comment(note, board.side_to_move()).split(' ') {
                put(word);
            }
        }
        board.play(mv);
    }
    put(result);
    let _ = writeln!(text, "{line}\n");
}

/// Evaluation from White's view, time used, depth and nodes: `{[%eval 0.31] [%emt 0.420] d12 n90210}`.
fn comment(note: &MoveNote, mover: Color) -> String {
    let mut words = Vec::new();
    let sign = if mover == Color::White { 1 } else { -1 };
    words.extend(note.score.map(|score| match score {
        Score::Centipawns(value) => {
            format!("[%eval {:.2}]", f64::from(sign * value) / 100.0)
        }
        Score::Mate(moves) => format!("[%eval #{}]", sign * moves),
    }));
    words.push(format!("[%emt {:.3}]", note.elapsed.as_secs_f64()));
    words.extend(note.depth.map(|depth| format!("d{depth}")));
    words.extend(note.nodes.map(|nodes| format!("n{nodes}")));
    format!("{{{}}}", words.join(" "))
}
