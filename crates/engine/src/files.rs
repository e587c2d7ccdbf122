//! Reading files that users name. A pipe or a device could block for ever or never end, so only
//! regular files are read, and only up to a size.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Opens a regular file; everything else is refused before it is touched.
pub fn open_regular(path: &Path) -> Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

/// All bytes of a regular file of at most `limit` bytes.
pub fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // The length that the system tells is not trusted: files grow, and those of /proc have none.
    open_regular(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let reason = format!("larger than {} MB", limit >> 20);
        return Err(Error::new(ErrorKind::InvalidData, reason));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_up_to_the_limit_are_read() {
        let path = std::env::temp_dir().join(format!("tabiya-files-{}", std::process::id()));
        std::fs::write(&path, [7; 2000]).unwrap();
        assert_eq!(read_regular(&path, 2000).unwrap().len(), 2000);
        assert!(read_regular(&path, 1999).unwrap_err().to_string().starts_with("larger than"));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read_regular(&path, 9).unwrap_err().kind(), ErrorKind::NotFound);
        let folder = read_regular(&std::env::temp_dir(), 9).unwrap_err();
        assert_eq!(folder.to_string(), "not a regular file");
    }
}
