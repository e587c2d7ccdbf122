//! What the arena costs: nodes per second of a match between own players, compared with the search
//! alone doing the same work on the same number of threads.
//!
//! That comparison needs a quiet machine. The share of the threads' time that a match spends inside
//! the search, which is the other number, does not.
//!
//! `cargo bench -p tabiya-lab --bench throughput [-- NODES [GAMES [THREADS]]]`

use std::error::Error;
use std::thread;
use std::time::{Duration, Instant};
use tabiya_chess::Game;
use tabiya_engine::{Limits, Searcher};
use tabiya_lab::arena::{
    self, Adjudication, EngineSpec, Engines, GameRecord, MatchConfig, Reporter, TimeUse,
};
use tabiya_lab::work::StopSignal;

/// Both are measured this often in turns, so that a busy machine disturbs them alike.
const TURNS: u64 = 8;
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
    let (nodes, games, threads) = (number(0, 1000), number(1, 400), number(2, 2) as usize);
    let (mut bare, mut matched) = (Speed::default(), Speed::default());
    let mut inside = Duration::ZERO;
    for turn in 0..TURNS {
        bare.add(bare_search(nodes, games.div_ceil(TURNS), threads)?);
        let (speed, time) = in_match(nodes, games.div_ceil(TURNS), threads)?;
        matched.add(speed);
        inside += time;
        println!("turn {}: bare {:.0} nps, match {:.0} nps", turn + 1, bare.nps(), matched.nps());
    }
    let share = 100.0 * matched.nps() / bare.nps();
    println!("arena: {share:.1} % of the bare search's nodes per second");
    let share = 100.0 * inside.as_secs_f64() / matched.time.as_secs_f64() / threads as f64;
    println!("arena: {share:.1} % of the threads' time inside the search");
    Ok(())
}

/// Nodes of a match in the time from its start to its end, and the time its players thought.
fn in_match(nodes: u64, games: u64, threads: usize) -> Result<(Speed, Duration), Box<dyn Error>> {
    #[derive(Default)]
    struct Thinking(Speed);
    impl Reporter for Thinking {
        fn game(&mut self, record: &GameRecord) {
            for TimeUse { nodes, total_us, .. } in record.times {
                self.0.add(Speed { nodes, time: Duration::from_micros(total_us) });
            }
        }
    }
    let player = |name: &str| EngineSpec::parse(&format!("self name={name} nodes={nodes}"), "");
    let config = MatchConfig {
        rounds: games.div_ceil(2),
        adjudication: Adjudication { max_moves: Some(MAX_MOVES), ..Adjudication::default() },
        concurrency: threads,
        ..MatchConfig::new(vec![player("a")?, player("b")?])
    };
    let mut thinking = Thinking::default();
    let started = Instant::now();
    arena::run(&config, &Engines, None, &StopSignal::new(), &mut thinking)?;
    let Thinking(Speed { nodes, time }) = thinking;
    Ok((Speed { nodes, time: started.elapsed() }, time))
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
