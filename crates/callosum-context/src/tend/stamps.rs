//! What the folders looked like at the last look: a call that changed nothing there is told by that alone, and costs next to nothing. Nothing
//! else is read then, and no lock taken.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use tempfile::Builder;

use crate::folder::{Signature, UNFINISHED, signature};
use crate::registry;

/// What the file, in the folder where all else is remembered, is called.
const FILE: &str = "stamps";
const BEGINS: &[u8] = b"stamps 1\n";
const ENDS: &[u8] = b"\nend";
/// Bytes of the file at most.
const MOST: u64 = 1 << 20;
/// So long they hold, milliseconds: they tell of no report that is written in its place.
const HOLDS_MS: i64 = 30_000;
/// Bytes of a signature.
const BYTES: usize = 40;

/// The paths whose signatures tell, and what these were. Those of reports are not among them, of which there may be a thousand: of them the
/// folders are.
#[derive(Debug)]
pub(crate) struct Stamps {
    paths: Vec<(PathBuf, Option<Signature>)>,
    is_whole: bool,
}

impl Stamps {
    /// Before what a state directory has recorded is read.
    pub(crate) fn begin(state_dir: &Path) -> Self {
        let recorded = registry::file(state_dir);
        Self { paths: vec![(recorded.clone(), found(&recorded))], is_whole: true }
    }

    /// A folder was not looked at, or lies where looking at it may take long: nothing tells that it is as it was.
    pub(crate) fn lack_one(&mut self) {
        self.is_whole = false;
    }

    /// Takes down a folder as it was at its look.
    pub(crate) fn add(&mut self, stamped: impl Iterator<Item = (PathBuf, Option<Signature>)>) {
        self.paths.extend(stamped);
    }

    /// Writes them down. Where that can't be done, the next call looks itself.
    pub(crate) fn write(&self, state_dir: &Path, now_ms: i64) {
        if !self.is_whole || self.paths.len() == 1 {
            return;
        }
        let mut bytes = [BEGINS, &now_ms.to_le_bytes()].concat();
        for (path, signature) in &self.paths {
            let path = path.as_os_str().as_bytes();
            bytes.extend(encoded(signature.as_ref()));
            bytes.extend(u32::try_from(path.len()).unwrap_or(0).to_le_bytes());
            bytes.extend(path);
        }
        bytes.extend(ENDS);
        // It need not outlive the system: it is not flushed.
        let folder = registry::remembered_in(state_dir);
        let new = Builder::new().prefix(UNFINISHED).tempfile_in(&folder);
        let _ = new.and_then(|mut new| {
            new.write_all(&bytes)?;
            new.persist(folder.join(FILE)).map_err(|error| error.error)
        });
    }
}

/// Whether all is as it was at the last look, which is not long ago.
#[must_use]
pub fn are_still(state_dir: &Path, now_ms: i64) -> bool {
    compare(state_dir, now_ms).unwrap_or(false)
}

fn compare(state_dir: &Path, now_ms: i64) -> Option<bool> {
    let mut path = registry::remembered_in(state_dir);
    path.push(FILE);
    // What is no file is not waited for.
    let mut file =
        OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path).ok()?;
    let length = file.metadata().ok().filter(fs::Metadata::is_file)?.len();
    if length > MOST {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).ok()? + 1);
    file.read_to_end(&mut bytes).ok()?;
    let mut rest = bytes.strip_prefix(BEGINS)?.strip_suffix(ENDS)?;
    let age = now_ms.checked_sub(i64::from_le_bytes(*taken(&mut rest)?))?;
    if !(0..HOLDS_MS).contains(&age) {
        return None;
    }
    while !rest.is_empty() {
        let was: [u8; BYTES] = *taken(&mut rest)?;
        let length = u32::from_le_bytes(*taken(&mut rest)?);
        let (path, behind) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        rest = behind;
        if encoded(found(Path::new(OsStr::from_bytes(path))).as_ref()) != was {
            return Some(false);
        }
    }
    Some(true)
}

fn taken<'b, const N: usize>(rest: &mut &'b [u8]) -> Option<&'b [u8; N]> {
    let (first, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(first)
}

fn found(path: &Path) -> Option<Signature> {
    fs::symlink_metadata(path).ok().map(|found| signature(&found))
}

/// As it stands in the file; of what is not there, zeros.
fn encoded(signature: Option<&Signature>) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    if let Some((device, inode, length, written, changed)) = signature {
        let all = [*device, *inode, *length, written.cast_unsigned(), changed.cast_unsigned()];
        for (place, value) in bytes.chunks_exact_mut(8).zip(all) {
            place.copy_from_slice(&value.to_le_bytes());
        }
    }
    bytes
}
