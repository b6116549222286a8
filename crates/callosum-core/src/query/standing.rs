//! Records that stand until others replace them, for who only looks.

use std::sync::Arc;

use crate::model::error::QueryError;
use crate::record::Action;
use crate::store::standing::{self, Standing, Stands};
use crate::store::state_dir::StateDir;

use super::reader::Reader;

pub(super) fn standing(reader: &Reader<'_>, kind: &Action) -> Result<Standing, QueryError> {
    let Some(segments) = reader.segments()? else { return Ok(Standing::nothing(kind)) };
    let directory = StateDir { path: reader.state_dir.to_owned(), disk: Arc::clone(&segments.disk) };
    Ok(Standing::read(&directory, segments, kind)?)
}

pub(super) fn standing_briefly(
    reader: &Reader<'_>,
    kind: &Action,
    fields: &'static [&'static str],
) -> Result<Standing, QueryError> {
    let Some(segments) = reader.segments()? else { return Ok(Standing::nothing(kind)) };
    let directory = StateDir { path: reader.state_dir.to_owned(), disk: Arc::clone(&segments.disk) };
    Ok(Standing::read_briefly(&directory, segments, kind, fields)?)
}

pub(super) fn newest_on(reader: &Reader<'_>, kind: &Action, key: &str) -> Result<Option<Stands>, QueryError> {
    let Some(segments) = reader.segments()? else { return Ok(None) };
    let directory = StateDir { path: reader.state_dir.to_owned(), disk: Arc::clone(&segments.disk) };
    Ok(standing::newest_on(&directory, segments, kind, key)?)
}
