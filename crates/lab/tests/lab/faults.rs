//! Matches against programs that misbehave: the right side loses for the right reason, the next game
//! starts with a fresh program, and nothing is left running.

use crate::common::{Folder, example};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use tabiya_lab::arena::stats::Wdl;
use tabiya_lab::arena::{
    self, Adjudication, Answer, ArenaError, Conclusion, EngineSpec, Engines, Fault, GameRecord,
    MatchConfig, Observer, Player, PlayerFactory, Question, Reason, Reporter, Summary,
};
use tabiya_lab::work::StopSignal;

/// Collects what happens.
#[derive(Default)]
struct Records(Vec<GameRecord>);

impl Reporter for Records {
    fn game(&mut self, record: &GameRecord) {
        self.0.push(record.clone());
    }
}

fn mock(mode: &str, name: &str, limit: &str) -> EngineSpec {
    let tag = format!("{name}-{}", std::process::id());
    let program = example("mock_engine");
    let text = format!("cmd={} arg={mode} arg={tag} name={name} {limit}", program.display());
    EngineSpec::parse(&text, "").expect("a good description")
}

fn config(players: Vec<EngineSpec>, rounds: u64) -> MatchConfig {
    MatchConfig {
        rounds,
        adjudication: Adjudication { max_moves: Some(8), ..Adjudication::default() },
        ..MatchConfig::new(players)
    }
}

fn play(config: &MatchConfig) -> (Summary, Vec<GameRecord>) {
    let mut records = Records::default();
    let stop = StopSignal::new();
    let (summary, conclusion) =
        arena::run(config, &Engines, None, &stop, &mut records).expect("the match runs");
    assert_eq!(conclusion, Conclusion::Complete);
    (summary, records.0)
}

/// Two games against a program that fails in both: it loses both for this reason.
fn fails(mode: &str, limit: &str, reason: Reason, detail: &str) {
    let name = format!("bad-{mode}");
    let players = vec![mock("random", &format!("good-{mode}"), "tc=60"), mock(mode, &name, limit)];
    let (summary, records) = play(&config(players, 1));
    assert_eq!(records.len(), 2);
    for record in &records {
        assert_eq!(record.result, if record.white == 1 { "0-1" } else { "1-0" }, "{record:?}");
        assert_eq!(record.reason, reason, "{record:?}");
        let found = record.detail.as_deref().unwrap_or_default();
        assert!(found.contains(detail), "{mode}: {found}");
    }
    assert_eq!(summary.players[1].tally.games, Wdl::new(0, 0, 2));
    assert_eq!(summary.players[1].tally.failures, BTreeMap::from([(reason, 2)]));
    assert_eq!(summary.players[0].tally.failures, BTreeMap::new());
    #[cfg(target_os = "linux")]
    assert_eq!(crate::common::processes_with(&format!("{name}-{}", std::process::id())), 0);
}

#[test]
fn a_crash_loses() {
    fails("crash_go", "tc=60", Reason::Crash, "exit status: 7");
    fails("abort", "depth=1", Reason::Crash, "signal: 6");
}

#[test]
fn a_hang_loses() {
    fails("hang", "tc=0.2", Reason::Stall, "no answer for ");
}

#[test]
fn a_late_answer_loses_on_time() {
    fails("late", "tc=0.5", Reason::TimeLoss, "over by ");
    fails("late", "movetime=0.3", Reason::TimeLoss, "over by ");
}

/// Overruns its clock by 50 ms in the first game of every pair, during which it had no core for a time.
struct Late {
    games: u64,
    starved: Duration,
}

impl Player for Late {
    fn new_game(&mut self) -> Result<(), Fault> {
        self.games += 1;
        Ok(())
    }

    fn think(&mut self, question: &Question, _: &mut Observer) -> Result<Answer, Fault> {
        let late = Duration::from_millis(if self.games == 1 { 1050 } else { 1 });
        let mv = question.game.board().legal_moves().get(0).expect("the game goes on");
        Ok(Answer { mv, elapsed: late, starved: self.starved })
    }
}

/// Makes late players whose name is how long they have no core, in milliseconds.
struct LatePlayers;

impl PlayerFactory for LatePlayers {
    fn create(&self, spec: &EngineSpec, _: bool) -> Result<Box<dyn Player>, Fault> {
        let starved = Duration::from_millis(spec.name.parse().expect("a number"));
        Ok(Box::new(Late { games: 0, starved }))
    }
}

#[test]
fn a_player_without_a_core_may_play_again_if_wanted() {
    let late = |starved: &str, replay_starved| {
        let spec = |name: &str| EngineSpec::parse(&format!("self name={name} tc=1"), "").unwrap();
        let mut config = config(vec![spec(starved), spec("1")], 1);
        config.replay_starved = replay_starved;
        config.adjudication.max_moves = Some(2);
        let mut records = Records::default();
        let run = arena::run(&config, &LatePlayers, None, &StopSignal::new(), &mut records);
        let (summary, _) = run.unwrap();
        let first = &records.0[0];
        (first.reason, first.replays, summary.replays)
    };
    assert_eq!(late("60", true), (Reason::MoveLimit, 1, 1));
    assert_eq!(late("60", false), (Reason::TimeLoss, 0, 0));
    assert_eq!(late("40", true), (Reason::TimeLoss, 0, 0), "late by more than the machine was");
}

#[test]
fn a_move_that_is_none_loses() {
    fails("illegal", "tc=60", Reason::IllegalMove, "illegal move a1h8");
    fails("null", "tc=60", Reason::IllegalMove, "illegal move 0000");
    fails("none", "tc=60", Reason::IllegalMove, "illegal move (none)");
    fails("empty", "tc=60", Reason::IllegalMove, "illegal move (none)");
    fails("garbage", "tc=60", Reason::IllegalMove, "zz9");
}

#[test]
fn two_answers_lose() {
    fails("twice", "tc=60", Reason::Protocol, "two answers");
}

#[cfg(unix)]
#[test]
fn closed_output_loses() {
    fails("close", "tc=60", Reason::Disconnect, "closed its output");
    #[cfg(target_os = "linux")]
    assert_eq!(crate::common::processes_with(&format!("sleep\x003599.{}", std::process::id())), 0);
}

#[test]
fn endless_output_loses() {
    fails("flood", "depth=1", Reason::Protocol, "endless output");
    fails("endless_line", "depth=1", Reason::Protocol, "endless output");
}

#[test]
fn a_crash_after_the_answer_loses_at_the_next_question() {
    fails("after", "tc=60", Reason::Crash, "exit status: 5");
}

#[test]
fn much_output_and_bad_manners_at_the_end_lose_nothing() {
    for mode in ["megabytes", "bad_exit", "ignore_quit", "child"] {
        let name = format!("odd-{mode}");
        let players = vec![mock("random", "fine", "tc=60"), mock(mode, &name, "tc=60")];
        let (summary, records) = play(&config(players, 1));
        assert!(records.iter().all(|record| !record.reason.is_failure()), "{mode}");
        assert_eq!(summary.games, 2);
        #[cfg(target_os = "linux")]
        assert_eq!(crate::common::processes_with(&format!("{name}-{}", std::process::id())), 0);
    }
    #[cfg(target_os = "linux")]
    assert_eq!(crate::common::processes_with(&format!("sleep\x003598.{}", std::process::id())), 0);
}

/// Whoever kills `cargo test` leaves no program behind, not even one that ignores the end of its input.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_test_takes_its_programs_along() {
    const IS_TO_BE_KILLED: &str = "TABIYA_TEST_IS_TO_BE_KILLED";
    if std::env::var_os(IS_TO_BE_KILLED).is_some() {
        let players = vec![mock("random", "fine", "tc=60"), mock("deaf", "orphan", "tc=60")];
        play(&config(players, 1_000_000));
    }
    let mut run = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::a_killed_test_takes_its_programs_along"])
        .env(IS_TO_BE_KILLED, "1")
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let tag = format!("orphan-{}", run.id());
    crate::common::wait_for_processes(&tag, |count| count > 0);
    run.kill().unwrap();
    run.wait().unwrap();
    crate::common::wait_for_processes(&tag, |count| count == 0);
}

#[test]
fn programs_of_the_older_protocol_play() {
    let players =
        vec![mock("random", "fine", "tc=60"), mock("xboard", "old", "proto=xboard tc=60")];
    let mut config = config(players, 2);
    let folder = Folder::new("xboard");
    let opening = folder.file("opening.epd");
    std::fs::write(&opening, "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -\n")
        .unwrap();
    config.openings.file = Some(opening);
    config.outputs.pgn = Some(folder.file("games.pgn"));
    config.adjudication.max_moves = Some(30);
    let (_, records) = play(&config);
    assert!(records.iter().all(|record| !record.reason.is_failure()), "{records:?}");
    let pgn = std::fs::read_to_string(folder.file("games.pgn")).unwrap();
    assert!(pgn.contains("[%eval 0.25,1]") && pgn.contains("[%eval -0.25,1]"), "{pgn}");
    let fault = |mode, reason, detail| fails(mode, "proto=xboard tc=2", reason, detail);
    fault("xboard_hang", Reason::Stall, "no answer for ");
    fault("xboard_illegal", Reason::IllegalMove, "a1h8");
    fault("xboard_crash", Reason::Crash, "exit status: 7");
}

#[test]
fn a_program_that_does_not_start_is_told_before_the_first_game() {
    let refusal = |spec: EngineSpec| {
        let players = vec![mock("random", "fine", "tc=60"), spec];
        let stop = StopSignal::new();
        let mut reporter = Records::default();
        let result = arena::run(&config(players, 1), &Engines, None, &stop, &mut reporter);
        assert!(matches!(&result, Err(ArenaError::Player { fault: Fault::Start(_), .. })));
        result.unwrap_err().to_string()
    };
    let crash = refusal(mock("crash_start", "x", "tc=60"));
    assert_eq!(crash, "player x: does not start: ended with exit status: 3");
    let missing = refusal(EngineSpec::parse("cmd=/no/such/program tc=1", "").unwrap());
    assert!(missing.contains("/no/such/program: No such file"), "{missing}");
    let option = refusal(mock("random", "x", "tc=60 option.Nonsense=1"));
    assert!(option.ends_with("it has no option Nonsense"), "{option}");
    let own = refusal(EngineSpec::parse("self tc=1 option.Nonsense=1", "").unwrap());
    assert!(own.ends_with("there is no option 'Nonsense'"), "{own}");
}

#[test]
fn an_honest_match_is_counted_right_on_several_threads() {
    let folder = Folder::new("honest");
    let players = ["1", "2", "3"]
        .map(|seed| mock("random", &format!("p{seed}"), &format!("depth=1 option.Seed={seed}")));
    let mut config = config(players.to_vec(), 5);
    config.concurrency = 3;
    config.adjudication.max_moves = Some(200);
    config.outputs.pgn = Some(folder.file("games.pgn"));
    config.outputs.json = Some(folder.file("result.json"));
    let (summary, mut records) = play(&config);
    records.sort_by_key(|record| record.game);
    assert_eq!(records.iter().map(|r| r.game).collect::<Vec<_>>(), (0..30).collect::<Vec<_>>());
    assert!(summary.pairings.iter().all(|pairing| pairing.games.games() == 10));
    assert!(summary.pairings.iter().all(|pairing| pairing.pairs.pairs() == 5));
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap();
    let pgn = read(folder.file("games.pgn"));
    assert_eq!(pgn.matches("[Event ").count(), 30);
    let json: serde_json::Value = serde_json::from_str(&read(folder.file("result.json"))).unwrap();
    assert_eq!(json["games"], 30);
    assert_eq!(json["players"][0]["name"], "p1");
}

#[test]
fn stopping_ends_the_match_without_an_error() {
    let stop = StopSignal::new();
    stop.abandon();
    let players = vec![mock("random", "a", "tc=60"), mock("random", "b", "tc=60")];
    let (summary, conclusion) =
        arena::run(&config(players, 50), &Engines, None, &stop, &mut Records::default()).unwrap();
    assert_eq!(conclusion, Conclusion::Stopped);
    assert!(summary.games < 100);
}
