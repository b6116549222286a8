//! What mutants do to the records before they become the history.

use std::collections::BTreeMap;

use callosum_core::record::{Action, Conflict, Record};

use super::journal::{READING_MS, SESSIONS};
use super::log::LEASE_MS;

/// The journal, as a mutant gets it.
pub(crate) type Records = Vec<(u64, Record)>;

/// The refused calls.
fn refusals(records: &mut Records) -> impl Iterator<Item = &mut Record> {
    records.iter_mut().map(|(_, record)| record).filter(|record| record.action == Action::Blocked)
}

/// Makes a refusal look read: to be told by time, and old enough.
fn read(record: &mut Record) {
    record.signal = false;
    record.wall_ms = record.wall_ms.saturating_sub_unsigned(READING_MS);
    record.up = record.up.map(|up| up - READING_MS);
}

/// Takes one outcome for another.
pub(crate) fn take_for(records: &mut Records, from: &Action, to: &Action) {
    for (_, record) in records.iter_mut().filter(|(_, record)| record.action == *from) {
        record.action = to.clone();
    }
}

/// Every call counts under the limits of all.
pub(crate) fn under_limits(records: &mut Records) {
    let limits: Vec<String> = records.iter().flat_map(|(_, record)| record.limits.clone()).collect();
    let all = if limits.is_empty() { vec!["capped".to_owned()] } else { limits };
    for (_, record) in records.iter_mut().filter(|(_, record)| record.action == Action::Intercept) {
        record.limits.clone_from(&all);
    }
}

/// The records that let calls through, by sequence number.
fn starts(records: &Records) -> BTreeMap<u64, Record> {
    let starts = records.iter().filter(|(_, record)| record.action == Action::Intercept);
    starts.map(|(seq, record)| (*seq, record.clone())).collect()
}

fn is_outcome(record: &Record) -> bool {
    matches!(record.action, Action::Complete | Action::Failed | Action::Refused | Action::Unknown)
}

/// The start that an outcome belongs to.
fn start_of<'a>(starts: &'a BTreeMap<u64, Record>, outcome: &Record) -> Option<&'a Record> {
    starts.get(outcome.of.first()?)
}

/// What one session has read, all have.
pub(crate) fn everybody_was_told(records: &mut Records) {
    let read_ones: Vec<u64> = records
        .iter()
        .filter(|(_, record)| record.action == Action::Delivered)
        .flat_map(|(_, record)| record.of.clone())
        .collect();
    let pauses = records.iter().filter(|(seq, _)| read_ones.contains(seq)).cloned();
    let copies: Records = pauses
        .flat_map(|(seq, pause)| {
            (1..).zip(SESSIONS).map(move |(more, session)| {
                let mut copy = pause.clone();
                copy.session = Some(session.to_owned());
                read(&mut copy);
                (seq + more, copy)
            })
        })
        .collect();
    records.extend(copies);
}

/// Pauses told of outcomes that came after them.
pub(crate) fn told_of_what_came_later(records: &mut Records) {
    let outcomes: BTreeMap<u64, u64> = records
        .iter()
        .filter(|(_, record)| is_outcome(record))
        .filter_map(|(seq, record)| Some((*record.of.first()?, *seq)))
        .collect();
    for pause in refusals(records) {
        for shown in &mut pause.evidence {
            shown.outcome = outcomes.get(&shown.seq).copied();
        }
    }
}

/// Every call ended when it started.
pub(crate) fn outcomes_at_their_starts(records: &mut Records) {
    let starts = starts(records);
    for (_, outcome) in records.iter_mut().filter(|(_, record)| is_outcome(record)) {
        if let Some(start) = start_of(&starts, outcome) {
            (outcome.wall_ms, outcome.up) = (start.wall_ms, start.up);
        }
    }
}

/// No outcome came after its lease.
pub(crate) fn without_late_outcomes(records: &mut Records) {
    let starts = starts(records);
    records.retain(|(_, record)| {
        let start = start_of(&starts, record).filter(|_| is_outcome(record));
        start.is_none_or(|start| start.stamp().age_ms(&record.stamp()) < LEASE_MS)
    });
}

/// The first outcome of a call is its last.
pub(crate) fn without_second_outcomes(records: &mut Records) {
    let mut settled = Vec::new();
    records.retain(|(_, record)| {
        let first = !is_outcome(record) || !settled.contains(&record.of);
        if is_outcome(record) {
            settled.push(record.of.clone());
        }
        first
    });
}

/// Every pause counts as read.
pub(crate) fn all_read(records: &mut Records) {
    refusals(records).for_each(read);
}

/// Every block counts as a pause that was read.
pub(crate) fn blocks_as_pauses(records: &mut Records) {
    for block in refusals(records).filter(|refusal| refusal.conflict == Some(Conflict::Lease)) {
        block.conflict = Some(Conflict::Recent);
        read(block);
    }
}

/// Every pause is about both keys.
pub(crate) fn about_all_keys(records: &mut Records) {
    for refusal in refusals(records) {
        refusal.context_keys = vec!["a".to_owned(), "b".to_owned()];
    }
}

/// No lease ends by time.
pub(crate) fn endless_leases(records: &mut Records) {
    for (_, record) in records {
        record.expires_ms = record.expires_ms.map(|_| i64::MAX);
    }
}

/// No operator ever ended a lease.
pub(crate) fn without_releases(records: &mut Records) {
    records.retain(|(_, record)| record.action != Action::Released);
}
