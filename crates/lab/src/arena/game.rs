//! One game between two players.

use super::adjudicate::{Adjudication, Oracle, Referee, Verdict};
use super::clock::Clock;
use super::player::{Answer, Fault, Player, Question, Score, SearchInfo};
use super::spec::EngineSpec;
use crate::work::StopSignal;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;
use tabiya_chess::{Color, EndReason, Game};

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Mate on the board.
    Checkmate,
    /// Stalemate.
    Stalemate,
    /// Nobody can mate.
    InsufficientMaterial,
    /// The position came a third time.
    Repetition,
    /// 50 moves without progress.
    FiftyMoves,
    /// The loser's scores were hopeless.
    Resignation,
    /// Both scores were level for long.
    DrawAgreement,
    /// Endgame tables know the result.
    Tablebase,
    /// The game was too long.
    MoveLimit,
    /// The loser overran its time.
    TimeLoss,
    /// The loser played a move that is not legal.
    IllegalMove,
    /// The loser's program ended.
    Crash,
    /// The loser's program closed its output.
    Disconnect,
    /// The loser did not answer at all.
    Stall,
    /// The loser could not be started.
    NoStart,
    /// The loser broke the protocol.
    Protocol,
}

impl Reason {
    /// Whether a player failed, rather than lost or drew by chess.
    pub const fn is_failure(self) -> bool {
        matches!(
            self,
            Self::TimeLoss
                | Self::IllegalMove
                | Self::Crash
                | Self::Disconnect
                | Self::Stall
                | Self::NoStart
                | Self::Protocol
        )
    }

    fn of_fault(fault: &Fault) -> Option<Self> {
        Some(match fault {
            Fault::Start(_) => Self::NoStart,
            Fault::Exited(_) => Self::Crash,
            Fault::Disconnected => Self::Disconnect,
            Fault::Stalled(_) => Self::Stall,
            Fault::IllegalMove(_) => Self::IllegalMove,
            Fault::TwoAnswers | Fault::Flooded => Self::Protocol,
            Fault::Abandoned => return None,
        })
    }
}

impl From<EndReason> for Reason {
    fn from(reason: EndReason) -> Self {
        match reason {
            EndReason::Checkmate => Self::Checkmate,
            EndReason::Stalemate => Self::Stalemate,
            EndReason::InsufficientMaterial => Self::InsufficientMaterial,
            EndReason::FivefoldRepetition | EndReason::ThreefoldRepetition => Self::Repetition,
            EndReason::SeventyFiveMoves | EndReason::FiftyMoves => Self::FiftyMoves,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient material",
            Self::Repetition => "threefold repetition",
            Self::FiftyMoves => "50-move rule",
            Self::Resignation => "resignation",
            Self::DrawAgreement => "draw agreement",
            Self::Tablebase => "tablebase",
            Self::MoveLimit => "move limit",
            Self::TimeLoss => "time loss",
            Self::IllegalMove => "illegal move",
            Self::Crash => "crash",
            Self::Disconnect => "disconnect",
            Self::Stall => "stall",
            Self::NoStart => "no start",
            Self::Protocol => "protocol violation",
        })
    }
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameEnd {
    /// Who won; `None` for a draw.
    pub winner: Option<Color>,
    /// Why.
    pub reason: Reason,
    /// More about a failure: the illegal move, the exit status, the overrun.
    pub detail: Option<String>,
    /// The side whose player must be replaced before its next game.
    pub broken: Option<Color>,
    /// Whether the loser overran its time by no more than it was without a core.
    pub is_excused: bool,
}

impl GameEnd {
    fn won(winner: Color, reason: Reason) -> Self {
        Self { winner: Some(winner), reason, detail: None, broken: None, is_excused: false }
    }

    fn drawn(reason: Reason) -> Self {
        Self { winner: None, reason, detail: None, broken: None, is_excused: false }
    }

    /// The end of a game in which `loser` failed; `None` when nobody did and the game is void.
    pub fn failed(loser: Color, fault: &Fault) -> Option<Self> {
        Some(Self {
            winner: Some(!loser),
            reason: Reason::of_fault(fault)?,
            detail: Some(fault.to_string()),
            broken: Some(loser),
            is_excused: false,
        })
    }
}

/// What is remembered about a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MoveNote {
    /// Last exact score, from the mover's view.
    pub score: Option<Score>,
    /// Last depth.
    pub depth: Option<u32>,
    /// Last node count.
    pub nodes: Option<u64>,
    /// Time taken, as measured here.
    pub elapsed: Duration,
}

/// How a player used its time in one or more games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TimeUse {
    /// Moves made.
    pub moves: u64,
    /// Microseconds for all of them.
    pub total_us: u64,
    /// Microseconds for the longest.
    pub longest_us: u64,
    /// Moves for which the player said how long it took.
    pub reported_moves: u64,
    /// Measured less reported time of those, in microseconds: pipes, scheduling and the player's
    /// own start and end of a search.
    pub overhead_us: u64,
    /// The largest such difference.
    pub worst_overhead_us: u64,
    /// Nodes searched as far as reported.
    pub nodes: u64,
    /// Microseconds for which the player was ready to think but had no core.
    pub starved_us: u64,
    /// The most of that in one move.
    pub worst_starved_us: u64,
}

impl TimeUse {
    fn add(&mut self, answer: &Answer, last: &SearchInfo) {
        let micros = |time: Duration| time.as_micros() as u64;
        let elapsed = answer.elapsed;
        self.moves += 1;
        self.starved_us += micros(answer.starved);
        self.worst_starved_us = self.worst_starved_us.max(micros(answer.starved));
        self.total_us += micros(elapsed);
        self.longest_us = self.longest_us.max(micros(elapsed));
        self.nodes += last.nodes.unwrap_or(0);
        if let Some(reported) = last.time {
            let overhead = micros(elapsed.saturating_sub(reported));
            self.reported_moves += 1;
            self.overhead_us += overhead;
            self.worst_overhead_us = self.worst_overhead_us.max(overhead);
        }
    }

    /// Adds another game's use.
    pub fn merge(&mut self, other: &Self) {
        self.moves += other.moves;
        self.total_us += other.total_us;
        self.longest_us = self.longest_us.max(other.longest_us);
        self.reported_moves += other.reported_moves;
        self.overhead_us += other.overhead_us;
        self.worst_overhead_us = self.worst_overhead_us.max(other.worst_overhead_us);
        self.nodes += other.nodes;
        self.starved_us += other.starved_us;
        self.worst_starved_us = self.worst_starved_us.max(other.worst_starved_us);
    }
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The moves.
    pub game: Game,
    /// A note for each move after the opening.
    pub notes: Vec<MoveNote>,
    /// How it ended.
    pub end: GameEnd,
    /// Use of time, by colour.
    pub times: [TimeUse; 2],
}

/// What a game is played by, apart from the players.
#[derive(Clone, Copy)]
pub struct Conditions<'a> {
    /// When games end early.
    pub adjudication: Adjudication,
    /// Endgame knowledge for the same purpose.
    pub oracle: Option<&'a dyn Oracle>,
    /// Tells when the game is to be abandoned.
    pub stop: &'a StopSignal,
}

/// A player with the side's description.
pub struct Seat<'a> {
    /// Who plays.
    pub player: &'a mut dyn Player,
    /// How it is described.
    pub spec: &'a EngineSpec,
}

/// Plays a game from where it stands; `None` if it was abandoned. Seats are by colour.
pub fn play(mut game: Game, mut seats: [Seat; 2], conditions: &Conditions) -> Option<PlayedGame> {
    let mut clocks =
        [Color::White, Color::Black].map(|color| seats[color].spec.limits.clock.map(Clock::new));
    let mut notes = Vec::new();
    let mut times = [TimeUse::default(); 2];
    let mut referee = Referee::new(conditions.adjudication);
    for color in [Color::White, Color::Black] {
        if let Err(fault) = seats[color].player.new_game() {
            let end = GameEnd::failed(color, &fault)?;
            return Some(PlayedGame { game, notes, end, times });
        }
    }
    let end = loop {
        if let Some(end) = end_on_board(&game, conditions.oracle) {
            break end;
        }
        let mover = game.board().side_to_move();
        let seat = &mut seats[mover];
        let mut note = MoveNote::default();
        let mut last = SearchInfo::default();
        let asked = ask(seat, &game, clocks, conditions.stop, &mut |info| {
            note.score = info.score.or(note.score);
            note.depth = info.depth.or(note.depth);
            last.nodes = info.nodes.or(last.nodes);
            last.time = info.time.or(last.time);
        });
        let answer = match asked {
            Ok(answer) => answer,
            Err(fault) => break GameEnd::failed(mover, &fault)?,
        };
        note.elapsed = answer.elapsed;
        note.nodes = last.nodes;
        times[mover].add(&answer, &last);
        if let Some(overrun) = overrun(seat.spec, &mut clocks[mover], answer.elapsed) {
            let mut end = GameEnd::won(!mover, Reason::TimeLoss);
            end.is_excused = overrun <= answer.starved;
            let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
            end.detail = Some(if answer.starved.is_zero() {
                format!("over by {:.1} ms", milliseconds(overrun))
            } else {
                let starved = milliseconds(answer.starved);
                format!("over by {:.1} ms, {starved:.1} ms without a core", milliseconds(overrun))
            });
            break end;
        }
        if game.play(answer.mv).is_err() {
            // Players promise legal moves; one that breaks the promise has failed.
            let fault = Fault::IllegalMove(format!("{:?}", answer.mv));
            break GameEnd::failed(mover, &fault)?;
        }
        notes.push(note);
        let is_progress = game.board().halfmove_clock() == 0;
        if let Some(verdict) = referee.observe(mover, note.score, is_progress) {
            // What stands on the board counts more than what anybody thinks of it.
            break end_on_board(&game, conditions.oracle).unwrap_or(match verdict {
                Verdict::Resigned(loser) => GameEnd::won(!loser, Reason::Resignation),
                Verdict::DrawAgreed => GameEnd::drawn(Reason::DrawAgreement),
                Verdict::TooLong => GameEnd::drawn(Reason::MoveLimit),
            });
        }
    };
    Some(PlayedGame { game, notes, end, times })
}

fn ask(
    seat: &mut Seat,
    game: &Game,
    clocks: [Option<Clock>; 2],
    stop: &StopSignal,
    observe: &mut dyn FnMut(&SearchInfo),
) -> Result<Answer, Fault> {
    let limits = seat.spec.limits;
    let clock = clocks[game.board().side_to_move()];
    let time = clock.map(|clock| clock.remaining()).into_iter().chain(limits.move_time).min();
    let deadline = time.map(|time| time + seat.spec.margin);
    seat.player.think(&Question { game, clocks, limits, deadline, stop }, observe)
}

/// Takes the time off the clock; returns by how much clock or move time were overrun.
fn overrun(spec: &EngineSpec, clock: &mut Option<Clock>, elapsed: Duration) -> Option<Duration> {
    let beyond_move_time = spec
        .limits
        .move_time
        .map(|limit| elapsed.saturating_sub(limit))
        .filter(|&overrun| overrun > spec.margin);
    beyond_move_time.or_else(|| clock.as_mut()?.spend(elapsed, spec.margin).err())
}

fn end_on_board(game: &Game, oracle: Option<&dyn Oracle>) -> Option<GameEnd> {
    if let Some(outcome) = game.outcome() {
        let reason = outcome.reason.into();
        return Some(outcome.winner.map_or(GameEnd::drawn(reason), |w| GameEnd::won(w, reason)));
    }
    Some(match oracle?.verdict(game.board())? {
        Some(winner) => GameEnd::won(winner, Reason::Tablebase),
        None => GameEnd::drawn(Reason::Tablebase),
    })
}
