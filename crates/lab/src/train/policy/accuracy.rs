//! How often a net names the move that was played, on games it never saw.
//!
//! The same plies are judged with different histories: alone, with fifteen plies before, with the
//! whole game before. People's moves are judged with their rating's bucket and, to compare, with the
//! engine's and the strongest bucket for everyone.

use super::batch::{Crop, MicroBatch};
use super::deck::TOKENS;
use super::export;
use super::games::{Game, Games};
use super::layout::{self, Layout};
use super::network::{LONGEST_CROP, Network};
use super::plain;
use super::policy_head;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use tabiya_chess::{Board, Color};
use tabiya_nn::policy::input::{SKILLS, Skill};
use tabiya_nn::policy::{PolicyError, Weights};

/// The ranks that count as named: first, among three, among five.
const TOPS: [usize; 3] = [1, 3, 5];
/// Fewer pieces than these are a middlegame, and an endgame.
const PHASES: [u32; 2] = [26, 14];

/// Counts of one kind of plies.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct Count {
    /// Plies with a choice.
    pub plies: usize,
    /// How many of their moves are among the first, the first three, the first five.
    pub tops: [usize; 3],
    /// Sum of the negative logarithms of the probabilities.
    pub loss: f64,
}

impl Count {
    fn add(&mut self, rank: usize, loss: f64) {
        self.plies += 1;
        self.loss += loss;
        for (count, top) in self.tops.iter_mut().zip(TOPS) {
            *count += usize::from(rank < top);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.plies += other.plies;
        self.loss += other.loss;
        for (count, other) in self.tops.iter_mut().zip(other.tops) {
            *count += other;
        }
    }

    /// Share among the first, the first three, the first five.
    pub fn shares(&self) -> [f64; 3] {
        self.tops.map(|top| top as f64 / self.plies.max(1) as f64)
    }
}

/// Counts by group of plies and by way of predicting.
#[derive(Clone, Default, Debug)]
pub struct Accuracy {
    /// In the order of the groups' names.
    pub counts: BTreeMap<(String, &'static str), Count>,
}

/// How the net is asked.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    history: usize,
    skill: Option<Skill>,
}

/// Why a net cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// It is none.
    #[error(transparent)]
    Net(#[from] PolicyError),
    /// This of its shape is not what the trainer's passes compute.
    #[error("policy net: only nets as they are trained here can be measured, its {0} is another")]
    Kind(&'static str),
}

/// Measures a net, given as a file, on up to `limit` games spread over all.
pub fn measure(file: &[u8], games: &Games, limit: usize) -> Result<Accuracy, MeasureError> {
    let (config, weights) = Weights::from_gguf(file)?;
    if let Some(other) = layout::other_kind(&config) {
        return Err(MeasureError::Kind(other));
    }
    let layout = Layout::new(&config);
    let parameters = export::parameters(&layout, &weights);
    let count = games.len().min(limit.max(1));
    let each: Vec<_> = (0..count)
        .into_par_iter()
        .map_init(
            || Network::new(&layout),
            |network, index| judge(network, &parameters, games.game(index * games.len() / count)),
        )
        .collect();
    let mut accuracy = Accuracy::default();
    for (key, count) in each.into_iter().flatten() {
        accuracy.counts.entry(key).or_default().merge(&count);
    }
    Ok(accuracy)
}

type Counts = BTreeMap<(String, &'static str), Count>;

fn judge(network: &mut Network, parameters: &[f32], game: Game) -> Counts {
    let strongest = Skill::from_index(SKILLS - 1);
    let ways: &[Way] = if game.ratings.is_none() {
        &[
            Way { name: "alone", history: 0, skill: None },
            Way { name: "15 plies", history: 15, skill: None },
            Way { name: "game", history: LONGEST_CROP - 1, skill: None },
        ]
    } else {
        &[
            Way { name: "alone", history: 0, skill: None },
            Way { name: "15 plies", history: 15, skill: None },
            Way { name: "as engine", history: 15, skill: Some(Skill::ENGINE) },
            Way { name: "as 2800+", history: 15, skill: strongest },
        ]
    };
    let mut counts = Counts::new();
    let mut add = |groups: &[String], way: &'static str, rank: usize, loss: f64| {
        for group in groups {
            counts.entry((group.clone(), way)).or_default().add(rank, loss);
        }
    };
    let plies = plies(&game);
    for (groups, rank) in plies.iter().flatten() {
        add(groups, "plain", *rank, 0.0);
    }
    for way in ways {
        let predictions = predictions(network, parameters, &game, *way);
        for (ply, (rank, loss)) in plies.iter().zip(predictions) {
            if let Some((groups, _)) = ply {
                add(groups, way.name, rank, loss);
            }
        }
    }
    counts
}

/// The groups of each ply and the rank of its move in a plain ordering; `None` for forced moves.
fn plies(game: &Game) -> Vec<Option<(Vec<String>, usize)>> {
    let mut board: Board = *game.start;
    let mut plies = Vec::new();
    for mv in game.moves.iter().take(LONGEST_CROP) {
        let is_choice = board.legal_moves().len() > 1;
        plies.push(is_choice.then(|| (groups(&board, game), plain::rank(&board, *mv))));
        board.play(*mv);
    }
    plies
}

fn groups(board: &Board, game: &Game) -> Vec<String> {
    let side = board.side_to_move();
    let mut groups = vec!["all".to_owned()];
    if let Some(lowest) = game.skill(side).lowest_rating() {
        groups.push(format!("rated {lowest:>4}+"));
        return groups;
    }
    let color = if side == Color::White { "White moves" } else { "Black moves" };
    let pieces = board.occupied().count();
    let phase = ["opening", "middlegame", "endgame"]
        [PHASES.iter().filter(|fewest| pieces < **fewest).count()];
    groups.extend([color.to_owned(), phase.to_owned()]);
    groups
}

/// Rank and loss of every move.
fn predictions(
    network: &mut Network,
    parameters: &[f32],
    game: &Game,
    way: Way,
) -> Vec<(usize, f64)> {
    let plies = game.moves.len().min(LONGEST_CROP);
    let whole = way.history + 1 >= LONGEST_CROP;
    let crop = |ply: usize| {
        let start = ply.saturating_sub(way.history);
        Crop { start, length: ply + 1 - start, mirror: false, skill: way.skill }
    };
    if whole {
        let mut batch = MicroBatch::default();
        batch.push_crop(game, Crop { length: plies, ..crop(0) });
        return ranks(network, parameters, &batch, false);
    }
    let mut all = Vec::with_capacity(plies);
    let mut batch = MicroBatch::default();
    for ply in 0..plies {
        batch.push_crop(game, crop(ply));
        if batch.tokens.len() + way.history + 1 > TOKENS || ply + 1 == plies {
            all.extend(ranks(network, parameters, &batch, true));
            batch.clear();
        }
    }
    all
}

/// Rank and loss of the moves of all tokens, or of the last of each crop.
fn ranks(
    network: &mut Network,
    parameters: &[f32],
    batch: &MicroBatch,
    last_only: bool,
) -> Vec<(usize, f64)> {
    network.forward(parameters, 1.0, batch);
    let width = network.hidden.len() / batch.tokens.len();
    let is_last = batch.crops.iter().flat_map(|length| (1..=*length).map(move |n| n == *length));
    let head = network.policy(parameters);
    let mut logits = Vec::new();
    let mut ranks = Vec::new();
    for ((h, choice), last) in network.hidden.chunks_exact(width).zip(batch.choices()).zip(is_last)
    {
        if last || !last_only {
            policy_head::logits(&head, h, choice.rows, &mut logits);
            let played = logits[choice.played];
            let rank = logits.iter().filter(|logit| **logit > played).count();
            let sum: f64 = logits.iter().map(|logit| f64::from(logit - played).exp()).sum();
            ranks.push((rank, sum.ln()));
        }
    }
    ranks
}

impl Accuracy {
    /// The counts as a table.
    pub fn table(&self) -> String {
        let mut text =
            String::from("plies of       predicted     plies   top-1   top-3   top-5    loss\n");
        for ((group, way), count) in &self.counts {
            let [first, third, fifth] = count.shares().map(|share| 100.0 * share);
            let plies = count.plies;
            let _ = write!(
                text,
                "{group:<14} {way:<10} {plies:>8} {first:>6.1}% {third:>6.1}% {fifth:>6.1}%"
            );
            let _ = if *way == "plain" {
                writeln!(text, "       -")
            } else {
                writeln!(text, "  {:>6.3}", count.loss / plies.max(1) as f64)
            };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_nn::policy::Config;
    use tabiya_nn::policy::config::{Activation, Input, MoveVocab, ValueKind};

    #[test]
    fn every_ply_is_judged_in_every_way() {
        let config = Config { blocks: 1, ..Config::extra_small() };
        let file = Weights::random(&config, 3).to_gguf(&config, &[]);
        let line = format!("{}|1|e2e4 5 e7e5 5 g1f3 5 b8c6 5\n", tabiya_chess::START_FEN);
        let teacher = Games::from_text(&line.repeat(3)).unwrap();
        let accuracy = measure(&file, &teacher, 2).unwrap();
        for way in ["plain", "alone", "15 plies", "game"] {
            assert_eq!(accuracy.counts[&("all".to_owned(), way)].plies, 8);
            assert_eq!(accuracy.counts[&("White moves".to_owned(), way)].plies, 4);
        }
        // Inside the band and the first plies, the history is the whole game.
        let of = |way| &accuracy.counts[&("all".to_owned(), way)];
        assert_eq!(of("15 plies").tops, of("game").tops);
        assert!((of("15 plies").loss - of("game").loss).abs() < 1e-3);

        let text = "1000 2900 60+0 1-0|e2e4 e7e5 g1f3\n2900 2950 60+0 1-0|e2e4 e7e5 g1f3\n";
        let people = Games::from_text(text).unwrap();
        let accuracy = measure(&file, &people, 9).unwrap();
        let plies = |group: &str| accuracy.counts[&(group.to_owned(), "15 plies")].plies;
        assert_eq!((plies("all"), plies("rated 1000+"), plies("rated 2800+")), (6, 2, 4));
        // Where both are the strongest already, it makes no difference to say so.
        let people = Games::from_text("2900 2950 60+0 1-0|e2e4 e7e5 g1f3").unwrap();
        let accuracy = measure(&file, &people, 9).unwrap();
        let of = |way| &accuracy.counts[&("all".to_owned(), way)];
        assert_eq!(of("15 plies"), of("as 2800+"));
        assert_ne!(of("15 plies"), of("as engine"));
        assert!(measure(b"no file", &people, 9).is_err());
    }

    #[test]
    fn a_net_that_the_trainer_cannot_run_is_refused() {
        let small = Config { blocks: 1, ..Config::extra_small() };
        let people = Games::from_text("1500 1600 60+0 1-0|e2e4 e7e5").unwrap();
        for (config, reason) in [
            (Config { ternary_heads: true, value_hidden: 256, ..small.clone() }, "ternary_heads"),
            (Config { input: Input::MoveTokens, features: 0, ..small.clone() }, "input"),
            (Config { vocab: MoveVocab::Az4672, ..small.clone() }, "vocab"),
            (Config { see_split: false, ..small.clone() }, "see_split"),
            (Config { context: 16, ..small.clone() }, "context"),
            (Config { linear_norm: true, ..small.clone() }, "linear_norm"),
            (Config { activation: Activation::Silu, ..small.clone() }, "activation"),
            (Config { value: ValueKind::Tanh, ..small }, "value"),
        ] {
            let file = Weights::random(&config, 3).to_gguf(&config, &[]);
            let error = measure(&file, &people, 1).unwrap_err().to_string();
            assert!(error.contains(reason) && error.lines().count() == 1, "{reason}: {error}");
        }
    }
}
