//! `callosum journal`.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use callosum_core::decision::pause_text::on_machine;
use callosum_core::model::time;
use callosum_core::query::{Filter, Observer, Source};
use callosum_core::record::Action;
use serde_json::{Map, Value, json};

use crate::args::{Args, Wanted};
use crate::output::{
    Failure, counted, json, local_time, long, name, reader_goes_within, resource, said, toned,
};

/// Keys of a record that are shown.
const MAX_KEYS: usize = 3;
/// A column is not made wider than this for the sake of its longest entry.
const MAX_PADDING: usize = 40;

/// How often a followed journal is looked at.
const FOLLOW: Duration = Duration::from_millis(300);
/// What comes at once while a journal is followed.
const MAX_NEWS: usize = 10_000;

pub(crate) fn run(args: &Args, wanted: &Wanted, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let observer = super::observer(args)?;
    let mut filter = filter(wanted, observer.machine().now().wall_ms)?;
    let found = observer.journal(&filter, &observer.machine().now())?;
    if wanted.follow {
        filter.limit = MAX_NEWS;
        return follow(args, &observer, filter, found.entries, out);
    }
    if args.global.json {
        json(out, &found)?;
    } else if found.entries.is_empty() {
        writeln!(out, "No such record in {}.", long(&observer.state_dir().display().to_string()))?;
    } else {
        for_people(&found.entries, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows `entries`, then whatever comes, until the reader goes away.
fn follow(
    args: &Args,
    observer: &Observer,
    mut filter: Filter,
    mut news: Vec<Value>,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    loop {
        if args.global.json {
            news.iter().try_for_each(|entry| json(out, entry))?;
        } else {
            for_people(&news, out)?;
        }
        out.flush()?;
        if let Some(last) = news.last().and_then(|entry| entry.get("seq")).and_then(Value::as_u64) {
            filter.after = Some(last);
        }
        if reader_goes_within(FOLLOW) {
            return Ok(ExitCode::SUCCESS);
        }
        news = observer.journal(&filter, &observer.machine().now())?.entries;
    }
}

/// The filter as the RPC takes it, so that both check it alike.
fn filter(wanted: &Wanted, now_ms: i64) -> Result<Filter, Failure> {
    let since = wanted.since.as_ref().map(|text| super::moment(text, now_ms)).transpose()?;
    let text = json!({
        "limit": wanted.limit,
        "key": wanted.key,
        "session": wanted.session,
        "tool": wanted.tool,
        "tier": wanted.tier,
        "action": wanted.action,
        "since": since,
    });
    Filter::read(&text.to_string()).map_err(|fragment| Failure::CantLook {
        fragment,
        remedy: "see `callosum journal --help`".to_owned(),
    })
}

/// One line a record; columns as wide as what is in them, within reason.
fn for_people(entries: &[Value], out: &mut dyn Write) -> Result<(), Failure> {
    let records: Vec<&Map<String, Value>> = entries.iter().filter_map(Value::as_object).collect();
    let instances: BTreeSet<(Option<&str>, &str)> = records
        .iter()
        .filter(|record| text(record, "session").is_some())
        .filter_map(|record| Some((text(record, "machine"), text(record, "instance")?)))
        .collect();
    let rows: Vec<[String; 6]> = records.iter().map(|record| columns(record, instances.len() > 1)).collect();
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().min(MAX_PADDING).max(*width);
        }
    }
    for (row, record) in rows.iter().zip(&records) {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths).filter(|(_, width)| *width > 0) {
            line.push_str(&toned(&format!("{cell:<width$}")));
            line.push_str("  ");
        }
        line.push_str(&details(record));
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Time, session, tool, action, tier, resources. Two gateways both have a session `agent:main:main`: with
/// several, the session says whose it is.
fn columns(record: &Map<String, Value>, with_instance: bool) -> [String; 6] {
    let named = |field| text(record, field).map(name).unwrap_or_default();
    let mut session = named("session");
    if let (true, false, Some(instance)) = (with_instance, session.is_empty(), text(record, "instance")) {
        session = format!("{session} ({})", on_machine(instance, text(record, "machine")));
    }
    let tier = record.get("tier").and_then(Value::as_u64).map(|tier| format!("tier {tier}"));
    [
        text(record, "timestamp").map(local_time).unwrap_or_default(),
        session,
        named("tool"),
        happened(record),
        tier.unwrap_or_default(),
        keys(record),
    ]
}

/// What a record says happened, in the words of the glossary: the journal calls a start `intercept`, and both a pause and a
/// block `blocked`.
fn happened(record: &Map<String, Value>) -> String {
    let action = text(record, "action").unwrap_or_default();
    let wanted = text(record, "onConflict");
    match (Action::named(action), text(record, "conflict")) {
        (Action::Blocked, Some("lease" | "limit")) => "blocked".to_owned(),
        (Action::Blocked, _) if wanted == Some("block") => "blocked".to_owned(),
        (Action::Blocked, _) => "paused".to_owned(),
        (Action::Intercept, Some(_)) if wanted == Some("ask") && !is_observed(record) => "asked".to_owned(),
        // What a newer version wrote.
        (Action::Other(action), _) => name(&action),
        (known, _) => known.spec().label.to_owned(),
    }
}

fn keys(record: &Map<String, Value>) -> String {
    let listed = record.get("contextKeys").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let all: Vec<&str> = listed.iter().filter_map(Value::as_str).chain(text(record, "contextKey")).collect();
    let mut shown: Vec<String> = all.iter().take(MAX_KEYS).map(|key| resource(key)).collect();
    if all.len() > MAX_KEYS {
        shown.push(format!("and {} more", all.len() - MAX_KEYS));
    }
    shown.join(", ")
}

/// What else matters of a record.
fn details(record: &Map<String, Value>) -> String {
    let mut details = Vec::new();
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
    if let (Some("session"), Some(event)) = (text(record, "action"), text(record, "event")) {
        details.push(name(event));
    }
    if let (Some("context"), Some(path)) = (text(record, "action"), text(record, "path")) {
        details.push(resource(path));
        details.push(suspects(record));
    }
    if let Some(reason) = text(record, "reason") {
        details.push(said(reason));
    }
    if let Some(window) = record.get("windowMs").and_then(Value::as_u64) {
        details.push(format!("rules look {} back", time::for_people(window)));
    }
    if text(record, "action") == Some("delivered") {
        let pauses = record.get("of").and_then(Value::as_array).map_or(0, Vec::len);
        details.push(counted(pauses as u64, "pause"));
    }
    if let (Some("seen"), Some(seen)) =
        (text(record, "action"), record.get("seen").and_then(Value::as_object))
    {
        let count = |counts: &Value, name: &str| counts.get(name).and_then(Value::as_u64).unwrap_or(0);
        let tools: Vec<String> = seen
            .iter()
            .map(|(tool, counts)| {
                format!("{} {}/{}", name(tool), count(counts, "before"), count(counts, "after"))
            })
            .collect();
        details.push(long(&tools.join(", ")));
    }
    details.join("; ")
}

/// The sessions whose calls may have changed a file.
fn suspects(record: &Map<String, Value>) -> String {
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

fn is_observed(record: &Map<String, Value>) -> bool {
    record.get("observed") == Some(&Value::Bool(true))
}

/// Which limit is reached: of a call that ran all the same, one of those that count it.
fn limit_of(record: &Map<String, Value>) -> String {
    let rules = record.get("limits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let rules: Vec<String> = rules.iter().filter_map(Value::as_str).map(name).collect();
    format!("limit of {} reached", rules.join(" or "))
}

fn text<'a>(record: &'a Map<String, Value>, field: &str) -> Option<&'a str> {
    record.get(field).and_then(Value::as_str)
}
