//! The head of a file: `key: <JSON>` lines between two lines `---`. That is YAML, too, and the only part of it that is read.

use serde_json::{Map, Value};

const FENCE: &str = "---";
/// Bytes of a head at most.
const MOST: usize = 16 << 10;

/// The fields of a head and what stands behind it. `None` where the text has no head, or one that is not closed.
///
/// A value that is no JSON is read as the text that it is, because other programs write plain YAML scalars there.
#[must_use]
pub fn split(text: &str) -> Option<(Map<String, Value>, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rest = text.strip_prefix(FENCE)?.trim_start_matches('\r').strip_prefix('\n')?;
    let mut fields = Map::new();
    let length = rest.len();
    loop {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let line = line.trim_end_matches('\r');
        if line == FENCE {
            return Some((fields, after));
        }
        if after.is_empty() || length - after.len() > MOST {
            return None;
        }
        if let Some((key, value)) = line.split_once(':') {
            let value = value.trim();
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            fields.insert(key.trim().to_owned(), value);
        }
        rest = after;
    }
}

/// A head of these fields, in this order; those that are null are left out.
#[must_use]
pub fn head(fields: &[(&str, Value)]) -> String {
    let lines = fields.iter().filter(|(_, value)| !value.is_null());
    let lines: String = lines.map(|(key, value)| format!("{key}: {value}\n")).collect();
    format!("{FENCE}\n{lines}{FENCE}\n")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_written_is_read_and_no_value_ends_the_head() {
        let fields =
            [("title", json!("a\n---\nkind: x")), ("tags", json!(["b: c", "d"])), ("call", Value::Null)];
        let text = format!("{}\nBody\n---\nmore", head(&fields));
        let (read, body) = split(&text).unwrap();
        assert_eq!(Value::from(read), json!({"title": "a\n---\nkind: x", "tags": ["b: c", "d"]}));
        assert_eq!(body, "\nBody\n---\nmore");
    }

    #[test]
    fn plain_yaml_of_others_is_read_and_an_open_head_is_none() {
        let (read, _) = split("---\r\ntitle: Hello: world\r\nsize: 3\r\n---\r\nx").unwrap();
        assert_eq!(Value::from(read), json!({"title": "Hello: world", "size": 3}));
        for text in ["", "x", "---\ntitle: x\n", "--- \ntitle: x\n---\n"] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
