//! The rules that Callosum ships, as the build script prepared them: their index, and where each stands in their text. A rule
//! is read when it is first asked: a process that lives for one question asks few. The first of them are the standing ones.

use std::borrow::Cow;

use super::compile::{Rule, ToolName};
use super::format::RuleFormat;
use super::index::{ByTool, Index};
use super::source::Source;
use super::word_lists::{Entry, Lists, Table};
use super::{SHIPPED_RULES, standing};

/// A rule that is still to be read.
pub(super) struct Shipped {
    /// Its name.
    pub(super) name: &'static str,
    /// Where it begins and ends in its text, bytes.
    text: (usize, usize),
    /// How far back it looks, by `recentWindowMs` or its limit, milliseconds; 0 when it says neither.
    pub(super) window_ms: u64,
    /// Its `lockExpiryMs`, milliseconds; 0 when it names none.
    pub(super) lease_ms: u64,
    /// How the names of tools begin and end that its globs match.
    ends: &'static [(&'static str, &'static str)],
    /// No shorter name is matched, bytes.
    shortest: usize,
}

impl Shipped {
    /// Whether one of its globs may match the name of a tool: nobody reads the rule to learn that none does.
    pub(super) fn may_match(&self, tool: &ToolName<'_>) -> bool {
        let fits = |name: &str| {
            name.len() >= self.shortest
                && self.ends.iter().any(|(from, to)| name.starts_with(from) && name.ends_with(to))
        };
        fits(&tool.neutral) || tool.own.as_ref().is_some_and(|own| fits(own))
    }
}

include!(concat!(env!("OUT_DIR"), "/shipped_rules.rs"));

/// Reads the rule at a place. `None` never comes: a test reads them all.
pub(super) fn rule(place: usize) -> Option<Rule> {
    let is_standing = place < STANDING;
    let text = if is_standing { standing::RULES } else { SHIPPED_RULES };
    let (from, to) = RULES.get(place)?.text;
    let source = Source::new(text);
    let format = RuleFormat::read(source, text.get(from..to)?).ok()?;
    // The test has compiled its patterns, too.
    let rule = Rule::compile(format, source, None).ok()?;
    Some(if is_standing { rule.standing() } else { rule })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use callosum_shell::glob::is_glob;
    use serde::Deserialize;

    use super::*;
    use crate::rules::compare::says_the_same;
    use crate::rules::format::Texts;
    use crate::rules::rule_set::{File, compile_all};

    #[test]
    fn what_was_prepared_is_what_the_text_says() {
        let File { rules: shipped, extends_default, .. } = compile_all(SHIPPED_RULES).unwrap();
        assert!(!extends_default, "the shipped rules cannot extend themselves");
        let mut rules = standing::rules();
        assert_eq!(rules.len(), STANDING);
        rules.extend(shipped);
        let names: Vec<&str> = rules.iter().map(|rule| &*rule.name).collect();
        assert_eq!(names, RULES.iter().map(|rule| rule.name).collect::<Vec<_>>());
        for (place, (rule, shipped)) in rules.iter().zip(RULES).enumerate() {
            let read = super::rule(place).unwrap();
            assert_eq!(read.is_standing, place < STANDING, "{}", rule.name);
            assert!(rule.asks_the_same(&read) && says_the_same(rule, &read), "{}", rule.name);
            assert_eq!(rule.window_ms().unwrap_or(0), shipped.window_ms, "{}", rule.name);
            assert_eq!(rule.lease_ms.unwrap_or(0), shipped.lease_ms, "{}", rule.name);
        }
        assert_eq!(Index::of(&rules).told(), index().told());
    }

    #[test]
    fn what_a_glob_matches_is_not_passed_over_and_a_shell_is() {
        #[derive(Deserialize)]
        struct File {
            rules: Vec<Of>,
        }
        #[derive(Deserialize)]
        struct Of {
            tool: Option<Texts>,
        }
        let tools = |text: &str| {
            let File { rules } = serde_json::from_str(text).unwrap();
            rules.into_iter().map(|of| of.tool.map_or_else(Vec::new, |tool| tool.0)).collect::<Vec<_>>()
        };
        let all = [tools(standing::RULES), tools(SHIPPED_RULES)].concat();
        let mut globs = 0;
        for (place, (rule, tools)) in RULES.iter().zip(all).enumerate() {
            for glob in tools.iter().filter(|tool| is_glob(tool)) {
                globs += 1;
                for between in ["", "x", "a__b_c"] {
                    let name = glob.replace('*', between).replace('?', "y");
                    assert!(rule.may_match(&ToolName::of(&name)), "{}: {name}", rule.name);
                }
            }
            assert!(!rule.may_match(&ToolName::of("exec")), "{place}: {}", rule.name);
        }
        assert!(globs > 30, "{globs}");
    }
}
