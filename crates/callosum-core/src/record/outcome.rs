//! What an after-hook says of a call, and what it proves.

use callosum_shell::ExitCodes;

use crate::record::Action as Kind;

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

/// What the journal says about a call that ended so. `not_done_codes` and `key_count` are the call's: an exit code proves
/// that nothing was done only where it is one that the program has for that, and for one resource (half of two mails may
/// have gone out).
#[must_use]
pub fn outcome_of(ended: Ended, exit_code: Option<i64>, not_done_codes: ExitCodes, key_count: usize) -> Kind {
    match ended {
        Ended::Ok => match exit_code {
            None | Some(0) => Kind::Complete,
            Some(code) if not_done_codes.contains(code) && key_count <= 1 => Kind::Failed,
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

    fn codes(codes: &[u8]) -> ExitCodes {
        codes.iter().copied().collect()
    }

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
    fn an_exit_code_proves_a_failure_only_where_the_program_has_it_for_that_and_on_one_resource() {
        let of = |code, proves: &[u8], keys| outcome_of(Ended::Ok, Some(code), codes(proves), keys);
        assert_eq!(of(0, &[], 3), Kind::Complete);
        assert_eq!(of(0, &[0], 1), Kind::Complete);
        assert_eq!(of(7, &[6, 7], 1), Kind::Failed);
        assert_eq!(of(7, &[6], 1), Kind::Unknown);
        assert_eq!(of(7, &[], 1), Kind::Unknown);
        assert_eq!(of(7, &[7], 2), Kind::Unknown);
        assert_eq!(of(127, &[126, 127], 1), Kind::Failed);
        for code in [-1, 1, 128, 137, 256 + 7, i64::MAX] {
            assert_eq!(of(code, &[7, 127], 1), Kind::Unknown, "{code}");
        }
    }

    #[test]
    fn what_may_have_acted_is_unknown() {
        for ended in [Ended::Aborted, Ended::TimedOut, Ended::Killed, Ended::Maybe] {
            assert_eq!(outcome_of(ended, None, codes(&[7]), 1), Kind::Unknown);
            assert_eq!(outcome_of(ended, Some(7), codes(&[7]), 1), Kind::Unknown);
        }
        assert_eq!(outcome_of(Ended::Error, None, codes(&[]), 1), Kind::Failed);
        assert_eq!(outcome_of(Ended::Refused, None, codes(&[]), 1), Kind::Refused);
        assert_eq!(outcome_of(Ended::Running, None, codes(&[]), 1), Kind::Running);
        assert_eq!(outcome_of(Ended::Ok, None, codes(&[]), 2), Kind::Complete);
    }
}
