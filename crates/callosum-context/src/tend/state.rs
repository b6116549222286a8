//! What is remembered of a folder between looks: `state.json` beside the copies.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::folder::Signature;
use crate::layout::{FEEDBACK_INBOX, PRIORITIES_INBOX};

/// The files that are only appended to.
pub(super) const INBOXES: [&str; 2] = [PRIORITIES_INBOX, FEEDBACK_INBOX];

/// Sessions that are remembered as told, at most.
const MOST_TOLD: usize = 256;
/// Items that are remembered as written by a command of ours, at most: what limits count is today's.
const MOST_WRITTEN: usize = 2_000;
/// Decisions that are remembered, at most.
const MOST_DECIDED: usize = 5_000;

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct State {
    /// Version of these fields; 0 before the first look.
    pub(super) v: u32,
    /// When the files were looked at last, milliseconds since the epoch.
    pub(super) looked_ms: i64,
    /// The protected files, by their paths.
    pub(super) files: BTreeMap<String, Known>,
    /// What a person decided about items, by their ids.
    pub(super) decided: BTreeMap<String, Decided>,
    /// When commands of ours wrote items into inboxes, or staged them, by their ids: milliseconds since the epoch.
    pub(super) written: BTreeMap<String, i64>,
    /// What sessions were told, by their names.
    pub(super) told: BTreeMap<String, Told>,
}

/// A protected file, as it was seen last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Known {
    /// SHA-256 of its copy: what it said; of an inbox, what it must still begin with. Empty where it was deleted.
    pub(super) sha256: String,
    /// What the file looked like then.
    pub(super) signature: Option<Signature>,
    /// SHA-256 of the last version that nobody but its writer or a person can have made.
    pub(super) confirmed: Option<String>,
    /// Of an inbox that is damaged: SHA-256 of what it says, which was told already.
    pub(super) told: Option<String>,
    /// Of an inbox: SHA-256 of what the curator is about to leave of it.
    pub(super) next: Option<String>,
}

/// What a person decided about an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// What.
    pub verdict: Verdict,
    /// When: RFC 3339.
    pub at: String,
}

/// See [`Decided`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// A person wrote it.
    Written,
    /// A person accepted it.
    Accepted,
    /// A person does not want it.
    Rejected,
}

/// What a session was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Told {
    /// When, milliseconds since the epoch.
    pub at_ms: i64,
    /// Digest of the operator's part of it.
    pub digest: String,
    /// By what.
    #[serde(default)]
    pub how: How,
}

/// By what a session is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// A hook, when the session starts and when what it was told has changed.
    #[default]
    Hook,
    /// The system prompt, which has it each time.
    System,
}

impl How {
    /// As `context show` names it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::System => "system",
        }
    }
}

/// What is wrong with a file now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pending {
    /// Its path below the folder.
    pub path: String,
    /// Whether it is an inbox that lacks entries; else it is a file of the curator that was changed, and not accepted.
    pub is_inbox: bool,
    /// SHA-256 of what it says, so that a person's word is on what they saw; empty where it was deleted.
    pub version: String,
}

impl State {
    /// The files that are not as they should be.
    pub(super) fn pending(&self) -> Vec<Pending> {
        let wrong = self.files.iter().filter_map(|(path, known)| {
            let is_inbox = INBOXES.contains(&path.as_str());
            let is_wrong = match is_inbox {
                true => known.told.is_some(),
                false => known.confirmed.as_deref().unwrap_or_default() != known.sha256,
            };
            let version = known.told.as_ref().filter(|_| is_inbox).unwrap_or(&known.sha256);
            is_wrong.then(|| Pending { path: path.clone(), is_inbox, version: version.clone() })
        });
        wrong.collect()
    }

    /// Forgets what is too much: the oldest of it.
    pub(super) fn bound(&mut self) {
        while self.told.len() > MOST_TOLD {
            let oldest =
                self.told.iter().min_by_key(|(_, told)| told.at_ms).map(|(session, _)| session.clone());
            oldest.map(|session| self.told.remove(&session));
        }
        while self.written.len() > MOST_WRITTEN {
            let oldest = self.written.iter().min_by_key(|(_, at_ms)| **at_ms).map(|(id, _)| id.clone());
            oldest.map(|id| self.written.remove(&id));
        }
        while self.decided.len() > MOST_DECIDED {
            let oldest = self.decided.iter().min_by(|one, other| one.1.at.cmp(&other.1.at));
            let oldest = oldest.map(|(id, _)| id.clone());
            oldest.map(|id| self.decided.remove(&id));
        }
    }
}
