//! The UCI session: reads commands, runs the engine, prints answers.
//!
//! This thread only reads and dispatches; searches run on the engine's threads and print through
//! the same locked output, one whole line at a time.

use crate::{bench, board_view, eval};
use anyhow::Result;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use tabiya_chess::{Board, Game, perft};
use tabiya_engine::options::OPTIONS;
use tabiya_engine::uci::{Command, GoCommand, InfoLine};
use tabiya_engine::{Engine, Info, ParamSpec, Params, Reporter, SearchResult};

/// Longer lines are dropped: no sensible game needs 4 MB.
const LINE_LIMIT: u64 = 4 << 20;
/// Letters of a remark at most.
const REMARK_LIMIT: usize = 250;
const DEFAULT_HASH_MB: usize = 16;

const HELP: &str = "\
Tabiya speaks UCI. Besides its commands you can type:
  d              show the board          flip           turn it around
  eval           explain the evaluation  bench [depth]  run the benchmark
  perft <depth>  count the move tree     help           this text
A position is set with `position startpos moves e2e4` or `position fen <FEN>`;
`go movetime 1000`, `go depth 12`, `go infinite` and `stop` search it. `quit` ends.";

/// Where answers go: standard output, and the log file if there is one.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Option<File>>>);

impl Output {
    /// Prints one whole line. Without anybody to read it there is no point in going on.
    fn say(&self, line: &str) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stdout = std::io::stdout().lock();
        if writeln!(stdout, "{line}").and_then(|()| stdout.flush()).is_err() {
            std::process::exit(1);
        }
        write_log(log.as_mut(), "<", line);
    }

    /// Prints a remark. It may quote the input, so it is kept short and on one line.
    fn remark(&self, text: &str) {
        let text: String = text
            .chars()
            .take(REMARK_LIMIT)
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        self.say(&format!("info string {text}"));
    }

    fn heard(&self, line: &str) {
        write_log(self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut(), ">", line);
    }

    fn set_log(&self, path: Option<&Path>) -> std::io::Result<()> {
        let file = path.map(File::create).transpose()?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = file;
        Ok(())
    }
}

fn write_log(log: Option<&mut File>, direction: &str, line: &str) {
    if let Some(log) = log {
        let _ = writeln!(log, "{direction} {line}");
    }
}

/// Prints what a search reports.
struct Printer {
    output: Output,
    board: Board,
    chess960: bool,
    show_wdl: bool,
}

impl Reporter for Printer {
    fn info(&mut self, info: &Info) {
        let (board, chess960, show_wdl) = (&self.board, self.chess960, self.show_wdl);
        self.output.say(&InfoLine { info, board, chess960, show_wdl }.to_string());
    }

    fn message(&mut self, text: &str) {
        self.output.remark(text);
    }

    fn finished(&mut self, result: &SearchResult) {
        let Some(best) = result.best else {
            self.output.say(&format!("info depth 0 score {}", result.score));
            self.output.say("bestmove (none)");
            return;
        };
        let mut line = format!("bestmove {}", self.board.uci(best, self.chess960));
        if let Some(ponder) = result.ponder {
            let mut board = self.board;
            board.play(best);
            line = format!("{line} ponder {}", board.uci(ponder, self.chess960));
        }
        self.output.say(&line);
    }
}

struct Session {
    engine: Engine,
    output: Output,
    debug: bool,
    /// The position to search, or why there is none.
    game: Result<Game, String>,
    /// Options that arrived during a search.
    pending: Vec<(String, Option<String>)>,
    log_file: Option<PathBuf>,
}

pub(crate) fn run() -> Result<ExitCode> {
    let mut session = Session {
        engine: Engine::new(DEFAULT_HASH_MB)?,
        output: Output::default(),
        debug: false,
        game: Ok(Game::default()),
        pending: Vec::new(),
        log_file: None,
    };
    let mut input = std::io::stdin().lock();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if (&mut input).take(LINE_LIMIT).read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        if bytes.len() as u64 == LINE_LIMIT && bytes.last() != Some(&b'\n') {
            skip_line(&mut input)?;
            session.drop_line(&bytes);
            continue;
        }
        let line = String::from_utf8_lossy(&bytes);
        session.output.heard(line.trim_end());
        if !session.handle(Command::parse(&line)) {
            break;
        }
    }
    session.engine.stop();
    session.engine.wait();
    Ok(ExitCode::SUCCESS)
}

fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |at| at + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}

impl Session {
    /// Acts on a command; `false` ends the session.
    fn handle(&mut self, command: Command) -> bool {
        if !self.engine.is_searching() {
            self.apply_pending();
        }
        match command {
            Command::Uci => self.identify(),
            Command::Debug(on) => self.debug = on,
            Command::IsReady => self.output.say("readyok"),
            Command::SetOption { name, value } => {
                self.pending.push((name, value));
                if !self.engine.is_searching() {
                    self.apply_pending();
                }
            }
            Command::NewGame => {
                self.engine.new_game();
                self.apply_pending();
            }
            Command::Position(position) => match position.to_game(self.engine.settings.chess960) {
                Ok((game, repairs)) => {
                    for repair in repairs {
                        self.say_string(&format!("position: {repair}; ignored"));
                    }
                    self.game = Ok(game);
                }
                Err(error) => {
                    self.say_string(&format!("position refused: {error}"));
                    self.game = Err(error.to_string());
                }
            },
            Command::Go(go) => self.go(&go),
            Command::Perft(depth) => self.perft(depth),
            Command::Stop => self.engine.stop(),
            Command::PonderHit => self.engine.ponder_hit(),
            Command::Quit => return false,
            Command::Display => self.with_board(|board| {
                format!(
                    "{}\nFEN {board}\nkey {:016x}, legal moves {}{}",
                    board_view::draw(board),
                    board.key(),
                    board.legal_moves().len(),
                    if board.in_check() { ", in check" } else { "" }
                )
            }),
            Command::Eval => {
                let evaluation = self.engine.evaluation();
                self.with_board(|board| eval::text(board, &evaluation));
            }
            Command::Bench(depth) => {
                self.engine.stop();
                self.engine.wait();
                let depth = depth.unwrap_or(tabiya_engine::bench::DEFAULT_DEPTH);
                if let Err(error) = bench::print(depth, &self.engine.evaluation()) {
                    self.say_string(&error.to_string());
                }
            }
            Command::Flip => {
                if let Ok(game) = &self.game {
                    self.game = Ok(Game::from_board(game.board().mirrored()));
                }
            }
            Command::Help => self.output.say(HELP),
            Command::Nothing => {}
            Command::Unknown(text) => {
                let text: String = text.chars().take(60).collect();
                self.say_string(&format!("unknown command '{text}' (try help)"));
            }
        }
        true
    }

    /// A line too long to be read whole. If it was a position, that position is unknown now.
    fn drop_line(&mut self, start: &[u8]) {
        let reason = "a line longer than 4 MB was dropped";
        self.say_string(reason);
        if start.trim_ascii_start().starts_with(b"position") {
            self.game = Err(reason.to_owned());
        }
    }

    fn identify(&self) {
        self.output.say(&format!("id name Tabiya {}", env!("CARGO_PKG_VERSION")));
        self.output.say("id author the Tabiya developers");
        for spec in OPTIONS {
            self.output.say(&format!("option name {} {}", spec.name, spec.kind));
        }
        if cfg!(feature = "tune") {
            for ParamSpec { name, default, min, max, .. } in Params::ALL {
                self.output.say(&format!(
                    "option name {name} type spin default {default} min {min} max {max}"
                ));
            }
        }
        self.output.say("uciok");
    }

    fn go(&mut self, go: &GoCommand) {
        self.engine.stop();
        self.engine.wait();
        self.apply_pending();
        let game = match &self.game {
            Ok(game) => game,
            Err(reason) => {
                self.say_string(&format!("no position to search: {reason}"));
                self.output.say("bestmove 0000");
                return;
            }
        };
        if self.debug && !go.ignored.is_empty() {
            self.say_string(&format!("go: ignored '{}'", go.ignored.join(" ")));
        }
        let board = *game.board();
        let mut limits = go.limits.clone();
        for text in &go.search_moves {
            match board.parse_uci(text) {
                Ok(mv) => limits.search_moves.push(mv),
                Err(error) => self.say_string(&format!("searchmoves: {error}")),
            }
        }
        self.engine.set_game(game);
        let settings = &self.engine.settings;
        let printer = Printer {
            output: self.output.clone(),
            board,
            chess960: settings.chess960,
            show_wdl: settings.show_wdl,
        };
        self.engine.start(limits, Box::new(printer));
    }

    fn perft(&self, depth: u32) {
        self.with_board(|board| {
            let mut text = String::new();
            let mut total = u64::from(depth == 0);
            let first_moves = if depth == 0 { Vec::new() } else { perft::divide(board, depth) };
            for (mv, nodes) in first_moves {
                let mv = board.uci(mv, self.engine.settings.chess960);
                let _ = writeln!(text, "{mv}: {nodes}");
                total += nodes;
            }
            format!("{text}\nNodes searched: {total}")
        });
    }

    fn apply_pending(&mut self) {
        for (name, value) in std::mem::take(&mut self.pending) {
            if let Err(error) = self.engine.set_option(&name, value.as_deref()) {
                self.say_string(&error.to_string());
            }
        }
        for note in self.engine.take_notes() {
            self.say_string(&note);
        }
        let wanted = &self.engine.settings.log_file;
        if *wanted != self.log_file {
            if let Err(error) = self.output.set_log(wanted.as_deref()) {
                self.say_string(&format!("Debug Log File: {error}"));
            }
            self.log_file.clone_from(&self.engine.settings.log_file);
        }
    }

    fn with_board(&self, text: impl FnOnce(&Board) -> String) {
        match &self.game {
            Ok(game) => self.output.say(&text(game.board())),
            Err(reason) => self.say_string(&format!("no position: {reason}")),
        }
    }

    fn say_string(&self, text: &str) {
        self.output.remark(text);
    }
}
