//! States that differ only in names and in the order of what does not depend on each other are one: the
//! search looks at one of them. Which session is which, which key is which, and which of two independent
//! records came first makes no difference to what is promised.

use std::collections::BTreeSet;

use stateright::Representative;

use super::log::{Ending, Entry, Fact, Keys, Log};
use super::protocol::State;

/// Added to the age of a refusal where refusals and calls stand side by side.
const REFUSED: u8 = 100;

impl Representative for State {
    fn representative(&self) -> Self {
        let log = renamed(&self.log);
        Self { log: sorted(&log), broken: self.broken.clone() }
    }
}

/// The same with only the names evened out: two orders of the same records are two states.
pub(crate) fn but_for_names(state: &State) -> State {
    State { log: renamed(&state.log), broken: state.broken.clone() }
}

/// Sessions and keys in an order that their names have no part in.
fn renamed(log: &Log) -> Log {
    let marks = marks(log);
    let mut sessions = [0_u8, 1, 2];
    sessions.sort_by_cached_key(|session| {
        let own = marks.iter().filter(|mark| mark.session == *session);
        own.map(|mark| mark.nameless).collect::<Vec<_>>()
    });
    let place = |session: u8| sessions.iter().position(|known| *known == session);
    let new_session =
        |session: u8| place(session).and_then(|place| u8::try_from(place).ok()).unwrap_or(session);
    let on_key = |key: Keys| {
        let on_key = marks.iter().filter(|mark| !mark.keys.shared(key).is_empty());
        on_key.map(|mark| (mark.nameless, new_session(mark.session))).collect::<BTreeSet<_>>()
    };
    let swap = on_key(Keys::A) < on_key(Keys::B);
    let new_keys = |keys: Keys| if swap { keys.swapped() } else { keys };
    let mut log = log.clone();
    for entry in &mut log.0 {
        match entry {
            Entry::Start { session, wish, .. } => {
                *session = new_session(*session);
                wish.keys = new_keys(wish.keys);
            }
            Entry::Refusal { session, wish, told, .. } => {
                *session = new_session(*session);
                wish.keys = new_keys(wish.keys);
                told.iter_mut().for_each(|fact| fact.keys = new_keys(fact.keys));
            }
            Entry::End { .. } | Entry::Delivered { .. } | Entry::Released { .. } => {}
        }
    }
    log
}

/// An asked call without the names in it.
struct Mark {
    session: u8,
    keys: Keys,
    nameless: (bool, u8, bool, bool, Option<(Ending, u8)>),
}

/// All asked calls, in an order that no name and no order of theirs has a part in.
fn marks(log: &Log) -> Vec<Mark> {
    let mut marks: Vec<Mark> = log
        .calls()
        .iter()
        .map(|call| Mark {
            session: call.session,
            keys: call.wish.keys,
            nameless: (
                call.wish.critical,
                call.age,
                call.orphaned,
                call.wish.keys == Keys::BOTH,
                call.end.map(|(_, ending, age)| (ending, age)),
            ),
        })
        .collect();
    let refusals = log.entries().filter_map(|(at, entry)| match entry {
        Entry::Refusal { session, wish, age, block, .. } => Some(Mark {
            session: *session,
            keys: wish.keys,
            // No call is this old: a refusal is marked like no call.
            nameless: (wish.critical, *age + REFUSED, *block, log.is_delivered(at), None),
        }),
        _ => None,
    });
    marks.extend(refusals);
    marks.sort_by_key(|mark| mark.nameless);
    marks
}

/// The same records in an order of their contents.
fn sorted(log: &Log) -> Log {
    let mut places = vec![0_u8; log.0.len()];
    let mut result = Vec::with_capacity(log.0.len());

    let mut calls = log.calls();
    calls.sort_by_key(|call| {
        let end = call.end.map(|(_, ending, age)| (ending, age));
        (call.session, call.wish, call.age, call.orphaned, call.released, end)
    });
    for call in &calls {
        place(&mut places, call.at, result.len());
        result.extend(log.0.get(usize::from(call.at)).cloned());
    }
    for call in &calls {
        for (at, entry) in log.entries() {
            match *entry {
                Entry::End { of, ending, age } if of == call.at => {
                    place(&mut places, at, result.len());
                    result.push(Entry::End { of: placed(&places, of), ending, age });
                }
                Entry::Released { of } if of == call.at => {
                    result.push(Entry::Released { of: placed(&places, of) });
                }
                _ => {}
            }
        }
    }

    let refusals = log.entries().filter_map(|(at, entry)| match entry {
        Entry::Refusal { session, wish, told, age, block } => {
            let new = |fact: &Fact| Fact {
                call: placed(&places, fact.call),
                ended: fact.ended.map(|ended| placed(&places, ended)),
                keys: fact.keys,
            };
            let mut told: Vec<Fact> = told.iter().map(new).collect();
            told.sort_unstable();
            let entry = Entry::Refusal { session: *session, wish: *wish, told, age: *age, block: *block };
            Some((entry, log.is_delivered(at)))
        }
        _ => None,
    });
    let mut refusals: Vec<(Entry, bool)> = refusals.collect();
    refusals.sort_unstable();
    for (refusal, delivered) in refusals {
        result.push(refusal);
        if delivered {
            let of = u8::try_from(result.len() - 1).unwrap_or(u8::MAX);
            result.push(Entry::Delivered { of });
        }
    }
    Log(result)
}

fn place(places: &mut [u8], at: u8, new: usize) {
    if let (Some(place), Ok(new)) = (places.get_mut(usize::from(at)), u8::try_from(new)) {
        *place = new;
    }
}

fn placed(places: &[u8], at: u8) -> u8 {
    places.get(usize::from(at)).copied().unwrap_or(u8::MAX)
}
