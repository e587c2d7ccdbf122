//! The built-in knowledge of king and pawn against king, compared with the Syzygy table for every
//! legal position.

use crate::data;
use tabiya_chess::{Board, Color, Piece, Setup, Square};
use tabiya_engine::eval::hce::{PawnTable, evaluate};
use tabiya_engine::eval::{Evaluation, StaticEvaluator};
use tabiya_engine::{Limits, Score, Searcher, TableWdl, Tablebase};

#[test]
fn every_king_and_pawn_position_is_judged_right() {
    let Some(folder) = data::path("syzygy") else { return };
    let tables = Tablebase::open(folder.as_os_str()).expect("the folder holds tables");
    let mut pawns = PawnTable::default();
    let mut setup = Setup::empty();
    let mut wins = 0;
    for pawn in &Square::ALL[8..56] {
        for king in Square::ALL {
            for enemy in Square::ALL {
                if king == *pawn || enemy == *pawn || king == enemy {
                    continue;
                }
                for side in Color::ALL {
                    setup.pieces = [None; 64];
                    setup.pieces[*pawn] = Some(Piece::WhitePawn);
                    setup.pieces[king] = Some(Piece::WhiteKing);
                    setup.pieces[enemy] = Some(Piece::BlackKing);
                    setup.side = side;
                    let Ok(board) = setup.to_board(false) else { continue };
                    wins += u32::from(agree(&board, &tables, &mut pawns));
                }
            }
        }
    }
    assert!(wins > 100_000, "{wins}");
}

/// Checks one position; returns whether it is won.
fn agree(board: &Board, tables: &Tablebase, pawns: &mut PawnTable) -> bool {
    let wdl = tables.wdl(board).expect("the table is there");
    let found = evaluate(board, pawns).signum();
    let expected = match wdl {
        TableWdl::Win => 1,
        TableWdl::Loss => -1,
        _ => 0,
    };
    assert_eq!(found, expected, "{board}");
    wdl != TableWdl::Draw
}

/// The network alone guesses in these; nobody has to.
#[test]
fn dead_draws_are_known_whatever_judges() {
    let mut searcher = Searcher::new(1).unwrap();
    for fen in [
        // King and pawn: the opposition, a rook pawn, a king in front.
        "8/8/8/4k3/4P3/4K3/8/8 w - - 0 1",
        "k7/8/K7/P7/8/8/8/8 w - - 0 1",
        "8/8/8/8/4k3/4p3/4K3/8 b - - 0 1",
        // Two knights; a bishop that does not rule the corner of its pawn.
        "8/8/4k3/8/8/3NNK2/8/8 w - - 0 1",
        "k7/8/1K6/P7/8/8/8/2B5 w - - 0 1",
    ] {
        let board: Board = fen.parse().unwrap();
        for mirrored in [board, board.mirrored()] {
            for evaluation in [Evaluation::embedded(), Evaluation::Classical] {
                let value = StaticEvaluator::new(&evaluation).white_value(&mirrored);
                assert_eq!(value, 0, "{mirrored}: {evaluation}");
            }
            // Nor does what the search has learned about other positions move the value, at any depth.
            for nodes in [100, 5000] {
                let drawn = searcher.search(&mirrored, &[], &Limits::nodes(nodes), |_| {});
                assert_eq!(drawn.score, Score::Cp(0), "{mirrored}: {drawn:?}");
            }
        }
    }
    let board = "4k3/8/8/8/8/4K3/4P3/8 w - - 0 1".parse().unwrap();
    let won = searcher.search(&board, &[], &Limits::nodes(5000), |_| {});
    assert!(matches!(won.score, Score::Cp(200..) | Score::Mate(1..)), "{won:?}");
}
