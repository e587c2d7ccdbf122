//! Everything about a run in one value: what pages and tables show.

use super::error::LearnError;
use super::folder::Folder;
use super::phases::{CLASSICAL, player_name};
use super::plan::Plan;
use super::result::{Generation, Histogram};
use super::settings::{Settings, Start};
use super::status::Status;
use crate::arena::stats::ratings::{Encounter, ratings};
use serde::Serialize;
use std::collections::BTreeMap;

/// A run as it stands.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Overview {
    /// How it learns.
    pub settings: Settings,
    /// What it is doing.
    pub status: Option<Status>,
    /// What the generation under way is to do.
    pub plan: Option<Plan>,
    /// All generations that are done.
    pub generations: Vec<Generation>,
    /// The strength of everybody who played, from all measuring games.
    pub ratings: Vec<Rated>,
    /// The scores between which positions are counted.
    pub score_edges: [i16; 8],
}

/// A player's strength.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rated {
    /// Its name.
    pub name: String,
    /// The generation, if it is one; 0 is the start.
    pub generation: Option<u64>,
    /// Elo above the start.
    pub elo: f64,
    /// Half the width of the 95 % interval about the mean of all players.
    pub error: f64,
    /// Measuring games.
    pub games: u64,
    /// Seconds of work after which it was there.
    pub seconds: f64,
}

impl Overview {
    /// Reads the files of a run.
    pub fn read(folder: &Folder) -> Result<Self, LearnError> {
        let settings = folder.settings()?;
        let generations = folder.generations()?;
        Ok(Self {
            status: folder.status()?,
            plan: folder.plan(generations.len() as u64 + 1)?,
            ratings: rate(&settings, &generations),
            settings,
            generations,
            score_edges: Histogram::EDGES,
        })
    }

    /// The best generation so far; 0 is the start.
    pub fn best(&self) -> u64 {
        super::run::best_of(&self.generations)
    }
}

/// Ratings of the start, of all nets and of all yardsticks, the start at 0.
fn rate(settings: &Settings, generations: &[Generation]) -> Vec<Rated> {
    let start = if settings.from == Start::Hce { CLASSICAL.to_owned() } else { player_name(0) };
    let mut names = vec![start];
    names.extend(generations.iter().map(|one| player_name(one.plan.generation)));
    let nets = names.len();
    let mut places: BTreeMap<String, usize> =
        names.iter().enumerate().map(|(place, name)| (name.clone(), place)).collect();
    let mut encounters = Vec::new();
    for (index, generation) in generations.iter().enumerate() {
        for met in std::iter::once(&generation.gate).chain(&generation.yardsticks) {
            let second = *places.entry(met.opponent.clone()).or_insert_with(|| {
                names.push(met.opponent.clone());
                names.len() - 1
            });
            encounters.push(Encounter { first: index + 1, second, result: met.games });
        }
    }
    let rated = ratings(names.len(), &encounters);
    let zero = rated.first().map_or(0.0, |start| start.value);
    let games = |place: usize| {
        let own = encounters.iter().filter(|met| met.first == place || met.second == place);
        own.map(|met| met.result.games()).sum()
    };
    names
        .into_iter()
        .zip(rated)
        .enumerate()
        .map(|(place, (name, rating))| Rated {
            name,
            generation: (place < nets).then_some(place as u64),
            elo: rating.value - zero,
            error: rating.error,
            games: games(place),
            seconds: place
                .checked_sub(1)
                .and_then(|index| generations.get(index))
                .map_or(0.0, |generation| generation.seconds),
        })
        .collect()
}
