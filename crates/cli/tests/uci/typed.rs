//! The commands that people type.

use crate::process::Process;

#[test]
fn the_board_is_shown_and_turned_around() {
    let mut process = Process::start();
    process.send("position startpos moves e2e4");
    process.send("d");
    let lines = process.sync();
    let fen = "FEN rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    assert!(lines.contains(&fen.to_owned()), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("legal moves 20")), "{lines:?}");
    process.send_all(&["flip", "d"]);
    let lines = process.sync();
    let flipped = "FEN rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert!(lines.contains(&flipped.to_owned()), "{lines:?}");
    process.send("position fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1");
    process.send("d");
    assert!(process.sync().iter().any(|line| line.contains("legal moves 0, in check")));
    process.quit();
}

#[test]
fn the_evaluation_and_the_help_are_shown() {
    let mut process = Process::start();
    process.send("eval");
    assert!(process.sync().len() > 10);
    process.send("help");
    let help = process.sync().join("\n");
    for word in ["d ", "flip", "eval", "bench", "perft", "help", "position", "go ", "stop", "quit"]
    {
        assert!(help.contains(word), "{word}");
    }
    process.quit();
}

#[test]
fn perft_counts_and_splits() {
    let mut process = Process::start();
    for (command, total, first_moves) in [
        ("perft 0", 1, 0),
        ("perft 1", 20, 20),
        ("perft 3", 8902, 20),
        ("go perft 4", 197_281, 20),
        ("go depth 3 perft 2", 400, 20),
    ] {
        process.send(command);
        let lines = process.sync();
        assert_eq!(lines.last().unwrap(), &format!("Nodes searched: {total}"), "{command}");
        let split: Vec<u64> = lines
            .iter()
            .filter_map(|line| line.split_once(": ").filter(|(mv, _)| mv.len() == 4))
            .map(|(_, count)| count.parse().unwrap())
            .collect();
        assert_eq!(split.len(), first_moves, "{command}");
        assert_eq!(split.iter().sum::<u64>(), if first_moves == 0 { 0 } else { total });
    }
    process.quit();
}

#[test]
fn bench_ends_with_nodes_and_speed_and_is_the_same_twice() {
    let mut process = Process::start();
    let mut bench = || {
        process.send("bench 3");
        let last = process.sync().pop().unwrap();
        let words: Vec<_> = last.split(' ').map(str::to_owned).collect();
        assert!(words.len() == 4 && words[1] == "nodes" && words[3] == "nps", "{last}");
        words[0].parse::<u64>().unwrap()
    };
    assert_eq!(bench(), bench());
    // A search that is running ends first, with its answer.
    process.send_all(&["go infinite", "bench 1"]);
    let lines = process.sync();
    let answer = lines.iter().position(|line| line.starts_with("bestmove")).unwrap();
    assert!(lines[answer..].last().unwrap().ends_with(" nps"));
    process.quit();
}
