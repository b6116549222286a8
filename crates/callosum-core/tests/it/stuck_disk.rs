//! The system's disk, which can be stopped: whoever comes for what is stopped waits until it goes on.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use callosum_core::store::disk::{Disk, DiskFile, Facts, Open, SystemDisk};

/// Nothing in a test takes that long but what hangs.
pub(crate) const HANGS: Duration = Duration::from_secs(60);

/// What can be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Everything that touches a file.
    All,
    Writes,
    Flushes,
    /// The first read of a file that was opened for nothing else; whoever comes after it may go on.
    FirstLook,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Stuck {
    state: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Debug, Default)]
struct State {
    stopped: Option<What>,
    waiting: usize,
}

#[derive(Debug)]
struct StuckFile(Box<dyn DiskFile>, Open, Stuck);

impl Stuck {
    pub(crate) fn stop(&self, what: What) {
        self.state.0.lock().unwrap().stopped = Some(what);
    }

    pub(crate) fn go_on(&self) {
        self.state.0.lock().unwrap().stopped = None;
        self.state.1.notify_all();
    }

    /// Waits until somebody waits for the disk.
    pub(crate) fn met(&self) {
        let (state, changed) = &*self.state;
        let state = state.lock().unwrap();
        let (state, waited) = changed.wait_timeout_while(state, HANGS, |state| state.waiting == 0).unwrap();
        assert!(!waited.timed_out() && state.waiting > 0, "nobody came to the disk");
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.state.0.lock().unwrap().stopped.is_some()
    }

    fn pass(&self, kinds: &[What]) {
        let (state, changed) = &*self.state;
        let mut state = state.lock().unwrap();
        let holds = |state: &State| {
            state.stopped.is_some_and(|what| {
                what == What::All
                    || (kinds.contains(&what) && (what != What::FirstLook || state.waiting == 0))
            })
        };
        while holds(&state) {
            state.waiting += 1;
            changed.notify_all();
            state = changed.wait(state).unwrap();
            state.waiting -= 1;
        }
    }
}

impl Disk for Stuck {
    fn open(&self, path: &Path, purpose: Open) -> io::Result<Box<dyn DiskFile>> {
        self.pass(&[]);
        Ok(Box::new(StuckFile(SystemDisk.open(path, purpose)?, purpose, self.clone())))
    }
    fn open_guard(&self, path: &Path) -> io::Result<File> {
        self.pass(&[]);
        SystemDisk.open_guard(path)
    }
    fn facts(&self, path: &Path) -> io::Result<Facts> {
        self.pass(&[]);
        SystemDisk.facts(path)
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        self.pass(&[]);
        SystemDisk.list(folder)
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.pass(&[]);
        SystemDisk.make_folder(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.pass(&[]);
        SystemDisk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.pass(&[]);
        SystemDisk.remove(path)
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.pass(&[What::Flushes]);
        SystemDisk.sync_folder(path)
    }
}

impl DiskFile for StuckFile {
    fn facts(&self) -> io::Result<Facts> {
        self.2.pass(&[]);
        self.0.facts()
    }
    fn size(&self) -> io::Result<u64> {
        self.2.pass(&[]);
        self.0.size()
    }
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.2.pass(if self.1 == Open::Read { &[What::FirstLook] } else { &[] });
        self.0.read_at(buffer, offset)
    }
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.2.pass(&[What::Writes]);
        self.0.write(bytes)
    }
    fn set_size(&self, size: u64) -> io::Result<()> {
        self.2.pass(&[What::Writes]);
        self.0.set_size(size)
    }
    fn make_private(&self) -> io::Result<()> {
        self.2.pass(&[]);
        self.0.make_private()
    }
    fn sync(&self) -> io::Result<()> {
        self.2.pass(&[What::Flushes]);
        self.0.sync()
    }
}
