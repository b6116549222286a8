//! Runtimes that run only hooks which their user trusts.

use std::path::Path;

use serde_json::Value;

/// What a runtime tells of its trust, and what its user has to do about it.
pub trait HookTrust: Sync {
    /// What the user has to do before hooks that were just written take effect; `are_changed`: others of ours were there before.
    fn note(&self, are_changed: bool) -> &'static str;

    /// What follows after `run …install…` where hooks are not as they should be: a clause, with the semicolon before it.
    fn after_install(&self) -> &'static str;

    /// How it is asked.
    fn question(&self) -> Question;

    /// What to do where it can't be asked.
    fn by_hand(&self) -> &'static str;

    /// The answer, if this line of what the program prints is it; or why there is none.
    fn answer_in(&self, line: &str) -> Option<Result<Value, String>>;

    /// What the answer says of our hooks: `commands` are those of our entries by event, `is_ours` tells the file that they stand
    /// in. `None` when the answer can't be read.
    fn judged(
        &self,
        answer: &Value,
        commands: &[(String, String)],
        is_ours: &dyn Fn(&Path) -> bool,
    ) -> Option<Judged>;
}

/// A program that tells when it is asked.
#[derive(Debug)]
pub struct Question {
    /// Its name on the PATH.
    pub program: &'static str,
    /// Its arguments.
    pub args: &'static [&'static str],
    /// What it is to read on standard input.
    pub text: String,
}

/// Our hooks, as a runtime trusts them.
#[derive(Debug, PartialEq, Eq)]
pub struct Judged {
    /// Those that it does not run, by event, and why: what follows `the hook for …`. Empty when it runs them all.
    pub not_run: Vec<(String, &'static str)>,
    /// One of these is that before a call.
    pub is_ungated: bool,
    /// What the runtime itself says of its hooks, as it says it.
    pub said: Vec<String>,
    /// What to do about it.
    pub remedy: &'static str,
}
