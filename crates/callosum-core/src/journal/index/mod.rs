//! The index: where in the journal the records about a resource, of a session, or on another record lie, so
//! that a process need not read the whole window to decide about one key.
//!
//! It holds sequence numbers, not facts: every record it leads to is read from the journal itself. It is
//! bound to a segment, the bytes of it that it covers and a checksum of the last covered line; where one of
//! them does not match, or a part of the file fails its own checksum, there is no index. It may be deleted at
//! any time.
//!
//! The file: a line `<checksum> <length of the head> <number of blocks>`, the head as JSON, a table with
//! the size and the checksum of each block, and the blocks. A block holds the entries of a range of topics,
//! all ranges being equal, so that one read finds what there is on a topic.

mod build;
mod topic;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::digest::hex;
use crate::history::{Coverage, History};
use crate::store::disk::Open;
use crate::store::state_dir::StateDir;
use crate::time::Stamp;

use super::record::{HookCounts, KnownWindow};
use super::segment::{MAX_LINE, Segment, SegmentFile};

pub use build::{IndexJob, Indexed};
pub use topic::Topic;

/// File name in the state directory.
const FILE_NAME: &str = "journal.index";
/// The layout described above; another one is ignored and written anew.
const LAYOUT: u32 = 3;
/// Bytes of an entry: topic, sequence number, and that of the record that led to it; little-endian.
const ENTRY: usize = 24;
/// Bytes of a block's row in the table: number of entries and CRC-32; little-endian.
const ROW: usize = 8;
/// Entries that a block should have.
const PER_BLOCK: usize = 128;
/// Read at once of a new file: nearly always all but the blocks.
const HEAD: usize = 16 * 1024;

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
    /// Checksum of that line: the first 16 hex digits of its SHA-256.
    checksum: String,
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
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CoverageRow {
    runtime: String,
    tool: String,
    counts: HookCounts,
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
    fn age_ms(&self, now: &Stamp) -> u64 {
        Stamp { wall_ms: self.wall_ms, up_ms: self.up_ms, boot: self.boot }.age_ms(now)
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
            && line.split_last().is_some_and(|(end, line)| *end == b'\n' && self.checksum == checksum(line))
    }

    /// Puts its counts and windows into a fresh history.
    pub fn restore_counts(&self, history: &mut History) {
        history.skipped = self.skipped;
        history.windows.clone_from(&self.windows);
        for row in &self.coverage {
            let coverage = Coverage { counts: row.counts, first_wall_ms: row.first, last_wall_ms: row.last };
            history.coverage.insert((row.runtime.clone(), row.tool.clone()), coverage);
        }
    }
}

/// An open index file. Whoever writes a new one leaves this one as it is.
#[derive(Debug)]
pub struct Index {
    file: Arc<SegmentFile>,
    head: Head,
    /// Of each block, offset in the file, number of entries, and checksum.
    blocks: Vec<(u64, u32, u32)>,
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
        let line_end = bytes.iter().position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(bytes.get(..line_end)?).ok()?.to_owned();
        let mut words = line.split(' ');
        let sum = words.next()?;
        let (length, count) = (words.next()?.parse::<usize>().ok()?, words.next()?.parse::<usize>().ok()?);
        let table_at = line_end.checked_add(1)?.checked_add(length)?;
        let end = table_at.checked_add(count.checked_mul(ROW)?)?;
        if !count.is_power_of_two() || end as u64 > file.facts().ok()?.size {
            return None;
        }
        if end > bytes.len() {
            bytes.resize(end, 0);
            file.read_exact_at(bytes.get_mut(got..)?, got as u64).ok()?;
        }
        let (json, table) = bytes.get(line_end + 1..end)?.split_at_checked(length)?;
        if sum != checksum(bytes.get(line_end + 1..end)?) {
            return None;
        }
        let head: Head = serde_json::from_slice(json).ok()?;
        let mut at = end as u64;
        let mut blocks = Vec::with_capacity(count);
        for row in table.chunks_exact(ROW) {
            let (entries, crc) = row.split_at_checked(4)?;
            let (entries, crc) = (u32_of(entries)?, u32_of(crc)?);
            blocks.push((at, entries, crc));
            at += u64::from(entries) * ENTRY as u64;
        }
        (head.layout == LAYOUT).then_some(Self { file: Arc::new(file), head, blocks })
    }

    /// What it says besides its entries.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Bytes of all blocks: what a new index would have to write again.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.blocks.iter().map(|(_, entries, _)| u64::from(*entries) * ENTRY as u64).sum()
    }

    /// Where the records on `topic` lie, in order.
    ///
    /// # Errors
    /// When the block can't be read or is not what it was.
    pub fn on(&self, topic: Topic) -> Result<Vec<u64>, Astray> {
        let bits = self.blocks.len().trailing_zeros();
        let number = topic.0.checked_shr(64 - bits).unwrap_or(0);
        let block = self.blocks.get(usize::try_from(number).unwrap_or(usize::MAX)).ok_or(Astray)?;
        let mut seqs: Vec<u64> = self
            .entries(block)?
            .into_iter()
            .filter(|entry| entry.topic == topic.0)
            .map(|entry| entry.seq)
            .collect();
        seqs.dedup();
        Ok(seqs)
    }

    /// All entries; `None` when a block is not what it was.
    fn all(&self) -> Option<Vec<Entry>> {
        let mut entries = Vec::new();
        for block in &self.blocks {
            entries.extend(self.entries(block).ok()?);
        }
        Some(entries)
    }

    fn entries(&self, (at, count, crc): &(u64, u32, u32)) -> Result<Vec<Entry>, Astray> {
        let mut bytes = vec![0; usize::try_from(*count).unwrap_or(0) * ENTRY];
        self.file.read_exact_at(&mut bytes, *at).map_err(|_| Astray)?;
        if crc32fast::hash(&bytes) != *crc {
            return Err(Astray);
        }
        bytes.chunks_exact(ENTRY).map(|bytes| Entry::read(bytes).ok_or(Astray)).collect()
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

fn checksum(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes), 8)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::history::Who;
    use crate::journal::recent::SLACK_MS;
    use crate::journal::record::{Action, Conflict, Record};
    use crate::journal::segments::Segments;
    use crate::tier::Tier;

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
        IndexJob::new(directory.clone(), segments, covered, KEEP_MS, step, history, now).run().unwrap()
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
        let right = Head { base: 1_000, covered, last_line, checksum: checksum(text), ..Head::default() };
        assert!(right.is_bound_to(&segment));
        for wrong in [
            Head { base: 999, ..right.clone() },
            Head { covered: covered - 1, ..right.clone() },
            Head { covered: covered + 1, ..right.clone() },
            Head { covered: 0, ..right.clone() },
            Head { last_line: last_line - 1, ..right.clone() },
            Head { last_line: 999, ..right.clone() },
            Head { last_line: covered + 1_000, ..right.clone() },
            Head { checksum: checksum(b"another"), ..right.clone() },
            Head { checksum: checksum(b""), ..right.clone() },
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
        let huge = [1 << 60, (1 << 60) + 1].map(|count: u64| format!("0 0 {count}\n"));
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

    /// How far the journal was is noted with each index: what came before a note that is too old may go.
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
            names.iter().zip([(0, 0), (10, 0), (too_old - 1, 0), (too_old, 1), (too_old + 10, 2)])
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
    fn of_many_notes_how_far_the_journal_was_every_second_goes() {
        let folder = tempfile::tempdir().unwrap();
        let (directory, mut segment) = begin(folder.path(), 0);
        let history = History::new(KEEP_MS, 0);
        let mut ends = Vec::new();
        for number in 1..=66_usize {
            segment.append(&mail("a")).unwrap();
            ends.push(write_index(&directory, &segment, 0, &history).end);
            if number == 65 {
                ends = ends.into_iter().step_by(2).collect();
            }
            let marks: Vec<u64> =
                Index::open(&directory).unwrap().head().marks.iter().map(|mark| mark.seq).collect();
            assert_eq!(marks, ends, "{number}");
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
