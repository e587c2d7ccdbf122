//! `tabiya play`: a game against the engine in the terminal, for those who have nothing else.

mod clock;
mod command;
mod input;
mod record;

use crate::args::{self, UsageError};
use crate::board_view;
use clock::{ClockSetting, Clocks};
use command::{Command, HELP};
use input::{Input, Said};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tabiya_chess::{Color, EndReason, Game, GameResult, Move, openings};
use tabiya_engine::{Engine, Event, Limits, SearchResult};

/// What a hint may cost.
const HINT_TIME: Duration = Duration::from_secs(1);
/// How long Ctrl-C may wait.
const PATIENCE: Duration = Duration::from_millis(50);

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya play
  tabiya play --side black --level 3 --pgn games.pgn
  tabiya play --elo 1500 --clock 5+3
  tabiya play --position \"8/8/8/8/8/4k3/4p3/4K3 b - - 0 1\" --side black

Moves are typed as e4, Nf3, O-O or e2e4. `help` lists the other words: hint, undo, board, level and so
on. With --pgn the game is added to a file when it ends, or when you leave it.")]
pub(crate) struct PlayArgs {
    /// Your side
    #[arg(long, value_enum, default_value = "white")]
    side: Side,
    /// Strength from 0 to 20, the highest is full strength
    #[arg(long, value_name = "N", default_value_t = FULL_LEVEL, value_parser = clap::value_parser!(i64).range(0..=FULL_LEVEL))]
    level: i64,
    /// Strength as a rating, from 1000 on, instead of a level
    #[arg(long, value_name = "ELO", conflicts_with = "level", value_parser = clap::value_parser!(i64).range(1000..=3200))]
    elo: Option<i64>,
    /// Seconds the engine may think about a move
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    time: f64,
    /// Nodes the engine may search for a move, instead of a time: with --no-book the same moves every time
    #[arg(long, value_name = "N", conflicts_with_all = ["time", "clock"])]
    nodes: Option<u64>,
    /// Clocks for both sides: minutes, then perhaps + and seconds added after each move
    #[arg(long, value_name = "M[+S]", conflicts_with = "time")]
    clock: Option<ClockSetting>,
    /// Start here instead of the initial position: a FEN
    #[arg(long, value_name = "FEN")]
    position: Option<String>,
    /// Read castling letters as in Chess960
    #[arg(long)]
    chess960: bool,
    /// Let the engine think from its first move on, without its opening book
    #[arg(long)]
    no_book: bool,
    /// Add the game to this file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Make the choices of a limited strength repeatable
    #[arg(long, hide = true)]
    seed: Option<u64>,
}

const FULL_LEVEL: i64 = 20;

#[derive(Clone, Copy, clap::ValueEnum)]
enum Side {
    White,
    Black,
}

pub(crate) fn run(args: &PlayArgs) -> anyhow::Result<ExitCode> {
    if let Some(path) = &args.pgn {
        record::check(path)?;
    }
    let mut session = Session::new(args)?;
    let ended = session.play()?;
    if let Some(path) = &args.pgn
        && !session.game.moves().is_empty()
    {
        record::append(path, &session.to_pgn())?;
        println!("saved in {}", path.display());
    }
    Ok(match ended {
        Ended::Finished | Ended::Left => ExitCode::SUCCESS,
        Ended::Interrupted => ExitCode::from(130),
    })
}

/// Why the conversation is over.
enum Ended {
    /// The game is.
    Finished,
    /// The player has left.
    Left,
    /// Ctrl-C.
    Interrupted,
}

/// A game, who plays it, and what happens outside of the board.
struct Session {
    game: Game,
    /// The side of the person.
    person: Color,
    /// The side at the bottom.
    view: Color,
    engine: Engine,
    limits: Limits,
    strength: Strength,
    clocks: Option<Clocks>,
    /// Set when the game ends otherwise than on the board.
    agreed: Option<(GameResult, String)>,
    input: Input,
}

/// How well the engine plays.
#[derive(Clone, Copy)]
enum Strength {
    Level(i64),
    Elo(i64),
}

impl std::fmt::Display for Strength {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Level(FULL_LEVEL) => f.write_str("full strength"),
            Self::Level(level) => write!(f, "level {level}"),
            Self::Elo(elo) => write!(f, "rating {elo}"),
        }
    }
}

impl Session {
    fn new(args: &PlayArgs) -> anyhow::Result<Self> {
        let words: Vec<String> = args.position.iter().cloned().collect();
        let game = Game::from_board(args::position(&words, args.chess960)?);
        let move_time = Duration::try_from_secs_f64(args.time)
            .map_err(|error| UsageError(format!("--time {}: {error}", args.time)))?;
        let limits = match (args.nodes, args.clock) {
            (Some(nodes), _) => Limits::nodes(nodes),
            (None, Some(_)) => Limits::default(),
            (None, None) => Limits::move_time(move_time),
        };
        let mut engine = Engine::new(64)?;
        engine.configure(|config| {
            config.own_book = !args.no_book;
            config.chess960 = args.chess960;
        })?;
        if let Some(seed) = args.seed {
            engine.seed_level(seed);
        }
        let person = match args.side {
            Side::White => Color::White,
            Side::Black => Color::Black,
        };
        let mut session = Self {
            game,
            person,
            view: person,
            engine,
            limits,
            strength: args.elo.map_or(Strength::Level(args.level), Strength::Elo),
            clocks: args.clock.map(Clocks::new),
            agreed: None,
            input: Input::open()?,
        };
        session.set_strength(session.strength)?;
        Ok(session)
    }

    fn set_strength(&mut self, strength: Strength) -> anyhow::Result<()> {
        self.strength = strength;
        self.engine.configure(|config| match strength {
            Strength::Level(level) => {
                config.set_mode(false, None);
                config.skill_level = level;
            }
            Strength::Elo(elo) => config.set_mode(false, Some(elo)),
        })?;
        Ok(())
    }

    fn play(&mut self) -> anyhow::Result<Ended> {
        println!(
            "You have the {} pieces; the engine plays at {}.",
            side_name(self.person),
            self.strength
        );
        println!("`help` lists what can be typed.\n");
        self.show_board();
        loop {
            if let Some((result, reason)) = self.end() {
                println!("{result} {reason}");
                return Ok(Ended::Finished);
            }
            if self.game.board().side_to_move() != self.person {
                match self.answer() {
                    Some(()) => continue,
                    None => return Ok(Ended::Interrupted),
                }
            }
            let asked = Instant::now();
            let said = self.ask()?;
            match said {
                Said::Line(line) => {
                    if let Some(ended) = self.obey(&line, asked)? {
                        return Ok(ended);
                    }
                }
                Said::Nothing => return Ok(Ended::Left),
                Said::Interrupt => return Ok(Ended::Interrupted),
            }
        }
    }

    /// How the game ended, if it did. A draw that must be claimed is not one yet.
    fn end(&self) -> Option<(GameResult, String)> {
        let on_board = self.game.outcome().filter(|outcome| !outcome.reason.is_claim());
        let on_board = on_board.map(|outcome| (outcome.result(), outcome.reason.to_string()));
        self.agreed.clone().or(on_board)
    }

    fn ask(&self) -> anyhow::Result<Said> {
        let board = self.game.board();
        let clock = self.clocks.as_ref().map_or_else(String::new, |clocks| format!("[{clocks}] "));
        print!("{clock}{}. your move: ", move_number(board));
        std::io::stdout().flush()?;
        let said = self.input.next();
        if !matches!(said, Said::Line(_)) {
            println!();
        }
        Ok(said)
    }

    /// Does what a line says; `Some` when the conversation is over.
    fn obey(&mut self, line: &str, asked: Instant) -> anyhow::Result<Option<Ended>> {
        let command = match Command::parse(line, self.game.board()) {
            Ok(command) => command,
            Err(reason) => {
                println!("{reason} (`help` lists what can be typed)");
                return Ok(None);
            }
        };
        match command {
            Command::Nothing => {}
            Command::Move(mv) => self.play_own(mv, asked),
            Command::Help => println!("{HELP}"),
            Command::Hint => return Ok(self.hint().is_none().then_some(Ended::Interrupted)),
            Command::Undo => self.undo(),
            Command::Board => self.show_board(),
            Command::Flip => {
                self.view = !self.view;
                self.show_board();
            }
            Command::Moves => println!("{}", self.moves()),
            Command::Fen => println!("{}", self.game.board()),
            Command::Pgn => print!("{}", self.to_pgn()),
            Command::Level(None) => println!("the engine plays at {}", self.strength),
            Command::Level(Some(level)) => {
                self.set_strength(Strength::Level(level))?;
                println!("the engine plays at {}", self.strength);
            }
            Command::Draw => self.claim_draw(),
            Command::Resign => {
                let reason = format!("{} resigns", side_name(self.person));
                self.agreed = Some((GameResult::Win(!self.person), reason));
            }
            Command::Quit => return Ok(Some(Ended::Left)),
        }
        Ok(None)
    }

    fn play_own(&mut self, mv: Move, asked: Instant) {
        if let Some(clocks) = &mut self.clocks
            && !clocks.spend(self.person, asked.elapsed())
        {
            let reason = format!("{} has used up the time", side_name(self.person));
            self.agreed = Some((GameResult::Win(!self.person), reason));
            return;
        }
        self.game.play(mv).expect("the move was read on this board");
    }

    /// The engine's move; `None` after Ctrl-C.
    fn answer(&mut self) -> Option<()> {
        let mut limits = self.limits.clone();
        if let Some(clocks) = &self.clocks {
            limits.clocks = clocks.for_engine();
        }
        let asked = Instant::now();
        let result = self.think(limits)?;
        let best = result.best.expect("the game is not over");
        if let Some(clocks) = &mut self.clocks
            && !clocks.spend(!self.person, asked.elapsed())
        {
            let reason = format!("{} has used up the time", side_name(!self.person));
            self.agreed = Some((GameResult::Win(self.person), reason));
            return Some(());
        }
        let board = *self.game.board();
        self.game.play(best).expect("the engine plays legal moves");
        println!("{}. the engine plays {}", move_number(&board), board.san(best));
        if let Some(opening) = openings::of_game(&self.game) {
            println!("{opening}");
        }
        self.show_board();
        if let Some(reason) = self.game.outcome().map(|outcome| outcome.reason)
            && reason.is_claim()
        {
            println!("{reason}: `draw` claims it");
        }
        Some(())
    }

    /// What the engine would play at full strength; `None` after Ctrl-C.
    fn hint(&mut self) -> Option<()> {
        let limits = match self.limits.nodes {
            Some(_) => self.limits.clone(),
            None => Limits::move_time(HINT_TIME),
        };
        let strength = self.strength;
        // Both only switch between ways to play, which cannot fail.
        let _ = self.engine.configure(|config| config.set_mode(true, None));
        let result = self.think(limits);
        let _ = self.engine.configure(|config| config.set_mode(false, None));
        let _ = self.set_strength(strength);
        let result = result?;
        let board = self.game.board();
        let line: Vec<Move> = result.line.iter().copied().take(4).collect();
        let score = result.score.white_view(board.side_to_move()).in_pawns();
        println!("hint: {}   ({score} for White)", board.line_text(&line));
        Some(())
    }

    /// Searches the position; `None` after Ctrl-C.
    fn think(&mut self, limits: Limits) -> Option<SearchResult> {
        self.engine.set_game(&self.game);
        let (sender, events) = channel();
        self.engine.start(limits, Box::new(sender));
        loop {
            match events.recv_timeout(PATIENCE) {
                Ok(Event::Finished(result)) => return Some(result),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
            if self.input.is_interrupted() {
                self.engine.stop();
                return None;
            }
        }
    }

    /// Takes the last move of the person back, and the engine's answer to it.
    fn undo(&mut self) {
        if self.game.moves().len() < 2 {
            println!("there is nothing to take back");
            return;
        }
        self.game.undo();
        self.game.undo();
        self.show_board();
    }

    fn claim_draw(&mut self) {
        let claim =
            self.game.outcome().map(|outcome| outcome.reason).filter(|reason| reason.is_claim());
        match claim {
            Some(reason @ (EndReason::ThreefoldRepetition | EndReason::FiftyMoves)) => {
                self.agreed = Some((GameResult::Draw, reason.to_string()));
            }
            _ => println!("there is no draw to claim: neither threefold repetition nor 50 moves"),
        }
    }

    fn moves(&self) -> String {
        let board = self.game.start();
        match self.game.moves() {
            [] => "no moves yet".to_owned(),
            moves => board.line_text(moves),
        }
    }

    fn show_board(&self) {
        println!("{}", board_view::draw_for(self.game.board(), self.view));
    }

    fn to_pgn(&self) -> String {
        let end = self.end();
        let engine = format!("Tabiya {} ({})", env!("CARGO_PKG_VERSION"), self.strength);
        record::to_pgn(&self.game, self.person, &engine, end)
    }
}

fn side_name(side: Color) -> &'static str {
    match side {
        Color::White => "white",
        Color::Black => "black",
    }
}

/// The number before a move: `12` or `12..`.
fn move_number(board: &tabiya_chess::Board) -> String {
    let dots = if board.side_to_move() == Color::White { "" } else { ".." };
    format!("{}{dots}", board.fullmove_number())
}
