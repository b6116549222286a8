//! The rules that a fresh process would use.

use callosum_core::query::Status;

use super::finding::{Finding, Level};
use crate::output::{counted, long, rules_source};

pub(super) fn look(status: &Status) -> Finding {
    let rules = counted(u64::try_from(status.rule_count).unwrap_or(u64::MAX), "rule");
    let source = rules_source(&status.rules.source);
    match &status.rules.error {
        None => Finding::ok("rules", format!("{rules}, {source}")),
        Some(error) => Finding::new(
            Level::Error,
            "rules",
            format!("The rules file can't be used: {}", long(error)),
            "fix it; `callosum check` says what is wrong and where",
        )
        .line(format!(
            "sessions that start now use the {rules} `{source}`; running gateways keep their last good ones"
        )),
    }
}
