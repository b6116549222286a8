//! Our hooks in the runtimes' settings, and our MCP server: what they are, put in, taken out, and looked at.

pub mod entries;
pub mod entry;
pub mod installed;
pub mod json_text;
pub mod place;
pub mod server;

use serde_json::Value;

use crate::runtime::Runtime;

/// What the user has to know or do before the hooks in these settings take effect. `are_changed`: other hooks of ours were there
/// before.
#[must_use]
pub fn notes(runtime: Runtime, settings: &Value, are_changed: bool) -> Vec<String> {
    let trust = runtime.facts().trust.map(|trust| trust.note(are_changed).to_owned());
    let off = runtime.off(settings, None).map(|off| {
        format!("In these settings {off}. Until you change that, {} runs no hooks.", runtime.title())
    });
    trust.into_iter().chain(off).collect()
}
