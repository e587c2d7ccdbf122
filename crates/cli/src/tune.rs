//! `tabiya tune`: fits the engine's numbers to data and games.

mod factorial;
mod games;
mod spsa;
mod wdl;

use crate::interrupt;
use crate::live_line::LiveLine;
use clap::{Args, Subcommand};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use tabiya_lab::tune::texel::{self, TexelProgress};

/// Fits the engine's numbers to data or games.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  tabiya tune texel --help")]
pub(crate) struct TuneArgs {
    #[command(subcommand)]
    method: Method,
}

#[derive(Subcommand, Debug)]
enum Method {
    /// Fits the weights of the hand-crafted evaluation to the results of games.
    #[command(
        after_help = "Example:\n  tabiya tune texel games-a.csv.gz games-b.csv.gz --output weights.rs"
    )]
    Texel(TexelArgs),
    /// Improves the search's tunables by games of the engine against itself.
    Spsa(spsa::SpsaArgs),
    /// Tells what each of many choices of the search is worth, all by the same games.
    Factorial(factorial::FactorialArgs),
    /// Fits the chances to win, draw and lose to games.
    Wdl(wdl::WdlArgs),
}

#[derive(Args, Debug)]
struct TexelArgs {
    /// Labelled quiet positions: gzip files of `fen;result` or `fen;result;score` lines.
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// The file to write, usually crates/engine/src/eval/hce/weights.rs.
    #[arg(long)]
    output: PathBuf,
    /// Steps of the final descent.
    #[arg(long, default_value_t = 1000)]
    steps: usize,
    /// Steps of each trial that chooses the blend of result and score.
    #[arg(long, default_value_t = 150)]
    trial_steps: usize,
    /// Size of the first steps in centipawns.
    #[arg(long, default_value_t = 1.5)]
    rate: f64,
    /// Strength of the pull towards the current weights.
    #[arg(long, default_value_t = 1e-9)]
    pull: f64,
    /// Threads; they do not change the fit.
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

/// Runs the chosen method.
pub(crate) fn run(args: &TuneArgs) -> anyhow::Result<ExitCode> {
    match &args.method {
        Method::Texel(args) => texel(args).map(|()| ExitCode::SUCCESS),
        Method::Spsa(args) => spsa::run(args),
        Method::Factorial(args) => factorial::run(args),
        Method::Wdl(args) => wdl::run(args),
    }
}

fn texel(args: &TexelArgs) -> anyhow::Result<()> {
    let stop = interrupt::flag()?;
    let options = texel::Options {
        data: args.data.clone(),
        steps: args.steps,
        trial_steps: args.trial_steps,
        rate: args.rate,
        pull: args.pull,
        threads: args.threads,
    };
    let mut line = LiveLine::new();
    let report = texel::run(&options, &mut |progress| {
        line.renew_timed(|| describe(&progress));
        if stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    line.clear();
    anyhow::ensure!(!stop.load(Ordering::Relaxed), "stopped; nothing was written");

    println!("positions  {} to learn from, {} held out", report.positions[0], report.positions[1]);
    println!("steepness  {:.3}, of the scores {:.3}", report.steepness, report.score_steepness);
    for (share, loss) in &report.trials {
        println!("trial      WDL weight {share:.2}: held-out loss {loss:.6}");
    }
    println!("target     WDL weight {:.2}", report.wdl_weight);
    for (name, [training, held_out]) in [("before", report.before), ("after", report.after)] {
        println!("{name:10} loss {training:.6}, held out {held_out:.6}");
    }
    texel::write_weights(&args.output, &report.weights)?;
    println!("written    {}", args.output.display());
    Ok(())
}

fn describe(progress: &TexelProgress) -> String {
    let TexelProgress { wdl_weight, step, steps, loss } = progress;
    format!("WDL weight {wdl_weight:.2}, step {step} of {steps}, loss {loss:.6}")
}
