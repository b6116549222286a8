//! Callosum's service: one process for a state directory, for what has no hooks. The gate over HTTP, the protocol of five
//! endpoints, tokens, the page, webhooks.
//!
//! It is a process on the journal like any other, and owns no truth: without it, gateways, hooks and the command line go on.

mod args;
mod base;
mod caller;
mod config;
mod events;
mod failure;
mod http;
#[doc(hidden)]
pub mod in_memory;
mod limits;
mod log;
mod metrics;
mod notices;
mod openapi;
mod page;
mod private_file;
mod process;
mod protocol;
mod seats;
mod service;
mod state;
mod tokens;
mod unit;
mod v1;
mod webhooks;
mod writer;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use callosum_core::machine;
use callosum_runtimes::{is_program, shell_variables};
use clap::Parser;
use rustix::process::{Resource, Signal, getrlimit};

use crate::args::{Args, Command, TokenAction};
use crate::failure::Failure;

/// The program. Exit codes: 0 all is well, 1 another one runs or there is no such token, 2 wrong usage or could not be done.
#[must_use]
pub fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    survive_file_limit();
    let done = match &args.command {
        Command::Serve(listen) => process::serve(&args.global, listen),
        Command::Token { action } => token(&args, action),
        Command::Ui { port } => {
            only_a_person("opens the page, on which proposals and tasks are decided about")
                .and_then(|()| page::own::run(&args.global, *port, &mut io::stdout()))
        }
        Command::Mcp => mcp(&args),
        Command::Install(asked) => config::state_dir(&args.global)
            .and_then(|directory| unit::install(&directory, asked, args.global.json)),
        Command::Uninstall(asked) => unit::uninstall(asked, args.global.json),
    };
    done.unwrap_or_else(|failure| {
        // Where even this can't be written, the exit code still tells.
        let _ = writeln!(io::stderr(), "callosum: {failure}");
        ExitCode::from(2)
    })
}

/// A process that writes more than it may (`ulimit -f`) is killed, unless it hears the signal: then the write fails, and that
/// can be told.
fn survive_file_limit() {
    if getrlimit(Resource::Fsize).current.is_some() {
        // Where it can't be heard, nothing is lost that was not before.
        let _ = signal_hook::flag::register(Signal::XFSZ.as_raw(), Arc::default());
    }
}

fn mcp(args: &Args) -> Result<ExitCode, Failure> {
    let options = config::gate_options(&args.global, "mcp", "callosum-mcp")?;
    callosum_mcp::serve(options).map(|()| ExitCode::SUCCESS).map_err(|error| {
        Failure::new(
            format!("can't start: {error}"),
            "free some memory, threads or open files, and try again",
        )
    })
}

/// Refuses in an agent's shell what gives a person's rights.
fn only_a_person(does: &str) -> Result<(), Failure> {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if shell_variables().any(is_set) || machine::is_below(std::process::id(), is_program) {
        let remedy = "ask the person who runs this machine to do it in a terminal of their own";
        return Err(Failure::new(format!("only a person {does}"), remedy));
    }
    Ok(())
}

fn token(args: &Args, action: &TokenAction) -> Result<ExitCode, Failure> {
    if !matches!(action, TokenAction::List) {
        only_a_person("makes and revokes tokens")?;
    }
    let directory = config::state_dir(&args.global)?;
    tokens::command::run(&directory, action, args.global.json)
}
