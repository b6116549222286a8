//! `kpis/<agent>.json`: an agent's figures as they are now. The last write wins.

use callosum_core::model::redact::redact;
use serde_json::{Map, Value};

use crate::error::Problem;
use crate::names::AgentName;

/// A snapshot as it stands in the file: the agent's own fields under `values`.
///
/// # Errors
/// When `values` is no JSON object.
pub fn to_text(agent: &AgentName, at: &str, values: &str) -> Result<String, Problem> {
    let values: Map<String, Value> = serde_json::from_str(&redact(values)).map_err(|error| {
        Problem::input(format!("the figures are no JSON object: {error}"), "give one, such as {\"open\": 3}")
    })?;
    let snapshot = serde_json::json!({ "v": 1, "agent": agent.as_str(), "at": at, "values": values });
    Ok(format!("{snapshot:#}\n"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn only_an_object_is_a_snapshot() {
        let bob = AgentName::parse("bob").unwrap();
        let text = to_text(&bob, "2026-11-24T10:15:00.000Z", r#"{"open": 3}"#).unwrap();
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read.pointer("/values/open"), Some(&3.into()));
        assert_eq!(read.get("agent"), Some(&"bob".into()));
        for bad in ["", "3", "[1]", "{"] {
            assert!(to_text(&bob, "", bad).is_err(), "{bad}");
        }
    }
}
