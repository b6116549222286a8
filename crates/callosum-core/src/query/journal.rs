//! The journal's records, for people and programs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::model::error::QueryError;
use crate::store::journal::span::{Met, Span, SpanReader};

use super::filter::Filter;
use super::line_filter::LineFilter;
use super::reader::Reader;

/// Records of the journal, the newest that are wanted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct JournalPage {
    /// The records as they stand in the journal, each with its sequence number as `seq`; the newest last.
    pub entries: Vec<Value>,
    /// The `before` to go on with, for what is older; null when nothing older can match.
    pub next: Option<u64>,
}

/// The wanted lines of a piece, the newest last, and the `before` of the next.
type Gathered<T> = (Vec<T>, Option<u64>);

/// The newest records that `filter` wants.
pub(super) fn journal(reader: &Reader<'_>, filter: &Filter) -> Result<JournalPage, QueryError> {
    let (entries, next) = gather(reader, filter, |wanted, met| wanted.record(met))?;
    Ok(JournalPage { entries, next })
}

/// The same as the text of a [`JournalPage`].
pub(super) fn journal_text(reader: &Reader<'_>, filter: &Filter) -> Result<String, QueryError> {
    let (entries, next) = gather(reader, filter, |wanted, met| wanted.text(met))?;
    let next = next.map_or_else(|| "null".to_owned(), |next| next.to_string());
    Ok(format!("{{\"entries\":[{}],\"next\":{next}}}", entries.join(",")))
}

fn gather<T>(
    reader: &Reader<'_>,
    filter: &Filter,
    take: impl Fn(&LineFilter<'_>, &Met) -> Option<T>,
) -> Result<Gathered<T>, QueryError> {
    let wanted = LineFilter::new(filter).map_err(QueryError::bad_request)?;
    let Some(segments) = reader.segments()? else { return Ok((Vec::new(), None)) };
    let span =
        Span { from_ms: wanted.since_ms, to_ms: wanted.until_ms, after: filter.after, before: filter.before };
    let mut span_reader = SpanReader::new(segments, span, filter.budget)?;
    let mut found = Vec::new();
    while let Some(met) = span_reader.next_line()? {
        found.extend(take(&wanted, &met));
        if found.len() == filter.limit {
            span_reader.cut();
            break;
        }
    }
    found.reverse();
    Ok((found, span_reader.next()))
}
