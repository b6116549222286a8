//! Our MCP server in a runtime's own settings.

use std::env;
use std::path::{Path, PathBuf};

use callosum_runtimes::Runtime;
use callosum_runtimes::settings::json_text::Misfit;
use callosum_runtimes::settings::server::{self, Server};

use super::file::{SettingsFile, look, shown};
use super::{Done, Report, misplaced, no_home, text};
use crate::args::Args;
use crate::commands::shared_state_dir;
use crate::output::{Failure, long};

/// What starts it: this program, and the state directory, as for the hooks: a variable in a project's `.env` leads nowhere else.
fn wanted(args: &Args) -> Result<Server, Failure> {
    Ok(Server::new(&super::program()?, &shared_state_dir(args)?.to_string_lossy()))
}

/// Where the runtime keeps its servers; `None` without a home folder.
pub(super) fn path(runtime: Runtime) -> Option<PathBuf> {
    let home = env::home_dir().filter(|home| !home.as_os_str().is_empty())?;
    let facts = runtime.facts();
    Some(facts.server_place.path(&facts.place, &home, |name| env::var_os(name).map(PathBuf::from)))
}

fn file(runtime: Runtime) -> Result<SettingsFile, Failure> {
    SettingsFile::read(&path(runtime).ok_or_else(|| no_home(runtime))?)
}

/// Looks whether it can be put in.
///
/// # Errors
/// When it can't.
pub(super) fn check(args: &Args, runtime: Runtime) -> Result<(), Failure> {
    let file = file(runtime)?;
    let misfit = |misfit| misplaced(file.path(), &misfit);
    server::put_in(text(&file)?, runtime, &wanted(args)?).map(drop).map_err(misfit)
}

/// Puts it in.
pub(super) fn install(
    args: &Args,
    runtime: Runtime,
    dry_run: bool,
    show: super::Show<'_>,
) -> Result<Done, Failure> {
    let file = file(runtime)?;
    let text = text(&file)?;
    let misfit = |misfit| misplaced(file.path(), &misfit);
    let installed = server::put_in(text, runtime, &wanted(args)?).map_err(misfit)?;
    let without = server::taken_out(&installed, runtime).map_err(misfit)?;
    let mut notes = vec![format!(
        "{} may ask you about each call of these tools. To be asked no more, {}; Callosum gates them all the same.",
        runtime.title(),
        runtime.facts().server_place.allowing
    )];
    notes.extend(file.caution());
    if file.exists() && without != text && installed != text {
        notes.push("`uninstall` may not restore the white space of these settings to the byte.".to_owned());
    }
    let mut report = Report::new((runtime, dry_run), &file, text, Some(&installed), notes, server::masked)?;
    if report.changed {
        report.notes.push(format!("{} starts it with its next session.", runtime.title()));
    }
    show(&report)?;
    if report.changed && !dry_run {
        file.replace(installed.as_bytes())?;
    }
    let path = shown(file.path());
    let said = match (report.changed, dry_run) {
        (false, _) => format!("Callosum's MCP server is already in {path}."),
        (true, true) => {
            format!("Nothing was written. Without --dry-run, this would be written to {path}.")
        }
        (true, false) => format!("Wrote {path}."),
    };
    Ok(Done { report, said })
}

/// Takes it out, where it is there.
pub(super) fn uninstall(runtime: Runtime, dry_run: bool, show: super::Show<'_>) -> Result<Done, Failure> {
    let file = file(runtime)?;
    let text = text(&file)?;
    let misfit = |misfit| misplaced(file.path(), &misfit);
    let without = server::taken_out(text, runtime).map_err(misfit)?;
    let is_there = without != text;
    let is_ours_alone = is_there && matches!(without.trim(), "" | "{}") && !file.is_linked();
    let left = Some(without.as_str()).filter(|_| !is_ours_alone);
    let report = Report::new((runtime, dry_run), &file, text, left, Vec::new(), server::masked)?;
    show(&report)?;
    if !dry_run {
        if is_ours_alone {
            file.remove()?;
        } else if is_there {
            file.replace(without.as_bytes())?;
        }
    }
    let path = shown(file.path());
    let said = match (dry_run, is_ours_alone) {
        _ if !is_there => format!("Callosum's MCP server is not in {path}."),
        (true, true) => {
            format!(
                "Nothing was written. Without --dry-run, {path} would be deleted, because it holds nothing else."
            )
        }
        (true, false) => format!("Nothing was written. Without --dry-run, this would be written to {path}."),
        (false, true) => format!("Deleted {path}, which held nothing else."),
        (false, false) => format!("Wrote {path}."),
    };
    Ok(Done { report, said })
}

/// What stands of it in the runtime's settings, for who only looks: the file, and what starts it; `None` when it is not there.
///
/// # Errors
/// Where the settings can't be read: a fragment that names file and place, fit for a terminal.
pub(crate) fn installed(runtime: Runtime) -> Result<Option<(PathBuf, Server)>, String> {
    let Some(file) = path(runtime) else { return Ok(None) };
    let named = |why: String| format!("`{}`: {}", shown(&file), long(&why));
    let Some(bytes) = look(&file).map_err(named)? else { return Ok(None) };
    let place = |misfit: Misfit| named(format!("line {}: {}", misfit.line, misfit.message));
    let found = server::read(&String::from_utf8_lossy(&bytes), runtime).map_err(place)?;
    Ok(found.map(|server| (file, server)))
}

/// The program that a server's entry names.
pub(crate) fn program(server: &Server) -> &Path {
    Path::new(&server.command)
}
