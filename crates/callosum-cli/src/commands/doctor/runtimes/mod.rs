//! The other runtimes, where they are: whether our hooks stand in their settings, what these would run, and
//! whether anything keeps the runtime from running them.

mod server;
mod trust;

use std::env;
use std::path::Path;
use std::time::Duration;

use callosum_core::query::{ReadOnlyView, Status};
use callosum_core::store::state_dir;
use callosum_runtimes::settings::entries::Amiss;
use callosum_runtimes::settings::installed::Hooks;
use callosum_runtimes::trust::HookTrust;
use callosum_runtimes::{RUNTIMES, Runtime};

use super::finding::{Finding, Level};
use super::is_same;
use super::program::Program;
use crate::commands::executable::is_executable;
use crate::commands::install::Installed;
use crate::output::{long, name};

/// How long a program may take to tell its version.
const VERSION: Duration = Duration::from_secs(10);
/// Hooks listed.
const MAX_LISTED: usize = 10;

pub(super) fn look(view: &ReadOnlyView, status: &Status) -> Vec<Finding> {
    let of = |runtime| {
        let mut findings = of_runtime(runtime, view, status);
        findings.extend(server::look(runtime, view));
        findings
    };
    RUNTIMES.into_iter().flat_map(of).collect()
}

fn of_runtime(runtime: Runtime, view: &ReadOnlyView, status: &Status) -> Vec<Finding> {
    let (id, title) = (runtime.name(), runtime.title());
    let install = install(runtime);
    match Installed::of(runtime) {
        Installed::NoRuntime => Vec::new(),
        Installed::None { folder } => vec![Finding::new(
            Level::Note,
            id,
            format!(
                "{title} is on this machine (`{}`), but Callosum's hooks are not in its settings",
                shown(&folder)
            ),
            format!("to gate its tool calls too, run {install}"),
        )],
        Installed::Unreadable { why, has_ours } => {
            let level = if has_ours { Level::Error } else { Level::Warning };
            let remedy = format!("fix the file, then run {install}");
            vec![Finding::new(level, id, format!("{title}'s settings can't be read: {why}"), remedy)]
        }
        Installed::Hooks(file, hooks) => {
            let mut findings = vec![standing(runtime, &file, &hooks, status)];
            findings.extend(off(runtime, &file, &hooks));
            findings.extend(program(runtime, &hooks));
            findings.extend(directory(runtime, &hooks, view));
            findings.extend(runtime.facts().trust.map(|trust| trust::look(runtime, trust, &file, &hooks)));
            findings
        }
    }
}

fn install(runtime: Runtime) -> String {
    format!("`callosum install {}`", runtime.name())
}

fn shown(path: &Path) -> String {
    long(&path.display().to_string())
}

/// Whether they are as they would be written now, and whether they were ever seen to run.
fn standing(runtime: Runtime, file: &Path, hooks: &Hooks, status: &Status) -> Finding {
    let (id, title, file) = (runtime.name(), runtime.title(), shown(file));
    if !hooks.amiss.is_empty() {
        let ungated = hooks
            .amiss
            .iter()
            .any(|(event, amiss)| event == runtime.gating_event() && *amiss == Amiss::Missing);
        let level = if ungated { Level::Error } else { Level::Warning };
        let names_no_directory = matches!(&hooks.program, Some((_, None)));
        let moved = names_no_directory.then(|| {
            "they name no state directory, so a project's environment file can redirect the gate to another journal and other settings".to_owned()
        });
        let lines = hooks.amiss.iter().map(|(event, amiss)| {
            let how = match amiss {
                Amiss::Missing => "is missing",
                Amiss::Different => "differs from what `install` would write now",
                Amiss::Needless => "is no longer needed",
            };
            format!("the hook for {} {how}", name(event))
        });
        let lines = moved.into_iter().chain(lines);
        return Finding::new(
            level,
            id,
            format!("{title}: Callosum's hooks in `{file}` are incomplete or out of date"),
            format!("run {}{}", install(runtime), runtime.facts().trust.map_or("", HookTrust::after_install)),
        )
        .lines(lines, MAX_LISTED, "hooks");
    }
    if status.coverage.contains_key(id) {
        return Finding::ok(id, format!("{title}: Callosum's hooks are in `{file}`"));
    }
    Finding::new(
        Level::Note,
        id,
        format!("{title}: Callosum's hooks are in `{file}`, but they have seen no call lately"),
        "have it make a tool call, and run this again; restart sessions that were running before the hooks were installed",
    )
}

fn off(runtime: Runtime, file: &Path, hooks: &Hooks) -> Option<Finding> {
    let off = hooks.off?;
    Some(Finding::new(
        Level::Error,
        format!("{}.off", runtime.name()),
        format!("{} does not run Callosum's hooks: {off} in `{}`", runtime.title(), shown(file)),
        "change that, and restart its sessions",
    ))
}

/// Whether what they run is there, and is this program.
fn program(runtime: Runtime, hooks: &Hooks) -> Option<Finding> {
    let id = format!("{}.program", runtime.name());
    let (title, install) = (runtime.title(), install(runtime));
    let Some((program, _)) = &hooks.program else {
        let what = format!("{title}: Callosum's hooks name no program");
        return Some(Finding::new(Level::Error, id, what, format!("run {install}")));
    };
    let there = shown(program);
    if !is_executable(program) {
        let why = if program.exists() { "can't be run" } else { "is not there" };
        return Some(Finding::new(
            Level::Error,
            id,
            format!("{title}'s hooks let every call through: the program they run, `{there}`, {why}"),
            format!("put the program back, or run {install} from the copy you want to keep"),
        ));
    }
    let own = env::current_exe().ok()?;
    if is_same(program, &own) {
        return None;
    }
    let finding = Finding::new(
        Level::Warning,
        id,
        format!("{title}'s hooks run a different program: `{there}`"),
        format!("run {install} from the copy you want to keep; this one is `{}`", shown(&own)),
    );
    let ours = env!("CARGO_PKG_VERSION");
    Some(match version(program) {
        Ok(version) if version == ours => finding.line(format!("both are version {ours}")),
        Ok(version) => finding.line(format!("that one is version {version}, this one is version {ours}")),
        Err(why) => finding.line(format!("this one is version {ours}; that one did not tell its own: {why}")),
    })
}

/// The version of the program at `path`, by its own word.
fn version(path: &Path) -> Result<String, String> {
    let answer = Program::at(path).run(&["--version"], VERSION);
    let (stdout, _) = answer.map_err(|error| error.to_string())?;
    let version = stdout.trim().strip_prefix("callosum ");
    version.map(name).ok_or_else(|| "it is no `callosum`".to_owned())
}

/// Whether they journal where this looks. What the runtime's own environment says is not known; it is taken to be this one's.
fn directory(runtime: Runtime, hooks: &Hooks, view: &ReadOnlyView) -> Option<Finding> {
    let (_, named) = hooks.program.as_ref()?;
    let environment = state_dir::variable();
    let home = env::home_dir().unwrap_or_default();
    let there = state_dir::locate(None, named.as_deref().or(environment.as_deref()), &home);
    if is_same(&there, view.state_dir()) {
        return None;
    }
    let (there, here) = (shown(&there), shown(view.state_dir()));
    Some(Finding::new(
        Level::Warning,
        format!("{}.state-dir", runtime.name()),
        format!(
            "{}'s hooks write to the journal in `{there}`, but this command looked at `{here}`",
            runtime.title()
        ),
        format!(
            "check that one (`callosum --state-dir {there} doctor`), or run `callosum --state-dir {here} install {}`: \
             sessions see each other only if they share a state directory",
            runtime.name()
        ),
    ))
}
