//! The parts of a generation. Each leaves a file that says it is done, and does nothing if it is there.

mod blind;
mod choose;
mod explore;
mod play;
mod teach;

pub(super) use choose::choose;
pub(super) use explore::explore;
pub(super) use play::{conditions, play};
pub(super) use teach::teach;

use super::folder::{Folder, net_name};
use super::run::Teller;
use super::settings::{Settings, Start};
use crate::arena::{EngineSpec, Engines, Fault, Limits, Player, PlayerFactory, Program};
use crate::work::StopSignal;
use std::path::Path;
use std::time::Duration;

/// Hash of the players in megabytes; more is wasted on small searches.
const HASH_MB: u32 = 4;
/// A search may take this many times the nodes after which no new iteration begins.
const HARD_LIMIT: u64 = 8;
/// Marks a net by its name in the folder, wherever that is: the same run has the same settings.
const IN_FOLDER: &str = "learn:";

/// Everything the parts of a generation need.
pub(super) struct Desk<'a> {
    pub(super) folder: &'a Folder,
    pub(super) settings: &'a Settings,
    pub(super) threads: usize,
    pub(super) stop: &'a StopSignal,
    pub(super) teller: Teller<'a>,
}

impl Desk<'_> {
    /// Makes players whose nets are in the folder.
    pub(super) fn factory(&self) -> Factory<'_> {
        Factory(self.folder.root())
    }

    /// The player of a generation; 0 is the one of the start.
    pub(super) fn player(&self, generation: u64, limits: Limits) -> EngineSpec {
        if generation == 0 && self.settings.from == Start::Hce {
            return self.classical(limits);
        }
        let net = ("EvalFile", format!("{IN_FOLDER}{}", net_name(generation)));
        self.own(player_name(generation), net, limits)
    }

    /// Our own search with the classical evaluation.
    pub(super) fn classical(&self, limits: Limits) -> EngineSpec {
        self.own(CLASSICAL.to_owned(), ("Use NNUE", "false".to_owned()), limits)
    }

    fn own(&self, name: String, judge: (&str, String), limits: Limits) -> EngineSpec {
        let mut options =
            vec![("Hash".to_owned(), HASH_MB.to_string()), (judge.0.to_owned(), judge.1)];
        let tables = self.settings.syzygy.iter();
        options.extend(tables.map(|path| ("SyzygyPath".to_owned(), path.clone())));
        EngineSpec {
            name,
            program: Program::Own,
            dir: None,
            teacher: None,
            options,
            limits,
            margin: Duration::ZERO,
        }
    }
}

/// The name of our own search with the classical evaluation.
pub(super) const CLASSICAL: &str = "classical";

/// The name of a generation's net in tables.
pub(super) fn player_name(generation: u64) -> String {
    if generation == 0 { "start".to_owned() } else { format!("net {generation}") }
}

/// A search that finishes the iteration in which it has spent these nodes.
pub(super) fn soft(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes.saturating_mul(HARD_LIMIT)),
        soft_nodes: Some(nodes),
        ..Limits::default()
    }
}

/// Makes players whose nets are in a folder.
pub(super) struct Factory<'a>(pub(super) &'a Path);

impl PlayerFactory for Factory<'_> {
    fn create(&self, spec: &EngineSpec, chess960: bool) -> Result<Box<dyn Player>, Fault> {
        let mut spec = spec.clone();
        for (_, value) in &mut spec.options {
            if let Some(name) = value.strip_prefix(IN_FOLDER) {
                *value = self.0.join(name).to_string_lossy().into_owned();
            }
        }
        Engines.create(&spec, chess960)
    }
}
