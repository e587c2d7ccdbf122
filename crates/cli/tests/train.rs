//! The commands `datagen` and `train` as a user meets them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn tabiya(folder: &Path, line: &str) -> Output {
    let words = line.split_ascii_whitespace();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.args(words).current_dir(folder).output().expect("the program runs")
}

fn succeed(folder: &Path, line: &str) -> String {
    let output = tabiya(folder, line);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn refuse(folder: &Path, line: &str) -> String {
    let output = tabiya(folder, line);
    assert_eq!(output.status.code(), Some(2), "{line}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Games that begin with different moves and go on with knights to and fro.
fn games() -> String {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let mut lines = Vec::new();
    for white in ["a2a3", "b2b3", "d2d3", "e2e3", "f2f3", "g2g3", "h2h3"] {
        for black in ["a7a6", "b7b6", "d7d6", "e7e6", "f7f6", "g7g6", "h7h6"] {
            let moves = format!("{white} 20 {black} -10 b1c3 30 b8c6 -20 c3b1 0 c6b8 5");
            lines.push(format!("{start}|=|{moves}"));
        }
    }
    lines.join("\n")
}

#[test]
fn text_becomes_a_net() {
    let folder = std::env::temp_dir().join(format!("tabiya-train-cli-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("games.txt"), games()).unwrap();
    let done = succeed(&folder, "datagen import games.txt --out a.games");
    assert!(done.starts_with("49 records with 294 positions"), "{done}");
    assert!(succeed(&folder, "datagen verify a.games").contains("49 draws"));
    let split = "--min-ply 0 --validation-permille 300";
    let done = succeed(
        &folder,
        &format!("datagen positions a.games --training t.pos --validation v.pos {split}"),
    );
    assert!(done.contains("49 games, 294 plies; dropped: 0 early"), "{done}");
    assert!(succeed(&folder, "datagen info t.pos").contains("quiet positions of a.games"));

    let train = "train --data t.pos --validation v.pos --hidden 128 --epochs 2 --batch 100";
    let done = succeed(&folder, &format!("{train} --out net.nnue --checkpoint c"));
    assert!(done.contains("samples/s") && done.contains("rounding error"), "{done}");
    for file in ["net.nnue", "net.csv", "net.svg", "c"] {
        assert!(folder.join(file).exists(), "{file}");
    }
    // A finished run resumed has nothing left to do and gives the same net.
    let net = fs::read(folder.join("net.nnue")).unwrap();
    succeed(&folder, &format!("{train} --out again.nnue --checkpoint c --resume"));
    assert!(fs::read(folder.join("again.nnue")).unwrap() == net);

    let resumed = format!("{train} --out x.nnue --checkpoint c --resume --seed 9");
    assert!(refuse(&folder, &resumed).contains("checkpoint: made with another seed"));
    assert!(refuse(&folder, &format!("{train} --out x.nnue --king-buckets 3")).contains("shape"));
    let mut bytes = fs::read(folder.join("t.pos")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(folder.join("t.pos"), bytes).unwrap();
    let error = refuse(&folder, &format!("{train} --out x.nnue"));
    assert!(error.contains("t.pos: block 0: checksum does not match"), "{error}");
    assert!(refuse(&folder, "datagen info none.pos").contains("cannot read none.pos"));
    assert!(!folder.join("x.nnue").exists());
    fs::remove_dir_all(&folder).unwrap();
}
