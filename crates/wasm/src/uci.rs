//! UCI for those who have a board that speaks it: the program's commands without its threads.

use tabiya_chess::Game;
use tabiya_engine::bench;
use tabiya_engine::eval::Evaluation;
use tabiya_engine::options::OptionSpec;
use tabiya_engine::uci::{self, Command, GoCommand, PositionCommand, SearchLines};
use tabiya_engine::{Config, Searcher, SlicedSearch, TableError};

/// Options for what a page has not: threads, and files.
const UNAVAILABLE: [&str; 9] = [
    "Threads",
    "EvalFile",
    "PolicyFile",
    "BookFile",
    "SyzygyPath",
    "SyzygyProbeDepth",
    "Syzygy50MoveRule",
    "SyzygyProbeLimit",
    "Debug Log File",
];

fn is_available(spec: &OptionSpec) -> bool {
    !UNAVAILABLE.contains(&spec.name)
}

/// A search under way, which later commands do not change.
struct Running {
    search: SlicedSearch,
    lines: SearchLines,
}

/// An engine that takes lines of UCI.
pub struct UciModule {
    searcher: Searcher,
    /// The position to search, or why there is none.
    game: Result<Game, String>,
    running: Option<Running>,
}

impl UciModule {
    /// A new engine, whose chances (levels, books) follow from `seed`.
    pub fn new(seed: u64) -> Result<Self, TableError> {
        let mut searcher = Searcher::new(Config::default().hash_mb)?;
        searcher.seed_level(seed);
        Ok(Self { searcher, game: Ok(Game::default()), running: None })
    }

    /// Judges by a network from now on.
    pub fn load_net(&mut self, bytes: &[u8], mut tell: impl FnMut(&str)) -> bool {
        match Evaluation::from_bytes(bytes) {
            Ok(evaluation) => {
                self.searcher.set_evaluation(&evaluation);
                tell(&uci::remark(&evaluation.to_string()));
                true
            }
            Err(error) => {
                tell(&uci::remark(&format!("network: {error}")));
                false
            }
        }
    }

    /// Takes a line.
    pub fn command(&mut self, line: &str, mut tell: impl FnMut(&str)) {
        match Command::parse(line) {
            Command::Uci => {
                for line in uci::identity(is_available) {
                    tell(&line);
                }
            }
            Command::IsReady => tell("readyok"),
            Command::SetOption { name, value } => {
                let value = value.unwrap_or_default();
                if let Err(error) = self.searcher.set_option(&name, &value) {
                    tell(&uci::remark(&error.to_string()));
                }
            }
            Command::NewGame => {
                self.finish(&mut tell);
                self.searcher.new_game();
            }
            Command::Position(position) => self.set_position(&position, &mut tell),
            Command::Go(go) => {
                self.finish(&mut tell);
                self.go(&go, &mut tell);
            }
            Command::Stop => self.finish(&mut tell),
            Command::PonderHit => {
                if let Some(running) = &mut self.running {
                    running.search.ponder_hit();
                }
            }
            Command::Bench(depth) => {
                self.finish(&mut tell);
                self.bench(depth, &mut tell);
            }
            Command::Nothing | Command::Debug(_) | Command::Quit => {}
            Command::Perft(_)
            | Command::Display
            | Command::Eval
            | Command::Flip
            | Command::Help
            | Command::Unknown(_) => {
                tell(&uci::remark(&format!("not understood: {}", line.trim())));
            }
        }
    }

    fn set_position(&mut self, position: &PositionCommand, tell: &mut impl FnMut(&str)) {
        match position.to_game(self.searcher.config().chess960) {
            Ok((game, repairs)) => {
                for repair in repairs {
                    tell(&uci::remark(&format!("position: {repair}; ignored")));
                }
                self.game = Ok(game);
            }
            Err(error) => {
                tell(&uci::remark(&format!("position refused: {error}")));
                self.game = Err(error.to_string());
            }
        }
    }

    fn go(&mut self, go: &GoCommand, tell: &mut impl FnMut(&str)) {
        let game = match &self.game {
            Ok(game) => game,
            Err(reason) => {
                for line in uci::no_position(reason) {
                    tell(&line);
                }
                return;
            }
        };
        let board = game.board();
        let (limits, remarks) = go.to_limits(board);
        for remark in remarks {
            tell(&uci::remark(&remark));
        }
        let lines = SearchLines::new(board, self.searcher.config());
        let search = SlicedSearch::of_game(game, limits);
        self.running = Some(Running { search, lines });
    }

    fn bench(&self, depth: Option<u32>, tell: &mut impl FnMut(&str)) {
        let depth = depth.unwrap_or(bench::DEFAULT_DEPTH);
        match bench::run(depth, &self.searcher.evaluation(), |_, _, _| {}) {
            Ok(result) => tell(&format!("{} nodes {} nps", result.nodes, result.nps())),
            Err(error) => tell(&uci::remark(&error.to_string())),
        }
    }

    /// Searches for a moment; whether there is more to do.
    pub fn step(&mut self, mut tell: impl FnMut(&str)) -> bool {
        let Some(Running { search, lines }) = &mut self.running else { return false };
        if !search.is_done() {
            self.searcher.search_slice(search, |info| tell(&lines.info(info)));
        }
        if search.owes_answer() {
            self.finish(&mut tell);
        }
        self.running.as_ref().is_some_and(|running| !running.search.is_done())
    }

    /// Ends the search with its move.
    fn finish(&mut self, tell: &mut impl FnMut(&str)) {
        let Some(Running { search, lines }) = self.running.take() else { return };
        let result = self.searcher.finish(search);
        for line in lines.answer(&result) {
            tell(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(commands: &[&str]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut uci = UciModule::new(1).unwrap();
        uci.command("setoption name OwnBook value false", |_| {});
        for command in commands {
            uci.command(command, |line| lines.push(line.to_owned()));
            while uci.step(|line| lines.push(line.to_owned())) {}
        }
        lines
    }

    #[test]
    fn it_introduces_itself_and_moves() {
        let lines = said(&["uci", "isready", "position startpos moves e2e4", "go depth 5"]);
        assert!(lines.iter().any(|line| line == "uciok") && lines.contains(&"readyok".to_owned()));
        assert!(lines.iter().any(|line| line.starts_with("info depth 5 ")), "{lines:?}");
        assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
    }

    #[test]
    fn an_endless_search_waits_for_its_stop() {
        let mut uci = UciModule::new(1).unwrap();
        let mut lines = Vec::new();
        uci.command("go infinite", |_| {});
        assert!(uci.step(|line| lines.push(line.to_owned())));
        assert!(lines.iter().all(|line| line.starts_with("info ")));
        uci.command("stop", |line| lines.push(line.to_owned()));
        assert!(lines.last().unwrap().starts_with("bestmove "));
        assert!(!uci.step(|_| {}));
    }

    #[test]
    fn mistakes_are_told() {
        let lines = said(&["position fen nonsense", "setoption name Threads value 2", "dance"]);
        assert!(lines.iter().all(|line| line.starts_with("info string ")), "{lines:?}");
        assert_eq!(lines.len(), 3);
    }

    const MATED: &str = "position fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";

    #[test]
    fn a_search_keeps_the_position_it_began_with() {
        let mut uci = UciModule::new(1).unwrap();
        let mut lines = Vec::new();
        uci.command("position startpos", |_| {});
        uci.command("go infinite", |_| {});
        uci.step(|_| {});
        uci.command("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1", |_| {});
        uci.step(|line| lines.push(line.to_owned()));
        uci.command("stop", |line| lines.push(line.to_owned()));
        let best = lines.last().unwrap().strip_prefix("bestmove ").unwrap();
        assert!(Game::default().board().parse_uci(&best[..4]).is_ok(), "{best}");
    }

    #[test]
    fn a_ponderhit_starts_the_clock() {
        let mut uci = UciModule::new(1).unwrap();
        let mut lines = Vec::new();
        uci.command("position startpos moves e2e4", |_| {});
        uci.command("go ponder wtime 200 btime 200", |_| {});
        let started = std::time::Instant::now();
        while started.elapsed() < std::time::Duration::from_millis(300) {
            assert!(uci.step(|line| lines.push(line.to_owned())));
        }
        assert!(lines.iter().all(|line| line.starts_with("info ")), "{lines:?}");
        uci.command("ponderhit", |line| lines.push(line.to_owned()));
        for _ in 0..1000 {
            uci.step(|line| lines.push(line.to_owned()));
        }
        assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
    }

    #[test]
    fn a_ponder_search_that_is_done_waits_for_its_hit() {
        let pondered = ["position startpos", "go ponder depth 2"];
        assert!(said(&pondered).iter().all(|line| line.starts_with("info ")));
        let lines = said(&[&pondered[..], &["ponderhit"]].concat());
        assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
    }

    #[test]
    fn only_what_a_page_has_is_offered() {
        let lines = said(&["uci"]);
        let offers =
            |name: &str| lines.iter().any(|line| line.starts_with(&format!("option name {name} ")));
        assert!(offers("Hash") && offers("Ponder") && offers("OwnBook"));
        for name in ["Threads", "EvalFile", "SyzygyPath", "SyzygyProbeLimit", "Debug Log File"] {
            assert!(!offers(name), "{name}");
        }
    }

    #[test]
    fn a_refused_position_is_not_searched() {
        let lines = said(&["position startpos moves e2e5", "go depth 3"]);
        assert!(lines[0].starts_with("info string position refused: move 1: "), "{lines:?}");
        assert!(lines[1].starts_with("info string no position to search: move 1: "), "{lines:?}");
        assert_eq!(lines[2..], ["bestmove 0000"]);
    }

    #[test]
    fn searchmoves_that_are_illegal_are_told() {
        let lines = said(&["position startpos", "go depth 1 searchmoves e2e5 a2a3"]);
        assert!(lines[0].starts_with("info string searchmoves: "), "{lines:?}");
        assert!(lines.last().unwrap().starts_with("bestmove a2a3"), "{lines:?}");
    }

    #[test]
    fn a_game_that_is_over_has_a_score() {
        assert_eq!(said(&[MATED, "go depth 3"]), ["info depth 0 score mate 0", "bestmove (none)"]);
        let stalemate = "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
        assert_eq!(said(&[stalemate, "go depth 3"])[0], "info depth 0 score cp 0");
    }
}
