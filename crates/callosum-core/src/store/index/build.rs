//! Writing an index: from the one that is there and what the journal got since.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use crate::decision::history::History;
use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::record::kind::{Fold, IndexedAs};
use crate::record::{Line, Record};
use crate::store::journal::forward::Forward;
use crate::store::journal::recent::SLACK_MS;
use crate::store::journal::retention::newest_age_ms;
use crate::store::journal::segment::{Endless, Segment};
use crate::store::journal::segment_file::write_whole;
use crate::store::journal::segments::Segments;
use crate::store::state_dir::StateDir;

use super::topic::topics;
use super::{ENTRY, Entry, FILE_NAME, Index, IndexHeader, LAYOUT, Mark, PER_BLOCK, Row, UnendedLine};

/// The newest actions that are named.
const NEWEST: usize = 64;
/// Actions without an outcome that are named; of more, only the newest.
const MAX_OPEN: usize = 4_096;
/// Nobody takes longer to write an index, milliseconds.
const DRAFT_MS: i64 = 10 * 60 * 1000;
/// How far the journal is is marked so many times within the window: entries stay up to one such part longer.
const MARKS: u64 = 16;
/// Stands for what leads to the entry of a record that stands: it goes when another one replaces it, not with time.
const STANDS: u64 = u64::MAX;
/// A job that has little time looks at the clock whenever it has read so many bytes.
const BETWEEN_LOOKS: usize = 256 * 1024;

/// An index to be written, on a thread that may wait. It needs neither guard nor ledger: what it reads of the
/// journal never changes.
#[derive(Debug)]
pub struct IndexJob {
    directory: StateDir,
    segments: Segments,
    /// How far back it is to reach, milliseconds.
    keep_ms: u64,
    /// An index that ends fewer bytes before is as good.
    step: u64,
    header: IndexHeader,
    /// What is known to be too long to be a line.
    endless: Option<Endless>,
    now: Stamp,
}

/// How far the index on disk reaches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Indexed {
    /// As a sequence number.
    pub end: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// What an index is made from.
#[derive(Default)]
struct Draft {
    entries: Vec<Entry>,
    /// Actions begun, and those that ended.
    started: BTreeSet<u64>,
    ended: BTreeSet<u64>,
    /// Pauses whose delivery a host tells, and those it has told.
    waiting: BTreeSet<u64>,
    delivered: BTreeSet<u64>,
    /// Records that stood, and stand no longer.
    replaced: BTreeSet<u64>,
    /// The last line covered: sequence number and bytes.
    last: Option<(u64, Vec<u8>)>,
    /// What the records that were read say of when they were written.
    stamps: Vec<(u64, Stamp)>,
    /// What the lines up to the last one count, for a job that may have to stop before its end.
    counts: Option<History>,
}

impl IndexJob {
    /// A job for an index of what `history` counts and `segments` hold, up to `covered` bytes of the segment
    /// at `base`.
    #[must_use]
    pub fn new(
        directory: StateDir,
        segments: Segments,
        (base, covered): (u64, u64),
        keep_ms: u64,
        step: u64,
        history: &History,
        now: &Stamp,
    ) -> Self {
        let mut header = IndexHeader { layout: LAYOUT, base, covered, keep_ms, ..IndexHeader::default() };
        header.take_counts(history);
        Self { directory, segments, keep_ms, step, header, endless: None, now: *now }
    }

    /// The same where this is known to be too long to be a line.
    #[must_use]
    pub fn passing_over(self, endless: Option<Endless>) -> Self {
        Self { endless, ..self }
    }

    /// Writes the index, replacing the old one at once, unless another process wrote one a moment ago. One that takes longer
    /// than `until` covers what was read by then, and the next job goes on from there.
    ///
    /// # Errors
    /// When the journal can't be read or the file not be written; the old one is still there then.
    pub fn run(mut self, until: Option<Instant>) -> Result<Indexed, StateError> {
        let mut draft = Draft::default();
        let there = self.usable_index();
        if let Some(index) = &there
            && index.header.end().saturating_add(self.step) >= self.header.end()
            && !self.has_more_of_endless(&index.header)
        {
            return Ok(Indexed { end: index.header.reach(), bytes: index.size() });
        }
        let from = match there.and_then(|index| Some((index.all()?, index.header))) {
            Some((entries, header)) => {
                draft.entries = entries;
                draft.started.extend(header.open.iter().chain(&header.newest));
                draft.ended.extend(header.newest.iter().filter(|seq| !header.open.contains(seq)));
                draft.waiting.extend(&header.unread);
                draft.counts = until.map(|_| {
                    let mut counts = History::new(self.keep_ms, 0);
                    header.restore_counts(&mut counts);
                    counts
                });
                let end = header.end();
                if end == self.header.end() {
                    (self.header.last_line, self.header.checksum) = (header.last_line, header.checksum);
                }
                self.header.marks = header.marks;
                (self.header.newest_at, self.header.corrected) = (header.newest_at, header.corrected);
                self.header.standing_from = header.standing_from;
                end
            }
            None => {
                draft.counts = until.map(|_| History::new(self.keep_ms, 0));
                self.header.standing_from = self.begin_of_window();
                self.header.standing_from
            }
        };
        self.read_on(from, until, &mut draft)?;
        if let Some((last_line, line)) = draft.last.take() {
            self.header.last_line = last_line;
            self.header.checksum = crc32fast::hash(&line);
        } else if from < self.header.end() {
            return Ok(Indexed::default());
        }
        let unended = self.endless.filter(|endless| self.is_behind(endless));
        self.header.endless = unended.and_then(|endless| {
            let (base, file) = &self.segments.active;
            UnendedLine::of(file, endless.to - base)
        });
        let edge = self.edge();
        self.correct(&draft.stamps, edge);
        draft
            .entries
            .retain(|entry| entry.by >= edge && !(entry.by == STANDS && draft.replaced.contains(&entry.seq)));
        // Most are in order: a stable sort takes them as they lie.
        draft.entries.sort();
        // What speaks last of an action keeps it: an end counts for longer than the beginning does.
        draft.entries.dedup_by(|later, kept| {
            let is_same = (later.topic, later.seq) == (kept.topic, kept.seq);
            if is_same {
                kept.by = later.by;
            }
            is_same
        });
        let newest = |set: &mut dyn Iterator<Item = &u64>, most: usize| {
            let mut seqs: Vec<u64> = set.copied().take(most).collect();
            seqs.reverse();
            seqs
        };
        self.header.newest = newest(&mut draft.started.iter().rev(), NEWEST);
        let open = draft.started.difference(&draft.ended).filter(|seq| **seq >= edge);
        self.header.open = newest(&mut open.collect::<Vec<_>>().into_iter().rev(), MAX_OPEN);
        let unread = draft.waiting.difference(&draft.delivered).filter(|seq| **seq >= edge);
        self.header.unread = newest(&mut unread.collect::<Vec<_>>().into_iter().rev(), MAX_OPEN);
        Ok(Indexed { end: self.header.reach(), bytes: self.write(&draft.entries)? })
    }

    /// Whether such a line begins right behind what is covered.
    fn is_behind(&self, endless: &Endless) -> bool {
        self.header.base == self.segments.active.0 && endless.from == self.header.end()
    }

    /// Whether more is known of such a line than an index says that covers as much.
    fn has_more_of_endless(&self, header: &IndexHeader) -> bool {
        let known = header.reach();
        header.end() == self.header.end()
            && self.endless.is_some_and(|endless| {
                self.is_behind(&endless) && endless.to > known.saturating_add(self.step)
            })
    }

    /// The index that is there, if it fits this journal and reaches as far back.
    fn usable_index(&self) -> Option<Index> {
        let index = Index::open(&self.directory).filter(|index| index.header.keep_ms >= self.keep_ms)?;
        let segment = Segment::open_at(&self.directory, index.header.base).ok()??;
        // What it says of the lines behind a gap may be of before.
        let knows_gaps = self.header.gaps == index.header.gaps;
        (knows_gaps && index.header.is_bound_to(&segment)).then_some(index)
    }

    /// Where the first segment begins that has lines within the window, going by the same as who deletes segments.
    fn begin_of_window(&self) -> u64 {
        let keep_ms = self.keep_ms.saturating_add(SLACK_MS);
        let is_over = |(base, path): &&(u64, PathBuf)| {
            newest_age_ms(&self.directory, *base, path, &self.now).is_some_and(|age_ms| age_ms > keep_ms)
        };
        let Segments { closed, active, .. } = &self.segments;
        // Most are older, where there are many.
        let first = closed.iter().rposition(|segment| is_over(&segment)).map_or(0, |last| last + 1);
        closed.get(first).map_or(active.0, |(base, _)| *base)
    }

    /// Reads the lines between `from` and the end; those that there is time for.
    fn read_on(&mut self, from: u64, until: Option<Instant>, draft: &mut Draft) -> Result<(), StateError> {
        let end = self.header.end();
        if from >= end {
            return Ok(());
        }
        let mut lines = Forward::from(&self.segments, from)?;
        lines.pass_over(self.endless);
        let (mut covered, mut unseen) = (None, 0);
        while let Some((seq, bytes)) = lines.next_line()? {
            if seq >= end {
                return Ok(());
            }
            let line = Line::read(&bytes);
            draft.count(seq, &line);
            if let Line::Record(record) = &line {
                draft.stamps.push((seq, record.stamp()));
                draft.take(seq, record);
            }
            unseen += bytes.len();
            // What has no newline is a piece of a line that is too long, or torn: no index ends there.
            if let Some((base, offset)) = lines.place()
                && base + offset == seq + bytes.len() as u64 + 1
            {
                covered = Some((base, offset));
                draft.last = Some((seq, bytes));
            }
            if unseen > BETWEEN_LOOKS {
                unseen = 0;
                // It ends behind a line, else the next job would come no further.
                if let (Some((base, offset)), Some(counts)) = (covered, &draft.counts)
                    && until.is_some_and(|until| Instant::now() >= until)
                {
                    (self.header.base, self.header.covered) = (base, offset);
                    let (gaps, kept_from) = (std::mem::take(&mut self.header.gaps), self.header.kept_from);
                    self.header.take_counts(counts);
                    (self.header.gaps, self.header.kept_from) = (gaps, kept_from);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Notes which of the records that were read say of their time what can't be.
    fn correct(&mut self, stamps: &[(u64, Stamp)], edge: u64) {
        let mut right: Vec<Stamp> = stamps.iter().map(|(_, stamp)| *stamp).collect();
        let mut order = self.header.order();
        order.correct_all(&mut right, &self.now);
        let wrong = stamps.iter().zip(&right).filter(|((_, said), right)| said != *right);
        self.header.corrected.extend(wrong.map(|((seq, _), right)| Mark::of(*seq, right)));
        self.header.corrected.retain(|mark| mark.seq >= edge);
        let too_many = self.header.corrected.len().saturating_sub(MAX_OPEN);
        self.header.corrected.drain(..too_many);
        self.header.newest_at = order.newest().map(|newest| Mark::of(self.header.last_line, &newest));
    }

    /// Entries that came before this sequence number are out of every window. Marks how far the journal is, now and then.
    fn edge(&mut self) -> u64 {
        let too_old = |mark: &Mark| mark.age_ms(&self.now) > self.keep_ms.saturating_add(SLACK_MS);
        let edge = self.header.marks.iter().filter(|mark| too_old(mark)).map(|mark| mark.seq).max();
        let edge = edge.unwrap_or(0);
        self.header.marks.retain(|mark| mark.seq >= edge);
        let Stamp { wall_ms, boot, .. } = self.now;
        // One of another boot that lies ahead has no age: the clock was wrong then, or is now.
        let is_recent = |mark: &Mark| {
            mark.age_ms(&self.now) < self.keep_ms / MARKS && (mark.boot == boot || mark.wall_ms <= wall_ms)
        };
        if !self.header.marks.last().is_some_and(is_recent) {
            self.header.marks.push(Mark::of(self.header.end(), &self.now));
        }
        edge
    }

    fn write(&self, entries: &[Entry]) -> Result<u64, StateError> {
        let StateDir { path: folder, disk } = &self.directory;
        let path = folder.join(FILE_NAME);
        let count = entries.len().div_ceil(PER_BLOCK).next_power_of_two();
        let (mut table, mut blocks) = (Vec::new(), Vec::with_capacity(entries.len() * ENTRY));
        let mut rest = entries;
        for number in 0..count {
            let last = u128::from(u64::MAX) + 1;
            let end = (number as u128 + 1) * last / count as u128;
            let (here, after) = rest.split_at(rest.partition_point(|entry| u128::from(entry.topic) < end));
            let start = blocks.len();
            here.iter().for_each(|entry| entry.write(&mut blocks));
            let block = blocks.get(start..).unwrap_or_default();
            let count = u32::try_from(here.len()).unwrap_or(u32::MAX);
            Row::of(number as u64, start as u64, count, block).write(&mut table);
            rest = after;
        }
        let header = serde_json::to_vec(&self.header)
            .map_err(|source| StateError::Encode { path: path.clone(), source })?;
        let line = format!("{} {} {count}\n", crc32fast::hash(&header), header.len());
        let bytes = [line.as_bytes(), &header, &table, &blocks].concat();
        // Several processes may write one at once: each makes its own file, the last rename wins.
        let draft = folder.join(format!("{FILE_NAME}.{}", std::process::id()));
        let written = write_whole(disk.as_ref(), &draft, &bytes).and_then(|()| {
            disk.rename(&draft, &path).map_err(|source| StateError::io("rename", &draft, source))
        });
        written.inspect_err(|_| drop(disk.remove(&draft)))?;
        self.remove_old_drafts();
        Ok(blocks.len() as u64)
    }

    /// What a process that was killed left of an index it was writing. A failure leaves it for the next time.
    fn remove_old_drafts(&self) {
        let StateDir { path: folder, disk } = &self.directory;
        for name in disk.list(folder).unwrap_or_default() {
            let is_draft = name
                .to_str()
                .and_then(|name| name.strip_prefix(FILE_NAME)?.strip_prefix('.'))
                .is_some_and(|process| process.bytes().all(|byte| byte.is_ascii_digit()));
            let path = folder.join(&name);
            let is_old = |modified_ms: i64| self.now.wall_ms.saturating_sub(modified_ms) > DRAFT_MS;
            if is_draft && disk.metadata(&path).is_ok_and(|metadata| is_old(metadata.modified_ms)) {
                let _ = disk.remove(&path);
            }
        }
    }
}

impl Draft {
    fn take(&mut self, seq: u64, record: &Record) {
        let entries = topics(seq, record);
        let stands = record.action.spec().index == IndexedAs::Standing;
        let by = if stands && !record.ended { STANDS } else { seq };
        self.entries.extend(entries.into_iter().map(|(topic, of)| Entry { topic: topic.0, seq: of, by }));
        if stands {
            self.replaced.extend(&record.of);
        }
        let tracked = record.tier.is_some_and(crate::model::tier::Tier::is_tracked);
        match record.action.spec().fold {
            Fold::Start if tracked => drop(self.started.insert(seq)),
            Fold::Outcome(_) => self.ended.extend(&record.of),
            Fold::Pause if record.signal && !record.is_foreign() => drop(self.waiting.insert(seq)),
            Fold::Delivery => self.delivered.extend(&record.of),
            Fold::Start
            | Fold::Background
            | Fold::Release
            | Fold::Renewal
            | Fold::Pause
            | Fold::Window
            | Fold::Segment
            | Fold::Prune
            | Fold::Loss
            | Fold::Place
            | Fold::Nothing => {}
        }
    }

    /// Counts a line as who reads on from the index would.
    fn count(&mut self, seq: u64, line: &Line) {
        let Some(counts) = &mut self.counts else { return };
        match line {
            Line::Record(record) => {
                if record.action.spec().index == IndexedAs::Counts {
                    counts.apply(seq, record);
                }
                counts.count(record);
            }
            Line::Counted(counted) => counts.count_light(counted),
            Line::Foreign => counts.skipped += 1,
            Line::Light | Line::Blank | Line::Newer(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
    use std::collections::BTreeMap;
    use std::fs::{self, File};
    use std::sync::Arc;
    use std::time::{Duration, UNIX_EPOCH};

    use super::super::Topic;
    use super::*;
    use crate::record::Action;
    use crate::store::journal::segment::Carried;

    const NOW: Stamp = Stamp { wall_ms: 1_800_000_000_000, up_ms: 5_000, boot: Some(7) };

    /// A job in a folder with an empty journal.
    fn job(folder: &std::path::Path) -> IndexJob {
        let directory = StateDir::new(folder.to_owned());
        let segment = Segment::begin(&directory, 0, None, "home", &NOW, Carried::default()).unwrap();
        let active = (segment.base, Arc::clone(&segment.file));
        let segments = Segments { closed: Arc::default(), active, disk: Arc::clone(&directory.disk) };
        let covered = (segment.base, segment.read);
        IndexJob::new(directory, segments, covered, 60_000, 0, &History::new(60_000, 0), &NOW)
    }

    #[test]
    fn a_topic_is_found_on_whatever_side_of_a_blocks_edge_it_is() {
        for (count, blocks) in [(PER_BLOCK, 1), (PER_BLOCK + 1, 2), (2 * PER_BLOCK, 2), (3 * PER_BLOCK, 4)] {
            let folder = tempfile::tempdir().unwrap();
            let job = job(folder.path());
            let step = u64::MAX / 4 + 1;
            let edges = [0, 1, step - 1, step, 2 * step - 1, 2 * step, 3 * step - 1, 3 * step, u64::MAX];
            let fillers = (0..(count - edges.len()) as u64).map(|number| step / 2 + number);
            let mut topics: Vec<u64> = edges.into_iter().chain(fillers).collect();
            topics.sort_unstable();
            let entries: Vec<Entry> =
                topics.iter().map(|topic| Entry { topic: *topic, seq: topic ^ 5, by: 9 }).collect();
            assert_eq!(job.write(&entries).unwrap(), (count * ENTRY) as u64);
            let index = Index::open(&job.directory).unwrap();
            assert_eq!(index.blocks, blocks);
            for topic in topics {
                assert_eq!(index.on(Topic(topic)).unwrap(), [topic ^ 5], "{topic:x} of {count}");
            }
        }
    }

    /// A journal of some closed segments and an active one, too long for one look at the clock, and what it counts.
    fn long_journal(folder: &std::path::Path) -> (StateDir, Segment, Segments, History) {
        let directory = StateDir::new(folder.to_owned());
        let mut history = History::new(60_000, 0);
        let (mut base, mut closed) = (0, Vec::new());
        loop {
            let mut segment =
                Segment::begin(&directory, base, None, "home", &NOW, Carried::default()).unwrap();
            for number in 0..3_000 {
                let action = if number % 3 == 2 { Action::Seen } else { Action::Intercept };
                let mut record = Record::new(action, "home", &NOW);
                record.tier = Some(crate::model::tier::Tier::High);
                record.runtime = Some("test".to_owned());
                record.session = Some("a".to_owned());
                record.tool = Some("mail".to_owned());
                record.context_keys = vec![format!("key:{}", number % 50)];
                let counts = crate::record::HookCounts { before: 1, after: 2 };
                record.seen = BTreeMap::from([("mail".to_owned(), counts)]);
                history.count(&record);
                segment.append(&record.to_line().unwrap()).unwrap();
            }
            // A piece of it is no line that an index could end at.
            if base == 0 {
                segment.append(&[vec![0; 17 << 20], vec![b'\n']].concat()).unwrap();
            }
            if closed.len() == 2 {
                let active = (segment.base, Arc::clone(&segment.file));
                let disk = Arc::clone(&directory.disk);
                return (directory, segment, Segments { closed: Arc::new(closed), active, disk }, history);
            }
            segment.retire(&directory).unwrap();
            closed.push((base, crate::store::journal::segment_file::segment_path(folder, base)));
            base += segment.size();
        }
    }

    #[test]
    fn a_job_without_time_goes_on_where_the_last_one_stopped_and_comes_to_the_same_index() {
        let mut ends = Vec::new();
        let made = [None, Some(())].map(|bounded| {
            let folder = tempfile::tempdir().unwrap();
            let (directory, segment, segments, mut history) = long_journal(folder.path());
            let covered = (segment.base, segment.read);
            let until = bounded.map(|()| std::time::Instant::now());
            loop {
                // Whoever has read it all has met the long line.
                history.skipped = if until.is_some() { 99 } else { 2 };
                let job =
                    IndexJob::new(directory.clone(), segments.clone(), covered, 60_000, 0, &history, &NOW);
                let indexed = job.run(until).unwrap();
                ends.push(indexed.end);
                if indexed.end == covered.0 + covered.1 {
                    break;
                }
                let index = Index::open(&directory).unwrap();
                let mut counts = History::new(60_000, 0);
                index.header.restore_counts(&mut counts);
                assert!(counts.skipped < 10, "what follows is not counted yet");
            }
            let index = Index::open(&directory).unwrap();
            assert!(index.header.is_bound_to(&segment));
            let entries = index.all().unwrap();
            (entries, IndexHeader { marks: Vec::new(), skipped: 0, ..index.header })
        });
        assert!(ends.len() > 5 && ends[1..].is_sorted_by(|before, after| before < after), "{ends:?}");
        let [whole, in_steps] = made;
        assert_eq!(whole, in_steps);
    }

    #[test]
    fn a_draft_is_left_over_once_it_is_older_than_ten_minutes() {
        let folder = tempfile::tempdir().unwrap();
        let job = job(folder.path());
        let at = |wall_ms: i64| UNIX_EPOCH + Duration::from_millis(wall_ms.unsigned_abs());
        let ten_minutes = 600_000;
        for (name, age_ms) in [("1", ten_minutes - 1), ("2", ten_minutes), ("3", ten_minutes + 1), ("4", -1)]
        {
            let file = File::create(folder.path().join(format!("{FILE_NAME}.{name}"))).unwrap();
            file.set_modified(at(NOW.wall_ms - age_ms)).unwrap();
        }
        job.remove_old_drafts();
        let is_there = |name: &&str| folder.path().join(format!("{FILE_NAME}.{name}")).exists();
        assert_eq!(["1", "2", "3", "4"].iter().filter(|name| is_there(name)).count(), 3);
        assert!(!is_there(&"3"));
        assert!(fs::exists(folder.path().join("journal.jsonl")).unwrap());
    }
}
