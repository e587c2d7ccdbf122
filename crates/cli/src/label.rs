//! `tabiya label`: new scores for games or positions.

use crate::args::{UsageError, failed};
use crate::data::play::{PlayerArgs, parse_share};
use crate::interrupt::on_ctrl_c;
use crate::live_line::LiveLine;
use std::path::PathBuf;
use std::process::ExitCode;
use tabiya_lab::arena::Engines;
use tabiya_lab::data::label::{InputKind, LabelConfig, LabelProgress, LabelRun, Sampling};
use tabiya_lab::data::positions::{Filter, Split};
use tabiya_lab::work::{self, StopSignal};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya label self.games --out rescored.games --nodes 20000
  tabiya label train.pos --out deep.pos --depth 8 \\
      --teacher \"cmd=/usr/games/stockfish option.Hash=16\"
  tabiya label masters.pgn --out masters.pos --skip-plies 16 --sample 0.2 --quiet --depth 10
  tabiya label masters.pgn --part validation --out validation.pos --depth 10
  tabiya label masters.pgn --to games --out masters.games --depth 10

The input is a file of games or positions, PGN (.pgn, .pgn.gz, ...), or text with a FEN, EPD or
`FEN | SCORE | RESULT` per line. Results are kept; a position without one gets the result its score
suggests. --part makes training and validation sets that share no game, the same games as
`datagen positions` would choose. Ctrl-C stops; after that or after any crash --resume goes on.")]
pub(crate) struct LabelArgs {
    /// Games, positions, PGN, EPD or FEN.
    input: PathBuf,
    /// The file to write.
    #[arg(long)]
    out: PathBuf,
    /// Only groups FROM to TO, counted from 0 without TO, of games or of 64 positions: `datagen join` joins
    /// such parts.
    #[arg(long, value_name = "FROM..TO")]
    groups: Option<work::Part>,
    /// Continue the file if it exists.
    #[arg(long)]
    resume: bool,
    /// What to write; positions, but games from a file of games, if missing.
    #[arg(long, value_enum)]
    to: Option<Output>,
    #[command(flatten)]
    player: PlayerArgs,
    /// Positions a teacher is asked about in advance; 1 for programs that cannot queue.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=64))]
    pipeline: u16,
    /// Tell the teacher to castle as in Chess960.
    #[arg(long, requires = "teacher")]
    chess960: bool,
    /// Leave out the first plies of games.
    #[arg(long, default_value_t = 0)]
    skip_plies: u32,
    /// Label this share of the positions, chosen at random.
    #[arg(long, default_value_t = 1.0, value_parser = parse_share)]
    sample: f64,
    /// Leave out positions of games in check or with a capture or promotion as the next move.
    #[arg(long)]
    quiet: bool,
    /// Seed of the choice.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Label only the games for training or only those for validation.
    #[arg(long, value_enum)]
    part: Option<SplitName>,
    /// Games out of 1000 that are for validation.
    #[arg(long, default_value_t = Filter::default().validation_permille, requires = "part", value_parser = clap::value_parser!(u32).range(0..=1000))]
    validation_permille: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Output {
    Games,
    Positions,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum SplitName {
    Training,
    Validation,
}

impl From<SplitName> for Split {
    fn from(name: SplitName) -> Self {
        match name {
            SplitName::Training => Self::Training,
            SplitName::Validation => Self::Validation,
        }
    }
}

pub(crate) fn run(args: &LabelArgs) -> anyhow::Result<ExitCode> {
    let kind = InputKind::of(&args.input).map_err(failed)?;
    let to = args.to.unwrap_or(match kind {
        InputKind::Games => Output::Games,
        _ => Output::Positions,
    });
    let chosen = args.skip_plies > 0 || args.sample < 1.0 || args.quiet || args.part.is_some();
    if to == Output::Games && chosen {
        let text = "games are labelled whole: --skip-plies, --sample, --quiet and --part need --to \
                    positions";
        return Err(UsageError(text.to_string()).into());
    }
    let player = args.player.spec()?;
    let config = LabelConfig {
        score_unit: args.player.score_unit(&player),
        player,
        concurrency: args.player.concurrency(),
        in_flight: usize::from(args.pipeline),
        chess960: args.chess960,
        groups: args.groups,
    };
    let run = LabelRun {
        config: &config,
        input: &args.input,
        output: &args.out,
        resume: args.resume,
        factory: &Engines,
        stop: on_ctrl_c(StopSignal::raise)?,
    };
    let mut line = LiveLine::new();
    let show = |progress: &LabelProgress| line.renew(|| describe(progress));
    let done = match to {
        Output::Games => run.games(show),
        Output::Positions => {
            let sampling = Sampling {
                skip_plies: args.skip_plies,
                quiet: args.quiet,
                share: args.sample,
                seed: args.seed,
                split: args.part.map(|split| (split.into(), args.validation_permille)),
            };
            run.positions(&sampling, show)
        }
    };
    let done = done.map_err(failed)?;
    line.clear();
    println!(
        "{}: {} records; {} records with {} positions in {:.1} s, {:.0} positions/s",
        args.out.display(),
        done.records,
        done.labelled,
        done.positions,
        done.elapsed.as_secs_f64(),
        done.rate()
    );
    if !done.complete {
        println!("stopped early; --resume goes on");
    }
    Ok(if done.complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn describe(progress: &LabelProgress) -> String {
    let expected = progress.expected.map_or_else(String::new, |total| format!("/{total}"));
    let left = progress
        .left()
        .map_or_else(String::new, |left| format!(", {:.0} min left", left.as_secs_f64() / 60.0));
    format!(
        "{}{expected} records, {} positions, {:.0}/s, {:.0} s{left}",
        progress.records,
        progress.positions,
        progress.rate(),
        progress.elapsed.as_secs_f64()
    )
}
