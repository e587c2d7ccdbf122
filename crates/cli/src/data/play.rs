//! `tabiya datagen play`: games of an engine against itself.

use crate::arena::{parse_draw, parse_resign};
use crate::args::{UsageError, failed};
use crate::interrupt::{finish_games, on_ctrl_c};
use crate::live_line::LiveLine;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tabiya_lab::arena::{Adjudication, DrawRule, EngineSpec, Engines, ResignRule};
use tabiya_lab::data::play::{self, PlayConfig, PlayProgress};
use tabiya_lab::data::record::{CENTIPAWNS, Game};
use tabiya_lab::work::Part;

/// Nodes per search when neither nodes nor depth are given.
const DEFAULT_NODES: u64 = 5000;
/// A search may take this many times the nodes after which no new iteration begins.
const HARD_LIMIT: u64 = 8;
/// Hash of the own engine in megabytes; more is wasted on small searches.
const OWN_HASH: u32 = 4;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya datagen play --out self.games --games 10000
  tabiya datagen play --out self.games --games 20000 --resume
  tabiya datagen play --out part-2.games --games 20000 --part 5000..10000
  tabiya datagen play --out dfrc.games --games 5000 --nodes 20000 --dfrc 0.2 --evalfile net.nnue
  tabiya datagen play --out sf.games --games 5000 --depth 4 \\
      --teacher \"cmd=/usr/games/stockfish option.Hash=16\" --threads 4

Game N depends on the settings and N only. Ctrl-C ends the run after the games under way (pressed
twice: at once); after that or after any crash --resume goes on with the next game.")]
pub(crate) struct PlayArgs {
    /// The game file to write.
    #[arg(long)]
    out: PathBuf,
    /// Games in the finished file.
    #[arg(long)]
    games: u64,
    /// Only games FROM to TO, counted from 0 without TO: `datagen join` joins such parts.
    #[arg(long, value_name = "FROM..TO")]
    part: Option<Part>,
    /// Continue the file if it exists.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    player: PlayerArgs,
    /// Share of games that start from double Chess960 positions, 0 to 1.
    #[arg(long, default_value_t = 0.0, value_parser = parse_share)]
    dfrc: f64,
    /// Replace openings that a search judges further from zero, in centipawns.
    #[arg(long, default_value_t = 250, value_parser = clap::value_parser!(i32).range(0..=30_000))]
    max_opening_score: i32,
    /// `SCORE:MOVES[:both]`: a player lost by SCORE for so many moves resigns.
    #[arg(long, default_value = "1000:2:both", value_parser = parse_resign)]
    resign: ResignRule,
    /// SCORE:MOVES:FROM: a draw when both see at most SCORE for so many moves, from move FROM on.
    #[arg(long, default_value = "5:5:30", value_parser = parse_draw)]
    draw: DrawRule,
    /// Full moves after which a game is a draw.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    max_moves: u32,
    /// Seed of all openings.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Who searches, and how long: the own engine or a UCI program.
#[derive(clap::Args)]
pub(crate) struct PlayerArgs {
    /// A UCI program instead of the own engine: cmd=PROGRAM option.NAME=VALUE ...
    #[arg(long, conflicts_with = "evalfile")]
    teacher: Option<String>,
    /// Nodes per search; the own engine finishes the iteration it is in. 5000 without --depth.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    nodes: Option<u64>,
    /// Depth of each search.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=240))]
    depth: Option<u32>,
    /// A net for the own engine; else the one inside the program.
    #[arg(long)]
    evalfile: Option<PathBuf>,
    /// The unit of a teacher's scores, in words.
    #[arg(long, requires = "teacher")]
    unit: Option<String>,
    /// Searches at the same time; all cores if missing.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl PlayerArgs {
    /// The player and its limits.
    pub(crate) fn spec(&self) -> anyhow::Result<EngineSpec> {
        let mut words = Vec::new();
        let nodes = self.nodes.or(self.depth.is_none().then_some(DEFAULT_NODES));
        words.extend(self.depth.map(|depth| format!("depth={depth}")));
        if self.teacher.is_some() {
            words.extend(nodes.map(|nodes| format!("nodes={nodes}")));
        } else {
            words.push(format!("option.Hash={OWN_HASH}"));
            words.extend(nodes.map(|nodes| {
                format!("softnodes={nodes} nodes={}", nodes.saturating_mul(HARD_LIMIT))
            }));
        }
        let text = self.teacher.as_deref().unwrap_or("self");
        let mut spec = EngineSpec::parse(text, &words.join(" "))
            .map_err(|error| UsageError(format!("teacher: {error}")))?;
        if let Some(path) = &self.evalfile {
            spec.options.push(("EvalFile".to_string(), path.to_string_lossy().into_owned()));
        }
        Ok(spec)
    }

    /// The unit of the player's scores.
    pub(crate) fn score_unit(&self, spec: &EngineSpec) -> String {
        match (&self.unit, &self.teacher) {
            (Some(unit), _) => unit.clone(),
            (None, Some(_)) => format!("centipawns of {}", spec.name),
            (None, None) => CENTIPAWNS.to_string(),
        }
    }

    /// Number of searches at the same time.
    pub(crate) fn concurrency(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }
}

/// Reads a number from 0 to 1.
pub(crate) fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_string())
}

pub(super) fn run(args: &PlayArgs) -> anyhow::Result<ExitCode> {
    let player = args.player.spec()?;
    let config = PlayConfig {
        score_unit: args.player.score_unit(&player),
        player,
        games: args.games,
        part: args.part,
        seed: args.seed,
        dfrc_share: args.dfrc,
        max_opening_score: args.max_opening_score,
        adjudication: Adjudication {
            resign: Some(args.resign),
            draw: Some(args.draw),
            max_moves: Some(args.max_moves),
        },
        concurrency: args.player.concurrency(),
    };
    let mut line = LiveLine::new();
    let show = |progress: &PlayProgress, _: &Game| line.renew(|| describe(progress));
    let done = play::run(&config, &args.out, args.resume, &Engines, on_ctrl_c(finish_games)?, show)
        .map_err(failed)?;
    line.clear();
    println!(
        "{}: {} games; {} games with {} positions in {:.1} s, {:.0} positions/s",
        args.out.display(),
        done.games,
        done.played,
        done.positions,
        done.elapsed.as_secs_f64(),
        done.rate()
    );
    let complete = done.games >= done.target;
    if !complete {
        println!("stopped early; --resume goes on");
    }
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn describe(progress: &PlayProgress) -> String {
    let left = progress.left().unwrap_or(Duration::MAX);
    format!(
        "{}/{} games, {} positions, {:.0}/s, {:.0} min left",
        progress.games,
        progress.target,
        progress.positions,
        progress.rate(),
        left.as_secs_f64() / 60.0
    )
}
