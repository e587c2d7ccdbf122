use super::*;
use crate::data::teacher::bytes::VERSION;
use crate::work::SplitMix;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// A net file whose weights are all zero.
fn empty_file() -> Vec<u8> {
    let layers = 4 * (2 + FIRST + SECOND) + FIRST * PRODUCTS + SECOND * SECOND + SECOND;
    let sums = 2 * SUMS * (1 + FEATURES) + 4 * FEATURES * BUCKETS;
    let mut bytes = VERSION.to_le_bytes().to_vec();
    bytes.resize(16 + sums + BUCKETS * layers, 0);
    bytes
}

/// A net of random weights.
pub(in crate::data) fn random_net() -> HalfKa {
    let mut net = HalfKa::parse(&empty_file()).unwrap();
    let mut random = SplitMix::new(3);
    let mut below = |bound: usize| random.below(2 * bound + 1) as i32 - bound as i32;
    net.biases.iter_mut().for_each(|bias| *bias = below(100) as i16);
    net.weights.iter_mut().for_each(|weight| *weight = below(40) as i16);
    net.piece_values.iter_mut().for_each(|value| *value = below(5000));
    for layers in &mut net.layers {
        layers.first.iter_mut().for_each(|weight| *weight = below(127) as i8);
        layers.second.iter_mut().for_each(|weight| *weight = below(127) as i8);
        layers.third.iter_mut().for_each(|weight| *weight = below(127) as i8);
    }
    net
}

#[test]
fn files_of_another_shape_are_refused() {
    let file = empty_file();
    let refusal = |bytes: &[u8]| HalfKa::parse(bytes).err().unwrap().to_string();
    assert_eq!(refusal(b"something else"), "not a net of Stockfish (version 0x656d6f73)");
    assert_eq!(refusal(b"no"), "too short for a net of Stockfish 15.1 or 18");
    assert_eq!(refusal(&file[..file.len() - 1]), "too short for a net of Stockfish 15.1 or 18");
    let longer = [&file[..], &[0; 3]].concat();
    assert_eq!(refusal(&longer), "3 bytes too long for a net of Stockfish 15.1 or 18");
}

#[test]
fn every_part_of_the_net_counts_as_it_should() {
    let board: Board = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".parse().unwrap();
    let with = |change: &dyn Fn(&mut HalfKa)| {
        let mut net = HalfKa::parse(&empty_file()).unwrap();
        change(&mut net);
        net.evaluate(&board)
    };
    assert_eq!(with(&|_| {}), 0);
    let straight = |net: &mut HalfKa| net.layers[0].first_biases[15] = 127 * 64;
    assert_eq!(with(&straight), 600);
    // White's king on e1 has number 31; an own pawn on e2, and for Black another's on e7.
    let own_pawn = |net: &mut HalfKa| net.piece_values[(31 * PLANES * 64 + 12) * BUCKETS] = 3200;
    assert_eq!(with(&own_pawn), 100);
    let their_pawn =
        |net: &mut HalfKa| net.piece_values[((31 * PLANES + 1) * 64 + 52) * BUCKETS] = 3200;
    assert_eq!(with(&their_pawn), -100);
    // 100 * 100 / 128 = 78 once, times 100, through both halves of the second layer's inputs.
    let layers = |net: &mut HalfKa| {
        net.biases[7] = 100;
        net.biases[SUMS / 2 + 7] = 100;
        let layers = &mut net.layers[0];
        layers.first[7] = 100;
        layers.second[0] = 32;
        layers.second[15] = 32;
        layers.third[0] = 16;
    };
    assert_eq!(with(&layers), ((((7800 * 7800) >> 19) + (7800 >> 6)) * 32) >> 6);
}

/// Positions after random moves, none of them in check: Stockfish does not judge those.
fn boards() -> Vec<Board> {
    let mut random = SplitMix::new(5);
    let mut boards = Vec::new();
    while boards.len() < 400 {
        let mut board = Board::default();
        for _ in 0..random.below(150) {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            board.play(moves.get(random.below(moves.len())).unwrap());
        }
        if !board.in_check() {
            boards.push(board);
        }
    }
    boards
}

/// The position with files a to h exchanged; without castling rights.
fn other_wing(board: &Board) -> Board {
    let fen = board.to_string();
    let fields: Vec<_> = fen.split(' ').collect();
    let ranks: Vec<String> =
        fields[0].split('/').map(|rank| rank.chars().rev().collect()).collect();
    format!("{} {} - - 0 1", ranks.join("/"), fields[1]).parse().unwrap()
}

#[test]
fn both_colours_and_both_wings_are_alike() {
    let net = random_net();
    for board in &boards()[..40] {
        let value = net.evaluate(board);
        assert_eq!(net.evaluate(&board.mirrored()), value, "{board}");
        assert_eq!(net.evaluate(&other_wing(board)), value, "{board}");
    }
}

/// What Stockfish prints.
fn ask(script: &str) -> String {
    let mut program = Command::new("stockfish")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("stockfish in the search path");
    let mut input = program.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(script.as_bytes()).unwrap());
        String::from_utf8(program.wait_with_output().unwrap().stdout).unwrap()
    })
}

/// The values of `eval` of the real program, which it rounds to hundredths of 361.
#[test]
#[ignore = "needs Stockfish 15.1 as `stockfish`"]
fn values_are_those_of_stockfish() {
    let file = std::env::temp_dir().join(format!("tabiya-halfka-{}.nnue", std::process::id()));
    let boards = boards();
    let mut script = format!("export_net {}\n", file.display());
    for board in &boards {
        writeln!(script, "position fen {board}\neval").unwrap();
    }
    let answers = ask(&script);
    let net = HalfKa::parse(&std::fs::read(&file).unwrap()).unwrap();
    std::fs::remove_file(&file).unwrap();
    let told: Vec<f64> = answers
        .lines()
        .filter_map(|line| line.strip_prefix("NNUE evaluation"))
        .map(|rest| rest.split_whitespace().next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(told.len(), boards.len());
    for (board, told) in boards.iter().zip(told) {
        let sign = if board.side_to_move() == Color::White { 1.0 } else { -1.0 };
        let ours = sign * f64::from(net.evaluate(board)) / 361.0;
        assert!((ours - told).abs() < 0.0051, "{board}: {ours} instead of {told}");
    }
}

#[test]
fn senseless_weights_give_a_value_within_bounds() {
    let mut net = HalfKa::parse(&empty_file()).unwrap();
    net.biases.fill(i16::MAX);
    net.piece_values.fill(i32::MIN);
    for layers in &mut net.layers {
        layers.first_biases.fill(i32::MAX);
        layers.first.fill(i8::MAX);
        layers.second_biases.fill(i32::MIN);
        layers.second.fill(i8::MIN);
        layers.third_bias = i32::MAX;
        layers.third.fill(i8::MAX);
    }
    assert_eq!(i64::from(net.evaluate(&Board::default())), LARGEST);
}
