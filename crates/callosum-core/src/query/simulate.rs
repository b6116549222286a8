//! The journal under other rules. Nothing is written.

use std::sync::Arc;

use serde::Serialize;

use crate::model::error::QueryError;
use crate::record::{Line, Record};
use crate::rules::RuleSet;
use crate::simulate::{Report, Simulation};
use crate::store::journal::forward::Forward;
use crate::store::journal::recent::SLACK_MS;

use super::reader::Reader;

/// The progress is told after so many lines.
const TELL_EVERY: u64 = 4_096;

/// What a journal would have been under other rules.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Simulated {
    /// Where the rules in force came from: a path, or `built in`.
    pub rules_before: String,
    /// Why the rules file can't be used, while it can't: then other rules stand for those in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules_error: Option<String>,
    /// Lines that are torn, foreign or of a newer format: what they say is missing in what follows.
    pub skipped: u64,
    /// What became of the calls.
    #[serde(flatten)]
    pub report: Report,
}

/// What the journal's calls since `since_ms` would have got under the rules `after`, beside what they get under those in force.
pub(super) fn simulate(
    reader: &Reader<'_>,
    after: RuleSet,
    since_ms: Option<i64>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Simulated, QueryError> {
    let rules = &reader.rules;
    let mut simulation =
        Simulation::new(Arc::clone(&rules.rules), Arc::new(after), reader.settings, since_ms);
    let mut skipped = 0;
    if let Some(segments) = reader.segments()? {
        let back_ms = simulation.looks_back_ms().saturating_add(SLACK_MS);
        let from_ms = since_ms.map(|since_ms| since_ms.saturating_sub_unsigned(back_ms));
        let end = segments.active.0 + segments.active.1.metadata()?.size;
        let mut lines = Forward::new(segments, from_ms)?;
        let (mut first, mut count) = (None, 0_u64);
        while let Some((seq, bytes)) = lines.next_line()? {
            let first = *first.get_or_insert(seq);
            count += 1;
            if count.is_multiple_of(TELL_EVERY) {
                progress(seq.saturating_sub(first), end.saturating_sub(first));
            }
            match Line::read(&bytes) {
                Line::Record(record) => simulation.take(seq, &record),
                Line::Light | Line::Counted(_) => match serde_json::from_slice::<Record>(&bytes) {
                    Ok(record) => simulation.take(seq, &record),
                    Err(_) => skipped += 1,
                },
                Line::Newer(_) | Line::Foreign => skipped += 1,
                Line::Blank => {}
            }
        }
    }
    Ok(Simulated {
        rules_before: rules.source.clone(),
        rules_error: rules.error.clone(),
        skipped,
        report: simulation.report(),
    })
}
