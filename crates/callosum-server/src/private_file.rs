//! Files of the service that their owner alone may read.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use callosum_core::store::disk::{Disk, SystemDisk};

/// Puts `text` and a line's end in the place of what the file said, in one step that a power failure does not undo.
///
/// # Errors
/// What the system says; then the file is as it was.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension(format!("json.{}", std::process::id()));
    let written = (|| {
        let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(&beside, path)
    })();
    match (&written, path.parent()) {
        // It may not even be there.
        (Err(_), _) => drop(fs::remove_file(&beside)),
        // Where a file system can't do this, the file has its new text all the same.
        (Ok(()), Some(folder)) => drop(SystemDisk.sync_folder(folder)),
        (Ok(()), None) => {}
    }
    written
}
