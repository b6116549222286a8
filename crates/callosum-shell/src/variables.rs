//! Variables that the line sets to a text.

use super::{MAX_VALUES, MAX_VARIABLES};

/// A variable, and what the line has set it to.
#[derive(Debug)]
struct Variable {
    name: String,
    /// One, or those of which it is one, or the words of a list.
    values: Vec<String>,
    /// All of them, for who is told.
    text: String,
}

/// The variables of a line.
#[derive(Debug, Default)]
pub(super) struct Variables(Vec<Variable>);

impl Variables {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a variable is: one of these values, or for a list all of them.
    pub(super) fn values(&self, name: &str) -> Option<&[String]> {
        self.0.iter().find(|known| known.name == name).map(|known| known.values.as_slice())
    }

    /// The same as a text, with commas between several.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.0.iter().find(|known| known.name == name).map(|known| known.text.clone())
    }

    /// All but lists, for a program that is run.
    pub(super) fn told(&self) -> impl Iterator<Item = (String, String)> {
        let plain = self.0.iter().filter(|known| !known.name.ends_with(']'));
        plain.map(|known| (known.name.clone(), known.text.clone()))
    }

    /// Notes what a variable is set to, while there is room; what is no text is not known.
    pub(super) fn set(&mut self, name: &str, values: Vec<String>) {
        self.0.retain(|known| known.name != name);
        let text = values.join(", ");
        let taken: usize = self.0.iter().map(|known| known.name.len() + known.text.len()).sum();
        let is_known = !values.is_empty() && values.iter().all(|value| is_text(value));
        if is_known && self.0.len() < MAX_VARIABLES && taken + name.len() + text.len() <= MAX_VALUES {
            self.0.push(Variable { name: name.to_owned(), values, text });
        }
    }

    /// The same where it may also stay what it was.
    pub(super) fn set_perhaps(&mut self, name: &str, values: Vec<String>) {
        let mut all = self.values(name).unwrap_or_default().to_vec();
        all.extend(values.into_iter().filter(|value| is_text(value)));
        all.dedup();
        if !all.is_empty() {
            self.set(name, all);
        }
    }

    /// The last value, with something behind it: `NAME+=x`.
    pub(super) fn appended(&self, name: &str, value: &str) -> Option<String> {
        Some(format!("{}{value}", self.values(name)?.last()?))
    }
}

/// Whether a value is what it says, with nothing to expand in it.
fn is_text(value: &str) -> bool {
    // A name with a `*` in it is a pattern; a text is not.
    let is_pattern = || value.contains(['*', '{']) && !value.contains(char::is_whitespace);
    // An address stays one where a part of it is not known: `https://api.telegram.org/bot$TOKEN`.
    let is_address = || value.contains("://") && !value.contains("$(") && !value.starts_with('$');
    !value.is_empty() && !value.contains('`') && (!value.contains('$') || is_address()) && !is_pattern()
}
