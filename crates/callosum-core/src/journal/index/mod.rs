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
