//! What a search says, read back and checked against the rules of chess and of the protocol.

use crate::process::Process;
use tabiya_chess::{Board, Game, Move};

/// An `info` line with a score.
#[derive(Clone, Debug, Default)]
pub(crate) struct Info {
    pub(crate) depth: u32,
    pub(crate) multipv: usize,
    /// `Some` for `score mate`.
    pub(crate) mate: Option<i32>,
    pub(crate) bound: bool,
    pub(crate) has_wdl: bool,
    pub(crate) nodes: u64,
    time: u64,
    pub(crate) line: Vec<String>,
}

impl Info {
    /// Reads a line strictly: the fields in the order all hosts understand, whole numbers only.
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ').peekable();
        let mut info = Self::default();
        let mut expect = |name: &str| words.next().filter(|word| *word == name).map(|_| ());
        expect("info")?;
        expect("depth")?;
        info.depth = words.next()?.parse().ok()?;
        let mut field = |name: &str| -> Option<u64> {
            words.next().filter(|word| *word == name)?;
            words.next()?.parse().ok()
        };
        let seldepth = field("seldepth")?;
        info.multipv = field("multipv")? as usize;
        words.next().filter(|word| *word == "score")?;
        let kind = words.next()?;
        let value: i32 = words.next()?.parse().ok()?;
        match kind {
            "mate" => info.mate = Some(value),
            "cp" if value.abs() < 30_000 => {}
            _ => return None,
        }
        info.bound = words.next_if(|word| matches!(*word, "lowerbound" | "upperbound")).is_some();
        if words.next_if_eq(&"wdl").is_some() {
            info.has_wdl = true;
            let chances: Vec<u32> =
                words.by_ref().take(3).map(str::parse).collect::<Result<_, _>>().ok()?;
            (chances.iter().sum::<u32>() == 1000).then_some(())?;
        }
        let mut field = |name: &str| -> Option<u64> {
            words.next().filter(|word| *word == name)?;
            words.next()?.parse().ok()
        };
        info.nodes = field("nodes")?;
        let _nps: u32 = field("nps")?.try_into().ok()?;
        let hashfull = field("hashfull")?;
        let tb_hits = field("tbhits")?;
        info.time = field("time")?;
        words.next().filter(|word| *word == "pv")?;
        info.line = words.map(str::to_owned).collect();
        let sane = info.depth >= 1
            && seldepth >= 1
            && hashfull <= 1000
            && tb_hits == 0
            && info.time >= 1
            && !info.line.is_empty();
        sane.then_some(info)
    }
}

/// Everything between `go` and `bestmove`.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) infos: Vec<Info>,
    pub(crate) best: String,
    pub(crate) ponder: Option<String>,
}

impl Answer {
    /// Reads the answer to a `go` and checks it against the position that was searched.
    pub(crate) fn read(process: &mut Process, game: &Game) -> Self {
        let lines = process.until("bestmove");
        Self::check(&lines, game).unwrap_or_else(|reason| process.fail(&reason))
    }

    /// Checks the lines of an answer; the last one is `bestmove`.
    pub(crate) fn check(lines: &[String], game: &Game) -> Result<Self, String> {
        let (last, lines) = lines.split_last().ok_or("no answer")?;
        let words: Vec<_> = last.split(' ').collect();
        let (best, ponder) = match words[..] {
            ["bestmove", best] => (best.to_owned(), None),
            ["bestmove", best, "ponder", ponder] => (best.to_owned(), Some(ponder.to_owned())),
            _ => return Err(format!("malformed: {last}")),
        };
        if game.board().legal_moves().is_empty() {
            let score = if game.board().in_check() { "mate 0" } else { "cp 0" };
            let told = lines.iter().any(|line| *line == format!("info depth 0 score {score}"));
            let empty = Self { infos: Vec::new(), best, ponder: None };
            return if told && empty.best == "(none)" {
                Ok(empty)
            } else {
                Err(format!("no legal move, but {lines:?} {last}"))
            };
        }
        let infos = lines
            .iter()
            .filter(|line| line.split(' ').any(|word| word == "score"))
            .map(|line| Info::parse(line).ok_or_else(|| format!("malformed: {line}")))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(line) = lines.iter().find(|line| !line.starts_with("info ")) {
            return Err(format!("not an info line: {line}"));
        }
        for info in &infos {
            check_line(info, game).map_err(|reason| format!("{reason}: {info:?}"))?;
        }
        check_order(&infos)?;
        // A mate that its line does not show stays a bound; all else hosts must be able to believe.
        let is_final = |info: &&Info| info.multipv == 1 && (!info.bound || info.mate.is_some());
        let last = infos.iter().rev().find(is_final).ok_or("no exact line")?;
        if last.line[0] != best {
            return Err(format!("bestmove {best} is not the last line's {}", last.line[0]));
        }
        let board = *game.board();
        let mv = board.parse_uci(&best).map_err(|error| error.to_string())?;
        if let Some(ponder) = &ponder {
            let mut child = board;
            child.play(mv);
            child.parse_uci(ponder).map_err(|error| format!("ponder: {error}"))?;
        }
        Ok(Self { infos, best, ponder })
    }

    /// The last exact line of rank 1.
    pub(crate) fn last(&self) -> &Info {
        self.infos.iter().rev().find(|info| info.multipv == 1 && !info.bound).unwrap()
    }
}

/// The line is legal to its end, does not go on after the game is over, and keeps its promise.
fn check_line(info: &Info, game: &Game) -> Result<(), String> {
    let mut game = game.clone();
    let over_already = game.outcome().is_some();
    for (index, text) in info.line.iter().enumerate() {
        if index > 0 && !over_already && game.outcome().is_some() {
            return Err(format!("goes on after the end of the game at move {}", index + 1));
        }
        let mv = game.board().parse_uci(text).map_err(|error| error.to_string())?;
        game.play(mv).map_err(|_| format!("illegal {text}"))?;
    }
    let Some(mate) = info.mate.filter(|_| !info.bound) else { return Ok(()) };
    let plies = if mate > 0 { 2 * mate - 1 } else { -2 * mate };
    if info.line.len() != plies as usize {
        return Err(format!("mate {mate} needs {plies} plies"));
    }
    if game.board().is_checkmate() { Ok(()) } else { Err("does not end in mate".to_owned()) }
}

/// Nodes and time never fall; ranks count up within a block, and their moves differ.
fn check_order(infos: &[Info]) -> Result<(), String> {
    let mut block: Vec<&Info> = Vec::new();
    for (index, info) in infos.iter().enumerate() {
        if index > 0 && (info.nodes < infos[index - 1].nodes || info.time < infos[index - 1].time) {
            return Err(format!("time or nodes ran backwards: {info:?}"));
        }
        if info.multipv == 1 {
            block.clear();
        }
        if info.multipv != block.len() + 1 {
            return Err(format!("rank {} after {}", info.multipv, block.len()));
        }
        if block.iter().any(|other| other.line[0] == info.line[0]) {
            return Err(format!("the same move twice: {info:?}"));
        }
        block.push(info);
    }
    Ok(())
}

/// A game from a FEN (or `startpos`) and moves in any notation UCI knows.
pub(crate) fn game(fen: &str, moves: &str) -> Game {
    let board =
        if fen == "startpos" { Board::default() } else { Board::from_fen(fen, true).unwrap() };
    let mut game = Game::from_board(board);
    for text in moves.split_ascii_whitespace() {
        game.play(game.board().parse_uci(text).unwrap()).unwrap();
    }
    game
}

/// The `position` command for a game.
pub(crate) fn position(game: &Game) -> String {
    let mut board = *game.start();
    let mut text = format!("position fen {board}");
    for (index, mv) in game.moves().iter().enumerate() {
        text += if index == 0 { " moves " } else { " " };
        text += &write(&board, *mv);
        board.play(*mv);
    }
    text
}

fn write(board: &Board, mv: Move) -> String {
    board.uci(mv, false)
}

/// Sends the position and `go`, reads and checks the answer.
pub(crate) fn ask(process: &mut Process, game: &Game, go: &str) -> Answer {
    process.send(&position(game));
    process.send(go);
    Answer::read(process, game)
}
