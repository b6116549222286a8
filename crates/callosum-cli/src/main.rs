//! `callosum`: what all AI-agent sessions on this machine did, why a call was paused, and what the rules make of it.
//!
//! What only looks leaves no trace in the state directory; `leases release`, and a release on the page of `ui`, write one
//! record there, `init` a rules file, and `rules suggest --write` adds to it; `install` and `uninstall` write a runtime's own settings;
//! tasks, messages and events are records.
//!
//! Exit codes: 0 all is well, 1 something is wrong with what was looked at, 2 wrong usage or could not be done.

mod args;
mod commands;
mod completion;
mod help;
mod output;
mod pager;
mod watch;

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use clap::CommandFactory;
use rustix::process::{Resource, Signal, getrlimit};

use crate::args::{Args, Command, Global, LeaseAction, ObserveAction, is_hook, misuse, named_state_dir};
use crate::help::grouped;
use crate::output::{Failure, Output, be_wide, help_width, is_gone};
use crate::watch::repeat;

fn main() -> ExitCode {
    if !is_hook() && completion::answer(grammar) {
        return ExitCode::SUCCESS;
    }
    let mut args = match Args::read(grammar) {
        Ok(args) => args,
        Err(error) => return misused(&error),
    };
    // What is shown again must not differ by its age alone.
    args.global.time |= args.is_watching() && !io::stdout().is_terminal();
    match run(&args) {
        Ok(code) => code,
        Err(failure) => failed(&failure),
    }
}

/// The command line's grammar.
fn grammar() -> clap::Command {
    grouped(Args::command(), help_width())
}

fn failed(failure: &Failure) -> ExitCode {
    // Where even this can't be written, the exit code still tells.
    let _ = writeln!(io::stderr(), "callosum: {failure}");
    ExitCode::from(2)
}

/// Says what is wrong with the words, or what was asked about them.
fn misused(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| io::stdout().flush());
    if is_hook() {
        if error.use_stderr() {
            let words: Vec<OsString> = env::args_os().skip(2).collect();
            let global = Global { state_dir: named_state_dir(&words), ..Global::default() };
            commands::hook::misused(&global, &misuse(error));
        }
        // No other code lets a call of every runtime through.
        return ExitCode::SUCCESS;
    }
    if let Err(error) = printed
        && !is_gone(&error)
    {
        return failed(&Failure::Output(error));
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// A process that writes more than it may (`ulimit -f`) is killed, unless it hears the signal: then the write fails, and that
/// can be told. It is heard only where there is such a limit, for a hook's sake.
fn survive_file_limit() {
    if getrlimit(Resource::Fsize).current.is_some() {
        // Where it can't be heard, nothing is lost that was not before.
        let _ = signal_hook::flag::register(Signal::XFSZ.as_raw(), Arc::default());
    }
}

fn run(args: &Args) -> Result<ExitCode, Failure> {
    survive_file_limit();
    if args.global.wide {
        be_wide();
    }
    let mut out = if args.may_be_paged() { Output::paged() } else { Output::standard() };
    let code = match &args.command {
        Command::Status(watching) => {
            repeat(watching, args, &mut out, |out| commands::status::run(args, out))?
        }
        Command::Journal(wanted) => commands::journal::run(args, wanted, &mut out)?,
        Command::Leases { action: None, watching } => {
            repeat(watching, args, &mut out, |out| commands::leases::run(args, out))?
        }
        Command::Leases { action: Some(LeaseAction::Release { key }), .. } => {
            commands::leases::release(args, key, &mut out)?
        }
        Command::Why { key } => commands::why::run(args, key, &mut out)?,
        Command::Sessions(wanted) => {
            repeat(&wanted.watching, args, &mut out, |out| commands::sessions::run(args, wanted, out))?
        }
        Command::Explain(asked) => commands::explain::run(args, asked, &mut out)?,
        // It writes past `out`, and nothing else may change its exit code.
        Command::Hook(hook) => return Ok(commands::hook::run(args, hook)),
        Command::Install(target) => commands::install::install(args, target, &mut out)?,
        Command::Uninstall(target) => commands::install::uninstall(args, target, &mut out)?,
        Command::Together(verb) => commands::team::run(args, verb, &mut out)?,
        Command::Completions { shell } => completion::print(*shell, &mut out)?,
        Command::Check(checked) => commands::check::run(args, checked, &mut out)?,
        Command::Rules { action } => commands::rules::run(args, action, &mut out)?,
        Command::Init => commands::init::run(args, &mut out)?,
        Command::Observe { action: ObserveAction::On } => commands::observe::switch(args, true, &mut out)?,
        Command::Observe { action: ObserveAction::Off } => commands::observe::switch(args, false, &mut out)?,
        Command::Observe { action: ObserveAction::Report { since } } => {
            commands::observe::report(args, since.as_deref(), &mut out)?
        }
        Command::Context { action } => commands::context::run(args, action, &mut out)?,
        Command::Simulate(tried) => commands::simulate::run(args, tried, &mut out)?,
        Command::Doctor(examined) => commands::doctor::run(args, examined, &mut out)?,
        Command::Serve(handed) => commands::serve::run(args, "serve", &handed.words)?,
        Command::Token(handed) => commands::serve::run(args, "token", &handed.words)?,
        Command::Mcp => commands::serve::run(args, "mcp", &[])?,
        Command::Ui { port } => {
            let words = port.map(|port| [OsString::from("--port"), port.to_string().into()]);
            commands::serve::run(args, "ui", words.as_ref().map_or(&[], |words| words))?
        }
    };
    out.finish()?;
    Ok(code)
}
