//! `tabiya net`: what is in a network file.

use crate::args::UsageError;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tabiya_engine::eval::{Evaluation, read_network};
use tabiya_nn::Network;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tabiya net info\n  tabiya net verify my.nnue\n  tabiya net export copy.nnue"
)]
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
}

pub(crate) fn run(args: &NetArgs) -> anyhow::Result<ExitCode> {
    match &args.action {
        Action::Info { file: Some(file) } => println!("{}", load(file)?.info()),
        Action::Info { file: None } => match Evaluation::embedded() {
            Evaluation::Network(network, _) => println!("{}", network.info()),
            Evaluation::Classical => println!("no network is embedded"),
        },
        Action::Verify { file } => {
            println!("{}: good, checksum {:016x}", file.display(), load(file)?.checksum());
        }
        Action::Export { file } => export(file)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn load(file: &Path) -> anyhow::Result<Network> {
    Ok(read_network(file).map_err(|error| UsageError(error.to_string()))?)
}

fn export(file: &Path) -> anyhow::Result<()> {
    let Evaluation::Network(network, _) = Evaluation::embedded() else {
        return Err(UsageError("no network is embedded".to_owned()).into());
    };
    let wrong = |error: std::io::Error| UsageError(format!("{}: {error}", file.display()));
    let mut output = std::fs::File::create_new(file).map_err(wrong)?;
    std::io::Write::write_all(&mut output, &network.save())?;
    println!("wrote {}", file.display());
    Ok(())
}
