//! The UCI session: reads commands, runs the engine, prints answers.
//!
//! This thread only dispatches; `input` reads, searches run on the engine's threads and `bench` and
//! `perft` in a `task`. All print through the same locked `output`, one whole line at a time.
//! Commands act in the order in which they were sent, but for those that end something.

mod input;
mod output;
mod task;

use crate::{board_view, eval};
use anyhow::Result;
use input::{Event, Events};
use output::{Output, Printer};
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tabiya_chess::{Board, Game};
use tabiya_engine::options;
use tabiya_engine::uci::{self, Command, GoCommand, SearchLines};
use tabiya_engine::{Config, Engine};
use task::Task;

/// Bytes of commands that may wait for a task to end.
const BACKLOG_LIMIT: usize = 64 << 20;
/// How long a task may go on after the end of the input: `echo bench | tabiya` must be possible, but
/// whoever is gone for good must not leave work behind.
const GRACE: Duration = Duration::from_secs(10);

const GREETING: &str = "\
Tabiya, a chess engine. It waits for UCI commands, as chess programs send them.
`help` shows what you can type, `quit` ends; `tabiya --help` lists the other commands.";

const HELP: &str = "\
Tabiya speaks UCI. Besides its commands you can type:
  d              show the board          flip           turn it around
  eval           explain the evaluation  bench [depth]  run the benchmark
  perft <depth>  count the move tree     help           this text
A position is set with `position startpos moves e2e4` or `position fen <FEN>`;
`go movetime 1000`, `go depth 12`, `go infinite` and `stop` search it. `quit` ends.";

pub(crate) fn run() -> Result<ExitCode> {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        println!("{GREETING}");
    }
    let events = Events::listen()?;
    let output = Output::default();
    let mut debug = false;
    // A host that only asks who is there is answered before a network is loaded.
    let first = loop {
        match events.next() {
            Event::Line(bytes) => match Command::parse(&String::from_utf8_lossy(&bytes)) {
                Command::Uci => identify(&output),
                Command::Debug(on) => debug = on,
                Command::Help => output.say(HELP),
                Command::Nothing => {}
                Command::Quit => return Ok(ExitCode::SUCCESS),
                _ => break Event::Line(bytes),
            },
            Event::End => return Ok(ExitCode::SUCCESS),
            other => break other,
        }
    };
    Session {
        engine: Engine::new(Config::default().hash_mb)?,
        events,
        output,
        debug,
        game: Ok(Game::default()),
        pending: Vec::new(),
        task: None,
        backlog: VecDeque::new(),
        backlog_bytes: 0,
        log_file: None,
        told_evaluation: String::new(),
    }
    .run(first);
    Ok(ExitCode::SUCCESS)
}

/// Everything in the table can be set here.
fn identify(output: &Output) {
    output.say_all(&uci::identity(|_| true));
}

struct Session {
    engine: Engine,
    events: Events,
    output: Output,
    debug: bool,
    /// The position to search, or why there is none.
    game: Result<Game, String>,
    /// Options that arrived during a search and must wait for its end.
    pending: Vec<(String, Option<String>)>,
    task: Option<Task>,
    /// Lines that arrived during a task, oldest first.
    backlog: VecDeque<Vec<u8>>,
    backlog_bytes: usize,
    log_file: Option<PathBuf>,
    /// The evaluation that was told last.
    told_evaluation: String,
}

impl Session {
    fn run(mut self, first: Event) {
        let mut event = first;
        loop {
            match event {
                Event::Line(bytes) if self.task.is_some() => {
                    if !self.hear_during_task(bytes) {
                        break;
                    }
                }
                Event::Line(bytes) => {
                    if !self.act(&bytes) {
                        break;
                    }
                }
                Event::LongLine(start) => self.drop_line(&start),
                Event::Done => {
                    self.task = None;
                    if !self.catch_up() {
                        break;
                    }
                }
                Event::End => {
                    self.finish_tasks();
                    break;
                }
            }
            event = self.events.next();
        }
        self.engine.stop();
        self.engine.wait();
    }

    /// What ends a task acts at once, everything else waits for its turn; `false` ends the session.
    fn hear_during_task(&mut self, bytes: Vec<u8>) -> bool {
        match Command::parse(&String::from_utf8_lossy(&bytes)) {
            Command::Quit => return false,
            // It may also be meant for a search that began before the task, or comes after it.
            Command::Stop => {
                self.task.iter().for_each(Task::stop);
                self.engine.stop();
                self.backlog_bytes += bytes.len();
                self.backlog.push_back(bytes);
            }
            Command::PonderHit => self.engine.ponder_hit(),
            _ if self.backlog_bytes + bytes.len() > BACKLOG_LIMIT => {
                self.say_string("too many commands are waiting; dropped one");
            }
            _ => {
                self.backlog_bytes += bytes.len();
                self.backlog.push_back(bytes);
            }
        }
        true
    }

    /// Carries out what was said during a task, up to the next one; `false` ends the session.
    fn catch_up(&mut self) -> bool {
        while self.task.is_none()
            && let Some(bytes) = self.backlog.pop_front()
        {
            self.backlog_bytes -= bytes.len();
            if !self.act(&bytes) {
                return false;
            }
        }
        true
    }

    /// Nothing more will be said: lets tasks come to their end, if that is soon.
    fn finish_tasks(&mut self) {
        let end = Instant::now() + GRACE;
        while self.task.is_some() {
            let left = end.saturating_duration_since(Instant::now());
            match self.events.next_within(left) {
                Ok(Event::Done) => {
                    self.task = None;
                    if !self.catch_up() {
                        return;
                    }
                }
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    fn act(&mut self, bytes: &[u8]) -> bool {
        let line = String::from_utf8_lossy(bytes);
        self.output.heard(line.trim_end());
        self.handle(Command::parse(&line))
    }

    /// Acts on a command; `false` ends the session.
    fn handle(&mut self, command: Command) -> bool {
        if !self.engine.is_searching() {
            self.apply_pending();
        }
        match command {
            Command::Uci => identify(&self.output),
            Command::Debug(on) => self.debug = on,
            Command::IsReady => self.output.say("readyok"),
            Command::SetOption { name, value } => self.hear_option(name, value),
            Command::NewGame => {
                self.engine.new_game();
                self.apply_pending();
            }
            Command::Position(position) => match position.to_game(self.engine.config().chess960) {
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
            Command::Perft(depth) => {
                let chess960 = self.engine.config().chess960;
                match &self.game {
                    Ok(game) => {
                        let (completion, output) = (self.events.completion(), &self.output);
                        let board = *game.board();
                        self.task = Task::perft(completion, output, board, depth, chess960);
                    }
                    Err(reason) => self.say_string(&format!("no position: {reason}")),
                }
            }
            Command::Bench(depth) => {
                self.engine.stop();
                self.engine.wait();
                let (completion, output) = (self.events.completion(), &self.output);
                let depth = depth.unwrap_or(tabiya_engine::bench::DEFAULT_DEPTH);
                self.task = Task::bench(completion, output, depth, self.engine.evaluation());
            }
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

    fn go(&mut self, go: &GoCommand) {
        self.engine.stop();
        self.engine.wait();
        self.apply_pending();
        let game = match &self.game {
            Ok(game) => game,
            Err(reason) => {
                self.output.say_all(&uci::no_position(reason));
                return;
            }
        };
        if self.debug && !go.ignored.is_empty() {
            self.say_string(&format!("go: ignored '{}'", go.ignored.join(" ")));
        }
        let (limits, remarks) = go.to_limits(game.board());
        for remark in remarks {
            self.say_string(&remark);
        }
        let lines = SearchLines::new(game.board(), self.engine.config());
        self.engine.set_game(game);
        let evaluation = self.engine.evaluation().to_string();
        if evaluation != self.told_evaluation {
            self.say_string(&format!("evaluation: {evaluation}"));
            self.told_evaluation = evaluation;
        }
        let printer = Printer { output: self.output.clone(), lines };
        self.engine.start(limits, Box::new(printer));
    }

    /// Sets an option now or, if it needs the threads at rest, when the running search has ended.
    fn hear_option(&mut self, name: String, value: Option<String>) {
        let needs_rest = options::find(&name).is_none_or(|spec| spec.requires.rest());
        self.pending.push((name, value));
        if !self.engine.is_searching() {
            self.apply_pending();
        } else if !needs_rest && let Some((name, value)) = self.pending.pop() {
            self.set_option(&name, value.as_deref());
        }
    }

    fn apply_pending(&mut self) {
        for (name, value) in std::mem::take(&mut self.pending) {
            self.set_option(&name, value.as_deref());
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        if let Err(error) = self.engine.set_option(name, value) {
            self.say_string(&error.to_string());
        }
        for note in self.engine.take_notes() {
            self.say_string(&note);
        }
        let wanted = &self.engine.config().log_file;
        if *wanted != self.log_file {
            if let Err(error) = self.output.set_log(wanted.as_deref()) {
                self.say_string(&format!("Debug Log File: {error}"));
            }
            self.log_file.clone_from(&self.engine.config().log_file);
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
