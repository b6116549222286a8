//! What Callosum knows of the agent runtimes: their names for tools and parameters, their events, how these tell that a call
//! ended, what they take for an answer, and the settings that hold our hooks.
//!
//! Nothing here touches a file or waits: bytes and texts come in, events, answers and texts go out.

pub mod answer;
mod ending;
pub mod event;
pub mod json;
pub mod runtime;
pub mod settings;
