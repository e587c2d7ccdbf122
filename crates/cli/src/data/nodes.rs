//! `tabiya datagen nodes`: positions as a search evaluates them, judged by a net of Stockfish.

use super::{JudgedArgs, Threads, parse_positive};
use crate::args::{failed, failed_in};
use crate::interrupt;
use crate::live_line::LiveLine;
use std::path::PathBuf;
use tabiya_engine::eval::Evaluation;
use tabiya_lab::data::nodes::{self, NodesConfig};
use tabiya_lab::data::positions::Filter;
use tabiya_lab::data::record::{CENTIPAWNS, Header, Kind};
use tabiya_lab::data::teacher::Teacher;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya net extract package/bin/stockfish-18-single.wasm --out sf18.nnue
  tabiya datagen nodes teacher.games --net sf18.nnue --out nodes.pos
  tabiya datagen nodes teacher.games --net sf18.nnue --out more.pos --seed 2
  tabiya datagen nodes self.games --net sf18.nnue --out noisy.pos --only noisy --limit 1000000

Short searches of the own engine start at positions of games, or up to two random moves on. Of the
positions they evaluate a fair sample is kept and judged without a search; each says whether it is
quiet or noisy. Games that `datagen positions` keeps for validation are left out.")]
pub(crate) struct NodesArgs {
    #[command(flatten)]
    judged: JudgedArgs,
    /// Seed of roots, random moves and samples.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Searches for each game, on average.
    #[arg(long, default_value_t = 12.0, value_parser = parse_positive)]
    per_game: f64,
    /// Nodes of each search.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    nodes: u64,
    /// Positions kept of each search, at most.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    samples: u16,
    /// Keep only positions where nobody can win material at once, or only the others.
    #[arg(long, value_enum)]
    only: Option<Only>,
    /// Choose roots without regard to material and score.
    #[arg(long)]
    unbalanced: bool,
    /// Drop positions with scores further from zero.
    #[arg(long, default_value_t = 3000)]
    max_score: i16,
    /// Stop after so many positions.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// A net for the searches; else the one inside the program.
    #[arg(long)]
    evalfile: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Only {
    Quiet,
    Noisy,
}

pub(super) fn run(args: &NodesArgs) -> anyhow::Result<()> {
    let teacher = Teacher::open(&args.judged.net).map_err(failed_in(&args.judged.net))?;
    let evaluation = match &args.evalfile {
        Some(path) => Evaluation::from_file(path).map_err(failed)?,
        None => Evaluation::embedded(),
    };
    let names: Vec<_> = args.judged.inputs.iter().map(|path| super::file_name(path)).collect();
    let only = match args.only {
        Some(Only::Quiet) => "quiet ",
        Some(Only::Noisy) => "noisy ",
        None => "",
    };
    let header = Header {
        score_unit: CENTIPAWNS.to_string(),
        description: format!(
            "{only}nodes of {}-node searches ({evaluation}) from positions of {}, {} a game, {} each, \
             judged by {} ({}), seed {}{}",
            args.nodes,
            names.join(", "),
            args.per_game,
            args.samples,
            super::file_name(&args.judged.net),
            teacher.name(),
            args.seed,
            if args.unbalanced { ", unbalanced" } else { "" }
        ),
    };
    let config = NodesConfig {
        inputs: args.judged.inputs.clone(),
        filter: Filter { min_pieces: 3, max_score: args.max_score, ..Filter::default() },
        seed: args.seed,
        per_game: args.per_game,
        nodes: args.nodes,
        samples: args.samples as usize,
        only: args.only.map(|only| match only {
            Only::Quiet => Kind::Quiet,
            Only::Noisy => Kind::Noisy,
        }),
        is_balanced: !args.unbalanced,
        limit: args.limit,
        evaluation,
        threads: args.threads.threads as usize,
    };
    let mut progress = LiveLine::new();
    let stop = interrupt::flag()?;
    let done = nodes::run(&config, Some(&teacher), &header, &args.judged.out, stop, |done| {
        let rate = done.positions as f64 / progress.seconds();
        progress.renew_timed(|| {
            format!("{} games, {} positions, {rate:.0}/s", done.games, done.positions)
        });
    })
    .map_err(failed)?;
    let seconds = progress.seconds();
    println!(
        "{}: {} positions ({:.1} % quiet) of {} evaluated in {} searches in {} games, {:.1} s, {:.0}/s",
        args.judged.out.display(),
        done.positions,
        100.0 * done.quiet as f64 / done.positions.max(1) as f64,
        done.evaluated,
        done.searches,
        done.games,
        seconds,
        done.positions as f64 / seconds
    );
    super::say_if_stopped(stop);
    Ok(())
}
