//! Callosum's service: one process for a state directory, for what has no hooks. The gate over HTTP, the protocol of five
//! endpoints, tokens.
//!
//! It is a process on the journal like any other, and owns no truth: without it, gateways, hooks and the command line go on.

mod args;
mod caller;
mod config;
mod failure;
mod http;
mod limits;
mod log;
mod metrics;
mod process;
mod protocol;
mod service;
mod tokens;
mod unit;
mod v1;
mod writer;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

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
    let done = match &args.command {
        Command::Serve(listen) => process::serve(&args.global, listen),
        Command::Token { action } => token(&args, action),
        Command::Install(asked) => {
            config::state_dir(&args.global).and_then(|directory| unit::install(&directory, asked, args.global.json))
        }
        Command::Uninstall(asked) => unit::uninstall(asked, args.global.json),
    };
    done.unwrap_or_else(|failure| {
        // Where even this can't be written, the exit code still tells.
        let _ = writeln!(io::stderr(), "callosum: {failure}");
        ExitCode::from(2)
    })
}

fn token(args: &Args, action: &TokenAction) -> Result<ExitCode, Failure> {
    let directory = config::state_dir(&args.global)?;
    tokens::command::run(&directory, action, args.global.json)
}
