//! Any bytes on the input are survived, and a bad command changes nothing.

use crate::answer::{Answer, ask, game, position};
use crate::process::Process;
use crate::random::Random;

/// Exactly one remark that contains `words`.
fn expect_remark(process: &mut Process, command: &[u8], words: &str) {
    process.write(command);
    process.write(b"\n");
    let lines = process.sync();
    match &lines[..] {
        [line] if line.starts_with("info string ") && line.contains(words) => {}
        _ => process.fail(&format!("one remark with '{words}' expected, not {lines:?}")),
    }
}

#[test]
fn line_ends_tabs_and_blanks_do_not_matter() {
    let mut process = Process::start();
    let game = game("startpos", "e2e4");
    process.write(b"\r\n\n   \t \nuci\r\n");
    process.until("uciok");
    process.write(b"\t position \t startpos  moves\te2e4 \r\n  go\tdepth   2\t\r\n");
    Answer::read(&mut process, &game);
    // A byte at a time.
    for byte in b"go depth 2\n" {
        process.write(&[*byte]);
    }
    Answer::read(&mut process, &game);
    process.quit();
}

#[test]
fn a_bad_command_gets_one_remark_and_changes_nothing() {
    let mut process = Process::start();
    let game = game("startpos", "d2d4");
    process.send(&position(&game));
    for (command, words) in [
        (&b"xyzzy"[..], "unknown command 'xyzzy'"),
        (b"go\0 depth 1", "unknown command"),
        (b"\xFF\xFE\x80 startpos", "unknown command"),
        (b"un\rknown \x1b[31m command", "unknown command"),
        (b"perft", "unknown command 'perft'"),
        (b"perft many", "unknown command"),
        (b"setoption", "unknown command"),
        (b"setoption value 3", "unknown command"),
        (b"setoption name", "there is no option ''"),
        (b"setoption name Nonsense value 1", "there is no option 'Nonsense'"),
        (b"setoption name Skill Level value 21", "a whole number from 0 to 20"),
        (b"setoption name Hash value", "Hash cannot be ''"),
        (b"setoption name Hash value -1", "a whole number from 1 to"),
        (b"setoption name Threads value 1e3", "Threads cannot be '1e3'"),
        (b"setoption name UCI_Chess960 value maybe", "true or false expected"),
        (b"setoption name Hash value 33554432", "Hash unchanged: cannot get 33554432 MB"),
    ] {
        expect_remark(&mut process, command, words);
    }
    for silent in ["register later", "debug on", "debug off", "# a comment", "ponderhit", "stop"] {
        process.send(silent);
    }
    assert_eq!(process.sync(), Vec::<String>::new());
    process.send("go depth 3");
    Answer::read(&mut process, &game);
    process.quit();
}

#[test]
fn after_a_refused_position_nothing_is_searched() {
    let mut process = Process::start();
    for bad in [
        "position",
        "position nonsense",
        "position e2e4",
        "position startpos e2e4",
        "position startpos moves e2e5",
        "position startpos moves e2e4 e2e4",
        "position startpos moves 0000",
        "position startpos moves e7e8q\u{e9}",
        "position fen",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1",
        "position fen 4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "position fen 4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
        "position fen 4k3/8/8/8/8/8/8/4K3 x - - 0 1",
        "position fen 4k3/8/8/8/8/8/8/4KK2 w - - 0 1",
    ] {
        process.send("position startpos");
        assert_eq!(process.sync(), Vec::<String>::new());
        expect_remark(&mut process, bad.as_bytes(), "position refused: ");
        for go in ["go depth 1", "go infinite", "go perft 1"] {
            process.send(go);
            let mut lines = process.sync();
            if go.ends_with("perft 1") {
                assert!(lines.len() == 1 && lines[0].starts_with("info string no position"));
                continue;
            }
            assert_eq!(lines.pop().as_deref(), Some("bestmove 0000"), "{bad}");
            assert!(lines[0].starts_with("info string no position to search: "), "{lines:?}");
        }
        for command in ["d", "eval", "flip"] {
            process.send(command);
        }
        assert_eq!(process.sync().len(), 2, "d and eval say that there is no position");
    }
    ask(&mut process, &game("startpos", ""), "go depth 2");
    process.quit();
}

#[test]
fn bogus_rights_are_dropped_and_four_fields_are_enough() {
    let mut process = Process::start();
    process.send("position fen 4k3/8/8/8/8/8/8/4K3 w KQkq e6 0 1");
    let lines = process.sync();
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("ignored")), "{lines:?}");
    process.send("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - moves");
    assert_eq!(process.sync(), Vec::<String>::new());
    process.send("go depth 2");
    Answer::read(&mut process, &game("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", ""));
    process.quit();
}

#[test]
fn odd_numbers_are_clamped_and_unknown_words_skipped() {
    let mut process = Process::start();
    let game = game("startpos", "");
    for go in [
        "go depth 0",
        "go depth -7",
        "go depth 2 depth",
        "go nodes 0",
        "go nodes 1",
        "go nodes 99999999999999999999999999999999 depth 2",
        "go movetime 0",
        "go movetime -50",
        "go wtime 0 btime 0",
        "go wtime -100 btime -100 winc -5",
        "go wtime 1",
        "go wtime 99999999999999999999 btime 1 movestogo 0 depth 2",
        "go wtime 50 movestogo 4294967296",
        "go mate 0 depth 2",
        "go mate -3 depth 2",
        "go depth two movetime 5",
        "go quickly please depth 1 \u{1F600}",
        "go movetime 5 wtime 5 depth 3 nodes 500 movestogo 1 winc 0 binc 0",
    ] {
        ask(&mut process, &game, go);
    }
    process.quit();
}

#[test]
fn a_limit_that_cannot_be_used_is_told_and_answered() {
    let mut process = Process::start();
    let game = game("startpos", "");
    for (go, remark) in [
        ("go depth", "go: depth needs a number"),
        ("go movetime 50.5", "go: movetime needs a whole number, not '50.5'"),
        ("go depth 3.7", "go: depth needs a whole number, not '3.7'"),
        ("go btime 100", "go: wtime is missing, btime taken for it"),
        ("go perft", "go: perft needs a number"),
        ("go nodes many movetime 5", "go: nodes needs a whole number, not 'many'"),
    ] {
        process.send(&position(&game));
        process.send(go);
        let lines = process.until("bestmove");
        let told = lines.iter().any(|line| line.starts_with(&format!("info string {remark}")));
        assert!(told, "{go}: {lines:?}");
        Answer::check(&lines, &game).unwrap_or_else(|reason| process.fail(&reason));
    }
    process.quit();
}

#[test]
fn a_line_of_five_megabytes_is_dropped() {
    let mut process = Process::start();
    let mut line = b"position startpos moves ".to_vec();
    line.resize(5 << 20, b'x');
    expect_remark(&mut process, &line, "longer than 4 MB");
    // It might have been the position of the next search.
    process.send("go depth 1");
    assert_eq!(process.until("bestmove").last().unwrap(), "bestmove 0000");
    let mut noise = vec![0xFF; 5 << 20];
    noise[0] = b'#';
    expect_remark(&mut process, &noise, "longer than 4 MB");
    ask(&mut process, &game("startpos", ""), "go depth 2");
    process.quit();
}

#[test]
fn a_game_of_ten_thousand_moves_is_followed() {
    let mut random = Random(7);
    let mut game = game("startpos", "");
    while game.moves().len() < 10_000 {
        // Knights and rooks go to and fro; whoever runs out of moves takes some back.
        match random.shuffling_move(game.board()) {
            Some(mv) => game.play(mv).unwrap(),
            None => (0..random.below(20)).for_each(|_| {
                game.undo();
            }),
        }
    }
    let mut process = Process::start();
    process.send(&position(&game));
    assert_eq!(process.sync(), Vec::<String>::new());
    process.send("go depth 3");
    process.until("bestmove");
    process.send("d");
    let lines = process.sync();
    assert!(lines.contains(&format!("FEN {}", game.board())), "{lines:?}");
    process.quit();
}

#[test]
fn random_bytes_are_survived() {
    let mut random = Random(11);
    let mut process = Process::start();
    for _ in 0..300 {
        let length = random.below(200);
        let bytes: Vec<u8> = (0..length)
            .map(|_| match random.below(4) {
                0 => random.below(256) as u8,
                1 => b" \t\r\n"[random.below(4)],
                _ => b"position fenstarmovegodthwb 0123456789/KQkq-"[random.below(44)],
            })
            .collect();
        process.write(&bytes);
    }
    process.write(b"\nstop\n");
    process.sync();
    process.quit();
}
