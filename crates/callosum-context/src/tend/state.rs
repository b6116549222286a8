//! What is remembered of a folder between looks: `state.json` beside the copies.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::folder::Signature;

/// Sessions that are remembered as told, at most.
const MOST_TOLD: usize = 256;
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
pub(super) struct Told {
    /// When, milliseconds since the epoch.
    pub(super) at_ms: i64,
    /// Digest of the operator's part of it.
    pub(super) digest: String,
}

impl State {
    /// Forgets what is too much: the oldest of it.
    pub(super) fn bound(&mut self) {
        while self.told.len() > MOST_TOLD {
            let oldest =
                self.told.iter().min_by_key(|(_, told)| told.at_ms).map(|(session, _)| session.clone());
            oldest.map(|session| self.told.remove(&session));
        }
        while self.decided.len() > MOST_DECIDED {
            let oldest = self.decided.iter().min_by(|one, other| one.1.at.cmp(&other.1.at));
            let oldest = oldest.map(|(id, _)| id.clone());
            oldest.map(|id| self.decided.remove(&id));
        }
    }
}
