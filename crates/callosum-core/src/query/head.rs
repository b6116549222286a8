//! How far the journal reaches.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::error::QueryError;
use crate::store::journal::segments::Segments;

use super::reader::Reader;

/// How far the journal reaches, and when that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HeadResponse {
    /// The sequence number that the next record will have; 0 when nothing was journaled yet.
    pub head: u64,
    /// The wall clock, milliseconds.
    pub now: i64,
}

/// How far the journal reaches.
///
/// # Errors
/// When the journal can't be looked at.
pub(super) fn head(reader: &Reader<'_>) -> Result<HeadResponse, QueryError> {
    Ok(HeadResponse { head: reader.segments()?.map_or(0, Segments::head), now: reader.now.wall_ms })
}
