//! What a gate does between calls, on a thread that may wait.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::record::{Action, HookCounts, Record};
use crate::store::index::IndexJob;
use crate::store::journal::retention::{Retention, delete_before};
use crate::store::journal::{Appended, Check, Patience, UpToDate};
use crate::store::ledger::{Ledger, Needs};

use super::open_calls::Unflushed;
use super::transaction::NotNow;
use super::{Gate, lock};

/// Hook counts are written at most this often, milliseconds.
const SEEN_INTERVAL_MS: u64 = 5_000;

impl Gate {
    /// Writes what waits: outcomes, the backlog, and every five seconds the hook counts; forgets what is out
    /// of every window, and keeps segments and index in order. For a thread that may wait.
    pub fn maintain(&self, now: &Stamp) {
        if !self.is_closed() {
            self.run_maintenance(false, self.patience(), now);
        }
    }

    /// Writes what is left and lets the files go. Afterwards every method answers at once and does nothing.
    pub fn close(&self, now: &Stamp) {
        if self.settle_within(self.patience(), now) {
            self.has_let_go.store(true, Ordering::Release);
            if let Some(writer) = &self.writer {
                writer.end();
            }
            // Whoever has the lock now lets the files go in our stead.
            drop(self.lock_slot(self.patience()));
        }
    }

    /// The same for a process that ends now: the system takes the files, and what was read of the journal, in less time than
    /// it takes to let them go. Waits until `deadline` for the guard, and for nothing longer.
    pub fn settle(&self, deadline: Instant, now: &Stamp) {
        let _ = self.settle_within(Patience::Until(deadline), now);
    }

    /// False when it was done already.
    fn settle_within(&self, patience: Patience, now: &Stamp) -> bool {
        let was_open = !self.closed.swap(true, Ordering::AcqRel);
        if was_open {
            self.run_maintenance(true, patience, now);
        }
        was_open
    }

    fn run_maintenance(&self, closing: bool, patience: Patience, now: &Stamp) {
        let full = self
            .lock_slot(patience)
            .is_ok_and(|slot| slot.ledger.as_ref().is_some_and(|ledger| ledger.journal().fullness() >= 1));
        let waiting = lock(&self.light).waiting() > 0;
        let counts = self.counts_due(closing, now);
        if !counts.is_empty() {
            self.write_seen(counts, patience, now);
        }
        if waiting || full {
            self.write_waiting(patience, now);
        } else if !closing {
            self.watch(patience, now);
        }
        self.prune_and_index(closing, patience, now);
    }

    /// Writes what waits, and makes it durable: there may be outcomes among it. Closes a segment that is full. A hook's
    /// process leaves the disk's time to others: its runtime waits for it to end.
    pub(super) fn write_waiting(&self, patience: Patience, now: &Stamp) {
        // Taking the guard does it.
        let written = self.with_ledger(&Needs::default(), patience, Check::Seldom, now, |ledger, _| {
            let active = ledger.journal().active();
            Ok(Unflushed { file: Arc::clone(&active.file), end: active.size() })
        });
        match written {
            Ok(unflushed) if self.flushes() && !self.is_hook => match unflushed.file.flush(unflushed.end) {
                Ok(_) => lock(&self.health).flushed(),
                Err(error) => self.flush_failed(&error, now),
            },
            written => self.note_failure(written, now),
        }
    }

    /// Reads on, so that who asks nothing for long notices too when the journal was lost: nobody else may know what it has under
    /// way.
    fn watch(&self, patience: Patience, now: &Stamp) {
        let Ok(mut slot) = self.lock_slot(patience) else { return };
        if slot.ledger.is_none() {
            return;
        }
        let read = self.up_to_date(&mut slot, self.keep_ms(), &Needs::default(), patience, Check::All, now);
        drop(slot);
        self.note_failure(read.map(drop), now);
    }

    /// The counts since the last record, when it is time to write them.
    fn counts_due(&self, closing: bool, now: &Stamp) -> BTreeMap<String, HookCounts> {
        let mut light = lock(&self.light);
        let recent = light
            .seen_written_up_ms
            .is_some_and(|written| now.up_ms.saturating_sub(written) < SEEN_INTERVAL_MS && now.up_ms != 0);
        if recent && !closing {
            return BTreeMap::new();
        }
        light.seen_written_up_ms = Some(now.up_ms);
        std::mem::take(&mut light.seen)
    }

    /// The counts that the line of a call carries. A hook's process sees one hook: with a line for its counts there would be
    /// two for each.
    pub(super) fn counts_to_carry(&self) -> BTreeMap<String, HookCounts> {
        if self.is_hook { lock(&self.light).seen.clone() } else { BTreeMap::new() }
    }

    /// These were written: they are not counted again.
    pub(super) fn counts_carried(&self, counts: &BTreeMap<String, HookCounts>) {
        if !counts.is_empty() {
            lock(&self.light).seen.clear();
        }
    }

    /// Appends a record about a call, with the counts it carries.
    pub(super) fn append_of_call(
        &self,
        ledger: &mut Ledger,
        proof: &UpToDate,
        record: &mut Record,
        now: &Stamp,
    ) -> Result<Appended, StateError> {
        record.seen = self.counts_to_carry();
        let appended = ledger.append(proof, record, now)?;
        self.counts_carried(&record.seen);
        Ok(appended)
    }

    fn write_seen(&self, counts: BTreeMap<String, HookCounts>, patience: Patience, now: &Stamp) {
        let mut record = Record::new(Action::Seen, &self.instance, now);
        record.runtime = Some(self.runtime.clone());
        record.seen = counts;
        let result = self.append(&record, patience, now);
        if result.is_err() {
            let mut light = lock(&self.light);
            for (tool, counts) in record.seen {
                let waiting = light.seen.entry(tool).or_default();
                waiting.before += counts.before;
                waiting.after += counts.after;
            }
        }
        self.note_failure(result, now);
    }

    pub(super) fn append(&self, record: &Record, patience: Patience, now: &Stamp) -> Result<(), NotNow> {
        self.with_ledger(&Needs::default(), patience, Check::Seldom, now, |ledger, proof| {
            ledger.append(&proof, record, now).map(drop)
        })
    }

    fn prune_and_index(&self, closing: bool, patience: Patience, now: &Stamp) {
        let retention = Retention {
            max_bytes: self.settings.journal_max_bytes,
            max_age_ms: self.settings.journal_max_age_ms,
            keep_ms: self.keep_ms(),
        };
        let due = {
            let Ok(mut slot) = self.lock_slot(patience) else { return };
            let Some(ledger) = &mut slot.ledger else { return };
            ledger.index_due(closing, now).and_then(|job| {
                // Who closes may have lived for one call, and looks after the rest as seldom as it leaves an index.
                let is_due = !closing || job.is_some();
                let retry_ms = self.settings.retry_window_ms;
                let first = if is_due { ledger.prune_history(retention, retry_ms, now)? } else { None };
                Ok((job, first))
            })
        };
        let job = due.map(|(job, first)| {
            if let Some(first) = first {
                self.note_failure(self.prune(first, patience, now), now);
            }
            job
        });
        // The runtime that started this process waits for its end.
        let until = match patience {
            Patience::Until(deadline) if self.is_hook => Some(deadline),
            _ => None,
        };
        let indexed =
            job.and_then(|job| job.map_or(Ok(()), |job| self.write_index(job, until, patience, now)));
        if let Err(error) = indexed {
            lock(&self.health).failed(&error, now);
        }
    }

    /// Deletes the segments before the one at `first`, once the journal says so durably: else whoever misses them would take
    /// them for lost.
    fn prune(&self, first: u64, patience: Patience, now: &Stamp) -> Result<(), NotNow> {
        if !self.carry_on(first, patience, now)? {
            return Ok(());
        }
        let note = |ledger: &mut Ledger, proof: UpToDate| {
            let end = ledger.note_pruned(&proof, &self.instance, first, now)?;
            Ok(Unflushed { file: Arc::clone(&ledger.journal().active().file), end })
        };
        let note = self.with_ledger(&Needs::default(), patience, Check::Seldom, now, note)?;
        note.file.flush(note.end)?;
        delete_before(&self.directory, first)?;
        if let Some(ledger) = &mut self.lock_slot(patience)?.ledger {
            ledger.pruned();
        }
        Ok(())
    }

    /// Writes the index while calls go on, as far as it gets until then.
    fn write_index(
        &self,
        job: IndexJob,
        until: Option<Instant>,
        patience: Patience,
        now: &Stamp,
    ) -> Result<(), StateError> {
        let indexed = job.run(until)?;
        let Ok(mut slot) = self.lock_slot(patience) else { return Ok(()) };
        if let Some(ledger) = &mut slot.ledger {
            ledger.indexed(indexed);
            if ledger.is_heavy() {
                // What was read so far is now found through the index.
                let options = self.ledger_options(self.keep_ms());
                slot.let_go(now);
                slot.ledger = Ledger::open(&options, true, patience, now)?;
            }
        }
        Ok(())
    }

    /// Writes a record now if the guard can be had soon, else with the next chance.
    pub(super) fn write_soon(&self, record: Record, now: &Stamp) {
        let patience = Patience::Until(Instant::now() + Duration::from_millis(500));
        let result = self.append(&record, patience, now);
        if result.is_err() {
            let _ = lock(&self.light).backlog.push(record, None);
        }
        self.note_failure(result, now);
    }

    pub(super) fn note_failure<T>(&self, result: Result<T, NotNow>, now: &Stamp) {
        if let Err(NotNow::Failed(error)) = result {
            lock(&self.health).failed(&error, now);
        }
    }
}
