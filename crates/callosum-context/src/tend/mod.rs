//! Looking after the folder: what its protected files must say is remembered in the state directory, and a file that something else
//! than its writer changed is told of. An inbox is never taken over shorter than it was; a file of the curator stays as it is, with
//! the version before in `history`, and sessions are told the last version that nobody but a person or its writer can have made.

mod inboxes;
mod seen;
pub(crate) mod stamps;
mod state;
mod suspects;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::{self, DirBuilder};
use std::ops::Deref;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use callosum_core::model::settings::OnTamper;
use callosum_core::model::time::to_rfc3339;
use callosum_core::record::Suspect;

use crate::error::{Code, Problem};
use crate::folder::{EntryKind, Folder, Signature, replace_file};
use crate::layout::{CURATED, FEEDBACK, PRIORITIES, Place};
use crate::lock::Lock;
use crate::names::{id, sha256};
use crate::priorities::INBOX_TEMPLATE;
use crate::registry::{home_of, remembered_in};

use self::state::{INBOXES, Known, State};

pub use self::seen::Seen;
pub use self::stamps::are_still;
pub use self::state::{Decided, How, Pending, Told, Verdict};
pub use self::suspects::Span;

/// Versions of a file that are kept in `history` and in `damaged`.
const VERSIONS: usize = 20;
/// Where it is remembered when calls of sessions ended, a file a session, whatever folder they may have changed; and how many of them.
const ENDED: &str = "ended";
const MOST_ENDED: usize = 256;
/// Folders of files that the curator writes.
const REPORTS: [&str; 4] = [CURATED[0], CURATED[1], CURATED[2], FEEDBACK];
/// A look that found nothing is remembered if the one before is so old, milliseconds.
const REMEMBER_MS: i64 = 30_000;

/// A file that is not as its writer left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its path below the folder.
    pub path: String,
    /// What is wrong with it: a clause.
    pub why: String,
    /// Whether what was missing is back.
    pub is_restored: bool,
    /// The calls that may have done it.
    pub suspects: Vec<Suspect>,
}

/// What a look found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The files that were changed since the last look.
    pub changes: Vec<Change>,
}

/// What was wrong with the folder that really lies at `root` when it was looked at last. Leaves no trace.
#[must_use]
pub fn pending(state_dir: &Path, root: &Path) -> Vec<Pending> {
    remembered(state_dir, root).map(|state| state.pending()).unwrap_or_default()
}

/// How many sessions are remembered as told of that folder. Leaves no trace.
#[must_use]
pub fn sessions_told(state_dir: &Path, root: &Path) -> usize {
    remembered(state_dir, root).map_or(0, |state| state.told.len())
}

/// Whether what is remembered of the folder at `root`, which is not there any more, is of `folder`: its inboxes begin as they must, and
/// something in it is nobody else's.
#[must_use]
pub(crate) fn is_of(state_dir: &Path, root: &Path, folder: &Folder) -> bool {
    let Some(state) = remembered(state_dir, root) else { return false };
    let copies = home_of(state_dir, root).join("copies");
    let now = |path: &str| folder.read(Path::new(path)).ok().flatten().unwrap_or_default();
    let begins = |path: &str, hash: &str| {
        !hash.is_empty() && fs::read(copies.join(hash)).is_ok_and(|copy| now(path).starts_with(&copy))
    };
    let is_kept = |path: &&str| {
        state.files.get(*path).is_some_and(|known| {
            begins(path, &known.sha256) || known.told.as_ref().is_some_and(|told| begins(path, told))
        })
    };
    let says_something = |path: &&str| !matches!(&*now(path), b"") && now(path) != INBOX_TEMPLATE.as_bytes();
    let is_same = |path: &str| state.files.get(path).is_some_and(|known| known.sha256 == sha256(&now(path)));
    INBOXES.iter().all(is_kept) && (INBOXES.iter().any(says_something) || is_same(PRIORITIES))
}

fn remembered(state_dir: &Path, root: &Path) -> Option<State> {
    serde_json::from_slice(&fs::read(home_of(state_dir, root).join("state.json")).ok()?).ok()
}

/// Who looks after a folder. Nobody else does meanwhile.
#[derive(Debug)]
pub struct Tender {
    seen: Seen,
    is_changed: bool,
    /// The folders of reports, as they were before these were looked at.
    listed: Vec<(&'static str, Option<Signature>)>,
    _lock: Lock,
}

impl Deref for Tender {
    type Target = Seen;

    fn deref(&self) -> &Seen {
        &self.seen
    }
}

impl Tender {
    /// Takes the folder into care, as soon as nobody else does; for that it waits as long as `patience`.
    ///
    /// # Errors
    /// When somebody else does all that time, or the state directory can't be used.
    pub fn of(folder: Folder, state_dir: &Path, patience: Duration) -> Result<Self, Problem> {
        let home = home_of(state_dir, folder.root());
        let lock = Lock::take(&home.join("lock"), patience)?;
        Ok(Self { seen: Seen::read(folder, home)?, is_changed: false, listed: Vec::new(), _lock: lock })
    }

    /// Writes down what is remembered.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn save(&mut self) -> Result<(), Problem> {
        if !self.is_changed {
            return Ok(());
        }
        self.seen.state.bound();
        let text = serde_json::to_vec(&self.seen.state).unwrap_or_default();
        replace_file(&self.seen.home.join("state.json"), &text)?;
        self.is_changed = false;
        self.forget_copies();
        Ok(())
    }

    /// Compares the protected files with what is remembered of them. `suspects` is asked only where one changed: for the calls that may
    /// have done it. The very first look takes over what it finds.
    ///
    /// # Errors
    /// When a copy can't be written; nothing is lost then.
    pub fn look(
        &mut self,
        now_ms: i64,
        on_tamper: OnTamper,
        suspects: &mut dyn FnMut(&Span<'_>) -> Vec<Suspect>,
    ) -> Result<Look, Problem> {
        let is_first = self.seen.state.v == 0;
        let ended = self.seen.home.with_file_name(ENDED);
        let ended_ms = move |session: &str| ended_ms(&ended, session);
        let looked_ms = self.seen.state.looked_ms.min(now_ms);
        let mut changes = Vec::new();
        for path in INBOXES {
            if let Some(mut change) = self.look_at_inbox(path, now_ms, on_tamper)? {
                change.suspects = suspects(&Span { from_ms: looked_ms, to_ms: now_ms, ended_ms: &ended_ms });
                changes.push(change);
            }
        }
        self.listed = REPORTS.map(|folder| (folder, self.signature(folder))).to_vec();
        for path in self.curated() {
            let Some((why, changed_ms)) = self.look_at_curated(&path, now_ms)? else { continue };
            let is_persons = is_first
                || changed_ms.is_some_and(|at| {
                    suspects(&Span { from_ms: at, to_ms: at, ended_ms: &ended_ms }).is_empty()
                });
            let to_ms = changed_ms.unwrap_or(now_ms);
            let named = if is_persons {
                Vec::new()
            } else {
                suspects(&Span { from_ms: looked_ms.min(to_ms), to_ms, ended_ms: &ended_ms })
            };
            if named.is_empty() {
                // No call ran: a person did it.
                self.confirm(&path);
            } else {
                changes.push(Change { path, why: why.to_owned(), is_restored: false, suspects: named });
            }
        }
        self.is_changed |=
            is_first || !changes.is_empty() || now_ms - self.seen.state.looked_ms > REMEMBER_MS;
        (self.seen.state.v, self.seen.state.looked_ms) = (1, now_ms);
        Ok(Look { changes })
    }

    /// What tells, without a look at each report, that all is as this look found it.
    pub(crate) fn stamped(&self) -> impl Iterator<Item = (PathBuf, Option<Signature>)> {
        let files = INBOXES.into_iter().chain([PRIORITIES]);
        let files =
            files.map(|path| (path, self.seen.state.files.get(path).and_then(|known| known.signature)));
        let all = files.chain(self.listed.iter().copied());
        all.map(|(path, signature)| (self.seen.folder.root().join(path), signature))
    }

    fn signature(&self, path: &str) -> Option<Signature> {
        self.seen.folder.entry(Path::new(path)).map(|entry| entry.signature)
    }

    /// The curator's files that are there, and those that were.
    fn curated(&self) -> BTreeSet<String> {
        let mut paths = BTreeSet::from([PRIORITIES.to_owned()]);
        for folder in REPORTS {
            let files = self.seen.folder.list(Path::new(folder)).into_iter();
            let files = files.filter(|entry| entry.kind == EntryKind::File);
            paths.extend(files.map(|entry| format!("{folder}/{}", entry.name)));
        }
        let known = self.seen.state.files.iter().filter(|(_, known)| !known.sha256.is_empty());
        paths.extend(known.map(|(path, _)| path.clone()));
        paths.retain(|path| Place::of(Path::new(path)) == Some(Place::Curated));
        paths
    }

    fn look_at_inbox(
        &mut self,
        path: &str,
        now_ms: i64,
        on_tamper: OnTamper,
    ) -> Result<Option<Change>, Problem> {
        let signature = self.signature(path);
        let known = self.seen.state.files.get(path).cloned();
        if known.as_ref().is_some_and(|known| known.signature == signature && signature.is_some()) {
            return Ok(None);
        }
        let bytes = match self.seen.folder.read(Path::new(path)) {
            Ok(bytes) => bytes.unwrap_or_default(),
            // What can't be read has lost everything; its copy is what is left of it.
            Err(_) => Vec::new(),
        };
        let Some(known) = known else {
            self.take_over(path, &bytes)?;
            return Ok(None);
        };
        let before = self.copy(&known.sha256).unwrap_or_default();
        let is_next = || known.next.as_deref().and_then(|next| self.copy(next));
        if bytes.starts_with(&before) || is_next().is_some_and(|next| bytes.starts_with(&next)) {
            self.take_over(path, &bytes)?;
            return Ok(None);
        }
        let is_told = known
            .told
            .as_deref()
            .and_then(|told| self.copy(told))
            .is_some_and(|told| bytes.starts_with(&told));
        let damaged = self.keep(&bytes)?;
        if !is_told {
            self.keep_version("damaged", path, now_ms, &bytes)?;
        }
        self.known(path, |known| (known.told, known.signature) = (Some(damaged), signature));
        if on_tamper == OnTamper::Restore {
            self.restore(path)?;
        }
        let why = if bytes.len() < before.len() { "lost entries" } else { "had entries changed" };
        let is_restored = on_tamper == OnTamper::Restore;
        Ok((!is_told || is_restored).then(|| Change {
            path: path.to_owned(),
            why: why.to_owned(),
            is_restored,
            suspects: Vec::new(),
        }))
    }

    /// What happened to a curator's file, and when, where that can be told; `None` where it is as it was.
    fn look_at_curated(
        &mut self,
        path: &str,
        now_ms: i64,
    ) -> Result<Option<(&'static str, Option<i64>)>, Problem> {
        let signature = self.signature(path);
        let known = self.seen.state.files.get(path).cloned();
        if known.as_ref().is_some_and(|known| known.signature == signature) {
            return Ok(None);
        }
        let bytes = self.seen.folder.read(Path::new(path)).unwrap_or_default();
        let hash = bytes.as_deref().map(|bytes| self.keep(bytes)).transpose()?.unwrap_or_default();
        let before = known.as_ref().map_or("", |known| &known.sha256);
        if hash == before {
            self.known(path, |known| known.signature = signature);
            return Ok(None);
        }
        if let Some(version) = self.copy(before) {
            self.keep_version("history", path, now_ms, &version)?;
        }
        let why = match (before.is_empty(), hash.is_empty()) {
            (true, _) => "was made",
            (false, true) => "was deleted",
            (false, false) => "was changed",
        };
        self.known(path, |known| (known.sha256, known.signature) = (hash, signature));
        // Only the system sets when a file was changed; a program can set when it was written.
        Ok(Some((why, signature.map(|signature| signature.4 / 1_000_000))))
    }

    /// Changes what is remembered of a file.
    fn known(&mut self, path: &str, change: impl FnOnce(&mut Known)) {
        change(self.seen.state.files.entry(path.to_owned()).or_default());
        self.is_changed = true;
    }

    /// Its present version counts as its writer's.
    fn confirm(&mut self, path: &str) {
        self.known(path, |known| {
            known.confirmed = Some(known.sha256.clone()).filter(|hash| !hash.is_empty());
        });
    }

    /// What an inbox says is what it must begin with from now on.
    fn take_over(&mut self, path: &str, bytes: &[u8]) -> Result<(), Problem> {
        let hash = self.keep(bytes)?;
        let signature = self.signature(path);
        self.known(path, |known| {
            *known = Known { confirmed: Some(hash.clone()), sha256: hash, signature, ..Known::default() };
        });
        Ok(())
    }

    /// Appends to an inbox: to the file, and to what must be in it.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn append(&mut self, path: &str, text: &str) -> Result<(), Problem> {
        let known = self.seen.state.files.get(path).cloned().unwrap_or_default();
        self.seen.folder.append(Path::new(path), text.as_bytes())?;
        let now = self.seen.folder.read(Path::new(path))?.unwrap_or_default();
        if known.told.is_none() {
            return self.take_over(path, &now);
        }
        // It lacks entries: what must be in it grows all the same.
        let mut before = self.copy(&known.sha256).unwrap_or_default();
        before.extend_from_slice(text.as_bytes());
        let (hash, damaged) = (self.keep(&before)?, self.keep(&now)?);
        let signature = self.signature(path);
        self.known(path, |known| {
            (known.sha256, known.told, known.signature) = (hash, Some(damaged), signature);
        });
        Ok(())
    }

    /// Leaves only `after` of an inbox that says `before`: the curator keeps the rest elsewhere. `false` where it says something else, or
    /// lacks entries; then it stays as it is.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn shorten(&mut self, path: &str, before: &[u8], after: &[u8]) -> Result<bool, Problem> {
        if self.state.files.get(path).is_none_or(|known| known.told.is_some()) {
            return Ok(false);
        }
        // Whoever looks after a run that was killed knows it by this.
        let next = self.keep(after)?;
        self.known(path, |known| known.next = Some(next));
        self.save()?;
        let is_done = self.folder.shorten(Path::new(path), before, after)?;
        let now = self.folder.read(Path::new(path))?.unwrap_or_default();
        if is_done {
            self.take_over(path, &now)?;
        } else {
            self.known(path, |known| known.next = None);
        }
        self.save()?;
        Ok(is_done)
    }

    /// Writes a file of the curator, as its writer or a person may.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn put(&mut self, path: &str, bytes: &[u8]) -> Result<(), Problem> {
        self.seen.folder.replace(Path::new(path), bytes)?;
        self.take_over(path, bytes)
    }

    /// What the curator has just written to a file of its own counts as its.
    ///
    /// # Errors
    /// When a copy can't be written.
    pub fn wrote(&mut self, path: &str, bytes: &[u8]) -> Result<(), Problem> {
        let is_known = self.seen.state.files.get(path).is_some_and(|known| {
            let signature = self.signature(path);
            known.signature == signature && known.confirmed.as_deref() == Some(&known.sha256)
        });
        if is_known { Ok(()) } else { self.take_over(path, bytes) }
    }

    /// Takes over a file of the curator as it is: a person says that it is right.
    ///
    /// # Errors
    /// When nothing is known of such a file, or it is an inbox.
    pub fn accept(&mut self, path: &str) -> Result<(), Problem> {
        if INBOXES.contains(&path) || !self.seen.state.files.contains_key(path) {
            return Err(Problem::new(
                Code::Unknown,
                format!("`{path}` is no file that could be accepted"),
                "`callosum context lint` lists those that were changed; an inbox is restored with `callosum context restore`",
            ));
        }
        self.confirm(path);
        Ok(())
    }

    /// Puts back what a file must say: of an inbox the entries that are missing, of a curator's file the last version that counts as
    /// its writer's. Whether that changed anything.
    ///
    /// # Errors
    /// When nothing is known of it, or it can't be written.
    pub fn restore(&mut self, path: &str) -> Result<bool, Problem> {
        let unknown = || {
            let remedy = "`callosum context lint` lists the files that were changed";
            Problem::new(Code::Unknown, format!("no version of `{path}` is kept"), remedy)
        };
        let known = self.seen.state.files.get(path).cloned().ok_or_else(unknown)?;
        let now = self.seen.folder.read(Path::new(path)).unwrap_or_default();
        let kept = if INBOXES.contains(&path) {
            let mut kept = self.copy(&known.sha256).ok_or_else(unknown)?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            kept.extend(
                inboxes::missing(path, &text(&kept), &text(now.as_deref().unwrap_or_default())).bytes(),
            );
            kept
        } else {
            known.confirmed.as_deref().and_then(|hash| self.copy(hash)).ok_or_else(unknown)?
        };
        if now.as_deref() == Some(&kept) {
            self.take_over(path, &kept)?;
            return Ok(false);
        }
        self.put(path, &kept)?;
        Ok(true)
    }

    /// Forgets a file that may go: that it is gone is no news then.
    pub fn forget(&mut self, path: &str) {
        self.is_changed |= self.seen.state.files.remove(path).is_some();
    }

    /// Remembers what a person decided about an item.
    pub fn decide(&mut self, id: &str, verdict: Verdict, now_ms: i64) {
        self.seen.state.decided.insert(id.to_owned(), Decided { verdict, at: to_rfc3339(now_ms) });
        self.is_changed = true;
    }

    /// Remembers that a command of ours wrote an item.
    pub fn has_written(&mut self, id: &str, now_ms: i64) {
        self.seen.state.written.insert(id.to_owned(), now_ms);
        self.is_changed = true;
    }

    /// Remembers what a session was told, and by what.
    pub fn tell(&mut self, session: &str, how: How, digest: &str, now_ms: i64) {
        let told = Told { at_ms: now_ms, digest: digest.to_owned(), how };
        self.seen.state.told.insert(session.to_owned(), told);
        self.is_changed = true;
    }

    fn keep(&self, bytes: &[u8]) -> Result<String, Problem> {
        let hash = sha256(bytes);
        let path = self.seen.home.join("copies").join(&hash);
        if fs::metadata(&path).is_ok_and(|found| found.len() == bytes.len() as u64) {
            return Ok(hash);
        }
        replace_file(&path, bytes).map(|()| hash)
    }

    /// Keeps in `history` what somebody saved, and saved over before it was read.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn keep_saved(&self, path: &str, now_ms: i64, bytes: &[u8]) -> Result<(), Problem> {
        self.keep_version("history", path, now_ms, bytes)
    }

    /// Keeps a version of a file that is no longer there, and only so many of them.
    fn keep_version(&self, folder: &str, path: &str, now_ms: i64, bytes: &[u8]) -> Result<(), Problem> {
        let name = path.replace('/', "~");
        replace_file(&self.seen.home.join(folder).join(format!("{name}.{now_ms:015}")), bytes)?;
        let Ok(home) = Folder::open(&self.home) else { return Ok(()) };
        let versions = home.list(Path::new(folder));
        let of_file = |known: &&str| known.rsplit_once('.').is_some_and(|(known, _)| known == name);
        let versions: Vec<&str> = versions.iter().map(|entry| entry.name.as_str()).filter(of_file).collect();
        for old in versions.iter().rev().skip(VERSIONS) {
            home.remove(&Path::new(folder).join(old))?;
        }
        Ok(())
    }

    /// Deletes copies of which nothing remembers any more.
    fn forget_copies(&self) {
        let Ok(home) = Folder::open(&self.home) else { return };
        let known = self.seen.state.files.values();
        let used: BTreeSet<&str> = known
            .flat_map(|known| {
                [Some(&known.sha256), known.confirmed.as_ref(), known.told.as_ref(), known.next.as_ref()]
            })
            .flatten()
            .map(String::as_str)
            .collect();
        for entry in home.list(Path::new("copies")).iter().filter(|entry| !used.contains(entry.name.as_str()))
        {
            // The next time does.
            let _ = home.remove(&Path::new("copies").join(&entry.name));
        }
        let Ok(sessions) = Folder::open(&self.home.with_file_name(ENDED)) else { return };
        let mut ended = sessions.list(Path::new(""));
        ended.sort_by_key(|entry| std::cmp::Reverse(entry.modified_ms));
        for entry in ended.iter().skip(MOST_ENDED) {
            let _ = sessions.remove(Path::new(&entry.name));
        }
    }
}

/// Remembers that a call of a session has ended: it changes nothing from now on.
pub fn call_ended(state_dir: &Path, session: &str, now_ms: i64) {
    let mut file = remembered_in(state_dir);
    file.push(ENDED);
    file.push(&*file_of(session));
    let write = || fs::write(&file, now_ms.to_string());
    if write().is_err() {
        // Where it can't be remembered, the call stays a suspect for longer.
        let folder = file.parent().unwrap_or(state_dir);
        let _ = DirBuilder::new().recursive(true).mode(0o700).create(folder).and_then(|()| write());
    }
}

/// When a call of a session ended last, milliseconds since the epoch.
fn ended_ms(ended: &Path, session: &str) -> Option<i64> {
    fs::read_to_string(ended.join(&*file_of(session))).ok()?.parse().ok()
}

/// The name of a session's file: its own where that is one everywhere, which saves every hook a digest.
fn file_of(session: &str) -> Cow<'_, str> {
    let may_stand = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    if (1..=64).contains(&session.len()) && session.bytes().all(may_stand) {
        Cow::Borrowed(session)
    } else {
        Cow::Owned(format!("_{}", id(&[session])))
    }
}

#[cfg(test)]
mod tests;
