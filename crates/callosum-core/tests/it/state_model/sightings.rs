//! What the model must have come across: promises hold trivially where nothing happens.

use stateright::Property;

use super::log::{Call, Entry, Log};
use super::protocol::{Protocol, State};

fn any_call(log: &Log, such: impl Fn(&Call) -> bool) -> bool {
    log.calls().iter().any(such)
}

/// Whether two calls on one key, the first before the second, are such.
fn any_two(log: &Log, such: impl Fn(&Call, &Call) -> bool) -> bool {
    let calls = log.calls();
    let later = |first: &Call| {
        calls.iter().any(|call| {
            call.at > first.at && !call.wish.keys.shared(first.wish.keys).is_empty() && such(first, call)
        })
    };
    calls.iter().any(later)
}

fn refused(log: &Log, such: impl Fn(u8, bool) -> bool) -> bool {
    log.entries().any(|(at, entry)| matches!(entry, Entry::Refusal { block, .. } if such(at, *block)))
}

/// Calls that were let through after their session had read a pause.
fn retried(log: &Log) -> bool {
    any_call(log, |call| {
        log.entries().take(usize::from(call.at)).any(|(_, entry)| match entry {
            Entry::Delivered { of } => matches!(
                log.0.get(usize::from(*of)),
                Some(Entry::Refusal { session, wish, block: false, .. })
                    if *session == call.session && *wish == call.wish
            ),
            _ => false,
        })
    })
}

fn ended_twice(log: &Log) -> bool {
    let ends = |call: &Call| {
        log.0.iter().filter(|entry| matches!(entry, Entry::End { of, .. } if *of == call.at)).count()
    };
    any_call(log, |call| ends(call) > 1)
}

/// Each of these is seen at least once.
pub(crate) fn sightings() -> Vec<Property<Protocol>> {
    fn seen(name: &'static str, such: fn(&Protocol, &State) -> bool) -> Property<Protocol> {
        Property::sometimes(name, such)
    }
    vec![
        seen("a pause", |_, state| refused(&state.log, |_, block| !block)),
        seen("a block", |_, state| refused(&state.log, |_, block| block)),
        seen("a block that was read", |_, state| {
            refused(&state.log, |at, block| block && state.log.is_delivered(at))
        }),
        seen("a retry that was let through", |_, state| retried(&state.log)),
        seen("two sessions at work on one key, knowingly", |_, state| {
            any_two(&state.log, |first, second| {
                first.session != second.session && first.in_flight() && second.in_flight()
            })
        }),
        seen("a session that repeats itself, knowingly", |model, state| {
            let times = model.host.times;
            any_two(&state.log, |first, second| first.session == second.session && first.recent(times))
        }),
        seen("calls of all three sessions", |_, state| {
            let calls = state.log.calls();
            (0..3).all(|session| calls.iter().any(|call| call.session == session))
        }),
        seen("a call under a limit after an earlier one left its window", |model, state| {
            let times = model.host.times;
            let calls = state.log.calls();
            let limited = || calls.iter().filter(|call| call.wish.limited && call.may_have_acted());
            limited().any(|call| call.counts(times)) && limited().any(|call| !call.counts(times))
        }),
        seen("a dead holder", |_, state| any_call(&state.log, |call| call.orphaned)),
        seen("a lease that ran out", |_, state| {
            any_call(&state.log, |call| call.end.is_none() && call.outlived_its_lease())
        }),
        seen("an outcome after the lease", |_, state| {
            any_call(&state.log, |call| call.end.is_some_and(|(_, _, age)| age < call.age))
        }),
        seen("an unknown outcome that was settled", |_, state| ended_twice(&state.log)),
        seen("a call after an earlier one was forgotten", |model, state| {
            let times = model.host.times;
            any_two(&state.log, |first, second| !first.recent(times) && second.in_flight())
        }),
    ]
}
