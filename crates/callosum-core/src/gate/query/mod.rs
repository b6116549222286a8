//! Looks at the journal: what operators, the page and agents ask.

mod ask;
pub(super) mod counts;
pub(super) mod explain;
pub(super) mod filter;
pub(super) mod journal;
mod json_line;
mod line_filter;
pub(super) mod recent;
pub(super) mod request;
pub(super) mod sessions;
pub(super) mod simulate;
pub(super) mod status;
pub(super) mod story;
pub(super) mod timeline;
pub(super) mod unfinished;
