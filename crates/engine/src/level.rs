//! Playing below full strength: `UCI_LimitStrength` with `UCI_Elo`, and `Skill Level`.
//!
//! A level errs as people do. It sees little, because its search has a fixed number of nodes, which
//! also makes its strength independent of the machine. And it does not always prefer the best of
//! the moves that look good: each of the best few is chosen with a chance that falls with what it
//! seems to cost (a softmax over expected results). What it has seen to be a blunder it never plays,
//! and short mates it does not miss. docs/LEVELS.md tells how the table was measured.

use crate::score::{INFINITE, Value, is_win};
use crate::search::root::RootMove;
use std::hash::{BuildHasher, Hasher};
use tabiya_chess::{Board, Move};

/// The weakest level.
pub(crate) const MIN_ELO: i64 = 1000;
/// From here on nothing limits the engine.
pub(crate) const MAX_ELO: i64 = 3200;
/// The `Skill Level` from which on nothing limits the engine.
pub(crate) const MAX_SKILL: i64 = 20;

/// The levels: Elo, nodes, and the cost in expected result by which the chance of a move
/// falls to 1/e. Between them nodes are interpolated geometrically, temperatures linearly.
/// Each is measured against its neighbours; the last one only continues them.
const TABLE: [(i64, f64, f64); 12] = [
    (1000, 60.0, 0.400),
    (1200, 200.0, 0.115),
    (1400, 290.0, 0.055),
    (1600, 550.0, 0.038),
    (1800, 1000.0, 0.027),
    (2000, 1800.0, 0.019),
    (2200, 3000.0, 0.013),
    (2400, 4650.0, 0.009),
    (2600, 7200.0, 0.006),
    (2800, 11_600.0, 0.004),
    (3000, 21_500.0, 0.003),
    (3200, 30_000.0, 0.002),
];

/// Moves among which a level chooses, and lines its search must follow.
pub(crate) const CANDIDATES: usize = 4;
/// A move that seems to cost more than this share of the point is not played knowingly.
const BLUNDER: f64 = 0.2;
/// The level from which on mates in one, and in two, are always found.
const SEES_MATES_IN: [(i64, u32); 2] = [(1600, 2), (1200, 1)];

/// The rating of a `Skill Level`, whose steps divide the scale evenly.
pub(crate) fn elo_of_skill(skill: i64) -> i64 {
    MIN_ELO + (MAX_ELO - MIN_ELO) * skill.clamp(0, MAX_SKILL) / MAX_SKILL
}

/// A way of playing below full strength.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Level {
    elo: i64,
    nodes: u64,
    temperature: f64,
}

impl Level {
    /// The level of a rating; `None` for full strength.
    pub(crate) fn of_elo(elo: i64) -> Option<Self> {
        if elo >= MAX_ELO {
            return None;
        }
        let elo = elo.max(MIN_ELO);
        let pairs = TABLE.iter().zip(&TABLE[1..]);
        let (below, above) = pairs.into_iter().find(|(_, above)| elo < above.0)?;
        let part = (elo - below.0) as f64 / (above.0 - below.0) as f64;
        Some(Self {
            elo,
            nodes: (below.1 * (above.1 / below.1).powf(part)).round() as u64,
            temperature: below.2 + (above.2 - below.2) * part,
        })
    }

    /// A level to be measured, as `elo:nodes:temperature`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split(':');
        let elo = fields.next()?.parse().ok()?;
        let nodes = fields.next()?.parse().ok()?;
        let temperature = fields.next()?.parse().ok()?;
        fields.next().is_none().then_some(Self { elo, nodes, temperature })
    }

    /// The rating it stands for.
    pub(crate) fn elo(self) -> i64 {
        self.elo
    }

    /// Nodes of each search.
    pub(crate) fn nodes(self) -> u64 {
        self.nodes
    }

    /// Puts the move to play first; `chance` from 0 to 1 decides among the candidates.
    pub(crate) fn choose(self, board: &Board, moves: &mut [RootMove], chance: f64) {
        let sees = SEES_MATES_IN.iter().find(|(elo, _)| self.elo >= *elo);
        let mate = sees.and_then(|(_, within)| mating_move(board, *within));
        let mate = mate.and_then(|mv| moves.iter().position(|root| root.mv == mv));
        // A longer mate that the search has found is as good.
        let found = moves.first().is_some_and(|root| is_win(root.value));
        let chosen = match mate {
            Some(mate) if !found => mate,
            _ if found && sees.is_some() => 0,
            _ => self.pick(moves, chance),
        };
        if let Some(front) = moves.get_mut(..=chosen) {
            front.rotate_right(1);
            front[0].settle();
        }
    }

    /// The index of a move, by chance according to its cost.
    fn pick(self, moves: &[RootMove], chance: f64) -> usize {
        let known: Vec<(usize, f64)> = moves
            .iter()
            .enumerate()
            .filter(|(_, root)| root.known_value() != -INFINITE)
            .map(|(index, root)| (index, expected(root.known_value())))
            .take(CANDIDATES)
            .collect();
        let best = known.iter().map(|(_, worth)| *worth).fold(0.0, f64::max);
        let chances: Vec<(usize, f64)> = known
            .into_iter()
            .filter(|(_, worth)| best - worth <= BLUNDER)
            .map(|(index, worth)| (index, ((worth - best) / self.temperature.max(1e-6)).exp()))
            .collect();
        let mut rest = chance * chances.iter().map(|(_, weight)| weight).sum::<f64>();
        for (index, weight) in chances {
            rest -= weight;
            if rest < 0.0 {
                return index;
            }
        }
        0
    }
}

/// The result to expect from a value. In won and lost positions, where results hardly differ, more
/// is still better.
fn expected(value: Value) -> f64 {
    let value = f64::from(value.clamp(-3000, 3000));
    1.0 / (1.0 + (-value / 400.0).exp()) + value / 8000.0 + 0.5
}

/// A move that mates within so many moves whatever the reply.
fn mating_move(board: &Board, within: u32) -> Option<Move> {
    (1..=within).find_map(|moves| board.legal_moves().iter().find(|mv| mates(board, *mv, moves)))
}

fn mates(board: &Board, mv: Move, within: u32) -> bool {
    let mut child = *board;
    child.play(mv);
    if within == 1 {
        return child.in_check() && child.is_checkmate();
    }
    let replies = child.legal_moves();
    let answered = replies.iter().all(|reply| {
        let mut next = child;
        next.play(reply);
        mating_move(&next, within - 1).is_some()
    });
    answered && (!replies.is_empty() || child.in_check())
}

/// Random numbers for the choices of one player (`SplitMix64`: Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice that fall differently every time.
    pub(crate) fn new() -> Self {
        Self(std::collections::hash_map::RandomState::new().build_hasher().finish())
    }

    /// Lets them fall the same way every time.
    pub(crate) fn seed(&mut self, seed: u64) {
        self.0 = seed;
    }

    /// A number from 0 to just below 1.
    pub(crate) fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Engine, Limits, Searcher};

    fn strength(elo: i64) -> Option<Level> {
        Config { limit_strength: true, elo, ..Config::default() }.level()
    }

    #[test]
    fn higher_levels_see_more_and_err_less() {
        let levels: Vec<Level> = (MIN_ELO..MAX_ELO).filter_map(strength).collect();
        assert_eq!(levels.len() as i64, MAX_ELO - MIN_ELO);
        for pair in levels.windows(2) {
            assert!(pair[0].nodes <= pair[1].nodes, "{pair:?}");
            assert!(pair[0].temperature >= pair[1].temperature, "{pair:?}");
        }
        assert_eq!(strength(MAX_ELO), None);
        let skill = |skill_level| Config { skill_level, ..Config::default() }.level();
        assert_eq!(skill(0), strength(MIN_ELO));
        assert_eq!((skill(10), skill(20)), (strength(2100), None));
    }

    #[test]
    fn costly_moves_are_rare_and_blunders_never_played() {
        let board = Board::default();
        let level = strength(1400).unwrap();
        let mut count = [0; 4];
        let mut dice = Dice::new();
        dice.seed(1);
        for _ in 0..4000 {
            let mut moves: Vec<RootMove> = board.legal_moves().iter().map(RootMove::new).collect();
            for (root, value) in moves.iter_mut().zip([30, 20, -60, -500]) {
                root.value = value;
            }
            let order: Vec<Move> = moves.iter().map(|root| root.mv).collect();
            level.choose(&board, &mut moves, dice.roll());
            count[order.iter().position(|mv| *mv == moves[0].mv).unwrap()] += 1;
        }
        assert!(count[0] > count[1] && count[1] > count[2] && count[2] > 0, "{count:?}");
        assert_eq!(count[3], 0);
    }

    #[test]
    fn mates_in_one_and_two_are_found_from_the_middle_levels_on() {
        for (fen, elo) in [
            ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1200),
            ("8/k7/6R1/7R/8/8/8/K7 w - - 0 1", 1600),
            ("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", 1600),
            ("6k1/8/5K2/8/8/8/8/R7 w - - 0 1", 1600),
        ] {
            let board: Board = fen.parse().unwrap();
            for seed in 0..20 {
                let mut searcher = Searcher::new(1).unwrap();
                searcher.configure(|config| config.set_mode(false, Some(elo))).unwrap();
                searcher.seed_level(seed);
                let best = searcher.search(&board, &[], &Limits::depth(30), |_| {}).best.unwrap();
                assert!(mates(&board, best, 1) || mates(&board, best, 2), "{fen}: {best:?}");
            }
        }
    }

    #[test]
    fn analysis_is_never_limited() {
        let mut engine = Engine::new(1).unwrap();
        engine.set_threads(2);
        for (name, value) in [("UCI_LimitStrength", "true"), ("UCI_Elo", "1200")] {
            engine.set_option(name, Some(value)).unwrap();
        }
        let limited = engine.go(Limits::depth(9), |_| {});
        assert!(limited.depth < 9 && limited.nodes < 2000, "{limited:?}");
        engine.set_option("UCI_AnalyseMode", Some("true")).unwrap();
        assert_eq!(engine.go(Limits::depth(9), |_| {}).depth, 9);
    }

    #[test]
    fn only_the_wanted_lines_are_shown_and_the_last_is_the_move_played() {
        let mut engine = Engine::new(1).unwrap();
        engine.set_option("Skill Level", Some("2")).unwrap();
        for seed in 0..30 {
            engine.seed_level(seed);
            let shown = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
            let lines = std::sync::Arc::clone(&shown);
            let result = engine.go(Limits::default(), move |info| {
                assert_eq!(info.multi_pv, 1);
                lines.lock().unwrap().push(info.line[0]);
            });
            assert_eq!(shown.lock().unwrap().last().copied(), result.best);
        }
    }

    #[test]
    fn the_same_seed_plays_the_same_moves() {
        let play = |seed| {
            let mut searcher = Searcher::new(1).unwrap();
            searcher.set_option("Skill Level", "3").unwrap();
            searcher.seed_level(seed);
            let mut board = Board::default();
            let mut moves = Vec::new();
            for _ in 0..12 {
                let best = searcher.search(&board, &[], &Limits::default(), |_| {}).best.unwrap();
                board.play(best);
                moves.push(best);
            }
            moves
        };
        assert_eq!(play(7), play(7));
        assert_ne!(play(7), play(8));
    }
}
