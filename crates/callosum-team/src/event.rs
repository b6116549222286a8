//! Records of the journal as events: under which topics, in which forms, and which topics are wanted.

use callosum_core::record::kind::Topic;
use callosum_core::record::{Action, blocks_as_written};
use serde_json::{Value, json};

use crate::changes::{MESSAGE, TASK};
use crate::error::{Code, Refusal};
use crate::names::Names;
use crate::text::{redacted, too_much};

/// Topics that one reader may ask for, and bytes of one.
const MAX_TOPICS: usize = 32;
const MAX_TOPIC: usize = 100;
/// What topics begin with that only records of the journal have, each with what may stand behind it. Nothing is told of machines yet.
const RESERVED: [(&str, &[&str]); 8] = [
    ("call", &["started", "paused", "blocked", "denied", "running", "read", "ended"]),
    ("session", &["start", "prompt", "idle", "waiting", "stuck", "compacting", "end"]),
    ("lease", &["taken", "renewed", "released"]),
    ("journal", &["seen", "unreadable", "rules", "lost", "pruned", "opened", "closed"]),
    ("task", &TASK),
    ("message", &MESSAGE),
    ("machine", &[]),
    ("context", &["tampered"]),
];
/// Topics that tasks and messages have.
const VIEWS: [&str; 4] = ["agent.task_complete", "calc.task_handoff", "calc.request", "calc.ack"];

/// Which events are wanted; all when there is none.
#[derive(Clone, Debug, Default)]
pub struct Topics(Vec<String>);

impl Topics {
    /// Topics with commas between them: `*` stands for one part of a topic, `**` at the end for all that follow, and `*` alone for
    /// everything.
    ///
    /// # Errors
    /// What is expected, also where nothing could ever be told under a topic.
    pub fn read(text: Option<&str>) -> Result<Self, String> {
        let Some(text) = text else { return Ok(Self::default()) };
        let topics = text.split(',').map(str::trim).filter(|topic| !topic.is_empty());
        let topics: Vec<String> = topics.map(str::to_owned).collect();
        let is_topic = |topic: &String| {
            let mut parts = topic.split('.').peekable();
            let mut is_right = topic.len() <= MAX_TOPIC;
            while let Some(part) = parts.next() {
                let is_last = parts.peek().is_none();
                is_right &= part == "*" || (part == "**" && is_last) || is_part(part);
            }
            is_right
        };
        if topics.is_empty() || topics.len() > MAX_TOPICS || !topics.iter().all(is_topic) {
            return Err(
                "expected at most 32 topics such as `call.paused`, `call.*` or `calc.**`, with commas between them"
                    .to_owned(),
            );
        }
        match topics.iter().find_map(|topic| Some((topic, expected_for(topic)?))) {
            Some((topic, expected)) => Err(format!("nothing is ever told under `{topic}`: {expected}")),
            None => Ok(Self(topics)),
        }
    }

    /// Whether this topic is wanted.
    #[must_use]
    pub fn want(&self, topic: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|wanted| fits(wanted, topic))
    }

    /// The topic under which a record is wanted that has these, if it is.
    #[must_use]
    pub fn first_of(&self, topics: Vec<String>) -> Option<String> {
        topics.into_iter().find(|topic| self.want(topic))
    }
}

/// What to write instead of a topic under which nothing can be told, if it is one. Everybody may publish under a beginning that is
/// not reserved.
fn expected_for(topic: &str) -> Option<String> {
    let first = topic.split('.').next().unwrap_or_default();
    let Some((_, words)) = RESERVED.iter().find(|(reserved, _)| *reserved == first) else {
        let is_one_part = first == topic && is_part(topic);
        return is_one_part.then(|| format!("a topic has two or more parts; expected `{topic}.*`"));
    };
    if words.iter().any(|word| fits(topic, &format!("{first}.{word}"))) {
        return None;
    }
    Some(match words {
        [] => format!("there are no events of `{first}`"),
        words => format!("expected `{first}.*`, or `{first}.` and one of {}", words.join(", ")),
    })
}

fn is_part(part: &str) -> bool {
    !part.is_empty()
        && part
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte))
}

fn fits(wanted: &str, topic: &str) -> bool {
    if wanted == "*" {
        return true;
    }
    let (mut wanted, mut parts) = (wanted.split('.'), topic.split('.'));
    loop {
        match (wanted.next(), parts.next()) {
            (Some("**"), _) | (None, None) => return true,
            (Some("*"), Some(_)) => {}
            (Some(wanted), Some(part)) if wanted == part => {}
            _ => return false,
        }
    }
}

/// A topic that something may be published under.
///
/// # Errors
/// When it is none, or means something that only happens.
pub fn checked_topic(topic: &str) -> Result<String, Refusal> {
    let parts: Vec<&str> = topic.split('.').collect();
    if topic.len() > MAX_TOPIC || parts.len() < 2 || !parts.iter().all(|part| is_part(part)) {
        let message =
            "expected two or more parts of small letters, digits, `_` and `-`, with dots between them";
        return Err(Refusal::field("topic", format!("{message}, such as `calc.discovery`")));
    }
    if parts.first().is_some_and(|first| RESERVED.iter().any(|(reserved, _)| reserved == first))
        || VIEWS.contains(&topic)
    {
        let message = format!("`{topic}` is told when it happens, and published by nobody");
        return Err(Refusal::new(Code::Policy, message, "use a task or a message, or another topic"));
    }
    Ok(topic.to_owned())
}

/// The id of an event: from it another connection goes on.
#[must_use]
pub fn id(journal: &str, seq: u64) -> String {
    format!("{journal}:{seq}")
}

/// What a record is about: a topic, or several where it is seen in several ways. None for what is no event, such as a record that was
/// only carried on.
#[must_use]
pub fn topics(record: &Value) -> Vec<String> {
    let Some(record) = record.as_object() else { return Vec::new() };
    let text = |name: &str| record.get(name).and_then(Value::as_str).unwrap_or_default();
    let of_document = |name: &str| {
        record
            .get("document")
            .and_then(|document| document.get(name))
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let one = |topic: &str| vec![topic.to_owned()];
    match Action::named(text("action")).spec().topic {
        Topic::Fixed(topic) => one(topic),
        Topic::Stop { paused, blocked } => {
            let is_block = blocks_as_written(Some(text("conflict")), Some(text("onConflict")));
            one(if is_block { blocked } else { paused })
        }
        Topic::Event(first) => vec![format!("{first}.{}", text("event"))],
        Topic::Kind(first) => vec![format!("{first}.{}", text("action"))],
        Topic::Named => one(text("topic")),
        Topic::Untold => Vec::new(),
        Topic::Task => match of_document("did") {
            "kept" => Vec::new(),
            "completed" => vec!["task.completed".to_owned(), "agent.task_complete".to_owned()],
            "handedoff" => vec!["task.handedoff".to_owned(), "calc.task_handoff".to_owned()],
            did => vec![format!("task.{did}")],
        },
        Topic::Message => match (of_document("did"), of_document("intent")) {
            ("sent", "request") => vec!["message.sent".to_owned(), "calc.request".to_owned()],
            ("acknowledged", _) | ("sent", "ack") => {
                vec![format!("message.{}", of_document("did")), "calc.ack".to_owned()]
            }
            (did, _) => vec![format!("message.{did}")],
        },
    }
}

/// What an event says: what was written, without how it is kept. Of a message, not what it says: that is for whom it is for.
fn data(record: &Value) -> Value {
    let action = record.get("action").and_then(Value::as_str).unwrap_or_default();
    let document = match Action::named(action).spec().topic {
        Topic::Task | Topic::Named => record.get("document").cloned(),
        Topic::Message => record.get("document").and_then(Value::as_object).map(|message| {
            let mut message = message.clone();
            message.remove("body");
            Value::Object(message)
        }),
        Topic::Fixed(_) | Topic::Stop { .. } | Topic::Event(_) | Topic::Kind(_) | Topic::Untold => None,
    };
    document.unwrap_or_else(|| record.clone())
}

/// An event, as it is told.
#[must_use]
pub fn document(id: &str, seq: u64, topic: &str, record: &Value) -> Value {
    let from = json!({
        "machine": record.get("machine"),
        "instance": record.get("instance"),
        "runtime": record.get("runtime"),
        "agent": record.get("agent"),
        "session": record.get("session"),
        "via": record.get("via"),
    });
    json!({
        "seq": seq, "id": id, "topic": topic, "at": record.get("timestamp"), "from": from, "data": data(record),
    })
}

/// What was pruned, or is of a journal that is gone, from one place to another.
#[must_use]
pub fn gap_document(from: u64, to: u64) -> Value {
    json!({ "gap": { "from": from, "to": to } })
}

/// The same event in the form of CALC's event bus.
#[must_use]
pub fn calc(topic: &str, record: &Value, names: &Names, at_ms: i64) -> Value {
    let text = |name: &str| record.get(name).and_then(Value::as_str);
    let source = text("runtime").map_or("callosum", |runtime| names.source(runtime));
    // Whole seconds and their thousandths are exact up to the year 9999.
    let ts = at_ms as f64 / 1_000.0;
    json!({
        "type": topic,
        "event": topic,
        "source": source,
        "machine": text("machine"),
        "timestamp": text("timestamp"),
        "ts": ts,
        "session_id": text("session"),
        "pane_id": null,
        "cwd": null,
        "payload": data(record),
    })
}

/// The resources that a record is about.
pub fn keys_of(record: &Value) -> impl Iterator<Item = &str> {
    let several = record.get("contextKeys").and_then(Value::as_array).into_iter().flatten();
    several.chain(record.get("contextKey")).filter_map(Value::as_str)
}

/// What CloudEvents 1.0.2 says of every event, in structured mode, with this as its data.
#[must_use]
pub fn cloud_event(journal: &str, id: &str, topic: &str, data: Value) -> Value {
    json!({
        "specversion": "1.0",
        "id": id,
        "source": format!("urn:callosum:{journal}"),
        "type": format!("callosum.{topic}"),
        "datacontenttype": "application/json",
        "data": data,
    })
}

/// A record as a CloudEvent.
#[must_use]
pub fn cloud_event_of(journal: &str, seq: u64, topic: &str, record: &Value) -> Value {
    let id = id(journal, seq);
    let mut event = cloud_event(journal, &id, topic, document(&id, seq, topic, record));
    if let Some(event) = event.as_object_mut() {
        if let Some(at) = record.get("timestamp") {
            event.insert("time".to_owned(), at.clone());
        }
        if let Some(key) = keys_of(record).next() {
            event.insert("subject".to_owned(), key.into());
        }
    }
    event
}

/// The most that an event may say, bytes of JSON.
pub const DATA_BYTES: usize = 4 * 1024;

/// What an event says, its secrets removed.
///
/// # Errors
/// When it is no object, or says too much.
pub fn checked_data(data: Value) -> Result<Value, Refusal> {
    let bytes = data.to_string().len();
    if bytes > DATA_BYTES {
        let message = format!("it has {bytes} bytes, and at most {DATA_BYTES} are allowed");
        return Err(too_much("data", &message, "write it to a file and name that"));
    }
    if !data.is_object() {
        return Err(Refusal::field("data", "expected an object, such as `{\"name\": …}`"));
    }
    Ok(redacted(data))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
    use std::collections::BTreeSet;

    use callosum_core::record::SessionEvent;

    use super::*;

    #[test]
    fn a_star_stands_for_one_part_and_two_at_the_end_for_the_rest() {
        let topics = Topics::read(Some("call.*, lease.released,calc.**")).unwrap();
        for (topic, wanted) in [
            ("call.paused", true),
            ("call.paused.twice", false),
            ("lease.released", true),
            ("lease.taken", false),
            ("callous", false),
            ("calc.discovery", true),
            ("calc.a.b", true),
        ] {
            assert_eq!(topics.want(topic), wanted, "{topic}");
        }
        for all in [None, Some("*")] {
            assert!(Topics::read(all).unwrap().want("any.thing"));
        }
        for wrong in ["", " ,", "A", "call paused", "call.*x", "**.a", "a..b", &"a,".repeat(40), "\u{e9}"] {
            assert!(Topics::read(Some(wrong)).is_err(), "{wrong}");
        }
        for never in [
            "call.pausd",
            "call",
            "nope",
            "lease.*.x",
            "task.done",
            "task.kept",
            "machine.*",
            "call.paused,context.changed",
        ] {
            let why = Topics::read(Some(never)).unwrap_err();
            assert!(why.starts_with("nothing is ever told under `"), "{never}: {why}");
        }
        for told in
            ["*.paused", "call.**", "task.beat", "calls.paused", "calc.task_handoff", "agent.task_complete"]
        {
            assert!(Topics::read(Some(told)).is_ok(), "{told}");
        }
    }

    #[test]
    fn what_only_happens_is_published_by_nobody() {
        assert!(checked_topic("calc.discovery").is_ok() && checked_topic("gsd.step.done").is_ok());
        for (topic, code) in [
            ("task.completed", Code::Policy),
            ("calc.request", Code::Policy),
            ("one", Code::BadRequest),
            ("", Code::BadRequest),
            ("a.B", Code::BadRequest),
            ("a.*", Code::BadRequest),
        ] {
            assert_eq!(checked_topic(topic).unwrap_err().code, code, "{topic}");
        }
    }

    #[test]
    fn what_no_retry_helps_is_told_as_blocked() {
        let of = |record: Value| topics(&record);
        for (said, topic) in [
            (json!({ "conflict": "recent" }), "call.paused"),
            (json!({ "conflict": "inFlight", "onConflict": "ask" }), "call.paused"),
            (json!({ "conflict": "lease" }), "call.blocked"),
            (json!({ "conflict": "limit" }), "call.blocked"),
            (json!({ "conflict": "recent", "onConflict": "block" }), "call.blocked"),
        ] {
            let mut record = said.clone();
            record["action"] = json!("blocked");
            assert_eq!(of(record), [topic], "{said}");
        }
    }

    const EVENTS: [SessionEvent; 8] = [
        SessionEvent::Start,
        SessionEvent::Prompt,
        SessionEvent::Idle,
        SessionEvent::Waiting,
        SessionEvent::Stuck,
        SessionEvent::Compacting,
        SessionEvent::End,
        SessionEvent::Tampered,
    ];

    /// The first part of its topic. One more stands in [`EVENTS`], too.
    fn happens_to(event: &SessionEvent) -> &'static str {
        match event {
            SessionEvent::Start
            | SessionEvent::Prompt
            | SessionEvent::Idle
            | SessionEvent::Waiting
            | SessionEvent::Stuck
            | SessionEvent::Compacting
            | SessionEvent::End => "session",
            SessionEvent::Tampered => "context",
            SessionEvent::Other(_) => "",
        }
    }

    /// What records of the journal may say that decides their topics, of a kind with such topics.
    fn forms(kind: &Action) -> Vec<Value> {
        let with = |field: &str, words: &[&str]| -> Vec<Value> {
            let form = |word: &&str| json!({ "action": kind.name(), field: word });
            words.iter().map(form).collect()
        };
        let done = |words: &[&str]| -> Vec<Value> {
            let form = |word: &&str| json!({ "action": kind.name(), "document": { "did": word } });
            words.iter().map(form).collect()
        };
        match kind.spec().topic {
            Topic::Fixed(_) | Topic::Kind(_) | Topic::Untold => vec![json!({ "action": kind.name() })],
            Topic::Stop { .. } => with("conflict", &["recent", "inFlight", "lease", "limit"]),
            Topic::Event(first) => EVENTS
                .iter()
                .filter(|event| happens_to(event) == first)
                .map(|event| json!({ "action": kind.name(), "event": event }))
                .collect(),
            Topic::Named => with("topic", &["calc.discovery"]),
            Topic::Task => done(&TASK),
            Topic::Message => done(&MESSAGE),
        }
    }

    /// A reader may ask for what is told of every kind, and a reserved topic is one that something is told under.
    #[test]
    fn what_every_kind_is_told_under_is_reserved_and_nothing_else() {
        let told: BTreeSet<String> =
            Action::KNOWN.iter().flat_map(forms).flat_map(|record| topics(&record)).collect();
        for topic in &told {
            assert_eq!(expected_for(topic), None, "{topic}");
        }
        let reserved: BTreeSet<String> = RESERVED
            .iter()
            .flat_map(|(first, words)| words.iter().map(move |word| format!("{first}.{word}")))
            .collect();
        assert_eq!(reserved.difference(&told).collect::<Vec<_>>(), [""; 0]);
        let others = told.difference(&reserved).map(String::as_str);
        assert_eq!(
            others.collect::<Vec<_>>(),
            ["agent.task_complete", "calc.ack", "calc.discovery", "calc.task_handoff"]
        );
    }

    #[test]
    fn a_record_has_the_topics_of_all_that_it_is() {
        let of = |record: Value| topics(&record);
        let task = |did: &str| json!({ "action": "task", "document": { "did": did } });
        assert_eq!(of(task("completed")), ["task.completed", "agent.task_complete"]);
        assert_eq!(of(task("handedoff")), ["task.handedoff", "calc.task_handoff"]);
        assert_eq!(of(task("kept")), [""; 0]);
        assert_eq!(
            of(json!({ "action": "carried", "kind": "task", "document": { "did": "created" } })),
            [""; 0]
        );
        let message =
            json!({ "action": "message", "document": { "did": "sent", "intent": "request", "body": "x" } });
        assert_eq!(of(message.clone()), ["message.sent", "calc.request"]);
        assert!(document("j:1", 1, "calc.request", &message).pointer("/data/body").is_none());
        assert_eq!(of(json!({ "action": "event", "topic": "calc.discovery" })), ["calc.discovery"]);
        assert_eq!(of(json!({ "action": "pruned" })), ["journal.pruned"]);
    }
}
