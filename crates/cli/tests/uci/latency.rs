//! How fast the program answers. Times are a report, not a test, because a busy machine proves nothing;
//! what may not happen before an answer can be tested.
//!
//! `cargo test --release -p tabiya-cli --test uci latency -- --ignored --nocapture`

use crate::process::Process;
use std::thread::sleep;
use std::time::{Duration, Instant};

const TRIALS: usize = 300;

fn report(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    let (median, p99, max) = (at(0.5), at(0.99), at(1.0));
    println!("{name}: median {median:.2} ms, p99 {p99:.2} ms, max {max:.2} ms");
}

/// The time from sending `command` to the line that starts with `word`.
fn answer_time(process: &mut Process, command: &str, word: &str) -> Duration {
    let start = Instant::now();
    process.send(command);
    loop {
        let (time, line) = process.timed_line().unwrap();
        if line.starts_with(word) {
            return time.saturating_duration_since(start);
        }
    }
}

#[test]
#[ignore = "measures, does not test"]
fn latency() {
    let starts = (0..TRIALS / 3)
        .map(|_| {
            let start = Instant::now();
            let mut process = Process::start();
            answer_time(&mut process, "uci", "uciok");
            start.elapsed()
        })
        .collect();
    report("start to uciok", starts);
    let mut process = Process::start();
    process.send_all(&["setoption name Threads value 2", "position startpos"]);
    let (mut readies, mut stops) = (Vec::new(), Vec::new());
    for trial in 0..TRIALS {
        process.send("go infinite");
        sleep(Duration::from_millis(5 + trial as u64 % 40));
        readies.push(answer_time(&mut process, "isready", "readyok"));
        stops.push(answer_time(&mut process, "stop", "bestmove"));
    }
    report("isready in search, 2 threads", readies);
    report("stop to bestmove, 2 threads", stops);
    process.quit();
}

/// Reading and checking a network of 12 MB took most of the time from the start to `uciok`.
#[test]
#[cfg(target_os = "linux")]
fn a_host_that_only_asks_who_is_there_waits_for_no_network() {
    let mut process = Process::start();
    process.send("uci");
    process.until("uciok");
    let before = process.own_memory();
    assert!(before < 4 << 20, "{before} bytes of memory for an introduction");
    process.send("isready");
    process.until("readyok");
    assert!(process.own_memory() > before);
    process.quit();
}
