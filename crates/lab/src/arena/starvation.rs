//! Time that a player was ready to think but had no core.
//!
//! The clock runs on while other processes have the cores, and while the host of a virtual machine has
//! taken one away. Linux counts both: the waiting of each thread (second number of its `schedstat`)
//! and the stolen time of each core (eighth number of its line in `/proc/stat`). Elsewhere nothing
//! is known and nothing is claimed. The count tells a slow player from a crowded machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The unit of `/proc/stat`.
const TICK: Duration = Duration::from_millis(10);

/// What the system has counted so far.
pub(super) struct Reading {
    /// Waiting of all threads in question.
    waited: Duration,
    /// The cores they were on last.
    cores: Vec<usize>,
    /// All cores with the time stolen from them.
    stolen: Vec<(usize, Duration)>,
}

/// For the calling thread.
pub(super) fn of_this_thread() -> Option<Reading> {
    Reading::new([PathBuf::from("/proc/thread-self")])
}

/// For all living threads of a process.
pub(super) fn of_process(id: u32) -> Option<Reading> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).ok()?;
    Reading::new(tasks.flatten().map(|task| task.path()))
}

impl Reading {
    fn new(threads: impl IntoIterator<Item = PathBuf>) -> Option<Self> {
        let stolen = stolen(&fs::read_to_string("/proc/stat").ok()?);
        let mut reading = Self { waited: Duration::ZERO, cores: Vec::new(), stolen };
        for thread in threads {
            // Threads may end while we look at them.
            reading.waited += waited(&thread).unwrap_or_default();
            reading.cores.extend(core(&thread));
        }
        Some(reading)
    }

    fn stolen_from(&self, core: usize) -> Duration {
        let known = self.stolen.iter().find(|(number, _)| *number == core);
        known.map_or(Duration::ZERO, |(_, stolen)| *stolen)
    }
}

fn waited(thread: &Path) -> Option<Duration> {
    let text = fs::read_to_string(thread.join("schedstat")).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

fn core(thread: &Path) -> Option<usize> {
    core_in(&fs::read_to_string(thread.join("stat")).ok()?)
}

/// The core in a thread's `stat`: number 39, counted from before the name, which may hold anything.
fn core_in(stat: &str) -> Option<usize> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(36)?.parse().ok()
}

fn stolen(stat: &str) -> Vec<(usize, Duration)> {
    let read = |line: &str| {
        let mut words = line.strip_prefix("cpu")?.split_ascii_whitespace();
        let core = words.next()?.parse().ok()?;
        Some((core, TICK * words.nth(7)?.parse().ok()?))
    };
    // The first line, without a number, is the sum of all cores.
    stat.lines().skip(1).map_while(read).collect()
}

/// Time without a core between two readings; nothing if either is not known.
pub(super) fn between(before: Option<Reading>, after: Option<Reading>) -> Duration {
    let Some((before, after)) = before.zip(after) else { return Duration::ZERO };
    let stolen = |core: &usize| after.stolen_from(*core).saturating_sub(before.stolen_from(*core));
    after.waited.saturating_sub(before.waited)
        + after.cores.iter().map(stolen).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_the_texts_of_the_system() {
        let stat = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 3 4 5 6 7 80 0 0\ncpu2 1 2 3 4 5 6 7 5 0 0\n\
                    intr 1 2 3\n";
        let ms = Duration::from_millis;
        assert_eq!(stolen(stat), [(0, ms(800)), (2, ms(50))]);
        let fields: Vec<String> = (4..=52).map(|number| number.to_string()).collect();
        assert_eq!(core_in(&format!("17 (odd) name) R {}", fields.join(" "))), Some(39));
        assert_eq!((stolen(""), core_in("17 (short) R 4")), (Vec::new(), None));
    }

    #[test]
    fn waiting_and_the_steal_of_the_own_cores_count() {
        let ms = Duration::from_millis;
        let reading = |waited, stolen: [u64; 2]| {
            let stolen = stolen.into_iter().map(ms).enumerate().collect();
            Some(Reading { waited: ms(waited), cores: vec![1], stolen })
        };
        assert_eq!(between(reading(5, [10, 20]), reading(8, [900, 260])), ms(243));
        assert_eq!(between(reading(5, [10, 20]), None), Duration::ZERO);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_thread_is_on_a_known_core() {
        let reading = of_this_thread().unwrap();
        let [core] = reading.cores[..] else { panic!("{:?}", reading.cores) };
        assert!(reading.stolen.iter().any(|(number, _)| *number == core));
    }
}
