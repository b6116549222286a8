//! Our hooks in the runtimes' settings.

pub mod entries;
pub mod json_text;
pub mod runtime;

pub use self::runtime::{gating_event, title};
