//! What a policy sees of one ply: the whole board, from the side to move.
//!
//! A token is the sum of embedding rows: one of 3,072 for every piece (relation to the mover, type,
//! square, attacked, defended; the threat inputs of the Monty engine), some of 64 for castling rights,
//! en passant, the clock, repetition, check and the player's skill, and one of 1,881 for the last move.
//! Everything is in the mover's frame, so a position and its mirror image with colours swapped give
//! the same token, number by number.

use super::{Token, vocab};
use tabiya_chess::{Board, CastlingSide, Color, Move, Rank};

/// Rows of the piece embedding.
pub const PIECE_ROWS: usize = 2 * 6 * 64 * 4;
/// Rows of the state embedding; the last ones are not used yet.
pub const STATE_ROWS: usize = 64;
/// The row for "no last move".
pub const NO_MOVE: u16 = vocab::MOVES as u16;
/// Buckets of skill: 0 is an engine, the others people by rating.
pub const SKILLS: usize = 16;

/// The most pieces a token can hold.
const MOST_PIECES: usize = 32;
const EN_PASSANT: u8 = 4;
const CLOCK: u8 = 12;
const REPETITION: u8 = 20;
const CHECK: u8 = 23;
const SKILL: u8 = 24;
/// The clock of reversible plies at which each next bucket begins.
const CLOCK_BOUNDS: [u16; 7] = [4, 10, 20, 35, 50, 70, 85];
/// A bucket of people spans this much,
const RATING_SPAN: u32 = 150;
/// and the first one ends here.
const FIRST_RATING_END: u32 = 850;

/// Who is to move: an engine, or a person of some rating.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Skill(u8);

impl Skill {
    /// The engine whose games taught the network.
    pub const ENGINE: Self = Self(0);

    /// A person with this rating (lichess scale): buckets of 150 points, from below 850 to 2800 and more.
    ///
    /// ```
    /// use tabiya_nn::policy::input::Skill;
    /// assert_eq!(Skill::of_rating(1000).index(), 3);
    /// assert_eq!(Skill::of_rating(1000), Skill::of_rating(1149));
    /// assert_eq!(Skill::of_rating(3300).index(), 15);
    /// ```
    pub fn of_rating(rating: u32) -> Self {
        let above =
            rating.saturating_add(RATING_SPAN).saturating_sub(FIRST_RATING_END) / RATING_SPAN;
        Self(1 + above.min(SKILLS as u32 - 2) as u8)
    }

    /// The bucket, from 0 to 15.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The bucket with this number.
    pub fn from_index(index: usize) -> Option<Self> {
        (index < SKILLS).then_some(Self(index as u8))
    }

    /// The lowest rating of the bucket; `None` for engines, 0 for the first bucket of people.
    pub fn lowest_rating(self) -> Option<u32> {
        match self.0 {
            0 => None,
            1 => Some(0),
            index => Some(FIRST_RATING_END + RATING_SPAN * (index as u32 - 2)),
        }
    }
}

/// The token of a position before its move. `repetitions` is how often it occurred before; the last
/// move's row is in the frame of the side that played it.
pub fn token(board: &Board, last: Option<Move>, repetitions: usize, skill: Skill) -> Token {
    let side = board.side_to_move();
    let last = last.map_or(NO_MOVE, |mv| vocab::row(mv, !side) as u16);
    Token::new(&pieces(board, side), &states(board, side, repetitions, skill), last)
}

/// Whether anyone may still castle.
pub fn has_castling_rights(token: &Token) -> bool {
    token.states().first().is_some_and(|row| *row < EN_PASSANT)
}

/// The token of the board mirrored left to right; without castling rights that is as good a position
/// as the original.
#[must_use]
pub fn mirrored(token: &Token) -> Token {
    let flip = |row: &u8| {
        let is_file = (EN_PASSANT..CLOCK).contains(row);
        if is_file { EN_PASSANT + 7 - (row - EN_PASSANT) } else { *row }
    };
    let pieces: Vec<u16> = token.pieces().iter().map(|row| row ^ 7).collect();
    let states: Vec<u8> = token.states().iter().map(flip).collect();
    Token::new(&pieces, &states, vocab::mirrored(token.last_move() as usize) as u16)
}

/// Low to high: 6 bits square, 6 types, 2 relations to the mover, attacked, defended.
fn pieces(board: &Board, side: Color) -> Vec<u16> {
    let occupied = board.occupied();
    let attacks = [Color::White, Color::Black].map(|color| board.attacks_by(color, occupied));
    let framed = if side == Color::Black { occupied.flip_ranks() } else { occupied };
    let row = |seen: tabiya_chess::Square| {
        let sq = seen.relative_to(side);
        let piece = board.piece_on(sq)?;
        let color = piece.color();
        let kind = piece.kind().index() + if color == side { 0 } else { 6 };
        let attacked = usize::from(attacks[!color].contains(sq));
        let defended = usize::from(attacks[color].contains(sq));
        Some((seen.index() + 64 * kind + 768 * (attacked + 2 * defended)) as u16)
    };
    // More men than a game can have: the net never saw the like, and the rest is left out.
    framed.into_iter().filter_map(row).take(MOST_PIECES).collect()
}

fn states(board: &Board, side: Color, repetitions: usize, skill: Skill) -> Vec<u8> {
    let rights = [side, !side]
        .into_iter()
        .flat_map(|color| CastlingSide::ALL.map(|wing| board.castling_rook(color, wing)));
    let mut rows: Vec<u8> = (0..).zip(rights).filter_map(|(row, rook)| rook.map(|_| row)).collect();
    if let Some(sq) = board.en_passant() {
        debug_assert_eq!(sq.rank().relative_to(side), Rank::R6);
        rows.push(EN_PASSANT + sq.file().index() as u8);
    }
    let clock = CLOCK_BOUNDS.iter().filter(|bound| board.halfmove_clock() >= **bound).count();
    rows.push(CLOCK + clock as u8);
    rows.push(REPETITION + repetitions.min(2) as u8);
    if board.in_check() {
        rows.push(CHECK);
    }
    rows.push(SKILL + skill.0);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::random_boards;
    use tabiya_chess::{MoveKind, Square};

    /// The move as seen after colours were swapped.
    fn swapped(mv: Move) -> Move {
        Move::new(mv.from().flip_rank(), mv.to().flip_rank(), mv.kind())
    }

    #[test]
    fn no_rating_is_too_high() {
        assert_eq!(Skill::of_rating(u32::MAX), Skill::of_rating(3000));
    }

    #[test]
    fn colour_swap_changes_nothing() {
        for (index, board) in random_boards(10_000).enumerate() {
            let skill = Skill::from_index(index % SKILLS).unwrap();
            let last = (index % 3 != 0).then(|| {
                let (from, to) = (Square::ALL[index % 7], Square::ALL[8 + index % 7]);
                Move::new(from, to, MoveKind::Quiet)
            });
            let seen = token(&board, last, index % 4, skill);
            let other = token(&board.mirrored(), last.map(swapped), index % 4, skill);
            assert_eq!(seen, other, "{board}");
            assert!(seen.pieces().iter().all(|row| (*row as usize) < PIECE_ROWS));
            assert!(seen.states().iter().all(|row| (*row as usize) < STATE_ROWS));
        }
    }

    #[test]
    fn mirroring_twice_is_the_identity_and_once_is_a_real_position() {
        let board: Board = "4k3/8/8/3pP3/8/8/1Q6/4K3 w - d6 0 1".parse().unwrap();
        let mirror: Board = "3k4/8/8/3Pp3/8/8/6Q1/3K4 w - e6 0 1".parse().unwrap();
        let push = |from: Square, to: Square| Some(Move::new(from, to, MoveKind::DoublePush));
        let seen = token(&board, push(Square::D7, Square::D5), 0, Skill::ENGINE);
        let other = token(&mirror, push(Square::E7, Square::E5), 0, Skill::ENGINE);
        assert_eq!(mirrored(&mirrored(&seen)), seen);
        assert_eq!(mirrored(&seen), other);
    }

    #[test]
    fn a_token_tells_positions_apart() {
        let of = |fen: &str| token(&fen.parse().unwrap(), None, 0, Skill::ENGINE);
        let base = of("4k3/8/8/8/8/8/4P3/R3K3 w Q - 0 1");
        for other in [
            "4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1",
            "4k3/8/8/8/8/8/4P3/R3K3 w Q - 40 1",
            "4k3/8/8/8/8/4P3/8/R3K3 w Q - 0 1",
            "4k2r/8/8/8/8/8/4P3/R3K3 w Q - 0 1",
            "4k3/8/8/8/8/8/4P3/R3K3 b Q - 0 1",
        ] {
            assert_ne!(base, of(other), "{other}");
        }
        assert!(has_castling_rights(&base));
        assert!(!has_castling_rights(&of("4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1")));
    }

    #[test]
    fn ratings_fall_into_buckets_in_order() {
        let buckets: Vec<_> = (0..3500).map(|rating| Skill::of_rating(rating).index()).collect();
        assert!(buckets.is_sorted());
        assert_eq!((buckets[0], buckets[3499]), (1, SKILLS - 1));
        for index in 1..SKILLS {
            let skill = Skill::from_index(index).unwrap();
            let lowest = skill.lowest_rating().unwrap();
            assert_eq!(Skill::of_rating(lowest), skill);
        }
    }
}
