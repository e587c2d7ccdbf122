//! Every subcommand and flag.

use clap::{Parser, Subcommand};
use std::io::BufReader;
use std::path::Path;
use tabiya_chess::pgn::PgnReader;
use tabiya_chess::{Board, Game, START_FEN};
use tabiya_engine::files::open_regular;

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
    #[command(visible_alias = "analyze")]
    Analyse(crate::analyse::AnalyseArgs),
    /// Search fixed positions; the node count is the engine's fingerprint.
    Bench(crate::bench::BenchArgs),
    /// Say what this machine and this installation are, and what to change.
    Doctor(crate::doctor::DoctorArgs),
    /// Play against the engine in the terminal.
    Play(crate::play::PlayArgs),
    /// Annotate all games of a PGN file: evaluations, mistakes, accuracy, reports.
    #[cfg(feature = "lab")]
    Annotate(crate::annotate::AnnotateArgs),
    /// Show, check or write policy nets, and what they say about a position.
    Policy(crate::policy::PolicyArgs),
    /// Extract puzzles from the games of a PGN file.
    #[cfg(feature = "lab")]
    Puzzles(crate::puzzles::PuzzlesArgs),
    /// Say why one move is better than another.
    #[cfg(feature = "lab")]
    Explain(crate::explain::ExplainArgs),
    /// Count the leaves of the move tree, or check a suite of counts.
    Perft(crate::perft::PerftArgs),
    /// Show the static evaluation term by term and piece by piece.
    Eval(crate::eval::EvalArgs),
    /// Show, check or write network files.
    Net(crate::net::NetArgs),
    /// Play games between engines: sequential tests, gauntlets, round robins.
    #[cfg(feature = "lab")]
    Match(Box<crate::arena::MatchArgs>),
    /// Solve a suite of test positions.
    #[cfg(feature = "lab")]
    Solve(crate::solve::SolveArgs),
    /// Make, show and join opening books.
    #[cfg(feature = "lab")]
    Book(crate::book::BookArgs),
    /// Name openings, and make the table of their names.
    #[cfg(feature = "lab")]
    Openings(crate::openings::OpeningsArgs),
    /// Fit the engine's numbers to data or games.
    #[cfg(feature = "lab")]
    Tune(crate::tune::TuneArgs),
    /// Make, check and convert training data.
    #[cfg(feature = "lab")]
    Datagen(crate::data::DataArgs),
    /// Give games or positions new scores, by this engine or a UCI program.
    #[cfg(feature = "lab")]
    Label(Box<crate::label::LabelArgs>),
    /// Train a net on positions, or a policy net on games.
    #[cfg(feature = "lab")]
    Train(Box<crate::train::TrainCommand>),
    /// Learn chess from nothing: games, positions, training, generation by generation.
    #[cfg(feature = "lab")]
    Learn(Box<crate::learn::LearnArgs>),
    /// Write the manual, of the program or of one command.
    Man(crate::manual::ManArgs),
    /// Write what a shell needs to complete commands and options.
    Completions(crate::manual::CompletionsArgs),
    /// Open a board in the browser: play, analyse, review games.
    #[cfg(feature = "serve")]
    Serve(crate::serve::ServeArgs),
}

/// Something the user got wrong: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// 2 for wrong usage, 1 for every other failure.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if error.chain().any(<dyn std::error::Error>::is::<UsageError>) { 2 } else { 1 }
}

/// An error with the exit code it deserves: what can be mended by asking for something else is wrong
/// usage, a disk that fails is not.
pub(crate) fn failed(error: impl std::error::Error + Send + Sync + 'static) -> anyhow::Error {
    judged(anyhow::Error::new(error))
}

/// The same for an error that does not name its file.
pub(crate) fn failed_in<E>(path: &Path) -> impl Fn(E) -> anyhow::Error
where
    E: std::error::Error + Send + Sync + 'static,
{
    move |error| judged(anyhow::Error::new(error).context(path.display().to_string()))
}

/// The same for a file that could not be read at all.
pub(crate) fn unreadable(path: &Path) -> impl Fn(std::io::Error) -> anyhow::Error {
    move |error| {
        judged(anyhow::Error::new(error).context(format!("cannot read {}", path.display())))
    }
}

fn judged(error: anyhow::Error) -> anyhow::Error {
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
    board(&words.join(" "), chess960)
}

fn board(text: &str, chess960: bool) -> anyhow::Result<Board> {
    let fen = if text.is_empty() || text == "startpos" { START_FEN } else { text };
    Board::from_fen(fen, chess960).map_err(|error| {
        // Castling letters of files are those of Chess960 (X-FEN, Shredder-FEN).
        let is_chess960 = !chess960 && Board::from_fen(fen, true).is_ok();
        let hint = if is_chess960 { " (with --chess960 it is a position)" } else { "" };
        UsageError(format!("position '{text}': {error}{hint}")).into()
    })
}

/// Reads a position with what led to it: `startpos` or a FEN, perhaps with `moves`, or a PGN file.
pub(crate) fn game(words: &[String], ply: Option<usize>, chess960: bool) -> anyhow::Result<Game> {
    if let [path] = words
        && (ply.is_some() || Path::new(path).extension().is_some_and(|name| name == "pgn"))
    {
        return game_of_file(Path::new(path), ply);
    }
    let text = words.join(" ");
    let (start, moves) = text.split_once("moves").unwrap_or((&text, ""));
    let mut game = Game::from_board(board(start.trim(), chess960)?);
    for text in moves.split_ascii_whitespace() {
        let at = *game.board();
        let mv = at.parse_san(text).or_else(|error| at.parse_uci(text).map_err(|_| error));
        let mv = mv.map_err(|error| UsageError(format!("move '{text}': {error}")))?;
        game.play(mv).map_err(|error| UsageError(format!("move '{text}': {error}")))?;
    }
    Ok(game)
}

/// The first game of a PGN file up to a ply, or to its end.
fn game_of_file(path: &Path, ply: Option<usize>) -> anyhow::Result<Game> {
    let wrong = |reason: String| UsageError(format!("{}: {reason}", path.display()));
    let file = open_regular(path).map_err(|error| wrong(error.to_string()))?;
    let pgn = PgnReader::new(BufReader::new(file)).next();
    let pgn = pgn.ok_or_else(|| wrong("no game in it".to_owned()))?;
    let pgn = pgn.map_err(|error| wrong(error.to_string()))?;
    if let Some(error) = &pgn.error {
        return Err(wrong(error.to_string()).into());
    }
    let mut game = pgn.to_game();
    let plies = game.moves().len();
    if let Some(ply) = ply.filter(|ply| *ply > plies) {
        return Err(wrong(format!("--ply {ply}: the game has {plies} plies")).into());
    }
    for _ in ply.unwrap_or(plies)..plies {
        game.undo();
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use std::io::Error;

    /// The words of a command line, without what the shell does with it.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
        for letter in line.chars().chain([' ']) {
            match letter {
                '"' => quoted = !quoted,
                ' ' if !quoted => {
                    words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                }
                letter => word.push(letter),
            }
        }
        words
            .into_iter()
            .take_while(|word| !["#", "|", ">", ">>", "&&"].contains(&&**word))
            .collect()
    }

    /// All examples of a command and of those below it.
    fn examples(command: &clap::Command, found: &mut Vec<String>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let help = help.replace("\\\n", " ");
        found.extend(help.lines().filter_map(|line| {
            let start = line.strip_prefix("  ")?.find("tabiya ").map(|at| at + 2)?;
            let is_command = line[2..start].is_empty() || line[..start].ends_with("| ");
            is_command.then(|| line[start..].to_owned())
        }));
        command.get_subcommands().for_each(|below| examples(below, found));
    }

    #[test]
    fn every_example_of_the_help_is_understood() {
        let mut found = Vec::new();
        examples(&Args::command(), &mut found);
        assert!(found.len() > 8, "{found:?}");
        for line in found.iter().filter(|line| !line.contains("...")) {
            let parsed = Args::try_parse_from(words(line));
            let shows_help =
                |error: &clap::Error| error.kind() == clap::error::ErrorKind::DisplayHelp;
            if let Err(error) = parsed
                .map(drop)
                .or_else(|error| if shows_help(&error) { Ok(()) } else { Err(error) })
            {
                panic!("{line}: {error}");
            }
        }
    }

    #[test]
    #[cfg(feature = "lab")]
    fn a_failing_disk_is_not_the_users_fault() {
        use std::io::ErrorKind;
        let code = |kind| exit_code(&failed(Error::from(kind)));
        for kind in [ErrorKind::NotFound, ErrorKind::IsADirectory, ErrorKind::InvalidData] {
            assert_eq!(code(kind), 2, "{kind}");
        }
        for kind in [ErrorKind::StorageFull, ErrorKind::PermissionDenied, ErrorKind::Other] {
            assert_eq!(code(kind), 1, "{kind}");
            assert_eq!(exit_code(&failed_in(Path::new("a"))(Error::from(kind))), 1, "{kind}");
            // However deep it lies.
            #[cfg(feature = "lab")]
            {
                use tabiya_lab::data::label::{InputError, LabelError};
                use tabiya_lab::data::record::ReadError;
                let read = InputError::Record("a".into(), ReadError::Io(Error::from(kind)));
                assert_eq!(exit_code(&failed(LabelError::from(read))), 1, "{kind}");
            }
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
