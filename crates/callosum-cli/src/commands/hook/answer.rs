//! How a hook says what it has to say.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ExitCode;
use std::time::Duration;

use callosum_runtimes::answer::Said;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// How long one who does not read is waited for.
const LISTENING: Duration = Duration::from_secs(1);

/// Says it. A refusal that can't be said on standard output would be an allow: it is said in the other way that every runtime
/// knows. Whoever does not listen to anything else is not told.
/// Also tells whether it was said on standard output.
pub(super) fn say(said: &Said) -> (ExitCode, bool) {
    match said {
        Said::Nothing => (ExitCode::SUCCESS, false),
        Said::Context(said) | Said::Warning(said) => (ExitCode::SUCCESS, write(&said.to_string()).is_ok()),
        Said::Refusal(refusal) => match write(&refusal.printed.to_string()) {
            Ok(()) => (ExitCode::SUCCESS, true),
            Err(_) => {
                // Where even this can't be written, the exit code still tells.
                let _ = writeln!(io::stderr(), "{}", refusal.reason);
                (ExitCode::from(refusal.exit_code), false)
            }
        },
    }
}

/// Writes to standard output, past the buffer that would write the rest once more when the process ends.
fn write(text: &str) -> io::Result<()> {
    let out = io::stdout();
    let out = out.as_fd();
    if is_null(out)? {
        return Err(io::ErrorKind::NotConnected.into());
    }
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        match rustix::io::write(out, rest) {
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let patience = LISTENING.try_into().map_err(io::Error::other)?;
                if poll(&mut [PollFd::new(&out, PollFlags::OUT)], Some(&patience))? == 0 {
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Whether nobody can read it: a process that is started without standard output gets the null device in its place.
fn is_null(out: BorrowedFd<'_>) -> io::Result<bool> {
    let (out, null) = (rustix::fs::fstat(out)?, rustix::fs::stat("/dev/null")?);
    Ok((out.st_mode, out.st_rdev) == (null.st_mode, null.st_rdev) && out.st_ino == null.st_ino)
}
