//! The clocks that windows and leases are measured by.

use callosum_core::model::time::{Stamp, for_people, from_rfc3339};
use callosum_core::query::{Filter, ReadOnlyView, Source};

use super::finding::{Finding, Level};
use crate::output::local_time;

/// Processes write a little out of order, and machines that share a folder differ a little.
const TOLERATED_MS: u64 = 5_000;

pub(super) fn look(view: &ReadOnlyView, now: &Stamp) -> Vec<Finding> {
    let mut findings = Vec::new();
    let newest = view.journal(&Filter { limit: 1, ..Filter::default() }, now).ok();
    let newest = newest.as_ref().and_then(|found| found.entries.first()?.get("timestamp")?.as_str());
    let ahead = newest.and_then(from_rfc3339).map_or(0, |at| at.saturating_sub(now.wall_ms));
    let ahead = u64::try_from(ahead).unwrap_or(0);
    match newest {
        Some(newest) if ahead > TOLERATED_MS => findings.push(
            Finding::new(
                Level::Warning,
                "clock",
                format!("The newest record is {} in the future", for_people(ahead)),
                "set the clock; if it is right now, this warning ends once the clock has caught up",
            )
            .line(format!("written at {}: the clock was wrong then, or is wrong now", local_time(newest))),
        ),
        _ => findings.push(Finding::ok("clock", "The clock is not behind the journal")),
    }
    if now.boot.is_none() {
        findings.push(Finding::new(
            Level::Note,
            "boot",
            "The boot can't be identified, so ages go by the wall clock, and a dead process is noticed only when its lease ends",
            "nothing, except on Linux: let this user read /proc/sys/kernel/random/boot_id",
        ));
    }
    findings
}
