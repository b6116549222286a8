//! Where a path really leads.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// At most this many links are followed, as Linux does.
const MAX_LINKS: usize = 40;
/// Longer paths lead nowhere.
const MAX_BYTES: usize = 4096;

/// An absolute path with its links followed, as far as it exists; what does not exist is taken as it is written. `None` for a relative
/// one, and where links lead in a circle.
#[must_use]
pub fn real_path(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() || path.as_os_str().len() > MAX_BYTES {
        return None;
    }
    // The system is faster, where all of it exists.
    if let Ok(real) = fs::canonicalize(path) {
        return Some(real);
    }
    let mut real = PathBuf::from("/");
    let mut links = 0;
    // Those that come next are at the end.
    let mut waiting: Vec<PathBuf> = vec![path.to_owned()];
    while let Some(next) = waiting.pop() {
        let mut components = next.components();
        let Some(component) = components.next() else { continue };
        let rest = components.as_path().to_owned();
        if !rest.as_os_str().is_empty() {
            waiting.push(rest);
        }
        match component {
            Component::RootDir => real = PathBuf::from("/"),
            Component::CurDir | Component::Prefix(_) => {}
            Component::ParentDir => {
                real.pop();
            }
            Component::Normal(name) => {
                let whole = real.join(name);
                match fs::read_link(&whole) {
                    Ok(target) => {
                        links += 1;
                        if links > MAX_LINKS || target.as_os_str().len() > MAX_BYTES {
                            return None;
                        }
                        waiting.push(target);
                    }
                    Err(_) => real = whole,
                }
            }
        }
    }
    Some(real)
}

/// Whether both paths lead to one file or folder, whatever they are called: on disks that tell no case apart.
#[must_use]
pub fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino())).ok();
    identity(one).is_some_and(|identity_of_one| identity(other) == Some(identity_of_one))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_as_far_as_there_is_something() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        symlink("a/b", root.join("link")).unwrap();
        symlink(root.join("nowhere/x"), root.join("dangling")).unwrap();
        symlink("circle", root.join("circle")).unwrap();
        for (path, real) in [
            ("a/b", "a/b"),
            ("link", "a/b"),
            ("link/c/d", "a/b/c/d"),
            ("link/../c", "a/c"),
            ("a/./b/../x", "a/x"),
            ("dangling/y", "nowhere/x/y"),
            ("no/../a", "a"),
        ] {
            assert_eq!(real_path(&root.join(path)), Some(root.join(real)), "{path}");
        }
        assert_eq!(real_path(&root.join("circle/x")), None);
        assert_eq!(real_path(Path::new("a")), None);
        assert!(
            is_same(&root.join("link"), &root.join("a/b")) && !is_same(&root.join("a"), &root.join("no"))
        );
    }
}
