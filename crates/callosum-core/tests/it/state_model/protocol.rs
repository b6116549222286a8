//! The protocol: three sessions that ask, act, end, die, read and retry on two keys, in every order.

use std::collections::BTreeSet;

use stateright::{Model, Property};

use super::journal::{Decider, Host, Journal, Verdict};
use super::log::{Ending, Entry, Log, Wish};
use super::promises::{self, Past, Promise, Promised};
use super::sightings::sightings;

const SESSIONS: u8 = 3;

/// A configuration of the model, and what decides in it.
#[derive(Clone)]
pub(crate) struct Protocol {
    /// What sessions may want.
    pub(crate) wishes: Vec<Wish>,
    /// How calls may end.
    pub(crate) endings: Vec<Ending>,
    /// How many calls are asked for and written down, by all sessions together and shared out among them in
    /// every way. What is asked after that is judged too, and leaves no trace.
    pub(crate) asks: usize,
    /// Operators end leases.
    pub(crate) operators: bool,
    pub(crate) host: Host,
    pub(crate) decider: Decider,
}

/// What happened, and the promises that the last step broke.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) log: Log,
    pub(crate) broken: BTreeSet<Promise>,
}

/// What happens next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// A session asks for a call, and gets this answer.
    Ask { session: u8, wish: Wish, verdict: Verdict, broken: Vec<Promise> },
    /// The model has read this refusal.
    Read { refusal: u8 },
    /// Where the host tells nothing: so much time passes that every refusal is read.
    ReadAll,
    /// A call's outcome comes, maybe late.
    End { call: u8, ending: Ending },
    /// The process of a session dies.
    Crash { session: u8 },
    /// An operator ends a lease.
    Release { call: u8 },
    /// Time passes: leases expire, windows end.
    Tick,
}

impl Protocol {
    fn journal(&self, log: &Log) -> Journal {
        Journal::read(log, self.host, self.decider)
    }

    fn tick(&self, log: &mut Log) {
        if !self.host.signals {
            read_all(log);
        }
        log.pass(self.host.times);
    }

    /// Whether whoever asked last for something and did not get it can still get it, without the others doing
    /// anything: by reading, waiting and asking again.
    fn everyone_can_act(&self, log: &Log) -> bool {
        log.unfulfilled().into_iter().all(|(session, wish)| {
            let mut later = log.clone();
            (0..=self.host.times.forgotten()).any(|_| {
                let acted = self.gets_through(later.clone(), session, wish);
                self.tick(&mut later);
                acted
            })
        })
    }

    /// Whether a session is let through now, once it has read what it is told.
    fn gets_through(&self, mut log: Log, session: u8, wish: Wish) -> bool {
        read_all(&mut log);
        let first = self.journal(&log).ask(session, wish);
        if let Verdict::Pause(_) = &first {
            write(&mut log, session, wish, first);
            read_all(&mut log);
            return self.journal(&log).ask(session, wish) == Verdict::Allow;
        }
        first == Verdict::Allow
    }
}

/// Writes an answer down as the gate does.
fn write(log: &mut Log, session: u8, wish: Wish, verdict: Verdict) {
    log.push(match verdict {
        Verdict::Allow => Entry::Start { session, wish, age: 0, orphaned: false },
        Verdict::Pause(told) => Entry::Refusal { session, wish, told, age: 0, block: false },
        Verdict::Block(told) => Entry::Refusal { session, wish, told, age: 0, block: true },
        Verdict::Full => Entry::Refusal { session, wish, told: Vec::new(), age: 0, block: true },
    });
}

fn unread(log: &Log) -> Vec<u8> {
    let refusals = log.entries().filter(|(_, entry)| matches!(entry, Entry::Refusal { .. }));
    refusals.map(|(at, _)| at).filter(|at| !log.is_delivered(*at)).collect()
}

fn read_all(log: &mut Log) {
    for of in unread(log) {
        log.push(Entry::Delivered { of });
    }
}

impl Promised for State {
    fn has_broken(&self, promise: Promise) -> bool {
        self.broken.contains(&promise)
    }
}

impl Model for Protocol {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        let log = &state.log;
        if !state.broken.is_empty() {
            return;
        }
        let (journal, past) = (self.journal(log), Past::of(log, self.host.times));
        for session in 0..SESSIONS {
            for wish in &self.wishes {
                let verdict = journal.ask(session, *wish);
                let broken = past.broken_by(session, *wish, &verdict);
                steps.push(Step::Ask { session, wish: *wish, verdict, broken });
            }
        }
        if self.host.signals {
            steps.extend(unread(log).into_iter().map(|refusal| Step::Read { refusal }));
        } else if !unread(log).is_empty() {
            steps.push(Step::ReadAll);
        }
        let mut running = BTreeSet::new();
        for call in log.calls().into_iter().filter(|call| !call.orphaned) {
            let settled = call.end.is_some_and(|(_, ending, _)| ending != Ending::Unknown);
            let new = |ending: &Ending| call.end.is_none_or(|(_, known, _)| known != *ending);
            if !settled {
                let endings = self.endings.iter().copied().filter(new);
                steps.extend(endings.map(|ending| Step::End { call: call.at, ending }));
            }
            if call.end.is_none() {
                running.insert(call.session);
                if self.operators && !call.released {
                    steps.push(Step::Release { call: call.at });
                }
            }
        }
        steps.extend(running.into_iter().map(|session| Step::Crash { session }));
        steps.push(Step::Tick);
    }

    fn next_state(&self, state: &State, step: Step) -> Option<State> {
        let mut next = state.clone();
        let log = &mut next.log;
        match step {
            Step::Ask { session, wish, verdict, broken } => {
                let room = log.asked() < self.asks;
                if !room && broken.is_empty() {
                    return None;
                }
                write(log, session, wish, verdict);
                next.broken = broken.into_iter().collect();
            }
            Step::Read { refusal } => log.push(Entry::Delivered { of: refusal }),
            Step::ReadAll => read_all(log),
            Step::End { call, ending } => log.push(Entry::End { of: call, ending, age: 0 }),
            Step::Crash { session } => log.orphan(session),
            Step::Release { call } => log.push(Entry::Released { of: call }),
            Step::Tick => self.tick(log),
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = promises::properties();
        properties.push(Property::always("EveryoneCanAct", |model: &Self, state: &State| {
            model.everyone_can_act(&state.log)
        }));
        properties.extend(sightings());
        properties
    }
}
