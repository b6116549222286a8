//! The words of `callosum hook`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use callosum_runtimes::{Runtime, named};
use clap::Parser;

use super::global::Global;
use crate::commands::team::words::hook_runtime;

/// What `hook` is for.
pub(crate) const HOOK: &str = "Answer an agent runtime's hook: read an event on standard input, and reply in the \
                               runtime's format. Exits with 0; only if it can't write a refusal, with 2 and the reason on standard error";

/// The words of `callosum hook`. They have a grammar of their own, because to make that of all commands takes longer than a hook's
/// decision.
#[derive(Debug, Parser)]
#[command(name = "callosum hook", bin_name = "callosum hook", about = HOOK)]
pub(crate) struct HookWords {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(flatten)]
    pub(crate) hook: Hook,
}

impl HookWords {
    /// Reads the words behind `hook`.
    pub(crate) fn read(words: &[OsString]) -> Result<Self, clap::Error> {
        let known = Known::of(words);
        match known.runtime {
            Some(runtime) if known.is_all => Ok(known.of_runtime(runtime)),
            _ => Self::try_parse_from([OsString::from("hook")].iter().chain(words)).or_else(|error| {
                let runtime = known.runtime.filter(|_| error.use_stderr());
                runtime.map(|runtime| known.misused(runtime, &error)).ok_or(error)
            }),
        }
    }
}

/// What the words of `callosum hook` say, read without the grammar: to make that takes as long as to decide.
#[derive(Default)]
struct Known {
    runtime: Option<Runtime>,
    event: Option<String>,
    state_dir: Option<OsString>,
    timeout: Option<OsString>,
    /// They say nothing else: they are such as `install` writes, and the grammar would read the same.
    is_all: bool,
}

impl Known {
    fn of(words: &[OsString]) -> Self {
        let mut known = Self { is_all: true, ..Self::default() };
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (text.as_ref(), None),
            };
            let mut value = || value.clone().or_else(|| words.next_if(|next| !begins(next, "--")).cloned());
            let is_known = match name {
                "--state-dir" => {
                    let given = value().filter(|folder| !folder.is_empty());
                    let is_first = known.state_dir.is_none();
                    known.state_dir = given.or(known.state_dir);
                    is_first && known.state_dir.as_ref().is_some_and(|folder| !begins(folder, "-"))
                }
                "--timeout" => {
                    let given = value();
                    let is_number = |text: &OsString| {
                        let text = text.to_string_lossy();
                        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
                    };
                    let is_said = given.as_ref().is_some_and(is_number);
                    known.timeout = given.or(known.timeout);
                    is_said
                }
                _ if known.runtime.is_none() => {
                    known.runtime = named(&text);
                    known.runtime.is_some()
                }
                _ => {
                    let is_event = known.event.is_none() && !text.starts_with('-');
                    known.event = Some(text.into_owned());
                    is_event
                }
            };
            known.is_all &= is_known && word.to_str().is_some();
        }
        known
    }

    fn of_runtime(self, runtime: Runtime) -> HookWords {
        HookWords {
            global: Global { state_dir: self.state_dir.map(PathBuf::from), ..Global::default() },
            hook: Hook {
                runtime,
                event: self.event,
                timeout: self.timeout.map(|seconds| seconds.to_string_lossy().into_owned()),
                misuse: None,
            },
        }
    }

    /// What can be used of words that are wrong: a guarded call must not pass because of them. Where they name no runtime nobody knows
    /// what to answer.
    fn misused(self, runtime: Runtime, error: &clap::Error) -> HookWords {
        let mut words = Self { event: None, ..self }.of_runtime(runtime);
        words.hook.misuse = Some(misuse(error));
        words
    }
}

/// What is wrong with a hook's words: a clause.
pub(crate) fn misuse(error: &clap::Error) -> String {
    let said = error.to_string();
    let said = said.lines().next().unwrap_or_default();
    format!("its hook's words: {}", said.strip_prefix("error: ").unwrap_or(said))
}

/// The state directory that the words behind `hook` name, whatever else is wrong with them.
pub(crate) fn named_state_dir(words: &[OsString]) -> Option<PathBuf> {
    Known::of(words).state_dir.map(PathBuf::from)
}

fn begins(word: &OsStr, with: &str) -> bool {
    word.as_encoded_bytes().starts_with(with.as_bytes())
}

/// Whose event comes.
#[derive(Debug, clap::Args)]
pub(crate) struct Hook {
    /// The runtime that sends the event
    #[arg(value_parser = hook_runtime())]
    pub(crate) runtime: Runtime,

    /// The event's name, if the runtime does not send it
    pub(crate) event: Option<String>,

    /// How long the runtime waits for this hook, in seconds [default: 5]
    // Read by the hook itself, whatever stands there: a wrong word must not let a call through.
    #[arg(
        long,
        value_name = "SECONDS",
        num_args = 0..=1,
        default_missing_value = "",
        allow_negative_numbers = true,
        overrides_with = "timeout"
    )]
    pub(crate) timeout: Option<String>,

    /// What is wrong with these words: a clause.
    #[arg(skip)]
    pub(crate) misuse: Option<String>,
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    /// Of one of each kind, and of none: an empty one.
    const ALL: &str = "claude-code|codex|nobody|PreToolUse||-|--|-5|20|/state|--state-dir|--state-dir=/x|--state-dir=|--timeout|--timeout=9|\
                       --timeout=x|--json|--help";

    #[test]
    fn words_that_are_understood_without_the_grammar_are_what_it_says() {
        let all = || ALL.split('|').map(OsString::from);
        let three = all().flat_map(|one| {
            all().flat_map(move |two| {
                let one = one.clone();
                all().map(move |three| [one.clone(), two.clone(), three])
            })
        });
        let mut understood = 0;
        for words in three {
            for words in [words.as_slice(), &[words.as_slice(), &words].concat()] {
                let known = Known::of(words);
                let Some(runtime) = known.runtime.filter(|_| known.is_all) else { continue };
                let read = HookWords::try_parse_from([OsString::from("hook")].iter().chain(words)).unwrap();
                assert_eq!(format!("{:?}", known.of_runtime(runtime)), format!("{read:?}"), "{words:?}");
                understood += 1;
            }
        }
        assert!(understood > 20, "{understood}");
    }
}
