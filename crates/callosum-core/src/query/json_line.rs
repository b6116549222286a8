//! A line of the journal in an answer's text: as it stands there, with its sequence number behind it. It is looked through,
//! because an answer is JSON whatever the journal holds, but not made into a [`Value`](serde_json::Value) and text again.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

/// A text that is borrowed where it can be.
#[derive(Deserialize)]
pub(super) struct Text<'l>(#[serde(borrow)] pub(super) Cow<'l, str>);

/// The line as an object that ends with `seq`. `None` when it is no object, or has a `seq` of its own.
pub(super) fn entry(line: &[u8], seq: u64) -> Option<String> {
    let Object { is_empty } = serde_json::from_slice(line).ok()?;
    let members = str::from_utf8(line).ok()?.trim_ascii().strip_suffix('}')?;
    let name = if is_empty { "\"seq\":" } else { ",\"seq\":" };
    Some([members, name, &seq.to_string(), "}"].concat())
}

/// An object without `seq`.
struct Object {
    is_empty: bool,
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object without `seq`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut is_empty = true;
                while let Some((name, Sound)) = map.next_entry::<Text<'de>, Sound>()? {
                    if name.0 == "seq" {
                        return Err(serde::de::Error::custom("it has a `seq`"));
                    }
                    is_empty = false;
                }
                Ok(Object { is_empty })
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// Any value: what can be read as it could be read as a `Value`, which passing over it would not tell.
struct Sound;

impl<'de> Deserialize<'de> for Sound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Sound;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("any value")
            }

            fn visit_unit<E>(self) -> Result<Sound, E> {
                Ok(Sound)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Sound, E> {
                Ok(Sound)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Sound, E> {
                Ok(Sound)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Sound, E> {
                Ok(Sound)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Sound, E> {
                Ok(Sound)
            }

            fn visit_str<E>(self, _: &str) -> Result<Sound, E> {
                Ok(Sound)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Sound, A::Error> {
                while let Some(Sound) = list.next_element()? {}
                Ok(Sound)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sound, A::Error> {
                while let Some((Text(_), Sound)) = map.next_entry()? {}
                Ok(Sound)
            }
        }

        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use serde_json::Value;

    use super::entry;

    /// What is read as a record, and what is in the answer, are the same: the line's own object, and its number.
    fn check(line: &[u8]) {
        let read = match serde_json::from_slice(line) {
            Ok(Value::Object(mut record)) if !record.contains_key("seq") => {
                record.insert("seq".to_owned(), Value::from(7_u64));
                Some(Value::Object(record))
            }
            Ok(_) | Err(_) => None,
        };
        let told = entry(line, 7).map(|text| serde_json::from_str(&text).unwrap());
        assert_eq!(told, read, "{}", String::from_utf8_lossy(line));
    }

    #[test]
    fn an_entry_is_what_the_line_says_and_nothing_that_is_no_record() {
        for line in [
            r#"{"v":1,"action":"intercept","tier":3,"of":[1,-2],"simple":true,"x":null,"windows":{"a":{"ms":1.5e3}}}"#,
            r#"{"params":"{\"to\":\"a\\nb\u00fc\ud83d\ude00\"}"}"#,
            "{}",
            " { } ",
            "\t{\"a\" : {} , \"b\":[]}\r",
            r#"{"a":1,"a":2}"#,
            r#"{"a":{"seq":1}}"#,
            r#"{"seq":99,"a":1}"#,
            r#"{"\u0073eq":99}"#,
            r#"{"a":"\ud800"}"#,
            r#"{"\ud800":1}"#,
            r#"{"a":1e999}"#,
            r#"{"a":{"b":1e999}}"#,
            "{\"a\":\"line\u{2028}end\"}",
            r#"{"a":1}}"#,
            r#"{"a":1} {"b":2}"#,
            r#"{"a":1"#,
            "[1]",
            "null",
            "",
            "torn",
        ] {
            check(line.as_bytes());
        }
        check(b"{\"a\":\"\xff\"}");
        check(b"{\"a\":1}\x0c");
        for depth in [100, 126, 127, 128, 200] {
            check(format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth)).as_bytes());
            check(format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)).as_bytes());
        }
    }
}
