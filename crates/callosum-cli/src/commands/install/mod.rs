//! `callosum install` and `callosum uninstall`: our hooks, and our MCP server, in an agent runtime's own settings.

pub(super) mod file;
mod installed;
pub(super) mod mcp;

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use callosum_core::model::redact::redact;
use callosum_runtimes::Runtime;
use callosum_runtimes::settings::json_text::Misfit;
use callosum_runtimes::settings::{entries, entry, notes};
use serde::Serialize;
use similar::TextDiff;

use crate::args::{Args, Installable, Target};
use crate::commands::{serve, shared_state_dir};
use crate::output::{Failure, json, long};

use self::file::{SettingsFile, shown};
pub(crate) use self::installed::Installed;

/// This program on the PATH.
const NAME: &str = "callosum";

/// What was done, or would be.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    runtime: &'static str,
    file: String,
    changed: bool,
    dry_run: bool,
    /// The copy of what was there before, while there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
    /// A unified diff for people: of the values only ours are shown, long lines are cut.
    diff: Vec<String>,
    notes: Vec<String>,
    /// The same of the MCP server, where that is changed with the hooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    mcp: Option<Box<Report>>,
}

/// What was done, and how people are told.
struct Done {
    report: Report,
    said: String,
}

/// Shows people what changes before it does.
type Show<'s> = &'s mut dyn FnMut(&Report) -> Result<(), Failure>;

pub(crate) fn install(args: &Args, target: &Target, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let Installable::Runtime(runtime) = target.what else { return service(args, "install", target) };
    only_of_service(target)?;
    if target.mcp {
        // What can't be done is said before anything is.
        mcp::check(args, runtime)?;
    }
    let mut show = |report: &Report| report.show_change(args, out);
    let done = install_hooks(args, target, runtime, &mut show)?;
    if target.mcp {
        let server = mcp::install(args, runtime, target.dry_run, &mut show)?;
        return done.with(server).end(args, out);
    }
    done.end(args, out)
}

fn install_hooks(args: &Args, target: &Target, runtime: Runtime, show: Show<'_>) -> Result<Done, Failure> {
    let file = settings(runtime)?;
    let text = text(&file)?;
    let program = program()?;
    let state_dir = state_dir(args)?;
    let entries = entry::entries(runtime, |event| entry::command(runtime, event, &program, &state_dir));
    let misfit = |misfit| misplaced(file.path(), &misfit);
    let installed = entries::put_in(text, runtime, &entries).map_err(misfit)?;
    let without = entries::taken_out(text, runtime).map_err(misfit)?;
    let are_changed = installed != text && without != text;
    let mut notes = notes(runtime, &entries::value(&installed, runtime).map_err(misfit)?, are_changed);
    notes.extend(file.caution());
    if is_temporary(Path::new(&program)) {
        notes.push(format!(
            "This program is in a temporary folder ({}). If it is deleted, the hooks let every call through. Install the \
             program in a permanent place, and run this command again from there.",
            long(&program)
        ));
    }
    let mut report =
        Report::new((runtime, target.dry_run), &file, text, Some(&installed), notes, entries::masked)?;
    if report.changed {
        let title = runtime.title();
        report.notes.push(format!("You may have to restart {title} sessions that are already running."));
    }
    // With entries of ours in it, it is not what there was before.
    let is_kept = report.changed && without == text && file.exists();
    if is_kept && file.has_other_backup(text.as_bytes()) {
        report.notes.push(format!(
            "{} already exists and holds something else, so it was kept and these settings were not backed up: `uninstall` \
             may not restore them to the byte. Move that file away first if you want a backup.",
            shown(&file.backup_path())
        ));
    }
    show(&report)?;
    if report.changed && !target.dry_run {
        let is_backed_up = is_kept && file.keep_backup()?;
        if let Err(failure) = file.replace(installed.as_bytes()) {
            if is_backed_up {
                // Later it would be in the way of one that is needed.
                let _ = file.remove_backup();
            }
            return Err(failure);
        }
        report.backup = is_backed_up.then(|| file.backup_path().display().to_string());
    }
    let said = match (report.changed, target.dry_run) {
        (false, _) => format!("Callosum's hooks are already in {}.", shown(file.path())),
        (true, true) => {
            format!(
                "Nothing was written. Without --dry-run, this would be written to {}.",
                shown(file.path())
            )
        }
        (true, false) => format!("Wrote {}.", shown(file.path())),
    };
    Ok(Done { report, said })
}

pub(crate) fn uninstall(args: &Args, target: &Target, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let Installable::Runtime(runtime) = target.what else { return service(args, "uninstall", target) };
    only_of_service(target)?;
    let mut show = |report: &Report| report.show_change(args, out);
    let server = mcp::uninstall(runtime, target.dry_run, &mut show)?;
    if target.mcp {
        return server.end(args, out);
    }
    let done = uninstall_hooks(target, runtime, &mut show)?;
    if server.report.changed { done.with(server).end(args, out) } else { done.end(args, out) }
}

fn uninstall_hooks(target: &Target, runtime: Runtime, show: Show<'_>) -> Result<Done, Failure> {
    let file = settings(runtime)?;
    let text = text(&file)?;
    let without = entries::taken_out(text, runtime).map_err(|misfit| misplaced(file.path(), &misfit))?;
    let installed = without != text;
    let before = installed.then(|| before_us(&file, runtime, &without)).flatten();
    // What is ours alone was made by us; a link was made by somebody else.
    let ours_alone = installed && before.is_none() && without.trim() == "{}" && !file.is_linked();
    let rest = before.unwrap_or(without);
    let left = Some(rest.as_str()).filter(|_| !ours_alone);
    let mut report = Report::new((runtime, target.dry_run), &file, text, left, Vec::new(), entries::masked)?;
    show(&report)?;
    if !target.dry_run {
        if ours_alone {
            file.remove()?;
        } else if installed {
            file.replace(rest.as_bytes())?;
        }
    }
    if file.has_other_backup(rest.as_bytes()) {
        report.notes.push(format!(
            "{} was kept, because it differs from these settings without the hooks. Delete it once you no longer need it.",
            shown(&file.backup_path())
        ));
    } else if !target.dry_run {
        file.remove_backup()?;
    }
    let path = shown(file.path());
    let said = match (installed, target.dry_run, ours_alone) {
        (false, ..) => format!("Callosum has no hooks in {path}."),
        (true, true, true) => {
            format!(
                "Nothing was written. Without --dry-run, {path} would be deleted, because it holds nothing else."
            )
        }
        (true, true, false) => {
            format!("Nothing was written. Without --dry-run, this would be written to {path}.")
        }
        (true, false, true) => format!("Deleted {path}, which held nothing else."),
        (true, false, false) => format!("Wrote {path}."),
    };
    Ok(Done { report, said })
}

impl Done {
    /// The same with what was done about the MCP server.
    fn with(mut self, Done { report, said }: Self) -> Self {
        self.said = format!("{}\n{said}", self.said);
        self.report.mcp = Some(Box::new(report));
        self
    }

    fn end(self, args: &Args, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let Self { report, said } = self;
        if args.global.json {
            json(out, &report)?;
            return Ok(ExitCode::SUCCESS);
        }
        writeln!(out, "{said}")?;
        if let Some(backup) = &report.backup {
            writeln!(out, "The previous version is in {}.", long(backup))?;
        }
        let of_server = report.mcp.as_ref().map(|server| server.notes.as_slice()).unwrap_or_default();
        for note in report.notes.iter().chain(of_server) {
            writeln!(out, "{note}")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What starts the service is its own program's matter.
fn service(args: &Args, command: &str, target: &Target) -> Result<ExitCode, Failure> {
    if target.mcp {
        return Err(Failure::CantLook {
            fragment: "`--mcp` is for a runtime".to_owned(),
            remedy: "name one of those that `callosum install --help` lists".to_owned(),
        });
    }
    let flags = [("--dry-run", target.dry_run), ("--print", target.print)];
    let words: Vec<OsString> =
        flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag.into()).collect();
    serve::run(args, command, &words)
}

fn only_of_service(target: &Target) -> Result<(), Failure> {
    if !target.print {
        return Ok(());
    }
    Err(Failure::CantLook {
        fragment: "`--print` is for the service".to_owned(),
        remedy: "use `--dry-run` to see what would change".to_owned(),
    })
}

/// What the file held before us, byte for byte, if others have left it alone since: then the backup with our entries, and
/// these taken out again, is what the file is without them.
fn before_us(file: &SettingsFile, runtime: Runtime, without: &str) -> Option<String> {
    let backup = String::from_utf8(file.backup()?).ok()?;
    if entries::taken_out(&backup, runtime).ok()? != backup {
        return None;
    }
    let installed =
        entries::put_in(&backup, runtime, &entry::entries(runtime, |_| entry::mark(runtime))).ok()?;
    (entries::taken_out(&installed, runtime).ok()? == without).then_some(backup)
}

fn settings(runtime: Runtime) -> Result<SettingsFile, Failure> {
    SettingsFile::read(&settings_path(runtime).ok_or_else(|| no_home(runtime))?)
}

fn no_home(runtime: Runtime) -> Failure {
    Failure::CantChange {
        fragment: format!("can't locate {}'s settings: there is no home folder", runtime.title()),
        remedy: "set HOME".to_owned(),
    }
}

/// Where the runtime keeps its settings; `None` without a home folder.
fn settings_path(runtime: Runtime) -> Option<PathBuf> {
    let home = env::home_dir().filter(|home| !home.as_os_str().is_empty())?;
    Some(runtime.facts().place.path(&home, |name| env::var_os(name).map(PathBuf::from)))
}

fn text(file: &SettingsFile) -> Result<&str, Failure> {
    std::str::from_utf8(file.bytes()).map_err(|error| {
        let readable = file.bytes().get(..error.valid_up_to()).unwrap_or_default();
        let readable = std::str::from_utf8(readable).unwrap_or_default();
        misplaced(file.path(), &Misfit::at(readable, readable.len(), "this is not UTF-8"))
    })
}

/// In the form that editors know how to jump by.
fn misplaced(path: &Path, misfit: &Misfit) -> Failure {
    Failure::CantChange {
        fragment: format!("{}:{}:{}: {}", shown(path), misfit.line, misfit.column, long(&misfit.message)),
        remedy: "nothing was changed; fix the file, and try again".to_owned(),
    }
}

/// The absolute path of this program, which the hooks run: as the PATH names it, where a link there leads to it. What a package
/// manager puts under that link later is run too.
pub(crate) fn program() -> Result<String, Failure> {
    let unknown = |reason: String| Failure::CantChange {
        fragment: format!("can't locate this program: {reason}"),
        remedy: "nothing was changed; move the program to a folder it can be run from, and try again"
            .to_owned(),
    };
    let path = env::current_exe().map_err(|error| unknown(error.to_string()))?;
    if !path.is_file() {
        return Err(unknown(format!("`{}` is gone", shown(&path))));
    }
    let path = on_path(&path).unwrap_or(path);
    path.into_os_string()
        .into_string()
        .map_err(|path| unknown(format!("`{}` is not UTF-8", shown(Path::new(&path)))))
}

/// The state directory that the hooks name.
fn state_dir(args: &Args) -> Result<String, Failure> {
    // What is no UTF-8 is no place.
    Ok(shared_state_dir(args)?.to_string_lossy().into_owned())
}

fn on_path(program: &Path) -> Option<PathBuf> {
    let program = program.canonicalize().ok()?;
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(NAME))
        .filter(|path| !is_temporary(path))
        .find(|path| path.canonicalize().is_ok_and(|leads_to| leads_to == program))
}

/// Whether `program` may be gone tomorrow: `npx` runs from a cache.
fn is_temporary(program: &Path) -> bool {
    let folder = env::temp_dir();
    let folder = folder.canonicalize().unwrap_or(folder);
    program.starts_with(folder) || program.components().any(|part| part.as_os_str() == "_npx")
}

impl Report {
    /// `new` is what the file holds then; `None`: there is none.
    fn new(
        (runtime, dry_run): (Runtime, bool),
        file: &SettingsFile,
        old: &str,
        new: Option<&str>,
        notes: Vec<String>,
        masked: Masked,
    ) -> Result<Self, Failure> {
        Ok(Self {
            runtime: runtime.name(),
            file: file.path().display().to_string(),
            changed: new.unwrap_or_default() != old,
            dry_run,
            backup: None,
            diff: diff(file, runtime, (old, new), masked)
                .map_err(|misfit| misplaced(file.path(), &misfit))?,
            notes,
            mcp: None,
        })
    }

    /// Shows people what changes before it does.
    fn show_change(&self, args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
        if args.global.json || self.diff.is_empty() {
            return Ok(());
        }
        for line in &self.diff {
            let color = match line.as_bytes().first() {
                Some(b'+') => Style::new().fg_color(Some(AnsiColor::Green.into())),
                Some(b'-') => Style::new().fg_color(Some(AnsiColor::Red.into())),
                _ => Style::new(),
            };
            writeln!(out, "{color}{line}{color:#}")?;
        }
        writeln!(out)?;
        Ok(out.flush()?)
    }
}

/// The settings without any value that is not ours.
type Masked = fn(&str, Runtime) -> Result<String, Misfit>;

fn diff(
    file: &SettingsFile,
    runtime: Runtime,
    (old, new): (&str, Option<&str>),
    masked: Masked,
) -> Result<Vec<String>, Misfit> {
    let path = shown(file.path());
    let named = |exists: bool| if exists { path.as_str() } else { "/dev/null" };
    let (before, after) = (masked(old, runtime)?, masked(new.unwrap_or_default(), runtime)?);
    let lines = TextDiff::from_lines(&before, &after);
    let mut diff = lines.unified_diff();
    let diff = diff.context_radius(2).header(named(file.exists()), named(new.is_some())).to_string();
    Ok(diff.lines().map(|line| long(&redact(line)).trim_end().to_owned()).collect())
}
