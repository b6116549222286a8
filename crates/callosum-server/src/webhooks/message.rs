//! What is posted: a record, or a gap, as a CloudEvent or as a message of a Discord channel.

use axum::body::Bytes;
use callosum_core::model::text::one_line;
use serde_json::{Value, json};

use crate::events::{document, gap_document, id, keys_of};

use super::settings::Format;

/// Units of UTF-16 that a message in Discord may have: it counts characters, of which there are never more.
const MAX_CONTENT: usize = 2_000;
/// Characters of a value that are shown there.
const MAX_VALUE: usize = 200;
/// Resources that are named there.
const MAX_KEYS: usize = 5;

/// What is posted once, however often it has to be tried.
#[derive(Debug)]
pub(super) struct Message {
    /// The same at each try, and no other message's.
    pub(super) id: String,
    pub(super) content_type: &'static str,
    pub(super) body: Bytes,
}

impl Message {
    /// A record of the journal.
    pub(super) fn of_record(format: Format, journal: &str, seq: u64, topic: &str, record: &Value) -> Self {
        let id = id(journal, seq);
        match format {
            Format::CloudEvents => {
                let data = document(&id, seq, topic, record);
                let mut event = cloud_event(journal, &id, topic, data);
                if let (Some(event), Some(at)) = (event.as_object_mut(), record.get("timestamp")) {
                    event.insert("time".to_owned(), at.clone());
                }
                if let (Some(event), Some(key)) = (event.as_object_mut(), keys_of(record).next()) {
                    event.insert("subject".to_owned(), key.into());
                }
                Self::new(id, CLOUD_EVENT, &event)
            }
            Format::Discord => Self::new(id, JSON, &discord(&content(topic, record))),
        }
    }

    /// What is gone, from one place of the journal to another.
    pub(super) fn of_gap(format: Format, journal: &str, from: u64, to: u64) -> Self {
        let id = format!("{}-{to}", id(journal, from));
        match format {
            Format::CloudEvents => {
                let event = cloud_event(journal, &id, "gap", gap_document(from, to));
                Self::new(id, CLOUD_EVENT, &event)
            }
            Format::Discord => {
                let text = format!(
                    "**gap** What the journal had from {from} to {to} is there no longer and was not told here."
                );
                Self::new(id, JSON, &discord(&text))
            }
        }
    }

    fn new(id: String, content_type: &'static str, document: &Value) -> Self {
        Self { id, content_type, body: document.to_string().into() }
    }
}

const CLOUD_EVENT: &str = "application/cloudevents+json; charset=utf-8";
const JSON: &str = "application/json";

/// The attributes that every one has: CloudEvents 1.0.2, in structured mode.
fn cloud_event(journal: &str, id: &str, topic: &str, data: Value) -> Value {
    json!({
        "specversion": "1.0",
        "id": id,
        "source": format!("urn:callosum:{journal}"),
        "type": format!("callosum.{topic}"),
        "datacontenttype": JSON,
        "data": data,
    })
}

/// A message that mentions nobody, whatever it says.
fn discord(content: &str) -> Value {
    json!({ "content": cut(content), "allowed_mentions": { "parse": [] } })
}

/// A record for people. What agents wrote stands in it as it is, without any markup, on lines that begin with our words.
fn content(topic: &str, record: &Value) -> String {
    let field =
        |name: &str| record.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(as_it_is);
    let mut text = format!("**{}**", as_it_is(topic));
    if let Some(tool) = field("tool") {
        text.extend([" of ", &tool]);
    }
    if let Some(tier) = record.get("tier").and_then(Value::as_u64) {
        text.extend([", tier ", &tier.to_string()]);
    }
    for key in keys_of(record).take(MAX_KEYS) {
        text.extend(["\non ", &as_it_is(key)]);
    }
    let more = keys_of(record).skip(MAX_KEYS).count();
    if more > 0 {
        text.extend(["\nand ", &more.to_string(), " more"]);
    }
    if let Some(outcome) = field("action").filter(|_| topic == "call.ended") {
        text.extend(["\noutcome: ", &outcome]);
    }
    for (name, label) in [
        ("session", "session"),
        ("agent", "agent"),
        ("instance", "instance"),
        ("ruleName", "rule"),
        ("reason", "why"),
        ("timestamp", "at"),
    ] {
        if let Some(value) = field(name) {
            text.extend(["\n", label, ": ", &value]);
        }
    }
    text
}

/// A text of somebody else on one line, each sign escaped that could be markup, a mention or a link.
fn as_it_is(text: &str) -> String {
    let line = one_line(text, MAX_VALUE);
    let mut escaped = String::with_capacity(2 * line.len());
    for c in line.chars() {
        if c.is_ascii_punctuation() {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// As much of `content` as a message may have.
fn cut(content: &str) -> String {
    let mut room = MAX_CONTENT;
    let is_short = content.encode_utf16().count() <= room;
    if is_short {
        return content.to_owned();
    }
    room -= 1;
    let mut text = String::with_capacity(content.len());
    for c in content.chars() {
        let Some(left) = room.checked_sub(c.len_utf16()) else { break };
        room = left;
        text.push(c);
    }
    // Where the sign behind it is gone, it would escape ours.
    let unfinished = text.len() - text.trim_end_matches('\\').len();
    if unfinished % 2 == 1 {
        text.pop();
    }
    text.push('…');
    text
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
    use super::*;

    fn posted(message: &Message) -> Value {
        serde_json::from_slice(&message.body).unwrap()
    }

    #[test]
    fn texts_of_agents_are_no_markup_in_discord() {
        let record = json!({
            "action": "blocked", "tool": "exec", "tier": 3, "session": "@everyone",
            "contextKeys": ["url:https://evil.example/[x](y)", "b\n# c"],
        });
        let message = Message::of_record(Format::Discord, "j", 7, "call.paused", &record);
        let posted = posted(&message);
        assert_eq!(posted["allowed_mentions"], json!({ "parse": [] }));
        let ended = Message::of_record(Format::Discord, "j", 8, "call.ended", &json!({ "action": "failed" }));
        assert!(ended.body.windows(b"outcome: failed".len()).any(|text| text == b"outcome: failed"));
        assert_eq!(
            posted["content"],
            "**call\\.paused** of exec, tier 3\non url\\:https\\:\\/\\/evil\\.example\\/\\[x\\]\\(y\\)\non b \\# c\n\
             session: \\@everyone"
        );
    }

    #[test]
    fn a_message_in_discord_has_at_most_2000_characters_and_no_half_escape() {
        for filler in ["x", "_", "\u{1f980}", "\u{e9}_"] {
            let keys: Vec<String> = (0..9).map(|_| filler.repeat(400)).collect();
            let record =
                json!({ "contextKeys": keys, "reason": filler.repeat(900), "session": filler.repeat(900) });
            for lead in 0..4 {
                let topic = "a".repeat(lead);
                let message = Message::of_record(Format::Discord, "j", 7, &topic, &record);
                let content = posted(&message)["content"].as_str().unwrap().to_owned();
                assert!(content.encode_utf16().count() <= MAX_CONTENT, "{filler}");
                let whole = content.strip_suffix('…').unwrap_or(&content);
                let slashes = whole.len() - whole.trim_end_matches('\\').len();
                assert_eq!(slashes % 2, 0, "{filler} {lead}");
            }
        }
    }

    #[test]
    fn a_gap_is_a_message_of_its_own() {
        let message = Message::of_gap(Format::CloudEvents, "j", 5, 90);
        let event = posted(&message);
        assert_eq!((&*message.id, &event["type"]), ("j:5-90", &json!("callosum.gap")));
        assert_eq!(event["data"], json!({ "gap": { "from": 5, "to": 90 } }));
        let content = &posted(&Message::of_gap(Format::Discord, "j", 5, 90))["content"];
        assert!(content.as_str().unwrap().starts_with("**gap** What the journal had from 5 to 90"));
    }
}
