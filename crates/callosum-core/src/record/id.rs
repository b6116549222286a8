//! Random ids: of a journal, and of each try of a call that has an effect.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::digest::hex_pairs;

/// Hexadecimal digits of an id.
const DIGITS: usize = 32;

/// 128 random bits; 32 hexadecimal digits in lower case where it is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RandomId(u128);

/// Which journal: made with its first segment and carried from segment to segment.
pub type JournalId = RandomId;

/// Which try of a call of tier 2 or more. Its outcome and its release name it, here and on other machines.
pub type AttemptId = RandomId;

impl RandomId {
    /// Another one than any before. The system is asked for randomness once a thread, which every map needs anyway; an id is
    /// a hash under a key that was derived from that for it alone.
    #[must_use]
    pub fn random() -> Self {
        let key = RandomState::new();
        Self(u128::from(key.hash_one(0_u64)) << 64 | u128::from(key.hash_one(1_u64)))
    }

    /// Reads one; `None` for any text that [`RandomId::digits`] does not give.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let digits: &[u8; DIGITS] = text.as_bytes().try_into().ok()?;
        let (first, second) = digits.split_at(DIGITS / 2);
        Some(Self(u128::from(half(first)?) << 64 | u128::from(half(second)?)))
    }

    /// As it is written.
    pub(crate) fn digits(self) -> [[u8; 2]; DIGITS / 2] {
        hex_pairs(self.0.to_be_bytes())
    }
}

fn half(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |value, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(value << 4 | u64::from(digit))
    })
}

impl fmt::Display for RandomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for RandomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for RandomId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads a field that is an id. A text that is none, which another version may have, is no reason to lose the line.
pub(super) fn read_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RandomId>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.and_then(|text| RandomId::read(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_are_read_as_they_are_written() {
        let ids: std::collections::HashSet<RandomId> = (0..1_000).map(|_| RandomId::random()).collect();
        assert_eq!(ids.len(), 1_000);
        for id in ids.into_iter().chain([RandomId(0), RandomId(1), RandomId(u128::MAX)]) {
            let text = id.to_string();
            assert_eq!(text.as_bytes(), id.digits().as_flattened());
            assert_eq!(RandomId::read(&text), Some(id));
        }
    }

    #[test]
    fn what_is_written_otherwise_is_no_id() {
        let digits = "0123456789abcdef".repeat(2);
        assert!(RandomId::read(&digits).is_some());
        for other in [
            "",
            "0",
            &"0".repeat(31),
            &digits.to_uppercase(),
            &format!("{digits}0"),
            &digits.replace('0', "+"),
        ] {
            assert_eq!(RandomId::read(other), None, "{other}");
        }
    }
}
