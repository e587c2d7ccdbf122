//! Embeds the web board, if it has been built: every file of `web/dist` becomes a row of a table.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    let web = manifest.join("../../web");
    let dist = web.join("dist");
    // Watching a folder that is not there would rebuild the program every time.
    let watched = if dist.exists() { &dist } else { &web.join("package.json") };
    println!("cargo::rerun-if-changed={}", watched.display());
    let mut rows = String::new();
    add_rows(&dist, "", &mut rows);
    let table = format!("&[{rows}]");
    std::fs::write(out.join("assets.rs"), table).expect("the build folder can be written");
}

/// Adds `(path in the address, bytes)` for every file of the folder and the folders in it.
fn add_rows(folder: &Path, prefix: &str, rows: &mut String) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if path.is_dir() {
            add_rows(&path, &format!("{prefix}/{name}"), rows);
        } else {
            let address = format!("{prefix}/{name}");
            let file = path.to_str().expect("the project lies in a folder with a readable name");
            writeln!(rows, "({address:?}, include_bytes!({file:?})),").expect("text grows");
        }
    }
}
