//! A filter at work. Most lines are passed over by a look at their bytes; what the bytes leave open is read as JSON.

use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::json_text;
use crate::store::journal::line_start::LineStart;
use crate::store::journal::span::Met;

use super::filter::Filter;
use super::json_line::Text;
use super::json_line::entry;

/// Where a text is looked for.
const TEXT_FIELDS: [&str; 7] = ["tool", "session", "agent", "params", "reason", "ruleName", "contextKey"];

/// A filter, made ready.
#[derive(Debug)]
pub(super) struct LineFilter<'f> {
    filter: &'f Filter,
    /// Not older, wall-clock milliseconds.
    pub(super) since_ms: Option<i64>,
    /// Not younger, wall-clock milliseconds.
    pub(super) until_ms: Option<i64>,
    /// Values that a line must have, as they stand in a line of ours.
    quoted: Vec<Finder<'static>>,
    text: Option<Wanted>,
    /// What is wanted is told by what stands in a record.
    needs_record: bool,
}

/// A text that is looked for.
#[derive(Debug)]
struct Wanted {
    folded: String,
    /// A part of it that stands in a line of ours as it is but for upper and lower case; `None` when it has none.
    bytes: Option<Regex>,
}

impl<'f> LineFilter<'f> {
    /// Makes `filter` ready.
    ///
    /// # Errors
    /// A sentence that names what is wrong with it.
    pub(super) fn new(filter: &'f Filter) -> Result<Self, String> {
        let values = [&filter.key, &filter.session, &filter.instance, &filter.runtime, &filter.tool];
        let quoted = values.into_iter().flatten().map(|value| quoted(value));
        let text = filter.text.as_deref().filter(|text| !text.is_empty()).map(Wanted::new);
        Ok(Self {
            filter,
            since_ms: filter.since_ms()?,
            until_ms: filter.until_ms()?,
            quoted: quoted.collect(),
            text,
            needs_record: *filter
                != Filter {
                    limit: filter.limit,
                    since: filter.since.clone(),
                    until: filter.until.clone(),
                    after: filter.after,
                    before: filter.before,
                    budget: filter.budget,
                    ..Filter::default()
                },
        })
    }

    /// The record of a line, if it is wanted, with its sequence number as `seq`.
    pub(super) fn record(&self, met: &Met) -> Option<Value> {
        let mut record = self.wanted(met)?;
        record.insert("seq".to_owned(), Value::from(met.seq));
        Some(Value::Object(record))
    }

    /// The same as text.
    pub(super) fn text(&self, met: &Met) -> Option<String> {
        let is_wanted =
            if self.needs_record { self.wanted(met).is_some() } else { self.is_within(met.wall_ms) };
        let text = is_wanted.then(|| entry(&met.bytes, met.seq))?;
        text.or_else(|| self.record(met).map(|record| record.to_string()))
    }

    fn wanted(&self, met: &Met) -> Option<Map<String, Value>> {
        if !self.is_within(met.wall_ms) || !self.may_want(&met.bytes) {
            return None;
        }
        let Ok(Value::Object(record)) = serde_json::from_slice(&met.bytes) else { return None };
        self.wants(&record).then_some(record)
    }

    /// A line that does not say its time is in no stretch of time.
    fn is_within(&self, wall_ms: Option<i64>) -> bool {
        self.since_ms.is_none_or(|since| wall_ms.is_some_and(|wall_ms| wall_ms >= since))
            && self.until_ms.is_none_or(|until| wall_ms.is_some_and(|wall_ms| wall_ms <= until))
    }

    /// What the bytes of a line say; foreign ones may be written in many ways, so they say nothing.
    fn may_want(&self, line: &[u8]) -> bool {
        let Some(start) = LineStart::read(line) else { return true };
        self.wants_tier(start.tier.map(u64::from))
            && self.filter.wants_kind(start.action)
            && self.quoted.iter().all(|quoted| quoted.find(line).is_some())
            && self.text.as_ref().is_none_or(|text| text.may_be_in(line))
    }

    fn wants_tier(&self, tier: Option<u64>) -> bool {
        let Filter { tier: one, min_tier: least, .. } = self.filter;
        one.is_none_or(|some| tier.is_some_and(|tier| some.has(tier)))
            && least.is_none_or(|least| tier.is_some_and(|tier| tier >= u64::from(least)))
    }

    fn wants(&self, record: &Map<String, Value>) -> bool {
        let text_is = |name: &str, wanted: &Option<String>| {
            wanted.as_ref().is_none_or(|wanted| record.get(name).and_then(Value::as_str) == Some(wanted))
        };
        let Filter { key, session, instance, runtime, tool, .. } = self.filter;
        let recorded = |name: &str| record.get(name).and_then(Value::as_str);
        key.as_ref()
            .is_none_or(|key| keys(record).chain(text_of(record, "contextKey")).any(|known| known == key))
            && text_is("session", session)
            && text_is("instance", instance)
            && text_is("runtime", runtime)
            && text_is("tool", tool)
            && self.filter.wants_session_part(recorded("session"))
            && self.filter.wants_session(recorded("session"))
            && self.filter.wants_kind(recorded("action").unwrap_or_default().as_bytes())
            && self.filter.wants_conflict(recorded("conflict"), recorded("onConflict"))
            && self.wants_tier(record.get("tier").and_then(Value::as_u64))
            && self.text.as_ref().is_none_or(|text| text.is_in(record))
    }
}

/// A text as it stands in a line.
fn quoted(text: &str) -> Finder<'static> {
    Finder::new(json_text::as_written(text).as_bytes()).into_owned()
}

fn text_of<'r>(record: &'r Map<String, Value>, field: &str) -> Option<&'r str> {
    record.get(field).and_then(Value::as_str)
}

fn keys(record: &Map<String, Value>) -> impl Iterator<Item = &str> {
    record.get("contextKeys").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

impl Wanted {
    fn new(text: &str) -> Self {
        let folded = folded(text);
        let as_it_is = |c: char| matches!(c, ' '..='~') && c != '"' && c != '\\';
        let longest = folded.split(|c| !as_it_is(c)).max_by_key(|part| part.len()).unwrap_or_default();
        let bytes = (!longest.is_empty()).then(|| {
            RegexBuilder::new(&regex::escape(longest)).case_insensitive(true).unicode(false).build().ok()
        });
        Self { bytes: bytes.flatten(), folded }
    }

    /// Whether it may stand in a line of ours.
    fn may_be_in(&self, line: &[u8]) -> bool {
        self.bytes.as_ref().is_none_or(|bytes| bytes.is_match(line))
            && serde_json::from_slice(line)
                .map_or(true, |shown: Shown<'_>| shown.texts().any(|text| self.is_part_of(text)))
    }

    fn is_in(&self, record: &Map<String, Value>) -> bool {
        let texts = TEXT_FIELDS.into_iter().filter_map(|field| text_of(record, field));
        texts.chain(keys(record)).any(|text| self.is_part_of(text))
    }

    fn is_part_of(&self, text: &str) -> bool {
        folded(text).contains(&self.folded)
    }
}

/// What people see of a line of ours, without all the rest.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'l> {
    #[serde(borrow, default)]
    tool: Option<Text<'l>>,
    #[serde(borrow, default)]
    session: Option<Text<'l>>,
    #[serde(borrow, default)]
    agent: Option<Text<'l>>,
    #[serde(borrow, default)]
    params: Option<Text<'l>>,
    #[serde(borrow, default)]
    reason: Option<Text<'l>>,
    #[serde(borrow, default)]
    rule_name: Option<Text<'l>>,
    #[serde(borrow, default)]
    context_key: Option<Text<'l>>,
    #[serde(borrow, default)]
    context_keys: Vec<Text<'l>>,
}

impl Shown<'_> {
    fn texts(&self) -> impl Iterator<Item = &str> {
        let Self { tool, session, agent, params, reason, rule_name, context_key, context_keys } = self;
        let single = [tool, session, agent, params, reason, rule_name, context_key];
        single.into_iter().flatten().chain(context_keys).map(|text| &*text.0)
    }
}

/// A text in lower case. What is not ASCII does not become ASCII (a Kelvin sign is no `k`), so that what is ASCII in a text
/// can be looked for in a line's bytes.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            folded.push(c.to_ascii_lowercase());
        } else if c.to_lowercase().any(|lower| lower.is_ascii()) {
            folded.push(c);
        } else {
            folded.extend(c.to_lowercase());
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_folded_but_nothing_becomes_ascii() {
        assert_eq!(folded("GRÜSSE Ω \u{212a} İ"), "grüsse ω \u{212a} İ");
    }

    #[test]
    fn the_bytes_that_are_looked_for_stand_in_a_line_as_they_are() {
        let bytes = |text: &str| Wanted::new(text).bytes.map(|bytes| bytes.as_str().to_owned());
        assert_eq!(bytes("say \"Hello.You\""), Some("hello\\.you".to_owned()));
        assert_eq!(bytes("ÜÜa\n"), Some("a".to_owned()));
        assert_eq!(bytes("\"Ü\\"), None);
    }
}
