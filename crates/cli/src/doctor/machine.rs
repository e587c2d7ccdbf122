//! The machine: processor, cores, memory, huge pages, and what the program was built for.

use super::Finding;
use std::path::Path;
use tabiya_nn::simd::Kernels;

pub(super) fn findings() -> Vec<Finding> {
    let mut found = vec![program(), processor(), kernels(), cores()];
    found.extend(memory());
    found.extend(huge_pages());
    found
}

fn program() -> Finding {
    let text = format!(
        "tabiya {}, {} {}{}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        level_of_build().map_or_else(String::new, |level| format!(", built for {level}"))
    );
    if cfg!(debug_assertions) {
        return Finding::note(
            "program",
            format!("{text}, with checks for developers"),
            "cargo build --release, or make, gives one that is several times as fast",
        );
    }
    Finding::good("program", text)
}

/// The processors the build needs, by the names of the x86-64 levels.
fn level_of_build() -> Option<&'static str> {
    if !cfg!(target_arch = "x86_64") {
        None
    } else if cfg!(all(target_feature = "avx512f", target_feature = "avx512bw")) {
        Some("x86-64-v4 or the processor it was built on")
    } else if cfg!(target_feature = "avx2") {
        Some("x86-64-v3 or the processor it was built on")
    } else if cfg!(target_feature = "sse4.2") {
        Some("x86-64-v2")
    } else {
        Some("x86-64")
    }
}

fn processor() -> Finding {
    let name = read("/proc/cpuinfo").and_then(|text| value_of(&text, "model name"));
    let name = name.unwrap_or_else(|| "unknown model".to_owned());
    Finding::good("processor", format!("{name}: {}", features().join(" ")))
}

/// The features that matter to the engine, of those this processor has.
fn features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let all = [
        ("popcnt", std::arch::is_x86_feature_detected!("popcnt")),
        ("bmi2", std::arch::is_x86_feature_detected!("bmi2")),
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
        ("avx512bw", std::arch::is_x86_feature_detected!("avx512bw")),
        ("avx512vnni", std::arch::is_x86_feature_detected!("avx512vnni")),
    ];
    #[cfg(target_arch = "aarch64")]
    let all = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("dotprod", std::arch::is_aarch64_feature_detected!("dotprod")),
    ];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let all: [(&str, bool); 0] = [];
    all.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect()
}

fn kernels() -> Finding {
    let best = Kernels::best();
    let all: Vec<_> = Kernels::available().map(Kernels::name).collect();
    if best.name() == "scalar" && cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        return Finding::note(
            "kernels",
            "scalar: the network runs without vector instructions",
            "a processor with AVX2 (most since 2013) runs it several times as fast",
        );
    }
    Finding::good("kernels", format!("{} chosen of {}", best.name(), all.join(", ")))
}

fn cores() -> Finding {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = read("/proc/loadavg")
        .and_then(|text| text.split_ascii_whitespace().next()?.parse::<f64>().ok());
    let text = format!("{cores}; Threads up to {cores} makes sense");
    match load {
        Some(load) if load > 0.75 * cores as f64 => Finding::note(
            "cores",
            format!("{text}; {load:.1} programs want to run at this moment"),
            "whatever else runs takes time from the engine, and from the speed below",
        ),
        _ => Finding::good("cores", text),
    }
}

/// Memory, and the hash table it leaves room for: a quarter, as a power of two.
fn memory() -> Option<Finding> {
    let text = read("/proc/meminfo")?;
    let megabytes = |name: &str| -> Option<u64> {
        Some(value_of(&text, name)?.strip_suffix(" kB")?.trim().parse::<u64>().ok()? / 1024)
    };
    let (total, free) = (megabytes("MemTotal")?, megabytes("MemAvailable")?);
    // A container may be allowed less than the machine has.
    let allowed = read("/sys/fs/cgroup/memory.max")
        .and_then(|text| text.trim().parse::<u64>().ok())
        .map_or(free, |bytes| free.min(bytes >> 20));
    let text = format!("{total} MB, {allowed} MB of it to be had");
    Some(match (allowed / 4).checked_ilog2() {
        Some(bits) if bits >= 4 => {
            Finding::good("memory", format!("{text}; Hash up to {} makes sense", 1u64 << bits))
        }
        _ => Finding::note("memory", text, "too little for a hash table of more than 16 MB"),
    })
}

/// Large hash tables are read at random: with small pages every read costs a look at the page table.
fn huge_pages() -> Option<Finding> {
    const SWITCH: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
    let text = read(SWITCH)?;
    let chosen = text.split_once('[')?.1.split_once(']')?.0;
    Some(if chosen == "always" {
        Finding::good("huge pages", "given to every large table")
    } else {
        Finding::note(
            "huge pages",
            format!("not given to hash tables (the system says {chosen})"),
            format!("as root: echo always > {SWITCH}"),
        )
    })
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(Path::new(path)).ok()
}

/// The value of the first line `name : value`.
fn value_of(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        (found.trim() == name).then(|| value.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::value_of;

    #[test]
    fn values_are_found_by_their_whole_name() {
        let text = "MemTotal:  10 kB\nmodel name\t: A: B\n";
        assert_eq!(value_of(text, "model name").as_deref(), Some("A: B"));
        assert_eq!(value_of(text, "MemTotal").as_deref(), Some("10 kB"));
        assert_eq!(value_of(text, "Mem"), None);
    }
}
