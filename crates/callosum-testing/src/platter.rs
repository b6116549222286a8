//! What a power cut leaves of a [`crate::memory::MemoryDisk`]: its events, replayed as far as they
//! got, and of everything that was not flushed as much as chance lets survive.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::random::Random;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A folder.
    Folder,
    /// A file, by its number.
    File(u64),
}

/// A change of a file's contents.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "they say it themselves")]
pub enum Change {
    Write { offset: usize, bytes: Vec<u8> },
    SetSize(usize),
}

/// A change of names. Each happens wholly or not at all.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "they say it themselves")]
pub enum Naming {
    Add { path: PathBuf, node: Node },
    Rename { from: PathBuf, to: PathBuf, node: Node },
    Remove { path: PathBuf },
}

impl Naming {
    fn folder(&self) -> &Path {
        let (Self::Add { path, .. } | Self::Rename { to: path, .. } | Self::Remove { path }) = self;
        path.parent().unwrap()
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, Node>) {
        match self {
            Self::Add { path, node } => {
                names.insert(path.clone(), *node);
            }
            Self::Rename { from, to, node } => {
                if names.get(from) == Some(node) {
                    names.remove(from);
                }
                names.insert(to.clone(), *node);
            }
            Self::Remove { path } => {
                names.remove(path);
            }
        }
    }
}

/// Everything that changes what is on a disk.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "they say it themselves")]
pub enum Event {
    Content {
        file: u64,
        change: Change,
    },
    Name(Naming),
    Flush {
        file: u64,
    },
    /// A flush that failed: what it was to flush may never reach the disk, and later flushes do not try again.
    FailedFlush {
        file: u64,
    },
    FlushNames {
        folder: PathBuf,
    },
}

/// What becomes of what was not flushed.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It is lost.
    AllLost,
    /// It is there all the same.
    AllKept,
    /// Each write wholly, partly or not at all, each change of a name or not, in no order.
    Chance(Random),
}

impl Fate {
    fn keeps_name(&mut self) -> bool {
        match self {
            Self::AllLost => false,
            Self::AllKept => true,
            Self::Chance(random) => random.one_in(2),
        }
    }

    /// How many of `length` bytes are kept.
    fn keeps_bytes(&mut self, length: usize) -> usize {
        match self {
            Self::AllLost => 0,
            Self::AllKept => length,
            Self::Chance(random) => match random.below(3) {
                0 => 0,
                1 => length,
                _ => random.below(length + 1),
            },
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Contents {
    durable: Vec<u8>,
    unflushed: Vec<Change>,
    /// Of a failed flush: there by luck only.
    given_up: Vec<Change>,
}

/// Names and contents after a cut.
#[derive(Clone, Debug, Default)]
pub struct Remains {
    /// What stands at each path.
    pub names: BTreeMap<PathBuf, Node>,
    /// The bytes of each file, by its number.
    pub files: BTreeMap<u64, Vec<u8>>,
}

impl Remains {
    /// The files of `folder`: name and bytes.
    pub fn files_in(&self, folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        for (path, node) in &self.names {
            if let (Some(parent), Node::File(file)) = (path.parent(), node)
                && parent == folder
            {
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                found.insert(name, self.files[file].clone());
            }
        }
        found
    }
}

/// A disk as it is, flushed and not.
#[derive(Clone, Debug, Default)]
pub struct Platter {
    names: BTreeMap<PathBuf, Node>,
    unflushed_names: Vec<Naming>,
    files: BTreeMap<u64, Contents>,
}

impl Platter {
    /// A disk on which all of `remains` is flushed.
    pub fn holding(remains: &Remains) -> Self {
        let contents = |bytes: &Vec<u8>| Contents { durable: bytes.clone(), ..Contents::default() };
        Self {
            names: remains.names.clone(),
            unflushed_names: Vec::new(),
            files: remains.files.iter().map(|(file, bytes)| (*file, contents(bytes))).collect(),
        }
    }

    /// Lets something happen to it.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Content { file, change } => {
                self.files.entry(*file).or_default().unflushed.push(change.clone());
            }
            Event::Name(naming) => self.unflushed_names.push(naming.clone()),
            Event::Flush { file } => {
                let contents = self.files.entry(*file).or_default();
                for change in std::mem::take(&mut contents.unflushed) {
                    put(&mut contents.durable, &change, usize::MAX);
                }
            }
            Event::FailedFlush { file } => {
                let contents = self.files.entry(*file).or_default();
                contents.given_up.append(&mut contents.unflushed);
            }
            Event::FlushNames { folder } => {
                for naming in std::mem::take(&mut self.unflushed_names) {
                    if naming.folder() == folder {
                        naming.apply(&mut self.names);
                    } else {
                        self.unflushed_names.push(naming);
                    }
                }
            }
        }
    }

    /// What is there after a cut now.
    pub fn cut(&self, fate: &mut Fate) -> Remains {
        let mut names = self.names.clone();
        for naming in &self.unflushed_names {
            if fate.keeps_name() {
                naming.apply(&mut names);
            }
        }
        // A name in a folder that has none is lost with it.
        let all = names.clone();
        let reachable = |path: &Path| {
            path.ancestors().skip(1).all(|above| above.parent().is_none() || all.contains_key(above))
        };
        names.retain(|path, _| reachable(path));
        let mut files = BTreeMap::new();
        for node in names.values() {
            let Node::File(file) = node else { continue };
            let contents = self.files.get(file).cloned().unwrap_or_default();
            let mut bytes = contents.durable;
            for change in contents.given_up.iter().chain(&contents.unflushed) {
                let length = if let Change::Write { bytes, .. } = change { bytes.len() } else { 1 };
                match fate.keeps_bytes(length) {
                    0 => {}
                    kept => put(&mut bytes, change, kept),
                }
            }
            files.insert(*file, bytes);
        }
        Remains { names, files }
    }
}

/// Applies a change, of a write only the first `kept` bytes. What lies between is zeros, as in a real file.
fn put(bytes: &mut Vec<u8>, change: &Change, kept: usize) {
    match change {
        Change::Write { offset, bytes: written } => {
            let written = &written[..kept.min(written.len())];
            let end = offset + written.len();
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes[*offset..end].copy_from_slice(written);
        }
        Change::SetSize(size) => bytes.resize(*size, 0),
    }
}
