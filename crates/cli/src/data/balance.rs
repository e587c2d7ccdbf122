//! `tabiya datagen balance`: positions in the shares that training wants.

use crate::args::failed;
use crate::live_line::LiveLine;
use std::path::PathBuf;
use tabiya_lab::data::balance;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya datagen balance near.pos --out balanced.pos
  tabiya datagen balance train.pos --out some.pos --seed 2

Each position is kept by chance: all of those with 16 pieces and a score below 200 centipawns, three of four
with all pieces, one of five of the barest endings, and of positions that are won already between a half
(at 400 centipawns) and a seventh (beyond 1000).")]
pub(crate) struct BalanceArgs {
    /// A position file.
    input: PathBuf,
    /// The position file to write.
    #[arg(long)]
    out: PathBuf,
    /// Seed of the choice.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(args: &BalanceArgs) -> anyhow::Result<()> {
    super::keep_apart(std::slice::from_ref(&args.input), &[&args.out])?;
    let mut progress = LiveLine::new();
    let done = balance::run(&args.input, args.seed, &args.out, |done| {
        progress.renew_timed(|| format!("{} positions, {} kept", done.read, done.kept));
    })
    .map_err(failed)?;
    drop(progress);
    println!("{}: {} of {} positions", args.out.display(), done.kept, done.read);
    Ok(())
}
