//! The journal's records, for people and programs.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::StateError;
use crate::journal::recent::SLACK_MS;
use crate::journal::segments::Segments;
use crate::time::{Stamp, from_rfc3339};

use super::Gate;
use super::state::NotNow;

/// Why a question about the journal has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// For programs: `bad-request`, `busy`, or a [`StateError`]'s code.
    pub code: String,
    /// For people: what, where and what to do.
    pub message: String,
}

impl QueryError {
    /// A question that can't be understood.
    #[must_use]
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self { code: "bad-request".to_owned(), message: message.into() }
    }
}

impl From<StateError> for QueryError {
    fn from(error: StateError) -> Self {
        let message = format!("{}; to mend it: {}", error.in_full(), error.remedy());
        Self { code: error.code().to_owned(), message }
    }
}

impl From<NotNow> for QueryError {
    fn from(reason: NotNow) -> Self {
        match reason {
            NotNow::Failed(error) => error.into(),
            NotNow::Busy => {
                Self { code: "busy".to_owned(), message: "the journal is busy; try again".to_owned() }
            }
        }
    }
}

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
    /// A tool.
    pub tool: Option<String>,
    /// A tier.
    pub tier: Option<u8>,
    /// An action.
    pub action: Option<String>,
    /// Not older than this: RFC 3339, or milliseconds since the epoch.
    pub since: Option<Value>,
    /// Only those with a higher sequence number: what came since one looked last.
    pub after: Option<u64>,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            limit: 50,
            key: None,
            session: None,
            tool: None,
            tier: None,
            action: None,
            since: None,
            after: None,
        }
    }
}

/// More records are never given at once.
const MAX_LIMIT: usize = 10_000;

impl Filter {
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
        filter.since_ms()?;
        Ok(filter)
    }

    fn since_ms(&self) -> Result<Option<i64>, String> {
        let wrong = || "bad filter: `since` must be RFC 3339 or milliseconds since the epoch".to_owned();
        match &self.since {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => from_rfc3339(text).map(Some).ok_or_else(wrong),
            Some(value) => value.as_i64().map(Some).ok_or_else(wrong),
        }
    }

    fn wants(&self, record: &Map<String, Value>, wall_ms: Option<i64>, since_ms: Option<i64>) -> bool {
        let text_is = |name: &str, wanted: &Option<String>| {
            wanted.as_ref().is_none_or(|wanted| record.get(name).and_then(Value::as_str) == Some(wanted))
        };
        let key_is = self.key.as_ref().is_none_or(|key| {
            let listed = record
                .get("contextKeys")
                .and_then(Value::as_array)
                .is_some_and(|keys| keys.iter().any(|known| known.as_str() == Some(key)));
            listed || record.get("contextKey").and_then(Value::as_str) == Some(key)
        });
        key_is
            && text_is("session", &self.session)
            && text_is("tool", &self.tool)
            && text_is("action", &self.action)
            && self
                .tier
                .is_none_or(|tier| record.get("tier").and_then(Value::as_u64) == Some(u64::from(tier)))
            && since_ms.is_none_or(|since| wall_ms.is_some_and(|wall_ms| wall_ms >= since))
    }
}

impl Gate {
    /// The newest records that `filter` wants, as they stand in the journal, each with its sequence number
    /// as `seq`; the newest last. For a thread that may wait.
    ///
    /// # Errors
    /// When the filter is wrong or the journal can't be read.
    pub fn journal(&self, filter: &Filter, now: &Stamp) -> Result<Vec<Value>, QueryError> {
        let since_ms = filter.since_ms().map_err(QueryError::bad_request)?;
        let Some(segments) = self.segments(now)? else { return Ok(Vec::new()) };
        let mut lines = segments.backward();
        let mut records = Vec::new();
        let mut was_old = false;
        while records.len() < filter.limit {
            let Some((seq, line)) = lines.next_line()? else { break };
            if filter.after.is_some_and(|after| seq <= after) {
                break;
            }
            let Ok(Value::Object(mut record)) = serde_json::from_slice::<Value>(&line) else { continue };
            let wall_ms = record.get("timestamp").and_then(Value::as_str).and_then(from_rfc3339);
            if let (Some(since), Some(wall_ms)) = (since_ms, wall_ms) {
                let is_old = wall_ms < since.saturating_sub_unsigned(SLACK_MS);
                // One alone may be damaged.
                if is_old && was_old {
                    break;
                }
                was_old = is_old;
            }
            if filter.wants(&record, wall_ms, since_ms) {
                record.insert("seq".to_owned(), Value::from(seq));
                records.push(Value::Object(record));
            }
        }
        records.reverse();
        Ok(records)
    }

    /// The segments to look at; `None` when nothing was journaled yet.
    pub(super) fn segments(&self, now: &Stamp) -> Result<Option<Segments>, QueryError> {
        if self.observer {
            return Ok(self.observe()?);
        }
        Ok(Some(self.look(now, |ledger| ledger.journal().segments())?))
    }
}
