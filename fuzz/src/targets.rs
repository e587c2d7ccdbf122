//! What is fuzzed: for each reader some good inputs and a check.
//!
//! A check says whether the input was accepted, and panics if something is wrong with the reader.

use crate::files;
use tabiya_chess::pgn::{Comment, PgnErrorKind, PgnGame, PgnReader};
use tabiya_chess::{Board, Epd};
use tabiya_engine::uci::Command;
use tabiya_lab::arena::EngineSpec;

pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    pub(crate) run: fn(&[u8]) -> bool,
}

pub(crate) const TARGETS: [Target; 12] = [
    Target { name: "fen", seeds: || texts(&FENS), run: fen },
    Target { name: "san", seeds: || texts(&MOVES), run: san },
    Target { name: "uci", seeds: || texts(&MOVES), run: uci },
    Target { name: "epd", seeds: || texts(&EPDS), run: epd },
    Target { name: "pgn", seeds: || texts(&PGNS), run: pgn },
    Target { name: "command", seeds: || texts(&COMMANDS), run: command },
    Target { name: "player", seeds: || texts(&PLAYERS), run: player },
    Target { name: "net", seeds: files::net_seeds, run: files::net },
    Target { name: "book", seeds: files::book_seeds, run: files::book },
    Target { name: "record", seeds: files::record_seeds, run: files::record },
    Target { name: "records", seeds: files::record_file_seeds, run: files::record_file },
    Target { name: "journal", seeds: files::journal_seeds, run: files::journal },
];

fn texts(seeds: &[&str]) -> Vec<Vec<u8>> {
    seeds.iter().map(|text| text.as_bytes().to_vec()).collect()
}

const FENS: [&str; 4] = [
    tabiya_chess::START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 12 34",
    "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
];

/// A move, then the position it is for.
const MOVES: [&str; 4] = [
    "Nf3 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "O-O-O+ r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "e1c1 r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "bxa8=Q# rk6/1P6/8/8/8/8/8/K7 w - - 0 1",
];

const EPDS: [&str; 2] = [
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O Ra8; id \"a;b\"; c0 \"x \\\"y\\\"\"; acd 3;",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400",
];

const PGNS: [&str; 2] = [
    "[Event \"a\"]\n[Result \"*\"]\n\n1. e4 {x [%clk 0:01:02]} e5 $1 (1... c5 2. Nf3!) 2. -- Nc6 *\n",
    "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n% z\n1. e4 ; y\nKd7 2. Kd2 1/2-1/2\n",
];

/// Lines a UCI host may send.
const COMMANDS: [&str; 5] = [
    "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1c1 e8g8",
    "position startpos moves e2e4 e7e5 g1f3",
    "go wtime 1000 btime 900 winc 10 binc 10 movestogo 3 searchmoves e2e4 depth 5 ponder",
    "setoption name UCI_Elo value 1500",
    "go mate 3 nodes 100 movetime 50 infinite",
];

/// Players as `tabiya match` describes them.
const PLAYERS: [&str; 3] = [
    "cmd=\"/opt/my engine/sf --flag\" arg=x name=new dir=/opt option.Hash=16 tc=40/3+0.03 nodes=5",
    "self name=old evalfile=a.nnue movetime=0.1 softnodes=100 'option.Use NNUE=false'",
    "cmd=a proto=xboard depth=7 timemargin=50",
];

fn command(input: &[u8]) -> bool {
    let Some(text) = text(input) else { return false };
    match Command::parse(text) {
        Command::Unknown(_) => false,
        Command::Position(position) => position.to_game(true).is_ok(),
        _ => true,
    }
}

fn player(input: &[u8]) -> bool {
    let Some(text) = text(input) else { return false };
    let Ok(spec) = EngineSpec::parse(text, "") else { return false };
    assert!(!spec.name.is_empty());
    true
}

/// Readers of text are asked only for UTF-8; PGN takes any bytes.
fn text(input: &[u8]) -> Option<&str> {
    std::str::from_utf8(input).ok()
}

fn fen(input: &[u8]) -> bool {
    let Some(text) = text(input) else { return false };
    let _repaired = Board::from_fen_lenient(text, true);
    [false, true].into_iter().any(|chess960| {
        let Ok(board) = Board::from_fen(text, chess960) else { return false };
        board.assert_consistent();
        assert_eq!(Board::from_fen(&board.to_string(), true), Ok(board));
        assert_eq!(Board::from_fen(&board.to_shredder_fen(), true), Ok(board));
        board.legal_moves().iter().for_each(|mv| assert!(board.is_legal(mv)));
        true
    })
}

fn position_and_move(input: &[u8]) -> Option<(Board, &str)> {
    let (mv, fen) = text(input)?.split_once(' ')?;
    Some((Board::from_fen(fen, true).ok()?, mv))
}

fn san(input: &[u8]) -> bool {
    let Some((board, text)) = position_and_move(input) else { return false };
    let Ok(mv) = board.parse_san(text) else { return false };
    assert!(board.is_legal(mv));
    assert_eq!(board.parse_san(&board.san(mv)), Ok(mv));
    assert_eq!(board.parse_san(&board.lan(mv)), Ok(mv));
    true
}

fn uci(input: &[u8]) -> bool {
    let Some((board, text)) = position_and_move(input) else { return false };
    let Ok(mv) = board.parse_uci(text) else { return false };
    assert!(board.is_legal(mv));
    assert_eq!(board.parse_uci(&board.uci(mv, true)), Ok(mv));
    true
}

fn epd(input: &[u8]) -> bool {
    let Some(line) = text(input) else { return false };
    let _repaired = Epd::parse_lenient(line, true);
    let Ok(epd) = Epd::parse(line, true) else { return false };
    assert_eq!(Epd::parse(&epd.to_string(), true), Ok(epd));
    true
}

fn read_games(input: &[u8]) -> Vec<PgnGame> {
    PgnReader::new(input).map(|game| game.expect("reading from memory")).collect()
}

fn pgn(input: &[u8]) -> bool {
    let games = read_games(input);
    for game in &games {
        for step in &game.mainline.moves {
            let comment = Comment::parse(&step.comment);
            assert!(comment.text.len() <= step.comment.len());
        }
        let again = read_games(game.to_string().as_bytes());
        assert_eq!(again.len(), 1);
        assert_eq!(again[0].mainline, game.mainline);
        // Only a FEN tag that makes no sense is written as it was read.
        let error = again[0].error.as_ref();
        assert!(error.is_none_or(|error| matches!(error.kind, PgnErrorKind::Fen(_))));
    }
    !games.is_empty() && games.iter().all(|game| game.error.is_none())
}
