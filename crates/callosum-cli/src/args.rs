//! The command line's grammar.

use std::path::PathBuf;

use callosum_core::time::from_rfc3339;
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
    /// Which calls of the journal other rules would have paused, beside the rules in force. Nothing is done or written
    #[command(
        after_help = "Examples:\n  callosum simulate ~/.callosum/tiers.json.new\n  callosum simulate new.json --since 2026-11-01T00:00:00Z --json\n\nThe journal keeps no parameters of calls of tiers 0 and 1, and of the others a summary, cut and without secrets. A call is judged anew where the rules ask only for what was kept; where they ask for more, it keeps the rule that the journal names, or it is counted as not judged. The gateways' settings are not in the journal: the defaults are taken. What a stopped call would have led to, had it run, is not made up."
    )]
    Simulate(Tried),
}

/// The rules that are tried.
#[derive(Debug, clap::Args)]
pub(crate) struct Tried {
    /// The rules file to try
    pub(crate) file: PathBuf,

    /// Count only calls since this time: RFC 3339, or milliseconds since the epoch [default: all]
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<i64>,
}

/// Wall-clock milliseconds of a moment.
fn moment(text: &str) -> Result<i64, &'static str> {
    let parsed = text.parse().ok().or_else(|| from_rfc3339(text));
    parsed.ok_or("give it as RFC 3339, like 2026-11-01T00:00:00Z, or as milliseconds since the epoch")
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
