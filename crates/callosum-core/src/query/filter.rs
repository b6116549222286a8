//! Which records of the journal are asked for.

use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::model::time::from_rfc3339;
use crate::record::blocks_as_written;
use crate::record::kind::{Action, Spec, View};

/// Which records are wanted; all given conditions must hold.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Filter {
    /// How many at most, the newest.
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    pub limit: usize,
    /// Only those on this context key.
    pub key: Option<String>,
    /// Only those of this session.
    pub session: Option<String>,
    /// Only those of sessions that begin with this, or a part of whose name behind a `:` or `/` does: a short id, as people copy it.
    pub session_part: Option<String>,
    /// Only those of one of these sessions.
    pub sessions: Option<Vec<String>>,
    /// Only those of this instance.
    pub instance: Option<String>,
    /// Only those of this agent runtime.
    pub runtime: Option<String>,
    /// Only those of this tool.
    pub tool: Option<String>,
    /// Only those of this tier, a number; or of these tiers, a text: `3`, `3..`, `..2`, `2..3`, `3,4`.
    #[schemars(schema_with = "tiers_schema")]
    pub tier: Option<Tiers>,
    /// Only those of this tier, or a higher one.
    #[schemars(range(min = 0, max = MAX_TIER))]
    pub min_tier: Option<u8>,
    /// Only those whose `action` this is, or what people read for it: `started` finds `intercept`, `paused` those `blocked` ones that
    /// are pauses and no blocks.
    pub action: Option<String>,
    /// Not what the journal keeps for itself: counts of hooks, windows of rules, pauses that were read, ends of segments.
    pub calls_only: bool,
    /// Only those with this text, in upper or lower case, somewhere in the context keys, the tool, the session, the agent, the
    /// parameters, the reason or the rule's name.
    #[schemars(length(max = MAX_TEXT))]
    pub text: Option<String>,
    /// Not older than this: RFC 3339, or milliseconds since the epoch.
    #[schemars(schema_with = "moment_schema")]
    pub since: Option<Value>,
    /// Not younger than this: RFC 3339, or milliseconds since the epoch.
    #[schemars(schema_with = "moment_schema")]
    pub until: Option<Value>,
    /// Only those with a higher sequence number: what came since one looked last.
    pub after: Option<u64>,
    /// Only those with a lower sequence number: what is older than what one has seen.
    pub before: Option<u64>,
    /// Stop after some 30 ms or 8 MiB, also when nothing was found so far; else the whole journal may be read.
    pub budget: bool,
}

/// A moment: a text, or a number.
pub(super) fn moment_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["integer", "string", "null"], "examples": ["2026-01-31T09:00:00Z"] })
}

/// Tiers: several as a text, one as a number.
fn tiers_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["integer", "string", "null"], "minimum": 0, "maximum": MAX_TIER, "examples": ["2..3"] })
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            limit: 50,
            key: None,
            session: None,
            session_part: None,
            sessions: None,
            instance: None,
            runtime: None,
            tool: None,
            tier: None,
            min_tier: None,
            action: None,
            calls_only: false,
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
/// The highest tier.
const MAX_TIER: u8 = 4;
/// Characters in a text that is looked for.
const MAX_TEXT: usize = 1_000;

/// What people read of a start and of a pause.
const STARTED: &str = "started";
const PAUSED: &str = "paused";
/// The journal's word for a start, and that for both a pause and a block.
const INTERCEPT: &str = "intercept";
const BLOCKED: &str = "blocked";

impl Filter {
    /// The `action` that a record must have.
    pub(super) fn recorded_action(&self) -> Option<&str> {
        self.action.as_deref().map(|action| match action {
            STARTED => INTERCEPT,
            PAUSED => BLOCKED,
            recorded => recorded,
        })
    }

    /// Whether a record with this `conflict` and `onConflict` may be what is wanted.
    pub(super) fn wants_conflict(&self, conflict: Option<&str>, on_conflict: Option<&str>) -> bool {
        self.action.as_deref() != Some(PAUSED) || !blocks_as_written(conflict, on_conflict)
    }

    /// Whether records of this kind may be what is wanted.
    pub(super) fn wants_kind(&self, action: &[u8]) -> bool {
        self.recorded_action().is_none_or(|wanted| wanted.as_bytes() == action)
            && !(self.calls_only && is_bookkeeping(View::named(action)))
    }

    /// Whether a session may be the one that is wanted by a part of its name.
    #[must_use]
    pub fn wants_session_part(&self, session: Option<&str>) -> bool {
        let Some(part) = self.session_part.as_deref() else { return true };
        session.is_some_and(|session| {
            session.starts_with(part)
                || session.match_indices([':', '/']).any(|(at, sign)| {
                    session.get(at + sign.len()..).is_some_and(|rest| rest.starts_with(part))
                })
        })
    }

    /// Whether a session is one of those that are wanted by their names.
    pub(super) fn wants_session(&self, session: Option<&str>) -> bool {
        self.sessions.as_ref().is_none_or(|sessions| {
            session.is_some_and(|session| sessions.iter().any(|wanted| wanted == session))
        })
    }

    /// Reads a filter from JSON text; empty text or `null` wants the last 50.
    ///
    /// # Errors
    /// A sentence that names what is wrong.
    pub fn read(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() || text.trim() == "null" {
            return Ok(Self::default());
        }
        let filter: Self =
            serde_json::from_str(text).map_err(|error| format!("bad filter: {}", without_place(&error)))?;
        if filter.limit == 0 || filter.limit > MAX_LIMIT {
            return Err(format!("bad filter: `limit` must be from 1 to {MAX_LIMIT}"));
        }
        if filter.min_tier.is_some_and(|tier| tier > MAX_TIER) {
            return Err(format!("bad filter: `minTier` must be from 0 to {MAX_TIER}"));
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

/// Whether a kind is what the journal keeps for itself.
fn is_bookkeeping(view: View) -> bool {
    match view {
        View::Receipt | View::Maintenance => true,
        View::Call
        | View::Stop
        | View::Denial
        | View::End
        | View::Background
        | View::Lease
        | View::Session
        | View::Exchange
        | View::Fault
        | View::Unknown => false,
    }
}

/// A word that [`Filter::action`] may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionWord {
    /// The word, as people read and write it.
    pub word: &'static str,
    /// What is shown for it.
    pub label: &'static str,
    /// What such records are to views.
    pub view: View,
}

/// The words that [`Filter::action`] may be, in the order of the table of kinds; but not `intercept`, the journal's own for `started`.
pub fn action_words() -> impl Iterator<Item = ActionWord> {
    Action::KNOWN.iter().map(Action::spec).flat_map(|&Spec { name, label, view, .. }| {
        let word = if name == INTERCEPT { STARTED } else { name };
        let paused = (name == BLOCKED).then_some(ActionWord { word: PAUSED, label: PAUSED, view });
        [ActionWord { word, label, view }].into_iter().chain(paused)
    })
}

/// What is wrong, without where: whoever gave an option has not seen the JSON that it stands in.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// A moment in a request, wall-clock milliseconds.
pub(super) fn moment(field: &str, value: Option<&Value>) -> Result<Option<i64>, String> {
    let wrong = || format!("bad filter: `{field}` must be RFC 3339 or milliseconds since the epoch");
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => from_rfc3339(text).map(Some).ok_or_else(wrong),
        Some(value) => value.as_i64().map(Some).ok_or_else(wrong),
    }
}

/// Some of the tiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiers(u8);

impl Tiers {
    /// Reads `3`, `3..`, `..2`, `2..3` and several of these with commas between.
    ///
    /// # Errors
    /// A clause that says what was expected.
    pub fn read(text: &str) -> Result<Self, String> {
        let wrong = || "expected tiers from 0 to 4, such as `3`, `3..`, `2..3` or `3,4`".to_owned();
        let number = |text: &str, unless: u8| match text.trim() {
            "" => Some(unless),
            text => text.parse().ok().filter(|tier| *tier <= MAX_TIER),
        };
        let mut tiers = 0;
        for part in text.split(',') {
            let (first, last) = match part.split_once("..") {
                Some((first, last)) => (number(first, 0), number(last.trim_start_matches('='), MAX_TIER)),
                None if part.trim().is_empty() => return Err(wrong()),
                None => (number(part, 0), number(part, 0)),
            };
            let (Some(first), Some(last)) = (first, last) else { return Err(wrong()) };
            if first > last {
                return Err(wrong());
            }
            tiers |= (first..=last).fold(0, |tiers, tier| tiers | 1 << tier);
        }
        Ok(Self(tiers))
    }

    /// Whether `tier` is one of them.
    #[must_use]
    pub fn has(self, tier: u64) -> bool {
        tier <= u64::from(MAX_TIER) && self.0 & 1 << tier != 0
    }
}

impl<'de> Deserialize<'de> for Tiers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        // Who asks for more than tiers is to know which field is meant.
        Self::read(&text).map_err(|why| D::Error::custom(format!("`tier`: {why}")))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn tiers_are_one_a_range_or_several() {
        let read = |text: &str| {
            let tiers = Tiers::read(text)?;
            Ok::<Vec<u64>, String>((0..10).filter(|tier| tiers.has(*tier)).collect())
        };
        for (text, tiers) in [
            ("3", vec![3]),
            ("3..", vec![3, 4]),
            ("..1", vec![0, 1]),
            ("2..3", vec![2, 3]),
            ("2..=3", vec![2, 3]),
            ("0, 3,4", vec![0, 3, 4]),
            ("..", vec![0, 1, 2, 3, 4]),
        ] {
            assert_eq!(read(text).unwrap(), tiers, "{text}");
        }
        for text in ["", "5", "3,", "4..2", "three", "-1", "1..5", "255.."] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(Filter::read(r#"{"tier":3}"#).unwrap().tier.unwrap().has(3));
        assert!(Filter::read(r#"{"tier":300}"#).unwrap_err().contains("`3..`"));
    }

    #[test]
    fn a_session_is_found_by_the_beginning_of_a_part_of_its_name() {
        let filter = Filter { session_part: Some("3858".to_owned()), ..Filter::default() };
        for (session, is_it) in [
            ("3858aa11-0000", true),
            ("agent:main:3858aa11", true),
            ("home/3858", true),
            ("agent:main:1233858", false),
            ("0000-3858", false),
        ] {
            assert_eq!(filter.wants_session_part(Some(session)), is_it, "{session}");
        }
        assert!(!filter.wants_session_part(None));
    }
}
