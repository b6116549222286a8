//! Records that stand until others replace them: decided on and written in one hold of the guard, and carried on before their
//! segments are deleted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use crate::model::error::{QueryError, StateError};
use crate::model::time::Stamp;
use crate::record::kind::IndexedAs;
use crate::record::{Action, Record};
use crate::store::journal::{Check, Patience};
use crate::store::ledger::{Ledger, Needs};
use crate::store::standing::{Old, Standing};

use super::open_calls::Unflushed;
use super::transaction::NotNow;
use super::{Gate, lock};

/// At most this many are carried on in one hold of the guard.
const CARRIED_AT_A_TIME: usize = 64;
/// A process whose runtime waits for its end carries on no more than these; of more, others do.
const CARRIED_BY_A_HOOK: usize = 64;
/// What has to be carried on may be one part in so many of what is deleted: else every segment would be full of it.
const MOST_CARRIED: u64 = 2;

impl Gate {
    /// Hands all that stands of a kind to `decide`, and appends the records that it gives, in one hold of the guard: no line
    /// comes between what it has seen and what it says. Which records they replace is filled in here. They are on the disk
    /// when this returns, where the settings ask for that. `decide` may be asked twice, and must change nothing. For a thread
    /// that may wait.
    ///
    /// # Errors
    /// When the journal can't be read or written; nothing counts then of what `decide` said.
    pub fn decide_standing<T>(
        &self,
        kind: &Action,
        now: &Stamp,
        mut decide: impl FnMut(&Standing) -> (Vec<Record>, T),
    ) -> Result<T, QueryError> {
        let patience = self.patience();
        let mut decided = self.decide_standing_once(kind, patience, now, &mut decide);
        if let Err(NotNow::Failed(StateError::Replaced { .. })) = decided {
            decided = self.decide_standing_once(kind, patience, now, &mut decide);
        }
        let (answer, unflushed) = decided?;
        if let Some(Unflushed { file, end }) = unflushed {
            match file.flush(end) {
                Ok(_) => lock(&self.health).flushed(),
                Err(error) => {
                    self.flush_failed(&error, now);
                    return Err(error.into());
                }
            }
        }
        Ok(answer)
    }

    fn decide_standing_once<T>(
        &self,
        kind: &Action,
        patience: Patience,
        now: &Stamp,
        decide: &mut impl FnMut(&Standing) -> (Vec<Record>, T),
    ) -> Result<(T, Option<Unflushed>), NotNow> {
        let mut slot = self.lock_slot(patience)?;
        drop(self.up_to_date(&mut slot, self.keep_ms(), &Needs::default(), patience, Check::All, now)?);
        if let Some(ledger) = &mut slot.ledger {
            // Others have the guard while what stood before is read.
            ledger.standing(kind)?;
        }
        drop(slot);
        self.with_ledger(&Needs::default(), patience, Check::All, now, |ledger, proof| {
            let standing = ledger.standing(kind)?;
            let (mut records, answer) = decide(standing);
            let key_of = |record: &Record| record.key.clone().filter(|_| record.action == *kind);
            let keys = records.iter().filter_map(key_of);
            let mut newest: BTreeMap<String, u64> =
                keys.filter_map(|key| standing.on(&key).map(|stands| (key, stands.seq))).collect();
            for record in &mut records {
                let key = key_of(record);
                record.of = key.as_ref().and_then(|key| newest.get(key)).copied().into_iter().collect();
                let seq = ledger.append(&proof, record, now)?.seq;
                newest.extend(key.map(|key| (key, seq)));
            }
            let has_written = !records.is_empty() && self.flushes();
            Ok((answer, has_written.then(|| unflushed(ledger))))
        })
    }

    /// Writes what stands and lies before the segment at `first` once more, so that it may be deleted. False when it may not
    /// yet: somebody else has to do it, or it is not worth it before more has piled up that may go.
    pub(super) fn carry_on(&self, first: u64, patience: Patience, now: &Stamp) -> Result<bool, NotNow> {
        let read = |ledger: &Ledger| -> Result<Option<Old>, StateError> {
            let segments = ledger.journal().segments()?;
            let Some(old) = Old::before(&self.directory, &segments, first, self.is_hook)? else {
                return Ok(None);
            };
            let is_too_much = self.is_hook && old.len() > CARRIED_BY_A_HOOK;
            let oldest = segments.closed.first().map_or(first, |(base, _)| *base);
            let gained = first.saturating_sub(oldest) / MOST_CARRIED;
            Ok((!is_too_much && old.bytes(&segments) <= gained).then_some(old))
        };
        let old = match &self.lock_slot(patience)?.ledger {
            Some(ledger) => read(ledger)?,
            None => return Ok(false),
        };
        let Some(mut old) = old else { return Ok(false) };
        loop {
            let is_done =
                self.with_ledger(&Needs::default(), patience, Check::Seldom, now, |ledger, proof| {
                    let segments = ledger.journal().segments()?;
                    old.read_on(&segments, None)?;
                    for (seq, record) in old.take(CARRIED_AT_A_TIME, &segments) {
                        ledger.append(&proof, &carried(record, seq, now), now)?;
                    }
                    Ok(old.is_empty())
                })?;
            if is_done {
                return Ok(true);
            }
            if matches!(patience, Patience::Until(deadline) if Instant::now() >= deadline) {
                return Ok(false);
            }
        }
    }
}

/// A record that stood at `seq`, once more.
fn carried(record: Record, seq: u64, now: &Stamp) -> Record {
    let kind = record.original_kind();
    debug_assert_eq!(kind.spec().index, IndexedAs::Standing);
    let age_ms = record.happened().age_ms(now);
    let mut carried = Record {
        action: Action::Carried,
        kind: Some(kind.name().to_owned()),
        of: vec![seq],
        age_ms: Some(age_ms),
        ..record
    };
    carried.set_stamp(now);
    carried
}

fn unflushed(ledger: &Ledger) -> Unflushed {
    let active = ledger.journal().active();
    Unflushed { file: Arc::clone(&active.file), end: active.size() }
}
