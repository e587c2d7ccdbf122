//! Chooses the networks to embed: `EVALFILE` if set, else the project's default net, else none; and
//! the policy net `nets/policy.gguf`, if there is one.

use std::path::PathBuf;

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
    println!("cargo::rerun-if-changed={}", net.display());
    println!("cargo::rustc-env=TABIYA_NET={}", net.display());

    let policy = manifest.join("../../nets/policy.gguf");
    println!("cargo::rerun-if-changed={}", policy.display());
    let policy = if policy.exists() {
        policy
    } else {
        let empty = out.join("none.gguf");
        std::fs::write(&empty, []).expect("the build folder can be written");
        empty
    };
    println!("cargo::rustc-env=TABIYA_POLICY={}", policy.display());
}
