//! Codex ignores hooks that its user has not trusted, and says so only to who asks.

use std::path::Path;

use serde_json::{Value, json};

use super::GATING_EVENT;
use crate::trust::{HookTrust, Judged, Question};

/// The number of the question that matters.
const ASKED: u64 = 1;

/// What Codex tells.
pub(super) struct Trust;

impl HookTrust for Trust {
    fn note(&self, are_changed: bool) -> &'static str {
        if are_changed {
            "Codex does not run hooks that are new or have changed, and does not say so. Start codex, enter /hooks, review \
             Callosum's, and trust those. Without PreToolUse, Codex's tool calls are not gated; without Stop, nobody can tell \
             what its sessions are doing."
        } else {
            "Codex ignores hooks that you have not trusted, and does not say so. Start codex, enter /hooks, review \
             Callosum's, and trust them. Until then, Codex's tool calls are not gated. Callosum never does this for you."
        }
    }

    fn after_install(&self) -> &'static str {
        "; then start codex, enter /hooks, and trust Callosum's again: Codex stops trusting a hook that has changed"
    }

    /// Its protocol has a message a line.
    fn question(&self) -> Question {
        let client = json!({ "name": "callosum", "title": "Callosum", "version": env!("CARGO_PKG_VERSION") });
        let lines = [
            json!({ "id": 0, "method": "initialize", "params": { "clientInfo": client } }),
            json!({ "method": "initialized" }),
            json!({ "id": ASKED, "method": "hooks/list", "params": {} }),
        ];
        let text = lines.iter().map(|line| format!("{line}\n")).collect();
        Question { program: "codex", args: &["app-server"], text }
    }

    fn by_hand(&self) -> &'static str {
        "start codex, enter /hooks, and see that Callosum's are trusted"
    }

    fn answer_in(&self, line: &str) -> Option<Result<Value, String>> {
        let mut message: Value = serde_json::from_str(line).ok()?;
        if message.get("id").and_then(Value::as_u64) != Some(ASKED) {
            return None;
        }
        if let Some(result) = message.get_mut("result") {
            return Some(Ok(result.take()));
        }
        let why = message.pointer("/error/message").and_then(Value::as_str);
        Some(Err(why.unwrap_or("it gave no reason").to_owned()))
    }

    /// The answer has the hooks that hold in each folder that was asked about.
    fn judged(
        &self,
        answer: &Value,
        commands: &[(String, String)],
        is_ours: &dyn Fn(&Path) -> bool,
    ) -> Option<Judged> {
        let folders = answer.get("data")?.as_array()?;
        let all = |field: &'static str| {
            folders.iter().filter_map(move |entry| entry.get(field)?.as_array()).flatten()
        };
        let of_event = |event: &str, command: &str| {
            all("hooks").find(|hook| {
                let text = |field: &str| hook.get(field).and_then(Value::as_str).unwrap_or_default();
                text("eventName").eq_ignore_ascii_case(event)
                    && text("command") == command
                    && is_ours(Path::new(text("sourcePath")))
            })
        };
        let (mut not_run, mut is_ungated, mut is_missing) = (Vec::new(), false, false);
        for (event, command) in commands {
            let why = match of_event(event, command) {
                None => "is not loaded",
                Some(hook) => match hook.get("trustStatus").and_then(Value::as_str) {
                    Some("trusted" | "managed") if hook.get("enabled") == Some(&Value::Bool(false)) => {
                        "is turned off"
                    }
                    Some("trusted" | "managed") => continue,
                    Some("modified") => "has changed since it was trusted",
                    _ => "is not trusted",
                },
            };
            is_ungated |= event == GATING_EVENT;
            is_missing |= why == "is not loaded";
            not_run.push((event.clone(), why));
        }
        let remedy = if is_missing {
            "see that `features.hooks` is not false in Codex's config.toml, and what else it says; then start codex, and enter /hooks"
        } else {
            "start codex, enter /hooks, look at Callosum's, and trust them or turn them on"
        };
        let said = ["errors", "warnings"].into_iter().flat_map(all).map(|said| match said {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        Some(Judged { not_run, is_ungated, said: said.collect(), remedy })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn judged(hook: Value) -> Judged {
        let commands = [("PreToolUse".to_owned(), "run".to_owned())];
        let answer = json!({ "data": [{ "hooks": [hook], "errors": ["odd", 7] }] });
        Trust.judged(&answer, &commands, &|path| path == Path::new("/hooks.json")).unwrap()
    }

    #[test]
    fn a_hook_is_run_when_it_is_loaded_from_our_file_trusted_and_turned_on() {
        let hook = json!({
            "eventName": "preToolUse", "command": "run", "sourcePath": "/hooks.json", "trustStatus": "trusted",
        });
        assert!(judged(hook.clone()).not_run.is_empty());
        for (field, value, expected) in [
            ("command", json!("other"), "is not loaded"),
            ("eventName", json!("postToolUse"), "is not loaded"),
            ("sourcePath", json!("/project/hooks.json"), "is not loaded"),
            ("trustStatus", json!("modified"), "has changed since it was trusted"),
            ("trustStatus", json!("unheard of"), "is not trusted"),
            ("enabled", json!(false), "is turned off"),
        ] {
            let mut hook = hook.clone();
            hook.as_object_mut().unwrap().insert(field.to_owned(), value);
            let judged = judged(hook);
            assert_eq!(judged.not_run, [("PreToolUse".to_owned(), expected)], "{field}");
            assert!(judged.is_ungated && judged.said == ["odd", "7"]);
        }
        assert_eq!(Trust.judged(&json!({ "data": 7 }), &[], &|_| true), None);
    }

    #[test]
    fn only_the_answer_to_the_question_is_one() {
        let answer = |line: &str| Trust.answer_in(line);
        assert_eq!(answer("no JSON"), None);
        assert_eq!(answer(r#"{"id":0,"result":{}}"#), None);
        assert_eq!(answer(r#"{"id":1,"result":{"data":[]}}"#), Some(Ok(json!({ "data": [] }))));
        assert_eq!(answer(r#"{"id":1,"error":{"message":"no"}}"#), Some(Err("no".to_owned())));
        assert_eq!(Trust.question().text.lines().count(), 3);
    }
}
