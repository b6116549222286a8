//! The index: which records of the journal still matter, so that a fresh process need not read it all.
//!
//! It holds sequence numbers, not facts: every record it names is read from the journal itself. It is
//! bound to a segment, the bytes it covers and a checksum of the last covered line; where one of them
//! does not match, it is ignored. It may be deleted at any time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::StateError;
use crate::history::{Coverage, History};
use crate::store::disk::Open;
use crate::store::state_dir::StateDir;

use super::record::{HookCounts, KnownWindow};
use super::segment::{SegmentFile, write_whole};

/// File name in the state directory.
const FILE_NAME: &str = "index.json";
/// The layout below; another one is ignored and written anew.
const LAYOUT: u32 = 1;

/// What the file holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    layout: u32,
    /// Base of the segment up to which it covers the journal.
    pub base: u64,
    /// The bytes of that segment it covers: always whole lines.
    pub covered: u64,
    /// Sequence number of the last covered line.
    pub last_line: u64,
    /// Checksum of that line: the first 16 hex digits of its SHA-256.
    pub checksum: String,
    /// How far back it keeps records, milliseconds.
    pub keep_ms: u64,
    /// The records that matter, in order.
    pub seqs: Vec<u64>,
    /// Torn and foreign lines met.
    pub skipped: u64,
    /// Known windows by instance.
    pub windows: BTreeMap<String, KnownWindow>,
    coverage: Vec<CoverageRow>,
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

/// Where an index ends: segment base, covered bytes, the last covered line's sequence number and bytes.
#[derive(Clone, Copy, Debug)]
pub struct Covered<'a> {
    /// Base of the segment.
    pub base: u64,
    /// Bytes of it that were read.
    pub bytes: u64,
    /// Sequence number of the last line read.
    pub last_line: u64,
    /// That line, without its newline.
    pub line: &'a [u8],
}

impl Index {
    /// An index of what `history` rests on.
    #[must_use]
    pub fn of(history: &History, covered: Covered<'_>) -> Self {
        let coverage = history
            .coverage
            .iter()
            .map(|((runtime, tool), coverage)| CoverageRow {
                runtime: runtime.clone(),
                tool: tool.clone(),
                counts: coverage.counts,
                first: coverage.first_wall_ms,
                last: coverage.last_wall_ms,
            })
            .collect();
        Self {
            layout: LAYOUT,
            base: covered.base,
            covered: covered.bytes,
            last_line: covered.last_line,
            checksum: checksum(covered.line),
            keep_ms: history.keep_ms(),
            seqs: history.record_seqs(),
            skipped: history.skipped,
            windows: history.windows.clone(),
            coverage,
        }
    }

    /// Reads the index of `directory`; `None` when there is none that can be used.
    #[must_use]
    pub fn read(directory: &StateDir) -> Option<Self> {
        let file = SegmentFile::open(&directory.disk, directory.path.join(FILE_NAME), Open::Read).ok()?;
        let mut bytes = vec![0; usize::try_from(file.facts().ok()?.size).ok()?];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let index: Self = serde_json::from_slice(&bytes).ok()?;
        (index.layout == LAYOUT).then_some(index)
    }

    /// Writes the index, replacing the old one at once.
    ///
    /// # Errors
    /// When the file can't be written; the old one is still there then.
    pub fn write(&self, directory: &StateDir) -> Result<(), StateError> {
        let StateDir { path: folder, disk } = directory;
        let path = folder.join(FILE_NAME);
        // Several processes may write one at once: each makes its own file, the last rename wins.
        let draft = folder.join(format!("{FILE_NAME}.{}", std::process::id()));
        let bytes =
            serde_json::to_vec(self).map_err(|source| StateError::Encode { path: path.clone(), source })?;
        let written = write_whole(disk.as_ref(), &draft, &bytes).and_then(|()| {
            disk.rename(&draft, &path).map_err(|source| StateError::io("rename", &draft, source))
        });
        written.inspect_err(|_| drop(disk.remove(&draft)))
    }

    /// Whether `line` is the line it was bound to.
    #[must_use]
    pub fn is_bound_to(&self, line: &[u8]) -> bool {
        self.checksum == checksum(line) && self.base + self.covered == self.last_line + line.len() as u64 + 1
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

fn checksum(line: &[u8]) -> String {
    Sha256::digest(line).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
