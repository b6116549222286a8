//! Whether statements that a tool is given write.

use serde_json::Value;

use crate::rules::context_key::{Given, Lookup};
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

/// Statements of SQL that only ask begin so, and GraphQL that does.
const READING: &[&str] = &["select", "show", "describe", "explain", "with", "values", "query"];

/// The statements that a call is given, or what else stands where they do. Tools that run `psql` are told them as its command.
fn given<'p>(of_psql: bool, params: &'p Lookup<'_>) -> impl Iterator<Item = Given<'p>> {
    PARAMS.iter().chain(of_psql.then_some(&"command")).filter_map(|name| params.get(name))
}

/// Whether a call is given SQL, and all of it only asks.
pub(super) fn is_only_read(of_psql: bool, params: &Lookup<'_>) -> bool {
    let is_read = |sql: &str| {
        let first = sql.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        READING.iter().any(|word| first.eq_ignore_ascii_case(word))
    };
    let mut given = given(of_psql, params).filter_map(|value| value.as_str().map(is_read));
    given.next() == Some(true) && given.all(|is_read| is_read) && !is_written(of_psql, params)
}

/// Whether a call is given SQL that writes, stages of an aggregation that do, or a mutation of GraphQL.
pub(super) fn is_written(of_psql: bool, params: &Lookup<'_>) -> bool {
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
    given(of_psql, params).any(|value| match &*value {
        Value::String(sql) => statements_write(sql),
        Value::Array(all) => all.iter().filter_map(Value::as_str).any(statements_write),
        _ => false,
    })
}
