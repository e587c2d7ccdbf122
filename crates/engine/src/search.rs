//! One thread of the search: its tables, its stack, its way through the tree.
//!
//! `root` iterates and reports, `node` is alpha-beta, `quiescence` resolves captures, `picker`
//! orders moves, `advice` heeds the policy net, `history` remembers what `reward` teaches it, `time` watches the clock, `mate` proves mates.

mod advice;
pub(crate) mod history;
pub(crate) mod mate;
mod node;
pub(crate) mod params;
mod picker;
mod probcut;
mod quiescence;
mod reward;
pub(crate) mod root;
pub(crate) mod see;
pub(crate) mod stats;
pub(crate) mod time;

use crate::clock::Instant;
use crate::eval::{Evaluation, Evaluator};
use crate::policy::Advice;
use crate::score::{self, DRAW, MAX_PLY, NONE, Value};
use crate::shared::Shared;
use crate::tablebase::Probing;
use advice::DeepPolicy;
use history::{CorrectionWeights, Histories, MoveKey, NO_CONTINUATION};
use params::Params;
use picker::{Picker, ScoredMove};
use root::RootMove;
use stats::{Counter, Stats};
use std::sync::Arc;
use tabiya_chess::{Bitboard, Board, Move, repetition};
use time::TimeManager;

/// Frames before the root, so that looking six plies back needs no test.
const GUARD: usize = 6;

/// Far more than the first iteration of any position from a game needs.
const FIRST_ITERATION_NODES: u64 = 20_000;

/// What the search remembers of one ply of the current line.
#[derive(Clone, Copy)]
struct Frame {
    /// The move being searched, as the histories see it, and its block of continuation history.
    mv: Option<Move>,
    key: MoveKey,
    continuation: usize,
    /// The corrected static evaluation, `NONE` in check.
    static_eval: Value,
    /// The move a singular search leaves out.
    excluded: Option<Move>,
    killer: Option<Move>,
    /// Squares the opponent attacks.
    threatened: Bitboard,
    /// Reduction of the search below, in 1/1024 plies.
    reduction: i32,
    /// Fail-highs among the children of this ply.
    cutoffs: u32,
    /// Double extensions on the way here.
    doubles: i32,
    /// On a principal variation, now or in an earlier search.
    tt_pv: bool,
}

const EMPTY_FRAME: Frame = Frame {
    mv: None,
    key: MoveKey::NONE,
    continuation: NO_CONTINUATION,
    static_eval: NONE,
    excluded: None,
    killer: None,
    threatened: Bitboard::EMPTY,
    reduction: 0,
    cutoffs: 0,
    doubles: 0,
    tt_pv: false,
};

/// The best moves found from one ply on.
#[derive(Clone, Copy)]
struct PrincipalVariation {
    len: usize,
    moves: [Option<Move>; MAX_PLY + 1],
}

/// A search thread's state. It outlives searches: histories carry over from move to move.
pub(crate) struct Worker {
    pub(crate) id: usize,
    pub(crate) shared: Arc<Shared>,
    pub(crate) params: Params,
    pub(crate) evaluator: Evaluator,
    histories: Histories,
    /// Ordered moves of all nodes on the current line, see `picker`.
    moves: Vec<ScoredMove>,
    /// Keys of all positions before the current one, from the start of the game.
    keys: Vec<u64>,
    frames: Vec<Frame>,
    lines: Vec<PrincipalVariation>,
    reductions: Reductions,
    pub(crate) nodes: u64,
    node_limit: u64,
    probing: Probing,
    /// Positions with more pieces are not looked up in endgame tables; zero without tables.
    probe_pieces: u32,
    tb_hits: u64,
    /// Whether this thread watches the clock (thread 0).
    time: Option<TimeManager>,
    stopped: bool,
    pub(crate) root_moves: Vec<RootMove>,
    /// Which of the principal variations is being searched (`MultiPV`).
    pv_index: usize,
    root_depth: i32,
    pub(crate) completed_depth: i32,
    seldepth: usize,
    /// No null move before this ply: set during verification.
    null_min_ply: usize,
    /// Lines end here.
    max_ply: usize,
    /// What a draw is worth to White and Black (`Contempt`).
    draw_values: [Value; 2],
    /// What the policy net says about the root, see `advice`.
    advice: Option<Advice>,
    /// The order of the root's moves by advice; empty without.
    root_order: Vec<Move>,
    deep: Option<Box<DeepPolicy>>,
    /// Counts what happens, if somebody wants to know.
    pub(crate) stats: Option<Box<Stats>>,
}

impl Worker {
    pub(crate) fn new(id: usize, shared: Arc<Shared>, evaluation: &Evaluation) -> Self {
        let params = Params::default();
        Self {
            id,
            shared,
            evaluator: Evaluator::new(evaluation),
            histories: Histories::new(),
            moves: Vec::with_capacity(64 * MAX_PLY),
            keys: Vec::with_capacity(2048),
            frames: vec![EMPTY_FRAME; MAX_PLY + GUARD + 4],
            lines: vec![PrincipalVariation { len: 0, moves: [None; MAX_PLY + 1] }; MAX_PLY + 2],
            reductions: Reductions::new(&params),
            params,
            nodes: 0,
            node_limit: u64::MAX,
            probing: Probing::default(),
            probe_pieces: 0,
            tb_hits: 0,
            time: None,
            stopped: false,
            root_moves: Vec::new(),
            pv_index: 0,
            root_depth: 0,
            completed_depth: 0,
            seldepth: 0,
            null_min_ply: 0,
            max_ply: MAX_PLY - 1,
            draw_values: [DRAW; 2],
            advice: None,
            root_order: Vec::new(),
            deep: None,
            stats: None,
        }
    }

    /// Forgets everything learned in earlier searches.
    pub(crate) fn clear(&mut self) {
        self.histories.clear();
    }

    /// Replaces what judges positions.
    pub(crate) fn set_evaluation(&mut self, evaluation: &Evaluation) {
        self.evaluator = Evaluator::new(evaluation);
    }

    /// Replaces the tunables.
    pub(crate) fn set_params(&mut self, params: &Params) {
        self.params = params.clone();
        self.reductions = Reductions::new(params);
    }

    #[inline]
    fn frame(&self, ply: usize) -> &Frame {
        &self.frames[ply + GUARD]
    }

    #[inline]
    fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + GUARD]
    }

    /// The frame `back` plies before `ply`.
    #[inline]
    fn earlier(&self, ply: usize, back: usize) -> &Frame {
        &self.frames[ply + GUARD - back]
    }

    /// The continuation blocks of the moves one, two, four and six plies ago.
    #[inline]
    fn earlier_moves(&self, ply: usize) -> [usize; 4] {
        [1, 2, 4, 6].map(|back| self.earlier(ply, back).continuation)
    }

    #[inline]
    fn count(&mut self, counter: Counter) {
        self.count_many(counter, 1);
    }

    #[inline]
    fn count_many(&mut self, counter: Counter, number: u64) {
        if let Some(stats) = &mut self.stats {
            stats.add(counter, number);
        }
    }

    /// A move with this number has reached beta.
    #[inline]
    fn count_cutoff(&mut self, place: u32) {
        self.count(Counter::Cutoff);
        self.count_many(Counter::FirstMoveCutoff, u64::from(place == 1));
        self.count_many(Counter::CutoffPlace, u64::from(place));
    }

    /// The static evaluation.
    #[inline]
    fn evaluate(&mut self, board: &Board) -> Value {
        if self.stats.is_some() {
            self.evaluate_timed(board)
        } else {
            self.evaluator.evaluate(board)
        }
    }

    #[cold]
    fn evaluate_timed(&mut self, board: &Board) -> Value {
        let start = Instant::now();
        let value = self.evaluator.evaluate(board);
        if let Some(stats) = &mut self.stats {
            stats.evaluating += start.elapsed();
            stats.add(Counter::Evaluation, 1);
        }
        value
    }

    /// The next move of a node.
    #[inline]
    fn next_move(&mut self, picker: &mut Picker, board: &Board) -> Option<Move> {
        if self.stats.is_some() {
            self.next_move_timed(picker, board)
        } else {
            picker.next(self, board)
        }
    }

    #[cold]
    fn next_move_timed(&mut self, picker: &mut Picker, board: &Board) -> Option<Move> {
        let start = Instant::now();
        let next = picker.next(self, board);
        if let Some(stats) = &mut self.stats {
            stats.ordering += start.elapsed();
        }
        next
    }

    /// Plays a move on a copy of the board and records it in the frame.
    #[inline]
    fn make(&mut self, board: &Board, mv: Move, ply: usize) -> Board {
        let key = MoveKey::new(board, mv, self.frame(ply).threatened);
        self.make_with(board, mv, key, ply)
    }

    /// The same for callers who know the move's key.
    #[inline]
    fn make_with(&mut self, board: &Board, mv: Move, key: MoveKey, ply: usize) -> Board {
        let frame = self.frame_mut(ply);
        frame.mv = Some(mv);
        frame.key = key;
        frame.continuation = key.continuation();
        let mut child = *board;
        child.play(mv);
        self.shared.tt.prefetch(hash_key(&child));
        let before = self.earlier(ply, 1).continuation;
        self.histories.corrections.prefetch(&child, key.continuation(), before);
        self.evaluator.prefetch(&child);
        self.keys.push(board.key());
        self.evaluator.push(board, mv);
        self.nodes += 1;
        self.shared.publish_nodes(self.id, self.nodes);
        child
    }

    #[inline]
    fn make_null(&mut self, board: &Board, ply: usize) -> Board {
        let frame = self.frame_mut(ply);
        frame.mv = None;
        frame.continuation = NO_CONTINUATION;
        let mut child = *board;
        child.play_null();
        self.shared.tt.prefetch(hash_key(&child));
        self.keys.push(board.key());
        self.evaluator.push_null();
        self.nodes += 1;
        self.shared.publish_nodes(self.id, self.nodes);
        child
    }

    #[inline]
    fn unmake(&mut self) {
        self.keys.pop();
        self.evaluator.pop();
    }

    /// Looks at clock, node limit and stop flag; once true, every node returns at once.
    #[inline]
    fn should_stop(&mut self) -> bool {
        if self.stopped {
            return true;
        }
        if self.nodes >= self.node_limit && self.may_stop() {
            self.stopped = true;
        } else if self.nodes.is_multiple_of(512) {
            self.poll();
        }
        self.stopped
    }

    /// Whether the last search was cut off.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Depth 1 is finished first, so that there is a move to play and a score to show; but boards
    /// crowded with queens may need years for it.
    fn may_stop(&self) -> bool {
        self.completed_depth > 0 || self.nodes >= FIRST_ITERATION_NODES
    }

    #[cold]
    fn poll(&mut self) {
        if !self.may_stop() {
            return;
        }
        if self.shared.is_stopped() {
            self.stopped = true;
            return;
        }
        let Some(time) = self.time.as_ref() else { return };
        let over_time = !self.shared.is_pondering() && time.is_over(self.shared.elapsed());
        let over_nodes = self.shared.node_limit().is_some_and(|limit| self.shared.nodes() >= limit);
        if over_time || over_nodes {
            self.shared.end();
            self.stopped = true;
        }
    }

    /// The value of a node that need not be searched: a draw by rule or in sight, or the end of the
    /// stack. Raises `alpha` where the side to move can force a draw at least.
    #[inline]
    fn known_end(
        &mut self,
        board: &Board,
        alpha: &mut Value,
        beta: Value,
        ply: usize,
        in_check: bool,
    ) -> Option<Value> {
        // Upcoming repetition (van Kervinck 2013).
        if *alpha < self.draw_values[board.side_to_move()]
            && repetition::has_upcoming_repetition(board, &self.keys, ply)
        {
            *alpha = self.draw_value(board);
            if *alpha >= beta {
                return Some(*alpha);
            }
        }
        if self.is_draw(board, ply) {
            return Some(self.draw_value(board));
        }
        (ply >= self.max_ply).then(|| if in_check { DRAW } else { self.evaluate(board) })
    }

    /// Whether the game is drawn here: fifty moves, repetition, bare material.
    fn is_draw(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() >= 100 && (!board.in_check() || board.has_legal_move()) {
            return true;
        }
        repetition::is_draw_by_repetition(board, &self.keys, ply)
            || board.has_insufficient_material()
    }

    /// A draw is worth a little more or less than nothing, so that repetitions are not all alike.
    #[inline]
    fn draw_value(&self, board: &Board) -> Value {
        self.draw_values[board.side_to_move()] - 1 + (self.nodes as Value & 2)
    }

    /// What the search has learned about the error of the static evaluation here.
    #[inline]
    fn correction(&self, board: &Board, ply: usize) -> Value {
        if self.evaluator.is_certain(board) {
            return 0;
        }
        let weights = CorrectionWeights {
            pawn: self.params.corr_pawn(),
            minor: self.params.corr_minor(),
            non_pawn: self.params.corr_non_pawn(),
            continuation: self.params.corr_cont(),
        };
        let last = self.earlier(ply, 1).continuation;
        let before = self.earlier(ply, 2).continuation;
        self.histories.corrections.get(board, last, before, weights)
    }

    #[inline]
    fn clear_line(&mut self, ply: usize) {
        self.lines[ply].len = 0;
    }

    /// The line of this ply becomes `mv` followed by the line of the next ply.
    fn extend_line(&mut self, ply: usize, mv: Move) {
        let [line, next] = &mut self.lines[ply..ply + 2] else { return };
        line.moves[0] = Some(mv);
        let len = next.len.min(MAX_PLY);
        line.moves[1..=len].copy_from_slice(&next.moves[..len]);
        line.len = len + 1;
    }

    /// The principal variation found from `ply` on.
    fn line(&self, ply: usize) -> impl Iterator<Item = Move> + '_ {
        let line = &self.lines[ply];
        line.moves[..line.len].iter().flatten().copied()
    }
}

/// The static evaluation for use in search: damped near the fifty-move limit, corrected.
///
/// Only the first units of it fade. Where a win is known, losing a share of it with every move
/// would drown the few units by which progress shows (mate with bishop and knight).
#[inline]
fn adjust(board: &Board, raw: Value, correction: Value) -> Value {
    const FADING: Value = 1000;
    let clock = Value::from(board.halfmove_clock().min(100));
    let damped = raw - raw.clamp(-FADING, FADING) * clock / 200;
    score::clamp_heuristic(damped + correction)
}

/// The key of a position in the hash table. Near the fifty-move limit equal positions with different
/// clocks are told apart, a new key every eight plies.
#[inline]
pub(crate) fn hash_key(board: &Board) -> u64 {
    let group = u64::from(board.halfmove_clock().saturating_sub(6) / 8);
    board.key() ^ group.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Late move reductions by depth and move number, in 1/1024 plies.
struct Reductions {
    quiet: Box<[[i32; 64]; 64]>,
    noisy: Box<[[i32; 64]; 64]>,
}

impl Reductions {
    fn new(params: &Params) -> Self {
        let table = |base: i32, divisor: i32| {
            let mut table = Box::new([[0; 64]; 64]);
            for (depth, row) in table.iter_mut().enumerate().skip(1) {
                for (count, entry) in row.iter_mut().enumerate().skip(1) {
                    let product = (depth as f64).ln() * (count as f64).ln();
                    *entry = base + (product * 1024.0 * 1024.0 / f64::from(divisor)) as i32;
                }
            }
            table
        };
        Self {
            quiet: table(params.lmr_base(), params.lmr_divisor()),
            noisy: table(params.lmr_noisy_base(), params.lmr_noisy_divisor()),
        }
    }

    #[inline]
    fn get(&self, quiet: bool, depth: i32, move_count: u32) -> i32 {
        let table = if quiet { &self.quiet } else { &self.noisy };
        table[depth.clamp(0, 63) as usize][move_count.min(63) as usize]
    }
}
