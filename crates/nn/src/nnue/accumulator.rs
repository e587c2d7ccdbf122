//! The hidden layer during a search: a stack that follows the moves and computes only on demand.
//!
//! A move pushes nothing but its [`Delta`]. [`Accumulators::evaluate`] walks back to the last
//! position that was computed and brings the line up to date; when a king changed its view of the
//! board on the way, it refreshes from the last position seen with that view instead ("Finny
//! tables", an idea of Luecx in Koivisto). Nothing is allocated after construction.

use super::features::View;
use super::head::Activated;
use super::network::Network;
use super::placement::Placement;
use super::shape::Shape;
use super::threat_sums::ThreatSums;
use crate::line::WordLine;
use crate::simd::Kernels;
use std::sync::Arc;
use tabiya_chess::{Board, CastlingSide, Color, Move, Piece, PieceType, Square};

/// A piece standing on a square.
type Placed = (Piece, Square);

/// What a move changes on the board.
#[derive(Clone, Copy, Debug)]
pub struct Delta {
    change: Change,
    /// Where the king went, if one moved.
    king: Option<(Color, Square)>,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    /// One piece appears, one disappears: a quiet move or a promotion.
    Move { add: Placed, sub: Placed },
    /// One piece appears, two disappear.
    Capture { add: Placed, subs: [Placed; 2] },
    /// King and rook move.
    Castling { adds: [Placed; 2], subs: [Placed; 2] },
    /// The position has nothing to do with the one before.
    Unrelated,
}

impl Delta {
    /// What `mv` changes on `board`, on which it has not been played yet.
    #[inline]
    pub fn new(board: &Board, mv: Move) -> Self {
        let us = board.side_to_move();
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = board.piece_on(from) else {
            debug_assert!(false, "no piece to move: {mv:?}");
            return Self { change: Change::Unrelated, king: None };
        };
        if mv.is_castling() {
            return Self::castling(us, from, to);
        }
        let add = (mv.promotion().map_or(piece, |kind| Piece::new(us, kind)), to);
        let sub = (piece, from);
        let victim_on = if mv.is_en_passant() { Square::new(to.file(), from.rank()) } else { to };
        let change = match board.piece_on(victim_on).filter(|_| mv.is_capture()) {
            Some(victim) => Change::Capture { add, subs: [sub, (victim, victim_on)] },
            None => Change::Move { add, sub },
        };
        Self { change, king: (piece.kind() == PieceType::King).then_some((us, to)) }
    }

    fn castling(us: Color, king_from: Square, rook_from: Square) -> Self {
        let side = if rook_from > king_from { CastlingSide::King } else { CastlingSide::Queen };
        let (king, rook) = (Piece::new(us, PieceType::King), Piece::new(us, PieceType::Rook));
        let king_to = Square::new(side.king_file(), us.back_rank());
        let rook_to = Square::new(side.rook_file(), us.back_rank());
        let adds = [(king, king_to), (rook, rook_to)];
        let subs = [(king, king_from), (rook, rook_from)];
        Self { change: Change::Castling { adds, subs }, king: Some((us, king_to)) }
    }
}

/// One position of the stack, without its numbers.
#[derive(Clone, Copy)]
struct Entry {
    change: Change,
    /// Where the kings are; they decide the views.
    kings: [Square; 2],
    /// For each side, whether the numbers are up to date.
    is_computed: [bool; 2],
}

/// The state of one search thread: hidden layers of the current line, and the refresh table.
///
/// The owner reports every move by [`push`](Self::push) or [`push_null`](Self::push_null) and
/// every retraction by [`pop`](Self::pop), and passes the current board to
/// [`evaluate`](Self::evaluate).
pub struct Accumulators {
    kernels: &'static Kernels,
    /// The net the numbers belong to, and its shape.
    net: Arc<Network>,
    shape: Shape,
    /// For each ply the index of its entry; a null move shares the entry of its parent.
    plies: Vec<u16>,
    entries: Vec<Entry>,
    /// The numbers of entry `i`: `[i][side][hidden]`.
    hidden: Vec<WordLine>,
    /// The pieces that the rows of the refresh table stand for: `[side][view]`.
    remembered: Vec<Placement>,
    /// `[side][view][hidden]`.
    remembered_hidden: Vec<WordLine>,
    /// The share of threats, if the net sees them,
    threats: Option<Box<ThreatSums>>,
    /// and the hidden layers with it, the side to move's first.
    joined: Vec<WordLine>,
    /// What the hidden layers hand on to a deep head.
    activated: Activated,
    /// Room for the rows that a refresh adds and subtracts.
    changes: [Rows; 2],
}

impl Accumulators {
    /// The longest line a search may follow, in plies.
    pub const MAX_PLIES: usize = 264;

    /// Accumulators for `net` with the fastest kernels, at the starting position.
    pub fn new(net: &Arc<Network>) -> Self {
        Self::with_kernels(net, Kernels::best())
    }

    /// Accumulators that use the given kernels.
    pub fn with_kernels(net: &Arc<Network>, kernels: &'static Kernels) -> Self {
        let start = Entry {
            change: Change::Unrelated,
            kings: [Square::E1, Square::E8],
            is_computed: [false; 2],
        };
        let mut plies = Vec::with_capacity(Self::MAX_PLIES + 1);
        plies.push(0);
        let shape = net.shape();
        let entries = vec![start; Self::MAX_PLIES + 1];
        let views = 2 * View::count(shape);
        let lines = shape.hidden() / WordLine::LANES;
        Self {
            kernels,
            net: Arc::clone(net),
            shape,
            plies,
            hidden: vec![WordLine::ZERO; 2 * entries.len() * lines],
            threats: shape.sees_threats().then(|| Box::new(ThreatSums::new(net, entries.len()))),
            joined: vec![WordLine::ZERO; if shape.sees_threats() { 2 * lines } else { 0 }],
            entries,
            remembered: vec![Placement::EMPTY; views],
            remembered_hidden: net.ft_bias().repeat(views),
            activated: Activated::new(shape),
            changes: [const { Rows::new() }; 2],
        }
    }

    /// The kernels in use.
    pub fn kernels(&self) -> &'static Kernels {
        self.kernels
    }

    /// Starts a new line at `board`. The refresh table is kept.
    pub fn reset(&mut self, board: &Board) {
        self.plies.clear();
        self.plies.push(0);
        self.entries[0] = Entry {
            change: Change::Unrelated,
            kings: Color::ALL.map(|color| board.king(color)),
            is_computed: [false; 2],
        };
        self.forget_threats(0);
    }

    /// Follows a move.
    ///
    /// # Panics
    /// If the line gets longer than [`Self::MAX_PLIES`].
    #[inline]
    pub fn push(&mut self, delta: Delta) {
        let top = self.top();
        let mut kings = self.entries[top].kings;
        if let Some((color, sq)) = delta.king {
            kings[color] = sq;
        }
        self.entries[top + 1] = Entry { change: delta.change, kings, is_computed: [false; 2] };
        self.forget_threats(top + 1);
        self.push_ply(top + 1);
    }

    /// Follows a null move.
    ///
    /// # Panics
    /// If the line gets longer than [`Self::MAX_PLIES`].
    #[inline]
    pub fn push_null(&mut self) {
        self.push_ply(self.top());
    }

    /// Takes back the last move or null move; at the start of the line nothing happens.
    #[inline]
    pub fn pop(&mut self) {
        if self.plies.len() > 1 {
            self.plies.pop();
        }
    }

    /// The evaluation in internal units for the side to move.
    ///
    /// `board` is the position the pushed moves lead to.
    #[inline]
    pub fn evaluate(&mut self, board: &Board) -> i32 {
        let top = self.top();
        for perspective in Color::ALL {
            if !self.entries[top].is_computed[perspective] {
                self.compute(board, perspective, top);
            }
        }
        debug_assert_eq!(
            self.entries[top].kings,
            Color::ALL.map(|color| board.king(color)),
            "the pushed moves lead to another position than {board}"
        );
        let us = board.side_to_move();
        let bucket = self.shape.output_bucket(board.occupied().count());
        let mut hidden = [self.slot(top, us), self.slot(top, !us)].map(|slot| &self.hidden[slot]);
        if let Some(threats) = &mut self.threats {
            let views = Color::ALL.map(|side| View::new(self.shape, side, board.king(side)));
            threats.compute(self.kernels, &self.net, &Placement::from(board), views, top);
            let (ours, theirs) = self.joined.split_at_mut(hidden[0].len());
            let joined = [&mut *ours, &mut *theirs];
            for ((joined, hidden), side) in joined.into_iter().zip(hidden).zip([us, !us]) {
                self.kernels.join(joined, hidden, threats.side(top, side));
            }
            hidden = [ours, theirs];
        }
        self.net.head().evaluate(self.kernels, bucket, hidden, &mut self.activated)
    }

    #[inline]
    fn forget_threats(&mut self, entry: usize) {
        if let Some(threats) = &mut self.threats {
            threats.forget(entry);
        }
    }

    #[inline]
    fn top(&self) -> usize {
        self.plies.last().copied().unwrap_or(0) as usize
    }

    #[inline]
    fn push_ply(&mut self, entry: usize) {
        // The capacity is reserved, so that a push never allocates.
        assert!(self.plies.len() <= Self::MAX_PLIES, "line too long");
        self.plies.push(entry as u16);
    }

    /// Lines of one side's hidden layer.
    #[inline]
    fn lines(&self) -> usize {
        self.shape.hidden() / WordLine::LANES
    }

    /// Where the numbers of an entry are.
    #[inline]
    fn slot(&self, entry: usize, perspective: Color) -> std::ops::Range<usize> {
        let lines = self.lines();
        let start = (2 * entry + perspective.index()) * lines;
        start..start + lines
    }

    /// Brings the numbers of the top entry up to date for one side.
    #[inline]
    fn compute(&mut self, board: &Board, perspective: Color, top: usize) {
        let view = View::new(self.shape, perspective, board.king(perspective));
        match self.last_computed(perspective, view, top) {
            Some(base) => {
                for entry in base + 1..=top {
                    self.apply(perspective, view, entry);
                }
            }
            None => self.refresh(board, perspective, view, top),
        }
    }

    /// The nearest computed entry from which every step to `top` keeps the same view.
    #[inline]
    fn last_computed(&self, perspective: Color, view: View, top: usize) -> Option<usize> {
        for index in (0..=top).rev() {
            let entry = &self.entries[index];
            if View::new(self.shape, perspective, entry.kings[perspective]) != view {
                return None;
            }
            if entry.is_computed[perspective] {
                return Some(index);
            }
            if matches!(entry.change, Change::Unrelated) {
                return None;
            }
        }
        None
    }

    /// Computes an entry from the one before it.
    #[inline]
    fn apply(&mut self, perspective: Color, view: View, entry: usize) {
        let slot = self.slot(entry, perspective);
        let parent = self.slot(entry - 1, perspective);
        let (before, after) = self.hidden.split_at_mut(slot.start);
        let (src, dst) = (&before[parent], &mut after[..slot.len()]);
        let weights = self.net.ft_weights();
        let row = |(piece, sq): Placed| view.feature(piece, sq);
        let kernels = self.kernels;
        match self.entries[entry].change {
            Change::Move { add, sub } => {
                kernels.add1_sub1(dst, src, weights, [row(add)], [row(sub)]);
            }
            Change::Capture { add, subs } => {
                kernels.add1_sub2(dst, src, weights, [row(add)], subs.map(row));
            }
            Change::Castling { adds, subs } => {
                kernels.add2_sub2(dst, src, weights, adds.map(row), subs.map(row));
            }
            Change::Unrelated => unreachable!("the walk back stops at an unrelated position"),
        }
        self.entries[entry].is_computed[perspective] = true;
    }

    /// Computes an entry from the last position seen with the same view.
    fn refresh(&mut self, board: &Board, perspective: Color, view: View, entry: usize) {
        let index = perspective.index() * View::count(self.shape) + view.index();
        let now = Placement::from(board);
        let then = std::mem::replace(&mut self.remembered[index], now);
        let lines = self.lines();
        let slot = self.slot(entry, perspective);
        let [adds, subs] = &mut self.changes;
        (adds.len, subs.len) = (0, 0);
        for color in Color::ALL {
            for kind in PieceType::ALL {
                let piece = Piece::new(color, kind);
                let (old, new) = (then.pieces(color, kind), now.pieces(color, kind));
                (new - old).into_iter().for_each(|sq| adds.push(view.feature(piece, sq)));
                (old - new).into_iter().for_each(|sq| subs.push(view.feature(piece, sq)));
            }
        }
        let cached = &mut self.remembered_hidden[index * lines..][..lines];
        let dst = &mut self.hidden[slot];
        let weights = self.net.ft_weights();
        self.kernels.refresh(cached, dst, weights, adds.as_slice(), subs.as_slice());
        self.entries[entry].is_computed[perspective] = true;
        self.entries[entry].kings[perspective] = board.king(perspective);
    }
}

/// Feature indices on the stack, at most one per square.
struct Rows {
    len: usize,
    rows: [u32; Square::COUNT],
}

impl Rows {
    const fn new() -> Self {
        Self { len: 0, rows: [0; Square::COUNT] }
    }

    #[inline]
    fn push(&mut self, feature: usize) {
        self.rows[self.len] = feature as u32;
        self.len += 1;
    }

    fn as_slice(&self) -> &[u32] {
        &self.rows[..self.len]
    }
}
