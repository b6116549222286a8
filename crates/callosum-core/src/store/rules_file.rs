//! The file the rules come from, followed while it is edited.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::time::Stamp;
use crate::rules::{RuleSet, SHIPPED_RULES, SHIPPED_SOURCE};

use super::state_dir::is_place;

/// A rules file larger than this is a mistake; reading it would hold up a call.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// An edit is noticed by the next call after this time at the latest, milliseconds.
const LOOK_INTERVAL_MS: u64 = 5;

/// What a file looked like when it was read: device, inode, size, modification time.
pub(super) type Signature = (u64, u64, u64, i64, i64);

/// The rules that hold, and where they came from.
#[derive(Clone, Debug)]
pub struct InForce {
    /// The rules.
    pub rules: Arc<RuleSet>,
    /// Where they came from: a path, or [`SHIPPED_SOURCE`].
    pub source: String,
    /// When they were loaded, wall-clock milliseconds; 0 before the first look.
    pub loaded_wall_ms: i64,
    /// Why the file can't be used, while it can't.
    pub error: Option<String>,
}

/// Rules that follow their file: the next call after an edit uses it, and a bad edit keeps the last good
/// ones.
#[derive(Debug)]
pub struct RulesFile {
    setting: Option<PathBuf>,
    candidates: Vec<PathBuf>,
    packaged: Option<PathBuf>,
    /// When it was looked at last.
    looked: Option<Stamp>,
    /// Which candidate was read last, and how it looked.
    seen: Option<(PathBuf, Signature)>,
    in_force: InForce,
}

/// What a look at the file found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The rules are what they were.
    None,
    /// New rules hold from now on.
    Loaded,
    /// The file can't be used; [`InForce::error`] says why, and the last good rules go on.
    Rejected,
}

impl RulesFile {
    /// Rules from the first of `setting`, `<state_dir>/tiers.json`, `packaged` that exists, else the
    /// shipped ones. Nothing is read before the first [`RulesFile::refresh`].
    #[must_use]
    pub fn new(setting: Option<PathBuf>, state_dir: &Path, packaged: Option<PathBuf>) -> Self {
        // A relative one may be any project's.
        let shared = is_place(state_dir).is_ok().then(|| state_dir.join("tiers.json"));
        let candidates = setting.iter().cloned().chain(shared).chain(packaged.clone()).collect();
        Self {
            setting,
            candidates,
            packaged,
            looked: None,
            seen: None,
            in_force: InForce {
                rules: Arc::default(),
                source: SHIPPED_SOURCE.to_owned(),
                loaded_wall_ms: 0,
                error: None,
            },
        }
    }

    /// What holds now.
    #[must_use]
    pub fn in_force(&self) -> &InForce {
        &self.in_force
    }

    /// Looks whether the file changed (one or two `stat` calls) and loads it if it did; not more often than
    /// every 5 ms, in which a gateway may ask about a thousand calls.
    pub fn refresh(&mut self, now: &Stamp) -> Change {
        if self.looked.is_some_and(|looked| looked.is_close_to(now, LOOK_INTERVAL_MS)) {
            return Change::None;
        }
        self.looked = Some(*now);
        let wall_ms = now.wall_ms;
        let found = self
            .candidates
            .iter()
            .find_map(|path| fs::metadata(path).ok().map(|metadata| (path.clone(), signature(&metadata))));
        if let Some(setting) =
            self.setting.as_ref().filter(|setting| found.as_ref().is_none_or(|(path, _)| path != *setting))
        {
            // The file a setting names is gone or was never there: the rules in force stay, as after any
            // bad edit. Only a first look goes on to the next candidate.
            let reason = format!("`{}` (`tiersFile`): not there", setting.display());
            if self.in_force.loaded_wall_ms != 0 {
                let known = self.in_force.error.as_deref() == Some(&reason);
                self.in_force.error = Some(reason);
                self.seen = None;
                return if known { Change::None } else { Change::Rejected };
            }
            self.in_force.error = Some(reason);
        }
        let Some(found) = found else {
            let first = self.in_force.loaded_wall_ms == 0;
            if first {
                self.in_force.rules = Arc::new(RuleSet::shipped());
            }
            self.in_force.loaded_wall_ms = wall_ms;
            return if first { Change::Loaded } else { Change::None };
        };
        if self.seen.as_ref() == Some(&found) {
            return Change::None;
        }
        let setting_missing =
            self.in_force.error.take().filter(|_| self.setting.as_ref().is_some_and(|s| *s != found.0));
        let path = found.0.clone();
        self.seen = Some(found);
        match self.load(&path) {
            Ok(rules) => {
                self.in_force.rules = Arc::new(rules);
                self.in_force.source = path.display().to_string();
                self.in_force.loaded_wall_ms = wall_ms;
                self.in_force.error = setting_missing;
                if self.in_force.error.is_some() { Change::Rejected } else { Change::Loaded }
            }
            Err(reason) => {
                if self.in_force.loaded_wall_ms == 0 {
                    self.in_force.rules = Arc::new(RuleSet::shipped());
                    self.in_force.loaded_wall_ms = wall_ms;
                }
                self.in_force.error = Some(format!("`{}`: {reason}", path.display()));
                Change::Rejected
            }
        }
    }

    fn load(&self, path: &Path) -> Result<RuleSet, String> {
        let text = read(path)?;
        let shipped = match &self.packaged {
            Some(packaged) if packaged != path => read(packaged).unwrap_or_else(|_| SHIPPED_RULES.to_owned()),
            _ => SHIPPED_RULES.to_owned(),
        };
        RuleSet::parse_extending(&text, &shipped).map_err(|error| error.to_string())
    }
}

/// Reads a rules file, or says in a fragment why it can't be one.
///
/// # Errors
/// When it is not a regular file, is larger than 4 MiB, can't be read, or isn't UTF-8.
pub fn read(path: &Path) -> Result<String, String> {
    let metadata = fs::metadata(path).map_err(|error| format!("can't be read: {error}"))?;
    read_found(path, &metadata)
}

/// The same of a file that was found there.
pub(super) fn read_found(path: &Path, metadata: &fs::Metadata) -> Result<String, String> {
    if !metadata.is_file() {
        return Err("is not a regular file".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        return Err(format!("is larger than {} MiB", MAX_BYTES / 1024 / 1024));
    }
    fs::read_to_string(path).map_err(|error| format!("can't be read: {error}"))
}

pub(super) fn signature(metadata: &fs::Metadata) -> Signature {
    (metadata.dev(), metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec())
}
