//! What an after-hook tells the gate.

use crate::outcome::Ended;

/// The end of a call, as the host reported it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndReport {
    /// The tool as the host named it.
    pub tool: String,
    /// The agent.
    pub agent: Option<String>,
    /// The session.
    pub session: String,
    /// The run.
    pub run: Option<String>,
    /// The call id.
    pub call: Option<String>,
    /// Digest of the call; only needed where there is no call id.
    pub digest: Option<String>,
    /// How it ended.
    pub ended: Ended,
    /// The exit code of its process, where it had one.
    pub exit_code: Option<i64>,
    /// The background process session it goes on in, when it is running.
    pub process: Option<String>,
}
