//! The engine inside a web page: a session in a WebAssembly module without threads or files.
//!
//! [`Module`] is what it does: texts in, texts out, a moment of search whenever the page has one. The
//! functions that the page calls are in `exports`; `npm/src/module.ts` is their other side.

#[cfg(target_family = "wasm")]
mod exports;
mod uci;

use serde_json::{from_str, to_string};
use tabiya_engine::bench::{self, BenchResult};
use tabiya_engine::eval::Evaluation;
use tabiya_engine::policy::Policy;
use tabiya_engine::{TableError, bench::DEFAULT_DEPTH};
use tabiya_session::protocol::{Reply, Request};
use tabiya_session::{Player, Session, Sliced};

pub use uci::UciModule;

/// A session in the terms of JSON.
pub struct Module {
    session: Session<Sliced>,
}

impl Module {
    /// A new engine, whose chances (levels, books) follow from `seed`.
    pub fn new(seed: u64) -> Result<Self, TableError> {
        let mut player = Sliced::new()?;
        player.seed(seed);
        Ok(Self { session: Session::new(player) })
    }

    /// Takes a request.
    pub fn receive(&mut self, message: &str) {
        match from_str::<Request>(message) {
            Ok(request) => self.session.receive(request),
            Err(error) => self.refuse(format!("not a known request: {error}")),
        }
    }

    /// Judges by a network from now on; says hello again, or what is wrong with it.
    pub fn load_net(&mut self, bytes: &[u8]) -> bool {
        match Evaluation::from_bytes(bytes) {
            Ok(evaluation) => {
                self.session.player.set_evaluation(&evaluation);
                self.session.greet();
                true
            }
            Err(error) => {
                self.refuse(format!("network: {error}"));
                false
            }
        }
    }

    /// Can play like people by this policy network from now on; says what is wrong with it.
    pub fn load_policy(&mut self, bytes: &[u8]) -> bool {
        match Policy::from_bytes(bytes) {
            Ok(net) => {
                self.session.player.set_policy(Policy::new(net));
                true
            }
            Err(error) => {
                self.refuse(error.to_string());
                false
            }
        }
    }

    fn refuse(&mut self, reason: String) {
        self.session.player.send(Reply::Refused { id: None, reason });
    }

    /// Searches for a moment; whether there is more to do.
    pub fn step(&mut self) -> bool {
        self.session.player.step();
        self.session.player.is_busy()
    }

    /// Makes the report that was asked for, which takes as long as it takes.
    pub fn review(&mut self, mut tell: impl FnMut(&str)) {
        self.session.player.run_review(|reply| tell(&text(&reply)));
    }

    /// The next answer.
    pub fn take(&mut self) -> Option<String> {
        self.session.player.take_reply().as_ref().map(text)
    }

    /// The bench with the evaluation in use; a depth of 0 stands for the usual one.
    pub fn bench(&self, depth: u32) -> Result<BenchResult, TableError> {
        let depth = if depth == 0 { DEFAULT_DEPTH } else { depth };
        bench::run(depth, &self.session.player.evaluation(), |_, _, _| {})
    }
}

fn text(reply: &Reply) -> String {
    // Only maps with keys that are no text could fail, and there are none.
    to_string(reply).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused_in_words() {
        let mut module = Module::new(1).unwrap();
        assert!(module.take().unwrap().starts_with(r#"{"type":"hello""#));
        module.receive("[");
        assert!(module.take().unwrap().contains("not a known request"));
        assert!(!module.load_net(b"TABIYA?"));
        assert!(module.take().unwrap().contains("network: "));
        assert!(!module.load_policy(b"TABIYA?"));
        assert!(module.take().unwrap().contains("policy"));
        assert_eq!(module.take(), None);
        assert!(!module.step());
    }

    #[test]
    fn the_bench_is_the_programs() {
        let module = Module::new(1).unwrap();
        let expected = bench::run(4, &Evaluation::embedded(), |_, _, _| {}).unwrap().nodes;
        assert_eq!(module.bench(4).unwrap().nodes, expected);
    }
}
