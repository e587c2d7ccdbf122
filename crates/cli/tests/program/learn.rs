//! `tabiya learn` as a user meets it: killed at any moment, asked for nonsense, looked at.
#![cfg(feature = "lab")]

use crate::common::Folder;
use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

const TINY: &str = "--generations 2 --shape 768x1-128s-1x1 --nodes 15 --games 24 --epochs 2 \
     --gate-games 4 --gate-nodes 15 --yardstick-games 2 --resume";
/// How often the run is killed: a few times in the usual test, more by this variable.
const KILLS: &str = "TABIYA_KILLS";

#[test]
fn a_run_that_is_killed_again_and_again_ends_with_the_same_nets() {
    let kills: u64 = std::env::var(KILLS).map_or(4, |count| count.parse().unwrap());
    let folder = Folder::new("learn-kills");
    let done = folder.succeed(&format!("learn whole --threads 2 {TINY}"));
    assert!(done.starts_with("2 generations in "), "{done}");
    let mut survived = 0;
    while survived < kills {
        let mut run = folder
            .command(&format!("learn killed --threads 1 {TINY}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(150 + 170 * survived));
        if run.try_wait().unwrap().is_some_and(|status| status.success()) {
            break;
        }
        let _ = run.kill();
        run.wait().unwrap();
        survived += 1;
    }
    folder.succeed(&format!("learn killed --threads 2 {TINY}"));
    for name in ["start.nnue", "generations/001/net.nnue", "generations/002/net.nnue"] {
        let [whole, killed] =
            ["whole", "killed"].map(|run| fs::read(folder.file(run).join(name)).unwrap());
        assert!(whole == killed, "{name} after {survived} kills");
    }
    let report = fs::read_to_string(folder.file("killed").join("report.html")).unwrap();
    assert!(report.contains("tabiya learn"));
}

#[test]
fn nonsense_is_refused_in_a_line() {
    let folder = Folder::new("learn-refused");
    for (line, reason) in [
        ("learn x --from nowhere.nnue", "--from nowhere.nnue: neither random nor hce nor a file"),
        ("learn x --hours 0", "expected a number of hours above 0"),
        ("learn x --hours 1 --generations 2", "cannot be used with"),
        ("learn x --shape 768x3-128s-1x1", "768x3"),
        ("learn x --generations 1 --results 2", "results: expected a number from 0 to 1"),
        ("learn x --yardstick cmd=", "yardstick: cmd: expected a program"),
    ] {
        let told = folder.refuse(line);
        assert!(told.contains(reason), "{line}: {told}");
        assert!(!folder.file("x").exists(), "{line}: nothing half-written");
    }
    fs::create_dir(folder.file("full")).unwrap();
    fs::write(folder.file("full/letter.txt"), "mine").unwrap();
    assert!(folder.refuse("learn full").contains("full: not empty, and no run of learn in it"));
    assert_eq!(fs::read_dir(folder.file("full")).unwrap().count(), 1);
}
