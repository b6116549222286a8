//! A runtime's own record of a session.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The last `bytes` of a file, or all of it; `None` for what is no file, or can't be read.
pub(super) fn tail(path: &Path, bytes: u64) -> Option<Vec<u8>> {
    // Opening anything but a file may wait for ever.
    let length = path.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(length.saturating_sub(bytes))).ok()?;
    let mut tail = Vec::new();
    file.take(bytes).read_to_end(&mut tail).ok()?;
    Some(tail)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn the_end_of_a_file_is_read_and_nothing_of_what_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        std::fs::write(&path, "0123456789").unwrap();
        assert_eq!(tail(&path, 3).unwrap(), b"789");
        assert_eq!(tail(&path, 30).unwrap(), b"0123456789");
        assert_eq!((tail(folder.path(), 3), tail(&folder.path().join("none"), 3)), (None, None));
    }
}
