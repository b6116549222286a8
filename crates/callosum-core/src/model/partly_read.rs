//! The parameters of a call of which not all could be read.

use std::borrow::Cow;
use std::cell::Cell;

use serde_json::Value;

use crate::model::tool_call::{AllParameters, Parameters};

/// Stands where something could not be read.
pub const NOT_READ: &str = "[not read]";

/// Whether all of a value could be read.
#[must_use]
pub fn is_read(value: &Value) -> bool {
    match value {
        Value::String(text) => text != NOT_READ,
        Value::Array(items) => items.iter().all(is_read),
        Value::Object(fields) => fields.iter().all(|(name, value)| name != NOT_READ && is_read(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

/// Parameters with [`NOT_READ`] in them. Whoever asks for what could not be read is told nothing, and that it asked is noted.
#[derive(Debug)]
pub struct PartlyRead {
    value: Value,
    /// What is not there may have been there.
    is_open: bool,
    asked_in_vain: Cell<bool>,
}

impl PartlyRead {
    /// Parameters as far as they could be read; `is_open`: more of them may have come.
    #[must_use]
    pub fn new(value: Value, is_open: bool) -> Self {
        Self { value, is_open, asked_in_vain: Cell::new(false) }
    }

    /// Whether somebody asked for what could not be read.
    #[must_use]
    pub fn was_asked_in_vain(&self) -> bool {
        self.asked_in_vain.get()
    }
}

impl Parameters for PartlyRead {
    fn get(&self, path: &str) -> Option<Cow<'_, Value>> {
        let mut value = &self.value;
        for part in path.split('.') {
            let field = value.get(part);
            let may_be_lost = || {
                self.is_open && std::ptr::eq(value, &raw const self.value)
                    || value == NOT_READ
                    || value.get(NOT_READ).is_some()
            };
            if field.is_none() && may_be_lost() {
                self.asked_in_vain.set(true);
            }
            value = field?;
        }
        if !is_read(value) {
            self.asked_in_vain.set(true);
            return None;
        }
        (!value.is_null()).then_some(Cow::Borrowed(value))
    }

    fn all(&self) -> AllParameters<'_> {
        AllParameters { value: Cow::Borrowed(&self.value), complete: !self.is_open && is_read(&self.value) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_who_asks_for_what_is_missing_asks_in_vain() {
        let value = json!({ "a": { "b": 1, "c": [NOT_READ] }, "d": NOT_READ, "e": { NOT_READ: 1 } });
        let asks = |path: &str, is_open: bool| {
            let params = PartlyRead::new(value.clone(), is_open);
            let found = params.get(path).map(Cow::into_owned);
            (found, params.was_asked_in_vain())
        };
        assert_eq!(asks("a.b", true), (Some(json!(1)), false));
        for path in ["a.c", "a", "d", "d.x", "e", "e.x"] {
            assert_eq!(asks(path, false), (None, true), "{path}");
        }
        assert_eq!((asks("x", false), asks("x", true)), ((None, false), (None, true)));
        assert_eq!(asks("a.x", true), (None, false));
        assert!(!PartlyRead::new(value.clone(), false).all().complete);
        assert!(
            !PartlyRead::new(json!({}), true).all().complete
                && PartlyRead::new(json!({}), false).all().complete
        );
    }
}
