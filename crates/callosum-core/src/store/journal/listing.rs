//! The closed segments as they were listed last: a folder of many takes longer to list than a question to answer.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::error::StateError;

use super::Journal;
use super::segments::Segments;

/// What an open journal's segments are known by from one question to the next.
#[derive(Debug, Default)]
pub struct Listing(Mutex<Option<Listed>>);

/// The closed segments, and what was there when they were listed.
#[derive(Clone, Debug)]
struct Listed {
    /// Where the active segment began.
    active: u64,
    /// When a name in the folder had changed last.
    modified_ms: i64,
    closed: Arc<Vec<(u64, PathBuf)>>,
}

impl Listing {
    /// The segments of `journal`.
    ///
    /// # Errors
    /// When the folder can't be listed.
    pub fn segments(&self, journal: &Journal) -> Result<Segments, StateError> {
        let directory = journal.directory();
        let disk = &directory.disk;
        let active = journal.active().base;
        let modified_ms = disk.metadata(&directory.path).ok().map(|metadata| metadata.modified_ms);
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // Two changes of one moment look alike, so what we do ourselves is looked for: a rotation begins another active
        // segment, and who prunes deletes the oldest.
        if let Some(listed) = &known
            && listed.active == active
            && Some(listed.modified_ms) == modified_ms
            && listed.closed.first().is_none_or(|(_, path)| disk.metadata(path).is_ok())
        {
            let active = (active, Arc::clone(&journal.active().file));
            return Ok(Segments { closed: Arc::clone(&listed.closed), active, disk: Arc::clone(disk) });
        }
        let segments = journal.segments()?;
        let closed = Arc::clone(&segments.closed);
        self.put(modified_ms.map(|modified_ms| Listed { active, modified_ms, closed }));
        Ok(segments)
    }

    /// The journal may be another one.
    pub fn forget(&self) {
        self.put(None);
    }

    fn put(&self, listed: Option<Listed>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = listed;
    }
}
