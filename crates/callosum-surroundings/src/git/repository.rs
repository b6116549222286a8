//! A repository: where it lies, which branch is checked out, where a push goes.

use std::path::{Path, PathBuf};

use super::config::ConfigFile;
use super::configured::{About, Configured};
use crate::files::{Files, Kind};
use crate::place::{Place, path_from};

/// A push to more addresses is not told apart.
const MAX_ADDRESSES: usize = 32;

/// The repository around a folder.
#[derive(Clone, Debug)]
pub struct Repository {
    top: PathBuf,
    branch: Option<String>,
    configured: Configured,
}

/// Where a repository's files lie.
struct Dirs {
    /// Of the working tree; of a bare repository, its own.
    top: PathBuf,
    git_dir: PathBuf,
    /// What worktrees share.
    common_dir: PathBuf,
}

impl Repository {
    pub(crate) fn around(files: &Files, place: &Place<'_>) -> Option<Self> {
        let dirs = Dirs::around(files, place)?;
        let head = files.read::<String>(&dirs.git_dir.join("HEAD"))?;
        let branch = head.trim().strip_prefix("ref:").map(str::trim);
        // `.invalid` is what stands there when the references are in tables.
        let branch =
            branch.and_then(|name| name.strip_prefix("refs/heads/")).filter(|name| *name != ".invalid");
        let mut own = vec![dirs.common_dir.join("config")];
        // It counts in that file alone.
        if own
            .first()
            .and_then(|path| files.read::<ConfigFile>(path))
            .is_some_and(|file| file.is_for_worktrees())
        {
            own.push(dirs.git_dir.join("config.worktree"));
        }
        let about = About { git_dir: &dirs.git_dir, branch };
        let configured = Configured::read(files, place, &own, Some(about));
        Some(Self { top: dirs.top, branch: branch.map(str::to_owned), configured })
    }

    /// The folder of the repository that `place` lies in, one for all its working trees: that with `.git` in it, a bare repository
    /// itself.
    pub(crate) fn folder(files: &Files, place: &Place<'_>) -> Option<PathBuf> {
        let common_dir = Dirs::around(files, place)?.common_dir;
        Some(match common_dir.parent() {
            Some(parent) if common_dir.file_name().is_some_and(|name| name == ".git") => parent.to_owned(),
            _ => common_dir,
        })
    }

    /// The top of its working tree.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The branch that is checked out; `None` when none is.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// The identities of the repositories that a push to `remote` goes to: a name, an address, or what the configuration
    /// says when none is named. Empty when it can't be told.
    pub(crate) fn pushed_to(&self, remote: Option<&str>, files: &Files, place: &Place<'_>) -> Vec<String> {
        let Some(remote) = remote.or_else(|| self.push_remote()) else { return Vec::new() };
        let mut addresses = self.configured.all("remote", remote, "pushurl");
        let mut rewritten: Vec<String> = Vec::new();
        if addresses.is_empty() {
            addresses = self.configured.all("remote", remote, "url");
            if addresses.is_empty() {
                addresses.push(remote);
            }
            // As Git does it: where one is only pushed to under another address, the others are not pushed to.
            rewritten =
                addresses.iter().filter_map(|address| self.configured.push_rewritten(address)).collect();
        }
        if rewritten.is_empty() {
            rewritten = addresses.into_iter().map(|address| self.configured.rewritten(address)).collect();
        }
        let mut identities: Vec<String> = Vec::new();
        for address in rewritten.iter().take(MAX_ADDRESSES) {
            match self.configured.identity_from(address, &self.top, place, files) {
                Some(identity) if !identities.contains(&identity) => identities.push(identity),
                Some(_) => {}
                None => return Vec::new(),
            }
        }
        identities
    }

    /// The remote that a push without one goes to, by git-push(1).
    fn push_remote(&self) -> Option<&str> {
        let branch = self.branch.as_deref();
        let of_branch = |name| branch.and_then(|branch| self.configured.last("branch", Some(branch), name));
        of_branch("pushremote")
            .or_else(|| self.configured.last("remote", None, "pushdefault"))
            .or_else(|| of_branch("remote"))
            .or_else(|| match self.configured.remotes().as_slice() {
                [only] => Some(*only),
                remotes => remotes.contains(&"origin").then_some("origin"),
            })
    }

    /// The branches that a push without any writes, by `push.default` and `remote.<name>.push`: `matching`, `--mirror` and `--all`
    /// stand for several. Empty when it can't be told, or nothing is pushed.
    #[must_use]
    pub fn pushed_branches(&self, remote: Option<&str>) -> Vec<String> {
        let Some(remote) = remote.or_else(|| self.push_remote()) else { return Vec::new() };
        if self.configured.last("remote", Some(remote), "mirror").is_some_and(|value| value != "false") {
            return vec!["--mirror".to_owned()];
        }
        let refspecs = self.configured.all("remote", remote, "push");
        if !refspecs.is_empty() {
            return refspecs.into_iter().filter_map(|refspec| self.destination(refspec)).collect();
        }
        let branch = self.branch.as_deref();
        let upstream = branch.and_then(|branch| self.configured.last("branch", Some(branch), "merge"));
        let upstream = upstream.map(|name| name.strip_prefix("refs/heads/").unwrap_or(name));
        let pushed = match self.configured.last("push", None, "default") {
            Some("nothing") => None,
            Some("matching") => Some("matching"),
            Some("upstream" | "tracking") => upstream,
            _ => branch,
        };
        pushed.map(str::to_owned).into_iter().collect()
    }

    /// What `[+]source[:destination]` writes, without `refs/heads/` and `refs/tags/`; `None` when that can't be told.
    #[must_use]
    pub fn destination(&self, refspec: &str) -> Option<String> {
        let refspec = refspec.strip_prefix('+').unwrap_or(refspec);
        if refspec == ":" {
            return Some("matching".to_owned());
        }
        let (source, destination) = refspec.rsplit_once(':').unwrap_or((refspec, refspec));
        let name = if destination.is_empty() { source } else { destination };
        if name.contains('*') {
            return Some("--all".to_owned());
        }
        let short = ["refs/heads/", "refs/tags/"].iter().find_map(|prefix| name.strip_prefix(prefix));
        match short.unwrap_or(name) {
            "HEAD" | "@" => self.branch.clone(),
            name => Some(name.to_owned()),
        }
    }

    /// The repository that the programs of forges (`gh`, `glab`) work on when none is named: the remote they were told to take, else
    /// `upstream`, `github`, `origin`, or the first one.
    pub(crate) fn forge(&self, files: &Files, place: &Place<'_>) -> Option<String> {
        let remotes = self.configured.remotes();
        let identity = |remote: &str| {
            let address = self.address_of(remote)?;
            let address = self.configured.rewritten(address);
            self.configured.identity_from(&address, &self.top, place, files)
        };
        for key in ["gh-resolved", "glab-resolved"] {
            for remote in &remotes {
                match self.configured.last("remote", Some(remote), key) {
                    Some("base" | "head") => return identity(remote),
                    Some(named) if named.contains('/') => {
                        let own = identity(remote)?;
                        let host = own.split('/').next()?;
                        return Some(format!("{host}/{}", named.to_lowercase()));
                    }
                    _ => {}
                }
            }
        }
        let usual = ["upstream", "github", "origin"].into_iter().find(|name| remotes.contains(name));
        identity(usual.or_else(|| remotes.first().copied())?)
    }

    /// The address of a remote, as it is written; for the links of hosting services that are one.
    pub(crate) fn address_of(&self, remote: &str) -> Option<&str> {
        self.configured.all("remote", remote, "url").first().copied()
    }
}

impl Dirs {
    fn around(files: &Files, place: &Place<'_>) -> Option<Self> {
        if let Some(git_dir) = place.var("GIT_DIR") {
            let git_dir = place.path(&git_dir);
            let top =
                place.var("GIT_WORK_TREE").map_or_else(|| place.folder.to_owned(), |top| place.path(&top));
            return Some(Self::with(files, top, git_dir));
        }
        for folder in place.folders() {
            let dot_git = folder.join(".git");
            match files.kind(&dot_git) {
                Some(Kind::Folder) => return Some(Self::with(files, folder.to_owned(), dot_git)),
                Some(Kind::File) => {
                    let text = files.read::<String>(&dot_git)?;
                    let git_dir = path_from(folder, text.trim().strip_prefix("gitdir:")?.trim(), None);
                    return Some(Self::with(files, folder.to_owned(), git_dir));
                }
                None => {}
            }
            let is_bare = files.kind(&folder.join("HEAD")) == Some(Kind::File)
                && files.kind(&folder.join("objects")) == Some(Kind::Folder)
                && files.kind(&folder.join("refs")) == Some(Kind::Folder);
            if is_bare {
                return Some(Self::with(files, folder.to_owned(), folder.to_owned()));
            }
        }
        None
    }

    fn with(files: &Files, top: PathBuf, git_dir: PathBuf) -> Self {
        let common = files.read::<String>(&git_dir.join("commondir"));
        let common_dir =
            common.map_or_else(|| git_dir.clone(), |path| path_from(&git_dir, path.trim(), None));
        Self { top, git_dir, common_dir }
    }
}
