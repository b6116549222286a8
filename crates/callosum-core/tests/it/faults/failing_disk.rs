//! A disk that fails at the step it is told to, once or from then on.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use callosum_core::store::disk::{Disk, DiskFile, Facts, Open};
use rustix::io::Errno;

use super::forgetful_disk::{ForgetfulDisk, ForgetfulFile};

/// What is asked of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Open,
    OpenGuard,
    Facts,
    List,
    MakeFolder,
    Rename,
    Remove,
    SyncFolder,
    FileFacts,
    Read,
    Write,
    SetSize,
    Sync,
}

/// How long a failure lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lasting {
    Once,
    /// Every further step of the same kind fails as well.
    Kind,
    /// Every further step fails.
    All,
}

/// A write that takes not all: the next one fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Short {
    Half,
    /// The line is whole, but for its end.
    ButOneByte,
}

/// A failure to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// Which step, counted from 0.
    pub(crate) at: usize,
    pub(crate) error: Errno,
    pub(crate) lasting: Lasting,
    /// It is a write, and takes some of the bytes.
    pub(crate) short: Option<Short>,
}

#[derive(Debug, Default)]
struct State {
    fault: Option<Fault>,
    /// The kind of step that began to fail.
    failing: Option<Step>,
    steps: Vec<(Step, String)>,
}

impl State {
    fn failure(&mut self, step: Step, path: &Path) -> Option<Fault> {
        let number = self.steps.len();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        self.steps.push((step, name.unwrap_or_default()));
        let fault = self.fault?;
        if number == fault.at {
            self.failing = Some(step);
            return Some(fault);
        }
        let fails = match fault.lasting {
            Lasting::Once => false,
            Lasting::Kind => self.failing == Some(step),
            Lasting::All => self.failing.is_some(),
        };
        fails.then_some(Fault { short: None, ..fault })
    }
}

/// A disk in memory that fails. Clones are the same disk.
#[derive(Clone, Debug)]
pub(crate) struct FailingDisk {
    disk: ForgetfulDisk,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct FailingFile {
    file: ForgetfulFile,
    path: std::path::PathBuf,
    state: Arc<Mutex<State>>,
}

impl FailingDisk {
    pub(crate) fn new(disk: &ForgetfulDisk, fault: Option<Fault>) -> Self {
        Self { disk: disk.clone(), state: Arc::new(Mutex::new(State { fault, ..State::default() })) }
    }

    /// Lets everything work again.
    pub(crate) fn mend(&self) {
        let mut state = self.state.lock().unwrap();
        state.fault = None;
    }

    /// What was asked of it, and of which file.
    pub(crate) fn steps(&self) -> Vec<(Step, String)> {
        self.state.lock().unwrap().steps.clone()
    }

    /// Whether it has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.state.lock().unwrap().failing.is_some()
    }

    fn may(&self, step: Step, path: &Path) -> io::Result<()> {
        may(&self.state, step, path)
    }
}

fn may(state: &Mutex<State>, step: Step, path: &Path) -> io::Result<()> {
    match state.lock().unwrap().failure(step, path) {
        Some(fault) => Err(fault.error.into()),
        None => Ok(()),
    }
}

impl Disk for FailingDisk {
    fn open(&self, path: &Path, purpose: Open) -> io::Result<Box<dyn DiskFile>> {
        self.may(Step::Open, path)?;
        let file = self.disk.open_file(path, purpose)?;
        Ok(Box::new(FailingFile { file, path: path.to_owned(), state: Arc::clone(&self.state) }))
    }

    fn open_guard(&self, path: &Path) -> io::Result<File> {
        self.may(Step::OpenGuard, path)?;
        self.disk.open_guard(path)
    }

    fn facts(&self, path: &Path) -> io::Result<Facts> {
        self.may(Step::Facts, path)?;
        self.disk.facts(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        self.may(Step::List, folder)?;
        self.disk.list(folder)
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.may(Step::MakeFolder, path)?;
        self.disk.make_folder(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.may(Step::Rename, from)?;
        self.disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.may(Step::Remove, path)?;
        self.disk.remove(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.may(Step::SyncFolder, path)?;
        self.disk.sync_folder(path)
    }
}

impl DiskFile for FailingFile {
    fn facts(&self) -> io::Result<Facts> {
        may(&self.state, Step::FileFacts, &self.path)?;
        self.file.facts()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        may(&self.state, Step::Read, &self.path)?;
        self.file.read_at(buffer, offset)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let failure = self.state.lock().unwrap().failure(Step::Write, &self.path);
        match failure {
            None => self.file.write(bytes),
            Some(Fault { short: Some(Short::Half), .. }) => self.file.write(&bytes[..bytes.len() / 2]),
            Some(Fault { short: Some(Short::ButOneByte), .. }) => self.file.write(&bytes[..bytes.len() - 1]),
            Some(fault) => Err(fault.error.into()),
        }
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        may(&self.state, Step::SetSize, &self.path)?;
        self.file.set_size(size)
    }

    fn make_private(&self) -> io::Result<()> {
        self.file.make_private()
    }

    fn sync(&self) -> io::Result<()> {
        match may(&self.state, Step::Sync, &self.path) {
            Ok(()) => self.file.sync(),
            Err(error) => {
                self.file.fail_to_sync();
                Err(error)
            }
        }
    }
}
