//! The tools as a client is told of them. Every request to a model has them in it: what can be left unsaid is.

use std::sync::Arc;

use callosum_team::api::tools::TOOLS;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::own_tool::OwnTool;
use crate::{recent, shared_context};

const OWN: [OwnTool; 2] = [recent::TOOL, shared_context::TOOL];

/// All tools.
pub(crate) fn all() -> Vec<Tool> {
    let own = OWN.into_iter().map(|OwnTool { name, title, description, is_reading, schema }| {
        tool(name, title, description, is_reading, schema())
    });
    let of_team = TOOLS
        .iter()
        .map(|known| tool(known.name, known.title, known.description, known.is_reading, known.schema()));
    own.chain(of_team).collect()
}

fn tool(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    is_reading: bool,
    schema: Value,
) -> Tool {
    let schema: JsonObject = match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    let (destructive, open_world) = if is_reading { (None, None) } else { (Some(false), Some(false)) };
    // Where it is not said that a tool is harmless, a runtime that asks nobody refuses it.
    let annotations =
        ToolAnnotations::from_raw(Some(title.to_owned()), Some(is_reading), destructive, None, open_world);
    Tool::new(name, description, Arc::new(schema)).with_annotations(annotations)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn there_are_six_and_each_is_told_in_few_words() {
        let all = all();
        let names: Vec<&str> = all.iter().map(|tool| tool.name.as_ref()).collect();
        let expected = [
            "callosum_recent",
            "callosum_context",
            "callosum_team",
            "callosum_search",
            "callosum_task_update",
            "callosum_send",
        ];
        assert_eq!(names, expected);
        for tool in &all {
            assert!(tool.description.as_ref().unwrap().chars().count() <= 200, "{}", tool.name);
            let annotations = tool.annotations.as_ref().unwrap();
            let reads = ["callosum_recent", "callosum_team", "callosum_search"].contains(&tool.name.as_ref());
            assert_eq!(annotations.read_only_hint, Some(reads), "{}", tool.name);
            let harmless = (annotations.destructive_hint, annotations.open_world_hint);
            assert_eq!(harmless, if reads { (None, None) } else { (Some(false), Some(false)) });
        }
        let bytes = serde_json::to_string(&all).unwrap().len();
        assert!(bytes < 6_000, "{bytes} bytes in every request to a model");
    }
}
