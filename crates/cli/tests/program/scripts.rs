//! What the scripts of the project ask of the program.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

#[test]
fn levels_are_measured_on_all_cores() {
    let folder = std::env::temp_dir().join(format!("tabiya-levels-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // A program that only notes how it was called.
    let program = folder.join("tabiya");
    std::fs::write(&program, "#!/bin/sh\necho \"$@\" >>\"$0.calls\"\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/calibrate-levels");
    let calls = |concurrency: Option<&str>| {
        let calls = folder.join("tabiya.calls");
        let _ = std::fs::remove_file(&calls);
        let mut run = Command::new("bash");
        run.arg(&script).arg(&program).args(["openings.epd", "1", "1000", "1200", "1400"]);
        run.env_remove("CONCURRENCY").envs(concurrency.map(|number| ("CONCURRENCY", number)));
        assert!(run.output().unwrap().status.success());
        std::fs::read_to_string(calls).unwrap()
    };
    let cores = std::thread::available_parallelism().unwrap();
    let text = calls(None);
    assert_eq!(text.lines().count(), 2, "{text}");
    let wanted = format!("match --concurrency {cores} ");
    assert!(text.lines().all(|call| call.starts_with(&wanted)), "{text}");
    assert!(calls(Some("7")).starts_with("match --concurrency 7 "));
    std::fs::remove_dir_all(&folder).unwrap();
}
