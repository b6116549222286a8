//! One line of the journal: its fields, and what reads as one.
#![deny(clippy::wildcard_enum_match_arm)]

pub(crate) mod brief;
mod codec;
mod id;
pub mod kind;
pub mod light;
mod line;
mod moment;
pub mod outcome;
pub(crate) mod own;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::on_conflict::OnConflict;
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use callosum_shell::ExitCodes;

use self::id::read_id;
use self::moment::{
    read_boot, read_moment, read_optional_moment, write_boot, write_moment, write_optional_moment,
};

pub use self::id::{AttemptId, JournalId, RandomId};
pub use self::kind::{Action, Ending};
pub use self::line::Line;

/// The journal format this code writes. Fields may join within a version; a reader that meets a higher
/// one says so and guards nothing on it.
pub const FORMAT_VERSION: u32 = 1;

/// What a blocked call ran into, or an observed one would have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Conflict {
    /// The resource was acted on, and the session was not shown how.
    Recent,
    /// Another call is acting on the resource now.
    InFlight,
    /// Another call holds the lease of a resource of tier 4.
    Lease,
    /// As many calls were let through already as a rule allows within its window.
    Limit,
}

/// Who runs a call: a process that can be looked for. The boot is the record's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Holder {
    /// Process id, in its namespace.
    pub pid: u32,
    /// When that process started, in clock ticks after boot: tells a reused process id.
    pub start: u64,
    /// The pid namespace's inode; 0 where there is none.
    pub ns: u64,
}

/// A piece of evidence as a pause showed it: an action, and its outcome if it had one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Shown {
    /// Sequence number of the action's record.
    pub seq: u64,
    /// Sequence number of its outcome's record, if any was there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub outcome: Option<u64>,
}

/// What happened to a session, or to a file of the shared context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionEvent {
    /// It began, or goes on: after it was resumed, cleared or compacted.
    Start,
    /// It got a prompt.
    Prompt,
    /// It has answered, and waits for its next prompt.
    Idle,
    /// It waits until a person has allowed a call.
    Waiting,
    /// Its turn ended with an error of the model's provider.
    Stuck,
    /// What it has in mind is being made shorter.
    Compacting,
    /// It ended.
    End,
    /// The file was changed by something that may not.
    Tampered,
    /// An event that a newer minor version knows.
    #[serde(untagged)]
    Other(String),
}

/// Where a session runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Place {
    /// Its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The folder of the repository that this lies in, one for all its working trees; else the same folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Its terminal; none where nobody sits at one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tty: Option<String>,
    /// Its runtime runs only hooks that its user trusts: what it never told may happen all the same.
    #[serde(skip_serializing_if = "is_false")]
    pub needs_trust: bool,
}

/// A call that may have changed a file: it ran at that time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    /// Sequence number of its first line.
    pub seq: u64,
    /// Its instance.
    pub instance: String,
    /// Its session.
    pub session: String,
    /// Its tool.
    pub tool: String,
}

/// Under this name events of a runtime's hooks that could not be read are counted among its tools.
pub const UNREADABLE_EVENTS: &str = "(unreadable events)";

/// What a name among hook counts begins with that is no tool's but a program's of shell lines, which no rule was for: `$ acme deploy`.
/// Both counts of it are how often it was seen.
pub const PROGRAM: &str = "$ ";

/// Whether beside these names one more may be counted: there may be so many of tools, and of programs.
pub(crate) fn has_room<'n>(
    counted: impl Iterator<Item = &'n String>,
    name: &str,
    most_tools: usize,
    most_programs: usize,
) -> bool {
    let is_program = name.starts_with(PROGRAM);
    let most = if is_program { most_programs } else { most_tools };
    counted.filter(|known| known.starts_with(PROGRAM) == is_program).take(most).count() < most
}

/// Hook counts of one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookCounts {
    /// Before-hooks seen.
    pub before: u64,
    /// After-hooks seen.
    pub after: u64,
}

/// A journal record. Which fields are there depends on the action; absent ones are not written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Format version; 0 stands for the original plugin's lines, which have none.
    #[serde(default)]
    pub v: u32,
    /// What happened.
    pub action: Action,
    /// Risk tier of the call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tier: Option<Tier>,
    /// Wall-clock milliseconds; RFC 3339 in the file.
    #[serde(rename = "timestamp", serialize_with = "write_moment", deserialize_with = "read_moment")]
    pub wall_ms: i64,
    /// Boot clock at that moment, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub up: Option<u64>,
    /// Which boot: eight hex digits.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        serialize_with = "write_boot",
        deserialize_with = "read_boot"
    )]
    pub boot: Option<u32>,
    /// The machine that it came from; none on this machine's lines.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub machine: Option<String>,
    /// Which agent runtime process group (a gateway, a user's terminal) wrote it.
    #[serde(default)]
    pub instance: String,
    /// The runtime's name: `openclaw`, `claude-code` …
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runtime: Option<String>,
    /// The agent's id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<String>,
    /// The session key, else the session id, else the run id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<String>,
    /// The run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<String>,
    /// The host's call id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    /// The tool as the host named it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<String>,
    /// The rule that classified the call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rule_name: Option<String>,
    /// The resources acted on.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub context_keys: Vec<String>,
    /// The original plugin's single key; never written.
    #[serde(skip_serializing, default)]
    pub context_key: Option<String>,
    /// By what right somebody spoke for another process: `token:NAME`, or how a client of the service's socket is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub via: Option<String>,
    /// The path over which a policy refused the call (`denied`), or that was changed (`context`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// Which records of this journal it is about: an outcome's intent, the delivered pauses. A line of another machine names
    /// those that came before it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub of: Vec<u64>,
    /// Which action it begins or is about, tier 2 and up: wherever their lines stand.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "read_id")]
    pub attempt: Option<AttemptId>,
    /// Digest of the tool and the parameters with an effect.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<String>,
    /// Summary of the parameters, limited and redacted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub params: Option<String>,
    /// What a blocked call ran into.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub conflict: Option<Conflict>,
    /// What the rule wanted of a call that `conflict` speaks against, where that is no pause.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub on_conflict: Option<OnConflict>,
    /// On an intent: the rules whose limits count the call. On a block: the rule whose limit is reached.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub limits: Vec<String>,
    /// What a pause showed, or what an allowed retry had been shown.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub evidence: Vec<Shown>,
    /// On a pause: delivery is told by a signal of the host; else time tells it.
    #[serde(skip_serializing_if = "is_false", default)]
    pub signal: bool,
    /// On an intent: only observed, whatever `conflict` says.
    #[serde(skip_serializing_if = "is_false", default)]
    pub observed: bool,
    /// On an intent: the exit codes which prove that it was not done. Earlier lines say `simple` instead, for any code
    /// from 1 to 127, which proves too little to be read.
    #[serde(skip_serializing_if = "ExitCodes::is_empty", default)]
    pub not_done_codes: ExitCodes,
    /// On an outcome: another plugin rewrote the call after it was checked, and its keys are those of what ran.
    #[serde(skip_serializing_if = "is_false", default)]
    pub rewritten: bool,
    /// When the lease ends: wall-clock milliseconds; RFC 3339 in the file.
    #[serde(
        rename = "expiresAt",
        skip_serializing_if = "Option::is_none",
        default,
        serialize_with = "write_optional_moment",
        deserialize_with = "read_optional_moment"
    )]
    pub expires_ms: Option<i64>,
    /// On a line of another machine: how long from its stamp on the lease lasts, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lease_ms: Option<u64>,
    /// Who runs the call, or the session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub holder: Option<Holder>,
    /// The exit code that an outcome rests on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exit_code: Option<i64>,
    /// The background process session of a running call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub process: Option<String>,
    /// Why: in a few words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// How long before it was written it happened, milliseconds: on a line of another machine, and on what a process wrote
    /// anew after the journal was lost.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub age_ms: Option<u64>,
    /// What happened to the session (`session`) or the file (`context`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub event: Option<SessionEvent>,
    /// Where the session runs (`session`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<Box<Place>>,
    /// The calls that may have done it (`context`).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub suspects: Vec<Suspect>,
    /// Hook counts by tool (`seen`, and on the lines of a call whose hooks have a process each).
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub seen: BTreeMap<String, HookCounts>,
    /// How far back the writer's rules look, milliseconds (`rules`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub window_ms: Option<u64>,
    /// Which journal it is (`opened`).
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "read_id")]
    pub journal: Option<JournalId>,
    /// Where a segment begins (`opened`) or the next one does (`closed`): a sequence number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub base: Option<u64>,
    /// The windows of all instances known when a segment was begun (`opened`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub windows: BTreeMap<String, KnownWindow>,
    /// What kind of record it was (`carried`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<String>,
    /// Under which key it stands among those of its kind.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub key: Option<String>,
    /// What it is about, in words with dots between them (`event`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub topic: Option<String>,
    /// Nothing stands under its key any longer.
    #[serde(skip_serializing_if = "is_false", default)]
    pub ended: bool,
    /// What it says, as a JSON object whose fields its kind's crate knows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub document: Option<Value>,
}

/// How far back an instance's rules look, and when it last said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownWindow {
    /// The window, milliseconds.
    pub ms: u64,
    /// Wall-clock milliseconds of the record.
    pub at: i64,
}

impl Record {
    /// A record of `action` at `at` by `instance`, with no other field set.
    #[must_use]
    pub fn new(action: Action, instance: &str, at: &Stamp) -> Self {
        let mut record = Self {
            v: FORMAT_VERSION,
            action,
            tier: None,
            wall_ms: 0,
            up: None,
            boot: None,
            machine: None,
            instance: instance.to_owned(),
            runtime: None,
            agent: None,
            session: None,
            run: None,
            call: None,
            tool: None,
            rule_name: None,
            context_keys: Vec::new(),
            context_key: None,
            via: None,
            path: None,
            of: Vec::new(),
            attempt: None,
            digest: None,
            params: None,
            conflict: None,
            on_conflict: None,
            limits: Vec::new(),
            evidence: Vec::new(),
            signal: false,
            observed: false,
            not_done_codes: ExitCodes::default(),
            rewritten: false,
            expires_ms: None,
            lease_ms: None,
            holder: None,
            exit_code: None,
            process: None,
            reason: None,
            age_ms: None,
            event: None,
            place: None,
            suspects: Vec::new(),
            seen: BTreeMap::new(),
            window_ms: None,
            journal: None,
            base: None,
            windows: BTreeMap::new(),
            kind: None,
            key: None,
            topic: None,
            ended: false,
            document: None,
        };
        record.set_stamp(at);
        record
    }

    /// Says when it was written.
    pub(crate) fn set_stamp(&mut self, at: &Stamp) {
        self.wall_ms = at.wall_ms;
        self.up = at.boot.map(|_| at.up_ms);
        self.boot = at.boot;
    }

    /// Puts right when it was written: what it says can't be. Its lease lasts as long as before.
    pub(crate) fn correct_stamp(&mut self, at: &Stamp) {
        let later_ms = at.wall_ms.saturating_sub(self.wall_ms);
        self.expires_ms = self.expires_ms.map(|end| end.saturating_add(later_ms));
        self.set_stamp(at);
    }

    /// Whether it came from another machine. Its process means nothing here, and it may come before what it is about.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.machine.as_ref().is_some_and(|machine| !machine.is_empty())
    }

    /// Whether a call was refused and no retry helps: by a lease, a limit, or a rule that blocks. Nobody acknowledges anything by it.
    #[must_use]
    pub fn is_block(&self) -> bool {
        self.action == Action::Blocked && blocks(self.conflict, self.on_conflict)
    }

    /// The attempt of another machine that it is about, if that had not begun here when this line came.
    pub(crate) fn early_attempt(&self) -> Option<AttemptId> {
        self.attempt.filter(|_| self.is_foreign() && self.of.is_empty())
    }

    /// Of which kind it is, also where it was carried on.
    #[must_use]
    pub fn original_kind(&self) -> Action {
        match (&self.action, &self.kind) {
            (Action::Carried, Some(kind)) => Action::named(kind),
            (action, _) => action.clone(),
        }
    }

    /// When it was written.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        Stamp { wall_ms: self.wall_ms, up_ms: self.up.unwrap_or(0), boot: self.up.and(self.boot) }
    }

    /// Of what begins a segment: from where on the journal was kept, if anything was pruned. A damaged line says nothing of that.
    #[must_use]
    pub fn kept_from(&self) -> Option<u64> {
        self.of.get(1).copied().filter(|_| self.of.first().copied() == self.base)
    }

    /// When it happened: when it was written, but for what was written anew.
    #[must_use]
    pub fn happened(&self) -> Stamp {
        self.age_ms.map_or_else(|| self.stamp(), |age_ms| self.stamp().minus_ms(age_ms))
    }
}

/// Whether a refusal over this is a block: a retry does not help.
#[must_use]
pub fn blocks(conflict: Option<Conflict>, on_conflict: Option<OnConflict>) -> bool {
    matches!(conflict, Some(Conflict::Lease | Conflict::Limit)) || on_conflict == Some(OnConflict::Block)
}

/// The same of what a record says in JSON: a word that nobody here knows makes no block.
#[must_use]
pub fn blocks_as_written(conflict: Option<&str>, on_conflict: Option<&str>) -> bool {
    blocks(conflict.and_then(known), on_conflict.and_then(known))
}

/// What a word of a record means, if it is one of those of its field.
fn known<'w, T: Deserialize<'w>>(word: &'w str) -> Option<T> {
    T::deserialize(StrDeserializer::<serde::de::value::Error>::new(word)).ok()
}

/// How a record of this version begins.
pub(crate) const OWN_START: &str = r#"{"v":1,"action":"#;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests;
