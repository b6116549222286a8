//! The settings: whether all of them are used, and whether they let anything be paused.

use callosum_core::model::settings::Mode;
use callosum_core::query::Status;

use super::finding::{Finding, Level};
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
    if status.mode == Mode::Observe {
        findings.push(Finding::new(
            Level::Warning,
            "mode",
            "Nothing is paused: the settings say `\"mode\": \"observe\"`, so pauses are only recorded",
            "once you have seen enough, set `mode` to `enforce` in `settings.json`, or remove it",
        ));
    }
    findings
}
