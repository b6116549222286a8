//! A rule that may be for a call, before it was asked.

/// A rule that may be for calls of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Its place in its file.
    pub(super) place: usize,
    /// It names the tool; else a glob of it must match.
    pub(super) named: bool,
}
