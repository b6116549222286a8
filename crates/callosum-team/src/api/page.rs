//! What sessions do together, as a person looks at it on the page.

use callosum_core::model::error::QueryError;
use callosum_core::model::redact::redact;
use callosum_core::model::text::one_line;
use callosum_core::model::time::{Stamp, from_rfc3339, to_rfc3339};
use callosum_core::query::{Filter, Session, Source};
use callosum_core::record::Action;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::Refusal;
use crate::message::{Intent, Mail, Message, Receipt};
use crate::switch;
use crate::task::Task;
use crate::team::{self, Sessions};
use crate::who::Who;

use super::request::read;
use super::{Asker, Desk};

/// What is shown at most: the first tasks, the newest of the rest.
const MOST_TASKS: usize = 500;
const MOST_MESSAGES: usize = 200;
const MOST_SESSIONS: usize = 500;
const MOST_EVENTS: usize = 200;
/// Characters of a text, of which the page may show less.
const TEXT_CHARS: usize = 2_000;
/// So far back events are told, milliseconds; and pieces of the journal that are looked through for them, some 30 ms each.
const EVENTS_MS: i64 = 7 * 24 * 3_600_000;
const MOST_PIECES: usize = 8;

/// What is wanted besides tasks and messages: these are read out of the journal.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    /// The sessions of the last day.
    sessions: bool,
    /// What was published.
    events: bool,
}

/// What is shown.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Overview {
    /// Whether sessions work together here.
    on: bool,
    /// The tasks, in their order.
    tasks: Vec<Task>,
    /// How many are not listed.
    more_tasks: usize,
    /// The messages, the newest first.
    messages: Vec<Mailed>,
    /// How many are not listed.
    more_messages: usize,
    /// How many wait for somebody to read them.
    unread: usize,
    /// The sessions, the latest first; null where they are not wanted.
    sessions: Option<Vec<Session>>,
    /// What was published, the newest first; null where it is not wanted.
    events: Option<Events>,
}

/// A message, and what became of it for each of those that it went to.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Mailed {
    id: String,
    thread: String,
    from: Who,
    to: String,
    role: Option<String>,
    intent: Intent,
    urgent: bool,
    body: String,
    at: String,
    expires_at: String,
    receipts: Vec<Received>,
}

/// A receipt.
#[derive(Debug, Serialize)]
struct Received {
    instance: String,
    session: String,
    state: Receipt,
    /// When that was; none while it waits.
    at: Option<String>,
}

/// Events that were published.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Events {
    /// The newest first.
    events: Vec<Published>,
    /// How far back was looked: RFC 3339.
    since: String,
}

/// An event.
#[derive(Debug, Serialize)]
struct Published {
    seq: Value,
    at: Value,
    topic: String,
    instance: Value,
    session: Value,
    runtime: Value,
    text: String,
}

pub(super) fn page(desk: &Desk<'_>, _: &Asker, request: Value) -> Result<Value, Refusal> {
    let wanted: Wanted = read(request)?;
    let (source, now) = (desk.source, &desk.now);
    // Whose holders live is read out of a day's journal: not where there is no task.
    let has_tasks = !source.standing(&Action::Task, now)?.is_empty();
    let mut tasks = if has_tasks { team::tasks(source, desk.machine, now)? } else { Vec::new() };
    let more_tasks = tasks.len().saturating_sub(MOST_TASKS);
    tasks.truncate(MOST_TASKS);
    tasks.iter_mut().for_each(Task::look_at_output);
    tasks.iter_mut().for_each(limit);
    let standing = source.standing(&Action::Message, now)?;
    let mail = Mail::new(&standing, *now);
    let unread = mail.waiting();
    let all = mail.all();
    let more_messages = all.len().saturating_sub(MOST_MESSAGES);
    let newest = all.into_iter().rev().take(MOST_MESSAGES).cloned();
    let messages = newest.map(|one| mailed(one, now.wall_ms)).collect();
    let sessions = wanted.sessions.then(|| Sessions::read(source, now)).transpose()?;
    let sessions = sessions.map(|sessions| sessions.all.into_iter().take(MOST_SESSIONS).collect());
    let events = wanted.events.then(|| events(source, now)).transpose()?;
    let on = switch::is_on(desk.state_dir);
    Ok(json!(Overview { on, tasks, more_tasks, messages, more_messages, unread, sessions, events }))
}

fn cut(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(TEXT_CHARS) {
        text.truncate(end);
        text.push('…');
    }
}

fn limit(task: &mut Task) {
    cut(&mut task.prompt);
    task.result.iter_mut().chain(task.why.iter_mut()).for_each(cut);
    task.notes.clear();
    task.bridge.clear();
}

fn mailed(message: Message, now_ms: i64) -> Mailed {
    let receipts = message.recipients.iter().map(|to| {
        let who = Who { instance: to.instance.clone(), session: to.session.clone(), ..Who::default() };
        let state = message.receipt(&who, now_ms);
        let at = match state {
            Receipt::Acknowledged => to.acknowledged_at.clone(),
            Receipt::Shown => to.shown_at.clone(),
            Receipt::Sent | Receipt::Expired => None,
        };
        Received { instance: who.instance, session: who.session, state, at }
    });
    let receipts = receipts.collect();
    let Message { id, thread, from, to, role, intent, urgent, mut body, at, expires_at, .. } = message;
    cut(&mut body);
    Mailed { id, thread, from, to, role, intent, urgent, body, at, expires_at, receipts }
}

fn events(source: &dyn Source, now: &Stamp) -> Result<Events, QueryError> {
    let since_ms = now.wall_ms.saturating_sub(EVENTS_MS);
    let mut found: Vec<Published> = Vec::new();
    let mut before = None;
    let mut reached_ms = since_ms;
    for piece in 1..=MOST_PIECES {
        let filter = Filter {
            limit: MOST_EVENTS,
            action: Some("event".to_owned()),
            since: Some(since_ms.into()),
            before,
            budget: true,
            ..Filter::default()
        };
        let page = source.journal(&filter, now)?;
        found.extend(page.entries.iter().rev().filter_map(published));
        before = page.next;
        let is_full = found.len() >= MOST_EVENTS;
        if before.is_none() {
            break;
        }
        if is_full || piece == MOST_PIECES {
            // What is older was not looked at.
            let oldest = found.last().and_then(|event| from_rfc3339(event.at.as_str()?));
            reached_ms = oldest.unwrap_or(now.wall_ms);
            break;
        }
    }
    found.truncate(MOST_EVENTS);
    Ok(Events { events: found, since: to_rfc3339(reached_ms) })
}

fn published(record: &Value) -> Option<Published> {
    let document = record.get("document");
    let said = ["body", "content", "text", "title"].iter().find_map(|name| document?.get(name)?.as_str());
    let text = said.map_or_else(|| document.map(Value::to_string).unwrap_or_default(), str::to_owned);
    let field = |name: &str| record.get(name).cloned().unwrap_or_default();
    Some(Published {
        seq: record.get("seq")?.clone(),
        at: record.get("timestamp")?.clone(),
        topic: one_line(record.get("topic")?.as_str()?, 100),
        instance: field("instance"),
        session: field("session"),
        runtime: field("runtime"),
        text: one_line(&redact(&text), TEXT_CHARS),
    })
}
