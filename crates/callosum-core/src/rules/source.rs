//! The text of `tiers.json` as JSON: objects whose members know where in the file they stand.
//!
//! Members are read one by one from borrowed slices of the text instead of by derived deserializers: only so
//! does every error, be it of syntax or of meaning, know its line and column in the whole file.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::RuleError;
use crate::model::text::{nearest, one_line};

/// A value and the byte of the file at which it stands.
#[derive(Clone, Debug)]
pub(super) struct At<T> {
    pub(super) at: usize,
    pub(super) value: T,
}

/// The whole text, for the positions of what is wrong in it.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    text: &'a str,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text }
    }

    /// The text that should be JSON: without the byte order mark that some editors put before it.
    pub(super) fn json(&self) -> &'a str {
        self.text.strip_prefix('\u{feff}').unwrap_or(self.text)
    }

    /// An error at a byte of the text.
    pub(super) fn error(&self, at: usize, rule: Option<&str>, message: impl Into<String>) -> RuleError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        RuleError {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            rule: rule.map(|name| one_line(name, 80)),
            message: message.into(),
        }
    }

    /// The byte at which a slice of the text begins.
    pub(super) fn offset(&self, slice: &str) -> usize {
        (slice.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize).min(self.text.len())
    }

    /// Reads `slice`, a part of the text, as a `T`.
    pub(super) fn read<T: Deserialize<'a>>(
        &self,
        slice: &'a str,
        rule: Option<&str>,
    ) -> Result<T, RuleError> {
        serde_json::from_str(slice).map_err(|error| {
            // A value of the wrong kind is shown where it begins, broken syntax where it breaks.
            let within = if error.is_data() { 0 } else { byte_at(slice, error.line(), error.column()) };
            let at = self.offset(slice) + within;
            // serde_json puts its own position, within the slice, behind its message.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or(&message);
            self.error(at, rule, one_line(message, 300))
        })
    }
}

/// The byte at which a line and column of serde_json stand (both from 1, columns in bytes).
fn byte_at(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}

/// The members of a JSON object that are still to be read.
pub(super) struct Fields<'a, 'n> {
    pub(super) source: Source<'a>,
    /// The byte at which the object stands.
    pub(super) at: usize,
    pub(super) rule: Option<&'n str>,
    members: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a, 'n> Fields<'a, 'n> {
    /// The members of the object `text`, all of them known and none twice.
    pub(super) fn read(
        source: Source<'a>,
        text: &'a str,
        known: &[&str],
        rule: Option<&'n str>,
    ) -> Result<Self, RuleError> {
        let members = source.read(text, rule)?;
        Self::of(source, text, members, known, rule)
    }

    /// Of the members of the object `text`.
    pub(super) fn of(
        source: Source<'a>,
        text: &'a str,
        Members(members): Members<'a>,
        known: &[&str],
        rule: Option<&'n str>,
    ) -> Result<Self, RuleError> {
        for (index, (key, raw)) in members.iter().enumerate() {
            let at = match key {
                // The quotation mark before the key.
                Cow::Borrowed(key) => source.offset(key).saturating_sub(1),
                Cow::Owned(_) => source.offset(raw.get()),
            };
            if !known.contains(&key.as_ref()) {
                let message = format!("unknown field `{}`: {}", one_line(key, 60), hint(key, known));
                return Err(source.error(at, rule, message));
            }
            if members.iter().take(index).any(|(earlier, _)| earlier == key) {
                return Err(source.error(at, rule, format!("field `{key}` appears twice: keep one")));
            }
        }
        Ok(Self { source, at: source.offset(text), rule, members })
    }

    /// Takes a field's text out. A null is a field that is absent.
    pub(super) fn take_raw(&mut self, name: &str) -> Option<&'a str> {
        let index = self.members.iter().position(|(key, _)| key == name)?;
        Some(self.members.swap_remove(index).1.get()).filter(|raw| *raw != "null")
    }

    /// Reads a field and takes it out.
    pub(super) fn optional<T: Deserialize<'a>>(&mut self, name: &str) -> Result<Option<At<T>>, RuleError> {
        let Some(raw) = self.take_raw(name) else { return Ok(None) };
        let value = self
            .source
            .read(raw, self.rule)
            .map_err(|error| RuleError { message: format!("`{name}`: {}", error.message), ..error })?;
        Ok(Some(At { at: self.source.offset(raw), value }))
    }

    /// Reads a field that has one of a few names and takes it out.
    pub(super) fn choice<T: Copy>(
        &mut self,
        name: &str,
        known: &[(&str, T)],
    ) -> Result<Option<T>, RuleError> {
        Ok(self.choice_at(name, known)?.map(|choice| choice.value))
    }

    /// The same, with where it stands.
    pub(super) fn choice_at<T: Copy>(
        &mut self,
        name: &str,
        known: &[(&str, T)],
    ) -> Result<Option<At<T>>, RuleError> {
        let Some(At { at, value }) = self.optional::<String>(name)? else { return Ok(None) };
        if let Some((_, choice)) = known.iter().find(|(known, _)| *known == value) {
            return Ok(Some(At { at, value: *choice }));
        }
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let message = format!("`{name}`: unknown value `{}`: {}", one_line(&value, 60), hint(&value, &names));
        Err(self.source.error(at, self.rule, message))
    }

    /// Reads a field that must be there and takes it out; `what` tells what it should be.
    pub(super) fn required<T: Deserialize<'a>>(
        &mut self,
        name: &str,
        what: &str,
    ) -> Result<At<T>, RuleError> {
        let at = self.at;
        self.optional(name)?
            .ok_or_else(|| self.source.error(at, self.rule, format!("`{name}` is missing: {what}")))
    }
}

/// What was probably meant instead of an unknown name, else all that are known.
fn hint(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("expected one of {}", known.join(", ")),
    }
}

/// The members of an object in their order, values unread.
pub(super) struct Members<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object in braces")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(Key(key)) = map.next_key()? {
                    members.push((key, map.next_value()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

/// A key, borrowed from the text where it holds no escapes: only then it can say where it stands.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a field's name")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}
