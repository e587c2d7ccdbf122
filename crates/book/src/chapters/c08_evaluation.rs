//! The hand-crafted evaluation in pictures.

use super::{board, row};
use crate::Output;
use crate::draw::board::{Picture, boards};
use crate::draw::chart::{Chart, Series};
use tabiya_chess::{Bitboard, Color, Square};
use tabiya_engine::eval::hce::{
    DANGER_DIVISOR, DANGER_SQUARE_DIVISOR, FULL_PHASE, TERMS, WEIGHT_COUNT, all_weights, explain,
};

const BLUE: &str = "#8fc1e3";
const RED: &str = "#f0a58a";

/// A white passed pawn on d5 with a rook behind it, a weak pawn on each side.
const EXAMPLE: &str = "r4rk1/1p3ppp/p7/3P4/8/8/PP3PPP/3R1RK1 w - - 0 20";

pub(super) fn write(out: &mut Output) {
    out.fact("hce.terms", TERMS.len());
    out.fact("hce.weights", WEIGHT_COUNT);
    out.fact("hce.numbers", 2 * WEIGHT_COUNT);
    material(out);
    squares(out);
    passed(out);
    curves(out);
    example(out);
}

fn weights(name: &str) -> &'static [tabiya_engine::eval::hce::Score] {
    let term = TERMS.iter().find(|term| term.name == name);
    &all_weights()[term.expect("the book names terms that exist").range()]
}

fn material(out: &mut Output) {
    let mut rows = vec![row!["piece", "middlegame", "endgame"]];
    for (name, weight) in
        ["pawn", "knight", "bishop", "rook", "queen"].iter().zip(weights("MATERIAL"))
    {
        rows.push(row![name, weight.middlegame(), weight.endgame()]);
    }
    out.table("material", &rows);
    let taper =
        |mg: i32, eg: i32, phase: i32| (mg * phase + eg * (FULL_PHASE - phase)) / FULL_PHASE;
    let rook = weights("MATERIAL")[3];
    let (mg, eg) = (rook.middlegame(), rook.endgame());
    out.fact("hce.rook.taper", format!("{mg} x 8 + {eg} x 16) / 24 = {}", taper(mg, eg, 8)));
    let pair = weights("BISHOP_PAIR")[0];
    out.fact("hce.pair.12", taper(pair.middlegame(), pair.endgame(), 12));
    let weight = |name: &str, index: usize| {
        let weight = weights(name)[index];
        format!("{} / {}", weight.middlegame(), weight.endgame())
    };
    out.fact("hce.bishop-pair", weight("BISHOP_PAIR", 0));
    out.fact("hce.isolated", weight("ISOLATED", 0));
    let mut rows = vec![row!["what", "middlegame / endgame"]];
    for (what, name, index) in [
        ("isolated pawn, opposed by an enemy pawn", "ISOLATED", 0),
        ("isolated pawn, unopposed", "ISOLATED", 1),
        ("backward pawn, opposed", "BACKWARD", 0),
        ("backward pawn, unopposed", "BACKWARD", 1),
        ("doubled pawn, supported", "DOUBLED", 0),
        ("doubled pawn, unsupported", "DOUBLED", 1),
        ("bishop pair", "BISHOP_PAIR", 0),
        ("knight on an outpost", "OUTPOST", 0),
        ("the same, supported by a pawn", "OUTPOST", 1),
        ("rook on an open file", "ROOK_OPEN_FILE", 0),
        ("rook on a half-open file", "ROOK_SEMI_OPEN_FILE", 0),
        ("rook on the seventh rank, where it attacks something", "ROOK_SEVENTH", 0),
        ("having the move", "TEMPO", 0),
    ] {
        rows.push(row![what, weight(name, index)]);
    }
    out.table("weights", &rows);
    let mut rows = vec![row!["rank of the passed pawn", "middlegame", "endgame"]];
    for (rank, weight) in weights("PASSED").iter().enumerate().skip(1).take(6) {
        rows.push(row![rank + 1, weight.middlegame(), weight.endgame()]);
    }
    out.table("passed", &rows);
}

fn squares(out: &mut Output) {
    let picture = |caption: &str, name: &str, endgame: bool| {
        let list = weights(name);
        let value = move |sq: Square| {
            let weight = list[sq.index()];
            Some(if endgame { weight.endgame() } else { weight.middlegame() }.to_string())
        };
        let high: Bitboard = Square::ALL
            .into_iter()
            .filter(|sq| {
                let weight = list[sq.index()];
                (if endgame { weight.endgame() } else { weight.middlegame() }) >= 15
            })
            .collect();
        Picture::new(caption).set(high, BLUE).labels(value)
    };
    out.figure(
        "piece-squares",
        boards(
            "Fitted piece-square values",
            &[
                picture("knight, middlegame", "KNIGHT_SQUARES", false),
                picture("king, middlegame", "KING_SQUARES", false),
                picture("king, endgame", "KING_SQUARES", true),
            ],
        ),
    );
}

/// Squares ahead of a pawn on its own and the neighbouring files.
fn front_span(sq: Square, neighbours: bool) -> Bitboard {
    let mut ahead = Bitboard::of(sq).north();
    for _ in 0..6 {
        ahead |= ahead.north();
    }
    if neighbours { ahead | ahead.east() | ahead.west() } else { ahead }
}

fn passed(out: &mut Output) {
    let position = board(EXAMPLE);
    out.figure(
        "passed-mask",
        boards(
            "The masks of pawn structure",
            &[
                Picture::new("passed: no enemy pawn here")
                    .pieces(&position)
                    .set(front_span(Square::D5, true), BLUE),
                Picture::new("b2: the pawn on b7 stops it")
                    .pieces(&position)
                    .set(front_span(Square::B2, true), BLUE)
                    .set(Bitboard::of(Square::B7) | Bitboard::of(Square::A6), RED),
                Picture::new("isolated: no own pawn beside").pieces(&position).set(
                    Bitboard::file(tabiya_chess::File::C) | Bitboard::file(tabiya_chess::File::E),
                    BLUE,
                ),
            ],
        ),
    );
}

fn curves(out: &mut Output) {
    let range = || (0..=80).map(|step| f64::from(step) * 25.0);
    let square = |danger: f64| danger * danger / f64::from(DANGER_SQUARE_DIVISOR);
    out.figure(
        "danger",
        Chart {
            title: "What a sum of dangers costs",
            x: "sum of dangers",
            y: "points lost",
            log_y: false,
            series: vec![
                Series::new("middlegame: squared", range().map(|d| (d, square(d))).collect()),
                Series::new(
                    "endgame",
                    range().map(|d| (d, d / f64::from(DANGER_DIVISOR))).collect(),
                ),
            ],
        }
        .draw(),
    );
    out.fact("hce.danger-400", format!("{:.0}", square(400.0)));
    out.fact("hce.danger-800", format!("{:.0}", square(800.0)));
    out.fact("hce.full-phase", FULL_PHASE);
}

fn example(out: &mut Output) {
    let position = board(EXAMPLE);
    let explanation = explain(&position);
    let mut rows = vec![row!["term", "White, middlegame / endgame", "Black, middlegame / endgame"]];
    for line in &explanation.rows {
        if line.white == line.black {
            continue;
        }
        let pair = |score: tabiya_engine::eval::hce::Score| {
            format!("{} / {}", score.middlegame(), score.endgame())
        };
        rows.push(row![line.name.to_lowercase(), pair(line.white), pair(line.black)]);
    }
    out.table("explained", &rows);
    out.fact("explained.phase", explanation.phase);
    let (mut middlegame, mut endgame) = (0, 0);
    for line in &explanation.rows {
        middlegame += line.white.middlegame() - line.black.middlegame();
        endgame += line.white.endgame() - line.black.endgame();
    }
    let (phase, complexity) = (explanation.phase, explanation.complexity);
    out.fact("explained.middlegame", middlegame);
    out.fact("explained.endgame", endgame);
    out.fact("explained.complexity", complexity);
    endgame += complexity;
    let value = (middlegame * phase + endgame * (FULL_PHASE - phase)) / FULL_PHASE;
    assert_eq!(value, explanation.value, "the chapter blends the sums by hand");
    let rest = FULL_PHASE - phase;
    out.fact(
        "explained.blend",
        format!("({middlegame} x {phase} + {endgame} x {rest}) / {FULL_PHASE} = {value}"),
    );
    assert_eq!(position.side_to_move(), Color::White);
}
