//! `tabiya analyse`: analysis for people without a GUI.

use crate::args::{self, UsageError};
use crate::board_view;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use tabiya_chess::{Board, openings};
use tabiya_engine::{Engine, Event, Info, InfoBound, Limits, Score, SearchResult};
use tabiya_lab::analyst::insight::{cp_of, line_san, line_text, score_text};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya analyse --time 5
  tabiya analyse \"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\" --depth 18
  tabiya analyse startpos --multipv 3 --threads 2
  tabiya analyse --depth 12 --json

Ctrl-C ends the analysis and shows the best move.")]
pub(crate) struct AnalyseArgs {
    /// A FEN or `startpos`.
    fen: Vec<String>,
    /// Seconds to think.
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    /// Iterations.
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Nodes to search.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Number of best lines.
    #[arg(long, value_name = "K", default_value_t = 1)]
    multipv: usize,
    /// Number of threads.
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Size of the hash table in megabytes.
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// Read castling letters as in Chess960.
    #[arg(long)]
    chess960: bool,
    /// One JSON object per line instead of the table; the last one is the result.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &AnalyseArgs) -> anyhow::Result<ExitCode> {
    let board = args::position(&args.fen, args.chess960)?;
    let limits = limits(args)?;
    let mut engine = Engine::new(args.hash as usize)?;
    engine.set_threads(usize::from(args.threads));
    engine.multi_pv = args.multipv.max(1);
    engine.move_overhead = Duration::ZERO;
    engine.set_position(board, &[]);

    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || flag.store(true, Relaxed))?;

    if !args.json {
        println!("{}\n{board}", board_view::draw(&board));
        if let Some(opening) = openings::of_board(&board) {
            println!("{opening}");
        }
        println!();
        println!(
            "{:>5} {:>9} {:>15} {:>8} {:>9}  line",
            "depth", "score", "win/draw/loss", "nodes", "speed"
        );
    }
    let (sender, events) = channel();
    engine.start(limits, Box::new(sender));
    loop {
        match events.recv_timeout(Duration::from_millis(50)) {
            Ok(Event::Info(info)) if args.json => println!("{}", info_json(&board, &info)),
            Ok(Event::Info(info)) => println!("{}", row(&board, &info)),
            Ok(Event::Message(text)) => eprintln!("{text}"),
            Ok(Event::Finished(result)) => {
                if args.json {
                    println!("{}", result_json(&board, &result));
                } else {
                    println!("\n{}", verdict(&board, &result));
                }
                return Ok(ExitCode::SUCCESS);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                anyhow::bail!("the search ended without a result")
            }
        }
        if interrupted.load(Relaxed) {
            engine.stop();
        }
    }
}

fn limits(args: &AnalyseArgs) -> anyhow::Result<Limits> {
    let move_time = match args.time {
        None => None,
        Some(seconds) => Some(
            Duration::try_from_secs_f64(seconds)
                .map_err(|error| UsageError(format!("--time {seconds}: {error}")))?,
        ),
    };
    let infinite = move_time.is_none() && args.depth.is_none() && args.nodes.is_none();
    Ok(Limits { move_time, depth: args.depth, nodes: args.nodes, infinite, ..Limits::default() })
}

fn row(board: &Board, info: &Info) -> String {
    let bound = match info.bound {
        Some(InfoBound::Lower) => "≥",
        Some(InfoBound::Upper) => "≤",
        None => "",
    };
    let wdl = info.wdl;
    let percent = |thousandths: u32| f64::from(thousandths) / 10.0;
    format!(
        "{:>5} {:>9} {:>15} {:>8} {:>7}/s  {}",
        info.depth,
        format!("{bound}{}", score_text(info.score)),
        format!("{:.0}/{:.0}/{:.0} %", percent(wdl.win), percent(wdl.draw), percent(wdl.loss)),
        short(info.nodes),
        short(info.nps()),
        line_text(board, &info.line)
    )
}

/// 950, 12.3k, 4.5M.
fn short(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{:.1}k", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1}M", count as f64 / 1e6),
        _ => format!("{:.1}G", count as f64 / 1e9),
    }
}

/// `{"cp": 35}` or `{"mate": -3}`, for the side to move.
fn score_json(score: Score) -> Value {
    match score {
        Score::Mate(moves) => json!({ "mate": moves }),
        other => json!({ "cp": cp_of(other) }),
    }
}

fn info_json(board: &Board, info: &Info) -> Value {
    json!({
        "type": "info",
        "depth": info.depth,
        "seldepth": info.seldepth,
        "multipv": info.multi_pv,
        "score": score_json(info.score),
        "bound": info.bound.map(|bound| match bound {
            InfoBound::Lower => "lower",
            InfoBound::Upper => "upper",
        }),
        "wdl": [info.wdl.win, info.wdl.draw, info.wdl.loss],
        "nodes": info.nodes,
        "nps": info.nps(),
        "time_ms": info.time.as_millis() as u64,
        "hashfull": info.hashfull,
        "line": line_san(board, &info.line),
    })
}

fn result_json(board: &Board, result: &SearchResult) -> Value {
    json!({
        "type": "result",
        "fen": board.to_string(),
        "best": result.best.map(|mv| board.san(mv)),
        "score": score_json(result.score),
        "depth": result.depth,
        "nodes": result.nodes,
        "time_ms": result.time.as_millis() as u64,
        "line": line_san(board, &result.line),
    })
}

fn verdict(board: &Board, result: &SearchResult) -> String {
    match result.best {
        Some(best) => format!("best move: {}   ({})", board.san(best), score_text(result.score)),
        None if board.in_check() => "checkmate".to_owned(),
        None => "stalemate".to_owned(),
    }
}
