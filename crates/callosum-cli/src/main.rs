//! `callosum`: what all AI-agent sessions on this machine did, and whether the rules can be read.
//!
//! It only looks: no command here writes to the state directory.
//!
//! Exit codes: 0 all is well, 1 something is wrong with what was looked at, 2 wrong usage or could not look.

mod args;
mod commands;
mod output;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::output::Failure;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => code,
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            // Where even this can't be written, the exit code still tells.
            let _ = writeln!(io::stderr(), "callosum: {failure}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let code = match &args.command {
        Command::Status => commands::status::run(args, &mut out)?,
        Command::Journal(wanted) => commands::journal::run(args, wanted, &mut out)?,
        Command::Explain(asked) => commands::explain::run(args, asked, &mut out)?,
        Command::Doctor(examined) => commands::doctor::run(args, examined, &mut out)?,
        Command::Check { file } => commands::check::run(args, file.as_deref(), &mut out)?,
    };
    out.flush()?;
    Ok(code)
}
