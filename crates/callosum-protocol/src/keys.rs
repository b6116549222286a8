//! How the protocol names what a call acts on.

use serde_json::{Map, Value};

/// The parameter that names the resource itself.
const NAMED: &str = "_contextKey";
/// What stands for the resource of a call that acts on none that is kept.
const UNTRACKED: &str = "untracked:";

/// Takes out of the parameters what a caller says they act on; the rules tell it where it says nothing.
pub(crate) fn take_named(params: &mut Map<String, Value>) -> Result<Vec<String>, &'static str> {
    match params.remove(NAMED) {
        None | Some(Value::Null) => Ok(Vec::new()),
        // Its end would not be written.
        Some(Value::String(key)) if is_untracked(&key) => Err(
            "it begins with `untracked:`, which stands for what is not kept; expected another name, or none",
        ),
        Some(Value::String(key)) if !key.trim().is_empty() => Ok(vec![key]),
        Some(_) => Err("expected a text that is not empty"),
    }
}

/// The thread and the channel of a message that answers another: it acts on both.
pub(crate) fn of_reply(tool: &str, params: &Map<String, Value>) -> Vec<String> {
    let text = |names: &[&str]| {
        names.iter().find_map(|name| match params.get(*name) {
            Some(Value::String(text)) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        })
    };
    let is_send = params.get("action").and_then(Value::as_str) == Some("send");
    let target = text(&["target", "to", "channelId", "channel"]);
    match (target, text(&["replyTo", "threadId", "thread"])) {
        (Some(target), Some(thread)) if tool == "message" && is_send => {
            vec![format!("thread:{target}:{thread}"), format!("channel:{target}")]
        }
        _ => Vec::new(),
    }
}

/// What stands for the resource of a call that acts on none that is kept: an end is reported on it, and nothing is written.
pub(crate) fn untracked(tool: &str, action: Option<&str>) -> String {
    let action = action.map_or_else(String::new, |action| format!(":{action}"));
    callosum_core::model::text::one_line(&format!("{UNTRACKED}{tool}{action}"), 300)
}

/// Whether a key is such.
pub(crate) fn is_untracked(key: &str) -> bool {
    key.starts_with(UNTRACKED)
}
