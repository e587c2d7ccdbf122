//! Endgame tables: what they say, what the search makes of it, and what broken ones do.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::data;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tabiya_chess::{Board, Color, Epd, Game, GameResult, Move, Piece, PieceType, Setup, Square};
use tabiya_engine::{Engine, Limits, Score, Searcher, TableWdl, Tablebase, TablebaseError};

/// All tables of three and four pieces.
fn tables() -> Option<Tablebase> {
    let folder = data::path("syzygy")?;
    Some(Tablebase::open(folder.as_os_str()).unwrap())
}

/// Numbers that look random (`xorshift64*`, Marsaglia 2003).
struct Random(u64);

impl Random {
    /// A number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound as u64) as usize
    }
}

#[test]
fn every_known_position_has_its_outcome_and_distance() {
    let (Some(tables), Some(file)) = (tables(), data::path("syzygy/positions.csv")) else {
        return;
    };
    let mut checked = 0;
    for line in fs::read_to_string(file).unwrap().lines().skip(1) {
        let mut fields = line.rsplitn(3, ',');
        let dtz: i32 = fields.next().unwrap().parse().unwrap();
        let wdl = match fields.next().unwrap() {
            "-2" => TableWdl::Loss,
            "-1" => TableWdl::BlessedLoss,
            "0" => TableWdl::Draw,
            "1" => TableWdl::CursedWin,
            _ => TableWdl::Win,
        };
        let board = Epd::parse(fields.next().unwrap(), false).unwrap().board;
        assert_eq!(tables.wdl(&board), Some(wdl), "{line}");
        assert_eq!(tables.dtz(&board), Some(dtz), "{line}");
        checked += 1;
    }
    assert!(checked >= 530, "{checked}");
    assert_eq!(tables.take_faults(), [""; 0]);
}

#[test]
fn the_moves_of_a_known_position_are_told_with_their_outcomes() {
    let Some(tables) = tables() else { return };
    let moves = |fen: &str| tables.moves(&fen.parse().unwrap(), &[]);
    let board: Board = "8/8/8/8/8/k7/p7/K7 b - - 0 1".parse().unwrap();
    let known = tables.moves(&board, &[]).unwrap();
    assert_eq!(known.len(), board.legal_moves().len());
    let named = |uci: &str| {
        let mv = board.parse_uci(uci).unwrap();
        *known.iter().find(|row| row.mv == mv).unwrap()
    };
    // The pawn falls.
    assert_eq!((named("a3b4").outcome, named("a3b4").plies), (TableWdl::Draw, None));
    let won = moves("4k3/8/8/8/8/8/8/4K2Q w - - 0 1").unwrap();
    assert!(won[0].outcome == TableWdl::Win && won[0].plies.is_some_and(|plies| plies > 1));
    assert!(won.is_sorted_by_key(|row| std::cmp::Reverse(row.outcome)));
    // The same a few plies before the fifty-move rule ends it.
    let late = moves("4k3/8/8/8/8/8/8/4K2Q w - - 98 80").unwrap();
    assert_eq!(late[0].outcome, TableWdl::CursedWin);
    assert_eq!(moves(tabiya_chess::START_FEN), None);
}

#[test]
fn the_winner_depends_on_the_clock() {
    let Some(tables) = tables() else { return };
    let winner = |fen: &str| tables.winner(&fen.parse().unwrap());
    assert_eq!(winner("4k3/8/8/8/8/8/8/4K2Q b - - 0 1"), Some(Some(Color::White)));
    assert_eq!(winner("4k3/8/8/8/8/8/8/4K2Q w - - 0 1"), Some(Some(Color::White)));
    assert_eq!(winner("4k3/8/8/8/8/8/8/4KB2 w - - 0 1"), Some(None));
    // A mate that comes after the fifty-move rule would have ended the game is a draw.
    assert_eq!(winner("7k/8/8/8/8/8/8/KBN5 w - - 98 100"), Some(None));
    assert_eq!(winner("4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1"), None);
    assert_eq!(winner("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), None);
}

#[test]
fn folders_without_tables_are_refused() {
    let open = |folder: &str| Tablebase::open(folder.as_ref()).unwrap_err();
    assert!(matches!(open("no/such/folder"), TablebaseError::Folder(..)));
    assert_eq!(open(env!("CARGO_MANIFEST_DIR")), TablebaseError::Empty);
    assert_eq!(open(""), TablebaseError::Empty);
    let mut engine = Engine::new(1).unwrap();
    let error = engine.set_option("SyzygyPath", Some("no/such/folder")).unwrap_err().to_string();
    assert!(error.contains("SyzygyPath") && error.contains("no/such/folder"), "{error}");
}

fn engine_with_tables() -> Option<Engine> {
    let folder = data::path("syzygy")?;
    let mut engine = Engine::new(1).unwrap();
    engine.set_option("SyzygyPath", folder.to_str()).unwrap();
    assert!(engine.take_notes()[0].contains("70 tables of up to 4 pieces"));
    Some(engine)
}

#[test]
fn the_search_looks_ahead_into_tables() {
    let Some(mut engine) = engine_with_tables() else { return };
    // Taking the rook leaves rook and pawn against king, won; five pieces are in no table.
    let board: Board = "8/8/8/8/4k3/7r/P5K1/R7 w - - 0 1".parse().unwrap();
    engine.set_position(board, &[]);
    let (sender, hits) = std::sync::mpsc::channel();
    let result = engine.go(Limits::depth(8), move |info| sender.send(info.tb_hits).unwrap());
    assert_eq!(board.uci(result.best.unwrap(), false), "g2h3");
    assert!(matches!(result.score, Score::Tablebase(1..)), "{:?}", result.score);
    assert!(hits.iter().last().unwrap() > 0);
    engine.set_option("SyzygyProbeLimit", Some("0")).unwrap();
    let result = engine.go(Limits::depth(8), |_| {});
    assert!(matches!(result.score, Score::Cp(_) | Score::Mate(_)), "{:?}", result.score);
}

#[test]
fn the_line_of_a_known_win_ends_in_mate() {
    let Some(mut engine) = engine_with_tables() else { return };
    let board: Board = "7k/8/8/8/8/8/8/KBN5 w - - 0 1".parse().unwrap();
    engine.set_option("Move Overhead", Some("5000")).unwrap();
    engine.set_position(board, &[]);
    let (sender, lines) = std::sync::mpsc::channel();
    let result = engine.go(Limits::depth(2), move |info| sender.send(info.line.clone()).unwrap());
    assert!(matches!(result.score, Score::Tablebase(1..)), "{:?}", result.score);
    let mut game = Game::from_board(board);
    for mv in lines.iter().last().unwrap() {
        game.play(mv).unwrap();
    }
    assert_eq!(game.result(), GameResult::Win(Color::White), "{}", game.board());
}

#[test]
fn drawn_endings_are_held_and_told_as_draws() {
    let Some(mut engine) = engine_with_tables() else { return };
    for (fen, only) in [
        ("8/1K6/7p/8/5k2/8/5R2/8 b - - 0 1", "f4g3"),
        ("8/7K/3k4/8/8/8/6P1/8 b - - 0 1", "d6e5"),
        ("8/8/6R1/1p6/k6K/8/8/8 b - - 0 1", "b5b4"),
    ] {
        let board: Board = fen.parse().unwrap();
        engine.set_position(board, &[]);
        let result = engine.go(Limits::depth(3), |_| {});
        let found = board.uci(result.best.unwrap(), false);
        assert_eq!((found.as_str(), result.score), (only, Score::Cp(0)));
    }
}

/// No ending of four pieces takes fifty moves, so the clock is advanced.
#[test]
fn the_fifty_move_rule_can_be_switched_off() {
    let Some(mut engine) = engine_with_tables() else { return };
    let board: Board = "7k/8/8/8/8/8/8/KBN5 w - - 90 100".parse().unwrap();
    engine.set_position(board, &[]);
    assert_eq!(engine.go(Limits::depth(3), |_| {}).score, Score::Cp(0));
    engine.set_option("Syzygy50MoveRule", Some("false")).unwrap();
    assert!(matches!(engine.go(Limits::depth(3), |_| {}).score, Score::Tablebase(1..)));
}

/// A won position of four pieces, with the side that wins.
fn random_win(random: &mut Random, tables: &Tablebase) -> (Board, Color) {
    loop {
        let mut setup = Setup::empty();
        let kinds = [PieceType::King, PieceType::King];
        let others = [random.below(5), random.below(5)].map(|kind| PieceType::ALL[kind]);
        let against = random.below(2) == 0;
        let colors = [Color::White, Color::Black, Color::White, Color::ALL[usize::from(against)]];
        for (kind, color) in kinds.into_iter().chain(others).zip(colors) {
            setup.pieces[Square::ALL[random.below(64)]] = Some(Piece::new(color, kind));
        }
        setup.side = Color::ALL[random.below(2)];
        if setup.pieces.iter().flatten().count() != 4 {
            continue;
        }
        let Ok(board) = setup.to_board(false) else { continue };
        if let Some(Some(winner)) = tables.winner(&board) {
            return (board, winner);
        }
    }
}

/// The defender's move that puts off the next capture or pawn move longest.
fn toughest(tables: &Tablebase, board: &Board) -> Move {
    let distance = |mv: &Move| {
        let mut child = *board;
        child.play(*mv);
        match tables.wdl(&child) {
            // Giving up a piece or pawn starts the next phase.
            Some(_) if child.halfmove_clock() == 0 => 0,
            _ => tables.dtz(&child).unwrap_or(0),
        }
    };
    board.legal_moves().iter().max_by_key(distance).unwrap()
}

/// More games with `TABIYA_ENDGAMES=1000`.
#[test]
fn won_endings_are_won_against_the_toughest_defence() {
    let Some(tables) = tables().map(Arc::new) else { return };
    let games = std::env::var("TABIYA_ENDGAMES").map_or(20, |count| count.parse().unwrap());
    let mut searcher = Searcher::new(1).unwrap();
    searcher.set_tables(Some(Arc::clone(&tables)));
    let mut random = Random(20_240_229);
    let mut longest = 0;
    for number in 0..games {
        let (start, winner) = random_win(&mut random, &tables);
        searcher.new_game();
        let mut game = Game::from_board(start);
        while !game.is_over() {
            let board = *game.board();
            let mv = if board.side_to_move() == winner {
                let limits = Limits::nodes(500);
                searcher.search(&board, game.keys(), &limits, |_| {}).best.unwrap()
            } else {
                toughest(&tables, &board)
            };
            game.play(mv).unwrap();
            let outcome = tables.winner(game.board());
            assert!(outcome.is_none_or(|known| known == Some(winner)), "{start}: {}", game.board());
        }
        let end = game.board();
        assert_eq!(game.result(), GameResult::Win(winner), "game {number} from {start}: {end}");
        longest = longest.max(game.moves().len());
    }
    eprintln!("{games} won endings were won, the longest in {longest} plies");
}

/// A folder for one test, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tabiya-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A table changed by `damage`.
    fn put(&self, source: &Path, name: &str, damage: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = fs::read(source.join(name)).unwrap();
        damage(&mut bytes);
        fs::write(self.0.join(name), bytes).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn damaged_tables_are_told_and_skipped() {
    let Some(source) = data::path("syzygy") else { return };
    let folder = Folder::new("damaged-tables");
    for extension in ["rtbw", "rtbz"] {
        folder.put(&source, &format!("KQvK.{extension}"), |_| {});
        // Cut off so that the size cannot be right.
        folder.put(&source, &format!("KRvK.{extension}"), |bytes| bytes.truncate(100));
        // Cut off at a size that could be right.
        folder.put(&source, &format!("KQvKR.{extension}"), |bytes| bytes.truncate(64 + 16));
        // Not a table at all.
        folder.put(&source, &format!("KBNvK.{extension}"), |bytes| bytes[..64].fill(b'?'));
        folder.put(&source, &format!("KPvK.{extension}"), Vec::clear);
    }
    let mut engine = Engine::new(1).unwrap();
    let both = std::env::join_paths([Path::new("no/such/folder"), &folder.0]).unwrap();
    engine.set_option("SyzygyPath", both.to_str()).unwrap();
    let notes = engine.take_notes().join("\n");
    for trouble in ["6 tables", "no/such/folder", "KRvK.rtbw left out", "KPvK.rtbz left out"] {
        assert!(notes.contains(trouble), "{trouble}: {notes}");
    }
    for fen in [
        "4k3/8/8/8/8/8/8/4K2Q w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
        "4k2r/8/8/8/8/8/8/4K2Q w - - 0 1",
        "7k/8/8/8/8/8/8/KBN5 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "4k2r/8/8/8/8/8/4P3/4K2Q w - - 0 1",
    ] {
        engine.set_position(fen.parse().unwrap(), &[]);
        assert!(engine.go(Limits::depth(6), |_| {}).best.is_some(), "{fen}");
    }
    let tables = Tablebase::open(folder.0.as_os_str()).unwrap();
    tables.take_faults();
    for (fen, known) in [
        ("4k3/8/8/8/8/8/8/4K2Q w - - 0 1", true),
        ("4k3/7r/8/8/8/8/8/4K1Q1 w - - 0 1", false),
        ("7k/8/8/8/8/8/8/KBN5 w - - 0 1", false),
        ("7k/8/8/8/8/8/8/KBN5 w - - 0 1", false),
    ] {
        assert_eq!(tables.wdl(&fen.parse().unwrap()).is_some(), known, "{fen}");
    }
    let faults = tables.take_faults();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].contains("KQvKR: corrupt or cut off"), "{faults:?}");
    assert!(faults[1].contains("KBNvK: invalid magic"), "{faults:?}");
}

/// Any bytes may be in a file. Wrong answers cannot be helped, but nothing may break.
#[test]
fn tables_with_flipped_bits_do_no_harm() {
    let Some(source) = data::path("syzygy") else { return };
    let mut random = Random(7);
    for round in 0..40 {
        let folder = Folder::new(&format!("flipped-bits-{round}"));
        for name in ["KQvKP.rtbw", "KQvKP.rtbz", "KBNvK.rtbw", "KBNvK.rtbz"] {
            folder.put(&source, name, |bytes| {
                // Headers more often than data: that is where sizes and offsets are.
                for _ in 0..8 {
                    let span = if round % 2 == 0 { bytes.len().min(400) } else { bytes.len() };
                    bytes[4 + random.below(span - 4)] ^= 1 << random.below(8);
                }
            });
        }
        let mut searcher = Searcher::new(1).unwrap();
        searcher.set_option("SyzygyPath", folder.0.to_str().unwrap()).unwrap();
        for fen in ["7k/8/8/8/8/8/8/KBN5 w - - 0 1", "8/8/8/4k3/8/8/3p4/K6Q w - - 0 1"] {
            let result = searcher.search(&fen.parse().unwrap(), &[], &Limits::nodes(500), |_| {});
            assert!(result.best.is_some());
        }
    }
}
