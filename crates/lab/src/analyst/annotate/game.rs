//! The analysis of one game.

use super::analysis::{GameAnalysis, MoveAnalysis, Opening, Phase, PhaseSummary, SideSummary};
use super::judgement::{Judgement, Mark};
use super::remark;
use crate::analyst::insight::{
    Thinker, Thought, chances, game_accuracy, move_accuracy, positions, win_percent,
};
use crate::work::StopSignal;
use tabiya_chess::pgn::{Comment, PgnGame};
use tabiya_chess::{Board, Color, Game, Move, openings};
use tabiya_engine::{Score, see_ge};

/// A move is the only one if the next best costs this much of the chances: it would be a mistake.
const ONLY_GAP: f64 = 0.2;
/// A sacrifice offers this much, in hundredths of a pawn.
const SACRIFICE: i32 = 200;
/// Beyond this, the next best move wins as well and nothing was risked.
const WON_ANYWAY: f64 = 0.8;
/// Part of the budget for looks at something else than the game's positions.
const SIDE_LOOK: u32 = 2;
/// Scores are cut here before losses are added up.
const LOSS_CEILING: i32 = 1000;

/// Analyses the main line of a game; `None` if `stop` was raised meanwhile.
///
/// Every position is searched once, from the last to the first: what the engine found out about the
/// end of the game is in its memory when it judges the moves that led there. The engine forgets
/// earlier games first, so that the result depends on nothing but the game and the budget.
pub fn analyse(
    thinker: &mut Thinker,
    number: u64,
    pgn: &PgnGame,
    stop: &StopSignal,
) -> Option<GameAnalysis> {
    thinker.new_game();
    let game = pgn.to_game();
    let boards = positions(&game);
    let mut thoughts = Vec::with_capacity(boards.len());
    for (ply, board) in boards.iter().enumerate().rev() {
        if stop.is_raised() {
            return None;
        }
        thoughts.push(thinker.think(board, &game.keys()[..ply]));
    }
    thoughts.reverse();
    let mut moves = Vec::with_capacity(game.moves().len());
    for (ply, &mv) in game.moves().iter().enumerate() {
        if stop.is_raised() {
            return None;
        }
        if judge(&thoughts[ply], mv, &thoughts[ply + 1]).is_some() {
            // Both lines are going to be shown.
            thinker.lengthen(&boards[ply], &mut thoughts[ply]);
            thinker.lengthen(&boards[ply + 1], &mut thoughts[ply + 1]);
        }
        let context = Context {
            board: &boards[ply],
            after: &boards[ply + 1],
            previous: ply.checked_sub(1).map(|ply| game.moves()[ply]),
            keys: &game.keys()[..ply],
            mv,
            thought: &thoughts[ply],
            reply: &thoughts[ply + 1],
        };
        let mut step = context.analyse(thinker, ply);
        let comment = Comment::parse(&pgn.mainline.moves[ply].comment);
        step.clock = comment.clock.map(|time| time.as_secs_f64());
        moves.push(step);
    }
    // The last searches may have been cut off.
    (!stop.is_raised()).then(|| summarise(number, pgn, &game, moves, thinker.budget.to_string()))
}

/// How bad a move was; the engine's own choice is never called bad.
fn judge(thought: &Thought, mv: Move, reply: &Thought) -> Option<Judgement> {
    if thought.best() == Some(mv) { None } else { Judgement::new(thought.score, reply.score) }
}

/// A move with what is known around it.
pub(super) struct Context<'a> {
    /// The position before the move.
    pub(super) board: &'a Board,
    /// The position after it.
    pub(super) after: &'a Board,
    previous: Option<Move>,
    /// Keys of the positions before `board`.
    pub(super) keys: &'a [u64],
    /// The move.
    pub(super) mv: Move,
    /// What the engine thought of the position before the move.
    pub(super) thought: &'a Thought,
    /// And after it.
    pub(super) reply: &'a Thought,
}

impl Context<'_> {
    fn analyse(&self, thinker: &mut Thinker, ply: usize) -> MoveAnalysis {
        let (board, before, after) = (self.board, self.thought.score, self.reply.score);
        let color = board.side_to_move();
        let is_best = self.thought.best() == Some(self.mv);
        let judgement = judge(self.thought, self.mv, self.reply);
        let second = if is_best { self.second_best(thinker) } else { None };
        let mark = second.as_ref().and_then(|second| self.mark(second));
        let mut remarks = Vec::new();
        if judgement.is_some() {
            remarks = remark::about_mistake(self, thinker);
        } else if let (Some(mark), Some(second)) = (mark, &second) {
            remarks = remark::about_mark(self, mark, second);
        }
        let (win_before, win_after) = (win_percent(before), 100.0 - win_percent(after));
        let cut = |cp: i32| cp.clamp(-LOSS_CEILING, LOSS_CEILING);
        MoveAnalysis {
            ply: ply + 1,
            number: board.fullmove_number(),
            color,
            san: board.san(self.mv),
            uci: board.uci(self.mv, is_chess960(board)),
            board: *board,
            phase: Phase::of(board),
            best_eval: before.white_view(color),
            eval: after.white_view(!color),
            depth: self.reply.depth,
            best: self.thought.best().map(|mv| board.san(mv)),
            best_line: board.line_san(&self.thought.line),
            reply_line: self.after.line_san(&self.reply.line),
            win_before,
            win_after,
            accuracy: move_accuracy(win_before, win_after),
            loss_cp: (cut(before.comparable()) - cut(-after.comparable())).max(0),
            judgement,
            mark,
            clock: None,
            remarks,
            mv: self.mv,
            best_moves: self.thought.line.clone(),
            reply_moves: self.reply.line.clone(),
        }
    }

    /// The next best move, unless there is none or the move played is a matter of course.
    fn second_best(&self, thinker: &mut Thinker) -> Option<Thought> {
        let takes_back = self.previous.is_some_and(|previous| {
            previous.is_capture() && self.mv.is_capture() && previous.to() == self.mv.to()
        });
        if takes_back {
            return None;
        }
        thinker.think_without(self.board, self.keys, self.mv, SIDE_LOOK)
    }

    fn mark(&self, second: &Thought) -> Option<Mark> {
        // The score after the move is the better informed one.
        let kept = -chances(self.reply.score);
        if kept - chances(second.score) < ONLY_GAP {
            return None;
        }
        let sound = kept >= 0.0 && chances(second.score) < WON_ANYWAY;
        let offered = self.offered();
        Some(if sound && offered >= SACRIFICE { Mark::Brilliant } else { Mark::Only })
    }

    /// What the opponent may win by force of captures, less what the move itself took.
    fn offered(&self) -> i32 {
        const WORTH: [i32; 6] = [100, 300, 300, 500, 900, 0];
        let taken = self.board.captured(self.mv).map_or(0, |kind| WORTH[kind]);
        let replies = self.after.legal_moves();
        let gains = [900, 800, 700, 600, 500, 400, 300, 200];
        let most = gains
            .into_iter()
            .find(|gain| replies.iter().any(|mv| mv.is_capture() && see_ge(self.after, mv, *gain)));
        most.map_or(0, |gain| gain - taken)
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

/// Whether a score means mate for whoever it belongs to.
pub(super) fn mate_in(score: Score) -> Option<i32> {
    match score {
        Score::Mate(moves) if moves > 0 => Some(moves),
        _ => None,
    }
}
