//! What after-hooks told and is still to be written.

use super::report::EndReport;

/// Which action an outcome belongs to.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// The one with this sequence number.
    Seq(u64),
    /// The one with the report's call id; without one the session's oldest of that tool and digest.
    Reported,
    /// The newest of this process that goes on as this background process session.
    Background(String),
}

/// An outcome that waits to be written.
#[derive(Debug)]
pub(super) struct LateEnd {
    pub(super) target: Target,
    pub(super) report: EndReport,
    /// The newest line of the backlog when it came: lines stand in the order in which things were done.
    pub(super) behind: u64,
}

/// Which pauses were delivered.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Delivery {
    /// Those of one call.
    Call { session: String, call: String },
    /// Those of a run.
    Run(String),
}
