//! The journal on disk and the history in memory, kept in step.

mod past;

use crate::error::StateError;
use crate::history::History;
use crate::journal::index::{Astray, Index, IndexJob, Indexed};
use crate::journal::light::LightLine;
use crate::journal::recent::read_back;
use crate::journal::record::{FORMAT_VERSION, Line, Record};
use crate::journal::retention::{self, Retention};
use crate::journal::segment::Segment;
use crate::journal::segments::Segments;
use crate::journal::{Appended, Journal, Patience, SegmentLimit, UpToDate};
use crate::store::state_dir::StateDir;
use crate::time::Stamp;

pub use self::past::Needs;
use self::past::Past;

/// What may be looked up through the index without patience.
const IMPATIENT_RECORDS: usize = 200;
/// A new index is worth writing once this many bytes came since the last, or a sixteenth of its own size if
/// that is more; a journal smaller than this needs none: it is read whole as fast.
const INDEX_STEP: u64 = 64 * 1024;
/// The same for who closes, or a sixty-fourth of the index, but never more than [`INDEX_STEP`]: where every call is a process
/// of its own, each reads what came since, and now and then one writes it anew.
const CLOSING_STEP: u64 = 16 * 1024;
/// A segment that has grown to so many times its size is closed on whatever thread.
const OVERFULL: u64 = 4;
/// More actions than this are not kept in memory when an index can bring them in: about 15 MB.
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
        let Some(mut journal) = opened else { return Ok(None) };
        let history = || History::new(options.keep_ms, options.default_lease_ms);
        if use_index && let Some((past, indexed, history)) = by_index(&mut journal, history()) {
            return Ok(Some(Self { journal, history, past, indexed, prune_due: true }));
        }
        let segments = journal.segments()?;
        if segments.bytes() > patience.read_limit() {
            return Ok(None);
        }
        let past = Past::new(segments.lines(), None);
        let indexed = Indexed::default();
        let mut ledger = Self { journal, history: history(), past, indexed, prune_due: true };
        ledger.read_back(&segments, now)?;
        Ok(Some(ledger))
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

    /// Brings into the history what a step is going to look at. False when that takes more patience than
    /// there is.
    ///
    /// # Errors
    /// [`StateError::Replaced`] when the index led astray: the ledger must be opened again without it.
    pub fn bring(&mut self, needs: &Needs<'_>, patience: Patience) -> Result<bool, StateError> {
        let ahead = if needs.open { self.past.open_ahead() } else { 0 };
        if matches!(patience, Patience::None) && ahead > IMPATIENT_RECORDS {
            return Ok(false);
        }
        self.past.bring(needs, &mut self.history).map_err(|Astray| self.replaced())?;
        Ok(true)
    }

    /// The same for the action whose first record is `seq`.
    ///
    /// # Errors
    /// As [`Ledger::bring`].
    pub fn bring_action(&mut self, seq: u64) -> Result<(), StateError> {
        self.past.named(seq, &mut self.history).map_err(|Astray| self.replaced())
    }

    fn replaced(&self) -> StateError {
        StateError::Replaced { path: self.journal.directory().path.clone() }
    }

    /// Reads back to the window's edge.
    fn read_back(&mut self, segments: &Segments, now: &Stamp) -> Result<(), StateError> {
        let recent = read_back(segments, self.history.keep_ms(), now)?;
        self.history.skipped += recent.skipped;
        self.history.newer_format = recent.newer_format;
        let carried = self.journal.active().windows.clone();
        self.history.carry_windows(&carried, now.wall_ms);
        for (seq, record) in recent.records {
            self.past.before(&record, &mut self.history).map_err(|Astray| self.replaced())?;
            self.history.apply(seq, &record);
            self.history.count(&record);
        }
        recent.counted.iter().for_each(|counted| self.history.count_light(counted));
        self.journal.read_on_from(recent.read);
        Ok(())
    }

    /// Takes the guard and brings the history up to date; `None` without enough patience.
    ///
    /// # Errors
    /// As [`Journal::catch_up`] and [`Ledger::bring`], and [`StateError::NewerFormat`] when a line can't be
    /// understood here.
    pub fn catch_up(
        &mut self,
        patience: Patience,
        check_paths: bool,
        now: &Stamp,
    ) -> Result<Option<UpToDate>, StateError> {
        let (history, past) = (&mut self.history, &mut self.past);
        let mut astray = false;
        let mut sink = |seq: u64, line: Line| match line {
            Line::Record(record) => {
                astray |= past.before(&record, history).is_err();
                history.apply(seq, &record);
                history.count(&record);
            }
            Line::Counted(counted) => history.count_light(&counted),
            Line::Foreign => history.skipped += 1,
            Line::Newer(version) => history.newer_format = history.newer_format.max(Some(version)),
            Line::Light | Line::Blank => {}
        };
        let proof = self.journal.catch_up(patience, check_paths, now, &mut sink)?;
        if astray {
            return Err(self.replaced());
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

    /// Appends a record and takes it into the history.
    ///
    /// # Errors
    /// When the record could not be written.
    pub fn append(&mut self, proof: &UpToDate, record: &Record, now: &Stamp) -> Result<Appended, StateError> {
        self.past.before(record, &mut self.history).map_err(|Astray| self.replaced())?;
        let appended = self.journal.append(proof, record, now)?;
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
        let closed = self.journal.rotate(proof, now, self.history.windows.clone())?;
        self.history.skipped += u64::from(closed.is_some_and(|closed| closed.ended_torn_line));
        Ok(())
    }

    /// Forgets what is out of every window, and deletes segments that `retention` lets go. For a thread that
    /// may wait; the guard must be free for others.
    ///
    /// # Errors
    /// When a file can't be deleted.
    pub fn tidy(
        &mut self,
        retention: Retention,
        retry_window_ms: u64,
        now: &Stamp,
    ) -> Result<(), StateError> {
        self.history.prune(now, retry_window_ms);
        if self.prune_due {
            let keep_ms = retention.keep_ms.max(self.widest_ms());
            retention::prune(self.journal.directory(), Retention { keep_ms, ..retention }, now)?;
            self.prune_due = false;
        }
        Ok(())
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
        let end = active.base + active.read;
        if end.saturating_sub(self.indexed.end) <= step || active.read == 0 {
            return Ok(None);
        }
        let keep_ms = self.widest_ms();
        let directory = self.journal.directory().clone();
        let covered = (active.base, active.read);
        let segments = self.journal.segments()?;
        Ok(Some(IndexJob::new(directory, segments, covered, keep_ms, step, &self.history, now)))
    }

    /// Notes which index is there now.
    pub fn indexed(&mut self, indexed: Indexed) {
        self.indexed = indexed;
    }

    /// Whether so much is held in memory that it is better to open anew, by the index.
    #[must_use]
    pub fn is_heavy(&self) -> bool {
        self.history.len() > HEAVY
    }
}

/// What the index says of all that lies before the end of what it covers, from where `journal` goes on then. `None` when
/// there is none that fits.
fn by_index(journal: &mut Journal, mut history: History) -> Option<(Past, Indexed, History)> {
    let directory = journal.directory().clone();
    let index = Index::open(&directory)?;
    let head = index.head();
    if head.keep_ms < history.keep_ms() {
        return None;
    }
    let active = journal.active().base;
    let mut other = match head.base {
        base if base == active => None,
        base => Some(Segment::open_at(&directory, base).ok()??),
    };
    if !head.is_bound_to(other.as_ref().unwrap_or(journal.active())) {
        return None;
    }
    // Reading goes on where the index ends: in a segment that has been closed since, or in one that was begun since the
    // journal was opened here. The lines it names must be among those that can be looked up.
    if let Some(newer) = other.take_if(|segment| segment.base > active) {
        journal.start_at(newer);
    }
    let lines = journal.segments().ok()?.lines();
    if let Some(older) = other {
        journal.start_at(older);
    }
    head.restore_counts(&mut history);
    journal.read_on_from(head.covered);
    let indexed = Indexed { end: head.end(), bytes: index.size() };
    let mut past = Past::new(lines, Some(index));
    past.unread(&mut history).ok()?;
    Some((past, indexed, history))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::history::Who;
    use crate::journal::record::Action;
    use crate::store::machine::Machine;
    use crate::tier::Tier;

    fn write(ledger: &mut Ledger, count: u32, now: &Stamp) -> u64 {
        let proof = ledger.catch_up(Patience::None, false, now).unwrap().unwrap();
        let mut last = 0;
        for number in 0..count {
            let mut record = Record::new(Action::Intercept, "home", now);
            record.session = Some("a".to_owned());
            record.tier = Some(Tier::High);
            record.context_keys = vec![format!("email:{number}-{}@example.com", "x".repeat(200))];
            last = ledger.append(&proof, &record, now).unwrap().seq;
        }
        last
    }

    fn options(folder: &Path) -> LedgerOptions {
        LedgerOptions {
            directory: StateDir::new(folder.to_owned()),
            instance: "home".to_owned(),
            keep_ms: 3_600_000,
            default_lease_ms: 60_000,
            limit: SegmentLimit { bytes: 1 << 20 },
        }
    }

    fn open(options: &LedgerOptions, now: &Stamp) -> Ledger {
        Ledger::open(options, true, Patience::None, now).unwrap().unwrap()
    }

    /// Writes an index of all that is there.
    fn write_index(ledger: &Ledger, now: &Stamp) -> Indexed {
        ledger.index_due(true, now).unwrap().unwrap().run().unwrap()
    }

    /// Whether the ledger went by the index: then it knows nothing yet that nobody asked for.
    fn uses_index(ledger: &Ledger) -> bool {
        ledger.history().is_empty()
    }

    /// Between opening the journal and reading the index, others close segments and write a newer index.
    #[test]
    fn an_index_may_end_in_a_segment_that_was_begun_after_the_journal_was_opened() {
        let directory = tempfile::tempdir().unwrap();
        let options = options(directory.path());
        let now = Machine::read().now();
        let mut busy = open(&options, &now);
        write(&mut busy, 200, &now);
        let mut journal =
            Journal::open(&options.directory, options.limit, "late", Patience::None, &now).unwrap().unwrap();
        let proof = busy.catch_up(Patience::None, false, &now).unwrap().unwrap();
        busy.rotate(&proof, &now).unwrap();
        drop(proof);
        let newest = write(&mut busy, 200, &now);
        write_index(&busy, &now);

        let history = History::new(options.keep_ms, options.default_lease_ms);
        let (past, indexed, history) = by_index(&mut journal, history).unwrap();
        let mut late = Ledger { journal, history, past, indexed, prune_due: false };
        let needs = Needs { newest: usize::MAX, open: true, ..Needs::default() };
        assert!(late.bring(&needs, Patience::Until(std::time::Instant::now())).unwrap());
        assert!(late.history().action(newest).is_some());
        assert_eq!(late.history().len(), 400);
        late.catch_up(Patience::None, true, &now).unwrap().unwrap();
    }

    #[test]
    fn only_so_much_is_read_without_patience() {
        let (now, patient) = (Machine::read().now(), Patience::Until(std::time::Instant::now()));
        for (bytes, is_read) in [(65_535, true), (65_536, true), (65_537, false), (65_538, false)] {
            let directory = tempfile::tempdir().unwrap();
            let options = options(directory.path());
            write(&mut open(&options, &now), 2, &now);
            let path = directory.path().join("journal.jsonl");
            let mut text = fs::read(&path).unwrap();
            text.resize(bytes, b'\n');
            fs::write(&path, text).unwrap();
            let ledger = Ledger::open(&options, true, Patience::None, &now).unwrap();
            assert_eq!(ledger.is_some(), is_read, "{bytes}");
            let ledger = Ledger::open(&options, true, patient, &now).unwrap().unwrap();
            assert_eq!(ledger.history().len(), 2);
        }
    }

    #[test]
    fn every_line_that_is_not_ours_is_counted_once() {
        let directory = tempfile::tempdir().unwrap();
        let (options, now) = (options(directory.path()), Machine::read().now());
        let path = directory.path().join("journal.jsonl");
        let put = |text: &str| {
            let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
            std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        };
        drop(open(&options, &now));
        put("one\ntwo\n");
        let mut ledger = open(&options, &now);
        assert_eq!(ledger.history().skipped, 2);
        put("three\n\nfour\n");
        drop(ledger.catch_up(Patience::None, false, &now).unwrap().unwrap());
        assert_eq!(ledger.history().skipped, 4);
        // What somebody left unfinished is ended with the next line, whatever that is.
        for (expected, text) in [(5, "fi"), (6, "si")] {
            put(text);
            let proof = ledger.catch_up(Patience::None, false, &now).unwrap().unwrap();
            ledger.append(&proof, &Record::new(Action::Seen, "home", &now), &now).unwrap();
            assert_eq!(ledger.history().skipped, expected);
        }
        let light = LightLine { tool: "read", ..LightLine::at(&now) };
        for (expected, text) in [(7, "se"), (8, "ei"), (8, "")] {
            put(text);
            let proof = ledger.catch_up(Patience::None, false, &now).unwrap().unwrap();
            ledger.append_light(&proof, &light, &now).unwrap();
            assert_eq!(ledger.history().skipped, expected);
        }
        put("ni");
        let proof = ledger.catch_up(Patience::None, false, &now).unwrap().unwrap();
        ledger.rotate(&proof, &now).unwrap();
        assert_eq!(ledger.history().skipped, 9);
        ledger.append(&proof, &Record::new(Action::Seen, "home", &now), &now).unwrap();
        assert_eq!(ledger.history().skipped, 9);
        drop(proof);
        let patient = Patience::Until(std::time::Instant::now());
        assert_eq!(Ledger::open(&options, true, patient, &now).unwrap().unwrap().history().skipped, 9);
    }

    #[test]
    fn an_index_is_due_once_enough_came_since_the_last() {
        let directory = tempfile::tempdir().unwrap();
        let (options, now) = (options(directory.path()), Machine::read().now());
        let mut ledger = open(&options, &now);
        let end = |ledger: &Ledger| ledger.journal.active().read;
        let due = |ledger: &Ledger, closing| ledger.index_due(closing, &now).unwrap().is_some();
        for (closing, step) in [(true, 16_384), (false, 65_536)] {
            let mut before = end(&ledger);
            while !due(&ledger, closing) {
                before = end(&ledger);
                write(&mut ledger, 1, &now);
            }
            assert!(before <= step && end(&ledger) > step, "{closing}");
        }
        let end = end(&ledger);
        for (came, bytes, closing, expected) in [
            (0, 0, true, false),
            (16_384, 0, true, false),
            (16_385, 0, true, true),
            (16_385, 64 * 16_385, true, false),
            (16_385, 64 * 16_385 - 1, true, true),
            (65_536, 64 * 70_000, true, false),
            (65_537, 64 * 70_000, true, true),
            (65_536, 0, false, false),
            (65_537, 0, false, true),
            (65_537, 16 * 65_537, false, false),
            (65_537, 16 * 65_537 - 1, false, true),
        ] {
            let indexed = Indexed { end: end - came, bytes };
            ledger.indexed(indexed);
            assert_eq!(due(&ledger, closing), expected, "{came} {bytes} {closing}");
        }
        ledger.indexed(Indexed { end: end + 1, bytes: 0 });
        assert!(!due(&ledger, true));
    }

    #[test]
    fn an_index_is_gone_by_when_it_reaches_as_far_back() {
        let directory = tempfile::tempdir().unwrap();
        let (options, now) = (options(directory.path()), Machine::read().now());
        let mut busy = open(&options, &now);
        let last = write(&mut busy, 200, &now);
        write_index(&busy, &now);
        assert!(uses_index(&open(&options, &now)));
        let shorter = LedgerOptions { keep_ms: options.keep_ms - 1, ..options.clone() };
        let mut ledger = open(&shorter, &now);
        assert!(uses_index(&ledger));
        // An action is brought in by its number; what lies anywhere else is the fault of whoever names it.
        for nowhere in [last + 3, last + 100_000] {
            ledger.bring_action(nowhere).unwrap();
        }
        assert!(uses_index(&ledger));
        ledger.bring_action(last).unwrap();
        assert_eq!(ledger.history().newest().map(|action| action.seq).collect::<Vec<_>>(), [last]);
        let longer = LedgerOptions { keep_ms: options.keep_ms + 1, ..options };
        let patient = Patience::Until(std::time::Instant::now());
        let ledger = Ledger::open(&longer, true, patient, &now).unwrap().unwrap();
        assert_eq!(ledger.history().len(), 200);
    }

    #[test]
    fn an_index_may_end_in_a_segment_that_was_closed_since() {
        let directory = tempfile::tempdir().unwrap();
        let (options, now) = (options(directory.path()), Machine::read().now());
        let mut busy = open(&options, &now);
        write(&mut busy, 200, &now);
        write_index(&busy, &now);
        let after_index = write(&mut busy, 1, &now);
        let proof = busy.catch_up(Patience::None, false, &now).unwrap().unwrap();
        busy.rotate(&proof, &now).unwrap();
        drop(proof);
        let newest = write(&mut busy, 1, &now);
        let mut late = open(&options, &now);
        assert!(uses_index(&late));
        late.catch_up(Patience::None, true, &now).unwrap().unwrap();
        let read: Vec<u64> = late.history().newest().map(|action| action.seq).collect();
        assert_eq!(read, [newest, after_index]);
    }

    #[test]
    fn only_so_many_open_actions_are_brought_in_without_patience() {
        for (count, is_brought) in [(200, true), (201, false)] {
            let directory = tempfile::tempdir().unwrap();
            let (options, now) = (options(directory.path()), Machine::read().now());
            let mut busy = open(&options, &now);
            write(&mut busy, count, &now);
            write_index(&busy, &now);
            let mut ledger = open(&options, &now);
            let open = Needs { open: true, ..Needs::default() };
            assert!(ledger.bring(&Needs { newest: usize::MAX, ..Needs::default() }, Patience::None).unwrap());
            assert_eq!(ledger.history().len(), 64);
            assert_eq!(ledger.bring(&open, Patience::None).unwrap(), is_brought);
            assert!(ledger.bring(&open, Patience::Until(std::time::Instant::now())).unwrap());
            assert_eq!(ledger.history().len(), usize::try_from(count).unwrap());
            // Once they are there it takes none.
            assert!(ledger.bring(&open, Patience::None).unwrap());
        }
    }

    /// What is not in the history yet is brought in when somebody tells what became of it.
    #[test]
    fn what_a_later_line_is_about_is_brought_in_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let (options, now) = (options(directory.path()), Machine::read().now());
        let mut busy = open(&options, &now);
        let last = write(&mut busy, 200, &now);
        let who = Who { instance: "home".to_owned(), session: "a".to_owned() };
        let record = |action: Action, of: &[u64]| {
            let mut record = Record::new(action, "home", &now);
            record.session = Some("a".to_owned());
            record.of = of.to_vec();
            record
        };
        let put = |busy: &mut Ledger, record: &Record| {
            let proof = busy.catch_up(Patience::None, false, &now).unwrap().unwrap();
            busy.append(&proof, record, &now).unwrap().seq
        };
        let [signalled, silent] =
            [true, false].map(|signal| put(&mut busy, &Record { signal, ..record(Action::Blocked, &[]) }));
        write_index(&busy, &now);

        // A host's signal names a run, not a session: pauses that wait for one are there at once.
        let mut late = open(&options, &now);
        let pauses = |ledger: &Ledger| {
            ledger.history().pauses(&who).map(|pause| (pause.seq, pause.delivered)).collect::<Vec<_>>()
        };
        assert_eq!(pauses(&late), [(signalled, false)]);
        assert!(late.bring(&Needs::default(), Patience::None).unwrap());
        assert!(uses_index(&late));
        put(&mut busy, &record(Action::Delivered, &[silent]));
        put(&mut busy, &record(Action::Released, &[last]));
        late.catch_up(Patience::None, false, &now).unwrap().unwrap();
        assert_eq!(pauses(&late), [(signalled, false), (silent, true)]);
        let actions: Vec<_> = late.history().newest().map(|action| (action.seq, action.released)).collect();
        assert_eq!(actions, [(last, true)]);
    }

    #[test]
    fn of_the_newest_actions_so_many_are_brought_in_as_are_asked_for() {
        let directory = tempfile::tempdir().unwrap();
        let (options, now) = (options(directory.path()), Machine::read().now());
        let mut busy = open(&options, &now);
        write(&mut busy, 200, &now);
        write_index(&busy, &now);
        let all: Vec<u64> = busy.history().newest().map(|action| action.seq).collect();
        let mut late = open(&options, &now);
        // The index names 64.
        for (newest, known) in [(0, 0), (3, 3), (2, 3), (5, 5), (64, 64), (usize::MAX, 64)] {
            assert!(late.bring(&Needs { newest, ..Needs::default() }, Patience::None).unwrap());
            let brought: Vec<u64> = late.history().newest().map(|action| action.seq).collect();
            assert_eq!(brought, all.get(..known).unwrap(), "{newest}");
        }
    }

    #[test]
    fn what_was_pruned_is_missing_and_what_never_was_is_the_indexs_fault() {
        let directory = tempfile::tempdir().unwrap();
        let (options_here, now) = (options(directory.path()), Machine::read().now());
        let mut busy = open(&options_here, &now);
        write(&mut busy, 200, &now);
        let proof = busy.catch_up(Patience::None, false, &now).unwrap().unwrap();
        busy.rotate(&proof, &now).unwrap();
        drop(proof);
        let newest = write(&mut busy, 1, &now);
        write_index(&busy, &now);
        fs::remove_file(directory.path().join("journal.0.jsonl")).unwrap();
        let mut late = open(&options_here, &now);
        let needs = Needs { newest: usize::MAX, open: true, ..Needs::default() };
        let patient = Patience::Until(std::time::Instant::now());
        assert!(late.bring(&needs, patient).unwrap());
        assert_eq!(late.history().newest().map(|action| action.seq).collect::<Vec<_>>(), [newest]);

        let other = tempfile::tempdir().unwrap();
        let mut elsewhere = open(&options(other.path()), &now);
        let lines = elsewhere.journal.segments().unwrap().lines();
        elsewhere.past = Past::new(lines, Index::open(&options_here.directory));
        let told = elsewhere.bring(&needs, patient);
        assert!(matches!(told, Err(StateError::Replaced { .. })), "{told:?}");
    }

    #[test]
    fn an_index_that_leads_astray_is_told_when_somebody_elses_outcome_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let (options, now) = (options(directory.path()), Machine::read().now());
        let mut busy = open(&options, &now);
        let last = write(&mut busy, 200, &now);
        let blocks = write_index(&busy, &now).bytes;
        let path = directory.path().join("journal.index");
        let mut bytes = fs::read(&path).unwrap();
        let head = bytes.len() - usize::try_from(blocks).unwrap();
        bytes.iter_mut().skip(head).for_each(|byte| *byte ^= 1);
        fs::write(&path, bytes).unwrap();

        let mut late = open(&options, &now);
        assert!(uses_index(&late));
        let mut done = Record::new(Action::Complete, "home", &now);
        done.session = Some("a".to_owned());
        done.of = vec![last];
        let proof = busy.catch_up(Patience::None, false, &now).unwrap().unwrap();
        busy.append(&proof, &done, &now).unwrap();
        // What comes behind it does not make up for it.
        busy.append(&proof, &Record::new(Action::Seen, "home", &now), &now).unwrap();
        drop(proof);
        let told = late.catch_up(Patience::None, false, &now);
        assert!(matches!(told, Err(StateError::Replaced { .. })), "{told:?}");
        let needs = Needs { newest: usize::MAX, ..Needs::default() };
        assert!(matches!(late.bring(&needs, Patience::None), Err(StateError::Replaced { .. })));
    }

    #[test]
    fn a_ledger_is_heavy_with_more_actions_than_are_worth_keeping() {
        let directory = tempfile::tempdir().unwrap();
        let now = Machine::read().now();
        let mut ledger = open(&options(directory.path()), &now);
        let mut record = Record::new(Action::Intercept, "home", &now);
        record.tier = Some(Tier::High);
        for (count, is_heavy) in [(20_000, false), (20_001, true), (20_002, true)] {
            for seq in ledger.history().len() as u64..count {
                ledger.history.apply(seq, &record);
            }
            assert_eq!(ledger.is_heavy(), is_heavy, "{count}");
        }
    }
}
