//! The journal: the only truth. One JSON object a line, appended under the state guard.
//!
//! `journal.jsonl` is the active segment, `journal.<base>.jsonl` are closed ones. A record's sequence
//! number is its logical byte offset, segment base plus position: it rises strictly, and survives torn
//! and foreign lines.

pub mod backward;
pub mod chain;
pub mod forward;
pub mod line_counts;
pub mod line_start;
pub mod listing;
pub mod order;
pub mod read_only;
pub mod recent;
pub mod retention;
pub mod segment;
pub mod segment_file;
pub mod segments;
pub mod span;

use std::sync::Arc;
use std::time::Instant;

use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::store::state_dir::StateDir;
use crate::store::state_guard::{Held, StateGuard};

use self::segment::{Carried, Endless, Segment, Vanished};
use self::segment_file::closed_segments;
use self::segments::{LinesAt, Segments};

pub use self::segment::Appended;
use crate::record::light::LightLine;
use crate::record::{Action, Line, Record};

/// Whether the active segment still is the file at its path is looked at no more often than this below tier 2, milliseconds.
const NAME_CHECK_MS: u64 = 5;

/// The guard and the first segment of a new journal are made within this time, milliseconds.
const BEGINNING_MS: u64 = 10_000;

/// So much is read with the guard held by a thread that may wait.
const GUARDED_BYTES: u64 = 4 << 20;

/// How a journal was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Its file is there and has nothing in it.
    Emptied,
    /// Its file is gone.
    Deleted,
    /// It ends before what its index says of it, or what was read of it.
    CutOff,
    /// In its place there is another one, or bytes of it are gone or changed.
    Replaced,
    /// A closed segment is gone, or was cut off, or another file is in its place.
    Segment,
}

impl Loss {
    /// What happened to the journal, for a sentence about it.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Emptied => "was emptied",
            Self::Deleted => "was deleted",
            Self::CutOff => "was cut off",
            Self::Replaced => "was deleted, cut off, replaced or damaged",
            Self::Segment => "was robbed of closed segments or parts of them: files `journal.<number>.jsonl`",
        }
    }
}

/// How long a step may wait for the state guard.
#[derive(Clone, Copy, Debug)]
pub enum Patience {
    /// Not at all: the caller is on a host's event loop.
    None,
    /// The same on a thread of its own, which others wait behind.
    Brief,
    /// Until this moment, on a thread that may wait.
    Until(Instant),
}

impl Patience {
    /// Takes the guard; `None` when it is busy and there is no patience.
    ///
    /// # Errors
    /// As [`StateGuard::try_hold`] and [`StateGuard::hold_until`].
    pub fn hold(self, guard: &StateGuard) -> Result<Option<Held>, StateError> {
        match self {
            Self::None | Self::Brief => guard.try_hold(),
            Self::Until(deadline) => guard.hold_until(deadline).map(Some),
        }
    }

    /// How many bytes of other processes' lines may be read here and now.
    #[must_use]
    pub fn read_limit(self) -> u64 {
        match self {
            Self::None | Self::Brief => 64 * 1024,
            Self::Until(_) => u64::MAX,
        }
    }

    /// Until when a thread that may wait does.
    #[must_use]
    pub fn deadline(self) -> Option<Instant> {
        match self {
            Self::None | Self::Brief => None,
            Self::Until(deadline) => Some(deadline),
        }
    }

    /// How many bytes may be read while the guard is held: what there is more of is read without it first.
    fn guarded_limit(self) -> u64 {
        match self {
            Self::None | Self::Brief => self.read_limit(),
            Self::Until(_) => GUARDED_BYTES,
        }
    }
}

/// What is looked at, besides the journal's end, before something is written. Each look at a path is a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Every few milliseconds whether the journal still is the file at its path.
    Seldom,
    /// That, now: for what may be evidence.
    Journal,
    /// Besides whether the guard is, too, and nobody else may write the directory: for what decides.
    All,
}

/// Proof that the guard is held and everything in the journal has been read: what a decision needs.
#[derive(Debug)]
pub struct UpToDate {
    _held: Held,
}

/// Sizes that rotation goes by.
#[derive(Clone, Copy, Debug)]
pub struct SegmentLimit {
    /// A segment that has grown to this many bytes is closed.
    pub bytes: u64,
}

/// The open journal of one state directory.
#[derive(Debug)]
pub struct Journal {
    directory: StateDir,
    guard: StateGuard,
    active: Segment,
    /// The segment to begin, while a rotation is cut off behind its closing line.
    next: Option<Next>,
    limit: SegmentLimit,
    instance: String,
    /// When it was last looked whether the active segment still is the file at its path.
    name_checked: Option<Stamp>,
}

/// What a new segment begins with.
#[derive(Debug)]
struct Next {
    base: u64,
    carried: Carried,
}

impl Journal {
    /// Opens the journal in `directory`, making both where they are missing. `None` when the guard is busy
    /// and there is no patience.
    ///
    /// # Errors
    /// When the directory can't be trusted or used, or the guard is not free in time.
    pub fn open(
        directory: &StateDir,
        limit: SegmentLimit,
        instance: &str,
        patience: Patience,
        now: &Stamp,
    ) -> Result<Option<Self>, StateError> {
        directory.prepare()?;
        let guard = StateGuard::open(directory)?;
        let Some(_held) = patience.hold(&guard)? else { return Ok(None) };
        let active = Segment::open_or_begin(directory, instance, now)?;
        Ok(Some(Self {
            directory: directory.clone(),
            guard,
            active,
            next: None,
            limit,
            instance: instance.to_owned(),
            name_checked: None,
        }))
    }

    /// The state directory.
    #[must_use]
    pub fn directory(&self) -> &StateDir {
        &self.directory
    }

    /// The guard of this journal.
    #[must_use]
    pub fn guard(&self) -> &StateGuard {
        &self.guard
    }

    /// The active segment, as far as it is known here.
    #[must_use]
    pub fn active(&self) -> &Segment {
        &self.active
    }

    /// Starts reading at `offset` of the active segment: what lies before has been read otherwise.
    pub fn read_on_from(&mut self, offset: u64) {
        self.active.go_on_from(offset);
    }

    /// How the journal was lost, as far as whoever opens it can see; `None` where nothing is missing.
    #[must_use]
    pub fn is_lost(&self, now: &Stamp) -> Option<Loss> {
        match self.active.replaces()? {
            Vanished::Emptied => Some(Loss::Emptied),
            // The guard is never deleted, and made right before the first journal: an older one has guarded another.
            Vanished::Missing => self.guard.is_older_than(BEGINNING_MS, now).then_some(Loss::Deleted),
        }
    }

    /// What was met last that is too long to be a line.
    #[must_use]
    pub fn endless(&self) -> Option<Endless> {
        self.active.endless()
    }

    /// Goes on with another segment.
    fn go_on_with(&mut self, mut segment: Segment) {
        // Whoever writes an index goes through the segments before, too.
        if let Some(endless) = self.active.endless() {
            segment.note_endless(endless);
        }
        self.active = segment;
    }

    /// Notes what others have met in the active segment that is too long to be a line.
    pub fn note_endless(&mut self, endless: Endless) {
        self.active.note_endless(endless);
    }

    /// Starts reading in an earlier, closed segment: from there reading follows to the active one.
    pub fn start_at(&mut self, segment: Segment) {
        self.active = segment;
    }

    /// Takes the guard and reads on to the end of the journal, handing each line with its sequence number
    /// to `sink`. `None` when the guard is busy or more is unread than the patience allows.
    ///
    /// # Errors
    /// [`StateError::Replaced`] when the files are no longer the ones that were opened; [`StateError::Unread`] when there is
    /// more to read than time; why the directory can't be trusted any more; or the system's refusal.
    pub fn catch_up(
        &mut self,
        patience: Patience,
        check: Check,
        now: &Stamp,
        sink: &mut dyn FnMut(u64, Line),
    ) -> Result<Option<UpToDate>, StateError> {
        let Some(deadline) = patience.deadline() else {
            return self.catch_up_held(patience, check, now, sink);
        };
        loop {
            if self.next.is_none() {
                self.read_ahead(deadline, sink)?;
            }
            // `None`: so much came meanwhile that it is to be read without the guard.
            if let Some(proof) = self.catch_up_held(patience, check, now, sink)? {
                return Ok(Some(proof));
            }
            if Instant::now() >= deadline {
                return Err(self.active.unread_in_time());
            }
        }
    }

    /// Takes the guard and reads what is left.
    fn catch_up_held(
        &mut self,
        patience: Patience,
        check: Check,
        now: &Stamp,
        sink: &mut dyn FnMut(u64, Line),
    ) -> Result<Option<UpToDate>, StateError> {
        let Some(held) = patience.hold(&self.guard)? else { return Ok(None) };
        if check == Check::All {
            self.directory.verify()?;
            if !self.guard.is_current() {
                return Err(self.replaced());
            }
        }
        if self.next.is_some() {
            // What was open is closed, and who held the guard since may have begun the next.
            return Err(self.replaced());
        }
        let mut budget = patience.guarded_limit();
        let lately = self.name_checked.is_some_and(|checked| checked.is_close_to(now, NAME_CHECK_MS));
        let look_at_path = check != Check::Seldom || !lately;
        if look_at_path {
            self.name_checked = Some(*now);
        }
        // A closed segment may have lost its closing line to a power cut: nobody reads what is behind it.
        let mut is_active;
        loop {
            let at_path =
                if look_at_path { self.active.refresh_size_if_active_in(&self.directory)? } else { None };
            is_active = at_path.is_some() || !look_at_path;
            let size = match at_path {
                Some(size) => size,
                None => self.active.refresh_size(look_at_path)?,
            };
            if size < self.active.read {
                return Err(self.replaced());
            }
            let unread = self.active.unread();
            if unread > budget {
                return Ok(None);
            }
            budget -= unread;
            match self.active.read_on(None, sink)? {
                None if self.active.end_whole_line(&self.directory)? => {}
                None => break,
                Some(closing) => self.follow(closing.next_base, now)?,
            }
        }
        if self.active.is_opened_as_closed() || !is_active {
            return Err(self.replaced());
        }
        Ok(Some(UpToDate { _held: held }))
    }

    /// Goes on to the segment that follows a closed one, finishing a rotation that was cut off between the
    /// closing line and the new file.
    fn follow(&mut self, next_base: u64, now: &Stamp) -> Result<(), StateError> {
        if self.active.is_active_in(&self.directory)? {
            self.active.retire(&self.directory)?;
            let (journal, carried) = (self.active.journal, Carried::default());
            let begun = Segment::begin(&self.directory, next_base, journal, &self.instance, now, carried)?;
            self.go_on_with(begun);
            return Ok(());
        }
        let next = Segment::open_at(&self.directory, next_base)?;
        self.go_on_with(next.ok_or_else(|| self.replaced())?);
        Ok(())
    }

    /// Reads on without the guard, as far as whole lines go: who comes from far behind must not keep everybody
    /// else waiting. What is left is read with the guard held.
    fn read_ahead(&mut self, until: Instant, sink: &mut dyn FnMut(u64, Line)) -> Result<(), StateError> {
        while self.active.refresh_size(false)? > self.active.read {
            let Some(closing) = self.active.read_on(Some(until), sink)? else { break };
            let Some(next) = Segment::open_at(&self.directory, closing.next_base)? else {
                // A rotation is at work, or was cut off here: with the guard it is known.
                self.active.go_on_from(closing.at);
                break;
            };
            self.go_on_with(next);
        }
        Ok(())
    }

    fn replaced(&self) -> StateError {
        StateError::Replaced { path: self.directory.path.clone() }
    }

    /// Appends one record with one write.
    ///
    /// # Errors
    /// When the line could not be written whole; what was written of it is taken back. When a rotation was
    /// cut off and can't be finished now: behind a closing line nobody reads.
    pub fn append(&mut self, proof: &UpToDate, record: &Record, now: &Stamp) -> Result<Appended, StateError> {
        self.begin_next(now)?;
        self.append_here(proof, record)
    }

    fn append_here(&mut self, _proof: &UpToDate, record: &Record) -> Result<Appended, StateError> {
        let line = record.to_line().map_err(|source| self.cannot_encode(source))?;
        self.active.append(&line)
    }

    /// Appends the line of a tier 0 or 1 call.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn append_light(
        &mut self,
        proof: &UpToDate,
        line: &LightLine<'_>,
        now: &Stamp,
    ) -> Result<Appended, StateError> {
        let line = line.to_bytes().map_err(|source| self.cannot_encode(source))?;
        self.append_encoded(proof, &line, now)
    }

    /// Appends such lines as they were encoded before, newlines included; what is returned is about them as if they were one.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn append_encoded(
        &mut self,
        _proof: &UpToDate,
        lines: &[u8],
        now: &Stamp,
    ) -> Result<Appended, StateError> {
        self.begin_next(now)?;
        self.active.append(lines)
    }

    fn cannot_encode(&self, source: serde_json::Error) -> StateError {
        StateError::Encode { path: self.active.file.path().to_owned(), source }
    }

    /// How many times the active segment has grown to its limit.
    #[must_use]
    pub fn fullness(&self) -> u64 {
        self.active.size() / self.limit.bytes.max(1)
    }

    /// Closes the active segment and begins a new one whose first line carries on what is known. Returns the
    /// closing line, unless it was there already: a rotation that was cut off is finished.
    ///
    /// # Errors
    /// When a file can't be written or renamed. A half-done rotation is finished by the next reader.
    pub fn rotate(
        &mut self,
        proof: &UpToDate,
        now: &Stamp,
        carried: Carried,
    ) -> Result<Option<Appended>, StateError> {
        if self.next.is_some() {
            return self.begin_next(now).map(|()| None);
        }
        let mut closing = Record::new(Action::Closed, &self.instance, now);
        // The closing line ends where the next segment begins, so its own length is part of what it says.
        // The digits of the base may make the line longer, so the length is settled by a second look.
        let mut next_base = self.active.base + self.active.size();
        for _ in 0..3 {
            closing.base = Some(next_base);
            let length = closing.to_line().map_or(0, |line| line.len() as u64);
            next_base = self.active.base + self.active.next_line_start() + length;
        }
        let closed = self.append_here(proof, &closing)?;
        self.next = Some(Next { base: next_base, carried });
        self.begin_next(now)?;
        Ok(Some(closed))
    }

    /// Whether a rotation was cut off behind its closing line, and is not finished yet.
    #[must_use]
    pub fn is_between_segments(&self) -> bool {
        self.next.is_some()
    }

    /// Does what is left of a rotation.
    fn begin_next(&mut self, now: &Stamp) -> Result<(), StateError> {
        let Some(Next { base, carried }) = &self.next else { return Ok(()) };
        if self.active.is_active_in(&self.directory)? {
            self.active.retire(&self.directory)?;
        } else if self.active.is_another_active_in(&self.directory)? {
            return Err(self.replaced());
        }
        let (journal, carried) = (self.active.journal, carried.clone());
        let begun = Segment::begin(&self.directory, *base, journal, &self.instance, now, carried)?;
        self.go_on_with(begun);
        self.next = None;
        Ok(())
    }

    /// Reads single lines by sequence number, of the segments that are there when it has to.
    #[must_use]
    pub fn lines(&self) -> LinesAt {
        LinesAt::within(self.directory.clone(), (self.active.base, Arc::clone(&self.active.file)))
    }

    /// All segments that are there.
    ///
    /// # Errors
    /// When the directory can't be listed.
    pub fn segments(&self) -> Result<Segments, StateError> {
        // Before the first one there is none: the hooks beside a young journal list no folder.
        let mut closed = if self.active.base == 0 { Vec::new() } else { closed_segments(&self.directory)? };
        closed.retain(|(base, _)| *base < self.active.base);
        Ok(Segments {
            closed: Arc::new(closed),
            active: (self.active.base, Arc::clone(&self.active.file)),
            disk: Arc::clone(&self.directory.disk),
        })
    }
}

#[cfg(test)]
mod tests;
