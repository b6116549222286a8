//! The command line's grammar.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use callosum_runtimes::{RUNTIMES, Runtime, named};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use clap_complete::Shell;

/// What all AI-agent sessions on this machine did, why a call was paused, and what a rule would do.
#[derive(Debug, Parser)]
#[command(
    name = "callosum",
    version,
    after_help = "Examples:\n  callosum status\n  callosum why email:alice@example.com\n  callosum journal -f --tier 3\n\n\
                  Exit codes: 0 all is well; 1 something is wrong (the state is degraded, the rules can't be used, \
                  nobody held what was to be released); 2 wrong usage, or it could not be done."
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What may be said to every command.
#[derive(Debug, clap::Args)]
pub(crate) struct Global {
    /// The shared state directory [default: CALLOSUM_STATE_DIR, else ~/.callosum]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub(crate) state_dir: Option<PathBuf>,

    /// Print one JSON document: the same as the gateway's method of that name gives
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
}

impl Args {
    /// The words that this process was started with.
    ///
    /// # Errors
    /// When they are no command, or ask for help. Those of a hook are used as far as they can be, if they name its runtime.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        if !is_hook() {
            return Self::try_parse();
        }
        let words = || env::args_os().skip(1);
        let HookWords { global, hook } = HookWords::try_parse_from(words()).or_else(|error| {
            let usable = error.use_stderr().then(|| HookWords::usable(words().skip(1), &error)).flatten();
            usable.ok_or(error)
        })?;
        Ok(Self { global, command: Command::Hook(hook) })
    }
}

/// Whether the first word that this process was started with is the command `hook`.
pub(crate) fn is_hook() -> bool {
    env::args_os().nth(1).is_some_and(|word| word == "hook")
}

/// What `hook` is for.
const HOOK: &str = "What an agent runtime asks before and after each of its tool calls: reads its event on standard input, answers in \
                    its dialect, and exits with 0; with 2 and the reason on standard error only where a refusal \
                    can't be written";

/// The words of `callosum hook`. They are read by this grammar, because to make that of all commands takes longer than a hook's
/// decision.
#[derive(Debug, Parser)]
#[command(name = "callosum hook", bin_name = "callosum hook", about = HOOK)]
struct HookWords {
    #[command(flatten)]
    global: Global,

    #[command(flatten)]
    hook: Hook,
}

impl HookWords {
    /// What can be used of words that are wrong: a guarded call must not pass because of them. `None` when they name no
    /// runtime: then nobody knows what to answer.
    fn usable(words: impl Iterator<Item = OsString>, error: &clap::Error) -> Option<Self> {
        let (mut runtime, mut state_dir, mut timeout) = (None, None, None);
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (text.as_ref(), None),
            };
            let mut value = || value.clone().or_else(|| words.next_if(|next| !is_option(next)));
            match name {
                "--state-dir" => state_dir = value().filter(|folder| !folder.is_empty()).or(state_dir),
                "--timeout" => timeout = value().or(timeout),
                _ => runtime = runtime.or_else(|| named(&text)),
            }
        }
        let said = error.to_string();
        let said = said.lines().next().unwrap_or_default();
        Some(Self {
            global: Global { state_dir: state_dir.map(PathBuf::from), json: false },
            hook: Hook {
                runtime: runtime?,
                event: None,
                timeout: timeout.map(|seconds| seconds.to_string_lossy().into_owned()),
                misuse: Some(format!("its hook's words: {}", said.strip_prefix("error: ").unwrap_or(said))),
            },
        })
    }
}

fn is_option(word: &OsString) -> bool {
    word.to_string_lossy().starts_with("--")
}

/// Whose event comes.
#[derive(Debug, clap::Args)]
pub(crate) struct Hook {
    /// Whose event it is
    #[arg(value_parser = hook_runtime())]
    pub(crate) runtime: Runtime,

    /// The event's name, where the runtime does not say it
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

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Leases, resources acted on lately, hooks seen, the journal's size, and what is wrong
    Status,
    /// The journal's newest records, newest last
    #[command(
        after_help = "Examples:\n  callosum journal --since 2h --tier 3\n  callosum journal -f --session agent:main:main\n  callosum journal --key email:alice@example.com --json"
    )]
    Journal(Wanted),
    /// The live leases: what is being acted on right now. `release` ends one by hand
    #[command(
        after_help = "Examples:\n  callosum locks\n  callosum locks release email:alice@example.com",
        args_conflicts_with_subcommands = true
    )]
    Locks {
        #[command(subcommand)]
        action: Option<LockAction>,
    },
    /// The story of a resource: who started, who was paused and shown what, who tried again, how it ended
    #[command(
        after_help = "Examples:\n  callosum why email:alice@example.com\n  callosum why git-push:origin/main --json"
    )]
    Why {
        /// The context key, as `status` and `journal` show it
        key: String,
    },
    /// Who is active: each session's last call, how many there were, what it holds
    #[command(after_help = "Examples:\n  callosum sessions\n  callosum sessions --since 1d")]
    Sessions {
        /// How far back: a duration such as 30m, or a time as RFC 3339
        #[arg(long, value_name = "TIME", default_value = "1h")]
        since: String,
    },
    /// What is wrong with a rules file, and where
    #[command(
        after_help = "Errors keep the file from being used. Warnings are about rules that can be used and hardly do what is wanted: \
                      one that never matches because of those before it, a tool that no known host has, tier 3 or 4 without a \
                      `contextKey`, a placeholder that never has a value, `journalParams: false` where no parameters are \
                      journaled anyhow.\n\nExit codes: 0 no errors; 1 errors, with --strict warnings too; 2 the file can't be read.\n\nExamples:\n  callosum check\n  callosum check ./tiers.json --strict"
    )]
    Check(Checked),
    /// Write a `tiers.json` to start from into the state directory; one that is there is left as it is
    #[command(after_help = "Examples:\n  callosum init && callosum check")]
    Init,
    /// What a tool call would get now, and why: tier, rule, resources, verdict. Nothing is done or written
    #[command(
        after_help = "Examples:\n  callosum explain exec '{\"command\": \"git push origin main\"}'\n  callosum explain exec 'git push origin main'\n  callosum explain message '{\"action\": \"send\", \"target\": \"general\"}' --json"
    )]
    Explain(Asked),
    #[command(about = HOOK)]
    Hook(Hook),
    /// Put Callosum's hooks into an agent runtime's own settings, so that its tool calls pass the gate too. Shows what changes
    #[command(after_help = "Examples:\n  callosum install claude-code --dry-run\n  callosum install codex")]
    Install(Target),
    /// Take Callosum's hooks out of an agent runtime's settings again. Shows what changes
    #[command(after_help = "Example:\n  callosum uninstall gemini")]
    Uninstall(Target),
    /// Which calls of the journal other rules would have paused, beside the rules in force. Nothing is done or written
    #[command(
        after_help = "Examples:\n  callosum simulate ~/.callosum/tiers.json.new\n  callosum simulate new.json --since 7d --json\n\nThe journal keeps no parameters of calls of tiers 0 and 1, and of the others a summary, cut and without secrets. A call is judged anew where the rules ask only for what was kept; where they ask for more, it keeps the rule that the journal names, or it is counted as not judged. The gateways' settings are not in the journal: the defaults are taken. What a stopped call would have led to, had it run, is not made up."
    )]
    Simulate(Tried),
    /// Is it really gating? The state directory, the hooks seen, those in other runtimes' settings, OpenClaw's own record of
    /// calls against the journal
    #[command(
        after_help = "Examples:\n  callosum doctor\n  callosum doctor --canary        one harmless call through the running gateway\n  callosum doctor --json"
    )]
    Doctor(Examined),
    /// The page: timeline, leases, journal and rules in a browser. Serves it to this machine alone, until Ctrl-C
    #[command(
        after_help = "Prints a link that opens the page once. Enter prints a fresh one, and so does every line on standard \
                      input.\n\nExamples:\n  callosum ui\n  callosum ui --port 4300"
    )]
    Ui {
        /// The port on 127.0.0.1 [default: any that is free]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1024..))]
        port: Option<u16>,
    },
    /// A script for your shell that completes this command's arguments
    #[command(
        after_help = "Example:\n  callosum completions bash > ~/.local/share/bash-completion/completions/callosum"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// A runtime whose hooks come here.
fn hook_runtime() -> impl TypedValueParser<Value = Runtime> {
    PossibleValuesParser::new(RUNTIMES.map(|runtime| runtime.name()))
        .try_map(|name| named(&name).ok_or("it is not known"))
}

/// What to do about leases.
#[derive(Debug, Subcommand)]
pub(crate) enum LockAction {
    /// End the live leases on a resource; the journal says who did. What was done stays evidence: the next call on it is
    /// still paused
    Release {
        /// The context key, as `locks` shows it
        key: String,
    },
}

/// What is tried beside looking.
#[derive(Debug, clap::Args)]
pub(crate) struct Examined {
    /// Have the running OpenClaw gateway make one harmless tool call (`agents_list`), and see it in the journal
    #[arg(long)]
    pub(crate) canary: bool,
}

/// The rules that are tried.
#[derive(Debug, clap::Args)]
pub(crate) struct Tried {
    /// The rules file to try
    pub(crate) file: PathBuf,

    /// Count only calls since then: a duration such as 7d, a time as RFC 3339, or milliseconds since the epoch
    /// [default: all]
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
}

/// The file that is looked at.
#[derive(Debug, clap::Args)]
pub(crate) struct Checked {
    /// The file [default: the one in the state directory, else the built-in rules]
    pub(crate) file: Option<PathBuf>,

    /// Fail on warnings too
    #[arg(long)]
    pub(crate) strict: bool,
}

/// The runtime whose settings are changed.
#[derive(Debug, clap::Args)]
pub(crate) struct Target {
    /// The agent runtime. Its settings: ~/.claude/settings.json (or in CLAUDE_CONFIG_DIR), ~/.codex/hooks.json (CODEX_HOME),
    /// ~/.gemini/settings.json (the home: GEMINI_CLI_HOME)
    #[arg(value_parser = hook_runtime())]
    pub(crate) runtime: Runtime,

    /// Show what would change, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
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
    #[arg(long)]
    pub(crate) session: Option<String>,

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

    /// Go on with what comes, until stopped; with --json one object a line
    #[arg(short, long)]
    pub(crate) follow: bool,

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

    /// Only those since then: a duration such as 2h, a time as RFC 3339, or milliseconds since the epoch
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
}
