//! The system's disk under a process that is to die: it kills itself at a step it is told.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex};

use callosum_core::store::disk::{Disk, DiskFile, Facts, Open, SystemDisk};
use rustix::process::{Signal, getpid, kill_process};

/// When to die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Before,
    /// With half of the bytes written.
    Within,
    After,
}

/// Where to die: at the step `name`, when it is taken for the time `nth`, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Death {
    pub(crate) when: When,
    pub(crate) nth: u32,
    /// As in `write journal.jsonl`.
    pub(crate) step: String,
}

impl std::fmt::Display for Death {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?} {} {}", self.when, self.nth, self.step)
    }
}

impl FromStr for Death {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.splitn(3, ' ');
        let when = match words.next() {
            Some("Before") => When::Before,
            Some("Within") => When::Within,
            Some("After") => When::After,
            _ => return Err("no such moment"),
        };
        let nth = words.next().and_then(|word| word.parse().ok()).ok_or("no number")?;
        Ok(Self { when, nth, step: words.next().ok_or("no step")?.to_owned() })
    }
}

#[derive(Debug)]
struct Fatality {
    death: Option<Death>,
    taken: Mutex<u32>,
    /// Told of every step.
    witness: fn(&str),
}

/// Clones are the same disk.
#[derive(Clone, Debug)]
pub(crate) struct KillingDisk(Arc<Fatality>);

#[derive(Debug)]
struct KillingFile {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    disk: KillingDisk,
}

impl KillingDisk {
    pub(crate) fn new(death: Option<Death>, witness: fn(&str)) -> Self {
        Self(Arc::new(Fatality { death, taken: Mutex::new(0), witness }))
    }

    /// Takes a step on a file, and dies there if it is the one.
    fn step<T>(&self, kind: &str, path: &Path, take: impl FnOnce(Option<When>) -> T) -> T {
        let name = format!("{kind} {}", general_name(path));
        (self.0.witness)(&name);
        let when = self.0.death.as_ref().filter(|death| death.step == name).and_then(|death| {
            let mut taken = self.0.taken.lock().unwrap();
            *taken += 1;
            (*taken == death.nth).then_some(death.when)
        });
        if when == Some(When::Before) {
            die();
        }
        let result = take(when);
        if when.is_some() {
            die();
        }
        result
    }
}

/// The file's name with numbers left out: `journal.N.jsonl`, `index.json.N`.
fn general_name(path: &Path) -> String {
    let name = path.file_name().unwrap().to_string_lossy();
    let parts = name.split('.').map(|part| {
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) { "N" } else { part }
    });
    parts.collect::<Vec<_>>().join(".")
}

fn die() -> ! {
    kill_process(getpid(), Signal::KILL).unwrap();
    loop {
        std::thread::park();
    }
}

impl Disk for KillingDisk {
    fn open(&self, path: &Path, purpose: Open) -> io::Result<Box<dyn DiskFile>> {
        let kind = if purpose == Open::Create { "create" } else { "open" };
        let file = self.step(kind, path, |_| SystemDisk.open(path, purpose))?;
        Ok(Box::new(KillingFile { file, path: path.to_owned(), disk: self.clone() }))
    }

    fn open_guard(&self, path: &Path) -> io::Result<File> {
        self.step("open", path, |_| SystemDisk.open_guard(path))
    }

    fn facts(&self, path: &Path) -> io::Result<Facts> {
        SystemDisk.facts(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        SystemDisk.list(folder)
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.step("make", path, |_| SystemDisk.make_folder(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step("rename", from, |_| SystemDisk.rename(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step("remove", path, |_| SystemDisk.remove(path))
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.step("sync", path, |_| SystemDisk.sync_folder(path))
    }
}

impl DiskFile for KillingFile {
    fn facts(&self) -> io::Result<Facts> {
        self.file.facts()
    }

    fn size(&self) -> io::Result<u64> {
        self.file.size()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buffer, offset)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.step("write", &self.path, |when| {
            let end = if when == Some(When::Within) { bytes.len() / 2 } else { bytes.len() };
            self.file.write(&bytes[..end])
        })
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.disk.step("cut", &self.path, |_| self.file.set_size(size))
    }

    fn make_private(&self) -> io::Result<()> {
        self.file.make_private()
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.step("sync", &self.path, |_| self.file.sync())
    }
}
