//! Feeds changed inputs to the readers listed in `targets` and checks that nothing panics. See README.md.

mod files;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tabiya_lab::work::SplitMix;
use targets::{TARGETS, Target};

const USAGE: &str = "usage: tabiya-fuzz TARGET [--seconds N | --runs N] [--seed S]";
/// Inputs kept to be changed further, and their greatest length.
const MAX_CORPUS: usize = 2000;
const MAX_LENGTH: usize = 4096;

/// When to stop.
#[derive(Clone, Copy)]
enum Limit {
    Time(Duration),
    Runs(u64),
}

struct Options {
    targets: Vec<&'static Target>,
    limit: Limit,
    seed: u64,
}

fn main() -> ExitCode {
    let Some(options) = parse(std::env::args().skip(1)) else {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("{USAGE}\ntargets: {} all", names.join(" "));
        return ExitCode::from(2);
    };
    for target in options.targets {
        if let Err(input) = fuzz(target, options.limit, options.seed) {
            println!("{}: failed on \"{}\"", target.name, input.escape_ascii());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn parse(mut args: impl Iterator<Item = String>) -> Option<Options> {
    let name = args.next()?;
    let targets: Vec<_> =
        TARGETS.iter().filter(|target| name == "all" || name == target.name).collect();
    let mut options = Options { targets, limit: Limit::Time(Duration::from_secs(10)), seed: 1 };
    while let Some(flag) = args.next() {
        let number: u64 = args.next()?.parse().ok()?;
        match flag.as_str() {
            "--seconds" => options.limit = Limit::Time(Duration::from_secs(number)),
            "--runs" => options.limit = Limit::Runs(number),
            "--seed" => options.seed = number,
            _ => return None,
        }
    }
    (!options.targets.is_empty()).then_some(options)
}

/// Runs one target to its limit; the error is the input that made it panic.
fn fuzz(target: &Target, limit: Limit, seed: u64) -> Result<(), Vec<u8>> {
    let mut random = Random::new(seed);
    let seeds = (target.seeds)();
    let mut corpus = seeds.clone();
    let start = Instant::now();
    let (mut runs, mut accepted) = (0, 0_u64);
    while match limit {
        Limit::Runs(limit) => runs < limit,
        Limit::Time(limit) => start.elapsed() < limit,
    } {
        let input = random.mutate(&corpus);
        let result = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        runs += 1;
        if result.map_err(|_| input.clone())? {
            accepted += 1;
            if corpus.len() < MAX_CORPUS {
                corpus.push(input);
            } else {
                let replaced = seeds.len() + random.below(MAX_CORPUS - seeds.len());
                corpus[replaced] = input;
            }
        }
    }
    let rate = runs as f64 / start.elapsed().as_secs_f64().max(1e-9);
    println!("{}: seed {seed}, {runs} runs, {accepted} accepted, {rate:.0} runs/s", target.name);
    Ok(())
}

/// Random changes.
struct Random(SplitMix);

impl Random {
    fn new(seed: u64) -> Self {
        Self(SplitMix::new(seed))
    }

    /// A number below `bound`, or zero.
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound.max(1))
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// A short stretch of a text.
    fn stretch(&mut self, text: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(text.len() + 1);
        let length = self.below((text.len() - start + 1).min(16));
        start..start + length
    }

    /// One of the known inputs with a few changes.
    fn mutate(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut text = self.pick(corpus).clone();
        for _ in 0..=self.below(4) {
            let at = self.stretch(&text);
            let replacement = match self.below(5) {
                0 => Vec::new(),
                1 => vec![self.0.next() as u8],
                2 => text[at.clone()].repeat(2),
                // A stretch of another input, at any place: keeps the vocabulary.
                _ => {
                    let other = self.pick(corpus);
                    other[self.stretch(other)].to_vec()
                }
            };
            text.splice(at, replacement);
        }
        text.truncate(MAX_LENGTH);
        text
    }
}
