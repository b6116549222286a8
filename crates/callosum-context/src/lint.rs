//! What is wrong with a folder.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::Serialize;

use crate::feedback;
use crate::folder::{EntryKind, FILE_BYTES, Folder, UNFINISHED, is_conflicted};
use crate::inbox;
use crate::layout::{FEEDBACK_INBOX, FOLDERS, KPIS, OUTPUTS, PRIORITIES, PRIORITIES_INBOX, STAGING};
use crate::limits::{ITEM_BYTES, TREE_BYTES};
use crate::names::AgentName;
use crate::tend::Tender;

/// Findings of one kind at most.
const MOST: usize = 20;
/// An inbox from so many bytes on is large: nobody takes its entries over.
const LARGE_INBOX: u64 = FILE_BYTES / 2;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The file or folder, below the folder; empty for the folder itself.
    pub path: String,
    /// What is wrong: a clause.
    pub what: String,
    /// What to do about it: a clause.
    pub remedy: String,
}

impl Finding {
    fn new(path: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { path: path.into(), what: what.into(), remedy: remedy.into() }
    }
}

/// Why files in a folder may change or come twice without anybody on this machine writing: it is synchronised, or another machine's.
#[must_use]
pub fn away(root: &Path) -> Option<String> {
    const SYNCHRONISED: [&str; 10] = [
        "dropbox",
        "onedrive",
        "google drive",
        "googledrive",
        "icloud drive",
        "mobile documents",
        "nextcloud",
        "owncloud",
        "pcloud",
        "syncthing",
    ];
    let names = root.components().filter_map(|part| part.as_os_str().to_str());
    let found =
        names.map(str::to_lowercase).find(|part| SYNCHRONISED.iter().any(|name| part.starts_with(name)));
    let marked =
        root.ancestors().any(|folder| folder.join(".stfolder").exists() || folder.join(".dropbox").exists());
    if found.is_some() || marked {
        return Some("it lies in a folder that a program synchronises with other machines".to_owned());
    }
    network(root).map(|system| format!("it lies on a network file system ({system})"))
}

/// Whether a path lies on a disk of this machine, as far as the system says so.
pub(crate) fn is_on_this_machine(root: &Path) -> bool {
    cfg!(target_os = "linux") && network(root).is_none()
}

/// The network file system on which a path lies.
#[cfg(target_os = "linux")]
fn network(root: &Path) -> Option<&'static str> {
    // statfs(2); FUSE is sshfs, rclone and their like.
    const KNOWN: [(u64, &str); 8] = [
        (0x6969, "NFS"),
        (0x517b, "SMB"),
        (0xff53_4d42, "CIFS"),
        (0xfe53_4d42, "SMB2"),
        (0x6573_5546, "FUSE"),
        (0x0102_1997, "9P"),
        (0x00c3_6400, "Ceph"),
        (0x5346_414f, "AFS"),
    ];
    // Its type is another one with each C library.
    let magic = rustix::fs::statfs(root).ok()?.f_type as u64 & 0xffff_ffff;
    KNOWN.iter().find(|(known, _)| *known == magic).map(|(_, name)| *name)
}

/// The same where the system does not say.
#[cfg(not(target_os = "linux"))]
fn network(_: &Path) -> Option<&'static str> {
    None
}

/// Looks at the whole folder. Nothing is changed.
#[must_use]
pub fn lint(tender: &Tender) -> Vec<Finding> {
    let folder = tender.folder();
    let mut findings = Vec::new();
    if let Some(why) = away(folder.root()) {
        let remedy =
            "move it to a local folder (`sharedContextDir`): two machines that write there lose entries";
        findings.push(Finding::new("", why, remedy));
    }
    for pending in tender.pending() {
        let path = &pending.path;
        findings.push(if pending.is_inbox {
            Finding::new(path, "lacks entries that were there", format!("run `callosum context restore {path}`"))
        } else {
            let remedy = format!(
                "look at it, then run `callosum context accept {path}`, or `callosum context restore {path}` for the version before"
            );
            Finding::new(path, "was changed while calls of agents ran; sessions are told the version before", remedy)
        });
    }
    for name in FOLDERS.into_iter().chain([PRIORITIES, PRIORITIES_INBOX, FEEDBACK_INBOX]) {
        if folder.entry(Path::new(name)).is_none() {
            findings.push(Finding::new(name, "is missing", "run `callosum context init`"));
        }
    }
    findings.extend(tree(folder));
    findings.extend(inboxes(folder));
    findings
}

fn tree(folder: &Folder) -> Vec<Finding> {
    let (mut findings, mut bytes) = (Vec::new(), 0_u64);
    if fs::metadata(folder.root()).is_ok_and(|found| found.mode() & 0o077 != 0) {
        let remedy = format!("run `chmod 700 {}`", folder.root().display());
        findings.push(Finding::new("", "can be read or written by other users", remedy));
    }
    let mut found = |path: &Path, what: &str, remedy: &str| {
        let of_kind = findings.iter().filter(|finding: &&Finding| finding.what == what).count();
        if of_kind < MOST {
            findings.push(Finding::new(path.display().to_string(), what, remedy));
        }
    };
    folder.walk(Path::new(""), &mut |path, entry| {
        bytes = bytes.saturating_add(entry.bytes);
        let mut parts = path.components().filter_map(|part| part.as_os_str().to_str());
        let (top, below) = (parts.next().unwrap_or_default(), parts.next());
        let is_second = below.is_some() && parts.next().is_none();
        if top == ".git" {
            return;
        }
        if is_conflicted(&entry.name) {
            found(
                path,
                "is a copy that a synchronising program could not merge; it is not read",
                "merge it by hand, and delete it",
            );
        } else if entry.name.starts_with(UNFINISHED) {
            found(path, "was left by a process that was killed", "run `callosum context prune`");
        } else if entry.kind == EntryKind::Other {
            found(path, "is a link or no regular file; it is not read", "put the file itself there");
        } else if entry.mode & 0o022 != 0 {
            found(path, "can be written by other users", "run `chmod go-w` on it");
        } else if [OUTPUTS, STAGING].contains(&top) && is_second && AgentName::parse(&entry.name).is_err() {
            found(path, "is no agent's folder; it is not read", "move its files, and delete it");
        } else if [OUTPUTS, STAGING, KPIS].contains(&top) && entry.bytes > ITEM_BYTES as u64 {
            found(path, "is larger than 64 KiB", "shorten it, or move it elsewhere and name its path");
        }
    });
    if bytes > TREE_BYTES / 10 * 9 {
        let what = format!("has {bytes} bytes, and {TREE_BYTES} is the most");
        findings.push(Finding::new("", what, "run `callosum context prune`"));
    }
    findings
}

fn inboxes(folder: &Folder) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in [PRIORITIES_INBOX, FEEDBACK_INBOX] {
        match folder.read_text(Path::new(path)) {
            Err(problem) => findings.push(Finding::new(path, problem.message, problem.remedy)),
            Ok(text) if text.as_ref().is_some_and(|text| text.len() as u64 > LARGE_INBOX) => {
                findings.push(Finding::new(
                    path,
                    "has more than 4 MiB",
                    "take over or delete old entries by hand",
                ));
            }
            Ok(text) if path == FEEDBACK_INBOX => {
                let (_, skipped) = feedback::read(text.as_deref().unwrap_or_default());
                if skipped > 0 {
                    let what = format!("has {skipped} lines that are no feedback; they are not read");
                    findings.push(Finding::new(
                        path,
                        what,
                        "fix them by hand; `callosum context feedback` writes whole ones",
                    ));
                }
            }
            Ok(text) => {
                let entries = inbox::entries(text.as_deref().unwrap_or_default());
                let bad = entries
                    .iter()
                    .filter(|entry| entry.wall_ms.is_none() || AgentName::parse(&entry.agent).is_err());
                let bad = bad.count();
                if bad > 0 {
                    let what = format!("has {bad} entries whose heading is not `## <RFC 3339> (<agent>)`");
                    findings.push(Finding::new(
                        path,
                        what,
                        "fix them by hand; `callosum context append` writes whole ones",
                    ));
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::registry::PolicyMode;
    use crate::setup::init;
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    #[test]
    fn a_new_folder_is_in_order_and_what_is_wrong_is_named_with_its_place() {
        let (state, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = parent.path().join("shared");
        init(&root, state.path(), PolicyMode::Enforce, "here", "").unwrap();
        let findings = || {
            let folder = Folder::open(&root).unwrap();
            let tender = Tender::of(folder, state.path(), Duration::ZERO).unwrap();
            lint(&tender).into_iter().map(|finding| finding.path).collect::<Vec<_>>()
        };
        assert_eq!(findings(), [""; 0]);
        fs::remove_dir(root.join("kpis")).unwrap();
        symlink("/etc/passwd", root.join("rubrics/x.md")).unwrap();
        fs::write(root.join("roundtable/a (conflicted copy).md"), "").unwrap();
        fs::write(root.join("weekly/.cx.abc"), "").unwrap();
        fs::create_dir(root.join("agent-outputs/no name")).unwrap();
        fs::write(root.join(FEEDBACK_INBOX), "torn\n").unwrap();
        fs::write(root.join(PRIORITIES_INBOX), "## now (eve)\nx\n").unwrap();
        assert_eq!(
            findings(),
            [
                "kpis",
                "agent-outputs/no name",
                "roundtable/a (conflicted copy).md",
                "rubrics/x.md",
                "weekly/.cx.abc",
                PRIORITIES_INBOX,
                FEEDBACK_INBOX
            ]
        );
    }

    #[test]
    fn a_folder_that_is_synchronised_is_told() {
        assert!(away(Path::new("/home/ann/Dropbox/shared")).is_some());
        assert!(away(Path::new("/home/ann/OneDrive - Acme/shared")).is_some());
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".stfolder")).unwrap();
        assert!(away(folder.path()).is_some());
    }
}
