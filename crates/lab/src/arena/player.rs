//! What a player is to the arena: something that is asked for moves and may fail at it.

use super::clock::Clock;
use super::own_player::OwnPlayer;
use super::spec::{EngineSpec, Limits, Program};
use super::uci_player::UciPlayer;
use super::xboard_player::XboardPlayer;
use crate::work::StopSignal;
use std::time::Duration;
use tabiya_chess::{Board, Game, Move};

pub use tabiya_chess::pgn::Score;

/// One report of a running search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchInfo {
    /// Depth of the iteration.
    pub depth: Option<u32>,
    /// Score from the side to move's view, unless it is only a bound.
    pub score: Option<Score>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Time spent as the player counts it.
    pub time: Option<Duration>,
    /// First move of the best line.
    pub best: Option<Move>,
}

/// A player's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The move, which is legal.
    pub mv: Move,
    /// Time between question and answer, as the arena measured it.
    pub elapsed: Duration,
    /// Part of that time for which the player had no core, as far as the system tells; counted only
    /// when there is a deadline.
    pub starved: Duration,
}

/// What a player is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The game up to the position to move in.
    pub game: &'a Game,
    /// Both clocks, by colour; `None` for a player without one.
    pub clocks: [Option<Clock>; 2],
    /// The limits of the player asked.
    pub limits: Limits,
    /// Time after which the answer is too late, if anything says so.
    pub deadline: Option<Duration>,
    /// Tells when the game is to be abandoned.
    pub stop: &'a StopSignal,
}

/// Hears the reports of a search.
pub type Observer<'a> = dyn FnMut(&SearchInfo) + 'a;

/// Somebody who plays.
pub trait Player: Send {
    /// Prepares for a game that has nothing to do with the one before.
    fn new_game(&mut self) -> Result<(), Fault>;

    /// Finds a move. Reports of the search go to `observe` in the order of their arrival.
    ///
    /// A player that is past its deadline is told to stop and may still answer; that the answer is
    /// late is for the caller to judge from [`Answer::elapsed`].
    fn think(&mut self, question: &Question, observe: &mut Observer) -> Result<Answer, Fault>;

    /// Judges positions that have nothing to do with a game, from the view of the side to move.
    fn scores(&mut self, batch: &Batch) -> Result<Vec<Option<Score>>, Fault> {
        let judge = |board: &Board| {
            let mut score = None;
            let game = Game::from_board(*board);
            self.think(&batch.question(&game), &mut |info| score = info.score.or(score))?;
            Ok(score)
        };
        batch.boards.iter().map(judge).collect()
    }
}

/// Positions to judge that do not belong to a game.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    /// The positions; each has a legal move.
    pub boards: &'a [Board],
    /// How long each may take.
    pub limits: Limits,
    /// How many a program that queues what it is asked may have at a time.
    pub in_flight: usize,
    /// Raised when nobody wants the answers any more.
    pub stop: &'a StopSignal,
}

impl Batch<'_> {
    /// One of the positions as a question without clocks.
    pub(crate) fn question<'a>(&'a self, game: &'a Game) -> Question<'a> {
        let Self { limits, stop, .. } = *self;
        Question { game, clocks: [None; 2], limits, deadline: None, stop }
    }
}

/// Why a player gave no usable answer. It must be replaced by a fresh one afterwards.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// It could not be started; the text says why.
    #[error("does not start: {0}")]
    Start(String),
    /// The program ended; the text is its exit status.
    #[error("ended with {0}")]
    Exited(String),
    /// The program closed its output but lives on.
    #[error("closed its output")]
    Disconnected,
    /// No answer, not even to `stop`, after this time.
    #[error("no answer for {:.1} s", .0.as_secs_f64())]
    Stalled(Duration),
    /// The answer is not a legal move; the text is the answer.
    #[error("illegal move {0}")]
    IllegalMove(String),
    /// Two answers to one question.
    #[error("two answers to one question")]
    TwoAnswers,
    /// Far more output than any search has to say.
    #[error("endless output")]
    Flooded,
    /// Not the player's fault: the game was abandoned.
    #[error("game abandoned")]
    Abandoned,
}

/// Makes players from their descriptions.
///
/// The arena makes players anew after each fault, from several threads.
pub trait PlayerFactory: Sync {
    /// Makes a player that is ready for its first game.
    fn create(&self, spec: &EngineSpec, chess960: bool) -> Result<Box<dyn Player>, Fault>;
}

/// The usual factory: the own engine inside the process, everything else as a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Engines;

impl PlayerFactory for Engines {
    fn create(&self, spec: &EngineSpec, chess960: bool) -> Result<Box<dyn Player>, Fault> {
        Ok(match &spec.program {
            Program::Own => Box::new(OwnPlayer::new(spec)?),
            Program::Command(words) => Box::new(UciPlayer::start(words, spec, chess960)?),
            Program::Xboard(_) if chess960 => {
                return Err(Fault::Start("Chess960 is for UCI programs only".to_string()));
            }
            Program::Xboard(words) => Box::new(XboardPlayer::start(words, spec)?),
        })
    }
}
