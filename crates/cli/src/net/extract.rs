//! `tabiya net extract`: the network inside another program.

use crate::args::failed_in;
use anyhow::Context;
use std::path::PathBuf;
use tabiya_engine::files::read_regular;
use tabiya_lab::data::teacher::wasm;
use tabiya_lab::work::replace;

/// The largest module that a network is looked for in.
const LARGEST_MODULE: u64 = 1 << 30;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  npm pack stockfish@18.0.8 && tar xzf stockfish-18.0.8.tgz
  tabiya net extract package/bin/stockfish-18-single.wasm --out sf18.nnue")]
pub(super) struct ExtractArgs {
    /// The file `bin/stockfish-18-single.wasm` of the npm package `stockfish` 18.0.8.
    file: PathBuf,
    /// The network file to write.
    #[arg(long)]
    out: PathBuf,
}

pub(super) fn run(args: &ExtractArgs) -> anyhow::Result<()> {
    let ExtractArgs { file, out } = args;
    let module = read_regular(file, LARGEST_MODULE).map_err(failed_in(file))?;
    let found = wasm::extract(&module).map_err(failed_in(file))?;
    replace(out, &found.network).with_context(|| format!("cannot write {}", out.display()))?;
    println!("{}: {} bytes, SHA-256 {}", out.display(), found.network.len(), found.sha256);
    Ok(())
}
