//! `tabiya learn`: from random weights to a player, by its own games.

mod dashboard;

use crate::args::{UsageError, failed};
use crate::data::play::parse_share;
use crate::interrupt::{finish_games, on_ctrl_c};
use dashboard::Dashboard;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tabiya_lab::learn::{self, Choices, Control, Ended, Folder, Goal};
use tabiya_nn::Shape;

/// Hours of a run whose end nobody named.
const HOURS: f64 = 2.0;
/// The demonstration: hours, and what fits into them.
const DEMO_HOURS: f64 = 1.0 / 6.0;
const DEMO_SHAPE: &str = "768x1-128s-1x8";
const DEMO_NODES: u64 = 200;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya learn --demo
  tabiya learn mine --hours 2 --serve
  tabiya learn mine --hours 8 --resume
  tabiya learn exact --generations 5 --games 3000 --gate-games 200
  tabiya learn tuned --from hce --shape 768x4-512s-1x8 --hours 4
  tabiya learn mine --hours 3 --resume --yardstick-games 40 \\
      --yardstick \"cmd=/usr/games/ethereal-chess tc=1+0.01 option.Hash=16\"

The folder has everything: settings, games, positions, nets, journals, log, and report.html to look at. Ctrl-C
stops after what is under way; after that or after any crash the same command with --resume goes on. What a
generation does is written down before it begins, so a run that was interrupted ends with the nets of one that
was not. Games of other machines (`tabiya datagen play --evalfile FOLDER/best.nnue`) are taken from FOLDER/inbox
when a generation begins.")]
pub(crate) struct LearnArgs {
    /// The folder of the run [default: learn, or learn-demo with --demo]
    dir: Option<PathBuf>,
    /// Hours of work, in all sittings together; generations are planned by measured rates [default: 2]
    #[arg(long, value_name = "H", conflicts_with = "generations", value_parser = parse_hours)]
    hours: Option<f64>,
    /// Generations; the clock has no say.
    #[arg(long, value_name = "G", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    generations: Option<u64>,
    /// Ten minutes with a small net, to see it learn.
    #[arg(long, conflicts_with_all = ["hours", "generations"])]
    demo: bool,
    /// Continue the run in the folder; settings that are not given stay as they were.
    #[arg(long)]
    resume: bool,
    /// Who plays the first games: random (weights that know nothing), hce (the classical evaluation) or
    /// the file of a net [default: random]
    #[arg(long, value_name = "START")]
    from: Option<String>,
    /// The layers of the net, as in `tabiya train` [default: 768x4-256s-1x8]
    #[arg(long)]
    shape: Option<Shape>,
    /// Nodes of each search of the games, the first generations fewer [default: 250]
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Games of each generation [default: by measured rates, or 4000 with --generations]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Share of the searches that judge quiet positions of other short searches instead of playing
    /// [default: 0.25]
    #[arg(long, value_name = "SHARE")]
    explore: Option<f64>,
    /// Most passes over the positions [default: 12]
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,
    /// Generations whose positions are learnt from [default: 5]
    #[arg(long, value_name = "N")]
    window: Option<usize>,
    /// Weight of the games' results in what is learnt, against the scores of searches; the first
    /// generations learn more from results [default: 0.3]
    #[arg(long, value_name = "SHARE")]
    results: Option<f32>,
    /// Share of games that start from double Chess960 positions [default: 0.1]
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    dfrc: Option<f64>,
    /// Most games in which a new net meets the best one [default: by measured rates, or 400]
    #[arg(long, value_name = "N")]
    gate_games: Option<u64>,
    /// Nodes of each search of the measuring games [default: 500]
    #[arg(long, value_name = "N")]
    gate_nodes: Option<u64>,
    /// Another player to be measured against, as in `tabiya match`; may be given several times. The
    /// classical evaluation always is.
    #[arg(long, value_name = "PLAYER")]
    yardstick: Vec<String>,
    /// Games against each yardstick and generation [default: by measured rates, or 60]
    #[arg(long, value_name = "N")]
    yardstick_games: Option<u64>,
    /// Folders with endgame tables for the players.
    #[arg(long, value_name = "PATH")]
    syzygy: Option<String>,
    /// Decides openings, first weights and the order of the data [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// Threads; the nets do not depend on it. All cores if missing.
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Show the run as a page while it goes on.
    #[cfg(feature = "serve")]
    #[arg(long)]
    serve: bool,
    /// The port of that page; 0 lets the system choose.
    #[cfg(feature = "serve")]
    #[arg(long, default_value_t = 8572)]
    port: u16,
}

impl LearnArgs {
    fn folder(&self) -> PathBuf {
        let usual = if self.demo { "learn-demo" } else { "learn" };
        self.dir.clone().unwrap_or_else(|| PathBuf::from(usual))
    }

    fn goal(&self) -> Goal {
        match self.generations {
            Some(generations) => Goal::Generations(generations),
            None if self.demo => Goal::Hours(DEMO_HOURS),
            None => Goal::Hours(self.hours.unwrap_or(HOURS)),
        }
    }

    fn choices(&self) -> anyhow::Result<Choices> {
        let demo_shape = || self.demo.then(|| DEMO_SHAPE.parse()).transpose();
        let (net, hce) = match self.from.as_deref() {
            None => (None, None),
            Some("random") => (None, Some(false)),
            Some("hce") => (None, Some(true)),
            Some(path) => (Some(PathBuf::from(path)), None),
        };
        if let Some(path) = net.as_ref().filter(|path| !path.exists()) {
            let path = path.display();
            let reason = format!("--from {path}: neither random nor hce nor a file");
            return Err(UsageError(reason).into());
        }
        Ok(Choices {
            net,
            hce,
            shape: self.shape.map_or_else(demo_shape, |shape| Ok(Some(shape)))?,
            seed: self.seed,
            nodes: self.nodes.or(self.demo.then_some(DEMO_NODES)),
            games: self.games,
            explore: self.explore,
            epochs: self.epochs,
            window: self.window,
            results: self.results,
            dfrc: self.dfrc,
            gate_games: self.gate_games,
            yardstick_games: self.yardstick_games,
            gate_nodes: self.gate_nodes,
            yardsticks: (!self.yardstick.is_empty()).then(|| self.yardstick.clone()),
            syzygy: self.syzygy.clone(),
        })
    }
}

/// Reads a time above zero.
fn parse_hours(text: &str) -> Result<f64, String> {
    let hours = text.parse().ok().filter(|hours| *hours > 0.0 && *hours <= 100_000.0);
    hours.ok_or_else(|| "expected a number of hours above 0".to_owned())
}

pub(crate) fn run(args: &LearnArgs) -> anyhow::Result<ExitCode> {
    let root = args.folder();
    let choices = args.choices()?;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let control = Control {
        goal: args.goal(),
        resume: args.resume,
        threads: args.threads.map_or_else(cores, usize::from),
        stop: on_ctrl_c(finish_games)?,
    };
    #[cfg(feature = "serve")]
    if args.serve {
        crate::serve::learn::show(Folder::new(&root), args.port)?;
    }
    let mut dashboard = Dashboard::new(Folder::new(&root));
    let mut observe = |event: &learn::Event| dashboard.hear(event);
    let ended = learn::run(&root, &choices, &control, &mut observe).map_err(failed)?;
    dashboard.end();
    tell(&root, &ended);
    Ok(if ended.is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tell(root: &Path, ended: &Ended) {
    let folder = Folder::new(root);
    let Ended { generations, best, is_complete, seconds } = ended;
    let plural = if *generations == 1 { "" } else { "s" };
    println!("{generations} generation{plural} in {:.1} min of work", seconds / 60.0);
    if *best > 0 {
        println!("the best net is that of generation {best}: {}", folder.best_net().display());
        println!("tabiya analyse and all others play with it by option EvalFile");
    }
    println!("report: {}", folder.report().display());
    if !is_complete {
        println!("stopped early; --resume goes on");
    }
}
