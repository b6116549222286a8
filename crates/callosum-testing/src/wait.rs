//! Waiting for what happens elsewhere: for the thing itself, and never without an end.

use std::fmt::Debug;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Nothing in a test takes that long but what hangs, however busy the machine is.
pub const HANGS: Duration = Duration::from_secs(60);

/// Waits until `look` finds what it looks for. When that hangs it fails, and tells `what` was waited for and what is there instead.
pub fn until<T, E: Debug>(what: &str, mut look: impl FnMut() -> Result<T, E>) -> T {
    let deadline = Instant::now() + HANGS;
    loop {
        match look() {
            Ok(found) => return found,
            Err(instead) => {
                assert!(Instant::now() < deadline, "waited {HANGS:?} in vain for {what}: {instead:?}");
            }
        }
        sleep(Duration::from_millis(50));
    }
}
