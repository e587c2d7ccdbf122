//! Every subcommand and flag.

use clap::{Parser, Subcommand};
use tabiya_chess::{Board, START_FEN};

/// A chess engine, analyst and training lab. Without a command it speaks UCI.
#[derive(Parser)]
#[command(name = "tabiya", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Speak UCI on standard input and output (the same as no command at all).
    #[command(after_help = "Example:\n  echo bench 5 | tabiya uci")]
    Uci,
    /// Analyse a position, live and readable.
    Analyse(crate::analyse::AnalyseArgs),
    /// Search fixed positions; the node count is the engine's fingerprint.
    Bench(crate::bench::BenchArgs),
    /// Annotate all games of a PGN file: evaluations, mistakes, accuracy, reports.
    Annotate(crate::annotate::AnnotateArgs),
    /// Show, check or write policy nets, and what they say about a position.
    Policy(crate::policy::PolicyArgs),
    /// Extract puzzles from the games of a PGN file.
    Puzzles(crate::puzzles::PuzzlesArgs),
    /// Say why one move is better than another.
    Explain(crate::explain::ExplainArgs),
    /// Count the leaves of the move tree, or check a suite of counts.
    Perft(crate::perft::PerftArgs),
    /// Show the static evaluation term by term and piece by piece.
    Eval(crate::eval::EvalArgs),
    /// Show, check or write network files.
    Net(crate::net::NetArgs),
    /// Play games between engines: sequential tests, gauntlets, round robins.
    Match(Box<crate::arena::MatchArgs>),
    /// Solve a suite of test positions.
    Solve(crate::solve::SolveArgs),
    /// Make, show and join opening books.
    Book(crate::book::BookArgs),
    /// Name openings, and make the table of their names.
    Openings(crate::openings::OpeningsArgs),
    /// Fit the engine's numbers to data or games.
    Tune(crate::tune::TuneArgs),
    /// Make, check and convert training data.
    Datagen(crate::data::DataArgs),
    /// Give games or positions new scores, by this engine or a UCI program.
    Label(Box<crate::label::LabelArgs>),
    /// Train a net on positions.
    Train(crate::train::TrainArgs),
    /// Open a board in the browser: play, analyse, review games.
    #[cfg(feature = "serve")]
    Serve(crate::serve::ServeArgs),
}

/// Something the user got wrong: exit code 2.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// 2 for wrong usage, 1 for every other failure.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if error.chain().any(<dyn std::error::Error>::is::<UsageError>) { 2 } else { 1 }
}

/// Reads a position from the command line: `startpos` or a FEN, in one or several words.
pub(crate) fn position(words: &[String], chess960: bool) -> anyhow::Result<Board> {
    let text = words.join(" ");
    let fen = if text.is_empty() || text == "startpos" { START_FEN } else { &text };
    Board::from_fen(fen, chess960)
        .map_err(|error| UsageError(format!("position '{text}': {error}")).into())
}
