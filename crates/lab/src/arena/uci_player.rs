//! A player that speaks UCI with a child process.
//!
//! Before each question the program must answer `isready`: whatever it still had to say is then
//! behind us, a second `bestmove` is caught, and its waking up is not charged to its clock. The time
//! of a move runs from the moment `go` is written to the moment the line `bestmove` is read.

use super::clock::Clock;
use super::player::{Answer, Batch, Fault, Observer, Player, Question, Score, SearchInfo};
use super::process::{ChildProgram, SILENCE_PATIENCE};
use super::spec::EngineSpec;
use crate::work::StopSignal;
use std::fmt::Write;
use std::time::{Duration, Instant};
use tabiya_chess::{Board, Color, Game};

/// Time to say `uciok` and to take the options.
const START_PATIENCE: Duration = Duration::from_secs(10);
/// Time to say `readyok`.
const READY_PATIENCE: Duration = Duration::from_secs(30);

/// A UCI program that plays.
pub struct UciPlayer {
    process: ChildProgram,
    chess960: bool,
    /// Names of the options it offers, in lower case.
    options: Vec<String>,
    /// Whether a second answer to the last question would be noticed.
    asked: bool,
}

impl UciPlayer {
    /// Starts a program, given as its name and arguments, and sets the options of the description.
    pub fn start(words: &[String], spec: &EngineSpec, chess960: bool) -> Result<Self, Fault> {
        let process = ChildProgram::spawn(words, spec.dir.as_deref())?;
        let mut player = Self { process, chess960, options: Vec::new(), asked: false };
        player.greet().map_err(|fault| match fault {
            Fault::Stalled(_) => Fault::Start("no uciok; is it a UCI program?".to_string()),
            other => Fault::Start(other.to_string()),
        })?;
        let chess960 = chess960.then(|| ("UCI_Chess960".to_string(), "true".to_string()));
        for (name, value) in spec.options.iter().chain(&chess960) {
            player.set_option(name, value)?;
        }
        player.synchronise(START_PATIENCE).map_err(|fault| Fault::Start(fault.to_string()))?;
        Ok(player)
    }

    fn greet(&mut self) -> Result<(), Fault> {
        self.process.send("uci")?;
        let deadline = Instant::now() + START_PATIENCE;
        let never = StopSignal::new();
        loop {
            let Some(line) = self.process.receive(Some(deadline), &never)? else {
                return Err(Fault::Stalled(START_PATIENCE));
            };
            if line.text == "uciok" {
                return Ok(());
            }
            if let Some(option) = line.text.strip_prefix("option name ") {
                let name = option.split(" type ").next().unwrap_or(option);
                self.options.push(name.trim().to_ascii_lowercase());
            }
        }
    }

    /// Sets an option. One that the program does not have is an error: a test of a setting that is
    /// silently ignored would measure nothing.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        if !self.options.contains(&name.to_ascii_lowercase()) {
            return Err(Fault::Start(format!("it has no option {name}")));
        }
        self.process.send(&format!("setoption name {name} value {value}"))
    }

    /// Waits until everything sent so far is understood.
    fn synchronise(&mut self, patience: Duration) -> Result<(), Fault> {
        self.process.send("isready")?;
        let deadline = Instant::now() + patience;
        let never = StopSignal::new();
        loop {
            match self.process.receive(Some(deadline), &never)? {
                None => return Err(Fault::Stalled(patience)),
                Some(line) if line.text == "readyok" => return Ok(()),
                Some(line) if self.asked && line.text.starts_with("bestmove") => {
                    return Err(Fault::TwoAnswers);
                }
                Some(_) => {}
            }
        }
    }
}

impl UciPlayer {
    /// Reads the answer to a question; the score is the last exact one.
    fn read_score(&mut self, board: &Board, stop: &StopSignal) -> Result<Option<Score>, Fault> {
        let mut score = None;
        loop {
            let deadline = Instant::now() + SILENCE_PATIENCE;
            let Some(line) = self.process.receive(Some(deadline), stop)? else {
                return Err(Fault::Stalled(SILENCE_PATIENCE));
            };
            let mut words = line.text.split_ascii_whitespace();
            match words.next() {
                Some("bestmove") => return Ok(score),
                Some("info") => {
                    score = parse_info(words, board).and_then(|info| info.score).or(score);
                }
                _ => {}
            }
        }
    }
}

impl Player for UciPlayer {
    fn new_game(&mut self) -> Result<(), Fault> {
        self.asked = false;
        self.process.send("ucinewgame")?;
        self.synchronise(READY_PATIENCE)
    }

    fn think(&mut self, question: &Question, observe: &mut Observer) -> Result<Answer, Fault> {
        let board = question.game.board();
        self.process.send(&position_command(question, self.chess960))?;
        self.synchronise(READY_PATIENCE)?;
        self.asked = true;
        self.process.ask(&go_command(question), "stop", question, |line| {
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("bestmove") => {
                    let text = words.next().unwrap_or("(none)");
                    let refused = |_| Fault::IllegalMove(text.chars().take(20).collect());
                    return board.parse_uci(text).map(Some).map_err(refused);
                }
                Some("info") => {
                    if let Some(info) = parse_info(words, board) {
                        observe(&info);
                    }
                }
                _ => {}
            }
            Ok(None)
        })
    }

    fn scores(&mut self, batch: &Batch) -> Result<Vec<Option<Score>>, Fault> {
        let Batch { boards, in_flight, stop, .. } = *batch;
        // An answer too many would be taken for the next one; nobody is accused of it here.
        self.asked = false;
        let mut sent = 0;
        let mut scores = Vec::with_capacity(boards.len());
        for (index, board) in boards.iter().enumerate() {
            while sent < boards.len().min(index + in_flight.max(1)) {
                let game = Game::from_board(boards[sent]);
                let question = batch.question(&game);
                self.process.send(&position_command(&question, self.chess960))?;
                self.process.send(&go_command(&question))?;
                sent += 1;
            }
            scores.push(self.read_score(board, stop)?);
        }
        Ok(scores)
    }
}

/// The position with the moves that led there, so that the program sees repetitions.
fn position_command(question: &Question, chess960: bool) -> String {
    let game = question.game;
    let start = game.start();
    let mut text = if *start == Board::default() {
        "position startpos".to_string()
    } else if chess960 {
        format!("position fen {}", start.to_shredder_fen())
    } else {
        format!("position fen {start}")
    };
    if !game.moves().is_empty() {
        text.push_str(" moves");
    }
    let mut board = *start;
    for &mv in game.moves() {
        text.push(' ');
        text.push_str(&board.uci(mv, chess960));
        board.play(mv);
    }
    text
}

fn go_command(question: &Question) -> String {
    let limits = &question.limits;
    let mut text = "go".to_string();
    let mut word = |name: &str, value: u128| {
        let _ = write!(text, " {name} {value}");
    };
    if limits.clock.is_some() {
        // Zero would mean "no clock" to some programs.
        let left = |clock: &Clock| clock.remaining().as_millis().max(1);
        for (color, time, increment) in
            [(Color::White, "wtime", "winc"), (Color::Black, "btime", "binc")]
        {
            if let Some(clock) = &question.clocks[color] {
                word(time, left(clock));
                word(increment, clock.increment().as_millis());
            }
        }
        let own = &question.clocks[question.game.board().side_to_move()];
        if let Some(moves) = own.and_then(|clock| clock.moves_to_go()) {
            word("movestogo", u128::from(moves));
        }
    }
    if let Some(time) = limits.move_time {
        word("movetime", time.as_millis());
    }
    if let Some(nodes) = limits.nodes {
        word("nodes", u128::from(nodes));
    }
    if let Some(moves) = limits.mate {
        word("mate", u128::from(moves));
    }
    if let Some(depth) = limits.depth {
        word("depth", u128::from(depth));
    }
    text
}

/// Reads the words after `info`; `None` when they report nothing about the best line.
fn parse_info<'a>(mut words: impl Iterator<Item = &'a str>, board: &Board) -> Option<SearchInfo> {
    let mut info = SearchInfo::default();
    let mut is_bound = false;
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = words.next()?.parse().ok(),
            "nodes" => info.nodes = words.next()?.parse().ok(),
            "time" => info.time = words.next()?.parse().ok().map(Duration::from_millis),
            "multipv" if words.next()? != "1" => return None,
            "cp" => info.score = words.next()?.parse().ok().map(Score::Centipawns),
            "mate" => info.score = words.next()?.parse().ok().map(Score::Mate),
            "lowerbound" | "upperbound" => is_bound = true,
            "pv" => {
                info.best = words.next().and_then(|text| board.parse_uci(text).ok());
                break;
            }
            "string" => break,
            _ => {}
        }
    }
    if is_bound {
        info.score = None;
    }
    Some(info)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Limits;

    fn info(text: &str) -> Option<SearchInfo> {
        parse_info(text.split_ascii_whitespace(), &Board::default())
    }

    #[test]
    fn info_lines_are_read() {
        let line =
            "depth 12 seldepth 20 multipv 1 score cp -31 nodes 900 nps 1 time 42 pv e2e4 e7e5";
        let read = info(line).unwrap();
        assert_eq!(read.depth, Some(12));
        assert_eq!(read.score, Some(Score::Centipawns(-31)));
        assert_eq!(read.nodes, Some(900));
        assert_eq!(read.time, Some(Duration::from_millis(42)));
        assert_eq!(read.best, Board::default().parse_uci("e2e4").ok());
        assert_eq!(info("depth 3 score mate -2").unwrap().score, Some(Score::Mate(-2)));
    }

    #[test]
    fn bounds_other_lines_and_free_text_are_no_scores() {
        assert_eq!(info("depth 3 score cp 5 lowerbound").unwrap().score, None);
        assert_eq!(info("multipv 2 score cp 5"), None);
        assert_eq!(info("string score cp 77").unwrap().score, None);
        assert_eq!(info("score cp"), None);
        assert_eq!(info("depth x score cp 5").unwrap().depth, None);
    }

    #[test]
    fn commands_carry_history_and_limits() {
        let mut game = Game::default();
        for text in ["e2e4", "e7e5"] {
            game.play(game.board().parse_uci(text).unwrap()).unwrap();
        }
        let stop = StopSignal::new();
        let control = "40/2.5+0.1".parse().unwrap();
        let limits = Limits { clock: Some(control), nodes: Some(9), ..Limits::default() };
        let clocks = [Some(Clock::new(control)), None];
        let question = Question { game: &game, clocks, limits, deadline: None, stop: &stop };
        assert_eq!(position_command(&question, false), "position startpos moves e2e4 e7e5");
        assert_eq!(go_command(&question), "go wtime 2500 winc 100 movestogo 40 nodes 9");
    }
}
