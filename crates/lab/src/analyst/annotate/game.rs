//! The analysis of one game.

use super::analysis::{GameAnalysis, MoveAnalysis, Opening, Phase, PhaseSummary, SideSummary};
use super::judgement::{Judgement, Mark};
use super::marks;
use crate::analyst::facts::{self, Claim, Fact, Findings, LEAST_COST, Moment};
use crate::analyst::insight::{
    Thinker, Thought, game_accuracy, is_drawn, move_accuracy, positions, win_percent,
};
use crate::work::StopSignal;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::mpsc;
use std::thread::{self, ScopedJoinHandle};
use tabiya_chess::pgn::{Comment, PgnGame};
use tabiya_chess::{Board, Color, Game, Move, openings};

/// Scores are cut here before losses are added up.
const LOSS_CEILING: i32 = 1000;
/// Part of the budget that every position gets.
const FIRST_LOOK: u32 = 2;
/// Part of the budget for each position on which a judgement rests, beside the first look.
const SECOND_LOOK: u32 = 2;

/// Analyses the main line of a game; `None` if `stop` was raised meanwhile.
///
/// Every position is searched with half of the budget, from the last to the first: what the engine found
/// out about the end of the game is in its memory when it judges the moves that led there. What is saved
/// goes where it is needed: no move is called bad before the positions it is judged by were searched
/// again. The engine forgets earlier games first, so that the result depends on nothing but the game and
/// the budget.
pub fn analyse(
    thinker: &mut Thinker,
    number: u64,
    pgn: &PgnGame,
    stop: &StopSignal,
) -> Option<GameAnalysis> {
    analyse_with(thinker, number, pgn, stop, |_, _| ())
}

/// The same, telling after each position how many of all are done.
pub fn analyse_with(
    thinker: &mut Thinker,
    number: u64,
    pgn: &PgnGame,
    stop: &StopSignal,
    progress: impl FnMut(usize, usize),
) -> Option<GameAnalysis> {
    analyse_in_parts(std::slice::from_mut(thinker), number, pgn, stop, progress)
}

/// The same by several thinkers at once. Each judges a part of the game, in a thread of its own, and knows
/// nothing of the parts after it, so that the result depends on their number, too.
pub fn analyse_in_parts(
    thinkers: &mut [Thinker],
    number: u64,
    pgn: &PgnGame,
    stop: &StopSignal,
    mut progress: impl FnMut(usize, usize),
) -> Option<GameAnalysis> {
    let budget = thinkers.first()?.budget.to_string();
    let game = pgn.to_game();
    let boards = positions(&game);
    let plies = game.moves().len();
    let length = plies.div_ceil(thinkers.len()).max(1);
    let parts = (0..plies).step_by(length).map(|first| Part {
        pgn,
        game: &game,
        boards: &boards,
        plies: first..plies.min(first + length),
    });
    let parts: Vec<Part> = parts.collect();
    // Where two parts meet, both look.
    let total = plies + parts.len();
    let mut done = 0;
    let mut tell = || {
        done += 1;
        progress(done, total);
    };
    let moves = match (&mut *thinkers, &*parts) {
        ([thinker, ..], [part]) => part.analyse(thinker, stop, tell)?,
        _ => thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let mut workers = Vec::new();
            for (thinker, part) in thinkers.iter_mut().zip(&parts) {
                let sender = sender.clone();
                workers.push(scope.spawn(move || {
                    // Whoever listened is gone only if all is over.
                    part.analyse(thinker, stop, || sender.send(()).unwrap_or_default())
                }));
            }
            drop(sender);
            for () in receiver {
                tell();
            }
            let join = |worker: ScopedJoinHandle<_>| {
                worker.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            workers.into_iter().map(join).collect::<Option<Vec<_>>>()
        })?
        .concat(),
    };
    Some(summarise(number, pgn, &game, moves, budget))
}

/// A part of a game: some of its moves, with the positions before and after them.
struct Part<'a> {
    pgn: &'a PgnGame,
    game: &'a Game,
    boards: &'a [Board],
    plies: Range<usize>,
}

impl Part<'_> {
    /// The thoughts about the position before a move and the one after it.
    fn around<'t>(&self, thoughts: &'t mut [Thought], ply: usize) -> &'t mut [Thought; 2] {
        let at = ply - self.plies.start;
        (&mut thoughts[at..at + 2]).try_into().expect("two thoughts")
    }

    fn judge(&self, thoughts: &mut [Thought], ply: usize) -> Option<Judgement> {
        let [thought, reply] = self.around(thoughts, ply);
        judge(&self.boards[ply], thought, self.game.moves()[ply], reply)
    }

    fn analyse(
        &self,
        thinker: &mut Thinker,
        stop: &StopSignal,
        mut tell: impl FnMut(),
    ) -> Option<Vec<MoveAnalysis>> {
        let Self { game, boards, .. } = *self;
        let range = self.plies.start..=self.plies.end;
        let mut thoughts = thinker.glance_through(game, range, FIRST_LOOK, stop, |_| tell())?;
        self.look_again(thinker, &mut thoughts, stop)?;
        let mut moves = Vec::with_capacity(self.plies.len());
        for ply in self.plies.clone() {
            if stop.is_raised() {
                return None;
            }
            let is_bad = self.judge(&mut thoughts, ply).is_some();
            let [thought, reply] = self.around(&mut thoughts, ply);
            if is_bad {
                // Both lines are going to be shown.
                thinker.lengthen(&boards[ply], thought);
                thinker.lengthen(&boards[ply + 1], reply);
            }
            let context = Context {
                moment: Moment {
                    board: &boards[ply],
                    keys: &game.keys()[..ply],
                    mv: game.moves()[ply],
                    thought,
                    reply,
                },
                after: &boards[ply + 1],
                previous: ply.checked_sub(1).map(|ply| game.moves()[ply]),
            };
            let mut step = context.analyse(thinker, ply);
            let comment = Comment::parse(&self.pgn.mainline.moves[ply].comment);
            step.clock = comment.clock.map(|time| time.as_secs_f64());
            moves.push(step);
        }
        // The last searches may have been cut off.
        (!stop.is_raised()).then_some(moves)
    }

    /// Searches again what bad moves are judged by, until no judgement rests on a first look: the position
    /// after the move, and the one after the better move, so that the two are compared on equal terms.
    fn look_again(
        &self,
        thinker: &mut Thinker,
        thoughts: &mut [Thought],
        stop: &StopSignal,
    ) -> Option<()> {
        let Self { game, boards, .. } = *self;
        let mut replies_seen = vec![false; boards.len()];
        let mut choices_seen = vec![false; boards.len()];
        let mut settled = false;
        while !settled {
            settled = true;
            for ply in self.plies.clone().rev() {
                if self.judge(thoughts, ply).is_none() {
                    continue;
                }
                if stop.is_raised() {
                    return None;
                }
                let keys = &game.keys()[..ply];
                let [thought, reply] = self.around(thoughts, ply);
                if !std::mem::replace(&mut replies_seen[ply + 1], true) {
                    let keys = &game.keys()[..=ply];
                    *reply = thinker.glance(&boards[ply + 1], keys, SECOND_LOOK);
                    settled = false;
                }
                if !std::mem::replace(&mut choices_seen[ply], true) {
                    let best = thinker.glance(&boards[ply], keys, 2 * SECOND_LOOK).best()?;
                    *thought = thinker.glance_about(&boards[ply], keys, best, SECOND_LOOK);
                    settled = false;
                }
            }
        }
        Some(())
    }
}

/// How bad a move was. The engine's own choice is never called bad, nor is a move without alternative,
/// nor one that keeps a drawn position drawn.
fn judge(board: &Board, thought: &Thought, mv: Move, reply: &Thought) -> Option<Judgement> {
    let drawn = is_drawn(thought.score, board) && is_drawn(reply.score, board);
    if thought.best() == Some(mv) || drawn || board.count_legal_moves() == 1 {
        return None;
    }
    Judgement::new(thought.score, reply.score)
}

/// How bad a move is for two searches that know nothing of each other: the milder judgement holds.
fn judge_again(first: Judgement, board: &Board, found: &Findings) -> Option<Judgement> {
    let look = &found.look;
    // Whoever is lost anyway is not told how to lose later, and whoever wins anyway only of a missed mate.
    let misses_mate = || found.facts.iter().any(|fact| matches!(fact.claim, Claim::MissesMate(_)));
    let is_decided =
        look.cost() < LEAST_COST && (win_percent(look.best) < LEAST_COST || !misses_mate());
    if is_decided || is_drawn(look.best, board) && is_drawn(look.played, board) {
        return None;
    }
    Judgement::new(look.best, look.played.reversed()).map(|second| second.min(first))
}

/// A move with what is known around it.
pub(super) struct Context<'a> {
    /// The move with what was thought before and after it.
    pub(super) moment: Moment<'a>,
    /// The position after the move.
    pub(super) after: &'a Board,
    /// The move before.
    pub(super) previous: Option<Move>,
}

impl Context<'_> {
    fn analyse(&self, thinker: &mut Thinker, ply: usize) -> MoveAnalysis {
        let Moment { board, mv, thought, reply, .. } = self.moment;
        let (before, after) = (thought.score, reply.score);
        let color = board.side_to_move();
        let mut judgement = judge(board, thought, mv, reply);
        let (mut mark, mut facts, mut remarks) = (None, Vec::new(), Vec::new());
        if let Some(first) = judgement {
            let found = facts::about_mistake(thinker, &self.moment);
            judgement = judge_again(first, board, &found);
            if judgement.is_some() {
                remarks = found.facts.iter().map(Fact::text).collect();
                facts = found.facts;
            }
        } else if let Some((found, remark)) = marks::mark(self, thinker) {
            (mark, remarks) = (Some(found), vec![remark]);
        }
        let (win_before, win_after) = (win_percent(before), 100.0 - win_percent(after));
        let cut = |cp: i32| cp.clamp(-LOSS_CEILING, LOSS_CEILING);
        MoveAnalysis {
            ply: ply + 1,
            number: board.fullmove_number(),
            color,
            san: board.san(mv),
            uci: board.uci(mv, is_chess960(board)),
            board: *board,
            phase: Phase::of(board),
            best_eval: before.white_view(color),
            eval: after.white_view(!color),
            depth: reply.depth,
            best: thought.best().map(|mv| board.san(mv)),
            best_line: board.line_san(&thought.line),
            reply_line: self.after.line_san(&reply.line),
            win_before,
            win_after,
            accuracy: move_accuracy(win_before, win_after),
            loss_cp: (cut(before.comparable()) - cut(-after.comparable())).max(0),
            judgement,
            mark,
            clock: None,
            remarks,
            facts,
            mv,
            best_moves: thought.line.clone(),
            reply_moves: reply.line.clone(),
        }
    }
}

/// Whether castling must be written as king takes rook: a king or rook elsewhere than usual.
fn is_chess960(board: &Board) -> bool {
    Board::from_fen(&board.to_string(), false) != Ok(*board)
}

fn summarise(
    number: u64,
    pgn: &PgnGame,
    game: &Game,
    moves: Vec<MoveAnalysis>,
    budget: String,
) -> GameAnalysis {
    let percents: Vec<f64> = moves.iter().map(MoveAnalysis::white_win).collect();
    let accuracy = game_accuracy(&percents, game.start().side_to_move());
    let side = |color: Color, tag: &str| SideSummary {
        name: pgn.tag(tag).unwrap_or("?").to_owned(),
        accuracy: accuracy[color],
        ..side_summary(&moves, color)
    };
    GameAnalysis {
        game: number,
        tags: pgn.tags.iter().cloned().collect(),
        result: pgn.result.to_string(),
        opening: opening(pgn, game),
        budget,
        white: side(Color::White, "White"),
        black: side(Color::Black, "Black"),
        moves,
        error: pgn.error.as_ref().map(ToString::to_string),
    }
}

/// The opening by its position or, where it has no name, as the game's own tags call it.
fn opening(pgn: &PgnGame, game: &Game) -> Option<Opening> {
    if let Some(named) = openings::of_game(game) {
        return Some(Opening { eco: named.eco.to_owned(), name: named.name.to_owned() });
    }
    let known = |tag| pgn.tag(tag).filter(|value| !value.is_empty() && *value != "?");
    let eco = known("ECO").unwrap_or_default().to_owned();
    let name = known("Opening").unwrap_or_default().to_owned();
    (!eco.is_empty() || !name.is_empty()).then_some(Opening { eco, name })
}

fn side_summary(moves: &[MoveAnalysis], color: Color) -> SideSummary {
    let own = || moves.iter().filter(move |step| step.color == color);
    let judged = |class| own().filter(|step| step.judgement == Some(class)).count();
    let marked = |mark| own().filter(|step| step.mark == Some(mark)).count();
    let count = own().count();
    let loss: i32 = own().map(|step| step.loss_cp).sum();
    let phases = Phase::ALL.into_iter().filter_map(|phase| {
        let part: Vec<_> = own().filter(|step| step.phase == phase).collect();
        let mean = |value: fn(&MoveAnalysis) -> f64| {
            part.iter().map(|step| value(step)).sum::<f64>() / part.len() as f64
        };
        (!part.is_empty()).then(|| PhaseSummary {
            phase,
            moves: part.len(),
            accuracy: mean(|step| step.accuracy),
            average_loss_cp: mean(|step| f64::from(step.loss_cp)),
        })
    });
    SideSummary {
        moves: count,
        average_loss_cp: (count > 0).then(|| f64::from(loss) / count as f64),
        inaccuracies: judged(Judgement::Inaccuracy),
        mistakes: judged(Judgement::Mistake),
        blunders: judged(Judgement::Blunder),
        only_moves: marked(Mark::Only),
        brilliancies: marked(Mark::Brilliant),
        phases: phases.collect(),
        ..SideSummary::default()
    }
}
