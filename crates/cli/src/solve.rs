//! `tabiya solve`: suites of test positions.

use crate::args::{UsageError, failed, failed_in};
use crate::interrupt::on_ctrl_c;
use crate::live_line::LiveLine;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use tabiya_lab::arena::solve::{Attempt, SuiteResult, read_suite, solve};
use tabiya_lab::arena::{EngineSpec, Engines};
use tabiya_lab::work::{StopSignal, check_writable, replace};

const EXAMPLES: &str = "\
Examples:
  tabiya solve wac.epd --movetime 1000
  tabiya solve sts.epd --nodes 100000 --engine \"cmd=stockfish option.Threads=1\" --concurrency 2
  tabiya solve mates.epd --depth 12 --verbose --json result.json

The last line is always: <solved> solved of <total>";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SolveArgs {
    /// The suite: an EPD file, also .gz or .zst
    suite: PathBuf,
    /// Who solves: a description as for `tabiya match`
    #[arg(short, long, value_name = "SPEC", default_value = "self")]
    engine: String,
    /// Milliseconds per position [default: 1000 without any limit]
    #[arg(long, value_name = "MS")]
    movetime: Option<u64>,
    /// Nodes per position
    #[arg(long)]
    nodes: Option<u64>,
    /// Depth per position
    #[arg(long)]
    depth: Option<u32>,
    /// Positions at the same time
    #[arg(short, long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Print a line for each position
    #[arg(short, long)]
    verbose: bool,
    /// Write everything to a JSON file (- for standard output, instead of the text)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Solves the suite; exit code 130 when interrupted.
pub(crate) fn run(args: &SolveArgs) -> anyhow::Result<ExitCode> {
    let spec = engine(args)?;
    let problems = read_suite(&args.suite).map_err(failed)?;
    let stop = on_ctrl_c(StopSignal::abandon)?;
    let to_stdout = args.json.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if let Some(path) = args.json.as_ref().filter(|_| !to_stdout) {
        check_writable(path).map_err(failed_in(path))?;
    }
    let mut progress = LiveLine::new();
    let (mut done, mut solved) = (0, 0);
    let mut observe = |attempt: &Attempt| {
        (done, solved) = (done + 1, solved + usize::from(attempt.solved));
        if args.verbose && !to_stdout {
            progress.clear();
            println!("{}", line(attempt));
        }
        let total = problems.len();
        progress.renew(|| format!("{done} of {total} positions, {solved} solved"));
    };
    let concurrency = usize::from(args.concurrency);
    let result = solve(&problems, &spec, &Engines, concurrency, stop, &mut observe);
    progress.clear();
    let result = result.map_err(failed)?;
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(&result)? + "\n";
        if to_stdout {
            std::io::stdout().write_all(text.as_bytes())?;
        } else {
            replace(path, text.as_bytes()).map_err(failed_in(path))?;
        }
    }
    if !to_stdout {
        print!("{}", report(&result));
        std::io::stdout().flush()?;
    }
    Ok(if stop.is_raised() { ExitCode::from(130) } else { ExitCode::SUCCESS })
}

fn engine(args: &SolveArgs) -> anyhow::Result<EngineSpec> {
    let mut shared = Vec::new();
    shared.extend(args.movetime.map(|ms| format!("movetime={}", ms as f64 / 1000.0)));
    shared.extend(args.nodes.map(|nodes| format!("nodes={nodes}")));
    shared.extend(args.depth.map(|depth| format!("depth={depth}")));
    if shared.is_empty() {
        shared.push("movetime=1".to_string());
    }
    EngineSpec::parse(&args.engine, &shared.join(" "))
        .map_err(|error| UsageError(format!("--engine \"{}\": {error}", args.engine)).into())
}

fn line(attempt: &Attempt) -> String {
    let verdict = if attempt.solved { "solved" } else { "failed" };
    let outcome = match (&attempt.chosen, &attempt.failure) {
        (_, Some(failure)) => failure.clone(),
        (Some(chosen), None) => chosen.clone(),
        (None, None) => "no move".to_string(),
    };
    let depth = attempt.depth.map_or("-".to_string(), |depth| depth.to_string());
    format!(
        "{verdict} {}: {outcome} ({}), {} points, depth {depth}, {} nodes, {} ms",
        attempt.id, attempt.wanted, attempt.points, attempt.nodes, attempt.time_ms
    )
}

fn report(result: &SuiteResult) -> String {
    let mut lines = Vec::new();
    if let Some((nodes, ms)) = result.mean_nodes.zip(result.mean_ms) {
        lines.push(format!("mean to solution: {nodes:.0} nodes, {ms:.0} ms\n"));
    }
    if result.failures > 0 {
        lines.push(format!("engine failures: {}\n", result.failures));
    }
    if result.graded {
        let share = f64::from(result.points) / f64::from(result.max_points.max(1)) * 100.0;
        lines.push(format!("{} points of {} ({share:.1} %)\n", result.points, result.max_points));
    }
    lines.push(format!("{} solved of {}\n", result.solved, result.total));
    lines.concat()
}
