//! What a line of the journal is: a record, or what else may stand there.

use serde::Deserialize;

use super::brief::brief;
use super::light::{SeenCounts, is_light};
use super::moment::{read_boot, read_moment};
use super::{FORMAT_VERSION, OWN_START, Record};
use crate::model::time::Stamp;

/// What a line of the file turned out to be.
#[derive(Debug)]
pub enum Line {
    /// A record of this version, or of the original plugin (`v` 0).
    Record(Box<Record>),
    /// Tier 0–1, untouched by any decision and without counts: not worth parsing.
    Light,
    /// The same with counts, of which nothing else is worth it.
    Counted(SeenCounts),
    /// Written in a newer format.
    Newer(u32),
    /// Torn or foreign.
    Foreign,
    /// Empty: what is left where a torn line was ended.
    Blank,
}

#[derive(Deserialize)]
struct VersionOnly {
    v: u32,
}

#[derive(Deserialize)]
struct TimeOnly {
    #[serde(rename = "timestamp", deserialize_with = "read_moment")]
    wall_ms: i64,
    #[serde(default)]
    up: Option<u64>,
    #[serde(default, deserialize_with = "read_boot")]
    boot: Option<u32>,
}

impl Line {
    /// When a line was written, whatever else it says; `None` when it does not say.
    #[must_use]
    pub fn stamp(bytes: &[u8]) -> Option<Stamp> {
        let TimeOnly { wall_ms, up, boot } = serde_json::from_slice(bytes).ok()?;
        Some(Stamp { wall_ms, up_ms: up.unwrap_or(0), boot: up.and(boot) })
    }

    /// Reads one line, without its newline, and of a record without its document: that may be long, and no history looks at it.
    #[must_use]
    pub(crate) fn read_without_document(bytes: &[u8]) -> Self {
        brief(bytes, &[]).map_or_else(|| Self::read(bytes), |record| Self::Record(Box::new(record)))
    }

    /// Reads one line, without its newline.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            return Self::Blank;
        }
        if is_light(bytes) {
            return Self::Light;
        }
        if let Some(counted) = SeenCounts::read(bytes) {
            return Self::Counted(counted);
        }
        // What begins like ours has our version.
        if !bytes.starts_with(OWN_START.as_bytes())
            && let Ok(VersionOnly { v }) = serde_json::from_slice(bytes)
            && v > FORMAT_VERSION
        {
            return Self::Newer(v);
        }
        if let Some(record) = Record::from_own_line(bytes) {
            return Self::Record(Box::new(record));
        }
        match serde_json::from_slice::<Record>(bytes) {
            Ok(mut record) => {
                if record.context_keys.is_empty() {
                    record.context_keys.extend(record.context_key.take());
                }
                Self::Record(Box::new(record))
            }
            Err(_) => Self::Foreign,
        }
    }
}
