//! Features, an update by numbers, and the activation.

use super::{board, row};
use crate::Output;
use crate::draw::board::{Picture, boards};
use crate::draw::chart::{Chart, Series};
use crate::draw::thousands;
use crate::lesson::neural::{ONE, PAPER, screlu};
use tabiya_chess::{Color, Piece, Square};
use tabiya_nn::{QA, QB, SCALE, Shape, View, active_features};

/// The shape of the default net (docs/NETS.md); only its maps are used here.
const HIDDEN: usize = 1024;
const KING_BUCKETS: usize = 8;
const OUTPUT_BUCKETS: usize = 8;

pub(super) fn write(out: &mut Output) {
    let shape = Shape::new(HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS).expect("a known shape");
    features(out, shape);
    sizes(out, shape);
    paper(out);
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
    out.fact("feature.base", 768 * bucket);
    let start = board(tabiya_chess::START_FEN);
    out.fact("feature.active", active_features(shape, &start, Color::White).count());
}

fn sizes(out: &mut Output, shape: Shape) {
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
