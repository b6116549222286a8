//! Our MCP server in a runtime's settings, where it is there: what it would run, and where it looks.

use std::env;
use std::path::PathBuf;

use callosum_core::query::ReadOnlyView;
use callosum_core::store::state_dir;
use callosum_runtimes::Runtime;

use super::super::finding::{Finding, Level};
use super::super::is_same;
use super::shown;
use crate::commands::executable::is_executable;
use crate::commands::install::mcp;
use crate::commands::serve;

pub(super) fn look(runtime: Runtime, view: &ReadOnlyView) -> Vec<Finding> {
    let id = format!("{}.mcp", runtime.name());
    let (title, install) = (runtime.title(), format!("`callosum install {} --mcp`", runtime.name()));
    let (file, server) = match mcp::installed(runtime) {
        Ok(None) => return Vec::new(),
        Err(why) => {
            let what = format!("{title}'s settings of MCP servers can't be read: {why}");
            return vec![Finding::new(Level::Warning, id, what, format!("fix the file, then run {install}"))];
        }
        Ok(Some(found)) => found,
    };
    let program = mcp::program(&server);
    let there = shown(program);
    // The server is the other program, beside this one.
    let beside = program.canonicalize().ok().map(|program| program.with_file_name(serve::PROGRAM));
    for program in [Some(program.to_owned()), beside].into_iter().flatten() {
        if !is_executable(&program) {
            return vec![Finding::new(
                Level::Warning,
                id,
                format!(
                    "{title} can't start Callosum's MCP server: `{}` is not there, or can't be run",
                    shown(&program)
                ),
                format!("put it back, or run {install} from the copy you want to keep"),
            )];
        }
    }
    let home: PathBuf = env::home_dir().unwrap_or_default();
    let directory = state_dir::locate(None, server.state_dir(), &home);
    if !is_same(&directory, view.state_dir()) {
        let (there, here) = (shown(&directory), shown(view.state_dir()));
        return vec![Finding::new(
            Level::Warning,
            id,
            format!("{title}'s MCP server works in `{there}`, but this command looked at `{here}`"),
            format!("run `callosum --state-dir {here} install {} --mcp`", runtime.name()),
        )];
    }
    vec![Finding::ok(id, format!("{title}: Callosum's MCP server (`{there}`) is in `{}`", shown(&file)))]
}
