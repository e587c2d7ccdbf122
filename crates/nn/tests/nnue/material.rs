//! The hand-made net counts material.

use std::sync::Arc;
use tabiya_chess::{Board, Color, PieceType};
use tabiya_nn::{Accumulators, Network, Shape};

fn balance(board: &Board) -> i32 {
    let values = [100, 320, 330, 500, 900, 0];
    let us = board.side_to_move();
    let side = |color: Color| -> i32 {
        PieceType::ALL
            .map(|kind| values[kind] * board.pieces(color, kind).count() as i32)
            .iter()
            .sum()
    };
    side(us) - side(!us)
}

#[test]
fn the_material_net_is_near_the_material_balance() {
    for (hidden, kings, outputs) in [(128, 1, 1), (512, 4, 8), (1024, 8, 8)] {
        let net = Arc::new(Network::material(Shape::new(hidden, kings, outputs).unwrap()));
        let mut accumulators = Accumulators::new(&net);
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1",
            "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1",
            "4k3/pppppppp/8/8/8/8/8/4K3 w - - 0 1",
            "r3k3/8/8/8/8/8/8/NN2K1BB w - - 0 1",
            "rrrrk3/8/8/8/8/8/8/QQQQK3 w - - 0 1",
        ] {
            let board = Board::from_fen_lenient(fen, false).unwrap().0;
            accumulators.reset(&board);
            let (found, expected) = (accumulators.evaluate(&board), balance(&board));
            assert!((found - expected).abs() <= 10 + expected.abs() / 100, "{fen}: {found}");
        }
    }
}
