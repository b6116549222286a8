//! Commands that call a tool of an MCP server: `mcporter call linear.update_issue id:ENG-1`. What they do is what the tool does.

use callosum_shell::Invocation;
use serde_json::{Map, Value};

/// Programs that do so by their subcommand `call`.
const CALLERS: &[&str] = &["mcporter", "mcp-cli", "mcptools", "mcp", "mcpc"];
/// Options whose value is the parameters.
const PARAMETERS: &[&str] = &["--args", "--params", "-p", "--input", "--json-args"];

/// The tool that a command calls, and its parameters.
pub(super) fn call(command: &Invocation) -> Option<(String, Value)> {
    if !CALLERS.contains(&command.program.as_str()) {
        return None;
    }
    let (first, rest) = command.words.split_first()?;
    if first != "call" {
        return None;
    }
    let mut parameters = Map::new();
    let (mut tool, mut server, mut named) = (None, None, None);
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let (option, value) = word.split_once('=').filter(|_| word.starts_with("--")).unwrap_or((word, ""));
        let mut value =
            || if value.is_empty() { words.next().cloned().unwrap_or_default() } else { value.to_owned() };
        match option {
            "--server" => server = Some(value()),
            "--tool" => named = Some(value()),
            option if PARAMETERS.contains(&option) => {
                if let Ok(Value::Object(given)) = serde_json::from_str(&value()) {
                    parameters.extend(given);
                }
            }
            "--output" | "--timeout" | "--config" | "--format" => drop(value()),
            option if option.starts_with('-') => {}
            _ if tool.is_none() && named.is_none() => tool = Some(word.as_str()),
            _ => match serde_json::from_str(word) {
                Ok(Value::Object(given)) => parameters.extend(given),
                _ => parameters.extend(pair(word)),
            },
        }
    }
    let written = tool.unwrap_or_default();
    // `linear.create_issue(title: "Bug", team: "ENG")`
    let name = match written.split_once('(') {
        Some((name, given)) => {
            parameters.extend(given.trim_end_matches(')').split(", ").filter_map(pair));
            name
        }
        None => written,
    };
    let name = match (server, named) {
        (Some(server), Some(named)) => format!("{server}__{named}"),
        (Some(server), None) => format!("{server}__{name}"),
        (None, Some(named)) => named,
        (None, None) => name.replacen(['.', '/'], "__", 1),
    };
    (!name.is_empty()).then_some((name, Value::Object(parameters)))
}

/// `name:value`, `name=value`, `name: "value"`
fn pair(word: &str) -> Option<(String, Value)> {
    let (name, value) = word.split_once([':', '='])?;
    let value = value.trim().trim_matches(['"', '\'']);
    Some((name.trim().to_owned(), Value::String(value.to_owned())))
}

#[cfg(test)]
mod tests {
    use callosum_shell::Line;
    use serde_json::json;

    use super::call;

    #[test]
    fn a_call_is_read_in_every_way_it_is_written() {
        let expected = Some(("linear__update_issue".to_owned(), json!({"id": "ENG-1", "state": "Done"})));
        for line in [
            "mcporter call linear.update_issue id:ENG-1 state:Done",
            "npx -y mcporter call linear.update_issue id=ENG-1 state=Done --output json",
            "mcporter call 'linear.update_issue(id: \"ENG-1\", state: \"Done\")'",
            "mcporter call --server linear --tool update_issue --args '{\"id\":\"ENG-1\",\"state\":\"Done\"}'",
            "mcp-cli call linear/update_issue '{\"id\":\"ENG-1\",\"state\":\"Done\"}'",
        ] {
            assert_eq!(Line::read(line).invocations.last().and_then(call), expected, "{line}");
        }
        assert_eq!(Line::read("mcporter list linear").invocations.last().and_then(call), None);
    }
}
