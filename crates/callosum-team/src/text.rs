//! Text that agents wrote: limited and redacted before it is written. Whoever shows it escapes it.

use callosum_core::model::redact::redact;
use serde_json::{Map, Value, json};

use crate::error::{Code, Refusal};

/// The text of the field `of`: at most `most` bytes, its secrets removed. Line ends and tabs stay, other control characters become spaces.
///
/// # Errors
/// When it is longer: nothing is cut.
pub fn limited(of: &str, text: &str, most: usize) -> Result<String, Refusal> {
    if text.len() > most {
        return Err(too_much(
            of,
            &format!("it has {} bytes, and at most {most} are allowed", text.len()),
            "write it to a file and name that",
        ));
    }
    let is_kept = |letter: char| !letter.is_control() || letter == '\n' || letter == '\t';
    let plain: String = text.chars().map(|letter| if is_kept(letter) { letter } else { ' ' }).collect();
    Ok(redact(&plain).into_owned())
}

/// The same for one line that must say something.
///
/// # Errors
/// When it is longer, or says nothing.
pub fn line(of: &str, text: &str, most: usize) -> Result<String, Refusal> {
    let text = limited(of, text, most)?;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return Err(Refusal::field(of, "it is empty; expected a text"));
    }
    Ok(line)
}

/// Several short texts.
///
/// # Errors
/// When there are too many, or one is longer.
pub fn list(of: &str, texts: &[String], most: usize, each: usize) -> Result<Vec<String>, Refusal> {
    if texts.len() > most {
        let message = format!("there are {}, and at most {most} are allowed", texts.len());
        return Err(too_much(of, &message, "name fewer"));
    }
    texts.iter().map(|text| line(of, text, each)).collect()
}

/// A field says more than it may.
pub(crate) fn too_much(of: &str, message: &str, remedy: &str) -> Refusal {
    Refusal { code: Code::Limit, remedy: remedy.to_owned(), ..Refusal::field(of, message) }
}

/// What somebody says in JSON, its secrets removed.
#[must_use]
pub fn redacted(value: Value) -> Value {
    match value {
        Value::String(text) => Value::from(redact(&text).into_owned()),
        Value::Array(values) => values.into_iter().map(redacted).collect(),
        Value::Object(fields) => Value::Object(redacted_fields(fields)),
        other => other,
    }
}

/// The same for the fields of an object, of which a name may tell that its value is one.
#[must_use]
pub fn redacted_fields(fields: Map<String, Value>) -> Map<String, Value> {
    let field = |(name, value): (String, Value)| {
        let value = match redacted(value) {
            value @ (Value::String(_) | Value::Number(_)) => {
                let pair = json!({ &name: &value }).to_string();
                let tells_of_it = redact(&name) == name && redact(&pair) != pair;
                if tells_of_it { "[redacted]".into() } else { value }
            }
            value => value,
        };
        (redact(&name).into_owned(), value)
    };
    fields.into_iter().map(field).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_text_at_its_limit_is_kept_and_one_byte_more_is_refused() {
        assert_eq!(limited("body", &"a".repeat(4_096), 4_096).unwrap().len(), 4_096);
        let refused = limited("body", &"a".repeat(4_097), 4_096).unwrap_err();
        assert_eq!(refused.code, Code::Limit);
        assert_eq!(line("title", " a\u{1b}[31m\n b ", 200).unwrap(), "a [31m b");
        assert_eq!(line("title", " \n", 200).unwrap_err().code, Code::BadRequest);
    }

    #[test]
    fn secrets_are_removed() {
        let text = limited("body", "export API_KEY=sk-abcdefghijklmnopqrstuvwxyz0123456789", 4_096).unwrap();
        assert!(!text.contains("abcdefghijklmnop"), "{text}");
        let said = json!({
            "db": { "password": "kR7vTq2mWz", "port": 5432 },
            "body": "the parser is done; curl -H 'Authorization: Bearer kR7vTq2mWzXyAbC'",
        });
        let kept = redacted(said);
        assert_eq!((&kept["db"]["password"], &kept["db"]["port"]), (&json!("[redacted]"), &json!(5432)));
        let body = kept["body"].as_str().unwrap();
        assert!(body.starts_with("the parser is done") && !body.contains("kR7v"), "{body}");
    }
}
