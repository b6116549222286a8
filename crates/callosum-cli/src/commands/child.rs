//! Programs that are started here, each at the head of a group of processes of its own, so that it ends with what it has started.

use std::io;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How often a running program is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// How it ended; `None` where it has not within `patience`.
///
/// # Errors
/// When the system doesn't tell.
pub(super) fn ended_within(child: &mut Child, patience: Duration) -> io::Result<Option<ExitStatus>> {
    let until = Instant::now() + patience;
    loop {
        let ended = child.try_wait()?;
        if ended.is_some() || Instant::now() >= until {
            return Ok(ended);
        }
        thread::sleep(GLANCE);
    }
}

/// To all of its group, in which somebody may be left when it has ended itself.
pub(super) fn signal(child: &Child, signal: Signal) {
    // Where nobody is left, nobody has to end.
    let _ = kill_process_group(Pid::from_child(child), signal);
}
