//! What the text of a GraphQL mutation gives to its fields: `issueUpdate(id: "ENG-9", …)`.

use serde_json::Value;

/// Longer bodies are not read.
const MAX_BYTES: usize = 64 * 1024;

/// The values of an argument in a body that is a mutation: in its text, or in its variables.
pub(super) fn argument(body: &str, name: &str) -> Vec<String> {
    if body.len() > MAX_BYTES {
        return Vec::new();
    }
    let value = serde_json::from_str::<Value>(body).unwrap_or_default();
    let query = value
        .get("query")
        .and_then(Value::as_str)
        .or_else(|| body.strip_prefix("query="))
        .unwrap_or_default();
    let variables = value.get("variables");
    let mut found = Vec::new();
    for (at, _) in query.match_indices(name) {
        let before = query.get(..at).and_then(|before| before.chars().next_back());
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$')) {
            continue;
        }
        let behind = query.get(at + name.len()..).unwrap_or_default().trim_start();
        let Some(given) = behind.strip_prefix(':').map(str::trim_start) else { continue };
        let given = given.trim_start_matches('[').trim_start();
        match given.strip_prefix('"') {
            Some(text) => found.extend(text.split('"').next().map(str::to_owned)),
            None => {
                let word =
                    given.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '$')).next();
                match word.and_then(|word| word.strip_prefix('$')) {
                    Some(variable) => found.extend(variables.and_then(|all| text(all.get(variable)?))),
                    None => found.extend(word.filter(|word| !word.is_empty()).map(str::to_owned)),
                }
            }
        }
    }
    if found.is_empty() {
        let of_variables = || variables?.get(name).or_else(|| variables?.get("input")?.get(name));
        found.extend(of_variables().and_then(text));
    }
    found.dedup();
    found.truncate(1);
    found
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::argument;

    #[test]
    fn an_argument_is_found_in_the_text_or_the_variables() {
        for (body, name, found) in [
            (
                r#"{"query":"mutation{issueUpdate(id:\"ENG-9\",input:{stateId:\"s1\"}){success}}"}"#,
                "id",
                Some("ENG-9"),
            ),
            (
                r#"{"query":"mutation { create_item (board_id: 777, item_name: \"x\") { id } }"}"#,
                "board_id",
                Some("777"),
            ),
            (r#"{"query":"mutation { create_item (board_id: 777, item_name: \"x\") { id } }"}"#, "id", None),
            (
                r#"{"query":"mutation($i:String!){issueUpdate(id:$i){x}}","variables":{"i":"ENG-1"}}"#,
                "id",
                Some("ENG-1"),
            ),
            (
                r#"{"query":"mutation M($input: I!){issueCreate(input:$input){x}}","variables":{"input":{"teamId":"T1"}}}"#,
                "teamId",
                Some("T1"),
            ),
            ("no body", "id", None),
        ] {
            assert_eq!(argument(body, name).first().map(String::as_str), found, "{body}");
        }
    }
}
