//! The built-in knowledge of king and pawn against king, compared with the Syzygy table for every
//! legal position.

#[path = "../../chess/tests/common/data.rs"]
mod data;

use tabiya_chess::{Board, Color, Piece, Setup, Square};
use tabiya_engine::eval::hce::{PawnTable, evaluate};
use tabiya_engine::{TableWdl, Tablebase};

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
