//! Setting a folder up, and switching it off.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::Problem;
use crate::folder::{Folder, replace_file};
use crate::layout::{FEEDBACK_INBOX, FOLDERS, PRIORITIES, PRIORITIES_INBOX};
use crate::priorities::{INBOX_TEMPLATE, TEMPLATE};
use crate::registry::{PolicyMode, Recorded, Registry, home_of};
use crate::tend;

/// What stands before our line in `.git/info/exclude`.
const EXCLUDE_NOTE: &str = "# Callosum: the shared context. `callosum context off` takes this out.";
/// Bytes of such a file that is changed at most.
const EXCLUDE_BYTES: u64 = 1 << 20;

/// What `init` or `off` did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Where the folder really lies.
    pub dir: PathBuf,
    /// What the policy does now.
    pub mode: PolicyMode,
    /// What was made in it: files and folders below it.
    pub created: Vec<String>,
    /// The file of the surrounding repository that was changed, and the line that was added or taken out.
    pub exclude: Option<(PathBuf, String)>,
    /// Where it lay before somebody moved it: what was decided there holds here.
    pub moved_from: Option<PathBuf>,
}

/// Makes what is missing at `root`, records it in the state directory, and keeps the surrounding repository from tracking it.
/// Nothing that is there is overwritten.
///
/// # Errors
/// When the folder can't be used, or something can't be written.
pub fn init(root: &Path, state_dir: &Path, mode: PolicyMode, by: &str, at: &str) -> Result<Report, Problem> {
    check_root(root, state_dir)?;
    let mut made = fs::DirBuilder::new();
    made.recursive(true).mode(0o700).create(root).map_err(|error| Problem::io("make", root, &error))?;
    let folder = Folder::open(root)?;
    check_root(folder.root(), state_dir)?;
    let facts = fs::metadata(folder.root()).map_err(|error| Problem::io("look at", root, &error))?;
    let us = rustix::process::geteuid().as_raw();
    if facts.uid() != us || facts.mode() & 0o022 != 0 {
        return Err(Problem::input(
            format!("`{}` belongs to another user, or others may write there", folder.root().display()),
            format!("give a folder of your own, or run `chmod go-w {}`", folder.root().display()),
        ));
    }
    let mut created = Vec::new();
    for name in FOLDERS {
        if folder.make_folder(Path::new(name))? {
            created.push(format!("{name}/"));
        }
    }
    for (name, text) in [(PRIORITIES, TEMPLATE), (PRIORITIES_INBOX, INBOX_TEMPLATE), (FEEDBACK_INBOX, "")] {
        if folder.create(Path::new(name), text.as_bytes())? {
            created.push(name.to_owned());
        }
    }
    let _held = Registry::hold(state_dir)?;
    let mut registry = Registry::read(state_dir)?;
    let moved_from = take_along(&mut registry, state_dir, &folder)?;
    let path = folder.root().to_owned();
    let named = (root != path).then(|| root.to_owned());
    registry.record(Recorded { path: path.clone(), named, mode, by: by.to_owned(), at: at.to_owned() });
    registry.write(state_dir)?;
    let exclude = exclude(&path, true)?;
    Ok(Report { dir: path, mode, created, exclude, moved_from })
}

/// What is remembered of a folder that is not where it was any more, and says here what it must say: it was moved. Without that, what was
/// taken over or rejected once would come again.
fn take_along(
    registry: &mut Registry,
    state_dir: &Path,
    folder: &Folder,
) -> Result<Option<PathBuf>, Problem> {
    let home = home_of(state_dir, folder.root());
    if registry.of(folder.root()).is_some() || home.exists() {
        return Ok(None);
    }
    let is_gone = |recorded: &&Recorded| {
        fs::canonicalize(&recorded.path).ok().as_deref() != Some(recorded.path.as_path())
    };
    let was_here = |recorded: &&Recorded| tend::is_of(state_dir, &recorded.path, folder);
    let found = registry.folders.iter().rev().filter(is_gone).find(was_here);
    let Some(from) = found.map(|recorded| recorded.path.clone()) else { return Ok(None) };
    let remembered = home_of(state_dir, &from);
    fs::rename(&remembered, &home).map_err(|error| Problem::io("move", &remembered, &error))?;
    registry.folders.retain(|recorded| recorded.path != from);
    Ok(Some(from))
}

/// Records that the folder is not in use any more, and takes our line out of the surrounding repository. Its files stay.
///
/// # Errors
/// When nothing is recorded of it, or something can't be written.
pub fn off(root: &Path, state_dir: &Path, by: &str, at: &str) -> Result<Report, Problem> {
    let path = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let _held = Registry::hold(state_dir)?;
    let mut registry = Registry::read(state_dir)?;
    if registry.of(&path).is_none() {
        return Err(Problem::input(
            format!("no shared context is recorded at `{}`", path.display()),
            "name its folder in `sharedContextDir`, or by CALLOSUM_SHARED_CONTEXT_DIR",
        ));
    }
    let mode = PolicyMode::Off;
    registry.record(Recorded { path: path.clone(), named: None, mode, by: by.to_owned(), at: at.to_owned() });
    registry.write(state_dir)?;
    let exclude = exclude(&path, false)?;
    Ok(Report { dir: path, mode, created: Vec::new(), exclude, moved_from: None })
}

/// Whether a folder can hold a shared context at all.
fn check_root(root: &Path, state_dir: &Path) -> Result<(), Problem> {
    let state_dir = fs::canonicalize(state_dir).unwrap_or_else(|_| state_dir.to_owned());
    let home = std::env::home_dir().unwrap_or_default();
    let why = if !root.is_absolute() {
        "is relative, and so a different folder in each process"
    } else if root.parent().is_none() || root == home {
        "holds much more than a shared context"
    } else if root.starts_with(&state_dir) || state_dir.starts_with(root) {
        "and the state directory lie in each other"
    } else if root.to_str().is_none() || root.as_os_str().as_encoded_bytes().contains(&b'\n') {
        "has a name that can't be written down"
    } else {
        return Ok(());
    };
    Err(Problem::input(
        format!("`{}` {why}", root.display()),
        "give the absolute path of a folder of its own",
    ))
}

/// The nearest repository around a folder: its work tree, and its `info/exclude`. A repository that the folder is itself is the
/// person's who keeps it there.
fn repository(root: &Path) -> Option<(PathBuf, PathBuf)> {
    let tree = root.parent()?.ancestors().find(|folder| folder.join(".git").exists())?;
    let git = tree.join(".git");
    if git.is_dir() {
        return Some((tree.to_owned(), git.join("info/exclude")));
    }
    // A work tree's or a submodule's: the file says where the repository is, and that one's file where the common one.
    let said = |file: &Path| fs::read_to_string(file).ok().filter(|text| text.len() < 4096);
    let git = tree.join(said(&git)?.strip_prefix("gitdir:")?.trim());
    let common = said(&git.join("commondir")).map_or_else(|| git.clone(), |common| git.join(common.trim()));
    Some((tree.to_owned(), common.join("info/exclude")))
}

/// Puts our line into `.git/info/exclude`, or takes it out: the file and the line, where that changed something.
fn exclude(root: &Path, wanted: bool) -> Result<Option<(PathBuf, String)>, Problem> {
    if root.join(".git").exists() {
        return Ok(None);
    }
    let Some((tree, file)) = repository(root) else { return Ok(None) };
    let Ok(relative) = root.strip_prefix(&tree) else { return Ok(None) };
    let line = format!("/{}/", escaped(&relative.to_string_lossy()));
    let failed = |step: &str, error: &io::Error| Problem::io(step, &file, error);
    let before = match fs::metadata(&file) {
        Ok(found) if found.len() > EXCLUDE_BYTES => return Ok(None),
        Ok(_) => fs::read(&file).map_err(|error| failed("read", &error))?,
        Err(_) => Vec::new(),
    };
    let Ok(before) = String::from_utf8(before) else { return Ok(None) };
    let ours = format!("{EXCLUDE_NOTE}\n{line}\n");
    let after = match (before.contains(&ours), wanted) {
        (true, true) | (false, false) => return Ok(None),
        (true, false) => before.replacen(&ours, "", 1),
        (false, true) if before.lines().any(|known| known == line) => return Ok(None),
        (false, true) => {
            let end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
            format!("{before}{end}{ours}")
        }
    };
    // A link there is followed: what is written is what Git reads.
    let real = fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
    let mode = fs::metadata(&real).map(|found| found.permissions());
    replace_file(&real, after.as_bytes())?;
    if let Ok(mode) = mode {
        fs::set_permissions(&real, mode).map_err(|error| failed("set the mode of", &error))?;
    }
    Ok(Some((file, line)))
}

/// A path as a pattern of Git that means it alone.
fn escaped(path: &str) -> String {
    let special = |c: char| matches!(c, '\\' | '*' | '?' | '[' | ' ' | '#' | '!');
    path.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::tend::{Tender, Verdict};
    use callosum_core::model::settings::OnTamper;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::Duration;

    fn set_up(root: &Path, state: &Path) -> Result<Report, Problem> {
        init(root, state, PolicyMode::Enforce, "here", "2026-11-24T10:15:00.000Z")
    }

    #[test]
    fn of_many_that_are_set_up_at_once_each_is_recorded() {
        let (state, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = |number: usize| parent.path().join(number.to_string());
        std::thread::scope(|scope| {
            for number in 0..16 {
                let (root, state) = (root(number), state.path());
                scope.spawn(move || set_up(&root, state).unwrap());
            }
        });
        let registry = Registry::read(state.path()).unwrap();
        let lost = (0..16).find(|number| registry.of(&fs::canonicalize(root(*number)).unwrap()).is_none());
        assert_eq!(lost, None);
    }

    #[test]
    fn what_is_missing_is_made_and_nothing_is_overwritten() {
        let (state, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = parent.path().join("shared-context");
        let first = set_up(&root, state.path()).unwrap();
        assert_eq!(first.created.len(), FOLDERS.len() + 3);
        assert_eq!(fs::metadata(&root).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(root.join(PRIORITIES)).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(root.join(PRIORITIES), "mine").unwrap();
        fs::remove_dir(root.join("rubrics")).unwrap();
        assert_eq!(set_up(&root, state.path()).unwrap().created, ["rubrics/"]);
        assert_eq!(fs::read_to_string(root.join(PRIORITIES)).unwrap(), "mine");
        let real = fs::canonicalize(&root).unwrap();
        assert_eq!(Registry::read(state.path()).unwrap().of(&real).unwrap().mode, PolicyMode::Enforce);
        off(&root, state.path(), "here", "").unwrap();
        assert_eq!(Registry::read(state.path()).unwrap().in_use().count(), 0);
        assert!(root.join(PRIORITIES).exists());
    }

    #[test]
    fn a_folder_that_was_moved_takes_along_what_is_remembered_of_it_and_another_gets_nothing() {
        let (state, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let parent = fs::canonicalize(parent.path()).unwrap();
        let (old, new, other) = (parent.join("old"), parent.join("new"), parent.join("other"));
        set_up(&old, state.path()).unwrap();
        let tender = |root: &Path| {
            let mut tender = Tender::of(Folder::open(root).unwrap(), state.path(), Duration::ZERO).unwrap();
            tender.look(1, OnTamper::Report, &mut |_| Vec::new()).unwrap();
            tender
        };
        let mut before = tender(&old);
        before.append(PRIORITIES_INBOX, "\n## 2026-11-24T10:00:00Z (bob)\n\nOne\n").unwrap();
        before.decide("0123456789ab", Verdict::Rejected, 1);
        before.save().unwrap();
        drop(before);
        fs::rename(&old, &new).unwrap();
        assert_eq!(set_up(&other, state.path()).unwrap().moved_from, None, "it says something else");
        assert_eq!(tender(&other).decided("0123456789ab"), None);
        assert_eq!(set_up(&new, state.path()).unwrap().moved_from.as_deref(), Some(old.as_path()));
        assert!(tender(&new).decided("0123456789ab").is_some());
        let registry = Registry::read(state.path()).unwrap();
        assert!(registry.of(&old).is_none() && registry.of(&new).is_some());
        // A copy is another folder, as long as the first is there.
        let copied = std::process::Command::new("cp").arg("-a").args([&new, &old]).status().unwrap();
        assert!(copied.success());
        assert_eq!(set_up(&old, state.path()).unwrap().moved_from, None);
        assert_eq!(tender(&old).decided("0123456789ab"), None);
    }

    #[test]
    fn no_link_is_followed_out_and_no_place_of_others_is_taken() {
        let (state, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, outside) = (parent.path().join("shared"), parent.path().join("outside"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&outside).unwrap();
        symlink(&outside, root.join("roundtable")).unwrap();
        assert!(set_up(&root, state.path()).unwrap_err().message.contains("roundtable"));
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        for bad in [
            Path::new("/"),
            Path::new("x"),
            state.path(),
            &state.path().join("x"),
            state.path().parent().unwrap(),
        ] {
            assert!(set_up(bad, state.path()).is_err(), "{}", bad.display());
        }
        fs::set_permissions(&outside, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(set_up(&outside, state.path()).unwrap_err().remedy.contains("chmod"));
    }

    #[test]
    fn the_repository_around_it_is_told_and_gets_its_file_back() {
        let (state, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let exclude = parent.path().join(".git/info/exclude");
        fs::create_dir_all(exclude.parent().unwrap()).unwrap();
        fs::write(&exclude, "*.swp").unwrap();
        let root = parent.path().join("my shared");
        let (_, line) = set_up(&root, state.path()).unwrap().exclude.unwrap();
        assert_eq!(line, "/my\\ shared/");
        assert!(fs::read_to_string(&exclude).unwrap().ends_with("/my\\ shared/\n"));
        assert_eq!(set_up(&root, state.path()).unwrap().exclude, None);
        off(&root, state.path(), "here", "").unwrap();
        assert_eq!(fs::read_to_string(&exclude).unwrap(), "*.swp\n");
    }
}
