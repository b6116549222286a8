//! Templates of context keys: text with placeholders in braces.

use std::borrow::Cow;

use super::address::address_list;
use super::command_recipient::recipients;
use super::file_path::{file_paths, work_folder};
use super::{Lookup, MAX_KEYS, UNKNOWN, bounded, distinct};
use crate::digest::{digest, neutral_tool_name};
use crate::text::one_line;
use crate::tool_call::ToolCall;

const KNOWN: &str = "{tool}, {params.NAME}, {params.NAME|OTHER|fallback}, {params.NAME+OTHER}, {commandRecipient}, \
                     {filePath}, {workFolder} and {digest}";

/// A context key with placeholders.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Literal(String),
    Tool,
    /// The first of these groups that has a value, with all the values in it; else the fallback.
    Params {
        groups: Vec<Vec<String>>,
        fallback: String,
    },
    CommandRecipient,
    FilePath,
    WorkFolder,
    Digest,
}

impl Template {
    /// Reads a template; the error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(at);
            literal.push_str(before);
            if let Some(after) = brace.strip_prefix("{{").or_else(|| brace.strip_prefix("}}")) {
                literal.extend(brace.chars().next());
                rest = after;
                continue;
            }
            let Some(inside) = brace.strip_prefix('{') else {
                return Err("a `}` without its `{`: write `}}` for the character itself".to_owned());
            };
            let Some((placeholder, after)) = inside.split_once('}') else {
                return Err("a `{` without its `}`: write `{{` for the character itself".to_owned());
            };
            if !literal.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut literal)));
            }
            parts.push(Part::parse(placeholder.trim())?);
            rest = after;
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        if parts.is_empty() {
            return Err("the template is empty: leave the field out for a rule without a key".to_owned());
        }
        Ok(Self { parts })
    }

    /// The keys of a call: one, or one for each combination of the values of lists, at most one more than a
    /// call may have.
    pub(crate) fn resolve(&self, call: &ToolCall, params: &Lookup<'_>) -> Vec<String> {
        let mut keys = vec![String::new()];
        for part in &self.parts {
            let values = part.values(call, params);
            if let [value] = values.as_slice() {
                keys.iter_mut().for_each(|key| key.push_str(value));
            } else {
                let longer = |key: String| values.iter().map(move |value| format!("{key}{value}"));
                keys = keys.into_iter().flat_map(longer).take(MAX_KEYS + 1).collect();
            }
        }
        keys
    }
}

impl Part {
    fn parse(placeholder: &str) -> Result<Self, String> {
        match placeholder {
            "tool" => return Ok(Self::Tool),
            "commandRecipient" => return Ok(Self::CommandRecipient),
            "filePath" => return Ok(Self::FilePath),
            "workFolder" => return Ok(Self::WorkFolder),
            "digest" => return Ok(Self::Digest),
            _ if !placeholder.starts_with("params.") => {
                return Err(format!(
                    "unknown placeholder `{{{}}}`: known are {KNOWN}",
                    one_line(placeholder, 60)
                ));
            }
            _ => {}
        }
        let mut words: Vec<&str> = placeholder.split('|').collect();
        // A bare last word is the fallback; a word alone is never bare.
        let fallback = match words.as_slice() {
            [.., last] if !last.starts_with("params.") => words.pop().unwrap_or(UNKNOWN),
            _ => UNKNOWN,
        };
        let path = |name: &str| {
            let path = name.strip_prefix("params.").unwrap_or(name);
            if path.split('.').any(|name| name.trim().is_empty()) {
                return Err(format!("`{{{}}}` has an empty parameter name", one_line(placeholder, 60)));
            }
            Ok(path.to_owned())
        };
        let groups = words.into_iter().map(|word| word.split('+').map(path).collect());
        Ok(Self::Params { groups: groups.collect::<Result<_, _>>()?, fallback: fallback.to_owned() })
    }

    /// What stands for the placeholder, never nothing.
    fn values<'p>(&'p self, call: &ToolCall, params: &Lookup<'_>) -> Vec<Cow<'p, str>> {
        let values = match self {
            Self::Literal(text) => return vec![Cow::Borrowed(text)],
            Self::Tool => vec![neutral_tool_name(&call.tool).to_owned()],
            Self::Digest => vec![digest(call, &params.all())],
            Self::CommandRecipient => mail_recipients(params),
            Self::FilePath => file_paths(call, params),
            Self::WorkFolder => vec![work_folder(call, params)],
            Self::Params { groups, fallback } => {
                let values = |group: &Vec<String>| match group.as_slice() {
                    [path] => params.texts(path),
                    paths => distinct(paths.iter().flat_map(|path| params.texts(path))),
                };
                match groups.iter().map(values).find(|values| !values.is_empty()) {
                    Some(values) => values,
                    None => return vec![Cow::Borrowed(fallback)],
                }
            }
        };
        if values.is_empty() {
            return vec![Cow::Borrowed(UNKNOWN)];
        }
        values.into_iter().map(|value| Cow::Owned(bounded(value))).collect()
    }
}

/// Who a mail goes to: told by the command, or for a tool that sends mail itself, by its parameters.
fn mail_recipients(params: &Lookup<'_>) -> Vec<String> {
    if let Some(command) = params.get("command") {
        return command.as_str().map(recipients).unwrap_or_default();
    }
    let fields = ["to", "cc", "bcc", "recipient", "recipients", "email"];
    distinct(fields.into_iter().flat_map(|field| params.texts(field)).flat_map(|text| address_list(&text)))
}
