//! `tabiya book`: making, looking at and joining opening books.

use crate::args::{UsageError, failed_in, position};
use crate::interrupt;
use crate::live_line::LiveLine;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;
use tabiya_engine::book::Book;
use tabiya_lab::data::book::{self, Analysis, Collection, GameFilter, GameTally};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya book make --pgn games.pgn.gz --min-games 3 --max-ply 24 --out games.bin
  tabiya book make --analyse --nodes 100000 --max-ply 8 --out own.bin
  tabiya book show startpos --book games.bin
  tabiya book merge games.bin own.bin --out both.bin

Books have the Polyglot format. The engine plays from one with the options OwnBook and BookFile.")]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Make a book from games, or from the engine's own analysis.
    #[command(after_help = "Examples:
  tabiya book make --pgn a.pgn --pgn b.pgn.gz --out games.bin
  tabiya book make --analyse --nodes 20000 --max-ply 10 --margin 25 --out own.bin
  tabiya book make --analyse --nodes 20000 --max-ply 10 --margin 25 --out own.bin --resume

From games a move weighs two for each win and one for each draw of whoever played it. Ctrl-C ends an
analysis and writes what is there; with --resume its positions are not analysed again.")]
    Make(MakeArgs),
    /// List the moves of a position with their weights.
    #[command(after_help = "Example:\n  tabiya book show startpos")]
    Show {
        /// The position as FEN.
        #[arg(default_value = "startpos")]
        fen: Vec<String>,
        /// A book; the embedded one if missing.
        #[arg(long)]
        book: Option<PathBuf>,
        /// Read the position as Chess960.
        #[arg(long)]
        chess960: bool,
    },
    /// Join books; the weights of a move are added.
    #[command(after_help = "Example:\n  tabiya book merge a.bin b.bin --out both.bin")]
    Merge {
        /// The books to join.
        #[arg(required = true)]
        books: Vec<PathBuf>,
        /// The book to write.
        #[arg(short, long)]
        out: PathBuf,
    },
}

#[derive(clap::Args)]
struct MakeArgs {
    /// A file of games, also packed (.gz, .xz, .zst); several are read one after the other.
    #[arg(long, required_unless_present = "analyse", conflicts_with = "analyse")]
    pgn: Vec<PathBuf>,
    /// Let the engine analyse the openings.
    #[arg(long)]
    analyse: bool,
    /// The book to write.
    #[arg(short, long)]
    out: PathBuf,
    /// Plies from the start position [default: 24 from games, 8 by analysis].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=400))]
    max_ply: Option<u16>,
    /// Games in which a move must have been played.
    #[arg(long, default_value_t = 3, conflicts_with = "analyse")]
    min_games: u32,
    /// Nodes for each position.
    #[arg(long, default_value_t = 100_000, requires = "analyse",
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Moves to look at in each position.
    #[arg(long, default_value_t = 3, requires = "analyse",
          value_parser = clap::value_parser!(u16).range(1..=218))]
    lines: u16,
    /// Centipawns by which a move may be worse than the best one.
    #[arg(long, default_value_t = 25, requires = "analyse",
          value_parser = clap::value_parser!(i32).range(0..=10_000))]
    margin: i32,
    /// Keep what is in the book already.
    #[arg(long, requires = "analyse")]
    resume: bool,
}

pub(crate) fn run(args: &BookArgs) -> anyhow::Result<ExitCode> {
    match &args.action {
        Action::Make(args) if args.analyse => analyse(args)?,
        Action::Make(args) => from_games(args)?,
        Action::Show { fen, book, chess960 } => show(fen, book.as_deref(), *chess960)?,
        Action::Merge { books, out } => merge(books, out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn open(path: &Path) -> anyhow::Result<Book> {
    Book::open(path).map_err(failed_in(path))
}

fn save(out: &Path, collection: &Collection) -> anyhow::Result<()> {
    let entries = collection.to_entries();
    let nothing = UsageError("no move is left for the book; nothing was written".to_owned());
    anyhow::ensure!(!entries.is_empty(), nothing);
    book::write(out, &entries).with_context(|| out.display().to_string())?;
    println!("{}: {} moves", out.display(), entries.len());
    Ok(())
}

fn from_games(args: &MakeArgs) -> anyhow::Result<()> {
    let filter =
        GameFilter { min_games: args.min_games, max_ply: usize::from(args.max_ply.unwrap_or(24)) };
    let mut tally = GameTally::default();
    for path in &args.pgn {
        book::add_games(&mut tally, path, &filter).map_err(failed_in(path))?;
    }
    eprintln!("{} games, {} skipped", tally.games(), tally.skipped());
    save(&args.out, &tally.to_collection(&filter))
}

fn analyse(args: &MakeArgs) -> anyhow::Result<()> {
    let known = if args.resume && args.out.exists() { Some(open(&args.out)?) } else { None };
    let settings = Analysis {
        nodes: args.nodes,
        max_ply: usize::from(args.max_ply.unwrap_or(8)),
        lines: usize::from(args.lines),
        margin_cp: args.margin,
    };
    let stop = interrupt::flag()?;
    let mut line = LiveLine::new();
    let mut positions = 0_u64;
    let collection = book::analyse(&settings, known.as_ref(), |progress| {
        let seconds = line.seconds();
        line.renew(|| {
            let rate = positions as f64 / seconds.max(0.001);
            let left = (progress.total - progress.done) as f64 / rate.max(0.001);
            format!(
                "ply {}: {} of {} positions, {rate:.1} a second, {seconds:.0} s, this ply {left:.0} s more",
                progress.ply + 1, progress.done, progress.total
            )
        });
        positions += 1;
        !stop.load(Relaxed)
    })?;
    line.clear();
    save(&args.out, &collection)
}

fn show(fen: &[String], book: Option<&Path>, chess960: bool) -> anyhow::Result<()> {
    let board = position(fen, chess960)?;
    let book = book.map_or_else(|| Ok(Book::embedded()), open)?;
    let moves = book.moves(&board);
    if moves.is_empty() {
        println!("not in the book ({} moves)", book.len());
    }
    let total: f64 = moves.iter().map(|(_, weight)| f64::from(*weight)).sum();
    for (mv, weight) in moves {
        let share = 100.0 * f64::from(weight) / total.max(1.0);
        println!("{:8} {weight:6} {share:5.1} %", board.san(mv));
    }
    Ok(())
}

fn merge(books: &[PathBuf], out: &Path) -> anyhow::Result<()> {
    let mut collection = Collection::default();
    for path in books {
        collection.add_book(&open(path)?);
    }
    save(out, &collection)
}
