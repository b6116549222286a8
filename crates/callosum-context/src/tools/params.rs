//! The parameters of a call, as a model gave them.

use serde_json::{Map, Value};

use crate::error::Problem;

/// They are looked up by all names that one may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Params<'p>(pub(super) &'p Map<String, Value>);

impl<'p> Params<'p> {
    fn found(self, names: &[&str]) -> Option<(String, &'p Value)> {
        let found = names.iter().find_map(|name| Some((*name, self.0.get(*name)?)));
        found.filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value))
    }

    /// A text. `None` where it is missing or empty.
    ///
    /// # Errors
    /// When it is something else.
    pub(super) fn text(self, names: &[&str]) -> Result<Option<&'p str>, Problem> {
        let Some((name, value)) = self.found(names) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| wrong(&name, "a text"))?;
        Ok(Some(text).filter(|text| !text.trim().is_empty()))
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// When it is missing, empty, or something else.
    pub(super) fn needed(self, names: &[&str]) -> Result<&'p str, Problem> {
        let name = names.first().copied().unwrap_or_default();
        let text = self.text(names)?;
        text.ok_or_else(|| {
            Problem::input(format!("`{name}` is missing or empty"), format!("give a `{name}`"))
        })
    }

    /// A list of texts; one alone is a list of it.
    ///
    /// # Errors
    /// When it is something else.
    pub(super) fn list(self, name: &str) -> Result<Vec<String>, Problem> {
        let Some((name, value)) = self.found(&[name]) else { return Ok(Vec::new()) };
        let items = match value {
            Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
            Value::String(item) => Some(vec![item.clone()]),
            _ => None,
        };
        items.ok_or_else(|| wrong(&name, "a list of texts"))
    }

    /// A number.
    ///
    /// # Errors
    /// When it is something else.
    pub(super) fn number(self, name: &str) -> Result<Option<f64>, Problem> {
        let Some((name, value)) = self.found(&[name]) else { return Ok(None) };
        value.as_f64().map(Some).ok_or_else(|| wrong(&name, "a number"))
    }

    /// A count.
    ///
    /// # Errors
    /// When it is something else.
    pub(super) fn count(self, name: &str) -> Result<Option<usize>, Problem> {
        let Some((name, value)) = self.found(&[name]) else { return Ok(None) };
        let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
        count.map(Some).ok_or_else(|| wrong(&name, "a whole number, 0 or more"))
    }
}

fn wrong(name: &str, what: &str) -> Problem {
    Problem::input(format!("`{name}` is not {what}"), format!("give {what}"))
}
