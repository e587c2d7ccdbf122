//! Self-play and labelling: what is written depends on the settings only, and a file cut short at any
//! byte is continued to the same records.

use crate::common::{Folder, example};
use std::fs;
use std::path::Path;
use tabiya_chess::GameResult;
use tabiya_lab::arena::{Adjudication, EngineSpec, Engines, ResignRule};
use tabiya_lab::data::label::{LabelConfig, LabelProgress, LabelRun, Sampling};
use tabiya_lab::data::play::{self, PlayConfig, PlayProgress};
use tabiya_lab::data::positions::{self, Filter, Split};
use tabiya_lab::data::record::{Game, LabelledPosition, Reader, Record, Verdict};
use tabiya_lab::work::StopSignal;

fn config(player: &str, games: u64, concurrency: usize) -> PlayConfig {
    PlayConfig {
        player: EngineSpec::parse(player, "").expect("a player"),
        games,
        part: None,
        seed: 3,
        dfrc_share: 0.5,
        max_opening_score: 300,
        adjudication: Adjudication {
            resign: Some(ResignRule { score: 800, moves: 2, both: true }),
            draw: None,
            max_moves: Some(60),
        },
        score_unit: "centipawns".to_string(),
        concurrency,
    }
}

const OWN: &str = "self softnodes=100 nodes=800 option.Hash=1";

fn play(config: &PlayConfig, path: &Path, resume: bool) -> Result<PlayProgress, String> {
    let stop = StopSignal::new();
    play::run(config, path, resume, &Engines, &stop, |_, _| ()).map_err(|error| error.to_string())
}

fn read<R: Record>(path: &Path) -> Vec<R> {
    Reader::open(path).expect("a file").records().collect::<Result<_, _>>().expect("whole records")
}

/// Cuts a file as a crash may.
fn cut(path: &Path, tenths: usize) {
    let bytes = fs::read(path).expect("a file");
    fs::write(path, &bytes[..bytes.len() * tenths / 10]).expect("space");
}

#[test]
fn games_depend_on_the_seed_and_their_number_only() {
    let folder = Folder::new("selfplay");
    let [one, two] = ["one.games", "two.games"].map(|name| folder.file(name));
    let done = play(&config(OWN, 8, 1), &one, false).unwrap();
    assert_eq!((done.games, done.played), (8, 8));
    let games = read::<Game>(&one);
    for game in &games {
        assert_eq!(game.replay(|_, _| ()), Ok(()));
        assert!(game.result() != GameResult::Unknown && game.plies().len() > 3);
        assert!(game.plies().iter().all(|ply| ply.score.is_some()));
    }
    let starts: Vec<_> = games.iter().map(|game| game.start().unwrap()).collect();
    assert!(starts.iter().all(|start| starts.iter().filter(|other| *other == start).count() == 1));

    // Another number of threads, in three sittings, two of them cut short.
    play(&config(OWN, 3, 2), &two, false).unwrap();
    assert_eq!(read::<Game>(&two), games[..3]);
    cut(&two, 7);
    assert!(Reader::<Game>::open(&two).unwrap().records().any(|game| game.is_err()));
    play(&config(OWN, 5, 2), &two, true).unwrap();
    cut(&two, 9);
    play(&config(OWN, 8, 2), &two, true).unwrap();
    assert_eq!(read::<Game>(&two), games);

    assert!(play(&config(OWN, 8, 1), &two, false).unwrap_err().ends_with("--resume continues it"));
    let other = PlayConfig { seed: 4, ..config(OWN, 9, 1) };
    assert!(play(&other, &two, true).unwrap_err().contains("begun with other settings"));
    assert_eq!(read::<Game>(&two), games, "a refused file is left alone");
}

#[test]
fn a_teacher_plays_and_a_broken_one_is_named() {
    let folder = Folder::new("teacher");
    let mock = example("mock_engine");
    let tag = format!("selfplay-{}", std::process::id());
    let teacher = |mode: &str| format!("cmd={} arg={mode} arg={tag} depth=1", mock.display());
    let path = folder.file("mock.games");
    // The mock knows no Chess960.
    let standard = |mode| PlayConfig { dfrc_share: 0.0, ..config(&teacher(mode), 6, 3) };
    play(&standard("random"), &path, false).unwrap();
    let games = read::<Game>(&path);
    assert_eq!(games.len(), 6);
    assert!(games.iter().all(|game| game.replay(|_, _| ()) == Ok(())));
    let broken = folder.file("broken.games");
    let error = play(&standard("illegal"), &broken, false).unwrap_err();
    assert_eq!(error, "player: illegal move a1h8");
    assert_eq!(read::<Game>(&broken).len(), 0);
    let error = play(&standard("crash_start"), &folder.file("none.games"), false).unwrap_err();
    assert!(error.starts_with("player: does not start"), "{error}");
    assert!(!folder.file("none.games").exists());
    #[cfg(target_os = "linux")]
    assert_eq!(crate::common::processes_with(&tag), 0);
}

fn label_config(player: &str, concurrency: usize) -> LabelConfig {
    LabelConfig {
        player: EngineSpec::parse(player, "").expect("a player"),
        score_unit: "centipawns".to_string(),
        concurrency,
        in_flight: 4,
        groups: None,
        chess960: false,
    }
}

const EVERY: Sampling = Sampling { skip_plies: 0, quiet: false, share: 1.0, seed: 1, split: None };

/// Labels games if no sampling is given.
fn label(
    config: &LabelConfig,
    input: &Path,
    output: &Path,
    resume: bool,
    sampling: Option<Sampling>,
) -> Result<LabelProgress, String> {
    let stop = StopSignal::new();
    let run = LabelRun { config, input, output, resume, factory: &Engines, stop: &stop };
    match sampling {
        None => run.games(|_| ()),
        Some(sampling) => run.positions(&sampling, |_| ()),
    }
    .map_err(|error| error.to_string())
}

const JUDGE: &str = "self softnodes=50 nodes=400 option.Hash=1";

#[test]
fn labels_do_not_depend_on_threads_or_interruptions() {
    let folder = Folder::new("label");
    let input = folder.file("in.games");
    let standard = PlayConfig { dfrc_share: 0.0, ..config(OWN, 6, 2) };
    play(&standard, &input, false).unwrap();
    let games = read::<Game>(&input);

    let [one, two] = ["one.games", "two.games"].map(|name| folder.file(name));
    let done = label(&label_config(JUDGE, 1), &input, &one, false, None).unwrap();
    assert!(done.complete && done.records == 6 && done.expected == Some(6));
    let labelled = read::<Game>(&one);
    for (game, labelled) in games.iter().zip(&labelled) {
        assert_eq!((game.start(), game.result()), (labelled.start(), labelled.result()));
        let moves = |game: &Game| game.plies().iter().map(|ply| ply.mv).collect::<Vec<_>>();
        assert_eq!(moves(game), moves(labelled));
        assert!(labelled.plies().iter().all(|ply| ply.score.is_some()));
    }
    assert_ne!(games, labelled);
    label(&label_config(JUDGE, 2), &input, &two, false, None).unwrap();
    cut(&two, 6);
    label(&label_config(JUDGE, 2), &input, &two, true, None).unwrap();
    assert_eq!(read::<Game>(&two), labelled);

    let sampling = Sampling { skip_plies: 10, quiet: true, share: 0.5, ..EVERY };
    let [one, two] = ["one.pos", "two.pos"].map(|name| folder.file(name));
    label(&label_config(JUDGE, 2), &input, &one, false, Some(sampling)).unwrap();
    let positions = read::<LabelledPosition>(&one);
    let plies: usize = games.iter().map(|game| game.plies().len()).sum();
    assert!(positions.len() > 20 && positions.len() < plies / 2, "{} of {plies}", positions.len());
    assert!(positions.iter().all(|position| position.ply() >= 10));
    assert!(positions.iter().all(|position| !position.to_board().unwrap().in_check()));
    for tenths in [5, 8] {
        fs::copy(&one, &two).unwrap();
        cut(&two, tenths);
        label(&label_config(JUDGE, 1), &input, &two, true, Some(sampling)).unwrap();
        assert_eq!(read::<LabelledPosition>(&two), positions);
    }
    // Positions can be labelled again.
    let again = folder.file("again.pos");
    label(&label_config(JUDGE, 1), &one, &again, false, Some(EVERY)).unwrap();
    assert_eq!(read::<LabelledPosition>(&again).len(), positions.len());
    let error = label(&label_config(OWN, 1), &one, &again, true, Some(EVERY)).unwrap_err();
    assert!(error.contains("begun with other settings"), "{error}");
}

#[test]
fn labelled_training_and_validation_sets_share_no_game() {
    let folder = Folder::new("label-split");
    let input = folder.file("in.games");
    play(&PlayConfig { dfrc_share: 0.0, ..config(OWN, 12, 2) }, &input, false).unwrap();
    let boards = |positions: &[LabelledPosition]| -> Vec<_> {
        positions.iter().map(|position| position.to_board().unwrap()).collect()
    };
    let mut parts = [Split::Training, Split::Validation].map(|split| {
        let out = folder.file(&format!("{split:?}.pos"));
        let sampling = Sampling { split: Some((split, 400)), ..EVERY };
        label(&label_config(JUDGE, 2), &input, &out, false, Some(sampling)).unwrap();
        boards(&read::<LabelledPosition>(&out))
    });

    // The same games as for positions that keep their scores.
    let filter = Filter { validation_permille: 400, ..Filter::default() };
    let expanded = positions::expand(std::slice::from_ref(&input), filter, 1, 1, |_| ()).unwrap();
    let [training, validation] = &parts;
    assert!(!expanded.training.is_empty() && !expanded.validation.is_empty());
    assert!(boards(&expanded.training).iter().all(|board| training.contains(board)));
    assert!(boards(&expanded.validation).iter().all(|board| validation.contains(board)));

    // Every game is in one of them, whole.
    for game in read::<Game>(&input) {
        let mut replayed = Vec::new();
        game.replay(|board, _| replayed.push(*board)).unwrap();
        let part = parts.iter_mut().find(|part| part.starts_with(&replayed)).expect("a whole game");
        part.drain(..replayed.len());
    }
    assert!(parts.iter().all(Vec::is_empty));

    let positions = folder.file("Training.pos");
    let sampling = Sampling { split: Some((Split::Training, 400)), ..EVERY };
    let out = folder.file("again.pos");
    let error =
        label(&label_config(JUDGE, 1), &positions, &out, false, Some(sampling)).unwrap_err();
    assert!(error.contains("Training.pos") && error.contains("games are not known"), "{error}");
}

const PGN: &str = "[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n[Result \"*\"]\n\n1. e4 e5 *\n";
const LINES: &str = "\
# a comment
4k3/8/8/8/8/8/8/Q3K3 w - - 0 1
4k3/8/8/8/8/8/8/Q3K3 b - - c9 \"1-0\";
4k3/8/8/8/8/8/8/4K3 w - - 0 1 | 12 | 0.5
7k/5Q2/6K1/8/8/8/8/8 b - - 0 1
";

#[test]
fn pgn_and_text_are_labelled_by_a_pipelined_teacher() {
    let folder = Folder::new("label-text");
    let (pgn, text) = (folder.file("a.pgn"), folder.file("a.epd"));
    fs::write(&pgn, PGN).unwrap();
    fs::write(&text, LINES).unwrap();
    let teacher = format!("cmd={} arg=random depth=1", example("mock_engine").display());
    let config = label_config(&teacher, 2);

    let games = folder.file("a.games");
    label(&config, &pgn, &games, false, None).unwrap();
    let scores = |game: &Game| game.plies().iter().map(|ply| ply.score).collect::<Vec<_>>();
    assert_eq!(
        read::<Game>(&games).iter().map(scores).collect::<Vec<_>>(),
        [vec![Some(0); 4], vec![Some(0); 2]]
    );
    let out = folder.file("pgn.pos");
    label(&config, &pgn, &out, false, Some(Sampling { skip_plies: 1, ..EVERY })).unwrap();
    let verdicts =
        |path| read::<LabelledPosition>(path).iter().map(|p| p.verdict).collect::<Vec<_>>();
    // The game without result: its score says level.
    assert_eq!(verdicts(&out), [Verdict::Win, Verdict::Loss, Verdict::Win, Verdict::Draw]);

    let out = folder.file("text.pos");
    label(&label_config(JUDGE, 1), &text, &out, false, Some(EVERY)).unwrap();
    // The stalemate needs no label.
    assert_eq!(verdicts(&out), [Verdict::Win, Verdict::Loss, Verdict::Draw]);
    assert!(read::<LabelledPosition>(&out)[0].score > 300);

    let broken = format!("cmd={} arg=crash_go depth=1", example("mock_engine").display());
    let out = folder.file("broken.pos");
    let error = label(&label_config(&broken, 1), &pgn, &out, false, Some(EVERY)).unwrap_err();
    assert!(error.starts_with("player: ended with"), "{error}");
    fs::write(&text, LINES.replace("4k3/8/8/8/8/8/8/Q3K3 b", "4k3/8/8/8/8/8/8/Q3K4 b")).unwrap();
    let out = folder.file("bad.pos");
    let error = label(&config, &text, &out, false, Some(EVERY)).unwrap_err();
    assert!(error.contains("a.epd, line 3: "), "{error}");
    assert!(label(&config, &text, &out, true, None).unwrap_err().ends_with("not games"));
}
