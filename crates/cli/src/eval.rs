//! `tabiya eval`: what the static evaluation sees.

use crate::args;
use serde_json::{Value, json};
use std::process::ExitCode;
use tabiya_chess::{Board, Square};
use tabiya_engine::eval::{Evaluation, StaticEvaluator, Worth, hce};
use tabiya_engine::wdl::to_centipawns;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tabiya eval\n  tabiya eval \"8/8/4k3/8/4P3/4K3/8/8 w - - 0 1\"\n  tabiya eval --json"
)]
pub(crate) struct EvalArgs {
    /// A FEN; the starting position if missing.
    fen: Vec<String>,
    /// Read the castling letters as in Chess960.
    #[arg(long)]
    chess960: bool,
    /// A JSON object instead of the tables.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &EvalArgs) -> anyhow::Result<ExitCode> {
    let board = args::position(&args.fen, args.chess960)?;
    let evaluation = Evaluation::embedded();
    if args.json {
        println!("{}", json(&board, &evaluation));
    } else {
        println!("{}", text(&board, &evaluation));
    }
    Ok(ExitCode::SUCCESS)
}

/// The evaluation as people read it: the hand-crafted terms, then the network's view if there is one.
pub(crate) fn text(board: &Board, evaluation: &Evaluation) -> String {
    let terms = hce::explain(board);
    let Evaluation::Network(..) = evaluation else { return terms.to_string() };
    let mut evaluator = StaticEvaluator::new(evaluation);
    let worth = Worth::new(board, |board| evaluator.white_value(board));
    let value = evaluator.white_value(board);
    format!(
        "{terms}\n{evaluation}\n\nworth of each piece to its owner\n{worth}\n\
         evaluation {value:+} for white\n"
    )
}

/// Terms, values and the worth of each piece, in internal units, as White sees them.
fn json(board: &Board, evaluation: &Evaluation) -> Value {
    let terms = hce::explain(board);
    let score = |score: hce::Score| json!({ "mg": score.middlegame(), "eg": score.endgame() });
    let rows: Vec<Value> = terms
        .rows
        .iter()
        .map(|row| {
            json!({
                "name": row.name,
                "group": format!("{:?}", row.group).to_lowercase(),
                "white": score(row.white),
                "black": score(row.black),
            })
        })
        .collect();
    let mut evaluator = StaticEvaluator::new(evaluation);
    let worth = Worth::new(board, |board| evaluator.white_value(board));
    let pieces: serde_json::Map<String, Value> = Square::ALL
        .into_iter()
        .filter_map(|square| {
            let (piece, worth) = worth.0[square]?;
            Some((
                square.to_string(),
                json!({ "piece": piece.letter().to_string(), "worth": worth }),
            ))
        })
        .collect();
    let value = evaluator.white_value(board);
    json!({
        "fen": board.to_string(),
        "evaluation": evaluation.to_string(),
        "value": value,
        "cp": to_centipawns(value, board),
        "pieces": pieces,
        "classical": {
            "value": terms.value,
            "phase": terms.phase,
            "scale": terms.scale,
            "complexity": terms.complexity,
            "terms": rows,
        },
    })
}
