//! Features, an update by numbers, and the activation.

use super::{KIWIPETE, board, row};
use crate::draw::board::{Picture, boards};
use crate::draw::chart::{Chart, Series};
use crate::draw::thousands;
use crate::lesson::neural::{ONE, PAPER, screlu};
use crate::{Output, default_evaluation};
use tabiya_chess::{Bitboard, Board, Color, Piece, PieceType, Square, attacks};
use tabiya_engine::eval::{Evaluation, StaticEvaluator, Worth};
use tabiya_nn::{
    FT_LIMIT, Placement, QA, QB, SCALE, Shape, Threat, View, for_each_change, threat_features,
};

/// The shape that the chapter explains, that of net 5 (docs/NETS.md), whatever the default net is.
const HIDDEN: usize = 1024;
const KING_BUCKETS: usize = 8;
const OUTPUT_BUCKETS: usize = 8;

pub(super) fn write(out: &mut Output) {
    let shape = Shape::new(HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS).expect("a known shape");
    features(out, shape);
    sizes(out, shape);
    paper(out);
    quantisation(out);
    threats(out, shape);
    today(out);
    let points = |f: &dyn Fn(f64) -> f64| {
        (-10..=30).map(|step| f64::from(step) * 0.1).map(|x| (x, f(x))).collect()
    };
    out.figure(
        "activations",
        Chart {
            title: "Activations: ReLU, clipped, squared and clipped",
            x: "sum of a neuron",
            y: "what it passes on",
            log_y: false,
            series: vec![
                Series::new("ReLU", points(&|x| x.max(0.0))).dashed(),
                Series::new("clipped", points(&|x| x.clamp(0.0, 1.0))),
                Series::new("squared clipped", points(&|x| x.clamp(0.0, 1.0).powi(2))),
            ],
        }
        .draw(),
    );
    out.fact("nnue.qa", QA);
    out.fact("nnue.qb", QB);
    out.fact("nnue.scale", SCALE);
    out.fact("nnue.weight-limit", FT_LIMIT);
    out.fact("nnue.largest-sum", thousands(65 * FT_LIMIT as u64));
}

/// A weight of each layer rounded, and what becomes of their product with a neuron.
fn quantisation(out: &mut Output) {
    let (qa, qb) = (f64::from(QA), f64::from(QB));
    let (hidden, output, neuron) = ((0.37 * qa).round(), (-0.82 * qb).round(), 0.6 * qa);
    out.fact("quant.hidden", hidden);
    out.fact("quant.hidden.back", format!("{:.4}", hidden / qa));
    out.fact("quant.output", output);
    out.fact("quant.output.back", format!("{:.4}", output / qb));
    out.fact("quant.neuron", neuron.round());
    let product = neuron.round().powi(2) * output;
    out.fact("quant.product", format!("-{}", thousands(-product as u64)));
    out.fact("quant.one", thousands((QA * QA * QB) as u64));
    out.fact("quant.value", format!("{:.4}", product / (qa * qa * qb)));
    let exercise = (-0.25 * qa).round();
    out.fact("quant.exercise", exercise);
    out.fact("quant.exercise.back", format!("{:.4}", exercise / qa));
    out.fact("quant.half-step", format!("{:.4}", 0.5 / qa));
}

/// What plays if nobody chooses anything else.
fn today(out: &mut Output) {
    let evaluation = default_evaluation();
    let mut rows = vec![row!["", "`nets/default.nnue`"]];
    match &evaluation {
        Evaluation::Network(net, _) => {
            let shape = net.shape();
            let after = shape.tail().map_or_else(
                || "none: straight to the output".to_owned(),
                |tail| format!("{} and {} neurons", tail.first.outputs, tail.second.outputs),
            );
            rows.extend([
                row!["shape", format!("`{shape}`")],
                row!["inputs of each side", thousands(shape.features() as u64)],
                row!["hidden neurons of each side", thousands(shape.hidden() as u64)],
                row!["hidden activation", format!("{:?}", shape.activation()).to_lowercase()],
                row!["dense layers", after],
                row!["output buckets", shape.output_buckets()],
                row!["weights and biases", thousands(net.info().parameters as u64)],
            ]);
        }
        _ => rows.push(row!["shape", "no net: the classical terms of chapter 8"]),
    }
    out.table("net-today", &rows);
    worth(out, &evaluation);
}

/// What the evaluation loses with a piece of the starting position, on average over pieces of a kind.
fn worth(out: &mut Output, evaluation: &Evaluation) {
    let mut evaluator = StaticEvaluator::new(evaluation);
    let start = board(tabiya_chess::START_FEN);
    let worth = Worth::new(&start, |position| evaluator.white_value(position));
    let mut rows = vec![row!["piece", "what White loses without it"]];
    for kind in
        [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen]
    {
        let values: Vec<i32> = worth
            .0
            .iter()
            .flatten()
            .filter(|(piece, _)| piece.kind() == kind && piece.color() == Color::White)
            .map(|(_, value)| *value)
            .collect();
        let mean = f64::from(values.iter().sum::<i32>()) / values.len().max(1) as f64;
        rows.push(row![format!("{kind:?}").to_lowercase(), format!("{mean:.0}")]);
    }
    out.table("piece-worth", &rows);
}

fn features(out: &mut Output, shape: Shape) {
    let label = |sq: Square| Some(shape.king_bucket(sq).to_string());
    let halves: tabiya_chess::Bitboard =
        Square::ALL.into_iter().filter(|sq| sq.file() as u8 >= 4).collect();
    out.figure(
        "king-buckets",
        boards(
            "The king bucket of each square",
            &[Picture::new("bucket of the own king; mirrored half shaded")
                .set(halves, "#cfe3f1")
                .labels(label)],
        ),
    );
    let mut rows = vec![row!["seen by", "own king", "piece", "on", "bucket", "feature"]];
    for (side, king, piece, sq) in [
        (Color::White, Square::E1, Piece::WhiteKnight, Square::F3),
        (Color::White, Square::C1, Piece::WhiteKnight, Square::F3),
        (Color::Black, Square::E8, Piece::WhiteKnight, Square::F3),
        (Color::Black, Square::E8, Piece::BlackPawn, Square::E5),
    ] {
        let view = View::new(shape, side, king);
        rows.push(row![
            side,
            king,
            piece,
            sq,
            shape.king_bucket(king.relative_to(side)),
            view.feature(piece, sq)
        ]);
    }
    out.table("features", &rows);
    // The worked example of the chapter, step by step.
    let king = Square::E1;
    let bucket = shape.king_bucket(king);
    let mirrored = Square::F3.flip_file();
    out.fact("feature.bucket", bucket);
    out.fact("feature.square", mirrored);
    out.fact("feature.square.index", mirrored.index());
    let worked = 768 * bucket + 64 + mirrored.index();
    assert_eq!(
        worked,
        View::new(shape, Color::White, king).feature(Piece::WhiteKnight, Square::F3)
    );
    out.fact("feature.index", worked);
    let queen = View::new(shape, Color::Black, Square::E8).feature(Piece::BlackQueen, Square::D8);
    out.fact("feature.queen", queen);
}

/// Threats as inputs: how many there are, one of them by its number, and what a move changes.
fn threats(out: &mut Output, shape: Shape) {
    let reach = |kind: PieceType| -> u32 {
        let from = Square::ALL.into_iter();
        let squares = from.map(|sq| attacks::of(kind, Color::White, sq, Bitboard::EMPTY).count());
        squares.sum()
    };
    out.fact("threats.features", thousands(Threat::FEATURES as u64));
    out.fact("threats.knight", reach(PieceType::Knight));
    out.fact("threats.rook", reach(PieceType::Rook));
    let worked = Threat {
        attacker: Piece::WhiteKnight,
        from: Square::B1,
        victim: Piece::BlackPawn,
        to: Square::D2,
    };
    let view = View::new(shape, Color::White, Square::A1);
    let number = view.threat(worked).expect("a knight and a pawn do not attack each other");
    // The own pawns with their ten victims, five victims of the knights before enemy pawns, two jumps from a1.
    assert_eq!(number, 10 * 84 + 5 * reach(PieceType::Knight) + 2);
    out.fact("threats.worked", number);
    let mut rows = vec![row![
        "position",
        "piece-squares",
        "threats",
        "piece-squares changed by a move",
        "threats changed by a move"
    ]];
    for (name, fen) in [("start", tabiya_chess::START_FEN), ("Kiwipete", KIWIPETE)] {
        let position = board(fen);
        let (placement, moves) = (Placement::from(&position), position.legal_moves());
        let view = View::new(shape, Color::White, position.king(Color::White));
        let (mut squares, mut threats) = (0, 0);
        for mv in moves.iter() {
            let mut child = position;
            child.play(mv);
            squares += changed_pieces(&position, &child);
            let after = Placement::from(&child);
            let count = std::cell::Cell::new(0);
            let note = |threat| count.set(count.get() + u32::from(view.threat(threat).is_some()));
            for_each_change(&placement, &after, note, note);
            threats += count.get();
        }
        let mean = |sum: u32| format!("{:.1}", f64::from(sum) / moves.len() as f64);
        rows.push(row![
            name,
            position.occupied().count(),
            threat_features(&placement, view).len(),
            mean(squares),
            mean(threats)
        ]);
    }
    out.table("threats", &rows);
}

/// How many facts "this piece stands here" a move has changed.
fn changed_pieces(before: &Board, after: &Board) -> u32 {
    let facts = |sq| match (before.piece_on(sq), after.piece_on(sq)) {
        (old, new) if old == new => 0,
        (Some(_), Some(_)) => 2,
        _ => 1,
    };
    Square::ALL.into_iter().map(facts).sum()
}

fn sizes(out: &mut Output, shape: Shape) {
    out.fact("nnue.shape", shape);
    let hidden = (shape.features() + 1) * HIDDEN;
    let output = (2 * HIDDEN + 1) * OUTPUT_BUCKETS;
    out.fact("nnue.features", thousands(shape.features() as u64));
    out.fact("nnue.hidden", thousands(HIDDEN as u64));
    out.fact("nnue.weights", thousands((hidden + output) as u64));
    out.fact("nnue.refresh", thousands((32 * HIDDEN * 2) as u64));
    out.fact("nnue.update", thousands((2 * HIDDEN * 2) as u64));
}

/// The paper net: a position, a move, and both ways to its value.
fn paper(out: &mut Output) {
    let list =
        |values: &[i32]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let (own, other) = ([0, 1, 3], [2, 3]);
    let before = PAPER.accumulate(&own);
    let after = PAPER.accumulate(&[0, 4, 3]);
    let theirs = PAPER.accumulate(&other);
    out.fact("paper.own", list(&before));
    out.fact("paper.other", list(&theirs));
    out.fact("paper.own.active", list(&before.map(screlu)));
    out.fact("paper.other.active", list(&theirs.map(screlu)));
    let value = PAPER.output(before, theirs);
    out.fact("paper.output", value);
    out.fact("paper.output.real", format!("{:.3}", f64::from(value) / f64::from(ONE.pow(3))));
    out.fact("paper.after", list(&after));
    out.fact("paper.after.output", PAPER.output(after, theirs));
    let mut rows = vec![row!["feature", "row of weights"]];
    for (index, weights) in PAPER.rows.iter().enumerate() {
        rows.push(row![index, list(weights)]);
    }
    rows.push(row!["bias", list(&PAPER.bias)]);
    out.table("paper-net", &rows);
    out.fact("paper.weights", list(&PAPER.output));
}
