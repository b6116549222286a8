//! What an address says of a request. An address has only texts; each is taken for what the request's schema wants there.

use std::collections::HashMap;

use schemars::Schema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

use super::refusal::Refusal;

/// Makes the schema of a request.
pub(crate) type Request = fn(&mut SchemaGenerator) -> Schema;

/// Fields that are no texts.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    numbers: Vec<String>,
    flags: Vec<String>,
}

impl Fields {
    /// Those of a request.
    pub(crate) fn of(request: Option<Request>) -> Self {
        let mut types = SchemaSettings::draft2020_12().into_generator();
        let schema = request.map_or_else(Schema::default, |request| request(&mut types));
        let of_type = |wanted: &str| {
            let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
            let is_it = |field: &Value| match field.get("type") {
                Some(Value::String(only)) => only == wanted,
                // What may also be a text is left one.
                Some(Value::Array(several)) => {
                    several.iter().any(|one| one == wanted) && several.iter().all(|one| one != "string")
                }
                _ => false,
            };
            fields.filter(|(_, field)| is_it(field)).map(|(name, _)| name.clone()).collect()
        };
        Self { numbers: of_type("integer"), flags: of_type("boolean") }
    }

    /// The request that an address tells field by field.
    pub(crate) fn read(&self, asked: HashMap<String, String>) -> Result<Map<String, Value>, Refusal> {
        let typed = |(name, text): (String, String)| {
            let value = if self.numbers.contains(&name) {
                let number = text.parse::<i64>();
                number.map(Value::from).map_err(|_| Refusal::field(&name, "expected a whole number"))?
            } else if self.flags.contains(&name) {
                let flag = text.parse::<bool>();
                flag.map(Value::from).map_err(|_| Refusal::field(&name, "expected `true` or `false`"))?
            } else {
                Value::from(text)
            };
            Ok((name, value))
        };
        asked.into_iter().map(typed).collect()
    }
}
