//! The evaluation does not depend on the colour or the side of the board.

use crate::random::{self, Flavor, Random};
use tabiya_chess::{Board, PieceType, Setup, Square};
use tabiya_nn::{Accumulators, Shape};

/// The position reflected by `reflect`, without castling rights.
fn reflected(board: &Board, reflect: impl Fn(Square) -> Square) -> Board {
    let mut setup = Setup::empty();
    for sq in Square::ALL {
        setup.pieces[reflect(sq)] = board.piece_on(sq);
    }
    setup.side = board.side_to_move();
    setup.to_board_lenient(false).expect("as playable as the original").0
}

#[test]
fn swapped_colors_and_mirrored_files_evaluate_the_same() {
    let random = &mut Random(11);
    for text in
        ["768x1-256s-1x1", "768x4-256s-1x8", "768x8-256s-1x8", "768x8+threats-128p-16d-32s-1x8"]
    {
        let shape: Shape = text.parse().unwrap();
        let net = random::net(random, shape, Flavor::Wild);
        let mut accumulators = Accumulators::new(&net);
        let mut evaluate = |board: &Board| {
            accumulators.reset(board);
            accumulators.evaluate(board)
        };
        let mut different = 0;
        for _ in 0..10_000 {
            let board = random::scattered(random);
            let value = evaluate(&board);
            assert_eq!(value, evaluate(&board.mirrored()), "{board}");
            assert_eq!(value, evaluate(&reflected(&board, Square::flip_file)), "{board}");
            // Turning the board over without swapping colours is no symmetry: a net that sees
            // nothing would be noticed.
            if board.kind(PieceType::Pawn).is_empty() {
                different += i32::from(value != evaluate(&reflected(&board, Square::flip_rank)));
            }
        }
        assert!(different > 500, "{different}");
    }
}
