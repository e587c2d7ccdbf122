//! A hash for knowing things again, not meant against forgery.

/// FNV-1a (Fowler, Noll, Vo) in 64 bits, of bytes or, where every one is well mixed already, of larger
/// numbers.
pub(crate) fn fnv1a<T: Into<u64>>(numbers: impl IntoIterator<Item = T>) -> u64 {
    numbers.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, number| {
        (hash ^ number.into()).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv1a_matches_the_published_vectors() {
        assert_eq!(fnv1a(*b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(*b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(*b"foobar"), 0x8594_4171_f739_67e8);
    }
}
