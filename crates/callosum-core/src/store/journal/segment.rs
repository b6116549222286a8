//! One segment of the journal: a file, where it begins in the journal, and how far it was read.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::de::IgnoredAny;

use super::segment_file::{
    ACTIVE, CHUNK, MAX_LINE, NEXT, SegmentFile, closed_segments, segment_path, write_whole,
};
use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::store::disk::{Disk, Metadata, OpenMode};
use crate::store::state_dir::StateDir;

use crate::record::{Action, JournalId, KnownWindow, Line, Record};

/// An appended record.
#[derive(Debug)]
pub struct Appended {
    /// Its sequence number.
    pub seq: u64,
    /// Where its line ends, as an offset in its segment's file.
    pub end: u64,
    /// The file to flush to make it durable.
    pub file: Arc<SegmentFile>,
    /// Whether an unfinished line of somebody else had to be ended first.
    pub ended_torn_line: bool,
}

/// A segment and how far this process has read it.
#[derive(Debug)]
pub struct Segment {
    /// Its open file.
    pub file: Arc<SegmentFile>,
    /// The sequence number of its first byte.
    pub base: u64,
    /// Bytes read so far: always the end of a whole line.
    pub read: u64,
    size: u64,
    identity: (u64, u64),
    opened_as_closed: bool,
    /// Which journal its first line says it is of; earlier versions did not say it.
    pub journal: Option<JournalId>,
    /// What its first line carries on.
    pub carried: Carried,
    /// When it was begun, if its first line says so and where it begins.
    pub opened: Option<Stamp>,
    /// The end of the last line read or written here, its newline left out. None before the first, and where it is shorter.
    tail: Option<Tail>,
    /// It stands in the place of a journal of which nothing is left.
    replaces: Option<Vanished>,
    /// What was met last that is too long to be a line.
    endless: Option<Endless>,
    /// The end of that, where it was read here.
    endless_tail: Option<Tail>,
}

/// Bytes without a newline, too many to be a line of ours: whoever knows of them need not read them again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endless {
    /// Where the line begins, as a sequence number.
    pub from: u64,
    /// Up to where there is no newline, so far, as a sequence number.
    pub to: u64,
}

/// Between two looks at the clock so much is read.
const STEP: u64 = 1 << 20;

/// What the first line of a segment carries on from those before it.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    /// The windows known, by instance.
    pub windows: BTreeMap<String, KnownWindow>,
    /// Where the oldest segment begins that was not pruned, if whoever begins this one knows.
    pub kept_from: Option<u64>,
}

/// How many bytes of its last line a segment is known again by.
const TAIL: usize = 32;
type Tail = [u8; TAIL];

/// What a process that comes to the journal finds in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vanished {
    /// A file without a byte. Ours are whole before they get their name.
    Emptied,
    /// No file. There was none before, or it was deleted.
    Missing,
}

/// What a segment is known again by: where it begins, and what was read of it.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    base: u64,
    read: u64,
    tail: Option<Tail>,
}

impl Trace {
    /// Whether the journal in `directory`, whose active segment begins at `active`, still has what was read. What was pruned
    /// is not missed.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn is_in(&self, directory: &StateDir, active: u64) -> Result<bool, StateError> {
        match Segment::open_at(directory, self.base)? {
            Some(mut segment) => {
                (segment.read, segment.tail) = (self.read, self.tail);
                Ok(segment.size >= self.read && segment.ends_as_read()?)
            }
            None => Ok(active >= self.base + self.read),
        }
    }
}

/// The line that closes a segment.
#[derive(Clone, Copy, Debug)]
pub struct Closing {
    /// Where it begins, as an offset in the segment's file.
    pub at: u64,
    /// Where the next segment begins, as a sequence number.
    pub next_base: u64,
}

impl Segment {
    /// Opens the segment at `path`; `None` when there is no file. Its base is 0 and may be corrected when
    /// it has no first line of ours.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open(disk: &Arc<dyn Disk>, path: &Path) -> Result<Option<Self>, StateError> {
        let file = match SegmentFile::open(disk, path.to_owned(), OpenMode::Append) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StateError::io("open", path, source)),
        };
        let metadata = file.metadata()?;
        if metadata.mode & 0o077 != 0 {
            // The original plugin left its journal readable by all; it holds what agents did.
            file.file.make_private().map_err(|source| StateError::io("set the mode of", path, source))?;
        }
        let mut segment = Self {
            identity: metadata.identity,
            opened_as_closed: path.file_name().is_some_and(|name| name != ACTIVE),
            size: metadata.size,
            file: Arc::new(file),
            base: 0,
            read: 0,
            journal: None,
            carried: Carried::default(),
            opened: None,
            tail: None,
            replaces: None,
            endless: None,
            endless_tail: None,
        };
        if let Some(opened) = segment.file.opening_record()? {
            segment.opened = Some(opened.stamp());
            segment.base = opened.base.unwrap_or(0);
            segment.journal = opened.journal;
            segment.carried = Carried { kept_from: opened.kept_from(), windows: opened.windows };
        }
        Ok(Some(segment))
    }

    /// Opens the segment that begins at `base`, closed or active; `None` when there is none. Without the guard
    /// there may be none for a moment, in the middle of a rotation.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open_at(directory: &StateDir, base: u64) -> Result<Option<Self>, StateError> {
        let closed = segment_path(&directory.path, base);
        // Once more at the closed one's path: between the two looks the active one may have become it.
        for path in [&closed, &directory.path.join(ACTIVE), &closed] {
            let segment = Self::open(&directory.disk, path)?;
            if let Some(segment) = segment.filter(|segment| segment.base == base) {
                return Ok(Some(segment));
            }
        }
        Ok(None)
    }

    /// Opens the active segment, or begins the first one. The guard must be held.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open_or_begin(directory: &StateDir, instance: &str, now: &Stamp) -> Result<Self, StateError> {
        // Where it begins, and in which journal.
        let after_closed = || -> Result<(u64, Option<JournalId>), StateError> {
            let Some((base, path)) = closed_segments(directory)?.pop() else { return Ok((0, None)) };
            let size = directory.disk.metadata(&path).map_or(0, |metadata| metadata.size);
            let last = SegmentFile::open(&directory.disk, path, OpenMode::Read).ok();
            let opened = last.and_then(|last| last.opening_record().ok()?);
            Ok((base + size, opened.and_then(|opened| opened.journal)))
        };
        match Self::open(&directory.disk, &directory.path.join(ACTIVE))? {
            None => {
                let (base, journal) = after_closed()?;
                let carried = Carried { kept_from: (base == 0).then_some(0), ..Carried::default() };
                let mut begun = Self::begin(directory, base, journal, instance, now, carried)?;
                begun.replaces = (base == 0).then_some(Vanished::Missing);
                Ok(begun)
            }
            Some(mut segment) if segment.opened.is_none() => {
                // The original plugin's journal, or a first line that a power cut took. The former starts
                // the journal; the latter is set aside under the base it must have had, so that sequence
                // numbers keep rising.
                let (base, journal) = after_closed()?;
                if segment.size == 0 || base > 0 {
                    segment.base = base;
                    let next = base + segment.size;
                    if segment.size > 0 {
                        segment.retire(directory)?;
                    }
                    let carried = Carried { kept_from: (next == 0).then_some(0), ..Carried::default() };
                    let mut begun = Self::begin(directory, next, journal, instance, now, carried)?;
                    begun.replaces = (segment.size == 0).then_some(Vanished::Emptied);
                    return Ok(begun);
                }
                Ok(segment)
            }
            Some(segment) => Ok(segment),
        }
    }

    /// Makes a new active segment that begins at `base`, of the journal that goes on in it; it is another one from here on
    /// where that is not known. Its first line is complete before the file gets its name. The guard must be held.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn begin(
        directory: &StateDir,
        base: u64,
        journal: Option<JournalId>,
        instance: &str,
        now: &Stamp,
        carried: Carried,
    ) -> Result<Self, StateError> {
        let (path, next) = (directory.path.join(ACTIVE), directory.path.join(NEXT));
        let mut opened = Record::new(Action::Opened, instance, now);
        opened.base = Some(base);
        opened.journal = Some(journal.unwrap_or_else(JournalId::random));
        opened.of = [Some(base), carried.kept_from].into_iter().flatten().collect();
        opened.windows = carried.windows;
        let line = opened.to_line().map_err(|source| StateError::Encode { path: path.clone(), source })?;
        write_whole(directory.disk.as_ref(), &next, &line)?;
        directory.disk.rename(&next, &path).map_err(|source| StateError::io("rename", &next, source))?;
        let mut segment = Self::open(&directory.disk, &path)?
            .ok_or_else(|| StateError::io("open", &path, io::ErrorKind::NotFound.into()))?;
        segment.read = segment.size;
        Ok(segment)
    }

    /// Gives a closed segment its closed name, durably: the next segment takes the name it had, and if only
    /// that survived a power cut, what was flushed to this one would be gone. The guard must be held.
    ///
    /// # Errors
    /// When the rename fails.
    pub fn retire(&self, directory: &StateDir) -> Result<(), StateError> {
        // All of it, or a power cut would leave less than the next one says. Where that fails, whoever needs it flushed learns it.
        let _ = self.file.flush(self.size);
        let active = directory.path.join(ACTIVE);
        directory
            .disk
            .rename(&active, &segment_path(&directory.path, self.base))
            .map_err(|source| StateError::io("rename", &active, source))?;
        // Some file systems can't flush a folder.
        let _ = directory.disk.sync_folder(&directory.path);
        Ok(())
    }

    /// What was there of the journal when this segment was begun, if nothing was left of it.
    #[must_use]
    pub fn replaces(&self) -> Option<Vanished> {
        self.replaces
    }

    /// Reads on from `offset`: what lies before has been read otherwise.
    pub fn go_on_from(&mut self, offset: u64) {
        self.read = offset;
        self.tail = None;
    }

    /// What was met last that is too long to be a line.
    #[must_use]
    pub fn endless(&self) -> Option<Endless> {
        self.endless
    }

    /// Notes what others have met that is too long to be a line.
    pub fn note_endless(&mut self, endless: Endless) {
        self.endless = Some(endless);
        self.endless_tail = None;
    }

    /// How many bytes are there that were not looked at.
    #[must_use]
    pub fn unread(&self) -> u64 {
        let looked_at = self.unfinished_endless().map_or(self.read, |endless| endless.to - self.base);
        self.size.saturating_sub(looked_at)
    }

    /// The line that is too long to be one and has no end so far, where reading stopped.
    fn unfinished_endless(&self) -> Option<Endless> {
        self.endless
            .filter(|endless| endless.from == self.base + self.read && endless.to <= self.base + self.size)
    }

    /// Whether a line that is too long to be one still is: what was cut off and has grown again may have others in it.
    fn is_still_endless(&self, endless: Endless) -> Result<bool, StateError> {
        let Some(tail) = &self.endless_tail else { return Ok(true) };
        let mut bytes = [0; TAIL];
        self.file.read_exact_at(&mut bytes, endless.to - self.base - TAIL as u64)?;
        Ok(bytes == *tail)
    }

    /// What it is known again by.
    #[must_use]
    pub fn trace(&self) -> Trace {
        Trace { base: self.base, read: self.read, tail: self.tail }
    }

    /// Whether what was read last still stands where it was: a file that was cut off and has grown again since is another.
    fn ends_as_read(&self) -> Result<bool, StateError> {
        let Some(tail) = &self.tail else { return Ok(true) };
        let mut bytes = [0; TAIL + 1];
        let Some(at) = self.read.checked_sub(bytes.len() as u64) else { return Ok(true) };
        self.file.read_exact_at(&mut bytes, at)?;
        Ok(bytes.split_last() == Some((&b'\n', tail.as_slice())))
    }

    /// Its size when last looked at, bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Where the next line would begin: behind the newline that first ends an unfinished line.
    #[must_use]
    pub fn next_line_start(&self) -> u64 {
        if self.read == self.size { self.size } else { self.size + 1 }
    }

    /// Whether it is the active segment of `directory` now.
    ///
    /// # Errors
    /// When the system does not say. Then it may well be.
    pub fn is_active_in(&self, directory: &StateDir) -> Result<bool, StateError> {
        Ok(self.is_the_one_at(&directory.path.join(ACTIVE), directory)? == Some(true))
    }

    /// Looks whether it is the active segment of `directory` now, and if it is, how large: one look at the path for both.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn refresh_size_if_active_in(&mut self, directory: &StateDir) -> Result<Option<u64>, StateError> {
        let metadata = self.metadata_at(&directory.path.join(ACTIVE), directory)?;
        let metadata = metadata.filter(|metadata| metadata.identity == self.identity);
        self.size = metadata.map_or(self.size, |metadata| metadata.size);
        Ok(metadata.map(|metadata| metadata.size))
    }

    /// Whether the active segment of `directory` is another one: a new segment would take its name and with
    /// it all that it holds.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn is_another_active_in(&self, directory: &StateDir) -> Result<bool, StateError> {
        Ok(self.is_the_one_at(&directory.path.join(ACTIVE), directory)? == Some(false))
    }

    /// `None` when there is no file at `path`.
    fn is_the_one_at(&self, path: &Path, directory: &StateDir) -> Result<Option<bool>, StateError> {
        Ok(self.metadata_at(path, directory)?.map(|metadata| metadata.identity == self.identity))
    }

    fn metadata_at(&self, path: &Path, directory: &StateDir) -> Result<Option<Metadata>, StateError> {
        match directory.disk.metadata(path) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StateError::io("examine", path, source)),
        }
    }

    /// Whether it was opened under the name of a closed one.
    #[must_use]
    pub fn is_opened_as_closed(&self) -> bool {
        self.opened_as_closed
    }

    /// Looks how large the file is now, and, if `check_name` is set, whether it still has one.
    ///
    /// # Errors
    /// [`StateError::Replaced`] when the file was deleted.
    pub fn refresh_size(&mut self, check_name: bool) -> Result<u64, StateError> {
        let path = self.file.path();
        self.size = if check_name {
            let metadata = self.file.metadata()?;
            if metadata.links == 0 {
                return Err(StateError::Replaced { path: path.parent().unwrap_or(path).to_owned() });
            }
            metadata.size
        } else {
            self.file.file.size().map_err(|source| StateError::io("examine", path, source))?
        };
        Ok(self.size)
    }

    /// Reads the whole lines between where reading stopped and the size last seen. Tells of the closing line,
    /// if the last of them is one.
    ///
    /// # Errors
    /// [`StateError::Unread`] when it is `until` and there is more to read; reading goes on from there the next time. When the
    /// system refuses to read.
    pub fn read_on(
        &mut self,
        until: Option<Instant>,
        sink: &mut dyn FnMut(u64, Line),
    ) -> Result<Option<Closing>, StateError> {
        if self.size > self.read && !self.ends_as_read()? {
            let path = self.file.path();
            return Err(StateError::Replaced { path: path.parent().unwrap_or(path).to_owned() });
        }
        let mut unfinished: Vec<u8> = Vec::new();
        // Bytes of it that are not kept: it is too long to be a line of ours.
        let mut dropped = 0;
        let mut position = self.read;
        if let Some(endless) = self.unfinished_endless()
            && self.is_still_endless(endless)?
        {
            dropped = endless.to - endless.from;
            position += dropped;
        }
        let (begun, mut look_at) = (self.read, position + STEP);
        let mut closing = None;
        let mut buffer = vec![0; CHUNK.min(usize::try_from(self.size - self.read).unwrap_or(CHUNK))];
        while position < self.size {
            let got = self.file.read_at(&mut buffer, position)?;
            if got == 0 {
                break;
            }
            position += got as u64;
            let mut rest = buffer.get(..got).unwrap_or_default();
            while let Some(newline) = memchr::memchr(b'\n', rest) {
                let (head, tail) = rest.split_at(newline);
                let seq = self.base + self.read;
                let whole;
                let line = if unfinished.is_empty() {
                    head
                } else {
                    unfinished.extend_from_slice(head);
                    whole = std::mem::take(&mut unfinished);
                    &whole
                };
                let is_too_long = dropped > 0;
                self.read += std::mem::take(&mut dropped) + line.len() as u64 + 1;
                self.tail = line.last_chunk().copied();
                match if is_too_long { Line::Foreign } else { Line::read(line) } {
                    Line::Record(record) if record.action == Action::Closed => {
                        // The next segment begins where this line ends, or the number is damaged.
                        closing = record
                            .base
                            .filter(|base| *base == self.base + self.read)
                            .map(|next_base| Closing { at: seq - self.base, next_base });
                        if closing.is_none() {
                            sink(seq, Line::Foreign);
                        }
                    }
                    line @ (Line::Record(_)
                    | Line::Light
                    | Line::Counted(_)
                    | Line::Newer(_)
                    | Line::Foreign
                    | Line::Blank) => {
                        closing = None;
                        sink(seq, line);
                    }
                }
                rest = tail.get(1..).unwrap_or_default();
            }
            unfinished.extend_from_slice(rest);
            if unfinished.len() as u64 > MAX_LINE {
                let tail = unfinished.split_off(unfinished.len() - TAIL);
                dropped += unfinished.len() as u64;
                unfinished = tail;
            }
            if dropped > 0 {
                self.endless = Some(Endless { from: self.base + self.read, to: self.base + position });
                self.endless_tail = unfinished.last_chunk().copied().or(self.endless_tail);
            }
            if position >= look_at && position < self.size {
                look_at = position + STEP;
                // Each attempt comes further: the beginning of a line is read again.
                let comes_further = dropped > 0 || self.read > begun;
                if comes_further && until.is_some_and(|until| Instant::now() >= until) {
                    return Err(self.unread_in_time());
                }
            }
        }
        Ok(closing)
    }

    /// There is more to read than there is time for.
    #[must_use]
    pub fn unread_in_time(&self) -> StateError {
        let path = self.file.path();
        StateError::Unread { path: path.parent().unwrap_or(path).to_owned() }
    }

    /// Ends a last line that lacks nothing but its newline, as a power cut may leave it, so that it is read like
    /// any other: ended by the next line, it would be a record that nobody here has read, or close the segment
    /// in front of that line. The guard must be held: then nobody is still writing it. A segment that has been
    /// closed stays as it is: the next one begins where it ended. Tells whether there was such a line.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn end_whole_line(&mut self, directory: &StateDir) -> Result<bool, StateError> {
        let unfinished = self.size.saturating_sub(self.read);
        if unfinished == 0 || unfinished > MAX_LINE || !self.is_active_in(directory)? {
            return Ok(false);
        }
        let mut bytes = vec![0; usize::try_from(unfinished).unwrap_or(0)];
        self.file.read_exact_at(&mut bytes, self.read)?;
        let is_whole = serde_json::from_slice::<IgnoredAny>(&bytes).is_ok();
        Ok(is_whole && self.file.file.write(b"\n").is_ok_and(|written| written == 1))
    }

    /// Appends one line with one write; everything before must have been read.
    ///
    /// # Errors
    /// When it could not be written whole; what was written of it is taken back.
    pub fn append(&mut self, line: &[u8]) -> Result<Appended, StateError> {
        let torn = self.read != self.size;
        let start = self.next_line_start();
        let mut ended;
        let bytes = if torn {
            ended = Vec::with_capacity(line.len() + 1);
            ended.push(b'\n');
            ended.extend_from_slice(line);
            &ended
        } else {
            line
        };
        let written = match self.file.file.write(bytes) {
            Ok(written) if written == bytes.len() => written as u64,
            short => {
                let source = short.err().unwrap_or_else(|| io::ErrorKind::StorageFull.into());
                // A line that only lacks its newline would become a record with the next append. If even
                // this fails, that append ends the line, and a torn one is skipped.
                let _ = self.file.file.set_size(self.size);
                return Err(StateError::io("append to", self.file.path(), source));
            }
        };
        self.size += written;
        self.read = self.size;
        self.tail = line.strip_suffix(b"\n").and_then(|line| line.last_chunk()).copied();
        Ok(Appended {
            seq: self.base + start,
            end: self.size,
            file: Arc::clone(&self.file),
            ended_torn_line: torn,
        })
    }
}
