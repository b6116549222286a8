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
    /// The call may run, and a person is warned: what is printed.
    Warning(Value),
    /// The call must not run, or not before a person has allowed it.
    Refusal(Refusal),
}

/// A refusal of a tool call: for a pause, a block, and what can't be decided alike. A question to a person is one as far as nobody can be
/// asked.
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

    /// A question to the runtime's user whether the call may run that the event of this name tells of.
    #[must_use]
    pub fn question(runtime: Runtime, event: &str, reason: String) -> Self {
        let Some(asking) = &runtime.facts().asking else { return Self::refusal(runtime, event, reason) };
        let printed = (asking.question)(event, &reason);
        Self::Refusal(Refusal { printed, exit_code: runtime.facts().refusal_exit_code, reason })
    }
}

/// A refusal as Claude Code takes it, and who took over its hooks. At one unknown field beside it Codex lets the tool run.
pub(crate) fn permission_denied(event: &str, reason: &str) -> Value {
    permission(event, "deny", reason)
}

/// A decision about a call as Claude Code takes it: the reason for a question is shown to its user.
pub(crate) fn permission(event: &str, decision: &str, reason: &str) -> Value {
    json!({ "hookSpecificOutput": {
        "hookEventName": event,
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    } })
}

/// A warning to a person as Claude Code takes it, and who took over its hooks.
pub(crate) fn system_message(text: &str) -> Value {
    json!({ "systemMessage": text })
}

/// A turn that is to go on as Claude Code takes it, and who took over its hooks.
pub(crate) fn blocked_stop(reason: &str) -> Value {
    json!({ "decision": "block", "reason": reason })
}

/// Context as Claude Code takes it, and who took over its hooks.
pub(crate) fn additional_context(event: &str, text: &str) -> Value {
    json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
}
