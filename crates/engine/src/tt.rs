//! The transposition table, shared by all threads without locks.
//!
//! A cluster is half a cache line: three entries of 64 bits and their three tags of 16 bits. All are
//! relaxed atomics: when two threads store into the same entry at the same moment, the data of one
//! may end under the tag of the other. That is as rare and as harmless as the foreign entries that
//! tags of 16 bits let through anyway (about three in 65,536 probes of a full table): the search
//! validates every move it takes from here and trusts nothing for memory safety. Stores into
//! different entries do not touch each other.

mod clusters;

use crate::memory::prefetch;
use crate::score::{self, NONE, Value};
use clusters::Clusters;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU64, Ordering::Relaxed};
use tabiya_chess::Move;

/// What a stored value says about the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Bound {
    /// No value, only a static evaluation.
    None = 0,
    /// The true value is at most this.
    Upper = 1,
    /// The true value is at least this.
    Lower = 2,
    /// The true value.
    Exact = 3,
}

impl Bound {
    const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Upper,
            2 => Self::Lower,
            _ => Self::Exact,
        }
    }

    /// Whether the true value may not exceed the stored one.
    #[inline]
    pub(crate) const fn is_upper(self) -> bool {
        self as u8 & 1 != 0
    }

    /// Whether the true value may not fall below the stored one.
    #[inline]
    pub(crate) const fn is_lower(self) -> bool {
        self as u8 & 2 != 0
    }

    /// Whether the bound proves a value on the `value` side of `limit`.
    #[inline]
    pub(crate) const fn proves(self, value: Value, limit: Value) -> bool {
        if value >= limit { self.is_lower() } else { self.is_upper() }
    }
}

/// What the table knows about a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) mv: Option<Move>,
    /// Ply-adjusted; `NONE` if only the evaluation is known.
    pub(crate) value: Value,
    /// The raw static evaluation, `NONE` if the position is a check.
    pub(crate) eval: Value,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
    pub(crate) pv: bool,
}

impl Entry {
    /// What is known of a position that was evaluated but not searched.
    pub(crate) fn evaluated(eval: Value, pv: bool) -> Self {
        Self { mv: None, value: NONE, eval, depth: -2, bound: Bound::None, pv }
    }
}

/// Depths are stored with this added, so that zero means "empty".
const DEPTH_OFFSET: i32 = 4;
/// Generations count in steps of 8 above the bound and PV bits.
const GENERATION_STEP: u8 = 8;

/// The 64 bits of an entry: move 16, value 16, eval 16, depth 8, generation 5 + pv 1 + bound 2.
#[derive(Clone, Copy)]
struct Packed(u64);

impl Packed {
    fn new(mv: Option<Move>, value: Value, eval: Value, depth: i32, flags: u8) -> Self {
        let mv = mv.map_or(0, Move::to_bits);
        let depth = (depth + DEPTH_OFFSET).clamp(1, 255) as u8;
        Self(
            u64::from(mv)
                | u64::from(value as i16 as u16) << 16
                | u64::from(eval as i16 as u16) << 32
                | u64::from(depth) << 48
                | u64::from(flags) << 56,
        )
    }

    const fn mv(self) -> Option<Move> {
        Move::from_bits(self.0 as u16)
    }

    const fn value(self) -> Value {
        (self.0 >> 16) as i16 as Value
    }

    const fn eval(self) -> Value {
        (self.0 >> 32) as i16 as Value
    }

    const fn depth(self) -> i32 {
        (self.0 >> 48) as u8 as i32 - DEPTH_OFFSET
    }

    const fn is_empty(self) -> bool {
        (self.0 >> 48) as u8 == 0
    }

    const fn flags(self) -> u8 {
        (self.0 >> 56) as u8
    }

    /// How many searches ago this was written, times eight.
    const fn age(self, generation: u8) -> i32 {
        (generation.wrapping_sub(self.flags()) & !(GENERATION_STEP - 1)) as i32
    }
}

const ENTRIES: usize = 3;

#[repr(C, align(32))]
#[derive(Default)]
struct Cluster {
    entries: [AtomicU64; ENTRIES],
    /// One by one, not as a word: who writes one must not bring back old values of the others.
    tags: [AtomicU16; ENTRIES],
    _unused: u16,
}

const _: () = assert!(size_of::<Cluster>() == 32);

impl Cluster {
    fn is_used(&self) -> bool {
        self.entries.iter().any(|entry| entry.load(Relaxed) != 0)
    }

    fn clear(&self) {
        self.entries.iter().for_each(|entry| entry.store(0, Relaxed));
        self.tags.iter().for_each(|tag| tag.store(0, Relaxed));
    }

    /// Whether an entry seems to be about the position of `key`.
    #[inline]
    fn has_tag(&self, slot: usize, key: u64) -> bool {
        self.tags[slot].load(Relaxed) == key as u16
    }

    #[inline]
    fn set_tag(&self, slot: usize, key: u64) {
        self.tags[slot].store(key as u16, Relaxed);
    }
}

/// Why a table of the wanted size could not be had.
#[derive(Debug)]
pub struct TableError {
    wanted_mb: usize,
    reason: String,
}

impl TableError {
    pub(crate) fn new(wanted_mb: usize, reason: String) -> Self {
        Self { wanted_mb, reason }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "cannot get {} MB for the hash table: {}", self.wanted_mb, self.reason)
    }
}

impl std::error::Error for TableError {}

/// The table.
pub(crate) struct Table {
    memory: Clusters,
    generation: AtomicU8,
    /// Whether every page was written to: only then does the system really hand it out.
    is_populated: AtomicBool,
}

impl Table {
    pub(crate) fn new(mb: usize) -> Result<Self, TableError> {
        #[cfg(test)]
        tests::BEFORE_NEW.with_borrow_mut(|watch| watch.as_mut().map(|watch| watch()));
        let fail = |reason| TableError::new(mb, reason);
        if mb == 0 {
            return Err(fail("1 MB is the least".into()));
        }
        let bytes =
            mb.checked_mul(1 << 20).ok_or_else(|| fail("the number is too large".into()))?;
        if let Some(available) = available_memory()
            && bytes as u64 > available
        {
            return Err(fail(format!("only {} MB of memory are free", available >> 20)));
        }
        let memory = Clusters::new(bytes / size_of::<Cluster>()).map_err(fail)?;
        Ok(Self::of_memory(memory))
    }

    /// The smallest table there is, to hold the place of one that was given back.
    pub(crate) fn stand_in() -> Self {
        let page = 4096 / size_of::<Cluster>();
        Self::of_memory(Clusters::new(page).expect("the system has a page of memory left"))
    }

    fn of_memory(memory: Clusters) -> Self {
        Self { memory, generation: AtomicU8::new(0), is_populated: AtomicBool::new(false) }
    }

    #[inline]
    fn clusters(&self) -> &[Cluster] {
        self.memory.as_slice()
    }

    /// The high bits choose the cluster, the low ones are the tag: they must not overlap.
    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        let clusters = self.clusters();
        let index = ((u128::from(key) * clusters.len() as u128) >> 64) as usize;
        &clusters[index]
    }

    /// Forgets everything, with `threads` threads: large tables take a while.
    ///
    /// The first time all of it is written, so that no search has to wait for memory while its clock runs.
    /// Later only what is used: after a short game most of the table is still empty, and what is
    /// written must go back to memory.
    pub(crate) fn clear(&self, threads: usize) {
        self.generation.store(0, Relaxed);
        let is_new = !self.is_populated.swap(true, Relaxed);
        let wipe = move |part: &[Cluster]| {
            part.iter().filter(|cluster| is_new || cluster.is_used()).for_each(Cluster::clear);
        };
        let clusters = self.clusters();
        let chunk = clusters.len().div_ceil(threads.max(1)).max(1);
        if chunk == clusters.len() {
            wipe(clusters);
            return;
        }
        std::thread::scope(|scope| {
            for part in clusters.chunks(chunk) {
                scope.spawn(move || wipe(part));
            }
        });
    }

    /// Starts a new search: older entries become cheaper to replace.
    pub(crate) fn age(&self) {
        self.generation.fetch_add(GENERATION_STEP, Relaxed);
    }

    /// Asks the cache for the cluster of `key` ahead of its use.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    #[inline]
    pub(crate) fn probe(&self, key: u64, ply: usize, clock: u16) -> Option<Entry> {
        let cluster = self.cluster(key);
        let slot = (0..ENTRIES).find(|slot| cluster.has_tag(*slot, key))?;
        let packed = Packed(cluster.entries[slot].load(Relaxed));
        if packed.is_empty() {
            return None;
        }
        Some(Entry {
            mv: packed.mv(),
            value: value_from_table(packed.value(), ply, clock),
            eval: packed.eval(),
            depth: packed.depth(),
            bound: Bound::from_bits(packed.flags()),
            pv: packed.flags() & 4 != 0,
        })
    }

    #[inline]
    pub(crate) fn store(&self, key: u64, ply: usize, new: Entry) {
        let cluster = self.cluster(key);
        let generation = self.generation.load(Relaxed);
        let mut chosen = 0;
        let mut chosen_worth = i32::MAX;
        let mut old = Packed(0);
        let mut same = false;
        for slot in 0..ENTRIES {
            let packed = Packed(cluster.entries[slot].load(Relaxed));
            let matches = cluster.has_tag(slot, key) && !packed.is_empty();
            let worth = if packed.is_empty() {
                i32::MIN + 1
            } else {
                packed.depth() - packed.age(generation)
            };
            if matches || worth < chosen_worth {
                (chosen, chosen_worth, old, same) = (slot, worth, packed, matches);
            }
            if matches {
                break;
            }
        }
        // A shallower result of this search does not overwrite a deeper one of the same position.
        let keep = same
            && new.bound != Bound::Exact
            && old.age(generation) == 0
            && new.depth + 4 + 2 * i32::from(new.pv) <= old.depth();
        if keep {
            return;
        }
        // A result without a move keeps the move known before.
        let mv = if same { new.mv.or(old.mv()) } else { new.mv };
        let flags = generation | u8::from(new.pv) << 2 | new.bound as u8;
        let packed = Packed::new(mv, value_to_table(new.value, ply), new.eval, new.depth, flags);
        cluster.entries[chosen].store(packed.0, Relaxed);
        if !same {
            cluster.set_tag(chosen, key);
        }
    }

    /// How full the table is with entries of this search, in thousandths.
    pub(crate) fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Relaxed);
        let clusters = self.clusters();
        let sample = &clusters[..clusters.len().min(1000)];
        let used: usize = sample
            .iter()
            .flat_map(|cluster| &cluster.entries)
            .map(|entry| Packed(entry.load(Relaxed)))
            .filter(|packed| !packed.is_empty() && packed.age(generation) == 0)
            .count();
        (used * 1000 / (sample.len() * ENTRIES).max(1)) as u32
    }
}

/// Distances to mate are stored from the position, not from the root.
fn value_to_table(value: Value, ply: usize) -> Value {
    if value == NONE {
        NONE
    } else if score::is_win(value) {
        value + ply as Value
    } else if score::is_loss(value) {
        value - ply as Value
    } else {
        value
    }
}

/// The reverse; a win too far away for the fifty-move rule counts as a mere advantage.
fn value_from_table(value: Value, ply: usize, clock: u16) -> Value {
    if value == NONE || !score::is_decisive(value) {
        return value;
    }
    let top = if score::is_mate(value) { score::MATE } else { score::TB_WIN };
    let distance = top - value.abs();
    let magnitude = if distance > 100 - Value::from(clock) {
        score::MAX_HEURISTIC
    } else {
        value.abs() - ply as Value
    };
    value.signum() * magnitude
}

/// Bytes of memory the system could give us now, where it says so.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::cell::RefCell;
    use tabiya_chess::{MoveKind, Square};

    thread_local! {
        /// Called before a table is made.
        pub(crate) static BEFORE_NEW: RefCell<Option<Box<dyn FnMut()>>> =
            const { RefCell::new(None) };
    }

    fn entry(depth: i32, value: Value) -> Entry {
        let mv = Some(Move::new(Square::E2, Square::E4, MoveKind::DoublePush));
        Entry { mv, value, eval: -12, depth, bound: Bound::Lower, pv: true }
    }

    #[test]
    fn what_is_stored_comes_back() {
        let table = Table::new(1).unwrap();
        table.store(0x1234_5678_9ABC_DEF0, 3, entry(9, 77));
        let found = table.probe(0x1234_5678_9ABC_DEF0, 3, 0).unwrap();
        assert_eq!((found.value, found.eval, found.depth, found.pv), (77, -12, 9, true));
        assert_eq!((found.bound, found.mv), (Bound::Lower, entry(0, 0).mv));
        assert!(table.probe(0x1234_5678_9ABC_DEF1, 3, 0).is_none());
        // The first time all is written, then what is used.
        for _ in 0..2 {
            table.clear(2);
            assert!(table.probe(0x1234_5678_9ABC_DEF0, 3, 0).is_none());
            table.store(0x1234_5678_9ABC_DEF0, 3, entry(9, 77));
        }
    }

    /// Thread 0 renews one entry all the time; that of thread 1 must stay as it wrote it.
    #[test]
    fn stores_into_two_entries_do_not_touch_each_other() {
        let table = Table::new(1).unwrap();
        let cluster = &table.clusters()[0];
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for key in 0..2_000_000 {
                    cluster.set_tag(1, key);
                    assert!(cluster.has_tag(1, key), "another thread brought an old tag back");
                }
                done.store(true, Relaxed);
            });
            for key in 0.. {
                cluster.set_tag(0, key);
                if done.load(Relaxed) {
                    break;
                }
            }
        });
    }

    #[test]
    fn mates_are_stored_relative_to_the_position() {
        let table = Table::new(1).unwrap();
        table.store(42, 7, entry(5, score::mate_in(10)));
        assert_eq!(table.probe(42, 3, 0).unwrap().value, score::mate_in(6));
        assert_eq!(value_from_table(NONE, 3, 0), NONE);
        assert_eq!(value_to_table(NONE, 3), NONE);
    }

    #[test]
    fn a_mate_beyond_the_fifty_move_rule_is_only_an_advantage() {
        let stored = value_to_table(score::mate_in(20), 0);
        assert_eq!(value_from_table(stored, 0, 80), score::mate_in(20));
        assert_eq!(value_from_table(stored, 0, 81), score::MAX_HEURISTIC);
        assert_eq!(value_from_table(-stored, 0, 99), -score::MAX_HEURISTIC);
    }

    #[test]
    fn a_moveless_result_keeps_the_known_move() {
        let table = Table::new(1).unwrap();
        table.store(7, 0, entry(3, 1));
        table.store(7, 0, Entry { mv: None, ..entry(8, 2) });
        let found = table.probe(7, 0, 0).unwrap();
        assert_eq!((found.depth, found.mv), (8, entry(0, 0).mv));
    }

    #[test]
    fn an_absurd_size_is_refused_with_a_reason() {
        let error = Table::new(0).err().unwrap().to_string();
        assert_eq!(error, "cannot get 0 MB for the hash table: 1 MB is the least");
        let error = Table::new(1 << 40).err().unwrap().to_string();
        assert!(error.contains("1099511627776 MB"), "{error}");
    }
}
