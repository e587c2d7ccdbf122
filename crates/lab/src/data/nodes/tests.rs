use super::*;
use crate::data::distil::tests::random_games;
use crate::data::positions;
use crate::data::record::Reader;
use crate::data::teacher::halfka::tests::random_net;

/// Writes the games of a file anew, in blocks of seven.
fn divide(path: &Path) {
    let mut reader = Reader::<Game>::open(path).unwrap();
    let mut games = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        games.extend(block);
    }
    let mut writer = Writer::create(path, &Header::default()).unwrap();
    for (number, game) in games.iter().enumerate() {
        if number.is_multiple_of(7) {
            writer.sync().unwrap();
        }
        writer.push(game).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn nodes_are_judged_and_the_same_with_any_number_of_threads() {
    let folder = std::env::temp_dir().join(format!("tabiya-nodes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (games, output) = (folder.join("some.games"), folder.join("nodes.pos"));
    random_games(&games, 90, 60, GameResult::Draw);
    let teacher = Teacher::HalfKa(Arc::new(random_net()));
    let config = NodesConfig {
        inputs: vec![games.clone()],
        filter: Filter::default(),
        seed: 1,
        per_game: 3.0,
        nodes: 100,
        samples: 5,
        only: None,
        is_balanced: true,
        limit: None,
        evaluation: Evaluation::Classical,
        threads: 1,
    };
    let make = |config: &NodesConfig| {
        let never = AtomicBool::new(false);
        let done =
            run(config, Some(&teacher), &Header::default(), &output, &never, |_| {}).unwrap();
        let (made, _) = positions::read(std::slice::from_ref(&output)).unwrap();
        assert_eq!(done.positions, made.len() as u64);
        (done, made)
    };
    let (done, made) = make(&config);
    assert_eq!(done.games, 90);
    assert!((180..=360).contains(&done.searches), "{done:?}");
    assert!(made.len() > 500 && made.len() as u64 <= 5 * done.searches, "{done:?}");
    let mut labeller = Labeller::new(&teacher);
    for position in &made {
        let board = position.to_board().unwrap();
        assert!(!board.in_check());
        assert_eq!(position.kind, kind_of(&board));
        assert_eq!(i32::from(position.score), labeller.score(&board), "{board}");
    }
    assert_eq!(make(&NodesConfig { threads: 3, ..config.clone() }).1, made);
    // How games are dealt to blocks is a matter of time.
    divide(&games);
    assert_eq!(make(&config).1, made);
    let few = make(&NodesConfig { limit: Some(100), threads: 2, ..config.clone() }).1;
    assert_eq!(few, made[..100]);
    let quiet = make(&NodesConfig { only: Some(Kind::Quiet), ..config.clone() }).1;
    assert!(quiet.iter().copied().eq(made.iter().copied().filter(|one| one.kind == Kind::Quiet)));
    assert_ne!(make(&NodesConfig { seed: 2, ..config.clone() }).1, made);
    // Whoever stops it keeps what was made until then.
    let stop = AtomicBool::new(false);
    let header = Header::default();
    run(&config, Some(&teacher), &header, &output, &stop, |_| stop.store(true, Relaxed)).unwrap();
    let (kept, _) = positions::read(std::slice::from_ref(&output)).unwrap();
    assert!(!kept.is_empty() && kept.len() < made.len());
    assert_eq!(kept, made[..kept.len()]);
    random_games(&games, 20, 60, GameResult::Unknown);
    let (done, made) = make(&config);
    assert_eq!((done.games, done.searches, made.len()), (20, 0, 0), "games without a result");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn quiet_is_where_nobody_wins_anything() {
    let kind = |fen: &str| kind_of(&fen.parse().unwrap());
    assert_eq!(kind("4k3/8/4p3/3p4/8/2N5/8/4K3 w - - 0 1"), Kind::Quiet);
    assert_eq!(kind("4k3/8/8/3p4/8/2N5/8/4K3 w - - 0 1"), Kind::Noisy, "a loose pawn");
    assert_eq!(kind("4k3/8/8/3p4/8/2N5/8/4K3 b - - 0 1"), Kind::Noisy, "a loose pawn of ours");
}
