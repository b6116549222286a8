//! What becomes of old files: outputs are archived, then deleted; digests and signals are deleted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::days::Day;
use crate::error::Problem;
use crate::layout::{ARCHIVE, OUTPUTS, ROUNDTABLE, SIGNALS};

use super::files::Files;

/// Days that outputs lie where agents read them, and that they are kept.
const OUTPUT_DAYS: u64 = 30;
const ARCHIVED_DAYS: u64 = 180;
/// Days that digests and signals are kept.
const DIGEST_DAYS: u64 = 400;

/// Archives and deletes what is old enough today.
pub(super) fn retain(files: &mut Files<'_>, today: Day) -> Result<(), Problem> {
    let archive = Path::new(ARCHIVE).join(OUTPUTS);
    for (agent, day, place) in days(files, Path::new(OUTPUTS))? {
        if day < today.before(OUTPUT_DAYS) {
            for name in entries(files, &place)? {
                files.rename(&place.join(&name), &archive.join(&agent).join(day.to_string()).join(&name))?;
            }
            empty(files, &place);
        }
    }
    for (_, day, place) in days(files, &archive)? {
        if day < today.before(ARCHIVED_DAYS) {
            for name in entries(files, &place)? {
                files.remove(&place.join(name))?;
            }
            empty(files, &place);
        }
    }
    for folder in [ROUNDTABLE, SIGNALS].map(Path::new) {
        for name in entries(files, folder)? {
            let day = name.split_once('.').and_then(|(day, _)| Day::parse(day).ok());
            if day.is_some_and(|day| day < today.before(DIGEST_DAYS)) {
                files.remove(&folder.join(name))?;
            }
        }
    }
    Ok(())
}

/// A folder that has nothing any more goes; a person may have put something there.
fn empty(files: &Files<'_>, place: &Path) {
    if !files.is_dry {
        let _ = fs::remove_dir(files.folder.join(place));
    }
}

/// The folders `<below>/<agent>/<day>`.
fn days(files: &Files<'_>, below: &Path) -> Result<Vec<(String, Day, PathBuf)>, Problem> {
    let mut found = Vec::new();
    for agent in folders(files, below)? {
        let place = below.join(&agent);
        for name in folders(files, &place)? {
            found.extend(Day::parse(&name).ok().map(|day| (agent.clone(), day, place.join(&name))));
        }
    }
    Ok(found)
}

fn folders(files: &Files<'_>, below: &Path) -> Result<Vec<String>, Problem> {
    listed(files, below, fs::FileType::is_dir)
}

/// The files in a folder: links and folders are a person's.
fn entries(files: &Files<'_>, below: &Path) -> Result<Vec<String>, Problem> {
    listed(files, below, fs::FileType::is_file)
}

fn listed(files: &Files<'_>, below: &Path, is_wanted: fn(&fs::FileType) -> bool) -> Result<Vec<String>, Problem> {
    let folder = files.folder.join(below);
    let list = || -> io::Result<Vec<String>> {
        if !fs::symlink_metadata(&folder)?.is_dir() {
            return Ok(Vec::new());
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if is_wanted(&entry.file_type()?) {
                names.extend(entry.file_name().into_string().ok());
            }
        }
        names.sort_unstable();
        Ok(names)
    };
    match list() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed.map_err(|error| Problem::io("read", &folder, &error)),
    }
}
