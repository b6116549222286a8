//! Whether statements that a tool is given write.

use serde_json::Value;

use crate::rules::context_key::Lookup;
use callosum_shell::command::statements_write;

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
    "cypher",
    "cypher_query",
    "cypherQuery",
    "params.sql",
    "params.sqlStatements",
];

/// Those in which they are given GraphQL.
const GRAPHQL: &[&str] = &["query", "mutation", "graphql", "document", "operation"];
/// Stages of an aggregation that write what it comes to.
const WRITING_STAGES: &[&str] = &["$merge", "$out"];

/// Statements of SQL that only ask begin so.
const READING: &[&str] = &["select", "show", "describe", "explain", "with", "values"];

/// Whether a call is given SQL, and all of it only asks.
pub(super) fn is_only_read(params: &Lookup<'_>) -> bool {
    let is_read = |sql: &str| {
        let first = sql.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        READING.iter().any(|word| first.eq_ignore_ascii_case(word))
    };
    let mut given = PARAMS.iter().filter_map(|name| params.get(name)?.as_str().map(is_read));
    given.next() == Some(true) && given.all(|is_read| is_read) && !is_written(params)
}

/// Whether a call is given SQL that writes, stages of an aggregation that do, or a mutation of GraphQL.
pub(super) fn is_written(params: &Lookup<'_>) -> bool {
    let is_stage = |stage: &Value| WRITING_STAGES.iter().any(|name| stage.get(name).is_some());
    let is_mutation = |text: &str| text.trim_start().starts_with("mutation");
    if GRAPHQL.iter().any(|name| params.get(name).is_some_and(|text| text.as_str().is_some_and(is_mutation)))
    {
        return true;
    }
    let stages = params.get("pipeline");
    if stages.as_ref().and_then(|stages| stages.as_array()).is_some_and(|stages| stages.iter().any(is_stage))
    {
        return true;
    }
    let found = PARAMS.iter().filter_map(|name| params.get(name));
    found.into_iter().any(|value| match &*value {
        Value::String(sql) => statements_write(sql),
        Value::Array(all) => all.iter().filter_map(Value::as_str).any(statements_write),
        _ => false,
    })
}
