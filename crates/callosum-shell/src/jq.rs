//! What `jq -n` prints: `jq -n --arg text "$MSG" '{channel: "C1", text: $text}'`.

use crate::Invocation;

/// Longer programs are not read.
const MAX_BYTES: usize = 16 * 1024;

/// The object that a program of jq's which reads nothing makes, as JSON; `None` where it makes something else.
pub(super) fn object(command: &Invocation) -> Option<String> {
    let words = &command.words;
    let reads_nothing = words.iter().any(|word| {
        word == "--null-input" || word.starts_with('-') && !word.starts_with("--") && word.contains('n')
    });
    let mut arguments = Vec::new();
    let mut program = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--arg" | "--argjson" => {
                let (name, value) = (rest.next()?, rest.next()?);
                let is_text = word == "--arg";
                arguments.push((
                    name.as_str(),
                    if is_text { serde_json::to_string(value).ok()? } else { value.clone() },
                ));
            }
            word if word.starts_with('-') => {}
            _ => program = program.or(Some(word.as_str())),
        }
    }
    let program = program.filter(|program| reads_nothing && program.len() <= MAX_BYTES)?.trim();
    program.starts_with('{').then(|| as_json(program, &arguments)).flatten()
}

/// jq's object as JSON: names get their quotes, and variables their values; what else stands for a value is null.
fn as_json(program: &str, arguments: &[(&str, String)]) -> Option<String> {
    let mut json = String::with_capacity(program.len() + 16);
    let mut rest = program;
    while let Some(c) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let length = if c == '"' {
            let mut end = 1;
            let bytes = rest.as_bytes();
            while bytes.get(end).is_some_and(|byte| *byte != b'"') {
                end += if bytes.get(end) == Some(&b'\\') { 2 } else { 1 };
            }
            let text = rest.get(..=end)?;
            // `\(…)` is made when it runs.
            if text.contains("\\(") {
                json.push_str("null");
            } else {
                json.push_str(text);
            }
            text.len()
        } else if c == '$' || is_name(c) {
            let end =
                rest.char_indices().skip(1).find(|(_, c)| !is_name(*c)).map_or(rest.len(), |(at, _)| at);
            let word = rest.get(..end)?;
            let is_key = rest.get(end..)?.trim_start().starts_with(':');
            match word.strip_prefix('$') {
                Some(name) => {
                    let value =
                        arguments.iter().find(|(own, _)| *own == name).map(|(_, value)| value.as_str());
                    // `{$channel}` is `{channel: $channel}`.
                    if json.trim_end().ends_with(['{', ',']) {
                        json.push_str(&format!("\"{name}\":"));
                    }
                    json.push_str(value.unwrap_or("null"));
                }
                None if is_key => json.push_str(&format!("\"{word}\"")),
                None if matches!(word, "true" | "false" | "null") || c.is_ascii_digit() => {
                    json.push_str(word);
                }
                None => return None,
            }
            end
        } else {
            json.push(c);
            c.len_utf8()
        };
        rest = rest.get(length..)?;
    }
    serde_json::from_str::<serde_json::Value>(&json).ok()?;
    Some(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_json_with_its_variables() {
        for (words, json) in [
            (&["-n", "{channel:\"C1\",text:\"hi\"}"][..], Some(r#"{"channel":"C1","text":"hi"}"#)),
            (
                &["-n", "--arg", "t", "a \"b\"", "{channel: \"C1\", text: $t}"],
                Some(r#"{"channel": "C1", "text": "a \"b\""}"#),
            ),
            (&["-nc", "--argjson", "n", "7", "{$n}"], Some(r#"{"n":7}"#)),
            (&["-n", "[inputs]"], None),
            (&[".a"], None),
            (&["-n", "{a: now}"], None),
        ] {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            let command = Invocation { program: "jq".to_owned(), words, ..Invocation::default() };
            assert_eq!(object(&command).as_deref(), json);
        }
    }
}
