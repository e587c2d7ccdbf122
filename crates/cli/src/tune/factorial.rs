//! `tabiya tune factorial`: what each of many choices is worth.

use super::games::GameArgs;
use crate::arena::usage;
use crate::args::failed;
use crate::interrupt::on_ctrl_c;
use crate::live_line::LiveLine;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tabiya_lab::arena::tuning::factorial::{Config, Effect, Factor};
use tabiya_lab::arena::tuning::{Score, TuningError, is_available};
use tabiya_lab::work::StopSignal;

const EXAMPLES: &str = "\
Needs a build with the feature tune: cargo build --release -p tabiya-cli --features tune

Examples:
  # Three choices at once, 1000 pairs of games at 30000 nodes a move
  tabiya tune factorial --factor see_pruning=0 --factor lmr_base=700:1000 --factor rfp_limit=12 \\
    --nodes 30000 --openings book.epd.gz --pairs 1000 --concurrency 2 --state three.json
  tabiya tune factorial ... --resume     # the same command again continues, also after a kill

In every pair of games one side draws low or high for each factor and the other side gets the
opposite. A linear regression over all pairs gives the worth of high over low in Elo with its standard
error, drawn towards zero by --prior. Exit codes: 0 complete; 130 interrupted by Ctrl-C; 2 wrong
usage; 1 failure.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct FactorialArgs {
    /// A tunable and two values; with one value the other is the default
    #[arg(long = "factor", value_name = "NAME=[LOW:]HIGH")]
    factors: Vec<String>,
    #[command(flatten)]
    games: GameArgs,

    /// Pairs of games to play
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pairs: u64,
    /// How large effects are expected to be, in Elo; 0 for no expectation
    #[arg(long, value_name = "ELO", default_value_t = 7.0, value_parser = parse_prior)]
    prior: f64,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the run is kept
    #[arg(long, value_name = "FILE", default_value = "factorial.json")]
    state: PathBuf,
    /// Continue the run of the state
    #[arg(long)]
    resume: bool,
}

fn parse_prior(text: &str) -> Result<f64, String> {
    let prior = text.parse().ok().filter(|prior| (0.0..=1000.0).contains(prior));
    prior.ok_or_else(|| "expected a number from 0 to 1000".to_string())
}

/// Plays and prints a table, the largest effects first.
pub(super) fn run(args: &FactorialArgs) -> anyhow::Result<ExitCode> {
    // Before anything else, since no other mistake matters in such a build.
    if !is_available() {
        return Err(usage(TuningError::Fixed));
    }
    if args.factors.is_empty() {
        return Err(usage("factors: give at least one with --factor NAME=HIGH"));
    }
    let factors: Result<Vec<Factor>, TuningError> =
        args.factors.iter().map(|text| Factor::parse(text)).collect();
    let config = Config {
        factors: factors.map_err(usage)?,
        games: args.games.setup(args.seed)?,
        pairs: args.pairs,
        seed: args.seed,
        state: args.state.clone(),
        resume: args.resume,
    };
    let stop = on_ctrl_c(StopSignal::abandon)?;
    let mut line = LiveLine::new();
    let mut first = None;
    let result = config.run(stop, &mut |scores, elapsed| {
        let before = *first.get_or_insert(scores.len() - 1);
        let rate = (scores.len() - before) as f64 / elapsed.as_secs_f64().max(1e-3);
        let minutes = (config.pairs - scores.len() as u64) as f64 / rate / 60.0;
        line.renew(|| {
            let (done, all) = (scores.len(), config.pairs);
            format!("{done} of {all} pairs, {:.2} games/s, {minutes:.0} min left", 2.0 * rate)
        });
    });
    line.clear();
    let scores = match result {
        Ok(scores) => scores,
        Err(error @ (TuningError::Player(_) | TuningError::Lost(_))) => return Err(error.into()),
        Err(error) => return Err(failed(error)),
    };
    print_effects(&config, &scores, args.prior);
    if (scores.len() as u64) < config.pairs {
        println!("stopped; the same command with --resume continues");
        return Ok(ExitCode::from(130));
    }
    Ok(ExitCode::SUCCESS)
}

fn print_effects(config: &Config, scores: &[Score], prior: f64) {
    let effects = config.effects(scores, prior);
    let mut rows: Vec<(&Factor, &Effect)> = config.factors.iter().zip(&effects).collect();
    rows.sort_by(|(_, a), (_, b)| b.elo.total_cmp(&a.elo));
    println!("{:24} {:>7} {:>7} {:>8} {:>6}", "factor", "low", "high", "Elo", "error");
    for (Factor { param, low, high }, Effect { elo, error }) in rows {
        println!("{:24} {low:>7} {high:>7} {elo:>+8.1} {error:>6.1}", param.name);
    }
    let failures: u64 = scores.iter().map(|score| score.failures).sum();
    println!("{} pairs of games; the error is one standard error", scores.len());
    if failures > 0 {
        println!("{failures} games ended with a failure of a player");
    }
}
