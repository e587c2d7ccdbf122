//! Files that others may have made: nets, books, records of games and positions, journals of matches.
//!
//! Where a checksum stands before everything else it is put right after each change, so that what lies
//! behind it is reached.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use tabiya_chess::{Board, GameResult};
use tabiya_engine::book::{Book, BookEntry};
use tabiya_lab::arena::{GameRecord, Journal, Reason, TimeUse};
use tabiya_lab::data::record::{Game, Header, LabelledPosition, Reader, Record, Verdict, Writer};
use tabiya_lab::work::RunSettings;
use tabiya_nn::{Network, Shape};

/// A file that only this process has; readers of files are given it with other content every time.
static SCRATCH: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("tabiya-fuzz-{}", std::process::id())));

fn with_file<T>(content: &[u8], read: impl FnOnce(&PathBuf) -> T) -> T {
    fs::write(&*SCRATCH, content).expect("the temporary folder is writable");
    let found = read(&SCRATCH);
    fs::remove_file(&*SCRATCH).expect("the file is ours");
    found
}

/// A small net: the weights are as good as any, what is read first is what can go wrong.
static NET: LazyLock<Vec<u8>> = LazyLock::new(|| {
    Network::material(Shape::new(128, 1, 1).expect("a shape that nets have")).save()
});
/// Bytes of it that are changed.
const NET_HEAD: usize = 256;

pub(crate) fn net_seeds() -> Vec<Vec<u8>> {
    vec![NET[..NET_HEAD].to_vec()]
}

pub(crate) fn net(input: &[u8]) -> bool {
    let mut bytes = [input, &NET[NET_HEAD..]].concat();
    seal(&mut bytes);
    let Ok(net) = Network::load(&bytes) else { return false };
    assert!(net.save() == bytes);
    true
}

/// Puts the checksum (FNV-1a) at the end of a net right.
fn seal(bytes: &mut [u8]) {
    let Some((content, checksum)) = bytes.split_last_chunk_mut::<8>() else { return };
    let hash = content.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    *checksum = hash.to_le_bytes();
}

pub(crate) fn book_seeds() -> Vec<Vec<u8>> {
    let board = Board::default();
    let moves = board.legal_moves();
    let entries = moves.iter().flat_map(|mv| BookEntry::new(&board, mv, 7).to_bytes());
    vec![entries.collect(), Vec::new()]
}

pub(crate) fn book(input: &[u8]) -> bool {
    with_file(input, |path| {
        let Ok(book) = Book::open(path) else { return false };
        let board = Board::default();
        assert!(book.moves(&board).iter().all(|(mv, _)| board.is_legal(*mv)));
        assert_eq!(book.entries().count(), book.len());
        true
    })
}

fn game() -> Game {
    let mut game = Game::new(&Board::default(), GameResult::Draw).expect("the initial position");
    let mut board = Board::default();
    for text in ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "g8f6", "e1h1"] {
        let mv = board.parse_uci(text).expect("a legal move");
        game.push(mv, Some(12));
        board.play(mv);
    }
    game
}

fn position() -> LabelledPosition {
    LabelledPosition::new(&Board::default(), -30, Verdict::Win).expect("the initial position")
}

fn encoded(record: &impl Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    record.encode(&mut bytes);
    bytes
}

pub(crate) fn record_seeds() -> Vec<Vec<u8>> {
    vec![encoded(&game()), encoded(&position())]
}

/// Both kinds of records, without the checksums of their blocks.
pub(crate) fn record(input: &[u8]) -> bool {
    let is_game = Game::decode(&mut &*input).is_ok_and(|game| game.replay(|_, _| ()).is_ok());
    let is_position = LabelledPosition::decode(&mut &*input).is_ok_and(|position| {
        let again = LabelledPosition::decode(&mut &*encoded(&position));
        assert!(again.is_ok_and(|again| encoded(&again) == encoded(&position)));
        position.to_board().is_ok()
    });
    is_game || is_position
}

pub(crate) fn record_file_seeds() -> Vec<Vec<u8>> {
    let header = Header { score_unit: "points".to_owned(), description: "fuzzed".to_owned() };
    let write = |path: &PathBuf| {
        let mut writer = Writer::<LabelledPosition>::create(path, &header)?;
        writer.push(&position())?;
        writer.finish()?;
        fs::read(path)
    };
    vec![with_file(&[], write).expect("the temporary folder is writable")]
}

pub(crate) fn record_file(input: &[u8]) -> bool {
    with_file(input, |path| {
        let games = Reader::<Game>::open(path).map(|reader| reader.records().count());
        let positions = Reader::<LabelledPosition>::open(path);
        let whole = positions.is_ok_and(|reader| reader.records().all(|record| record.is_ok()));
        games.is_ok() || whole
    })
}

pub(crate) fn journal_seeds() -> Vec<Vec<u8>> {
    let record = GameRecord {
        game: 0,
        pair: 0,
        round: 0,
        white: 0,
        black: 1,
        result: "1-0".to_owned(),
        reason: Reason::Checkmate,
        detail: None,
        plies: 3,
        positions: 1,
        replays: 0,
        times: [TimeUse::default(); 2],
        pgn: Some("1. e4 1-0\n".to_owned()),
    };
    let record = serde_json::to_vec(&record).expect("records hold nothing that JSON cannot");
    let write = |path: &PathBuf| {
        drop(Journal::open(path, &RunSettings::new(), false));
        fs::read(path)
    };
    let empty = with_file(&[], write).expect("the temporary folder is writable");
    vec![empty, record]
}

/// A journal as a whole, and one of its lines without the checksum.
pub(crate) fn journal(input: &[u8]) -> bool {
    let is_record = serde_json::from_slice::<GameRecord>(input).is_ok();
    let is_journal =
        with_file(input, |path| Journal::open(path, &RunSettings::new(), true).is_ok());
    is_record || is_journal && input.contains(&b'\n')
}
