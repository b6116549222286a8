//! Events: published, and read.

use callosum_core::query::Following;
use callosum_core::record::Action;
use serde_json::{Map, Value, json};

use crate::error::{Code, Refusal};
use crate::event::{
    DATA_BYTES, Topics, checked_data, checked_topic, document, gap_document, id, topics as topics_of,
};
use crate::team::newest;
use crate::text;

use super::answers::PublishAnswer;
use super::request::{Events, Publish, limit, read};
use super::{Asker, Desk, Writing};

/// An equal event is not told again within this time, milliseconds.
const THROTTLE_MS: i64 = 5_000;
/// Of what was told within the throttle's time, so much is compared.
const COMPARED: usize = 1_000;
const MAX_FILES: usize = 64;
const PATH_BYTES: usize = 1_024;
const LISTED: usize = 100;
/// Records that are looked through for the newest events, and pieces of the journal for those from a place on.
const LOOKED_AT: usize = 5_000;
const MAX_PIECES: usize = 16;

pub(super) fn publish(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let event: Publish = read(request)?;
    let team = writing.team();
    team.check_on(false)?;
    let (field, named) = topic(&event)?;
    let topic = checked_topic(&named).map_err(|refusal| refusal.of(field))?;
    let is_dry = event.dry_run;
    let data = checked_data(said(event)?)?;
    let mut record = team.actor.record(Action::Event, &team.now);
    record.topic = Some(topic.clone());
    record.document = Some(data);
    let line = serde_json::to_value(&record)
        .map_err(|error| Refusal::new(Code::Limit, error.to_string(), "say it otherwise"))?;
    let is_throttled = was_told(writing, &line)?;
    if !is_dry && !is_throttled {
        team.publish(&record)?;
    }
    let dropped = match (is_dry, is_throttled) {
        (_, true) => Some("an equal one was told within the last 5 seconds"),
        (true, false) => Some("it was only to be shown"),
        (false, false) => None,
    };
    let mut event = match document("", 0, &topic, &line) {
        Value::Object(event) => event,
        _ => Map::new(),
    };
    // Where it stands, whoever watches is told.
    event.remove("seq");
    event.remove("id");
    Ok(json!(PublishAnswer { event, dropped }))
}

/// Under which topic, and the field that says so.
fn topic(event: &Publish) -> Result<(&'static str, String), Refusal> {
    let fields = [("topic", &event.topic), ("type", &event.kind), ("event", &event.event)];
    let named = fields.into_iter().filter_map(|(field, topic)| Some((field, topic.as_ref()?)));
    match named.collect::<Vec<_>>().as_slice() {
        [] => Err(Refusal::field("topic", "expected one such as `calc.discovery`")),
        [(field, first), rest @ ..] if rest.iter().all(|(_, other)| other == first) => {
            Ok((*field, (*first).clone()))
        }
        _ => Err(Refusal::field("topic", "expected the same in `topic`, `type` and `event`")),
    }
}

/// What an event says.
fn said(event: Publish) -> Result<Value, Refusal> {
    let mut data = event.data.unwrap_or_default();
    if let Some(body) = &event.body {
        data.insert("body".to_owned(), text::limited("body", body, DATA_BYTES)?.into());
    }
    if !event.files.is_empty() {
        data.insert("files".to_owned(), text::list("files", &event.files, MAX_FILES, PATH_BYTES)?.into());
    }
    if let Some(repo) = &event.repo {
        data.insert("repo".to_owned(), text::line("repo", repo, PATH_BYTES)?.into());
    }
    let claimed: Map<String, Value> = [
        ("source", event.source),
        ("machine", event.machine),
        ("timestamp", event.timestamp),
        ("ts", event.ts),
        ("session_id", event.session_id),
        ("pane_id", event.pane_id),
        ("cwd", event.cwd),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    .collect();
    if !claimed.is_empty() {
        data.insert("claimed".to_owned(), Value::Object(claimed));
    }
    Ok(Value::Object(data))
}

/// Whether the same one told the same a moment ago.
fn was_told(writing: &Writing<'_>, line: &Value) -> Result<bool, Refusal> {
    let team = writing.team();
    let since = team.now.wall_ms.saturating_sub(THROTTLE_MS);
    let wanted = json!({ "action": "event", "since": since, "limit": COMPARED });
    let lately = newest(team.gate, &wanted, &team.now)?;
    // When it happened is claimed anew each time.
    let same = ["instance", "session", "topic"];
    let document = |entry: &Value| {
        let mut document = entry.get("document").cloned().unwrap_or_default();
        if let Some(claimed) = document.get_mut("claimed").and_then(Value::as_object_mut) {
            claimed.remove("timestamp");
            claimed.remove("ts");
        }
        document
    };
    let is_equal = |entry: &Value| same.iter().all(|field| entry.get(*field) == line.get(*field));
    Ok(lately.iter().any(|entry| is_equal(entry) && document(entry) == document(line)))
}

pub(super) fn events(desk: &Desk<'_>, _: &Asker, request: Value) -> Result<Value, Refusal> {
    let Events { topic, from, limit: wanted } = read(request)?;
    let wanted = limit(wanted, LISTED)?;
    let topics = Topics::read(topic.as_deref()).map_err(|why| Refusal::field("topic", why))?;
    let of = |journal: &str, seq: u64, record: &Value| {
        let topic = topics.first_of(topics_of(record))?;
        Some(document(&id(journal, seq), seq, &topic, record))
    };
    let mut told: Vec<Value> = Vec::new();
    let Some(mut at) = from else {
        let end = desk.source.head(&desk.now)?.head;
        let journal = desk.source.following(end, &desk.now)?.journal.unwrap_or_default();
        let entries = newest(desk.source, &json!({ "limit": LOOKED_AT }), &desk.now)?;
        for entry in entries.iter().rev() {
            let seq = entry.get("seq").and_then(Value::as_u64).unwrap_or(end);
            // What was written since is told next time.
            if seq < end && told.len() < wanted {
                told.extend(of(&journal, seq, entry));
            }
        }
        told.reverse();
        return Ok(json!({ "events": told, "next": end }));
    };
    for _ in 0..MAX_PIECES {
        let read = desk.source.following(at, &desk.now)?;
        if let Some(to) = read.goes_on_at(at).filter(|_| at > 0) {
            told.push(gap_document(at, to));
        }
        let Following { journal, records, next, is_end, .. } = read;
        let journal = journal.unwrap_or_default();
        for (seq, record) in &records {
            if told.len() >= wanted {
                return Ok(json!({ "events": told, "next": seq }));
            }
            told.extend(of(&journal, *seq, record));
        }
        at = next;
        if is_end {
            break;
        }
    }
    Ok(json!({ "events": told, "next": at }))
}
