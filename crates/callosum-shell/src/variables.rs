//! Variables that the line sets to a text.

use super::expansion::{self, Expansion};
use super::words::{is_assignment, unquote};
use super::{MAX_VALUES, MAX_VARIABLES};

/// A variable, and what the line has set it to.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    /// One, or those of which it is one, or the words of a list.
    values: Vec<String>,
    /// All of them, for who is told.
    text: String,
}

/// The variables of a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    known: Vec<Variable>,
    /// Texts that there was no room for, with their names.
    left_out: Vec<(String, String)>,
}

impl Variables {
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// What a variable is: one of these values, or for a list all of them.
    pub(super) fn values(&self, name: &str) -> Option<&[String]> {
        if let Some(known) = self.known.iter().find(|known| known.name == name) {
            return Some(&known.values);
        }
        // `${a[1]}`; a list is its first word, too.
        let (name, place) = match name.split_once('[') {
            Some((name, place)) => (name, place.strip_suffix(']')?.parse::<isize>()),
            None => (name, Ok(0)),
        };
        let list = self.known.iter().find(|known| known.name.strip_suffix("[@]") == Some(name))?;
        // Behind a name, or what is counted, it may be any of them: `${a[x]}`.
        let Ok(place) = place else { return Some(&list.values) };
        let at = match usize::try_from(place) {
            Ok(at) => at,
            Err(_) => list.values.len().checked_sub(place.unsigned_abs())?,
        };
        list.values.get(at).map(std::slice::from_ref)
    }

    /// What an expansion stands for, as a text, with commas between several; where it changes what a variable is, only of one.
    pub(super) fn text(&self, expansion: &Expansion<'_>) -> Option<String> {
        let mut values = self.values(expansion.name);
        if expansion.is_indirect {
            values = values.and_then(|values| self.values(values.first()?));
        }
        match values {
            Some([value]) => expansion.of(Some(value)),
            Some(values) => expansion.rest.is_empty().then(|| values.join(", ")),
            None => expansion.of(None),
        }
    }

    /// Those of which it is one of several texts, in a loop, and each of these.
    pub(super) fn several(&self) -> impl Iterator<Item = (&str, &[String])> {
        let several = self.known.iter().filter(|known| known.values.len() > 1 && !known.name.ends_with(']'));
        several.map(|known| (known.name.as_str(), known.values.as_slice()))
    }

    /// What a variable is for who is told.
    pub(super) fn told_as(&self, name: &str) -> Option<&str> {
        self.known.iter().find(|known| known.name == name).map(|known| known.text.as_str())
    }

    /// All but lists, for a program that is run.
    pub(super) fn told(&self) -> impl Iterator<Item = (String, String)> {
        let plain = self.known.iter().filter(|known| !known.name.ends_with(']'));
        plain.map(|known| (known.name.clone(), known.text.clone()))
    }

    /// Notes what a variable is set to, while there is room; what is no text is not known.
    pub(super) fn set(&mut self, name: &str, values: Vec<String>) {
        self.known.retain(|known| known.name != name);
        self.left_out.retain(|(left_out, _)| left_out != name);
        let text = values.join(", ");
        let taken: usize = self.known.iter().map(|known| known.name.len() + known.text.len()).sum();
        let is_known = !values.is_empty() && values.iter().all(|value| is_text(value));
        if is_known && self.known.len() < MAX_VARIABLES && taken + name.len() + text.len() <= MAX_VALUES {
            self.known.push(Variable { name: name.to_owned(), values, text });
        } else if is_known && self.left_out.len() < MAX_VARIABLES {
            self.left_out.push((name.to_owned(), text));
        }
    }

    /// The text that a variable was set to where there was no room for it.
    pub(super) fn left_out(&self, name: &str) -> Option<&str> {
        self.left_out.iter().find(|(left_out, _)| left_out == name).map(|(_, text)| text.as_str())
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

/// A text with variables put into the words that are made with them (`g$x`, `${x%y}`), as far as a quick look finds what they are set
/// to; `None` where there is no such word.
pub(super) fn put_in(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_composed = memchr::memchr_iter(b'$', bytes).any(|at| {
        let in_braces = bytes.get(at + 1) == Some(&b'{');
        let name = at + if in_braces { 2 } else { 1 };
        let end = (name..bytes.len()).find(|at| !is_word(*at)).unwrap_or(bytes.len());
        let is_changed = in_braces && (bytes.get(end) != Some(&b'}') || is_word(end + 1));
        is_changed || at > 0 && is_word(at - 1)
    });
    if !is_composed {
        return None;
    }
    let mut variables = Variables::default();
    for word in text.split([' ', '\t', '\n', ';', '&', '|', '(', ')']).filter(|word| is_assignment(word)) {
        let (name, value) = word.split_once('=')?;
        variables.set_perhaps(name, vec![unquote(value)]);
    }
    let mut left = 4 * text.len() + MAX_VALUES;
    // What is not set is nothing, but for what stands between words: `stripe$IFS$9refunds`.
    let unset = |expansion: &Expansion<'_>| {
        let text = if expansion.name == "IFS" { " " } else { "" };
        expansion.rest.is_empty().then(|| text.to_owned())
    };
    let value = |expansion: &Expansion<'_>| variables.text(expansion).or_else(|| unset(expansion));
    expansion::in_text(text, &mut left, value).ok().flatten()
}

/// Whether a value is a text: what it says, with nothing to expand in it, or a command, a statement or a structure, which whoever runs
/// or reads it expands.
fn is_text(value: &str) -> bool {
    // A name with a `*` in it is a pattern; a text or JSON is not.
    let is_structure = || value.contains(['"', '(']);
    let is_pattern = || value.contains(['*', '{']) && !value.contains(char::is_whitespace) && !is_structure();
    // An address stays one where a part of it is not known: `https://api.telegram.org/bot$TOKEN`.
    let is_address =
        || value.contains("://") && !value.contains('`') && !value.contains("$(") && !value.starts_with('$');
    let is_expanded = value.contains(['$', '`']);
    !value.is_empty()
        && if is_expanded { is_address() || has_words(value) || is_json(value) } else { !is_pattern() }
}

/// Whether a value has several words, aside from what stands in `$(…)` and `${…}`.
fn has_words(value: &str) -> bool {
    let (mut before, mut open, mut in_ticks) = (' ', 0_usize, false);
    value.trim().chars().any(|c| {
        match c {
            '`' => in_ticks = !in_ticks,
            '(' | '{' if open > 0 || before == '$' => open += 1,
            ')' | '}' => open = open.saturating_sub(1),
            _ => {}
        }
        before = c;
        c.is_whitespace() && open == 0 && !in_ticks
    })
}

/// Whether a value without blanks looks like JSON.
fn is_json(value: &str) -> bool {
    value.starts_with(['{', '[']) && value.contains('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_told_from_what_must_be_expanded() {
        for text in [
            "a",
            "git push origin $B",
            "cd \"$HOME/app\" && git push",
            "see `x` there",
            "{\"channel\":\"ops\"}",
            "{\"a\":\"$B\"}",
            "https://a.example/$X",
            "mutation{close(id:1){id}}",
        ] {
            assert!(is_text(text), "{text}");
        }
        for other in ["", "$A", "$(date +%s)", "`a b`", "${A:-b c}", "*.txt", "{}", "a{b,c}", "$A/b"] {
            assert!(!is_text(other), "{other}");
        }
    }

    #[test]
    fn what_there_is_no_room_for_is_kept_aside() {
        let mut variables = Variables::default();
        let long = "git push ".repeat(MAX_VALUES / 8);
        variables.set("A", vec![long.clone()]);
        assert_eq!((variables.values("A"), variables.left_out("A")), (None, Some(long.as_str())));
        variables.set("A", vec!["b".to_owned()]);
        assert_eq!((variables.values("A"), variables.left_out("A")), (Some(&["b".to_owned()][..]), None));
    }
}
