//! How an action stands, in the words that agents and people read.

use super::history::{Action, State};

/// How an action ended, in words, or how it stands.
#[must_use]
pub fn ended(action: &Action, state: State) -> String {
    let exit = action.outcome.as_ref().and_then(|outcome| outcome.exit_code);
    match state {
        // Nothing was to run.
        State::InFlight if action.only_lease => "held".to_owned(),
        _ if action.only_lease => "the lease is over".to_owned(),
        State::InFlight if action.asked => "a person is asked about it, or it is still running".to_owned(),
        State::InFlight if action.process.is_some() => "still running in the background".to_owned(),
        State::InFlight => "still running".to_owned(),
        State::Complete => "complete".to_owned(),
        State::Failed => "failed".to_owned(),
        State::Refused => "refused, it did not run".to_owned(),
        State::Unknown => match exit {
            Some(code) => format!("outcome unknown (exit {code}), verify first"),
            None => "outcome unknown, verify first".to_owned(),
        },
        State::Lapsed | State::Orphaned if action.asked => {
            "a person was asked about it and no outcome came: not allowed, or unknown, verify first"
                .to_owned()
        }
        State::Lapsed => "no outcome came, so it is unknown, verify first".to_owned(),
        State::Orphaned => "its process died before an outcome, so it is unknown, verify first".to_owned(),
    }
}
