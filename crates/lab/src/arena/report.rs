//! What a match has shown so far, and how it is told.
//!
//! [`Standings`] adds up game records; [`Summary`] is the statement about them that goes into result
//! files; its `Display` is the final report and [`Summary::progress`] the line shown while playing.

use super::game::{Reason, TimeUse};
use super::journal::GameRecord;
use crate::arena::stats::elo::{Difference, Estimate};
use crate::arena::stats::ratings::{Encounter, ratings};
use crate::arena::stats::sprt::{Decision, Sprt};
use crate::arena::stats::{Pentanomial, Wdl};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::time::Duration;
use tabiya_chess::Color;

/// The games between two players, counted for the one with the lower index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Pairing {
    games: Wdl,
    pairs: Pentanomial,
}

/// What one player did.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// All games.
    pub games: Wdl,
    /// Games with the white pieces.
    pub white: Wdl,
    /// Games with the black pieces.
    pub black: Wdl,
    /// Games lost by failing, by the way of failing.
    pub failures: BTreeMap<Reason, u64>,
    /// Use of time.
    pub time: TimeUse,
}

/// The sum of all finished games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standings {
    pairings: BTreeMap<(usize, usize), Pairing>,
    tallies: Vec<Tally>,
    reasons: BTreeMap<Reason, u64>,
    replays: u64,
    /// Half points of the lower index in pairs of which one game is finished.
    open_pairs: HashMap<u64, u8>,
    games: u64,
    plies: u64,
    /// Hashes of the games.
    distinct: HashSet<u64>,
}

impl Standings {
    /// Nothing played yet.
    pub fn new(players: usize) -> Self {
        Self {
            pairings: BTreeMap::new(),
            tallies: vec![Tally::default(); players],
            reasons: BTreeMap::new(),
            replays: 0,
            open_pairs: HashMap::new(),
            games: 0,
            plies: 0,
            distinct: HashSet::new(),
        }
    }

    /// Adds a game; one that names unknown players is ignored.
    pub fn add(&mut self, record: &GameRecord) {
        if record.white.max(record.black) >= self.tallies.len() || record.white == record.black {
            return;
        }
        self.games += 1;
        self.plies += record.plies as u64;
        self.distinct.insert(record.positions);
        *self.reasons.entry(record.reason).or_default() += 1;
        self.replays += record.replays;
        for (color, player) in [(Color::White, record.white), (Color::Black, record.black)] {
            let tally = &mut self.tallies[player];
            let points = record.half_points(color);
            tally.games.add(points);
            let by_color = if color == Color::White { &mut tally.white } else { &mut tally.black };
            by_color.add(points);
            tally.time.merge(&record.times[color]);
            if record.reason.is_failure() && points == 0 {
                *tally.failures.entry(record.reason).or_default() += 1;
            }
        }
        let (first, color) = if record.white < record.black {
            ((record.white, record.black), Color::White)
        } else {
            ((record.black, record.white), Color::Black)
        };
        let pairing = self.pairings.entry(first).or_default();
        let points = record.half_points(color);
        pairing.games.add(points);
        match self.open_pairs.remove(&record.pair) {
            Some(earlier) => pairing.pairs.add(earlier + points),
            None => {
                self.open_pairs.insert(record.pair, points);
            }
        }
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Pairs of games between the first two players.
    pub fn pairs(&self) -> Pentanomial {
        self.pairings.get(&(0, 1)).map(|pairing| pairing.pairs).unwrap_or_default()
    }

    /// Log-likelihood ratio of a test between the first two players.
    pub fn llr(&self, sprt: &Sprt) -> f64 {
        sprt.llr_of_pairs(&self.pairs())
    }

    /// The statement about these games.
    pub fn summary(&self, names: &[String], sprt: Option<&Sprt>) -> Summary {
        let encounters: Vec<Encounter> = self
            .pairings
            .iter()
            .map(|(&(first, second), pairing)| Encounter { first, second, result: pairing.games })
            .collect();
        let rated = ratings(names.len(), &encounters);
        let players = names.iter().zip(&self.tallies).zip(rated);
        Summary {
            games: self.games,
            distinct: self.distinct.len() as u64,
            plies: self.plies,
            players: players
                .map(|((name, tally), rating)| PlayerSummary {
                    name: name.clone(),
                    rating,
                    tally: tally.clone(),
                })
                .collect(),
            pairings: self
                .pairings
                .iter()
                .map(|(&(first, second), pairing)| PairingSummary::new([first, second], pairing))
                .collect(),
            reasons: self.reasons.clone(),
            replays: self.replays,
            sprt: sprt.map(|sprt| {
                let llr = self.llr(sprt);
                let (lower, upper) = sprt.bounds();
                SprtSummary { test: *sprt, llr, lower, upper, decision: sprt.decide(llr) }
            }),
        }
    }
}

/// A player's line of the table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayerSummary {
    /// Name.
    pub name: String,
    /// Rating relative to the mean of all.
    pub rating: Estimate,
    /// What it did.
    #[serde(flatten)]
    pub tally: Tally,
}

/// The statement about two players.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PairingSummary {
    /// Indexes of both; the counts are the first one's.
    pub players: [usize; 2],
    /// Games.
    pub games: Wdl,
    /// Complete pairs.
    pub pairs: Pentanomial,
    /// Difference estimated from pairs, or from games while no pair is complete.
    pub difference: Difference,
    /// Share of drawn games.
    pub draw_ratio: f64,
    /// Pairs won over pairs lost.
    pub pairs_ratio: Option<f64>,
}

impl PairingSummary {
    fn new(players: [usize; 2], pairing: &Pairing) -> Self {
        let Pairing { games, pairs } = *pairing;
        Self {
            players,
            games,
            pairs,
            difference: if pairs.pairs() > 0 {
                Difference::of(&pairs.sample())
            } else {
                Difference::of(&games.sample())
            },
            draw_ratio: games.draws as f64 / games.games() as f64,
            pairs_ratio: pairs.pairs_ratio(),
        }
    }
}

/// The state of the sequential test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SprtSummary {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// Log-likelihood ratio.
    pub llr: f64,
    /// Bound of H0.
    pub lower: f64,
    /// Bound of H1.
    pub upper: f64,
    /// What it says.
    pub decision: Decision,
}

/// Everything a match has shown.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary {
    /// Finished games.
    pub games: u64,
    /// Of these, games that are not the same as another.
    pub distinct: u64,
    /// Plies played in them after the openings.
    pub plies: u64,
    /// Players in the order given.
    pub players: Vec<PlayerSummary>,
    /// Pairings that have met.
    pub pairings: Vec<PairingSummary>,
    /// Ends of games by reason.
    pub reasons: BTreeMap<Reason, u64>,
    /// Losses on time that do not count: the machine was late, and the games were played again.
    pub replays: u64,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtSummary>,
}

/// How far a run has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MatchProgress {
    /// Games to play in all.
    pub total: u64,
    /// Games finished by this run, without those of an earlier one.
    pub finished: u64,
    /// Time since this run started.
    pub elapsed: Duration,
}

impl Summary {
    /// One line for a running match.
    pub fn progress(&self, progress: &MatchProgress) -> String {
        let seconds = progress.elapsed.as_secs_f64();
        let rate = progress.finished as f64 / seconds.max(1e-9);
        let mut parts = vec![format!("{}/{} games", self.games, progress.total)];
        if progress.finished > 0 {
            let left = (progress.total.saturating_sub(self.games)) as f64 / rate;
            parts.push(format!("{:.1}/min", rate * 60.0));
            parts.push(format!("{} (left {})", clock_text(seconds), clock_text(left)));
        }
        match (self.pairings.as_slice(), self.players.len()) {
            ([pairing], 2) => {
                let d = &pairing.difference;
                parts.push(format!("Elo {}", estimate_text(d.elo)));
                parts.push(format!("LOS {:.1} %", d.los * 100.0));
            }
            ([], _) => {}
            _ => parts.extend(
                self.leader().map(|p| format!("leader {} {}", p.name, estimate_text(p.rating))),
            ),
        }
        parts.extend(
            self.sprt.map(|s| format!("LLR {:.2} ({:.2}, {:.2})", s.llr, s.lower, s.upper)),
        );
        let failures: u64 = self.players.iter().flat_map(|p| p.tally.failures.values()).sum();
        if failures > 0 {
            parts.push(format!("{failures} failed"));
        }
        parts.join(" | ")
    }

    fn leader(&self) -> Option<&PlayerSummary> {
        self.players.iter().max_by(|a, b| a.rating.value.total_cmp(&b.rating.value))
    }

    fn write_pairing(&self, f: &mut fmt::Formatter, pairing: &PairingSummary) -> fmt::Result {
        let [first, second] = pairing.players.map(|player| &self.players[player].name);
        let d = &pairing.difference;
        let Wdl { wins, draws, losses } = pairing.games;
        writeln!(f, "{first} vs {second}")?;
        writeln!(
            f,
            "  Elo        {}   nElo {}   LOS {:.2} %",
            estimate_text(d.elo),
            estimate_text(d.normalised),
            d.los * 100.0
        )?;
        writeln!(
            f,
            "  Games      {} (+{wins} ={draws} -{losses}), score {:.2} %, draws {:.1} %",
            pairing.games.games(),
            pairing.games.half_points() as f64 / pairing.games.games() as f64 * 50.0,
            pairing.draw_ratio * 100.0
        )?;
        let ratio = pairing.pairs_ratio.map_or("-".to_string(), |ratio| format!("{ratio:.2}"));
        writeln!(f, "  Pairs      {:?} LL LD DD+WL WD WW, won/lost {ratio}", pairing.pairs.counts)
    }

    fn write_short_pairing(&self, f: &mut fmt::Formatter, pairing: &PairingSummary) -> fmt::Result {
        let [first, second] = pairing.players.map(|player| &self.players[player].name);
        let Wdl { wins, draws, losses } = pairing.games;
        let elo = estimate_text(pairing.difference.elo);
        writeln!(f, "{first} vs {second}: +{wins} ={draws} -{losses}, Elo {elo}")
    }

    fn write_table(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let width = self.players.iter().map(|p| p.name.chars().count()).max().unwrap_or(0).max(6);
        writeln!(
            f,
            "rank {:width$} {:>8} {:>7} {:>6} {:>8} {:>7} {:>6}",
            "player", "Elo", "+/-", "games", "points", "score", "draws"
        )?;
        let mut order: Vec<&PlayerSummary> = self.players.iter().collect();
        order.sort_by(|a, b| b.rating.value.total_cmp(&a.rating.value));
        for (rank, player) in order.iter().enumerate() {
            let games = player.tally.games;
            let share = |part: f64| 100.0 * part / games.games().max(1) as f64;
            let points = games.half_points() as f64 / 2.0;
            writeln!(
                f,
                "{:>4} {:width$} {:>8.1} {:>7.1} {:>6} {points:>8.1} {:>6.1}% {:>5.1}%",
                rank + 1,
                player.name,
                player.rating.value,
                player.rating.error,
                games.games(),
                share(points),
                share(games.draws as f64),
            )?;
        }
        Ok(())
    }

    fn write_players(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for player in &self.players {
            let time = &player.tally.time;
            if time.moves > 0 {
                let milliseconds = |micros: u64| micros as f64 / 1000.0;
                write!(
                    f,
                    "{}: {:.2} ms per move, longest {:.1} ms",
                    player.name,
                    milliseconds(time.total_us) / time.moves as f64,
                    milliseconds(time.longest_us)
                )?;
                if time.reported_moves > 0 {
                    write!(
                        f,
                        ", overhead {:.2} ms (worst {:.1})",
                        milliseconds(time.overhead_us) / time.reported_moves as f64,
                        milliseconds(time.worst_overhead_us)
                    )?;
                }
                if time.starved_us > 0 {
                    write!(
                        f,
                        ", without a core {:.2} ms (worst {:.1})",
                        milliseconds(time.starved_us) / time.moves as f64,
                        milliseconds(time.worst_starved_us)
                    )?;
                }
                writeln!(f)?;
            }
            for (reason, count) in &player.tally.failures {
                writeln!(f, "{}: lost {count} by {reason}", player.name)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.games == 0 {
            return writeln!(f, "no game finished");
        }
        if self.players.len() > 2 {
            self.write_table(f)?;
            writeln!(f)?;
        }
        for pairing in &self.pairings {
            if self.players.len() > 2 {
                self.write_short_pairing(f, pairing)?;
            } else {
                self.write_pairing(f, pairing)?;
            }
        }
        if let Some(s) = &self.sprt {
            let decision = match s.decision {
                Decision::H0 => "H0 accepted",
                Decision::H1 => "H1 accepted",
                Decision::Undecided => "undecided",
            };
            writeln!(
                f,
                "  SPRT       [{:.2}, {:.2}] {} Elo: LLR {:.2} ({:.2}, {:.2}), {decision}",
                s.test.elo0, s.test.elo1, s.test.model, s.llr, s.lower, s.upper
            )?;
        }
        let reasons: Vec<String> =
            self.reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        writeln!(f, "Ends: {}", reasons.join(", "))?;
        if self.distinct < self.games {
            writeln!(
                f,
                "Repeated: only {} of {} games differ, the error bars are too small (--openings helps)",
                self.distinct, self.games
            )?;
        }
        if self.replays > 0 {
            writeln!(f, "Replayed: {} losses on time of players without a core", self.replays)?;
        }
        self.write_players(f)
    }
}

fn estimate_text(estimate: Estimate) -> String {
    if estimate.value.is_nan() {
        "?".to_string()
    } else if estimate.error.is_finite() {
        format!("{:.2} +/- {:.2}", estimate.value, estimate.error)
    } else {
        format!("{:.2} +/- ?", estimate.value)
    }
}

fn clock_text(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "?".to_string();
    }
    let seconds = seconds as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(game: u64, white: usize, black: usize, result: &str, reason: Reason) -> GameRecord {
        GameRecord {
            game,
            pair: game / 2,
            round: game / 2,
            white,
            black,
            result: result.to_string(),
            reason,
            detail: None,
            plies: 10,
            positions: game,
            replays: 0,
            times: [TimeUse::default(); 2],
            pgn: None,
        }
    }

    #[test]
    fn pairs_are_counted_for_the_first_player_in_any_order() {
        let mut standings = Standings::new(2);
        standings.add(&record(3, 1, 0, "0-1", Reason::Crash));
        standings.add(&record(0, 0, 1, "1/2-1/2", Reason::Repetition));
        assert_eq!(standings.pairs().pairs(), 0);
        standings.add(&record(1, 1, 0, "1-0", Reason::Checkmate));
        standings.add(&record(2, 0, 1, "1-0", Reason::Checkmate));
        assert_eq!(standings.pairs(), Pentanomial::new([0, 1, 0, 0, 1]));
        let summary = standings.summary(&["a".to_string(), "b".to_string()], None);
        assert_eq!(summary.pairings[0].games, Wdl::new(2, 1, 1));
        assert_eq!(summary.players[1].tally.failures, BTreeMap::from([(Reason::Crash, 1)]));
        assert_eq!(summary.players[0].tally.failures, BTreeMap::new());
        assert_eq!(summary.players[1].tally.white, Wdl::new(1, 0, 1));
        let text = summary.to_string();
        assert!(text.contains("4 (+2 =1 -1), score 62.50 %"), "{text}");
        assert!(text.contains("b: lost 1 by crash"), "{text}");
    }

    #[test]
    fn a_foreign_record_is_ignored() {
        let mut standings = Standings::new(2);
        standings.add(&record(0, 0, 7, "1-0", Reason::Checkmate));
        assert_eq!(standings.games(), 0);
        assert_eq!(
            standings.summary(&["a".to_string(), "b".to_string()], None).to_string(),
            "no game finished\n"
        );
    }

    #[test]
    fn times_are_shown_as_on_a_clock() {
        assert_eq!(clock_text(59.9), "0:59");
        assert_eq!(clock_text(3725.0), "1:02:05");
        assert_eq!(clock_text(f64::INFINITY), "?");
    }
}
