//! `tabiya tune wdl`: the chances behind the score, from games.

use crate::args::failed;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tabiya_lab::tune::wdl::{self, Samples};
use tabiya_lab::work::replace;

#[derive(Args, Debug)]
#[command(after_help = "Example:
  tabiya match --engine self --engine \"self name=b\" --tc 1+0.01 --rounds 1000 --pgn games.pgn \\
    --openings book.epd.gz --order random
  tabiya tune wdl games.pgn --plot docs/wdl.svg

The games must be played by this build: centipawns of other constants mean other values.")]
pub(crate) struct WdlArgs {
    /// Games of `tabiya match --pgn`, also .gz or .zst
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Draws observed results and the model, e.g. docs/wdl.svg
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// Prints the constants for crates/engine/src/wdl.rs.
pub(crate) fn run(args: &WdlArgs) -> anyhow::Result<ExitCode> {
    let mut samples = Samples::default();
    for path in &args.games {
        samples.read(path).map_err(failed)?;
    }
    let fit = wdl::fit(&samples).map_err(failed)?;
    println!("games      {}", samples.games);
    println!("positions  {}", samples.positions());
    println!("fit        {:.6} mean log-likelihood, {} steps", fit.log_likelihood, fit.steps);
    for (name, sum) in [("middlegame", 58.0), ("endgame", 24.0)] {
        let material = sum / 58.0;
        let (half, spread) = (fit.model.half_win_at(material), fit.model.spread_at(material));
        println!("{name:10} half win at {half:.1}, spread {spread:.1}");
    }
    println!("\nFor crates/engine/src/wdl.rs:\n");
    println!("pub const MODEL: Model = Model {{");
    let list = |numbers: [f64; 4]| numbers.map(|number| format!("{number:.4}")).join(", ");
    println!("    half_win: [{}],", list(fit.model.half_win));
    println!("    spread: [{}],", list(fit.model.spread));
    println!("}};");
    if let Some(path) = &args.plot {
        replace(path, wdl::render(&samples, &fit.model).as_bytes())
            .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
