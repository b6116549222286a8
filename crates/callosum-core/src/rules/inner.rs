//! Tools that call tools: what they call is ruled as a call of its own.

use serde_json::Value;

use super::tool_words::{Letters, NameWords, parted};
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
const SERVERS: &[&str] = &["server", "server_name", "serverName", "app", "selected_api"];
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
/// At most this many calls in one are examined: an event loop waits for that.
const MAX_CALLS: usize = 256;
/// Words that servers and tools have in common which pass calls on to whatever other servers.
#[rustfmt::skip]
const PASSING: &[&str] = &[
    "action", "api", "call", "dynamic", "execute", "gateway", "hub", "invoke", "mcp", "proxy", "router", "run", "server", "tool", "tools", "use",
];

/// The calls that a call of a tool makes, whose letters these are: of each the tool and its parameters.
pub(super) fn calls(tool: &str, letters: &Letters, params: &dyn Parameters) -> Vec<(String, Value)> {
    if is_carrier(letters) {
        return carried(tool, params);
    }
    if !letters.has_server() {
        return Vec::new();
    }
    let found = if letters.bytes().ends_with(b"tool") { actions(tool, params) } else { Vec::new() };
    if found.is_empty() { part(tool, params).into_iter().collect() } else { found }
}

/// Those of a tool that calls others by their names.
fn carried(tool: &str, params: &dyn Parameters) -> Vec<(String, Value)> {
    let list = params.get("tools").or_else(|| params.get("calls"));
    let several = list.as_deref().map(parsed);
    let found: Vec<_> = match several.as_ref().and_then(Value::as_array) {
        Some(all) => {
            all.iter().take(MAX_CALLS).filter_map(|one| call(&|name| one.get(name).cloned())).collect()
        }
        None => call(&|name| params.get(name).map(std::borrow::Cow::into_owned)).into_iter().collect(),
    };
    let Some(server) = own_server(tool) else { return found };
    // `bash` is no tool of a service.
    let is_its = |name: &str| parted(name).0.is_empty() && NameWords::of_tool(name).own().nth(1).is_some();
    let behind = |name: String| if is_its(&name) { format!("{server}__{name}") } else { name };
    found.into_iter().map(|(name, given)| (behind(name), given)).collect()
}

/// Those of a tool that is given a list of actions, each named by what it is to do, `{"publish_items": {…}}`, and what the tool does
/// itself.
fn actions(tool: &str, params: &dyn Parameters) -> Vec<(String, Value)> {
    let Some(list) = params.get("actions") else { return Vec::new() };
    let (server, own) = parted(tool);
    let is_action =
        |(name, given): &(&String, &Value)| given.is_object() && NameWords::of_tool(name).acting().is_some();
    let all = list.as_array().into_iter().flatten().filter_map(Value::as_object).flatten().filter(is_action);
    let mut found: Vec<_> =
        all.take(MAX_CALLS).map(|(name, given)| (format!("{server}__{name}"), given.clone())).collect();
    if !found.is_empty() {
        // Without the word by which it would be asked again.
        let own = own.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let bare = own.get(..own.len().saturating_sub("tool".len())).unwrap_or_default();
        found.push((format!("{server}__{bare}"), params.all().value.into_owned()));
    }
    found
}

/// The call that a tool for a part of a service makes, which is told the tool's name and its parameters: `appconfig` is given
/// `{"intent": "…", "command": "appconfig_kv_set", "parameters": {…}}`.
fn part(tool: &str, params: &dyn Parameters) -> Option<(String, Value)> {
    let (server, own) = parted(tool);
    let given = params.get("parameters").filter(|given| given.is_object())?;
    let command = params.get("command").filter(|_| params.get("intent").is_some())?;
    let name = command.as_str().filter(|name| {
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        is_plain && name.strip_prefix(own).is_some_and(|rest| rest.starts_with(['_', '-']))
    })?;
    Some((format!("{server}__{name}"), given.into_owned()))
}

/// The server of a tool that calls the others of its own server, which its name says: `execute_sentry_tool`.
fn own_server(tool: &str) -> Option<String> {
    let name = NameWords::of_tool(tool);
    let is_server = |word: &&str| !PASSING.contains(word) && name.of_server().any(|server| server == *word);
    name.own().find(is_server)?;
    Some(parted(tool).0.to_owned())
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
