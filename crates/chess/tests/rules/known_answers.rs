//! Files of known answers: FEN verdicts, castling letters, notation, Polyglot keys, EPD suites.

use crate::data;
use tabiya_chess::{Board, Epd, openings};

/// The tab-separated columns of every line but the first.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().skip(1).map(|line| line.split('\t').collect())
}

#[test]
fn fen_verdicts() {
    let Some(text) = data::read("fen/destruction-test.tsv") else { return };
    for row in rows(&text) {
        let (line, verdict) = (row[0], row[1]);
        // The verdict is about the position, not about the moves some lines go on with.
        let fen = [" moves ", " bm "]
            .iter()
            .fold(line, |fen, word| fen.split_once(word).map_or(fen, |(position, _)| position));
        let board = Board::from_fen(fen, false);
        assert_eq!(board.is_ok(), verdict == "valid", "{fen}: {verdict}, {board:?}");
        if fen != line {
            assert!(Board::from_fen(line, false).is_err(), "{line}");
        }
    }
}

#[test]
fn castling_letters() {
    let Some(text) = data::read("fen/chess960-castling.tsv") else { return };
    for row in rows(&text) {
        let [shredder, xfen, moves] = row[..] else { panic!("{row:?}") };
        let board = Board::from_fen(shredder, true).unwrap();
        assert_eq!(Board::from_fen(xfen, true), Ok(board), "{shredder}");
        assert_eq!(board.to_shredder_fen(), shredder);
        assert_eq!(board.to_string(), xfen);
        assert_eq!(board.count_legal_moves().to_string(), moves, "{shredder}");
    }
}

#[test]
fn notation() {
    let Some(text) = data::read("notation/legal-moves.tsv") else { return };
    for row in rows(&text) {
        let [fen, variant, expected] = row[..] else { panic!("{row:?}") };
        let chess960 = variant == "chess960";
        let (board, _) = Board::from_fen_lenient(fen, chess960).unwrap();
        let mut written = Vec::new();
        for mv in &board.legal_moves() {
            let (uci, san) = (board.uci(mv, chess960), board.san(mv));
            assert_eq!(board.parse_uci(&uci), Ok(mv), "{fen}");
            assert_eq!(board.parse_san(&san), Ok(mv), "{fen}");
            written.push(format!("{uci}={san}"));
        }
        written.sort();
        assert_eq!(written.join(" "), expected, "{fen}");
    }
}

#[test]
fn polyglot_keys() {
    let Some(text) = data::read("notation/polyglot-keys.csv") else { return };
    for line in text.lines().skip(1) {
        let (fen, key) = line.rsplit_once(',').unwrap();
        let (board, _) = Board::from_fen_lenient(fen, true).unwrap();
        assert_eq!(format!("{:016x}", board.polyglot_key()), key, "{fen}");
    }
}

#[test]
fn epd_suites() {
    for name in ["wac", "sts-classic", "sts-v6", "lichess-puzzles", "mates-short", "sbd", "pet"] {
        let Some(text) = data::read(&format!("epd/{name}.epd")) else { return };
        for line in text.lines() {
            let epd = Epd::parse(line, false).unwrap_or_else(|e| panic!("{line}: {e}"));
            let has_answer = ["bm", "am"]
                .iter()
                .any(|opcode| !epd.moves(opcode).is_empty() || epd.text(opcode).is_some());
            assert!(has_answer, "{line}");
            assert_eq!(Epd::parse(&epd.to_string(), false), Ok(epd), "{line}");
        }
    }
}

#[test]
fn the_table_of_opening_names_is_up_to_date() {
    let mut collection = String::new();
    for volume in ["a", "b", "c", "d", "e"] {
        let Some(text) = data::read(&format!("openings/{volume}.tsv")) else { return };
        collection.push_str(&text);
    }
    let committed = include_str!("../../src/openings/names.txt");
    assert!(openings::make_table(&collection).unwrap() == committed, "run `tabiya openings make`");
}
