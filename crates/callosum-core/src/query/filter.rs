//! Which records of the journal are asked for.

use serde::Deserialize;
use serde_json::Value;

use crate::model::time::from_rfc3339;

/// Which records are wanted; all given conditions must hold.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Filter {
    /// How many at most, the newest; 1 to 10,000.
    pub limit: usize,
    /// A context key.
    pub key: Option<String>,
    /// A session.
    pub session: Option<String>,
    /// An instance.
    pub instance: Option<String>,
    /// An agent runtime.
    pub runtime: Option<String>,
    /// A tool.
    pub tool: Option<String>,
    /// A tier.
    pub tier: Option<u8>,
    /// A tier, or a higher one.
    pub min_tier: Option<u8>,
    /// What a record says happened, by its `action`, or in the words that people read: `started` for `intercept`, `paused` for a
    /// `blocked` one that met no lease.
    pub action: Option<String>,
    /// A text, in upper or lower case, somewhere in the context keys, the tool, the session, the agent, the parameters, the
    /// reason or the rule's name; at most 1,000 characters.
    pub text: Option<String>,
    /// Not older than this: RFC 3339, or milliseconds since the epoch.
    pub since: Option<Value>,
    /// Not younger than this: the same.
    pub until: Option<Value>,
    /// Only those with a higher sequence number: what came since one looked last.
    pub after: Option<u64>,
    /// Only those with a lower sequence number: what is older than what one has seen.
    pub before: Option<u64>,
    /// Stop after some 30 ms or 8 MiB, also when nothing was found so far; else the whole journal may be read.
    pub budget: bool,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            limit: 50,
            key: None,
            session: None,
            instance: None,
            runtime: None,
            tool: None,
            tier: None,
            min_tier: None,
            action: None,
            text: None,
            since: None,
            until: None,
            after: None,
            before: None,
            budget: false,
        }
    }
}

/// More records are never given at once.
const MAX_LIMIT: usize = 10_000;
/// Characters in a text that is looked for.
const MAX_TEXT: usize = 1_000;

/// The journal's word for a start, and that for both a pause and a block.
const INTERCEPT: &str = "intercept";
const BLOCKED: &str = "blocked";

impl Filter {
    /// The `action` that a record must have.
    pub(super) fn recorded_action(&self) -> Option<&str> {
        self.action.as_deref().map(|action| match action {
            "started" => INTERCEPT,
            "paused" => BLOCKED,
            recorded => recorded,
        })
    }

    /// Whether a record with this `conflict` and `onConflict` may be what is wanted.
    pub(super) fn wants_conflict(&self, conflict: Option<&str>, on_conflict: Option<&str>) -> bool {
        let is_block = matches!(conflict, Some("lease" | "limit")) || on_conflict == Some("block");
        self.action.as_deref() != Some("paused") || !is_block
    }

    /// Reads a filter from JSON text; empty text or `null` wants the last 50.
    ///
    /// # Errors
    /// A sentence that names what is wrong.
    pub fn read(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() || text.trim() == "null" {
            return Ok(Self::default());
        }
        let filter: Self = serde_json::from_str(text).map_err(|error| format!("bad filter: {error}"))?;
        if filter.limit == 0 || filter.limit > MAX_LIMIT {
            return Err(format!("bad filter: `limit` must be from 1 to {MAX_LIMIT}"));
        }
        if filter.text.as_ref().is_some_and(|text| text.chars().count() > MAX_TEXT) {
            return Err(format!("bad filter: `text` must have at most {MAX_TEXT} characters"));
        }
        filter.since_ms()?;
        filter.until_ms()?;
        Ok(filter)
    }

    /// `since` in wall-clock milliseconds.
    pub(super) fn since_ms(&self) -> Result<Option<i64>, String> {
        moment("since", self.since.as_ref())
    }

    /// `until` in wall-clock milliseconds.
    pub(super) fn until_ms(&self) -> Result<Option<i64>, String> {
        moment("until", self.until.as_ref())
    }
}

fn moment(field: &str, value: Option<&Value>) -> Result<Option<i64>, String> {
    let wrong = || format!("bad filter: `{field}` must be RFC 3339 or milliseconds since the epoch");
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => from_rfc3339(text).map(Some).ok_or_else(wrong),
        Some(value) => value.as_i64().map(Some).ok_or_else(wrong),
    }
}
