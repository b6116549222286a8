//! What is done to tasks and messages: the words under which their records, and so their topics, tell it.

/// What is done to tasks, as their topics have it.
pub(crate) const TASK: [&str; 14] = [
    "created",
    "changed",
    "claimed",
    "noted",
    "beat",
    "input",
    "completed",
    "accepted",
    "failed",
    "cancelled",
    "handedoff",
    "released",
    "inherited",
    "lost",
];
/// What is done to messages, likewise.
pub(crate) const MESSAGE: [&str; 7] =
    ["sent", "noticing", "noticed", "showing", "shown", "acknowledged", "inherited"];
