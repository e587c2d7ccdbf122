//! The whole way from text to a net on a made-up sample: labels say who has more material, and so
//! must the net.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tabiya_chess::{Board, Color, PieceType, START_FEN, Setup};
use tabiya_lab::data::import::{self, TextFormat};
use tabiya_lab::data::positions;
use tabiya_lab::data::record::Header;
use tabiya_lab::train::{self, Control, Settings, Training};
use tabiya_nn::{Accumulators, Network, Shape};

/// White's material minus Black's, in centipawns.
fn material(board: &Board) -> i32 {
    let values = [100, 300, 310, 500, 900, 0];
    let of = |color| -> i32 {
        let count = |kind| board.pieces(color, kind).count() as i32;
        PieceType::ALL.iter().map(|kind| count(*kind) * values[*kind]).sum()
    };
    of(Color::White) - of(Color::Black)
}

/// The start position without some of its pieces.
fn handicap(mut bits: u64) -> Board {
    let mut setup = Setup::from_fen(START_FEN).expect("a position");
    setup.castling.clear();
    for piece in setup.pieces.iter_mut().filter(|piece| piece.is_some()) {
        let is_king = piece.is_some_and(|piece| piece.kind() == PieceType::King);
        if bits.trailing_zeros() >= 2 && !is_king {
            *piece = None;
        }
        bits = bits.rotate_right(2);
    }
    setup.to_board(false).unwrap_or_default()
}

/// Positions of games of pseudo-random moves as text.
fn sample(count: usize) -> String {
    let mut text = String::from("fen,score,result\n");
    let mut board = Board::default();
    let mut state = 7u64;
    for _ in 0..count {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let moves = board.legal_moves();
        match moves.get((state >> 33) as usize % moves.len().max(1)) {
            Some(mv) if board.fullmove_number() < 20 => board.play(mv),
            _ => board = handicap(state ^ state >> 29),
        }
        let _ = writeln!(text, "{board},{},0.5", material(&board));
    }
    text
}

fn evaluate(net: &Network, fen: &str) -> i32 {
    let board: Board = fen.parse().expect("a position");
    let mut accumulators = Accumulators::new(&Arc::new(net.clone()));
    accumulators.reset(&board);
    accumulators.evaluate(&board)
}

#[test]
fn a_net_learns_to_count_material() {
    let folder = std::env::temp_dir().join(format!("tabiya-material-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (text, file) = (folder.join("sample.csv"), folder.join("sample.pos"));
    std::fs::write(&text, sample(60_000)).unwrap();
    import::run(TextFormat::Positions, &[text], &file, &Header::default(), 2, |_| ()).unwrap();
    let (positions, _) = positions::read(&[file]).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(positions.len(), 60_000);

    let settings = Settings {
        shape: Shape::new(128, 1, 1).unwrap(),
        epochs: 12,
        batch: 1000,
        scale: 400.0,
        wdl_end: 0.0,
        ..Settings::default()
    };
    let stop = AtomicBool::new(false);
    let control = Control {
        checkpoint: None,
        resume: false,
        force: false,
        from: None,
        threads: 2,
        stop: &stop,
    };
    let (training, validation) = positions.split_at(55_000);
    let outcome =
        train::run(&settings, &Training::Memory(training), validation, "test", &control, |_| ())
            .unwrap();
    assert!(outcome.rounding.rms < 15.0, "{}", outcome.rounding);

    let net = Network::load(&outcome.net.save()).unwrap();
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1",
        "rnbqkbnr/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ];
    let [equal, queen_up, queen_down, rook_down, pawn_up] = fens.map(|fen| evaluate(&net, fen));
    assert!(equal.abs() < 60, "{equal}");
    assert!((550..1400).contains(&queen_up), "{queen_up}");
    assert!((-1400..-550).contains(&queen_down), "{queen_down}");
    assert!((-750..-250).contains(&rook_down), "{rook_down}");
    assert!((30..200).contains(&pawn_up), "{pawn_up}");
}
