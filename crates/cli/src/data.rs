//! `tabiya datagen`: making, checking and converting training data.

mod balance;
mod distil;
mod nodes;
pub(crate) mod play;

use crate::args::{UsageError, failed, failed_in, unreadable};
use crate::interrupt::leave_no_half_file;
use crate::live_line::LiveLine;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use tabiya_lab::data::foreign::{self, ExportFormat, ImportFormat};
use tabiya_lab::data::import::{self, TextFormat};
use tabiya_lab::data::join;
use tabiya_lab::data::positions::{self, Filter, GameStats, PositionStats};
use tabiya_lab::data::record::{CENTIPAWNS, Game, Header, LabelledPosition, Reader, Record};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya datagen play --out self.games --games 10000
  tabiya datagen import teacher-a.txt.xz teacher-b.txt.xz --out teacher.games
  tabiya datagen positions teacher.games --training train.pos --validation validation.pos
  tabiya datagen distil teacher.games --net sf18.nnue --out near.pos
  tabiya datagen nodes teacher.games --net sf18.nnue --out nodes.pos
  tabiya datagen info train.pos
  tabiya datagen verify teacher.games")]
pub(crate) struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(clap::Subcommand)]
enum DataCommand {
    /// Play games of the engine, or of a UCI program, against itself.
    Play(Box<play::PlayArgs>),
    /// Turn games or positions in text (.txt, .csv; .xz, .gz or .zst; `-` for standard input), PGN or
    /// formats of other trainers into record files, checking every move.
    #[command(after_help = "Examples:
  tabiya datagen import teacher.txt.xz --out teacher.games
  tabiya datagen import masters.pgn --format pgn --out masters.games
  tabiya datagen import data.viriformat --format viri --out viri.games
  tabiya datagen import quiet.csv --format positions --out quiet.pos --unit \"pawn = 100\"")]
    Import(ImportArgs),
    /// Write record files as text or in formats of other trainers.
    #[command(after_help = "Examples:
  tabiya datagen export train.pos --format bullet --out train.data
  tabiya datagen export self.games --format viri --out self.viriformat
  tabiya datagen export train.pos --format csv --out train.csv")]
    Export(ExportArgs),
    /// Turn games, or positions made before, into training and validation positions: filtered,
    /// without duplicates, shuffled.
    #[command(after_help = "Examples:
  tabiya datagen positions a.games b.games --training train.pos --validation validation.pos
  tabiya datagen positions a.pos b.pos --training all.pos --validation rest.pos --seed 2")]
    Positions(PositionsArgs),
    /// Make positions near those of games and judge them with a net of Stockfish, without a search.
    Distil(distil::DistilArgs),
    /// Make positions as a search evaluates them, from searches at positions of games, and judge them
    /// with a net of Stockfish.
    Nodes(nodes::NodesArgs),
    /// Keep positions in the shares that training wants: fewer that are won already or have few pieces left.
    Balance(balance::BalanceArgs),
    /// Join the parts of a file that `play --part` or `label --groups` made, here or elsewhere.
    #[command(after_help = "Example:
  tabiya datagen join part-1.games part-2.games --out self.games

The parts may be given in any order; together they must begin with item 0 and leave nothing out.")]
    Join(JoinArgs),
    /// Say what is in a file, with histograms of scores, results and material.
    Info(FileArgs),
    /// Read a whole file, check every block and every move, and say what is in it.
    Verify(FileArgs),
}

#[derive(clap::Args)]
struct ImportArgs {
    /// The files to read.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// The record file to write.
    #[arg(long)]
    out: PathBuf,
    /// `games`: FEN|RESULT|MOVE SCORE ...; `positions`: FEN | SCORE | RESULT, also with commas;
    /// `epd`: with ce and c9; `pgn`: games without scores; `viri`, `bullet`: of other trainers.
    #[arg(long, value_enum, default_value = "games")]
    format: Format,
    /// The unit of the scores, in words.
    #[arg(long, default_value = CENTIPAWNS)]
    unit: String,
    /// Where the data comes from, in words; the names of the inputs if missing.
    #[arg(long)]
    description: Option<String>,
    #[command(flatten)]
    threads: Threads,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    Games,
    Positions,
    Epd,
    Pgn,
    Viri,
    Bullet,
}

#[derive(clap::Args)]
struct ExportArgs {
    /// A game or position file.
    input: PathBuf,
    /// The file to write.
    #[arg(long)]
    out: PathBuf,
    /// `viri`: games; `bullet`, `csv`, `epd`: positions; `text`: either, as `import` reads it.
    #[arg(long, value_enum)]
    format: ExportTo,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ExportTo {
    Viri,
    Bullet,
    Text,
    Csv,
    Epd,
}

/// Positions of games that a teacher judges.
#[derive(clap::Args)]
struct JudgedArgs {
    /// Game files.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// A net of Stockfish 18, written by `tabiya net extract`, or of Stockfish 15.1, written by its
    /// command `export_net`.
    #[arg(long)]
    net: PathBuf,
    /// The position file to write.
    #[arg(long)]
    out: PathBuf,
}

#[derive(clap::Args)]
struct Threads {
    /// Number of threads.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

#[derive(clap::Args)]
struct PositionsArgs {
    /// Game or position files.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// The training positions to write.
    #[arg(long)]
    training: PathBuf,
    /// The validation positions to write; of other games than the training positions.
    #[arg(long)]
    validation: PathBuf,
    /// Drop positions before this ply of the game.
    #[arg(long, default_value_t = Filter::default().min_ply)]
    min_ply: u32,
    /// Drop positions with scores further from zero.
    #[arg(long, default_value_t = Filter::default().max_score)]
    max_score: i16,
    /// Drop positions with fewer pieces.
    #[arg(long, default_value_t = Filter::default().min_pieces)]
    min_pieces: u32,
    /// Drop positions with a higher 50-move count, in plies.
    #[arg(long, default_value_t = Filter::default().max_halfmove_clock)]
    max_halfmove_clock: u16,
    /// Games out of 1000 that become validation positions.
    #[arg(long, default_value_t = Filter::default().validation_permille, value_parser = clap::value_parser!(u32).range(0..=1000))]
    validation_permille: u32,
    /// Seed of the shuffle.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: Threads,
}

#[derive(clap::Args)]
struct JoinArgs {
    /// The parts, in any order.
    #[arg(required = true)]
    parts: Vec<PathBuf>,
    /// The file to write.
    #[arg(long)]
    out: PathBuf,
}

/// Says that a set is smaller than it could be, if somebody stopped the run.
fn say_if_stopped(stop: &AtomicBool) {
    if stop.load(Ordering::Relaxed) {
        println!(
            "stopped early; the file holds what was made until then, another --seed makes more"
        );
    }
}

#[derive(clap::Args)]
struct FileArgs {
    /// A game or position file.
    file: PathBuf,
    #[command(flatten)]
    threads: Threads,
}

pub(crate) fn run(args: &DataArgs) -> anyhow::Result<ExitCode> {
    // These end with what they have.
    let keeps_its_work = matches!(
        args.command,
        DataCommand::Play(_) | DataCommand::Distil(_) | DataCommand::Nodes(_)
    );
    if !keeps_its_work {
        leave_no_half_file()?;
    }
    match &args.command {
        DataCommand::Play(args) => return play::run(args),
        DataCommand::Import(args) => import_files(args)?,
        DataCommand::Export(args) => export(args)?,
        DataCommand::Positions(args) => expand(args)?,
        DataCommand::Distil(args) => distil::run(args)?,
        DataCommand::Nodes(args) => nodes::run(args)?,
        DataCommand::Balance(args) => balance::run(args)?,
        DataCommand::Join(args) => join_parts(args)?,
        DataCommand::Info(args) | DataCommand::Verify(args) => inspect(args)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses to write one file twice, or over what is to be read.
fn keep_apart(inputs: &[PathBuf], outputs: &[&Path]) -> anyhow::Result<()> {
    let same = |a: &Path, b: &Path| {
        a == b
            || std::fs::canonicalize(a)
                .is_ok_and(|a| std::fs::canonicalize(b).is_ok_and(|b| a == b))
    };
    for (index, output) in outputs.iter().enumerate() {
        let others = inputs.iter().map(PathBuf::as_path).chain(outputs[..index].iter().copied());
        if others.into_iter().any(|other| same(other, output)) {
            let reason = "is another file of this command";
            return Err(UsageError(format!("{}: {reason}", output.display())).into());
        }
    }
    Ok(())
}

fn import_files(args: &ImportArgs) -> anyhow::Result<()> {
    keep_apart(&args.inputs, &[&args.out])?;
    let names: Vec<_> = args.inputs.iter().map(|path| file_name(path)).collect();
    let description = args.description.clone().unwrap_or_else(|| names.join(", "));
    let header = Header { score_unit: args.unit.clone(), description };
    let mut progress = LiveLine::new();
    let show = |done: import::ImportProgress| {
        progress.renew_timed(|| format!("{} records, {} positions", done.records, done.positions));
    };
    let threads = args.threads.threads as usize;
    let (inputs, out) = (&args.inputs, &args.out);
    let text = match args.format {
        Format::Games => Ok(TextFormat::Games),
        Format::Positions => Ok(TextFormat::Positions),
        Format::Epd => Ok(TextFormat::Epd),
        Format::Pgn => Err(ImportFormat::Pgn),
        Format::Viri => Err(ImportFormat::Viri),
        Format::Bullet => Err(ImportFormat::Bullet),
    };
    let done = match text {
        Ok(format) => import::run(format, inputs, out, &header, threads, show).map_err(failed)?,
        Err(format) => foreign::import(format, inputs, out, &header, show).map_err(failed)?,
    };
    let size = std::fs::metadata(&args.out)?.len();
    println!(
        "{} records with {} positions in {:.1} s, {:.2} bytes per position",
        done.records,
        done.positions,
        progress.seconds(),
        size as f64 / done.positions.max(1) as f64
    );
    Ok(())
}

fn export(args: &ExportArgs) -> anyhow::Result<()> {
    let format = match args.format {
        ExportTo::Viri => ExportFormat::Viri,
        ExportTo::Bullet => ExportFormat::Bullet,
        ExportTo::Text => ExportFormat::Text,
        ExportTo::Csv => ExportFormat::Csv,
        ExportTo::Epd => ExportFormat::Epd,
    };
    let mut progress = LiveLine::new();
    let show = |records| progress.renew_timed(|| format!("{records} records"));
    let records = foreign::export(format, &args.input, &args.out, show).map_err(failed)?;
    println!("{}: {records} records", args.out.display());
    Ok(())
}

fn expand(args: &PositionsArgs) -> anyhow::Result<()> {
    keep_apart(&args.inputs, &[&args.training, &args.validation])?;
    let filter = Filter {
        min_ply: args.min_ply,
        max_score: args.max_score,
        min_pieces: args.min_pieces,
        max_halfmove_clock: args.max_halfmove_clock,
        validation_permille: args.validation_permille,
    };
    let mut progress = LiveLine::new();
    let expanded = positions::expand(
        &args.inputs,
        filter,
        args.seed,
        args.threads.threads as usize,
        |counts| {
            progress.renew_timed(|| format!("{} games, {} kept", counts.games, counts.training));
        },
    )
    .map_err(failed)?;
    let names: Vec<_> = args.inputs.iter().map(|path| file_name(path)).collect();
    let header = Header {
        score_unit: expanded.header.score_unit,
        description: format!(
            "quiet positions of {} ({}); {filter}, shuffled with seed {}",
            names.join(", "),
            expanded.header.description,
            args.seed
        ),
    };
    if expanded.counts.games == 0 && expanded.counts.validation > 0 {
        progress.keep(
            "warning: the games of these positions are not known: training and validation share some, \
             so the validation loss will be too good",
        );
    }
    positions::write(&args.training, &header, &expanded.training)?;
    positions::write(&args.validation, &header, &expanded.validation)?;
    println!("{}", expanded.counts);
    println!(
        "sigmoid(score / {:.1}) predicts the results best; {:.1} s",
        positions::fit_scale(&expanded.training),
        progress.seconds()
    );
    Ok(())
}

fn join_parts(args: &JoinArgs) -> anyhow::Result<()> {
    let is_games = args.parts.first().map(|path| holds_games(path)).transpose()?;
    let records = if is_games == Some(true) {
        join::run::<Game>(&args.parts, &args.out)
    } else {
        join::run::<LabelledPosition>(&args.parts, &args.out)
    };
    println!("{}: {} records", args.out.display(), records.map_err(failed)?);
    Ok(())
}

fn inspect(args: &FileArgs) -> anyhow::Result<()> {
    let path = &args.file;
    if holds_games(path)? {
        inspect_games(path, args.threads.threads as usize)
    } else {
        inspect_positions(path)
    }
}

/// Whether a record file holds games, by its first bytes.
fn holds_games(path: &Path) -> anyhow::Result<bool> {
    let mut magic = [0; 8];
    std::fs::File::open(path)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut magic))
        .map_err(unreadable(path))?;
    Ok(magic == Game::MAGIC)
}

fn inspect_games(path: &Path, threads: usize) -> anyhow::Result<()> {
    print_header(Reader::<Game>::open(path).map_err(failed_in(path))?.header());
    let mut progress = LiveLine::new();
    let stats = positions::game_stats(&[path.to_owned()], threads, |stats: &GameStats| {
        progress.renew_timed(|| format!("{} games", stats.games));
    })
    .map_err(failed)?;
    println!("{stats}");
    Ok(())
}

fn inspect_positions(path: &Path) -> anyhow::Result<()> {
    let mut reader = Reader::<LabelledPosition>::open(path).map_err(failed_in(path))?;
    print_header(reader.header());
    let mut stats = PositionStats::default();
    let mut progress = LiveLine::new();
    while let Some(block) = reader.next_block().map_err(failed_in(path))? {
        for position in &block {
            stats.add(position);
        }
        progress.renew_timed(|| format!("{} positions", stats.positions));
    }
    println!("{stats}");
    Ok(())
}

/// Reads a number above 0.
pub(crate) fn parse_positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "expected a number above 0".to_string())
}

fn print_header(header: &Header) {
    println!("unit       {}", header.score_unit);
    println!("from       {}", header.description);
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| "-".into(), |name| name.to_string_lossy().into_owned())
}
