//! What the curator remembers between its runs: `curator.json` beside the shadows of the shared context.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::days::Day;
use crate::error::Problem;
use crate::names::sha256;
use crate::priorities::{Priorities, Section};

use super::files::Files;

/// Its name in the state of the shared context.
pub(crate) const FILE: &str = "curator.json";
/// The curator remembers for at most this many days that it took an item over.
const TAKEN_DAYS: u64 = 400;

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Checkpoint {
    pub(crate) v: u32,
    /// The day up to which documents were made; it was not over then.
    pub(crate) day: Option<String>,
    /// How much of the inbox is taken over.
    pub(crate) inbox: Mark,
    /// The ids of what was taken over, with the day on which it was.
    pub(crate) taken: BTreeMap<String, String>,
    /// What the last run that did so put into the priorities.
    pub(crate) last: Vec<Inserted>,
    /// It was put there for the second time.
    pub(crate) was_put_back: bool,
    /// What is about to be put there.
    pub(crate) pending: Vec<Inserted>,
    /// SHA-256 of the priorities with that.
    pub(crate) pending_sha256: String,
    /// And of the priorities that this comes in the place of.
    pub(crate) pending_before_sha256: String,
}

/// A place in the inbox, and what stood before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) offset: usize,
    pub(crate) sha256: String,
}

impl Mark {
    pub(crate) fn at(inbox: &str, offset: usize) -> Self {
        Self { offset, sha256: sha256(inbox.get(..offset).unwrap_or_default().as_bytes()) }
    }

    /// Where to read on: behind the mark, where the inbox still begins as it did.
    pub(crate) fn begin(&self, inbox: &str) -> usize {
        if Self::at(inbox, self.offset) == *self && inbox.is_char_boundary(self.offset) {
            self.offset
        } else {
            0
        }
    }
}

/// A bullet of the priorities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inserted {
    pub(crate) id: String,
    /// Among what holds now, else among the inputs.
    pub(crate) is_current: bool,
    /// The whole line.
    pub(crate) bullet: String,
}

impl Inserted {
    pub(crate) fn section(&self) -> Section {
        if self.is_current { Section::Current } else { Section::Inputs }
    }
}

impl Checkpoint {
    /// What is remembered; nothing before the first run.
    pub(crate) fn read(home: &Path) -> Result<Self, Problem> {
        let path = home.join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { v: 1, ..Self::default() });
            }
            Err(error) => return Err(Problem::io("read", &path, &error)),
        };
        serde_json::from_slice(&bytes).map_err(|error| {
            Problem::input(
                format!("`{}` can't be read: {error}", path.display()),
                "move it away; the next run begins anew, and puts back nothing that is in `priorities.md`",
            )
        })
    }

    pub(crate) fn write(&self, state: &mut Files<'_>) -> Result<(), Problem> {
        let path = Path::new(FILE);
        let bytes = serde_json::to_vec(self).map_err(|error| Problem::io("write", path, &error.into()))?;
        state.replace(path, &bytes)
    }

    /// What was about to be put into the priorities when a run ended: it is there if any of it is. Whether the file is as that run
    /// wrote it.
    pub(crate) fn settle(&mut self, priorities: &Priorities, today: Day) -> bool {
        let pending = std::mem::take(&mut self.pending);
        self.pending_before_sha256.clear();
        let is_ours = std::mem::take(&mut self.pending_sha256) == sha256(priorities.text().as_bytes());
        if pending.iter().any(|inserted| priorities.managed(&inserted.id).is_some()) {
            self.inserted(pending, &[], today);
        }
        is_ours
    }

    /// What was about to be put there is there, or is not to be.
    pub(crate) fn nothing_pending(&mut self) {
        self.pending.clear();
        self.pending_sha256.clear();
        self.pending_before_sha256.clear();
    }

    /// What is to be put back: all that the last run inserted, where nothing of it is left. An editor saved over it.
    pub(crate) fn lost(&self, priorities: &Priorities) -> Vec<Inserted> {
        let is_there = |inserted: &Inserted| priorities.managed(&inserted.id).is_some();
        if self.was_put_back || self.last.iter().any(is_there) { Vec::new() } else { self.last.clone() }
    }

    /// Remembers what was inserted. Of what was put back only once more is, nothing is put back again.
    pub(crate) fn inserted(&mut self, new: Vec<Inserted>, put_back: &[Inserted], today: Day) {
        let known: BTreeSet<String> = self.last.iter().map(|inserted| inserted.id.clone()).collect();
        self.taken.extend(new.iter().map(|inserted| (inserted.id.clone(), today.to_string())));
        let is_new = |inserted: &Inserted| !known.contains(&inserted.id);
        let (fresh, again): (Vec<_>, Vec<_>) = new.into_iter().partition(is_new);
        if !fresh.is_empty() {
            (self.last, self.was_put_back) = (fresh, false);
        } else if !again.is_empty() || !put_back.is_empty() {
            self.was_put_back = true;
        }
    }

    /// Forgets what nobody will bring again.
    pub(crate) fn forget(&mut self, today: Day) {
        let oldest = today.before(TAKEN_DAYS).to_string();
        self.taken.retain(|_, day| *day >= oldest);
    }
}
