//! `tabiya analyse`: analysis for people without a GUI.

mod json;
mod table;

use crate::args::{self, UsageError};
use crate::board_view;
use crate::interrupt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use tabiya_chess::{Board, openings};
use tabiya_engine::options::OptionError;
use tabiya_engine::{Engine, Event, Limits, SearchResult};
use table::Table;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya analyse --time 5
  tabiya analyse \"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\" --depth 18
  tabiya analyse startpos moves e4 e5 Nf3 --multipv 3 --threads 2 --depth 12
  tabiya analyse game.pgn --ply 24 --time 5
  tabiya analyse --depth 12 --json
  tabiya analyse --depth 12 --stats

Scores and chances are White's: +1.00 is a position that White wins half of the time, -#3 a mate in 3 by
Black. Ctrl-C ends the analysis and shows the best move.")]
pub(crate) struct AnalyseArgs {
    /// A FEN or `startpos`, then perhaps `moves` and moves; or a PGN file
    position: Vec<String>,
    /// The position of a PGN file's first game after this many moves of either side [default: the last]
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Seconds to think
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    /// Iterations
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Nodes to search
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Number of best lines
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    multipv: u16,
    /// Number of threads
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Size of the hash table in megabytes
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// A network file instead of the one inside the program
    #[arg(long, value_name = "FILE")]
    evalfile: Option<PathBuf>,
    /// Folders with Syzygy endgame tables, separated as in PATH
    #[arg(long, value_name = "FOLDERS")]
    syzygy: Option<PathBuf>,
    /// Read castling letters as in Chess960
    #[arg(long)]
    chess960: bool,
    /// One JSON object per line instead of the table; the last one is the result
    #[arg(long)]
    json: bool,
    /// At the end, also tell what the search did: kinds of nodes, cut-offs, what was pruned, where time
    /// went
    #[arg(long, conflicts_with = "json")]
    stats: bool,
}

pub(crate) fn run(args: &AnalyseArgs) -> anyhow::Result<ExitCode> {
    let game = args::game(&args.position, args.ply, args.chess960)?;
    let board = *game.board();
    let limits = limits(args)?;
    let mut engine = engine(args).map_err(|error| UsageError(error.to_string()))?;
    engine.set_game(&game);

    let interrupted = interrupt::flag()?;

    if !args.json {
        println!("{}\n{board}", board_view::draw(&board));
        if let Some(opening) = openings::of_game(&game) {
            println!("{opening}");
        }
        println!("{}", engine.evaluation());
        engine.take_notes().iter().for_each(|note| println!("{note}"));
        println!();
    }
    let lines = usize::from(args.multipv).min(board.legal_moves().len());
    let mut table = Table::new(board, lines);
    if !args.json && lines > 0 {
        Table::head();
    }
    let (sender, events) = channel();
    engine.set_counting(args.stats);
    engine.start(limits, Box::new(sender));
    loop {
        match events.recv_timeout(Duration::from_millis(50)) {
            Ok(Event::Info(info)) if args.json => println!("{}", json::info(&board, &info)),
            Ok(Event::Info(info)) => table.add(&info),
            Ok(Event::Message(text)) => eprintln!("{text}"),
            Ok(Event::Finished(result)) => {
                table.end();
                if args.json {
                    println!("{}", json::result(&board, &result));
                } else {
                    println!("\n{}", verdict(&board, &result));
                }
                if args.stats {
                    let searching = result.time * u32::from(args.threads);
                    print!("\n{}", engine.stats().over(searching));
                }
                return Ok(ExitCode::SUCCESS);
            }
            Err(RecvTimeoutError::Timeout) => table.show_status(!args.json),
            Err(RecvTimeoutError::Disconnected) => {
                anyhow::bail!("the search ended without a result")
            }
        }
        if interrupted.load(Relaxed) {
            engine.stop();
        }
    }
}

fn engine(args: &AnalyseArgs) -> Result<Engine, OptionError> {
    let hash_mb = args.hash as usize;
    let mut engine =
        Engine::new(hash_mb).map_err(|error| OptionError::Failed("--hash", error.to_string()))?;
    engine.configure(|config| {
        config.threads = usize::from(args.threads);
        config.multi_pv = usize::from(args.multipv);
        config.move_overhead = Duration::ZERO;
        config.analyse_mode = true;
        config.eval_file = args.evalfile.clone().unwrap_or_default();
        config.syzygy_path = args.syzygy.clone().unwrap_or_default().into_os_string();
    })?;
    Ok(engine)
}

/// Without a limit the search goes on until it knows everything, or somebody has enough.
fn limits(args: &AnalyseArgs) -> anyhow::Result<Limits> {
    let move_time = match args.time {
        None => None,
        Some(seconds) => Some(
            Duration::try_from_secs_f64(seconds)
                .map_err(|error| UsageError(format!("--time {seconds}: {error}")))?,
        ),
    };
    Ok(Limits { move_time, depth: args.depth, nodes: args.nodes, ..Limits::default() })
}

fn verdict(board: &Board, result: &SearchResult) -> String {
    let score = result.score.white_view(board.side_to_move()).in_pawns();
    match result.best {
        Some(best) => format!("best move: {}   ({score})", board.san(best)),
        None if board.in_check() => format!("checkmate: {:?} has won", !board.side_to_move()),
        None => "stalemate: a draw".to_owned(),
    }
}
