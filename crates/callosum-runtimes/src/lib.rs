//! What Callosum knows of the agent runtimes whose hooks are processes of their own: a folder a runtime, with its names for tools and
//! parameters, its events, how it tells that a call ended, what it takes for an answer, and the settings that hold our hooks.
//!
//! [`AgentRuntime`] is what such a folder has to say, [`RUNTIMES`] is the table of all of them. Nothing here touches a file, starts a
//! process or waits: bytes and texts come in, events, answers and texts go out.

pub mod answer;
mod claude_code;
mod codex;
pub mod ending;
pub mod event;
mod gemini;
pub mod json;
pub mod openclaw;
pub mod runtime;
pub mod session_start;
pub mod settings;
mod table;
pub mod trust;

pub use runtime::{AgentRuntime, Runtime, RuntimeName};
pub use table::{
    NAMES, RUNTIMES, in_any_names, in_shell_of, is_program, named, runs_commands, runtime_of_program,
    shell_variables,
};
