//! How much a rules file may ask for. Whoever may edit one could else make every call of every session slow: what is beyond
//! is told when the file is read, with the place and what to do.

use regex::{Regex, RegexBuilder};

use crate::model::text::{Shown, one_line, shown};

/// A file may have so many rules.
pub(super) const MAX_RULES: usize = 2_000;
/// A rule's name may have so many characters: pauses and the journal show it.
const MAX_NAME: usize = 100;
/// A text of a rule (a name, a glob, a command, a pattern, a template) may have so many bytes.
pub(super) const MAX_TEXT: usize = 16 * 1024;
/// A rule may have so many templates for keys.
pub(super) const MAX_TEMPLATES: usize = 16;
/// How much memory a pattern may take, compiled, in bytes; and what looks for it, at most, while it does.
const MAX_PATTERN: usize = 1024 * 1024;
const MAX_PATTERN_CACHE: usize = 256 * 1024;
/// How much all patterns of a file may take together.
const MAX_PATTERNS: usize = 8 * 1024 * 1024;

/// What is wrong with a rule's name.
pub(super) fn wrong_name(name: &str) -> Option<String> {
    let is_shown = |c: char| matches!(shown(c), Shown::As(as_it_is) if as_it_is == c);
    if name.trim().is_empty() {
        return Some("`name` is empty: give the rule a name".to_owned());
    }
    if name.chars().nth(MAX_NAME).is_some() {
        return Some(format!("`name` is longer than {MAX_NAME} characters: give the rule a short one"));
    }
    (!name.chars().all(is_shown)).then(|| {
        "`name` has line breaks, control or invisible characters: use visible ones, on one line".to_owned()
    })
}

/// What is left for the patterns of a file.
pub(super) struct Budget {
    patterns: usize,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { patterns: MAX_PATTERNS }
    }

    /// Compiles a pattern, and says what is wrong with it.
    pub(super) fn compile(&mut self, pattern: &str) -> Result<Regex, String> {
        // How much one takes is only known by what it does not fit into.
        for size in [MAX_PATTERN / 64, MAX_PATTERN / 16, MAX_PATTERN / 4, MAX_PATTERN] {
            match build(pattern, size) {
                Ok(regex) => {
                    self.patterns = self.patterns.checked_sub(size).ok_or_else(|| {
                        format!(
                            "with this one, the patterns of the file take more than {} MiB, compiled: {REMEDY}",
                            MAX_PATTERNS / 1024 / 1024
                        )
                    })?;
                    return Ok(regex);
                }
                Err(regex::Error::CompiledTooBig(_)) => {}
                Err(error) => return Err(pattern_error(&error)),
            }
        }
        Err(format!("the pattern takes more than {} MiB, compiled: {REMEDY}", MAX_PATTERN / 1024 / 1024))
    }
}

/// Compiles a pattern of a file that was within its budget.
pub(super) fn compile(pattern: &str) -> Option<Regex> {
    build(pattern, MAX_PATTERN).ok()
}

fn build(pattern: &str, size: usize) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(size).dfa_size_limit(MAX_PATTERN_CACHE).build()
}

/// What makes a pattern smaller.
pub(super) const REMEDY: &str = "repeat less (`{1,200}`, above all of `\\w`, `\\p{L}` and other classes of all scripts: `[A-Za-z]` is small), or \
                      use `command` or `params`";

/// What is wrong with a pattern, on one line: the regex crate draws a picture of several.
fn pattern_error(error: &regex::Error) -> String {
    let text = error.to_string();
    let reason = text.lines().rev().find_map(|line| line.trim().strip_prefix("error: ")).unwrap_or(&text);
    let reason = one_line(reason, 200);
    if reason.contains("look-around") {
        return format!("{reason}; to make an exception, put a rule of a lower tier before this one");
    }
    reason
}
