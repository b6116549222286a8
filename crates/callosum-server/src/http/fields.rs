//! The fields of a request, by its schema: what each may be, told in words where it is not. An address has only texts; each is taken for
//! what the schema wants there.

use std::collections::HashMap;

use callosum_core::model::text::one_line;
use callosum_core::query::QueryError;
use schemars::Schema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

use super::address::SHOWN;
use super::refusal::Refusal;

/// Makes the schema of a request.
pub(crate) type Request = fn(&mut SchemaGenerator) -> Schema;

/// The fields of a request.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// By their names.
    all: Map<String, Value>,
    required: Vec<String>,
}

impl Fields {
    /// Those of a request.
    pub(crate) fn of(request: Option<Request>) -> Self {
        let mut types = SchemaSettings::draft2020_12().into_generator();
        let schema = request.map_or_else(Schema::default, |request| request(&mut types));
        let all = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        Self { all, required: required.filter_map(Value::as_str).map(str::to_owned).collect() }
    }

    /// The request that an address tells field by field.
    pub(crate) fn read(&self, asked: HashMap<String, String>) -> Result<Map<String, Value>, Refusal> {
        let typed = |(name, text): (String, String)| {
            let Some(field) = self.all.get(&name) else { return Ok((name, Value::from(text))) };
            let is_a = |kind: &str| types(field).any(|known| known == kind);
            let value = if is_a("string") {
                // What may also be a text is left one.
                Some(Value::from(text))
            } else if is_a("integer") {
                let number = text.parse::<i64>().map(Value::from);
                number.or_else(|_| text.parse::<u64>().map(Value::from)).ok()
            } else if is_a("boolean") {
                text.parse::<bool>().ok().map(Value::from)
            } else {
                return Err(Refusal::field(
                    &name,
                    format!("expected {}, which only `q` can tell", in_words(field)),
                ));
            };
            let value = value.ok_or_else(|| wrong(&name, field))?;
            Ok((name, value))
        };
        asked.into_iter().map(typed).collect()
    }

    /// Checks that a request has these fields, and no others.
    pub(crate) fn check(&self, request: &Map<String, Value>) -> Result<(), Refusal> {
        for (name, value) in request {
            let field = self.all.get(name).ok_or_else(|| {
                let known: Vec<String> = self.all.keys().map(|name| format!("`{name}`")).collect();
                let message = format!("there is no such field; expected {}", known.join(", "));
                Refusal::field(&one_line(name, SHOWN), message)
            })?;
            if !allows(field, value) {
                return Err(wrong(name, field));
            }
        }
        match self.required.iter().find(|name| !request.contains_key(*name)) {
            None => Ok(()),
            Some(name) => {
                let field = self.all.get(name).map_or_else(String::new, in_words);
                Err(Refusal::field(name, format!("it is missing; expected {field}")))
            }
        }
    }

    /// Why a question has no answer. Where its fields contradict each other, its message names the one that is to be changed.
    pub(crate) fn refusal(&self, error: QueryError) -> Refusal {
        let is_wrong = error.code == "bad-request";
        let named = error.message.split('`').skip(1).step_by(2).find(|name| self.all.contains_key(*name));
        let path = named.filter(|_| is_wrong).map(str::to_owned);
        Refusal::from(error).at(path)
    }
}

/// A field is not what it may be.
fn wrong(name: &str, field: &Value) -> Refusal {
    Refusal::field(name, format!("expected {}", in_words(field)))
}

/// The types that a field may have.
fn types(field: &Value) -> impl Iterator<Item = &str> {
    let kinds = field.get("type").unwrap_or(&Value::Null);
    let several = kinds.as_array().map(Vec::as_slice).unwrap_or_default();
    kinds.as_str().into_iter().chain(several.iter().filter_map(Value::as_str))
}

/// A number that a field's schema has.
fn bound(field: &Value, name: &str) -> Option<i128> {
    let bound = field.get(name)?;
    bound.as_i64().map(i128::from).or_else(|| bound.as_u64().map(i128::from))
}

/// Whether a field may be this.
fn allows(field: &Value, value: &Value) -> bool {
    let is_signed =
        || !field.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with('u'));
    let mut kinds = types(field).peekable();
    // What has no type that we know is for serde to say.
    kinds.peek().is_none()
        || kinds.any(|kind| match (kind, value) {
            ("null", Value::Null) | ("boolean", Value::Bool(_)) | ("object", Value::Object(_)) => true,
            ("integer", Value::Number(number)) => {
                let whole = number.as_i64().map(i128::from);
                let whole = whole.or_else(|| number.as_u64().filter(|_| !is_signed()).map(i128::from));
                whole.is_some_and(|whole| {
                    bound(field, "minimum").is_none_or(|least| least <= whole)
                        && bound(field, "maximum").is_none_or(|most| whole <= most)
                })
            }
            ("string", Value::String(text)) => bound(field, "maxLength")
                .and_then(|most| usize::try_from(most).ok())
                .is_none_or(|most| text.chars().count() <= most),
            ("array", Value::Array(items)) => {
                field.get("items").is_none_or(|of| items.iter().all(|item| allows(of, item)))
            }
            _ => false,
        })
}

/// What a field may be.
fn in_words(field: &Value) -> String {
    let words = |kind: &str| match kind {
        "integer" => Some(match (bound(field, "minimum"), bound(field, "maximum")) {
            (None, None) => "a whole number".to_owned(),
            (Some(least), None) => format!("a whole number of at least {least}"),
            (None, Some(most)) => format!("a whole number of at most {most}"),
            (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
        }),
        "boolean" => Some("`true` or `false`".to_owned()),
        "string" => {
            let example = field.get("examples").and_then(|examples| examples.get(0)).and_then(Value::as_str);
            Some(match (example, bound(field, "maxLength")) {
                (Some(example), _) => format!("a text such as `{example}`"),
                (None, Some(most)) => format!("a text of at most {most} characters"),
                (None, None) => "a text".to_owned(),
            })
        }
        "object" => Some("an object".to_owned()),
        "array" => Some("a list of texts".to_owned()),
        // Whoever wants to say nothing leaves it out.
        _ => None,
    };
    types(field).filter_map(words).collect::<Vec<_>>().join(", or ")
}
