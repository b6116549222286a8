//! `tiers.json` as it is written: fields and where they stand, not yet what they mean.
//!
//! Fields are read one by one from borrowed slices of the text instead of by derived deserializers: only so
//! does every error, be it of syntax or of meaning, know its line and column in the whole file.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Mode, RuleError, Scope};
use crate::text::one_line;
use crate::tier::Tier;

/// The fields of the whole file.
pub(super) const FILE_FIELDS: &[&str] = &["$schema", "$comment", "extends", "rules"];

/// The fields of a rule.
pub(super) const RULE_FIELDS: &[&str] = &[
    "$comment",
    "name",
    "tier",
    "tool",
    "params",
    "commandPattern",
    "contextKey",
    "recentWindowMs",
    "lockExpiryMs",
    "scope",
    "mode",
    "agent",
    "session",
    "runtime",
];

/// The file: its rules in order.
#[derive(Debug)]
pub(super) struct RulesFile {
    /// Whether the shipped rules follow.
    pub(super) extends_default: bool,
    pub(super) rules: Vec<RuleFormat>,
}

/// A value and the byte of the file at which it stands.
#[derive(Debug)]
pub(super) struct At<T> {
    pub(super) at: usize,
    pub(super) value: T,
}

/// A rule as it is written.
#[derive(Debug)]
pub(super) struct RuleFormat {
    pub(super) name: At<String>,
    pub(super) tier: Tier,
    pub(super) tool: Texts,
    pub(super) params: Vec<ParamFormat>,
    pub(super) command_pattern: Option<At<String>>,
    pub(super) context_key: Option<At<Texts>>,
    pub(super) recent_window_ms: Option<u64>,
    pub(super) lock_expiry_ms: Option<u64>,
    pub(super) scope: Scope,
    pub(super) mode: Option<Mode>,
    pub(super) agent: Option<Texts>,
    pub(super) session: Option<Texts>,
    pub(super) runtime: Option<Texts>,
}

/// A parameter's dotted path and the values it may have.
#[derive(Debug)]
pub(super) struct ParamFormat {
    pub(super) path: String,
    pub(super) values: Vec<Value>,
}

/// One text or a list of them.
#[derive(Debug)]
pub(super) struct Texts(pub(super) Vec<String>);

/// The whole text, for the positions of what is wrong in it.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    text: &'a str,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text }
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
    fn offset(&self, slice: &str) -> usize {
        (slice.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize).min(self.text.len())
    }

    /// Reads `slice`, a part of the text, as a `T`.
    fn read<T: Deserialize<'a>>(&self, slice: &'a str, rule: Option<&str>) -> Result<T, RuleError> {
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

    /// Reads the whole file.
    pub(super) fn file(&self) -> Result<RulesFile, RuleError> {
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(self.text);
        let mut fields = Fields::read(*self, text, FILE_FIELDS, None)?;
        let extends_default = match fields.take_raw("extends") {
            None => false,
            Some(raw) if self.read::<String>(raw, None).is_ok_and(|name| name == "default") => true,
            Some(raw) => {
                let message = "`extends` can only be \"default\", which puts the shipped rules after these";
                return Err(self.error(self.offset(raw), None, message));
            }
        };
        let Some(rules) = fields.take_raw("rules") else {
            return Err(self.error(
                fields.at,
                None,
                "`rules` is missing: a list of rules, the first that matches wins",
            ));
        };
        let rules: Vec<&RawValue> = self.read(rules, None)?;
        Ok(RulesFile {
            extends_default,
            rules: rules.into_iter().map(|rule| self.rule(rule.get())).collect::<Result<_, _>>()?,
        })
    }

    fn rule(&self, text: &'a str) -> Result<RuleFormat, RuleError> {
        // The name first, so that what else is wrong can be told by it.
        let name = serde_json::from_str::<Members<'a>>(text).ok().and_then(|members| {
            let (_, raw) = members.0.into_iter().find(|(key, _)| key == "name")?;
            serde_json::from_str::<String>(raw.get()).ok()
        });
        let mut fields = Fields::read(*self, text, RULE_FIELDS, name.as_deref())?;
        let params = match fields.take_raw("params") {
            Some(raw) => fields.params(raw)?,
            None => Vec::new(),
        };
        Ok(RuleFormat {
            name: fields.name()?,
            tier: fields.required("tier", "a number from 0 to 4")?.value,
            tool: fields.required("tool", "a tool's name, a list of names, or \"*\" for every tool")?.value,
            params,
            command_pattern: fields.optional("commandPattern")?,
            context_key: fields.optional("contextKey")?,
            recent_window_ms: fields.optional::<Millis>("recentWindowMs")?.map(|ms| ms.value.0),
            lock_expiry_ms: fields.optional::<Millis>("lockExpiryMs")?.map(|ms| ms.value.0),
            scope: fields.optional("scope")?.map_or(Scope::Any, |scope| scope.value),
            mode: fields.optional("mode")?.map(|mode| mode.value),
            agent: fields.optional("agent")?.map(|texts| texts.value),
            session: fields.optional("session")?.map(|texts| texts.value),
            runtime: fields.optional("runtime")?.map(|texts| texts.value),
        })
    }
}

/// The byte at which a line and column of serde_json stand (both from 1, columns in bytes).
fn byte_at(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}

/// The members of a JSON object that are still to be read.
struct Fields<'a, 'n> {
    source: Source<'a>,
    at: usize,
    rule: Option<&'n str>,
    members: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a, 'n> Fields<'a, 'n> {
    /// The members of the object `text`, all of them known and none twice.
    fn read(
        source: Source<'a>,
        text: &'a str,
        known: &[&str],
        rule: Option<&'n str>,
    ) -> Result<Self, RuleError> {
        let members = source.read::<Members<'a>>(text, rule)?.0;
        for (index, (key, raw)) in members.iter().enumerate() {
            let at = match key {
                // The quotation mark before the key.
                Cow::Borrowed(key) => source.offset(key).saturating_sub(1),
                Cow::Owned(_) => source.offset(raw.get()),
            };
            if !known.contains(&key.as_ref()) {
                let hint = match nearest(key, known) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => format!("known are {}", known.join(", ")),
                };
                return Err(source.error(at, rule, format!("unknown field `{}`: {hint}", one_line(key, 60))));
            }
            if members.iter().take(index).any(|(earlier, _)| earlier == key) {
                return Err(source.error(at, rule, format!("field `{key}` stands here twice: keep one")));
            }
        }
        Ok(Self { source, at: source.offset(text), rule, members })
    }

    /// Takes a field's text out. A null is a field that is absent.
    fn take_raw(&mut self, name: &str) -> Option<&'a str> {
        let index = self.members.iter().position(|(key, _)| key == name)?;
        Some(self.members.swap_remove(index).1.get()).filter(|raw| *raw != "null")
    }

    fn optional<T: Deserialize<'a>>(&mut self, name: &str) -> Result<Option<At<T>>, RuleError> {
        let Some(raw) = self.take_raw(name) else { return Ok(None) };
        let value = self
            .source
            .read(raw, self.rule)
            .map_err(|error| RuleError { message: format!("`{name}`: {}", error.message), ..error })?;
        Ok(Some(At { at: self.source.offset(raw), value }))
    }

    fn required<T: Deserialize<'a>>(&mut self, name: &str, what: &str) -> Result<At<T>, RuleError> {
        let at = self.at;
        self.optional(name)?
            .ok_or_else(|| self.source.error(at, self.rule, format!("`{name}` is missing: {what}")))
    }

    fn name(&mut self) -> Result<At<String>, RuleError> {
        let name: At<String> = self.required("name", "a short name, which the journal shows")?;
        if name.value.trim().is_empty() {
            return Err(self.source.error(name.at, None, "`name` is empty: give the rule a name"));
        }
        Ok(name)
    }

    fn params(&self, text: &'a str) -> Result<Vec<ParamFormat>, RuleError> {
        let members = self.source.read::<Members<'a>>(text, self.rule)?.0;
        let param = |(path, raw): (Cow<'a, str>, &'a RawValue)| {
            let value: Value = self.source.read(raw.get(), self.rule)?;
            let values = if let Value::Array(values) = value { values } else { vec![value] };
            if !values.is_empty() && values.iter().all(|value| value.is_string() || value.is_number() || value.is_boolean()) {
                return Ok(ParamFormat { path: path.into_owned(), values });
            }
            let message = format!(
                "`params.{}` must be a text, a number, true or false, or a list of them; for a value inside \
                 another write its path, like `job.name`",
                one_line(&path, 60)
            );
            Err(self.source.error(self.source.offset(raw.get()), self.rule, message))
        };
        members.into_iter().map(param).collect()
    }
}

/// The known name that was probably meant: at most a third of its letters apart.
pub(super) fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let name = name.get(..40).unwrap_or(name).to_ascii_lowercase();
    known
        .iter()
        .map(|known| (edits(&name, &known.to_ascii_lowercase()), *known))
        .filter(|(edits, known)| *edits <= known.len().div_ceil(3))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, known)| known)
}

/// How many single letters must change to make one text of the other.
fn edits(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (line, a) in one.chars().enumerate() {
        let mut diagonal = line;
        let mut left = line + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, b) in row.iter_mut().skip(1).zip(other.chars()) {
            let best = (diagonal + usize::from(a != b)).min(left + 1).min(*cell + 1);
            diagonal = *cell;
            *cell = best;
            left = best;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// The members of an object in their order, values unread.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

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

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextsVisitor;
        impl<'de> Visitor<'de> for TextsVisitor {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of texts, not an empty one")
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Texts(vec![text.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = seq.next_element()? {
                    texts.push(text);
                }
                if texts.is_empty() {
                    return Err(serde::de::Error::invalid_length(0, &self));
                }
                Ok(Texts(texts))
            }
        }
        deserializer.deserialize_any(TextsVisitor)
    }
}

/// Whole milliseconds; `8.64e7` is a way to write them.
struct Millis(u64);

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MillisVisitor;
        impl Visitor<'_> for MillisVisitor {
            type Value = Millis;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("milliseconds, a whole number from 0")
            }

            fn visit_u64<E>(self, ms: u64) -> Result<Self::Value, E> {
                Ok(Millis(ms))
            }

            fn visit_f64<E: serde::de::Error>(self, ms: f64) -> Result<Self::Value, E> {
                if ms >= 0.0 && ms.fract() == 0.0 {
                    // Larger than any window of use: `as` then gives the largest there is.
                    return Ok(Millis(ms as u64));
                }
                Err(E::invalid_value(serde::de::Unexpected::Float(ms), &self))
            }
        }
        deserializer.deserialize_any(MillisVisitor)
    }
}
