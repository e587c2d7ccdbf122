//! Generating, playing and judging moves never touch the heap.

mod counting;

use std::hint::black_box;
use tabiya_chess::{Board, Generate, Move, MoveList, perft};

fn allocations(work: impl FnOnce()) -> u64 {
    let before = counting::allocations();
    work();
    counting::allocations() - before
}

#[test]
fn rules_allocate_nothing() {
    let boards = [
        Board::default(),
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse().unwrap(),
        "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1".parse().unwrap(),
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1".parse().unwrap(),
    ];
    let count = allocations(|| {
        for board in boards {
            for kind in [Generate::All, Generate::Noisy, Generate::Quiet] {
                let mut list = MoveList::new();
                board.generate(kind, &mut list);
                for mv in &list {
                    black_box(board.gives_check(mv));
                    let mut child = board;
                    child.play(mv);
                    black_box((child.key(), child.threatened(), child.polyglot_key()));
                }
            }
            (0..=u16::MAX).filter_map(Move::from_bits).for_each(|mv| {
                let mut child = board;
                black_box((board.is_legal(mv), child.try_play(mv).is_ok()));
            });
            black_box((board.legal_moves(), board.count_legal_moves(), board.has_legal_move()));
            black_box((board.is_checkmate(), board.mirrored(), perft::count(&board, 3)));
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(black_box(Box::new(1)))), 1);
}
