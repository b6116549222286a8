//! The shared contexts: whether their folders are there, local and as their writers left them.

use std::path::Path;

use callosum_context::lint::away;
use callosum_context::registry::{PolicyMode, Recorded, Registry};
use callosum_context::tend;
use callosum_core::query::ReadOnlyView;

use super::finding::{Finding, Level};
use crate::output::{counted, long};

/// Files listed.
const MAX_FILES: usize = 20;

pub(super) fn look(view: &ReadOnlyView) -> Vec<Finding> {
    match Registry::read(view.state_dir()) {
        Ok(registry) => registry.in_use().flat_map(|recorded| folder(view.state_dir(), recorded)).collect(),
        Err(problem) => {
            let title = format!("Can't list the shared contexts: {}", long(&problem.message));
            vec![Finding::new(Level::Error, "context", title, problem.remedy)]
        }
    }
}

fn folder(state_dir: &Path, recorded: &Recorded) -> Vec<Finding> {
    let shown = long(&recorded.path.display().to_string());
    if !recorded.path.is_dir() {
        let title = format!("The shared context {shown} is gone");
        let remedy = "put it back, or name another in `sharedContextDir`, and run `callosum context init`";
        return vec![Finding::new(Level::Warning, "context", title, remedy)];
    }
    let mut findings = Vec::new();
    if let Some(why) = away(&recorded.path) {
        let remedy = "move it to a local folder: two machines that write there lose entries";
        findings.push(Finding::new(
            Level::Warning,
            "context.away",
            format!("Of the shared context {shown}: {why}"),
            remedy,
        ));
    }
    let pending = tend::pending(state_dir, &recorded.path);
    if !pending.is_empty() {
        let remedy = "run `callosum context lint`, which says what to do about each";
        let title = format!("Files of the shared context {shown} are not as their writers left them");
        let files = pending.iter().map(|pending| long(&pending.path));
        findings.push(
            Finding::new(Level::Warning, "context.tampered", title, remedy).lines(files, MAX_FILES, "files"),
        );
    }
    if recorded.mode == PolicyMode::Observe {
        let title = format!("The write policy of the shared context {shown} only observes");
        let remedy = "run `callosum context init`, once you have seen enough";
        findings.push(Finding::new(Level::Note, "context.mode", title, remedy));
    }
    if findings.is_empty() {
        let sessions = u64::try_from(tend::sessions_told(state_dir, &recorded.path)).unwrap_or(u64::MAX);
        let told = counted(sessions, "session");
        let title = format!("The shared context {shown} is in order; hooks have told {told} of it");
        findings.push(Finding::ok("context", title));
    }
    findings
}
