//! What the core promises, one file a promise.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod journal_files;
mod outcomes;
mod pausing;
mod support;
mod time_and_holders;
mod unusable_state;
