//! A player that speaks the older protocol of xboard with a child process, for engines without UCI.
//!
//! The program is kept in `force` mode, in which it only takes moves, and told to `go` when it is its
//! turn. Programs that know `ping` are waited for before their clock starts.

use super::player::{Answer, Fault, Observer, Player, Question, Score, SearchInfo};
use super::process::ChildProgram;
use super::spec::{EngineSpec, Limits};
use crate::work::StopSignal;
use std::time::{Duration, Instant};
use tabiya_chess::{Board, Move};

/// Time to tell its features: the protocol grants two seconds.
const FEATURE_PATIENCE: Duration = Duration::from_secs(2);
/// Time to answer `ping`.
const PING_PATIENCE: Duration = Duration::from_secs(30);
/// From here on a score of some program means a mate.
const MATE_SCORE: i32 = 20_000;

/// What a program says of itself.
#[derive(Default)]
struct Features {
    /// What it can do, such as `ping`.
    abilities: Vec<String>,
    options: Vec<String>,
}

/// An xboard program that plays.
pub struct XboardPlayer {
    process: ChildProgram,
    features: Features,
    pings: u32,
    /// The game as the program knows it: where it started and what was played.
    start: Option<Board>,
    moves: Vec<Move>,
}

impl XboardPlayer {
    /// Starts a program, given as its name and arguments, and sets the options of the description.
    pub fn start(words: &[String], spec: &EngineSpec) -> Result<Self, Fault> {
        let process = ChildProgram::spawn(words, spec.dir.as_deref())?;
        let features = Features::default();
        let mut player = Self { process, features, pings: 0, start: None, moves: Vec::new() };
        player.process.send("xboard")?;
        player.process.send("protover 2")?;
        player.read_features()?;
        for (name, value) in &spec.options {
            player.set_option(name, value)?;
        }
        if spec.limits.nodes.is_some() {
            return Err(Fault::Start("an xboard program cannot count nodes".to_string()));
        }
        player.process.send("easy")?;
        player.process.send("post")?;
        Ok(player)
    }

    fn read_features(&mut self) -> Result<(), Fault> {
        let deadline = Instant::now() + FEATURE_PATIENCE;
        // A program of the first version of the protocol says nothing.
        while let Some(line) = self.process.receive(Some(deadline), &StopSignal::new())? {
            let Some(text) = line.text.strip_prefix("feature ") else { continue };
            if self.features.read(text) {
                break;
            }
        }
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        let features = &self.features;
        if name.eq_ignore_ascii_case("Hash") && features.has("memory") {
            self.process.send(&format!("memory {value}"))
        } else if features.options.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            self.process.send(&format!("option {name}={value}"))
        } else {
            Err(Fault::Start(format!("it has no option {name}")))
        }
    }

    /// Waits until everything sent so far is understood, if the program can tell.
    fn synchronise(&mut self) -> Result<(), Fault> {
        if !self.features.has("ping") {
            return Ok(());
        }
        self.pings += 1;
        self.process.send(&format!("ping {}", self.pings))?;
        let wanted = format!("pong {}", self.pings);
        let deadline = Instant::now() + PING_PATIENCE;
        loop {
            match self.process.receive(Some(deadline), &StopSignal::new())? {
                None => return Err(Fault::Stalled(PING_PATIENCE)),
                Some(line) if line.text == wanted => return Ok(()),
                Some(_) => {}
            }
        }
    }

    /// Brings the program to the position of the question.
    fn set_up(&mut self, question: &Question) -> Result<(), Fault> {
        let game = question.game;
        let is_known = self.start == Some(*game.start()) && game.moves().starts_with(&self.moves);
        if !is_known {
            self.process.send("new")?;
            self.process.send("force")?;
            self.send_limits(&question.limits)?;
            if *game.start() != Board::default() {
                if !self.features.has("setboard") {
                    return Err(Fault::Start("it cannot set up a position".to_string()));
                }
                self.process.send(&format!("setboard {}", game.start()))?;
            }
            self.start = Some(*game.start());
            self.moves.clear();
        }
        let mut board = *game.start();
        for (ply, &mv) in game.moves().iter().enumerate() {
            if ply >= self.moves.len() {
                let prefix = if self.features.has("usermove") { "usermove " } else { "" };
                self.process.send(&format!("{prefix}{}", board.uci(mv, false)))?;
            }
            board.play(mv);
        }
        self.moves = game.moves().to_vec();
        Ok(())
    }

    fn send_limits(&mut self, limits: &Limits) -> Result<(), Fault> {
        if let Some(control) = limits.clock {
            let (moves, base) = (control.moves, control.base.as_secs());
            let increment = control.increment.as_secs_f64();
            let text = format!("level {moves} {}:{:02} {increment}", base / 60, base % 60);
            self.process.send(&text)?;
        }
        if let Some(time) = limits.move_time {
            self.process.send(&format!("st {}", time.as_secs_f64()))?;
        }
        if let Some(depth) = limits.depth {
            self.process.send(&format!("sd {depth}"))?;
        }
        Ok(())
    }

    fn send_clocks(&mut self, question: &Question) -> Result<(), Fault> {
        let own = question.game.board().side_to_move();
        for (color, name) in [(own, "time"), (!own, "otim")] {
            if let Some(clock) = &question.clocks[color] {
                let hundredths = clock.remaining().as_millis() / 10;
                self.process.send(&format!("{name} {}", hundredths.max(1)))?;
            }
        }
        Ok(())
    }
}

impl Player for XboardPlayer {
    fn new_game(&mut self) -> Result<(), Fault> {
        self.start = None;
        self.synchronise()
    }

    fn think(&mut self, question: &Question, observe: &mut Observer) -> Result<Answer, Fault> {
        let board = question.game.board();
        self.set_up(question)?;
        self.synchronise()?;
        self.send_clocks(question)?;
        let answer = self.process.ask("go", "?", question, |line| {
            if let Some(text) = line.strip_prefix("move ") {
                let refused = || Fault::IllegalMove(text.chars().take(20).collect());
                return parse_move(board, text.trim()).map(Some).ok_or_else(refused);
            }
            if let Some(info) = parse_thinking(line) {
                observe(&info);
            }
            Ok(None)
        })?;
        self.process.send("force")?;
        self.moves.push(answer.mv);
        Ok(answer)
    }
}

impl Features {
    fn has(&self, ability: &str) -> bool {
        self.abilities.iter().any(|known| known == ability)
    }

    /// Reads a line of features; whether it was the last one.
    fn read(&mut self, text: &str) -> bool {
        let mut rest = text.trim();
        while let Some((name, after)) = rest.split_once('=') {
            let quoted = after.strip_prefix('"').and_then(|inner| inner.split_once('"'));
            let (value, next) = quoted.or_else(|| after.split_once(' ')).unwrap_or((after, ""));
            match name.trim() {
                "option" => {
                    let name = value.split(" -").next().unwrap_or(value);
                    self.options.push(name.to_string());
                }
                "done" => return value == "1",
                ability if value == "1" => self.abilities.push(ability.to_string()),
                _ => {}
            }
            rest = next.trim_start();
        }
        false
    }
}

/// Programs write moves as coordinates or in algebraic notation.
fn parse_move(board: &Board, text: &str) -> Option<Move> {
    board.parse_uci(text).ok().or_else(|| board.parse_san(text).ok())
}

/// Reads a line of thinking: depth, score, time in hundredths of a second, nodes, the line.
fn parse_thinking(text: &str) -> Option<SearchInfo> {
    let mut words = text.split_ascii_whitespace();
    let depth = words.next()?.trim_end_matches(['.', '+', '&']).parse().ok()?;
    let score: i32 = words.next()?.parse().ok()?;
    let hundredths: u64 = words.next()?.parse().ok()?;
    let nodes = words.next()?.parse().ok()?;
    // Programs write mates in different ways; all lie far beyond an evaluation.
    let score = score.clamp(-MATE_SCORE, MATE_SCORE);
    Some(SearchInfo {
        depth: Some(depth),
        score: Some(Score::Centipawns(score)),
        nodes: Some(nodes),
        time: Some(Duration::from_millis(hundredths.saturating_mul(10))),
        best: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read() {
        let mut features = Features::default();
        assert!(
            !features.read(
                "myname=\"A=1 B\" ping=1 memory=1 option=\"Randomizer (0-50) -slider 0 0 50\""
            )
        );
        assert!(features.has("ping") && features.has("memory") && !features.has("setboard"));
        assert_eq!(features.options, ["Randomizer (0-50)"]);
        assert!(features.read("setboard=1 done=1") && features.has("setboard"));
        assert!(!features.read("done=0") && !features.read("") && !features.read("x=\""));
    }

    #[test]
    fn thinking_is_read() {
        let info = parse_thinking("  9     31    42   90210  Nf3 Nc6").unwrap();
        assert_eq!((info.depth, info.nodes), (Some(9), Some(90210)));
        assert_eq!(info.score, Some(Score::Centipawns(31)));
        assert_eq!(info.time, Some(Duration::from_millis(420)));
        let mate = parse_thinking("9. 32767 1 2 Qh7#").unwrap();
        assert_eq!(mate.score, Some(Score::Centipawns(MATE_SCORE)));
        let absurd = parse_thinking("9 -2147483648 18446744073709551615 2").unwrap();
        assert_eq!(absurd.time, Some(Duration::from_millis(u64::MAX)));
        assert_eq!(parse_thinking("Hash table age ......... 0"), None);
        assert_eq!(parse_thinking(""), None);
    }

    #[test]
    fn moves_are_read_in_both_notations() {
        let board = Board::default();
        assert!(parse_move(&board, "g1f3").is_some());
        assert_eq!(parse_move(&board, "Nf3"), parse_move(&board, "g1f3"));
        assert_eq!(parse_move(&board, "e2e5"), None);
    }
}
