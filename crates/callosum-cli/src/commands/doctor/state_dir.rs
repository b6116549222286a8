//! The state directory: whose it is, who may use it, whether its lock excludes, how much room there is, and
//! whether the journal in it can be read.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use callosum_core::model::error::StateError;
use callosum_core::query::{ReadOnlyView, Status};
use callosum_core::store::state_dir::StateDir;
use callosum_core::store::state_guard::StateGuard;

use super::finding::{Finding, Level};
use crate::output::{counted, local_time, long, size};

/// Below this a burst of calls may fill the disk.
const LITTLE_ROOM: u64 = 100 * 1024 * 1024;
/// Below this there is no room for the next segment's first lines.
const NO_ROOM: u64 = 1024 * 1024;
/// Files listed by name.
const MAX_FILES: usize = 5;

pub(super) fn look(view: &ReadOnlyView, status: &Status) -> Vec<Finding> {
    let directory = StateDir::new(view.state_dir().to_owned());
    let path = long(&directory.path.display().to_string());
    let mut findings = Vec::new();
    if let Err(error) = directory.verify() {
        findings.push(wrong("state-dir", &error));
    } else if directory.path.exists() {
        findings.push(Finding::ok("state-dir", format!("State directory `{path}`")));
        findings.push(permissions(&directory.path));
        findings.extend(guard(&directory));
        findings.push(journal(status));
        findings.extend(lost(status));
    } else {
        let remedy = "let a session make a tool call; that creates the directory";
        let title = format!("There is no state directory `{path}` yet: nothing has been journaled there");
        findings.push(Finding::new(Level::Note, "state-dir", title, remedy));
    }
    findings.extend(room(&directory.path));
    findings
}

fn wrong(id: &str, error: &StateError) -> Finding {
    Finding::new(
        Level::Error,
        id,
        format!("The state can't be used: {}", long(&error.in_full())),
        error.remedy(),
    )
}

/// The directory is 0700; where others can come in, its files must be 0600, and they must never be writable.
fn permissions(path: &Path) -> Finding {
    let us = rustix::process::geteuid().as_raw();
    let shown = long(&path.display().to_string());
    let open = fs::metadata(path).is_ok_and(|folder| folder.mode() & 0o077 != 0);
    let mut bad = Vec::new();
    let mut is_foreign = false;
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let Ok(file) = entry.metadata() else { continue };
        let name = long(&entry.file_name().to_string_lossy());
        let mode = file.mode() & 0o777;
        if file.uid() != us {
            is_foreign = true;
            bad.push(format!("`{name}` belongs to user {}, not to user {us}", file.uid()));
        } else if mode & 0o022 != 0 || open && mode & 0o044 != 0 {
            let what = if mode & 0o022 != 0 { "written" } else { "read" };
            bad.push(format!("`{name}` can be {what} by other users (mode {mode:o})"));
        }
    }
    if bad.is_empty() && !open {
        return Finding::ok("permissions", "Only this user can read or write it");
    }
    bad.sort();
    if open {
        bad.insert(0, "other users can read the directory, which holds parameters of calls".to_owned());
    }
    let chown = if is_foreign { format!("run `chown -R {us} {shown}`, then ") } else { "run ".to_owned() };
    let remedy = format!("{chown}`chmod -R u=rwX,go= {shown}`");
    Finding::new(Level::Warning, "permissions", "Other users can see or change the state", remedy).lines(
        bad.into_iter(),
        MAX_FILES,
        "files",
    )
}

fn guard(directory: &StateDir) -> Option<Finding> {
    match StateGuard::prove(directory) {
        Ok(true) => Some(Finding::ok("guard", "The state guard excludes other processes")),
        // Whoever journals first makes it, and proves it.
        Ok(false) => None,
        Err(error) => Some(wrong("guard", &error)),
    }
}

fn journal(status: &Status) -> Finding {
    if let Some(degraded) = &status.degraded {
        let title = format!("The journal can't be used: {}", long(&degraded.cause));
        return Finding::new(Level::Error, "journal", title, long(&degraded.remedy));
    }
    let journal = &status.journal;
    if journal.segments == 0 {
        let remedy = "let a session make a tool call, and look again";
        return Finding::new(Level::Note, "journal", "Nothing has been journaled yet", remedy);
    }
    let mut title = format!("Journal of {}, {}", counted(journal.lines, "line"), size(journal.bytes));
    if let Some(oldest) = &journal.oldest {
        title.push_str(&format!(", since {}", local_time(oldest)));
    }
    if journal.skipped == 0 {
        return Finding::ok("journal", title);
    }
    let remedy = "nothing, if a process was killed or the disk was full; if the number grows, find out what else writes there";
    Finding::new(Level::Note, "journal", title, remedy)
        .line(format!("{} torn or foreign, and skipped", counted(journal.skipped, "line")))
}

fn lost(status: &Status) -> Option<Finding> {
    let lost = status.lost.as_ref()?;
    let title = format!("The journal was lost while it was in use, noticed at {}", local_time(&lost.at));
    let remedy = "find out what deletes, rotates or restores files in the state directory (`logrotate`, a backup, a cleaner of \
                  temporary files), and exclude the directory there; the journal keeps itself small";
    Some(Finding::new(Level::Warning, "lost", title, remedy).line(format!(
        "{}, said {}",
        long(&lost.how),
        long(&lost.instance)
    )))
}

fn room(path: &Path) -> Option<Finding> {
    let folder = path.ancestors().find(|folder| folder.is_dir())?;
    let disk = rustix::fs::statvfs(folder).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    // Some file systems have no fixed number of files, and say 0 of 0.
    let no_files = disk.f_files > 0 && disk.f_favail == 0;
    let title = format!("{} free on the disk", size(free));
    let level = match free {
        ..NO_ROOM => Level::Error,
        _ if no_files => Level::Error,
        NO_ROOM..LITTLE_ROOM => Level::Warning,
        _ => return Some(Finding::ok("disk", title)),
    };
    let remedy = "free some disk space, or set `stateDir` to a folder on another disk";
    let finding = Finding::new(level, "disk", title, remedy);
    Some(if no_files { finding.line("no more files can be created on it") } else { finding })
}
