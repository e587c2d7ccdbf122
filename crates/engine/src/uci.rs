//! The UCI protocol as values: commands in, lines out. Nothing here acts or prints.

use crate::config::Config;
use crate::info::{Info, InfoBound, SearchResult};
use crate::limits::{Clock, Limits};
use crate::options::{OPTIONS, OptionSpec};
use crate::search::params::{ParamSpec, Params};
use std::fmt;
use std::time::Duration;
use tabiya_chess::{Board, Color, FenError, Game, Move, UciMoveError};

/// A command from the GUI, or one of the few that people type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Identify yourself.
    Uci,
    /// Switch extra messages on or off.
    Debug(bool),
    /// Answer when all is done.
    IsReady,
    /// Set an option.
    SetOption {
        /// Its name.
        name: String,
        /// Its value; buttons have none.
        value: Option<String>,
    },
    /// A new game begins.
    NewGame,
    /// Set up a position.
    Position(PositionCommand),
    /// Search.
    Go(GoCommand),
    /// Count the leaves of the move tree.
    Perft(u32),
    /// End the search.
    Stop,
    /// The predicted move was played.
    PonderHit,
    /// End the program.
    Quit,
    /// Show the board.
    Display,
    /// Show the evaluation.
    Eval,
    /// Run the bench.
    Bench(Option<u32>),
    /// Turn the board around.
    Flip,
    /// Show the commands.
    Help,
    /// Nothing to do: an empty line, a comment, an obsolete command.
    Nothing,
    /// Not understood.
    Unknown(String),
}

/// `position`, not yet looked at: text may be wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionCommand {
    /// `startpos`, or `fen` and a FEN.
    pub start: String,
    /// The moves from there.
    pub moves: Vec<String>,
}

/// `go` with its numbers; the moves to search are still text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GoCommand {
    /// All limits but the moves.
    pub limits: Limits,
    /// The moves of `searchmoves`.
    pub search_moves: Vec<String>,
    /// Words that were skipped.
    pub ignored: Vec<String>,
    /// What is wrong with limits that were given, in words.
    pub problems: Vec<String>,
}

/// How long to search when the limits that were given cannot be used.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);

impl GoCommand {
    /// The limits for a search of a position, and what there is to remark on them.
    pub fn to_limits(&self, board: &Board) -> (Limits, Vec<String>) {
        let (mut limits, problems) = self.limits_for(board.side_to_move());
        let mut remarks = Vec::new();
        if !problems.is_empty() {
            remarks.push(format!("go: {}", problems.join("; ")));
        }
        for text in &self.search_moves {
            match board.parse_uci(text) {
                Ok(mv) => limits.search_moves.push(mv),
                Err(error) => remarks.push(format!("searchmoves: {error}")),
            }
        }
        (limits, remarks)
    }

    /// The limits for a search by `side`. Whoever gave a limit wants an answer: where none of them
    /// can end the search, a moment of thought does. The second value says what was made of it.
    fn limits_for(&self, side: Color) -> (Limits, Vec<String>) {
        let mut limits = self.limits.clone();
        let mut remarks = self.problems.clone();
        if limits.clock(side).is_none()
            && let Some(other) = limits.clock(!side)
        {
            limits.clocks[side] = Some(other);
            let (own, given) = if side == Color::White { ("w", "b") } else { ("b", "w") };
            remarks.push(format!("{own}time is missing, {given}time taken for it"));
        }
        let ends = limits.clock(side).is_some()
            || limits.move_time.is_some()
            || limits.depth.is_some()
            || limits.nodes.is_some()
            || limits.mate.is_some();
        if !self.problems.is_empty() && !ends && !limits.infinite {
            limits.move_time = Some(DEFAULT_MOVE_TIME);
            remarks.push("searching for one second".to_owned());
        }
        (limits, remarks)
    }
}

impl Command {
    /// Reads a line. Every line is some command.
    pub fn parse(line: &str) -> Self {
        let mut words = line.split_ascii_whitespace();
        let Some(first) = words.next() else { return Self::Nothing };
        match first {
            "uci" => Self::Uci,
            "debug" => Self::Debug(words.next() != Some("off")),
            "isready" => Self::IsReady,
            "setoption" => parse_setoption(line),
            "register" => Self::Nothing,
            "ucinewgame" => Self::NewGame,
            "position" => parse_position(&words.collect::<Vec<_>>()),
            "go" => parse_go(&words.collect::<Vec<_>>()),
            "perft" => parse_perft(words.next(), line),
            "stop" => Self::Stop,
            "ponderhit" => Self::PonderHit,
            "quit" | "exit" => Self::Quit,
            "d" => Self::Display,
            "eval" => Self::Eval,
            "bench" => Self::Bench(words.next().and_then(|depth| depth.parse().ok())),
            "flip" => Self::Flip,
            "help" => Self::Help,
            comment if comment.starts_with('#') => Self::Nothing,
            _ => Self::Unknown(line.trim().to_owned()),
        }
    }
}

/// Name and value may both contain spaces.
fn parse_setoption(line: &str) -> Command {
    let words: Vec<_> = line.split_ascii_whitespace().collect();
    let value_at = words.iter().position(|word| *word == "value").unwrap_or(words.len());
    let Some(name_at) = words[..value_at].iter().position(|word| *word == "name") else {
        return Command::Unknown(line.trim().to_owned());
    };
    let name = words[name_at + 1..value_at].join(" ");
    // The value is taken from the line itself, so that paths keep their inner spaces.
    let value = (value_at < words.len()).then(|| after_words(line, value_at + 1).to_owned());
    Command::SetOption { name, value }
}

/// What follows the first `count` words of a line.
fn after_words(line: &str, count: usize) -> &str {
    let mut rest = line.trim_ascii();
    for _ in 0..count {
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        rest = rest[end..].trim_ascii_start();
    }
    rest
}

fn parse_position(words: &[&str]) -> Command {
    let moves_at = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
    let moves = words.iter().skip(moves_at + 1).map(|word| (*word).to_owned()).collect();
    Command::Position(PositionCommand { start: words[..moves_at].join(" "), moves })
}

/// No machine counts this deep, and the recursion must fit the stack.
const MAX_PERFT: u32 = 60;

fn parse_perft(depth: Option<&str>, line: &str) -> Command {
    match depth.and_then(|depth| depth.parse::<u32>().ok()) {
        Some(depth) => Command::Perft(depth.min(MAX_PERFT)),
        None => Command::Unknown(line.trim().to_owned()),
    }
}

fn parse_go(words: &[&str]) -> Command {
    let mut go = GoCommand::default();
    let limits = &mut go.limits;
    let mut clocks = [Clock::default(); 2];
    let mut rest = words.iter().copied().peekable();
    while let Some(word) = rest.next() {
        let mut problem = None;
        // Numbers may be negative (a clock after lag) or absurdly large: they are clamped.
        let mut number_to = |max: u64| match number(word, &mut rest) {
            Ok(value) => Some(value.clamp(0, i128::from(max)) as u64),
            Err(reason) => {
                problem = Some(reason);
                None
            }
        };
        let mut number = || number_to(u64::from(u32::MAX));
        let known = match word {
            "infinite" => {
                limits.infinite = true;
                Some(())
            }
            "ponder" => {
                limits.ponder = true;
                Some(())
            }
            "wtime" | "btime" => number().map(|ms| {
                let side = usize::from(word == "btime");
                clocks[side].time = Duration::from_millis(ms);
                limits.clocks[side] = Some(clocks[side]);
            }),
            "winc" | "binc" => number().map(|ms| {
                clocks[usize::from(word == "binc")].increment = Duration::from_millis(ms);
            }),
            "movestogo" => number().map(|moves| limits.moves_to_go = Some(moves as u32)),
            "depth" => number().map(|depth| limits.depth = Some(depth as u32)),
            "nodes" => number_to(u64::MAX).map(|nodes| limits.nodes = Some(nodes)),
            "movetime" => number().map(|ms| limits.move_time = Some(Duration::from_millis(ms))),
            "mate" => number().map(|moves| limits.mate = Some(moves as u32)),
            "perft" => match number() {
                Some(depth) => return Command::Perft(depth.min(u64::from(MAX_PERFT)) as u32),
                None => None,
            },
            "searchmoves" => {
                while let Some(mv) = rest.next_if(|word| looks_like_move(word)) {
                    go.search_moves.push(mv.to_owned());
                }
                Some(())
            }
            _ => None,
        };
        match (known, problem) {
            (_, Some(problem)) => go.problems.push(problem),
            (None, None) => go.ignored.push(word.to_owned()),
            (Some(()), None) => {}
        }
    }
    for (limit, clock) in limits.clocks.iter_mut().zip(clocks) {
        if let Some(limit) = limit {
            limit.increment = clock.increment;
        }
    }
    // A control of zero moves to go is no control.
    limits.moves_to_go = limits.moves_to_go.filter(|moves| *moves > 0);
    Command::Go(go)
}

/// Words that stand before a number, or for themselves.
const GO_WORDS: [&str; 13] = [
    "infinite",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "movetime",
    "mate",
    "perft",
    "searchmoves",
];

/// The number behind a word of `go`, or why there is none. A word that should be the number is used
/// up; the next word of `go` is not.
fn number<'a>(
    word: &str,
    rest: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
) -> Result<i128, String> {
    match rest.next_if(|next| !GO_WORDS.contains(next)) {
        None => Err(format!("{word} needs a number")),
        Some(text) => text.parse().map_err(|_| {
            let text: String = text.chars().take(20).collect();
            format!("{word} needs a whole number, not '{text}'")
        }),
    }
}

fn looks_like_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    matches!(bytes.len(), 4 | 5)
        && (word == "0000"
            || bytes[0].is_ascii_lowercase()
                && bytes[1].is_ascii_digit()
                && bytes[3].is_ascii_digit())
}

/// Why a `position` command was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionError {
    /// Neither `startpos` nor `fen`, or words behind `startpos` that are no moves.
    Start(String),
    /// The FEN is wrong.
    Fen(FenError),
    /// A move is wrong; counted from 1.
    Move(usize, UciMoveError),
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Start(text) => {
                let text: String = text.chars().take(40).collect();
                write!(f, "'{text}' is neither startpos nor a fen")
            }
            Self::Fen(error) => write!(f, "fen: {error}"),
            Self::Move(number, error) => write!(f, "move {number}: {error}"),
        }
    }
}

impl std::error::Error for PositionError {}

impl PositionCommand {
    /// Plays the moves from the position. Castling rights and en passant squares that make no
    /// sense are dropped, which the second value tells.
    pub fn to_game(&self, chess960: bool) -> Result<(Game, Vec<String>), PositionError> {
        let (board, repairs) = match self.start.split_once(' ') {
            None if self.start == "startpos" => (Board::default(), Vec::new()),
            Some(("fen", fen)) => {
                Board::from_fen_lenient(fen, chess960).map_err(PositionError::Fen)?
            }
            _ => return Err(PositionError::Start(self.start.clone())),
        };
        let mut game = Game::from_board(board);
        for (index, text) in self.moves.iter().enumerate() {
            let at = |error| PositionError::Move(index + 1, error);
            let mv = game.board().parse_uci(text).map_err(at)?;
            // parse_uci only returns legal moves.
            let _ = game.play(mv);
        }
        Ok((game, repairs.iter().map(ToString::to_string).collect()))
    }
}

/// The answer to `uci`, with the options that are offered.
pub fn identity(is_offered: impl Fn(&OptionSpec) -> bool) -> Vec<String> {
    let mut lines = vec![
        format!("id name Tabiya {}", env!("CARGO_PKG_VERSION")),
        "id author the Tabiya developers".to_owned(),
    ];
    let offered = OPTIONS.iter().filter(|spec| is_offered(spec));
    lines.extend(offered.map(|spec| format!("option name {} {}", spec.name, spec.kind)));
    if cfg!(feature = "tune") {
        lines.extend(Params::ALL.iter().map(|ParamSpec { name, default, min, max, .. }| {
            format!("option name {name} type spin default {default} min {min} max {max}")
        }));
    }
    lines.push("uciok".to_owned());
    lines
}

/// Letters of a remark at most.
const REMARK_LIMIT: usize = 250;

/// A remark as `info string …`. It may quote the input, so it is kept short and on one line.
pub fn remark(text: &str) -> String {
    let letters = text.chars().take(REMARK_LIMIT);
    let visible = letters.map(|letter| if letter.is_control() { ' ' } else { letter });
    format!("info string {}", visible.collect::<String>())
}

/// The answer to `go` after a position that was refused: who asked must not wait for ever.
pub fn no_position(reason: &str) -> [String; 2] {
    [remark(&format!("no position to search: {reason}")), "bestmove 0000".to_owned()]
}

/// What one search says, as lines: in the notation that was set when it began, whatever is set up or
/// switched meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct SearchLines {
    /// The position that is searched: moves are written relative to it.
    board: Board,
    chess960: bool,
    show_wdl: bool,
}

impl SearchLines {
    /// The lines of a search of a position.
    pub fn new(board: &Board, config: &Config) -> Self {
        Self { board: *board, chess960: config.chess960, show_wdl: config.show_wdl }
    }

    /// A line of analysis.
    pub fn info(&self, info: &Info) -> String {
        InfoLine { info, lines: self }.to_string()
    }

    /// The end: the move or, where there is none, what the position is worth.
    pub fn answer(&self, result: &SearchResult) -> Vec<String> {
        let Some(best) = result.best else {
            let score = format!("info depth 0 score {}", result.score);
            return vec![score, "bestmove (none)".to_owned()];
        };
        let mut line = format!("bestmove {}", self.board.uci(best, self.chess960));
        if let Some(reply) = result.ponder {
            let mut board = self.board;
            board.play(best);
            line = format!("{line} ponder {}", board.uci(reply, self.chess960));
        }
        vec![line]
    }
}

/// An analysis line as `info …`.
struct InfoLine<'a> {
    info: &'a Info,
    lines: &'a SearchLines,
}

impl fmt::Display for InfoLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let info = self.info;
        write!(
            f,
            "info depth {} seldepth {} multipv {} score {}",
            info.depth.min(255),
            info.seldepth,
            info.multi_pv,
            info.score
        )?;
        match info.bound {
            Some(InfoBound::Lower) => f.write_str(" lowerbound")?,
            Some(InfoBound::Upper) => f.write_str(" upperbound")?,
            None => {}
        }
        if self.lines.show_wdl {
            let wdl = info.wdl;
            write!(f, " wdl {} {} {}", wdl.win, wdl.draw, wdl.loss)?;
        }
        write!(
            f,
            " nodes {} nps {} hashfull {} tbhits {} time {} pv",
            info.nodes,
            info.nps(),
            info.hashfull,
            info.tb_hits,
            info.time.as_millis().max(1)
        )?;
        write_line(f, &self.lines.board, &info.line, self.lines.chess960)
    }
}

/// Writes moves one after the other, each in the notation of the position it is played in.
fn write_line(f: &mut fmt::Formatter, board: &Board, line: &[Move], chess960: bool) -> fmt::Result {
    let mut board = *board;
    for mv in line {
        write!(f, " {}", board.uci(*mv, chess960))?;
        board.play(*mv);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(line: &str) -> GoCommand {
        match Command::parse(line) {
            Command::Go(go) => go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn go_takes_its_words_in_any_order() {
        let limits = go(
            "go binc 20 ponder wtime 1000 movestogo 0 btime -5 depth 7 winc 10 nodes 99999999999",
        )
        .limits;
        let [white, black] = limits.clocks.map(Option::unwrap);
        assert_eq!((white.time.as_millis(), white.increment.as_millis()), (1000, 10));
        assert_eq!((black.time.as_millis(), black.increment.as_millis()), (0, 20));
        assert!(limits.ponder && !limits.infinite);
        assert_eq!(limits.moves_to_go, None);
        assert_eq!((limits.depth, limits.nodes), (Some(7), Some(99_999_999_999)));
    }

    #[test]
    fn limits_that_cannot_be_used_are_told_and_replaced() {
        for (line, remark) in [
            ("go depth", "depth needs a number"),
            ("go depth nodes", "depth needs a number"),
            ("go movetime 50.5", "movetime needs a whole number, not '50.5'"),
            ("go depth 3.7", "depth needs a whole number, not '3.7'"),
            ("go perft", "perft needs a number"),
        ] {
            let (limits, remarks) = go(line).limits_for(Color::White);
            assert_eq!(remarks[0], remark);
            assert_eq!(remarks.last().unwrap(), "searching for one second", "{line}");
            assert_eq!(limits.move_time, Some(DEFAULT_MOVE_TIME), "{line}");
        }
        let (limits, remarks) = go("go btime 100 binc 7").limits_for(Color::White);
        assert_eq!(limits.clocks[0], limits.clocks[1]);
        assert_eq!(remarks, ["wtime is missing, btime taken for it"]);
        for line in ["go", "go infinite depth", "go depth x nodes 5", "go wtime 5 movestogo x"] {
            assert_eq!(go(line).limits_for(Color::White).0.move_time, None, "{line}");
        }
    }

    #[test]
    fn searchmoves_end_at_the_next_word() {
        let go = go("go searchmoves e2e4 d2d4 e7e8q depth 3 nonsense infinite");
        assert_eq!(go.search_moves, ["e2e4", "d2d4", "e7e8q"]);
        assert_eq!(go.limits.depth, Some(3));
        assert!(go.limits.infinite);
        assert_eq!(go.ignored, ["nonsense"]);
    }

    #[test]
    fn option_names_and_values_may_have_spaces() {
        let parsed = Command::parse("setoption name Debug Log File value /some path/a  b.txt ");
        let expected = Command::SetOption {
            name: "Debug Log File".into(),
            value: Some("/some path/a  b.txt".into()),
        };
        assert_eq!(parsed, expected);
        let parsed = Command::parse("setoption name Clear Hash");
        assert_eq!(parsed, Command::SetOption { name: "Clear Hash".into(), value: None });
        let parsed = Command::parse("setoption\tname\tvalues of a\tvalue\tvalue  value\r\n");
        let expected =
            Command::SetOption { name: "values of a".into(), value: Some("value  value".into()) };
        assert_eq!(parsed, expected);
        assert!(matches!(Command::parse("setoption value 3"), Command::Unknown(_)));
        assert!(matches!(Command::parse("setoption value name 3"), Command::Unknown(_)));
    }

    #[test]
    fn perft_depths_stay_within_the_stack() {
        assert_eq!(Command::parse("perft 4294967295"), Command::Perft(MAX_PERFT));
        assert_eq!(Command::parse("go perft 99999999999999"), Command::Perft(MAX_PERFT));
        assert!(matches!(Command::parse("perft -1"), Command::Unknown(_)));
    }

    #[test]
    fn positions_say_what_is_wrong() {
        let error = |line| match Command::parse(line) {
            Command::Position(position) => position.to_game(false).unwrap_err().to_string(),
            other => panic!("{other:?}"),
        };
        assert!(error("position startpos moves e2e4 e2e4").starts_with("move 2: "));
        assert!(error("position fen 8/8/8/8/8/8/8/8 w - - 0 1").contains("white has no king"));
        assert_eq!(error("position"), "'' is neither startpos nor a fen");
        assert_eq!(error("position fen"), "'fen' is neither startpos nor a fen");
        assert!(error("position startpos e2e4").starts_with("'startpos e2e4' is neither"));
    }
}
