//! The folders of shared contexts: `context.json` in the state directory, followed while it is edited. `callosum context init` writes it.
//!
//! It is configuration, as `tiers.json` is: it must outlive a journal that is lost, and a hook that lives for one call reads no journal.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use callosum_surroundings::real_path;
use serde::Deserialize;

use crate::model::text::one_line;
use crate::model::time::Stamp;
use crate::policy::{Folder, FolderMode, Policy};
use crate::rules::context_key::path_in;

use super::rules_file::{self, Signature, signature};
use super::state_dir::is_place;

/// The file in the state directory.
pub const FILE: &str = "context.json";

/// An edit is noticed by the next call after this time at the latest, milliseconds.
const LOOK_INTERVAL_MS: u64 = 5;
/// More folders than this are a mistake: each is looked for in every call.
const MAX_FOLDERS: usize = 16;

#[derive(Deserialize)]
struct Document {
    folders: Vec<Recorded>,
}

/// A folder as it was recorded. Who did that, and when, nothing here asks for.
#[derive(Deserialize)]
struct Recorded {
    path: String,
    /// As it was named, where that is a link.
    named: Option<String>,
    #[serde(default)]
    mode: FolderMode,
}

/// The policy that follows the file: the next call after an edit goes by it. While the file can't be used the last good one holds; where
/// there is none, only the state directory is kept.
#[derive(Debug)]
pub struct ContextFile {
    state_dir: PathBuf,
    home: String,
    looked: Option<Stamp>,
    seen: Option<Option<Signature>>,
    folders: Vec<Folder>,
    policy: Arc<Policy>,
    /// Why the file can't be used, while it can't.
    error: Option<String>,
}

impl ContextFile {
    /// The policy of a state directory; `home` is the user's. Nothing is read before the first [`ContextFile::refresh`].
    #[must_use]
    pub fn new(state_dir: &Path, home: &Path) -> Self {
        Self {
            state_dir: state_dir.to_owned(),
            home: home.to_string_lossy().into_owned(),
            looked: None,
            seen: None,
            folders: Vec::new(),
            policy: Arc::default(),
            error: None,
        }
    }

    /// What holds now.
    #[must_use]
    pub fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.policy)
    }

    /// Why the file can't be used, while it can't.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Looks whether the file changed, by one `stat`, and reads it then; not more often than every 5 ms. Whether the policy, or what is
    /// wrong with the file, is another one now.
    pub fn refresh(&mut self, now: &Stamp) -> bool {
        if self.looked.is_some_and(|looked| looked.is_close_to(now, LOOK_INTERVAL_MS)) {
            return false;
        }
        self.looked = Some(*now);
        let path = self.state_dir.join(FILE);
        // A relative one may be any project's.
        let found = if is_place(&self.state_dir).is_ok() { fs::metadata(&path).ok() } else { None };
        let looks = found.as_ref().map(signature);
        if self.seen.as_ref() == Some(&looks) {
            return false;
        }
        self.seen = Some(looks);
        let why = match found.map_or_else(|| Ok(Vec::new()), |found| read(&path, &found)) {
            Ok(recorded) => {
                let folders = recorded.into_iter().map(|recorded| recorded.folder(&self.home));
                let (good, bad): (Vec<_>, Vec<_>) = folders.partition(Result::is_ok);
                // Those that can be kept are, whatever the others are.
                let why = bad.into_iter().find_map(Result::err);
                if why.is_none() || !good.is_empty() {
                    self.folders = good.into_iter().flatten().collect();
                }
                why
            }
            Err(error) => Some(error),
        };
        self.error = why.map(|why| format!("`{}` {why}", path.display()));
        let state_dir = real_path(&self.state_dir).unwrap_or_else(|| self.state_dir.clone());
        let (real, set) = (state_dir.to_string_lossy(), self.state_dir.to_string_lossy());
        let paths = if real == set { vec![&*real] } else { vec![&*real, &*set] };
        self.policy = Arc::new(Policy::new(&paths, &self.home, &self.folders));
        true
    }
}

impl Recorded {
    /// The folder, by all paths that are known to lead there.
    fn folder(self, home: &str) -> Result<Folder, String> {
        let wrong = |what: &str| format!("names `{}`, which is {what}", one_line(&self.path, 200));
        let real = real_path(Path::new(&self.path)).ok_or_else(|| wrong("no absolute path"))?;
        // The home itself may be a link.
        let is_in_home = real.as_os_str().as_encoded_bytes().starts_with(home.as_bytes());
        let real_home = if is_in_home { None } else { real_path(Path::new(home)) };
        let in_home = real_home.and_then(|real_home| Some(real.strip_prefix(real_home).ok()?.to_owned()));
        let by_home = in_home.and_then(|rest| Path::new(home).join(rest).into_os_string().into_string().ok());
        let path = real.into_os_string().into_string().map_err(|_| wrong("not UTF-8"))?;
        let mut also = Vec::new();
        let others = [Some(self.path), self.named, by_home].into_iter().flatten();
        for other in others.filter(|other| *other != path) {
            let other = path_in("/", &other);
            if other != path && !also.contains(&other) {
                also.push(other);
            }
        }
        Ok(Folder { path, also, mode: self.mode })
    }
}

/// The folders that the file names.
fn read(path: &Path, found: &fs::Metadata) -> Result<Vec<Recorded>, String> {
    let text = rules_file::read_found(path, found)?;
    let document: Document = serde_json::from_str(&text)
        .map_err(|error| format!("can't be used: {}", one_line(&error.to_string(), 200)))?;
    if document.folders.len() > MAX_FOLDERS {
        return Err(format!("names more than {MAX_FOLDERS} folders"));
    }
    Ok(document.folders)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn at(ms: u64) -> Stamp {
        Stamp::default().plus_ms(ms)
    }

    #[test]
    fn a_broken_file_leaves_the_last_good_one_in_force_and_says_so() {
        let directory = tempfile::tempdir().unwrap();
        let mut file = ContextFile::new(directory.path(), Path::new("/home/me"));
        let write = |text: &str| fs::write(directory.path().join(FILE), text).unwrap();
        assert!(file.refresh(&at(10)) && file.folders.is_empty() && file.error().is_none());
        write(
            r#"{"folders":[{"path":"/w/shared-context","mode":"observe","by":"gw","at":"2026-11-24T00:00:00Z"}]}"#,
        );
        assert!(file.refresh(&at(20)) && file.error().is_none());
        let known = vec![Folder {
            path: "/w/shared-context".to_owned(),
            also: Vec::new(),
            mode: FolderMode::Observe,
        }];
        assert_eq!(file.folders, known);
        for broken in [
            "{",
            r#"{"folders":[{"path":"relative"}]}"#,
            r#"{"folders":[{"path":"/x","mode":"maybe"}]}"#,
            "[]",
        ] {
            write(broken);
            assert!(file.refresh(&at(30 + broken.len() as u64 * 10)), "{broken}");
            assert!(file.error().is_some_and(|error| error.contains(FILE)), "{broken}");
            assert_eq!(file.folders, known, "{broken}");
        }
        fs::remove_file(directory.path().join(FILE)).unwrap();
        assert!(file.refresh(&at(5_000)) && file.folders.is_empty() && file.error().is_none());
        assert!(!file.refresh(&at(5_100)));
    }
}
