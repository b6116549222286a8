//! What is to be told, and when: at most one notice a minute of each kind, with the number of what it stands for.

use std::time::Duration;

use callosum_core::model::text::{name, one_line};
use callosum_core::record::kind::View;
use callosum_core::record::{Action, blocks_as_written};
use callosum_team::event::keys_of;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

/// At most one notice of a kind comes in this time.
const REST: Duration = Duration::from_secs(60);
/// Characters of a name, and of a cause or a remedy, that are shown.
const MAX_NAME: usize = 120;
const MAX_TEXT: usize = 300;

/// What is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// A call was paused.
    Pause,
    /// A call was blocked.
    Block,
    /// A call was blocked at a limit.
    Limit,
    /// Calls can't be checked.
    Degraded,
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Pause, Self::Block, Self::Limit, Self::Degraded];
}

/// What a record tells of, if that may be told.
pub(super) fn kind_of(record: &Value) -> Option<Kind> {
    let text = |field: &str| record.get(field).and_then(Value::as_str);
    match Action::named(text("action")?).spec().view {
        View::Stop if text("conflict") == Some("limit") => Some(Kind::Limit),
        View::Stop if blocks_as_written(text("conflict"), text("onConflict")) => Some(Kind::Block),
        View::Stop => Some(Kind::Pause),
        View::Call
        | View::Denial
        | View::End
        | View::Background
        | View::Lease
        | View::Receipt
        | View::Session
        | View::Exchange
        | View::Fault
        | View::Maintenance
        | View::Unknown => None,
    }
}

/// The newest of what is told of, in words. Agents wrote parts of it: on one line, and as code to chats, which then find no mention
/// and no link in it.
#[derive(Clone, Debug)]
pub(super) struct Stop(String);

impl Stop {
    pub(super) fn of(record: &Value) -> Self {
        let field = |name: &str| record.get(name).and_then(Value::as_str).map(as_code);
        let mut text = field("tool").unwrap_or_else(|| "a call".to_owned());
        if let Some(key) = keys_of(record).next() {
            text.push_str(&format!(" on {}", as_code(key)));
        }
        if let Some(session) = field("session") {
            text.push_str(&format!(" by session {session}"));
        }
        if let Some(instance) = field("instance") {
            text.push_str(&format!(" of {instance}"));
        }
        Self(text)
    }

    pub(super) fn degraded(cause: &str, remedy: &str) -> Self {
        Self(format!("{}; to fix it: {}", one_line(cause, MAX_TEXT), one_line(remedy, MAX_TEXT)))
    }
}

fn as_code(text: &str) -> String {
    format!("`{}`", name(text, MAX_NAME).replace('`', "'"))
}

/// What waits to be told.
#[derive(Debug, Default)]
pub(super) struct Tally {
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    kind: Kind,
    count: u64,
    newest: Option<Stop>,
    due_at: Instant,
}

impl Tally {
    pub(super) fn heard(&mut self, kind: Kind, stop: Stop, now: Instant) {
        match self.waiting.iter_mut().find(|waiting| waiting.kind == kind) {
            Some(waiting) => {
                waiting.count += 1;
                waiting.newest = Some(stop);
            }
            None => self.waiting.push(Waiting { kind, count: 1, newest: Some(stop), due_at: now }),
        }
    }

    /// When the next notice is due.
    pub(super) fn due_at(&self) -> Option<Instant> {
        self.waiting.iter().filter(|waiting| waiting.newest.is_some()).map(|waiting| waiting.due_at).min()
    }

    /// The notices that are due, as they are told.
    pub(super) fn due(&mut self, now: Instant) -> Vec<String> {
        let mut told = Vec::new();
        for waiting in &mut self.waiting {
            if waiting.due_at > now {
                continue;
            }
            let Some(Stop(newest)) = waiting.newest.take() else { continue };
            told.push(sentence(waiting.kind, waiting.count, &newest));
            waiting.count = 0;
            waiting.due_at = now + REST;
        }
        told
    }
}

fn sentence(kind: Kind, count: u64, newest: &str) -> String {
    let did = match kind {
        Kind::Pause => "paused",
        Kind::Block => "blocked",
        Kind::Limit => "blocked at a limit",
        Kind::Degraded => return format!("Callosum can't check calls: {newest}"),
    };
    match count {
        1 => format!("Callosum {did}: {newest}"),
        count => format!("Callosum {did}: {count} calls, the last {newest}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stop(session: &str) -> Stop {
        Stop::of(
            &json!({ "tool": "exec", "contextKeys": ["email:ann@example.com"], "session": session, "instance": "studio" }),
        )
    }

    #[test]
    fn each_kind_is_told_at_once_and_then_once_a_minute_with_its_number() {
        let mut tally = Tally::default();
        let begin = Instant::now();
        let after = |seconds: u64| begin + Duration::from_secs(seconds);
        assert_eq!((tally.due_at(), tally.due(begin)), (None, vec![]));
        tally.heard(Kind::Pause, stop("a"), begin);
        let first = "Callosum paused: `exec` on `email:ann@example.com` by session `a` of `studio`";
        assert_eq!(tally.due(begin), [first]);
        for (seconds, session) in [(1, "b"), (30, "c"), (59, "d")] {
            tally.heard(Kind::Pause, stop(session), after(seconds));
            assert_eq!(tally.due(after(seconds)), Vec::<String>::new());
        }
        // Another kind does not wait for this one.
        tally.heard(Kind::Limit, stop("e"), after(59));
        assert_eq!(tally.due(after(59)).len(), 1);
        assert_eq!(tally.due_at(), Some(after(60)));
        let next =
            "Callosum paused: 3 calls, the last `exec` on `email:ann@example.com` by session `d` of `studio`";
        assert_eq!(tally.due(after(60)), [next]);
        assert_eq!((tally.due_at(), tally.due(after(600))), (None, vec![]));
    }

    #[test]
    fn only_what_was_stopped_is_told() {
        let kind = |record: Value| kind_of(&record);
        assert_eq!(kind(json!({ "action": "blocked", "conflict": "recent" })), Some(Kind::Pause));
        assert_eq!(kind(json!({ "action": "blocked", "conflict": "lease" })), Some(Kind::Block));
        assert_eq!(
            kind(json!({ "action": "blocked", "conflict": "recent", "onConflict": "block" })),
            Some(Kind::Block)
        );
        assert_eq!(kind(json!({ "action": "blocked", "conflict": "limit" })), Some(Kind::Limit));
        assert_eq!(kind(json!({ "action": "intercept", "conflict": "recent", "observed": true })), None);
    }

    #[test]
    fn words_of_agents_are_no_markup() {
        let record = json!({ "tool": "x`y`", "contextKeys": ["a\nb @everyone [l](https://evil.example)"] });
        let Stop(text) = Stop::of(&record);
        assert!(!text.contains('\n') && text.matches('`').count() == 4, "{text}");
    }
}
