//! Whether SQL writes.

use serde_json::Value;

use crate::rules::context_key::Lookup;

/// The parameters in which tools are given SQL.
const PARAMS: &[&str] = &[
    "sql",
    "query",
    "statement",
    "statements",
    "queries",
    "sql_query",
    "sqlQuery",
    "sqlStatements",
    "params.sql",
    "params.sqlStatements",
];
/// Statements that only ask, or change nothing that lasts, by their first words.
const ASKING: &[&str] = &[
    "", "analyze", "begin", "commit", "desc", "describe", "explain", "help", "list", "pragma", "rollback",
    "select", "set", "show", "start", "table", "use", "values", "with",
];
/// Words that write, behind `with …` too.
const WRITING: &[&str] = &["delete", "insert", "into", "merge", "update"];

/// Whether a call is given SQL that writes.
pub(super) fn is_written(params: &Lookup<'_>) -> bool {
    let found = PARAMS.iter().filter_map(|name| params.get(name));
    found.into_iter().any(|value| match value.as_ref().as_ref() {
        Value::String(sql) => writes(sql),
        Value::Array(all) => all.iter().filter_map(Value::as_str).any(writes),
        _ => false,
    })
}

/// Whether one of some statements writes.
fn writes(sql: &str) -> bool {
    bare(sql).split(';').any(|statement| {
        let words =
            statement.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        let mut words = words.map(str::to_lowercase);
        let first = words.next().unwrap_or_default();
        match first.as_str() {
            "select" | "with" => words.any(|word| WRITING.contains(&word.as_str())),
            // It runs what it explains.
            "explain" => {
                let all: Vec<String> = words.collect();
                all.iter().any(|word| word == "analyze")
                    && all.iter().any(|word| WRITING.contains(&word.as_str()))
            }
            "pragma" => statement.contains('='),
            first => !ASKING.contains(&first),
        }
    })
}

/// SQL without comments and what stands in quotes.
fn bare(sql: &str) -> String {
    let mut text = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(at) = rest.find(['\'', '"', '`', '-', '/', '#']) {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        let quote = after.chars().next().unwrap_or_default();
        let end = match quote {
            '-' if after.starts_with("--") => after.find('\n'),
            '#' => after.find('\n'),
            '/' if after.starts_with("/*") => after.find("*/").map(|end| end + 2),
            '-' | '/' => Some(1),
            _ => after.get(1..).and_then(|inside| inside.find(quote)).map(|end| end + 2),
        };
        text.push(' ');
        rest = end.and_then(|end| after.get(end..)).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_write_are_told_from_those_that_ask() {
        for (sql, expected) in [
            ("SELECT 1", false),
            ("  -- delete from t\nselect count(*) from orders", false),
            ("select 'delete from t; drop table t'", false),
            ("select * into backup from t", true),
            ("explain delete from t", false),
            ("EXPLAIN ANALYZE DELETE FROM t", true),
            ("with x as (select 1) select * from x", false),
            ("with x as (delete from t returning *) select * from x", true),
            ("select 1; DROP TABLE t", true),
            ("/* a; b */ update t set a = 'x''; select'", true),
            ("CREATE TABLE t (id int)", true),
            ("begin; select 1; commit;", false),
            ("pragma journal_mode", false),
            ("pragma journal_mode = wal", true),
            ("truncate t", true),
            ("select \"update\" from t", false),
            ("", false),
        ] {
            assert_eq!(writes(sql), expected, "{sql}");
        }
    }
}
