//! What one generation will do, fixed before it begins.

use super::result::Generation;
use super::settings::{Settings, Start};
use crate::train::shape_text;
use serde::{Deserialize, Serialize};
use tabiya_nn::Shape;

/// Nodes of the searches of a player that knows nothing: more would not make its moves better.
const BLIND_NODES: u64 = 60;
/// Nodes of the first generation that knows something; doubled until the wanted number is reached.
const FIRST_NODES: u64 = 120;
/// The first so many generations from random weights train a narrow net.
const NARROW_GENERATIONS: u64 = 2;
/// Weights of results of the first generations from random weights.
const FIRST_RESULTS: [f32; 3] = [1.0, 0.7, 0.5];

/// The plan of a generation. With the files it names it decides the generation's net to the last bit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Counted from 1.
    pub generation: u64,
    /// The generation whose net plays the games and is to be beaten; 0 is the one of the start.
    pub best: u64,
    /// Whether that player knows nothing, so that its scores mean nothing.
    pub is_blind: bool,
    /// Decides openings and order.
    pub seed: u64,
    /// Nodes of each search of the games.
    pub nodes: u64,
    /// Games to play.
    pub games: u64,
    /// Quiet positions of short searches from these games to be judged, too.
    pub explored: u64,
    /// Files of games from elsewhere, by their names in the generation's folder.
    pub others: Vec<String>,
    /// Generations whose positions are learnt from, the oldest first.
    pub window: Vec<u64>,
    /// The net that is trained.
    #[serde(with = "shape_text")]
    pub shape: Shape,
    /// The generation whose weights training begins with; without one they are random.
    pub weights: Option<u64>,
    /// Positions shown to the net at most, if that is less than all passes.
    pub samples: Option<u64>,
    /// Weight of the game's result in what is learnt.
    pub results: f32,
    /// Most pairs of games against the best net.
    pub gate_pairs: u64,
    /// Pairs of games against each yardstick.
    pub yardstick_pairs: u64,
}

/// How much work the phases get.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Amounts {
    pub(super) games: u64,
    pub(super) explored: u64,
    pub(super) samples: Option<u64>,
    pub(super) gate_pairs: u64,
    pub(super) yardstick_pairs: u64,
}

/// A generation before its amounts are known: what follows from the settings and its number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Outline {
    pub(super) generation: u64,
    pub(super) is_blind: bool,
    pub(super) nodes: u64,
    pub(super) shape: Shape,
    pub(super) results: f32,
}

impl Outline {
    /// What generation `generation` does when `best` is the best one so far.
    pub(super) fn new(settings: &Settings, generation: u64, best: u64) -> Self {
        let from_nothing = settings.from == Start::Random;
        let is_blind = from_nothing && best == 0;
        let nodes = if is_blind {
            settings.nodes.min(BLIND_NODES)
        } else if from_nothing {
            let doublings = generation.saturating_sub(2).min(32) as u32;
            settings.nodes.min(FIRST_NODES << doublings)
        } else {
            settings.nodes
        };
        let first = FIRST_RESULTS.get(generation as usize - 1).filter(|_| from_nothing);
        let results = if is_blind {
            1.0
        } else {
            first.map_or(settings.results, |&at| at.max(settings.results))
        };
        let is_narrow = from_nothing && generation <= NARROW_GENERATIONS;
        let shape = if is_narrow { narrow(settings.shape) } else { settings.shape };
        Self { generation, is_blind, nodes, shape, results }
    }

    /// The plan with its amounts.
    pub(super) fn plan(
        &self,
        settings: &Settings,
        best: u64,
        done: &[Generation],
        others: Vec<String>,
        amounts: Amounts,
    ) -> Plan {
        let generation = self.generation;
        let mut window: Vec<u64> = (1..=generation).rev().take(settings.window).collect();
        // Whoever knows something has nothing to learn from players that knew nothing.
        window.retain(|number| {
            let other = done.get(*number as usize - 1);
            self.is_blind || other.is_none_or(|other| !other.plan.is_blind)
        });
        window.reverse();
        Plan {
            generation,
            best,
            is_blind: self.is_blind,
            seed: settings.seed.wrapping_mul(1000).wrapping_add(generation),
            nodes: self.nodes,
            games: amounts.games,
            explored: if self.is_blind { 0 } else { amounts.explored },
            others,
            window,
            shape: self.shape,
            weights: (best > 0 || matches!(settings.from, Start::Net(_))).then_some(best),
            samples: amounts.samples,
            results: self.results,
            gate_pairs: amounts.gate_pairs,
            yardstick_pairs: amounts.yardstick_pairs,
        }
    }
}

/// The smallest net from which one of this shape can grow.
fn narrow(shape: Shape) -> Shape {
    Shape::new(Shape::HIDDEN[0], 1, shape.output_buckets()).unwrap_or(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_from_nothing_grows_step_by_step() {
        let settings = Settings::default();
        let outline = |generation| Outline::new(&settings, generation, generation - 1);
        assert!(outline(1).is_blind && !outline(2).is_blind);
        assert!(Outline::new(&settings, 2, 0).is_blind, "the first net was not better than chance");
        let nodes: Vec<u64> = (1..6).map(|generation| outline(generation).nodes).collect();
        assert_eq!(nodes, [60, 120, 240, 250, 250]);
        let results: Vec<f32> = (1..6).map(|generation| outline(generation).results).collect();
        assert_eq!(results, [1.0, 0.7, 0.5, 0.3, 0.3]);
        assert_eq!(outline(2).shape.to_string(), "768x1-128s-1x8");
        assert_eq!(outline(3).shape, settings.shape);
    }

    #[test]
    fn a_start_with_knowledge_uses_it_at_once() {
        let settings = Settings { from: Start::Hce, ..Settings::default() };
        let outline = Outline::new(&settings, 1, 0);
        assert!(!outline.is_blind);
        assert_eq!((outline.nodes, outline.results), (settings.nodes, settings.results));
        assert_eq!(outline.shape, settings.shape);
        let amounts =
            Amounts { games: 1, explored: 0, samples: None, gate_pairs: 1, yardstick_pairs: 1 };
        let plan = outline.plan(&settings, 0, &[], Vec::new(), amounts);
        assert_eq!(plan.weights, None, "the classical evaluation has no weights to begin with");
        let net = Settings { from: Start::Net("00".to_owned()), ..Settings::default() };
        assert_eq!(outline.plan(&net, 0, &[], Vec::new(), amounts).weights, Some(0));
        let late = Outline::new(&settings, 9, 7).plan(&settings, 7, &[], Vec::new(), amounts);
        assert_eq!((late.window, late.weights), (vec![5, 6, 7, 8, 9], Some(7)));
    }
}
