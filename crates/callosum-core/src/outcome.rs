//! What an after-hook says of a call, and what it proves.

use crate::journal::record::Action as Kind;

/// How a call ended, in words that every host's report can be put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The host reports no error; with an exit code where there was a process.
    Ok,
    /// The tool itself reports that it failed.
    Error,
    /// It never ran: a plugin, an approval or the host refused it.
    Refused,
    /// The run was aborted while it ran.
    Aborted,
    /// It was stopped after its time.
    TimedOut,
    /// A signal ended it.
    Killed,
    /// It goes on in the background.
    Running,
    /// It failed in a way that may have acted first (a lost connection, a timeout inside the tool).
    Maybe,
}

impl Ended {
    /// Reads the word a shim uses; `None` for any other.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "ok" => Self::Ok,
            "error" => Self::Error,
            "refused" => Self::Refused,
            "aborted" => Self::Aborted,
            "timed-out" => Self::TimedOut,
            "killed" => Self::Killed,
            "running" => Self::Running,
            "maybe" => Self::Maybe,
            _ => return None,
        })
    }
}

/// What the journal says about a call that ended so. `simple` and `key_count` are the call's: a non-zero
/// exit proves that nothing was done only for one simple command on one resource (`send && false` did
/// send, and half of two mails may have gone out). Exit codes above 127 tell of a signal.
#[must_use]
pub fn outcome_of(ended: Ended, exit_code: Option<i64>, simple: bool, key_count: usize) -> Kind {
    match ended {
        Ended::Ok => match exit_code {
            None | Some(0) => Kind::Complete,
            Some(1..=127) if simple && key_count <= 1 => Kind::Failed,
            Some(_) => Kind::Unknown,
        },
        Ended::Error => Kind::Failed,
        Ended::Refused => Kind::Refused,
        Ended::Running => Kind::Running,
        Ended::Aborted | Ended::TimedOut | Ended::Killed | Ended::Maybe => Kind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_a_shim_has_its_meaning_and_any_other_has_none() {
        for (word, ended) in [
            ("ok", Ended::Ok),
            ("error", Ended::Error),
            ("refused", Ended::Refused),
            ("aborted", Ended::Aborted),
            ("timed-out", Ended::TimedOut),
            ("killed", Ended::Killed),
            ("running", Ended::Running),
            ("maybe", Ended::Maybe),
        ] {
            assert_eq!(Ended::from_word(word), Some(ended), "{word}");
        }
        assert_eq!(["", "Ok", "timedOut", "done"].map(Ended::from_word), [None; 4]);
    }

    #[test]
    fn a_non_zero_exit_proves_a_failure_only_for_one_simple_command_on_one_resource() {
        let of = |code, simple, keys| outcome_of(Ended::Ok, Some(code), simple, keys);
        assert_eq!(of(0, false, 3), Kind::Complete);
        assert_eq!(of(7, true, 1), Kind::Failed);
        assert_eq!(of(7, false, 1), Kind::Unknown);
        assert_eq!(of(7, true, 2), Kind::Unknown);
        assert_eq!(of(127, true, 1), Kind::Failed);
        assert_eq!(of(128, true, 1), Kind::Unknown);
        assert_eq!(of(137, true, 1), Kind::Unknown);
        assert_eq!(of(-1, true, 1), Kind::Unknown);
    }

    #[test]
    fn what_may_have_acted_is_unknown() {
        for ended in [Ended::Aborted, Ended::TimedOut, Ended::Killed, Ended::Maybe] {
            assert_eq!(outcome_of(ended, None, true, 1), Kind::Unknown);
        }
        assert_eq!(outcome_of(Ended::Error, None, true, 1), Kind::Failed);
        assert_eq!(outcome_of(Ended::Refused, None, true, 1), Kind::Refused);
        assert_eq!(outcome_of(Ended::Running, None, true, 1), Kind::Running);
        assert_eq!(outcome_of(Ended::Ok, None, false, 2), Kind::Complete);
    }
}
