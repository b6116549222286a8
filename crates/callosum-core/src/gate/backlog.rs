//! Records that could not be appended at once, in order, until the next hold of the guard.

use std::collections::VecDeque;

use crate::journal::record::Record;

use super::calls::CallId;

/// More waiting records than this are lost, and counted.
const MAX_WAITING: usize = 4_096;

/// A record that waits, and what is to follow it.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) number: u64,
    pub(super) record: Record,
    /// The open call whose start this is.
    pub(super) start_of: Option<CallId>,
    /// The outcome that came meanwhile; its `of` is filled in when the start has its sequence number.
    pub(super) outcome: Option<Record>,
}

#[derive(Debug, Default)]
pub(super) struct Backlog {
    waiting: VecDeque<Waiting>,
    next_number: u64,
    /// Records that found no place.
    pub(super) lost: u64,
}

impl Backlog {
    /// Puts a record at the end. Returns its number, or `None` when there is no place and it is lost.
    pub(super) fn push(&mut self, record: Record, start_of: Option<CallId>) -> Option<u64> {
        if self.waiting.len() >= MAX_WAITING {
            self.lost += 1;
            return None;
        }
        self.next_number += 1;
        self.waiting.push_back(Waiting { number: self.next_number, record, start_of, outcome: None });
        Some(self.next_number)
    }

    /// A start that still waits.
    pub(super) fn find(&self, number: u64) -> Option<&Record> {
        self.waiting.iter().find(|waiting| waiting.number == number).map(|waiting| &waiting.record)
    }

    /// Adds the outcome of a start that still waits.
    pub(super) fn add_outcome(&mut self, number: u64, outcome: Record) {
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.number == number) {
            waiting.outcome = Some(outcome);
        }
    }

    pub(super) fn pop(&mut self) -> Option<Waiting> {
        self.waiting.pop_front()
    }

    /// Puts back what could not be written.
    pub(super) fn put_back(&mut self, waiting: Waiting) {
        self.waiting.push_front(waiting);
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }
}
