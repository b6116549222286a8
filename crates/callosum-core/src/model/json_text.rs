//! JSON in which no character acts on whoever shows it: controls, and what reorders, hides or joins text, stand as `\u` escapes. A reader
//! gets the same values.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::model::text::{Shown, shown};

/// Writes `value` as compact JSON, such characters escaped.
///
/// # Errors
/// When `out` can't be written, or `value` can't be JSON.
pub fn to_writer(out: impl Write, value: &(impl Serialize + ?Sized)) -> Result<(), serde_json::Error> {
    value.serialize(&mut Serializer::with_formatter(out, Escaping))
}

/// The same for a text.
pub(crate) fn text_to_writer(out: impl Write, text: &str) -> Result<(), serde_json::Error> {
    if is_ascii(text) { serde_json::to_writer(out, text) } else { to_writer(out, text) }
}

/// Whether no character of `text` is escaped that others would write as it is.
fn is_quiet(text: &str) -> bool {
    is_ascii(text) || text.chars().all(is_seen)
}

/// What every line of JSON that holds `text` has in it, whichever of us wrote it: nothing, where one may escape what another did not.
pub(crate) fn as_written(text: &str) -> String {
    if is_quiet(text) { serde_json::Value::from(text).to_string() } else { String::new() }
}

fn is_ascii(text: &str) -> bool {
    // All bytes are looked at, whatever they are: so it is done many at a time.
    text.bytes().fold(true, |plain, byte| plain & (byte < 0x7f))
}

fn is_seen(c: char) -> bool {
    // Of ASCII the serializer knows which to escape, but for the last.
    c < '\u{7f}' || matches!(shown(c), Shown::As(as_shown) if as_shown == c)
}

struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if is_ascii(fragment) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut bytes = [0; 4];
        for c in fragment.chars() {
            if is_seen(c) {
                writer.write_all(c.encode_utf8(&mut bytes).as_bytes())?;
            } else {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn json_has_no_character_that_a_terminal_acts_on_and_the_same_values() {
        let mut hostile: String = (0..=0x2_100)
            .chain(0xe_0000..=0xe_007f)
            .chain([0xfeff, 0xfff9])
            .filter_map(char::from_u32)
            .collect();
        hostile.push_str("žluťoučký 你好 ❤\u{fe0f}");
        let value = serde_json::json!({ &hostile: [&hostile] });
        let mut written = Vec::new();
        to_writer(&mut written, &value).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(written.contains("žluťoučký 你好 ❤"));
        for c in written.chars() {
            assert!(
                !c.is_control()
                    && !('\u{200b}'..='\u{200f}').contains(&c)
                    && !('\u{2028}'..='\u{202e}').contains(&c)
                    && !('\u{e0000}'..='\u{e007f}').contains(&c),
                "{c:?}"
            );
        }
        assert_eq!(serde_json::from_str::<serde_json::Value>(&written).unwrap(), value);
    }
}
