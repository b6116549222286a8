//! `callosum publish` and `watch`.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use callosum_core::model::time::from_rfc3339;
use callosum_core::query::Source;
use callosum_team::api::Desk;
use callosum_team::error::Refusal;
use callosum_team::event::{Topics, calc, cloud_event_of, document, gap_document, id, topics};
use callosum_team::names::Names;
use serde_json::{Value, json};

use crate::args::Args;
use crate::output::{Failure, json, name, reader_goes_within};

use super::words::{Format, Publish, Watch};
use super::{Answer, ask, looking};

/// How often the journal is looked at.
const LOOK: Duration = Duration::from_millis(50);
pub(super) fn publish(args: &Args, event: &Publish, out: &mut dyn Write) -> Answer {
    let data: Option<Value> = match &event.data {
        None => None,
        Some(text) => Some(
            serde_json::from_str(text)
                .map_err(|error| Refusal::field("data", format!("expected a JSON object: {error}")))?,
        ),
    };
    let request = json!({
        "topic": event.topic, "data": data, "body": event.body, "files": event.files, "repo": event.repo,
        "dryRun": event.dry_run,
    });
    let answer = ask(args, "publish", request)?;
    if args.global.json {
        json(out, &answer)?;
    } else {
        match answer.get("dropped").and_then(Value::as_str) {
            Some(why) => writeln!(out, "Not published: {why}.")?,
            None => writeln!(out, "Published under {}.", name(&event.topic))?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn watch(args: &Args, wanted: &Watch, out: &mut dyn Write) -> Answer {
    let (view, now) = looking(args)?;
    let wrong =
        |message: String, remedy: &str| Failure::CantLook { fragment: message, remedy: remedy.to_owned() };
    let picked =
        Topics::read(wanted.topic.as_deref()).map_err(|why| wrong(why, "see `callosum watch --help`"))?;
    let names = Names::of(&Desk::of_view(&view, now).routes()?);
    let end = view.head(&now)?.head;
    let (mut at, from_ms) = match wanted.since.as_deref() {
        None => (end, None),
        Some(text) => match text.parse::<u64>() {
            Ok(seq) => (seq, None),
            Err(_) => (0, Some(super::super::moment(text, now.wall_ms)?)),
        },
    };
    let mut journal: Option<String> = None;
    loop {
        let read = view.following(at, &view.machine().now())?;
        if journal.is_some() && read.journal.is_some() && journal != read.journal {
            // Another journal stands there: what the last one had behind this nobody can tell.
            json(out, &gap_document(at, read.oldest))?;
            (journal, at) = (read.journal, read.oldest);
            continue;
        }
        if let Some(to) = read.goes_on_at(at).filter(|_| at > 0) {
            json(out, &gap_document(at, to))?;
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
