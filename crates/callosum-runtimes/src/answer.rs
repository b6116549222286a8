//! What a hook says, in its runtime's dialect.

use serde_json::{Value, json};

use crate::runtime::Runtime;

/// What a runtime is told.
#[derive(Debug, PartialEq, Eq)]
pub enum Said {
    /// The call may run, or nothing was asked.
    Nothing,
    /// Context for the model: what is printed.
    Context(Value),
    /// The call must not run.
    Refusal(Refusal),
}

/// A refusal of a tool call: for a pause, a block, and what can't be decided alike.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is printed.
    pub printed: Value,
    /// The exit code where nothing can be printed; `reason` goes to standard error then.
    pub exit_code: u8,
    /// The text for the model.
    pub reason: String,
}

impl Said {
    /// A refusal of the call that the event of this name tells of.
    #[must_use]
    pub fn refusal(runtime: Runtime, event: &str, reason: String) -> Self {
        let printed = runtime.refusal(event, &reason);
        Self::Refusal(Refusal { printed, exit_code: runtime.facts().refusal_exit_code, reason })
    }
}

/// A refusal as Claude Code takes it, and who took over its hooks. At one unknown field beside it Codex lets the tool run.
pub(crate) fn permission_denied(event: &str, reason: &str) -> Value {
    json!({ "hookSpecificOutput": {
        "hookEventName": event,
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    } })
}

/// Context as Claude Code takes it, and who took over its hooks.
pub(crate) fn additional_context(event: &str, text: &str) -> Value {
    json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
}
