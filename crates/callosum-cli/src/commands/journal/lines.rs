//! Records as lines for people.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use callosum_core::decision::pause_text::on_machine;
use callosum_core::model::time::{for_people, from_rfc3339};
use callosum_core::record::kind::View;
use callosum_core::record::{Action, blocks_as_written};
use serde_json::{Map, Value};

use crate::args::Args;
use crate::output::{Failure, counted, fit, local_time, long, name, resource, said, toned, when, width};

/// Keys of a record that are shown.
const MAX_KEYS: usize = 3;
/// A column is not made wider than this for the sake of its longest entry.
const MAX_PADDING: usize = 40;
/// Ends that came sooner are not told apart.
const SOON_MS: u64 = 1_000;

type Record = Map<String, Value>;

/// How records are shown.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a> {
    pub(super) args: &'a Args,
    /// Not how long ago, whatever is wanted: the lines stay on the screen.
    pub(super) by_clock: bool,
    /// A call's start and its end are one line.
    pub(super) joined: bool,
    /// Lines that are shown at most, the last ones.
    pub(super) most: usize,
}

/// A record, and how the call that it begins ended, as far as both are among those that are shown.
struct Line<'r> {
    record: &'r Record,
    end: Option<&'r Record>,
}

impl Lines<'_> {
    /// Writes them; columns are as wide as what is in them, within reason.
    pub(super) fn write(self, entries: &[Value], out: &mut dyn Write) -> Result<(), Failure> {
        let records: Vec<&Record> = entries.iter().filter_map(Value::as_object).collect();
        let instances: BTreeSet<(Option<&str>, &str)> = records
            .iter()
            .filter(|record| text(record, "session").is_some())
            .filter_map(|record| Some((text(record, "machine"), text(record, "instance")?)))
            .collect();
        let lines = if self.joined {
            joined(&records)
        } else {
            records.iter().map(|record| Line { record, end: None }).collect()
        };
        let lines = lines.get(lines.len().saturating_sub(self.most)..).unwrap_or_default();
        let mut rows: Vec<Vec<String>> =
            lines.iter().map(|line| self.columns(line, instances.len() > 1)).collect();
        if let Some(width) = width() {
            fit(&mut rows, &[""; 6], width);
        }
        let mut widths = [0; 6];
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().min(MAX_PADDING).max(*width);
            }
        }
        for (row, line) in rows.iter().zip(lines) {
            let mut shown = String::new();
            for (cell, width) in row.iter().zip(widths).filter(|(_, width)| *width > 0) {
                shown.push_str(&toned(&format!("{cell:<width$}")));
                shown.push_str("  ");
            }
            shown.push_str(&details(line));
            writeln!(out, "{}", shown.trim_end())?;
        }
        Ok(())
    }

    /// Time, session, tool, action, tier, resources. Two gateways both have a session `agent:main:main`: with several, the session
    /// says whose it is.
    fn columns(self, line: &Line<'_>, with_instance: bool) -> Vec<String> {
        let record = line.record;
        let named = |field| text(record, field).map(name).unwrap_or_default();
        let mut session = named("session");
        if let (true, false, Some(instance)) = (with_instance, session.is_empty(), text(record, "instance")) {
            session = format!("{session} ({})", on_machine(instance, text(record, "machine")));
        }
        let tier = record.get("tier").and_then(Value::as_u64).map(|tier| format!("tier {tier}"));
        let at = |time: &str| if self.by_clock { local_time(time) } else { when(self.args, time) };
        vec![
            text(record, "timestamp").map(at).unwrap_or_default(),
            session,
            named("tool"),
            happened(line.end.unwrap_or(record)),
            tier.unwrap_or_default(),
            keys(record),
        ]
    }
}

/// A line for each record but for the ends of calls whose start is there, too.
fn joined<'r>(records: &[&'r Record]) -> Vec<Line<'r>> {
    let seq = |record: &Record| record.get("seq").and_then(Value::as_u64);
    let starts: BTreeSet<u64> = records
        .iter()
        .filter(|record| kind(record).spec().view == View::Call)
        .filter_map(|record| seq(record))
        .collect();
    let mut ends = BTreeMap::new();
    let mut lines = Vec::new();
    for record in records {
        let is_end = kind(record).spec().fold.follows_a_start();
        let of = record.get("of").and_then(Value::as_array).and_then(|of| of.first()).and_then(Value::as_u64);
        match of.filter(|start| is_end && starts.contains(start)) {
            // The last word on it counts.
            Some(start) => drop(ends.insert(start, *record)),
            None => lines.push(Line { record, end: None }),
        }
    }
    for line in &mut lines {
        line.end = seq(line.record).and_then(|start| ends.get(&start).copied());
    }
    lines
}

fn kind(record: &Record) -> Action {
    Action::named(text(record, "action").unwrap_or_default())
}

/// What a record says happened, in the words of the glossary: the journal calls a start `intercept`, and both a pause and a
/// block `blocked`.
fn happened(record: &Record) -> String {
    let (conflict, wanted) = (text(record, "conflict"), text(record, "onConflict"));
    let kind = kind(record);
    let spec = kind.spec();
    match spec.view {
        View::Stop if blocks_as_written(conflict, wanted) => "blocked".to_owned(),
        View::Stop => "paused".to_owned(),
        View::Call if conflict.is_some() && wanted == Some("ask") && !is_observed(record) => {
            "asked".to_owned()
        }
        // What a newer version wrote.
        View::Unknown => name(kind.name()),
        View::Call
        | View::Denial
        | View::End
        | View::Background
        | View::Lease
        | View::Receipt
        | View::Session
        | View::Exchange
        | View::Fault
        | View::Maintenance => spec.label.to_owned(),
    }
}

fn keys(record: &Record) -> String {
    let listed = record.get("contextKeys").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let all: Vec<&str> = listed.iter().filter_map(Value::as_str).chain(text(record, "contextKey")).collect();
    let mut shown: Vec<String> = all.iter().take(MAX_KEYS).map(|key| resource(key)).collect();
    if all.len() > MAX_KEYS {
        shown.push(format!("and {} more", all.len() - MAX_KEYS));
    }
    shown.join(", ")
}

/// What else matters of a line.
fn details(line: &Line<'_>) -> String {
    let mut details = of_record(line.record);
    if let Some(end) = line.end {
        let at = |record| text(record, "timestamp").and_then(from_rfc3339);
        let took = at(end).zip(at(line.record)).map(|(end, start)| end.abs_diff(start));
        details
            .extend(took.filter(|took| *took >= SOON_MS).map(|took| format!("after {}", for_people(took))));
        details.extend(of_record(end));
    }
    details.join("; ")
}

/// What else a record says.
fn of_record(record: &Record) -> Vec<String> {
    let mut details = Vec::new();
    details.extend(first_line(record));
    let shown = record.get("evidence").and_then(Value::as_array).map_or(0, Vec::len);
    match text(record, "conflict") {
        Some("recent") => details.push("already acted on".to_owned()),
        Some("inFlight") => details.push("being acted on".to_owned()),
        Some("lease") => details.push("held by another call".to_owned()),
        Some("limit") => details.push(limit_of(record)),
        Some(other) => details.push(name(other)),
        None if shown > 0 => details.push("allowed after a pause".to_owned()),
        None => {}
    }
    match text(record, "onConflict") {
        Some("block") => details.push("the rule blocks".to_owned()),
        Some("ask") => details.push("a person is asked".to_owned()),
        Some("note") => details.push("only noted".to_owned()),
        Some(other) => details.push(name(other)),
        None => {}
    }
    if is_observed(record) {
        details.push("only observed".to_owned());
    }
    if let Some(code) = record.get("exitCode").and_then(Value::as_i64) {
        details.push(format!("exit {code}"));
    }
    if let Some(process) = text(record, "process") {
        details.push(format!("process {}", name(process)));
    }
    details.extend(of_view(record));
    if let Some(reason) = text(record, "reason") {
        details.push(said(reason));
    }
    if let Some(window) = record.get("windowMs").and_then(Value::as_u64) {
        details.push(format!("rules look {} back", for_people(window)));
    }
    details
}

/// What records of its kind say in fields that others have for something else.
fn of_view(record: &Record) -> Vec<String> {
    match kind(record).spec().view {
        View::Session => text(record, "event").map(name).into_iter().collect(),
        // A file of the shared context.
        View::Fault => {
            text(record, "path").map_or_else(Vec::new, |path| vec![resource(path), suspects(record)])
        }
        View::Receipt => {
            let pauses = record.get("of").and_then(Value::as_array).map_or(0, Vec::len);
            vec![counted(pauses as u64, "pause")]
        }
        View::Maintenance => record.get("seen").and_then(Value::as_object).map(hooks).into_iter().collect(),
        View::Call
        | View::Stop
        | View::Denial
        | View::End
        | View::Background
        | View::Lease
        | View::Exchange
        | View::Unknown => Vec::new(),
    }
}

/// How many before- and after-hooks were seen, by tool.
fn hooks(seen: &Map<String, Value>) -> String {
    let count = |counts: &Value, name: &str| counts.get(name).and_then(Value::as_u64).unwrap_or(0);
    let tools: Vec<String> = seen
        .iter()
        .map(|(tool, counts)| {
            format!("{} {}/{}", name(tool), count(counts, "before"), count(counts, "after"))
        })
        .collect();
    long(&tools.join(", "))
}

/// What is kept of a command that was only logged. What a guarded call is about is told by its resources.
fn first_line(record: &Record) -> Option<String> {
    let tier = record.get("tier").and_then(Value::as_u64).filter(|tier| *tier < 2);
    let params = tier.and(text(record, "params"))?;
    // As it is where the setting cut it off.
    let command = serde_json::from_str::<Value>(params).ok();
    let command = command.as_ref().and_then(|params| params.get("command")?.as_str()).unwrap_or(params);
    Some(said(command))
}

/// The sessions whose calls may have changed a file.
fn suspects(record: &Record) -> String {
    let suspects = record.get("suspects").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let sessions: BTreeSet<String> =
        suspects.iter().filter_map(|suspect| suspect.get("session")?.as_str()).map(name).collect();
    if sessions.is_empty() {
        return "no call ran meanwhile".to_owned();
    }
    let shown: Vec<String> = sessions.iter().take(MAX_KEYS).cloned().collect();
    let more = sessions.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("calls of {}{more} ran meanwhile", shown.join(", "))
}

fn is_observed(record: &Record) -> bool {
    record.get("observed") == Some(&Value::Bool(true))
}

/// Which limit is reached: of a call that ran all the same, one of those that count it.
fn limit_of(record: &Record) -> String {
    let rules = record.get("limits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let rules: Vec<String> = rules.iter().filter_map(Value::as_str).map(name).collect();
    format!("limit of {} reached", rules.join(" or "))
}

fn text<'a>(record: &'a Record, field: &str) -> Option<&'a str> {
    record.get(field).and_then(Value::as_str)
}
