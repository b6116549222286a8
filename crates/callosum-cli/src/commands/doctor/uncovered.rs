//! Tools and programs that were seen and that no rule names.

use callosum_core::query::{Status, Uncovered};

use super::finding::{Finding, Level};
use crate::output::seen_as;

/// Listed by name.
const MAX_LISTED: usize = 20;

pub(super) fn look(status: &Status) -> Option<Finding> {
    let (effects, others): (Vec<&Uncovered>, Vec<_>) =
        status.uncovered.iter().partition(|entry| entry.verb.is_some());
    let number = |entries: &[&Uncovered]| u64::try_from(entries.len()).unwrap_or(u64::MAX);
    let what = |count| match count {
        1 => "1 tool or program".to_owned(),
        count => format!("{count} tools and programs"),
    };
    let finding = match (number(&effects), number(&others)) {
        (0, 0) => return None,
        (0, others) => Finding::ok(
            "rules.uncovered",
            format!("Seen without a rule: {}; none sounds like an effect", what(others)),
        ),
        (effects, _) => Finding::new(
            Level::Note,
            "rules.uncovered",
            format!(
                "Seen without a rule, and sounding like an effect: {}, whose calls are never checked",
                what(effects)
            ),
            "look at what `callosum rules suggest` prints; with `--write` it adds rules that only observe",
        ),
    };
    let listed = effects.iter().chain(&others);
    Some(finding.lines(listed.map(|entry| seen_as(entry)), MAX_LISTED, "without a rule"))
}
