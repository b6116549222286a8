//! Whether the closed segments are all there, and whole: each ends where the next one begins.
//!
//! Who holds the guard and has read to the end knows how far was pruned, because that is noted before anything is deleted, and
//! nobody else closes a segment meanwhile.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::decision::history::{Gap, History};
use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::record::{Action, Line, Record};
use crate::store::disk::{Disk, Metadata, OpenMode};
use crate::store::state_dir::StateDir;

use super::recent::SLACK_MS;
use super::segment_file::{SegmentFile, closed_segments};
use super::segments::Segments;

/// Bytes in which a closing line stands.
const TAIL: u64 = 1024;

/// Where the chain of closed segments ends: the active one.
#[derive(Clone, Copy, Debug)]
pub struct ChainEnd {
    /// Its base.
    pub base: u64,
    /// When it was begun, if its first line says so.
    pub opened: Option<Stamp>,
}

/// The closed segments as they were when they were looked at last.
#[derive(Debug, Default)]
pub struct Chain {
    seen: Vec<Seen>,
}

/// A closed segment whose file was looked into.
#[derive(Clone, Copy, Debug)]
struct Seen {
    base: u64,
    /// Where the next one begins.
    next: u64,
    metadata: Metadata,
    /// It is what was closed under this name, as far as its length does not tell otherwise.
    is_own: bool,
    /// When it was begun.
    opened: Option<Stamp>,
}

/// What is missing of `segments`, by what `history` made of them; for whoever only looks.
///
/// # Errors
/// As [`Chain::gaps`].
pub fn gaps_without_guard(
    directory: &StateDir,
    segments: &Segments,
    history: &History,
    now: &Stamp,
) -> Result<Vec<Gap>, StateError> {
    let opened = segments.active.1.opening_record()?;
    let end = ChainEnd { base: segments.active.0, opened: opened.as_ref().map(Record::stamp) };
    let kept_from = history.kept_from.max(opened.and_then(|opened| opened.kept_from()));
    Chain::default().gaps(directory, end, kept_from, history.keep_ms(), now)
}

impl Chain {
    /// What is missing between the closed segments in `directory`, from those with lines within the last `keep_ms` on.
    /// Nothing before `kept_from` is missed, nor before the oldest segment where nobody said how far was pruned.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn gaps(
        &mut self,
        directory: &StateDir,
        end: ChainEnd,
        kept_from: Option<u64>,
        keep_ms: u64,
        now: &Stamp,
    ) -> Result<Vec<Gap>, StateError> {
        let edge_ms = keep_ms.saturating_add(SLACK_MS);
        let is_old = |opened: Option<Stamp>| opened.is_some_and(|opened| opened.age_ms(now) > edge_ms);
        let kept = kept_from.unwrap_or(0);
        let (mut next, mut gaps) = (end.base, Vec::new());
        let mut before = std::mem::take(&mut self.seen);
        if next <= kept || is_old(end.opened) {
            return Ok(gaps);
        }
        let mut closed = closed_segments(directory)?;
        closed.retain(|(base, _)| *base < end.base);
        while let Some((base, path)) = closed.pop().filter(|_| next > kept) {
            let metadata = match directory.disk.metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => return Err(StateError::io("examine", &path, source)),
            };
            let is_as_seen = |seen: &Seen| (seen.base, seen.next, seen.metadata) == (base, next, metadata);
            let known = before.iter().position(is_as_seen).map(|place| before.swap_remove(place));
            let seen = match known {
                Some(seen) => seen,
                None => look(&directory.disk, &path, base, next, metadata)?,
            };
            let from =
                if seen.is_own { base.saturating_add(metadata.size).max(kept) } else { base.max(kept) };
            if from < next {
                gaps.push(Gap { from, to: next });
            }
            self.seen.push(seen);
            next = base;
            if is_old(seen.opened) {
                return Ok(gaps);
            }
        }
        if let Some(kept) = kept_from.filter(|kept| *kept < next) {
            gaps.push(Gap { from: kept, to: next });
        }
        Ok(gaps)
    }
}

/// Looks into the file of a closed segment.
fn look(
    disk: &Arc<dyn Disk>,
    path: &Path,
    base: u64,
    next: u64,
    metadata: Metadata,
) -> Result<Seen, StateError> {
    let unseen = Seen { base, next, metadata, is_own: false, opened: None };
    let file = match SegmentFile::open(disk, path.to_owned(), OpenMode::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(unseen),
        Err(source) => return Err(StateError::io("open", path, source)),
    };
    if file.belongs_elsewhere(base)? {
        return Ok(unseen);
    }
    let opened = file.opening_record()?.map(|opened| opened.stamp());
    // Of more than there was, only what closes it tells whether it is still there.
    let is_longer = base.saturating_add(metadata.size) > next;
    let is_own = !is_longer || closes_at(&file, next - base, next)?;
    Ok(Seen { is_own, opened, ..unseen })
}

/// Whether a closing line that says `next` ends at `offset`.
fn closes_at(file: &SegmentFile, offset: u64, next: u64) -> Result<bool, StateError> {
    let from = offset.saturating_sub(TAIL);
    let mut tail = vec![0; usize::try_from(offset - from).unwrap_or(0)];
    file.read_exact_at(&mut tail, from)?;
    let Some((b'\n', lines)) = tail.split_last() else { return Ok(false) };
    let last = lines.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(
        matches!(Line::read(last), Line::Record(record) if record.action == Action::Closed && record.base == Some(next)),
    )
}
