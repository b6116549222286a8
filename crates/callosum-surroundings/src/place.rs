//! Where a command runs.

use std::path::{Component, Path, PathBuf};

/// A folder deeper than this is not looked for what lies further up.
const MAX_LEVELS: usize = 64;

/// The folder and the environment of a command.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The folder, absolute.
    pub folder: &'a Path,
    /// The value of an environment variable, as the command sees it.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl Place<'_> {
    /// The folder, and those above it.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folder.ancestors().take(MAX_LEVELS)
    }

    /// A variable that is set to something.
    pub(crate) fn var(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// The user's home folder.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        // Collected: without a slash at its end, which would show in patterns made from it.
        let home: PathBuf = Path::new(&self.var("HOME")?).components().collect();
        home.is_absolute().then_some(home)
    }

    /// The folder for the user's configuration, by the XDG base directory specification.
    pub(crate) fn config_home(&self) -> Option<PathBuf> {
        let set = self.var("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        set.or_else(|| self.home().map(|home| home.join(".config")))
    }

    /// A path as the command would find it: from its folder, `~` for home.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        path_from(self.folder, path, self.home().as_deref())
    }
}

/// `path` from `base`, with `~/` for `home`, without `.` and `..`. Links are not followed.
pub(crate) fn path_from(base: &Path, path: &str, home: Option<&Path>) -> PathBuf {
    let whole = match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => base.join(path),
    };
    let mut plain = PathBuf::new();
    for component in whole.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_path_is_plain() {
        let home = Path::new("/home/me");
        let from = |path| path_from(Path::new("/srv/app"), path, Some(home)).to_str().unwrap().to_owned();
        assert_eq!(from("../x/./y"), "/srv/x/y");
        assert_eq!(from("~/y"), "/home/me/y");
        assert_eq!(from("~"), "/home/me");
        assert_eq!(from("~me/y"), "/srv/app/~me/y");
        assert_eq!(from("/a/../../b"), "/b");
    }
}
