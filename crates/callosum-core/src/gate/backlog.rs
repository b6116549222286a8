//! Lines that could not be appended at once, or are left to the writer, in order, until the next hold of the guard.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::record::Record;

use super::call_id::CallId;

/// More waiting lines than this are lost, and counted.
const MAX_WAITING: usize = 4_096;
/// At most this many bytes of lines are written at once.
const TOGETHER: usize = 64 << 10;

/// A line that waits.
#[derive(Debug)]
enum Line {
    /// Of a call of tier 0 or 1, as it is written.
    Light(Vec<u8>),
    /// Any other.
    Record(Arc<Record>),
}

/// What is to be written next.
#[derive(Debug)]
pub(super) enum Next {
    /// The lines of calls of tier 0 and 1 that follow one another, with their numbers.
    Lights(Vec<u64>, Vec<u8>),
    /// Another line, with its number.
    Record(u64, Arc<Record>),
}

/// A line that waits, and what is to follow it.
#[derive(Debug)]
struct Waiting {
    number: u64,
    line: Line,
    /// The open call whose start this is.
    start_of: Option<CallId>,
    /// The outcome that came meanwhile; its `of` is filled in when the start has its sequence number.
    outcome: Option<Record>,
}

#[derive(Debug, Default)]
pub(super) struct Backlog {
    waiting: VecDeque<Waiting>,
    next_number: u64,
    /// Lines that found no place.
    pub(super) lost: u64,
}

impl Backlog {
    /// Puts a record at the end. Returns its number, or `None` when there is no place and it is lost.
    pub(super) fn push(&mut self, record: Record, start_of: Option<CallId>) -> Option<u64> {
        self.put(Line::Record(Arc::new(record)), start_of)
    }

    /// The same for the line of a call of tier 0 or 1.
    pub(super) fn push_light(&mut self, line: Vec<u8>) -> Option<u64> {
        self.put(Line::Light(line), None)
    }

    fn put(&mut self, line: Line, start_of: Option<CallId>) -> Option<u64> {
        if self.waiting.len() >= MAX_WAITING {
            self.lost += 1;
            return None;
        }
        self.next_number += 1;
        self.waiting.push_back(Waiting { number: self.next_number, line, start_of, outcome: None });
        Some(self.next_number)
    }

    /// A start that still waits.
    pub(super) fn find(&self, number: u64) -> Option<&Record> {
        let waiting = self.waiting.iter().find(|waiting| waiting.number == number)?;
        if let Line::Record(record) = &waiting.line { Some(record) } else { None }
    }

    /// Adds the outcome of a start that still waits.
    pub(super) fn add_outcome(&mut self, number: u64, outcome: Record) {
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.number == number) {
            waiting.outcome = Some(outcome);
        }
    }

    /// The number of the line that came last.
    pub(super) fn newest(&self) -> u64 {
        self.next_number
    }

    /// What is to be written next, up to the line with the number `last`. It stays until it is [`Backlog::written`].
    pub(super) fn next(&self, last: u64) -> Option<Next> {
        let (mut numbers, mut lines) = (Vec::new(), Vec::new());
        for Waiting { number, line, .. } in self.waiting.iter().take_while(|waiting| waiting.number <= last) {
            match line {
                Line::Record(record) if numbers.is_empty() => {
                    return Some(Next::Record(*number, Arc::clone(record)));
                }
                Line::Light(line) if numbers.is_empty() || lines.len() + line.len() <= TOGETHER => {
                    numbers.push(*number);
                    lines.extend_from_slice(line);
                }
                Line::Record(_) | Line::Light(_) => break,
            }
        }
        (!numbers.is_empty()).then_some(Next::Lights(numbers, lines))
    }

    /// The first was written, with this sequence number: makes way for the next, which is its outcome if that has come. Returns
    /// the open call whose start it was.
    pub(super) fn written(&mut self, number: u64, seq: u64) -> Option<CallId> {
        self.waiting.front().filter(|first| first.number == number)?;
        let waiting = self.waiting.pop_front()?;
        if let Some(mut outcome) = waiting.outcome {
            outcome.of = vec![seq];
            let line = Line::Record(Arc::new(outcome));
            self.waiting.push_front(Waiting { number, line, start_of: None, outcome: None });
        }
        waiting.start_of
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }
}
