//! PGN files from the wild: all games, error by error, and written again as text.

use crate::data;
use flate2::read::GzDecoder;
use std::io::{BufRead, BufReader};
use tabiya_chess::pgn::{Comment, PgnError, PgnErrorKind, PgnGame, PgnReader};

/// The first bytes of a gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1F, 0x8B];

fn read_games(input: impl BufRead) -> Vec<PgnGame> {
    PgnReader::new(input).collect::<Result<_, _>>().expect("no error but in the games")
}

/// Writing and reading again changes nothing but the tags that every exported game has.
fn assert_round_trip(game: &PgnGame) {
    let text = game.to_string();
    let again = read_games(text.as_bytes());
    assert_eq!(again.len(), 1, "{text}");
    assert_eq!(again[0].error, None, "{text}");
    assert_eq!(again[0].start, game.start);
    assert_eq!(again[0].mainline, game.mainline, "{text}");
    assert_eq!(again[0].result, game.result);
    for (name, value) in game.tags.iter().filter(|(name, _)| name != "Result") {
        assert_eq!(again[0].tag(name), Some(value.as_str()));
    }
    assert_eq!(again[0].to_string(), text);
}

/// Where this reader and python-chess disagree: games, games with errors, plies.
const DIFFERENCES: [(&str, (usize, usize, &str)); 7] = [
    // The file ends inside a move. python-chess passes over words it does not know; here that is
    // an error, and the moves before it are kept.
    ("chess-library--corrupted.pgn", (1, 1, "124")),
    // An empty line between a comment and the first move does not end the game.
    ("pgn-extract--barnes-horton.pgn", (1, 0, "72")),
    ("pgn-extract--test-C.pgn", (1, 0, "72")),
    ("pgn-extract--test-F-text.pgn", (1, 0, "72")),
    ("pgn-extract--test-checkmate.pgn", (2, 0, "4,72")),
    ("pgn-extract--test-nochecks.pgn", (2, 0, "4,72")),
    // A result ends a game even if no tag follows.
    ("pgn-extract--test-fuzzydepth.pgn", (4, 0, "5,5,5,5")),
];

#[test]
fn tricky_files_are_read_like_python_chess_reads_them() {
    let Some(index) = data::read("pgn/tricky/INDEX.tsv") else { return };
    let mut failures = Vec::new();
    for row in index.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [file, games, errors, plies, ..] = columns[..] else { panic!("{row}") };
        let (games, errors) = (games.parse().unwrap(), errors.parse().unwrap());
        let known = DIFFERENCES.iter().find(|(name, _)| *name == file);
        let expected = known.map_or((games, errors, plies), |(_, expected)| *expected);
        let bytes = data::read_bytes(&format!("pgn/tricky/{file}")).expect("the index lists files");
        let read = read_games(&bytes[..]);
        let found_plies: Vec<_> =
            read.iter().map(|game| game.mainline.moves.len().to_string()).collect();
        // python-chess does not compare the tag Result with the end of the moves.
        let is_shared = |error: &PgnError| !matches!(error.kind, PgnErrorKind::Result { .. });
        let found_errors =
            read.iter().filter(|game| game.error.as_ref().is_some_and(is_shared)).count();
        if (read.len(), found_errors, found_plies.join(",").as_str()) != expected {
            let errors: Vec<_> = read.iter().filter_map(|game| game.error.as_ref()).collect();
            let found = (read.len(), found_errors, found_plies.join(","));
            failures.push(format!("{file}: {found:?}, expected {expected:?} {errors:?}"));
        }
        read.iter().filter(|game| game.error.is_none()).for_each(assert_round_trip);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn collections_are_read_without_error_and_survive_writing() {
    let files = [
        ("world-championship-cycle-a.pgn.gz", 2184),
        ("world-matches.pgn.gz", 580),
        ("corus-2003-2009-odd.pgn.gz", 1042),
        ("lichess-1000k.pgn.gz", 438),
        ("chess960-rapid-wch.pgn", 20),
    ];
    for (file, count) in files {
        let Some(bytes) = data::read_bytes(&format!("pgn/{file}")) else { return };
        let packed = bytes.starts_with(&GZIP_MAGIC);
        let games = if packed {
            read_games(BufReader::new(GzDecoder::new(&bytes[..])))
        } else {
            read_games(&bytes[..])
        };
        assert_eq!(games.len(), count, "{file}");
        for game in &games {
            assert_eq!(game.error, None, "{file}");
            if let Some(plies) = game.tag("PlyCount") {
                assert_eq!(game.mainline.moves.len().to_string(), plies, "{file} {:?}", game.tags);
            }
            assert_round_trip(game);
            assert_eq!(game.to_game().moves().len(), game.mainline.moves.len());
        }
        if file.starts_with("lichess") {
            let moves = games.iter().flat_map(|game| &game.mainline.moves);
            let comments: Vec<_> = moves.map(|step| Comment::parse(&step.comment)).collect();
            let clocks = comments.iter().filter(|comment| comment.clock.is_some()).count();
            assert!(clocks > comments.len() * 9 / 10, "{clocks} of {}", comments.len());
            assert!(comments.iter().all(|comment| comment.other.is_empty()));
        }
    }
}
