//! The pool: many starts and stops, panics of whoever listens, one result per search.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::thread::sleep;
use std::time::Duration;
use tabiya_engine::{Engine, Info, Limits, Reporter, SearchResult};

/// Listens to nothing.
pub(crate) struct Silent;

impl Reporter for Silent {
    fn info(&mut self, _: &Info) {}
    fn message(&mut self, _: &str) {}
    fn finished(&mut self, _: &SearchResult) {}
}

/// Counts results.
struct Count(Arc<AtomicUsize>);

impl Reporter for Count {
    fn info(&mut self, _: &Info) {}
    fn message(&mut self, _: &str) {}
    fn finished(&mut self, result: &SearchResult) {
        assert!(result.best.is_some() && result.depth >= 1);
        self.0.fetch_add(1, Relaxed);
    }
}

fn infinite() -> Limits {
    Limits { infinite: true, ..Limits::default() }
}

#[test]
fn every_start_has_one_result_with_any_number_of_threads() {
    let results = Arc::new(AtomicUsize::new(0));
    let mut engine = Engine::new(1).unwrap();
    let mut started = 0;
    for threads in [1, 2, 3, 4, 5, 6, 7, 8, 2, 1] {
        assert_eq!(engine.set_threads(threads), threads);
        for round in 0..25 {
            let limits = match round % 5 {
                0 => Limits::depth(3),
                1 => Limits::nodes(500),
                2 => Limits::move_time(Duration::from_millis(1)),
                3 => Limits { ponder: true, ..Limits::depth(2) },
                _ => infinite(),
            };
            engine.start(limits, Box::new(Count(Arc::clone(&results))));
            started += 1;
            match round % 4 {
                0 => engine.stop(),
                1 => engine.ponder_hit(),
                2 => sleep(Duration::from_millis(1)),
                _ => {}
            }
            if round % 2 == 0 {
                engine.stop();
                engine.wait();
                assert_eq!(results.load(Relaxed), started);
                assert!(!engine.is_searching());
            }
        }
    }
    engine.stop();
    engine.wait();
    assert_eq!(results.load(Relaxed), started);
}

#[test]
fn threads_share_the_work() {
    let mut engine = Engine::new(4).unwrap();
    engine.set_threads(4);
    let result = engine.go(Limits::nodes(200_000), |_| {});
    assert!(result.nodes >= 200_000, "{}", result.nodes);
    assert!(result.best.is_some());
}

/// Fails on the first call of each of these kinds.
struct Fails {
    on: Vec<&'static str>,
    log: Sender<String>,
}

impl Fails {
    fn heard(&mut self, what: &'static str, text: &str) {
        let _ = self.log.send(format!("{what} {text}"));
        if let Some(at) = self.on.iter().position(|on| *on == what) {
            self.on.swap_remove(at);
            panic!("{what} fails on purpose");
        }
    }
}

impl Reporter for Fails {
    fn info(&mut self, info: &Info) {
        self.heard("info", &info.depth.to_string());
    }

    fn message(&mut self, text: &str) {
        self.heard("message", text);
    }

    fn finished(&mut self, result: &SearchResult) {
        self.heard("finished", &result.best.is_some().to_string());
    }
}

#[test]
fn a_panic_inside_a_search_still_gives_a_result() {
    let mut engine = Engine::new(1).unwrap();
    engine.set_threads(3);
    for _ in 0..3 {
        let (log, heard) = channel();
        engine.start(Limits::depth(5), Box::new(Fails { on: vec!["info"], log }));
        engine.wait();
        let heard: Vec<_> = heard.iter().collect();
        assert!(heard.iter().any(|line| line.starts_with("message a search thread failed")));
        assert_eq!(heard.iter().filter(|line| *line == "finished true").count(), 1, "{heard:?}");
    }
    assert!(engine.go(Limits::depth(5), |_| {}).best.is_some());
}

#[test]
fn a_panic_while_the_result_is_told_does_not_block_the_engine() {
    let mut engine = Engine::new(1).unwrap();
    for threads in [1, 3] {
        engine.set_threads(threads);
        for on in [&["finished"][..], &["info", "message"]] {
            let (log, _heard) = channel();
            engine.start(Limits::depth(4), Box::new(Fails { on: on.to_vec(), log }));
            engine.wait();
            assert!(engine.go(Limits::depth(4), |_| {}).best.is_some());
        }
    }
    engine.new_game();
    assert!(engine.go(Limits::depth(4), |_| {}).best.is_some());
}
