//! One tab: an engine of its own in a thread of its own, which carries out requests one by one.
//!
//! Searches run beside it and report through the [`Outbox`]. When the tab is closed the channel of
//! orders ends, and with it the thread, the engine and its search.

use super::inspect;
use super::protocol::{Limit, Lines, OptionRow, Position, Reply, Request};
use super::review::Review;
use super::share::Share;
use super::stream::Stream;
use std::sync::mpsc::Receiver;
use std::time::Duration;
use tabiya_chess::{Game, openings};
use tabiya_engine::options::{OPTIONS, OptionKind};
use tabiya_engine::{Clock, Config, Engine, Limits, TableError};
use tokio::sync::{mpsc, watch};

/// The hash table of a tab at its start, in megabytes.
const HASH_MB: usize = 32;
/// The largest hash table a tab may ask for.
const MAX_HASH_MB: i64 = 512;
/// Most lines of an analysis.
const MAX_LINES: usize = 5;
/// The longest a move may take.
const MAX_THINK: Duration = Duration::from_hours(24);
/// Options that follow from what the page does, and are not for its settings.
const FOLLOWING: [&str; 8] = [
    "MultiPV",
    "Ponder",
    "UCI_Chess960",
    "UCI_AnalyseMode",
    "UCI_ShowWDL",
    "UCI_LimitStrength",
    "UCI_Elo",
    "Skill Level",
];

/// What the thread is told.
pub(crate) enum Instruction {
    Request(Request),
    /// Other searches may have begun or ended.
    Rebalance,
}

/// The way to the page. Sending waits for a slow reader; the socket gives up on one too slow.
#[derive(Clone)]
pub(crate) struct Outbox {
    pub(crate) replies: mpsc::Sender<Reply>,
    /// Only the newest lines count: what the page did not take in time is replaced.
    pub(crate) lines: watch::Sender<Option<Lines>>,
}

impl Outbox {
    /// `Err` if nobody listens any more.
    pub(crate) fn send(&self, reply: Reply) -> Result<(), Gone> {
        self.replies.blocking_send(reply).map_err(|_| Gone)
    }
}

/// The tab was closed.
pub(crate) struct Gone;

/// An analysis that can be started again with another number of threads.
struct Analysis {
    id: u32,
    game: Game,
    lines: usize,
}

/// The state of a tab.
pub(crate) struct Session {
    engine: Engine,
    share: Share,
    /// Threads the user wants at most.
    wanted: usize,
    analysis: Option<Analysis>,
    /// The latest review; a new one ends it.
    review: Option<Review>,
    out: Outbox,
}

impl Session {
    pub(crate) fn new(share: Share, out: Outbox) -> Result<Self, TableError> {
        let wanted = share.threads();
        Ok(Self { engine: Engine::new(HASH_MB)?, share, wanted, analysis: None, review: None, out })
    }

    /// Carries out orders until the tab is closed.
    pub(crate) fn run(mut self, orders: &Receiver<Instruction>) -> Result<(), Gone> {
        self.out.send(self.hello())?;
        for order in orders {
            match order {
                Instruction::Rebalance => self.rebalance(),
                Instruction::Request(request) => {
                    let id = request.id();
                    if let Err(reason) = self.carry_out(request) {
                        self.out.send(Reply::Refused { id, reason })?;
                    }
                }
            }
        }
        Ok(())
    }

    fn hello(&self) -> Reply {
        let elo = OPTIONS.iter().find_map(|spec| match spec.kind {
            OptionKind::Spin { min, max, .. } if spec.name == "UCI_Elo" => Some([min, max]),
            _ => None,
        });
        Reply::Hello {
            version: env!("CARGO_PKG_VERSION"),
            evaluation: self.engine.evaluation().to_string(),
            elo,
            options: self.options(),
        }
    }

    /// What the page may set: the option table without files and without what follows from its use.
    fn options(&self) -> Vec<OptionRow> {
        let threads = self.share.threads() as i64;
        let cap = |name: &str| match name {
            "Hash" => Some(MAX_HASH_MB),
            "Threads" => Some(threads),
            _ => None,
        };
        let start = |name: &str| match name {
            "Hash" => Some(HASH_MB as i64),
            "Threads" => Some(threads),
            _ => None,
        };
        let shown = OPTIONS.iter().filter(|spec| !FOLLOWING.contains(&spec.name));
        shown.filter_map(|spec| OptionRow::new(spec, start(spec.name), cap(spec.name))).collect()
    }

    fn carry_out(&mut self, request: Request) -> Result<(), String> {
        match request {
            Request::Analyse { id, position, lines, threat } => {
                let game = position.to_game()?;
                let game = if threat { passed(&game)? } else { game };
                self.set_mode(true, None)?;
                self.analyse(Analysis { id, game, lines: lines.clamp(1, MAX_LINES) })
            }
            Request::Think { id, position, limit, elo } => {
                self.set_mode(false, elo)?;
                self.think(id, &position, &limit)
            }
            Request::Inspect { id, position } => {
                let game = position.to_game()?;
                let reply = inspect::reply(id, game.board(), &self.engine.evaluation());
                self.out.send(reply).map_err(|Gone| String::new())
            }
            Request::Opening { id, position } => {
                let opening = openings::of_game(&position.to_game()?);
                let (eco, name) = opening.map(|opening| (opening.eco, opening.name)).unzip();
                self.out.send(Reply::Opening { id, eco, name }).map_err(|Gone| String::new())
            }
            Request::Report { id, position, nodes } => {
                let game = position.to_game()?;
                self.review = None;
                let out = self.out.clone();
                self.review = Some(Review::start(id, &game, nodes, &self.share, out)?);
                Ok(())
            }
            Request::CancelReport {} => {
                self.review = None;
                Ok(())
            }
            Request::Stop {} => {
                self.stop();
                Ok(())
            }
            Request::NewGame {} => {
                self.stop();
                self.engine.new_game();
                Ok(())
            }
            Request::Option { name, value } => self.set_option(&name, &value),
        }
    }

    fn stop(&mut self) {
        self.analysis = None;
        self.engine.stop();
        self.engine.wait();
    }

    fn analyse(&mut self, analysis: Analysis) -> Result<(), String> {
        let limits = Limits { infinite: true, ..Limits::default() };
        self.start(analysis.id, &analysis.game, limits, analysis.lines)?;
        self.analysis = Some(analysis);
        Ok(())
    }

    fn think(&mut self, id: u32, position: &Position, limit: &Limit) -> Result<(), String> {
        let game = position.to_game()?;
        let time = |ms: u64| Duration::from_millis(ms).min(MAX_THINK);
        let limits = match *limit {
            Limit::Time { ms } => Limits::move_time(time(ms)),
            Limit::Clock { white_ms, black_ms, increment_ms } => {
                let clock = |ms| Some(Clock { time: time(ms), increment: time(increment_ms) });
                Limits { clocks: [clock(white_ms), clock(black_ms)], ..Limits::default() }
            }
        };
        self.analysis = None;
        self.start(id, &game, limits, 1)
    }

    /// Starts a search with its fair part of the threads.
    fn start(&mut self, id: u32, game: &Game, limits: Limits, lines: usize) -> Result<(), String> {
        self.engine.stop();
        self.engine.wait();
        let place = self.share.join();
        self.engine.set_threads(self.share.part().min(self.wanted));
        self.configure(|config| config.multi_pv = lines)?;
        self.engine.set_game(game);
        let board = *game.board();
        let expected = lines.min(board.legal_moves().len());
        self.out.lines.send_replace(None);
        let reporter = Stream {
            id,
            board,
            expected,
            threads: self.engine.threads(),
            tells_best: !limits.infinite,
            lines: Vec::new(),
            out: self.out.clone(),
            place,
        };
        self.engine.start(limits, Box::new(reporter));
        Ok(())
    }

    fn configure(&mut self, change: impl FnOnce(&mut Config)) -> Result<(), String> {
        self.engine.configure(change).map_err(|error| error.to_string())
    }

    /// An analysis that has too many or too few threads starts again; the hash table remembers what
    /// it knew.
    fn rebalance(&mut self) {
        let fair = self.share.part().min(self.wanted);
        if self.engine.threads() != fair
            && let Some(analysis) = self.analysis.take()
        {
            let id = analysis.id;
            if let Err(reason) = self.analyse(analysis) {
                let _ = self.out.send(Reply::Refused { id: Some(id), reason });
            }
        }
    }

    /// To analyse or to play, at full strength or that of a rating.
    fn set_mode(&mut self, analyse: bool, elo: Option<i64>) -> Result<(), String> {
        self.stop();
        self.configure(|config| config.set_mode(analyse, elo))
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let rows = self.options();
        let row = rows.iter().find(|row| row.name == name);
        let row = row.ok_or_else(|| "there is no such option".to_owned())?;
        row.check(value)?;
        self.stop();
        if row.name == "Threads" {
            self.wanted = value.parse().map_err(|_| "a whole number expected".to_owned())?;
            return Ok(());
        }
        self.engine.set_option(row.name, Some(value)).map_err(|error| error.to_string())
    }
}

/// The game as if the side to move did nothing: what would the opponent do?
fn passed(game: &Game) -> Result<Game, String> {
    let mut board = *game.board();
    if board.in_check() {
        return Err("no threats while in check".to_owned());
    }
    board.play_null();
    Ok(Game::from_board(board))
}
