//! The words of the verbs for working together.

use std::ffi::OsString;
use std::path::PathBuf;

use callosum_runtimes::{RUNTIMES, Runtime, named};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Let sessions of all runtimes here work together: tasks, messages, events. Off until a person turns it on
    Team {
        #[command(subcommand)]
        action: Switch,
    },
    /// Create, list, claim and end tasks that any session here may take
    #[command(
        after_help = "Exit codes: 0 done; 1 refused in the current state, or nothing to claim; 2 wrong usage, or it can't be done from here.\n\nExamples:\n  callosum task add 'Review the parser' --to gemini\n  callosum task claim --next --json\n  callosum task done 3f2a --gen 1 --result 'two findings, in review.md'"
    )]
    Task {
        #[command(subcommand)]
        action: TaskVerb,
    },
    /// Send a message to a session, a runtime or a role
    #[command(
        after_help = "Examples:\n  callosum send codex 'the schema has changed'\n  callosum send REVIEWER 'please look at src/parse.rs' --intent request"
    )]
    Send(Send),
    /// Show the messages for you
    Inbox {
        /// Only those that were not shown yet; they count as shown then
        #[arg(long)]
        drain: bool,
        /// Show at most this many
        #[arg(long, short = 'n', value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000))]
        limit: u32,
    },
    /// Acknowledge a message: say that you have understood it
    Ack {
        /// The message
        id: String,
    },
    /// Tell everybody something under a topic. An equal one within 5 seconds is not told again
    #[command(
        after_help = "Example:\n  callosum publish calc.discovery --body 'libfoo 3 breaks the build' --file Cargo.toml"
    )]
    Publish(Publish),
    /// Follow what happens here, one JSON document a line
    #[command(
        after_help = "Examples:\n  callosum watch --topic 'task.*,calc.**'\n  callosum watch --since 0 --once --format calc"
    )]
    Watch(Watch),
    /// Say which runtime a piece of work should go to, and why
    #[command(after_help = "Example:\n  callosum route 'review 150K tokens of logs'")]
    Route(Routed),
    /// Look for words in the journal, the tasks and the messages
    Search(Search),
    /// Print what is going on here, for a session that begins
    Digest {
        /// Write it into this file
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Have a runtime's program do accepted tasks, one after the other, with nobody present. Only a person can start it
    #[command(
        after_help = "It claims the next task that is for the runtime and that a person made or accepted, runs `claude -p`, `codex exec` or \
                      `gemini -p`, keeps the claim meanwhile, and ends the task as the program ends: completed when it exits with 0 and \
                      the task's output file, if it names one, is there; failed when it exits with another code; tried again, up to \
                      three times, when it was killed. What the program wrote last is the result. Ctrl-C ends it and lets its task \
                      go.\n\nExamples:\n  callosum work gemini\n  callosum work codex --max 1 -- --sandbox workspace-write"
    )]
    Work(Work),
    /// Type one fixed line into the terminal of an idle session that an unread request waits for. It must run in tmux
    #[command(
        after_help = "It is off until `team on --live-injection`. Nothing is typed unless the journal says that the session is idle, nobody has \
                      pressed a key for 5 seconds, its prompt is empty, and it got no such line within 10 minutes; else it says \
                      why.\n\nExample:\n  callosum inject 3858"
    )]
    Inject {
        /// The session: `instance/session` or the beginning of one
        #[arg(value_name = "SESSION")]
        to: String,
    },
    /// Exchange tasks with a bridge file of CALC, version 2.0.0
    Bridge {
        #[command(subcommand)]
        action: BridgeVerb,
    },
}

/// On or off.
#[derive(Debug, Subcommand)]
pub(crate) enum Switch {
    /// Let sessions work together here: tasks, messages, events. Hooks tell sessions what waits for them
    On {
        /// When its turn ends, let a session continue if a request is waiting: once, with one fixed line, and only at a terminal
        #[arg(long)]
        continue_on_request: bool,
        /// `callosum inject` may type into terminals
        #[arg(long)]
        live_injection: bool,
        /// Tasks of this session, agent, runtime or role count as accepted; may be given several times
        #[arg(long = "trust", value_name = "NAME")]
        trusted: Vec<String>,
    },
    /// Stop it. What was written stays in the journal
    Off,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TaskVerb {
    /// Create a task. One that a person creates is accepted at once: sessions that look for work may claim it
    Add(Add),
    /// List the tasks that are not over, or those in one state
    List {
        /// Only those in this state: open, claimed, blocked, input-required, lost, stalled
        #[arg(long)]
        state: Option<String>,
        /// Show at most this many
        #[arg(long, short = 'n', value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000))]
        limit: u32,
    },
    /// List the tasks that may be claimed now
    Ready,
    /// Take a task: this one, or the next that is for you and that a person made or accepted
    #[command(group = clap::ArgGroup::new("which").required(true))]
    Claim {
        /// The task
        #[arg(group = "which")]
        id: Option<String>,
        /// The next one
        #[arg(long, group = "which")]
        next: bool,
    },
    /// Mark a task as done
    Done {
        #[command(flatten)]
        held: Held,
        /// What came of it
        #[arg(long, value_name = "TEXT")]
        result: Option<String>,
    },
    /// Mark a task as failed
    Fail {
        #[command(flatten)]
        held: Held,
        /// Why
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
    /// Hand a task over to a session, a runtime or a role
    Handoff {
        #[command(flatten)]
        held: Held,
        /// To whom
        to: String,
        /// Why
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
    /// Give up your claim; the task is open again
    Release(Held),
    /// Ask a question that must be answered before the task can go on
    Input {
        #[command(flatten)]
        held: Held,
        /// The question
        question: String,
    },
    /// Cancel a task
    Cancel {
        /// The task
        id: String,
        /// Why
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
    /// Show a task
    Show {
        /// The task
        id: String,
    },
    /// Keep your claim: the task is still being worked on
    Beat(Held),
    /// Accept a task: sessions that look for work may claim it now. Only a person at a terminal can
    Accept {
        /// The task
        id: String,
    },
    /// Reject a task. Only a person at a terminal can
    Reject {
        /// The task
        id: String,
    },
}

/// A task to be made.
#[derive(Debug, Args)]
pub(crate) struct Add {
    /// What it is about, in a line
    pub(crate) title: String,
    /// What is to be done
    #[arg(long, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// The kind of work
    #[arg(long, value_name = "NAME")]
    pub(crate) category: Option<String>,
    /// A file that it is about; may be given several times
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<String>,
    /// A task that must be completed first; may be given several times
    #[arg(long = "dep", visible_alias = "deps", value_name = "ID", value_delimiter = ',')]
    pub(crate) deps: Vec<String>,
    /// A task that is to wait for this one
    #[arg(long, value_name = "ID")]
    pub(crate) blocks: Option<String>,
    /// Who it is for: a session, a runtime, a role [default: anybody]
    #[arg(long, value_name = "NAME")]
    pub(crate) to: Option<String>,
    /// Let routes.json decide who it is for, and by when
    #[arg(long, conflicts_with = "to")]
    pub(crate) route: bool,
    /// The lowest comes first
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) priority: u32,
    /// Where the result is expected
    #[arg(long, value_name = "PATH")]
    pub(crate) output_file: Option<String>,
    /// Deadline, counted from now: 30m, 2h
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) sla: Option<std::time::Duration>,
    /// Its id [default: a random one]
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
}

/// A task that is claimed.
#[derive(Debug, Args)]
pub(crate) struct Held {
    /// The task
    pub(crate) id: String,
    /// The generation that was claimed, as `claim` told it: an older one is refused
    #[arg(long = "gen", value_name = "N")]
    pub(crate) generation: Option<u64>,
}

/// What a message is for.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Intent {
    /// Something is wanted
    Request,
    /// Something is told
    Inform,
}

/// A message to be sent.
#[derive(Debug, Args)]
pub(crate) struct Send {
    /// To whom: `instance/session` or the beginning of one, a runtime, a role, or `operator`
    pub(crate) to: String,
    /// What it says, at most 4 KB
    pub(crate) body: String,
    /// What it is for
    #[arg(long, value_enum, default_value = "inform")]
    pub(crate) intent: Intent,
    /// It should not wait
    #[arg(long)]
    pub(crate) urgent: bool,
    /// The message that it answers
    #[arg(long, value_name = "ID")]
    pub(crate) reply_to: Option<String>,
}

/// An event to be published.
#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// Its topic, such as calc.discovery
    pub(crate) topic: String,
    /// What it says
    #[arg(long, value_name = "TEXT")]
    pub(crate) body: Option<String>,
    /// A file that it is about; may be given several times
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<String>,
    /// The repository that it is about
    #[arg(long, value_name = "NAME")]
    pub(crate) repo: Option<String>,
    /// What it says besides, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) data: Option<String>,
    /// Show it, and publish nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// How events are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Format {
    /// As the service tells them
    Record,
    /// As CALC's event bus does
    Calc,
    /// As `CloudEvents` 1.0.2
    Cloudevents,
}

/// Events to be watched.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Topics with commas between them: call.paused, call.*, calc.** [default: all]
    #[arg(long, value_name = "PATTERN")]
    pub(crate) topic: Option<String>,
    /// From where on: a sequence number (0: the oldest there is), a duration such as 2h, or an RFC 3339 time [default: now]
    #[arg(long, value_name = "SEQ|TIME")]
    pub(crate) since: Option<String>,
    /// How they are written, one JSON document a line
    #[arg(long, value_enum, default_value = "record")]
    pub(crate) format: Format,
    /// End at the newest record
    #[arg(long)]
    pub(crate) once: bool,
}

/// A text whose route is asked for.
#[derive(Debug, Args)]
pub(crate) struct Routed {
    /// What is to be done
    pub(crate) text: String,
    /// The kind of work
    #[arg(long, value_name = "NAME")]
    pub(crate) category: Option<String>,
    /// A file that it is about; may be given several times
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<String>,
}

/// A worker to be started.
#[derive(Debug, Args)]
pub(crate) struct Work {
    /// The runtime whose program does the tasks
    #[arg(value_name = "RUNTIME", value_parser = hook_runtime())]
    pub(crate) runtime: Runtime,
    /// Stop after this many tasks [default: wait for more]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max: Option<u32>,
    /// The folder in which they are done [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Words for the program itself: its model, what it may do unasked
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) words: Vec<OsString>,
}

/// A runtime whose hooks come here.
pub(crate) fn hook_runtime() -> impl TypedValueParser<Value = Runtime> {
    PossibleValuesParser::new(RUNTIMES.map(|runtime| runtime.name()))
        .try_map(|name| named(&name).ok_or("it is not known"))
}

/// Words to look for.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The words
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// Show at most this many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) limit: u32,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BridgeVerb {
    /// Write tasks, messages and discoveries into a bridge file (CALC's orchestrator bridge, version 2.0.0)
    Export {
        /// The file
        file: PathBuf,
    },
    /// Import the tasks of a bridge file. No session claims them by itself until a person has accepted them
    Import {
        /// The file
        file: PathBuf,
        /// Accept them
        #[arg(long)]
        accept: bool,
    },
    /// Both: take over what is new in the file, and write what is new here
    Sync {
        /// The file
        file: PathBuf,
        /// Accept what is taken over
        #[arg(long)]
        accept: bool,
    },
}
