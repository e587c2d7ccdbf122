//! What several tests need: the endgame tables of the test data, and random numbers.
#![expect(dead_code, reason = "no test needs all of it")]

use std::path::{Path, PathBuf};
use tabiya_engine::Tablebase;

/// A file or folder of the test data. A test without it is skipped, but not on the build server.
pub fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "no {}", path.display());
    eprintln!("skipped: no {}", path.display());
    None
}

/// All tables of three and four pieces.
pub fn tables() -> Option<Tablebase> {
    let folder = data("syzygy")?;
    Some(Tablebase::open(folder.as_os_str()).expect("the folder holds tables"))
}

/// Numbers that look random (`xorshift64*`, Marsaglia 2003).
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound as u64) as usize
    }
}
