//! Position files too large for memory: any block of them can be read by itself.

use super::ExpandError;
use crate::data::record::{BlockPlace, Header, LabelledPosition, ReadError, Reader};
use std::fs::File;
use std::path::PathBuf;

/// Some position files as one set.
pub struct PositionSet {
    files: Vec<PathBuf>,
    /// File and place of each block.
    blocks: Vec<(usize, BlockPlace)>,
    header: Header,
    len: usize,
}

impl PositionSet {
    /// Looks where the blocks of these files are.
    pub fn open(files: &[PathBuf]) -> Result<Self, ExpandError> {
        let mut set =
            Self { files: files.to_vec(), blocks: Vec::new(), header: Header::default(), len: 0 };
        let mut descriptions = Vec::new();
        for (file, path) in files.iter().enumerate() {
            let fail = |error| ExpandError::Read(path.clone(), error);
            let reader = super::open_positions(path)?;
            set.header.score_unit.clone_from(&reader.header().score_unit);
            descriptions.push(reader.header().description.clone());
            let places = reader.index().map_err(fail)?;
            set.blocks.extend(places.into_iter().map(|place| (file, place)));
        }
        set.header.description = descriptions.join("; ");
        set.len = set.blocks.iter().map(|(_, place)| place.count as usize).sum();
        Ok(set)
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What the files say about themselves, joined.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Identifies the data by the checksums of all its blocks.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hasher = crc32fast::Hasher::new();
        for (_, place) in &self.blocks {
            hasher.update(&place.checksum.to_le_bytes());
        }
        format!("{} positions, {:08x}", self.len, hasher.finalize())
    }

    /// The number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The positions numbered `range` when the blocks stand in this order.
    pub(crate) fn read(
        &self,
        order: &[u32],
        range: std::ops::Range<usize>,
    ) -> Result<Vec<LabelledPosition>, ExpandError> {
        let mut positions = Vec::with_capacity(range.len());
        let mut open: Vec<Option<File>> = self.files.iter().map(|_| None).collect();
        let mut first = 0;
        for block in order {
            let (file, place) = &self.blocks[*block as usize];
            let last = first + place.count as usize;
            if last > range.start && first < range.end {
                let fail = |error| ExpandError::Read(self.files[*file].clone(), error);
                if open[*file].is_none() {
                    let opened = File::open(&self.files[*file]);
                    open[*file] = Some(opened.map_err(|error| fail(ReadError::Io(error)))?);
                }
                let Some(handle) = &mut open[*file] else { continue };
                let records = Reader::<LabelledPosition>::read_at(handle, place, u64::from(*block));
                let records = records.map_err(fail)?;
                let from = range.start.saturating_sub(first);
                positions.extend(&records[from..records.len().min(range.end - first)]);
            }
            first = last;
        }
        Ok(positions)
    }

    /// Positions from all over the set, about this many.
    pub fn sample(&self, count: usize) -> Result<Vec<LabelledPosition>, ExpandError> {
        let per_block = self.len / self.blocks.len().max(1);
        let blocks = count.div_ceil(per_block.max(1)).clamp(1, self.blocks.len().max(1));
        let step = (self.blocks.len() / blocks).max(1);
        let order: Vec<u32> = (0..self.blocks.len() as u32).step_by(step).collect();
        self.read(&order, 0..count)
    }
}
