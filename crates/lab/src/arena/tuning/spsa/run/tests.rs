//! Runs against judges that know the truth.

use super::*;
use crate::work::SplitMix;
use std::path::PathBuf;
use tabiya_engine::ParamSpec;

/// Where the strength of the made-up engine is greatest.
const BEST: [f64; 3] = [52.0, 1130.0, 6.0];

const fn param(name: &'static str, default: i32, max: i32, step: i32) -> ParamSpec {
    ParamSpec { name, default, min: 0, max, step }
}

pub(in super::super) fn plan(iterations: u64) -> Plan {
    Plan {
        params: vec![param("a", 20, 100, 8), param("b", 1500, 3000, 90), param("c", 4, 16, 1)],
        iterations,
        rate: 0.002,
        seed: 7,
        settings: RunSettings::new(),
    }
}

/// Games whose result is chance, leaning towards the side nearer to the best values: a step away
/// from them costs about 9 Elo points. `stop` is raised when iteration `last` is reached.
struct Made<'a> {
    last: u64,
    stop: &'a StopSignal,
}

impl Judge for Made<'_> {
    fn compare(&mut self, trial: &Trial) -> Result<Option<Score>, Fault> {
        if trial.iteration == self.last {
            self.stop.abandon();
        }
        if self.stop.is_abandoned() {
            return Ok(None);
        }
        let expected = 0.5 + 0.0125 * (loss(&trial.minus) - loss(&trial.plus));
        let mut random = SplitMix::new(trial.iteration);
        let mut score = Score::default();
        for _ in 0..2 {
            match random.unit() {
                chance if chance < expected - 0.25 => score.wins += 1,
                chance if chance < expected + 0.25 => score.draws += 1,
                _ => score.losses += 1,
            }
        }
        Ok(Some(score))
    }
}

/// Squared distance from the best values in steps.
fn loss(values: &[i32]) -> f64 {
    let params = plan(1).params;
    let steps = values.iter().zip(params).zip(BEST);
    steps.map(|((&value, p), best)| ((f64::from(value) - best) / f64::from(p.step)).powi(2)).sum()
}

fn files(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tabiya-spsa-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder.join("state.json")
}

/// Tunes up to iteration `last`.
fn tune(plan: &Plan, path: &Path, threads: usize, resume: bool, last: u64) -> State {
    let stop = StopSignal::new();
    let judges = (0..threads).map(|_| Made { last, stop: &stop }).collect();
    let mut state = run(plan, judges, path, resume, &stop, &mut |_| {}).unwrap();
    state.seconds = 0.0;
    state
}

#[test]
fn values_come_near_the_best() {
    let (plan, path) = (plan(30_000), files("near"));
    let state = tune(&plan, &path, 1, false, u64::MAX);
    assert_eq!((state.iteration, state.score.games()), (30_000, 60_000));
    for ((value, best), param) in state.values.iter().zip(BEST).zip(&plan.params) {
        let distance = (value - best).abs() / f64::from(param.step);
        assert!(distance < 0.5, "{}: {value} instead of {best}", param.name);
    }
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn a_resumed_run_equals_one_in_one_go() {
    for threads in [1, 3] {
        let (plan, whole, parts) = (plan(500), files("whole"), files("parts"));
        let expected = tune(&plan, &whole, threads, false, u64::MAX);
        let mut reached = tune(&plan, &parts, threads, false, 137);
        assert!(reached.iteration <= 137 && reached != expected);
        for last in [138, 400, u64::MAX] {
            reached = tune(&plan, &parts, threads, true, last);
        }
        assert_eq!(reached, expected);
        // Resuming what is complete changes nothing.
        assert_eq!(tune(&plan, &parts, threads, true, u64::MAX), expected);
        for path in [whole, parts] {
            std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
        }
    }
}

#[test]
fn another_number_of_threads_may_continue() {
    let (plan, path) = (plan(300), files("threads"));
    tune(&plan, &path, 4, false, 100);
    tune(&plan, &path, 1, true, 200);
    assert_eq!(tune(&plan, &path, 3, true, u64::MAX).iteration, 300);
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn wrong_states_are_refused_with_the_reason() {
    let (mut plan, path) = (plan(50), files("refused"));
    tune(&plan, &path, 1, false, 20);
    let refused = |plan: &Plan, resume| {
        let stop = StopSignal::new();
        let judges = vec![Made { last: 0, stop: &stop }];
        run(plan, judges, &path, resume, &stop, &mut |_| {}).unwrap_err().to_string()
    };
    assert!(refused(&plan, false).contains("add --resume"));
    plan.params[2].max = 12;
    let other = refused(&plan, true);
    assert!(other.ends_with("param c was 4, 0..=16, step 1, now 4, 0..=12, step 1"), "{other}");
    plan.params[2].max = 16;
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("\"values\":[", "\"values\":[1.0,", 1)).unwrap();
    assert!(refused(&plan, true).contains("does not fit"));
    std::fs::write(&path, &text[..text.len() / 2]).unwrap();
    assert!(refused(&plan, true).contains("EOF"));
    std::fs::remove_file(&path).unwrap();
    assert!(refused(&plan, true).contains("No such file"), "nothing to resume");
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn a_failing_judge_ends_the_run() {
    struct Broken;
    impl Judge for Broken {
        fn compare(&mut self, _: &Trial) -> Result<Option<Score>, Fault> {
            Err(Fault::Start("no memory".to_string()))
        }
    }
    let (path, stop) = (files("failing"), StopSignal::new());
    let error = run(&plan(9), vec![Broken, Broken], &path, false, &stop, &mut |_| {}).unwrap_err();
    assert_eq!(error.to_string(), "player: does not start: no memory");
    assert!(stop.is_abandoned());
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}
