//! The rules of `tiers.json`: which tier a tool call has and which resources it acts on.
//!
//! | File | What it has |
//! |---|---|
//! | `source`, `format`, `limits` | JSON with positions; the fields as they are written; what a file may ask for |
//! | `compile`, `names`, `command_match`, `candidate` | the matchers made of them |
//! | `index`, `index_builder`, `word_lists`, `shipped` | which rules may be for a call; what that has in common with the build script, and what the build script prepared |
//! | `layer`, `rule_set`, `texts`, `listed` | the rules of one file; all rules; their texts; the rules as their authors wrote them |
//! | `standing` | the rules that no file changes |
//! | `classify`, `question`, `compare`, `world` | what the rules say of a call; two sets about a call of which not all is known; what lies around it |
//! | `tool_words`, `tool_verbs`, `words` | what the names of tools mean |
//! | `called`, `inner`, `typed`, `sql` | tools that commands call; tools that call tools; what tools run or type into terminals; statements that write |
//! | `asked`, `unknown`, `wider` | what patterns ask beside the command; programs that no rule names; the next wider resource |
//! | `guard`, `watch`, `written` | the gate's own files; names of folders that a policy keeps; which paths a call writes |
//! | `rate_limit`, `proved` | how many calls a rule lets through; what exit codes prove |
//! | `covered`, `suggest`, `lint` | what no rule names; drafts of rules for that; what is probably wrong with a file |

mod asked;
mod called;
mod candidate;
mod classify;
mod command_match;
mod compare;
mod compile;
pub mod context_key;
pub mod covered;
mod format;
mod guard;
mod index;
mod index_builder;
mod inner;
mod layer;
mod limits;
pub mod lint;
mod listed;
mod names;
mod proved;
mod question;
mod rate_limit;
mod requested;
mod rule_set;
mod shipped;
mod source;
mod sql;
mod standing;
pub mod suggest;
mod texts;
mod tool_verb_words;
mod tool_verbs;
mod tool_words;
mod typed;
mod unknown;
mod watch;
mod wider;
mod word_lists;
pub mod words;
pub mod world;
mod written;

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

pub use listed::ListedRule;
pub use rate_limit::{Limited, MAX_COUNT, Per, RateLimit};
pub use rule_set::RuleSet;
pub use standing::{Protected, STATE_PROTECTED};
pub use watch::{Mark, Watch};
pub use world::World;
pub(crate) use written::written;

use crate::model::on_conflict::OnConflict;
use crate::model::redact::first_line;
use crate::model::settings::{Mode, Settings};
use crate::model::tier::Tier;
use callosum_shell::ExitCodes;
use rate_limit::add_limit;

/// The rules that Callosum ships, as text: what `"extends": "default"` stands for.
pub const SHIPPED_RULES: &str = include_str!("../../../../tiers.json");

/// What JSON says in place of a path where the [`SHIPPED_RULES`] hold. People read `shipped`.
pub const SHIPPED_SOURCE: &str = "built in";

/// What the rules say of one tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// The tier of the rule that matched; 0 when none did.
    pub tier: Tier,
    /// The name of that rule.
    pub rule_name: Option<Arc<str>>,
    /// The resources the call acts on, each once, at most 1,000; empty when the rule names none.
    pub context_keys: Vec<String>,
    /// What an earlier version called these resources, where that is something else: evidence is looked for there, too.
    pub former_keys: Vec<String>,
    /// How far back earlier actions count, in milliseconds, when the rule says so.
    pub recent_window_ms: Option<u64>,
    /// How long the call's lease lasts, in milliseconds, when the rule says so.
    pub lease_ms: Option<u64>,
    /// Whose earlier actions count.
    pub scope: Scope,
    /// Whether the rule pauses calls or only notes them; `None` leaves it to the configuration.
    pub mode: Option<Mode>,
    /// What becomes of the call if evidence speaks against it.
    pub on_conflict: OnConflict,
    /// The limits that it is under.
    pub limits: Vec<Limited>,
    /// Whether a summary of the call's parameters is written down.
    pub journal_params: bool,
    /// True when the call acts on more than 1,000 resources: `context_keys` is then not all of them.
    pub too_many_keys: bool,
    /// The call is a shell line, and these exit codes of it prove that it did nothing. None at tier 4, where nothing is
    /// taken back.
    pub not_done_codes: ExitCodes,
    /// A rule asked for something that lies around the call, and the world that was given does not show it: the keys are those of
    /// a call in an empty world.
    pub asked_around: bool,
    /// What no rules file changes is for the call: it is refused.
    pub protected: Option<Protected>,
    /// The call may name a folder that was [watched](Watch) for: what it writes there must be looked at.
    pub names_kept: bool,
}

impl Classification {
    /// What holds for two calls in one: the higher tier, and the keys of both where both are checked.
    fn with(self, other: Self) -> Self {
        let (mut high, low) = if other.tier > self.tier { (other, self) } else { (self, other) };
        if high.tier.is_tracked() == low.tier.is_tracked() {
            let fresh: Vec<String> =
                low.context_keys.into_iter().filter(|key| !high.context_keys.contains(key)).collect();
            high.context_keys.extend(fresh);
            high.too_many_keys |= low.too_many_keys || high.context_keys.len() > context_key::MAX_KEYS;
            high.context_keys.truncate(context_key::MAX_KEYS);
        }
        high.journal_params &= low.journal_params;
        high.protected = high.protected.or(low.protected);
        if low.tier.is_guarded() {
            high.on_conflict = high.on_conflict.max(low.on_conflict);
        }
        low.limits.into_iter().for_each(|limit| add_limit(&mut high.limits, limit));
        high
    }

    /// How far back earlier actions count, milliseconds, by the rule or else by the settings.
    pub(crate) fn window_ms(&self, settings: &Settings) -> u64 {
        self.recent_window_ms.unwrap_or(settings.recent_window_ms)
    }

    /// Whether the rule, or the settings for all calls, only notes what would be paused.
    pub(crate) fn is_observed(&self, settings: &Settings) -> bool {
        settings.mode == Mode::Observe || self.mode == Some(Mode::Observe)
    }
}

/// One part of a call that a rule matched: a command of a shell line, or the whole call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// The rule's name.
    pub rule_name: String,
    /// Its tier.
    pub tier: Tier,
    /// Where its resources are the same thing, if the rule says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach: Option<Reach>,
    /// The resources that this part acts on.
    pub context_keys: Vec<String>,
    /// The command, quotes taken away; null when the rule is for the whole call.
    pub command: Option<String>,
    /// What of the rule led there, in words.
    pub because: String,
}

/// How a classification came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What the rules say.
    pub classification: Classification,
    /// The parts that rules matched, in the order of the line.
    pub matches: Vec<Match>,
    /// The shell line could not be parsed: it was only cut at what looks like the end of a command.
    pub rough: bool,
    /// What of the shell line was not read: it was only looked through for words of rules.
    pub unread: Vec<Unread>,
    /// What of the world could not be told where a key asked for it, in words: something else stands in its place.
    pub untold: Vec<String>,
}

/// The parts of a shell line that were not read for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unread {
    /// The reason, in words.
    pub because: String,
    /// How many parts there are.
    pub parts: usize,
    /// How long they are together, in bytes.
    pub bytes: usize,
    /// What the first begins with, on one line, secrets cut.
    pub begins: String,
}

impl Unread {
    fn of(unread: &callosum_shell::Unread) -> Self {
        Self {
            because: unread.limit.reason().to_owned(),
            parts: unread.parts,
            bytes: unread.bytes,
            begins: first_line(&unread.text, MAX_BEGINNING).0,
        }
    }
}

/// Of what was not read so many characters are shown.
const MAX_BEGINNING: usize = 80;

impl Default for Classification {
    /// What holds for a call that no rule is for: tier 0, no keys.
    fn default() -> Self {
        Self {
            tier: Tier::None,
            rule_name: None,
            context_keys: Vec::new(),
            former_keys: Vec::new(),
            recent_window_ms: None,
            lease_ms: None,
            scope: Scope::Any,
            mode: None,
            on_conflict: OnConflict::default(),
            limits: Vec::new(),
            journal_params: true,
            too_many_keys: false,
            not_done_codes: ExitCodes::default(),
            asked_around: false,
            protected: None,
            names_kept: false,
        }
    }
}

/// Whose earlier actions pause a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Scope {
    /// Everybody's, the session's own too: after a compaction or a replay a session repeats itself.
    #[default]
    Any,
    /// Those of other sessions only.
    OtherSessions,
    /// Those of other instances only. No rule says so: callers of the service's first protocol do.
    OtherInstances,
}

/// Where a key means the same resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Reach {
    /// On every machine of a home: a mailbox, a repository's branch.
    Home,
    /// On this machine only: a file, a service, a schedule.
    Machine,
}

impl Reach {
    /// As it is written in a rule.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Home => "home",
            Self::Machine => "machine",
        }
    }
}

/// The rules that `callosum init` puts into a state directory: examples that only observe, before the shipped ones.
pub const STARTER_RULES: &str = include_str!("starter.json");

/// Why a text is no rules: where, in which rule, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
pub struct RuleError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The rule's name, when it is about one rule and its name is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What is wrong and how to put it right, in lower case.
    pub message: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if let Some(rule) = &self.rule {
            write!(f, "rule `{rule}`: ")?;
        }
        f.write_str(&self.message)
    }
}
