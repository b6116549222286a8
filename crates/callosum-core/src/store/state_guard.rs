//! The state guard: the one OS file lock, held for microseconds around look, decide and append.
//!
//! This file alone knows `fs2`. Its lock is `flock`: it belongs to the open file, not to the process, so
//! two gates in one process exclude each other too, and closing another descriptor drops nothing. The
//! guard's file is never deleted: a lock on a file that has left its path protects nothing.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use fs2::FileExt;

use crate::model::error::StateError;
use crate::model::time::Stamp;

use super::disk::{Disk, DiskFile};
use super::state_dir::StateDir;

/// The file name of the guard in the state directory.
const FILE_NAME: &str = "state.guard";

/// An open guard, free or held.
#[derive(Debug)]
pub struct StateGuard {
    file: Arc<File>,
    path: PathBuf,
    disk: Arc<dyn Disk>,
    identity: (u64, u64),
    /// When its file was made, wall-clock milliseconds: nobody ever writes it.
    made_ms: i64,
}

/// The guard is held until this is dropped.
#[derive(Debug)]
pub struct Held {
    file: Arc<File>,
}

impl Drop for Held {
    fn drop(&mut self) {
        // An unlock of an open descriptor does not fail; closing it would free the lock anyway.
        let _ = FileExt::unlock(self.file.as_ref());
    }
}

impl StateGuard {
    /// Opens the guard of `directory`, creating its file, and proves that its lock excludes.
    ///
    /// # Errors
    /// When the file can't be opened, or a second descriptor gets the lock while the first holds it (some
    /// network mounts).
    pub fn open(directory: &StateDir) -> Result<Self, StateError> {
        Self::open_named(directory, FILE_NAME)
    }

    /// The same of another file of `directory`: what only one process may do as long as it runs.
    ///
    /// # Errors
    /// As [`StateGuard::open`].
    pub fn open_named(directory: &StateDir, name: &str) -> Result<Self, StateError> {
        let (path, disk) = (directory.path.join(name), Arc::clone(&directory.disk));
        let file = disk.open_guard(&path).map_err(|source| StateError::io("open", &path, source))?;
        let metadata =
            DiskFile::metadata(&file).map_err(|source| StateError::io("examine", &path, source))?;
        let guard = Self {
            file: Arc::new(file),
            identity: metadata.identity,
            made_ms: metadata.modified_ms,
            path,
            disk,
        };
        guard.prove_that_it_excludes(FileExt::try_lock_exclusive)?;
        Ok(guard)
    }

    /// Proves the same of a guard that is there already, and leaves no trace; `false` where there is none yet.
    ///
    /// # Errors
    /// As [`StateGuard::open`].
    pub fn prove(directory: &StateDir) -> Result<bool, StateError> {
        let path = directory.path.join(FILE_NAME);
        match directory.disk.metadata(&path) {
            Ok(_) => Self::open(directory).map(|_| true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(StateError::io("examine", &path, source)),
        }
    }

    /// `try_lock` is what the second descriptor tries: tests have no file system whose locks do nothing.
    fn prove_that_it_excludes(&self, try_lock: fn(&File) -> io::Result<()>) -> Result<(), StateError> {
        // Busy is proof as well: somebody's lock kept ours out.
        let Some(_held) = self.try_hold()? else { return Ok(()) };
        let second =
            self.disk.open_guard(&self.path).map_err(|source| StateError::io("open", &self.path, source))?;
        match try_lock(&second) {
            Ok(()) => Err(StateError::GuardUseless { path: self.path.clone() }),
            Err(_) => Ok(()),
        }
    }

    /// Takes the guard if it is free now.
    ///
    /// # Errors
    /// When the system refuses to lock at all.
    pub fn try_hold(&self) -> Result<Option<Held>, StateError> {
        match FileExt::try_lock_exclusive(self.file.as_ref()) {
            Ok(()) => Ok(Some(Held { file: Arc::clone(&self.file) })),
            Err(error) if is_contended(&error) => Ok(None),
            Err(source) => Err(StateError::io("lock", &self.path, source)),
        }
    }

    /// Takes the guard, trying until `deadline`. Never call this on a host's event loop.
    ///
    /// # Errors
    /// When it was not free in time, or the system refuses to lock at all.
    pub fn hold_until(&self, deadline: Instant) -> Result<Held, StateError> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(50);
        loop {
            if let Some(held) = self.try_hold()? {
                return Ok(held);
            }
            if Instant::now() >= deadline {
                let waited_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
                return Err(StateError::GuardTimeout { path: self.path.clone(), waited_ms });
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(2));
        }
    }

    /// Whether the guard's file was made longer than `ms` milliseconds ago.
    #[must_use]
    pub fn is_older_than(&self, ms: u64, now: &Stamp) -> bool {
        now.wall_ms.saturating_sub_unsigned(ms) > self.made_ms
    }

    /// Whether the guard's file is still the one at its path.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.disk.metadata(&self.path).is_ok_and(|now| now.identity == self.identity)
    }
}

fn is_contended(error: &io::Error) -> bool {
    error.raw_os_error() == fs2::lock_contended_error().raw_os_error()
        || error.kind() == io::ErrorKind::Interrupted
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn open(directory: &tempfile::TempDir) -> StateGuard {
        StateGuard::open(&StateDir::new(directory.path().to_owned())).unwrap()
    }

    #[test]
    fn two_guards_in_one_process_exclude_each_other() {
        let directory = tempfile::tempdir().unwrap();
        let first = open(&directory);
        let second = open(&directory);
        let held = first.try_hold().unwrap().unwrap();
        assert!(second.try_hold().unwrap().is_none());
        let late = second.hold_until(Instant::now() + Duration::from_millis(5));
        assert!(matches!(late, Err(StateError::GuardTimeout { .. })));
        drop(held);
        assert!(second.try_hold().unwrap().is_some());
    }

    #[test]
    fn a_lock_that_does_nothing_is_found_out() {
        let directory = tempfile::tempdir().unwrap();
        let guard = open(&directory);
        let error = guard.prove_that_it_excludes(|_| Ok(())).unwrap_err();
        assert_eq!(error.code(), "guard-useless");
        assert!(error.remedy().contains("local disk"), "{}", error.remedy());
        // What proved it is let go again.
        assert!(guard.try_hold().unwrap().is_some());
        // Busy is no proof of the contrary.
        let other = open(&directory);
        let _held = other.try_hold().unwrap().unwrap();
        guard.prove_that_it_excludes(|_| Ok(())).unwrap();
    }

    #[test]
    fn a_look_at_a_guard_makes_none() {
        let directory = tempfile::tempdir().unwrap();
        let state = StateDir::new(directory.path().to_owned());
        assert!(!StateGuard::prove(&state).unwrap());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        let guard = open(&directory);
        assert!(StateGuard::prove(&state).unwrap());
        assert!(guard.try_hold().unwrap().is_some());
    }

    #[test]
    fn a_guard_whose_file_was_replaced_knows_it() {
        let directory = tempfile::tempdir().unwrap();
        let guard = open(&directory);
        assert!(guard.is_current());
        std::fs::remove_file(directory.path().join(FILE_NAME)).unwrap();
        assert!(!guard.is_current());
        let _other = open(&directory);
        assert!(!guard.is_current());
    }
}
