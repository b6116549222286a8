//! Names of agents, titles in file names, and the ids of items.

use std::fmt;

use callosum_core::model::text::one_line;
use sha2::{Digest, Sha256};

use crate::error::Problem;

/// Bytes of an agent's name at most.
pub const NAME_BYTES: usize = 64;
/// Bytes of a title in a file's name at most.
const SLUG_BYTES: usize = 80;
/// Hexadecimal digits of an id.
const ID_DIGITS: usize = 12;

/// The name of an agent: one component of a path, the same on every file system. Letters, digits, `.`, `_`, `-` and `@`, 64 at most;
/// it begins with a letter or a digit, and does not end with a dot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentName(String);

impl AgentName {
    /// The agent that is called so.
    ///
    /// # Errors
    /// When that can't be a name.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        match Self::flaw(text) {
            None => Ok(Self(text.to_owned())),
            Some(flaw) => Err(Problem::input(
                format!("`{}` can't be an agent's name: {flaw}", one_line(text, 60)),
                format!("give a name of letters, digits, `.`, `_`, `-` and `@`, at most {NAME_BYTES}"),
            )),
        }
    }

    fn flaw(text: &str) -> Option<&'static str> {
        let may_stand = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@".contains(&byte);
        let stem = text.split('.').next().unwrap_or_default().to_ascii_lowercase();
        let is_device = matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
            || (stem.len() == 4
                && ["com", "lpt"].iter().any(|device| stem.starts_with(device))
                && stem.ends_with(|c: char| c.is_ascii_digit()));
        if text.is_empty() {
            Some("it is empty")
        } else if text.len() > NAME_BYTES {
            Some("it is too long")
        } else if !text.bytes().all(may_stand) {
            Some("it has other characters than those")
        } else if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            Some("it does not begin with a letter or a digit")
        } else if text.ends_with('.') || text.contains("..") {
            Some("it has dots where no file's name should")
        } else if is_device {
            Some("some systems keep that name for a device")
        } else {
            None
        }
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A title as a part of a file's name: small letters and digits, everything else one hyphen; `untitled` where nothing is left.
#[must_use]
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if slug.len() + c.len_utf8() > SLUG_BYTES {
            break;
        }
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "untitled".to_owned() } else { slug.to_owned() }
}

/// The id of an item: the beginning of the SHA-256 of what it is made of. Equal parts have the same id.
#[must_use]
pub fn id(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // The length keeps parts apart whatever they say.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let mut digits = hex(&hash.finalize());
    digits.truncate(ID_DIGITS);
    digits
}

/// Whether `text` can be the id of an item.
#[must_use]
pub fn is_id(text: &str) -> bool {
    text.len() == ID_DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The SHA-256 of `bytes` in hexadecimal digits.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_name_is_one_component_of_a_path_everywhere() {
        for good in ["main", "claude-code", "Bob_2", "main@gateway.b", "7"] {
            assert_eq!(AgentName::parse(good).unwrap().as_str(), good);
        }
        let long = "a".repeat(NAME_BYTES + 1);
        for bad in [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "a\\b",
            ".hidden",
            "-rf",
            "a b",
            "a\nb",
            "a\0",
            "ä",
            "a..b",
            "a.",
            "NUL",
            "con.md",
            "com1",
            "\u{202e}x",
            &long,
        ] {
            let problem = AgentName::parse(bad).unwrap_err();
            assert_eq!(problem.code.exit_code(), 2, "{bad:?}");
            assert!(!problem.message.contains('\n'), "{bad:?}");
        }
    }

    #[test]
    fn a_slug_is_short_and_never_climbs() {
        assert_eq!(slug("Q3: what we *learned*!"), "q3-what-we-learned");
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug(" \u{202e}… "), "untitled");
        assert!(slug(&"ü".repeat(200)).len() <= 80);
    }

    #[test]
    fn equal_parts_have_the_same_id_and_shifted_ones_another() {
        assert_eq!(id(&["a", "b"]), id(&["a", "b"]));
        assert_ne!(id(&["ab", ""]), id(&["a", "b"]));
        assert!(is_id(&id(&["x"])) && !is_id("XYZ") && !is_id("../../etc/pa"));
    }
}
