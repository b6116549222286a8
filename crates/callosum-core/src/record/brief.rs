//! A record of whose document only some fields are wanted: where thousands of records stand, what each says at length costs most of the
//! time that it takes to look through them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::{OWN_START, Record};

/// How a document begins in a line of ours.
const DOCUMENT: &[u8] = br#","document":"#;

/// Reads a line whose record has a document, and of this only `fields`; `None` for any other line.
pub(crate) fn brief(line: &[u8], fields: &[&str]) -> Option<Record> {
    // What begins otherwise may be of another version.
    let rest = line.strip_prefix(OWN_START.as_bytes())?;
    memchr::memmem::find(rest, DOCUMENT)?;
    let mut from = serde_json::Deserializer::from_slice(line);
    let read = Part::Record(fields).deserialize(&mut from).ok()?;
    from.end().ok()?;
    serde_json::from_value(Value::Object(read)).ok()
}

/// What is read: a record, or its document.
#[derive(Clone, Copy)]
enum Part<'f> {
    Record(&'f [&'f str]),
    Document(&'f [&'f str]),
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = Map<String, Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut read = Map::new();
        while let Some(name) = access.next_key::<Cow<'de, str>>()? {
            let value = match self {
                Self::Record(fields) if name == "document" => {
                    Value::Object(access.next_value_seed(Self::Document(fields))?)
                }
                Self::Document(fields) if !fields.contains(&&*name) => {
                    access.next_value::<IgnoredAny>()?;
                    continue;
                }
                Self::Record(_) | Self::Document(_) => access.next_value()?,
            };
            read.insert(name.into_owned(), value);
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use serde_json::json;

    use super::*;
    use crate::model::time::Stamp;
    use crate::record::Action;

    #[test]
    fn it_is_the_record_without_what_is_not_wanted() {
        let now = Stamp { wall_ms: 1_763_640_000_123, up_ms: 5_000, boot: Some(0xab) };
        let mut record = Record::new(Action::Task, "doug", &now);
        record.key = Some("a".to_owned());
        record.of = vec![7];
        let long = "x\"\\\u{7}".repeat(1_000);
        record.document = Some(
            json!({ "id": "a", "prompt": long, "deps": ["b"], "bridge": { "id": "c" }, "state": "open" }),
        );
        let line = record.to_line().unwrap();
        let line = line.strip_suffix(b"\n").unwrap();
        record.document = Some(json!({ "id": "a", "state": "open" }));
        assert_eq!(brief(line, &["id", "state"]), Some(record));
        assert_eq!(brief(line.strip_suffix(b"}").unwrap(), &["id"]), None);
        let newer = [b"{\"v\":2".as_slice(), line.strip_prefix(b"{\"v\":1").unwrap()].concat();
        assert_eq!(brief(&newer, &["id"]), None);
        let other = Record::new(Action::Session, "doug", &now).to_line().unwrap();
        assert_eq!(brief(other.strip_suffix(b"\n").unwrap(), &[]), None);
    }
}
