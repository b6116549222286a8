//! The command line's grammar.

mod global;
mod hook;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use callosum_runtimes::{RUNTIMES, Runtime, named};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Command as Grammar, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use self::global::Global;
use self::hook::{HOOK, HookWords};
pub(crate) use self::hook::{Hook, misuse, named_state_dir};

use crate::commands::context::args::ContextAction;
use crate::commands::team::words::Verb;

/// See what every AI-agent session on this machine did, why a call was paused, and what your rules would do.
#[derive(Debug, Parser)]
#[command(
    name = "callosum",
    version,
    after_help = "Examples:\n  callosum status --watch\n  callosum why email:alice@example.com\n  callosum journal -f --tier 3..\n\n\
                  Run `callosum COMMAND --help` for a command's options. On a terminal, long output goes to a pager: \
                  CALLOSUM_PAGER, else PAGER, else less.\n\n\
                  Exit codes: 0 all is well; 1 something is wrong (the state is degraded, the rules can't be used, \
                  nobody held the resource to release); 2 wrong usage, or the command could not do its work."
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// The words that this process was started with, read by `grammar`, whose help it may have been given.
    ///
    /// # Errors
    /// When they are no command, or ask for help. Those of a hook are used as far as they can be, if they name its runtime.
    pub(crate) fn read(grammar: impl FnOnce() -> Grammar) -> Result<Self, clap::Error> {
        if !is_hook() {
            return Self::from_arg_matches(&grammar().try_get_matches()?);
        }
        let words: Vec<OsString> = env::args_os().skip(2).collect();
        let HookWords { global, hook } = HookWords::read(&words)?;
        Ok(Self { global, command: Command::Hook(hook) })
    }

    /// Whether the answer is looked for again and again.
    pub(crate) fn is_watching(&self) -> bool {
        match &self.command {
            Command::Status(watching) | Command::Leases { watching, .. } => watching.watch,
            Command::Sessions(wanted) => wanted.watching.watch,
            Command::Journal(wanted) => wanted.follow,
            _ => false,
        }
    }

    /// Whether the whole answer is there before anything of it is shown, and is for reading.
    pub(crate) fn may_be_paged(&self) -> bool {
        let is_for_reading = matches!(
            self.command,
            Command::Status(_)
                | Command::Journal(_)
                | Command::Leases { .. }
                | Command::Why { .. }
                | Command::Sessions(_)
                | Command::Explain(_)
                | Command::Check(_)
                | Command::Rules { .. }
                | Command::Simulate(_)
                | Command::Observe { .. }
                | Command::Doctor(_)
                | Command::Together(Verb::Inbox { .. } | Verb::Search(_))
        );
        is_for_reading && !self.is_watching() && !self.global.no_pager
    }
}

/// Whether the first word that this process was started with is the command `hook`.
pub(crate) fn is_hook() -> bool {
    env::args_os().nth(1).is_some_and(|word| word == "hook")
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show live leases, recent actions, the hooks seen, the size of the journal, and anything that is wrong
    #[command(after_help = "Examples:\n  callosum status\n  callosum status --watch")]
    Status(Watching),
    /// Show the newest calls in the journal, newest last
    #[command(
        visible_alias = "log",
        after_help = "Examples:\n  callosum journal --since 2h --tier 3..\n  callosum journal -f --session agent:main:main\n  callosum journal --key email:alice@example.com --json"
    )]
    Journal(Wanted),
    /// Show the live leases: the resources in use right now. `release` ends one by hand
    #[command(
        visible_alias = "locks",
        after_help = "Examples:\n  callosum leases --watch\n  callosum leases release email:alice@example.com",
        args_conflicts_with_subcommands = true
    )]
    Leases {
        #[command(subcommand)]
        action: Option<LeaseAction>,

        #[command(flatten)]
        watching: Watching,
    },
    /// Tell the story of a resource: who started, who was paused and what they were shown, who retried, and how it ended
    #[command(
        after_help = "Examples:\n  callosum why email:alice@example.com\n  callosum why git-push:github.com/acme/app/main --json"
    )]
    Why {
        /// The context key, as `status` and `journal` print it
        key: String,
    },
    /// List the sessions: in which project they run, what each is doing and since when, and what they hold
    #[command(
        after_help = "An activity is what a session's runtime told of it: working, idle, waiting (for a person to allow a call), paused, \
                      stuck (an error of the model's provider), compacting, ended, unknown.\n\nExamples:\n  callosum sessions\n  callosum sessions --since 1d\n  callosum sessions 3858"
    )]
    Sessions(SessionsWanted),
    /// Check a rules file, and say what is wrong and where
    #[command(
        after_help = "A file with errors is not used. Warnings point at valid rules that probably don't do what you meant: a rule \
                      that never matches because of those before it, a tool that no known host has, tier 3 or 4 without a \
                      `contextKey`, a placeholder that never has a value, `journalParams: false` where the journal keeps no \
                      parameters anyway.\n\nExit codes: 0 no errors; 1 errors, with --strict warnings too; 2 the file can't be read.\n\nExamples:\n  callosum check\n  callosum check ./tiers.json --strict"
    )]
    Check(Checked),
    /// Manage your own rules. `suggest` drafts rules for tools that no rule covers yet
    #[command(
        after_help = "Examples:\n  callosum rules suggest\n  callosum rules suggest --write && callosum check"
    )]
    Rules {
        #[command(subcommand)]
        action: RulesAction,
    },
    /// Write a `tiers.json` to start from into the state directory. An existing file is never touched
    #[command(after_help = "Examples:\n  callosum init && callosum check")]
    Init,
    /// Explain what a tool call would get now, and why: tier, rule, resources, verdict. Runs nothing, writes nothing
    #[command(
        after_help = "Examples:\n  callosum explain exec '{\"command\": \"git push origin main\"}'\n  callosum explain exec 'git push origin main'\n  callosum explain message '{\"action\": \"send\", \"target\": \"general\"}' --json"
    )]
    Explain(Asked),
    #[command(about = HOOK)]
    Hook(Hook),
    /// Add Callosum's hooks to an agent runtime's settings, so that its tool calls pass the gate too. Shows the changes
    #[command(after_help = "Examples:\n  callosum install claude-code --dry-run\n  callosum install codex")]
    Install(Target),
    /// Remove Callosum's hooks from an agent runtime's settings. Shows the changes
    #[command(after_help = "Example:\n  callosum uninstall gemini")]
    Uninstall(Target),
    /// Work on the shared context: a folder that all agents read and write under rules
    #[command(
        after_help = "Examples:\n  callosum context init\n  callosum context edit\n  callosum context write --title 'Release notes' --body-file notes.md\n  callosum context accept 0123456789ab"
    )]
    Context {
        #[command(subcommand)]
        action: ContextAction,
    },
    /// Replay the journal under another rules file, and compare it with the rules in force. Runs nothing, writes nothing
    #[command(
        after_help = "Examples:\n  callosum simulate ~/.callosum/tiers.json.new\n  callosum simulate new.json --since 7d --json\n\nThe journal keeps no parameters of calls of tiers 0 and 1, or the first line of a command, and only a short, redacted summary for higher tiers. A call is judged again where the rules ask only for what the journal kept. Otherwise it keeps the rule that the journal names, or is counted as not judged. The gateways' settings are not in the journal, so the defaults apply. Callosum doesn't guess what a stopped call would have caused."
    )]
    Simulate(Tried),
    /// Watch without stopping anything, in all runtimes at once, and see what would have been stopped
    #[command(
        after_help = "Examples:\n  callosum observe on\n  callosum observe report --since 7d\n  callosum observe off"
    )]
    Observe {
        #[command(subcommand)]
        action: ObserveAction,
    },
    /// Check whether calls are really gated: the state directory, the hooks seen, the runtimes' settings, and OpenClaw's own
    /// record of calls against the journal
    #[command(
        after_help = "Examples:\n  callosum doctor\n  callosum doctor --canary        also makes one harmless call through the running gateway\n  callosum doctor --json"
    )]
    Doctor(Examined),
    /// Open the page in a browser on this machine: timeline, leases, journal and rules
    #[command(
        after_help = "Prints a link that opens the page once: the running service's page. Where none runs, or with --port, it serves \
                      the page itself until Ctrl-C; press Enter for a new link.\n\n\
                      Examples:\n  callosum ui\n  callosum ui --port 4300"
    )]
    Ui {
        /// Serve the page on this port of 127.0.0.1, whether or not a service runs
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1024..))]
        port: Option<u16>,
    },
    /// Serve the gate over HTTP to agents without hooks, until Ctrl-C. `callosum serve --help` lists the options
    #[command(disable_help_flag = true, after_help = "Examples:\n  callosum serve\n  callosum serve --help")]
    Serve(HandedOver),
    /// Make, list and revoke the tokens of programs that ask the service. `callosum token --help` lists the options
    #[command(
        disable_help_flag = true,
        after_help = "Examples:\n  callosum token add ci\n  callosum token list\n  callosum token revoke ci"
    )]
    Token(HandedOver),
    /// Serve Callosum's tools to an agent runtime by MCP, on standard input and output. `install RUNTIME --mcp` has it started
    #[command(after_help = "Examples:\n  callosum install codex --mcp\n  callosum mcp")]
    Mcp,
    #[command(flatten)]
    Together(Verb),
    /// Print a completion script for your shell: commands, options, and the keys, sessions and tools that the journal has now
    #[command(
        after_help = "Examples:\n  echo 'source <(callosum completions bash)' >> ~/.bashrc\n  echo 'source <(callosum completions zsh)' >> ~/.zshrc\n  echo 'callosum completions fish | source' >> ~/.config/fish/config.fish"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// What to do about rules.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesAction {
    /// Print draft rules for uncovered tools and programs whose names suggest an effect. They only observe
    #[command(
        after_help = "`callosum status` lists what was seen without a rule. Nothing is written without --write; with it, the rules are \
                      added behind those in your rules file, and all else in it stays as it is. A second run adds nothing \
                      twice.\n\nExamples:\n  callosum rules suggest\n  callosum rules suggest --write && callosum check"
    )]
    Suggest {
        /// Add them to your rules file: `tiers.json` in the state directory, unless another is set
        #[arg(long)]
        write: bool,
    },
}

/// What to do about observing.
#[derive(Debug, Subcommand)]
pub(crate) enum ObserveAction {
    /// Stop nothing from the next call on, in every runtime and gateway on this state directory: write `"mode": "observe"` into the
    /// rules file. The journal records what would have been stopped
    On,
    /// Enforce again: remove that setting
    Off,
    /// Report what would have been paused or blocked, by rule and resource: how often the parameters were the same, and how the
    /// calls ended. Also lists the tools that no rule covers
    Report {
        /// Only calls since then: a duration such as 7d, an RFC 3339 time, or milliseconds since the epoch [default: all]
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
    },
}

/// Whether to look once.
#[derive(Debug, clap::Args)]
pub(crate) struct Watching {
    /// Look again every second until you stop it, and show what has changed; with --json, one document a line
    #[arg(short, long)]
    pub(crate) watch: bool,
}

/// What to do about leases.
#[derive(Debug, Subcommand)]
pub(crate) enum LeaseAction {
    /// End the live leases on a resource. The journal records who did it, and what was done stays evidence: the next call
    /// on the resource is still paused
    Release {
        /// The context key, as `leases` prints it
        key: String,
    },
}

/// What is tried beside looking.
#[derive(Debug, clap::Args)]
pub(crate) struct Examined {
    /// Have the running OpenClaw gateway make one harmless tool call (`agents_list`), and look for it in the journal
    #[arg(long)]
    pub(crate) canary: bool,
}

/// Words for the service's program.
#[derive(Debug, clap::Args)]
pub(crate) struct HandedOver {
    /// Arguments for the command
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

/// The rules that are tried.
#[derive(Debug, clap::Args)]
pub(crate) struct Tried {
    /// The rules file to try
    pub(crate) file: PathBuf,

    /// Count only calls since then: a duration such as 7d, an RFC 3339 time, or milliseconds since the epoch
    /// [default: all]
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
}

/// Which sessions are wanted, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionsWanted {
    /// Only sessions whose name, or a part of it after `:` or `/`, starts with this
    pub(crate) session: Option<String>,
    /// Only sessions that work on this project: its name, or its folder
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// How far back to look: a duration such as 30m, or an RFC 3339 time
    #[arg(long, value_name = "TIME", default_value = "1h")]
    pub(crate) since: String,
    /// Print them as JSON in the form of CALC's registry of panes
    #[arg(long)]
    pub(crate) panes: bool,
    #[command(flatten)]
    pub(crate) watching: Watching,
}

/// The file that is looked at.
#[derive(Debug, clap::Args)]
pub(crate) struct Checked {
    /// The rules file [default: the one in the state directory, else the shipped rules]
    pub(crate) file: Option<PathBuf>,

    /// Exit with 1 for warnings too
    #[arg(long)]
    pub(crate) strict: bool,
}

/// The runtime whose settings are changed, or the service.
#[derive(Debug, clap::Args)]
pub(crate) struct Target {
    /// The agent runtime. Its settings: ~/.claude/settings.json (or in CLAUDE_CONFIG_DIR), ~/.codex/hooks.json (CODEX_HOME),
    /// ~/.gemini/settings.json (the home: GEMINI_CLI_HOME)
    ///
    /// `service`: the service, in a systemd user unit (~/.config/systemd/user/callosum.service) or a launchd agent
    #[arg(value_name = "RUNTIME|service", value_parser = installable())]
    pub(crate) what: Installable,

    /// Show what would change, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// For the service: print the whole unit, and write nothing
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) print: bool,

    /// For a runtime: also add the MCP server (`callosum mcp`) to ~/.claude.json, ~/.codex/config.toml or
    /// ~/.gemini/settings.json; with `uninstall`, remove only the server
    #[arg(long)]
    pub(crate) mcp: bool,
}

/// What can be put in and taken out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Installable {
    /// Our hooks in a runtime's settings.
    Runtime(Runtime),
    /// What starts the service.
    Service,
}

fn installable() -> impl TypedValueParser<Value = Installable> {
    let names = RUNTIMES.into_iter().map(|runtime| runtime.name()).chain(["service"]);
    PossibleValuesParser::new(names)
        .map(|name| named(&name).map_or(Installable::Service, Installable::Runtime))
}

/// The call that is asked about.
#[derive(Debug, clap::Args)]
pub(crate) struct Asked {
    /// The tool, as the host calls it: `exec`, `message` …
    pub(crate) tool: String,

    /// Its parameters as a JSON object; for `exec`, the command alone is enough
    #[arg(value_name = "JSON")]
    pub(crate) params: String,

    /// The session that would make the call
    #[arg(long)]
    pub(crate) session: Option<String>,

    /// The folder it would work in [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

/// Which records are wanted. All conditions must hold.
#[derive(Debug, clap::Args)]
pub(crate) struct Wanted {
    /// Show at most this many calls; with --records or --json, this many records
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,

    /// Keep printing new records until you stop it; with --json, one object per line
    #[arg(short, long, visible_alias = "watch")]
    pub(crate) follow: bool,

    /// Only records on this context key, such as `email:alice@example.com`
    #[arg(long)]
    pub(crate) key: Option<String>,

    /// Only records of sessions whose name, or a part of it after `:` or `/`, starts with this
    #[arg(long)]
    pub(crate) session: Option<String>,

    /// Only records of sessions that work on this project: its name, or its folder, as `sessions` shows them
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,

    /// Only records of this instance
    #[arg(long)]
    pub(crate) instance: Option<String>,

    /// Only records of this agent runtime: openclaw, claude-code, codex, gemini …
    #[arg(long)]
    pub(crate) runtime: Option<String>,

    /// Only records of this tool
    #[arg(long)]
    pub(crate) tool: Option<String>,

    /// Only records of these tiers: 3, 3.. (and above), 2..3, or several: 3,4
    #[arg(long, value_name = "TIERS")]
    pub(crate) tier: Option<String>,

    /// Only records with this text, in upper or lower case, in their resources, tool, session, agent, parameters, reason or rule
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,

    /// Only records of this kind: started, paused, blocked (finds paused ones too), complete, failed, refused, unknown …
    #[arg(long)]
    pub(crate) action: Option<String>,

    /// Only records since then: a duration such as 2h, an RFC 3339 time, or milliseconds since the epoch
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,

    /// Only records until then
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,

    /// Also what the journal keeps for itself: counts of hooks, windows of rules, pauses that were read, ends of segments.
    /// --json always has it
    #[arg(long)]
    pub(crate) all: bool,

    /// One line a record; without it, one a call, with how it ended
    #[arg(long)]
    pub(crate) records: bool,
}
