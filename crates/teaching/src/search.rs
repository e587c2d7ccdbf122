//! Alpha-beta: the move that is best if the opponent answers with what is best for them.

use crate::evaluate::{VALUES, evaluate};
use crate::perft::after;
use crate::table::{Entry, Table};
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tabiya_chess::{Board, Game, Generate, Move, MoveList, repetition};

/// Being mated now is `-MATE`; giving mate five plies from here is `MATE - 5`.
const MATE: i32 = 30_000;
const MAX_PLY: usize = 64;

pub(crate) struct Limits {
    pub(crate) depth: u64,
    pub(crate) nodes: u64,
    pub(crate) time: Option<Duration>,
    pub(crate) stop: Arc<AtomicBool>,
}

pub(crate) struct Search<'a> {
    table: &'a mut Table,
    limits: &'a Limits,
    start: Instant,
    nodes: u64,
    iteration: i32,
    stopped: bool,
    /// Keys of all positions before the current one: for repetitions.
    keys: Vec<u64>,
    /// The best line from each ply on; row 0 is the answer.
    lines: Vec<Vec<Move>>,
    /// How often a move between two squares was good enough to end a node.
    history: [[i32; 64]; 64],
}

impl<'a> Search<'a> {
    pub(crate) fn new(table: &'a mut Table, limits: &'a Limits, game: &Game) -> Self {
        let (keys, lines) = (game.keys().to_vec(), vec![Vec::new(); MAX_PLY + 2]);
        let (start, history) = (Instant::now(), [[0; 64]; 64]);
        Self { table, limits, start, nodes: 0, iteration: 0, stopped: false, keys, lines, history }
    }

    /// Deeper and deeper, until a limit is reached: the best move of the last finished iteration.
    pub(crate) fn run(&mut self, board: &Board) -> Option<Move> {
        let mut best = board.legal_moves().get(0);
        for depth in 1..=self.limits.depth.min(MAX_PLY as u64 - 1) {
            self.iteration = depth as i32;
            let value = self.negamax(board, -MATE, MATE, self.iteration, 0);
            if self.stopped || best.is_none() {
                break;
            }
            best = self.lines[0].first().copied();
            self.report(board, value);
        }
        best
    }

    fn negamax(&mut self, board: &Board, mut alpha: i32, beta: i32, depth: i32, ply: usize) -> i32 {
        self.lines[ply].clear();
        let moves = board.legal_moves();
        if moves.is_empty() {
            return if board.in_check() { ply as i32 - MATE } else { 0 };
        }
        if ply > 0 && self.is_draw(board, ply) || self.is_over() {
            return 0;
        }
        // A check is answered before anything is judged.
        let depth = depth + i32::from(board.in_check());
        if depth <= 0 || ply >= MAX_PLY {
            return self.quiescence(board, alpha, beta);
        }
        // What another line found out about this position may be enough.
        let (open_window, entry) = (beta - alpha > 1, self.table.get(board.key()));
        match entry.filter(|entry| entry.depth >= depth && !open_window) {
            Some(entry) if entry.low >= beta => return entry.low,
            Some(entry) if entry.high <= alpha => return entry.high,
            _ => {}
        }
        let (old_alpha, mut best, mut best_move) = (alpha, -MATE, entry.and_then(|entry| entry.mv));
        self.keys.push(board.key());
        for (index, mv) in self.order(board, &moves, best_move).into_iter().enumerate() {
            let child = after(board, mv);
            self.nodes += 1;
            // All but the first move are asked only whether they are better at all.
            let mut value = alpha + 1;
            if index > 0 {
                value = -self.negamax(&child, -alpha - 1, -alpha, depth - 1, ply + 1);
            }
            if index == 0 || value > alpha && open_window {
                value = -self.negamax(&child, -beta, -alpha, depth - 1, ply + 1);
            }
            if self.stopped {
                return 0;
            }
            best = best.max(value);
            if value > alpha {
                (alpha, best_move) = (value, Some(mv));
                let (rows, below) = self.lines.split_at_mut(ply + 1);
                rows[ply].splice(.., [mv].into_iter().chain(below[0].iter().copied()));
            }
            if alpha >= beta {
                self.history[mv.from()][mv.to()] += depth * depth;
                break;
            }
        }
        self.keys.pop();
        // A mate is so many plies from this root; in another line it would be another number.
        if best.abs() < MATE - 1000 {
            let low = if best > old_alpha { best } else { -MATE };
            let high = if best < beta { best } else { MATE };
            self.table.put(Entry { key: board.key(), mv: best_move, depth, low, high });
        }
        best
    }

    /// Captures only, until nothing is left to take: judging amid an exchange would be a lie.
    fn quiescence(&mut self, board: &Board, mut alpha: i32, beta: i32) -> i32 {
        let mut best = evaluate(board);
        let mut captures = MoveList::new();
        board.generate(Generate::Noisy, &mut captures);
        for mv in self.order(board, &captures, None) {
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
            self.nodes += 1;
            best = best.max(-self.quiescence(&after(board, mv), -beta, -alpha));
        }
        best
    }

    /// The hash move, then captures of the most by the least, then what was good elsewhere.
    fn order(&self, board: &Board, moves: &MoveList, hash_move: Option<Move>) -> Vec<Move> {
        let mut moves: Vec<Move> = moves.iter().collect();
        moves.sort_by_cached_key(|mv| {
            let victim = board.captured(*mv).map_or(0, |kind| VALUES[kind]);
            let attacker = board.piece_on(mv.from()).map_or(0, |piece| piece.kind() as i32);
            Reverse(match mv {
                _ if Some(*mv) == hash_move => i32::MAX,
                _ if mv.is_noisy() => 100_000_000 + 100 * victim - attacker,
                _ => self.history[mv.from()][mv.to()].min(99_999_999),
            })
        });
        moves
    }

    fn is_draw(&self, board: &Board, ply: usize) -> bool {
        board.halfmove_clock() >= 100
            || board.has_insufficient_material()
            || repetition::is_draw_by_repetition(board, &self.keys, ply)
    }

    /// Whether to stop. The first iteration is always finished: there must be a move to play.
    fn is_over(&mut self) -> bool {
        let (limits, elapsed) = (self.limits, self.start.elapsed());
        let told = limits.stop.load(Relaxed) || limits.time.is_some_and(|time| elapsed >= time);
        self.stopped |= self.iteration > 1 && (told || self.nodes >= limits.nodes);
        self.stopped
    }

    fn report(&self, board: &Board, value: i32) {
        let score = match MATE - value.abs() {
            plies if plies < 1000 => format!("mate {}", (plies + 1) / 2 * value.signum()),
            _ => format!("cp {value}"),
        };
        let moves: Vec<_> = self.lines[0].iter().map(|mv| board.uci(*mv, false)).collect();
        let (depth, nodes, ms) = (self.iteration, self.nodes, self.start.elapsed().as_millis() + 1);
        println!(
            "info depth {depth} seldepth {depth} multipv 1 score {score} nodes {nodes} \
             nps {} hashfull 0 tbhits 0 time {ms} pv {}",
            u128::from(nodes) * 1000 / ms,
            moves.join(" ")
        );
    }
}
