use super::*;
use crate::work::SplitMix;
use std::path::Path;

/// A net of random weights.
fn random_net() -> ThreatNet {
    let mut random = SplitMix::new(3);
    let mut bits = move || random.next() as i64;
    let mut row = || Row::<i8>(std::array::from_fn(|_| (bits() % 20) as i8));
    let threats = (0..THREATS).map(|_| row()).collect();
    let wide = |row: Row<i8>| Row(row.0.map(|weight| 3 * i16::from(weight)));
    let pieces = (0..PIECES).map(|_| wide(row())).collect();
    let biases = wide(row());
    let mut random = SplitMix::new(4);
    let mut below = |bound: usize| random.below(2 * bound + 1) as i32 - bound as i32;
    let mut values = |count| -> Vec<[i32; BUCKETS]> {
        (0..count).map(|_| std::array::from_fn(|_| below(5000))).collect()
    };
    let (threat_values, piece_values) = (values(THREATS), values(PIECES));
    let layers = (0..BUCKETS).map(|_| Layers {
        first_biases: (0..FIRST).map(|_| below(1000)).collect(),
        first: (0..FIRST).map(|_| Row(std::array::from_fn(|_| below(20) as i8))).collect(),
        second_biases: (0..SECOND).map(|_| below(1000)).collect(),
        second: (0..SECOND).map(|_| std::array::from_fn(|_| below(100) as i8)).collect(),
        third_bias: below(1000),
        third: (0..SECOND).map(|_| below(100) as i8).collect(),
    });
    let layers = layers.collect();
    ThreatNet { biases, pieces, threats, piece_values, threat_values, layers }
}

/// The value of a position on its own.
fn evaluate_afresh(net: &ThreatNet, board: &Board) -> Parts {
    net.evaluate(board, &mut Sums::new(net))
}

#[test]
fn what_is_kept_changes_no_value_and_colours_and_wings_are_alike() {
    let net = random_net();
    let mut random = SplitMix::new(5);
    let mut sums = Sums::new(&net);
    let mut seen = 0;
    for _ in 0..12 {
        let mut board = Board::default();
        for ply in 0..random.below(160) {
            let moves = board.legal_moves();
            let Some(mv) = moves.get(random.below(moves.len().max(1))) else { break };
            board.play(mv);
            let value = net.evaluate(&board, &mut sums);
            if ply % 4 == 0 {
                assert_eq!(evaluate_afresh(&net, &board), value, "{board}");
                assert_eq!(net.evaluate(&board.mirrored(), &mut sums), value, "{board}");
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn files_of_another_shape_are_refused() {
    let refusal = |bytes: &[u8]| ThreatNet::parse(bytes).err().unwrap().to_string();
    assert_eq!(refusal(b"something else"), "not a net of Stockfish (version 0x656d6f73)");
    let mut short = super::super::bytes::VERSION.to_le_bytes().to_vec();
    short.resize(16, 0);
    assert_eq!(refusal(&short), "too short for a net of Stockfish 15.1 or 18");
    assert!(!ThreatNet::is_meant(&short));
    short.extend(PACKED);
    assert!(ThreatNet::is_meant(&short));
    short.extend([1, 0, 0, 0, 5]);
    assert_eq!(refusal(&short), "damaged: a block of packed numbers makes no sense");
}

/// Psqt and positional of positions, as Stockfish 18 computes them.
#[test]
fn values_are_those_of_stockfish_18() {
    let values =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/teacher/sf18-static.csv");
    let Ok(file) = std::env::var("TABIYA_TEACHER") else {
        eprintln!("skipped: TABIYA_TEACHER names no network of Stockfish 18");
        return;
    };
    let net = ThreatNet::parse(&std::fs::read(file).unwrap()).unwrap();
    let text = std::fs::read_to_string(values).unwrap();
    let mut sums = Sums::new(&net);
    let mut count = 0;
    for line in text.lines().skip(1) {
        let [fen, psqt, positional] = line.split(';').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let told = Parts { psqt: psqt.parse().unwrap(), positional: positional.parse().unwrap() };
        let board: Board = fen.parse().unwrap();
        assert_eq!(evaluate_afresh(&net, &board), told, "{fen}");
        assert_eq!(net.evaluate(&board, &mut sums), told, "{fen}");
        count += 1;
    }
    assert_eq!(count, 455);
}
