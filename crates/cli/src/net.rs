//! `tabiya net`: what is in a network file.

#[cfg(feature = "lab")]
mod error;
#[cfg(feature = "lab")]
mod extract;

use crate::args::{UsageError, failed, failed_in};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tabiya_engine::eval::{Evaluation, read_network};
use tabiya_nn::Network;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya net info
  tabiya net verify my.nnue
  tabiya net export copy.nnue
  tabiya net extract stockfish-18-single.wasm --out sf18.nnue")]
pub(crate) struct NetArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Show shape, checksum and provenance of a file, or of the embedded network.
    Info {
        /// A network file; the embedded network if missing.
        file: Option<PathBuf>,
    },
    /// Check a file and say whether it can be used.
    Verify {
        /// A network file.
        file: PathBuf,
    },
    /// Write the embedded network to a file.
    Export {
        /// The file to write; it must not exist.
        file: PathBuf,
    },
    /// Take the network of Stockfish 18, a teacher for ours, out of its WebAssembly program.
    #[cfg(feature = "lab")]
    Extract(extract::ExtractArgs),
    /// Measure how far static values are from the scores of long searches.
    #[cfg(feature = "lab")]
    Error(error::ErrorArgs),
}

pub(crate) fn run(args: &NetArgs) -> anyhow::Result<ExitCode> {
    match &args.action {
        Action::Info { file: Some(file) } => println!("{}", load(file)?.info()),
        Action::Info { file: None } => match Evaluation::embedded() {
            Evaluation::Network(network, _) => println!("{}", network.info()),
            Evaluation::Classical | Evaluation::Other(_) => println!("no network is embedded"),
        },
        Action::Verify { file } => {
            println!("{}: good, checksum {:016x}", file.display(), load(file)?.checksum());
        }
        Action::Export { file } => export(file)?,
        #[cfg(feature = "lab")]
        Action::Extract(args) => extract::run(args)?,
        #[cfg(feature = "lab")]
        Action::Error(args) => error::run(args)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn load(file: &Path) -> anyhow::Result<Network> {
    read_network(file).map_err(failed)
}

fn export(file: &Path) -> anyhow::Result<()> {
    let Evaluation::Network(network, _) = Evaluation::embedded() else {
        return Err(UsageError("no network is embedded".to_owned()).into());
    };
    let mut output = std::fs::File::create_new(file).map_err(failed_in(file))?;
    std::io::Write::write_all(&mut output, &network.save()).map_err(|error| {
        // Half a net would keep the next try from its name.
        let _ = std::fs::remove_file(file);
        failed_in(file)(error)
    })?;
    println!("wrote {}", file.display());
    Ok(())
}
