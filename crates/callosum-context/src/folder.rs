//! The folder on the disk. Nothing here follows a link below it, waits for a pipe or reads without a bound; what is written is whole or
//! not there.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::OFlags;
use tempfile::Builder;

use crate::error::Problem;

/// What the names of our unfinished files begin with.
pub const UNFINISHED: &str = ".cx.";
/// Bytes of a file that is read at most.
pub const FILE_BYTES: u64 = 8 << 20;
/// Names in a folder that are looked at, at most.
const MOST_NAMES: usize = 20_000;
/// Folders below each other that are looked at.
const DEPTH: usize = 8;

/// What tells that a file is as it was, without reading it: device and inode, bytes, when it was written and when it was changed,
/// nanoseconds.
pub type Signature = (u64, u64, u64, i64, i64);

/// A file or folder in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Bytes.
    pub bytes: u64,
    /// Permission bits.
    pub mode: u32,
    /// When it was written, milliseconds since the epoch.
    pub modified_ms: i64,
    /// See [`Signature`].
    pub signature: Signature,
}

/// What lies in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link or anything else: it is not followed and not read.
    Other,
}

/// The folder. Paths are relative to it.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
}

/// Whether a program that synchronises folders made this name of a file that it could not merge. Such a file is never read.
#[must_use]
pub fn is_conflicted(name: &str) -> bool {
    let name = name.to_lowercase();
    ["conflicted copy", "sync-conflict", "conflict copy"].iter().any(|word| name.contains(word))
}

impl Folder {
    /// The folder that really lies at `root`.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(root: &Path) -> Result<Self, Problem> {
        let real = fs::canonicalize(root).and_then(|real| match fs::metadata(&real)?.is_dir() {
            true => Ok(real),
            false => Err(io::ErrorKind::NotADirectory.into()),
        });
        let root = real.map_err(|error| {
            Problem::input(
                format!("there is no shared context at `{}`: {error}", root.display()),
                "run `callosum context init`, or name its folder in `sharedContextDir`",
            )
        })?;
        Ok(Self { root })
    }

    /// Makes sure that it is still there: it may lie on a disk that is taken away. Nothing makes it anew but `init`.
    ///
    /// # Errors
    /// When it is gone.
    pub fn check(&self) -> Result<(), Problem> {
        if self.root.is_dir() {
            return Ok(());
        }
        Err(Problem::input(
            format!("the shared context `{}` is gone", self.root.display()),
            "put it back, or name another in `sharedContextDir`, and run `callosum context init`",
        ))
    }

    /// Where it really lies.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a file in it: it leads nowhere else.
    ///
    /// # Errors
    /// When it would.
    pub fn path(&self, relative: &Path) -> Result<PathBuf, Problem> {
        let mut path = self.root.clone();
        for part in relative.components() {
            let out = |what: &str| {
                Problem::input(
                    format!("`{}` {what}", relative.display()),
                    "give a path below the shared context's folder, without links",
                )
            };
            match part {
                Component::Normal(name) => path.push(name),
                Component::CurDir => continue,
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(out("leads out of the shared context"));
                }
            }
            if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
                return Err(out("is a link, or lies behind one"));
            }
        }
        Ok(path)
    }

    fn open_file(&self, relative: &Path, options: &mut OpenOptions) -> Result<Option<File>, Problem> {
        let path = self.path(relative)?;
        // Neither a link that was put there just now nor a pipe.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let opened =
            options.custom_flags(flags).open(&path).and_then(|file| match file.metadata()?.is_file() {
                true => Ok(file),
                false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")),
            });
        match opened {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Problem::io("open", &path, &error)),
        }
    }

    /// What a file says; `None` where there is none.
    ///
    /// # Errors
    /// When it can't be read, or is larger than [`FILE_BYTES`].
    pub fn read(&self, relative: &Path) -> Result<Option<Vec<u8>>, Problem> {
        let Some(file) = self.open_file(relative, OpenOptions::new().read(true))? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = file.take(FILE_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| Problem::io("read", relative, &error))?;
        if bytes.len() as u64 > FILE_BYTES {
            return Err(Problem::input(
                format!("`{}` is larger than {FILE_BYTES} bytes", relative.display()),
                "make it smaller; of an inbox `callosum context restore` puts back what must be in it",
            ));
        }
        Ok(Some(bytes))
    }

    /// The same as text; what is no UTF-8 in it becomes U+FFFD.
    ///
    /// # Errors
    /// As [`Folder::read`].
    pub fn read_text(&self, relative: &Path) -> Result<Option<String>, Problem> {
        Ok(self.read(relative)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Makes a folder in it, and those above it, for its owner only. Whether it was missing.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn make_folder(&self, relative: &Path) -> Result<bool, Problem> {
        let path = self.path(relative)?;
        if path.is_dir() {
            return Ok(false);
        }
        self.check()?;
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
        made.map_err(|error| Problem::io("make", &path, &error)).map(|()| true)
    }

    /// Writes a file that is not there yet. `false` where one is: it stays as it is.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn create(&self, relative: &Path, bytes: &[u8]) -> Result<bool, Problem> {
        let path = self.path(relative)?;
        let failed = |error: &io::Error| Problem::io("write", &path, error);
        let new = self.unfinished(&path, bytes)?;
        match new.persist_noclobber(&path) {
            Ok(_) => Ok(true),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(failed(&error.error)),
        }
    }

    /// Puts a file in the place of what is there, in one step.
    ///
    /// # Errors
    /// When it can't be written; then what was there still is.
    pub fn replace(&self, relative: &Path, bytes: &[u8]) -> Result<(), Problem> {
        let path = self.path(relative)?;
        let new = self.unfinished(&path, bytes)?;
        new.persist(&path).map_err(|error| Problem::io("write", &path, &error.error))?;
        Ok(())
    }

    fn unfinished(&self, path: &Path, bytes: &[u8]) -> Result<tempfile::NamedTempFile, Problem> {
        let folder = path.parent().unwrap_or(&self.root);
        if let Ok(relative) = folder.strip_prefix(&self.root) {
            self.make_folder(relative)?;
        }
        write_beside(path, bytes).map_err(|error| Problem::io("write", path, &error))
    }

    /// Appends to a file with one write; it is made where it is missing.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn append(&self, relative: &Path, bytes: &[u8]) -> Result<(), Problem> {
        if let Some(folder) = relative.parent() {
            self.make_folder(folder)?;
        }
        let mut options = OpenOptions::new();
        let file = self.open_file(relative, options.append(true).create(true).mode(0o600))?;
        let written = file.map_or(Ok(()), |mut file| file.write_all(bytes).and_then(|()| file.sync_data()));
        written.map_err(|error| Problem::io("append to", &self.root.join(relative), &error))
    }

    /// Puts `after` in the place of a file that says `before`, and behind it what others append meanwhile: they write to the file that
    /// they opened, which has no name any more. `false` where it says something else; then it stays as it is.
    ///
    /// # Errors
    /// When it can't be read or written.
    pub fn shorten(&self, relative: &Path, before: &[u8], after: &[u8]) -> Result<bool, Problem> {
        let Some(mut file) = self.open_file(relative, OpenOptions::new().read(true))? else {
            return Ok(false);
        };
        let failed = |error: io::Error| Problem::io("read", relative, &error);
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes != before {
            return Ok(false);
        }
        self.replace(relative, after)?;
        loop {
            bytes.clear();
            Read::by_ref(&mut file).take(FILE_BYTES).read_to_end(&mut bytes).map_err(failed)?;
            if bytes.is_empty() {
                return Ok(true);
            }
            self.append(relative, &bytes)?;
        }
    }

    /// Gives a file another place, where none lies.
    ///
    /// # Errors
    /// When it can't be moved.
    pub fn move_to(&self, from: &Path, to: &Path) -> Result<(), Problem> {
        if let Some(folder) = to.parent() {
            self.make_folder(folder)?;
        }
        let (from, to) = (self.path(from)?, self.path(to)?);
        if fs::symlink_metadata(&to).is_ok() {
            return Err(Problem::input(format!("`{}` is there already", to.display()), "move it away"));
        }
        fs::rename(&from, &to).map_err(|error| Problem::io("move", &from, &error))
    }

    /// Deletes a file.
    ///
    /// # Errors
    /// When it can't be deleted.
    pub fn remove(&self, relative: &Path) -> Result<(), Problem> {
        let path = self.path(relative)?;
        fs::remove_file(&path).map_err(|error| Problem::io("delete", &path, &error))
    }

    /// What is known of a file; `None` where there is none.
    #[must_use]
    pub fn entry(&self, relative: &Path) -> Option<Entry> {
        let path = self.path(relative).ok()?;
        Some(entry(path.file_name()?.to_string_lossy().into_owned(), &fs::symlink_metadata(&path).ok()?))
    }

    /// What lies in a folder, by name; nothing where it is missing. Conflicted copies and unfinished files are left out.
    #[must_use]
    pub fn list(&self, relative: &Path) -> Vec<Entry> {
        let mut found = self.list_all(relative);
        found.retain(|entry| !is_conflicted(&entry.name) && !entry.name.starts_with(UNFINISHED));
        found
    }

    /// The same with those.
    #[must_use]
    pub fn list_all(&self, relative: &Path) -> Vec<Entry> {
        let listed = self.path(relative).ok().and_then(|path| fs::read_dir(path).ok());
        let entries = listed.into_iter().flatten().take(MOST_NAMES).flatten();
        let mut found: Vec<Entry> = entries
            .filter_map(|found| Some(entry(found.file_name().to_str()?.to_owned(), &found.metadata().ok()?)))
            .collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found
    }

    /// Calls `see` with the path of every file and folder below `relative`, folders first.
    pub fn walk(&self, relative: &Path, see: &mut dyn FnMut(&Path, &Entry)) {
        self.walk_to(relative, DEPTH, see);
    }

    fn walk_to(&self, relative: &Path, depth: usize, see: &mut dyn FnMut(&Path, &Entry)) {
        for entry in self.list_all(relative) {
            let path = relative.join(&entry.name);
            see(&path, &entry);
            if entry.kind == EntryKind::Folder && depth > 0 {
                self.walk_to(&path, depth - 1, see);
            }
        }
    }

    /// Bytes of all files in it.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let mut bytes = 0_u64;
        self.walk(Path::new(""), &mut |_, entry| bytes = bytes.saturating_add(entry.bytes));
        bytes
    }
}

fn entry(name: String, metadata: &fs::Metadata) -> Entry {
    let kind = if metadata.is_file() {
        EntryKind::File
    } else if metadata.is_dir() {
        EntryKind::Folder
    } else {
        EntryKind::Other
    };
    Entry {
        name,
        kind,
        bytes: if kind == EntryKind::File { metadata.len() } else { 0 },
        mode: metadata.mode() & 0o7777,
        modified_ms: metadata.mtime().saturating_mul(1_000).saturating_add(metadata.mtime_nsec() / 1_000_000),
        signature: signature(metadata),
    }
}

/// See [`Signature`].
pub(crate) fn signature(metadata: &fs::Metadata) -> Signature {
    let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    (
        metadata.dev(),
        metadata.ino(),
        metadata.len(),
        nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
    )
}

/// A flushed file with these bytes beside `path`, for its owner only, that is gone unless it gets a name.
fn write_beside(path: &Path, bytes: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let private = Permissions::from_mode(0o600);
    let mut new = Builder::new().prefix(UNFINISHED).permissions(private).tempfile_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    Ok(new)
}

/// Puts a file of the state directory in the place of what is there, in one step.
///
/// # Errors
/// When it can't be written; then what was there still is.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let failed = |error: &io::Error| Problem::io("write", path, error);
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| failed(&error))?;
    }
    let new = write_beside(path, bytes).map_err(|error| failed(&error))?;
    new.persist(path).map_err(|error| failed(&error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_link_leads_out_and_no_pipe_is_waited_for() {
        let (outside, inside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = Folder::open(inside.path()).unwrap();
        fs::write(outside.path().join("x"), "secret").unwrap();
        symlink(outside.path(), inside.path().join("out")).unwrap();
        symlink(outside.path().join("x"), inside.path().join("x.md")).unwrap();
        for bad in ["out/x", "x.md", "../x", "/etc/passwd", "out/new/y"] {
            let bad = Path::new(bad);
            assert!(folder.read(bad).is_err(), "{bad:?}");
            assert!(folder.append(bad, b"y").is_err() && folder.replace(bad, b"y").is_err(), "{bad:?}");
            assert!(folder.create(bad, b"y").is_err(), "{bad:?}");
        }
        assert_eq!(fs::read(outside.path().join("x")).unwrap(), b"secret");
        let pipe = rustix::fs::CWD;
        let path = inside.path().join("pipe");
        rustix::fs::mknodat(pipe, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        assert!(folder.read(Path::new("pipe")).is_err());
    }

    #[test]
    fn a_file_is_only_shortened_where_it_says_what_was_read() {
        let inside = tempfile::tempdir().unwrap();
        let folder = Folder::open(inside.path()).unwrap();
        let path = Path::new("x");
        assert!(!folder.shorten(path, b"", b"").unwrap());
        folder.create(path, b"one two").unwrap();
        assert!(!folder.shorten(path, b"one", b"").unwrap());
        assert!(folder.shorten(path, b"one two", b"two").unwrap());
        assert_eq!(folder.read(path).unwrap().as_deref(), Some(&b"two"[..]));
    }

    #[test]
    fn what_is_created_is_private_and_overwrites_nothing() {
        let inside = tempfile::tempdir().unwrap();
        let folder = Folder::open(inside.path()).unwrap();
        let path = Path::new("a/b/c.md");
        assert!(folder.create(path, b"one").unwrap());
        assert!(!folder.create(path, b"two").unwrap());
        assert_eq!(folder.read_text(path).unwrap().as_deref(), Some("one"));
        assert_eq!(folder.entry(path).unwrap().mode, 0o600);
        assert_eq!(folder.entry(Path::new("a/b")).unwrap().mode, 0o700);
        folder.append(path, b" two").unwrap();
        assert_eq!(folder.bytes(), 7);
        fs::write(inside.path().join("a/b/c (Bob's conflicted copy).md"), "x").unwrap();
        assert_eq!(folder.list(Path::new("a/b")).len(), 1);
        assert_eq!(folder.list_all(Path::new("a/b")).len(), 2);
    }
}
