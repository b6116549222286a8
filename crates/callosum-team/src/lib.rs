//! What sessions of different runtimes on one machine tell each other and hand over to each other: tasks, messages, events.
//!
//! All of it is records in the journal that stand until others replace them (`callosum_core::store::standing`), decided on and
//! written in one hold of the guard. Nothing here runs by itself: whoever asks looks, and what is found to be lost is written down
//! by the next who writes.

pub mod api;
pub mod bridge;
pub mod caller;
mod changes;
pub mod delivery;
pub mod digest;
pub mod error;
pub mod event;
pub mod inject;
pub mod message;
pub mod names;
pub mod route;
pub mod search;
pub mod switch;
pub mod task;
pub mod team;
pub mod text;
pub mod who;
pub mod work;
