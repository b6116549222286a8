//! What an event is, which are wanted, and where a stream goes on.

use callosum_core::query::Following;
use callosum_core::rules::context_key::named_key;
use callosum_team::event::{Topics, document, gap_document, id, keys_of, topics};
use serde_json::{Map, Value, json};

/// Resources that one stream may name.
const MAX_KEYS: usize = 100;

/// A record, ready to be sent.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) seq: u64,
    /// The resources that it is about.
    keys: Vec<String>,
    /// Under each of its topics: as it goes over the line.
    texts: Vec<(String, String)>,
}

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
    /// An event as it goes to who wants these; `None` where it is none of them.
    pub(super) fn text<'e>(&self, event: &'e Event) -> Option<&'e str> {
        let is_about = self.keys.want(event.keys.iter().map(String::as_str));
        event.text(&self.topics).filter(|_| is_about)
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

impl Event {
    /// The events that a piece of the journal tells.
    pub(crate) fn of(following: &Following) -> Vec<Self> {
        let journal = following.journal.as_deref().unwrap_or_default();
        following.records.iter().filter_map(|(seq, record)| Self::of_record(journal, *seq, record)).collect()
    }

    fn of_record(journal: &str, seq: u64, record: &Value) -> Option<Self> {
        let id = id(journal, seq);
        let text = |topic: String| {
            let data = document(&id, seq, &topic, record);
            (topic, format!("id: {id}\ndata: {data}\n\n"))
        };
        let texts: Vec<(String, String)> = topics(record).into_iter().map(text).collect();
        (!texts.is_empty()).then_some(Self { seq, keys: keys_of(record).map(str::to_owned).collect(), texts })
    }

    /// What it takes in memory, about.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.iter().map(|(_, text)| text.len()).sum()
    }

    /// As it goes to who wants these topics; `None` for who wants none of its.
    pub(crate) fn text(&self, topics: &Topics) -> Option<&str> {
        self.texts.iter().find(|(topic, _)| topics.want(topic)).map(|(_, text)| text.as_str())
    }
}

/// The same, as it goes over a stream: it has the id `id`.
pub(crate) fn gap(id: &str, from: u64, to: u64) -> String {
    format!("id: {id}\nevent: gap\ndata: {}\n\n", gap_document(from, to))
}

/// The schemas of what a stream sends as `data`, each with its name and the `event` that it comes with; [`document`] and
/// [`gap_document`] make it.
pub(crate) fn schemas() -> [(&'static str, &'static str, Value); 2] {
    let text = json!({ "type": ["string", "null"] });
    let from: Map<String, Value> = ["machine", "instance", "runtime", "agent", "session", "via"]
        .map(|name| (name.to_owned(), text.clone()))
        .into_iter()
        .collect();
    let number = json!({ "type": "integer", "format": "uint64", "minimum": 0 });
    let event = json!({
        "description": "Something that happened.",
        "type": "object",
        "properties": {
            "seq": { "description": "Its record's sequence number.", "type": "integer", "format": "uint64", "minimum": 0 },
            "id": { "description": "Where another stream goes on: what `after` and `Last-Event-ID` take.", "type": "string" },
            "topic": { "description": "What happened.", "type": "string" },
            "at": { "description": "When: RFC 3339.", "type": "string" },
            "from": { "description": "Who did it.", "type": "object", "properties": from },
            "data": { "description": "The record; of tasks, messages and published events what they say.", "type": "object" },
        },
        "required": ["seq", "id", "topic", "at", "from", "data"],
    });
    let stretch = json!({
        "description": "From where, and to where, by sequence numbers; `to` lies before `from` where the journal went back.",
        "type": "object",
        "properties": { "from": number, "to": number },
        "required": ["from", "to"],
    });
    let gap = json!({
        "description": "What a reader lacks and the journal no longer has.",
        "type": "object",
        "properties": { "gap": stretch },
        "required": ["gap"],
    });
    [("StreamEvent", "message", event), ("StreamGap", "gap", gap)]
}

/// A place without an event: readers keep it, and tell nobody.
pub(crate) fn only_id(id: &str) -> String {
    format!("id: {id}\n\n")
}

#[cfg(test)]
mod tests {
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
}
