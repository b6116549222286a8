//! Commands in the language of sed: `1e git push`, `s/x/git push/e`, and `e`, by which it runs what it reads.

use super::super::{Around, Walk};
use super::{nested, shells};

/// Reads what an editor of streams is called with.
pub(super) fn edits(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let inside = Around { input: Vec::new(), last: false, ..around.clone() };
    let mut is_carried = false;
    for line in scripts(words).iter().flat_map(|script| script.lines()) {
        for command in Commands(line) {
            is_carried |= match command {
                Edit::Runs("") => shells::read_by_shell(walk, around),
                Edit::Runs(text) => nested(walk, text, &inside),
                Edit::RunsReplaced(text) => nested(walk, &text.replace("\\n", "\n"), &inside),
            };
        }
    }
    is_carried
}

/// The scripts among its words: behind `-e`, else the first that is no option.
fn scripts(words: &[String]) -> Vec<&str> {
    let is_script = |word: &str| {
        word == "--expression" || word.starts_with('-') && !word.starts_with("--") && word.ends_with('e')
    };
    let mut found = Vec::new();
    let mut rest = words.iter();
    let (mut first, mut has_file) = (None, false);
    while let Some(word) = rest.next() {
        match word.split_once('=') {
            Some(("--expression", script)) => found.push(script),
            _ if matches!(word.as_str(), "-f" | "--file") => {
                rest.next();
                has_file = true;
            }
            _ if is_script(word) => found.extend(rest.next().map(String::as_str)),
            _ if word.starts_with('-') => {}
            _ => first = first.or(Some(word.as_str())),
        }
    }
    if found.is_empty() && !has_file { first.into_iter().collect() } else { found }
}

/// What runs something.
enum Edit<'s> {
    /// This text; without one, what is read.
    Runs(&'s str),
    /// What comes of a substitution.
    RunsReplaced(&'s str),
}

/// The commands of a line that run something.
struct Commands<'s>(&'s str);

impl<'s> Iterator for Commands<'s> {
    type Item = Edit<'s>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = behind_address(self.0);
            let (command, rest) = (line.chars().next()?, line.get(line.chars().next()?.len_utf8()..)?);
            match command {
                'e' => {
                    self.0 = "";
                    return Some(Edit::Runs(rest.trim()));
                }
                's' | 'y' => {
                    let Some((_, replacement, flags)) = parts(rest) else {
                        self.0 = "";
                        return None;
                    };
                    let end = flags.find([';', '}']).unwrap_or(flags.len());
                    let (flags, behind) = flags.split_at(end);
                    self.0 = behind;
                    // What is written into a file is called as it likes.
                    let runs = flags.split('w').next().is_some_and(|flags| flags.contains('e'));
                    if command == 's' && runs {
                        return Some(Edit::RunsReplaced(replacement));
                    }
                }
                // A label.
                'b' | 't' | 'T' | ':' => {
                    self.0 = rest.find([';', '}']).and_then(|end| rest.get(end..)).unwrap_or_default();
                }
                // Text, or the name of a file, up to the end of the line.
                'a' | 'i' | 'c' | 'r' | 'R' | 'w' | 'W' | '#' => return None,
                _ => self.0 = rest,
            }
        }
    }
}

/// What stands behind the address that a command begins with, and behind blanks and what parts commands.
fn behind_address(mut line: &str) -> &str {
    loop {
        line = line
            .trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || ";{},$!+~".contains(c));
        let delimiter = if line.starts_with('/') {
            Some('/')
        } else {
            line.strip_prefix('\\').and_then(|rest| rest.chars().next())
        };
        let Some(delimiter) = delimiter else { return line };
        let rest = line.trim_start_matches('\\').get(delimiter.len_utf8()..).unwrap_or_default();
        match up_to(rest, delimiter) {
            Some((_, behind)) => line = behind.trim_start_matches(['I', 'M']),
            None => return "",
        }
    }
}

/// The pattern, the replacement and the flags of `/a/b/g`.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let delimiter = text.chars().next()?;
    let (pattern, rest) = up_to(text.get(delimiter.len_utf8()..)?, delimiter)?;
    let (replacement, flags) = up_to(rest, delimiter)?;
    Some((pattern, replacement, flags))
}

/// What stands before a delimiter that no backslash stands before, and behind it.
fn up_to(text: &str, delimiter: char) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    let end = text.char_indices().find_map(|(at, c)| {
        let ends = c == delimiter && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends.then_some(at)
    })?;
    Some((text.get(..end)?, text.get(end + delimiter.len_utf8()..)?))
}
