//! A digest of what a call does: equal digests, equal calls.

use std::hash::Hasher;
use std::io;

use rustc_hash::FxHasher;
use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

use crate::model::text::is_plain_json;
use crate::model::tool_call::AllParameters;

/// Deeper values are cut off, and the digest says so: nobody nests a tool call this deep by hand.
const MAX_DEPTH: usize = 64;

/// The name under which a tool's calls are the same in every version of a host: OpenClaw renamed some.
#[must_use]
pub fn neutral_tool_name(tool: &str) -> &str {
    match tool {
        "bash" => "exec",
        "apply-patch" => "apply_patch",
        "cron" => "automations",
        other => other,
    }
}

/// The digest of a call of `tool`, 32 hexadecimal characters: of its neutral tool name and of those parameters that
/// have an effect. A `~` follows when not all of them could be read, or a number was rounded: then equal digests prove nothing.
#[must_use]
pub fn digest(tool: &str, params: &AllParameters<'_>) -> String {
    marked_digest(tool, params).0
}

/// Whether two calls with these digests are surely the same.
#[must_use]
pub(crate) fn is_same_call(theirs: Option<&str>, ours: &str) -> bool {
    theirs == Some(ours) && !ours.ends_with('~')
}

/// A call's digest, and its [`mark`].
pub(crate) fn marked_digest(tool: &str, params: &AllParameters<'_>) -> (String, u64) {
    let mut canonical = Canonical::of(tool, params, Some(Sha256::new()));
    canonical.flush();
    let hash = canonical.hash.take().unwrap_or_default();
    let mut digest = hex(&hash.finalize(), 16);
    if !canonical.complete {
        digest.push('~');
    }
    (digest, canonical.mark())
}

/// What tells within a process whether two calls have the same digest, at a fraction of its cost.
pub(crate) fn mark(tool: &str, params: &AllParameters<'_>) -> u64 {
    Canonical::of(tool, params, None).mark()
}

/// Whether a top-level parameter changes what a call does, rather than how long the host waits for it or how
/// it is announced. A `description` beside a command only announces it; elsewhere it may be the content
/// itself (an issue, an event).
pub(crate) fn has_effect(name: &str, is_command: bool) -> bool {
    let waits =
        |prefix: &str| name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    match name {
        "description" => !is_command,
        "_meta" | "idempotencyKey" | "idempotency_key" => false,
        _ => !waits("timeout") && !waits("yieldMs") && !waits("yield_ms"),
    }
}

/// The first `bytes` bytes in hexadecimal.
pub(crate) fn hex(hash: &[u8], bytes: usize) -> String {
    let mut digits = Vec::with_capacity(2 * bytes + 1);
    for byte in hash.iter().take(bytes) {
        digits.extend_from_slice(&hex_pair(*byte));
    }
    String::from_utf8(digits).unwrap_or_default()
}

/// The hexadecimal digits of some bytes, as ASCII.
pub(crate) fn hex_pairs<const N: usize>(bytes: [u8; N]) -> [[u8; 2]; N] {
    bytes.map(hex_pair)
}

fn hex_pair(byte: u8) -> [u8; 2] {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    [byte >> 4, byte & 15].map(|half| DIGITS.get(usize::from(half)).copied().unwrap_or(0))
}

/// The first `bytes` bytes of the SHA-256 of `text`, in hexadecimal.
pub(crate) fn hash_text(text: &str, bytes: usize) -> String {
    hex(&Sha256::digest(text.as_bytes()), bytes)
}

/// JSON without spaces, keys sorted by their bytes, a comma after each item, on its way into a hash.
struct Canonical {
    /// Of the digest, where it is asked for.
    hash: Option<Sha256>,
    /// Of the mark.
    quick: FxHasher,
    /// What was not hashed yet: a hash that is given a few bytes at a time costs more than the hashing.
    text: Vec<u8>,
    complete: bool,
}

/// So much is hashed at a time, in bytes.
const CHUNK: usize = 1024;

impl Canonical {
    fn of(tool: &str, params: &AllParameters<'_>, hash: Option<Sha256>) -> Self {
        let text = Vec::with_capacity(CHUNK);
        let mut canonical = Self { hash, quick: FxHasher::default(), text, complete: params.complete };
        canonical.string(neutral_tool_name(tool));
        match params.value.as_ref() {
            Value::Object(fields) => {
                let is_command = fields.contains_key("command");
                let effective = fields.iter().filter(|(name, _)| has_effect(name, is_command));
                canonical.object(effective, 0);
            }
            other => canonical.value(other, 0),
        }
        canonical
    }

    fn hash(&mut self, bytes: &[u8]) {
        if let Some(hash) = &mut self.hash {
            hash.update(bytes);
        }
        self.quick.write(bytes);
    }

    /// Hashes what was put aside.
    fn flush(&mut self) {
        // A quick hash counts its writes too.
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            self.hash(&text);
            self.text = text;
            self.text.clear();
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.text.len() + bytes.len() > CHUNK {
            self.flush();
        }
        if bytes.len() > CHUNK {
            self.hash(bytes);
        } else {
            self.text.extend_from_slice(bytes);
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.text.len() == CHUNK {
            self.add(&[byte]);
        } else {
            self.text.push(byte);
        }
    }

    fn mark(mut self) -> u64 {
        self.flush();
        self.quick.write_u8(u8::from(self.complete));
        self.quick.finish()
    }

    fn value(&mut self, value: &Value, depth: usize) {
        if depth > MAX_DEPTH {
            self.complete = false;
            return;
        }
        match value {
            Value::Null => self.add(b"null"),
            Value::Bool(flag) => self.add(if *flag { b"true" } else { b"false" }),
            Value::Number(number) => {
                // Whoever read it has rounded it.
                self.complete &=
                    !number.is_f64() || number.as_f64().is_some_and(|float| float.abs() <= LARGEST_EXACT);
                self.add(number_text(number).as_bytes());
            }
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                self.byte(b'[');
                for item in items {
                    self.value(item, depth + 1);
                    self.byte(b',');
                }
                self.byte(b']');
            }
            Value::Object(fields) => self.object(fields.iter(), depth),
        }
    }

    fn object<'a>(&mut self, fields: impl Iterator<Item = (&'a String, &'a Value)>, depth: usize) {
        // Sorted here: whether serde_json keeps the order of insertion depends on other crates' features.
        let mut fields: Vec<_> = fields.collect();
        fields.sort_by_key(|(name, _)| *name);
        self.byte(b'{');
        for (name, value) in fields {
            self.string(name);
            self.byte(b':');
            self.value(value, depth + 1);
            self.byte(b',');
        }
        self.byte(b'}');
    }

    fn string(&mut self, text: &str) {
        if is_plain_json(text) {
            self.byte(b'"');
            self.add(text.as_bytes());
            self.byte(b'"');
        } else {
            // A hash takes every byte.
            let _ = serde_json::to_writer(Pieces(self), text);
        }
    }
}

/// Up to here a float is the whole number that was written.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// A number's text; `1.0` is `1`, because a JavaScript host has only one of them.
pub(crate) fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() <= LARGEST_EXACT => {
            // `+ 0.0` turns -0.0 into 0.0.
            format!("{:.0}", float + 0.0)
        }
        _ => number.to_string(),
    }
}

struct Pieces<'a>(&'a mut Canonical);

impl io::Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::tool_call::Parameters;

    fn of(tool: &str, params: &Value) -> String {
        digest(tool, &params.all())
    }

    #[test]
    fn calls_of_one_digest_have_one_mark_and_others_have_others() {
        let of = |tool: &str, params: Value| {
            let (digest, mark_of_it) = marked_digest(tool, &params.all());
            assert_eq!(mark_of_it, mark(tool, &params.all()), "{digest}");
            mark_of_it
        };
        for size in [0, 1, CHUNK - 20, CHUNK, 3 * CHUNK] {
            let text = "x".repeat(size);
            let known = of("exec", json!({ "command": text, "b": [1, 2.0], "timeout": 5 }));
            assert_eq!(known, of("bash", json!({ "b": [1, 2], "command": text, "timeout": 9 })));
            assert_ne!(known, of("exec", json!({ "command": text, "b": [1, 3] })));
            assert_ne!(known, of("write", json!({ "command": text, "b": [1, 2] })));
            assert_ne!(known, of("exec", json!({ "command": format!("{text}y"), "b": [1, 2] })));
        }
    }

    #[test]
    fn calls_with_the_same_effect_have_the_same_digest() {
        let plain = of("exec", &json!({"command": "send", "env": {"a": 1, "b": [1, 2]}}));
        assert_eq!(plain.len(), 32);
        for (tool, params) in [
            ("exec", json!({"env": {"b": [1, 2], "a": 1}, "command": "send"})),
            ("bash", json!({"command": "send", "env": {"a": 1.0, "b": [1, 2]}})),
            (
                "exec",
                json!({"command": "send", "env": {"a": 1, "b": [1, 2]}, "timeout": 5, "timeoutSeconds": 9}),
            ),
            (
                "exec",
                json!({"command": "send", "env": {"a": 1, "b": [1, 2]}, "description": "Sends", "yieldMs": 1}),
            ),
        ] {
            assert_eq!(of(tool, &params), plain, "{tool} {params}");
        }
    }

    #[test]
    fn a_digest_is_the_same_in_every_build() {
        // The SHA-256 of `"exec"{"b":[1,"x\\n",],"command":"é",}`: journals outlive a build.
        let params = json!({"command": "é", "timeout": 1, "b": [1, "x\n"]});
        assert_eq!(of("bash", &params), "cdbc0ac8816013ae7b28c1254769b031");
    }

    #[test]
    fn a_digest_is_that_of_the_text_whatever_its_length() {
        for length in [0, 1, 1_000, 1_020, 1_021, 1_022, 1_023, 1_024, 1_025, 1_026, 5_000] {
            for letter in ["a", "\n"] {
                let text = letter.repeat(length);
                let written = format!("\"x\"{{\"b\":[1,],\"c\":{},}}", json!(text));
                let hash = Sha256::digest(written.as_bytes());
                assert_eq!(of("x", &json!({"c": text, "b": [1]})), hex(&hash, 16), "{length}");
            }
        }
    }

    #[test]
    fn calls_with_another_effect_have_another_digest() {
        let all = [
            of("exec", &json!({"command": "send"})),
            of("exec", &json!({"command": "send "})),
            of("exec", &json!({"command": ["send"]})),
            of("exec", &json!({"command": ["se", "nd"]})),
            of("write", &json!({"command": "send"})),
            of("exec", &json!({"command": "send", "env": {"timeout": 5}})),
            of("exec", &json!({"command": "send", "background": true})),
            of("linear__create_issue", &json!({"title": "a", "description": "b"})),
            of("linear__create_issue", &json!({"title": "a", "description": "c"})),
            of("x", &json!({"a": "1"})),
            of("x", &json!({"a": 1})),
            of("x", &json!({"a": null})),
            of("x", &json!({})),
            of("x", &json!({"a": {"b": 1}, "c": 2})),
            of("x", &json!({"a": {"b": 1, "c": 2}})),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(all.iter().skip(at + 1).all(|other| other != one), "digest {at} is not the only one");
        }
    }

    #[test]
    fn a_digest_of_what_could_not_be_read_says_so() {
        let value = json!({"a": 1});
        let partial = AllParameters { complete: false, ..value.all() };
        assert!(digest("", &partial).ends_with('~'));

        let amount = |text: &str| {
            of("pay", &serde_json::from_str(&format!("{{\"amount\":{text}}}")).unwrap_or_default())
        };
        assert!(amount("123456789012345678901234567890").ends_with('~'));
        for exact in ["18446744073709551615", "9007199254740993", "1e15", "0.1"] {
            assert!(!amount(exact).ends_with('~'), "{exact}");
        }

        let deep = (0..100_000).fold(json!(1), |inner, _| Value::Array(vec![inner]));
        assert!(of("x", &deep).ends_with('~'));
        // Dropping a value this deep recurses too; that is serde_json's to bound, at 128 when it reads text.
        std::mem::forget(deep);
    }

    #[test]
    fn numbers_are_written_as_javascript_sees_them() {
        let texts: Vec<String> =
            [json!(1), json!(1.0), json!(-0.0), json!(1.5), json!(1e300), json!(u64::MAX)]
                .iter()
                .filter_map(|value| value.as_number().map(number_text))
                .collect();
        assert_eq!(texts, ["1", "1", "0", "1.5", "1e+300", "18446744073709551615"]);
    }
}
