//! The `tabiya` program as a library: [`run`] is all of it, so that the Python package can be the program, too.
//!
//! Without arguments it speaks UCI. Every other command is a variant in `args` and a module of its name; the
//! lower crates do the work. An error of the user is one line on standard error and exit code 2, any
//! other failure exit code 1.

#[macro_use]
mod say;

mod analyse;
#[cfg(feature = "lab")]
mod annotate;
#[cfg(feature = "lab")]
mod arena;
mod args;
mod bench;
mod board_view;
#[cfg(feature = "lab")]
mod book;
#[cfg(feature = "lab")]
mod data;
mod doctor;
mod eval;
#[cfg(feature = "lab")]
mod explain;
#[cfg(feature = "lab")]
mod game_files;
mod interrupt;
#[cfg(feature = "lab")]
mod label;
#[cfg(feature = "lab")]
mod learn;
mod live_line;
mod manual;
mod net;
#[cfg(feature = "lab")]
mod openings;
mod perft;
mod play;
mod policy;
#[cfg(feature = "lab")]
mod puzzles;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "lab")]
mod solve;
#[cfg(feature = "lab")]
mod train;
#[cfg(feature = "lab")]
mod tune;
mod uci;

use args::{Args, Command};
use clap::Parser;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with these arguments, the first of which is its name, and says how it ended.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    end_quietly_when_nobody_reads();
    let args: Vec<OsString> = args.into_iter().collect();
    let result = if args.len() <= 1 { uci::run() } else { dispatch(Args::parse_from(args)) };
    match result {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tabiya: {}", args::describe(&error));
            ExitCode::from(args::exit_code(&error))
        }
    }
}

fn dispatch(args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        None | Some(Command::Uci) => uci::run(),
        Some(Command::Analyse(args)) => analyse::run(&args),
        #[cfg(feature = "lab")]
        Some(Command::Annotate(args)) => annotate::run(&args),
        Some(Command::Policy(args)) => policy::run(&args),
        #[cfg(feature = "lab")]
        Some(Command::Puzzles(args)) => puzzles::run(&args),
        #[cfg(feature = "lab")]
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Doctor(args)) => doctor::run(&args),
        Some(Command::Play(args)) => play::run(&args),
        Some(Command::Perft(args)) => perft::run(&args),
        Some(Command::Eval(args)) => eval::run(&args),
        Some(Command::Net(args)) => net::run(&args),
        #[cfg(feature = "lab")]
        Some(Command::Match(args)) => arena::run(&args),
        #[cfg(feature = "lab")]
        Some(Command::Solve(args)) => solve::run(&args),
        #[cfg(feature = "lab")]
        Some(Command::Book(args)) => book::run(&args),
        #[cfg(feature = "lab")]
        Some(Command::Openings(args)) => openings::run(&args),
        #[cfg(feature = "lab")]
        Some(Command::Tune(args)) => tune::run(&args),
        #[cfg(feature = "lab")]
        Some(Command::Datagen(args)) => data::run(&args),
        #[cfg(feature = "lab")]
        Some(Command::Label(args)) => label::run(&args),
        #[cfg(feature = "lab")]
        Some(Command::Train(args)) => train::dispatch(&args),
        #[cfg(feature = "lab")]
        Some(Command::Learn(args)) => learn::run(&args),
        Some(Command::Man(args)) => manual::man(&args),
        Some(Command::Completions(args)) => manual::completions(&args),
        #[cfg(feature = "serve")]
        Some(Command::Serve(args)) => serve::run(&args),
    }
}

/// `println!` panics when the output is closed, because whoever read it has seen enough, or full.
fn end_quietly_when_nobody_reads() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload_as_str().unwrap_or_default();
        if let Some(reason) = text.strip_prefix("failed printing to stdout: ") {
            if reason.starts_with("Broken pipe") {
                std::process::exit(0);
            }
            eprintln!("tabiya: standard output: {reason}");
            std::process::exit(1);
        }
        report(panic);
    }));
}

/// Whoever read our output has seen enough.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
