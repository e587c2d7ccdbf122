//! Finds Stockfish 18's network inside its WebAssembly program.
//!
//! The program's data section holds the network in many segments, runs of zeros cut out. Laid out at
//! their addresses they give the network as it lies in memory; it is known by its checksum.

use super::bytes::{VERSION, signed_leb128};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The first word of a network of Stockfish.
const MARK: [u8; 4] = VERSION.to_le_bytes();
/// Length of Stockfish 18's network.
const LENGTH: usize = 108_919_594;
/// Its SHA-256 begins like this: the number in its official name, nn-c288c895ea92.nnue.
const NAME: &str = "c288c895ea92";
/// Memory larger than this is refused.
const LARGEST: u64 = 1 << 29;
/// The section of data segments.
const DATA_SECTION: u8 = 11;

/// Why there is no network to be had.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WasmError {
    /// Not a WebAssembly module.
    #[error("not a WebAssembly module")]
    Magic,
    /// The module breaks off or makes no sense at this byte.
    #[error("the module makes no sense at byte {0}")]
    Broken(usize),
    /// Its memory would be too large.
    #[error("the module's data needs more than 512 MiB")]
    Large,
    /// It does not hold the network.
    #[error("holds no network nn-{NAME} (stockfish-18-single.wasm of 18.0.8 does)")]
    Missing,
}

/// A network and its SHA-256 in hexadecimal digits.
pub struct Extracted {
    /// The content of the network file.
    pub network: Vec<u8>,
    /// Its checksum.
    pub sha256: String,
}

/// Takes Stockfish 18's network out of a WebAssembly module.
pub fn extract(module: &[u8]) -> Result<Extracted, WasmError> {
    let mut memory = memory(module)?;
    let mut start = 0;
    while let Some(found) = find(&memory[start..]) {
        start += found;
        let Some(network) = memory.get(start..start + LENGTH) else { break };
        let sha256 = hexadecimal(&Sha256::digest(network));
        if sha256.starts_with(NAME) {
            memory.drain(..start);
            memory.truncate(LENGTH);
            return Ok(Extracted { network: memory, sha256 });
        }
        start += 1;
    }
    Err(WasmError::Missing)
}

/// Where the mark of a network comes first.
fn find(bytes: &[u8]) -> Option<usize> {
    bytes.windows(MARK.len()).position(|window| window == MARK)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The memory a module starts with: its active data segments at their addresses.
fn memory(module: &[u8]) -> Result<Vec<u8>, WasmError> {
    let mut reader = Reader { bytes: module, at: 0 };
    if reader.take(8).map_err(|_| WasmError::Magic)? != b"\0asm\x01\0\0\0" {
        return Err(WasmError::Magic);
    }
    let mut memory = Vec::new();
    while reader.at < module.len() {
        let section = reader.byte()?;
        let length = reader.number()? as usize;
        let end = reader.at + length;
        if section == DATA_SECTION {
            for _ in 0..reader.number()? {
                reader.segment(&mut memory)?;
            }
            if reader.at != end {
                return Err(WasmError::Broken(reader.at));
            }
        } else {
            reader.take(length)?;
        }
    }
    Ok(memory)
}

/// A module and how far it is read.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], WasmError> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..count));
        let taken = taken.ok_or(WasmError::Broken(self.at))?;
        self.at += count;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, WasmError> {
        Ok(self.take(1)?[0])
    }

    /// An unsigned LEB128 number of 32 bits.
    fn number(&mut self) -> Result<u32, WasmError> {
        let start = self.at;
        let mut number: u64 = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(number).map_err(|_| WasmError::Broken(start));
            }
        }
        Err(WasmError::Broken(start))
    }

    /// The constant a segment's address is given by.
    fn address(&mut self) -> Result<u32, WasmError> {
        const CONSTANT: u8 = 0x41;
        const END: u8 = 0x0b;
        let start = self.at;
        if self.byte()? != CONSTANT {
            return Err(WasmError::Broken(start));
        }
        let mut rest = self.bytes[self.at..].iter();
        let before = rest.len();
        let number = signed_leb128(&mut rest).ok_or(WasmError::Broken(start))?;
        self.at += before - rest.len();
        if self.byte()? != END {
            return Err(WasmError::Broken(start));
        }
        Ok(number.cast_unsigned())
    }

    /// Puts a data segment where it belongs.
    fn segment(&mut self, memory: &mut Vec<u8>) -> Result<(), WasmError> {
        let start = self.at;
        let address = match self.number()? {
            0 => Some(self.address()?),
            // Passive: copied by the program, if ever.
            1 => None,
            2 => {
                let _memory = self.number()?;
                Some(self.address()?)
            }
            _ => return Err(WasmError::Broken(start)),
        };
        let length = self.number()? as usize;
        let content = self.take(length)?;
        let Some(address) = address else { return Ok(()) };
        let end = u64::from(address) + content.len() as u64;
        if end > LARGEST {
            return Err(WasmError::Large);
        }
        let (address, end) = (address as usize, end as usize);
        if memory.len() < end {
            memory.resize(end, 0);
        }
        memory[address..end].copy_from_slice(content);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with a section to skip and one segment of every kind.
    fn module() -> Vec<u8> {
        let mut bytes = b"\0asm\x01\0\0\0".to_vec();
        bytes.extend([1, 2, 9, 9]);
        let segments =
            [&[0, 0x41, 3, 0x0b, 2, 10, 11][..], &[1, 1, 77], &[2, 0, 0x41, 0x89, 0, 0x0b, 1, 12]]
                .concat();
        bytes.extend([11, segments.len() as u8 + 1, 3]);
        bytes.extend(segments);
        bytes
    }

    #[test]
    fn segments_lie_at_their_addresses() {
        let found = memory(&module()).unwrap();
        assert_eq!(found, [0, 0, 0, 10, 11, 0, 0, 0, 0, 12]);
        assert_eq!(extract(&module()).err(), Some(WasmError::Missing));
    }

    #[test]
    fn nothing_crashes_it() {
        assert_eq!(memory(b"MZ"), Err(WasmError::Magic));
        let module = module();
        for end in 8..module.len() {
            // Only whole sections may be missing.
            assert_eq!(memory(&module[..end]).is_ok(), [8, 12].contains(&end), "{end}");
        }
        let mut far = module.clone();
        far.splice(17..18, [0xff, 0xff, 0xff, 0xff, 0x07]);
        far[13] += 4;
        assert_eq!(memory(&far), Err(WasmError::Large));
        for at in 8..module.len() {
            for byte in 0..=255 {
                let mut changed = module.clone();
                changed[at] = byte;
                let _ = memory(&changed);
            }
        }
    }
}
