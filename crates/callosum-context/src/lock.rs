//! Who changes the shared context's state, one process after another.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::error::{Code, Problem};

/// How long a command waits for another.
pub const PATIENCE: Duration = Duration::from_secs(5);
const REST: Duration = Duration::from_millis(10);

/// A lock, held until it is dropped or its process ends.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the lock belongs to the open file")] File);

impl Lock {
    /// Takes the lock that is the file `path`, or waits for it as long as `patience`.
    ///
    /// # Errors
    /// When somebody else holds it all that time, or it can't be opened.
    pub fn take(path: &Path, patience: Duration) -> Result<Self, Problem> {
        let failed = |error: io::Error| Problem::io("hold", path, &error);
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
        }
        let file =
            fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
        let file = file.map_err(failed)?;
        let until = Instant::now() + patience;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self(file)),
                Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < until => thread::sleep(REST),
                Err(Errno::WOULDBLOCK | Errno::INTR) => {
                    return Err(Problem::new(
                        Code::Stale,
                        format!("another command holds `{}`", path.display()),
                        "wait for `callosum context edit` or the curator to end, and try again",
                    ));
                }
                Err(error) => return Err(failed(error.into())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn one_holds_it_and_the_next_gets_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/lock");
        let held = Lock::take(&path, Duration::ZERO).unwrap();
        assert_eq!(Lock::take(&path, Duration::ZERO).unwrap_err().code, Code::Stale);
        drop(held);
        Lock::take(&path, Duration::ZERO).unwrap();
    }
}
