//! Chooses the network to embed: `EVALFILE` if set, else the project's default net, else none. A net
//! that cannot be used stops the build here, so that the program need not check it at every start.

use std::path::{Path, PathBuf};

fn main() {
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    let default = manifest.join("../../nets/default.nnue");
    println!("cargo::rerun-if-env-changed=EVALFILE");
    println!("cargo::rerun-if-changed={}", default.display());
    let net = match std::env::var_os("EVALFILE").filter(|path| !path.is_empty()) {
        Some(path) => std::path::absolute(path).expect("EVALFILE is a path"),
        None if default.exists() => default,
        None => {
            let empty = out.join("none.nnue");
            std::fs::write(&empty, []).expect("the build folder can be written");
            empty
        }
    };
    if let Err(reason) = check(&net) {
        println!("cargo::error={}: {reason}", net.display());
        std::process::exit(1);
    }
    println!("cargo::rerun-if-changed={}", net.display());
    println!("cargo::rustc-env=TABIYA_NET={}", net.display());
}

/// An empty file stands for no network.
fn check(path: &Path) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    if bytes.is_empty() {
        return Ok(());
    }
    tabiya_nn::Network::load(&bytes).map(drop).map_err(|error| error.to_string())
}
