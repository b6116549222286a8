//! The calls that OpenClaw recorded and the journal has not: they passed without Callosum.

use std::thread;
use std::time::Duration;

use callosum_core::model::time::{Stamp, for_people, from_rfc3339, to_rfc3339};
use callosum_core::query::{Filter, ReadOnlyView, Source, Status};
use serde_json::Value;

use super::ask::{Answer, NoAnswer};
use super::gateway::Running;
use super::passed::{Journaled, Ran, ran};
use crate::commands::doctor::finding::{Finding, Level};
use crate::output::{counted, local_time, name};

/// How far back OpenClaw's record is looked at.
pub(super) const LOOK_BACK_MS: u64 = 24 * 3_600_000;
/// The most rows it gives at once.
const MAX_ROWS: &str = "500";
/// The most records the journal gives at once.
const MAX_RECORDS: usize = 10_000;
/// A call's line may wait this long in the gateway's memory.
const BACKLOG_MS: i64 = 6_000;
/// Lines are in the order they were written, not quite in that of their times.
const SLACK_MS: i64 = 60_000;
/// Groups of calls listed.
const MAX_LISTED: usize = 20;

const ID: &str = "audit";

/// What is asked.
pub(super) fn question(since: &str) -> Vec<&str> {
    vec!["audit", "--kind", "tool_action", "--after", since, "--limit", MAX_ROWS, "--json"]
}

pub(super) fn compare(
    answer: Answer,
    gateway: &Running,
    view: &ReadOnlyView,
    status: &Status,
    now: &Stamp,
) -> Finding {
    let not_asked = |why: String, remedy: &str| {
        Finding::new(Level::Note, ID, format!("OpenClaw's record of calls was not compared: {why}"), remedy)
    };
    if let Running::Elsewhere(_) = gateway {
        return not_asked("its calls are in another journal".to_owned(), "look there, as said above");
    }
    let answer = match answer {
        Ok(answer) => answer,
        Err(NoAnswer::NotRunning(_)) => {
            return not_asked("no gateway is running".to_owned(), "start the gateway, and look again");
        }
        Err(NoAnswer::UnknownMethod) => {
            return not_asked("this OpenClaw keeps none".to_owned(), "update OpenClaw");
        }
        Err(NoAnswer::Failed(why)) => {
            return not_asked(why, "run `openclaw audit`, fix what it reports, and look again");
        }
    };
    let Some(events) = answer.get("events").and_then(Value::as_array) else {
        return not_asked(
            "its answer can't be read".to_owned(),
            "run `openclaw audit --json`, and update Callosum",
        );
    };
    let calls = ran(events);
    let is_cut = answer.get("nextCursor").is_some_and(|cursor| !cursor.is_null());
    if calls.is_empty() {
        let hours = for_people(LOOK_BACK_MS);
        return Finding::new(
            Level::Note,
            ID,
            format!(
                "OpenClaw recorded no tool call in the last {hours}: nothing to compare with the journal"
            ),
            "make a call, and look again; if there were calls, check that `logging.audit.enabled` is not `false`",
        );
    }
    match against_journal(&calls, view, status, now) {
        Ok(compared) => compared.finding(&calls, is_cut, matches!(gateway, Running::Here(_))),
        Err(why) => not_asked(format!("the journal can't be read: {}", name(&why)), "fix it, as said above"),
    }
}

/// What became of the calls.
struct Compared<'a> {
    /// Ran without the gate, newest first.
    passed: Vec<&'a Ran>,
    /// How many were compared.
    compared: usize,
    /// The newest that passed the gate.
    newest_gated: Option<i64>,
    /// Before what the journal tells.
    too_old: usize,
    /// From when on the journal tells.
    from: Option<i64>,
}

fn against_journal<'a>(
    calls: &'a [Ran],
    view: &ReadOnlyView,
    status: &Status,
    now: &Stamp,
) -> Result<Compared<'a>, String> {
    let compared = compared(calls, view, status, now)?;
    let youngest = compared.passed.first().map_or(i64::MIN, |call| call.at);
    let wait = youngest.saturating_add(BACKLOG_MS).saturating_sub(now.wall_ms);
    match u64::try_from(wait) {
        // Its line may not be written yet. What waits longer than that is not waited for.
        Ok(wait @ 1..) => {
            thread::sleep(Duration::from_millis(wait.min(BACKLOG_MS.unsigned_abs())));
            self::compared(calls, view, status, now)
        }
        _ => Ok(compared),
    }
}

fn compared<'a>(
    calls: &'a [Ran],
    view: &ReadOnlyView,
    status: &Status,
    now: &Stamp,
) -> Result<Compared<'a>, String> {
    let oldest = calls.iter().map(|call| call.at).min().unwrap_or(now.wall_ms);
    let filter = Filter {
        limit: MAX_RECORDS,
        since: Some(Value::from(oldest.saturating_sub(SLACK_MS))),
        ..Filter::default()
    };
    let records = view.journal(&filter, now).map_err(|error| error.message)?.entries;
    let first = records.first().and_then(|record| record.get("timestamp")?.as_str());
    let begins = status.journal.oldest.as_deref().and_then(from_rfc3339);
    let from = if records.len() < MAX_RECORDS { begins } else { first.and_then(from_rfc3339).max(begins) };
    let journaled = Journaled::of(&records);

    // Calls from before the journal are those from before Callosum was installed, or pruned ones. Unless none
    // is in it: then a gate that never worked must not pass for a new one.
    let from = from.filter(|_| calls.iter().any(|call| journaled.has(call)));
    // What is in it is compared whenever it was: OpenClaw notes a call before its line is written, so that the
    // journal may begin after its own first call.
    let (known, too_old): (Vec<_>, Vec<_>) =
        calls.iter().partition(|call| from.is_none_or(|from| call.at >= from) || journaled.has(call));
    let newest_gated = known.iter().filter(|call| journaled.has(call)).map(|call| call.at).max();
    let passed = |call: &&Ran| !journaled.has(call);
    Ok(Compared {
        passed: known.iter().copied().filter(passed).collect(),
        compared: known.len(),
        newest_gated,
        too_old: too_old.len(),
        from,
    })
}

impl Compared<'_> {
    /// `is_loaded`: the running gateway's Callosum answers.
    fn finding(&self, calls: &[Ran], is_cut: bool, is_loaded: bool) -> Finding {
        let number = |count: usize, thing: &str| counted(u64::try_from(count).unwrap_or(u64::MAX), thing);
        let mut finding = match self.passed.first() {
            None if self.compared == 0 => Finding::new(
                Level::Note,
                ID,
                "All calls that OpenClaw recorded are older than the journal",
                "make a call, and look again",
            ),
            None => {
                let calls = number(self.compared, "call");
                Finding::ok(ID, format!("OpenClaw recorded {calls}, and all passed the gate"))
            }
            Some(newest) => self.passed(newest, is_loaded),
        };
        if let (count @ 1.., Some(from)) = (self.too_old, self.from) {
            let from = local_time(&to_rfc3339(from));
            finding = finding.line(format!(
                "not compared: {}, older than the journal, which begins {from}",
                number(count, "call")
            ));
        }
        if let (true, Some(oldest)) = (is_cut, calls.last()) {
            let since = local_time(&to_rfc3339(oldest.at));
            finding = finding
                .line(format!("OpenClaw has more; compared were its newest {MAX_ROWS} rows, since {since}"));
        }
        finding
    }

    fn passed(&self, newest: &Ran, is_loaded: bool) -> Finding {
        let calls = counted(u64::try_from(self.passed.len()).unwrap_or(u64::MAX), "call");
        let title = format!("{calls} of {} that OpenClaw recorded passed without Callosum", self.compared);
        let is_over = self.newest_gated.is_some_and(|gated| gated > newest.at);
        let (level, remedy) = if is_over {
            (Level::Warning, "later calls were gated; see what these did: `openclaw audit --session KEY`")
        } else if is_loaded {
            (
                Level::Error,
                "the plugin answers, but no later call passed it: run `callosum doctor --canary`; if that fails, restart the gateway and look for `callosum` in its log",
            )
        } else {
            (
                Level::Error,
                "have the gateway load the plugin, as said above; then run `callosum doctor --canary`",
            )
        };
        let mut finding = Finding::new(level, ID, title, remedy);
        finding = finding.lines(groups(&self.passed).into_iter(), MAX_LISTED, "sessions and tools");
        if self.newest_gated.is_none() {
            finding = finding.line("none is in the journal; if all were made before Callosum was installed, make a call and look again");
        }
        finding
    }
}

/// One line for each session and tool, the one with the newest call first.
fn groups(passed: &[&Ran]) -> Vec<String> {
    let mut groups: Vec<(&Ran, i64, u64)> = Vec::new();
    for call in passed {
        let same =
            |(newest, ..): &&mut (&Ran, i64, u64)| newest.session == call.session && newest.tool == call.tool;
        match groups.iter_mut().find(same) {
            Some((_, first, count)) => {
                *first = call.at.min(*first);
                *count += 1;
            }
            None => groups.push((call, call.at, 1)),
        }
    }
    let time = |at: i64| local_time(&to_rfc3339(at));
    let line = |(newest, first, count): (&Ran, i64, u64)| {
        let when = if count == 1 {
            format!("at {}", time(newest.at))
        } else {
            format!("{} to {}", time(first), time(newest.at))
        };
        format!(
            "{} in session {}: {}, {when}",
            name(&newest.tool),
            name(&newest.session),
            counted(count, "call")
        )
    };
    groups.into_iter().map(line).collect()
}
