//! `tabiya eval`: what the static evaluation sees.

use crate::args;
use std::process::ExitCode;
use tabiya_chess::Board;
use tabiya_engine::eval::{Evaluation, StaticEvaluator, Worth, hce};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tabiya eval\n  tabiya eval \"8/8/4k3/8/4P3/4K3/8/8 w - - 0 1\""
)]
pub(crate) struct EvalArgs {
    /// A FEN; the starting position if missing.
    fen: Vec<String>,
    /// Read the castling letters as in Chess960.
    #[arg(long)]
    chess960: bool,
}

pub(crate) fn run(args: &EvalArgs) -> anyhow::Result<ExitCode> {
    let board = args::position(&args.fen, args.chess960)?;
    println!("{}", text(&board, &Evaluation::embedded()));
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
