//! The index: where in the journal the records about a resource, of a session, or on another record lie, so
//! that a process need not read the whole window to decide about one key.
//!
//! It holds sequence numbers, not facts: every record it leads to is read from the journal itself. It is
//! bound to a segment, the bytes of it that it covers and a checksum of the last covered line; where one of
//! them does not match, or a part of the file fails its own checksum, there is no index. It may be deleted at
//! any time.
//!
//! The file: a line `<checksum of the header> <length of the header> <number of blocks>`, the header as JSON, a table that
//! says of each block where it lies, its size and its checksum, and the blocks. A block holds the entries of a range of
//! topics, all ranges being equal, so that a row of the table and a block tell what there is on a topic, and who asks for
//! none reads neither.

mod build;
mod topic;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::decision::history::{Coverage, Gap, History, Lost};
use crate::model::time::Stamp;
use crate::store::disk::OpenMode;
use crate::store::state_dir::StateDir;

use crate::record::{Action, HookCounts, KnownWindow, Record};
use crate::store::journal::order::Order;
use crate::store::journal::segment::{Endless, Segment};
use crate::store::journal::segment_file::{MAX_LINE, SegmentFile};
use crate::store::journal::segments::LinesAt;

pub use build::{IndexJob, Indexed};
pub use topic::Topic;

/// File name in the state directory.
const FILE_NAME: &str = "journal.index";
/// The layout described above; another one is ignored and written anew.
const LAYOUT: u32 = 10;
/// Bytes of an entry: topic, sequence number, and that of the record that led to it; little-endian.
const ENTRY: usize = 24;
/// Bytes of a block's row in the table: where it begins after the table, number of entries, and CRC-32 of its number and
/// its bytes; little-endian.
const ROW: usize = 16;
/// Entries that a block should have.
const PER_BLOCK: usize = 128;
/// Bytes by which an unfinished line that is too long to be one is known again.
const ENDLESS_TAIL: usize = 4 * 1024;
/// Read at once of a new file: nearly always the whole header.
const HEADER: usize = 4 * 1024;

/// The index file does not say what it should: damaged, or of another journal.
#[derive(Clone, Copy, Debug)]
pub struct IndexCorrupt;

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
pub struct IndexHeader {
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
    /// What of the journal was missing when its lines were looked for: behind a gap they may lie elsewhere since.
    pub gaps: Vec<Gap>,
    /// Where the oldest segment begins that was not pruned.
    kept_from: Option<u64>,
    /// From where on it knows the records that stand: what does so before that nobody has looked for.
    pub standing_from: u64,
    /// Behind what it covers there is a line too long to be one, without an end so far.
    endless: Option<UnendedLine>,
}

/// A line too long to be one of ours, which begins where an index ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UnendedLine {
    /// Up to where there is no newline, as an offset in the segment's file.
    to: u64,
    /// Checksum of the last bytes before.
    checksum: u32,
}

impl UnendedLine {
    /// What was met in this file.
    fn of(file: &SegmentFile, to: u64) -> Option<Self> {
        let mut bytes = [0; ENDLESS_TAIL];
        file.read_exact_at(&mut bytes, to.checked_sub(ENDLESS_TAIL as u64)?).ok()?;
        Some(Self { to, checksum: crc32fast::hash(&bytes) })
    }
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

impl IndexHeader {
    /// How far it reaches, as a sequence number.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.base + self.covered
    }

    /// The same, with what is known behind that to be too long to be a line.
    #[must_use]
    pub fn reach(&self) -> u64 {
        self.base + self.endless.map_or(self.covered, |line| line.to.max(self.covered))
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

    /// The same for who only looks at the journal that these lines are of.
    #[must_use]
    pub fn is_bound_within(&self, lines: &mut LinesAt) -> bool {
        lines.at(self.last_line).is_some_and(|line| {
            self.last_line + line.len() as u64 + 1 == self.end() && self.checksum == crc32fast::hash(&line)
        })
    }

    /// The line behind what it covers of `segment` that is too long to be one and had no end, if that is still there.
    #[must_use]
    pub fn endless(&self, segment: &Segment) -> Option<Endless> {
        let line = self.endless.filter(|line| UnendedLine::of(&segment.file, line.to) == Some(*line))?;
        Some(Endless { from: self.end(), to: self.base + line.to })
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
        self.gaps.clone_from(&history.gaps);
        self.kept_from = history.kept_from;
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
        history.gaps.clone_from(&self.gaps);
        history.kept_from = self.kept_from;
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
    header: IndexHeader,
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
        let file = SegmentFile::open(&directory.disk, path, OpenMode::Read).ok()?;
        let mut bytes = vec![0; HEADER];
        let got = file.read_at(&mut bytes, 0).ok()?;
        bytes.truncate(got);
        let line_end = memchr::memchr(b'\n', &bytes)?;
        let line = std::str::from_utf8(bytes.get(..line_end)?).ok()?;
        let mut words = line.split(' ');
        let sum = words.next()?.parse::<u32>().ok()?;
        let (length, blocks) = (words.next()?.parse::<usize>().ok()?, words.next()?.parse::<u64>().ok()?);
        let table_at = line_end.checked_add(1)?.checked_add(length)?;
        let blocks_at = (table_at as u64).checked_add(blocks.checked_mul(ROW as u64)?)?;
        let size = file.metadata().ok()?.size.checked_sub(blocks_at)?;
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
        let header: IndexHeader = serde_json::from_slice(json).ok()?;
        let table_at = table_at as u64;
        (header.layout == LAYOUT).then_some(Self { file: Arc::new(file), header, table_at, blocks, size })
    }

    /// What it says besides its entries.
    #[must_use]
    pub fn header(&self) -> &IndexHeader {
        &self.header
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
    pub fn on(&self, topic: Topic) -> Result<Vec<u64>, IndexCorrupt> {
        let number = topic.0.checked_shr(64 - self.blocks.trailing_zeros()).unwrap_or(0);
        let row = self.read(number * ROW as u64, ROW)?;
        let row = Row::read(&row).ok_or(IndexCorrupt)?;
        let block = self.read((self.blocks * ROW as u64).saturating_add(row.at), row.length())?;
        let entries = row.entries(number, &block).ok_or(IndexCorrupt)?;
        let mut seqs: Vec<u64> =
            entries.into_iter().filter(|entry| entry.topic == topic.0).map(|entry| entry.seq).collect();
        seqs.dedup();
        Ok(seqs)
    }

    /// Where the records of a kind lie that stand, in order: those from [`IndexHeader::standing_from`] on.
    ///
    /// # Errors
    /// As [`Index::on`].
    pub fn standing(&self, kind: &Action) -> Result<Vec<u64>, IndexCorrupt> {
        let mut seqs = Vec::new();
        for part in Topic::all_standing(kind) {
            seqs.extend(self.on(part)?);
        }
        seqs.sort_unstable();
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
    fn read(&self, from: u64, length: usize) -> Result<Vec<u8>, IndexCorrupt> {
        // What no file can hold is not asked for: the length of a damaged row.
        let end = from.checked_add(length as u64).ok_or(IndexCorrupt)?;
        if end > self.blocks * ROW as u64 + self.size {
            return Err(IndexCorrupt);
        }
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, self.table_at + from).map_err(|_| IndexCorrupt)?;
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
mod tests;
