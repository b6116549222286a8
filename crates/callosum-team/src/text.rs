//! Text that agents wrote: limited and redacted before it is written. Whoever shows it escapes it.

use callosum_core::model::redact::redact;

use crate::error::{Code, Refusal};

/// A text of at most `most` bytes, its secrets removed. Line ends and tabs stay, other control characters become spaces.
///
/// # Errors
/// When it is longer: nothing is cut.
pub fn limited(what: &str, text: &str, most: usize) -> Result<String, Refusal> {
    if text.len() > most {
        return Err(Refusal::new(
            Code::Limit,
            format!("the {what} has {} bytes, and at most {most} are allowed", text.len()),
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
pub fn line(what: &str, text: &str, most: usize) -> Result<String, Refusal> {
    let text = limited(what, text, most)?;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return Err(Refusal::new(Code::Limit, format!("the {what} is empty"), "say what it is about"));
    }
    Ok(line)
}

/// Several short texts.
///
/// # Errors
/// When there are too many, or one is longer.
pub fn list(what: &str, texts: &[String], most: usize, each: usize) -> Result<Vec<String>, Refusal> {
    if texts.len() > most {
        let message = format!("there are {} of {what}, and at most {most} are allowed", texts.len());
        return Err(Refusal::new(Code::Limit, message, "name fewer"));
    }
    texts.iter().map(|text| line(what, text, each)).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_text_at_its_limit_is_kept_and_one_byte_more_is_refused() {
        assert_eq!(limited("body", &"a".repeat(4_096), 4_096).unwrap().len(), 4_096);
        let refused = limited("body", &"a".repeat(4_097), 4_096).unwrap_err();
        assert_eq!(refused.code, Code::Limit);
        assert_eq!(line("title", " a\u{1b}[31m\n b ", 200).unwrap(), "a [31m b");
        assert_eq!(line("title", " \n", 200).unwrap_err().code, Code::Limit);
    }

    #[test]
    fn secrets_are_removed() {
        let text = limited("body", "export API_KEY=sk-abcdefghijklmnopqrstuvwxyz0123456789", 4_096).unwrap();
        assert!(!text.contains("abcdefghijklmnop"), "{text}");
    }
}
