//! The policy net beside the search: every use has an effect, none without the switch.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tabiya_chess::{Board, Game};
use tabiya_engine::policy::{GameHistory, Policy};
use tabiya_engine::{Engine, Info, Limits, Reporter, SearchResult};
use tabiya_nn::policy::input::Skill;
use tabiya_nn::policy::{Config, Weights};

/// A file with a random net, removed at the end.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        let config = Config { blocks: 1, ffn: 256, ..Config::small() };
        let name = format!("tabiya-policy-{name}-{}.gguf", std::process::id());
        let path = std::env::temp_dir().join(name);
        // Logits far apart, so that the net has opinions.
        let mut weights = Weights::random(&config, 5);
        weights.policy.dense.iter_mut().for_each(|w| *w *= 4.0);
        std::fs::write(&path, weights.to_gguf(&config, &[])).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn engine(options: &[(&str, &str)]) -> Engine {
    let mut engine = Engine::new(4).unwrap();
    for (name, value) in options {
        engine.set_option(name, Some(value)).unwrap();
    }
    engine
}

/// The nodes of a search of fixed depth.
fn nodes(options: &[(&str, &str)], depth: u32) -> u64 {
    let mut engine = engine(options);
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    engine.set_position(fen.parse().unwrap(), &[]);
    engine.go(Limits::depth(depth), |_| {}).nodes
}

#[test]
fn every_use_changes_the_search_and_only_when_switched_on() {
    let file = File::new("uses");
    let off = nodes(&[], 7);
    assert_eq!(nodes(&[("PolicyFile", file.path())], 7), off);
    assert_eq!(nodes(&[("PolicyFile", file.path()), ("PolicyUses", "order")], 7), off);
    let on = |uses: &str| {
        nodes(&[("PolicyFile", file.path()), ("UsePolicy", "true"), ("PolicyUses", uses)], 7)
    };
    assert_eq!(on(""), off);
    let order = on("order");
    for uses in ["order", "history", "reduce", "order,reversed", "order,shuffled"] {
        assert_ne!(on(uses), off, "{uses}");
    }
    // A dead feature would not notice that the net says the opposite.
    assert_ne!(on("order,reversed"), order);
    assert_eq!(on("order"), order);
}

#[test]
fn questions_are_charged_where_nodes_are_limited() {
    let file = File::new("charge");
    let options = [("PolicyFile", file.path()), ("UsePolicy", "true")];
    let limits = || Limits::nodes(5000);
    let free = engine(&[]).go(limits(), |_| {}).nodes;
    let charged = engine(&options).go(limits(), |_| {}).nodes;
    assert!(charged < free && charged > free - 200, "{charged} {free}");
}

#[test]
fn a_missing_or_broken_file_changes_nothing() {
    let mut engine = engine(&[]);
    let error = engine.set_option("PolicyFile", Some("no such file.gguf")).unwrap_err();
    assert!(error.to_string().contains("PolicyFile"), "{error}");
    let broken = File::new("broken");
    std::fs::write(&broken.0, b"GGUF\x03\0\0\0nonsense").unwrap();
    assert!(engine.set_option("PolicyFile", Some(broken.path())).is_err());
    assert!(engine.set_option("PolicyUses", Some("magic")).is_err());
    assert!(engine.set_option("Style", Some("robot")).is_err());
    assert!(engine.go(Limits::depth(3), |_| {}).best.is_some());
}

/// Keeps what is told beside the lines.
struct Listener(Arc<Mutex<Vec<String>>>, std::sync::mpsc::Sender<SearchResult>);

impl Reporter for Listener {
    fn info(&mut self, _: &Info) {}

    fn message(&mut self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }

    fn finished(&mut self, result: &SearchResult) {
        let _ = self.1.send(result.clone());
    }
}

#[test]
fn the_proposal_is_shown_once_a_search() {
    let file = File::new("info");
    let mut engine = engine(&[("PolicyFile", file.path()), ("PolicyInfo", "true")]);
    let (sender, receiver) = std::sync::mpsc::channel();
    let told = Arc::new(Mutex::new(Vec::new()));
    engine.start(Limits::depth(2), Box::new(Listener(Arc::clone(&told), sender)));
    receiver.recv().unwrap();
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("policy ") && told[0].contains("wdl"), "{told:?}");
}

#[test]
fn people_play_what_the_net_says_they_play() {
    let file = File::new("human");
    let mut engine = engine(&[
        ("PolicyFile", file.path()),
        ("Style", "human"),
        ("UCI_LimitStrength", "true"),
        ("UCI_Elo", "1100"),
    ]);
    let mut policy = Policy::new(Policy::from_file(&file.0).unwrap());
    let mut game = Game::default();
    let mut likeliest = 0;
    for ply in 0..30 {
        engine.seed_level(ply);
        engine.set_game(&game);
        let best = engine.go(Limits::default(), |_| {}).best.unwrap();
        let proposal = policy.ask(&GameHistory::from_game(&game), Skill::of_rating(1100)).unwrap();
        assert!(proposal.chance(best) > 0.001, "{best:?}");
        likeliest += u32::from(proposal.moves[0].mv == best);
        if game.play(best).is_err() || game.is_over() {
            break;
        }
    }
    assert!(likeliest > 0, "the likeliest move is played now and then");
}

#[test]
fn a_position_without_moves_asks_nobody() {
    let file = File::new("mate");
    let mut engine =
        engine(&[("PolicyFile", file.path()), ("UsePolicy", "true"), ("PolicyUses", "order deep")]);
    for fen in ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/8/8/8/8/8/8/K5R1 b - - 0 1"] {
        let board: Board = fen.parse().unwrap();
        engine.set_position(board, &[]);
        let result = engine.go(Limits::depth(3), |_| {});
        assert_eq!(result.best.is_some(), board.has_legal_move(), "{fen}");
    }
}
