//! `tabiya bench`: the fingerprint and the speed of the search.

use crate::args::UsageError;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use tabiya_engine::TableError;
use tabiya_engine::bench;
use tabiya_engine::eval::Evaluation;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tabiya bench 12\n  tabiya bench 8 --json\n  tabiya bench 10 --stats\n  tabiya bench 11 --evalfile my.nnue\n\nThe last line is `<nodes> nodes <nps> nps`."
)]
pub(crate) struct BenchArgs {
    /// Iterations per position.
    #[arg(default_value_t = bench::DEFAULT_DEPTH, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
    /// Force the kernels of an instruction set: scalar, avx2, avx512, avx512vnni, neon.
    #[arg(long, hide = true)]
    kernel: Option<String>,
    /// Use the classical evaluation.
    #[arg(long)]
    classical: bool,
    /// Use the network of this file.
    #[arg(long, value_name = "FILE", conflicts_with = "classical")]
    evalfile: Option<PathBuf>,
    /// A JSON object instead of the table.
    #[arg(long)]
    json: bool,
    /// Also count what the searches did: kinds of nodes, cut-offs, what was pruned, where time went.
    #[arg(long, conflicts_with = "json")]
    stats: bool,
}

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let mut evaluation = match &args.evalfile {
        Some(path) => Evaluation::from_file(path).map_err(|error| UsageError(error.to_string()))?,
        None if args.classical => Evaluation::Classical,
        None => Evaluation::embedded(),
    };
    if let Some(name) = &args.kernel {
        evaluation = evaluation
            .with_kernels(name)
            .ok_or_else(|| UsageError(format!("this machine has no '{name}' kernels")))?;
    }
    if args.json {
        print_json(args.depth, &evaluation)?;
    } else if args.stats {
        print_stats(args.depth, &evaluation)?;
    } else {
        print(args.depth, &evaluation, &AtomicBool::new(false), |line| println!("{line}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the bench and says what test frameworks read, line by line, unless it is stopped.
pub(crate) fn print(
    depth: u32,
    evaluation: &Evaluation,
    stop: &AtomicBool,
    say: impl Fn(&str),
) -> Result<(), TableError> {
    say(&format!("evaluation: {evaluation}"));
    let result = bench::run_until(depth, evaluation, stop, |number, fen, nodes| {
        say(&format!("{number:>2}/{} {nodes:>10}  {fen}", bench::POSITIONS.len()));
    })?;
    if let Some(result) = result {
        say(&format!("{} nodes {} nps", result.nodes, result.nps()));
    }
    Ok(())
}

/// The effective branching factor is the depth-th root of the nodes, its mean over the positions by
/// logarithms.
fn print_stats(depth: u32, evaluation: &Evaluation) -> Result<(), TableError> {
    println!("evaluation: {evaluation}");
    let mut logarithms = 0.0;
    let counted = bench::run_counted(depth, evaluation, &AtomicBool::new(false), |_, _, nodes| {
        logarithms += (nodes.max(1) as f64).ln();
    })?;
    let (result, stats) = counted.expect("nobody stops it");
    println!("{stats}");
    let factor = (logarithms / bench::POSITIONS.len() as f64 / f64::from(depth)).exp();
    println!("effective branching factor {factor:.2} at depth {depth}");
    println!("{} nodes {} nps", result.nodes, result.nps());
    Ok(())
}

fn print_json(depth: u32, evaluation: &Evaluation) -> anyhow::Result<()> {
    let mut positions = Vec::new();
    let result = bench::run(depth, evaluation, |_, fen, nodes| {
        positions.push(serde_json::json!({ "fen": fen, "nodes": nodes }));
    })?;
    let report = serde_json::json!({
        "depth": depth,
        "evaluation": evaluation.to_string(),
        "nodes": result.nodes,
        "nps": result.nps(),
        "positions": positions,
    });
    println!("{report}");
    Ok(())
}
