//! `tabiya annotate`: whole games, readable reports.

use crate::args::UsageError;
use crate::game_files::{self, GameFileArgs};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use tabiya_lab::analyst::annotate::{Annotator, Format};

/// Nodes per position if nothing else is asked for.
const DEFAULT_NODES: u64 = 100_000;

const EXAMPLES: &str = "\
Examples:
  # My game, with a report to look at
  tabiya annotate game.pgn --output annotated.pgn --html report.html

  # A tournament on two threads; after an interruption the same command with --resume continues
  tabiya annotate games.pgn.gz --nodes 20000 --threads 2 --output out.pgn --json out.jsonl

  # Is it true? Every remark is checked again by a deeper search
  tabiya annotate games.pgn --nodes 20000 --prove proofs.jsonl

  # The second of four machines
  tabiya annotate games.pgn --shard 2/4 --output part-2.pgn

Without a limit every position gets 100,000 nodes. Without an output the annotated games go to standard output. The forms, the rules behind the marks and the
JSON schema are described in docs/ANALYST.md. Ctrl-C stops after the running positions, twice at once.";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AnnotateArgs {
    #[command(flatten)]
    files: GameFileArgs,
    /// The annotated games; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// One JSON object per game and line; `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// A page with a report of all games
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// A folder for a page of each game
    #[arg(long, value_name = "FOLDER")]
    html_folder: Option<PathBuf>,
    /// Every remark with a second proof by a much deeper search, one JSON object per line
    #[arg(long, value_name = "FILE")]
    prove: Option<PathBuf>,
    /// Drop comments, glyphs and variations that are there (clocks stay)
    #[arg(long)]
    clean: bool,
}

pub(crate) fn run(args: &AnnotateArgs) -> anyhow::Result<ExitCode> {
    let budget = args.files.budget.budget(DEFAULT_NODES)?;
    let wanted = [
        (args.output.as_deref(), Format::Pgn),
        (args.json.as_deref(), Format::Json),
        (args.html.as_deref(), Format::Html),
        (args.prove.as_deref(), Format::Proof),
    ];
    let (outputs, formats) =
        game_files::outputs(wanted, args.html_folder.is_none().then_some(Format::Pgn))?;
    if let Some(folder) = args.html_folder.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(
            UsageError(format!("--html-folder {}: no such folder", folder.display())).into()
        );
    }
    let forms = game_files::forms(&formats);
    let title = args.files.games.file_name().map_or("Games".into(), |name| name.to_string_lossy());
    let annotator = Annotator {
        title: title.into_owned(),
        formats,
        page_folder: args.html_folder.clone(),
        clean: args.clean,
    };
    let settings = BTreeMap::from([forms, ("clean".to_owned(), args.clean.to_string())]);
    let worker = |thinker| annotator.worker(thinker);
    game_files::run(&args.files, &annotator, worker, outputs, budget, settings, |finished| {
        let found = &finished.summary;
        let proven = match found.remarks {
            0 => String::new(),
            remarks => format!(
                ", {} of {remarks} remarks not proven, reasons for {:.1} % of {} blunders and {:.1} % of {} mistakes",
                found.unproven,
                found.blunders.percent(),
                found.blunders.moves,
                found.mistakes.percent(),
                found.mistakes.moves
            ),
        };
        let games = if finished.games == 1 { "game" } else { "games" };
        format!("{} {games} annotated, {} with problems{proven}", finished.games, finished.problems)
    })
}
