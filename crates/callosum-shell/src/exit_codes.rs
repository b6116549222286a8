//! Exit codes, as a set.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Exit codes from 0 to 127, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExitCodes(u128);

impl ExitCodes {
    /// Whether the code is among them.
    #[must_use]
    pub fn contains(self, code: i64) -> bool {
        u32::try_from(code).is_ok_and(|code| self.0.checked_shr(code).is_some_and(|set| set & 1 == 1))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// The codes, rising.
    fn iter(self) -> impl Iterator<Item = u8> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let code = u8::try_from(left.trailing_zeros()).ok().filter(|_| left != 0)?;
            left &= left - 1;
            Some(code)
        })
    }
}

impl<T: TryInto<u8>> FromIterator<T> for ExitCodes {
    /// What is no exit code that a program can give is left out.
    fn from_iter<I: IntoIterator<Item = T>>(codes: I) -> Self {
        let codes = codes.into_iter().filter_map(|code| code.try_into().ok().filter(|code| *code < 128));
        Self(codes.fold(0, |set, code| set | 1 << code))
    }
}

impl Serialize for ExitCodes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for ExitCodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<u64>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(codes: &[u8]) -> ExitCodes {
        codes.iter().copied().collect()
    }

    #[test]
    fn exit_codes_are_a_list_in_json() {
        let list = serde_json::to_string(&codes(&[127, 1, 126, 0, 200])).unwrap_or_default();
        assert_eq!(list, "[0,1,126,127]");
        assert_eq!(serde_json::from_str(&list).ok(), Some(codes(&[0, 1, 126, 127])));
        assert_eq!(serde_json::from_str("[7,128,18446744073709551615]").ok(), Some(codes(&[7])));
    }
}
