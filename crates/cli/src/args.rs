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
    /// Train a net on positions, or a policy net on games.
    Train(crate::train::TrainCommand),
    /// Write the manual, of the program or of one command.
    Man(crate::manual::ManArgs),
    /// Write what a shell needs to complete commands and options.
    Completions(crate::manual::CompletionsArgs),
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

/// An error with the exit code it deserves: what can be mended by asking for something else is wrong
/// usage, a disk that fails is not.
pub(crate) fn failed(error: impl std::error::Error + Send + Sync + 'static) -> anyhow::Error {
    let error = anyhow::Error::new(error);
    let is_disk = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| !is_misnamed(error.kind()))
    };
    if error.chain().any(is_disk) { error } else { UsageError(describe(&error)).into() }
}

/// Whether the user named a file that is not there, or not what it should be.
fn is_misnamed(kind: std::io::ErrorKind) -> bool {
    use std::io::ErrorKind as Kind;
    matches!(
        kind,
        Kind::NotFound
            | Kind::IsADirectory
            | Kind::NotADirectory
            | Kind::AlreadyExists
            | Kind::InvalidData
            | Kind::InvalidInput
            | Kind::UnexpectedEof
    )
}

/// An error and its causes in one line, without saying anything twice.
pub(crate) fn describe(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Reads a position from the command line: `startpos` or a FEN, in one or several words.
pub(crate) fn position(words: &[String], chess960: bool) -> anyhow::Result<Board> {
    let text = words.join(" ");
    let fen = if text.is_empty() || text == "startpos" { START_FEN } else { &text };
    Board::from_fen(fen, chess960)
        .map_err(|error| UsageError(format!("position '{text}': {error}")).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    #[test]
    fn a_failing_disk_is_not_the_users_fault() {
        let code = |kind| exit_code(&failed(Error::from(kind)));
        for kind in [ErrorKind::NotFound, ErrorKind::IsADirectory, ErrorKind::InvalidData] {
            assert_eq!(code(kind), 2, "{kind}");
        }
        for kind in [ErrorKind::StorageFull, ErrorKind::PermissionDenied, ErrorKind::Other] {
            assert_eq!(code(kind), 1, "{kind}");
        }
    }

    #[test]
    fn a_cause_is_told_once() {
        let cause = anyhow::Error::new(Error::other("no luck"));
        assert_eq!(describe(&cause.context("cannot read a: no luck")), "cannot read a: no luck");
        let cause = anyhow::Error::new(Error::other("no luck"));
        assert_eq!(describe(&cause.context("cannot read a")), "cannot read a: no luck");
    }
}
