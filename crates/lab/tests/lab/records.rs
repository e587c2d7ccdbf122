//! Record files: what is written is read back, damage is refused by block and reason, crashes are
//! survived.

use crate::common::Folder;
use std::fs;
use std::path::{Path, PathBuf};
use tabiya_chess::{Board, Color, GameResult};
use tabiya_lab::data::import::{self, TextFormat};
use tabiya_lab::data::positions::{self, Filter};
use tabiya_lab::data::record::{Game, Header, LabelledPosition, Reader, Record, Verdict, Writer};

fn header() -> Header {
    Header { score_unit: "centipawns".into(), description: "made up for a test".into() }
}

/// Games of different lengths in which the first legal moves are played.
fn games(count: usize) -> Vec<Game> {
    (0..count)
        .map(|number| {
            let mut board = Board::default();
            let mut game = Game::new(&board, GameResult::Win(Color::Black)).expect("32 pieces");
            for ply in 0..number % 70 {
                let moves = board.legal_moves();
                let Some(mv) = moves.get((number * 7 + ply * 13) % moves.len().max(1)) else {
                    break;
                };
                game.push(mv, (ply % 3 != 0).then_some(ply as i16 - 20));
                board.play(mv);
            }
            game
        })
        .collect()
}

fn write<R: Record>(path: &Path, records: &[R]) {
    let mut writer = Writer::create(path, &header()).expect("a file");
    for record in records {
        writer.push(record).expect("space");
    }
    assert_eq!(writer.finish().expect("space"), records.len() as u64);
}

fn read<R: Record>(path: &Path) -> Result<Vec<R>, String> {
    let reader = Reader::open(path).map_err(|error| error.to_string())?;
    assert_eq!(reader.header(), &header());
    reader.records().collect::<Result<_, _>>().map_err(|error| error.to_string())
}

#[test]
fn games_survive_a_file_of_several_blocks() {
    let folder = Folder::new("records-games");
    let path = folder.file("a.games");
    let games = games(20_000);
    write(&path, &games);
    let plies: usize = games.iter().map(|game| game.plies().len()).sum();
    let bytes = fs::metadata(&path).unwrap().len() as usize;
    assert!(bytes > 2 << 20, "several blocks");
    assert!(bytes < 4 * plies + 33 * games.len(), "{bytes} bytes for {plies} plies");
    assert_eq!(read::<Game>(&path).unwrap(), games);
    assert!(read::<LabelledPosition>(&path).unwrap_err().starts_with("magic: "));
}

#[test]
fn damage_is_refused_with_block_and_reason() {
    let folder = Folder::new("records-damage");
    let path = folder.file("a.games");
    write(&path, &games(20_000));
    let whole = fs::read(&path).unwrap();
    let error_of = |bytes: &[u8]| {
        let damaged = folder.file("damaged.games");
        fs::write(&damaged, bytes).unwrap();
        read::<Game>(&damaged).unwrap_err()
    };
    let flipped = |index: usize| {
        let mut bytes = whole.clone();
        bytes[index] ^= 0x10;
        error_of(&bytes)
    };
    assert_eq!(flipped(0), "magic: not a file of these records");
    assert_eq!(flipped(8), "version: 17 is not 1");
    assert_eq!(flipped(20), "header: checksum does not match");
    let start = 8 + 4 + 4 + 10 + 4 + 18 + 4;
    assert_eq!(flipped(start), "block 0: no block mark");
    assert_eq!(flipped(start + 100), "block 0: checksum does not match");
    assert_eq!(flipped(start + (1 << 20) + 100_000), "block 1: checksum does not match");
    assert!(flipped(start + 11).starts_with("block 0: length "));
    let truncated = "the file ends here without an end mark";
    for length in [whole.len() - 1, whole.len() - 24, whole.len() - 1000] {
        let error = error_of(&whole[..length]);
        assert!(error.ends_with(truncated), "{error}");
    }
    assert_eq!(error_of(&whole[..start]), format!("block 0: {truncated}"));
    assert_eq!(error_of(&whole[..start - 1]), "header: checksum missing");
    assert_eq!(error_of(&whole[..3]), "header: magic missing");
    let longer: Vec<u8> = whole.iter().copied().chain([0]).collect();
    assert!(error_of(&longer).ends_with("something follows the end mark"));
}

#[test]
fn writing_goes_on_after_a_crash() {
    let folder = Folder::new("records-append");
    let path = folder.file("a.games");
    let games = games(20_000);
    write(&path, &games);
    // A crash in the middle of the second block loses that block and what follows.
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..(1 << 20) + (1 << 19)]).unwrap();
    assert!(read::<Game>(&path).is_err());
    let mut writer = Writer::<Game>::append(&path).unwrap();
    let kept = writer.total() as usize;
    assert!(kept > 1000 && kept < games.len());
    for game in &games[kept..] {
        writer.push(game).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(read::<Game>(&path).unwrap(), games);
    // A finished file can be continued too.
    let mut writer = Writer::<Game>::append(&path).unwrap();
    writer.push(&games[7]).unwrap();
    assert_eq!(writer.finish().unwrap(), games.len() as u64 + 1);
    assert_eq!(read::<Game>(&path).unwrap().last(), Some(&games[7]));
}

#[test]
fn illegal_moves_in_a_file_are_found() {
    let folder = Folder::new("records-illegal");
    let path = folder.file("a.games");
    let mut game = Game::new(&Board::default(), GameResult::Draw).unwrap();
    let mv = Board::default().parse_uci("e2e4").unwrap();
    game.push(mv, Some(0));
    game.push(mv, Some(0));
    write(&path, &[games(2).remove(1), game]);
    let error = positions::game_stats(&[path], 2, |_| ()).unwrap_err().to_string();
    assert!(error.contains("block 0: record 1: ply 1: illegal move"), "{error}");
}

const GAMES: &str = "\
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2|1|d1h5 12 b8c6 -10 f1c4 90 g8f6 -3000 h5f7 3000
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1|=|g1f3 5 g8f6 -5 f3g1 5 f6g8 -5 g1f3 5 g8f6 -5
";

#[test]
fn text_becomes_games_and_quiet_positions() {
    let folder = Folder::new("records-import");
    let text = folder.file("games.txt");
    fs::write(&text, GAMES).unwrap();
    let games = folder.file("a.games");
    let done = import::run(TextFormat::Games, &[text], &games, &header(), 2, |_| ()).unwrap();
    assert_eq!((done.records, done.positions), (2, 11));

    let filter = Filter { min_ply: 0, validation_permille: 0, ..Filter::default() };
    let expanded = positions::expand(&[games], filter, 1, 2, |_| ()).unwrap();
    let counts = expanded.counts;
    assert_eq!((counts.games, counts.plies), (2, 11));
    // The mate in one is a capture, the blunder before it a mate score, and two moves are repeated.
    assert_eq!((counts.noisy, counts.score, counts.duplicates), (1, 1, 2));
    assert_eq!((counts.training, counts.validation), (7, 0));
    let start = expanded.training.iter().find(|position| position.ply() == 0).unwrap();
    assert_eq!((start.score, start.verdict), (5, Verdict::Draw));
    assert_eq!(start.to_board().unwrap(), Board::default());

    let path = folder.file("a.pos");
    positions::write(&path, &header(), &expanded.training).unwrap();
    assert_eq!(positions::read(&[path]).unwrap().0, expanded.training);
}

#[test]
fn position_files_are_merged_without_duplicates() {
    let folder = Folder::new("records-merge");
    let path = folder.file("a.games");
    write(&path, &games(300));
    let filter = Filter { min_ply: 0, validation_permille: 0, ..Filter::default() };
    let expand = |inputs: &[PathBuf], filter, seed| {
        positions::expand(inputs, filter, seed, 2, |_| ()).unwrap()
    };
    let all = expand(&[path], filter, 1).training;
    let parts = ["b.pos", "c.pos"].map(|name| folder.file(name));
    let overlap = all.len() / 3;
    positions::write(&parts[0], &header(), &all[..2 * overlap]).unwrap();
    positions::write(&parts[1], &header(), &all[overlap..]).unwrap();
    let merged = expand(&parts, filter, 2);
    assert_eq!(merged.counts.duplicates as usize, overlap);
    assert_eq!(merged.training.len(), all.len());
    assert!(merged.training != all, "another order");
    assert_eq!(merged.header, header());
    let split = expand(&parts, Filter { validation_permille: 300, ..filter }, 2);
    assert_eq!(split.training.len() + split.validation.len(), all.len());
    let share = split.validation.len() as f64 / all.len() as f64;
    assert!((0.2..0.4).contains(&share), "{share}");
    let level = expand(&parts, Filter { max_score: 5, ..filter }, 2);
    assert!(level.training.iter().all(|position| position.score.abs() <= 5));
}

#[test]
fn a_bad_line_is_named_and_nothing_is_left() {
    let folder = Folder::new("records-bad");
    let text = folder.file("games.txt");
    fs::write(&text, GAMES.replace("g8f6 -5 f3g1", "g8f7 -5 f3g1")).unwrap();
    let games = folder.file("a.games");
    let error = import::run(TextFormat::Games, &[text], &games, &header(), 2, |_| ()).unwrap_err();
    assert!(error.to_string().ends_with("games.txt, line 2: ply 2: illegal move g8f7"), "{error}");
    assert_eq!(fs::read_dir(folder.file("")).unwrap().count(), 1);
}

#[test]
fn games_are_on_one_side_of_the_split() {
    let folder = Folder::new("records-split");
    let path = folder.file("a.games");
    write(&path, &games(700));
    let split = |permille| {
        let filter = Filter { min_ply: 0, validation_permille: permille, ..Filter::default() };
        positions::expand(std::slice::from_ref(&path), filter, 1, 2, |_| ()).unwrap().counts
    };
    let (all, none, some) = (split(1000), split(0), split(300));
    assert_eq!((all.training, none.validation), (0, 0));
    assert_eq!(some.training + some.validation, none.training);
    let share = some.validation as f64 / none.training as f64;
    assert!((0.1..0.5).contains(&share), "{share}");
}
