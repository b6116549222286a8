//! The commands, and what they have in common.

mod caller;
pub(crate) mod check;
mod child;
pub(crate) mod context;
pub(crate) mod doctor;
mod executable;
pub(crate) mod explain;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod install;
pub(crate) mod journal;
pub(crate) mod known;
pub(crate) mod leases;
pub(crate) mod observe;
pub(crate) mod rules;
pub(crate) mod serve;
pub(crate) mod sessions;
mod shared_context;
pub(crate) mod simulate;
pub(crate) mod status;
pub(crate) mod team;
pub(crate) mod why;

use std::path::{Path, PathBuf};

use callosum_core::gate::GateOptions;
use callosum_core::model::time::from_rfc3339;
use callosum_core::query::ReadOnlyView;
use callosum_core::store::settings_file::SettingsFile;
use callosum_core::store::{rules_file, state_dir};
use serde_json::Value;

use crate::args::{Args, Global};
use crate::output::{Failure, long, name};

/// Looks at the chosen state directory and leaves no trace there.
fn view(args: &Args) -> Result<ReadOnlyView, Failure> {
    view_of(&args.global)
}

/// The same by the options of every command alone.
fn view_of(global: &Global) -> Result<ReadOnlyView, Failure> {
    Ok(ReadOnlyView::new(options_of(global)?))
}

fn options(args: &Args) -> Result<GateOptions, Failure> {
    options_of(&args.global)
}

fn options_of(global: &Global) -> Result<GateOptions, Failure> {
    let options = shared_options(global)?;
    let SettingsFile { mut settings, problem } = SettingsFile::of(&options);
    settings.insert("instanceId".to_owned(), "callosum-cli".into());
    Ok(GateOptions { settings: Value::from(settings).to_string(), settings_problem: problem, ..options })
}

/// What holds for whatever the program does; its settings are not read yet.
fn shared_options(global: &Global) -> Result<GateOptions, Failure> {
    let state_dir = global.state_dir.as_deref().map(chosen).transpose()?;
    Ok(GateOptions {
        runtime: "callosum-cli".to_owned(),
        home: std::env::home_dir().unwrap_or_default(),
        // What is said on the command line comes before what the environment says.
        state_dir_variable: state_dir.or_else(state_dir::variable),
        ..GateOptions::default()
    })
}

/// The state directory that holds here.
///
/// # Errors
/// When it is not the same folder for every process.
fn shared_state_dir(args: &Args) -> Result<PathBuf, Failure> {
    let options = shared_options(&args.global)?;
    let folder = state_dir::locate(None, options.state_dir_variable.as_deref(), &options.home);
    state_dir::is_place(&folder).map_err(|why| Failure::CantLook {
        fragment: format!("`{}` can't be the state directory: {why}", long(&folder.display().to_string())),
        remedy:
            "give `--state-dir` or CALLOSUM_STATE_DIR an absolute path, written out, and check that HOME is one"
                .to_owned(),
    })?;
    Ok(folder)
}

/// The text of a rules file that was asked about.
fn rules_text(path: &Path) -> Result<String, Failure> {
    rules_file::read(path).map_err(|reason| Failure::CantLook {
        fragment: format!("`{}` {}", long(&path.display().to_string()), long(&reason)),
        remedy: "give the path of a rules file that this user can read".to_owned(),
    })
}

/// A time on the command line, as wall-clock milliseconds: a duration before `now_ms`, RFC 3339, or milliseconds since the
/// epoch.
fn moment(text: &str, now_ms: i64) -> Result<i64, Failure> {
    let as_text = || match humantime::parse_duration(text) {
        Ok(duration) => Some(now_ms.saturating_sub(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))),
        Err(_) => from_rfc3339(text),
    };
    // A bare number is a moment, not a duration.
    text.parse().ok().or_else(as_text).ok_or_else(|| Failure::CantLook {
        fragment: format!("`{}` is not a time", name(text)),
        remedy:
            "give a duration such as 2h, an RFC 3339 time such as 2026-01-31T09:00:00Z, or milliseconds since the epoch"
                .to_owned(),
    })
}

/// The state directory that the command line names.
fn chosen(path: &Path) -> Result<String, Failure> {
    state_dir::named(path).map_err(|why| Failure::CantLook {
        fragment: format!("can't use `{}` as the state directory: {why}", path.display()),
        remedy: "give the path of the shared state directory".to_owned(),
    })
}
