//! What the service promises, one file a promise.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod gate;
mod hostile;
mod process;
mod protocol;
mod support;
mod tokens;
mod unit;
