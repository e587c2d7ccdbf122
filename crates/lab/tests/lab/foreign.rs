//! Formats of other trainers: what goes out comes back, and damage is named.

use crate::common::Folder;
use std::fs;
use std::path::Path;
use tabiya_chess::{Board, Color, GameResult};
use tabiya_lab::data::foreign::{self, ExportFormat, ImportFormat};
use tabiya_lab::data::import::{self, TextFormat};
use tabiya_lab::data::record::{Game, Header, LabelledPosition, Reader, Record, Verdict, Writer};

fn header() -> Header {
    Header { score_unit: "centipawns".into(), description: "a test".into() }
}

fn write<R: Record>(path: &Path, records: &[R]) {
    let mut writer = Writer::create(path, &header()).expect("a file");
    for record in records {
        writer.push(record).expect("space");
    }
    writer.finish().expect("space");
}

fn read<R: Record>(path: &Path) -> Vec<R> {
    Reader::open(path).expect("a file").records().collect::<Result<_, _>>().expect("whole records")
}

fn game(fen: &str, result: GameResult, moves: &str) -> Game {
    let mut board = Board::from_fen(fen, true).expect("a position");
    let mut game = Game::new(&board, result).expect("32 pieces");
    for (ply, text) in moves.split(' ').enumerate() {
        let mv = board.parse_uci(text).expect("a legal move");
        game.push(mv, Some(ply as i16 * 7 - 10));
        board.play(mv);
    }
    game
}

/// Castling to both sides, en passant, all promotions, Chess960.
fn games() -> Vec<Game> {
    vec![
        game(
            tabiya_chess::START_FEN,
            GameResult::Draw,
            "e2e4 a7a6 e4e5 d7d5 e5d6 e7d6 g1f3 b8c6 f1c4 c8g4 e1g1 d8d7 a2a3 e8c8",
        ),
        game(
            "8/PPPP1k2/8/8/8/8/1pppp1K1/8 b - - 0 40",
            GameResult::Win(Color::Black),
            "b2b1q a7a8n c2c1r b7b8b d2d1b c7c8r e2e1n g2h3",
        ),
        game(
            "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 12 60",
            GameResult::Win(Color::White),
            "e1g1 e8b8",
        ),
    ]
}

fn positions() -> Vec<LabelledPosition> {
    let label = |fen, score, verdict| {
        LabelledPosition::new(&Board::from_fen(fen, true).expect("a position"), score, verdict)
            .expect("32 pieces")
    };
    vec![
        label(tabiya_chess::START_FEN, 25, Verdict::Draw),
        label(
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 17",
            -140,
            Verdict::Loss,
        ),
        label("4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 30", 999, Verdict::Win),
    ]
}

#[test]
fn games_survive_the_viriformat_and_text() {
    let folder = Folder::new("viri");
    let path = folder.file("a.games");
    write(&path, &games());
    let (viri, text, back) = (folder.file("a.viri"), folder.file("a.txt"), folder.file("back"));
    assert_eq!(foreign::export(ExportFormat::Viri, &path, &viri, |_| ()).unwrap(), 3);
    let plies: usize = games().iter().map(|game| game.plies().len()).sum();
    assert_eq!(fs::metadata(&viri).unwrap().len() as usize, 3 * 36 + 4 * plies);
    let inputs = [viri.clone()];
    let done = foreign::import(ImportFormat::Viri, &inputs, &back, &header(), |_| ()).unwrap();
    assert_eq!((done.records, done.positions), (3, plies as u64));
    assert_eq!(read::<Game>(&back), games());

    foreign::export(ExportFormat::Text, &path, &text, |_| ()).unwrap();
    import::run(TextFormat::Games, &[text], &back, &header(), 1, |_| ()).unwrap();
    assert_eq!(read::<Game>(&back), games());

    let whole = fs::read(&viri).unwrap();
    let error_of = |bytes: &[u8]| {
        fs::write(&viri, bytes).unwrap();
        let error = foreign::import(ImportFormat::Viri, &inputs, &back, &header(), |_| ());
        error.unwrap_err().to_string()
    };
    let damaged = |index: usize, value: u8| {
        let mut bytes = whole.clone();
        bytes[index] = value;
        error_of(&bytes)
    };
    assert!(error_of(&whole[..whole.len() - 2]).ends_with("record 2: the file ends inside it"));
    assert!(damaged(30, 7).ends_with("record 0: result: unknown code 7"));
    assert!(damaged(32, 0xff).contains("record 0: ply 0: illegal move"));
    assert!(damaged(9, 0x17).contains("record 0: board: no piece has code 7"));
}

/// What the crate `viriformat` 3.0.0 writes for these games.
const VIRIFORMAT: &str = "\
    ffff00000000ffff1642256100000000888888889ecaade940000100000001000c07f6ff300a0300\
    1c090400f308f5ffe44a1200f40ae7ff46052000b90ad9ff85062e00ba07cbffc4813c00fb0cbdff\
    08044a003c8eafff00000000005e000000002f0088880500d00000000000000000000000c0002800\
    0000000049f00a0030cefdff8ae0fcff71de0b00cbd0eeffb2ee19000cc1e0ffce05270000000000\
    52ff00000000ff52560600000080888888e8ed0000000000400c3c00000002008481f6ff7c8e0300\
    00000000";

#[test]
fn the_viriformat_is_that_of_its_crate() {
    let folder = Folder::new("viri-crate");
    let (path, viri) = (folder.file("a.games"), folder.file("a.viri"));
    write(&path, &games());
    foreign::export(ExportFormat::Viri, &path, &viri, |_| ()).unwrap();
    let digits = |byte: u8| [byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[digit as usize]);
    let bytes: Vec<u8> = fs::read(&viri).unwrap().into_iter().flat_map(digits).collect();
    assert_eq!(String::from_utf8_lossy(&bytes), VIRIFORMAT);
}

#[test]
fn positions_survive_text_and_lose_history_in_bulletformat() {
    let folder = Folder::new("bullet");
    let (path, back) = (folder.file("a.pos"), folder.file("back.pos"));
    write(&path, &positions());
    for (format, reader) in [
        (ExportFormat::Text, TextFormat::Positions),
        (ExportFormat::Csv, TextFormat::Positions),
        (ExportFormat::Epd, TextFormat::Epd),
    ] {
        let text = folder.file("a.txt");
        foreign::export(format, &path, &text, |_| ()).unwrap();
        import::run(reader, &[text], &back, &header(), 1, |_| ()).unwrap();
        assert_eq!(read::<LabelledPosition>(&back), positions(), "{format:?}");
    }

    let bullet = folder.file("a.data");
    foreign::export(ExportFormat::Bullet, &path, &bullet, |_| ()).unwrap();
    let whole = fs::read(&bullet).unwrap();
    assert_eq!(whole.len(), 3 * 32);
    let inputs = [bullet.clone()];
    let load = || {
        foreign::import(ImportFormat::Bullet, &inputs, &back, &header(), |_| ())
            .map_err(|error| error.to_string())
    };
    load().unwrap();
    for (found, original) in read::<LabelledPosition>(&back).iter().zip(positions()) {
        let board = original.to_board().unwrap();
        let white = board.side_to_move() == Color::White;
        let expected = if white { board } else { board.mirrored() };
        let found_board = found.to_board().unwrap();
        assert_eq!(
            found_board.to_string().split(' ').next(),
            expected.to_string().split(' ').next()
        );
        assert_eq!((found.score, found.verdict), (original.score, original.verdict));
    }
    let mut bytes = whole.clone();
    bytes[32] = 0xff;
    bytes[35] = 0xff;
    fs::write(&bullet, &bytes).unwrap();
    assert!(load().unwrap_err().contains("record 1: board: "), "{:?}", load());
    fs::write(&bullet, &whole[..70]).unwrap();
    assert!(load().unwrap_err().ends_with("record 2: the file ends inside it"));

    let error = foreign::export(ExportFormat::Viri, &path, &bullet, |_| ()).unwrap_err();
    assert!(error.to_string().ends_with("not the records this format holds"), "{error}");
}

#[test]
fn pgn_comes_in_and_needs_labels_to_go_out() {
    let folder = Folder::new("pgn-in");
    let (pgn, path) = (folder.file("a.pgn"), folder.file("a.games"));
    fs::write(&pgn, "1. f3 e5 2. g4 Qh4# 0-1\n\n1. e4 *\n").unwrap();
    foreign::import(ImportFormat::Pgn, std::slice::from_ref(&pgn), &path, &header(), |_| ())
        .unwrap();
    let games = read::<Game>(&path);
    assert_eq!(games.iter().map(|game| game.plies().len()).collect::<Vec<_>>(), [4, 1]);
    assert_eq!(games[0].result(), GameResult::Win(Color::Black));
    let out = folder.file("a.viri");
    let error = foreign::export(ExportFormat::Viri, &path, &out, |_| ()).unwrap_err().to_string();
    assert!(error.ends_with("record 0: ply 0: no score (label the games first)"), "{error}");
    fs::write(&pgn, "1. f3 e5 2. g4 Qh5# 0-1\n").unwrap();
    assert!(foreign::import(ImportFormat::Pgn, &[pgn], &path, &header(), |_| ()).is_err());
    assert_eq!(read::<Game>(&path), games, "a failed import leaves what was there");
}
