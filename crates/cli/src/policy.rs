//! `tabiya policy`: the policy net's files, and what it says about a position.

#[cfg(feature = "lab")]
mod accuracy;

use crate::args::{UsageError, failed_in, position};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tabiya_engine::files::read_regular;
use tabiya_engine::policy::{GameHistory, Policy, Proposal};
use tabiya_nn::policy::gguf::{FILE_LIMIT, Gguf, Kind};
use tabiya_nn::policy::input::Skill;
use tabiya_nn::policy::{PolicyNet, Weights};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tabiya policy info net.gguf\n  tabiya policy verify net.gguf\n  \
                  tabiya policy show startpos --elo 1400 --elo 2000 --file net.gguf"
)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Show metadata and tensors of a file, or of the embedded net.
    Info {
        /// Every tensor in a line of its own.
        #[arg(long)]
        all: bool,
        /// A policy net (GGUF); the embedded one if missing.
        file: Option<PathBuf>,
    },
    /// Check a file in full and say whether it can be used.
    Verify {
        /// A policy net (GGUF).
        file: PathBuf,
    },
    /// Write the embedded net to a file.
    Export {
        /// The file to write; it must not exist.
        file: PathBuf,
    },
    /// Show how likely each move is, for the strongest player and for people of given ratings.
    Show {
        /// `startpos` or a FEN.
        position: Vec<String>,
        /// A rating (lichess scale); may be given several times.
        #[arg(long = "elo", value_name = "RATING")]
        ratings: Vec<u32>,
        /// A policy net (GGUF); the embedded one if missing.
        #[arg(long)]
        file: Option<PathBuf>,
        /// Moves to show.
        #[arg(long, default_value_t = 12)]
        moves: usize,
        /// Castling is written as king takes own rook.
        #[arg(long)]
        chess960: bool,
    },
    /// Measure how often a net names the move that was played, on games it has not seen.
    #[cfg(feature = "lab")]
    Accuracy(accuracy::AccuracyArgs),
}

pub(crate) fn run(args: &PolicyArgs) -> anyhow::Result<ExitCode> {
    match &args.action {
        Action::Info { file, all } => match file {
            Some(path) => info(&read(path)?, &path.display().to_string(), *all)?,
            None if Policy::embedded_bytes().is_empty() => {
                println!("no policy net is embedded");
            }
            None => info(Policy::embedded_bytes(), "the embedded policy net", *all)?,
        },
        Action::Verify { file } => {
            let net = PolicyNet::load(&read(file)?).map_err(failed_in(file))?;
            println!("{}: good, id {:016x}", file.display(), net.id());
        }
        Action::Export { file } => export(file)?,
        #[cfg(feature = "lab")]
        Action::Accuracy(args) => return accuracy::run(args),
        Action::Show { position: words, ratings, file, moves, chess960 } => {
            show(words, ratings, file.as_deref(), *moves, *chess960)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    read_regular(file, FILE_LIMIT).map_err(failed_in(file))
}

fn info(bytes: &[u8], name: &str, all: bool) -> anyhow::Result<()> {
    let wrong = |error| UsageError(format!("{name}: {error}"));
    let file = Gguf::read(bytes).map_err(wrong)?;
    let width = file.metadata.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    for (key, value) in &file.metadata {
        println!("{key:<width$}  {value}");
    }
    if all {
        println!();
        let width = file.tensors.iter().map(|tensor| tensor.name.len()).max().unwrap_or(0);
        for tensor in &file.tensors {
            println!("{:<width$}  {}", tensor.name, tensor.describe());
        }
    }
    println!();
    let (config, weights) = Weights::from_gguf(bytes).map_err(wrong)?;
    let ternary = file.tensors.iter().filter(|tensor| tensor.kind == Kind::Tq2);
    let numbers = |tensor: &tabiya_nn::policy::gguf::Tensor| tensor.dims.iter().product::<usize>();
    println!(
        "{} tensors, {:.2} M parameters, {:.2} M of them ternary, {:.2} M in blocks, {:.2} MB",
        file.tensors.len(),
        file.tensors.iter().map(numbers).sum::<usize>() as f64 / 1e6,
        ternary.map(numbers).sum::<usize>() as f64 / 1e6,
        config.block_weights() as f64 / 1e6,
        bytes.len() as f64 / 1e6,
    );
    let codes = || {
        weights.blocks.iter().flat_map(|block| {
            let linear = [&block.q, &block.k, &block.v, &block.gate, &block.up].map(|l| &l.matrix);
            linear.into_iter().chain([&block.o, &block.down]).flat_map(|matrix| &matrix.codes)
        })
    };
    let zeros = codes().filter(|code| **code == 0).count();
    println!(
        "{:.1} % of the block weights are zero",
        100.0 * zeros as f64 / codes().count() as f64
    );
    Ok(())
}

fn export(file: &Path) -> anyhow::Result<()> {
    if Policy::embedded_bytes().is_empty() {
        return Err(UsageError("no policy net is embedded".to_owned()).into());
    }
    let mut output = std::fs::File::create_new(file).map_err(failed_in(file))?;
    std::io::Write::write_all(&mut output, Policy::embedded_bytes()).map_err(failed_in(file))?;
    println!("wrote {}", file.display());
    Ok(())
}

fn show(
    words: &[String],
    ratings: &[u32],
    file: Option<&Path>,
    moves: usize,
    chess960: bool,
) -> anyhow::Result<()> {
    let board = position(words, chess960)?;
    let net = match file {
        Some(path) => Policy::from_file(path).map_err(failed_in(path))?,
        None => Policy::embedded().ok_or_else(|| {
            UsageError("no policy net is embedded; name one with --file".to_owned())
        })?,
    };
    let mut policy = Policy::new(net);
    let line = GameHistory::from_board(&board);
    let mut ask = |skill| -> anyhow::Result<Proposal> {
        let broken = || UsageError("the policy net gives numbers that are not finite".to_owned());
        Ok(policy.ask(&line, skill).ok_or_else(broken)?)
    };
    let strong = ask(Skill::ENGINE)?;
    let people = ratings
        .iter()
        .map(|rating| ask(Skill::of_rating(*rating)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    if strong.moves.is_empty() {
        println!("there is no legal move");
        return Ok(());
    }
    print!("{:<8}{:>8}", "move", "strong");
    for rating in ratings {
        print!("{rating:>8}");
    }
    println!();
    // The likeliest moves of anyone.
    let top =
        |mv| people.iter().map(|proposal| proposal.chance(mv)).fold(strong.chance(mv), f32::max);
    let mut shown: Vec<_> = strong.moves.iter().map(|known| known.mv).collect();
    shown.sort_by(|a, b| top(*b).total_cmp(&top(*a)));
    shown.truncate(moves.max(1));
    shown.sort_by(|a, b| strong.chance(*b).total_cmp(&strong.chance(*a)));
    for mv in shown {
        print!("{:<8}", board.san(mv));
        for proposal in std::iter::once(&strong).chain(&people) {
            print!("{:>7.1}%", 100.0 * proposal.chance(mv));
        }
        println!();
    }
    if let Some([win, draw, loss]) = strong.wdl.map(|wdl| wdl.map(|x| 100.0 * x)) {
        println!("\nside to move: win {win:.1} %, draw {draw:.1} %, loss {loss:.1} %");
    }
    Ok(())
}
