//! Getting at the ledger: opened when first needed, opened again when it was replaced.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crate::model::error::StateError;
use crate::model::settings::Durability;
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::record::{Action, Record};
use crate::store::journal::{Check, Patience, SegmentLimit, UpToDate};
use crate::store::ledger::{Ledger, LedgerOptions, Needs};

use super::backlog::Next;
use super::{Gate, LedgerSlot, MAX_IMPATIENT_RECORDS, lock};

/// Longer than whoever waits for the ledger sleeps between two looks.
const BETWEEN_PIECES: Duration = Duration::from_micros(400);
/// After this time a hook's process names its window again; it must be far below the time for which others remember it.
const NAME_WINDOW_AGAIN_MS: u64 = 24 * 3_600_000;

/// Why a step did not happen.
pub(super) enum NotNow {
    /// Busy, or too much to read: a thread that may wait must do it.
    Busy,
    /// The state can't be used.
    Failed(StateError),
}

impl From<StateError> for NotNow {
    fn from(error: StateError) -> Self {
        Self::Failed(error)
    }
}

/// The ledger's place, locked. A closed gate holds no file: whoever still had something to do when it was closed, and so
/// opened the ledger again, lets it go with the lock.
pub(super) struct LockedSlot<'a> {
    gate: &'a Gate,
    slot: MutexGuard<'a, LedgerSlot>,
}

impl Deref for LockedSlot<'_> {
    type Target = LedgerSlot;

    fn deref(&self) -> &LedgerSlot {
        &self.slot
    }
}

impl DerefMut for LockedSlot<'_> {
    fn deref_mut(&mut self) -> &mut LedgerSlot {
        &mut self.slot
    }
}

impl Drop for LockedSlot<'_> {
    fn drop(&mut self) {
        if self.gate.has_let_go.load(Ordering::Acquire) {
            *self.slot = LedgerSlot::default();
        }
    }
}

impl Gate {
    /// Runs `step`, which writes, with the ledger up to date and the guard held, and with what it `needs`
    /// loaded.
    pub(super) fn with_ledger<T>(
        &self,
        needs: &Needs<'_>,
        patience: Patience,
        check: Check,
        now: &Stamp,
        step: impl FnOnce(&mut Ledger, UpToDate) -> Result<T, StateError>,
    ) -> Result<T, NotNow> {
        let keep_ms = self.keep_ms();
        let mut slot = self.lock_slot(patience)?;
        if matches!(patience, Patience::Until(_)) && !needs.keys.is_empty() {
            slot = self.load_ahead(slot, keep_ms, needs, patience, now)?;
        }
        let proof = self.up_to_date(&mut slot, keep_ms, needs, patience, check, now)?;
        let LedgerSlot { ledger: Some(ledger), window_named_in, .. } = &mut *slot else {
            return Err(NotNow::Busy);
        };
        ledger.rotate_if_full(&proof, patience, now);
        let waiting = lock(&self.light).waiting();
        if matches!(patience, Patience::None) && waiting > MAX_IMPATIENT_RECORDS {
            return Err(NotNow::Busy);
        }
        let here = (ledger.journal().active().base, keep_ms);
        if *window_named_in != Some(here) && !(self.is_hook && self.window_is_known(ledger, keep_ms, now)) {
            // Whoever prunes must know how far back this process looks: said in every segment it writes.
            let mut record = Record::new(Action::Rules, &self.instance, now);
            record.window_ms = Some(keep_ms);
            ledger.append(&proof, &record, now)?;
            *window_named_in = Some((ledger.journal().active().base, keep_ms));
        }
        let result = self.drain(ledger, &proof, now).and_then(|()| step(ledger, proof));
        if let Err(StateError::Replaced { .. }) = result {
            slot.without_index = true;
            self.drop_ledger(&mut slot, now);
        }
        let result = result?;
        lock(&self.health).works();
        Ok(result)
    }

    pub(super) fn lock_slot(&self, patience: Patience) -> Result<LockedSlot<'_>, NotNow> {
        let mut since = None;
        loop {
            match self.slot.try_lock() {
                Ok(slot) => return Ok(LockedSlot { gate: self, slot }),
                Err(TryLockError::Poisoned(poisoned)) => {
                    // A panic in the middle of a step: what is in memory may be half done, the journal is
                    // not. Read it again.
                    let mut slot = poisoned.into_inner();
                    *slot = LedgerSlot::default();
                    self.slot.clear_poison();
                    return Ok(LockedSlot { gate: self, slot });
                }
                Err(TryLockError::WouldBlock) => {
                    let Patience::Until(deadline) = patience else { return Err(NotNow::Busy) };
                    let now = Instant::now();
                    let since = *since.get_or_insert(now);
                    if now >= deadline {
                        let waited_ms = u64::try_from((now - since).as_millis()).unwrap_or(u64::MAX);
                        let path = self.directory.path.clone();
                        return Err(NotNow::Failed(StateError::GuardTimeout { path, waited_ms }));
                    }
                    thread::sleep(Duration::from_micros(200));
                }
            }
        }
    }

    /// Opens the ledger if need be and brings it up to date. Opens it anew, once, when the journal was
    /// replaced or the rules now look further back than it was read.
    pub(super) fn up_to_date(
        &self,
        slot: &mut LedgerSlot,
        keep_ms: u64,
        needs: &Needs<'_>,
        patience: Patience,
        check: Check,
        now: &Stamp,
    ) -> Result<UpToDate, NotNow> {
        for attempt in 0..2 {
            self.open(slot, keep_ms, patience, now)?;
            let Some(ledger) = &mut slot.ledger else { return Err(NotNow::Busy) };
            let proof = ledger.catch_up(patience, check, now).and_then(|proof| {
                let Some(proof) = proof else { return Ok(None) };
                Ok(ledger.load(needs, patience)?.then_some(proof))
            });
            match proof {
                Ok(Some(proof)) => {
                    slot.without_index = false;
                    if !self.make_whole(slot, &proof, patience, now)? {
                        return Err(NotNow::Busy);
                    }
                    return Ok(proof);
                }
                Ok(None) => return Err(NotNow::Busy),
                Err(StateError::Replaced { .. } | StateError::NewerFormat { .. }) if attempt == 0 => {
                    // Also what a corrupt index comes to. And whether a newer version's line behind the index
                    // still counts, only reading back tells.
                    slot.without_index = true;
                    self.drop_ledger(slot, now);
                }
                // The next attempt goes on from there.
                Err(error @ StateError::Unread { .. }) => return Err(error.into()),
                Err(error) => {
                    // What failed may be the open files themselves: open them anew next time.
                    self.drop_ledger(slot, now);
                    return Err(error.into());
                }
            }
        }
        Err(NotNow::Busy)
    }

    /// Opens the ledger if it is not, or was read less far back than the rules now look.
    fn open(
        &self,
        slot: &mut LedgerSlot,
        keep_ms: u64,
        patience: Patience,
        now: &Stamp,
    ) -> Result<(), StateError> {
        if slot.ledger.as_ref().is_none_or(|ledger| ledger.history().keep_ms() < keep_ms) {
            slot.window_named_in = None;
            slot.let_go(now);
            slot.ledger = Ledger::open(&self.ledger_options(keep_ms), !slot.without_index, patience, now)?;
        }
        Ok(())
    }

    /// Loads a long history of the resources in question before the guard is taken, piece by piece: in between others
    /// get at the ledger. What fails here fails again with the guard, and is told there.
    fn load_ahead<'a>(
        &'a self,
        mut slot: LockedSlot<'a>,
        keep_ms: u64,
        needs: &Needs<'_>,
        patience: Patience,
        now: &Stamp,
    ) -> Result<LockedSlot<'a>, NotNow> {
        while self.open(&mut slot, keep_ms, patience, now).is_ok()
            && slot.ledger.as_mut().is_some_and(|ledger| matches!(ledger.load_piece(needs), Ok(false)))
        {
            drop(slot);
            thread::sleep(BETWEEN_PIECES);
            slot = self.lock_slot(patience)?;
        }
        Ok(slot)
    }

    pub(super) fn ledger_options(&self, keep_ms: u64) -> LedgerOptions {
        LedgerOptions {
            directory: self.directory.clone(),
            instance: self.instance.clone(),
            keep_ms,
            default_lease_ms: self.settings.lease_ms,
            limit: SegmentLimit { bytes: (self.settings.journal_max_bytes / 8).clamp(16 * 1024, 8 << 20) },
        }
    }

    /// How far back history must be kept, milliseconds, by the rules in force and the settings.
    pub(super) fn keep_ms(&self) -> u64 {
        let (window_ms, lease_ms) = self.longest_of_rules_ms();
        self.settings.keep_ms(window_ms, lease_ms)
    }

    /// A hook lives for one event: it names its window only when no other hook of its instance did so lately. One that comes
    /// after a call has read no rules and knows of the default window alone; it must not take back what they said.
    fn window_is_known(&self, ledger: &Ledger, keep_ms: u64, now: &Stamp) -> bool {
        ledger
            .history()
            .windows
            .get(&self.instance)
            .is_some_and(|known| known.ms >= keep_ms && now.wall_ms.abs_diff(known.at) < NAME_WINDOW_AGAIN_MS)
    }

    /// The files are not what they were, perhaps: neither is what was counted in them.
    fn drop_ledger(&self, slot: &mut LedgerSlot, now: &Stamp) {
        slot.let_go(now);
        self.line_counts.forget();
        self.listing.forget();
    }

    /// Writes what waits: the backlog and the outcomes in the order in which they came, then what was delivered.
    fn drain(&self, ledger: &mut Ledger, proof: &UpToDate, now: &Stamp) -> Result<(), StateError> {
        if lock(&self.light).has_nothing_late() {
            return Ok(());
        }
        loop {
            let behind = lock(&self.light).late_ends.front().map(|end| end.behind);
            self.drain_backlog(behind.unwrap_or(u64::MAX), ledger, proof, now)?;
            let end = match behind {
                Some(_) => lock(&self.light).late_ends.pop_front(),
                None => None,
            };
            let Some(end) = end else { break };
            let written = self.outcome_record(ledger, &end.target, &end.report, now).and_then(|outcome| {
                outcome.map_or(Ok(()), |outcome| ledger.append(proof, &outcome, now).map(drop))
            });
            if let Err(error) = written {
                lock(&self.light).late_ends.push_front(end);
                return Err(error);
            }
        }
        loop {
            let Some(delivery) = lock(&self.light).late_deliveries.pop_front() else { return Ok(()) };
            if let Err(error) = self.write_delivered(ledger, proof, &delivery, now) {
                lock(&self.light).late_deliveries.push_front(delivery);
                return Err(error);
            }
        }
    }

    /// Writes the lines of the backlog up to the one with this number.
    fn drain_backlog(
        &self,
        last: u64,
        ledger: &mut Ledger,
        proof: &UpToDate,
        now: &Stamp,
    ) -> Result<(), StateError> {
        loop {
            // It waits on while it is written, so that an after-hook finds a start either waiting or written, never between;
            // and no hook waits for the disk. Only who has the ledger takes any away.
            let Some(next) = lock(&self.light).backlog.next(last) else { return Ok(()) };
            let (number, record) = match next {
                Next::Record(number, record) => (number, record),
                Next::Lights(numbers, lines) => {
                    let seq = ledger.append_encoded(proof, &lines, now)?;
                    let mut light = lock(&self.light);
                    for number in numbers {
                        let _ = light.backlog.written(number, seq);
                    }
                    continue;
                }
            };
            let seq = ledger.append(proof, &record, now)?.seq;
            let mut light = lock(&self.light);
            if let Some(id) = light.backlog.written(number, seq) {
                light.calls.written(&id, number, seq, record.tier.is_some_and(Tier::is_guarded));
            }
        }
    }

    pub(super) fn flushes(&self) -> bool {
        self.settings.durability == Durability::Disk
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::gate::GateOptions;

    /// A call that was on its way when the gate was closed comes to the ledger after all was let go.
    #[test]
    fn a_closed_gate_holds_no_file_whoever_comes_late() {
        let directory = tempfile::tempdir().unwrap();
        let state_dir_variable = Some(directory.path().display().to_string());
        let gate = Gate::new(GateOptions { state_dir_variable, ..GateOptions::default() });
        let now = gate.machine().now();
        let write = || gate.with_ledger(&Needs::default(), Patience::None, Check::All, &now, |_, _| Ok(()));
        assert!(write().is_ok() && lock(&gate.slot).ledger.is_some());
        gate.close(&now);
        assert!(lock(&gate.slot).ledger.is_none());
        assert!(write().is_ok() && lock(&gate.slot).ledger.is_none());
    }
}
