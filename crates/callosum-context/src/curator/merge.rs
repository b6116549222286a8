//! What agents propose, taken over into `priorities.md`. The file is a person's: whatever stands there without a marker stays as it is,
//! and what was saved meanwhile is read again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use callosum_core::model::time::{from_rfc3339, to_rfc3339};

use crate::days::Day;
use crate::error::Problem;
use crate::folder::Folder;
use crate::inbox::{self, Entry};
use crate::inert::inert;
use crate::layout::{PRIORITIES, PRIORITIES_INBOX, STAGING, STAGING_ARCHIVE};
use crate::names::sha256;
use crate::output::{Kind, Output};
use crate::priorities::{Marker, Priorities, TEMPLATE};
use crate::tend::{Tender, Verdict};

use super::checkpoint::{Checkpoint, Inserted, Mark};
use super::files::Files;
use super::items::{self, Item, Skipped};

/// Characters of a proposal in the priorities; all of it stays in the inbox or the archive.
const TEXT_CHARS: usize = 400;
/// How often it is tried while others write.
const TRIES: usize = 3;

/// What was taken over.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// The ids of what was put into the priorities.
    pub(crate) merged: Vec<String>,
    pub(crate) inputs: Vec<String>,
    pub(crate) skipped: Vec<Skipped>,
    /// Staged items that are done with, and where they go.
    pub(crate) archived: Vec<(PathBuf, PathBuf)>,
}

impl Merged {
    /// Leaves it all to another run.
    fn leave(&mut self, new: Vec<Inserted>, why: &str) {
        self.skipped.extend(new.into_iter().map(|inserted| Skipped::new(inserted.id, why)));
        self.archived.clear();
    }
}

/// Whose proposals go where, and the time.
pub(crate) struct Terms<'a> {
    /// Looks at the protected files.
    pub(crate) look: &'a dyn Fn(&mut Tender) -> Result<(), Problem>,
    pub(crate) trusted: &'a BTreeSet<String>,
    pub(crate) today: Day,
    pub(crate) now_ms: i64,
}

/// Something that an agent proposes.
struct Proposal {
    at_ms: i64,
    /// Why it is not taken over, where a person has decided so.
    left_out: Option<&'static str>,
    inserted: Inserted,
}

/// Takes over what is proposed. The checkpoint knows of it afterwards; it is not written last here.
pub(crate) fn merge(
    files: &mut Files<'_>,
    state: &mut Files<'_>,
    tender: &mut Option<Tender>,
    checkpoint: &mut Checkpoint,
    terms: &Terms<'_>,
) -> Result<Merged, Problem> {
    let mut merged = Merged::default();
    let (folder, path) = (files.folder, Path::new(PRIORITIES));
    let of_last_run = (&*checkpoint.pending_sha256, &*checkpoint.pending_before_sha256);
    files.settle(path, of_last_run, |saved| {
        tender.as_ref().map_or(Ok(()), |tender| tender.keep_saved(PRIORITIES, terms.now_ms, saved))
    })?;
    let before = Priorities::read(&folder.read_text(path)?.unwrap_or_default());
    if checkpoint.settle(&before, terms.today) {
        wrote(tender, before.text().as_bytes())?;
    }
    let (proposals, mark) = proposals(folder, tender.as_ref(), checkpoint, terms, &mut merged)?;
    let new: Vec<Inserted> = proposals.into_iter().map(|proposal| proposal.inserted).collect();
    for _ in 0..TRIES {
        let text = folder.read_text(path)?;
        if let Some(tender) = tender {
            if tender.confirmed(PRIORITIES) != text {
                (terms.look)(tender)?;
            }
            if tender.pending().iter().any(|pending| pending.path == PRIORITIES) {
                // With our lines in it, what somebody put there would count as ours.
                merged.leave(
                    new,
                    "`priorities.md` was changed, perhaps by an agent; accept or restore it first",
                );
                return Ok(merged);
            }
        }
        let before = Priorities::read(text.as_deref().unwrap_or(TEMPLATE));
        let put_back = checkpoint.lost(&before);
        let missing = put_back.iter().chain(&new).filter(|inserted| before.managed(&inserted.id).is_none());
        let after = missing.fold(before.text().to_owned(), |text, inserted| {
            Priorities::read(&text).with(inserted.section(), &inserted.bullet)
        });
        let is_changed = after != before.text();
        if is_changed {
            checkpoint.pending = put_back.iter().chain(&new).cloned().collect();
            checkpoint.pending_sha256 = sha256(after.as_bytes());
            checkpoint.pending_before_sha256 = sha256(text.as_deref().unwrap_or_default().as_bytes());
            checkpoint.write(state)?;
        }
        let is_still = |now: Option<&[u8]>| now.map(String::from_utf8_lossy).as_deref() == text.as_deref();
        if !is_changed || files.replace_if(path, after.as_bytes(), is_still)? {
            if is_changed {
                wrote(tender, after.as_bytes())?;
            }
            merged.merged = put_back.iter().chain(&new).map(|inserted| inserted.id.clone()).collect();
            checkpoint.nothing_pending();
            checkpoint.inserted(new, &put_back, terms.today);
            checkpoint.inbox = mark;
            return Ok(merged);
        }
        checkpoint.nothing_pending();
    }
    merged.leave(new, "somebody kept writing to `priorities.md`; the next run takes it over");
    Ok(merged)
}

/// What is in the priorities counts as the curator's, before the checkpoint says so: until then a killed run knows it by its digest.
fn wrote(tender: &mut Option<Tender>, bytes: &[u8]) -> Result<(), Problem> {
    tender.as_mut().map_or(Ok(()), |tender| {
        tender.wrote(PRIORITIES, bytes)?;
        tender.save()
    })
}

/// What is proposed and not taken over yet, the oldest first, and up to where the inbox is read then.
fn proposals(
    folder: &Folder,
    tender: Option<&Tender>,
    checkpoint: &Checkpoint,
    terms: &Terms<'_>,
    merged: &mut Merged,
) -> Result<(Vec<Proposal>, Mark), Problem> {
    let inbox = folder.read_text(Path::new(PRIORITIES_INBOX))?.unwrap_or_default();
    let begin = checkpoint.inbox.begin(&inbox);
    let mut found = Vec::new();
    let mut end = begin;
    let settled = inbox::settled(&inbox, terms.now_ms).len();
    for (at, entry) in inbox::entries(&inbox).into_iter().enumerate() {
        // What our command wrote is whole, whatever follows: its id says so.
        if entry.range.start < begin || (at >= settled && !entry.is_ours) {
            continue;
        }
        end = end.max(entry.range.end);
        let proposal = of_entry(&entry, tender, terms);
        if let Some(why) = proposal.left_out {
            merged.skipped.push(Skipped::new(proposal.inserted.id, why));
        } else if !checkpoint.taken.contains_key(&proposal.inserted.id) && !entry.text.is_empty() {
            found.push(proposal);
        }
    }
    if !found.is_empty() {
        merged.inputs.push(PRIORITIES_INBOX.to_owned());
    }
    for item in items::staged(folder) {
        let (output, _) = match items::item(folder, &item, Kind::Staged) {
            Ok(read) => read,
            Err(why) => {
                merged.skipped.push(why);
                continue;
            }
        };
        merged.inputs.push(item.path.clone());
        let is_over =
            output.expires_at.as_deref().and_then(from_rfc3339).is_some_and(|end| end <= terms.now_ms);
        let archive = Path::new(STAGING_ARCHIVE)
            .join(Path::new(&item.path).strip_prefix(STAGING).unwrap_or(Path::new(&item.name)));
        let proposal = of_staged(&item, &output, &archive, tender, terms);
        let id = &proposal.inserted.id;
        if let Some(why) = proposal.left_out {
            merged.skipped.push(Skipped::new(id, why));
        } else if is_over {
            merged.skipped.push(Skipped::new(id, "it has expired"));
        } else if checkpoint.taken.contains_key(id) {
            merged.skipped.push(Skipped::new(id, "it was taken over before"));
        } else {
            found.push(proposal);
        }
        merged.archived.push((PathBuf::from(&item.path), archive));
    }
    found.sort_by(|one, other| (one.at_ms, &one.inserted.id).cmp(&(other.at_ms, &other.inserted.id)));
    found.dedup_by(|one, other| one.inserted.id == other.inserted.id);
    Ok((found, Mark::at(&inbox, end)))
}

fn proposal(
    id: &str,
    agent: &str,
    at_ms: Option<i64>,
    is_trusted: bool,
    text: &str,
    tender: Option<&Tender>,
) -> Proposal {
    let decided = tender.and_then(|tender| tender.decided(id));
    let left_out = match decided.map(|decided| decided.verdict) {
        Some(Verdict::Rejected) => Some("a person rejected it"),
        // `accept` has put it there; if it is not there any more, a person took it away.
        Some(Verdict::Accepted) => Some("a person accepted it before"),
        Some(Verdict::Written) | None => None,
    };
    let accepted = decided.map(|decided| decided.at.clone());
    let at_ms = at_ms.unwrap_or(0);
    let is_current = is_trusted || accepted.is_some();
    let marker = Marker { id: id.to_owned(), agent: inbox::word(agent), at: to_rfc3339(at_ms), accepted };
    let bullet = marker.bullet(&format!("(from {}) {text}", inert(agent, 80)));
    Proposal { at_ms, left_out, inserted: Inserted { id: id.to_owned(), is_current, bullet } }
}

/// An entry is its agent's only where our command wrote it, which the state says. One of a shell only claims whose it is.
fn of_entry(entry: &Entry, tender: Option<&Tender>, terms: &Terms<'_>) -> Proposal {
    let is_ours = tender.is_some_and(|tender| tender.is_written(&entry.id));
    let is_trusted = is_ours && terms.trusted.contains(&entry.agent);
    proposal(&entry.id, &entry.agent, entry.wall_ms, is_trusted, &inert(&entry.text, TEXT_CHARS), tender)
}

/// A staged item is its agent's: the gate lets nobody else into its folder.
fn of_staged(
    item: &Item,
    output: &Output,
    archive: &Path,
    tender: Option<&Tender>,
    terms: &Terms<'_>,
) -> Proposal {
    let body = output.body.trim_start_matches('#').trim_start();
    let says_title = body.starts_with(&output.title);
    let text = if says_title { body.to_owned() } else { format!("{}: {body}", output.title) };
    let text = format!("{} [{}]", inert(&text, TEXT_CHARS), inert(&archive.to_string_lossy(), TEXT_CHARS));
    let agent = item.agent.as_str();
    proposal(
        &output.id,
        agent,
        from_rfc3339(&output.created_at),
        terms.trusted.contains(agent),
        &text,
        tender,
    )
}
