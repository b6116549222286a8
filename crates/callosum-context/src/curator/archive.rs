//! Entries of the inbox that are taken over and old move to `archive/<month>.md`, so that the inbox stays short enough to be read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use callosum_core::model::time::to_rfc3339;

use crate::days::{Day, Zone};
use crate::error::Problem;
use crate::inbox;
use crate::layout::{ARCHIVE, PRIORITIES_INBOX};
use crate::tend::Tender;

use super::checkpoint::Checkpoint;
use super::files::Files;

/// An entry is kept in the inbox for so many days.
const KEPT_DAYS: u64 = 30;

/// Moves them. First the archive has them, then the inbox has them no more: a run that is killed between leaves them in both, and the next
/// one finds them archived.
pub(super) fn archive(
    files: &mut Files<'_>,
    tender: &mut Tender,
    checkpoint: &Checkpoint,
    zone: Zone,
    today: Day,
) -> Result<(), Problem> {
    let bytes = files.folder.read(Path::new(PRIORITIES_INBOX))?.unwrap_or_default();
    // What is no text was made by nothing of ours.
    let Ok(inbox) = String::from_utf8(bytes) else { return Ok(()) };
    let consumed = checkpoint.inbox.begin(&inbox);
    let oldest = today.before(KEPT_DAYS);
    let is_old = |at_ms: i64| zone.at(at_ms).0 < oldest;
    let mut rest = inbox.clone();
    let mut months: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in inbox::entries(&inbox).into_iter().rev() {
        let Some(at_ms) = entry.wall_ms.filter(|at_ms| entry.range.end <= consumed && is_old(*at_ms)) else {
            continue;
        };
        let Some(text) = inbox.get(entry.range.clone()) else { continue };
        let month = to_rfc3339(at_ms).chars().take(7).collect();
        months.entry(month).or_default().push(format!("{}\n", text.trim_end()));
        rest.replace_range(entry.range, "");
    }
    if months.is_empty() || tender.pending().iter().any(|pending| pending.path == PRIORITIES_INBOX) {
        return Ok(());
    }
    for (month, entries) in months {
        let path = PathBuf::from(ARCHIVE).join(format!("{month}.md"));
        let mut text = files.folder.read_text(&path)?.unwrap_or_else(|| format!("# Inbox of {month}\n"));
        let is_known = |text: &str, entry: &str| format!("{text}\n").contains(&format!("\n{entry}\n"));
        for entry in entries.into_iter().rev() {
            if !is_known(&text, &entry) {
                text.push_str(&format!("\n{entry}"));
            }
        }
        files.replace(&path, text.as_bytes())?;
        tender.wrote(&path.to_string_lossy(), text.as_bytes())?;
    }
    if tender.shorten(PRIORITIES_INBOX, inbox.as_bytes(), rest.as_bytes())? {
        files.changed.push(PRIORITIES_INBOX.to_owned());
    }
    Ok(())
}
