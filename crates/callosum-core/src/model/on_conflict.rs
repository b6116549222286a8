//! What becomes of a call that evidence speaks against.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a rule wants of a call that evidence speaks against. In order: where several rules are for one call, the strictest holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnConflict {
    /// It goes through, and that is written down with the evidence.
    Note,
    /// It is refused with the facts; a retry goes through.
    #[default]
    Pause,
    /// A person is asked, by the host's own dialog; where there is none it is paused.
    Ask,
    /// It is refused as long as the evidence counts; a retry does not help.
    Block,
}

impl OnConflict {
    /// All, with their names in rules and in the journal.
    pub const NAMES: &'static [(&'static str, Self)] =
        &[("pause", Self::Pause), ("ask", Self::Ask), ("block", Self::Block), ("note", Self::Note)];

    /// As it is written in a rule.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Pause => "pause",
            Self::Ask => "ask",
            Self::Block => "block",
        }
    }
}
