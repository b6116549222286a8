//! The journal on disk and the history in memory, kept in step.

mod closed;
mod past;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::Instant;

use crate::decision::history::{Gap, History, Who};
use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::record::light::LightLine;
use crate::record::{Action, FORMAT_VERSION, Line, Record};
use crate::store::index::{Index, IndexCorrupt, IndexJob, Indexed};
use crate::store::journal::order::Order;
use crate::store::journal::recent::read_back;
use crate::store::journal::retention;
use crate::store::journal::retention::Retention;
use crate::store::journal::segment::{Segment, Trace};
use crate::store::journal::segments::Segments;
use crate::store::journal::{Appended, Check, Journal, Loss, Patience, SegmentLimit, UpToDate};
use crate::store::standing::Standing;
use crate::store::state_dir::StateDir;

use self::closed::{Closed, Found, carried};
pub use self::past::Needs;
use self::past::Past;

/// What may be looked up through the index without patience.
const IMPATIENT_RECORDS: usize = 200;
/// The same for the evidence on a call's resources, topics and records together: each is read where it lies, some 90 µs.
const IMPATIENT_LOOKS: usize = 48;
/// So much evidence is loaded at a time by a thread that may wait: in between others get at the ledger.
const LOOKS_AT_A_TIME: usize = 256;
/// A new index is worth writing once this many bytes came since the last, or a sixteenth of its own size if
/// that is more; a journal smaller than this needs none: it is read whole as fast.
const INDEX_STEP: u64 = 64 * 1024;
/// The same for who closes, or a sixty-fourth of the index, but never more than [`INDEX_STEP`]: where every call is a process
/// of its own, each reads what came since, and now and then one writes it anew.
const CLOSING_STEP: u64 = 16 * 1024;
/// A segment that has grown to so many times its size is closed on whatever thread.
const OVERFULL: u64 = 4;
/// More actions than this are not kept in memory when an index can load them: about 15 MB.
const HEAVY: usize = 20_000;

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
    /// What the history does not hold yet.
    past: Past,
    indexed: Indexed,
    /// The index on disk is of a journal that is lost: it is to be replaced, or it would tell of the loss again and again.
    is_index_corrupt: bool,
    prune_due: bool,
    /// When what was read last was written.
    order: Order,
    /// How the journal was lost before it was opened, as far as can be seen.
    lost: Option<Loss>,
    closed: Closed,
    /// What stands of the kinds that somebody has asked for.
    standing: BTreeMap<String, Standing>,
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
        let Some(mut journal) = opened else { return Ok(None) };
        let (mut lost, mut is_index_corrupt) = (journal.is_lost(now), false);
        let history = || History::new(options.keep_ms, options.default_lease_ms);
        if use_index {
            match by_index(&mut journal, history()) {
                Ok((past, indexed, order, history)) => {
                    let prune_due = true;
                    let closed = Closed::known_to(&history.gaps);
                    return Ok(Some(Self {
                        closed,
                        journal,
                        history,
                        past,
                        indexed,
                        is_index_corrupt,
                        prune_due,
                        order,
                        lost,
                        standing: BTreeMap::new(),
                    }));
                }
                Err(Unusable::Lost(loss)) => {
                    lost = lost.or(Some(loss));
                    is_index_corrupt = true;
                }
                Err(Unusable::NoIndex) => {}
            }
        }
        let segments = journal.segments()?;
        if segments.bytes() > patience.read_limit() {
            return Ok(None);
        }
        let past = Past::new(segments.lines(), None);
        let indexed = Indexed::default();
        let order = Order::default();
        let (history, prune_due) = (history(), true);
        let (closed, standing) = (Closed::default(), BTreeMap::new());
        let mut ledger = Self {
            journal,
            history,
            past,
            indexed,
            is_index_corrupt,
            prune_due,
            order,
            lost,
            closed,
            standing,
        };
        ledger.read_back(&segments, patience.deadline(), now)?;
        Ok(Some(ledger))
    }

    /// What the journal says.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// How the journal was lost before it was opened here, as far as can be seen. Told once.
    pub fn take_loss(&mut self) -> Option<Loss> {
        self.lost.take()
    }

    /// It can't be told now: the next one does.
    pub fn put_back_loss(&mut self, loss: Option<Loss>) {
        self.lost = loss;
    }

    /// What was written after the journal was lost is told apart by this: whether what `trace` saw is still there.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn has(&self, trace: &Trace) -> Result<bool, StateError> {
        trace.is_in(self.journal.directory(), self.journal.active().base)
    }

    /// The journal.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Loads into the history what a step is going to look at. False when that takes more patience than
    /// there is.
    ///
    /// # Errors
    /// [`StateError::Replaced`] when the index is corrupt: the ledger must be opened again without it.
    pub fn load(&mut self, needs: &Needs<'_>, patience: Patience) -> Result<bool, StateError> {
        let ahead = if needs.open { self.past.open_ahead() } else { 0 };
        let is_patient = matches!(patience, Patience::Until(_));
        if !is_patient && ahead > IMPATIENT_RECORDS {
            return Ok(false);
        }
        let most = if is_patient { usize::MAX } else { IMPATIENT_LOOKS };
        self.past.load(needs, most, &mut self.history).map_err(|IndexCorrupt| self.replaced())
    }

    /// Loads a piece of the evidence on the resources of `needs`; false while there is more. Takes no guard.
    ///
    /// # Errors
    /// As [`Ledger::load`].
    pub fn load_piece(&mut self, needs: &Needs<'_>) -> Result<bool, StateError> {
        let needs = Needs { newest: false, open: false, ..*needs };
        self.past.load(&needs, LOOKS_AT_A_TIME, &mut self.history).map_err(|IndexCorrupt| self.replaced())
    }

    /// Loads the newest actions until there are enough: `enough` is asked with the history and the sequence number
    /// from which on it has them all.
    ///
    /// # Errors
    /// As [`Ledger::load`].
    pub fn load_newest(&mut self, enough: impl Fn(&History, u64) -> bool) -> Result<(), StateError> {
        self.past.newest_until(enough, &mut self.history).map_err(|IndexCorrupt| self.replaced())
    }

    /// Loads where these sessions run.
    ///
    /// # Errors
    /// As [`Ledger::load`].
    pub fn load_places(&mut self, sessions: &[Arc<Who>]) -> Result<(), StateError> {
        let (past, history) = (&mut self.past, &mut self.history);
        let loaded = sessions.iter().try_for_each(|who| past.place(who, history));
        loaded.map_err(|IndexCorrupt| self.replaced())
    }

    /// Loads the action whose first record is `seq`.
    ///
    /// # Errors
    /// As [`Ledger::load`].
    pub fn load_action(&mut self, seq: u64) -> Result<(), StateError> {
        self.past.named(seq, &mut self.history).map_err(|IndexCorrupt| self.replaced())
    }

    fn replaced(&self) -> StateError {
        StateError::Replaced { path: self.journal.directory().path.clone() }
    }

    /// What stands of a kind, up to the journal's end. The first look at a kind takes long: it is best taken without the guard.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn standing(&mut self, kind: &Action) -> Result<&Standing, StateError> {
        let mut segments = self.journal.segments()?;
        if let Some(kept_from) = self.history.kept_from {
            // Others may be at deleting what lies before.
            let kept = segments.closed.iter().filter(|(base, _)| *base >= kept_from);
            segments.closed = Arc::new(kept.cloned().collect());
        }
        let read = || Standing::read(self.journal.directory(), &segments, kind);
        match self.standing.entry(kind.name().to_owned()) {
            Entry::Vacant(place) => Ok(place.insert(read()?)),
            Entry::Occupied(standing) => {
                let standing = standing.into_mut();
                if standing.is_outdated(&segments) {
                    *standing = read()?;
                } else {
                    standing.read_on(&segments, None)?;
                }
                Ok(standing)
            }
        }
    }

    /// Reads back to the window's edge.
    fn read_back(
        &mut self,
        segments: &Segments,
        until: Option<Instant>,
        now: &Stamp,
    ) -> Result<(), StateError> {
        let recent = read_back(segments, self.history.keep_ms(), until, now)?;
        self.history.skipped += recent.skipped;
        self.history.newer_format = recent.newer_format;
        let carried = &self.journal.active().carried;
        self.history.carry_windows(&carried.windows, now.wall_ms);
        self.history.kept_from = self.history.kept_from.max(carried.kept_from);
        for (seq, record) in recent.records {
            self.past.before(&record, &mut self.history).map_err(|IndexCorrupt| self.replaced())?;
            self.history.apply(seq, &record);
            self.history.count(&record);
        }
        recent.counted.iter().for_each(|counted| self.history.count_light(counted));
        if recent.is_displaced {
            self.lost = self.lost.or(Some(Loss::Replaced));
        }
        self.order = recent.order;
        self.journal.read_on_from(recent.read);
        Ok(())
    }

    /// Takes the guard and brings the history up to date; `None` without enough patience.
    ///
    /// # Errors
    /// As [`Journal::catch_up`] and [`Ledger::load`], and [`StateError::NewerFormat`] when a line can't be
    /// understood here.
    pub fn catch_up(
        &mut self,
        patience: Patience,
        check: Check,
        now: &Stamp,
    ) -> Result<Option<UpToDate>, StateError> {
        let (history, past, order) = (&mut self.history, &mut self.past, &mut self.order);
        let mut is_corrupt = false;
        let mut sink = |seq: u64, line: Line| match line {
            Line::Record(mut record) => {
                order.correct(&mut record, now);
                is_corrupt |= past.before(&record, history).is_err();
                history.apply(seq, &record);
                history.count(&record);
            }
            Line::Counted(counted) => history.count_light(&counted),
            Line::Foreign => history.skipped += 1,
            Line::Newer(version) => history.newer_format = history.newer_format.max(Some(version)),
            Line::Light | Line::Blank => {}
        };
        let proof = self.journal.catch_up(patience, check, now, &mut sink)?;
        if is_corrupt {
            return Err(self.replaced());
        }
        if proof.is_some() {
            self.check_closed(check, now)?;
        }
        match self.history.newer_format {
            Some(version) => Err(StateError::NewerFormat {
                path: self.journal.directory().path.clone(),
                version,
                known: FORMAT_VERSION,
            }),
            None => Ok(proof),
        }
    }

    fn check_closed(&mut self, check: Check, now: &Stamp) -> Result<(), StateError> {
        match self.closed.check(&self.journal, &self.history, check, now)? {
            Found::Nothing => {}
            Found::Untold => {
                self.lost = self.lost.or(Some(Loss::Segment));
                self.is_index_corrupt = true;
            }
            Found::Outdated => return Err(self.replaced()),
        }
        Ok(())
    }

    /// What is missing of the closed segments, as far as was looked.
    #[must_use]
    pub fn gaps(&self) -> &[Gap] {
        self.closed.gaps()
    }

    /// What of that no record tells.
    #[must_use]
    pub fn untold_gaps(&self) -> Vec<Gap> {
        self.gaps().iter().filter(|gap| !gap.is_within(&self.history.gaps)).copied().collect()
    }

    /// Appends a record and takes it into the history.
    ///
    /// # Errors
    /// When the record could not be written.
    pub fn append(&mut self, proof: &UpToDate, record: &Record, now: &Stamp) -> Result<Appended, StateError> {
        self.past.before(record, &mut self.history).map_err(|IndexCorrupt| self.replaced())?;
        let appended = self.journal.append(proof, record, now)?;
        let _ = self.order.next(record.stamp(), now);
        self.history.apply(appended.seq, record);
        self.history.count(record);
        self.history.skipped += u64::from(appended.ended_torn_line);
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
        self.history.add_counts(line.runtime, &line.seen, line.timestamp);
        self.history.skipped += u64::from(appended.ended_torn_line);
        Ok(())
    }

    /// Appends such lines as they were encoded before, by a process that sees more hooks than one: they carry no counts.
    /// Returns the sequence number of the first.
    ///
    /// # Errors
    /// As [`Ledger::append`].
    pub fn append_encoded(&mut self, proof: &UpToDate, lines: &[u8], now: &Stamp) -> Result<u64, StateError> {
        let appended = self.journal.append_encoded(proof, lines, now)?;
        self.history.skipped += u64::from(appended.ended_torn_line);
        Ok(appended.seq)
    }

    /// Closes the active segment if it is full, and this is a thread that may wait: a rotation waits for the
    /// disk. Only when nobody came who could wait is it done anywhere. One that fails is tried again.
    pub fn rotate_if_full(&mut self, proof: &UpToDate, patience: Patience, now: &Stamp) {
        let fullness = self.journal.fullness();
        let due = fullness >= OVERFULL || (fullness >= 1 && matches!(patience, Patience::Until(_)));
        if due && self.rotate(proof, now).is_ok() {
            self.prune_due = true;
        }
    }

    /// Closes the active segment and begins a new one.
    ///
    /// # Errors
    /// As [`Journal::rotate`].
    pub fn rotate(&mut self, proof: &UpToDate, now: &Stamp) -> Result<(), StateError> {
        let carried = carried(&self.journal, &self.history)?;
        self.history.kept_from = carried.kept_from;
        let closed = self.journal.rotate(proof, now, carried)?;
        self.history.skipped += u64::from(closed.is_some_and(|closed| closed.ended_torn_line));
        Ok(())
    }

    /// Forgets what is out of every window. Tells where the first segment begins that is to stay, when `retention` lets any
    /// go. For a thread that may wait; the guard must be free for others.
    ///
    /// # Errors
    /// When the directory can't be listed.
    pub fn prune_history(
        &mut self,
        retention: Retention,
        retry_window_ms: u64,
        now: &Stamp,
    ) -> Result<Option<u64>, StateError> {
        self.history.prune(now, retry_window_ms);
        if !self.prune_due {
            return Ok(None);
        }
        let retention = Retention { keep_ms: retention.keep_ms.max(self.widest_ms()), ..retention };
        let active = self.journal.active().base;
        let first = retention::first_to_keep(self.journal.directory(), active, retention, now)?;
        self.prune_due = first.is_some();
        Ok(first)
    }

    /// Notes that the segments before the one at `first` are about to be deleted. They may be once this is on the disk: whoever
    /// misses them must find it said. Returns up to where the active segment must be flushed for that.
    ///
    /// # Errors
    /// When the record could not be written.
    pub fn note_pruned(
        &mut self,
        proof: &UpToDate,
        instance: &str,
        first: u64,
        now: &Stamp,
    ) -> Result<u64, StateError> {
        if self.history.kept_from.is_none_or(|kept| kept < first) {
            let mut record = Record::new(Action::Pruned, instance, now);
            record.base = Some(first);
            self.append(proof, &record, now)?;
        }
        Ok(self.journal.active().size())
    }

    /// Records that the segments which were due have been deleted.
    pub fn pruned(&mut self) {
        self.prune_due = false;
    }

    /// How far back any process that has said so looks, this one too, milliseconds.
    fn widest_ms(&self) -> u64 {
        let named = self.history.windows.values().map(|window| window.ms).max().unwrap_or(0);
        named.max(self.history.keep_ms())
    }

    /// The index that should be written now, if any: when enough came since the last, or when `closing`.
    ///
    /// # Errors
    /// When the directory can't be listed.
    pub fn index_due(&self, closing: bool, now: &Stamp) -> Result<Option<IndexJob>, StateError> {
        if self.journal.is_between_segments() {
            // Whoever reads on from an index must meet the closing line.
            return Ok(None);
        }
        let active = self.journal.active();
        let bytes = self.indexed.bytes;
        let step =
            if closing { (bytes / 64).clamp(CLOSING_STEP, INDEX_STEP) } else { (bytes / 16).max(INDEX_STEP) };
        let step = if self.is_index_corrupt { 0 } else { step };
        // A line without an end that was looked at is worth noting as much as whole ones that were read.
        let endless = self.journal.endless();
        let read = active.base + active.read;
        let end = endless.map_or(read, |endless| endless.to.max(read));
        if end.saturating_sub(self.indexed.end) <= step || active.read == 0 {
            return Ok(None);
        }
        let keep_ms = self.widest_ms();
        let directory = self.journal.directory().clone();
        let covered = (active.base, active.read);
        let segments = self.journal.segments()?;
        let job = IndexJob::new(directory, segments, covered, keep_ms, step, &self.history, now);
        Ok(Some(job.passing_over(endless)))
    }

    /// Notes which index is there now.
    pub fn indexed(&mut self, indexed: Indexed) {
        self.indexed = indexed;
        self.is_index_corrupt = false;
    }

    /// Whether so much is held in memory that it is better to open anew, by the index.
    #[must_use]
    pub fn is_heavy(&self) -> bool {
        self.history.len() > HEAVY
    }
}

/// Why there is no index to go by.
#[derive(Debug)]
enum Unusable {
    /// None is there, or none that fits.
    NoIndex,
    /// The journal is not the one that it covers.
    Lost(Loss),
}

/// What the index says of all that lies before the end of what it covers, from where `journal` goes on then.
fn by_index(
    journal: &mut Journal,
    mut history: History,
) -> Result<(Past, Indexed, Order, History), Unusable> {
    let directory = journal.directory().clone();
    let index = Index::open(&directory).ok_or(Unusable::NoIndex)?;
    let header = index.header();
    let active = journal.active().base;
    let mut other = match header.base {
        base if base == active => None,
        base => match Segment::open_at(&directory, base) {
            Ok(Some(segment)) => Some(segment),
            // What was pruned begins before what is there.
            Ok(None) if header.end() > active => return Err(Unusable::Lost(Loss::CutOff)),
            _ => return Err(Unusable::NoIndex),
        },
    };
    let covered = other.as_ref().unwrap_or(journal.active());
    if !header.is_bound_to(covered) {
        // The index has a checksum of its own, so it says what was there.
        return Err(match covered.file.metadata() {
            Ok(metadata) if metadata.size < header.covered => Unusable::Lost(Loss::CutOff),
            Ok(_) => Unusable::Lost(Loss::Replaced),
            Err(_) => Unusable::NoIndex,
        });
    }
    if header.keep_ms < history.keep_ms() {
        return Err(Unusable::NoIndex);
    }
    // Reading goes on where the index ends: in a segment that has been closed since, or in one that was begun since the
    // journal was opened here. The lines it names must be among those that can be looked up.
    if let Some(newer) = other.take_if(|segment| segment.base > active) {
        journal.start_at(newer);
    }
    let lines = journal.lines();
    if let Some(older) = other {
        journal.start_at(older);
    }
    header.restore_counts(&mut history);
    journal.read_on_from(header.covered);
    if let Some(endless) = header.endless(journal.active()) {
        journal.note_endless(endless);
    }
    let order = header.order();
    let indexed = Indexed { end: header.reach(), bytes: index.size() };
    let mut past = Past::new(lines, Some(index));
    past.unread(&mut history).map_err(|IndexCorrupt| Unusable::NoIndex)?;
    Ok((past, indexed, order, history))
}

#[cfg(test)]
mod tests;
