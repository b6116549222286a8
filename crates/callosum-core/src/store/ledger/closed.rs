//! What is missing of the closed segments: looked for before anything is decided, and told once.

use crate::decision::history::Gap;
use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::store::journal::chain::{Chain, ChainEnd};
use crate::store::journal::segment::Carried;
use crate::store::journal::segment_file::closed_segments;
use crate::store::journal::{Check, Loss};

use super::Ledger;

/// What a ledger knows of the closed segments.
#[derive(Debug, Default)]
pub(super) struct Closed {
    chain: Chain,
    /// The gaps that the index knows, where the history comes from one.
    indexed: Option<Vec<Gap>>,
    /// The gaps that were there when this ledger was first brought up to date; `None` before.
    gaps: Option<Vec<Gap>>,
}

impl Closed {
    /// For a ledger that starts from an index which knows of these gaps.
    pub(super) fn known_to(index: &[Gap]) -> Self {
        Self { indexed: Some(index.to_vec()), ..Self::default() }
    }
}

impl Ledger {
    /// Looks whether the closed segments are all there. The guard must be held, and all been read: how far was pruned stands
    /// in the journal. A ledger that was brought up to date before has read what is gone since, and so is not what the
    /// journal says.
    pub(super) fn check_closed(&mut self, check: Check, now: &Stamp) -> Result<(), StateError> {
        let is_due = match check {
            Check::All => true,
            Check::Journal => self.closed.gaps.is_none(),
            Check::Seldom => false,
        };
        if !is_due {
            return Ok(());
        }
        let active = self.journal.active();
        let end = ChainEnd { base: active.base, opened: active.opened };
        let directory = self.journal.directory();
        let (kept_from, keep_ms) = (self.history.kept_from, self.history.keep_ms());
        let gaps = self.closed.chain.gaps(directory, end, kept_from, keep_ms, now)?;
        let are_within = |known: &[Gap]| gaps.iter().all(|gap| gap.is_within(known));
        match &self.closed.gaps {
            Some(known) if are_within(known) => {}
            // What an index says of the lines behind a gap is of before.
            None if self.closed.indexed.as_ref().is_none_or(|known| are_within(known)) => {
                if !are_within(&self.history.gaps) {
                    self.lost = self.lost.or(Some(Loss::Segment));
                    self.is_astray = true;
                }
                self.closed.gaps = Some(gaps);
            }
            _ => return Err(self.replaced()),
        }
        Ok(())
    }

    /// What is missing of the closed segments, as far as was looked.
    #[must_use]
    pub fn gaps(&self) -> &[Gap] {
        self.closed.gaps.as_deref().unwrap_or_default()
    }

    /// What of that no record tells.
    #[must_use]
    pub fn untold_gaps(&self) -> Vec<Gap> {
        let is_untold = |gap: &&Gap| !gap.is_within(&self.history.gaps);
        self.gaps().iter().filter(is_untold).copied().collect()
    }

    /// What the first line of the next segment carries on. Where nobody said how far was pruned, it was so up to the oldest
    /// segment that is there.
    pub(super) fn carried(&self) -> Result<Carried, StateError> {
        let kept_from = match self.history.kept_from {
            Some(kept_from) => kept_from,
            None => {
                let base = self.journal.active().base;
                let oldest = closed_segments(self.journal.directory())?.first().map(|(base, _)| *base);
                oldest.map_or(base, |oldest| oldest.min(base))
            }
        };
        Ok(Carried { windows: self.history.windows.clone(), kept_from: Some(kept_from) })
    }
}
