//! Training positions in the order in which they are learnt.
//!
//! A pass over the data is a sequence of windows. Each is held in memory and shuffled; the next one is
//! read meanwhile. Positions in memory are a single window. The order follows from the seed and the
//! number of the pass, so a run can go on anywhere.

use super::pass::Chosen;
use super::{TrainError, Training};
use crate::data::positions::PositionSet;
use crate::data::record::{LabelledPosition, Record};
use crate::work::SplitMix;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Numbers of a pass and of a window in it.
type Place = (u64, usize);
type Loaded = Result<Vec<LabelledPosition>, TrainError>;

/// Gives the positions of every step.
pub(super) struct Source<'a> {
    training: Training<'a>,
    batch: usize,
    /// Positions of a window: whole batches.
    window: usize,
    seed: u64,
    place: Option<Place>,
    /// The current window of a set of files.
    loaded: Vec<LabelledPosition>,
    /// Its order, or that of the positions in memory.
    order: Vec<u32>,
    next: Option<(Place, JoinHandle<Loaded>)>,
}

impl<'a> Source<'a> {
    pub(super) fn new(training: Training<'a>, batch: usize, window: usize, seed: u64) -> Self {
        let len = training.len();
        let batch = batch.min(len);
        let window = match training {
            Training::Memory(_) => len,
            Training::Files(_) => (window / batch.max(1)).max(1) * batch,
        };
        Self {
            training,
            batch,
            window: window.max(1),
            seed,
            place: None,
            loaded: Vec::new(),
            order: Vec::new(),
            next: None,
        }
    }

    /// Identifies the data.
    pub(super) fn fingerprint(&self) -> String {
        match &self.training {
            Training::Memory(positions) => fingerprint(positions),
            Training::Files(set) => set.fingerprint(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.training.len()
    }

    pub(super) fn batch(&self) -> usize {
        self.batch
    }

    /// The positions of a step of a pass, both counted from 0.
    pub(super) fn batch_of(&mut self, pass: u64, step: u64) -> Result<Chosen<'_>, TrainError> {
        let first = step as usize * self.batch;
        let place = (pass, first / self.window);
        if self.place != Some(place) {
            self.enter(place)?;
        }
        let first = first % self.window;
        let positions = match &self.training {
            Training::Memory(positions) => positions,
            Training::Files(_) => &self.loaded[..],
        };
        Ok(Chosen { positions, indices: &self.order[first..first + self.batch] })
    }

    /// Positions for rounding the finished net, always the same.
    pub(super) fn sample(&self, count: usize) -> Result<Vec<LabelledPosition>, TrainError> {
        match &self.training {
            Training::Memory(positions) => Ok(positions[..positions.len().min(count)].to_vec()),
            Training::Files(set) => set.sample(count).map_err(TrainError::Data),
        }
    }

    fn enter(&mut self, place: Place) -> Result<(), TrainError> {
        if let Training::Files(set) = &self.training {
            let set = Arc::clone(set);
            // Everything in one window is read once.
            let whole = self.window >= set.len();
            if !(whole && self.place.is_some()) {
                self.loaded = match self.next.take() {
                    Some((coming, thread)) if coming == place => {
                        thread.join().map_err(|_| TrainError::Reader)??
                    }
                    _ => {
                        // Frees the memory first.
                        self.loaded = Vec::new();
                        load(&set, self.seed, self.window, place)?
                    }
                };
            }
            if !whole {
                let (seed, window) = (self.seed, self.window);
                let steps = set.len() / self.batch;
                let last = (steps.max(1) * self.batch - 1) / window;
                let following =
                    if place.1 < last { (place.0, place.1 + 1) } else { (place.0 + 1, 0) };
                let thread = std::thread::spawn(move || load(&set, seed, window, following));
                self.next = Some((following, thread));
            }
        }
        let len = match &self.training {
            Training::Memory(positions) => positions.len(),
            Training::Files(_) => self.loaded.len(),
        };
        self.order.clear();
        self.order.extend(0..len as u32);
        let mut seed = seed_of(self.seed, place.0);
        seed ^= SplitMix::new(place.1 as u64 ^ 0x5157).next();
        SplitMix::new(seed).shuffle(&mut self.order);
        self.place = Some(place);
        Ok(())
    }
}

fn seed_of(seed: u64, pass: u64) -> u64 {
    SplitMix::new(seed).next() ^ SplitMix::new(pass).next()
}

/// Reads a window of a pass, whose blocks stand in an order of its own.
fn load(set: &PositionSet, seed: u64, window: usize, (pass, index): Place) -> Loaded {
    let mut order: Vec<u32> = (0..set.blocks() as u32).collect();
    if window < set.len() {
        SplitMix::new(seed_of(seed, pass)).shuffle(&mut order);
    }
    set.read(&order, index * window..((index + 1) * window).min(set.len()))
        .map_err(TrainError::Data)
}

/// Tells one set of positions from another.
pub(super) fn fingerprint(positions: &[LabelledPosition]) -> String {
    let mut bytes = Vec::new();
    for position in positions.iter().step_by(positions.len() / 10_000 + 1) {
        position.encode(&mut bytes);
    }
    format!("{} positions, {:08x}", positions.len(), crc32fast::hash(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::{Header, Verdict, Writer};
    use std::collections::HashSet;
    use tabiya_chess::Board;

    /// Files whose positions are told apart by their scores.
    fn set(name: &str, lengths: &[usize]) -> (std::path::PathBuf, Arc<PositionSet>) {
        let folder = std::env::temp_dir().join(format!("tabiya-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut score = 0;
        let mut paths = Vec::new();
        for (index, length) in lengths.iter().enumerate() {
            let path = folder.join(format!("{index}.pos"));
            let mut writer = Writer::create(&path, &Header::default()).unwrap();
            for number in 0..*length {
                let position =
                    LabelledPosition::new(&Board::default(), score, Verdict::Draw).unwrap();
                writer.push(&position).unwrap();
                score += 1;
                if number % 97 == 96 {
                    writer.sync().unwrap(); // many small blocks
                }
            }
            writer.finish().unwrap();
            paths.push(path);
        }
        (folder, Arc::new(PositionSet::open(&paths).unwrap()))
    }

    fn scores(chosen: &Chosen) -> Vec<i16> {
        chosen.indices.iter().map(|index| chosen.positions[*index as usize].score).collect()
    }

    #[test]
    fn a_pass_over_files_sees_every_position_once_and_goes_on_anywhere() {
        let (folder, set) = set("source", &[1000, 300, 777]);
        assert_eq!(set.len(), 2077);
        for window in [150, 500, 10_000] {
            let source = || Source::new(Training::Files(Arc::clone(&set)), 50, window, 7);
            let steps = 2077 / 50;
            let mut first = source();
            let mut orders = Vec::new();
            for pass in 0..2 {
                let mut seen = Vec::new();
                for step in 0..steps {
                    seen.extend(scores(&first.batch_of(pass, step).unwrap()));
                }
                let distinct: HashSet<_> = seen.iter().copied().collect();
                assert_eq!((seen.len(), distinct.len()), (2050, 2050));
                orders.push(seen);
            }
            assert_ne!(orders[0], orders[1]);
            let again = scores(&source().batch_of(1, 17).unwrap());
            assert_eq!(again, orders[1][17 * 50..18 * 50]);
        }
        assert_eq!(set.sample(100).unwrap().len(), 100);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
