//! The journal's records, for people and programs.

use serde::Serialize;
use serde_json::Value;

use crate::model::time::Stamp;
use crate::store::journal::segments::Segments;
use crate::store::journal::span::{Met, Piece, Span};

use super::filter::Filter;
use super::line_filter::Sieve;
use super::request::QueryError;
use crate::gate::Gate;

/// Records of the journal.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Found {
    /// The records as they stand in the journal, each with its sequence number as `seq`; the newest last.
    pub entries: Vec<Value>,
    /// The [`Filter::before`] to go on with, for what is older; null when nothing older can match.
    pub next: Option<u64>,
}

/// The wanted lines of a piece, the newest last, and the `before` of the next.
type Gathered<T> = (Vec<T>, Option<u64>);

impl Gate {
    /// The newest records that `filter` wants. For a thread that may wait.
    ///
    /// # Errors
    /// When the filter is wrong or the journal can't be read.
    pub fn journal(&self, filter: &Filter, now: &Stamp) -> Result<Found, QueryError> {
        let (entries, next) = self.gather(filter, now, |sieve, met| sieve.record(met))?;
        Ok(Found { entries, next })
    }

    /// The same as the text of a [`Found`].
    pub(super) fn journal_text(&self, filter: &Filter, now: &Stamp) -> Result<String, QueryError> {
        let (entries, next) = self.gather(filter, now, |sieve, met| sieve.text(met))?;
        let next = next.map_or_else(|| "null".to_owned(), |next| next.to_string());
        Ok(format!("{{\"entries\":[{}],\"next\":{next}}}", entries.join(",")))
    }

    fn gather<T>(
        &self,
        filter: &Filter,
        now: &Stamp,
        wanted: impl Fn(&Sieve<'_>, &Met) -> Option<T>,
    ) -> Result<Gathered<T>, QueryError> {
        let sieve = Sieve::new(filter).map_err(QueryError::bad_request)?;
        let Some(segments) = self.segments(now)? else { return Ok((Vec::new(), None)) };
        let span = Span {
            from_ms: sieve.since_ms,
            to_ms: sieve.until_ms,
            after: filter.after,
            before: filter.before,
        };
        let mut piece = Piece::new(&segments, span, filter.budget)?;
        let mut found = Vec::new();
        while let Some(met) = piece.next_line()? {
            found.extend(wanted(&sieve, &met));
            if found.len() == filter.limit {
                piece.cut();
                break;
            }
        }
        found.reverse();
        Ok((found, piece.next()))
    }

    /// The sequence number that the next record will have; 0 when nothing was journaled yet. Looks at files only, and waits
    /// for nobody, but a moment for the writer.
    ///
    /// # Errors
    /// When the journal can't be looked at.
    pub fn head(&self) -> Result<u64, QueryError> {
        self.await_written();
        Ok(self.observe()?.map_or(0, |segments| segments.head()))
    }

    /// The segments to look at; `None` when nothing was journaled yet.
    pub(super) fn segments(&self, now: &Stamp) -> Result<Option<Segments>, QueryError> {
        if self.observer {
            return Ok(self.observe()?);
        }
        Ok(Some(self.look(now, |ledger| self.segments_of(ledger.journal()))?))
    }
}
