//! The commands, and what they have in common.

pub(crate) mod check;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod journal;
pub(crate) mod status;

use std::path::{Path, PathBuf};

use callosum_core::gate::{Gate, GateOptions};
use callosum_core::store::state_dir;
use serde_json::json;

use crate::args::Args;
use crate::output::Failure;

/// A gate that looks at the chosen state directory and leaves no trace there.
fn observer(args: &Args) -> Result<Gate, Failure> {
    let state_dir = args.state_dir.as_deref().map(chosen).transpose()?;
    Ok(Gate::observer(GateOptions {
        settings: json!({ "instanceId": "callosum-cli", "stateDir": state_dir }).to_string(),
        runtime: "callosum-cli".to_owned(),
        home: std::env::home_dir().unwrap_or_else(|| PathBuf::from("/")),
        state_dir_variable: std::env::var(state_dir::ENVIRONMENT_VARIABLE).ok(),
        ..GateOptions::default()
    }))
}

/// A directory from the command line starts from the working folder, unlike one from a setting. A shell does
/// not expand the `~` of `--state-dir=~/folder`: that is left to the core.
fn chosen(path: &Path) -> Result<String, Failure> {
    if let Some(text) = path.to_str().filter(|text| text.starts_with("~/")) {
        return Ok(text.to_owned());
    }
    let unusable = |fragment: String| Failure::CantLook {
        fragment,
        remedy: "give the path of the shared state directory".to_owned(),
    };
    let absolute = std::path::absolute(path).map_err(|error| {
        unusable(format!("can't use `{}` as the state directory: {error}", path.display()))
    })?;
    absolute
        .to_str()
        .map(str::to_owned)
        .ok_or_else(|| unusable(format!("the path `{}` is no UTF-8", path.display())))
}
