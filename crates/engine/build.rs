//! Chooses the networks to embed: `EVALFILE` if set, else the project's default net, else none; and the
//! policy net, if there is one. Finds the book. All lie in the project's folders, or in this one if it
//! is a package of its own. A net that cannot be used stops the build here, so that the program need not
//! check it at every start.

use std::path::{Path, PathBuf};
use tabiya_nn::Network;
use tabiya_nn::policy::PolicyNet;

fn main() {
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    // Folders, because a file that is not there counts as changed at every build, and everything that
    // uses the engine would be compiled again; what appears in a folder is noticed all the same.
    for folder in ["../../nets", "../../books", "embedded"] {
        let folder = manifest.join(folder);
        if folder.exists() {
            println!("cargo::rerun-if-changed={}", folder.display());
        }
    }
    let default = bundled(&manifest, "nets/default.nnue");
    let book = bundled(&manifest, "books/tabiya.bin");
    println!("cargo::rustc-env=TABIYA_BOOK={}", book.display());
    println!("cargo::rerun-if-env-changed=EVALFILE");
    let net = match std::env::var_os("EVALFILE").filter(|path| !path.is_empty()) {
        Some(path) => std::path::absolute(path).expect("EVALFILE is a path"),
        None if default.exists() => default,
        None => {
            let empty = out.join("none.nnue");
            std::fs::write(&empty, []).expect("the build folder can be written");
            empty
        }
    };
    check(&net, |bytes| Network::load(bytes).map(drop).map_err(|error| error.to_string()));
    println!("cargo::rerun-if-changed={}", net.display());
    println!("cargo::rustc-env=TABIYA_NET={}", net.display());

    let policy = bundled(&manifest, "nets/policy.gguf");
    // A web page would load five megabytes for something that is off.
    let is_page = std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm");
    let policy = if policy.exists() && !is_page {
        policy
    } else {
        let empty = out.join("none.gguf");
        std::fs::write(&empty, []).expect("the build folder can be written");
        empty
    };
    check(&policy, check_policy);
    println!("cargo::rustc-env=TABIYA_POLICY={}", policy.display());
}

/// A file of the project, or what a package has of it.
fn bundled(manifest: &Path, file: &str) -> PathBuf {
    let project = manifest.join("../..").join(file);
    if project.exists() {
        return project;
    }
    let name = Path::new(file).file_name().expect("the file has a name");
    manifest.join("embedded").join(name)
}

fn check_policy(bytes: &[u8]) -> Result<(), String> {
    let net = PolicyNet::load(bytes).map_err(|error| error.to_string())?;
    if net.config().reads_positions() {
        Ok(())
    } else {
        Err("it does not read positions".to_owned())
    }
}

/// Ends the build if a net is of no use. An empty file stands for none.
fn check(path: &Path, test: impl FnOnce(&[u8]) -> Result<(), String>) {
    let sound = std::fs::read(path)
        .map_err(|error| error.to_string())
        .and_then(|bytes| if bytes.is_empty() { Ok(()) } else { test(&bytes) });
    if let Err(reason) = sound {
        println!("cargo::error={}: {reason}", path.display());
        std::process::exit(1);
    }
}
