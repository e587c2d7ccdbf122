//! `tabiya train`: a net from training positions, or a policy net from games.

mod policy;

use crate::args::UsageError;
use anyhow::Context;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;
use tabiya_lab::data::positions;
use tabiya_lab::train::{self, Control, Outcome, Progress, Settings};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct TrainCommand {
    #[command(subcommand)]
    kind: Option<Kind>,
    #[command(flatten)]
    evaluation: Option<TrainArgs>,
}

#[derive(clap::Subcommand)]
enum Kind {
    /// Train a policy net on whole games.
    Policy(policy::PolicyArgs),
}

/// Trains the kind of net that was asked for.
pub(crate) fn dispatch(command: &TrainCommand) -> anyhow::Result<ExitCode> {
    match (&command.kind, &command.evaluation) {
        (Some(Kind::Policy(args)), _) => policy::run(args),
        (None, Some(args)) => run(args),
        (None, None) => Err(UsageError("what to train on is missing".to_owned()).into()),
    }
}

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya train --data train.pos --validation validation.pos --hidden 256 --epochs 20 --out net.nnue
  tabiya train --data a.pos --data b.pos --validation v.pos --hidden 512 --out big.nnue \\
      --checkpoint big.checkpoint --resume
  tabiya train --data deep.pos --validation v.pos --from net.nnue --rate 0.0003 --epochs 4 \\
      --out tuned.nnue

Ctrl-C stops after the current step; with --checkpoint the run goes on later with --resume and ends
with the same net as if it had never been stopped. The loss curve is written beside the net.")]
struct TrainArgs {
    /// Training positions (see `tabiya datagen positions`).
    #[arg(long, required = true)]
    data: Vec<PathBuf>,
    /// Positions to measure the loss with; of other games.
    #[arg(long, required = true)]
    validation: Vec<PathBuf>,
    /// The net to write.
    #[arg(long)]
    out: PathBuf,
    /// Where to keep the state of the run, renewed every minute.
    #[arg(long)]
    checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint, if it exists.
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// A net or checkpoint to start from, instead of random weights: of the same shape, or with fewer
    /// hidden neurons or king buckets.
    #[arg(long)]
    from: Option<PathBuf>,
    /// Hidden neurons per side: 128, 256, 384, 512, 768 or 1024.
    #[arg(long, default_value_t = Settings::default().hidden)]
    hidden: usize,
    /// King buckets: 1, 4 or 8.
    #[arg(long, default_value_t = Settings::default().king_buckets)]
    king_buckets: usize,
    /// Output buckets: 1 or 8.
    #[arg(long, default_value_t = Settings::default().output_buckets)]
    output_buckets: usize,
    /// Passes over the data.
    #[arg(long, default_value_t = Settings::default().epochs)]
    epochs: u64,
    /// Positions per step.
    #[arg(long, default_value_t = Settings::default().batch)]
    batch: usize,
    /// Highest learning rate.
    #[arg(long, default_value_t = Settings::default().peak_rate)]
    rate: f32,
    /// Learning rate at the end.
    #[arg(long, default_value_t = Settings::default().final_rate)]
    final_rate: f32,
    /// Steps until the highest learning rate.
    #[arg(long, default_value_t = Settings::default().warm_up)]
    warm_up: u64,
    /// Weight decay.
    #[arg(long, default_value_t = Settings::default().decay)]
    decay: f32,
    /// Expected result = sigmoid(score / SCALE); fitted to the results if missing.
    #[arg(long)]
    scale: Option<f32>,
    /// Weight of the game's result at the start of the run.
    #[arg(long, default_value_t = Settings::default().wdl_start)]
    wdl_start: f32,
    /// Weight of the game's result at the end of the run.
    #[arg(long, default_value_t = Settings::default().wdl_end)]
    wdl_end: f32,
    /// Seed of the first weights and of the order of the data.
    #[arg(long, default_value_t = Settings::default().seed)]
    seed: u64,
    /// Text to store in the net besides data and settings.
    #[arg(long, default_value = "")]
    note: String,
    /// Number of threads; the net does not depend on it.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

fn run(args: &TrainArgs) -> anyhow::Result<ExitCode> {
    let usage = |error: &dyn std::error::Error| UsageError(error.to_string());
    let (training, header) = positions::read(&args.data).map_err(|error| usage(&error))?;
    let (validation, _) = positions::read(&args.validation).map_err(|error| usage(&error))?;
    let scale = args.scale.unwrap_or_else(|| positions::fit_scale(&training).round());
    let settings = Settings {
        hidden: args.hidden,
        king_buckets: args.king_buckets,
        output_buckets: args.output_buckets,
        epochs: args.epochs,
        batch: args.batch,
        peak_rate: args.rate,
        final_rate: args.final_rate,
        warm_up: args.warm_up,
        decay: args.decay,
        scale,
        wdl_start: args.wdl_start,
        wdl_end: args.wdl_end,
        seed: args.seed,
    };
    println!(
        "{} training and {} validation positions; sigmoid(score / {scale})",
        training.len(),
        validation.len()
    );
    ctrlc::set_handler(|| STOP.store(true, Relaxed)).context("cannot listen to Ctrl-C")?;
    let checkpoint = args.checkpoint.as_deref();
    let control = Control {
        checkpoint,
        resume: args.resume && checkpoint.is_some_and(Path::exists),
        from: args.from.as_deref(),
        threads: args.threads as usize,
        stop: &STOP,
    };
    let start = Instant::now();
    let from = args.from.as_ref().map_or_else(String::new, |path| {
        format!("from {},", path.file_name().unwrap_or_default().to_string_lossy())
    });
    let provenance = [args.note.as_str(), &from, &header.description];
    let provenance = provenance.join(" ").trim().to_owned();
    let outcome = train::run(&settings, &training, &validation, &provenance, &control, show)
        .map_err(|error| usage(&error))?;
    eprintln!();
    save(args, &outcome)?;
    println!("{}", outcome.rounding);
    println!(
        "{:.0} samples/s (fastest step {:.0}) over {:.0} s; time: {}",
        outcome.samples_per_second,
        outcome.peak_samples_per_second,
        start.elapsed().as_secs_f64(),
        outcome.phases
    );
    println!(
        "{}: validation loss {:.6} after step {}{}",
        args.out.display(),
        outcome.best_loss,
        outcome.best_step,
        if outcome.finished { "" } else { " (stopped early)" }
    );
    Ok(if outcome.finished { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes the net and its loss curve.
fn save(args: &TrainArgs, outcome: &Outcome) -> anyhow::Result<()> {
    let files = [
        (args.out.clone(), outcome.net.save()),
        (args.out.with_extension("csv"), train::csv(&outcome.curve).into_bytes()),
        (args.out.with_extension("svg"), train::svg(&outcome.curve).into_bytes()),
    ];
    for (path, bytes) in files {
        train::write_file(&path, &bytes)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// One line that is renewed; a line of its own at the end of every pass.
fn show(progress: &Progress) {
    let Progress { step, total_steps, epoch_steps, .. } = *progress;
    let training = progress.training.map_or_else(String::new, |loss| format!("  loss {loss:.6}"));
    let validation = progress.validation.map_or_else(String::new, |loss| format!(" / {loss:.6}"));
    eprint!(
        "\repoch {:.2}/{}  {:.0}k samples/s  rate {:.2e}{training}{validation}  {:.0} min left   ",
        step as f64 / epoch_steps as f64,
        total_steps / epoch_steps,
        progress.samples_per_second / 1000.0,
        progress.rate,
        progress.left.as_secs_f64() / 60.0
    );
    if step % epoch_steps == 0 {
        eprintln!();
    }
    let _ = std::io::stderr().flush();
}
