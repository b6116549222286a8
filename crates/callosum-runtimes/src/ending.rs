//! How a call ended, as its runtime tells it to the hook that comes after.

use callosum_core::record::outcome::Ended;
use serde_json::Value;

/// The last bytes of a runtime's own record of a session, as many as asked for or all.
pub type Tail<'a> = dyn Fn(u64) -> Option<Vec<u8>> + 'a;

/// What the after-hook is told.
#[derive(Clone, Copy)]
pub struct Told<'a> {
    /// The call ran a shell command.
    pub is_shell: bool,
    /// The runtime says that the call failed.
    pub failed: bool,
    /// The runtime says that somebody interrupted it.
    pub is_interrupt: bool,
    /// Why it failed.
    pub error: Option<&'a str>,
    /// What the tool gave back.
    pub response: &'a Value,
    /// The runtime's own record of the session.
    pub transcript: Option<&'a Tail<'a>>,
    /// The turn in which the call was made.
    pub run: Option<&'a str>,
    /// The call's id.
    pub call: Option<&'a str>,
}

/// How a tool ended, as far as Claude Code's fields tell it, which others took over.
pub(crate) fn of_tool(told: &Told<'_>) -> Ended {
    let Told { response, .. } = told;
    if told.is_interrupt || response.get("interrupted") == Some(&Value::Bool(true)) {
        Ended::Aborted
    } else if response.get("backgroundTaskId").is_some_and(|id| !id.is_null()) {
        Ended::Running
    } else if told.failed || response.get("error").is_some_and(|error| !error.is_null()) {
        Ended::Maybe
    } else {
        Ended::Ok
    }
}

#[cfg(test)]
impl<'a> Told<'a> {
    /// Nothing but what the tool gave back.
    pub(crate) fn of(response: &'a Value) -> Self {
        Self {
            is_shell: false,
            failed: false,
            is_interrupt: false,
            error: None,
            response,
            transcript: None,
            run: None,
            call: None,
        }
    }
}

/// What the real runtimes told (see `tests/agents`).
#[cfg(test)]
macro_rules! sample {
    ($name:literal) => {
        serde_json::from_str::<serde_json::Value>(include_str!(concat!(
            "../../../../tests/agents/samples/",
            $name,
            ".json"
        )))
        .unwrap()
    };
}
#[cfg(test)]
pub(crate) use sample;
