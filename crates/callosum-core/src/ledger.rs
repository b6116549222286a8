//! The journal on disk and the history in memory, kept in step.

use crate::error::StateError;
use crate::history::History;
use crate::journal::index::{Covered, Index};
use crate::journal::light::LightLine;
use crate::journal::recent::read_back;
use crate::journal::record::{FORMAT_VERSION, Line, Record};
use crate::journal::retention::{self, Retention};
use crate::journal::segment::{Segment, segment_path};
use crate::journal::{Appended, Journal, Patience, SegmentLimit, UpToDate};
use crate::store::state_dir::StateDir;
use crate::time::Stamp;

/// What may be looked up through the index without patience.
const IMPATIENT_RECORDS: usize = 200;
/// A new index is worth writing once this many bytes came since the last, and a journal smaller than this
/// needs none: it is read whole as fast.
const INDEX_STEP: u64 = 256 * 1024;

/// How a ledger is opened.
#[derive(Clone, Debug)]
pub struct LedgerOptions {
    /// The state directory.
    pub directory: StateDir,
    /// Who writes.
    pub instance: String,
    /// How far back history is kept, milliseconds.
    pub keep_ms: u64,
    /// The lease of an action that names none, milliseconds.
    pub default_lease_ms: u64,
    /// When a segment is closed.
    pub limit: SegmentLimit,
}

/// An open journal and everything within the window that it says.
#[derive(Debug)]
pub struct Ledger {
    journal: Journal,
    history: History,
    /// Segment base and offset up to which an index is on disk.
    indexed: (u64, u64),
    prune_due: bool,
}

impl Ledger {
    /// Opens the journal and reads it as far back as the window reaches; through the index, where there is
    /// one that fits and `use_index` is set. `None` when that needs more patience than there is.
    ///
    /// # Errors
    /// When the state directory can't be used.
    pub fn open(
        options: &LedgerOptions,
        use_index: bool,
        patience: Patience,
        now: &Stamp,
    ) -> Result<Option<Self>, StateError> {
        let opened = Journal::open(&options.directory, options.limit, &options.instance, patience, now)?;
        let Some(journal) = opened else { return Ok(None) };
        let history = History::new(options.keep_ms, options.default_lease_ms);
        let mut ledger = Self { journal, history, indexed: (0, 0), prune_due: true };
        if use_index && ledger.load_index(patience) {
            return Ok(Some(ledger));
        }
        ledger.history = History::new(options.keep_ms, options.default_lease_ms);
        Ok(ledger.read_back(patience, now)?.then_some(ledger))
    }

    /// What the journal says.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The journal.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Builds the history from the records the index names. False, with the history half-built, when the
    /// index does not fit.
    fn load_index(&mut self, patience: Patience) -> bool {
        let directory = self.journal.directory().clone();
        let Some(index) = Index::read(&directory) else { return false };
        if index.keep_ms < self.history.keep_ms()
            || (matches!(patience, Patience::None) && index.seqs.len() > IMPATIENT_RECORDS)
        {
            return false;
        }
        let Ok(segments) = self.journal.segments() else { return false };
        let mut lines = segments.lines();
        let Some(last) = lines.at(index.last_line) else { return false };
        if !index.is_bound_to(&last) {
            return false;
        }
        for seq in &index.seqs {
            match lines.at(*seq).map(|line| Line::read(&line)) {
                Some(Line::Record(record)) => self.history.apply(*seq, &record),
                _ => return false,
            }
        }
        index.restore_counts(&mut self.history);
        let active_base = self.journal.active().base;
        if index.base != active_base {
            // It covers a segment that has been closed since: read on there, and follow.
            match Segment::open(&directory.disk, &segment_path(&directory.path, index.base)) {
                Ok(Some(segment)) if segment.base == index.base => self.journal.start_at(segment),
                _ => return false,
            }
        }
        self.journal.read_on_from(index.covered);
        self.indexed = (index.base, index.covered);
        true
    }

    /// Reads back to the window's edge. False when there is more to read than the patience allows.
    fn read_back(&mut self, patience: Patience, now: &Stamp) -> Result<bool, StateError> {
        let segments = self.journal.segments()?;
        if segments.bytes() > patience.read_limit() {
            return Ok(false);
        }
        let recent = read_back(&segments, self.history.keep_ms(), now)?;
        self.history.skipped += recent.skipped;
        self.history.newer_format = recent.newer_format;
        let carried = self.journal.active().windows.clone();
        self.history.carry_windows(&carried, now.wall_ms);
        for (seq, record) in recent.records {
            self.history.apply(seq, &record);
        }
        self.journal.read_on_from(recent.read);
        Ok(true)
    }

    /// Takes the guard and brings the history up to date; `None` without enough patience.
    ///
    /// # Errors
    /// As [`Journal::catch_up`], and [`StateError::NewerFormat`] when a line can't be understood here.
    pub fn catch_up(
        &mut self,
        patience: Patience,
        check_paths: bool,
        now: &Stamp,
    ) -> Result<Option<UpToDate>, StateError> {
        let history = &mut self.history;
        let mut sink = |seq: u64, line: Line| match line {
            Line::Record(record) => history.apply(seq, &record),
            Line::Foreign => history.skipped += 1,
            Line::Newer(version) => history.newer_format = history.newer_format.max(Some(version)),
            Line::Light | Line::Blank => {}
        };
        let proof = self.journal.catch_up(patience, check_paths, now, &mut sink)?;
        match self.history.newer_format {
            Some(version) => Err(StateError::NewerFormat {
                path: self.journal.directory().path.clone(),
                version,
                known: FORMAT_VERSION,
            }),
            None => Ok(proof),
        }
    }

    /// Appends a record and takes it into the history. Closes the segment when it is full.
    ///
    /// # Errors
    /// When the record could not be written. A rotation that fails is tried again with the next record:
    /// the record itself is in the journal.
    pub fn append(&mut self, proof: &UpToDate, record: &Record, now: &Stamp) -> Result<Appended, StateError> {
        let appended = self.journal.append(proof, record, now)?;
        self.history.apply(appended.seq, record);
        self.appended(proof, &appended, now);
        Ok(appended)
    }

    /// Appends the line of a tier 0 or 1 call, which no decision looks at.
    ///
    /// # Errors
    /// As [`Ledger::append`].
    pub fn append_light(
        &mut self,
        proof: &UpToDate,
        line: &LightLine<'_>,
        now: &Stamp,
    ) -> Result<(), StateError> {
        let appended = self.journal.append_light(proof, line, now)?;
        self.appended(proof, &appended, now);
        Ok(())
    }

    fn appended(&mut self, proof: &UpToDate, appended: &Appended, now: &Stamp) {
        if appended.ended_torn_line {
            self.history.skipped += 1;
        }
        if self.journal.is_full() && self.rotate(proof, now).is_ok() {
            self.prune_due = true;
        }
    }

    /// Closes the active segment and begins a new one.
    ///
    /// # Errors
    /// As [`Journal::rotate`].
    pub fn rotate(&mut self, proof: &UpToDate, now: &Stamp) -> Result<(), StateError> {
        self.journal.rotate(proof, now, self.history.windows.clone())
    }

    /// Forgets what is out of every window, deletes segments that `retention` lets go, and writes the index
    /// when it is worth it or `closing`. For a thread that may wait; the guard must be free for others.
    ///
    /// # Errors
    /// When a file can't be written or deleted.
    pub fn tidy(
        &mut self,
        retention: Retention,
        retry_window_ms: u64,
        closing: bool,
        now: &Stamp,
    ) -> Result<(), StateError> {
        self.history.prune(now, retry_window_ms);
        if self.prune_due {
            let named = self.history.windows.values().map(|window| window.ms).max().unwrap_or(0);
            let keep_ms = retention.keep_ms.max(named).max(self.history.keep_ms());
            retention::prune(self.journal.directory(), Retention { keep_ms, ..retention }, now)?;
            self.prune_due = false;
        }
        let active = self.journal.active();
        let since = if self.indexed.0 == active.base { self.indexed.1 } else { 0 };
        let fresh = active.read.saturating_sub(since);
        let large = active.base + active.read > INDEX_STEP;
        if fresh > INDEX_STEP || (closing && fresh > 0 && large) {
            self.write_index()?;
        }
        Ok(())
    }

    fn write_index(&mut self) -> Result<(), StateError> {
        let active = self.journal.active();
        let (base, read) = (active.base, active.read);
        // The last line read is the one before `read`: it is found by reading back from there.
        let Some((last_line, line)) = last_line_before(active, read)? else { return Ok(()) };
        let covered = Covered { base, bytes: read, last_line, line: &line };
        Index::of(&self.history, covered).write(self.journal.directory())?;
        self.indexed = (base, read);
        Ok(())
    }
}

/// The whole line that ends at offset `end` of a segment: sequence number and bytes.
fn last_line_before(segment: &Segment, end: u64) -> Result<Option<(u64, Vec<u8>)>, StateError> {
    let mut length = 1024.min(end);
    while length > 0 {
        let mut tail = vec![0; usize::try_from(length).unwrap_or(0)];
        segment.file.read_exact_at(&mut tail, end - length)?;
        let Some((b'\n', body)) = tail.split_last() else { return Ok(None) };
        let start = match body.iter().rposition(|byte| *byte == b'\n') {
            Some(newline) => newline + 1,
            None if length == end => 0,
            None => {
                length = (length * 2).min(end);
                continue;
            }
        };
        let line = body.get(start..).unwrap_or_default().to_vec();
        return Ok(Some((segment.base + end - length + start as u64, line)));
    }
    Ok(None)
}
