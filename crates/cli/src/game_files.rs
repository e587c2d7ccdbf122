//! What the commands for files of games share: arguments, progress, Ctrl-C.

use crate::args::{UsageError, failed};
use crate::interrupt::on_ctrl_c;
use crate::live_line::LiveLine;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tabiya_engine::TableError;
use tabiya_engine::eval::Evaluation;
use tabiya_lab::analyst::batch::{
    self, BatchConfig, BatchError, BatchProgress, Finished, Observer, Output, Shard, Task,
    WithinGame,
};
use tabiya_lab::analyst::insight::{Budget, Thinker};
use tabiya_lab::work::{Part, remove_unfinished};

#[derive(clap::Args)]
pub(crate) struct GameFileArgs {
    /// The games: a PGN file, also .gz, .xz or .zst; `-` for standard input
    pub(crate) games: PathBuf,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// Games at the same time, each with a search of its own
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Hash table of each search in megabytes
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// Only game K, K+N, K+2N, ...: every machine takes another K
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    shard: Shard,
    /// Only games FROM to TO of the file, counted from 0 without TO: parts in order are the whole
    #[arg(long, value_name = "FROM..TO")]
    part: Option<Part>,
    /// Continue a run that was interrupted, with the same arguments otherwise
    #[arg(long)]
    resume: bool,
    /// Replace outputs that are there already, or what an interrupted run has left of them
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// No progress on standard error
    #[arg(short, long)]
    quiet: bool,
}

#[derive(clap::Args)]
pub(crate) struct BudgetArgs {
    /// Nodes per position: the same result every time
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Seconds per position
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    /// Iterations per position
    #[arg(long, value_name = "D")]
    depth: Option<u32>,
}

impl BudgetArgs {
    pub(crate) fn budget(&self, default_nodes: u64) -> anyhow::Result<Budget> {
        Budget::new(self.nodes, self.depth, self.time, default_nodes).map_err(failed)
    }
}

/// The outputs that were asked for with their forms; standard output in the `default` form if none was.
pub(crate) fn outputs<F, const N: usize>(
    wanted: [(Option<&Path>, F); N],
    default: Option<F>,
) -> anyhow::Result<(Vec<Output>, Vec<F>)> {
    let (mut outputs, mut formats): (Vec<_>, Vec<_>) =
        wanted.into_iter().filter_map(|(path, format)| Some((Output::new(path?), format))).unzip();
    if let Some(format) = default.filter(|_| outputs.is_empty()) {
        outputs.push(Output::Stdout);
        formats.push(format);
    }
    if outputs.iter().filter(|output| **output == Output::Stdout).count() > 1 {
        return Err(UsageError("only one output can be standard output".to_owned()).into());
    }
    Ok((outputs, formats))
}

/// The forms of the outputs as a setting of the run: one that goes on must not mix them up.
pub(crate) fn forms(formats: &[impl Debug]) -> (String, String) {
    let names: Vec<_> = formats.iter().map(|form| format!("{form:?}").to_lowercase()).collect();
    ("outputs".to_owned(), names.join(", "))
}

/// Runs a task over the file, on threads that are made of an engine each, and says how it went: exit code
/// 130 when interrupted.
pub(crate) fn run<T: Task>(
    args: &GameFileArgs,
    task: &T,
    worker: impl Fn(Thinker) -> Result<T::Worker, TableError>,
    outputs: Vec<Output>,
    budget: Budget,
    mut settings: BTreeMap<String, String>,
    verdict: impl Fn(&Finished<T::Summary>) -> String,
) -> anyhow::Result<ExitCode> {
    settings.insert("budget".to_owned(), budget.to_string());
    settings.insert("hash".to_owned(), args.hash.to_string());
    settings.insert("evaluation".to_owned(), Evaluation::embedded().to_string());
    let to_stdout = outputs.contains(&Output::Stdout);
    let config = BatchConfig {
        input: args.games.clone(),
        outputs,
        shard: args.shard,
        part: args.part,
        resume: args.resume,
        force: args.force,
        settings,
    };
    let workers = (0..args.threads)
        .map(|_| Thinker::new(args.hash as usize, budget).and_then(&worker))
        .collect::<Result<Vec<_>, _>>()?;
    let stop = on_ctrl_c(|stop| {
        if stop.is_raised() {
            // Whoever asks twice does not want to wait; what is written down so far is complete.
            remove_unfinished();
            std::process::exit(130);
        }
        stop.raise();
    })?;
    let mut screen = Screen { line: LiveLine::new(), quiet: args.quiet, to_stdout, games: None };
    let result = batch::run(&config, task, workers, stop, &mut screen);
    screen.line.clear();
    let finished = match result {
        Ok(finished) => finished,
        Err(error @ BatchError::Complete) => {
            eprintln!("tabiya: {error}");
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => return Err(failed(error)),
    };
    if !args.quiet {
        let state = match finished.complete {
            true => "",
            false if to_stdout => "interrupted: ",
            false => "interrupted, --resume continues: ",
        };
        eprintln!("{state}{}", verdict(&finished));
    }
    Ok(if finished.complete { ExitCode::SUCCESS } else { ExitCode::from(130) })
}

/// Shows a run on standard error.
struct Screen {
    line: LiveLine,
    quiet: bool,
    /// Whether games are written to standard output, which may be the same terminal.
    to_stdout: bool,
    /// How far the run was after the last game.
    games: Option<BatchProgress>,
}

impl Observer for Screen {
    fn problem(&mut self, text: &str) {
        self.line.clear();
        eprintln!("{text}");
    }

    fn progress(&mut self, progress: &BatchProgress) {
        self.games = Some(*progress).filter(|progress| progress.games > 0);
        if let Some(games) = self.games.filter(|_| !self.quiet) {
            self.line.renew(|| games.to_string());
        }
    }

    fn within(&mut self, game: WithinGame) {
        if self.quiet {
            return;
        }
        match self.games {
            Some(games) => self.line.renew(|| format!("{games}; {game}")),
            None => self.line.renew_timed(|| game.to_string()),
        }
    }

    fn writing(&mut self) {
        if self.to_stdout {
            self.line.clear();
        }
    }
}
