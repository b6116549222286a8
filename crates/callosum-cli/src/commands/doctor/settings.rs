//! The settings: whether all of them are used, and whether they let anything be paused.

use callosum_core::query::{ObservedBy, Status};

use super::finding::{Finding, Level};
use crate::commands::observe::OBSERVING;
use crate::output::long;

/// Settings listed.
const MAX_LISTED: usize = 20;

pub(super) fn look(status: &Status) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !status.setting_errors.is_empty() {
        let lines = status.setting_errors.iter().map(|error| long(error));
        findings.push(
            Finding::new(
                Level::Warning,
                "settings",
                "Some settings are not used",
                "correct them in `settings.json`",
            )
            .lines(lines, MAX_LISTED, "settings"),
        );
    }
    let remedy = match status.observed_by {
        None => return findings,
        Some(ObservedBy::Rules) => "once `callosum observe report` has told enough, `callosum observe off`",
        Some(ObservedBy::Settings) => {
            "once `callosum observe report` has told enough, set `mode` to `enforce` in `settings.json`, or remove it"
        }
    };
    findings.push(Finding::new(Level::Warning, "mode", OBSERVING.trim_end_matches('.'), remedy));
    findings
}
