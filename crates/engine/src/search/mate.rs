//! `go mate N`: proves a mate within N moves by proof-number search.
//!
//! Depth-first proof-number search (df-pn, Nagai 2002) goes where the fewest replies are left to be
//! refuted, which finds mates that alpha-beta, going by value, reaches late. All positions below the
//! root are limited to the plies left, so that nothing can go round in circles.
//!
//! A node is seen by its side to move: `phi` is what it takes for that side to reach its goal, mate or
//! escape, `delta` what it takes to refuse it.

use super::Worker;
use super::root::{InfoSink, Job};
use std::collections::HashMap;
use tabiya_chess::{Board, Move};

/// Cannot be reached.
const NEVER: u32 = u32::MAX / 4;
/// Entries of the table: 16 bytes each.
const ENTRIES: usize = 1 << 21;
/// Looking at clock and stop flag after every so many visits is often enough.
const POLL_EVERY: u64 = 64;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Effort {
    phi: u32,
    delta: u32,
}

impl Effort {
    /// The side to move reaches its goal.
    const DONE: Self = Self { phi: 0, delta: NEVER };
    /// The side to move cannot reach it.
    const REFUSED: Self = Self { phi: NEVER, delta: 0 };

    fn is_settled(self) -> bool {
        self.phi == 0 || self.delta == 0
    }
}

/// The positions seen, by key and plies left.
pub(crate) struct ProofTable(Vec<(u64, Effort)>);

impl ProofTable {
    pub(super) fn new() -> Self {
        Self(vec![(0, Effort { phi: 1, delta: 1 }); ENTRIES])
    }

    fn key(board: &Board, plies: u32) -> u64 {
        board.key() ^ u64::from(plies).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    fn get(&self, key: u64) -> Option<Effort> {
        let (found, effort) = self.0[key as usize % ENTRIES];
        (found == key).then_some(effort)
    }

    /// Results are worth more than estimates.
    fn put(&mut self, key: u64, effort: Effort) {
        let slot = &mut self.0[key as usize % ENTRIES];
        if slot.0 == key || effort.is_settled() || !slot.1.is_settled() {
            *slot = (key, effort);
        }
    }
}

/// A move with the position after it.
struct Child {
    mv: Move,
    key: u64,
    effort: Effort,
}

impl Worker {
    /// Tries to prove that the side to move mates within so many moves; returns the line against the
    /// longest defence. Ends without a line when there is no such mate or when a limit is reached.
    fn prove_mate(
        &mut self,
        known: &mut ProofTable,
        board: &Board,
        moves: u32,
    ) -> Option<Vec<Move>> {
        let plies = 2 * moves - 1;
        // Beyond the fifty-move limit a mate would come too late.
        if u32::from(board.halfmove_clock()) + plies >= 100 {
            return None;
        }
        let effort = self.visit(known, board, plies, Effort { phi: NEVER, delta: NEVER });
        if effort.phi != 0 {
            return None;
        }
        let mut lines = HashMap::new();
        self.mating_line(known, &mut lines, board, plies)
    }

    /// Works on a position until it takes as much as `limit` in one way or the other.
    fn visit(
        &mut self,
        known: &mut ProofTable,
        board: &Board,
        plies: u32,
        limit: Effort,
    ) -> Effort {
        let mut children = self.children(known, board, plies);
        let key = ProofTable::key(board, plies);
        loop {
            let effort = combine(&children, plies);
            known.put(key, effort);
            if effort.phi >= limit.phi || effort.delta >= limit.delta || self.is_interrupted() {
                return effort;
            }
            // The child that refuses us with the most difficulty, and the next best.
            let (mut best, mut second) = (0, NEVER);
            for (index, child) in children.iter().enumerate().skip(1) {
                if child.effort.delta < children[best].effort.delta {
                    second = children[best].effort.delta;
                    best = index;
                } else {
                    second = second.min(child.effort.delta);
                }
            }
            let others = effort.delta - children[best].effort.phi.min(effort.delta);
            let child_limit = Effort {
                phi: limit.delta - others,
                // A little more than the next best takes, so that the two are not visited in turns.
                delta: limit.phi.min(second.saturating_add(1 + second / 4)),
            };
            let mut child = *board;
            child.play(children[best].mv);
            children[best].effort = self.visit(known, &child, plies - 1, child_limit);
        }
    }

    fn is_interrupted(&mut self) -> bool {
        self.nodes += 1;
        self.shared.publish_nodes(self.id, self.nodes);
        if self.nodes >= self.node_limit {
            self.stopped = true;
        } else if self.nodes.is_multiple_of(POLL_EVERY) {
            self.poll();
        }
        self.stopped
    }

    /// The moves, up to one that settles it, with what is known or guessed about them. The attacker
    /// moves when the plies left are odd.
    fn children(&self, known: &ProofTable, board: &Board, plies: u32) -> Vec<Child> {
        let moves = board.legal_moves();
        let mut children = Vec::with_capacity(moves.len());
        for mv in &moves {
            let mut child = *board;
            child.play(mv);
            let key = ProofTable::key(&child, plies - 1);
            let effort = known.get(key).unwrap_or_else(|| self.first_guess(&child, plies - 1));
            children.push(Child { mv, key, effort });
            if effort.delta == 0 {
                break;
            }
        }
        children.sort_by_key(|child| (child.effort.delta, child.key));
        children
    }

    fn first_guess(&self, board: &Board, plies: u32) -> Effort {
        if self.keys.contains(&board.key()) {
            // It may be a repetition: good for the defender.
            return if plies % 2 == 1 { Effort::REFUSED } else { Effort::DONE };
        }
        if plies % 2 == 1 {
            return match plies {
                1 if mates_at_once(board) => Effort::DONE,
                1 => Effort::REFUSED,
                _ => Effort { phi: 1, delta: 1 },
            };
        }
        let replies = board.count_legal_moves();
        match (replies, plies) {
            (0, _) if board.in_check() => Effort::REFUSED,
            (0, _) | (_, 0) => Effort::DONE,
            // The fewer replies, the nearer the mate.
            _ => Effort { phi: 1, delta: replies },
        }
    }

    /// The line of a proven mate in which the defender holds out longest.
    fn mating_line(
        &mut self,
        known: &mut ProofTable,
        lines: &mut HashMap<u64, Vec<Move>>,
        board: &Board,
        plies: u32,
    ) -> Option<Vec<Move>> {
        let key = ProofTable::key(board, plies);
        if let Some(line) = lines.get(&key) {
            return Some(line.clone());
        }
        // What the table has lost is proven once more.
        self.visit(known, board, plies, Effort { phi: NEVER, delta: NEVER });
        let mut best: Option<Vec<Move>> = None;
        for mv in &board.legal_moves() {
            let mut child = *board;
            child.play(mv);
            if child.is_checkmate() {
                best = Some(vec![mv]);
                break;
            }
            let refused = known.get(ProofTable::key(&child, plies - 1)) == Some(Effort::REFUSED);
            if best.is_none() && plies > 2 && refused {
                let mut longest = Vec::new();
                for reply in &child.legal_moves() {
                    let mut next = child;
                    next.play(reply);
                    let rest = self.mating_line(known, lines, &next, plies - 2)?;
                    if rest.len() + 2 > longest.len() {
                        longest = [mv, reply].into_iter().chain(rest).collect();
                    }
                }
                best = Some(longest);
            }
        }
        lines.insert(key, best.clone()?);
        best
    }

    /// Looks for the mate that was asked for and reports it.
    pub(super) fn search_mate(
        &mut self,
        job: &Job,
        moves: u32,
        known: &mut ProofTable,
        sink: InfoSink<'_>,
    ) -> bool {
        let Some(line) = self.prove_mate(known, &job.board, moves) else { return false };
        let Some(index) = self.root_moves.iter().position(|root| root.mv == line[0]) else {
            return false;
        };
        self.root_moves[..=index].rotate_right(1);
        self.root_moves[0].set_mate(line);
        // Slices tell of new depths only, and this is news.
        self.root_depth = self.root_depth.max(job.resumed as i32 + 1);
        self.report_final(job, sink);
        true
    }
}

/// What a position takes, from its moves.
fn combine(children: &[Child], plies: u32) -> Effort {
    if children.is_empty() {
        // Without a move there is nothing left to reach; `first_guess` has told mate from stalemate.
        return if plies % 2 == 1 { Effort::REFUSED } else { Effort::DONE };
    }
    let phi = children.iter().map(|child| child.effort.delta).min().unwrap_or(NEVER);
    if phi == 0 {
        return Effort::DONE;
    }
    let delta = children.iter().fold(0, |sum, child| (sum + child.effort.phi).min(NEVER - 1));
    Effort { phi, delta }
}

fn mates_at_once(board: &Board) -> bool {
    board.legal_moves().iter().any(|mv| {
        board.gives_check(mv) && {
            let mut child = *board;
            child.play(mv);
            child.is_checkmate()
        }
    })
}
