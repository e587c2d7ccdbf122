//! `tabiya train`: a net from training positions, or a policy net from games.

mod policy;

use crate::args::{UsageError, failed};
use crate::interrupt;
use crate::live_line::LiveLine;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tabiya_lab::data::positions::{self, PositionSet};
use tabiya_lab::train::{self, Control, Outcome, Settings, TrainProgress, Training, sanity};
use tabiya_lab::work::{check_writable, replace};
use tabiya_nn::{NetError, Shape};

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
    /// Replace a net, or a run in the checkpoint, that is there already.
    #[arg(long)]
    force: bool,
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
    /// All layers, from the 768 inputs by king buckets to the outputs: for example 768x8-1024s-1x8
    /// (one hidden layer, squared) or 768x8-1024p-16d-32s-1x8 (pairwise products, dense layers of 16
    /// and 32 neurons); 768x8+threats-512p-16d-32s-1x8 sees threats as well. Instead of the next three.
    #[arg(long, conflicts_with_all = ["hidden", "king_buckets", "output_buckets"])]
    shape: Option<String>,
    /// Hidden neurons per side: 128, 256, 384, 512, 640, 768 or 1024.
    #[arg(long, default_value_t = Settings::default().shape.hidden())]
    hidden: usize,
    /// King buckets: 1, 4, 8 or 16.
    #[arg(long, default_value_t = Settings::default().shape.king_buckets())]
    king_buckets: usize,
    /// Output buckets: 1 or 8.
    #[arg(long, default_value_t = Settings::default().shape.output_buckets())]
    output_buckets: usize,
    /// Passes over the data.
    #[arg(long, default_value_t = Settings::default().epochs)]
    epochs: u64,
    /// Positions per step [default: as many as leave 2000 steps, 64 to 16384]
    #[arg(long)]
    batch: Option<usize>,
    /// Highest learning rate [default: 0.003 for batches of 16384, down to 0.001 for smaller ones]
    #[arg(long)]
    rate: Option<f32>,
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
    /// Positions in memory, and shuffled, at a time; a larger set is read in windows of this size.
    #[arg(long, default_value_t = Settings::default().window)]
    window: usize,
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

impl TrainArgs {
    fn shape(&self) -> Result<Shape, NetError> {
        match &self.shape {
            Some(text) => text.parse(),
            None => Shape::new(self.hidden, self.king_buckets, self.output_buckets),
        }
    }
}

/// The scale is fitted to about this many positions.
const SCALE_SAMPLE: usize = 2_000_000;

fn run(args: &TrainArgs) -> anyhow::Result<ExitCode> {
    let shape = args.shape().map_err(|error| UsageError(error.to_string()))?;
    let checkpoint = args.checkpoint.as_deref();
    let resume = args.resume && checkpoint.is_some_and(Path::exists);
    // The outputs of a run that goes on are its own.
    check_output(&args.out, args.force || resume)?;
    if let Some(path) = checkpoint {
        check_writable(path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let training = PositionSet::open(&args.data).map_err(failed)?;
    let header = training.header().clone();
    let (validation, _) = positions::read(&args.validation).map_err(failed)?;
    let scale = if let Some(scale) = args.scale {
        scale
    } else {
        positions::fit_scale(&training.sample(SCALE_SAMPLE).map_err(failed)?).round()
    };
    let batch = args.batch.unwrap_or_else(|| sanity::batch_for(training.len(), args.epochs));
    let settings = Settings {
        shape,
        epochs: args.epochs,
        batch,
        peak_rate: args.rate.unwrap_or_else(|| sanity::rate_for(batch)),
        final_rate: args.final_rate,
        warm_up: args.warm_up,
        decay: args.decay,
        scale,
        wdl_start: args.wdl_start,
        wdl_end: args.wdl_end,
        seed: args.seed,
        window: args.window,
    };
    println!(
        "{} training and {} validation positions; sigmoid(score / {scale}); batches of {batch}, rate {}",
        training.len(),
        validation.len(),
        settings.peak_rate
    );
    let steps = settings.epochs.saturating_mul(settings.epoch_steps(training.len()));
    for warning in sanity::warnings(training.len(), validation.len(), steps) {
        eprintln!("warning: {warning}");
    }
    let control = Control {
        checkpoint,
        resume,
        force: args.force,
        from: args.from.as_deref(),
        threads: args.threads as usize,
        stop: interrupt::flag()?,
    };
    let mut line = LiveLine::new();
    let from = args.from.as_ref().map_or_else(String::new, |path| {
        format!("from {},", path.file_name().unwrap_or_default().to_string_lossy())
    });
    let provenance = [args.note.as_str(), &from, &header.description];
    let provenance = provenance.join(" ").trim().to_owned();
    let observe = |progress: &TrainProgress| show(&mut line, progress);
    let training = Training::Files(Arc::new(training));
    let outcome = train::run(&settings, &training, &validation, &provenance, &control, observe)
        .map_err(failed)?;
    line.clear();
    save(args, &outcome)?;
    println!("{}", outcome.rounding);
    println!(
        "{:.0} samples/s (fastest step {:.0}) over {:.0} s; time: {}",
        outcome.samples_per_second,
        outcome.peak_samples_per_second,
        line.seconds(),
        outcome.phases
    );
    println!(
        "{}: validation loss {:.6} after step {}{}",
        args.out.display(),
        outcome.best_loss,
        outcome.best_step,
        if outcome.finished { "" } else { " (stopped early)" }
    );
    for fault in sanity::material_faults(&outcome.net) {
        eprintln!("warning: this net does not know its pieces: {fault}");
    }
    Ok(if outcome.finished { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The table and the picture of the losses beside a net.
fn curve_files(net: &Path) -> [PathBuf; 2] {
    ["csv", "svg"].map(|extension| net.with_extension(extension))
}

/// Refuses a net that could not be written, or that is somebody's work already, and the same for what is written
/// beside it.
fn check_output(net: &Path, force: bool) -> anyhow::Result<()> {
    let curve = curve_files(net);
    if curve.iter().any(|path| path == net) {
        let reason = "is the name of the loss curve beside a net";
        return Err(UsageError(format!("--out {}: {reason}", net.display())).into());
    }
    for path in [net].into_iter().chain(curve.iter().map(PathBuf::as_path)) {
        if path.exists() && !force {
            let reason = "exists already; --force replaces it";
            return Err(UsageError(format!("{}: {reason}", path.display())).into());
        }
        check_writable(path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Writes the net and its loss curve.
fn save(args: &TrainArgs, outcome: &Outcome) -> anyhow::Result<()> {
    let [table, picture] = curve_files(&args.out);
    let files = [
        (args.out.clone(), outcome.net.save()),
        (table, train::csv(&outcome.curve).into_bytes()),
        (picture, train::svg(&outcome.curve).into_bytes()),
    ];
    for (path, bytes) in files {
        replace(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// One line that is renewed; a line of its own at the end of every pass.
fn show(line: &mut LiveLine, progress: &TrainProgress) {
    let TrainProgress { step, epoch_steps, .. } = *progress;
    if step % epoch_steps == 0 {
        line.keep(&describe(progress));
    } else {
        line.renew(|| describe(progress));
    }
}

fn describe(progress: &TrainProgress) -> String {
    let TrainProgress { step, total_steps, epoch_steps, .. } = *progress;
    let training = progress.training.map_or_else(String::new, |loss| format!("  loss {loss:.6}"));
    let validation = progress.validation.map_or_else(String::new, |loss| format!(" / {loss:.6}"));
    format!(
        "epoch {:.2}/{}  {:.0}k samples/s  rate {:.2e}{training}{validation}  {:.0} min left",
        step as f64 / epoch_steps as f64,
        total_steps / epoch_steps,
        progress.samples_per_second / 1000.0,
        progress.rate,
        progress.left.as_secs_f64() / 60.0
    )
}
