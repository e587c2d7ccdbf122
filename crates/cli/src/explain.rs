//! `tabiya explain`: why one move is better than another.

use crate::args::{self, UsageError, failed};
use crate::game_files::BudgetArgs;
use std::process::ExitCode;
use tabiya_chess::{Board, Move};
use tabiya_engine::eval::Evaluation;
use tabiya_lab::analyst::explain::explain;
use tabiya_lab::analyst::insight::Thinker;

/// Nodes per search if nothing else is asked for.
const DEFAULT_NODES: u64 = 500_000;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya explain \"r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3\" Nf6
  tabiya explain startpos h4
  tabiya explain \"3r2k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1\" --json

Without a move the best one is compared with the next best.")]
pub(crate) struct ExplainArgs {
    /// A FEN or `startpos`
    fen: String,
    /// The move to compare with the best, as Nf3 or g1f3
    #[arg(value_name = "MOVE")]
    mv: Option<String>,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Size of the hash table in megabytes
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// Read castling letters as in Chess960
    #[arg(long)]
    chess960: bool,
    /// A JSON object instead of sentences
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ExplainArgs) -> anyhow::Result<ExitCode> {
    let board = args::position(std::slice::from_ref(&args.fen), args.chess960)?;
    let given = args.mv.as_deref().map(|text| parse_move(&board, text)).transpose()?;
    let mut thinker = Thinker::new(args.hash as usize, args.budget.budget(DEFAULT_NODES)?)?;
    let found = explain(&mut thinker, &Evaluation::embedded(), &board, given).map_err(failed)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&found)?);
    } else {
        print!("{found}");
    }
    Ok(ExitCode::SUCCESS)
}

fn parse_move(board: &Board, text: &str) -> anyhow::Result<Move> {
    board
        .parse_san(text)
        .or_else(|error| board.parse_uci(text).map_err(|_| error))
        .map_err(|error| UsageError(format!("move '{text}': {error}")).into())
}
