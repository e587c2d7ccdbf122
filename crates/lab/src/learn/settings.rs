//! What is learnt, and how: everything that decides the nets but the budgets of each generation.

use super::LearnError;
use crate::train::shape_text;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use tabiya_nn::Shape;

/// Who plays the first games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// A net of random weights, which knows nothing.
    Random,
    /// The classical evaluation.
    Hce,
    /// A net, kept in the folder as `start.nnue`; here its checksum.
    Net(String),
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random weights"),
            Self::Hce => f.write_str("the classical evaluation"),
            Self::Net(checksum) => write!(f, "net {checksum}"),
        }
    }
}

/// The settings of a run, kept in its folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// Who plays the first games.
    pub from: Start,
    /// The net that is wanted. The first generations train a narrower one that learns faster.
    #[serde(with = "shape_text")]
    pub shape: Shape,
    /// Decides openings, first weights and the order of the data.
    pub seed: u64,
    /// Nodes of each search of the games, after which no new iteration begins; fewer at first.
    pub nodes: u64,
    /// Games of each generation; without it as many as the time allows.
    pub games: Option<u64>,
    /// Share of the searches that judge quiet positions of other short searches instead of playing.
    pub explore: f64,
    /// Most passes over the positions.
    pub epochs: u64,
    /// Generations whose positions are learnt from.
    pub window: usize,
    /// Weight of the game's result in what is learnt, from the fourth generation on; before it falls
    /// from 1.
    pub results: f32,
    /// Share of games from double Chess960 positions.
    pub dfrc: f64,
    /// Most games in which a new net meets the best one; without it as many as the time allows.
    pub gate_games: Option<u64>,
    /// Games against each yardstick; without it as many as the time allows.
    pub yardstick_games: Option<u64>,
    /// Nodes of each search of these games.
    pub gate_nodes: u64,
    /// Other players to be measured against, as in `tabiya match`; the classical evaluation always is.
    pub yardsticks: Vec<String>,
    /// Folders with endgame tables for the players of the games.
    pub syzygy: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            from: Start::Random,
            shape: Shape::new(256, 4, 8).expect("a known shape"),
            seed: 1,
            nodes: 250,
            games: None,
            explore: 0.25,
            epochs: 12,
            window: 5,
            results: 0.3,
            dfrc: 0.1,
            gate_games: None,
            yardstick_games: None,
            gate_nodes: 500,
            yardsticks: Vec::new(),
            syzygy: None,
        }
    }
}

impl Settings {
    /// Refuses what cannot work, before anything is written.
    pub(super) fn check(&self) -> Result<(), LearnError> {
        let sane = [
            ("nodes", (1..=1 << 30).contains(&self.nodes), "from 1 to 1073741824"),
            ("gate-nodes", (1..=1 << 30).contains(&self.gate_nodes), "from 1 to 1073741824"),
            ("games", self.games.is_none_or(|games| games > 0), "above 0"),
            ("explore", (0.0..=0.9).contains(&self.explore), "from 0 to 0.9"),
            ("epochs", (1..=1000).contains(&self.epochs), "from 1 to 1000"),
            ("window", (1..=1000).contains(&self.window), "from 1 to 1000"),
            ("results", (0.0..=1.0).contains(&self.results), "from 0 to 1"),
            ("dfrc", (0.0..=1.0).contains(&self.dfrc), "from 0 to 1"),
        ];
        match sane.iter().find(|(_, sane, _)| !sane) {
            Some((name, _, range)) => {
                Err(LearnError::Setting(name, format!("expected a number {range}")))
            }
            None => Ok(()),
        }
    }
}

/// What a user asked for; what is missing stays as it was, or as usual in a new run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Choices {
    /// A net to begin with, instead of random weights.
    pub net: Option<PathBuf>,
    /// Whether the classical evaluation plays the first games; `Some(false)` asks for random weights.
    pub hce: Option<bool>,
    /// See [`Settings::shape`].
    pub shape: Option<Shape>,
    /// See [`Settings::seed`].
    pub seed: Option<u64>,
    /// See [`Settings::nodes`].
    pub nodes: Option<u64>,
    /// See [`Settings::games`].
    pub games: Option<u64>,
    /// See [`Settings::explore`].
    pub explore: Option<f64>,
    /// See [`Settings::epochs`].
    pub epochs: Option<u64>,
    /// See [`Settings::window`].
    pub window: Option<usize>,
    /// See [`Settings::results`].
    pub results: Option<f32>,
    /// See [`Settings::dfrc`].
    pub dfrc: Option<f64>,
    /// See [`Settings::gate_games`].
    pub gate_games: Option<u64>,
    /// See [`Settings::yardstick_games`].
    pub yardstick_games: Option<u64>,
    /// See [`Settings::gate_nodes`].
    pub gate_nodes: Option<u64>,
    /// See [`Settings::yardsticks`].
    pub yardsticks: Option<Vec<String>>,
    /// See [`Settings::syzygy`].
    pub syzygy: Option<String>,
}

impl Choices {
    /// The settings with these choices made.
    pub(super) fn apply(&self, mut settings: Settings) -> Settings {
        fn set<T: Clone>(place: &mut T, choice: Option<&T>) {
            if let Some(choice) = choice {
                place.clone_from(choice);
            }
        }
        if let Some(hce) = self.hce {
            settings.from = if hce { Start::Hce } else { Start::Random };
        }
        set(&mut settings.shape, self.shape.as_ref());
        set(&mut settings.seed, self.seed.as_ref());
        set(&mut settings.nodes, self.nodes.as_ref());
        set(&mut settings.explore, self.explore.as_ref());
        set(&mut settings.epochs, self.epochs.as_ref());
        set(&mut settings.window, self.window.as_ref());
        set(&mut settings.results, self.results.as_ref());
        set(&mut settings.dfrc, self.dfrc.as_ref());
        set(&mut settings.gate_nodes, self.gate_nodes.as_ref());
        set(&mut settings.yardsticks, self.yardsticks.as_ref());
        settings.games = self.games.or(settings.games);
        settings.gate_games = self.gate_games.or(settings.gate_games);
        settings.yardstick_games = self.yardstick_games.or(settings.yardstick_games);
        settings.syzygy = self.syzygy.clone().or(settings.syzygy);
        settings
    }
}
