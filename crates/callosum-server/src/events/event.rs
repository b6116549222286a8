//! What an event is, which are wanted, and where a stream goes on.

use callosum_core::query::Following;
use callosum_core::rules::context_key::named_key;
use serde_json::{Value, json};

/// Topics that one stream may ask for.
const MAX_TOPICS: usize = 32;
const MAX_TOPIC: usize = 100;
/// Resources that one may name.
const MAX_KEYS: usize = 100;

/// A record, ready to be sent.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) seq: u64,
    pub(crate) topic: String,
    /// The resources that it is about.
    pub(crate) keys: Vec<String>,
    /// As it goes over the line.
    pub(crate) text: String,
}

/// Which events are wanted; all when there is none.
#[derive(Clone, Debug)]
pub(crate) struct Topics(Vec<String>);

/// Which resources are wanted; all when there is none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys(Vec<Key>);

/// Resources: one, or all that begin so.
#[derive(Clone, Debug)]
enum Key {
    One(String),
    Beginning(String),
}

/// Which events a stream tells.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) topics: Topics,
    pub(super) keys: Keys,
}

impl Wanted {
    /// Whether an event is one of them.
    pub(super) fn has(&self, event: &Event) -> bool {
        self.topics.want(&event.topic) && self.keys.want(event.keys.iter().map(String::as_str))
    }
}

/// Where a stream begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// With what comes from now on.
    Now,
    /// Behind this record, of this journal if it is named; `None`: with the oldest that is there.
    Behind(Option<String>, Option<u64>),
}

impl Place {
    /// `<journal>:<seq>`, or a sequence number; 0 stands for the oldest.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (journal, seq) = match text.split_once(':') {
            Some((journal, seq)) => (Some(journal), seq),
            None => (None, text),
        };
        let is_id = |id: &str| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if journal.is_some_and(|journal| !is_id(journal)) {
            return None;
        }
        let seq: u64 = seq.parse().ok()?;
        let behind = (journal.is_some() || seq > 0).then_some(seq);
        Some(Self::Behind(journal.map(str::to_owned), behind))
    }

    /// The id behind which the place `at` of a journal lies: where nothing does, that of the oldest.
    pub(crate) fn id(journal: Option<&str>, at: u64) -> String {
        match (journal, at.checked_sub(1)) {
            (Some(journal), Some(behind)) => format!("{journal}:{behind}"),
            (None, Some(behind)) => behind.to_string(),
            (_, None) => "0".to_owned(),
        }
    }
}

impl Topics {
    /// Topics with commas between them; `call.*` stands for all that begin so.
    pub(crate) fn read(text: Option<&str>) -> Result<Self, &'static str> {
        let topics: Vec<String> = text
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|topic| !topic.is_empty())
            .map(str::to_owned)
            .collect();
        let is_topic = |topic: &String| {
            let name = topic.strip_suffix(".*").unwrap_or(topic);
            topic.len() <= MAX_TOPIC
                && (name == "*"
                    || name.bytes().all(|byte| byte.is_ascii_lowercase() || b"._".contains(&byte)))
        };
        if topics.len() > MAX_TOPICS || !topics.iter().all(is_topic) {
            return Err(
                "expected at most 32 topics such as `call.paused` or `call.*`, with commas between them",
            );
        }
        Ok(Self(topics))
    }

    pub(crate) fn want(&self, topic: &str) -> bool {
        let fits = |wanted: &String| match wanted.strip_suffix('*') {
            Some(begin) => topic.starts_with(begin),
            None => wanted == topic,
        };
        self.0.is_empty() || self.0.iter().any(fits)
    }
}

impl Keys {
    /// Resources; `*` at the end of one stands for all that begin so.
    pub(crate) fn read(texts: Vec<String>) -> Result<Self, &'static str> {
        if texts.len() > MAX_KEYS || texts.iter().any(String::is_empty) {
            return Err("expected at most 100 resources such as `account:acme` or `email:*`");
        }
        let key = |text: String| match text.strip_suffix('*') {
            Some(begin) => Key::Beginning(begin.to_owned()),
            None => Key::One(named_key(&text)),
        };
        Ok(Self(texts.into_iter().map(key).collect()))
    }

    /// Whether one of `keys` is wanted.
    pub(crate) fn want<'k>(&self, mut keys: impl Iterator<Item = &'k str>) -> bool {
        let is_wanted = |key: &str| {
            self.0.iter().any(|wanted| match wanted {
                Key::One(wanted) => wanted == key,
                Key::Beginning(begin) => key.starts_with(begin),
            })
        };
        self.0.is_empty() || keys.any(is_wanted)
    }
}

/// The resources that a record names.
pub(crate) fn keys_of(record: &Value) -> impl Iterator<Item = &str> {
    let several = record.get("contextKeys").and_then(Value::as_array).into_iter().flatten();
    several.chain(record.get("contextKey")).filter_map(Value::as_str)
}

impl Event {
    /// The events that a piece of the journal tells.
    pub(crate) fn of(following: &Following) -> Vec<Self> {
        let journal = following.journal.as_deref().unwrap_or_default();
        following.records.iter().filter_map(|(seq, record)| Self::of_record(journal, *seq, record)).collect()
    }

    fn of_record(journal: &str, seq: u64, record: &Value) -> Option<Self> {
        let topic = topic(record)?;
        let id = id(journal, seq);
        let data = document(&id, seq, &topic, record);
        let keys = keys_of(record).map(str::to_owned).collect();
        Some(Self { seq, text: format!("id: {id}\ndata: {data}\n\n"), topic, keys })
    }
}

/// The id of an event: from it another connection goes on.
pub(crate) fn id(journal: &str, seq: u64) -> String {
    format!("{journal}:{seq}")
}

/// An event, as it is told.
pub(crate) fn document(id: &str, seq: u64, topic: &str, record: &Value) -> Value {
    let from = json!({
        "machine": record.get("machine"),
        "instance": record.get("instance"),
        "runtime": record.get("runtime"),
        "agent": record.get("agent"),
        "session": record.get("session"),
        "via": record.get("via"),
    });
    json!({
        "seq": seq, "id": id, "topic": topic, "at": record.get("timestamp"), "from": from, "data": record,
    })
}

/// What was pruned, or is of a journal that is gone, from one place to another.
pub(crate) fn gap_document(from: u64, to: u64) -> Value {
    json!({ "gap": { "from": from, "to": to } })
}

/// The same, as it goes over a stream: it has the id `id`.
pub(crate) fn gap(id: &str, from: u64, to: u64) -> String {
    format!("id: {id}\nevent: gap\ndata: {}\n\n", gap_document(from, to))
}

/// A place without an event: readers keep it, and tell nobody.
pub(crate) fn only_id(id: &str) -> String {
    format!("id: {id}\n\n")
}

/// What a record is about, in two words.
pub(crate) fn topic(record: &Value) -> Option<String> {
    let record = record.as_object()?;
    let text = |name: &str| record.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(match text("action") {
        "intercept" => "call.started".to_owned(),
        "blocked" if text("conflict") == "lease" => "call.blocked".to_owned(),
        "blocked" => "call.paused".to_owned(),
        "denied" => "call.denied".to_owned(),
        "complete" | "failed" | "refused" | "unknown" => "call.ended".to_owned(),
        "running" => "call.running".to_owned(),
        "delivered" => "call.read".to_owned(),
        "released" => "lease.released".to_owned(),
        "leased" => "lease.taken".to_owned(),
        "extended" => "lease.renewed".to_owned(),
        "session" => format!("session.{}", text("event")),
        other => format!("journal.{other}"),
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_place_is_read_as_events_tell_theirs() {
        let journal = "0123456789abcdef".repeat(2);
        let read = |text: &str| Place::read(text);
        assert_eq!(read("0"), Some(Place::Behind(None, None)));
        assert_eq!(read("12"), Some(Place::Behind(None, Some(12))));
        assert_eq!(read(&format!("{journal}:0")), Some(Place::Behind(Some(journal.clone()), Some(0))));
        for wrong in ["", "-1", "x", ":5", "abc:5", &format!("{journal}:"), &format!("{journal}:5:6")] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        for (journal, at) in [(Some(journal.as_str()), 78), (None, 78)] {
            let place = Place::Behind(journal.map(str::to_owned), Some(77));
            assert_eq!(Place::read(&Place::id(journal, at)), Some(place));
        }
        assert_eq!(read(&Place::id(Some(&journal), 0)), Some(Place::Behind(None, None)));
    }

    #[test]
    fn topics_are_wanted_by_name_or_by_how_they_begin() {
        let topics = Topics::read(Some("call.*, lease.released")).unwrap();
        for (topic, wanted) in
            [("call.paused", true), ("lease.released", true), ("lease.taken", false), ("callous", false)]
        {
            assert_eq!(topics.want(topic), wanted, "{topic}");
        }
        assert!(Topics::read(None).unwrap().want("anything"));
        for wrong in ["A", "call paused", "call.*.*x", &"a,".repeat(40), "\u{e9}"] {
            assert!(Topics::read(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
