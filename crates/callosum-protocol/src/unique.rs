//! Fields that are there twice.

use std::borrow::Cow;
use std::fmt::{self, Formatter};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The path of a field that is there more than once, in whatever object.
///
/// # Errors
/// When that can't be told of all of it: it is no JSON, too deep, or has a number that is too large.
pub(crate) fn repeated(bytes: &[u8]) -> Result<Option<String>, serde_json::Error> {
    let (mut names, mut found) = (Vec::with_capacity(16), None);
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = Objects { names: &mut names, found: &mut found }.deserialize(&mut reader);
    // The search ends where it has found one.
    if found.is_some() { Ok(found) } else { read.map(|()| None) }
}

/// The path of what was found, seen from outside of the place where it is.
fn within(place: &str, path: &str) -> String {
    let joint = if path.starts_with('[') { "" } else { "." };
    format!("{place}{joint}{path}")
}

/// Looks through a value.
struct Objects<'a, 'de> {
    /// The names of the fields of all objects that are open, the innermost last: one list for all.
    names: &'a mut Vec<Cow<'de, str>>,
    /// The path of a field that is there twice, from here on.
    found: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Objects<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Objects<'_, 'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Self { names, found } = self;
        let mut at = 0_usize;
        loop {
            match items.next_element_seed(Objects { names: &mut *names, found: &mut *found }) {
                Ok(Some(())) => at += 1,
                Ok(None) => return Ok(()),
                Err(error) => {
                    *found = found.take().map(|path| within(&format!("[{at}]"), &path));
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let Self { names, found } = self;
        let begin = names.len();
        while let Some(Name(name)) = fields.next_key()? {
            let at = names.len();
            names.push(name);
            if let Err(error) = fields.next_value_seed(Objects { names: &mut *names, found: &mut *found }) {
                if let (Some(path), Some(name)) = (found, names.get(at)) {
                    *path = within(name, path);
                }
                return Err(error);
            }
        }
        let own = names.get_mut(begin..).unwrap_or_default();
        own.sort_unstable();
        let mut pairs = own.iter().zip(own.iter().skip(1));
        if let Some((name, _)) = pairs.find(|(name, next)| name == next) {
            *found = Some(name.clone().into_owned());
            return Err(A::Error::custom("a field is there twice"));
        }
        names.truncate(begin);
        Ok(())
    }
}

/// A field's name, as it stands where that is possible.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
