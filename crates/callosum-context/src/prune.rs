//! What is old goes: outputs into `archive`, later for good; digests and signals after more than a year.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::days::{Day, Zone};
use crate::error::Problem;
use crate::folder::{EntryKind, UNFINISHED};
use crate::layout::{ARCHIVE, OUTPUTS, ROUNDTABLE, SIGNALS};
use crate::tend::Tender;

/// Outputs are archived after so many days, and deleted after so many.
const ARCHIVED_DAYS: u64 = 30;
const DELETED_DAYS: u64 = 180;
/// Digests and signals are deleted after so many days.
const DIGEST_DAYS: u64 = 400;
/// Whoever writes a file needs no longer, milliseconds.
const UNFINISHED_MS: i64 = 3_600_000;

/// What was pruned, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// Files that moved into `archive`.
    pub archived: Vec<PathBuf>,
    /// Files that are gone.
    pub deleted: Vec<PathBuf>,
}

/// Prunes the folder; with `is_trial` it only tells what it would do.
///
/// # Errors
/// When a file can't be moved or deleted; the others before it were.
pub fn prune(tender: &mut Tender, zone: Zone, now_ms: i64, is_trial: bool) -> Result<Pruned, Problem> {
    let folder = tender.folder();
    let (today, _) = zone.at(now_ms);
    let (archive_before, delete_before) = (today.before(ARCHIVED_DAYS), today.before(DELETED_DAYS));
    let mut pruned = Pruned::default();
    for (base, is_archive) in [(PathBuf::from(OUTPUTS), false), (Path::new(ARCHIVE).join(OUTPUTS), true)] {
        for agent in folder.list(&base).into_iter().filter(|entry| entry.kind == EntryKind::Folder) {
            let of_agent = base.join(agent.name);
            for entry in folder.list(&of_agent).into_iter().filter(|entry| entry.kind == EntryKind::Folder) {
                let Ok(day) = Day::parse(&entry.name) else { continue };
                let files = folder.list(&of_agent.join(&entry.name)).into_iter();
                let files = files.filter(|file| file.kind == EntryKind::File);
                let files = files.map(|file| of_agent.join(&entry.name).join(file.name));
                if day < delete_before {
                    pruned.deleted.extend(files);
                } else if day < archive_before && !is_archive {
                    pruned.archived.extend(files);
                }
            }
        }
    }
    for base in [ROUNDTABLE, SIGNALS] {
        for file in folder.list(Path::new(base)).into_iter().filter(|file| file.kind == EntryKind::File) {
            let day = file.name.split('.').next().and_then(|day| Day::parse(day).ok());
            if day.is_some_and(|day| day < today.before(DIGEST_DAYS)) {
                pruned.deleted.push(Path::new(base).join(file.name));
            }
        }
    }
    folder.walk(Path::new(""), &mut |path, entry| {
        let is_old = now_ms.saturating_sub(entry.modified_ms) > UNFINISHED_MS;
        if entry.name.starts_with(UNFINISHED) && entry.kind == EntryKind::File && is_old {
            pruned.deleted.push(path.to_owned());
        }
    });
    if !is_trial {
        for path in &pruned.archived {
            folder.move_to(path, &Path::new(ARCHIVE).join(path))?;
        }
        for path in &pruned.deleted {
            folder.remove(path)?;
        }
        for path in &pruned.deleted {
            tender.forget(&path.to_string_lossy());
        }
    }
    Ok(pruned)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::folder::Folder;
    use std::time::Duration;

    #[test]
    fn what_is_old_is_archived_and_later_gone() {
        let (state, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = Folder::open(root.path()).unwrap();
        let mut tender = Tender::of(folder.clone(), state.path(), Duration::ZERO).unwrap();
        for path in [
            "agent-outputs/bob/2026-11-24/new.md",
            "agent-outputs/bob/2026-10-01/month.md",
            "agent-outputs/bob/2026-01-01/year.md",
            "agent-outputs/bob/notes/mine.md",
            "roundtable/2025-01-01.md",
            "roundtable/2026-11-01.md",
        ] {
            folder.create(Path::new(path), b"x").unwrap();
        }
        let now = 1_795_563_005_000;
        tender.look(now, Default::default(), &mut |_| Vec::new()).unwrap();
        let trial = prune(&mut tender, Zone::System, now, true).unwrap();
        assert_eq!(trial.archived, [Path::new("agent-outputs/bob/2026-10-01/month.md")]);
        let deleted = ["agent-outputs/bob/2026-01-01/year.md", "roundtable/2025-01-01.md"];
        assert_eq!(trial.deleted, deleted.map(Path::new));
        assert_eq!(prune(&mut tender, Zone::System, now, false).unwrap(), trial);
        assert!(folder.entry(Path::new("archive/agent-outputs/bob/2026-10-01/month.md")).is_some());
        assert!(folder.entry(Path::new("agent-outputs/bob/notes/mine.md")).is_some());
        assert_eq!(prune(&mut tender, Zone::System, now, false).unwrap(), Pruned::default());
        // What was pruned is not told as deleted.
        assert_eq!(tender.look(now + 1, Default::default(), &mut |_| Vec::new()).unwrap().changes, []);
    }
}
