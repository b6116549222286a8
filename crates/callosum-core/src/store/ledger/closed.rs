//! What is missing of the closed segments: looked for before anything is decided, and told once.

use crate::decision::history::{Gap, History};
use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::store::journal::chain::{Chain, ChainEnd};
use crate::store::journal::segment::Carried;
use crate::store::journal::segment_file::closed_segments;
use crate::store::journal::{Check, Journal};

/// What a ledger knows of the closed segments.
#[derive(Debug, Default)]
pub(super) struct Closed {
    chain: Chain,
    /// The gaps that the index knows, where the history comes from one.
    indexed: Option<Vec<Gap>>,
    /// The gaps that were there when the ledger was first brought up to date; `None` before.
    gaps: Option<Vec<Gap>>,
}

/// What was found of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing that was not known.
    Nothing,
    /// Something is missing of which no record tells.
    Untold,
    /// The history holds what is gone, or comes from an index of before: it is not what the journal says.
    Outdated,
}

impl Closed {
    /// For a ledger that starts from an index which knows of these gaps.
    pub(super) fn known_to(index: &[Gap]) -> Self {
        Self { indexed: Some(index.to_vec()), ..Self::default() }
    }

    /// Looks whether the closed segments are all there. The guard must be held, and all been read into `history`: how far was
    /// pruned stands in the journal.
    pub(super) fn check(
        &mut self,
        journal: &Journal,
        history: &History,
        check: Check,
        now: &Stamp,
    ) -> Result<Found, StateError> {
        let is_due = match check {
            Check::All => true,
            Check::Journal => self.gaps.is_none(),
            Check::Seldom => false,
        };
        if !is_due {
            return Ok(Found::Nothing);
        }
        let active = journal.active();
        let end = ChainEnd { base: active.base, opened: active.opened };
        let gaps = self.chain.gaps(journal.directory(), end, history.kept_from, history.keep_ms(), now)?;
        let are_within = |known: &[Gap]| gaps.iter().all(|gap| gap.is_within(known));
        if let Some(known) = &self.gaps {
            return Ok(if are_within(known) { Found::Nothing } else { Found::Outdated });
        }
        // What an index says of the lines behind a gap is of before.
        if self.indexed.as_ref().is_some_and(|known| !are_within(known)) {
            return Ok(Found::Outdated);
        }
        let is_told = are_within(&history.gaps);
        self.gaps = Some(gaps);
        Ok(if is_told { Found::Nothing } else { Found::Untold })
    }

    /// What is missing, as far as was looked.
    pub(super) fn gaps(&self) -> &[Gap] {
        self.gaps.as_deref().unwrap_or_default()
    }
}

/// What the first line of the next segment carries on. Where nobody said how far was pruned, it was so up to the oldest segment
/// that is there.
pub(super) fn carried(journal: &Journal, history: &History) -> Result<Carried, StateError> {
    let kept_from = match history.kept_from {
        Some(kept_from) => kept_from,
        None => {
            let base = journal.active().base;
            let oldest = closed_segments(journal.directory())?.first().map(|(base, _)| *base);
            oldest.map_or(base, |oldest| oldest.min(base))
        }
    };
    Ok(Carried { windows: history.windows.clone(), kept_from: Some(kept_from) })
}
