//! King and pawn against king, solved: one bit for each position, won or drawn.
//!
//! White has the pawn, on the files a to d; other positions are mirrored onto these. The table is
//! computed on first use in some milliseconds and takes 24 kB.

use super::masks::distance;
use std::sync::LazyLock;
use tabiya_chess::{Bitboard, Board, Color, PieceType, Rank, Square, attacks};

/// Two sides to move, 24 pawn squares, 64 squares for each king.
const POSITIONS: usize = 2 * 24 * 64 * 64;

static WINS: LazyLock<Box<[u64]>> = LazyLock::new(solve);

/// Whether the side with the pawn wins; `board` has two kings and one pawn.
pub(super) fn is_win(board: &Board, strong: Color) -> bool {
    let Some(pawn) = board.kind(PieceType::Pawn).first() else { return false };
    let mirror = |sq: Square| {
        let sq = sq.relative_to(strong);
        if pawn.file().index() < 4 { sq } else { sq.flip_file() }
    };
    let index = Position {
        strong_to_move: board.side_to_move() == strong,
        pawn: mirror(pawn),
        king: mirror(board.king(strong)),
        enemy: mirror(board.king(!strong)),
    }
    .index();
    WINS[index / 64] >> (index % 64) & 1 != 0
}

#[derive(Clone, Copy)]
struct Position {
    strong_to_move: bool,
    pawn: Square,
    king: Square,
    enemy: Square,
}

/// What is known about a position while solving.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    Draw,
    Win,
    /// Cannot arise, or is never asked for.
    Invalid,
}

impl Position {
    fn index(self) -> usize {
        let pawn = self.pawn.file().index() + 4 * (self.pawn.rank().index() - 1);
        ((usize::from(self.strong_to_move) * 24 + pawn) * 64 + self.king.index()) * 64
            + self.enemy.index()
    }

    fn from_index(index: usize) -> Self {
        let pawn = index >> 12;
        let (strong_to_move, pawn) = (pawn >= 24, pawn % 24);
        Self {
            strong_to_move,
            pawn: Square::ALL[8 * (pawn / 4 + 1) + pawn % 4],
            king: Square::ALL[index >> 6 & 63],
            enemy: Square::ALL[index & 63],
        }
    }

    /// What can be said without looking at moves that stay in the table.
    fn first_state(self) -> State {
        let pawn_attacks = attacks::pawn(Color::White, self.pawn);
        let illegal = distance(self.king, self.enemy) <= 1
            || self.king == self.pawn
            || self.enemy == self.pawn
            || self.strong_to_move && pawn_attacks.contains(self.enemy);
        if illegal {
            return State::Invalid;
        }
        if self.strong_to_move {
            return if self.promotes() { State::Win } else { State::Unknown };
        }
        let taken = attacks::king(self.enemy) - attacks::king(self.king);
        let moves = attacks::king(self.enemy) - attacks::king(self.king) - pawn_attacks;
        if taken.contains(self.pawn) || moves.is_empty() && !pawn_attacks.contains(self.enemy) {
            return State::Draw;
        }
        State::Unknown
    }

    /// Whether the pawn can become a queen that stays on the board.
    fn promotes(self) -> bool {
        let Some(goal) = Bitboard::of(self.pawn).north().first() else { return false };
        self.pawn.rank() == Rank::R7
            && goal != self.king
            && goal != self.enemy
            && (distance(self.enemy, goal) > 1 || distance(self.king, goal) == 1)
    }

    /// What the positions after one move say.
    fn next_state(self, states: &[State]) -> State {
        let mut drawn = false;
        let mut won = false;
        let mut open = false;
        let mut see = |child: Position| match states[child.index()] {
            State::Win => won = true,
            State::Draw => drawn = true,
            State::Unknown => open = true,
            State::Invalid => {}
        };
        if self.strong_to_move {
            for king in attacks::king(self.king) {
                see(Self { king, strong_to_move: false, ..self });
            }
            let occupied = Bitboard::of(self.king) | Bitboard::of(self.enemy);
            let single = Bitboard::of(self.pawn).north() - occupied;
            if self.pawn.rank() < Rank::R7 {
                let double = (single & Bitboard::rank(Rank::R3)).north() - occupied;
                for pawn in single | double {
                    see(Self { pawn, strong_to_move: false, ..self });
                }
            }
            return match (won, open) {
                (true, _) => State::Win,
                (false, true) => State::Unknown,
                (false, false) => State::Draw,
            };
        }
        for enemy in attacks::king(self.enemy) {
            see(Self { enemy, strong_to_move: true, ..self });
        }
        match (drawn, open) {
            (true, _) => State::Draw,
            (false, true) => State::Unknown,
            (false, false) => State::Win,
        }
    }
}

/// Decides positions until nothing changes; what is left can not be won.
fn solve() -> Box<[u64]> {
    let mut states: Vec<State> =
        (0..POSITIONS).map(|index| Position::from_index(index).first_state()).collect();
    loop {
        let mut changed = false;
        for index in 0..POSITIONS {
            if states[index] == State::Unknown {
                states[index] = Position::from_index(index).next_state(&states);
                changed |= states[index] != State::Unknown;
            }
        }
        if !changed {
            break;
        }
    }
    let mut wins = vec![0; POSITIONS / 64].into_boxed_slice();
    for (index, _) in states.iter().enumerate().filter(|(_, state)| **state == State::Win) {
        wins[index / 64] |= 1 << (index % 64);
    }
    wins
}
