//! UCI for those who have a board that speaks it: the program's commands without its threads.

use tabiya_chess::Game;
use tabiya_engine::bench;
use tabiya_engine::eval::Evaluation;
use tabiya_engine::options::OPTIONS;
use tabiya_engine::uci::{Command, GoCommand, InfoLine};
use tabiya_engine::{Config, Info, SearchResult, Searcher, SlicedSearch, TableError};

struct Running {
    search: SlicedSearch,
    is_endless: bool,
}

/// An engine that takes lines of UCI.
pub struct UciModule {
    searcher: Searcher,
    game: Game,
    running: Option<Running>,
}

impl UciModule {
    /// A new engine, whose chances (levels, books) follow from `seed`.
    pub fn new(seed: u64) -> Result<Self, TableError> {
        let mut searcher = Searcher::new(Config::default().hash_mb)?;
        searcher.seed_level(seed);
        Ok(Self { searcher, game: Game::default(), running: None })
    }

    /// Judges by a network from now on.
    pub fn load_net(&mut self, bytes: &[u8], mut tell: impl FnMut(&str)) -> bool {
        match Evaluation::from_bytes(bytes) {
            Ok(evaluation) => {
                self.searcher.set_evaluation(&evaluation);
                tell(&format!("info string {evaluation}"));
                true
            }
            Err(error) => {
                tell(&format!("info string network: {error}"));
                false
            }
        }
    }

    /// Takes a line.
    pub fn command(&mut self, line: &str, mut tell: impl FnMut(&str)) {
        match Command::parse(line) {
            Command::Uci => {
                tell(&format!("id name Tabiya {}", env!("CARGO_PKG_VERSION")));
                tell("id author the Tabiya developers");
                for spec in OPTIONS {
                    tell(&format!("option name {} {}", spec.name, spec.kind));
                }
                tell("uciok");
            }
            Command::IsReady => tell("readyok"),
            Command::SetOption { name, value } => {
                let value = value.unwrap_or_default();
                if let Err(error) = self.searcher.set_option(&name, &value) {
                    tell(&format!("info string {error}"));
                }
            }
            Command::NewGame => {
                self.finish(&mut tell);
                self.searcher.new_game();
            }
            Command::Position(position) => {
                match position.to_game(self.searcher.config().chess960) {
                    Ok((game, repairs)) => {
                        for repair in repairs {
                            tell(&format!("info string position: {repair}; ignored"));
                        }
                        self.game = game;
                    }
                    Err(error) => tell(&format!("info string position refused: {error}")),
                }
            }
            Command::Go(go) => {
                self.finish(&mut tell);
                self.go(&go, &mut tell);
            }
            Command::Stop => self.finish(&mut tell),
            Command::Bench(depth) => {
                let depth = depth.unwrap_or(bench::DEFAULT_DEPTH);
                match bench::run(depth, &self.searcher.evaluation(), |_, _, _| {}) {
                    Ok(result) => tell(&format!("{} nodes {} nps", result.nodes, result.nps())),
                    Err(error) => tell(&format!("info string {error}")),
                }
            }
            Command::Nothing | Command::Debug(_) | Command::PonderHit | Command::Quit => {}
            Command::Perft(_)
            | Command::Display
            | Command::Eval
            | Command::Flip
            | Command::Help
            | Command::Unknown(_) => tell(&format!("info string not understood: {}", line.trim())),
        }
    }

    fn go(&mut self, go: &GoCommand, tell: &mut impl FnMut(&str)) {
        let board = self.game.board();
        let (mut limits, remarks) = go.limits_for(board.side_to_move());
        for remark in remarks {
            tell(&format!("info string {remark}"));
        }
        limits.search_moves =
            go.search_moves.iter().filter_map(|text| board.parse_uci(text).ok()).collect();
        let is_endless = limits.infinite || limits.ponder;
        let search = SlicedSearch::new(board, self.game.keys(), limits);
        self.running = Some(Running { search, is_endless });
    }

    /// Searches for a moment; whether there is more to do.
    pub fn step(&mut self, mut tell: impl FnMut(&str)) -> bool {
        let Some(running) = &mut self.running else { return false };
        if !running.search.is_done() {
            let (board, config) = (self.game.board(), self.searcher.config().clone());
            let (chess960, show_wdl) = (config.chess960, config.show_wdl);
            let show = |info: &Info| {
                tell(&InfoLine { info, board, chess960, show_wdl }.to_string());
            };
            self.searcher.search_slice(&mut running.search, show);
        }
        if running.search.is_done() && !running.is_endless {
            self.finish(&mut tell);
        }
        self.running.as_ref().is_some_and(|running| !running.search.is_done())
    }

    /// Ends the search with its move.
    fn finish(&mut self, tell: &mut impl FnMut(&str)) {
        let Some(running) = self.running.take() else { return };
        let result = self.searcher.finish(running.search);
        tell(&self.best(&result));
    }

    fn best(&self, result: &SearchResult) -> String {
        let Some(best) = result.best else { return "bestmove (none)".to_owned() };
        let chess960 = self.searcher.config().chess960;
        let mut board = *self.game.board();
        let best_text = board.uci(best, chess960);
        board.play(best);
        match result.ponder.filter(|reply| board.is_legal(*reply)) {
            Some(reply) => format!("bestmove {best_text} ponder {}", board.uci(reply, chess960)),
            None => format!("bestmove {best_text}"),
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
        let mated = said(&["position fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "go depth 3"]);
        assert_eq!(mated.last().unwrap(), "bestmove (none)");
    }
}
