//! Generation after generation, until the goal is reached or somebody stops it.

use super::budget;
use super::calibrate::calibrate;
use super::error::LearnError;
use super::folder::{Folder, write};
use super::gate::{meet_best, meet_yardsticks, yardstick};
use super::inbox;
use super::overview::Overview;
use super::page;
use super::phases::{self, Desk};
use super::plan::{Outline, Plan};
use super::result::{Generation, Speed};
use super::settings::{Choices, Settings};
use super::shown::ShownGame;
use super::status::{Phase, Status};
use crate::work::StopSignal;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often the status is written and told.
const PERIOD: Duration = Duration::from_secs(1);
/// Points of a loss curve that are kept of a training under way.
const MOST_LOSSES: usize = 1000;

/// When a run is over.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Goal {
    /// After this time of work, in all sittings together; amounts follow from measured rates.
    Hours(f64),
    /// After so many generations; amounts are those of the settings.
    Generations(u64),
}

/// How a run is controlled.
pub struct Control<'a> {
    /// When it is over.
    pub goal: Goal,
    /// Whether to continue a run that is there.
    pub resume: bool,
    /// Threads of all parts. Nets do not depend on it.
    pub threads: usize,
    /// Ends it early.
    pub stop: &'a StopSignal,
}

/// Something that happened.
pub enum Event<'a> {
    /// A generation begins.
    Planned(&'a Plan),
    /// Time has passed.
    Progress(&'a Status),
    /// A generation is done.
    Finished(&'a Generation),
    /// Something else that should be known.
    Note(&'a str),
}

impl Event<'_> {
    /// What kind it is: `planned`, `progress`, `finished` or `note`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Planned(_) => "planned",
            Self::Progress(_) => "progress",
            Self::Finished(_) => "finished",
            Self::Note(_) => "note",
        }
    }

    /// What it says, as JSON.
    pub fn to_json(&self) -> String {
        let json = match self {
            Self::Planned(plan) => serde_json::to_string(plan),
            Self::Progress(status) => serde_json::to_string(status),
            Self::Finished(generation) => serde_json::to_string(generation),
            Self::Note(text) => serde_json::to_string(text),
        };
        json.unwrap_or_default()
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ended {
    /// Generations done.
    pub generations: u64,
    /// The best of them; 0 is the start.
    pub best: u64,
    /// Whether the goal was reached.
    pub is_complete: bool,
    /// Seconds of work in all sittings.
    pub seconds: f64,
}

/// Hears of events.
pub(super) type Observer<'a> = &'a mut (dyn FnMut(&Event) + Send);

/// Keeps the status and tells it.
pub(super) struct Teller<'a> {
    folder: &'a Folder,
    pub(super) status: Status,
    /// What was measured in this sitting, of this generation.
    pub(super) speed: Speed,
    before: f64,
    started: Instant,
    told: Instant,
    observe: Observer<'a>,
}

impl<'a> Teller<'a> {
    fn new(folder: &'a Folder, observe: Observer<'a>) -> Result<Self, LearnError> {
        let status = folder.status()?.unwrap_or_else(Status::new);
        let now = Instant::now();
        let before = status.seconds;
        Ok(Self {
            folder,
            status,
            speed: Speed::default(),
            before,
            started: now,
            told: now,
            observe,
        })
    }

    /// Seconds of work in all sittings.
    pub(super) fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().as_secs_f64()
    }

    /// A new part begins; how much there is to do turns out later.
    pub(super) fn begin(&mut self, phase: Phase, unit: &str) -> Result<(), LearnError> {
        self.begin_with(phase, unit, 0)
    }

    /// A new part begins, with so much to do.
    pub(super) fn begin_with(
        &mut self,
        phase: Phase,
        unit: &str,
        total: u64,
    ) -> Result<(), LearnError> {
        let seconds = self.seconds();
        let status = &mut self.status;
        (status.phase, status.done, status.total) = (phase, 0, total);
        (status.rate, status.left, status.seconds) = (0.0, None, seconds);
        unit.clone_into(&mut status.unit);
        self.publish()
    }

    /// Some of it is done.
    pub(super) fn tell(&mut self, change: impl FnOnce(&mut Status)) {
        change(&mut self.status);
        if self.told.elapsed() >= PERIOD {
            self.status.seconds = self.seconds();
            if self.status.losses.len() > MOST_LOSSES {
                let mut index = 0;
                self.status.losses.retain(|_| {
                    index += 1;
                    index % 2 == 0
                });
            }
            // A full disk is told by whoever has something to lose.
            let _ = self.publish();
        }
    }

    /// A game to look at; the oldest one makes room.
    pub(super) fn show(&mut self, game: ShownGame, most: usize) {
        self.status.games.insert(0, game);
        self.status.games.truncate(most);
    }

    fn publish(&mut self) -> Result<(), LearnError> {
        self.told = Instant::now();
        (self.observe)(&Event::Progress(&self.status));
        self.folder.write_status(&self.status)
    }

    fn note(&mut self, text: &str) -> Result<(), LearnError> {
        (self.observe)(&Event::Note(text));
        self.folder.log(&format!("{:.0} s: {text}", self.seconds()))
    }
}

/// Learns in a folder until the goal is reached.
pub fn run(
    root: &Path,
    choices: &Choices,
    control: &Control,
    observe: &mut (dyn FnMut(&Event) + Send),
) -> Result<Ended, LearnError> {
    let folder = Folder::new(root);
    for text in choices.yardsticks.iter().flatten() {
        yardstick(text, 1)?;
    }
    let (settings, _lock) = folder.begin(choices, control.resume)?;
    let teller = Teller::new(&folder, observe)?;
    let mut desk = Desk {
        folder: &folder,
        settings: &settings,
        threads: control.threads.max(1),
        stop: control.stop,
        teller,
    };
    let mut done = folder.generations()?;
    let mut is_complete = false;
    while !control.stop.is_raised() {
        let Some(plan) = next_plan(&mut desk, &done, control.goal)? else {
            is_complete = !control.stop.is_raised();
            break;
        };
        (desk.teller.observe)(&Event::Planned(&plan));
        let Some(result) = generation(&mut desk, plan)? else { break };
        (desk.teller.observe)(&Event::Finished(&result));
        let text = summary(&result);
        desk.teller.note(&text)?;
        done.push(result);
        write_report(&folder)?;
    }
    desk.teller.begin(Phase::Idle, "")?;
    write_report(&folder)?;
    let (generations, seconds) = (done.len() as u64, desk.teller.seconds());
    Ok(Ended { generations, best: best_of(&done), is_complete, seconds })
}

/// The number of the best generation so far; 0 is the start.
pub(super) fn best_of(done: &[Generation]) -> u64 {
    let promoted = done.iter().rev().find(|generation| generation.is_promoted);
    promoted.map_or(0, |generation| generation.plan.generation)
}

/// The plan of the generation under way, or a new one; `None` if there is nothing more to do.
fn next_plan(desk: &mut Desk, done: &[Generation], goal: Goal) -> Result<Option<Plan>, LearnError> {
    let generation = done.len() as u64 + 1;
    if matches!(goal, Goal::Generations(all) if generation > all) {
        return Ok(None);
    }
    desk.teller.status.generation = generation;
    if let Some(plan) = desk.folder.plan(generation)? {
        return Ok(Some(plan));
    }
    let seconds = match goal {
        Goal::Hours(hours) => {
            match budget::seconds_for(generation, hours * 3600.0, desk.teller.seconds()) {
                None => return Ok(None),
                seconds => seconds,
            }
        }
        Goal::Generations(_) => None,
    };
    desk.teller.begin(Phase::Planning, "")?;
    let place = desk.folder.generation(generation);
    fs::create_dir_all(&place).map_err(|error| LearnError::Write(place, error))?;
    let delivery = inbox::accept(desk.folder, generation)?;
    for note in &delivery.notes {
        desk.teller.note(note)?;
    }
    let best = best_of(done);
    let outline = Outline::new(desk.settings, generation, best);
    let amounts = |now| budget::amounts(desk.settings, goal, &outline, done, seconds, now);
    let is_measured = done.iter().any(|generation| generation.speed.games.is_some());
    let mut plan =
        outline.plan(desk.settings, best, done, delivery.taken, amounts(Speed::default()));
    if seconds.is_some() && !is_measured {
        let Some(speed) = calibrate(desk, &plan)? else { return Ok(None) };
        let amounts = budget::amounts(desk.settings, goal, &outline, done, seconds, speed);
        plan = outline.plan(desk.settings, best, done, plan.others, amounts);
    }
    desk.folder.write_plan(&plan)?;
    let text = intention(desk.settings, &plan);
    desk.teller.note(&text)?;
    Ok(Some(plan))
}

/// Does what is missing of a generation; `None` if somebody stopped it.
fn generation(desk: &mut Desk, plan: Plan) -> Result<Option<Generation>, LearnError> {
    desk.teller.speed = Speed::default();
    desk.folder.remove_unfinished(plan.generation)?;
    if phases::play(desk, &plan)?.is_none() {
        return Ok(None);
    }
    if phases::explore(desk, &plan)?.is_none() {
        return Ok(None);
    }
    let chosen = phases::choose(desk, &plan)?;
    if desk.stop.is_raised() {
        return Ok(None);
    }
    let Some(taught) = phases::teach(desk, &plan)? else { return Ok(None) };
    let Some((gate, is_promoted)) = meet_best(desk, &plan)? else { return Ok(None) };
    let speed = desk.teller.speed;
    let Some(yardsticks) = meet_yardsticks(desk, &plan)? else { return Ok(None) };
    let number = plan.generation;
    if is_promoted {
        let net = desk.folder.net(number);
        let bytes = fs::read(&net).map_err(|error| LearnError::Read(net, error))?;
        write(&desk.folder.best_net(), &bytes)?;
    }
    let result = Generation {
        counts: chosen.counts,
        positions: chosen.positions,
        histogram: chosen.histogram,
        window_positions: taught.window_positions,
        scale: taught.scale,
        epochs: taught.epochs,
        validation_loss: taught.validation_loss,
        curve: taught.curve,
        piece_values: taught.piece_values,
        net: taught.net,
        gate,
        is_promoted,
        yardsticks,
        games: desk.teller.status.games.clone(),
        seconds: desk.teller.seconds(),
        speed,
        plan,
    };
    desk.folder.write_result(&result)?;
    // Only the best weights are begun with again.
    let useless = if is_promoted { result.plan.best } else { number };
    let _ = fs::remove_file(desk.folder.generation(useless).join("checkpoint"));
    Ok(Some(result))
}

fn write_report(folder: &Folder) -> Result<(), LearnError> {
    let overview = Overview::read(folder)?;
    write(&folder.report(), page::report(&overview).as_bytes())
}

/// What a plan means, in a line.
fn intention(settings: &Settings, plan: &Plan) -> String {
    let Plan { generation, nodes, games, shape, results, .. } = plan;
    let who = match plan.best {
        0 => settings.from.to_string(),
        best => format!("net {best}"),
    };
    let samples = plan.samples.map_or_else(String::new, |samples| {
        format!(" with up to {:.1} million samples", samples as f64 / 1e6)
    });
    let explored = match plan.explored {
        0 => String::new(),
        explored => format!(" and {explored} positions of other searches"),
    };
    format!(
        "generation {generation}: {games} games of {who} at {nodes} nodes{explored}, then {shape}{samples}, \
         results weigh {results}; up to {} games against the best net, {} against each yardstick",
        2 * plan.gate_pairs,
        2 * plan.yardstick_pairs
    )
}

/// What a generation has shown, in a line.
fn summary(result: &Generation) -> String {
    let mut text = format!(
        "generation {}: {} positions, validation loss {:.5}; {}, {}",
        result.plan.generation,
        result.positions,
        result.validation_loss,
        result.gate,
        if result.is_promoted { "the best net now" } else { "not better" }
    );
    for yardstick in &result.yardsticks {
        let _ = write!(text, "; {yardstick}");
    }
    text
}
