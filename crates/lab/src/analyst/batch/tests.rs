use super::*;
use std::fs::{self, File};

/// Writes the number and the length of each game, and fails where it is told to.
#[derive(Default)]
struct Lengths {
    panics_at: Option<u64>,
    /// The game that cannot be noted, as if its page found the disk full.
    full_at: Option<u64>,
}

impl Task for Lengths {
    type Worker = ();
    type Note = (u64, usize);
    type Summary = usize;

    fn work(
        &self,
        (): &mut (),
        game: NumberedGame,
        stop: &StopSignal,
        tell: &mut dyn FnMut(WithinGame),
    ) -> Option<GameTexts<(u64, usize)>> {
        let number = game.number;
        assert!(Some(number) != self.panics_at, "stumbled");
        tell(WithinGame { game: number, done: 1, positions: 2 });
        let plies = game.game.mainline.moves.len();
        let texts = vec![format!("{number}: {plies}\n"); 2];
        (!stop.is_raised()).then_some(GameTexts { texts, note: (number, plies) })
    }

    fn add(&self, summary: &mut usize, (number, plies): (u64, usize)) -> Result<(), BatchError> {
        if Some(number) == self.full_at {
            return Err(BatchError::Write("page".into(), io::ErrorKind::StorageFull.into()));
        }
        *summary += plies;
        Ok(())
    }

    fn head(&self, output: usize) -> String {
        format!("head {output}\n")
    }

    fn tail(&self, output: usize, summary: &usize) -> String {
        format!("tail {output}, {summary} plies\n")
    }
}

/// Stops a run after some games and keeps what it hears of problems.
#[derive(Default)]
struct Listener<'a> {
    stop_after: Option<(u64, &'a StopSignal)>,
    problems: Vec<String>,
    within: Vec<WithinGame>,
}

impl Observer for Listener<'_> {
    fn problem(&mut self, text: &str) {
        self.problems.push(text.to_owned());
    }

    fn progress(&mut self, progress: &BatchProgress) {
        if let Some((games, stop)) = self.stop_after
            && progress.fresh >= games
        {
            stop.raise();
        }
    }

    fn within(&mut self, game: WithinGame) {
        self.within.push(game);
    }
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, games: usize) -> Self {
        let path = std::env::temp_dir().join(format!("tabiya-batch-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        let mut pgn = String::new();
        for n in 0..games {
            let moves = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(n % 5);
            pgn.extend(["[Round \"", &n.to_string(), "\"]\n\n", &moves, "*\n\n"]);
        }
        fs::write(path.join("games.pgn"), pgn).unwrap();
        Self(path)
    }

    fn config(&self, name: &str) -> BatchConfig {
        let output = |kind: &str| Output::File(self.0.join(format!("{name}.{kind}")));
        BatchConfig {
            input: self.0.join("games.pgn"),
            outputs: vec![output("a"), output("b")],
            shard: Shard::ALL,
            part: None,
            resume: false,
            force: false,
            settings: RunSettings::new(),
        }
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run_with(
    config: &BatchConfig,
    listener: &mut Listener,
    stop: &StopSignal,
) -> Result<Finished<usize>, BatchError> {
    run(config, &Lengths::default(), vec![(); 3], stop, listener)
}

fn run_all(config: &BatchConfig) -> Result<Finished<usize>, BatchError> {
    run_with(config, &mut Listener::default(), &StopSignal::new())
}

#[test]
fn an_interrupted_run_continues_to_the_same_result() {
    let folder = Folder::new("resume", 300);
    let whole = run_all(&folder.config("whole")).unwrap();
    assert!(whole.complete && whole.games == 300);
    assert!(folder.read("whole.a").starts_with("head 0\n1: 0\n2: 4\n"));
    assert!(folder.read("whole.b").ends_with("300: 16\ntail 1, 2400 plies\n"));

    let mut config = folder.config("parts");
    for games in [1, 60, 90] {
        let stop = StopSignal::new();
        let mut listener = Listener { stop_after: Some((games, &stop)), ..Listener::default() };
        let finished = run_with(&config, &mut listener, &stop).unwrap();
        assert!(!finished.complete && finished.games < 300);
        assert!(!folder.0.join("parts.a").exists());
        // A kill leaves more in the parts than the note of progress knows about.
        let part = folder.0.join("parts.b.part");
        let mut text = fs::read(&part).unwrap();
        text.extend_from_slice(b"half a ga");
        fs::write(&part, text).unwrap();
        config.resume = true;
    }
    let resumed = run_all(&config).unwrap();
    assert_eq!((resumed.games, resumed.summary), (whole.games, whole.summary));
    for kind in ["a", "b"] {
        assert_eq!(folder.read(&format!("parts.{kind}")), folder.read(&format!("whole.{kind}")));
    }
    assert!(!folder.0.join("parts.a.progress").exists());
    assert!(matches!(run_all(&config), Err(BatchError::Complete)));
}

#[test]
fn a_run_tells_what_happens_within_its_games() {
    let folder = Folder::new("within", 4);
    let mut listener = Listener::default();
    run_with(&folder.config("out"), &mut listener, &StopSignal::new()).unwrap();
    listener.within.sort_unstable_by_key(|within| within.game);
    let told: Vec<_> = listener.within.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 4);
    assert_eq!(told[2], "game 3: 1 of 2 positions");
}

#[test]
fn a_run_does_not_touch_what_another_left() {
    let folder = Folder::new("refuse", 50);
    let mut config = folder.config("out");
    let stop = StopSignal::new();
    let mut listener = Listener { stop_after: Some((5, &stop)), ..Listener::default() };
    run_with(&config, &mut listener, &stop).unwrap();
    assert!(matches!(run_all(&config), Err(BatchError::Interrupted(_))));
    config.resume = true;
    config.settings.insert("budget".to_owned(), "9 nodes".to_owned());
    let error = run_all(&config).unwrap_err().to_string();
    assert!(error.ends_with("budget was not set, now 9 nodes"), "{error}");
    config.settings.clear();
    fs::write(folder.0.join("out.a.part"), "x").unwrap();
    assert!(matches!(run_all(&config), Err(BatchError::Damaged(..))));
    fs::write(folder.0.join("old.a"), "x").unwrap();
    assert!(matches!(run_all(&folder.config("old")), Err(BatchError::Exists(_))));
    run_all(&BatchConfig { force: true, ..folder.config("old") }).unwrap();
    assert!(folder.read("old.a").starts_with("head 0\n1: 0\n"));
    config.resume = false;
    run_all(&BatchConfig { force: true, ..config }).unwrap();
    assert!(!folder.0.join("out.a.part").exists() && !folder.0.join("out.a.progress").exists());
    let gone = BatchConfig { input: "no/such/file".into(), ..folder.config("gone") };
    assert!(matches!(run_all(&gone), Err(BatchError::Read(..))));
    assert!(!folder.0.join("gone.a.part").exists());
}

#[test]
fn a_run_is_not_resumed_with_other_games() {
    let folder = Folder::new("other", 60);
    run_all(&folder.config("whole")).unwrap();
    let mut config = folder.config("out");
    let stop = StopSignal::new();
    let mut listener = Listener { stop_after: Some((20, &stop)), ..Listener::default() };
    let done = run_with(&config, &mut listener, &stop).unwrap().games as usize;
    let games = folder.0.join("games.pgn");
    let text = fs::read_to_string(&games).unwrap();
    config.resume = true;
    let removed = text.split_inclusive("*\n\n").skip(1).collect::<String>();
    let few = text.split_inclusive("*\n\n").take(done - 1).collect::<String>();
    let prepended = format!("[Round \"-1\"]\n\n1. e4 *\n\n{text}");
    let changed = text.replacen("Nf3", "Nc3", 1);
    for other in [prepended, removed, few, changed, String::new()] {
        fs::write(&games, other).unwrap();
        let error = run_all(&config).unwrap_err();
        assert!(matches!(error, BatchError::OtherGames(_)), "{error}");
    }
    // Games that were added at the end are welcome.
    fs::write(&games, text + "[Round \"60\"]\n\n1. e4 *\n").unwrap();
    assert_eq!(run_all(&config).unwrap().games, 61);
    let whole = folder.read("whole.a");
    let lines = whole.lines().filter(|line| !line.starts_with("tail")).collect::<Vec<_>>();
    assert!(folder.read("out.a").starts_with(&lines.join("\n")));
}

#[test]
fn a_panic_is_told_with_its_game_and_loses_nothing_before_it() {
    let folder = Folder::new("panic", 30);
    let mut config = folder.config("out");
    let task = Lengths { panics_at: Some(7), ..Lengths::default() };
    for threads in [1, 2] {
        let mut listener = Listener::default();
        let stop = StopSignal::new();
        let error = run(&config, &task, vec![(); threads], &stop, &mut listener).unwrap_err();
        assert!(error.to_string().ends_with("game 7: this is a bug: stumbled"), "{error}");
        assert_eq!(folder.read("out.a.part"), "head 0\n1: 0\n2: 4\n3: 8\n4: 12\n5: 16\n6: 0\n");
        config.resume = true;
    }
}

#[test]
fn a_game_that_could_not_be_noted_is_done_once_when_the_run_goes_on() {
    let folder = Folder::new("full", 9);
    let whole = run_all(&folder.config("whole")).unwrap();
    let mut config = folder.config("out");
    let task = Lengths { full_at: Some(5), ..Lengths::default() };
    let (stop, mut listener) = (StopSignal::new(), Listener::default());
    let error = run(&config, &task, vec![()], &stop, &mut listener).unwrap_err();
    assert!(error.to_string().starts_with("output page: "), "{error}");
    config.resume = true;
    assert_eq!(run_all(&config).unwrap().summary, whole.summary);
    for kind in ["a", "b"] {
        assert_eq!(folder.read(&format!("out.{kind}")), folder.read(&format!("whole.{kind}")));
    }
}

#[test]
fn a_damaged_summary_is_not_taken_for_nothing() {
    let folder = Folder::new("summary", 300);
    let mut config = folder.config("out");
    let stop = StopSignal::new();
    let mut listener = Listener { stop_after: Some((3, &stop)), ..Listener::default() };
    run_with(&config, &mut listener, &stop).unwrap();
    let progress = folder.0.join("out.a.progress");
    let text = folder.read("out.a.progress");
    let damaged = text.replace("\"summary\": ", "\"summary\": \"?\", \"was\": ");
    fs::write(&progress, damaged).unwrap();
    config.resume = true;
    let error = run_all(&config).unwrap_err().to_string();
    assert!(error.contains("out.a.progress: "), "{error}");
}

#[test]
fn force_leaves_a_run_alone_that_is_going_on() {
    let folder = Folder::new("busy", 9);
    let mut config = folder.config("out");
    fs::write(folder.0.join("out.a.part"), "half").unwrap();
    fs::write(folder.0.join("out.a.progress"), "{}").unwrap();
    let running = File::open(folder.0.join("out.a.part")).unwrap();
    running.lock().unwrap();
    config.force = true;
    assert!(matches!(run_all(&config), Err(BatchError::Busy(_))));
    assert_eq!(
        (folder.read("out.a.part"), folder.read("out.a.progress")),
        ("half".into(), "{}".into())
    );
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_at_the_name_of_a_part() {
    let folder = Folder::new("link", 3);
    let precious = folder.0.join("precious");
    fs::write(&precious, "diary").unwrap();
    std::os::unix::fs::symlink(&precious, folder.0.join("out.a.part")).unwrap();
    let error = run_all(&folder.config("out")).unwrap_err().to_string();
    assert!(error.ends_with("out.a.part: is a symbolic link"), "{error}");
    assert_eq!(folder.read("precious"), "diary");
}

#[test]
fn a_kill_between_the_renames_is_survived() {
    let folder = Folder::new("rename", 40);
    run_all(&folder.config("whole")).unwrap();
    let mut config = folder.config("out");
    let stop = StopSignal::new();
    let mut listener = Listener { stop_after: Some((10, &stop)), ..Listener::default() };
    run_with(&config, &mut listener, &stop).unwrap();
    fs::rename(folder.0.join("out.a.part"), folder.0.join("out.a")).unwrap();
    config.resume = true;
    run_all(&config).unwrap();
    assert_eq!(folder.read("out.a"), folder.read("whole.a"));
}

#[test]
fn shards_share_the_games_out() {
    let folder = Folder::new("shard", 31);
    let mut numbers = Vec::new();
    for index in 1..=4 {
        let mut config = folder.config(&format!("shard-{index}"));
        config.shard = format!("{index}/4").parse().unwrap();
        run_all(&config).unwrap();
        let text = folder.read(&format!("shard-{index}.a"));
        let number = |line: &str| line.split(':').next()?.parse::<u64>().ok();
        numbers.extend(text.lines().filter_map(number));
    }
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..=31));
    for text in ["", "1", "0/3", "4/3", "a/b", "1/0", "-1/2"] {
        assert_eq!(text.parse::<Shard>(), Err(ShardError), "{text}");
    }
}

#[test]
fn a_file_of_something_else_is_refused() {
    let folder = Folder::new("epd", 0);
    let epd = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"one\";\n";
    fs::write(folder.0.join("games.pgn"), epd.repeat(3)).unwrap();
    let error = run_all(&folder.config("out")).unwrap_err();
    assert!(error.to_string().contains("games.pgn: not a PGN file: "), "{error}");
}

#[test]
fn broken_games_are_named_and_the_others_kept() {
    let folder = Folder::new("broken", 0);
    let pgn = "[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. e4 Ke4 2. d4 *\n\n\
               [FEN \"nonsense\"]\n\n1. e4 *\n\n[White \"D\"]\n\n1. d4 *\n";
    fs::write(folder.0.join("games.pgn"), pgn).unwrap();
    let mut listener = Listener::default();
    let config = folder.config("out");
    let finished = run_with(&config, &mut listener, &StopSignal::new()).unwrap();
    assert_eq!((finished.games, finished.problems), (4, 2));
    assert_eq!(folder.read("out.a"), "head 0\n1: 2\n2: 1\n4: 1\ntail 0, 4 plies\n");
    let [first, second] = &listener.problems[..] else { panic!("{:?}", listener.problems) };
    assert!(first.starts_with("game 2, line 7: "), "{first}");
    assert!(second.starts_with("game 3, line 11: tag FEN: "), "{second}");
}
