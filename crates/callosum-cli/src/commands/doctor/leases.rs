//! Actions whose process died or whose lease ended with no outcome.

use callosum_core::model::time::Stamp;
use callosum_core::query::{ReadOnlyView, Source};

use super::finding::{Finding, Level};
use crate::output::{counted, local_time, long, name};

/// Actions listed.
const MAX_LISTED: usize = 10;

pub(super) fn look(view: &ReadOnlyView, now: &Stamp) -> Option<Finding> {
    // What can't be read is told by the journal's finding.
    let open = view.unfinished(now).ok()?;
    if open.is_empty() {
        return Some(Finding::ok("leases", "Every action has an outcome, or may still be running"));
    }
    let actions = counted(u64::try_from(open.len()).unwrap_or(u64::MAX), "action");
    let lines = open.iter().rev().map(|action| {
        let keys = long(&action.context_keys.join(", "));
        let why = if action.holder_died { "its process died" } else { "its lease ended" };
        let (tool, session, instance) = (name(&action.tool), name(&action.session), name(&action.instance));
        format!("{keys}: {tool} by {instance} (session {session}) since {}; {why}", local_time(&action.since))
    });
    let title = format!("{actions} without an outcome: nobody knows whether they were done");
    let remedy = "verify on the resource itself; `callosum why KEY` tells the story. They block nothing, but the next session that acts there is shown them";
    Some(Finding::new(Level::Note, "leases", title, remedy).lines(lines, MAX_LISTED, "actions"))
}
