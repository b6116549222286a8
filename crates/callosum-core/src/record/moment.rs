//! Times and boots as the journal's lines write them.

use serde::{Deserialize, Deserializer, Serializer};

use crate::model::time::{FIRST_MS, LAST_MS, Rfc3339, from_rfc3339};

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
pub(super) fn write_moment<S: Serializer>(wall_ms: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(Rfc3339::of(*wall_ms).as_str())
}

#[expect(clippy::ref_option, reason = "serde's signature")]
pub(super) fn write_optional_moment<S: Serializer>(
    wall_ms: &Option<i64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match wall_ms {
        Some(wall_ms) => write_moment(wall_ms, serializer),
        None => serializer.serialize_none(),
    }
}

/// RFC 3339 text, or milliseconds as a number (other writers of the original's format did so).
#[derive(Deserialize)]
#[serde(untagged)]
enum Moment {
    Text(String),
    Millis(i64),
}

impl Moment {
    /// A time that can't be written as it is read is none: beyond the years 0 to 9999 there is no RFC 3339.
    fn wall_ms<E: serde::de::Error>(self) -> Result<i64, E> {
        let wall_ms = match self {
            Self::Millis(wall_ms) => Some(wall_ms),
            Self::Text(text) => from_rfc3339(&text),
        };
        let wall_ms = wall_ms.filter(|wall_ms| (FIRST_MS..=LAST_MS).contains(wall_ms));
        wall_ms.ok_or_else(|| E::custom("not an RFC 3339 time"))
    }
}

pub(super) fn read_moment<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    Moment::deserialize(deserializer)?.wall_ms()
}

pub(super) fn read_optional_moment<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<i64>, D::Error> {
    Option::<Moment>::deserialize(deserializer)?.map(Moment::wall_ms).transpose()
}

#[expect(clippy::ref_option, reason = "serde's signature")]
pub(super) fn write_boot<S: Serializer>(boot: &Option<u32>, serializer: S) -> Result<S::Ok, S::Error> {
    match boot {
        Some(boot) => serializer.collect_str(&format_args!("{boot:08x}")),
        None => serializer.serialize_none(),
    }
}

pub(super) fn read_boot<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.and_then(|text| u32::from_str_radix(&text, 16).ok()))
}
