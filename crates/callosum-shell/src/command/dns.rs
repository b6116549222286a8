//! The names of records of the DNS that a command changes.

use serde_json::Value;

use super::Fit;

/// Those that the statements of `nsupdate` name, or a change batch of Route 53.
pub(super) fn names(fit: &Fit<'_, '_>) -> Vec<String> {
    let command = fit.command;
    let mut names = Vec::new();
    for batch in command.values(&["--change-batch"]) {
        if let Ok(value) = serde_json::from_str::<Value>(batch) {
            let changes = value.get("Changes").and_then(Value::as_array).into_iter().flatten();
            let name =
                |change: &Value| change.pointer("/ResourceRecordSet/Name")?.as_str().map(str::to_owned);
            names.extend(changes.filter_map(name));
        }
    }
    for line in command.invocation.input.iter().flat_map(|text| text.lines()) {
        let mut words = line.split_whitespace().skip_while(|word| matches!(*word, "update" | "prereq"));
        if let (Some("add" | "delete" | "del"), Some(name)) = (words.next(), words.next()) {
            names.push(name.trim_end_matches('.').to_owned());
        }
    }
    names
}
