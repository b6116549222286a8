//! What a runtime tells of an event on standard input, as far as it comes in time.

use std::io::{self, BufRead};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use callosum_runtimes::json::{Document, Reader};

/// The event: complete, at its end, or when `deadline` is there. A runtime may leave its end of the pipe open, and writes all
/// that it has to say before it waits for an answer: nobody waits for what follows a complete document.
pub(super) fn read(deadline: Instant) -> Document {
    let mut stdin = io::stdin().lock();
    let mut reader = Reader::default();
    while !reader.is_complete() {
        let left = deadline.saturating_duration_since(Instant::now());
        // Whether it is readable or broken, reading tells then without waiting.
        match left.try_into().map(|left| poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&left))) {
            Ok(Err(Errno::INTR)) => continue,
            Ok(Ok(1..)) => {}
            _ => {
                let document = reader.finish();
                let late = || "it did not arrive in time".to_owned();
                return Document {
                    flaw: document
                        .flaw
                        .map(|flaw| format!("{flaw}, and the rest did not arrive in time"))
                        .or_else(|| Some(late())),
                    ..document
                };
            }
        }
        let length = match stdin.fill_buf() {
            Ok([]) => break,
            Ok(read) => {
                reader.feed(read);
                read.len()
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Err(_) => break,
        };
        stdin.consume(length);
    }
    reader.finish()
}
