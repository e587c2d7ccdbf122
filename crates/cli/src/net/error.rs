//! `tabiya net error`: how far static values are from the scores of long searches.

use crate::args::failed;
use crate::data::parse_positive;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tabiya_engine::eval::Evaluation;
use tabiya_lab::data::error::{self, Contender, Error, GROUPS};
use tabiya_lab::data::positions;
use tabiya_lab::data::teacher::Teacher;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya net error default classical my.nnue sf18.nnue --set test.pos
  tabiya net error default --set quiet.pos --set noisy.pos --limit 5000

The scores of the set become expected results by --scale, the values of each net by the scale that
fits it best. Every line tells the root mean square of the differences and the rank correlation, for
all positions and for groups by kind, number of pieces and score in centipawns.")]
pub(crate) struct ErrorArgs {
    /// Network files, ours or Stockfish's; `default` for the embedded one, `classical` for none.
    #[arg(required = true)]
    nets: Vec<String>,
    /// Position files with scores of long searches, as `tabiya label` writes them.
    #[arg(long = "set", required = true)]
    sets: Vec<PathBuf>,
    /// `sigmoid(score / scale)` is the expected result of a score in the set.
    #[arg(long, default_value_t = 215.0, value_parser = parse_positive)]
    scale: f64,
    /// Measure on the first positions only.
    #[arg(long)]
    limit: Option<usize>,
}

pub(super) fn run(args: &ErrorArgs) -> anyhow::Result<()> {
    let (mut set, _) = positions::read(&args.sets).map_err(failed)?;
    set.truncate(args.limit.unwrap_or(usize::MAX));
    let mut measured = Vec::new();
    for net in &args.nets {
        let contender = open(net)?;
        measured.push(error::measure(&contender, &set, args.scale));
    }
    print!("{}", table(&args.nets, &measured));
    Ok(())
}

/// What a word on the command line names.
fn open(net: &str) -> anyhow::Result<Contender> {
    let evaluation = match net {
        "default" => Evaluation::embedded(),
        "classical" => Evaluation::Classical,
        path => {
            let path = Path::new(path);
            return match Evaluation::from_file(path) {
                Ok(evaluation) => Ok(Contender::Own(evaluation)),
                // Not one of ours; its own error tells more if it is a teacher's neither.
                Err(ours) => match Teacher::open(path) {
                    Ok(teacher) => Ok(Contender::Teacher(teacher)),
                    Err(_) => Err(failed(ours)),
                },
            };
        }
    };
    Ok(Contender::Own(evaluation))
}

/// A table in Markdown, a column for each net.
fn table(nets: &[String], measured: &[Error]) -> String {
    let name = |net: &String| {
        Path::new(net)
            .file_name()
            .map_or_else(|| net.clone(), |name| name.to_string_lossy().into_owned())
    };
    let mut text = String::from("| rms error, rank correlation | positions |");
    for net in nets {
        let _ = write!(text, " {} |", name(net));
    }
    text += "\n| --- | --- |";
    text += &" --- |".repeat(nets.len());
    for (index, group) in GROUPS.iter().enumerate() {
        let count = measured.first().map_or(0, |error| error.groups[index].count);
        if count == 0 {
            continue;
        }
        let _ = write!(text, "\n| {group} | {count} |");
        for error in measured {
            let group = error.groups[index];
            let _ = write!(text, " {:.4}, {:.3} |", group.rms, group.rank);
        }
    }
    text += "\n| fitted scale | |";
    for error in measured {
        let _ = write!(text, " {:.1} |", error.scale);
    }
    text + "\n"
}
