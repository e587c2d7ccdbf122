//! `tabiya perft`: counts of the move tree.

use crate::args::{self, UsageError, unreadable};
use crate::live_line::LiveLine;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::time::Instant;
use tabiya_chess::{Board, perft};
use tabiya_engine::files::read_regular;

/// The largest suite in bytes.
const LARGEST_SUITE: u64 = 256 << 20;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya perft 6
  tabiya perft 5 --divide --fen \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\"
  tabiya perft --suite standard.epd --max-nodes 10000000 --threads 2
  tabiya perft 4 --json

The last line is `<nodes> nodes <nps> nps`, for a suite `<passed> passed, <failed> failed`.")]
pub(crate) struct PerftArgs {
    /// Plies to look ahead.
    #[arg(required_unless_present = "suite", value_parser = clap::value_parser!(u32).range(0..=60))]
    depth: Option<u32>,
    /// The position; the starting position if missing.
    #[arg(long)]
    fen: Option<String>,
    /// Read castling letters and write castling moves as in Chess960.
    #[arg(long)]
    chess960: bool,
    /// Show the count of each first move.
    #[arg(long)]
    divide: bool,
    /// A file of lines like `FEN ;D1 20 ;D2 400`, each count to be checked.
    #[arg(long, conflicts_with_all = ["depth", "fen", "divide"])]
    suite: Option<PathBuf>,
    /// Skip counts of a suite above this.
    #[arg(long, default_value_t = u64::MAX, hide_default_value = true, requires = "suite")]
    max_nodes: u64,
    /// Number of threads.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// A JSON object instead of the text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &PerftArgs) -> anyhow::Result<ExitCode> {
    match (&args.suite, args.depth) {
        (Some(suite), _) => run_suite(args, suite),
        (None, depth) => count(args, depth.unwrap_or(1)),
    }
}

fn count(args: &PerftArgs, depth: u32) -> anyhow::Result<ExitCode> {
    let fen: Vec<String> = args.fen.iter().cloned().collect();
    let board = args::position(&fen, args.chess960)?;
    let start = Instant::now();
    let split = divide(&board, depth, args.threads);
    let nodes = if depth == 0 { 1 } else { split.iter().map(|(_, nodes)| nodes).sum() };
    let nps = nodes as f64 / start.elapsed().as_secs_f64().max(1e-9);
    if args.json {
        let uci = |(mv, nodes): &(tabiya_chess::Move, u64)| json!({ "move": board.uci(*mv, args.chess960), "nodes": nodes });
        let moves: Vec<Value> = split.iter().map(uci).collect();
        let fen = board.to_string();
        println!(
            "{}",
            json!({ "fen": fen, "depth": depth, "nodes": nodes, "nps": nps.round(), "moves": moves })
        );
        return Ok(ExitCode::SUCCESS);
    }
    if args.divide {
        for (mv, nodes) in &split {
            println!("{}: {nodes}", board.uci(*mv, args.chess960));
        }
        println!();
    }
    println!("{nodes} nodes {nps:.0} nps");
    Ok(ExitCode::SUCCESS)
}

/// `perft::divide` with the first moves shared out among threads.
fn divide(board: &Board, depth: u32, threads: u16) -> Vec<(tabiya_chess::Move, u64)> {
    let mut split: Vec<_> = board.legal_moves().iter().map(|mv| (mv, 0)).collect();
    let moves = split.clone();
    let count = |(mv, _): &(tabiya_chess::Move, u64)| {
        let mut child = *board;
        child.play(*mv);
        perft::count(&child, depth.saturating_sub(1))
    };
    in_parallel(&moves, threads, count, |index, nodes| split[index].1 = nodes);
    split
}

/// Calls `work` with every item, in several threads; `done` is told, in this one, the index of an item
/// and what came of it, in any order.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    threads: u16,
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(usize, R),
) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let _ = sender.send((index, work(item)));
                }
            });
        }
        drop(sender);
        for (index, result) in receiver {
            done(index, result);
        }
    });
}

/// A line of a suite: a position and its counts by depth.
struct Case {
    line: usize,
    board: Board,
    counts: Vec<(u32, u64)>,
}

fn run_suite(args: &PerftArgs, path: &Path) -> anyhow::Result<ExitCode> {
    let name = path.display();
    let bytes = read_regular(path, LARGEST_SUITE).map_err(unreadable(path))?;
    let text = String::from_utf8_lossy(&bytes);
    let cases = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(number, line)| parse_case(number + 1, line, args.chess960))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| UsageError(format!("{name}: {error}")))?;
    let checks: Vec<_> = cases
        .iter()
        .flat_map(|case| case.counts.iter().map(move |(depth, nodes)| (case, *depth, *nodes)))
        .filter(|(_, _, nodes)| *nodes <= args.max_nodes)
        .collect();
    let mut progress = LiveLine::new();
    let (mut nodes, mut passed, mut failed) = (0, 0, 0);
    let count = |(case, depth, _): &(&Case, u32, u64)| perft::count(&case.board, *depth);
    in_parallel(&checks, args.threads, count, |index, found| {
        let (Case { line, board, .. }, depth, expected) = checks[index];
        nodes += found;
        if found == expected {
            passed += 1;
        } else {
            failed += 1;
            progress.clear();
            let text =
                format!("{name}:{line}: depth {depth}: {found} instead of {expected} for {board}");
            // In JSON nothing else may stand on standard output.
            if args.json { eprintln!("{text}") } else { tell!("{text}") }
        }
        let (done, all) = (passed + failed, checks.len());
        progress.renew_timed(|| format!("{done} of {all} counts, {failed} failed"));
    });
    progress.clear();
    let seconds = progress.seconds();
    let code = if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if args.json {
        let positions = cases.len();
        tell!(
            "{}",
            json!({ "positions": positions, "nodes": nodes, "seconds": seconds, "passed": passed, "failed": failed })
        );
        return Ok(code);
    }
    tell!("{} positions, {nodes} nodes in {seconds:.1} s", cases.len());
    tell!("{passed} passed, {failed} failed");
    Ok(code)
}

fn parse_case(line: usize, text: &str, chess960: bool) -> Result<Case, String> {
    let mut parts = text.split(';');
    let fen = parts.next().unwrap_or_default();
    // Suites contain positions that no game can reach; they are meant to be counted all the same.
    let (board, _) =
        Board::from_fen_lenient(fen, chess960).map_err(|error| format!("line {line}: {error}"))?;
    let counts = parts
        .map(|part| {
            let mut words = part.split_ascii_whitespace();
            let depth = words.next()?.strip_prefix('D')?.parse().ok()?;
            Some((depth, words.next()?.parse().ok()?))
        })
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| format!("line {line}: counts look like ';D3 8902'"))?;
    Ok(Case { line, board, counts })
}
