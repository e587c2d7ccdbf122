//! A fair sample of the positions a search evaluates.

use crate::work::SplitMix;
use std::sync::{Arc, Mutex, PoisonError};
use tabiya_chess::{Board, Move};
use tabiya_engine::eval::{Evaluation, Judge, StaticEvaluator};

/// Some of the positions seen so far, each with the same chance (reservoir sampling, Vitter 1985).
pub(super) struct Sample {
    random: SplitMix,
    capacity: usize,
    seen: u64,
    /// With the number of the position, to sort by.
    kept: Vec<(u64, Board)>,
}

impl Sample {
    pub(super) fn new(capacity: usize) -> Self {
        let random = SplitMix::new(0);
        Self { random, capacity, seen: 0, kept: Vec::with_capacity(capacity) }
    }

    /// Forgets everything and begins anew.
    pub(super) fn start(&mut self, seed: u64) {
        self.random = SplitMix::new(seed);
        self.seen = 0;
        self.kept.clear();
    }

    pub(super) fn see(&mut self, board: &Board) {
        self.seen += 1;
        if self.kept.len() < self.capacity {
            self.kept.push((self.seen, *board));
        } else if let Some(place) = self.kept.get_mut(self.random.below(self.seen as usize)) {
            *place = (self.seen, *board);
        }
    }

    /// How many positions there were.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    /// The sample in the order of the search, neighbours beside each other.
    pub(super) fn boards(&mut self) -> impl Iterator<Item = &Board> {
        self.kept.sort_unstable_by_key(|(number, _)| *number);
        self.kept.iter().map(|(_, board)| board)
    }
}

/// The same evaluation, every position shown to `sample` as well.
pub(super) fn observed(evaluation: &Evaluation, sample: &Arc<Mutex<Sample>>) -> Evaluation {
    let (evaluation, sample) = (evaluation.clone(), Arc::clone(sample));
    Evaluation::Other(Arc::new(move || {
        let judge = StaticEvaluator::new(&evaluation);
        Box::new(Observer { judge, sample: Arc::clone(&sample) })
    }))
}

struct Observer {
    judge: StaticEvaluator,
    sample: Arc<Mutex<Sample>>,
}

impl Judge for Observer {
    fn evaluate(&mut self, board: &Board) -> i32 {
        self.sample.lock().unwrap_or_else(PoisonError::into_inner).see(board);
        self.judge.evaluate(board)
    }

    fn reset(&mut self, board: &Board) {
        self.judge.reset(board);
    }

    fn push(&mut self, board: &Board, mv: Move) {
        self.judge.push(board, mv);
    }

    fn push_null(&mut self) {
        self.judge.push_null();
    }

    fn pop(&mut self) {
        self.judge.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_engine::{Limits, Searcher};

    #[test]
    fn every_position_has_the_same_chance() {
        let mut boards = vec![Board::default()];
        for index in 1..20 {
            let mut board = boards[index - 1];
            board.play(board.legal_moves().get(index % 5).unwrap());
            boards.push(board);
        }
        let mut counts = [0; 20];
        let mut sample = Sample::new(4);
        for seed in 0..5000 {
            sample.start(seed);
            for board in &boards {
                sample.see(board);
            }
            assert_eq!(sample.seen(), 20);
            let kept: Vec<Board> = sample.boards().copied().collect();
            assert_eq!(kept.len(), 4);
            let places: Vec<_> = kept
                .iter()
                .map(|one| boards.iter().position(|board| board == one).unwrap())
                .collect();
            assert!(places.is_sorted());
            for place in &places {
                counts[*place] += 1;
            }
        }
        // 1000 expected, standard deviation 28.
        assert!(counts.iter().all(|count| (870..1130).contains(count)), "{counts:?}");
    }

    #[test]
    fn looking_on_changes_nothing() {
        let limits = Limits::nodes(3000);
        let board = Board::default();
        let mut plain = Searcher::new(1).unwrap();
        let before = plain.search(&board, &[], &limits, |_| {});
        let sample = Arc::new(Mutex::new(Sample::new(10)));
        let mut watched = Searcher::new(1).unwrap();
        watched.set_evaluation(&observed(&Evaluation::embedded(), &sample));
        let after = watched.search(&board, &[], &limits, |_| {});
        assert_eq!((before.best, before.nodes), (after.best, after.nodes));
        let sample = sample.lock().unwrap();
        assert!((500..=3001).contains(&sample.seen()), "{}", sample.seen());
    }
}
