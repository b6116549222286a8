//! What everything else speaks of: tiers, times, calls, texts, errors, settings. It knows no file and no rule.

pub mod digest;
pub mod error;
pub(crate) mod hashed;
pub mod json_text;
pub mod on_conflict;
pub mod partly_read;
pub mod redact;
pub mod settings;
pub mod text;
pub mod tier;
pub mod time;
pub mod tool_call;
pub mod wrong_field;
