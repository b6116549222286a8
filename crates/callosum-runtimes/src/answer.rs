//! What a hook says, in each runtime's dialect. Exactly what the runtime knows: at one unknown field beside a valid refusal
//! Codex lets the tool run.

use serde_json::{Value, json};

use crate::runtime::Runtime;

/// What the runtime is told.
pub enum Said {
    Nothing,
    Context(Value),
    /// With the text for the model.
    Refusal(Value, String),
}

/// A refusal of a tool call, with the text for the model.
pub fn refusal(runtime: Runtime, event: &str, reason: &str) -> Value {
    match runtime {
        Runtime::Gemini => json!({ "decision": "deny", "reason": reason }),
        Runtime::ClaudeCode | Runtime::Codex => json!({ "hookSpecificOutput": {
            "hookEventName": event,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        } }),
    }
}

/// Context for the model.
pub fn context(event: &str, text: &str) -> Value {
    json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
}
