//! What a tool is that only this server has.

use serde_json::Value;

/// A tool that is this server's alone.
pub(crate) struct OwnTool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// At most 200 characters.
    pub(crate) description: &'static str,
    pub(crate) is_reading: bool,
    pub(crate) schema: fn() -> Value,
}
