//! What becomes of old files: outputs are archived, then deleted; digests and signals are deleted.

use std::fs;
use std::path::{Path, PathBuf};

use crate::days::Day;
use crate::error::Problem;
use crate::folder::EntryKind;
use crate::layout::{ARCHIVE, OUTPUTS, ROUNDTABLE, SIGNALS};
use crate::tend::Tender;

use super::files::Files;

/// Days that outputs lie where agents read them, and that they are kept.
const OUTPUT_DAYS: u64 = 30;
const ARCHIVED_DAYS: u64 = 180;
/// Days that digests and signals are kept.
const DIGEST_DAYS: u64 = 400;

/// Archives and deletes what is old enough today.
pub(super) fn retain(files: &mut Files<'_>, tender: &mut Option<Tender>, today: Day) -> Result<(), Problem> {
    let archive = Path::new(ARCHIVE).join(OUTPUTS);
    for (agent, day, place) in days(files, Path::new(OUTPUTS)) {
        if day < today.before(OUTPUT_DAYS) {
            for name in entries(files, &place) {
                files.rename(&place.join(&name), &archive.join(&agent).join(day.to_string()).join(&name))?;
            }
            empty(files, &place);
        }
    }
    for (_, day, place) in days(files, &archive) {
        if day < today.before(ARCHIVED_DAYS) {
            for name in entries(files, &place) {
                files.remove(&place.join(name))?;
            }
            empty(files, &place);
        }
    }
    for folder in [ROUNDTABLE, SIGNALS].map(Path::new) {
        for name in entries(files, folder) {
            let day = name.split_once('.').and_then(|(day, _)| Day::parse(day).ok());
            if day.is_some_and(|day| day < today.before(DIGEST_DAYS)) {
                let path = folder.join(name);
                files.remove(&path)?;
                if let Some(tender) = tender {
                    tender.removed(&path.to_string_lossy());
                }
            }
        }
    }
    Ok(())
}

/// A folder that has nothing any more goes; a person may have put something there.
fn empty(files: &Files<'_>, place: &Path) {
    if let (false, Ok(path)) = (files.is_dry, files.folder.path(place)) {
        let _ = fs::remove_dir(path);
    }
}

/// The folders `<below>/<agent>/<day>`.
fn days(files: &Files<'_>, below: &Path) -> Vec<(String, Day, PathBuf)> {
    let mut found = Vec::new();
    for agent in folders(files, below) {
        let place = below.join(&agent);
        for name in folders(files, &place) {
            found.extend(Day::parse(&name).ok().map(|day| (agent.clone(), day, place.join(&name))));
        }
    }
    found
}

fn folders(files: &Files<'_>, below: &Path) -> Vec<String> {
    listed(files, below, EntryKind::Folder)
}

/// The files in a folder: links and folders are a person's.
fn entries(files: &Files<'_>, below: &Path) -> Vec<String> {
    listed(files, below, EntryKind::File)
}

fn listed(files: &Files<'_>, below: &Path, kind: EntryKind) -> Vec<String> {
    let entries = files.folder.list(below).into_iter().filter(|entry| entry.kind == kind);
    entries.map(|entry| entry.name).collect()
}
