//! Which closed segments may go: the window beats the size.

use std::io;
use std::path::Path;

use crate::error::StateError;
use crate::store::state_dir::StateDir;
use crate::time::Stamp;

use super::backward::Backward;
use super::record::Line;
use super::segment::{ACTIVE, closed_segments};

/// What the journal is kept to.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// All segments together may have this many bytes.
    pub max_bytes: u64,
    /// A segment whose newest line is older than this goes, milliseconds.
    pub max_age_ms: u64,
    /// Nothing younger than this goes, whatever the size, milliseconds.
    pub keep_ms: u64,
}

/// Deletes the oldest closed segments while the journal is larger or older than `retention` wants it, but
/// none that has a line within its `keep_ms`. Returns how many went.
///
/// # Errors
/// When the directory can't be listed or a file can't be deleted.
pub fn prune(directory: &StateDir, retention: Retention, now: &Stamp) -> Result<usize, StateError> {
    let segments = closed_segments(directory)?;
    let size = |path: &Path| directory.disk.facts(path).map_or(0, |facts| facts.size);
    let mut total: u64 =
        segments.iter().map(|(_, path)| size(path)).sum::<u64>() + size(&directory.path.join(ACTIVE));
    let mut gone = 0;
    for (base, path) in segments {
        let age_ms = newest_age_ms(directory, base, &path, now).unwrap_or(0);
        let unwanted = total > retention.max_bytes || age_ms > retention.max_age_ms;
        if !unwanted || age_ms <= retention.keep_ms {
            // Segments are in order: what follows is younger.
            break;
        }
        total = total.saturating_sub(size(&path));
        match directory.disk.remove(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(StateError::io("delete", &path, source));
            }
            _ => gone += 1,
        }
    }
    Ok(gone)
}

/// How long ago the segment's last line was written; by the file's own time where no line says it. The younger of
/// the last two counts: the time of one alone may be damaged.
fn newest_age_ms(directory: &StateDir, base: u64, path: &Path, now: &Stamp) -> Option<u64> {
    let mut lines = Backward::new(&directory.disk, None, vec![(base, path.to_owned())]);
    let mut ages = Vec::new();
    while ages.len() < 2
        && let Ok(Some((_, line))) = lines.next_line()
    {
        ages.extend(Line::stamp(&line).map(|stamp| stamp.age_ms(now)));
    }
    ages.into_iter().min().or_else(|| {
        let facts = directory.disk.facts(path).ok()?;
        Some(Stamp { wall_ms: facts.modified_ms, ..Stamp::default() }.age_ms(now))
    })
}
