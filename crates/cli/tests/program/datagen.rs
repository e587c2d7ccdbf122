//! `datagen play` and `label` killed at any moment resume without loss, and say what is wrong with
//! files that are not whole; `import` interrupted leaves nothing.
#![cfg(feature = "lab")]

use crate::common::Folder;
use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

/// Starts the command again and again, kills it after a while, and lets it end at last.
fn kill_and_resume(folder: &Folder, line: &str) {
    for milliseconds in [700, 50, 900] {
        let mut run = folder.command(line);
        let mut run =
            run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs");
        sleep(Duration::from_millis(milliseconds));
        // SIGKILL on Unix.
        run.kill().expect("it can be killed");
        run.wait().expect("it ends");
    }
    folder.succeed(line);
}

#[test]
fn killed_runs_end_with_the_records_of_a_quiet_one() {
    let folder = Folder::new("datagen-kill");
    // More than a second on two idle cores: kills hit the run in its middle.
    let play = "datagen play --games 24 --nodes 1000 --seed 5 --dfrc 0.2 --threads 2 --out";
    folder.succeed(&format!("{play} whole.games"));
    kill_and_resume(&folder, &format!("{play} killed.games --resume"));
    let text = |file: &str| {
        folder.succeed(&format!("datagen export {file} --format text --out text"));
        fs::read_to_string(folder.file("text")).unwrap()
    };
    let whole = text("whole.games");
    assert_eq!(whole.lines().count(), 24);
    assert!(text("killed.games") == whole);
    let verified = folder.succeed("datagen verify killed.games");
    assert!(verified.contains("games      24") && verified.contains(" 0 unknown"), "{verified}");

    let label = "label whole.games --to positions --quiet --nodes 300 --threads 2 --out";
    folder.succeed(&format!("{label} whole.pos"));
    kill_and_resume(&folder, &format!("{label} killed.pos --resume"));
    assert!(text("killed.pos") == text("whole.pos"));

    let bytes = fs::read(folder.file("killed.games")).unwrap();
    fs::write(folder.file("cut.games"), &bytes[..bytes.len() - 10]).unwrap();
    let error = folder.refuse("label cut.games --out x.games --depth 1");
    assert!(error.contains("the file ends here without an end mark"), "{error}");
    let error = folder.refuse("datagen export cut.games --format viri --out x");
    assert!(error.contains("cut.games: block ") && !folder.file("x").exists(), "{error}");
}

#[test]
fn wrong_wishes_are_refused() {
    let folder = Folder::new("datagen-wrong");
    let refuse = |line: &str, reason: &str| {
        let error = folder.refuse(line);
        assert!(error.contains(reason), "{line}: {error}");
    };
    let play = "datagen play --games 1 --depth 1 --out a.games";
    folder.succeed(play);
    refuse(play, "a.games: exists already");
    refuse(&format!("{play} --resume --seed 2"), "begun with other settings");
    refuse(&format!("{play} --teacher cmd=no-such-program"), "does not start");
    refuse(&format!("{play} --dfrc 2"), "expected a number from 0 to 1");
    refuse("label none.games --out b.games", "cannot read none.games");
    refuse("label a.games --out b.games --sample 0.5", "--to positions");
    refuse("label a.games --out b.games --part training", "--to positions");
    refuse("label a.games --out b.games --evalfile none.nnue", "does not start");
    refuse("datagen export a.games --format csv --out b.csv", "not the records");
    refuse("datagen nodes a.games --net none.nnue --out b.pos", "none.nnue: No such file");
    refuse("datagen nodes a.games --net a.games --out b.pos", "a.games: not a net of Stockfish");
    refuse("datagen nodes a.games --net x --out b.pos --per-game 0", "expected a number above 0");
    refuse("net extract a.games --out sf18.nnue", "a.games: not a WebAssembly module");
    refuse("net error a.games --set a.games", "positions are needed");
    fs::write(folder.file("a.txt"), "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1 | 12 | 0.5\n").unwrap();
    let import = "datagen import a.txt --format positions --out nowhere/a.pos";
    refuse(import, "cannot write nowhere/a.pos");
    let split = "datagen positions a.games --training";
    refuse(&format!("{split} x.pos --validation x.pos"), "x.pos: is another file of this command");
    refuse(&format!("{split} a.games --validation x.pos"), "a.games: is another file");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn control_c_leaves_no_half_file() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let folder = Folder::new("datagen-interrupt");
    let files = || fs::read_dir(folder.path()).unwrap().count();
    // Standard input stays open: the import waits for more games.
    let mut run = folder.command("datagen import - --out a.games");
    let mut run = run.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    while files() == 0 {
        assert!(run.try_wait().unwrap().is_none(), "it waits");
        sleep(Duration::from_millis(5));
    }
    kill(Pid::from_raw(run.id() as i32), Signal::SIGINT).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert_eq!(files(), 0);
}
