//! Hearing that a fresh link is wanted.

use std::io::{self, Read};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;
use tokio::sync::mpsc;

/// How long input is left to those in the foreground before it is looked at again.
const REST: Duration = Duration::from_secs(1);

/// One item whenever something is entered on standard input, until that ends.
pub(super) fn wishes() -> mpsc::Receiver<()> {
    let (sender, receiver) = mpsc::channel(1);
    // A thread of its own: the process ends without waiting for it.
    thread::spawn(move || {
        while entered() {
            if sender.blocking_send(()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Waits until something is entered; false at the end.
fn entered() -> bool {
    let stdin = io::stdin();
    loop {
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return false,
        }
        // Who reads a terminal from the background is stopped, and the server with it.
        if tcgetpgrp(&stdin).is_ok_and(|foreground| foreground != getpgrp()) {
            thread::sleep(REST);
            continue;
        }
        return matches!(stdin.lock().read(&mut [0; 1024]), Ok(1..));
    }
}
