//! `callosum publish` and `watch`.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use callosum_core::model::time::from_rfc3339;
use callosum_core::query::{Filter, Source};
use callosum_core::record::Action;
use callosum_team::error::{Code, Refusal};
use callosum_team::event::{
    Topics, calc, checked_data, checked_topic, cloud_event_of, document, gap_document, id, topics,
};
use callosum_team::text;
use serde_json::{Map, Value, json};

use crate::args::Args;
use crate::output::{Failure, json, name, reader_goes_within};

use super::words::{Format, Publish, Watch};
use super::{Answer, Writer, looking, names, routes};

/// An equal event is not told again within this time, milliseconds.
const THROTTLE_MS: i64 = 5_000;
/// How often the journal is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// Of what was told within the throttle's time, so much is compared.
const COMPARED: usize = 1_000;
const MAX_FILES: usize = 64;
const PATH_BYTES: usize = 1_024;

pub(super) fn publish(args: &Args, event: &Publish, out: &mut dyn Write) -> Answer {
    let writer = Writer::new(args)?;
    let team = writer.team();
    team.check_on(false)?;
    let topic = checked_topic(&event.topic)?;
    let data = checked_data(said(event)?)?;
    let mut record = writer.actor.who.record(Action::Event, &writer.now);
    record.topic = Some(topic.clone());
    record.document = Some(data);
    let line = serde_json::to_value(&record).map_err(Failure::from)?;
    let is_throttled = was_told(&writer, &line)?;
    if !event.dry_run && !is_throttled {
        team.publish(&record)?;
    }
    let dropped = match (event.dry_run, is_throttled) {
        (_, true) => Some("an equal one was told within the last 5 seconds"),
        (true, false) => Some("it was only to be shown"),
        (false, false) => None,
    };
    if args.global.json {
        let mut told = document("", 0, &topic, &line);
        if let Some(told) = told.as_object_mut() {
            // Where it stands, whoever watches is told.
            told.remove("seq");
            told.remove("id");
        }
        json(out, &json!({ "event": told, "dropped": dropped }))?;
    } else {
        match dropped {
            Some(why) => writeln!(out, "Not published: {why}.")?,
            None => writeln!(out, "Published under {}.", name(&topic))?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What an event says.
fn said(event: &Publish) -> Result<Value, Refusal> {
    let mut data = match &event.data {
        None => Map::new(),
        Some(text) => serde_json::from_str(text).map_err(|error| {
            Refusal::new(Code::Limit, format!("the data is no JSON object: {error}"), "write `{\"name\": …}`")
        })?,
    };
    if let Some(body) = &event.body {
        data.insert("body".to_owned(), text::limited("body", body, callosum_team::event::DATA_BYTES)?.into());
    }
    if !event.files.is_empty() {
        data.insert("files".to_owned(), text::list("files", &event.files, MAX_FILES, PATH_BYTES)?.into());
    }
    if let Some(repo) = &event.repo {
        data.insert("repo".to_owned(), text::line("repository", repo, PATH_BYTES)?.into());
    }
    Ok(Value::Object(data))
}

/// Whether the same one told the same a moment ago.
fn was_told(writer: &Writer, line: &Value) -> Result<bool, Refusal> {
    let since = writer.now.wall_ms.saturating_sub(THROTTLE_MS);
    let filter = json!({ "action": "event", "since": since, "limit": COMPARED }).to_string();
    let filter = Filter::read(&filter).map_err(|why| Refusal::new(Code::Limit, why, "try again"))?;
    let lately = writer.gate.journal(&filter, &writer.now)?.entries;
    let same = ["instance", "session", "topic", "document"];
    Ok(lately.iter().any(|entry| same.iter().all(|field| entry.get(*field) == line.get(*field))))
}

pub(super) fn watch(args: &Args, wanted: &Watch, out: &mut dyn Write) -> Answer {
    let (observer, now) = looking(args)?;
    let wrong =
        |message: String, remedy: &str| Failure::CantLook { fragment: message, remedy: remedy.to_owned() };
    let picked = Topics::read(wanted.topic.as_deref())
        .map_err(|why| wrong(why.to_owned(), "see `callosum watch --help`"))?;
    let names = names(&routes(observer.state_dir())?);
    let end = observer.head(&now)?.head;
    let (mut at, from_ms) = match wanted.since.as_deref() {
        None => (end, None),
        Some(text) => match text.parse::<u64>() {
            Ok(seq) => (seq, None),
            Err(_) => (0, Some(super::super::moment(text, now.wall_ms)?)),
        },
    };
    let mut journal: Option<String> = None;
    loop {
        let read = observer.following(at, &observer.machine().now())?;
        if journal.is_some() && read.journal.is_some() && journal != read.journal {
            // Another journal stands there: what the last one had behind this nobody can tell.
            json(out, &gap_document(at, read.oldest))?;
            (journal, at) = (read.journal, read.oldest);
            continue;
        }
        if at > 0 && read.oldest > at {
            json(out, &gap_document(at, read.oldest))?;
        }
        journal = read.journal.or(journal);
        let whose = journal.as_deref().unwrap_or_default();
        for (seq, record) in &read.records {
            let at_ms = record.get("timestamp").and_then(Value::as_str).and_then(from_rfc3339).unwrap_or(0);
            if from_ms.is_some_and(|from_ms| at_ms < from_ms) {
                continue;
            }
            let Some(topic) = picked.first_of(topics(record)) else { continue };
            let event = match wanted.format {
                Format::Record => document(&id(whose, *seq), *seq, &topic, record),
                Format::Calc => calc(&topic, record, &names, at_ms),
                Format::Cloudevents => cloud_event_of(whose, *seq, &topic, record),
            };
            json(out, &event)?;
        }
        at = read.next;
        if !read.is_end {
            continue;
        }
        out.flush()?;
        if wanted.once || reader_goes_within(LOOK) {
            return Ok(ExitCode::SUCCESS);
        }
    }
}
