//! The command line's grammar.

use std::path::PathBuf;

use clap::{ColorChoice, Parser, Subcommand};

/// What all AI-agent sessions on this machine did. Only looks; writes nothing.
#[derive(Debug, Parser)]
#[command(
    name = "callosum",
    version,
    color = ColorChoice::Never,
    after_help = "Exit codes: 0 all is well; 1 something is wrong (the state is degraded, the rules can't be \
                  used); 2 wrong usage, or it could not be done."
)]
pub(crate) struct Args {
    /// The shared state directory [default: CALLOSUM_STATE_DIR, else ~/.callosum]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) state_dir: Option<PathBuf>,

    /// Print JSON: the same objects as the gateway's `callosum.status` and `callosum.journal`
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Leases, resources acted on lately, hooks seen, the journal's size, and what is wrong
    Status,
    /// The journal's newest records, newest last
    Journal(Wanted),
    /// Whether a rules file can be used, and where not
    Check {
        /// The file [default: the one in the state directory, else the built-in rules]
        file: Option<PathBuf>,
    },
    /// What a tool call would get now, and why: tier, rule, resources, verdict. Nothing is done or written
    #[command(
        after_help = "Examples:\n  callosum explain exec '{\"command\": \"git push origin main\"}'\n  callosum explain exec 'git push origin main'\n  callosum explain message '{\"action\": \"send\", \"target\": \"general\"}' --json"
    )]
    Explain(Asked),
    /// Is it really gating? The state directory, the hooks seen, OpenClaw's own record of calls against the journal
    #[command(
        after_help = "Examples:\n  callosum doctor\n  callosum doctor --canary        one harmless call through the running gateway\n  callosum doctor --json"
    )]
    Doctor(Examined),
}

/// What is tried beside looking.
#[derive(Debug, clap::Args)]
pub(crate) struct Examined {
    /// Have the running OpenClaw gateway make one harmless tool call (`agents_list`), and see it in the journal
    #[arg(long)]
    pub(crate) canary: bool,
}

/// The call that is asked about.
#[derive(Debug, clap::Args)]
pub(crate) struct Asked {
    /// The tool, as the host names it: `exec`, `message` …
    pub(crate) tool: String,

    /// Its parameters as a JSON object; for `exec` the command alone will do
    #[arg(value_name = "JSON")]
    pub(crate) params: String,

    /// The session that would call
    #[arg(long, default_value = "callosum-explain")]
    pub(crate) session: String,

    /// The folder it would work in [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

/// Which records are wanted; all given conditions must hold.
#[derive(Debug, clap::Args)]
pub(crate) struct Wanted {
    /// How many records at most
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,

    /// Only those on this context key, such as `email:alice@example.com`
    #[arg(long)]
    pub(crate) key: Option<String>,

    /// Only those of this session
    #[arg(long)]
    pub(crate) session: Option<String>,

    /// Only those of this tool
    #[arg(long)]
    pub(crate) tool: Option<String>,

    /// Only those of this tier
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=4))]
    pub(crate) tier: Option<u8>,

    /// Only those of this action: intercept, blocked, complete, failed, refused, unknown …
    #[arg(long)]
    pub(crate) action: Option<String>,

    /// Only those since this time: RFC 3339, or milliseconds since the epoch
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
}
