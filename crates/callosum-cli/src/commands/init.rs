//! `callosum init`.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;

use callosum_core::model::error::StateError;
use callosum_core::rules::{RuleSet, STARTER_RULES};
use callosum_core::store::state_dir::StateDir;
use serde_json::json;
use tempfile::Builder;

use crate::args::Args;
use crate::output::{Failure, json, long};

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let directory = StateDir::new(super::view(args)?.state_dir().to_owned());
    let path = directory.path.join("tiers.json");
    write(&directory, &path)?;
    let file = path.display().to_string();
    if args.global.json {
        let rule_count = RuleSet::parse(STARTER_RULES).map_or(0, |rules| rules.len());
        json(out, &json!({ "ok": true, "file": file, "ruleCount": rule_count }))?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(
        out,
        "Wrote {}: three examples that only observe, before the shipped rules.\n\n\
         Edit it, then run\n  \
         callosum check                              checks it, and says where it is wrong\n  \
         callosum explain exec './release.sh v1.2'   says what a call would get now, and why\n\n\
         A running gateway uses it from the next call on.",
        long(&file)
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the file whole or not at all, and never over one that is there.
fn write(directory: &StateDir, path: &Path) -> Result<(), Failure> {
    let unusable =
        |error: StateError| Failure::CantLook { fragment: error.in_full(), remedy: error.remedy() };
    directory.prepare().map_err(unusable)?;
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::CantLook {
            fragment: format!("`{}` exists already, and was not changed", long(&path.display().to_string())),
            remedy: "edit it and run `callosum check`, or move it away and run this again".to_owned(),
        },
        _ => unusable(StateError::io("write", path, error)),
    };
    let private = Permissions::from_mode(0o600);
    let new = Builder::new().prefix(".tiers.json.").permissions(private).tempfile_in(&directory.path);
    let mut new = new.map_err(failed)?;
    new.write_all(STARTER_RULES.as_bytes()).and_then(|()| new.as_file().sync_all()).map_err(failed)?;
    new.persist_noclobber(path).map_err(|error| failed(error.error))?;
    // Some file systems can't flush a folder; the file is there all the same.
    let _ = directory.disk.sync_folder(&directory.path);
    Ok(())
}
