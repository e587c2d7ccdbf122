//! `tabiya tune spsa`: improves the search's tunables by games.

use super::games::GameArgs;
use crate::arena::usage;
use crate::args::failed;
use crate::interrupt::on_ctrl_c;
use crate::live_line::LiveLine;
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use tabiya_lab::arena::tuning::spsa::{Change, Config, Status};
use tabiya_lab::arena::tuning::{TuningError, is_available};
use tabiya_lab::work::StopSignal;

const EXAMPLES: &str = "\
Needs a build with the feature tune: cargo build --release -p tabiya-cli --features tune

Examples:
  # The reductions, 20000 pairs of games at 5000 nodes a move
  tabiya tune spsa --params 'lmr_*' --nodes 5000 --openings book.epd.gz --iterations 20000 \\
    --concurrency 2 --state lmr.json
  tabiya tune spsa ... --resume          # the same command again continues, also after a kill

  # Everything, with a clock, and the new values into the engine's source when done
  tabiya tune spsa --tc 2+0.02 --openings book.epd.gz --write

Beside the state (lmr.json) lie a plot (lmr.svg) and a table of old and new values (lmr.txt), all
renewed while the run goes on. Exit codes: 0 complete; 130 interrupted by Ctrl-C; 2 wrong usage;
1 failure. Games at fixed nodes make a run reproducible for its seed and concurrency.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct SpsaArgs {
    /// Tunables by name or beginning of names like lmr_* [default: all but switches]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    params: Vec<String>,
    #[command(flatten)]
    games: GameArgs,

    /// Pairs of games to play
    #[arg(short, long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    iterations: u64,
    /// How far a game won more than lost moves the values at the end, in units of their steps
    #[arg(long, default_value_t = 0.002, value_parser = parse_rate)]
    rate: f64,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the run is kept
    #[arg(long, value_name = "FILE", default_value = "spsa.json")]
    state: PathBuf,
    /// Continue the run of the state
    #[arg(long)]
    resume: bool,
    /// Write the new values into the source file when the run is complete
    #[arg(long)]
    write: bool,
    /// That source file
    #[arg(long, value_name = "FILE", default_value = "crates/engine/src/search/params.rs")]
    params_file: PathBuf,
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (1e-9..=1.0).contains(rate));
    rate.ok_or_else(|| "expected a number above 0 and at most 1".to_string())
}

/// Tunes and says through the exit code whether the run is complete.
pub(super) fn run(args: &SpsaArgs) -> anyhow::Result<ExitCode> {
    // Before anything else, since no other mistake matters in such a build.
    if !is_available() {
        return Err(usage(TuningError::Fixed));
    }
    let config = config(args)?;
    let stop = on_ctrl_c(StopSignal::abandon)?;
    let mut line = LiveLine::new();
    let result = config.run(stop, &mut |status| line.renew(|| progress(status)));
    line.clear();
    let (plan, state) = match result {
        Ok(end) => end,
        Err(error @ TuningError::Player(_)) => return Err(error.into()),
        Err(error) => return Err(failed(error)),
    };
    println!("{:24} {:>6} {:>6}  steps", "name", "old", "new");
    for change in state.changes(&plan) {
        let Change { name, old, steps, .. } = change;
        println!("{name:24} {old:>6} {:>6}  {steps:+.2}", change.new_value());
    }
    let games = state.score.games();
    println!(
        "{} of {} iterations, {games} games in {:.0} s",
        state.iteration, plan.iterations, state.seconds
    );
    if state.score.failures > 0 {
        println!("{} games ended with a failure of a player", state.score.failures);
    }
    if state.iteration < plan.iterations {
        println!("stopped; the same command with --resume continues");
        return Ok(ExitCode::from(130));
    }
    if let Some(source) = &config.source {
        println!("written    {}", source.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn config(args: &SpsaArgs) -> anyhow::Result<Config> {
    Ok(Config {
        params: args.params.clone(),
        games: args.games.setup(args.seed)?,
        iterations: args.iterations,
        rate: args.rate,
        seed: args.seed,
        state: args.state.clone(),
        resume: args.resume,
        source: args.write.then(|| args.params_file.clone()),
    })
}

/// One line about a running run.
fn progress(status: &Status) -> String {
    /// Tunables named in it.
    const SHOWN: usize = 4;
    let (state, plan) = (status.state, status.plan);
    let mut line = format!(
        "{} of {} iterations, {} games, {:.2} games/s",
        state.iteration,
        plan.iterations,
        state.score.games(),
        2.0 * status.rate()
    );
    if let Some(remaining) = status.remaining() {
        let minutes = remaining.as_secs().div_ceil(60);
        // Writing to a string cannot fail.
        let _ = write!(line, ", {} h {:02} min left", minutes / 60, minutes % 60);
    }
    for Change { name, value, steps, .. } in state.movers(plan).iter().take(SHOWN) {
        let _ = write!(line, "; {name} {value:.1} ({steps:+.2})");
    }
    line
}
