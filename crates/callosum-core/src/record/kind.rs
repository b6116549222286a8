//! The table of record kinds: what each is called, which fields it may have, and what becomes of it in the history, in the
//! index, where segments are pruned, in views and among events. A new kind is one entry here; where that asks for something new, the
//! compiler names the places that must answer: in `record`, `store`, `query` and `decision::history`, where a lint denies an arm for the rest.

use std::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What the table says of a kind of record.
#[derive(Debug)]
pub struct Spec {
    /// As it stands in the file.
    pub name: &'static str,
    /// What people are shown.
    pub label: &'static str,
    /// What it means, in a sentence of Markdown.
    pub meaning: &'static str,
    /// Whether it tells whose call of what it is about: with the fields [`CALL`].
    pub tells_call: bool,
    /// The fields that it may have behind these, in the order in which they stand in a line.
    pub fields: &'static [&'static str],
    /// Whether the action that it begins, or is the outcome of, speaks against later calls.
    pub is_evidence: bool,
    /// How it changes the history.
    pub fold: Fold,
    /// What the index keeps of it.
    pub index: IndexedAs,
    /// What of it outlives the segment that it stands in.
    pub pruning: Pruning,
    /// What it is to views.
    pub view: View,
    /// Under which topics events tell of it.
    pub topic: Topic,
}

/// The fields that every record may have. The last two: of a line of another machine, and of one that is older than it says.
pub const EVERY: [&str; 8] = ["v", "action", "timestamp", "up", "boot", "instance", "machine", "ageMs"];

/// The fields in which a record tells whose call of what it is about, in the order in which they stand in a line.
pub const CALL: [&str; 10] =
    ["tier", "runtime", "agent", "session", "run", "call", "tool", "ruleName", "contextKeys", "via"];

/// How a record changes the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// At tier 2 and up it begins an action.
    Start,
    /// It ends one.
    Outcome(Ending),
    /// It says that one goes on in the background.
    Background,
    /// It ends the lease of one.
    Release,
    /// It moves the end of the lease of one.
    Renewal,
    /// It is a pause, unless it is a block.
    Pause,
    /// It may say where its session runs.
    Place,
    /// It marks pauses as delivered.
    Delivery,
    /// It names how far back an instance looks.
    Window,
    /// It carries on what earlier segments named of that, and which of them are kept.
    Segment,
    /// It says which segments are kept.
    Prune,
    /// It says that the journal was lost.
    Loss,
    /// Not at all.
    Nothing,
}

/// How an action ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It was done.
    Complete,
    /// It was not done.
    Failed,
    /// It never ran.
    Refused,
    /// Nobody knows whether it was done.
    Unknown,
}

/// What the index keeps of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexedAs {
    /// That it is an action on its keys.
    Action,
    /// That it belongs to what it is about, and that this is an action on its keys.
    Outcome,
    /// That it belongs to what it is about.
    Sequel,
    /// That it is a pause of its session on its keys.
    Pause,
    /// That it says where its session runs, if it does.
    Place,
    /// What the history makes of it.
    Counts,
    /// That it stands under its key, until a later one does.
    Standing,
    /// Nothing.
    Nothing,
}

/// What of a record outlives its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// Nothing.
    Dropped,
    /// What it says stands in the first line of the next segment, too.
    Opened,
    /// Whoever prunes writes it once more before.
    Carried,
}

/// What a record is to views: each decides which of these it shows, and as what. A kind that is none of these is one more of them, and
/// the compiler names the views that must decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// A call that was let through.
    Call,
    /// A call that was paused or blocked.
    Stop,
    /// A call that a policy refused.
    Denial,
    /// How a call ended.
    End,
    /// That a call goes on in the background.
    Background,
    /// That a lease was taken without a call, or what was done with one.
    Lease,
    /// That a model has read pauses.
    Receipt,
    /// What a session does.
    Session,
    /// What sessions tell each other.
    Exchange,
    /// What went wrong.
    Fault,
    /// What the journal keeps for itself.
    Maintenance,
    /// What a newer minor version knows.
    Unknown,
}

/// Under which topics events tell of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Under this one.
    Fixed(&'static str),
    /// Under one of these.
    Stop {
        /// If it is a pause.
        paused: &'static str,
        /// If it is a block.
        blocked: &'static str,
    },
    /// Under this, a dot and what its `event` says.
    Event(&'static str),
    /// Under this, a dot and the name of its kind.
    Kind(&'static str),
    /// Under the topic that it names.
    Named,
    /// Under what was done to the task in its document.
    Task,
    /// Under what was done to the message in its document.
    Message,
    /// Under none.
    Untold,
}

impl View {
    /// What records are to views whose `action` is called so in the file.
    #[must_use]
    pub fn named(name: &[u8]) -> Self {
        std::str::from_utf8(name).map_or(Self::Unknown, |name| Action::named(name).spec().view)
    }
}

impl Fold {
    /// Whether it says how an action ended, or that it goes on in the background: the record names the action's start.
    #[must_use]
    pub fn follows_a_start(self) -> bool {
        match self {
            Self::Outcome(_) | Self::Background => true,
            Self::Start
            | Self::Release
            | Self::Renewal
            | Self::Pause
            | Self::Place
            | Self::Delivery
            | Self::Window
            | Self::Segment
            | Self::Prune
            | Self::Loss
            | Self::Nothing => false,
        }
    }
}

macro_rules! kinds {
    ($(
        $kind:ident = $name:literal, shown as $label:literal: $meaning:literal;
        call $tells_call:literal; fields $fields:expr;
        evidence $is_evidence:literal; fold $fold:expr; index $index:ident; pruning $pruning:ident;
        view $view:ident; topic $topic:expr;
    )*) => {
        /// What a record says happened.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Action {
            $(#[doc = $meaning] $kind,)*
            /// A kind that a newer minor version knows.
            Other(String),
        }

        impl Action {
            /// All that this version knows, in the order of the table.
            pub const KNOWN: &[Self] = &[$(Self::$kind),*];

            /// What the table says of it.
            #[must_use]
            pub fn spec(&self) -> &'static Spec {
                match self {
                    $(Self::$kind => {
                        const SPEC: Spec = Spec {
                            name: $name,
                            label: $label,
                            meaning: $meaning,
                            tells_call: $tells_call,
                            fields: &$fields,
                            is_evidence: $is_evidence,
                            fold: $fold,
                            index: IndexedAs::$index,
                            pruning: Pruning::$pruning,
                            view: View::$view,
                            topic: $topic,
                        };
                        &SPEC
                    })*
                    Self::Other(_) => &OTHER,
                }
            }

            /// The kind that is called so.
            #[must_use]
            pub fn named(name: &str) -> Self {
                match name {
                    $($name => Self::$kind,)*
                    other => Self::Other(other.to_owned()),
                }
            }
        }
    };
}

/// What a newer minor version says is kept and shown as it stands, and changes nothing here.
const OTHER: Spec = Spec {
    name: "",
    label: "",
    meaning: "A kind that a newer minor version knows.",
    tells_call: false,
    fields: &[],
    is_evidence: false,
    fold: Fold::Nothing,
    index: IndexedAs::Nothing,
    pruning: Pruning::Dropped,
    view: View::Unknown,
    topic: Topic::Kind("journal"),
};

kinds! {
    Intercept = "intercept", shown as "started":
        "a call was let through: at tiers 0 and 1 the only line, at tier 2 its start, at tiers 3 and 4 its intent";
    call true; fields ["attempt", "digest", "params", "conflict", "onConflict", "limits", "evidence", "observed", "notDoneCodes", "expiresAt",
        "leaseMs", "holder", "reason", "seen"];
    evidence true; fold Fold::Start; index Action; pruning Dropped;
    view Call; topic Topic::Fixed("call.started");

    Blocked = "blocked", shown as "paused or blocked":
        "a call was refused with the facts: a block where `conflict` is `lease` or `limit` or `onConflict` is `block`, else a pause";
    call true; fields ["digest", "params", "conflict", "onConflict", "limits", "evidence", "signal", "reason", "seen"];
    evidence false; fold Fold::Pause; index Pause; pruning Dropped;
    view Stop; topic Topic::Stop { paused: "call.paused", blocked: "call.blocked" };

    Denied = "denied", shown as "denied":
        "a call was refused by a policy, `ruleName`, over `path` or its keys; a retry does not help";
    call true; fields ["path", "params", "reason", "seen"];
    evidence false; fold Fold::Nothing; index Nothing; pruning Dropped;
    view Denial; topic Topic::Fixed("call.denied");

    Complete = "complete", shown as "complete": "outcome: it was done";
    call true; fields ["contextKey", "of", "attempt", "digest", "rewritten", "exitCode", "reason", "seen"];
    evidence true; fold Fold::Outcome(Ending::Complete); index Outcome; pruning Dropped;
    view End; topic Topic::Fixed("call.ended");

    Failed = "failed", shown as "failed": "outcome: it was not done";
    call true; fields ["of", "attempt", "digest", "rewritten", "exitCode", "reason", "seen"];
    evidence false; fold Fold::Outcome(Ending::Failed); index Outcome; pruning Dropped;
    view End; topic Topic::Fixed("call.ended");

    Refused = "refused", shown as "refused": "outcome: it never ran; of a lease without a call: it was given back";
    call true; fields ["of", "attempt", "digest", "params", "rewritten", "exitCode", "reason", "seen"];
    evidence false; fold Fold::Outcome(Ending::Refused); index Outcome; pruning Dropped;
    view End; topic Topic::Fixed("call.ended");

    Unknown = "unknown", shown as "outcome unknown": "outcome: it ended, and nobody knows whether it was done";
    call true; fields ["of", "attempt", "digest", "rewritten", "exitCode", "reason", "seen"];
    evidence true; fold Fold::Outcome(Ending::Unknown); index Outcome; pruning Dropped;
    view End; topic Topic::Fixed("call.ended");

    Running = "running", shown as "running":
        "it goes on in the background, as the process session in `process`; not an outcome";
    call true; fields ["of", "attempt", "digest", "rewritten", "exitCode", "process", "reason", "seen"];
    evidence true; fold Fold::Background; index Outcome; pruning Dropped;
    view Background; topic Topic::Fixed("call.running");

    Delivered = "delivered", shown as "pause read": "the model has seen the pauses in `of`";
    call false; fields ["session", "via", "of"];
    evidence false; fold Fold::Delivery; index Sequel; pruning Dropped;
    view Receipt; topic Topic::Fixed("call.read");

    Released = "released", shown as "released": "an operator ended the lease of the intent in `of`";
    call false; fields ["contextKeys", "via", "of", "attempt", "reason"];
    evidence false; fold Fold::Release; index Sequel; pruning Dropped;
    view Lease; topic Topic::Fixed("lease.released");

    Leased = "leased", shown as "lease taken":
        "a client of the service took the lease of a resource without a call; it holds until it is given back or ends";
    call true; fields ["attempt", "expiresAt", "leaseMs", "reason"];
    evidence false; fold Fold::Start; index Action; pruning Dropped;
    view Lease; topic Topic::Fixed("lease.taken");

    Extended = "extended", shown as "lease renewed": "the lease of the intent in `of` lasts until `expiresAt`";
    call true; fields ["of", "attempt", "expiresAt", "leaseMs", "reason"];
    evidence false; fold Fold::Renewal; index Sequel; pruning Dropped;
    view Lease; topic Topic::Fixed("lease.renewed");

    Seen = "seen", shown as "hooks seen":
        "how many before- and after-hooks an instance has seen since it last wrote a count";
    call false; fields ["runtime", "seen"];
    evidence false; fold Fold::Nothing; index Nothing; pruning Dropped;
    view Maintenance; topic Topic::Kind("journal");

    Session = "session", shown as "session": "a session of another runtime began, got a prompt, answered, waits or ended (`event`)";
    call false; fields ["runtime", "agent", "session", "holder", "reason", "event", "place"];
    evidence false; fold Fold::Place; index Place; pruning Dropped;
    view Session; topic Topic::Event("session");

    Context = "context", shown as "shared context":
        "a file of the shared context, `path`, is not as its writer left it (`event`); `suspects` are the calls that ran meanwhile";
    call false; fields ["path", "reason", "event", "suspects"];
    evidence false; fold Fold::Nothing; index Nothing; pruning Dropped;
    view Fault; topic Topic::Event("context");

    Unreadable = "unreadable", shown as "event unreadable":
        "a runtime's hook was told an event that could not be read; counted under `(unreadable events)`";
    call false; fields ["runtime", "session", "tool", "reason", "seen"];
    evidence false; fold Fold::Nothing; index Nothing; pruning Dropped;
    view Fault; topic Topic::Kind("journal");

    Task = "task", shown as "task":
        "what a task is now, in `document`; under its `key` the newest counts, until one has `ended`";
    call false; fields ["runtime", "agent", "session", "via", "of", "key", "ended", "document"];
    evidence false; fold Fold::Nothing; index Standing; pruning Carried;
    view Exchange; topic Topic::Task;

    Message = "message", shown as "message":
        "the same for a message to sessions: who has been shown it, who has acknowledged it";
    call false; fields ["runtime", "agent", "session", "via", "of", "key", "ended", "document"];
    evidence false; fold Fold::Nothing; index Standing; pruning Carried;
    view Exchange; topic Topic::Message;

    Event = "event", shown as "event":
        "something that somebody told everybody, in `document`, under a topic";
    call false; fields ["runtime", "agent", "session", "via", "topic", "document"];
    evidence false; fold Fold::Nothing; index Nothing; pruning Dropped;
    view Exchange; topic Topic::Named;

    Rules = "rules", shown as "rules loaded": "a process has loaded rules; `windowMs` is how far back they look";
    call false; fields ["windowMs"];
    evidence false; fold Fold::Window; index Counts; pruning Opened;
    view Maintenance; topic Topic::Kind("journal");

    Lost = "lost", shown as "journal lost":
        "a process found that the journal it knew is gone; `reason` says how, and what was written anew";
    call false; fields ["of", "reason"];
    evidence false; fold Fold::Loss; index Counts; pruning Dropped;
    view Fault; topic Topic::Kind("journal");

    Pruned = "pruned", shown as "pruned":
        "the segments before `base` are about to be deleted, because nothing in them counts any more";
    call false; fields ["base"];
    evidence false; fold Fold::Prune; index Counts; pruning Opened;
    view Maintenance; topic Topic::Kind("journal");

    Carried = "carried", shown as "carried on":
        "a record that still stands, of the kind `kind`, written once more before its segment was pruned; `of` is the number it had";
    call false; fields ["runtime", "agent", "session", "via", "of", "kind", "key", "document"];
    evidence false; fold Fold::Nothing; index Standing; pruning Carried;
    view Maintenance; topic Topic::Untold;

    Opened = "opened", shown as "segment begun": "the first line of a segment";
    call false; fields ["of", "journal", "base", "windows"];
    evidence false; fold Fold::Segment; index Counts; pruning Opened;
    view Maintenance; topic Topic::Kind("journal");

    Closed = "closed", shown as "segment full": "the last line of a segment";
    call false; fields ["base"];
    evidence false; fold Fold::Nothing; index Nothing; pruning Dropped;
    view Maintenance; topic Topic::Kind("journal");
}

impl Action {
    /// As it stands in the file.
    #[must_use]
    pub fn name(&self) -> &str {
        if let Self::Other(name) = self { name } else { self.spec().name }
    }
}

impl Ending {
    /// The kind of record that says so.
    #[must_use]
    pub fn action(self) -> Action {
        match self {
            Self::Complete => Action::Complete,
            Self::Failed => Action::Failed,
            Self::Refused => Action::Refused,
            Self::Unknown => Action::Unknown,
        }
    }

    /// Whether an action that ended so speaks against later calls.
    #[must_use]
    pub fn is_evidence(self) -> bool {
        self.action().spec().is_evidence
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = Action;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a kind of record")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Action, E> {
                Ok(Action::named(name))
            }
        }

        deserializer.deserialize_str(Name)
    }
}
