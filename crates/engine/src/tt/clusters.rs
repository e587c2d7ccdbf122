//! The memory of the table, empty at first.

use super::Cluster;

/// Memory straight from the system, asked to be in huge pages.
#[cfg(feature = "mmap")]
pub(super) struct Clusters {
    memory: memmap2::MmapMut,
    count: usize,
}

#[cfg(feature = "mmap")]
impl Clusters {
    pub(super) fn new(count: usize) -> Result<Self, String> {
        let bytes = count * size_of::<Cluster>();
        let memory = memmap2::MmapMut::map_anon(bytes).map_err(|error| error.to_string())?;
        #[cfg(target_os = "linux")]
        // Huge pages save most TLB misses; without them the table still works.
        let _ = memory.advise(memmap2::Advice::HugePage);
        Ok(Self { memory, count })
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[Cluster] {
        #[expect(unsafe_code, reason = "the operating system hands out bytes, not clusters")]
        // SAFETY: the mapping is page-aligned, `count` whole clusters long, initialised (zero), and
        // lives as long as `self`; any bit pattern is a valid cluster of atomics.
        unsafe {
            std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.count)
        }
    }
}

/// An ordinary allocation.
#[cfg(not(feature = "mmap"))]
pub(super) struct Clusters(Vec<Cluster>);

#[cfg(not(feature = "mmap"))]
impl Clusters {
    pub(super) fn new(count: usize) -> Result<Self, String> {
        let mut clusters = Vec::new();
        clusters.try_reserve_exact(count).map_err(|error| error.to_string())?;
        clusters.resize_with(count, Cluster::default);
        Ok(Self(clusters))
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[Cluster] {
        &self.0
    }
}
