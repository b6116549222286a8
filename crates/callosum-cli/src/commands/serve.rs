//! `callosum serve`, `token`, `ui` and `mcp`: what the service's program does, `callosum-serve` beside this one. TLS and HTTP don't
//! belong in the program that every tool call starts.

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::args::Args;
use crate::output::Failure;

/// The program.
pub(crate) const PROGRAM: &str = "callosum-serve";

/// Becomes the service's program, with its `command` and the words for it.
///
/// # Errors
/// When it is not there or can't be run; else this does not come back.
pub(crate) fn run(args: &Args, command: &str, words: &[OsString]) -> Result<ExitCode, Failure> {
    let program = beside().map_err(|error| Failure::CantLook {
        fragment: format!("can't tell where this program is: {error}"),
        remedy: "put it where it can be run from, and try again".to_owned(),
    })?;
    let mut start = Command::new(&program);
    start.arg(command);
    if let Some(state_dir) = &args.global.state_dir {
        start.arg("--state-dir").arg(state_dir);
    }
    if args.global.json {
        start.arg("--json");
    }
    // It takes this one's place: signals and the exit code are its own.
    let error = start.args(words).exec();
    Err(Failure::CantLook {
        fragment: format!("can't run `{}`: {error}", program.display()),
        remedy: format!(
            "`{PROGRAM}` comes with this program: install Callosum again, or build it where you built this one"
        ),
    })
}

/// The program beside this one, whatever link this was started by.
fn beside() -> io::Result<PathBuf> {
    Ok(env::current_exe()?.canonicalize()?.with_file_name(PROGRAM))
}
