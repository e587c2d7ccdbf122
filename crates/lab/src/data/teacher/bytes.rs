//! Numbers at the front of the bytes of a net file.

use super::NetError;

/// The first number of a net file of Stockfish.
pub(super) const VERSION: u32 = 0x7af3_2f20;
/// Longest description a file may have.
const LONGEST_TEXT: usize = 1 << 16;
/// What a block of packed numbers begins with.
pub(super) const PACKED: &[u8; 17] = b"COMPRESSED_LEB128";

/// The bytes of a file that are not read yet.
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    /// Reads past version, hashes and description.
    pub(super) fn header(&mut self) -> Result<(), NetError> {
        let version = self.number()? as u32;
        if version != VERSION {
            return Err(NetError::Version(version));
        }
        let _hash = self.number()?;
        let text = self.number()? as u32 as usize;
        self.take(text.min(LONGEST_TEXT))?;
        let _hash = self.number()?;
        Ok(())
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], NetError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(NetError::Size(None))?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn number(&mut self) -> Result<i32, NetError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(NetError::Size(None))?;
        self.0 = rest;
        Ok(i32::from_le_bytes(*taken))
    }

    pub(super) fn numbers(&mut self, count: usize) -> Result<Vec<i32>, NetError> {
        let (words, _) = self.take(4 * count)?.as_chunks();
        Ok(words.iter().map(|word| i32::from_le_bytes(*word)).collect())
    }

    pub(super) fn words(&mut self, count: usize) -> Result<Vec<i16>, NetError> {
        let (pairs, _) = self.take(2 * count)?.as_chunks();
        Ok(pairs.iter().map(|pair| i16::from_le_bytes(*pair)).collect())
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<Vec<i8>, NetError> {
        Ok(self.take(count)?.iter().map(|byte| byte.cast_signed()).collect())
    }

    /// A block of signed LEB128 numbers, which must hold `count` numbers and nothing else.
    pub(super) fn packed(
        &mut self,
        count: usize,
        mut put: impl FnMut(usize, i32),
    ) -> Result<(), NetError> {
        if self.take(PACKED.len())? != PACKED {
            return Err(NetError::Packed);
        }
        let length = self.number()? as u32 as usize;
        let mut packed = self.take(length)?.iter();
        for index in 0..count {
            put(index, signed_leb128(&mut packed).ok_or(NetError::Packed)?);
        }
        packed.next().map_or(Ok(()), |_| Err(NetError::Packed))
    }
}

/// One number of at most 32 bits.
pub(super) fn signed_leb128<'a>(bytes: &mut impl Iterator<Item = &'a u8>) -> Option<i32> {
    let mut number: i64 = 0;
    for shift in (0..35).step_by(7) {
        let byte = *bytes.next()?;
        number |= i64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            // The highest bit of the last byte is the sign.
            let unused = 64 - (shift + 7);
            return i32::try_from(number << unused >> unused).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_numbers_are_read_and_nonsense_is_refused() {
        let one = |bytes: &[u8]| signed_leb128(&mut bytes.iter());
        assert_eq!(one(&[0]), Some(0));
        assert_eq!(one(&[0x7f]), Some(-1));
        assert_eq!(one(&[0xc0, 0xbb, 0x78]), Some(-123_456));
        assert_eq!(one(&[0x80, 0x80, 0x80, 0x80, 0x78]), Some(i32::MIN));
        assert_eq!(one(&[0x80, 0x80, 0x80, 0x80, 0x08]), None, "beyond 32 bits");
        assert_eq!(one(&[0xff; 6]), None, "no end");
        assert_eq!(one(&[0x80]), None, "cut off");
        let block = |numbers: &[u8]| {
            let mut bytes = PACKED.to_vec();
            bytes.extend((numbers.len() as u32).to_le_bytes());
            bytes.extend(numbers);
            let mut found = [0; 2];
            let read = Bytes(&bytes).packed(2, |index, number| found[index] = number);
            read.map(|()| found)
        };
        assert!(matches!(block(&[5, 0x7f]), Ok([5, -1])));
        assert!(matches!(block(&[5]), Err(NetError::Packed)));
        assert!(matches!(block(&[5, 6, 7]), Err(NetError::Packed)));
        assert!(matches!(Bytes(b"COMPRESSED").packed(1, |_, _| ()), Err(NetError::Size(None))));
    }
}
