//! How many calls a rule lets through.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::time::for_people;

/// A limit may let through so many calls within its window: each decision looks at all of them.
pub const MAX_COUNT: u32 = 1_000;

/// At most a number of calls within a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimit {
    /// How many calls.
    pub count: u32,
    /// Within how long, milliseconds.
    pub window_ms: u64,
    /// What is counted together.
    pub per: Per,
}

/// What a limit counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Per {
    /// The calls of one session.
    Session,
    /// Those on one resource, whoever calls.
    Key,
    /// All calls that the rule is for, whoever calls.
    Rule,
}

impl Per {
    /// As it is written in a rule.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Key => "key",
            Self::Rule => "rule",
        }
    }
}

/// A limit that a call is under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limited {
    /// The rule whose limit it is.
    pub rule: String,
    /// The limit.
    pub limit: RateLimit,
    /// The resources that the rule gave the call; empty where it named none.
    pub keys: Vec<String>,
}

/// Adds to the limits that a call is under: it is one call, however often a rule is for a part of it.
pub(super) fn add_limit(limits: &mut Vec<Limited>, more: Limited) {
    match limits.iter_mut().find(|known| known.rule == more.rule) {
        Some(known) => {
            let fresh: Vec<String> = more.keys.into_iter().filter(|key| !known.keys.contains(key)).collect();
            known.keys.extend(fresh);
        }
        None => limits.push(more),
    }
}

impl RateLimit {
    /// In words: `20 calls in 1h for each session`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let calls = if self.count == 1 { "call" } else { "calls" };
        let per = match self.per {
            Per::Session => " for each session",
            Per::Key => " for each resource",
            Per::Rule => " for all sessions together",
        };
        format!("{} {calls} in {}{per}", self.count, for_people(self.window_ms))
    }
}
