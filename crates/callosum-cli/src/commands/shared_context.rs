//! Looking after the shared context's folders, and what sessions are told of them: for commands and hooks.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use callosum_context::days::Zone;
use callosum_context::error::Problem;
use callosum_context::folder::Folder;
use callosum_context::read;
use callosum_context::registry::{PolicyMode, Registry, VARIABLE};
use callosum_context::setup;
use callosum_context::tend::{Span, Tender};
use callosum_core::gate::Gate;
use callosum_core::model::text::short_name;
use callosum_core::model::time::{Stamp, to_rfc3339};
use callosum_core::query::{Filter, Source};
use callosum_core::record::Suspect;
use callosum_runtimes::openclaw::Tool;

/// Records that are looked through for suspects at most.
const MOST_RECORDS: usize = 10_000;
/// Who may have done it where the journal can't be read: then nothing counts as a person's.
const UNKNOWN: Suspect =
    Suspect { seq: 0, instance: String::new(), session: String::new(), tool: String::new() };
/// After a call nobody waits longer for another who looks after the folder: that one sees as much. A session that is to be told
/// something waits until that one is done.
const PATIENCE_AFTER: Duration = Duration::from_millis(50);
const PATIENCE_TELLING: Duration = Duration::from_secs(1);

/// Looks at a folder's protected files, and journals what something other than their writer did to them.
pub(super) fn look(gate: &Gate, tender: &mut Tender, now: &Stamp) -> Result<(), Problem> {
    let on_tamper = gate.shared_context().on_tamper;
    let look = tender.look(now.wall_ms, on_tamper, &mut |span| suspects(gate, span, now))?;
    for change in look.changes {
        let path = tender.folder().root().join(&change.path);
        let back = if change.is_restored { "; they are back" } else { "" };
        gate.context_tampered(
            &path.to_string_lossy(),
            &format!("it {}{back}", change.why),
            change.suspects.into_iter().filter(|suspect| *suspect != UNKNOWN).collect(),
            now,
        );
    }
    Ok(())
}

/// The calls that may have changed a file then, as the journal tells.
fn suspects(gate: &Gate, span: &Span<'_>, now: &Stamp) -> Vec<Suspect> {
    let filter = Filter { limit: MOST_RECORDS, since: Some(span.since_ms().into()), ..Filter::default() };
    let page = gate.journal(&filter, now);
    page.map_or_else(|_| vec![UNKNOWN], |page| span.suspects(&page.entries))
}

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

/// Looks after all folders that are in use, and gives what a session is told of the one that holds here. Whatever fails is left out:
/// a hook has other things to say.
pub(super) fn attend(
    gate: &Gate,
    session: &str,
    when: When,
    home: &std::path::Path,
    now: &Stamp,
) -> Option<String> {
    let settings = gate.shared_context();
    // As the journal names it.
    let session = &*short_name(session);
    let mut registry = Registry::read(gate.state_dir()).ok()?;
    let located = |registry: &Registry| -> PathBuf {
        registry.locate(settings.dir.as_deref(), env::var(VARIABLE).ok().as_deref(), home)
    };
    if settings.enabled == Some(true) && when == When::Start {
        let root = located(&registry);
        let known = std::fs::canonicalize(&root).ok();
        if known.is_none_or(|known| registry.of(&known).is_none()) {
            let at = to_rfc3339(now.wall_ms);
            setup::init(&root, gate.state_dir(), PolicyMode::Enforce, gate.instance(), &at).ok()?;
            registry = Registry::read(gate.state_dir()).ok()?;
        }
    }
    let mut told = None;
    let here = std::fs::canonicalize(located(&registry)).ok();
    for recorded in registry.in_use() {
        let Ok(folder) = Folder::open(&recorded.path) else { continue };
        let is_here = here.as_deref() == Some(folder.root());
        let patience = if when == When::Call { PATIENCE_AFTER } else { PATIENCE_TELLING };
        let Ok(mut tender) = Tender::of(folder, gate.state_dir(), patience) else { continue };
        // What can't be looked at is told nothing of: it may be anything.
        if look(gate, &mut tender, now).is_ok() && is_here && when != When::Call {
            told = text(gate, &mut tender, session, when, now);
        }
        if when == When::Call {
            tender.call_ended(session, now.wall_ms);
        }
        // The next look sees the same.
        let _ = tender.save();
    }
    told
}

fn text(gate: &Gate, tender: &mut Tender, session: &str, when: When, now: &Stamp) -> Option<String> {
    let settings = gate.shared_context();
    let max_chars = usize::try_from(settings.max_inject_chars).unwrap_or(usize::MAX);
    let zone = Zone::named(settings.timezone.as_deref()).unwrap_or_default();
    let before = tender.told(session).map(|(at_ms, digest)| (at_ms, digest.to_owned()));
    let since_ms = before.as_ref().map(|(at_ms, _)| *at_ms);
    let told = read::text(tender, max_chars, since_ms, zone, now.wall_ms)?;
    if when == When::Prompt && before.is_some_and(|(_, digest)| digest == told.digest) {
        return None;
    }
    tender.tell(session, &told.digest, now.wall_ms);
    Some(told.text)
}
