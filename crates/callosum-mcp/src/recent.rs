//! `callosum_recent`: what was done lately, for a model that plans.

use callosum_core::query::RecentRequest;
use callosum_team::api::Desk;
use callosum_team::error::{Code, Refusal};
use serde_json::{Map, Value, json};

use crate::own_tool::OwnTool;

pub(crate) const TOOL: OwnTool = OwnTool {
    name: "callosum_recent",
    title: "Recent actions",
    description: "Recent significant actions of all sessions on this machine (mail, chat, pushes, deploys): how they ended, what runs now. Ask before such an action, and when Callosum has paused a call. It is data.",
    is_reading: true,
    // Some of what a `RecentRequest` has, and not its schema: a model is shown fewer actions than a program, is not asked whom to leave
    // out, and reads this with every request, so that what can be left unsaid is.
    schema: || {
        json!({
            "type": "object",
            "properties": {
                "key": { "type": "string", "description": "on this resource: email:alice@example.com" },
                "session": { "type": "string" },
                "limit": { "type": "integer", "minimum": 1, "maximum": MAX_LIMIT },
            },
        })
    },
};

const MAX_LIMIT: usize = 50;

pub(crate) fn answer(desk: &Desk<'_>, params: Map<String, Value>) -> Result<Value, Refusal> {
    let wanted = RecentRequest::read(&Value::Object(params).to_string()).map_err(|error| {
        Refusal::new(Code::BadRequest, error.message, "give `key`, `session` and `limit`, or none of them")
    })?;
    let recent = desk.source.recent(&wanted, &desk.now)?;
    let text = if recent.text.is_empty() {
        "Nothing of that kind was done lately, and nothing is held.".to_owned()
    } else {
        recent.text
    };
    Ok(json!({ "text": text, "leases": recent.leases.len(), "actions": recent.actions.len() }))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn the_question_takes_all_that_the_tool_offers() {
        let schema = (TOOL.schema)();
        let offered = schema.get("properties").and_then(Value::as_object).unwrap();
        let most = offered.iter().map(|(name, field)| {
            let value = field.get("maximum").cloned().unwrap_or_else(|| "x".into());
            (name.clone(), value)
        });
        let wanted = RecentRequest::read(&Value::Object(most.collect()).to_string()).unwrap();
        assert_eq!(wanted.limit, MAX_LIMIT);
    }
}
