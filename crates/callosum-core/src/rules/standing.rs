//! What no rules file changes: the rules that keep agents from the gate's own files and from what only a person does with it. They are
//! asked before all others, and a call that one of them is for is refused, whatever its tier.

use super::compile::Rule;
use super::format::{RuleFormat, WrittenRules};
use super::source::Source;

/// Their text.
pub(super) const RULES: &str = include_str!("standing.json");

/// What the journal names where one of them is for a call.
pub const STATE_PROTECTED: &str = "state.protected";

/// A call that a standing rule is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protected {
    /// The first path that it would change, as far as it names one: a command of the gate's own names none.
    pub path: Option<String>,
}

/// All of them, read: for rules that the prepared ones are no part of. None is left out: a test reads them all.
pub(super) fn rules() -> Vec<Rule> {
    let source = Source::new(RULES);
    let Ok(file) = WrittenRules::read(source) else { return Vec::new() };
    let rule = |text: &str| {
        let format = RuleFormat::read(source, text).ok()?;
        Some(Rule::compile(format, source, None).ok()?.standing())
    };
    file.rules.iter().filter_map(|text| rule(text.get())).collect()
}
