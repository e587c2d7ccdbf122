//! What the arena costs: nodes per second of a match between own players, compared with the search
//! alone doing the same work on the same number of threads.
//!
//! `cargo bench -p tabiya-lab --bench throughput [-- NODES [GAMES [THREADS]]]`

use std::error::Error;
use std::thread;
use std::time::{Duration, Instant};
use tabiya_chess::Game;
use tabiya_engine::{Limits, Searcher};
use tabiya_lab::arena::{
    self, Adjudication, EngineSpec, Engines, Form, GameRecord, MatchConfig, OpeningSource, Order,
    Outputs, Reporter, StopSignal,
};

/// Both are measured this often in turns, so that a busy machine disturbs them alike.
const TURNS: u64 = 4;
const MAX_MOVES: u32 = 60;
/// The same as the arena's own players use.
const HASH_MB: usize = 16;

/// Nodes searched in some time.
#[derive(Clone, Copy, Default)]
struct Speed {
    nodes: u64,
    time: Duration,
}

impl Speed {
    fn add(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.time += other.time;
    }

    fn nps(self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo passes `--bench` to every bench.
    let args = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    let numbers = args.map(|arg| arg.parse()).collect::<Result<Vec<u64>, _>>()?;
    let number = |index: usize, default| numbers.get(index).copied().unwrap_or(default).max(1);
    let (nodes, games, threads) = (number(0, 1000), number(1, 40), number(2, 2) as usize);
    let (mut bare, mut matched) = (Speed::default(), Speed::default());
    for turn in 0..TURNS {
        bare.add(bare_search(nodes, games.div_ceil(TURNS), threads)?);
        matched.add(in_match(nodes, games.div_ceil(TURNS), threads)?);
        println!("turn {}: bare {:.0} nps, match {:.0} nps", turn + 1, bare.nps(), matched.nps());
    }
    let share = 100.0 * matched.nps() / bare.nps();
    println!("arena: {share:.1} % of the bare search's nodes per second");
    Ok(())
}

/// Nodes per second in a match, everything counted from its start to its end.
fn in_match(nodes: u64, games: u64, threads: usize) -> Result<Speed, Box<dyn Error>> {
    struct Nodes(u64);
    impl Reporter for Nodes {
        fn game(&mut self, record: &GameRecord) {
            self.0 += record.times.iter().map(|time| time.nodes).sum::<u64>();
        }
    }
    let player = |name: &str| EngineSpec::parse(&format!("self name={name} nodes={nodes}"), "");
    let config = MatchConfig {
        players: vec![player("a")?, player("b")?],
        form: Form::RoundRobin,
        rounds: games.div_ceil(2),
        openings: OpeningSource { file: None, order: Order::Sequential, skip: 0, plies: None },
        chess960: false,
        adjudication: Adjudication { max_moves: Some(MAX_MOVES), ..Adjudication::default() },
        sprt: None,
        concurrency: threads,
        pin: false,
        outputs: Outputs { journal: None, pgn: None, json: None, resume: false },
    };
    let mut counter = Nodes(0);
    let started = Instant::now();
    arena::run(&config, &Engines, None, &StopSignal::new(), &mut counter)?;
    Ok(Speed { nodes: counter.0, time: started.elapsed() })
}

/// Nodes per second of the search alone in the same games: only time inside it counts.
fn bare_search(nodes: u64, games: u64, threads: usize) -> Result<Speed, Box<dyn Error>> {
    let all = thread::scope(|scope| {
        let play = || play_games(nodes, games.div_ceil(threads as u64));
        let runs: Vec<_> = (0..threads).map(|_| scope.spawn(play)).collect();
        runs.into_iter().map(|run| run.join().map_err(|_| "a thread has failed")?).collect()
    });
    let all: Result<Vec<Speed>, String> = all;
    let mut sum = Speed::default();
    for speed in all? {
        sum.add(speed);
    }
    // The threads searched at the same time.
    Ok(Speed { nodes: sum.nodes, time: sum.time / threads as u32 })
}

fn play_games(nodes: u64, games: u64) -> Result<Speed, String> {
    let failed = |error: tabiya_engine::TableError| error.to_string();
    let mut sides =
        [Searcher::new(HASH_MB).map_err(failed)?, Searcher::new(HASH_MB).map_err(failed)?];
    let limits = Limits::nodes(nodes);
    let mut speed = Speed::default();
    for _ in 0..games {
        sides.iter_mut().for_each(Searcher::new_game);
        let mut game = Game::from_board(tabiya_chess::Board::default());
        while game.outcome().is_none() && game.moves().len() < 2 * MAX_MOVES as usize {
            let searcher = &mut sides[game.board().side_to_move()];
            let started = Instant::now();
            let result = searcher.search(game.board(), game.keys(), &limits, |_| {});
            speed.add(Speed { nodes: result.nodes, time: started.elapsed() });
            let Some(mv) = result.best else { break };
            game.play(mv).map_err(|error| format!("{error:?}"))?;
        }
    }
    Ok(speed)
}
