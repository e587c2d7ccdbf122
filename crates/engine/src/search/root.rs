//! The root: iterative deepening, aspiration windows, several principal variations, reports.

use super::mate::ProofTable;
use super::node::Root;
use super::time::{Iteration, TimeManager};
use super::{Worker, hash_key};
use crate::info::{Info, InfoBound, SearchResult};
use crate::level::{CANDIDATES, Level};
use crate::limits::Limits;
use crate::policy::Advice;
use crate::policy::human::Human;
use crate::score::{DRAW, INFINITE, MAX_PLY, Score, Value, is_decisive, is_loss, is_mate, mate_in};
use crate::shared::Shared;
use crate::tablebase::Probing;
use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;
use tabiya_chess::{Board, Move};

/// A legal move at the root and what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// The value of the current iteration, `-INFINITE` until searched with an open window.
    pub(crate) value: Value,
    /// The value of the last completed iteration.
    pub(crate) previous: Value,
    /// A running mean that centres the next aspiration window.
    average: Option<Value>,
    bound: Option<InfoBound>,
    seldepth: usize,
    nodes: u64,
    /// The line that backs the value, beginning with `mv`.
    pub(crate) line: Vec<Move>,
    /// Where the endgame tables place the move; equal for all moves if they do not know.
    rank: i32,
    /// The outcome by the endgame tables.
    table_value: Option<Value>,
}

impl RootMove {
    pub(crate) fn new(mv: Move) -> Self {
        Self {
            mv,
            value: -INFINITE,
            previous: -INFINITE,
            average: None,
            bound: None,
            seldepth: 0,
            nodes: 0,
            line: vec![mv],
            rank: 0,
            table_value: None,
        }
    }

    /// Best first: what the endgame tables say comes before what the search thinks.
    fn order(&self) -> Reverse<(i32, Value)> {
        Reverse((self.rank, self.value))
    }

    /// Nodes that went into the move so far.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// What is told about a value of this move: only a mate is better known than an outcome.
    fn told(&self, value: Value) -> Value {
        self.table_value.filter(|_| !is_mate(value)).unwrap_or(value)
    }

    /// The value of this iteration or, where it was not searched or only bounded from above, of the
    /// one before.
    pub(crate) fn known_value(&self) -> Value {
        let is_current = self.value != -INFINITE && self.bound != Some(InfoBound::Upper);
        if is_current { self.value } else { self.previous }
    }

    /// Takes a proven mate with its line.
    pub(super) fn set_mate(&mut self, line: Vec<Move>) {
        self.value = mate_in(line.len());
        self.bound = None;
        self.seldepth = line.len();
        self.line = line;
    }

    /// Takes what is known for the result.
    pub(crate) fn settle(&mut self) {
        let value = self.known_value();
        if value != -INFINITE && value != self.value {
            self.value = value;
            self.bound = is_mate(value).then_some(InfoBound::Lower);
        }
    }
}

/// A search to be run: the position, how it came about, and the limits.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) board: Board,
    /// Keys of the positions before it.
    pub(crate) keys: Vec<u64>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) multi_pv: usize,
    /// Set when playing below full strength, with the chance that decides on the move.
    pub(crate) level: Option<(Level, f64)>,
    /// What a draw costs the side to move, in internal units.
    pub(crate) contempt: Value,
    pub(crate) overhead: Duration,
    /// The depth that earlier slices of this search have completed: until it is there again, neither
    /// time nor soft nodes are a reason to end it.
    pub(crate) resumed: u32,
    pub(crate) probing: Probing,
    /// Moves from the opening book, in the order in which to try them.
    pub(crate) book_moves: Vec<Move>,
    /// What the policy net says, if it is to be used.
    pub(crate) advice: Option<Advice>,
    /// Set when playing like a person.
    pub(crate) human: Option<Arc<Human>>,
    pub(crate) shared: Arc<Shared>,
}

impl Job {
    /// The outcome: the best root move of a search of `depth`, or that there is none.
    pub(crate) fn result(&self, best: Option<&RootMove>, depth: i32) -> SearchResult {
        let no_move = if self.board.in_check() { Score::Mate(0) } else { Score::Cp(0) };
        let line = best.map(|root| root.line.clone()).unwrap_or_default();
        SearchResult {
            best: best.map(|root| root.mv),
            ponder: line.get(1).copied().or_else(|| self.remembered_reply(best?.mv)),
            // A search that failed before its first value knows nothing.
            score: best.map_or(no_move, |root| match root.value {
                value if value == -INFINITE => Score::Cp(0),
                value => self.public_score(root.told(value)),
            }),
            depth: depth.max(0) as u32,
            nodes: self.shared.nodes(),
            time: self.shared.elapsed_total(),
            line,
        }
    }

    /// What the hash table would reply to a move whose line ends with it, because the search ended
    /// before it knew more than that the move is better than hoped.
    fn remembered_reply(&self, mv: Move) -> Option<Move> {
        let mut board = self.board;
        board.play(mv);
        let entry = self.shared.tt.probe(hash_key(&board), 1, board.halfmove_clock())?;
        entry.mv.filter(|reply| board.is_legal(*reply))
    }

    fn is_timed(&self) -> bool {
        let limits = &self.limits;
        limits.clock(self.board.side_to_move()).is_some() || limits.move_time.is_some()
    }

    /// Whether the last report has more to show than the ones before.
    pub(crate) fn has_table_lines(&self) -> bool {
        self.is_timed() && matches!(self.shared.ranking.get(), Some(Some(_)))
    }

    /// The line of a root move, completed by endgame tables if they decide the game.
    fn shown_line(&self, root: &RootMove, value: Value, time: Duration) -> Vec<Move> {
        match &self.probing.tables {
            Some(tables) if !time.is_zero() && root.table_value == Some(value) && value != DRAW => {
                let fifty_moves = self.probing.fifty_moves;
                tables.complete_line(&self.board, &self.keys, &root.line, fifty_moves, time)
            }
            _ => root.line.clone(),
        }
    }

    fn public_score(&self, value: Value) -> Score {
        Score::from_value(value, |value| crate::wdl::to_centipawns(value, &self.board))
    }
}

/// Receives the progress of thread 0.
pub(crate) type InfoSink<'a> = &'a mut dyn FnMut(&Info);

impl Worker {
    /// Searches until a limit is reached. Thread 0 watches the limits and reports to `sink`.
    pub(crate) fn run(&mut self, job: &Job, sink: InfoSink<'_>) {
        self.run_slice(job, &mut None, sink);
    }

    /// The same for a search of several slices, which keeps what it has proven of a mate.
    pub(crate) fn run_slice(
        &mut self,
        job: &Job,
        proof: &mut Option<ProofTable>,
        sink: InfoSink<'_>,
    ) {
        self.shared = Arc::clone(&job.shared);
        self.keys.clear();
        self.keys.extend_from_slice(&job.keys);
        self.moves.clear();
        self.reset_frames();
        self.histories.start_search();
        self.nodes = 0;
        self.stopped = false;
        self.completed_depth = 0;
        self.null_min_ply = 0;
        self.seldepth = 0;
        self.pv_index = 0;
        self.evaluator.reset(&job.board);
        // Whoever looks for a mate in N need not look further. As iterations deepen under this roof,
        // less and less below it is pruned or reduced, until it is searched in full width.
        let roof = job.limits.mate.map_or(MAX_PLY, |moves| 2 * moves.min(999) as usize + 1);
        self.max_ply = roof.min(MAX_PLY - 1);
        self.draw_values = [job.contempt; 2];
        self.draw_values[job.board.side_to_move()] = -job.contempt;
        let legal = job.board.legal_moves();
        let wanted = |mv: &Move| {
            let only = &job.limits.search_moves;
            !only.iter().any(|mv| legal.contains(*mv)) || only.contains(mv)
        };
        self.root_moves = legal.iter().filter(wanted).map(RootMove::new).collect();
        let single_thread = self.shared.thread_count() == 1;
        self.node_limit = match job.limits.nodes {
            Some(nodes) if single_thread => nodes,
            _ => u64::MAX,
        };
        self.take_advice(job);
        let favourites = self.consult_tables(job);
        self.time = (self.id == 0).then(|| {
            let side = job.board.side_to_move();
            let single_reply = legal.len() == 1 || favourites == Some(1);
            TimeManager::new(&job.limits, side, job.overhead, single_reply, &self.params)
        });
        if !self.root_moves.is_empty() {
            self.search_root(job, proof, sink);
        }
        if let Some(human) = &job.human {
            self.play_like(human, job);
        } else if let Some((level, chance)) = job.level {
            level.choose(&job.board, &mut self.root_moves, chance);
        }
    }

    /// Lets the endgame tables rank the moves of the root. Returns how many share the first place.
    fn consult_tables(&mut self, job: &Job) -> Option<usize> {
        self.tb_hits = 0;
        self.probing = job.probing.clone();
        self.probe_pieces = self.probing.pieces();
        if self.probe_pieces == 0 {
            return None;
        }
        let ranking =
            self.shared.ranking.get_or_init(|| job.probing.rank(&job.board, &job.keys)).as_ref()?;
        for root in &mut self.root_moves {
            if let Some(ranked) = ranking.get(root.mv) {
                root.rank = ranked.rank;
                root.table_value = Some(ranked.value);
            }
        }
        if !ranking.leaves_questions() {
            self.probe_pieces = 0;
        }
        if self.id == 0 {
            self.tb_hits = ranking.moves.len() as u64;
            self.shared.publish_tb_hits(0, self.tb_hits);
        }
        self.root_moves.sort_by_key(RootMove::order);
        let best = self.root_moves.first()?.rank;
        Some(self.root_moves.iter().filter(|root| root.rank == best).count())
    }

    /// Iterates; if a mate is asked for, the first iterations only provide a move to play before
    /// it is looked for by other means.
    fn search_root(&mut self, job: &Job, proof: &mut Option<ProofTable>, sink: InfoSink<'_>) {
        let limit = job.limits.depth.unwrap_or(MAX_PLY as u32).clamp(1, MAX_PLY as u32 - 1) as i32;
        if let Some(moves) = job.limits.mate
            && self.id == 0
            && (1..=MAX_PLY as u32 / 2).contains(&moves)
        {
            self.iterate(job, limit.min(DEPTH_BEFORE_PROOF), sink);
            let is_done = |root: &RootMove| is_mate(root.value);
            if self.stopped || limit <= DEPTH_BEFORE_PROOF || is_done(&self.root_moves[0]) {
                return;
            }
            let proof = proof.get_or_insert_with(ProofTable::new);
            if self.search_mate(job, moves, proof, sink) || self.stopped {
                return;
            }
        }
        self.iterate(job, limit, sink);
    }

    fn iterate(&mut self, job: &Job, max_depth: i32, sink: InfoSink<'_>) {
        let candidates = if job.level.is_some() { CANDIDATES } else { 1 };
        let lines = job.multi_pv.max(candidates).clamp(1, self.root_moves.len());
        for depth in 1..=max_depth {
            self.root_depth = depth;
            for root in &mut self.root_moves {
                root.previous = root.value;
                root.value = -INFINITE;
            }
            for index in 0..lines {
                self.pv_index = index;
                self.seldepth = 0;
                self.aspire(job, depth, sink);
                self.root_moves[..=index].sort_by_key(RootMove::order);
                if self.stopped {
                    break;
                }
                if self.id == 0 {
                    let complete = index + 1 == lines;
                    // While time is short, nobody waits for the whole line.
                    let spare = if job.is_timed() { Duration::ZERO } else { job.overhead / 2 };
                    self.report(job, lines.min(index + 1), complete, spare, sink);
                }
            }
            if self.stopped {
                self.roll_back();
                break;
            }
            self.completed_depth = depth;
            if self.id == 0 && self.is_finished(job, depth) {
                break;
            }
        }
        self.pv_index = 0;
    }

    /// Searches one line with a window around its expected value, widened until the value fits.
    fn aspire(&mut self, job: &Job, depth: i32, sink: InfoSink<'_>) {
        let index = self.pv_index;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut delta = INFINITE;
        if depth >= self.params.aspiration_depth()
            && let Some(centre) = self.root_moves[index].average
            && !is_decisive(centre)
        {
            delta = self.params.aspiration_base() + centre * centre / 30_000;
            alpha = (centre - delta).max(-INFINITE);
            beta = (centre + delta).min(INFINITE);
        }
        let mut fail_highs = 0;
        loop {
            let reduced = (depth - fail_highs).max(1);
            self.order_root();
            let value = self.search::<Root>(&job.board, alpha, beta, reduced, 0, false);
            // Stable: moves not searched with an open window keep the order of the last iteration.
            self.root_moves[index..].sort_by_key(RootMove::order);
            if self.stopped {
                return;
            }
            if value <= alpha {
                beta = Value::midpoint(alpha, beta);
                alpha = (value - delta).max(-INFINITE);
                fail_highs = 0;
            } else if value >= beta {
                beta = (value + delta).min(INFINITE);
                if !is_decisive(value) {
                    fail_highs += 1;
                }
            } else {
                let root = &mut self.root_moves[index];
                root.average = Some(root.average.map_or(value, |mean| (2 * value + mean) / 3));
                return;
            }
            if self.id == 0 && index == 0 && self.shared.elapsed() > REPORT_BOUNDS_AFTER {
                self.report(job, 1, false, Duration::ZERO, sink);
            }
            delta =
                delta.saturating_add(delta * self.params.aspiration_growth() / 1024).min(INFINITE);
            if is_decisive(value) {
                delta = INFINITE;
            }
        }
    }

    /// Records the result of a root move.
    pub(super) fn update_root_move(
        &mut self,
        mv: Move,
        value: Value,
        alpha: Value,
        beta: Value,
        move_count: u32,
        nodes: u64,
    ) {
        let line: Vec<Move> = if move_count == 1 || value > alpha {
            std::iter::once(mv).chain(self.line(1)).collect()
        } else {
            Vec::new()
        };
        let seldepth = self.seldepth;
        let Some(root) = self.root_moves.iter_mut().find(|root| root.mv == mv) else { return };
        root.nodes += nodes;
        if line.is_empty() {
            root.value = -INFINITE;
            return;
        }
        root.value = value;
        root.seldepth = seldepth;
        root.line = line;
        root.bound = if value <= alpha {
            Some(InfoBound::Upper)
        } else if value >= beta {
            Some(InfoBound::Lower)
        } else {
            None
        };
    }

    /// Whether the search of the current line may try this move.
    pub(super) fn is_root_candidate(&self, mv: Move) -> bool {
        let rest = &self.root_moves[self.pv_index..];
        rest.iter().any(|root| root.mv == mv && root.rank == rest[0].rank)
    }

    /// After an aborted iteration: moves it did not finish fall back to what was known before.
    fn roll_back(&mut self) {
        let best_so_far = self.root_moves.first().filter(|root| {
            // An aborted loss, or a bound that failed low, is not a result.
            root.value != -INFINITE && !is_loss(root.value) && root.bound != Some(InfoBound::Upper)
        });
        if best_so_far.is_none() && self.completed_depth == 0 {
            // Not even depth 1: nothing is known about any move.
            self.root_moves[0].value = DRAW;
            self.root_moves[0].bound = None;
        } else if best_so_far.is_none() {
            for root in &mut self.root_moves {
                root.value = root.previous;
                root.bound = None;
            }
            self.root_moves.sort_by_key(RootMove::order);
        }
    }

    /// Whether thread 0 should begin no further iteration.
    fn is_finished(&mut self, job: &Job, depth: i32) -> bool {
        let root = &self.root_moves[0];
        let (best, value) = (root.mv, root.value);
        let limits = &job.limits;
        let total = self.nodes.max(1);
        let node_share = (root.nodes * 1024 / total) as i32;
        let iteration = Iteration { best, value, depth, node_share };
        if self.shared.is_pondering() {
            return false;
        }
        if let Some(mate) = limits.mate
            && is_mate(value)
            && (crate::score::MATE - value.abs() + 1) / 2 <= mate as i32
        {
            return true;
        }
        let is_further = depth > job.resumed as i32;
        if is_further && limits.soft_nodes.is_some_and(|soft| self.shared.nodes() >= soft) {
            return true;
        }
        // A proven mate does not get better with time.
        let clocked = limits.clock(job.board.side_to_move()).is_some();
        if clocked && is_mate(value) && depth > 3 * (crate::score::MATE - value.abs()) + 8 {
            return true;
        }
        let stable = self.time.as_ref().map_or(0, TimeManager::stable_iterations);
        let factor = self.time_factor(best, stable, depth);
        let elapsed = self.shared.elapsed().div_f64(factor);
        let params = self.params.clone();
        let enough =
            self.time.as_mut().is_some_and(|time| time.is_enough(elapsed, iteration, &params));
        enough && is_further
    }

    /// Sends the lines found so far; only those of the current depth unless `complete`. Lines that
    /// endgame tables can lengthen are lengthened for at most `spare`.
    fn report(&self, job: &Job, lines: usize, complete: bool, spare: Duration, sink: InfoSink<'_>) {
        let elapsed = self.shared.elapsed_total();
        let nodes = self.shared.nodes();
        if !complete && elapsed < REPORT_BOUNDS_AFTER {
            return;
        }
        for (index, root) in self.root_moves.iter().take(lines.min(job.multi_pv)).enumerate() {
            let searched = root.value != -INFINITE;
            let value = if searched { root.value } else { root.previous };
            if value == -INFINITE {
                continue;
            }
            let told = root.told(value);
            sink(&Info {
                depth: if searched { self.root_depth } else { self.root_depth - 1 }.max(1) as u32,
                seldepth: root.seldepth.max(1) as u32,
                multi_pv: index + 1,
                score: job.public_score(told),
                bound: root.bound,
                wdl: crate::wdl::of_value(told, &job.board),
                nodes,
                time: elapsed,
                hashfull: self.shared.tt.hashfull(),
                tb_hits: self.shared.tb_hits(),
                line: job.shown_line(root, told, spare / lines.max(1) as u32),
            });
        }
    }

    /// The last word of thread 0. Hosts take score and move from the last exact line, so a bound
    /// is told as if it were exact; only a mate that its line does not show stays a bound.
    pub(crate) fn report_final(&mut self, job: &Job, sink: InfoSink<'_>) {
        for root in self.root_moves.iter_mut().filter(|root| !is_mate(root.value)) {
            root.bound = None;
        }
        let lines = job.multi_pv.clamp(1, self.root_moves.len().max(1));
        self.report(job, lines, true, job.overhead / 2, sink);
    }
}

/// Iterations before a mate is looked for by proof.
const DEPTH_BEFORE_PROOF: i32 = 4;
/// Short searches do not report bounds: nobody could read them.
const REPORT_BOUNDS_AFTER: Duration = Duration::from_secs(3);
