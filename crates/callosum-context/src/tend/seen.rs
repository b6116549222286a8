//! A folder as it was when it was looked at last.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Problem;
use crate::folder::Folder;
use crate::registry::home_of;

use super::state::{Decided, Pending, State, Told};

/// What may be read of a folder that is looked after. Who only looks gets it by [`Seen::last`], and keeps nobody from anything.
#[derive(Debug)]
pub struct Seen {
    pub(super) folder: Folder,
    pub(super) home: PathBuf,
    pub(super) state: State,
}

impl Seen {
    /// The folder as it was when somebody looked after it last. Leaves no trace.
    ///
    /// # Errors
    /// When what is remembered of it can't be read.
    pub fn last(folder: Folder, state_dir: &Path) -> Result<Self, Problem> {
        let home = home_of(state_dir, folder.root());
        Self::read(folder, home)
    }

    pub(super) fn read(folder: Folder, home: PathBuf) -> Result<Self, Problem> {
        let path = home.join("state.json");
        let state = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                let remedy = "delete it, look at the folder yourself, and run `callosum context init`";
                Problem::input(format!("`{}` can't be read: {error}", path.display()), remedy)
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => State::default(),
            Err(error) => return Err(Problem::io("read", &path, &error)),
        };
        Ok(Self { folder, home, state })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Where its copies are kept, in the state directory.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The files that are not as they should be, as the last look left them.
    #[must_use]
    pub fn pending(&self) -> Vec<Pending> {
        self.state.pending()
    }

    /// The last version of a curator's file that nobody but its writer or a person can have made.
    #[must_use]
    pub fn confirmed(&self, path: &str) -> Option<String> {
        let bytes = self.copy(self.state.files.get(path)?.confirmed.as_deref()?)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What a file that is not as it should be must say, and what it said instead when it was looked at last.
    #[must_use]
    pub fn before_and_now(&self, pending: &Pending) -> (String, String) {
        let text = |hash: &str| {
            let bytes = self.copy(hash).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let before = self.state.files.get(&pending.path).map(|known| match pending.is_inbox {
            true => text(&known.sha256),
            false => text(known.confirmed.as_deref().unwrap_or_default()),
        });
        (before.unwrap_or_default(), text(&pending.version))
    }

    /// The paths in one of the curator's folders of which such a version is there, in order.
    #[must_use]
    pub fn confirmed_in(&self, folder: &str) -> Vec<String> {
        let known = self.state.files.iter().filter(|(_, known)| known.confirmed.is_some());
        known.filter(|(path, _)| Path::new(path).starts_with(folder)).map(|(path, _)| path.clone()).collect()
    }

    /// What a person decided about an item.
    #[must_use]
    pub fn decided(&self, id: &str) -> Option<&Decided> {
        self.state.decided.get(id)
    }

    /// Whether a command of ours wrote an item, not long ago.
    #[must_use]
    pub fn is_written(&self, id: &str) -> bool {
        self.state.written.contains_key(id)
    }

    /// What a session was told of the folder last.
    #[must_use]
    pub fn told(&self, session: &str) -> Option<&Told> {
        self.state.told.get(session)
    }

    /// Bytes of all copies.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        Folder::open(&self.home).map_or(0, |home| home.bytes())
    }

    pub(super) fn copy(&self, hash: &str) -> Option<Vec<u8>> {
        (!hash.is_empty()).then(|| fs::read(self.home.join("copies").join(hash)).ok())?
    }
}
