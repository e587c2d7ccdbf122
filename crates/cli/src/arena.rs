//! `tabiya match`: games between engines.

use crate::args::{UsageError, failed};
use crate::interrupt::{finish_games, on_ctrl_c};
use crate::live_line::LiveLine;
use clap::Args;
use clap::ValueEnum;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use tabiya_engine::Tablebase;
use tabiya_lab::arena::stats::sprt::{Model, Sprt};
use tabiya_lab::arena::{
    self, Adjudication, Conclusion, DrawRule, EngineSpec, Engines, Form, GameRecord, Limits,
    MatchConfig, MatchProgress, OpeningOrder, OpeningSource, Oracle, Outputs, Reporter, ResignRule,
    Summary,
};
use tabiya_lab::work::Part;

const EXAMPLES: &str = "\
Engines are described by words key=value (quote values with blanks):
  cmd=PROGRAM (with arguments) or self, proto=uci|xboard, name=, dir=, arg=, option.NAME=VALUE,
  evalfile=FILE, teacher=FILE (self, judged by a net of Stockfish; without a clock),
  tc=[MOVES/]SECONDS[+INCREMENT], movetime=SECONDS, nodes=N, softnodes=N (self), depth=N,
  timemargin=MS (default 0; 100 with movetime)

Examples:
  # 100 games between two programs at 3 seconds plus 0.03 a move
  tabiya match --engine cmd=./new --engine cmd=stockfish --tc 3+0.03 --rounds 50

  # Is the new net better? Stop as soon as that is clear, and survive a kill
  tabiya match --engine \"self name=new evalfile=a.nnue\" --engine \"self name=old\" \\
    --nodes 5000 --openings book.epd.gz --order random --rounds 20000 --concurrency 2 \\
    --sprt 0 5 --journal run.jsonl --pgn run.pgn --json run.json
  tabiya match ... --resume          # the same command again continues

  # A quick look at where we stand among the engines installed here
  tabiya match --ladder --tc 1+0.01 --rounds 5

Exit codes: 0 finished, or H1 accepted; 3 H0 accepted; 4 test undecided; 130 interrupted;
  2 wrong usage; 1 failure. Ctrl-C finishes the running games, a second one abandons them.";

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = EXAMPLES)]
pub(crate) struct MatchArgs {
    /// A player, see below; at least two
    #[arg(short, long = "engine", value_name = "SPEC")]
    engines: Vec<String>,
    /// Settings for all players, overridden by their own
    #[arg(long, value_name = "SPEC", default_value = "", hide_default_value = true)]
    each: String,
    /// Time control for all players: [moves/]seconds[+increment]
    #[arg(long, value_name = "TC")]
    tc: Option<String>,
    /// Nodes per move for all players
    #[arg(long)]
    nodes: Option<u64>,
    /// Depth for all players
    #[arg(long)]
    depth: Option<u32>,
    /// Seconds per move for all players
    #[arg(long, value_name = "SECONDS")]
    movetime: Option<f64>,

    /// Pairs of games for each pairing (both colours from each opening)
    #[arg(short, long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    rounds: u64,
    /// Only rounds FROM to TO, counted from 0 without TO: a part to be joined with others, which decides
    /// no test
    #[arg(long, value_name = "FROM..TO")]
    part: Option<Part>,
    /// The first player meets each other one, instead of everybody everybody
    #[arg(long)]
    gauntlet: bool,
    /// Gauntlet of the first player (default: self) against known engines installed here
    #[arg(long)]
    ladder: bool,
    /// EPD or PGN file of openings, also .gz or .zst [default: the initial position]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Order of the openings
    #[arg(long, value_enum, default_value = "sequential")]
    order: OrderArg,
    /// Seed of the random order
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Openings to skip
    #[arg(long, default_value_t = 0)]
    skip: usize,
    /// Plies to take from each game of a PGN file [default: all]
    #[arg(long)]
    plies: Option<usize>,
    /// Play Chess960
    #[arg(long)]
    chess960: bool,

    /// Games at the same time
    #[arg(short, long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Keep each game's programs on one core
    #[arg(long)]
    pin: bool,
    /// Play again what was lost on time while the machine gave the player no core for longer than it overran
    #[arg(long)]
    replay_starved: bool,
    /// Resign at -SCORE centipawns for MOVES moves, e.g. 600:4; with :both the opponent must agree
    #[arg(long, value_name = "SCORE:MOVES[:both]", value_parser = parse_resign)]
    resign: Option<ResignRule>,
    /// Draw within SCORE centipawns for MOVES moves from move FROM on, e.g. 10:8:40
    #[arg(long, value_name = "SCORE:MOVES:FROM", value_parser = parse_draw)]
    draw: Option<DrawRule>,
    /// End games that the Syzygy tables in these folders know (separated as in PATH)
    #[arg(long, value_name = "FOLDERS")]
    syzygy: Option<PathBuf>,
    /// Draw after this many moves
    #[arg(long, value_name = "MOVES")]
    max_moves: Option<u32>,

    /// Sequential test of ELO1 against ELO0; ends the match when decided
    #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true)]
    sprt: Option<Vec<f64>>,
    /// Chance to accept H1 wrongly
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// Chance to accept H0 wrongly
    #[arg(long, default_value_t = 0.05)]
    beta: f64,
    /// Unit of the test's Elo
    #[arg(long, value_enum, default_value = "normalised")]
    model: ModelArg,

    /// Journal of finished games, for --resume
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// All games with evaluations
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// The result (- for standard output, instead of the text)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Continue the match of the journal
    #[arg(long, requires = "journal")]
    resume: bool,
    /// Only say what the journal shows
    #[arg(long, requires = "journal", conflicts_with_all = ["resume", "part"])]
    report: bool,
    /// Print a line for each game
    #[arg(short, long)]
    verbose: bool,
    /// Print only the result
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum OrderArg {
    Sequential,
    Random,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModelArg {
    #[value(alias = "normalized")]
    Normalised,
    Logistic,
}

/// Plays the match and says how it ended through the exit code.
pub(crate) fn run(args: &MatchArgs) -> anyhow::Result<ExitCode> {
    let config = config(args)?;
    if args.report {
        return tell(args, arena::report(&config));
    }
    let tables = args
        .syzygy
        .as_deref()
        .map(|path| {
            Tablebase::open(path.as_os_str())
                .map_err(|error| usage(format!("--syzygy {}: {error}", path.display())))
        })
        .transpose()?;
    for fault in tables.iter().flat_map(Tablebase::take_faults) {
        eprintln!("--syzygy: {fault}");
    }
    let oracle = tables.as_ref().map(|tables| tables as &dyn Oracle);
    let stop = on_ctrl_c(finish_games)?;
    if config.players.len() > 1 && repeats_itself(&config) && !args.quiet {
        eprintln!(
            "tabiya: one start position and no clock: games will repeat each other; \
             --openings FILE gives them different starts"
        );
    }
    let names = config.players.iter().map(|player| player.name.clone()).collect();
    let mut screen = Screen::new(names, args.verbose, args.quiet);
    let result = arena::run(&config, &Engines, oracle, stop, &mut screen);
    screen.line.clear();
    tell(args, result)
}

/// Says how a match went.
fn tell(
    args: &MatchArgs,
    result: Result<(Summary, Conclusion), arena::ArenaError>,
) -> anyhow::Result<ExitCode> {
    match result {
        Ok((summary, conclusion)) => {
            if to_stdout(args) {
                tell!("{}", serde_json::to_string_pretty(&summary)?);
            } else {
                tell!("{}", summary.to_string().trim_end());
            }
            Ok(exit_code(conclusion))
        }
        Err(error) => Err(failed(error)),
    }
}

/// Whether nothing makes one pair of games different from the next.
fn repeats_itself(config: &MatchConfig) -> bool {
    let is_timed = |limits: &Limits| limits.clock.is_some() || limits.move_time.is_some();
    config.players.len() > 1
        && config.openings.file.is_none()
        && !config.chess960
        && config.rounds > 1
        && !config.players.iter().any(|player| is_timed(&player.limits))
}

/// Whether the result goes to standard output as JSON.
fn to_stdout(args: &MatchArgs) -> bool {
    args.json.as_ref().is_some_and(|path| path.as_os_str() == "-")
}

fn exit_code(conclusion: Conclusion) -> ExitCode {
    ExitCode::from(match conclusion {
        Conclusion::Complete | Conclusion::H1 => 0,
        Conclusion::H0 => 3,
        Conclusion::Undecided => 4,
        Conclusion::Stopped => 130,
    })
}

pub(crate) fn usage(error: impl std::fmt::Display) -> anyhow::Error {
    UsageError(error.to_string()).into()
}

fn config(args: &MatchArgs) -> anyhow::Result<MatchConfig> {
    let shared = shared_settings(args);
    let mut players = args
        .engines
        .iter()
        .map(|text| {
            EngineSpec::parse(text, &shared)
                .map_err(|error| usage(format!("--engine \"{text}\": {error}")))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    if args.ladder {
        if players.is_empty() {
            players.push(EngineSpec::parse("self name=tabiya", &shared).map_err(usage)?);
        }
        let known = arena::ladder(&shared).map_err(usage)?;
        if known.is_empty() {
            return Err(usage("--ladder: no known engine is installed"));
        }
        let is_new = |rung: &EngineSpec| players.iter().all(|player| player.name != rung.name);
        let rungs: Vec<EngineSpec> = known.into_iter().filter(is_new).collect();
        players.extend(rungs);
    }
    let sprt = match args.sprt.as_deref() {
        Some(&[elo0, elo1]) => {
            let model = match args.model {
                ModelArg::Normalised => Model::Normalised,
                ModelArg::Logistic => Model::Logistic,
            };
            Some(Sprt::new(elo0, elo1, args.alpha, args.beta, model).map_err(usage)?)
        }
        _ => None,
    };
    Ok(MatchConfig {
        players,
        form: if args.gauntlet || args.ladder { Form::Gauntlet } else { Form::RoundRobin },
        rounds: args.rounds,
        part: args.part,
        openings: OpeningSource {
            file: args.openings.clone(),
            order: match args.order {
                OrderArg::Sequential => OpeningOrder::Sequential,
                OrderArg::Random => OpeningOrder::Random(args.seed),
            },
            skip: args.skip,
            plies: args.plies,
        },
        chess960: args.chess960,
        adjudication: Adjudication {
            resign: args.resign,
            draw: args.draw,
            max_moves: args.max_moves,
        },
        sprt,
        concurrency: usize::from(args.concurrency),
        pin: args.pin,
        replay_starved: args.replay_starved,
        outputs: Outputs {
            journal: args.journal.clone(),
            pgn: args.pgn.clone(),
            json: args.json.clone().filter(|_| !to_stdout(args)),
            resume: args.resume || args.report,
        },
    })
}

/// The words that hold for all players.
fn shared_settings(args: &MatchArgs) -> String {
    let mut words = Vec::new();
    words.extend(args.tc.as_ref().map(|tc| format!("tc={tc}")));
    words.extend(args.nodes.map(|nodes| format!("nodes={nodes}")));
    words.extend(args.depth.map(|depth| format!("depth={depth}")));
    words.extend(args.movetime.map(|seconds| format!("movetime={seconds}")));
    words.push(args.each.clone());
    words.join(" ")
}

pub(crate) fn parse_resign(text: &str) -> Result<ResignRule, String> {
    let (numbers, both) = match text.strip_suffix(":both") {
        Some(numbers) => (numbers, true),
        None => (text, false),
    };
    match numbers_of(numbers).as_deref() {
        Some(&[score, moves]) => Ok(ResignRule { score: score as i32, moves, both }),
        _ => Err("expected SCORE:MOVES or SCORE:MOVES:both, like 600:4".to_string()),
    }
}

pub(crate) fn parse_draw(text: &str) -> Result<DrawRule, String> {
    match numbers_of(text).as_deref() {
        Some(&[score, moves, from_move]) => Ok(DrawRule { score: score as i32, moves, from_move }),
        _ => Err("expected SCORE:MOVES:FROM, like 10:8:40".to_string()),
    }
}

/// Numbers between colons; none is absurdly large and all but the first are at least 1.
fn numbers_of(text: &str) -> Option<Vec<u32>> {
    let numbers: Vec<u32> =
        text.split(':').map(|part| u32::from_str(part).ok()).collect::<Option<_>>()?;
    let sane = numbers.iter().enumerate().all(|(index, &n)| n <= 100_000 && (index == 0 || n > 0));
    sane.then_some(numbers)
}

/// Shows a running match on standard error.
struct Screen {
    names: Vec<String>,
    verbose: bool,
    quiet: bool,
    line: LiveLine,
}

impl Screen {
    fn new(names: Vec<String>, verbose: bool, quiet: bool) -> Self {
        Self { names, verbose, quiet, line: LiveLine::new() }
    }
}

impl Reporter for Screen {
    fn started(&mut self, total: u64, resumed: u64) {
        if self.quiet {
            return;
        }
        if resumed > 0 {
            eprintln!("resumed after {resumed} of {total} games");
        } else {
            eprintln!("{total} games");
        }
    }

    fn game(&mut self, record: &GameRecord) {
        let failed = record.reason.is_failure();
        if self.quiet || !(self.verbose || failed) {
            return;
        }
        self.line.clear();
        let detail = record.detail.as_deref().map(|text| format!(" ({text})")).unwrap_or_default();
        eprintln!(
            "game {}: {} - {} {} {}{detail}, {} plies",
            record.game + 1,
            self.names[record.white],
            self.names[record.black],
            record.result,
            record.reason,
            record.plies
        );
    }

    fn progress(&mut self, summary: &Summary, progress: &MatchProgress) {
        if !self.quiet {
            self.line.renew(|| summary.progress(progress));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjudication_settings_are_read() {
        assert_eq!(parse_resign("600:4"), Ok(ResignRule { score: 600, moves: 4, both: false }));
        assert_eq!(parse_resign("600:4:both"), Ok(ResignRule { score: 600, moves: 4, both: true }));
        assert_eq!(parse_draw("10:8:40"), Ok(DrawRule { score: 10, moves: 8, from_move: 40 }));
        for text in ["", "600", "600:0", "-1:4", "a:b", "600:4:5:6", "99999999999:4"] {
            assert!(parse_resign(text).is_err() && parse_draw(text).is_err(), "{text}");
        }
    }
}
