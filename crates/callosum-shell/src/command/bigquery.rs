//! The dataset of BigQuery that `bq` changes.

use super::Fit;

/// Words of a statement behind which a table stands.
const BEFORE_TABLES: &[&str] = &["FROM", "INTO", "UPDATE", "TABLE", "VIEW", "SCHEMA", "EXISTS", "MERGE"];

/// The dataset, with its project: `project/dataset`.
pub(super) fn dataset(fit: &Fit<'_, '_>) -> Option<String> {
    let command = fit.command;
    let arguments = fit.arguments();
    let project = command.values(&["--project_id"]).last().copied();
    let is_query = command.plain().next() == Some("query");
    let first = arguments.first().copied();
    let table = if is_query { first.and_then(table_in) } else { first };
    // `project:dataset.table`, `project.dataset.table`, `dataset.table`, `dataset`
    let (of_table, rest) = match table.and_then(|table| table.split_once(':')) {
        Some((project, rest)) => (Some(project), Some(rest)),
        None => (None, table),
    };
    let parts: Vec<&str> = rest.into_iter().flat_map(|rest| rest.split('.')).collect();
    let (of_table, dataset) = match parts.as_slice() {
        [project, dataset, _, ..] => (Some(*project), Some(*dataset)),
        [dataset, ..] => (of_table, Some(*dataset)),
        [] => (of_table, None),
    };
    let named: Vec<&str> = of_table.or(project).into_iter().chain(dataset).collect();
    (!named.is_empty()).then(|| named.join("/"))
}

/// The first table that a statement names.
fn table_in(statement: &str) -> Option<&str> {
    let mut words = statement.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let is_before = BEFORE_TABLES.iter().any(|known| known.eq_ignore_ascii_case(word));
        let next = words.peek().copied().unwrap_or_default();
        let is_more = ["IF", "NOT"].iter().chain(BEFORE_TABLES).any(|known| known.eq_ignore_ascii_case(next));
        if is_before && !is_more && !next.starts_with('(') {
            return Some(next.trim_matches(['`', ';', '(', ')'])).filter(|table| !table.is_empty());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::Line;
    use crate::command::{Command, Pattern};

    #[test]
    fn the_dataset_is_that_of_the_table() {
        for (line, expected) in [
            (
                "bq query --use_legacy_sql=false --project_id=acme 'DELETE FROM shop.orders WHERE x'",
                Some("acme/shop"),
            ),
            ("bq query 'UPDATE `acme.shop.orders` SET a=1 WHERE true'", Some("acme/shop")),
            ("bq query 'CREATE TABLE IF NOT EXISTS shop.copy AS SELECT 1'", Some("shop")),
            ("bq rm -f -t acme:shop.orders", Some("acme/shop")),
            ("bq mk --project_id acme shop", Some("acme/shop")),
            ("bq query 'SELECT 1'", None),
        ] {
            let line = Line::read(line);
            let command = Command::new(line.invocations.first().unwrap());
            let words = Pattern::parse("bq query|rm|mk").unwrap();
            let fit = words.fit(&command, &crate::command::pattern::tests::Nowhere).unwrap();
            assert_eq!(dataset(&fit).as_deref(), expected);
        }
    }
}
