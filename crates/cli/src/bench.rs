//! `tabiya bench`: the fingerprint and the speed of the search.

use std::process::ExitCode;
use tabiya_engine::bench;

#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  tabiya bench 12\n\nThe last line is `<nodes> nodes <nps> nps`."
)]
pub(crate) struct BenchArgs {
    /// Iterations per position.
    #[arg(default_value_t = bench::DEFAULT_DEPTH, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
}

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    print(args.depth)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the bench and prints it in the form test frameworks read.
pub(crate) fn print(depth: u32) -> anyhow::Result<()> {
    let result = bench::run(depth, |number, fen, nodes| {
        println!("{number:>2}/{} {nodes:>10}  {fen}", bench::POSITIONS.len());
    })?;
    println!("{} nodes {} nps", result.nodes, result.nps());
    Ok(())
}
