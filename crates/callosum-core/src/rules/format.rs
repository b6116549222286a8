//! `tiers.json` as it is written: its fields, not yet what they mean.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::limits::{self, MAX_RULES, MAX_TEXT};
use super::source::{At, Fields, Members, Source};
use super::{MAX_COUNT, Per, RateLimit, Reach, RuleError, Scope};
use crate::model::on_conflict::OnConflict;
use crate::model::settings::Mode;
use crate::model::text::one_line;
use crate::model::tier::Tier;
use crate::model::time::YEAR_MS;
use callosum_shell::command::GUARDED;

/// The fields of the whole file.
pub(super) const FILE_FIELDS: &[&str] = &["$schema", "$comment", "extends", "mode", "rules"];

/// The fields of a rule.
pub(super) const RULE_FIELDS: &[&str] = &[
    "$comment",
    "name",
    "tier",
    "tool",
    "toolWords",
    "unlessWords",
    "params",
    "commandPattern",
    "command",
    "unlessFlag",
    "http",
    "contextKey",
    "formerKeys",
    "recentWindowMs",
    "lockExpiryMs",
    "scope",
    "onConflict",
    "limit",
    "reach",
    "mode",
    "journalParams",
    "agent",
    "session",
    "runtime",
];

/// The values of `scope`.
const SCOPES: &[(&str, Scope)] = &[("any", Scope::Any), ("otherSessions", Scope::OtherSessions)];

/// The values of `per`.
const PERS: &[(&str, Per)] = &[("session", Per::Session), ("key", Per::Key), ("rule", Per::Rule)];

/// The values of `reach`.
const REACHES: &[(&str, Reach)] = &[("home", Reach::Home), ("machine", Reach::Machine)];

/// Stands in `params` for the files that a call writes, of which one must be what its value stands for: `{guarded}`.
pub(super) const FILE_PATH: &str = "{filePath}";

/// Stands in `params` for the SQL that a call is given, which must write: `{writes}`.
pub(super) const SQL: &str = "{sql}";
/// See [`SQL`].
const WRITES: &str = "{writes}";
/// Stands in `params` for what a tool acts on: what the call names by an id, `{id}`, a file that it names so or by the bucket that keeps
/// it, `{stored}`, or nothing of this machine, `{elsewhere}`.
pub(super) const TARGET: &str = "{target}";
/// See [`TARGET`].
const ID: &str = "{id}";
/// See [`TARGET`].
pub(super) const STORED: &str = "{stored}";
/// See [`TARGET`].
pub(super) const ELSEWHERE: &str = "{elsewhere}";

/// The values of `mode`.
const MODES: &[(&str, Mode)] = &[("enforce", Mode::Enforce), ("observe", Mode::Observe)];

/// The file: its rules in order, each still to be read, so that a mistake in one hides none in another.
pub(super) struct WrittenRules<'a> {
    /// Whether the shipped rules follow.
    pub(super) extends_default: bool,
    /// Whether all calls are only observed, whatever a rule says.
    pub(super) observes: bool,
    /// The text of each rule.
    pub(super) rules: Vec<&'a RawValue>,
}

/// A rule as it is written.
#[derive(Clone, Debug)]
pub(super) struct RuleFormat {
    pub(super) name: At<String>,
    pub(super) tier: At<Tier>,
    /// Empty where `toolWords` alone says for which tools it is.
    pub(super) tool: At<Texts>,
    pub(super) tool_words: Option<At<Vec<Texts>>>,
    pub(super) unless_words: Option<At<Texts>>,
    pub(super) params: Vec<ParamFormat>,
    pub(super) command_pattern: Option<At<String>>,
    pub(super) command: Option<At<Texts>>,
    pub(super) unless_flag: Option<At<Texts>>,
    pub(super) http: Option<At<HttpFormat>>,
    pub(super) context_key: Option<At<Texts>>,
    pub(super) former_keys: Option<At<Texts>>,
    pub(super) recent_window_ms: Option<u64>,
    pub(super) lease_ms: Option<u64>,
    pub(super) scope: Scope,
    pub(super) on_conflict: Option<At<OnConflict>>,
    pub(super) limit: Option<At<RateLimit>>,
    pub(super) reach: Option<Reach>,
    pub(super) mode: Option<Mode>,
    pub(super) journal_params: bool,
    pub(super) agent: Option<Texts>,
    pub(super) session: Option<Texts>,
    pub(super) runtime: Option<Texts>,
    /// `$comment`, where it is a text.
    pub(super) comment: Option<String>,
}

/// A parameter's dotted path and the values it may have.
#[derive(Clone, Debug)]
pub(super) struct ParamFormat {
    pub(super) path: String,
    pub(super) values: Vec<Value>,
}

/// What an HTTP request must be like.
#[derive(Clone, Debug)]
pub(super) struct HttpFormat {
    pub(super) method: Option<Texts>,
    pub(super) host: Option<Texts>,
    pub(super) path: Option<Texts>,
    /// Fields of the body, by their dotted paths.
    pub(super) body: BTreeMap<String, Texts>,
}

/// The fields of `http`.
pub(super) const HTTP_FIELDS: &[&str] = &["method", "host", "path", "body"];

/// The fields of `limit`.
pub(super) const LIMIT_FIELDS: &[&str] = &["count", "windowMs", "per"];

/// One text or a list of them.
#[derive(Clone, Debug)]
pub(super) struct Texts(pub(super) Vec<String>);

impl<'a> WrittenRules<'a> {
    /// Reads the file as far as its rules.
    pub(super) fn read(source: Source<'a>) -> Result<Self, RuleError> {
        let mut fields = Fields::read(source, source.json(), FILE_FIELDS, None)?;
        let extends_default = match fields.take_raw("extends") {
            None => false,
            Some(raw) if source.read::<String>(raw, None).is_ok_and(|name| name == "default") => true,
            Some(raw) => {
                let message = "`extends` can only be \"default\", which puts the shipped rules after these";
                return Err(source.error(source.offset(raw), None, message));
            }
        };
        let observes = fields.choice("mode", MODES)? == Some(Mode::Observe);
        let Some(rules) = fields.take_raw("rules") else {
            let message =
                "`rules` is missing: it is a list of rules, of which the first that matches decides";
            return Err(source.error(fields.at, None, message));
        };
        let at = source.offset(rules);
        let rules: Vec<&RawValue> = source.read(rules, None)?;
        if rules.len() > MAX_RULES {
            let message = format!(
                "`rules` has more than {MAX_RULES} rules: one rule may have lists of tools, commands and values"
            );
            return Err(source.error(at, None, message));
        }
        Ok(Self { extends_default, observes, rules })
    }
}

impl RuleFormat {
    /// Reads one rule.
    pub(super) fn read<'a>(source: Source<'a>, text: &'a str) -> Result<Self, RuleError> {
        // The name first, so that what else is wrong can be told by it.
        let members: Members<'a> = source.read(text, None)?;
        let name = members.0.iter().find(|(key, _)| key == "name");
        let name = name.and_then(|(_, raw)| source.read::<String>(raw.get(), None).ok());
        let mut fields = Fields::of(source, text, members, RULE_FIELDS, name.as_deref())?;
        let params = match fields.take_raw("params") {
            Some(raw) => params(&fields, raw)?,
            None => Vec::new(),
        };
        let http = match fields.take_raw("http") {
            Some(raw) => {
                Some(At { at: source.offset(raw), value: HttpFormat::read(source, raw, name.as_deref())? })
            }
            None => None,
        };
        let limit = match fields.take_raw("limit") {
            Some(raw) => Some(At { at: source.offset(raw), value: limit(source, raw, name.as_deref())? }),
            None => None,
        };
        let name: At<String> = fields.required("name", "a short name, which the journal shows")?;
        if let Some(message) = limits::wrong_name(&name.value) {
            return Err(source.error(
                name.at,
                Some(&name.value).filter(|name| !name.trim().is_empty()).map(String::as_str),
                message,
            ));
        }
        let texts = |field: Option<At<Texts>>| field.map(|texts| texts.value);
        let tier = fields.required("tier", "a number from 0 to 4")?;
        let tool_words: Option<At<Vec<Texts>>> = fields.optional("toolWords")?;
        let tool = match &tool_words {
            Some(words) if words.value.is_empty() => {
                let message = "`toolWords` is empty: name the words of a tool's name, such as [[\"send\", \"reply\"], [\"mail\", \"email\"]]";
                return Err(source.error(words.at, Some(&name.value), message));
            }
            Some(words) => {
                let tool = fields.optional("tool")?;
                tool.unwrap_or_else(|| At { at: words.at, value: Texts(Vec::new()) })
            }
            None => fields.required(
                "tool",
                "a tool's name, a list of names, or \"*\" for every tool; or `toolWords`",
            )?,
        };
        Ok(Self {
            name,
            tier,
            tool,
            tool_words,
            unless_words: fields.optional("unlessWords")?,
            params,
            command_pattern: fields.optional("commandPattern")?,
            command: fields.optional("command")?,
            unless_flag: fields.optional("unlessFlag")?,
            http,
            context_key: fields.optional("contextKey")?,
            former_keys: fields.optional("formerKeys")?,
            recent_window_ms: fields.optional::<Millis>("recentWindowMs")?.map(|ms| ms.value.0),
            lease_ms: fields.optional::<Millis>("lockExpiryMs")?.map(|ms| ms.value.0),
            scope: fields.choice("scope", SCOPES)?.unwrap_or_default(),
            on_conflict: fields.choice_at("onConflict", OnConflict::NAMES)?,
            limit,
            reach: fields.choice("reach", REACHES)?,
            mode: fields.choice("mode", MODES)?,
            journal_params: fields.optional::<bool>("journalParams")?.is_none_or(|wanted| wanted.value),
            agent: texts(fields.optional("agent")?),
            session: texts(fields.optional("session")?),
            runtime: texts(fields.optional("runtime")?),
            comment: fields.take_raw("$comment").and_then(|raw| serde_json::from_str(raw).ok()),
        })
    }
}

impl HttpFormat {
    fn read<'a>(source: Source<'a>, text: &'a str, rule: Option<&str>) -> Result<Self, RuleError> {
        let mut fields = Fields::read(source, text, HTTP_FIELDS, rule)?;
        let texts = |field: Option<At<Texts>>| field.map(|texts| texts.value);
        Ok(Self {
            method: texts(fields.optional("method")?),
            host: texts(fields.optional("host")?),
            path: texts(fields.optional("path")?),
            body: fields.optional("body")?.map(|body| body.value).unwrap_or_default(),
        })
    }
}

/// How many calls a rule lets through.
fn limit<'a>(source: Source<'a>, text: &'a str, rule: Option<&str>) -> Result<RateLimit, RuleError> {
    let mut fields = Fields::read(source, text, LIMIT_FIELDS, rule)?;
    let within = |error: RuleError| RuleError { message: format!("`limit`: {}", error.message), ..error };
    let count: At<u64> =
        fields.required("count", "how many calls are let through, from 1 on").map_err(within)?;
    let count_of = |count: u64| u32::try_from(count).ok().filter(|count| (1..=MAX_COUNT).contains(count));
    let Some(count) = count_of(count.value) else {
        let message = format!("`limit`: `count` must be a whole number from 1 to {MAX_COUNT}");
        return Err(source.error(count.at, rule, message));
    };
    let window_ms = fields.required::<Millis>("windowMs", "within how many milliseconds").map_err(within)?;
    if window_ms.value.0 == 0 {
        let message =
            "`limit`: `windowMs` is 0, in which no call is counted: give it a length in milliseconds";
        return Err(source.error(window_ms.at, rule, message));
    }
    let Some(per) = fields.choice("per", PERS).map_err(within)? else {
        let message = "`limit`: `per` is missing: what is counted together, `session`, `key` or `rule`";
        return Err(source.error(fields.at, rule, message));
    };
    Ok(RateLimit { count, window_ms: window_ms.value.0, per })
}

/// The values that parameters must have.
fn params<'a>(fields: &Fields<'a, '_>, text: &'a str) -> Result<Vec<ParamFormat>, RuleError> {
    let (source, rule) = (fields.source, fields.rule);
    let param = |(path, raw): (Cow<'a, str>, &'a RawValue)| {
        let value: Value = source.read(raw.get(), rule)?;
        let values = if let Value::Array(values) = value { values } else { vec![value] };
        if path == FILE_PATH && values != [Value::from(GUARDED)] {
            let message = format!(
                "`params.{FILE_PATH}` can only be \"{GUARDED}\": Callosum's own state, and settings that hold its hooks"
            );
            return Err(source.error(source.offset(raw.get()), rule, message));
        }
        if path == SQL && values != [Value::from(WRITES)] {
            let message =
                format!("`params.{SQL}` can only be \"{WRITES}\": a statement that changes something");
            return Err(source.error(source.offset(raw.get()), rule, message));
        }
        if path == TARGET && ![ID, STORED, ELSEWHERE].iter().any(|one| values == [Value::from(*one)]) {
            let message = format!(
                "`params.{TARGET}` can only be \"{ID}\", a field that names a thing of a service by an id, \"{STORED}\", a file that \
                 a service keeps, or \"{ELSEWHERE}\", nothing of this machine"
            );
            return Err(source.error(source.offset(raw.get()), rule, message));
        }
        if !values.is_empty()
            && values.iter().all(|value| value.is_string() || value.is_number() || value.is_boolean())
        {
            return Ok(ParamFormat { path: path.into_owned(), values });
        }
        let message = format!(
            "`params.{}` must be a text, a number, true or false, or a list of them; for a value inside another \
             write its path, like `job.name`",
            one_line(&path, 60)
        );
        Err(source.error(source.offset(raw.get()), rule, message))
    };
    source.read::<Members<'a>>(text, rule)?.0.into_iter().map(param).collect()
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextsVisitor;
        impl<'de> Visitor<'de> for TextsVisitor {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a text of at most {MAX_TEXT} bytes, or a list of them that is not empty")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                fitting(text.to_owned(), &self).map(|text| Texts(vec![text]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = seq.next_element()? {
                    texts.push(fitting(text, &self)?);
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

/// The text, if it is not too long.
fn fitting<E: serde::de::Error>(text: String, expected: &dyn serde::de::Expected) -> Result<String, E> {
    if text.len() > MAX_TEXT { Err(E::invalid_length(text.len(), expected)) } else { Ok(text) }
}

/// Whole milliseconds; `8.64e7` is a way to write them.
struct Millis(u64);

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MillisVisitor;
        impl Visitor<'_> for MillisVisitor {
            type Value = Millis;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "milliseconds: a whole number from 0 to {YEAR_MS}, which is a year")
            }

            fn visit_u64<E: serde::de::Error>(self, ms: u64) -> Result<Self::Value, E> {
                if ms <= YEAR_MS {
                    return Ok(Millis(ms));
                }
                Err(E::invalid_value(serde::de::Unexpected::Unsigned(ms), &self))
            }

            fn visit_f64<E: serde::de::Error>(self, ms: f64) -> Result<Self::Value, E> {
                if ms >= 0.0 && ms.fract() == 0.0 && ms <= YEAR_MS as f64 {
                    return Ok(Millis(ms as u64));
                }
                Err(E::invalid_value(serde::de::Unexpected::Float(ms), &self))
            }
        }
        deserializer.deserialize_any(MillisVisitor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_schema_and_the_format_know_the_same_fields() {
        let schema: Value =
            serde_json::from_str(include_str!("../../../../tiers.schema.json")).unwrap_or_default();
        for (pointer, known) in [
            ("/properties", FILE_FIELDS),
            ("/$defs/rule/properties", RULE_FIELDS),
            ("/$defs/http/properties", HTTP_FIELDS),
            ("/$defs/limit/properties", LIMIT_FIELDS),
        ] {
            let fields = schema.pointer(pointer).and_then(Value::as_object);
            let fields: BTreeSet<&str> =
                fields.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            assert_eq!(fields, known.iter().copied().collect(), "{pointer}");
        }
        assert_eq!(schema.pointer("/$defs/rule/additionalProperties"), Some(&Value::Bool(false)));
    }
}
