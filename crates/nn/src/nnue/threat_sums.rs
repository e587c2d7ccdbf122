//! The share of threats in the hidden layer during a search.
//!
//! Nothing is done while moves are made and taken back. When a position is evaluated, its threats are compared
//! with those of the nearest position of the line whose sums are known, and rows are added and taken away
//! for what differs. Where a king has crossed the middle of the board since, so that its side sees everything
//! mirrored, the last position seen that way serves instead.

use super::features::View;
use super::network::Network;
use super::placement::Placement;
use super::threats::{MOST_THREATS, Threat, for_each_change};
use crate::line::WordLine;
use crate::simd::Kernels;
use tabiya_chess::{Color, Piece, Square};

/// Sums of threats for every entry of a line.
pub(super) struct ThreatSums {
    /// Lines of one side's sums.
    lines: usize,
    entries: Vec<Entry>,
    /// The sums of entry `i`: `[i][side][hidden]`.
    sums: Vec<WordLine>,
    /// The last positions seen, `[side][mirrored]`, with their sums.
    remembered: [Placement; 4],
    remembered_sums: Vec<WordLine>,
    changes: Changes,
}

#[derive(Clone, Copy)]
struct Entry {
    placement: Placement,
    /// For each side, whether its sums are known, and whether they are those of the mirrored board.
    known: [Option<bool>; 2],
}

/// Threats that are gone and threats that are new, and their features in one side's view. Both sides mostly
/// start from the same earlier position, so that the threats are looked for once.
struct Changes {
    gone: List<Threat>,
    found: List<Threat>,
    adds: List<u32>,
    subs: List<u32>,
}

/// A list without an allocation.
struct List<T> {
    len: usize,
    items: [T; MOST_THREATS],
}

impl<T: Copy> List<T> {
    fn new(filler: T) -> Self {
        Self { len: 0, items: [filler; MOST_THREATS] }
    }

    #[inline]
    fn push(&mut self, item: T) {
        self.items[self.len] = item;
        self.len += 1;
    }

    #[inline]
    fn as_slice(&self) -> &[T] {
        &self.items[..self.len]
    }
}

impl Changes {
    fn new() -> Self {
        let threat = Threat {
            attacker: Piece::WhitePawn,
            from: Square::A2,
            victim: Piece::WhitePawn,
            to: Square::B3,
        };
        let threats = || List::new(threat);
        Self { gone: threats(), found: threats(), adds: List::new(0), subs: List::new(0) }
    }

    /// Finds what differs between two placements.
    #[inline]
    fn find(&mut self, old: &Placement, new: &Placement) {
        let Self { gone, found, .. } = self;
        (gone.len, found.len) = (0, 0);
        for_each_change(old, new, |threat| gone.push(threat), |threat| found.push(threat));
    }

    /// Lists the features of what was found in a side's view.
    #[inline]
    fn see(&mut self, view: View) {
        let Self { gone, found, adds, subs } = self;
        for (threats, features) in [(gone, subs), (found, adds)] {
            features.len = 0;
            for threat in threats.as_slice() {
                if let Some(feature) = view.threat(*threat) {
                    features.push(feature);
                }
            }
        }
    }
}

impl ThreatSums {
    /// Room for so many entries, none of them known.
    pub(super) fn new(net: &Network, entries: usize) -> Self {
        let lines = net.shape().hidden() / WordLine::LANES;
        Self {
            lines,
            entries: vec![Entry { placement: Placement::EMPTY, known: [None; 2] }; entries],
            sums: vec![WordLine::ZERO; 2 * entries * lines],
            remembered: [Placement::EMPTY; 4],
            remembered_sums: vec![WordLine::ZERO; 4 * lines],
            changes: Changes::new(),
        }
    }

    /// An entry stands for another position from now on.
    #[inline]
    pub(super) fn forget(&mut self, entry: usize) {
        self.entries[entry].known = [None; 2];
    }

    /// The sums of one side at an entry.
    #[inline]
    pub(super) fn side(&self, entry: usize, perspective: Color) -> &[WordLine] {
        &self.sums[(2 * entry + perspective.index()) * self.lines..][..self.lines]
    }

    /// Makes the sums of both sides at the top entry known.
    #[inline]
    pub(super) fn compute(
        &mut self,
        kernels: &Kernels,
        net: &Network,
        placement: &Placement,
        views: [View; 2],
        top: usize,
    ) {
        let mut found_from = None;
        for (side, view) in views.into_iter().enumerate() {
            let mirrored = view.is_mirrored();
            let is_known = |entry: &Entry| entry.known[side] == Some(mirrored);
            if is_known(&self.entries[top]) {
                continue;
            }
            let lines = self.lines;
            let base = self.entries[..top].iter().rposition(is_known);
            let (before, after) = self.sums.split_at_mut((2 * top + side) * lines);
            let dst = &mut after[..lines];
            let last = 2 * side + usize::from(mirrored);
            let remembered = &mut self.remembered_sums[last * lines..][..lines];
            let (old, src) = match base {
                Some(base) => {
                    (&self.entries[base].placement, &before[(2 * base + side) * lines..][..lines])
                }
                None => (&self.remembered[last], &*remembered),
            };
            if base.is_none() || found_from != base {
                self.changes.find(old, placement);
                found_from = base;
            }
            self.changes.see(view);
            let Changes { adds, subs, .. } = &self.changes;
            kernels.adjust(dst, src, net.threat_weights(), adds.as_slice(), subs.as_slice());
            if base.is_none() {
                remembered.copy_from_slice(dst);
                self.remembered[last] = *placement;
            }
            self.entries[top].known[side] = Some(mirrored);
        }
        self.entries[top].placement = *placement;
    }
}
