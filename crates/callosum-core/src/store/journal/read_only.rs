//! The segments as they lie there, for whoever only looks: no folder is made, no guard taken, nothing mended. What was whole when
//! one came by is read, also while a stopped process holds the guard.

use std::io::ErrorKind;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::model::error::StateError;
use crate::store::disk::OpenMode;
use crate::store::state_dir::StateDir;

use super::segment_file::{ACTIVE, SegmentFile, closed_segments};
use super::segments::Segments;

/// Between two segments there is no active one, for microseconds; longer only after a crash in between.
const ROTATION: Duration = Duration::from_millis(50);

/// The segments in `directory`; `None` when nothing was journaled yet.
///
/// # Errors
/// When the directory can't be trusted, or the system refuses to read.
pub fn open_read_only(directory: &StateDir) -> Result<Option<Segments>, StateError> {
    let disk = &directory.disk;
    directory.check_place()?;
    if disk.metadata(&directory.path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(None);
    }
    directory.verify()?;
    let path = directory.path.join(ACTIVE);
    let deadline = Instant::now() + ROTATION;
    loop {
        // The active segment first: what is rotated after that is still whole behind this descriptor.
        let opened = SegmentFile::open(disk, path.clone(), OpenMode::Read);
        let mut closed = closed_segments(directory)?;
        match opened {
            Ok(file) => {
                let base = match (file.opening_record()?.and_then(|opened| opened.base), closed.last()) {
                    (Some(base), _) => base,
                    (None, Some((base, path))) => base + disk.metadata(path).map_or(0, |last| last.size),
                    (None, None) => 0,
                };
                closed.retain(|(known, _)| *known < base);
                return Ok(Some(Segments {
                    closed: Arc::new(closed),
                    active: (base, Arc::new(file)),
                    disk: Arc::clone(disk),
                }));
            }
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(StateError::io("open", &path, error));
            }
            Err(_) if Instant::now() < deadline && !closed.is_empty() => {
                thread::sleep(Duration::from_millis(1));
            }
            Err(_) => {
                let Some((base, path)) = closed.pop() else { return Ok(None) };
                let file = SegmentFile::open(disk, path.clone(), OpenMode::Read)
                    .map_err(|source| StateError::io("open", &path, source))?;
                let active = (base, Arc::new(file));
                return Ok(Some(Segments { closed: Arc::new(closed), active, disk: Arc::clone(disk) }));
            }
        }
    }
}
