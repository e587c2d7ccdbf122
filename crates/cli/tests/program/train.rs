//! The commands `datagen` and `train` as a user meets them.
#![cfg(feature = "lab")]

use crate::common::Folder;
use std::fs;

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
    let folder = Folder::new("train-cli");
    fs::write(folder.file("games.txt"), games()).unwrap();
    let done = folder.succeed("datagen import games.txt --out a.games");
    assert!(done.starts_with("49 records with 294 positions"), "{done}");
    assert!(folder.succeed("datagen verify a.games").contains("49 draws"));
    let split = "--min-ply 0 --validation-permille 300";
    let done = folder
        .succeed(&format!("datagen positions a.games --training t.pos --validation v.pos {split}"));
    assert!(done.contains("49 games, 294 plies; dropped: 0 early"), "{done}");
    assert!(folder.succeed("datagen info t.pos").contains("quiet positions of a.games"));

    let train = "train --data t.pos --validation v.pos --hidden 128 --epochs 2 --batch 100";
    let done = folder.succeed(&format!("{train} --out net.nnue --checkpoint c"));
    assert!(done.contains("samples/s") && done.contains("rounding error"), "{done}");
    for file in ["net.nnue", "net.csv", "net.svg", "c"] {
        assert!(folder.file(file).exists(), "{file}");
    }
    // A finished run resumed has nothing left to do and gives the same net.
    let net = fs::read(folder.file("net.nnue")).unwrap();
    folder.succeed(&format!("{train} --out again.nnue --checkpoint c --resume"));
    assert!(fs::read(folder.file("again.nnue")).unwrap() == net);

    let resumed = format!("{train} --out x.nnue --checkpoint c --resume --seed 9");
    assert!(folder.refuse(&resumed).contains("seed was 1, now 9"));
    assert!(
        folder.refuse(&format!("{train} --out x.nnue --king-buckets 3")).contains("3 king buckets")
    );
    // Neither a net that is there nor one that cannot be written is found out about after hours.
    assert!(folder.refuse(&format!("{train} --out net.nnue")).contains("--force replaces it"));
    folder.succeed(&format!("{train} --out net.nnue --force"));
    for nonsense in ["--batch 0", "--epochs 0", "--epochs 18446744073709551615"] {
        let wrong = format!("train --data t.pos --validation v.pos --out y.nnue {nonsense}");
        assert!(folder.refuse(&wrong).contains("out of range"), "{nonsense}");
    }
    let begun_anew = format!("{train} --out y.nnue --checkpoint c");
    assert!(folder.refuse(&begun_anew).contains("c: holds a run already; --resume continues it"));
    assert!(folder.refuse(&format!("{train} --out y.csv")).contains("the loss curve beside a net"));
    let nowhere = folder.command(&format!("{train} --out nowhere/net.nnue")).output().unwrap();
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("cannot write nowhere/net.nnue"));
    // Games are not positions, and whoever has them is told what to do.
    let games = train.replacen("t.pos", "a.games", 1);
    let error = folder.refuse(&format!("{games} --out x.nnue"));
    assert!(error.contains("tabiya datagen positions a.games --training"), "{error}");
    // A set too small for any good net makes one that does not know its pieces, and both are told.
    let small = folder.command(&format!("{train} --out x.nnue")).output().unwrap();
    let told = String::from_utf8_lossy(&small.stderr).into_owned();
    for part in
        ["positions are few", "validation positions are few", "steps are few", "missing queen"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains('\r'), "{told}");
    for file in ["x.nnue", "x.csv", "x.svg"] {
        fs::remove_file(folder.file(file)).unwrap();
    }

    let mut bytes = fs::read(folder.file("t.pos")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(folder.file("t.pos"), bytes).unwrap();
    let error = folder.refuse(&format!("{train} --out x.nnue"));
    assert!(error.contains("t.pos: block 0: checksum does not match"), "{error}");
    assert!(folder.refuse("datagen info none.pos").contains("cannot read none.pos"));
    assert!(!folder.file("x.nnue").exists());
}
