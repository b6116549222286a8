//! What hooks do about the shared context: its folders are looked after, and sessions are told of the one that holds here.

use std::path::Path;
use std::time::Duration;

use callosum_context::read;
use callosum_context::registry::Registry;
use callosum_context::site::Site;
use callosum_context::tend::{How, Tender, are_still, call_ended};
use callosum_core::gate::Gate;
use callosum_core::model::text::short_name;
use callosum_core::model::time::Stamp;
use callosum_runtimes::openclaw::Tool;

/// After a call nobody waits longer for another who looks after the folder: that one sees as much. A session that is to be told
/// something waits until that one is done.
const PATIENCE_AFTER: Duration = Duration::from_millis(50);
const PATIENCE_TELLING: Duration = Duration::from_secs(1);

/// What is told to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// It begins, or goes on with less in its memory: everything.
    Start,
    /// It got a prompt: only what changed since it was told last.
    Prompt,
    /// A call of it ended, and nothing is told.
    Call,
}

/// Whether there is anything to look after at such an event: a folder is recorded, or one is to be set up; and after a call, its tool
/// may write. Costs a look for one file.
pub(super) fn is_worth_a_look(gate: &Gate, when: When, tool: &str) -> bool {
    let settings = gate.shared_context();
    let may_write = when != When::Call || !Tool::READING.iter().any(|reading| reading.name() == tool);
    let is_wanted = settings.enabled == Some(true) && when == When::Start;
    settings.enabled != Some(false) && may_write && (is_wanted || Registry::is_there(gate.state_dir()))
}

/// Whether a call that has ended changed nothing in any folder since somebody looked, not long ago: then there is no more to do.
pub(super) fn has_changed_nothing(gate: &Gate, session: &str, now: &Stamp) -> bool {
    let is_still = are_still(gate.state_dir(), now.wall_ms);
    if is_still {
        call_ended(gate.state_dir(), &short_name(session), now.wall_ms);
    }
    is_still
}

/// Looks after all folders that are in use, and gives what a session is told of the one that holds here. Whatever fails is left out:
/// a hook has other things to say.
pub(super) fn attend(gate: &Gate, session: &str, when: When, home: &Path, now: &Stamp) -> Option<String> {
    let site = Site { gate, home, now: *now };
    // As the journal names it.
    let session = &*short_name(session);
    if when == When::Start {
        site.set_up_if_wanted().ok()?;
    }
    let patience = if when == When::Call { PATIENCE_AFTER } else { PATIENCE_TELLING };
    let mut told = None;
    let ended = (when == When::Call).then_some(session);
    site.attend(patience, ended, &mut |tender, is_told| {
        if is_told && when != When::Call {
            told = text(&site, tender, session, when);
        }
    });
    told
}

fn text(site: &Site<'_>, tender: &mut Tender, session: &str, when: When) -> Option<String> {
    let zone = site.zone().unwrap_or_default();
    let before = tender.told(session).map(|told| (told.at_ms, told.digest.clone()));
    let since_ms = before.as_ref().map(|(at_ms, _)| *at_ms);
    let told = read::text(tender, site.max_chars(), since_ms, zone, site.now.wall_ms)?;
    if when == When::Prompt && before.is_some_and(|(_, digest)| digest == told.digest) {
        return None;
    }
    tender.tell(session, How::Hook, &told.digest, site.now.wall_ms);
    Some(told.text)
}
