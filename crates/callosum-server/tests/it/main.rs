//! What the service promises, one file a promise.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod beside;
mod corpus;
mod crowd;
mod disk;
mod events;
mod gate;
mod hostile;
mod notices;
mod openapi;
mod page;
mod peers;
mod process;
mod protocol;
mod questions;
mod support;
mod team;
mod tls;
mod tokens;
mod unit;
mod unread;
mod webhooks;
