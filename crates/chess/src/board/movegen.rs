//! Legal move generation, a whole target set at a time.
//!
//! The generator hands sets of target squares to a [`MoveSink`]: one sink writes moves, another only
//! counts bits, so that perft counts its last ply without building a single move.

use super::{Board, CastlingSide};
use crate::attacks;
use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveKind, MoveList};
use crate::types::{Color, PieceType, Rank, Square};

/// Which moves to generate. In check each kind is limited to evasions.
///
/// ```
/// use tabiya_chess::{Board, Generate, MoveList};
/// let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
/// Board::default().generate(Generate::Noisy, &mut noisy);
/// Board::default().generate(Generate::Quiet, &mut quiet);
/// assert_eq!((noisy.len(), quiet.len()), (0, 20));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Generate {
    /// Every legal move.
    All,
    /// Captures and promotions to a queen: the moves for which [`Move::is_noisy`] holds.
    Noisy,
    /// Every other move.
    Quiet,
}

/// Receives generated moves.
///
/// ```
/// use tabiya_chess::{Board, Generate, Move, MoveSink};
/// struct Checks(Board, u32);
/// impl MoveSink for Checks {
///     fn push(&mut self, mv: Move) {
///         self.1 += u32::from(self.0.gives_check(mv));
///     }
/// }
/// let board: Board = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1".parse()?;
/// let mut checks = Checks(board, 0);
/// board.generate(Generate::All, &mut checks);
/// assert_eq!(checks.1, 1);
/// # Ok::<(), tabiya_chess::FenError>(())
/// ```
pub trait MoveSink {
    /// One move.
    fn push(&mut self, mv: Move);
}

impl MoveSink for MoveList {
    #[inline]
    fn push(&mut self, mv: Move) {
        Self::push(self, mv);
    }
}

impl MoveSink for Vec<Move> {
    #[inline]
    fn push(&mut self, mv: Move) {
        Self::push(self, mv);
    }
}

/// What the generator needs of its consumer.
trait Targets {
    /// A piece that may go from one square to any of a set, some of them occupied by the enemy.
    fn piece(&mut self, from: Square, to: Bitboard, enemy: Bitboard);
    /// Pawns that reach a set of squares by a step of `offset`, none on the last rank.
    fn pawns(&mut self, to: Bitboard, offset: i8, kind: MoveKind);
    /// The same for the last rank: all four promotions or those `which` allows.
    fn promotions(&mut self, to: Bitboard, offset: i8, capture: bool, which: Promotions);
    /// A special move.
    fn one(&mut self, mv: Move);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Promotions {
    All,
    Queen,
    Under,
}

struct Emit<'a, S>(&'a mut S);

impl<S: MoveSink> Targets for Emit<'_, S> {
    #[inline]
    fn piece(&mut self, from: Square, to: Bitboard, enemy: Bitboard) {
        for sq in to & enemy {
            self.0.push(Move::new(from, sq, MoveKind::Capture));
        }
        for sq in to - enemy {
            self.0.push(Move::new(from, sq, MoveKind::Quiet));
        }
    }

    #[inline]
    fn pawns(&mut self, to: Bitboard, offset: i8, kind: MoveKind) {
        for sq in to {
            self.0.push(Move::new(step_back(sq, offset), sq, kind));
        }
    }

    #[inline]
    fn promotions(&mut self, to: Bitboard, offset: i8, capture: bool, which: Promotions) {
        use PieceType::{Bishop, Knight, Queen, Rook};
        for sq in to {
            let from = step_back(sq, offset);
            if which != Promotions::Under {
                self.0.push(Move::new(from, sq, MoveKind::promotion(Queen, capture)));
            }
            if which != Promotions::Queen {
                for piece in [Knight, Rook, Bishop] {
                    self.0.push(Move::new(from, sq, MoveKind::promotion(piece, capture)));
                }
            }
        }
    }

    #[inline]
    fn one(&mut self, mv: Move) {
        self.0.push(mv);
    }
}

#[inline]
fn step_back(to: Square, offset: i8) -> Square {
    Square::wrapping((to as usize).wrapping_sub(offset as isize as usize))
}

/// Counts moves without making any.
struct Count(u32);

impl Targets for Count {
    #[inline]
    fn piece(&mut self, _: Square, to: Bitboard, _: Bitboard) {
        self.0 += to.count();
    }

    #[inline]
    fn pawns(&mut self, to: Bitboard, _: i8, _: MoveKind) {
        self.0 += to.count();
    }

    #[inline]
    fn promotions(&mut self, to: Bitboard, _: i8, _: bool, _: Promotions) {
        self.0 += 4 * to.count();
    }

    #[inline]
    fn one(&mut self, _: Move) {
        self.0 += 1;
    }
}

/// The compile-time form of [`Generate`].
trait Kind {
    const NOISY: bool;
    const QUIET: bool;
}
struct All;
struct Noisy;
struct Quiet;
impl Kind for All {
    const NOISY: bool = true;
    const QUIET: bool = true;
}
impl Kind for Noisy {
    const NOISY: bool = true;
    const QUIET: bool = false;
}
impl Kind for Quiet {
    const NOISY: bool = false;
    const QUIET: bool = true;
}

impl Board {
    /// All legal moves.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// assert_eq!(Board::default().legal_moves().len(), 20);
    /// ```
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(Generate::All, &mut list);
        list
    }

    /// Hands the legal moves of one kind to `sink`.
    ///
    /// ```
    /// use tabiya_chess::{Board, Generate, Move};
    /// let board: Board = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap();
    /// let mut noisy: Vec<Move> = Vec::new();
    /// board.generate(Generate::Noisy, &mut noisy);
    /// assert_eq!(board.san(noisy[0]), "a8=Q+");
    /// assert_eq!(noisy.len(), 1);
    /// ```
    #[inline]
    pub fn generate(&self, kind: Generate, sink: &mut impl MoveSink) {
        match self.side {
            Color::White => self.generate_as::<false>(kind, sink),
            Color::Black => self.generate_as::<true>(kind, sink),
        }
    }

    #[inline]
    pub(crate) fn generate_as<const BLACK: bool>(&self, kind: Generate, sink: &mut impl MoveSink) {
        match kind {
            Generate::All => self.visit::<BLACK, All>(None, &mut Emit(sink)),
            Generate::Noisy => self.visit::<BLACK, Noisy>(None, &mut Emit(sink)),
            Generate::Quiet => self.visit::<BLACK, Quiet>(None, &mut Emit(sink)),
        }
    }

    /// The legal quiet moves, for callers who know [`Self::threatened`] already.
    ///
    /// ```
    /// use tabiya_chess::{Board, Move};
    /// let board = Board::default();
    /// let mut quiets: Vec<Move> = Vec::new();
    /// board.generate_quiets(board.threatened(), &mut quiets);
    /// assert_eq!(quiets.len(), 20);
    /// ```
    #[inline]
    pub fn generate_quiets(&self, threatened: Bitboard, sink: &mut impl MoveSink) {
        debug_assert_eq!(threatened, self.threatened());
        match self.side {
            Color::White => self.visit::<false, Quiet>(Some(threatened), &mut Emit(sink)),
            Color::Black => self.visit::<true, Quiet>(Some(threatened), &mut Emit(sink)),
        }
    }

    /// The number of legal moves, much faster than listing them.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// assert_eq!(Board::default().count_legal_moves(), 20);
    /// ```
    #[inline]
    pub fn count_legal_moves(&self) -> u32 {
        match self.side {
            Color::White => self.count_as::<false>(),
            Color::Black => self.count_as::<true>(),
        }
    }

    #[inline]
    pub(crate) fn count_as<const BLACK: bool>(&self) -> u32 {
        let mut count = Count(0);
        self.visit::<BLACK, All>(None, &mut count);
        count.0
    }

    /// Whether there is any legal move.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// let mated: Board = "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1".parse().unwrap();
    /// assert!(!mated.has_legal_move());
    /// ```
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        self.count_legal_moves() != 0
    }

    #[inline]
    fn visit<const BLACK: bool, K: Kind>(
        &self,
        threatened: Option<Bitboard>,
        sink: &mut impl Targets,
    ) {
        let us = if BLACK { Color::Black } else { Color::White };
        let own = self.colors[us];
        let enemy = self.colors[!us];
        let occupied = own | enemy;
        let wanted = match (K::NOISY, K::QUIET) {
            (true, true) => !own,
            (true, false) => enemy,
            _ => !occupied,
        };
        let king = self.king(us);

        let around = attacks::king(king) & wanted;
        let mut castling = if K::QUIET { self.open_castling(us, king) } else { Bitboard::EMPTY };
        // What the enemy attacks is costly to find, so only a king with somewhere to go asks for it.
        if (around | castling).any() {
            let find = || self.attacks_by(!us, occupied - Bitboard::of(king));
            let threatened = threatened.unwrap_or_else(find);
            sink.piece(king, around - threatened, enemy);
            // King side first.
            while let Some(rook) = castling.last() {
                castling -= Bitboard::of(rook);
                if !king_path(king, rook).intersects(threatened) {
                    sink.one(Move::new(king, rook, MoveKind::Castling));
                }
            }
        }
        // Only these squares help against a check: the checker's own and those on its way.
        let mask = match self.checkers.first() {
            None => Bitboard::FULL,
            Some(_) if self.checkers.several() => return,
            Some(checker) => attacks::between(king, checker) | self.checkers,
        };
        let wanted = wanted & mask;
        let [_, knights, bishops, rooks, queens, _] = self.pieces;
        let free = own - self.pinned;

        for from in knights & free {
            sink.piece(from, attacks::knight(from) & wanted, enemy);
        }
        for from in (bishops | queens) & free {
            sink.piece(from, attacks::bishop(from, occupied) & wanted, enemy);
        }
        for from in (rooks | queens) & free {
            sink.piece(from, attacks::rook(from, occupied) & wanted, enemy);
        }
        // A pinned knight never moves; a pinned slider stays on its line.
        for from in (bishops | queens) & self.pinned {
            let to = attacks::bishop(from, occupied) & attacks::line(king, from);
            sink.piece(from, to & wanted, enemy);
        }
        for from in (rooks | queens) & self.pinned {
            let to = attacks::rook(from, occupied) & attacks::line(king, from);
            sink.piece(from, to & wanted, enemy);
        }
        self.visit_pawns::<BLACK, K>(king, mask, sink);
    }

    #[inline]
    fn visit_pawns<const BLACK: bool, K: Kind>(
        &self,
        king: Square,
        mask: Bitboard,
        sink: &mut impl Targets,
    ) {
        let us = if BLACK { Color::Black } else { Color::White };
        let pawns = self.pieces(us, PieceType::Pawn);
        let enemy = self.colors[!us];
        let empty = !self.occupied();
        let last_rank = Bitboard::rank(Rank::R8.relative_to(us));
        let third_rank = Bitboard::rank(Rank::R3.relative_to(us));
        let (up, up_west, up_east): (i8, i8, i8) = if BLACK { (-8, -9, -7) } else { (8, 7, 9) };

        // A pinned pawn keeps to its line: the file for pushes, one diagonal for captures.
        let pushers = pawns & (!self.pinned | Bitboard::file(king.file()));
        let single = pushers.forward(us) & empty;
        let double = (single & third_rank).forward(us) & empty & mask;
        let single = single & mask;
        if K::QUIET {
            sink.pawns(single - last_rank, up, MoveKind::Quiet);
            sink.pawns(double, up + up, MoveKind::DoublePush);
        }
        let which = match (K::NOISY, K::QUIET) {
            (true, true) => Promotions::All,
            (true, false) => Promotions::Queen,
            _ => Promotions::Under,
        };
        let promotions = single & last_rank;
        if promotions.any() {
            sink.promotions(promotions, up, false, which);
        }
        if !K::NOISY {
            return;
        }
        let (rising, falling) = (attacks::diagonal(king), attacks::anti_diagonal(king));
        let (to_west, to_east) = if BLACK { (rising, falling) } else { (falling, rising) };
        for (line, offset, west) in [(to_west, up_west, true), (to_east, up_east, false)] {
            let ahead = (pawns & (!self.pinned | line)).forward(us);
            let hits = (if west { ahead.west() } else { ahead.east() }) & enemy & mask;
            sink.pawns(hits - last_rank, offset, MoveKind::Capture);
            let promotions = hits & last_rank;
            if promotions.any() {
                sink.promotions(promotions, offset, true, Promotions::All);
            }
        }
        if let Some(target) = self.en_passant() {
            for from in self.en_passant_capturers(target) {
                sink.one(Move::new(from, target, MoveKind::EnPassant));
            }
        }
    }

    /// The rooks the king may castle with if no square on its way is attacked.
    #[inline]
    fn open_castling(&self, us: Color, king: Square) -> Bitboard {
        if self.in_check() {
            return Bitboard::EMPTY;
        }
        let rooks = self.castling & self.colors[us];
        rooks.into_iter().filter(|rook| self.is_open(king, *rook)).collect()
    }

    /// Whether nothing stands in the way of king and rook.
    #[inline]
    fn is_open(&self, king: Square, rook: Square) -> bool {
        // Every square between the two is on one of the ways; mostly this is the whole answer.
        if attacks::between(king, rook).intersects(self.occupied()) {
            return false;
        }
        let rook_to = Square::new(CastlingSide::towards(king, rook).rook_file(), rook.rank());
        let rook_path = attacks::between(rook, rook_to) | Bitboard::of(rook_to);
        let others = self.occupied() - Bitboard::of(king) - Bitboard::of(rook);
        // A pinned rook shields its king from a slider on the back rank (possible in Chess960).
        !(king_path(king, rook) | rook_path).intersects(others) && !self.pinned.contains(rook)
    }

    /// Whether the king may castle with this rook, whose right to castle is known.
    pub(super) fn may_castle(&self, king: Square, rook: Square) -> bool {
        !self.in_check()
            && self.is_open(king, rook)
            && !king_path(king, rook).intersects(self.threatened())
    }
}

/// The squares the king crosses when it castles, and the one it lands on.
#[inline]
fn king_path(king: Square, rook: Square) -> Bitboard {
    let king_to = Square::new(CastlingSide::towards(king, rook).king_file(), rook.rank());
    attacks::between(king, king_to) | Bitboard::of(king_to)
}
