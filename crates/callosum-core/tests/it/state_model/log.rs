//! The journal of the model: what happened, in order, and how long ago. It is the state of the model and the
//! ground that the promises are checked on; the real records are made from it (`journal.rs`).

use std::fmt;

/// Moments are told in ticks, and ages in whole ticks passed. Leases and windows end between two ticks, so
/// that nothing hangs on whether a bound belongs to what it bounds.
pub(crate) const TICK_MS: u64 = 600_000;
/// A lease ends within the first tick.
pub(crate) const LEASE_MS: u64 = TICK_MS / 2;

/// How long things count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// How long a pause can be answered.
    pub(crate) retry_window_ms: u64,
    /// How long what was done is evidence.
    pub(crate) window_ms: u64,
}

impl Times {
    /// The fewest ages that tell a living lease from a lapsed one, and that from what is forgotten: many
    /// calls can be searched.
    pub(crate) const SHORT: Self = Self { retry_window_ms: TICK_MS * 3 / 2, window_ms: TICK_MS * 5 / 4 };
    /// Pauses go stale before what they told of is forgotten: fewer calls can be searched.
    pub(crate) const LONG: Self = Self { retry_window_ms: TICK_MS * 3 / 2, window_ms: TICK_MS * 9 / 4 };

    pub(crate) fn can_be_answered(self, age: u8) -> bool {
        u64::from(age) * TICK_MS < self.retry_window_ms
    }

    /// The age at which a pause has become stale. More time changes nothing.
    fn stale(self) -> u8 {
        first_tick_after(self.retry_window_ms)
    }

    /// The age at which an action is out of every window, however it ended. More time changes nothing.
    pub(crate) fn forgotten(self) -> u8 {
        first_tick_after(self.window_ms + LEASE_MS)
    }
}

fn first_tick_after(ms: u64) -> u8 {
    u8::try_from(ms / TICK_MS + 1).unwrap_or(u8::MAX)
}

/// A set of the two keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Keys(pub(crate) u8);

impl Keys {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const A: Self = Self(1);
    pub(crate) const B: Self = Self(2);
    pub(crate) const BOTH: Self = Self(3);

    pub(crate) fn shared(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn swapped(self) -> Self {
        Self(self.0 >> 1 | (self.0 & 1) << 1)
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["nothing", "A", "B", "A+B"].get(usize::from(self.0)).unwrap_or(&"?"))
    }
}

/// What a session wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Wish {
    pub(crate) keys: Keys,
    /// Tier 4 instead of 3.
    pub(crate) critical: bool,
    /// The session's own actions are no evidence.
    pub(crate) others_only: bool,
    /// It is under the one limit there is: one call within the window, whoever makes it.
    pub(crate) limited: bool,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Ending {
    Complete,
    Failed,
    Refused,
    Unknown,
}

/// What a refusal told a session about a call: on which keys it is, and its outcome's entry if it had one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Fact {
    pub(crate) call: u8,
    pub(crate) ended: Option<u8>,
    pub(crate) keys: Keys,
}

/// One line. Others are named by their place in the log.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Entry {
    /// A call was let through. `orphaned`: the process that ran it died.
    Start { session: u8, wish: Wish, age: u8, orphaned: bool },
    /// A call ended.
    End { of: u8, ending: Ending, age: u8 },
    /// A call was refused, and what its session was told. A block instead of a pause: a lease was in the way.
    Refusal { session: u8, wish: Wish, told: Vec<Fact>, age: u8, block: bool },
    /// The session has read a refusal.
    Delivered { of: u8 },
    /// An operator ended a lease.
    Released { of: u8 },
}

/// A call, and what became of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) at: u8,
    pub(crate) session: u8,
    pub(crate) wish: Wish,
    pub(crate) age: u8,
    pub(crate) orphaned: bool,
    pub(crate) released: bool,
    /// Its outcome's entry, how it ended, and how long ago.
    pub(crate) end: Option<(u8, Ending, u8)>,
}

impl Call {
    pub(crate) fn outlived_its_lease(&self) -> bool {
        u64::from(self.age) * TICK_MS >= LEASE_MS
    }

    /// It may be acting at this very moment.
    pub(crate) fn in_flight(&self) -> bool {
        self.end.is_none() && !self.orphaned && !self.outlived_its_lease()
    }

    pub(crate) fn holds_lease(&self) -> bool {
        self.in_flight() && !self.released
    }

    pub(crate) fn may_have_acted(&self) -> bool {
        !matches!(self.end, Some((_, Ending::Failed | Ending::Refused, _)))
    }

    /// The limit counts it.
    pub(crate) fn counts(&self, times: Times) -> bool {
        self.wish.limited && self.may_have_acted() && u64::from(self.age) * TICK_MS < times.window_ms
    }

    /// Its start or its end lies within the window; without an end it may have acted as long as it had its
    /// lease.
    pub(crate) fn recent(&self, times: Times) -> bool {
        let started = u64::from(self.age) * TICK_MS;
        let last_sign = match self.end {
            Some((_, _, age)) => u64::from(age) * TICK_MS,
            None => started.saturating_sub(LEASE_MS),
        };
        started.min(last_sign) <= times.window_ms
    }
}

/// All that happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Log(pub(crate) Vec<Entry>);

impl Log {
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u8, &Entry)> {
        (0..).zip(&self.0)
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.0.push(entry);
    }

    /// The calls that were let through, oldest first.
    pub(crate) fn calls(&self) -> Vec<Call> {
        let mut calls: Vec<Call> = Vec::new();
        for (at, entry) in self.entries() {
            let of = |calls: &mut Vec<Call>, of: u8, change: &dyn Fn(&mut Call)| {
                calls.iter_mut().filter(|call| call.at == of).for_each(change);
            };
            match *entry {
                Entry::Start { session, wish, age, orphaned } => {
                    calls.push(Call { at, session, wish, age, orphaned, released: false, end: None });
                }
                Entry::End { of: call, ending, age } => {
                    of(&mut calls, call, &|call| call.end = Some((at, ending, age)));
                }
                Entry::Released { of: call } => of(&mut calls, call, &|call| call.released = true),
                Entry::Refusal { .. } | Entry::Delivered { .. } => {}
            }
        }
        calls
    }

    pub(crate) fn is_delivered(&self, refusal: u8) -> bool {
        self.0.contains(&Entry::Delivered { of: refusal })
    }

    /// How many calls were asked for, and let through or refused.
    pub(crate) fn asked(&self) -> usize {
        self.0.iter().filter(|entry| matches!(entry, Entry::Start { .. } | Entry::Refusal { .. })).count()
    }

    /// What each session asked for last and did not get.
    pub(crate) fn unfulfilled(&self) -> Vec<(u8, Wish)> {
        let mut last = [None; 3];
        for entry in &self.0 {
            let (session, wish) = match entry {
                Entry::Start { session, .. } => (*session, None),
                Entry::Refusal { session, wish, .. } => (*session, Some(*wish)),
                _ => continue,
            };
            if let Some(slot) = last.get_mut(usize::from(session)) {
                *slot = wish;
            }
        }
        (0..).zip(last).filter_map(|(session, wish)| Some((session, wish?))).collect()
    }

    /// The process of a session dies, with all that it runs.
    pub(crate) fn orphan(&mut self, by: u8) {
        let running: Vec<u8> =
            self.calls().iter().filter(|call| call.end.is_none()).map(|call| call.at).collect();
        for (at, entry) in (0..).zip(&mut self.0) {
            match entry {
                Entry::Start { session, orphaned, .. } if *session == by && running.contains(&at) => {
                    *orphaned = true;
                }
                _ => {}
            }
        }
    }

    /// A tick passes. What is old stays as old: more time changes nothing.
    pub(crate) fn pass(&mut self, times: Times) {
        for entry in &mut self.0 {
            match entry {
                Entry::Start { age, .. } | Entry::End { age, .. } => *age = (*age + 1).min(times.forgotten()),
                Entry::Refusal { age, .. } => *age = (*age + 1).min(times.stale()),
                Entry::Delivered { .. } | Entry::Released { .. } => {}
            }
        }
    }
}
