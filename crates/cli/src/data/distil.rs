//! `tabiya datagen distil`: positions near those of games, judged by a net of Stockfish.

use super::{JudgedArgs, Threads};
use crate::args::{failed, failed_in};
use crate::interrupt;
use crate::live_line::LiveLine;
use tabiya_lab::data::distil::{self, DistilConfig};
use tabiya_lab::data::positions::Filter;
use tabiya_lab::data::record::{CENTIPAWNS, Header};
use tabiya_lab::data::teacher::Teacher;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  echo \"export_net sf.nnue\" | stockfish
  tabiya datagen distil teacher.games --net sf.nnue --out near.pos
  tabiya datagen distil teacher.games --net sf.nnue --out more.pos --seed 2
  tabiya train --data train.pos --data near.pos --data more.pos --validation validation.pos \\
      --hidden 512 --king-buckets 4 --output-buckets 8 --out net.nnue

One or two random moves are played in every position; what is quiet then is judged without a search.
Another seed gives other positions. Games that `datagen positions` keeps for validation are left out.")]
pub(crate) struct DistilArgs {
    #[command(flatten)]
    judged: JudgedArgs,
    /// Seed of the random moves.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: Threads,
}

pub(super) fn run(args: &DistilArgs) -> anyhow::Result<()> {
    let teacher = Teacher::open(&args.judged.net).map_err(failed_in(&args.judged.net))?;
    let names: Vec<_> = args.judged.inputs.iter().map(|path| super::file_name(path)).collect();
    let header = Header {
        score_unit: CENTIPAWNS.to_string(),
        description: format!(
            "quiet positions one or two random moves from those of {}, judged by {} ({}), seed {}",
            names.join(", "),
            super::file_name(&args.judged.net),
            teacher.name(),
            args.seed
        ),
    };
    let config = DistilConfig {
        inputs: args.judged.inputs.clone(),
        filter: Filter::default(),
        seed: args.seed,
        threads: args.threads.threads as usize,
    };
    let mut progress = LiveLine::new();
    let stop = interrupt::flag()?;
    let done = distil::run(&config, &teacher, &header, &args.judged.out, stop, |done| {
        progress.renew_timed(|| format!("{} games, {} positions", done.games, done.positions));
    })
    .map_err(failed)?;
    let seconds = progress.seconds();
    println!(
        "{}: {} positions near those of {} games in {seconds:.1} s, {:.0}/s",
        args.judged.out.display(),
        done.positions,
        done.games,
        done.positions as f64 / seconds
    );
    super::say_if_stopped(stop);
    Ok(())
}
