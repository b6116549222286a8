//! Looking at the journal. A look writes no record of its own; an observer's look leaves no trace at all: no
//! folder is made, no guard taken, nothing mended. It reads what was whole when it came by, also while a
//! stopped process holds the guard.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::decision::history::{Gap, History};
use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::record::{FORMAT_VERSION, Record};
use crate::store::disk::Open;
use crate::store::journal::chain::{Chain, ChainEnd};
use crate::store::journal::recent::read_back;
use crate::store::journal::segment_file::{ACTIVE, SegmentFile, closed_segments};
use crate::store::journal::segments::Segments;
use crate::store::journal::{Check, Journal};
use crate::store::ledger::{Ledger, Needs};

use super::transaction::NotNow;
use super::{Gate, lock};

/// Between two segments there is no active one, for microseconds; longer only after a crash in between.
const ROTATION: Duration = Duration::from_millis(50);

/// The segments, what they say, and what is missing of them.
pub(super) type Observed = (Segments, History, Vec<Gap>);

/// The closed segments, and what was there when they were listed: a folder of many takes longer to list than a question to
/// answer.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    /// Where the active segment began.
    active: u64,
    /// When a name in the folder had changed last.
    modified_ms: i64,
    closed: Arc<Vec<(u64, PathBuf)>>,
}

impl Gate {
    /// Runs `step` with the ledger up to date. Writes only what waits to be written, because it belongs to
    /// what is looked for.
    pub(super) fn look<T>(
        &self,
        now: &Stamp,
        step: impl FnOnce(&Ledger) -> Result<T, StateError>,
    ) -> Result<T, NotNow> {
        let patience = self.patience();
        let needs = Needs { newest: true, open: true, ..Needs::default() };
        if lock(&self.light).waiting() > 0 {
            return self.with_ledger(&needs, patience, Check::All, now, |ledger, proof| {
                drop(proof);
                step(ledger)
            });
        }
        let mut slot = self.lock_slot(patience)?;
        drop(self.up_to_date(&mut slot, self.keep_ms(), &needs, patience, Check::All, now)?);
        let Some(ledger) = &slot.ledger else { return Err(NotNow::Busy) };
        let seen = step(ledger)?;
        lock(&self.health).works();
        Ok(seen)
    }

    /// The segments of the open journal.
    pub(super) fn segments_of(&self, journal: &Journal) -> Result<Segments, StateError> {
        let disk = &self.directory.disk;
        let active = journal.active().base;
        let modified_ms = disk.facts(&self.directory.path).ok().map(|facts| facts.modified_ms);
        let known = lock(&self.listed).clone();
        // Two changes of one moment look alike, so what we do ourselves is looked for: a rotation begins another active
        // segment, and who prunes deletes the oldest.
        if let Some(listed) = &known
            && listed.active == active
            && Some(listed.modified_ms) == modified_ms
            && listed.closed.first().is_none_or(|(_, path)| disk.facts(path).is_ok())
        {
            let active = (active, Arc::clone(&journal.active().file));
            return Ok(Segments { closed: Arc::clone(&listed.closed), active, disk: Arc::clone(disk) });
        }
        let segments = journal.segments()?;
        let closed = Arc::clone(&segments.closed);
        *lock(&self.listed) = modified_ms.map(|modified_ms| Listed { active, modified_ms, closed });
        Ok(segments)
    }

    /// The segments as they lie there; `None` when nothing was journaled yet.
    pub(super) fn observe(&self) -> Result<Option<Segments>, StateError> {
        let directory = &self.directory;
        let disk = &directory.disk;
        directory.check_place()?;
        if disk.facts(&directory.path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Ok(None);
        }
        directory.verify()?;
        let path = directory.path.join(ACTIVE);
        let deadline = Instant::now() + ROTATION;
        loop {
            // The active segment first: what is rotated after that is still whole behind this descriptor.
            let opened = SegmentFile::open(disk, path.clone(), Open::Read);
            let mut closed = closed_segments(directory)?;
            match opened {
                Ok(file) => {
                    let base = match (file.opening_record()?.and_then(|opened| opened.base), closed.last()) {
                        (Some(base), _) => base,
                        (None, Some((base, path))) => base + disk.facts(path).map_or(0, |last| last.size),
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
                    let file = SegmentFile::open(disk, path.clone(), Open::Read)
                        .map_err(|source| StateError::io("open", &path, source))?;
                    let active = (base, Arc::new(file));
                    return Ok(Some(Segments { closed: Arc::new(closed), active, disk: Arc::clone(disk) }));
                }
            }
        }
    }

    /// The segments, what they say, and what is missing of them; `None` when nothing was journaled yet. Without the guard
    /// others may close or prune segments meanwhile: what is missing is so at every look.
    pub(super) fn observe_all(&self, now: &Stamp) -> Result<Option<Observed>, StateError> {
        let Some(first) = self.observe_once(now)? else { return Ok(None) };
        if first.2.is_empty() {
            return Ok(Some(first));
        }
        let Some((segments, history, mut gaps)) = self.observe_once(now)? else { return Ok(None) };
        gaps.retain(|gap| first.2.contains(gap));
        Ok(Some((segments, history, gaps)))
    }

    fn observe_once(&self, now: &Stamp) -> Result<Option<Observed>, StateError> {
        let Some(segments) = self.observe()? else { return Ok(None) };
        let history = self.observed_history(&segments, now)?;
        let opened = segments.active.1.opening_record()?;
        let end = ChainEnd { base: segments.active.0, opened: opened.as_ref().map(Record::stamp) };
        let kept_from = history.kept_from.max(opened.and_then(|opened| opened.of.get(1).copied()));
        let gaps = Chain::default().gaps(&self.directory, end, kept_from, history.keep_ms(), now)?;
        Ok(Some((segments, history, gaps)))
    }

    /// What `segments` say, as far back as the window reaches.
    pub(super) fn observed_history(&self, segments: &Segments, now: &Stamp) -> Result<History, StateError> {
        let mut history = History::new(self.keep_ms(), self.settings.lock_expiry_ms);
        let recent = read_back(segments, history.keep_ms(), None, now)?;
        if let Some(version) = recent.newer_format {
            let path = self.directory.path.clone();
            return Err(StateError::NewerFormat { path, version, known: FORMAT_VERSION });
        }
        history.skipped = recent.skipped;
        for (seq, record) in recent.records {
            history.apply(seq, &record);
            history.count(&record);
        }
        recent.counted.iter().for_each(|counted| history.count_light(counted));
        Ok(history)
    }
}
