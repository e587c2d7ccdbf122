//! `tabiya train policy`: a policy net from whole games.

use crate::args::failed;
use crate::interrupt;
use crate::live_line::LiveLine;
use anyhow::Context;
use std::path::PathBuf;
use std::process::ExitCode;
use tabiya_lab::train::policy::{
    self, Control, Data, Games, Outcome, PolicyProgress, Settings, Shape, Split,
};
use tabiya_lab::work::replace;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya train policy --teacher teacher.txt.xz --human games.txt.xz --human-test test.txt.xz \\
      --shape xs --out policy.gguf --checkpoint policy.checkpoint --resume
  tabiya train policy --teacher teacher.txt.xz --out early.gguf --checkpoint policy.checkpoint \\
      --finish 5000000

Ctrl-C stops after the current step; with --checkpoint the run goes on later with --resume and ends
with the same net as if it had never been stopped. --finish ends a run early: from its checkpoint,
which stays as it is, the learning rate falls to zero over so many positions. The finish has a
checkpoint of its own, FILE.finish. The loss curve is written beside the net.")]
pub(crate) struct PolicyArgs {
    /// A teacher's games: `START_FEN|RESULT|MOVE` SCORE MOVE SCORE ...; every 64th is held out.
    #[arg(long)]
    teacher: Vec<PathBuf>,
    /// People's games: `WHITE_RATING` `BLACK_RATING` TIME RESULT|MOVE MOVE ...
    #[arg(long)]
    human: Vec<PathBuf>,
    /// People's games to measure with; never trained on.
    #[arg(long)]
    human_test: Vec<PathBuf>,
    /// How large the net is.
    #[arg(long, value_enum, default_value_t = ShapeArg::Xs)]
    shape: ShapeArg,
    /// The net to write.
    #[arg(long)]
    out: PathBuf,
    /// Where to keep the state of the run, renewed every ten minutes.
    #[arg(long)]
    checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint, if it exists.
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// Replace a net, or a run in the checkpoint, that is there already.
    #[arg(long)]
    force: bool,
    /// End the run of the checkpoint after this many more positions.
    #[arg(long, requires = "checkpoint")]
    finish: Option<u64>,
    /// Positions of the whole run.
    #[arg(long, default_value_t = Settings::default().positions)]
    positions: u64,
    /// Highest learning rate.
    #[arg(long, default_value_t = Settings::default().rate)]
    rate: f32,
    /// Weight decay of the first stage.
    #[arg(long, default_value_t = Settings::default().decay)]
    decay: f32,
    /// Share of people's games in training, if there are games of both kinds.
    #[arg(long, default_value_t = Settings::default().people)]
    human_share: f64,
    /// Keep full precision: a control to compare with.
    #[arg(long)]
    full_precision: bool,
    /// Seed of the first weights and of the order of the data.
    #[arg(long, default_value_t = Settings::default().seed)]
    seed: u64,
    /// Number of threads, at most four are of use; the net does not depend on it.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ShapeArg {
    Xs,
    S,
}

pub(crate) fn run(args: &PolicyArgs) -> anyhow::Result<ExitCode> {
    let existing = |path: Option<&PathBuf>| path.filter(|path| path.exists()).cloned();
    // The outputs of a run that goes on are its own.
    let goes_on = args.resume && existing(args.checkpoint.as_ref()).is_some();
    super::check_output(&args.out, args.force || goes_on)?;
    let settings = Settings {
        shape: match args.shape {
            ShapeArg::Xs => Shape::Xs,
            ShapeArg::S => Shape::S,
        },
        positions: args.positions,
        rate: args.rate,
        decay: args.decay,
        people: args.human_share,
        ternary: !args.full_precision,
        seed: args.seed,
    };
    let read = |paths: &[PathBuf], split: Split| {
        let games = (!paths.is_empty()).then(|| Games::read(paths, split)).transpose();
        games.map_err(failed)
    };
    eprintln!("reading games");
    let teacher = read(&args.teacher, Split::Training)?;
    let people = read(&args.human, Split::Training)?;
    let teacher_test = read(&args.teacher, Split::Test)?;
    let people_test = read(&args.human_test, Split::Test)?;
    for (name, games) in [("teacher", &teacher), ("human", &people)] {
        if let Some(games) = games {
            println!("{name}: {} games, {} moves", games.len(), games.plies());
        }
    }
    let finish_path = args.checkpoint.as_ref().map(|path| {
        let mut name = path.clone().into_os_string();
        name.push(".finish");
        PathBuf::from(name)
    });
    let (checkpoint, resume) = if args.finish.is_some() {
        let under_way = existing(finish_path.as_ref()).filter(|_| args.resume);
        (finish_path, under_way.or_else(|| args.checkpoint.clone()))
    } else {
        (args.checkpoint.clone(), existing(args.checkpoint.as_ref()).filter(|_| args.resume))
    };
    let control = Control {
        checkpoint: checkpoint.as_deref(),
        resume: resume.as_deref(),
        force: args.force,
        finish: args.finish,
        threads: args.threads as usize,
        stop: interrupt::flag()?,
    };
    let data = Data {
        teacher: teacher.as_ref(),
        people: people.as_ref(),
        teacher_test: teacher_test.as_ref(),
        people_test: people_test.as_ref(),
    };
    let mut line = LiveLine::new();
    let observe = |progress: &PolicyProgress| show(&mut line, progress);
    let outcome = policy::run(&settings, &data, &control, observe).map_err(failed)?;
    line.clear();
    report(&outcome);
    save(args, &outcome)?;
    Ok(if outcome.finished { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes the net, if it is one already, and its loss curve.
fn save(args: &PolicyArgs, outcome: &Outcome) -> anyhow::Result<()> {
    let out = &args.out;
    let [table, picture] = super::curve_files(out);
    let mut files = vec![
        (table, policy::csv(&outcome.curve).into_bytes()),
        (picture, policy::svg(&outcome.curve).into_bytes()),
    ];
    let stopped = if outcome.finished { "" } else { " (stopped early)" };
    if outcome.is_ternary {
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().display().to_string();
        let sources: Vec<_> = args.teacher.iter().chain(&args.human).map(name).collect();
        let net = out.file_stem().unwrap_or_default().display().to_string();
        files.push((out.clone(), outcome.to_gguf(&net, &sources.join(", "))));
        println!("{}{stopped}", out.display());
    } else {
        println!("no net is written: its weights are not ternary{stopped}");
    }
    for (path, bytes) in files {
        replace(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn report(outcome: &Outcome) {
    println!("matrix                  gamma  zeros  positive");
    for (name, statistics) in &outcome.statistics {
        println!(
            "{name:<20} {:>8.5} {:>5.1}% {:>8.1}%",
            statistics.gamma,
            100.0 * statistics.zeros,
            100.0 * statistics.positive
        );
    }
    println!(
        "{:.0} positions/s, {:.0} % of what products with block weights alone would allow; {} positions in all",
        outcome.speed,
        100.0 * outcome.speed / outcome.ceiling,
        outcome.positions
    );
}

/// One line that is renewed; a line of its own for every measurement on held-out games.
fn show(line: &mut LiveLine, progress: &PolicyProgress) {
    let point = progress.point.map_or_else(String::new, |point| {
        let measured = |name: &str, measured: Option<(f64, f64)>| {
            measured.map_or_else(String::new, |(loss, top1)| {
                format!("  {name} {loss:.3} {:.1} %", 100.0 * top1)
            })
        };
        format!(
            "rate {:.1e}  lambda {:.2}  loss {:.3} / {:.3}{}{}",
            point.rate,
            point.lambda,
            point.policy,
            point.value,
            measured("teacher", point.teacher),
            measured("human", point.people),
        )
    });
    let text = format!(
        "step {}/{}  {:.0} positions/s  {point}  {:.0} min left",
        progress.step,
        progress.steps,
        progress.speed,
        progress.left.as_secs_f64() / 60.0
    );
    let is_measured =
        progress.point.is_some_and(|point| point.teacher.is_some() || point.people.is_some());
    if progress.fresh && is_measured {
        line.keep(&text);
    } else {
        line.renew(|| text);
    }
}
