//! Which hooks the journal has seen, by runtime and tool.

use std::collections::BTreeMap;

use callosum_core::model::time::{Stamp, for_people, from_rfc3339};
use callosum_core::query::{CoverageStatus, Status};
use callosum_core::record::UNREADABLE_EVENTS;

use super::finding::{Finding, Level};
use super::openclaw;
use crate::output::{counted, name};

/// Tools listed by name.
const MAX_LISTED: usize = 20;

pub(super) fn look(status: &Status, now: &Stamp) -> Vec<Finding> {
    if status.coverage.is_empty() {
        let title = "No runtime's hooks were seen recently (counts are written every five seconds)";
        let remedy = "make a call, or run `callosum doctor --canary`, and look again";
        return vec![Finding::new(Level::Note, "hooks", title, remedy)];
    }
    let runtimes = status.coverage.iter();
    runtimes.flat_map(|(runtime, tools)| of_events(runtime, tools, now)).collect()
}

/// What is to be said of a runtime's calls, and of its events that could not be read.
fn of_events(runtime: &str, tools: &BTreeMap<String, CoverageStatus>, now: &Stamp) -> Vec<Finding> {
    let mut calls = tools.clone();
    let unreadable = calls.remove(UNREADABLE_EVENTS).map(|seen| {
        let age = age_ms(&seen, now).map_or_else(String::new, |age| format!(", the last {} ago", for_people(age)));
        let title = format!("{}: {} could not be read{age}", name(runtime), counted(seen.before, "event"));
        let remedy = "see what `callosum journal --action unreadable` says about them; if the runtime was updated, update Callosum";
        Finding::new(Level::Warning, format!("hooks.{}.unreadable", name(runtime)), title, remedy)
    });
    let of_calls = (!calls.is_empty()).then(|| of_runtime(runtime, &calls, now));
    of_calls.into_iter().chain(unreadable).collect()
}

fn of_runtime(runtime: &str, tools: &BTreeMap<String, CoverageStatus>, now: &Stamp) -> Finding {
    let id = format!("hooks.{}", name(runtime));
    let shown = name(runtime);
    let (gated, unseen): (Vec<_>, Vec<_>) = tools.iter().partition(|(_, seen)| seen.before > 0);
    let newest = gated.iter().filter_map(|(_, seen)| age_ms(seen, now)).min();
    let lines = unseen
        .iter()
        .map(|(tool, seen)| format!("seen after only: {}", counts(tool, seen, now)))
        .chain(gated.iter().map(|(tool, seen)| {
            // What no rule names passes the gate, and is only logged.
            let how = match (seen.covered, seen.by_id) {
                (true, _) => "gated",
                (_, true) => "gated where it names an id",
                _ => "no rule",
            };
            format!("{how}: {}", counts(tool, seen, now))
        }));

    let finding = match newest {
        None => Finding::new(
            Level::Error,
            id,
            format!("{shown}: calls are seen only after they ran; none passed the gate"),
            "check that the before-hook is registered, and that no other hook keeps it from running",
        ),
        Some(_) if gated.iter().any(|(_, seen)| seen.is_lacking()) => Finding::new(
            Level::Warning,
            id,
            format!("{shown}: far fewer calls ended than started; the outcome of the others is unknown"),
            "check that the after-hook is registered, and that no other hook keeps it from running",
        ),
        Some(newest)
            if unseen.is_empty()
                && gated.iter().any(|(_, seen)| is_without_end(seen))
                && gated.iter().all(|(_, seen)| seen.after == 0) =>
        {
            Finding::new(
                Level::Note,
                id,
                format!(
                    "{shown}: calls passed the gate, the last {} ago, but their outcome was never seen",
                    for_people(newest)
                ),
                "nothing, if they were canary calls, which have no after-hook; otherwise check that the after-hook is registered",
            )
        }
        Some(newest) if unseen.is_empty() => {
            Finding::ok(id, format!("{shown}: calls passed the gate, the last {} ago", for_people(newest)))
        }
        // This host runs the after-hook also for calls that it refused before any hook, and its own record of
        // calls tells those from calls that ran.
        Some(_) if runtime == openclaw::RUNTIME => Finding::new(
            Level::Note,
            id,
            format!("{shown}: calls passed the gate, but for some tools only the end was seen"),
            "nothing, if the host or another plugin refused them (no such tool, bad arguments); OpenClaw's audit, if it could be asked, says which ran",
        ),
        Some(_) => Finding::new(
            Level::Warning,
            id,
            format!("{shown}: for some tools only the end is seen, so their calls do not pass the gate"),
            "check that the before-hook is registered for these tools too",
        ),
    };
    finding.lines(lines, MAX_LISTED, "tools")
}

/// Whether calls of the tool ran, and of none was the end seen.
fn is_without_end(seen: &CoverageStatus) -> bool {
    seen.after == 0 && seen.before > seen.paused
}

/// When hooks of a tool were last reported, milliseconds ago.
fn age_ms(seen: &CoverageStatus, now: &Stamp) -> Option<u64> {
    let at = from_rfc3339(&seen.last)?;
    Some(u64::try_from(now.wall_ms.saturating_sub(at)).unwrap_or(0))
}

fn counts(tool: &str, seen: &CoverageStatus, now: &Stamp) -> String {
    let ago = age_ms(seen, now).map_or_else(String::new, |age| format!(", the last {} ago", for_people(age)));
    let paused = if seen.paused == 0 { String::new() } else { format!(", {} paused", seen.paused) };
    format!("{} ({} before, {} after{paused}{ago})", name(tool), seen.before, seen.after)
}
