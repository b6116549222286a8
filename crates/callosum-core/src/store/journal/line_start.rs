//! How a line of ours begins: enough to pass over most lines without reading them as JSON.

use crate::model::time::from_own_rfc3339;

use crate::record::{Line, OWN_START};

/// What every line of this version says first, in this order. A line that begins otherwise may still be a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineStart<'a> {
    /// The action's name.
    pub action: &'a [u8],
    /// The tier, if the line names one.
    pub tier: Option<u8>,
    /// When it was written, wall-clock milliseconds.
    pub wall_ms: i64,
}

impl<'a> LineStart<'a> {
    /// Reads it; `None` when the line begins otherwise.
    #[must_use]
    pub fn read(line: &'a [u8]) -> Option<Self> {
        let rest = line.strip_prefix(OWN_START.as_bytes())?.strip_prefix(b"\"")?;
        let (action, rest) = rest.split_at_checked(memchr::memchr2(b'"', b'\\', rest)?)?;
        let rest = rest.strip_prefix(b"\",")?;
        let (tier, rest) = match rest.strip_prefix(b"\"tier\":") {
            Some([digit @ b'0'..=b'9', b',', rest @ ..]) => (Some(digit - b'0'), rest),
            Some(_) => return None,
            None => (None, rest),
        };
        let (moment, rest) = rest.strip_prefix(b"\"timestamp\":\"")?.split_first_chunk()?;
        let is_whole = rest.starts_with(b"\"") && line.ends_with(b"}");
        let wall_ms = from_own_rfc3339(moment)?;
        is_whole.then_some(Self { action, tier, wall_ms })
    }
}

/// When a line was written, wall-clock milliseconds; `None` when it does not say.
#[must_use]
pub fn wall_ms(line: &[u8]) -> Option<i64> {
    match LineStart::read(line) {
        Some(start) => Some(start.wall_ms),
        None => Line::stamp(line).map(|stamp| stamp.wall_ms),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::model::tier::Tier;
    use crate::model::time::Stamp;
    use crate::record::{Action, Record};

    #[test]
    fn it_says_what_the_record_says() {
        let now = Stamp { wall_ms: 1_763_640_000_123, up_ms: 5_000, boot: Some(0xab) };
        for tier in [None, Some(Tier::None), Some(Tier::Critical)] {
            let mut record = Record::new(Action::Blocked, "doug", &now);
            record.tier = tier;
            let line = record.to_line().unwrap();
            let line = line.strip_suffix(b"\n").unwrap();
            let start =
                LineStart { action: b"blocked".as_slice(), tier: tier.map(u8::from), wall_ms: now.wall_ms };
            assert_eq!(LineStart::read(line), Some(start));
            // Torn it says nothing that may be relied on.
            assert!((0..line.len()).all(|end| LineStart::read(line.get(..end).unwrap()).is_none()));
        }
    }

    #[test]
    fn what_begins_otherwise_is_read_whole() {
        for line in [
            r#"{"v":1,"action":"a\"b","timestamp":"2025-11-20T12:00:00.123Z"}"#,
            r#"{"v":1,"action":"a","tier":null,"timestamp":"2025-11-20T12:00:00.123Z"}"#,
            r#"{"action":"a","timestamp":"2025-11-20T12:00:00.123Z"}"#,
            r#"{"v":1,"action":"a","instance":"i","timestamp":"2025-11-20T13:00:00.123+01:00"}"#,
        ] {
            assert_eq!(LineStart::read(line.as_bytes()), None, "{line}");
            assert_eq!(wall_ms(line.as_bytes()), Some(1_763_640_000_123), "{line}");
        }
        assert_eq!(wall_ms(b"torn"), None);
    }
}
