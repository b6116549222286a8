//! The words of `callosum context`.

use std::path::PathBuf;

use clap::Subcommand;

/// What to do about the shared context.
#[derive(Debug, Subcommand)]
pub(crate) enum ContextAction {
    /// Set the folder up: make what is missing in it, overwrite nothing, and record it in the state directory
    Init {
        /// Whether the write policy refuses calls that break it, or only writes them down
        #[arg(long, value_name = "MODE", value_parser = ["enforce", "observe"], default_value = "enforce")]
        mode: String,
    },
    /// Switch it off. Its files stay; the line in `.git/info/exclude` is taken out
    Off,
    /// Show what a session is told, the proposals that are open, and which sessions were told
    Show,
    /// Edit a file of it in your editor (VISUAL, EDITOR, else `vi`): what you save there counts as yours
    Edit {
        /// The file, below the folder
        #[arg(default_value = "priorities.md")]
        file: String,
    },
    /// Write down something that an agent produced
    #[command(
        after_help = "Example:\n  callosum context write --title 'Release notes' --body-file notes.md --tags release"
    )]
    Write(Item),
    /// Propose something that should be worked on: an entry of `priorities.inbox.md`
    #[command(after_help = "Example:\n  callosum context append 'The nightly build fails since Monday'")]
    Append {
        /// What should be worked on; `-` reads it from standard input
        text: String,
        /// The agent that proposes it [default: the one that runs this]
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
    /// Say what you think of an agent's work: a line of `feedback/inbox.jsonl`
    #[command(
        after_help = "Example:\n  callosum context feedback --agent bob --decision rejected --reason 'Too long' --learning 'One page'"
    )]
    Feedback(Given),
    /// Propose a text; it waits in `staging/` until you accept or reject it
    Stage(Item),
    /// Replace an agent's figures, `kpis/<agent>.json`
    #[command(after_help = "Example:\n  callosum context kpi '{\"open\": 3}' --agent bob")]
    Kpi {
        /// The figures: a JSON object; `-` reads it from standard input
        values: String,
        /// The agent [default: the one that runs this]
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
    /// Make the roundtable and the cross signals of every day since the last run, and take over into `priorities.md` what is proposed
    #[command(
        after_help = "Examples:\n  callosum context curate\n  callosum context curate --date 2026-01-31\n  callosum context curate --weekly"
    )]
    Curate(Curated),
    /// Make the cross signals of a day: on what two agents or more met
    Signals {
        /// The day: 2026-01-31 [default: today]
        #[arg(long, value_name = "DAY")]
        date: Option<String>,
    },
    /// Accept a proposal, which moves it to `Current` as yours; or a file that was changed
    Accept {
        /// The proposal's id, or the file's path below the folder
        what: String,
    },
    /// Reject a proposal
    Reject {
        /// Its id
        what: String,
    },
    /// Print what starts the curator every day and week: for OpenClaw, cron and systemd. Nothing is registered
    Cron,
    /// Say what is wrong with the folder. Exits with 1 if anything is
    Lint,
    /// Put back what is missing in an inbox, or the last version known to come from its writer
    Restore {
        /// The file, below the folder [default: the inboxes]
        file: Option<String>,
    },
    /// Archive outputs after 30 days, delete them after 180, and digests after 400
    Prune {
        /// Say what would be done, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
}

/// What is to be curated.
#[derive(Debug, clap::Args)]
pub(crate) struct Curated {
    /// Days: what is done where nothing is said
    #[arg(long, conflicts_with = "weekly")]
    pub(crate) daily: bool,

    /// The week
    #[arg(long)]
    pub(crate) weekly: bool,

    /// Only this day, or the week of it: 2026-01-31
    #[arg(long, value_name = "DAY")]
    pub(crate) date: Option<String>,

    /// Say what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// A text with a title.
#[derive(Debug, clap::Args)]
pub(crate) struct Item {
    /// Its title
    #[arg(long)]
    pub(crate) title: String,

    /// Its text, Markdown
    #[arg(long, conflicts_with = "body_file")]
    pub(crate) body: Option<String>,

    /// A file with its text; `-` is standard input, which is read where neither is given
    #[arg(long, value_name = "FILE")]
    pub(crate) body_file: Option<PathBuf>,

    /// The agent that wrote it [default: the one that runs this]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,

    /// Words to find it by
    #[arg(long, value_delimiter = ',', value_name = "TAG,…")]
    pub(crate) tags: Vec<String>,

    /// What it is about
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub(crate) entities: Vec<String>,

    /// What proves it: context keys and sequence numbers of the journal
    #[arg(long, value_delimiter = ',', value_name = "REF,…")]
    pub(crate) refs: Vec<String>,

    /// When it is no longer true: an RFC 3339 time
    #[arg(long, value_name = "TIME")]
    pub(crate) expires_at: Option<String>,

    /// The id of the item that it takes the place of
    #[arg(long, value_name = "ID")]
    pub(crate) supersedes: Option<String>,
}

/// Feedback.
#[derive(Debug, clap::Args)]
pub(crate) struct Given {
    /// Whose work it is about
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: String,

    /// What you decided: approved, approved_with_feedback, rejected
    #[arg(long)]
    pub(crate) decision: String,

    /// Why
    #[arg(long)]
    pub(crate) reason: String,

    /// What to learn from it
    #[arg(long)]
    pub(crate) learning: Option<String>,

    /// What came of the work
    #[arg(long)]
    pub(crate) outcome: Option<String>,

    /// How grave it is
    #[arg(long)]
    pub(crate) severity: Option<String>,

    /// How sure you are, from 0 to 1
    #[arg(long)]
    pub(crate) confidence: Option<f64>,

    /// The work that it belongs to
    #[arg(long)]
    pub(crate) workflow: Option<String>,

    /// The day that it is about: 2026-01-31
    #[arg(long)]
    pub(crate) date: Option<String>,

    /// Words to find it by
    #[arg(long, value_delimiter = ',', value_name = "TAG,…")]
    pub(crate) tags: Vec<String>,

    /// What proves it
    #[arg(long, value_delimiter = ',', value_name = "REF,…")]
    pub(crate) refs: Vec<String>,
}
