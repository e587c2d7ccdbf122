//! Large tables: building them, and asking the cache for what will be read from them.

/// A table of equal entries, built in place: some are larger than a stack.
pub(crate) fn boxed<T: Clone, const N: usize>(entry: T) -> Box<[T; N]> {
    let Ok(table) = vec![entry; N].into_boxed_slice().try_into() else {
        unreachable!("the length is N")
    };
    table
}

/// Asks the cache for a value that will be read soon: what a node needs is fetched while its move is
/// still being played.
#[inline]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(unsafe_code, reason = "there is no safe prefetch")]
        // SAFETY: a prefetch has no effect but on the cache, and the address is valid.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
