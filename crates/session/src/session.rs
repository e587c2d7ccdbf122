//! One board and its engine: requests are carried out one by one.
//!
//! Who searches is a [`Player`]: the program has threads for it, a web page searches in slices.

use crate::endgame;
use crate::inspect;
use crate::protocol::{OptionRow, Reply, Request};
use crate::review::Review;
use tabiya_chess::{Game, openings};
use tabiya_engine::eval::Evaluation;
use tabiya_engine::options::{OPTIONS, OptionError, OptionKind};
use tabiya_engine::{Config, Limits, Tablebase};

/// The hash table of a session at its start, in megabytes.
pub const HASH_MB: usize = 32;
/// The largest hash table a session may ask for.
const MAX_HASH_MB: i64 = 512;
/// Most lines of an analysis.
const MAX_LINES: usize = 5;
/// Options that follow from what the page does, or whose effect it does not show, and are not for its settings.
const FOLLOWING: [&str; 9] = [
    "MultiPV",
    "Ponder",
    "UCI_Chess960",
    "UCI_AnalyseMode",
    "UCI_ShowWDL",
    "UCI_LimitStrength",
    "UCI_Elo",
    "Skill Level",
    "PolicyInfo",
];

/// A search to be made.
pub struct Search {
    /// The request it answers.
    pub id: u32,
    /// The position and how it came about.
    pub game: Game,
    /// Where it ends; an infinite one is an analysis and tells no move in the end.
    pub limits: Limits,
    /// Lines to report.
    pub lines: usize,
}

/// Who searches, and the way to the page.
pub trait Player {
    /// Threads there are.
    fn threads(&self) -> usize;
    /// Threads that a review may have if it begins now.
    fn review_threads(&self) -> usize;
    /// Uses this many threads at most from now on.
    fn set_threads(&mut self, wanted: usize);
    /// What judges positions.
    fn evaluation(&self) -> Evaluation;
    /// Whether there is a policy net, so that it can play like people.
    fn has_policy(&self) -> bool;
    /// The endgame tables, if there are any.
    fn tables(&self) -> Option<&Tablebase>;
    /// Changes the configuration.
    fn configure(&mut self, change: impl FnOnce(&mut Config)) -> Result<(), OptionError>;
    /// Sets an option by name.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError>;
    /// Forgets what was learned.
    fn new_game(&mut self);
    /// Ends the search, which gives its move if it owes one.
    fn stop(&mut self);
    /// Begins a search; the one before has ended.
    fn start(&mut self, search: Search) -> Result<(), String>;
    /// Begins a review; one that is going on ends.
    fn review(&mut self, review: Review) -> Result<(), String>;
    /// Ends the review.
    fn cancel_review(&mut self);
    /// Answers the page.
    fn send(&mut self, reply: Reply);
}

/// A board's engine.
pub struct Session<P> {
    /// Who searches.
    pub player: P,
}

impl<P: Player> Session<P> {
    /// A session, which introduces itself.
    pub fn new(player: P) -> Self {
        let mut session = Self { player };
        session.greet();
        session
    }

    /// Says who is there and what can be set; again when the evaluation changed.
    pub fn greet(&mut self) {
        let elo = OPTIONS.iter().find_map(|spec| match spec.kind {
            OptionKind::Spin { min, max, .. } if spec.name == "UCI_Elo" => Some([min, max]),
            _ => None,
        });
        self.player.send(Reply::Hello {
            version: env!("CARGO_PKG_VERSION"),
            evaluation: self.player.evaluation().to_string(),
            elo,
            human: self.player.has_policy(),
            tables: self.player.tables().map_or(0, Tablebase::max_pieces),
            options: self.options(),
        });
    }

    /// Carries out a request, or says why not.
    pub fn receive(&mut self, request: Request) {
        let id = request.id();
        if let Err(reason) = self.carry_out(request) {
            self.player.send(Reply::Refused { id, reason });
        }
    }

    /// What the page may set: the option table without files and without what follows from its use.
    fn options(&self) -> Vec<OptionRow> {
        let threads = self.player.threads() as i64;
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
            Request::Analyse { id, position, lines, threat, limit } => {
                let game = position.to_game()?;
                let game = if threat { passed(&game)? } else { game };
                let endless = || Limits { infinite: true, ..Limits::default() };
                let limits = limit.map_or_else(endless, |limit| limit.to_limits());
                self.set_mode(true, None, false)?;
                self.start(Search { id, game, limits, lines: lines.clamp(1, MAX_LINES) })
            }
            Request::Think { id, position, limit, elo, human } => {
                let game = position.to_game()?;
                if human && !self.player.has_policy() {
                    return Err("there is no network that plays like people".to_owned());
                }
                self.set_mode(false, elo, human)?;
                self.start(Search { id, game, limits: limit.to_limits(), lines: 1 })
            }
            Request::Inspect { id, position } => {
                let game = position.to_game()?;
                let reply = inspect::reply(id, game.board(), &self.player.evaluation());
                self.player.send(reply);
                Ok(())
            }
            Request::Opening { id, position } => {
                let opening = openings::of_game(&position.to_game()?);
                let (eco, name) = opening.map(|opening| (opening.eco, opening.name)).unzip();
                self.player.send(Reply::Opening { id, eco, name });
                Ok(())
            }
            Request::Endgame { id, position } => {
                let game = position.to_game()?;
                let reply = endgame::reply(id, &game, self.player.tables());
                self.player.send(reply);
                Ok(())
            }
            Request::Report { id, position, nodes } => {
                let game = position.to_game()?;
                self.player.cancel_review();
                let threads = self.player.review_threads();
                let review = Review::new(id, &game, nodes, &self.player.evaluation(), threads)?;
                self.player.review(review)
            }
            Request::CancelReport {} => {
                self.player.cancel_review();
                Ok(())
            }
            Request::Stop {} => {
                self.player.stop();
                Ok(())
            }
            Request::NewGame {} => {
                self.player.stop();
                self.player.new_game();
                Ok(())
            }
            Request::Option { name, value } => self.set_option(&name, &value),
        }
    }

    fn start(&mut self, search: Search) -> Result<(), String> {
        self.configure(|config| config.multi_pv = search.lines)?;
        self.player.start(search)
    }

    fn configure(&mut self, change: impl FnOnce(&mut Config)) -> Result<(), String> {
        self.player.configure(change).map_err(|error| error.to_string())
    }

    /// To analyse or to play, at full strength or that of a rating, in its own way or like people.
    fn set_mode(&mut self, analyse: bool, elo: Option<i64>, human: bool) -> Result<(), String> {
        self.player.stop();
        self.configure(|config| {
            config.set_mode(analyse, elo);
            config.human_style = human;
        })
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let rows = self.options();
        let row = rows.iter().find(|row| row.name == name);
        let row = row.ok_or_else(|| "there is no such option".to_owned())?;
        row.check(value)?;
        self.player.stop();
        if row.name == "Threads" {
            let wanted = value.parse().map_err(|_| "a whole number expected".to_owned())?;
            self.player.set_threads(wanted);
            return Ok(());
        }
        self.player.set_option(row.name, value).map_err(|error| error.to_string())
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
