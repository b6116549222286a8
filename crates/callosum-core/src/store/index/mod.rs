//! The index: where in the journal the records about a resource, of a session, or on another record lie, so
//! that a process need not read the whole window to decide about one key.
//!
//! It holds sequence numbers, not facts: every record it leads to is read from the journal itself. It is
//! bound to a segment, the bytes of it that it covers and a checksum of the last covered line; where one of
//! them does not match, or a part of the file fails its own checksum, there is no index. It may be deleted at
//! any time.
//!
//! The file: a line `<checksum of the head> <length of the head> <number of blocks>`, the head as JSON, a table that
//! says of each block where it lies, its size and its checksum, and the blocks. A block holds the entries of a range of
//! topics, all ranges being equal, so that a row of the table and a block tell what there is on a topic, and who asks for
//! none reads neither.

mod build;
mod topic;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::decision::history::{Coverage, History, Lost};
use crate::model::time::Stamp;
use crate::store::disk::Open;
use crate::store::state_dir::StateDir;

use crate::record::{HookCounts, KnownWindow, Record};
use crate::store::journal::order::Order;
use crate::store::journal::segment::{MAX_LINE, Segment, SegmentFile};

pub use build::{IndexJob, Indexed};
pub use topic::Topic;

/// File name in the state directory.
const FILE_NAME: &str = "journal.index";
/// The layout described above; another one is ignored and written anew.
const LAYOUT: u32 = 6;
/// Bytes of an entry: topic, sequence number, and that of the record that led to it; little-endian.
const ENTRY: usize = 24;
/// Bytes of a block's row in the table: where it begins after the table, number of entries, and CRC-32 of its number and
/// its bytes; little-endian.
const ROW: usize = 16;
/// Entries that a block should have.
const PER_BLOCK: usize = 128;
/// Read at once of a new file: nearly always the whole head.
const HEAD: usize = 4 * 1024;

/// The index file does not say what it should: damaged, or of another journal.
#[derive(Clone, Copy, Debug)]
pub struct Astray;

/// That a record lies at `seq` which belongs to a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    topic: u64,
    seq: u64,
    /// The record that led to the entry: what decides when it may go.
    by: u64,
}

/// What the file says besides its entries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    layout: u32,
    /// Base of the segment up to which it covers the journal.
    pub base: u64,
    /// The bytes of that segment it covers: always whole lines.
    pub covered: u64,
    /// Sequence number of the last covered line.
    pub last_line: u64,
    /// Checksum of that line.
    checksum: u32,
    /// How far back it has records, milliseconds.
    pub keep_ms: u64,
    /// The newest actions, oldest first.
    pub newest: Vec<u64>,
    /// The actions without an outcome, oldest first.
    pub open: Vec<u64>,
    /// The pauses that a host has yet to tell the delivery of.
    pub unread: Vec<u64>,
    /// Torn and foreign lines met.
    skipped: u64,
    /// Known windows by instance.
    windows: BTreeMap<String, KnownWindow>,
    coverage: Vec<CoverageRow>,
    /// How far the journal was when: what tells which entries are too old.
    marks: Vec<Mark>,
    /// When the last record was written, as far as the order of all tells.
    newest_at: Option<Mark>,
    /// When these records were written, which say something else that can't be.
    corrected: Vec<Mark>,
    /// The loss that was told last.
    lost: Option<Lost>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CoverageRow {
    runtime: String,
    tool: String,
    counts: HookCounts,
    paused: u64,
    first: i64,
    last: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mark {
    seq: u64,
    wall_ms: i64,
    up_ms: u64,
    boot: Option<u32>,
}

impl Mark {
    fn of(seq: u64, at: &Stamp) -> Self {
        let Stamp { wall_ms, up_ms, boot } = *at;
        Self { seq, wall_ms, up_ms, boot }
    }

    fn at(&self) -> Stamp {
        Stamp { wall_ms: self.wall_ms, up_ms: self.up_ms, boot: self.boot }
    }

    fn age_ms(&self, now: &Stamp) -> u64 {
        self.at().age_ms(now)
    }
}

impl Head {
    /// How far it reaches, as a sequence number.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.base + self.covered
    }

    /// Whether the line it was bound to is there, in the segment up to which it covers the journal.
    #[must_use]
    pub fn is_bound_to(&self, segment: &Segment) -> bool {
        let Some(at) = self.last_line.checked_sub(segment.base) else { return false };
        let length = self.covered.checked_sub(at + 1).filter(|length| *length <= MAX_LINE);
        let Some(length) = length.and_then(|length| usize::try_from(length).ok()) else { return false };
        let mut line = vec![0; length + 1];
        segment.base == self.base
            && segment.file.read_exact_at(&mut line, at).is_ok()
            && line
                .split_last()
                .is_some_and(|(end, line)| *end == b'\n' && self.checksum == crc32fast::hash(line))
    }

    /// The order of what comes after it.
    #[must_use]
    pub fn order(&self) -> Order {
        Order::after(self.newest_at.map(|mark| mark.at()))
    }

    /// Puts the time of the record at `seq` right, where that can't be what it says.
    pub fn correct(&self, seq: u64, record: &mut Record) {
        if let Ok(place) = self.corrected.binary_search_by_key(&seq, |mark| mark.seq)
            && let Some(mark) = self.corrected.get(place)
        {
            record.correct_stamp(&mark.at());
        }
    }

    /// Takes the counts and windows of `history`, which are those of all that it covers.
    fn take_counts(&mut self, history: &History) {
        self.skipped = history.skipped;
        self.lost.clone_from(&history.lost);
        self.windows.clone_from(&history.windows);
        let rows = history.coverage.iter().flat_map(|(runtime, tools)| {
            tools.iter().map(move |(tool, coverage)| CoverageRow {
                runtime: runtime.clone(),
                tool: tool.clone(),
                counts: coverage.counts,
                paused: coverage.paused,
                first: coverage.first_wall_ms,
                last: coverage.last_wall_ms,
            })
        });
        self.coverage = rows.collect();
    }

    /// Puts its counts and windows into a fresh history.
    pub fn restore_counts(&self, history: &mut History) {
        history.skipped = self.skipped;
        history.lost.clone_from(&self.lost);
        history.windows.clone_from(&self.windows);
        for row in &self.coverage {
            let coverage = Coverage {
                counts: row.counts,
                paused: row.paused,
                first_wall_ms: row.first,
                last_wall_ms: row.last,
            };
            let tools = history.coverage.entry(row.runtime.clone()).or_default();
            tools.insert(row.tool.clone(), coverage);
        }
    }
}

/// An open index file. Whoever writes a new one leaves this one as it is.
#[derive(Debug)]
pub struct Index {
    file: Arc<SegmentFile>,
    head: Head,
    /// Where the table begins, and of how many rows.
    table_at: u64,
    blocks: u64,
    /// Bytes of all blocks.
    size: u64,
}

/// What the table says of a block.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// After the table.
    at: u64,
    entries: u32,
    crc: u32,
}

impl Index {
    /// Opens the index of `directory`; `None` when there is none that can be used.
    #[must_use]
    pub fn open(directory: &StateDir) -> Option<Self> {
        let path = directory.path.join(FILE_NAME);
        let file = SegmentFile::open(&directory.disk, path, Open::Read).ok()?;
        let mut bytes = vec![0; HEAD];
        let got = file.read_at(&mut bytes, 0).ok()?;
        bytes.truncate(got);
        let line_end = memchr::memchr(b'\n', &bytes)?;
        let line = std::str::from_utf8(bytes.get(..line_end)?).ok()?;
        let mut words = line.split(' ');
        let sum = words.next()?.parse::<u32>().ok()?;
        let (length, blocks) = (words.next()?.parse::<usize>().ok()?, words.next()?.parse::<u64>().ok()?);
        let table_at = line_end.checked_add(1)?.checked_add(length)?;
        let blocks_at = (table_at as u64).checked_add(blocks.checked_mul(ROW as u64)?)?;
        let size = file.facts().ok()?.size.checked_sub(blocks_at)?;
        if !blocks.is_power_of_two() {
            return None;
        }
        if table_at > bytes.len() {
            bytes.resize(table_at, 0);
            file.read_exact_at(bytes.get_mut(got..)?, got as u64).ok()?;
        }
        let json = bytes.get(line_end + 1..table_at)?;
        if sum != crc32fast::hash(json) {
            return None;
        }
        let head: Head = serde_json::from_slice(json).ok()?;
        let table_at = table_at as u64;
        (head.layout == LAYOUT).then_some(Self { file: Arc::new(file), head, table_at, blocks, size })
    }

    /// What it says besides its entries.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Bytes of all blocks: what a new index would have to write again.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Where the records on `topic` lie, in order.
    ///
    /// # Errors
    /// When the block can't be read or is not what it was.
    pub fn on(&self, topic: Topic) -> Result<Vec<u64>, Astray> {
        let number = topic.0.checked_shr(64 - self.blocks.trailing_zeros()).unwrap_or(0);
        let row = self.read(number * ROW as u64, ROW)?;
        let row = Row::read(&row).ok_or(Astray)?;
        let block = self.read((self.blocks * ROW as u64).saturating_add(row.at), row.length())?;
        let entries = row.entries(number, &block).ok_or(Astray)?;
        let mut seqs: Vec<u64> =
            entries.into_iter().filter(|entry| entry.topic == topic.0).map(|entry| entry.seq).collect();
        seqs.dedup();
        Ok(seqs)
    }

    /// All entries; `None` when a block is not what it was.
    fn all(&self) -> Option<Vec<Entry>> {
        let table = usize::try_from(self.blocks).ok()?.checked_mul(ROW)?;
        let bytes = self.read(0, table.checked_add(usize::try_from(self.size).ok()?)?).ok()?;
        let (table, blocks) = bytes.split_at_checked(table)?;
        let mut all = Vec::new();
        for (number, row) in (0..).zip(table.chunks_exact(ROW)) {
            let row = Row::read(row)?;
            let block = blocks.get(usize::try_from(row.at).ok()?..)?.get(..row.length())?;
            all.extend(row.entries(number, block)?);
        }
        Some(all)
    }

    /// Bytes of the table and the blocks.
    fn read(&self, from: u64, length: usize) -> Result<Vec<u8>, Astray> {
        // What no file can hold is not asked for: the length of a damaged row.
        let end = from.checked_add(length as u64).ok_or(Astray)?;
        if end > self.blocks * ROW as u64 + self.size {
            return Err(Astray);
        }
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, self.table_at + from).map_err(|_| Astray)?;
        Ok(bytes)
    }
}

impl Row {
    /// The row of the block with this number that begins so far after the table.
    fn of(number: u64, at: u64, entries: u32, block: &[u8]) -> Self {
        Self { at, entries, crc: Self::crc(number, block) }
    }

    /// Of the number too: a row that was lost, all of it zero, is not one of a block without entries.
    fn crc(number: u64, block: &[u8]) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&number.to_le_bytes());
        hasher.update(block);
        hasher.finalize()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (at, rest) = bytes.split_at_checked(8)?;
        let (entries, crc) = rest.split_at_checked(4)?;
        Some(Self { at: u64_of(at)?, entries: u32_of(entries)?, crc: u32_of(crc)? })
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.at.to_le_bytes());
        bytes.extend_from_slice(&self.entries.to_le_bytes());
        bytes.extend_from_slice(&self.crc.to_le_bytes());
    }

    /// Bytes of the block.
    fn length(&self) -> usize {
        usize::try_from(self.entries).unwrap_or(usize::MAX).saturating_mul(ENTRY)
    }

    /// What the block holds; `None` when it is not what it was.
    fn entries(&self, number: u64, block: &[u8]) -> Option<Vec<Entry>> {
        if Self::crc(number, block) != self.crc {
            return None;
        }
        block.chunks_exact(ENTRY).map(Entry::read).collect()
    }
}

impl Entry {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (topic, rest) = bytes.split_at_checked(8)?;
        let (seq, by) = rest.split_at_checked(8)?;
        Some(Self { topic: u64_of(topic)?, seq: u64_of(seq)?, by: u64_of(by)? })
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        for number in [self.topic, self.seq, self.by] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    }
}

fn u32_of(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

fn u64_of(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::decision::history::Who;
    use crate::model::tier::Tier;
    use crate::record::{Action, Conflict, Record};
    use crate::store::journal::recent::SLACK_MS;
    use crate::store::journal::segments::Segments;

    const KEEP_MS: u64 = 60_000;

    fn now() -> Stamp {
        Stamp { wall_ms: 1_800_000_000_000, up_ms: 5_000, boot: Some(7) }
    }

    fn mail(key: &str) -> Vec<u8> {
        let mut record = Record::new(Action::Intercept, "home", &now());
        record.tier = Some(Tier::High);
        record.session = Some("a".to_owned());
        record.context_keys = vec![key.to_owned()];
        record.to_line().unwrap()
    }

    fn begin(folder: &Path, base: u64) -> (StateDir, Segment) {
        let directory = StateDir::new(folder.to_owned());
        let segment = Segment::begin(&directory, base, "home", &now(), BTreeMap::new()).unwrap();
        (directory, segment)
    }

    fn write_index(directory: &StateDir, segment: &Segment, step: u64, history: &History) -> Indexed {
        write_index_at(&now(), directory, segment, step, history)
    }

    fn write_index_at(
        now: &Stamp,
        directory: &StateDir,
        segment: &Segment,
        step: u64,
        history: &History,
    ) -> Indexed {
        let active = (segment.base, Arc::clone(&segment.file));
        let segments = Segments { closed: Arc::default(), active, disk: Arc::clone(&directory.disk) };
        let covered = (segment.base, segment.read);
        IndexJob::new(directory.clone(), segments, covered, KEEP_MS, step, history, now).run(None).unwrap()
    }

    #[test]
    fn an_index_is_bound_to_its_segment_and_the_whole_of_its_last_line() {
        let folder = tempfile::tempdir().unwrap();
        let (_, mut segment) = begin(folder.path(), 1_000);
        segment.append(&mail("a")).unwrap();
        let line = mail("b");
        let last_line = segment.append(&line).unwrap().seq;
        let text = line.strip_suffix(b"\n").unwrap();
        let covered = segment.size();
        let right =
            Head { base: 1_000, covered, last_line, checksum: crc32fast::hash(text), ..Head::default() };
        assert!(right.is_bound_to(&segment));
        for wrong in [
            Head { base: 999, ..right.clone() },
            Head { covered: covered - 1, ..right.clone() },
            Head { covered: covered + 1, ..right.clone() },
            Head { covered: 0, ..right.clone() },
            Head { last_line: last_line - 1, ..right.clone() },
            Head { last_line: 999, ..right.clone() },
            Head { last_line: covered + 1_000, ..right.clone() },
            Head { checksum: crc32fast::hash(b"another"), ..right.clone() },
            Head { checksum: crc32fast::hash(b""), ..right.clone() },
        ] {
            assert!(!wrong.is_bound_to(&segment), "{wrong:?}");
        }
        segment.append(&mail("c")).unwrap();
        assert!(right.is_bound_to(&segment));
        // The line goes on where it should end.
        let path = folder.path().join("journal.jsonl");
        let mut bytes = fs::read(&path).unwrap();
        *bytes.get_mut(usize::try_from(covered).unwrap() - 1).unwrap() = b' ';
        fs::write(&path, bytes).unwrap();
        assert!(!right.is_bound_to(&segment));
    }

    #[test]
    fn an_index_whose_head_is_long_is_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (directory, mut segment) = begin(folder.path(), 0);
        let seq = segment.append(&mail("a")).unwrap().seq;
        let mut history = History::new(KEEP_MS, 0);
        let counts = HookCounts { before: 3, after: 2 };
        let seen = (0..400).map(|tool| (format!("{tool} {}", "x".repeat(100)), counts)).collect();
        history.add_counts("test", &seen, 10);
        history.skipped = 7;
        write_index(&directory, &segment, 0, &history);
        assert!(fs::metadata(folder.path().join(FILE_NAME)).unwrap().len() > 2 * HEAD as u64);
        let index = Index::open(&directory).unwrap();
        assert_eq!(index.on(Topic::key("a")).unwrap(), [seq]);
        assert_eq!(index.on(Topic::key("b")).unwrap(), [0; 0]);
        let mut restored = History::new(KEEP_MS, 0);
        index.head().restore_counts(&mut restored);
        assert_eq!((&restored.coverage, restored.skipped), (&history.coverage, 7));
    }

    #[test]
    fn an_index_may_have_no_entries_but_no_sizes_beyond_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let (directory, segment) = begin(folder.path(), 0);
        let indexed = write_index(&directory, &segment, 0, &History::new(KEEP_MS, 0));
        assert_eq!((indexed.end, indexed.bytes), (segment.read, 0));
        let index = Index::open(&directory).unwrap();
        assert_eq!((index.size(), index.head().end()), (0, segment.read));
        assert_eq!(index.on(Topic::key("a")).unwrap(), [0; 0]);
        let huge = [1_u64 << 59, 1 << 60, 1 << 63].map(|count| format!("0 0 {count}\n"));
        for text in
            huge.iter().map(String::as_str).chain(["", "\n", "0 0 3\n", "0 0 0\n", "0 9999999999 1\n"])
        {
            fs::write(folder.path().join(FILE_NAME), text).unwrap();
            assert!(Index::open(&directory).is_none(), "{text}");
        }
    }

    /// What an index says was read once: the next one takes it over, whatever has become of the lines.
    #[test]
    fn a_new_index_goes_on_from_the_one_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let (directory, mut segment) = begin(folder.path(), 0);
        let history = History::new(KEEP_MS, 0);
        let path = folder.path().join("journal.jsonl");
        let first = segment.append(&mail("a")).unwrap().seq;
        let second = segment.append(&mail("b")).unwrap().seq;
        let indexed = write_index(&directory, &segment, 0, &history);
        assert_eq!((indexed.end, indexed.bytes), (segment.read, 2 * ENTRY as u64));
        let mut bytes = fs::read(&path).unwrap();
        let (from, to) = (usize::try_from(first).unwrap(), usize::try_from(second).unwrap() - 1);
        bytes.get_mut(from..to).unwrap().fill(b'x');
        fs::write(&path, bytes).unwrap();
        let third = segment.append(&mail("a")).unwrap();
        // One that covers little less is as good.
        let step = third.end - indexed.end;
        let as_good = write_index(&directory, &segment, step, &history);
        assert_eq!((as_good.end, as_good.bytes), (indexed.end, indexed.bytes));
        let indexed = write_index(&directory, &segment, step - 1, &history);
        assert_eq!((indexed.end, indexed.bytes), (third.end, 3 * ENTRY as u64));
        let index = Index::open(&directory).unwrap();
        assert_eq!(index.on(Topic::key("a")).unwrap(), [first, third.seq]);
        assert_eq!(index.on(Topic::key("b")).unwrap(), [second]);
        assert_eq!(index.head().newest, [first, second, third.seq]);
        assert_eq!(index.head().open, [first, second, third.seq]);
        // Without it only what can be read is known.
        fs::remove_file(folder.path().join(FILE_NAME)).unwrap();
        write_index(&directory, &segment, 0, &history);
        assert_eq!(Index::open(&directory).unwrap().on(Topic::key("a")).unwrap(), [third.seq]);
    }

    /// A pause whose delivery a host will tell.
    fn pause(key: &str) -> Vec<u8> {
        let mut record = Record::new(Action::Blocked, "home", &now());
        record.session = Some("a".to_owned());
        record.context_keys = vec![key.to_owned()];
        record.signal = true;
        record.to_line().unwrap()
    }

    /// How far the journal was is marked so often.
    const PART_MS: u64 = KEEP_MS / 16;

    /// What came before a mark that is too old may go.
    #[test]
    fn what_is_out_of_every_window_leaves_the_index() {
        let folder = tempfile::tempdir().unwrap();
        let (directory, mut segment) = begin(folder.path(), 0);
        let history = History::new(KEEP_MS, 0);
        let who = Who { instance: "home".to_owned(), session: "a".to_owned() };
        let names = ["0", "1", "2", "3", "4"];
        let mut seqs = Vec::new();
        let too_old = KEEP_MS + SLACK_MS + 1;
        for (name, (ms, first)) in
            names.iter().zip([(0, 0), (PART_MS, 0), (too_old - 1, 0), (too_old, 1), (too_old + PART_MS, 2)])
        {
            seqs.push((segment.append(&mail(name)).unwrap().seq, segment.append(&pause(name)).unwrap().seq));
            write_index_at(&now().plus_ms(ms), &directory, &segment, 0, &history);
            let index = Index::open(&directory).unwrap();
            for (number, (name, (action, pause))) in names.iter().zip(&seqs).enumerate() {
                let there = number >= first;
                let on = [Topic::key(name), Topic::pauses(&who, name)].map(|topic| index.on(topic).unwrap());
                let expected = [action, pause].map(|seq| if there { vec![*seq] } else { Vec::new() });
                assert_eq!(on, expected, "{name} after {ms} ms");
            }
            let left = seqs.iter().skip(first);
            let (open, unread): (Vec<u64>, Vec<u64>) = left.copied().unzip();
            assert_eq!((&index.head().open, &index.head().unread), (&open, &unread), "after {ms} ms");
        }
    }

    #[test]
    fn how_far_the_journal_was_is_marked_once_a_part_of_the_window() {
        let folder = tempfile::tempdir().unwrap();
        let (directory, mut segment) = begin(folder.path(), 0);
        let history = History::new(KEEP_MS, 0);
        let back = |ms: i64, at: Stamp| Stamp { wall_ms: at.wall_ms - ms, ..at };
        let rebooted = |at: Stamp| Stamp { boot: Some(8), up_ms: 0, ..at };
        let mut marked = Vec::new();
        for (at, is_marked) in [
            (now(), true),
            (now().plus_ms(PART_MS - 1), false),
            (now().plus_ms(PART_MS), true),
            // The wall clock was set back: the time since the boot says how long ago the last one was.
            (back(50_000, now().plus_ms(2 * PART_MS - 1)), false),
            (back(50_000, now().plus_ms(2 * PART_MS)), true),
            // Of another boot only the wall clock says it, and of what lies ahead there nothing does.
            (rebooted(back(50_000, now().plus_ms(3 * PART_MS - 1))), false),
            (rebooted(back(50_000, now().plus_ms(3 * PART_MS))), true),
            (back(50_001, now().plus_ms(3 * PART_MS)), true),
        ] {
            segment.append(&mail("a")).unwrap();
            let end = write_index_at(&at, &directory, &segment, 0, &history).end;
            marked.extend(is_marked.then_some(end));
            let marks = Index::open(&directory).unwrap().head().marks.clone();
            assert_eq!(marks.iter().map(|mark| mark.seq).collect::<Vec<_>>(), marked, "{at:?}");
        }
    }

    #[test]
    fn a_damaged_table_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let (directory, mut segment) = begin(folder.path(), 0);
        segment.append(&mail("a")).unwrap();
        write_index(&directory, &segment, 0, &History::new(KEEP_MS, 0));
        let path = folder.path().join(FILE_NAME);
        let bytes = fs::read(&path).unwrap();
        let table_at = bytes.len() - ENTRY - ROW;
        let damaged = |row: [u8; ROW]| {
            let mut bytes = bytes.clone();
            bytes.get_mut(table_at..table_at + ROW).unwrap().copy_from_slice(&row);
            fs::write(&path, bytes).unwrap();
            let index = Index::open(&directory).unwrap();
            assert_eq!((index.on(Topic::key("a")).is_err(), index.all()), (true, None), "{row:?}");
        };
        let row: [u8; ROW] = bytes.get(table_at..table_at + ROW).unwrap().try_into().unwrap();
        damaged([0; ROW]);
        damaged([0xff; ROW]);
        for at in 0..ROW {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut other = row;
                *other.get_mut(at).unwrap() ^= byte;
                if other != row {
                    damaged(other);
                }
            }
        }
    }

    #[test]
    fn an_index_names_what_is_open_and_what_became_of_each() {
        let folder = tempfile::tempdir().unwrap();
        let (directory, mut segment) = begin(folder.path(), 0);
        let mut put = |record: &Record| segment.append(&record.to_line().unwrap()).unwrap().seq;
        let record = |action: Action, of: &[u64]| {
            let mut record = Record::new(action, "home", &now());
            record.session = Some("a".to_owned());
            record.of = of.to_vec();
            record
        };
        let start = |tier: Tier| {
            let context_keys = vec!["key".to_owned()];
            Record { tier: Some(tier), context_keys, ..record(Action::Intercept, &[]) }
        };
        let starts: Vec<u64> = (0..7).map(|_| put(&start(Tier::Medium))).collect();
        // What is only logged is no action, even where its line is read.
        let seen = BTreeMap::from([("exec".to_owned(), HookCounts { before: 1, after: 0 })]);
        put(&Record { seen, ..start(Tier::Low) });
        let [complete, failed, refused, unknown, running, released, open] = starts[..] else { panic!() };
        let ends = [
            (complete, Action::Complete),
            (failed, Action::Failed),
            (refused, Action::Refused),
            (unknown, Action::Unknown),
            (running, Action::Running),
            (released, Action::Released),
        ];
        let ends = ends.map(|(of, action)| (of, put(&record(action, &[of]))));
        let pause = |signal: bool| Record { signal, ..record(Action::Blocked, &[]) };
        let [told, untold, unsignalled] = [pause(true), pause(true), pause(false)].map(|record| put(&record));
        let delivered = put(&record(Action::Delivered, &[told, unsignalled]));
        // The original plugin's line for a finished action says all of it. A block is no pause.
        let keys = |key: &str| vec![key.to_owned()];
        let original = Record { v: 0, context_keys: keys("old"), ..record(Action::Complete, &[]) };
        let original = put(&original);
        let conflicts = [Some(Conflict::Lease), Some(Conflict::Recent)];
        let [_, pause] = conflicts.map(|conflict| {
            put(&Record { conflict, context_keys: keys("key"), ..record(Action::Blocked, &[]) })
        });
        write_index(&directory, &segment, 0, &History::new(KEEP_MS, 0));
        let index = Index::open(&directory).unwrap();
        assert_eq!(index.on(Topic::key("old")).unwrap(), [original]);
        let who = Who { instance: "home".to_owned(), session: "a".to_owned() };
        assert_eq!(index.on(Topic::pauses(&who, "key")).unwrap(), [pause]);
        assert_eq!(index.head().newest, starts);
        assert_eq!(index.head().open, [running, released, open]);
        assert_eq!(index.head().unread, [untold]);
        assert_eq!(index.on(Topic::key("key")).unwrap(), starts);
        for (of, sequel) in ends.into_iter().chain([(told, delivered), (unsignalled, delivered)]) {
            assert_eq!(index.on(Topic::sequel(of)).unwrap(), [sequel], "{of}");
        }
        assert_eq!(index.on(Topic::sequel(open)).unwrap(), [0; 0]);
    }
}
