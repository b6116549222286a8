//! Tools that call tools: what they call is ruled as a call of its own.

use serde_json::Value;

use super::tool_words::Letters;
use crate::model::tool_call::Parameters;

/// Whether a tool is such a one, by its name without case and signs, and without the server's.
#[rustfmt::skip]
fn is_carrier(letters: &Letters) -> bool {
    let ends = |end: &str| letters.bytes().ends_with(end.as_bytes());
    // `execute_dynamic_tool`; most have the server's name before the verb: `appwrite_call_tool`.
    let calls = |verb: &&str| letters.bytes().starts_with(verb.as_bytes()) && ends("tool");
    ["calltool", "executetool", "invoketool"].into_iter().any(ends) || ["call", "execute", "invoke"].iter().any(calls) || matches!(
        letters.bytes(),
        b"usetool" | b"usemcptool" | b"executeaction" | b"runaction" | b"executezapierwriteaction" | b"toolcall"
    )
}

/// What names the tool that is called.
const NAMES: &[&str] = &["tool_slug", "toolSlug", "tool", "tool_name", "toolName", "slug", "action", "name"];
/// What names its server.
const SERVERS: &[&str] = &["server", "server_name", "serverName", "app"];
/// What it is given.
const ARGUMENTS: &[&str] = &[
    "arguments",
    "args",
    "params",
    "parameters",
    "input",
    "tool_args",
    "toolArgs",
    "inputJson",
    "input_json",
];
/// At most this many calls in one are examined.
const MAX_CALLS: usize = 100;

/// The calls that a call of the tool of these letters makes: of each the tool and its parameters.
pub(super) fn calls(letters: &Letters, params: &dyn Parameters) -> Vec<(String, Value)> {
    if !is_carrier(letters) {
        return Vec::new();
    }
    let list = params.get("tools").or_else(|| params.get("calls"));
    let several = list.as_deref().map(parsed);
    match several.as_ref().and_then(Value::as_array) {
        Some(all) => {
            all.iter().take(MAX_CALLS).filter_map(|one| call(&|name| one.get(name).cloned())).collect()
        }
        None => call(&|name| params.get(name).map(std::borrow::Cow::into_owned)).into_iter().collect(),
    }
}

fn call(get: &dyn Fn(&str) -> Option<Value>) -> Option<(String, Value)> {
    let text = |names: &[&str]| names.iter().find_map(|name| get(name)?.as_str().map(str::to_owned));
    let name = text(NAMES)?;
    let server = text(SERVERS);
    let arguments = ARGUMENTS.iter().find_map(|name| get(name));
    // A word alone that is given nothing says what the tool itself does: `"action": "restart"`.
    if server.is_none() && arguments.is_none() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let name = server.map_or_else(|| name.clone(), |server| format!("{server}__{name}"));
    Some((name, arguments.as_ref().map_or_else(|| Value::Object(serde_json::Map::new()), parsed)))
}

/// A text that is JSON counts as that.
fn parsed(value: &Value) -> Value {
    value.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| value.clone())
}
