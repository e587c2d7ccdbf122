//! Accumulators that follow moves equal the reference at every position.

use crate::random::{self, Flavor, Random};
use crate::reference;
use tabiya_chess::{Board, Move, MoveKind};
use tabiya_nn::simd::Kernels;
use tabiya_nn::{Accumulators, Delta, Network, Parts, Shape};

const GAMES: usize = 10_000;

/// How often each kind of step was compared.
#[derive(Default, Debug)]
struct Tally {
    quiet: usize,
    captures: usize,
    castlings: usize,
    odd_castlings: usize,
    en_passants: usize,
    promotions: usize,
    capture_promotions: usize,
    null_moves: usize,
    view_changes: usize,
}

impl Tally {
    fn count(&mut self, board: &Board, mv: Move) {
        match mv.kind() {
            MoveKind::Quiet | MoveKind::DoublePush => self.quiet += 1,
            MoveKind::Castling => {
                let from = board.king(board.side_to_move());
                let is_usual = from.file() == tabiya_chess::File::E
                    && matches!(mv.to().file(), tabiya_chess::File::A | tabiya_chess::File::H);
                *(if is_usual { &mut self.castlings } else { &mut self.odd_castlings }) += 1;
            }
            MoveKind::EnPassant => self.en_passants += 1,
            MoveKind::Capture => self.captures += 1,
            _ if mv.is_capture() => self.capture_promotions += 1,
            _ => self.promotions += 1,
        }
        let us = board.side_to_move();
        let mut after = *board;
        after.play(mv);
        let is_right = |board: &Board| board.king(us).file() as u8 >= 4;
        self.view_changes += usize::from(is_right(board) != is_right(&after));
    }
}

struct Walk<'a> {
    net: &'a Network,
    parts: &'a Parts,
    random: Random,
    accumulators: Accumulators,
    tally: Tally,
}

impl Walk<'_> {
    fn check(&mut self, board: &Board) {
        let expected = reference::evaluate(self.net.shape(), self.parts, board);
        let found = self.accumulators.evaluate(board);
        assert_eq!(found, expected, "{board}");
    }

    /// Prefers moves that random play makes too rarely.
    fn choose(&mut self, board: &Board) -> Option<Move> {
        let moves = board.legal_moves();
        let rare: Vec<Move> = moves
            .iter()
            .filter(|mv| mv.is_castling() || mv.is_en_passant() || mv.is_promotion())
            .collect();
        if !rare.is_empty() && self.random.below(2) == 0 {
            return Some(rare[self.random.below(rare.len())]);
        }
        moves.get(self.random.below(moves.len().max(1)))
    }

    /// A line of random length with side lines, checked at some of its positions only, so that
    /// updates over several plies at once occur.
    fn follow(&mut self, mut board: Board, mut plies: usize, depth: usize) {
        let mut pushed = 0;
        while plies > 0 {
            plies -= 1;
            if !board.in_check() && self.random.below(12) == 0 {
                board.play_null();
                self.accumulators.push_null();
                self.tally.null_moves += 1;
            } else {
                let Some(mv) = self.choose(&board) else { break };
                self.tally.count(&board, mv);
                self.accumulators.push(Delta::new(&board, mv));
                board.play(mv);
            }
            pushed += 1;
            if self.random.below(3) != 0 {
                self.check(&board);
            }
            if depth > 0 && self.random.below(8) == 0 {
                let side_line = 1 + self.random.below(4);
                self.follow(board, side_line, depth - 1);
                self.check(&board);
            }
        }
        for _ in 0..pushed {
            self.accumulators.pop();
        }
    }
}

fn play_games(seed: u64, shape: Shape, kernels: &'static Kernels, games: usize) -> Tally {
    let mut random = Random(seed);
    let net = random::net(&mut random, shape, Flavor::Wild);
    let accumulators = Accumulators::with_kernels(&net, kernels);
    let parts = net.to_parts();
    let mut walk = Walk { net: &net, parts: &parts, random, accumulators, tally: Tally::default() };
    let promoting = "2r1k3/1P4P1/8/8/8/8/1p4p1/R3K2N w Q - 0 1".parse().expect("legal");
    for game in 0..games {
        let board = match game % 4 {
            0 => Board::default(),
            1 => random::shuffled_start(&mut walk.random),
            2 => promoting,
            _ => random::scattered(&mut walk.random),
        };
        walk.accumulators.reset(&board);
        let plies = 8 + walk.random.below(60);
        walk.follow(board, plies, 2);
        walk.check(&board);
    }
    walk.tally
}

#[test]
fn following_random_games_equals_the_reference() {
    let kernels: Vec<_> = Kernels::available().collect();
    let shapes =
        ["768x1-128s-1x1", "768x4-128s-1x8", "768x8-128s-1x8", "768x8+threats-128p-16d-32s-1x8"];
    let runs: Vec<_> = shapes
        .iter()
        .enumerate()
        .flat_map(|(seed, text)| {
            let shape: Shape = text.parse().unwrap();
            kernels.iter().map(move |kernels| (seed as u64, shape, *kernels))
        })
        .collect();
    let games = GAMES.div_ceil(runs.len());
    std::thread::scope(|scope| {
        let threads: Vec<_> = [runs.iter().step_by(2), runs[1..].iter().step_by(2)]
            .into_iter()
            .map(|share| {
                scope.spawn(move || {
                    share.for_each(|(seed, shape, kernels)| {
                        let tally = play_games(*seed, *shape, kernels, games);
                        let counts = [
                            tally.quiet,
                            tally.captures,
                            tally.castlings,
                            tally.odd_castlings,
                            tally.en_passants,
                            tally.promotions,
                            tally.capture_promotions,
                            tally.null_moves,
                            tally.view_changes,
                        ];
                        assert!(counts.iter().all(|count| *count > 20), "{tally:?}");
                    });
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("every position agrees");
        }
    });
}
