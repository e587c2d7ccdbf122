//! What a search did, counted for people who study it.
//!
//! A [`Worker`](super::Worker) counts only when it was given a [`Stats`]; else every call is one test
//! of a pointer that is always null.

use std::fmt;
use std::time::Duration;

/// Something that is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counter {
    PvNode,
    CutNode,
    AllNode,
    QuiescenceNode,
    Probe,
    Hit,
    HashCut,
    Cutoff,
    FirstMoveCutoff,
    /// The numbers of the moves that cut, summed.
    CutoffPlace,
    Evaluation,
    StandPat,
    Razoring,
    ReverseFutility,
    NullMove,
    NullMoveCut,
    ProbCut,
    ProbCutCut,
    Singular,
    SingularExtension,
    MultiCut,
    LateMoves,
    HistoryPruning,
    Futility,
    ExchangePruning,
    Reduced,
    ReducedAgain,
    DeltaPruning,
    QuiescenceExchange,
}

const COUNTERS: usize = Counter::QuiescenceExchange as usize + 1;

/// Counts and times of one search or of several.
#[derive(Clone, Default, Debug)]
pub struct Stats {
    counts: [u64; COUNTERS],
    pub(crate) evaluating: Duration,
    pub(crate) ordering: Duration,
    searching: Duration,
}

impl Stats {
    #[inline]
    pub(crate) fn add(&mut self, counter: Counter, number: u64) {
        self.counts[counter as usize] += number;
    }

    /// Sets the time of the searches as a whole, of which evaluation and ordering are parts; with
    /// several threads the sum over them.
    #[must_use]
    pub fn over(self, searching: Duration) -> Self {
        Self { searching, ..self }
    }

    /// Adds what another thread counted.
    pub fn merge(&mut self, other: &Self) {
        for (sum, number) in self.counts.iter_mut().zip(other.counts) {
            *sum += number;
        }
        self.evaluating += other.evaluating;
        self.ordering += other.ordering;
        self.searching += other.searching;
    }

    fn count(&self, counter: Counter) -> u64 {
        self.counts[counter as usize]
    }

    /// Nodes of the main search and of quiescence.
    pub(crate) fn nodes(&self) -> u64 {
        use Counter::{AllNode, CutNode, PvNode, QuiescenceNode};
        [PvNode, CutNode, AllNode, QuiescenceNode].map(|kind| self.count(kind)).iter().sum()
    }
}

/// Tables for people.
impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let nodes = self.nodes();
        writeln!(f, "nodes entered {nodes:>24}")?;
        for (name, kind) in [
            ("principal variation", Counter::PvNode),
            ("cut", Counter::CutNode),
            ("all", Counter::AllNode),
            ("quiescence", Counter::QuiescenceNode),
        ] {
            row(f, name, self.count(kind), share(self.count(kind), nodes), "of all nodes")?;
        }
        writeln!(f, "hash table")?;
        let (probes, hits) = (self.count(Counter::Probe), self.count(Counter::Hit));
        row(f, "hits", hits, share(hits, probes), "of all probes")?;
        let cuts = self.count(Counter::HashCut);
        row(f, "cut-offs", cuts, share(cuts, probes), "of all probes")?;
        writeln!(f, "move ordering")?;
        let cuts = self.count(Counter::Cutoff);
        row(f, "beta cut-offs", cuts, share(cuts, nodes), "of all nodes")?;
        let first = self.count(Counter::FirstMoveCutoff);
        row(f, "by the first move", first, share(first, cuts), "of the cut-offs")?;
        let mean = self.count(Counter::CutoffPlace) as f64 / cuts.max(1) as f64;
        writeln!(f, "  {:<24}{mean:>12.2}", "mean number of the move")?;
        writeln!(f, "whole nodes saved")?;
        let main = nodes - self.count(Counter::QuiescenceNode);
        let quiescence = self.count(Counter::QuiescenceNode);
        for (name, counter) in [
            ("razoring", Counter::Razoring),
            ("reverse futility", Counter::ReverseFutility),
            ("null move", Counter::NullMoveCut),
            ("ProbCut", Counter::ProbCutCut),
            ("multi-cut", Counter::MultiCut),
        ] {
            row(
                f,
                name,
                self.count(counter),
                share(self.count(counter), main),
                "of the main search",
            )?;
        }
        let stand_pat = self.count(Counter::StandPat);
        row(f, "stand pat", stand_pat, share(stand_pat, quiescence), "of quiescence")?;
        writeln!(f, "moves not searched")?;
        for (name, counter) in [
            ("late moves (nodes)", Counter::LateMoves),
            ("history", Counter::HistoryPruning),
            ("futility", Counter::Futility),
            ("losing exchange", Counter::ExchangePruning),
            ("delta (quiescence)", Counter::DeltaPruning),
            ("exchange (quiescence)", Counter::QuiescenceExchange),
        ] {
            writeln!(f, "  {name:<24}{:>12}", self.count(counter))?;
        }
        writeln!(f, "tried, and what came of it")?;
        for (name, tried, done, what) in [
            ("null move", Counter::NullMove, Counter::NullMoveCut, "cut"),
            ("ProbCut", Counter::ProbCut, Counter::ProbCutCut, "cut"),
            ("singular search", Counter::Singular, Counter::SingularExtension, "extended"),
            ("late move reduction", Counter::Reduced, Counter::ReducedAgain, "searched again"),
        ] {
            let tried = self.count(tried);
            row(f, name, tried, share(self.count(done), tried), what)?;
        }
        writeln!(f, "time")?;
        let seconds = self.searching.as_secs_f64().max(1e-9);
        let parts = [("evaluation", self.evaluating), ("move ordering", self.ordering)];
        let mut rest = 100.0;
        for (name, time) in parts {
            let percent = 100.0 * time.as_secs_f64() / seconds;
            rest -= percent;
            writeln!(f, "  {name:<24}{percent:>10.1} %")?;
        }
        writeln!(f, "  {:<24}{:>10.1} %", "everything else", rest.max(0.0))?;
        let evaluations = self.count(Counter::Evaluation);
        row(f, "evaluations", evaluations, share(evaluations, nodes), "of all nodes")
    }
}

fn share(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn row(f: &mut fmt::Formatter, name: &str, count: u64, percent: f64, of: &str) -> fmt::Result {
    writeln!(f, "  {name:<24}{count:>12}  {percent:>6.2} % {of}")
}
