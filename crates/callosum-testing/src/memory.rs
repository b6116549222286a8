//! A disk in memory that writes down everything that changes it, so that the power can be cut at every step.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use callosum_core::store::disk::{Disk, DiskFile, Metadata, OpenMode, SystemDisk};

use crate::platter::{Change, Event, Naming, Node, Platter, Remains};

#[derive(Debug, Default)]
struct State {
    names: BTreeMap<PathBuf, Node>,
    files: BTreeMap<u64, Contents>,
    last_file: u64,
    now_ms: i64,
    events: Vec<Event>,
}

#[derive(Debug, Default)]
struct Contents {
    bytes: Vec<u8>,
    modified_ms: i64,
    /// Flushes that failed: each open file is told of each once, as Linux does.
    failed_flushes: u64,
}

/// A disk in memory. Clones are the same disk.
#[derive(Clone, Debug)]
pub struct MemoryDisk {
    state: Arc<Mutex<State>>,
    /// Where the guards' files are: locks need real ones.
    guards: PathBuf,
    began: Arc<Remains>,
}

/// An open file of such a disk.
#[derive(Debug)]
pub struct MemoryFile {
    state: Arc<Mutex<State>>,
    file: u64,
    told_failures: AtomicU64,
}

impl MemoryDisk {
    /// A disk with what a cut left; guards in the real folder `guards`.
    pub fn holding(remains: Remains, guards: &Path, now_ms: i64) -> Self {
        let mut state = State { names: remains.names.clone(), now_ms, ..State::default() };
        state.last_file = remains.files.keys().max().copied().unwrap_or(0);
        for (file, bytes) in &remains.files {
            let contents = Contents { bytes: bytes.clone(), modified_ms: now_ms, failed_flushes: 0 };
            state.files.insert(*file, contents);
        }
        Self { state: Arc::new(Mutex::new(state)), guards: guards.to_owned(), began: Arc::new(remains) }
    }

    /// Sets the time that files are modified at, wall-clock milliseconds.
    pub fn set_time(&self, now_ms: i64) {
        self.lock().now_ms = now_ms;
    }

    /// How many events there were.
    pub fn moment(&self) -> usize {
        self.lock().events.len()
    }

    /// The disk as it was at its beginning, and what happened to it since.
    pub fn history(&self) -> (Platter, Vec<Event>) {
        (Platter::holding(&self.began), self.lock().events.clone())
    }

    /// The bytes of a file as a running process sees them.
    pub fn contents(&self, path: &Path) -> Option<Vec<u8>> {
        let state = self.lock();
        let Node::File(file) = state.names.get(path)? else { return None };
        Some(state.files[file].bytes.clone())
    }

    /// Everything as running processes see it.
    pub fn remains(&self) -> Remains {
        let state = self.lock();
        let files = state.files.iter().map(|(file, contents)| (*file, contents.bytes.clone()));
        Remains { names: state.names.clone(), files: files.collect() }
    }

    /// Opens a file whose type is known.
    ///
    /// # Errors
    /// As the system would.
    pub fn open_file(&self, path: &Path, purpose: OpenMode) -> io::Result<MemoryFile> {
        let mut state = self.lock();
        let file = match (state.names.get(path), purpose) {
            (Some(Node::Folder), _) => return Err(io::ErrorKind::IsADirectory.into()),
            (Some(Node::File(file)), _) => *file,
            (None, OpenMode::Create) => {
                state.holds_folder_of(path)?;
                state.last_file += 1;
                let file = state.last_file;
                state.files.insert(file, Contents::default());
                state.name(Naming::Add { path: path.to_owned(), node: Node::File(file) });
                file
            }
            (None, _) => return Err(io::ErrorKind::NotFound.into()),
        };
        if purpose == OpenMode::Create && !state.files[&file].bytes.is_empty() {
            state.change(file, Change::SetSize(0));
        }
        let told_failures = AtomicU64::new(state.files[&file].failed_flushes);
        Ok(MemoryFile { state: Arc::clone(&self.state), file, told_failures })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn guard(&self, path: &Path) -> Option<PathBuf> {
        (path.file_name()? == "state.guard").then(|| self.guards.join("state.guard"))
    }
}

impl State {
    fn holds_folder_of(&self, path: &Path) -> io::Result<()> {
        let parent = path.parent().unwrap();
        let known = parent.parent().is_none() || self.names.get(parent) == Some(&Node::Folder);
        if known { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn name(&mut self, naming: Naming) {
        match &naming {
            Naming::Add { path, node } => {
                self.names.insert(path.clone(), *node);
            }
            Naming::Rename { from, to, node } => {
                self.names.remove(from);
                self.names.insert(to.clone(), *node);
            }
            Naming::Remove { path } => {
                self.names.remove(path);
            }
        }
        self.events.push(Event::Name(naming));
    }

    fn change(&mut self, file: u64, change: Change) {
        let contents = self.files.get_mut(&file).unwrap();
        contents.modified_ms = self.now_ms;
        match &change {
            Change::Write { offset, bytes } => {
                assert_eq!(*offset, contents.bytes.len(), "every write is at the end");
                contents.bytes.extend_from_slice(bytes);
            }
            Change::SetSize(size) => contents.bytes.resize(*size, 0),
        }
        self.events.push(Event::Content { file, change });
    }

    fn metadata(&self, node: Node) -> Metadata {
        let (size, inode, links, mode, modified_ms) = match node {
            Node::Folder => (0, 0, 1, 0o700, self.now_ms),
            Node::File(file) => {
                let links = self.names.values().filter(|known| **known == node).count();
                let contents = &self.files[&file];
                (contents.bytes.len(), file, links, 0o600, contents.modified_ms)
            }
        };
        Metadata {
            size: size as u64,
            identity: (7, inode),
            links: links as u64,
            mode,
            owner: rustix::process::geteuid().as_raw(),
            is_folder: node == Node::Folder,
            modified_ms,
        }
    }
}

impl Disk for MemoryDisk {
    fn open(&self, path: &Path, purpose: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(self.open_file(path, purpose)?))
    }

    fn open_guard(&self, path: &Path) -> io::Result<File> {
        SystemDisk.open_guard(&self.guard(path).unwrap())
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        if let Some(guard) = self.guard(path) {
            return SystemDisk.metadata(&guard);
        }
        let state = self.lock();
        let node = state.names.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(state.metadata(*node))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        let state = self.lock();
        let inside = state.names.keys().filter(|path| path.parent() == Some(folder));
        Ok(inside.map(|path| path.file_name().unwrap().to_owned()).collect())
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.lock();
        let mut missing: Vec<&Path> = path
            .ancestors()
            .take_while(|above| above.parent().is_some() && !state.names.contains_key(*above))
            .collect();
        while let Some(next) = missing.pop() {
            state.name(Naming::Add { path: next.to_owned(), node: Node::Folder });
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.lock();
        let node = *state.names.get(from).ok_or(io::ErrorKind::NotFound)?;
        // Two names of one file: the system leaves both.
        if state.names.get(to) != Some(&node) {
            state.name(Naming::Rename { from: from.to_owned(), to: to.to_owned(), node });
        }
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.lock();
        if !state.names.contains_key(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        state.name(Naming::Remove { path: path.to_owned() });
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.lock().events.push(Event::FlushNames { folder: path.to_owned() });
        Ok(())
    }
}

impl MemoryFile {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// A flush that fails: what was written since the last one may be lost, though it can still be read.
    pub fn fail_to_sync(&self) {
        let mut state = self.lock();
        state.events.push(Event::FailedFlush { file: self.file });
        let contents = state.files.get_mut(&self.file).unwrap();
        contents.failed_flushes += 1;
        self.told_failures.store(contents.failed_flushes, Ordering::Relaxed);
    }
}

impl DiskFile for MemoryFile {
    fn metadata(&self) -> io::Result<Metadata> {
        Ok(self.lock().metadata(Node::File(self.file)))
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let state = self.lock();
        let rest = state.files[&self.file].bytes.get(usize::try_from(offset).unwrap()..).unwrap_or_default();
        let got = rest.len().min(buffer.len());
        buffer[..got].copy_from_slice(&rest[..got]);
        Ok(got)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.lock();
        let offset = state.files[&self.file].bytes.len();
        state.change(self.file, Change::Write { offset, bytes: bytes.to_owned() });
        Ok(bytes.len())
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.lock().change(self.file, Change::SetSize(usize::try_from(size).unwrap()));
        Ok(())
    }

    fn make_private(&self) -> io::Result<()> {
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.lock();
        let failed = state.files[&self.file].failed_flushes;
        if self.told_failures.swap(failed, Ordering::Relaxed) != failed {
            return Err(io::Error::from_raw_os_error(rustix::io::Errno::IO.raw_os_error()));
        }
        state.events.push(Event::Flush { file: self.file });
        Ok(())
    }
}
