//! Two generations in miniature, whole and in pieces.

use super::*;
use crate::data::play::{self, PlayConfig};
use crate::work::StopSignal;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder for one test, removed at its end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tabiya-learn-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// As little as teaches anything at all.
fn tiny() -> Choices {
    Choices {
        shape: Some("768x1-128s-1x1".parse().unwrap()),
        nodes: Some(15),
        games: Some(24),
        explore: Some(0.2),
        epochs: Some(2),
        dfrc: Some(0.2),
        gate_games: Some(4),
        gate_nodes: Some(15),
        yardstick_games: Some(2),
        ..Choices::default()
    }
}

/// Runs until done, or until `stop_at` says so.
fn learn(
    root: &Path,
    choices: &Choices,
    threads: usize,
    stop_at: &(dyn Fn(&Event) -> bool + Sync),
) -> Result<Ended, LearnError> {
    let stop = StopSignal::new();
    let control = Control { goal: Goal::Generations(2), resume: true, threads, stop: &stop };
    run(root, choices, &control, &mut |event| {
        if stop_at(event) {
            stop.abandon();
        }
    })
}

fn nets(root: &Path) -> Vec<Vec<u8>> {
    let folder = Folder::new(root);
    (0..=2).map(|number| fs::read(folder.net(number)).unwrap()).collect()
}

#[test]
fn two_generations_are_the_same_whole_or_in_pieces() {
    let whole = Place::new("whole");
    let ended = learn(&whole.0, &tiny(), 2, &|_| false).unwrap();
    assert_eq!((ended.generations, ended.is_complete), (2, true));

    // One thread instead of two, and stopped at the beginning of every part of every generation.
    let pieces = Place::new("pieces");
    let parts =
        [Phase::Play, Phase::Explore, Phase::Positions, Phase::Train, Phase::Gate, Phase::Measure];
    for generation in 1..=2 {
        for phase in parts {
            // Nothing is explored as long as the player knows nothing.
            let plan = Folder::new(&pieces.0).plan(generation).unwrap();
            if phase == Phase::Explore && plan.is_none_or(|plan| plan.explored == 0) {
                continue;
            }
            let at = |event: &Event| match event {
                Event::Progress(now) => (now.generation, now.phase) == (generation, phase),
                _ => false,
            };
            let ended = learn(&pieces.0, &tiny(), 1, &at).unwrap();
            assert!(!ended.is_complete, "generation {generation}: {phase}");
        }
    }
    assert!(learn(&pieces.0, &tiny(), 1, &|_| false).unwrap().is_complete);
    assert!(nets(&whole.0) == nets(&pieces.0));

    let overviews = [&whole, &pieces].map(|place| Overview::read(&Folder::new(&place.0)).unwrap());
    let [one, other] = overviews.map(|run| {
        run.generations
            .into_iter()
            .map(|one| (one.gate, one.yardsticks, one.is_promoted))
            .collect::<Vec<_>>()
    });
    assert_eq!(one, other);
    // A run that is done has nothing left to do.
    let again = learn(&whole.0, &tiny(), 2, &|event| matches!(event, Event::Planned(_))).unwrap();
    assert!(again.is_complete);
}

#[test]
fn a_run_tells_what_it_did() {
    let place = Place::new("told");
    let mut notes = Vec::new();
    let mut totals = std::collections::BTreeMap::new();
    let stop = StopSignal::new();
    let control = Control { goal: Goal::Generations(1), resume: false, threads: 2, stop: &stop };
    run(&place.0, &tiny(), &control, &mut |event| match event {
        Event::Note(text) => notes.push((*text).to_owned()),
        Event::Progress(now) => {
            totals.insert(now.phase, now.total);
        }
        _ => {}
    })
    .unwrap();
    assert_eq!((totals[&Phase::Gate], totals[&Phase::Measure]), (4, 2));
    assert!(
        notes[0].starts_with("generation 1: 24 games of random weights at 15 nodes"),
        "{notes:?}"
    );
    assert!(
        notes[1].contains("against start") && notes[1].contains("against classical"),
        "{notes:?}"
    );

    let folder = Folder::new(&place.0);
    let run = Overview::read(&folder).unwrap();
    let first = &run.generations[0];
    assert_eq!(first.histogram.results.iter().sum::<u64>(), first.positions);
    assert_eq!(first.piece_values.len(), 5);
    assert!(!first.games.is_empty() && first.games[0].plies.len() > 2);
    let names: Vec<&str> = run.ratings.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["start", "net 1", "classical"]);
    assert_eq!(run.ratings[0].elo, 0.0);
    let report = fs::read_to_string(folder.report()).unwrap();
    assert!(report.contains("\"is_promoted\"") && report.contains("<symbol id=\"wk\""));
    assert!(!report.contains("src=") && !report.contains("http://www.w3.org/1999"), "stands alone");

    // The same folder again: only if asked to, and only with the same settings.
    let refused = |choices: &Choices, resume: bool| {
        let control = Control { goal: Goal::Generations(1), resume, threads: 1, stop: &stop };
        super::run(&place.0, choices, &control, &mut |_| ()).unwrap_err().to_string()
    };
    assert!(refused(&tiny(), false).ends_with("holds a run already; --resume continues it"));
    let other = Choices { nodes: Some(16), ..tiny() };
    assert!(refused(&other, true).ends_with("begun with other settings: nodes was 15, now 16"));
    fs::remove_file(place.0.join("learn.json")).unwrap();
    assert!(refused(&tiny(), true).ends_with("not empty, and no run of learn in it"));
}

#[test]
fn games_of_others_are_checked_and_taken_once() {
    let place = Place::new("inbox");
    let folder = Folder::new(&place.0);
    fs::create_dir_all(folder.inbox()).unwrap();
    fs::create_dir_all(folder.generation(1)).unwrap();
    let config = PlayConfig {
        player: crate::arena::EngineSpec::parse("self nodes=10", "").unwrap(),
        games: 3,
        part: None,
        seed: 5,
        dfrc_share: 0.0,
        max_opening_score: 30_000,
        adjudication: crate::arena::Adjudication { max_moves: Some(9), ..Default::default() },
        score_unit: crate::data::record::CENTIPAWNS.to_owned(),
        concurrency: 1,
    };
    let stop = StopSignal::new();
    let deliver = |name: &str, unit: &str| {
        let config = PlayConfig { score_unit: unit.to_owned(), ..config.clone() };
        let path = folder.inbox().join(name);
        play::run(&config, &path, false, &crate::arena::Engines, &stop, |_, _| ()).unwrap();
        path
    };
    deliver("a.games", crate::data::record::CENTIPAWNS);
    deliver("b.games", "pawns");
    let cut = deliver("c.games", crate::data::record::CENTIPAWNS);
    let bytes = fs::read(&cut).unwrap();
    fs::write(&cut, &bytes[..bytes.len() - 9]).unwrap();
    fs::write(folder.inbox().join("notes.txt"), "not ours").unwrap();

    let first = inbox::accept(&folder, 1).unwrap();
    assert_eq!(first.taken, ["other-a.games"]);
    assert_eq!(first.notes[0], "inbox: a.games: 3 games taken");
    assert!(first.notes[1].starts_with("inbox: b.games: refused: its scores are pawns"));
    assert!(first.notes[2].starts_with("inbox: c.games: refused"), "{}", first.notes[2]);
    assert!(folder.inbox().join("refused/c.games").exists());
    assert!(folder.inbox().join("notes.txt").exists());
    // A call that was interrupted after it took the file.
    let second = inbox::accept(&folder, 1).unwrap();
    assert_eq!((second.taken, second.notes.len()), (first.taken, 0));
}
