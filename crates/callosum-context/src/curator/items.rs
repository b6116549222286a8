//! What lies in the folder for the curator: outputs, staged items, feedback.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use callosum_core::model::time::from_rfc3339;

use crate::days::{Day, Zone};
use crate::error::Problem;
use crate::feedback::{self, Feedback};
use crate::folder::{EntryKind, Folder};
use crate::layout::{self, FEEDBACK_INBOX, OUTPUTS, STAGING};
use crate::limits::ITEM_BYTES;
use crate::names::{AgentName, sha256};
use crate::output::{Kind, Output};
use crate::signals::Said;

/// Bytes of an item with its head that are read.
const ITEM_FILE_BYTES: u64 = (ITEM_BYTES + (16 << 10)) as u64;

/// A file of an agent: an output or a staged item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    /// Its name in its folder, which begins with the time of the day.
    pub(crate) name: String,
    pub(crate) agent: AgentName,
    pub(crate) bytes: u64,
    /// Below the shared context, with `/`.
    pub(crate) path: String,
}

/// Something that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Skipped {
    /// The id, or the path below the folder.
    pub id: String,
    /// Why: a clause.
    pub why: String,
}

impl Skipped {
    pub(crate) fn new(id: impl Into<String>, why: impl Into<String>) -> Self {
        Self { id: id.into(), why: why.into() }
    }
}

/// Whether a name is that of an item, not of a file that an editor left.
fn is_item(name: &str) -> bool {
    name.ends_with(".md") && !name.starts_with('.')
}

fn agents(folder: &Folder, below: &str) -> Vec<AgentName> {
    let entries = folder.list(Path::new(below)).into_iter().filter(|entry| entry.kind == EntryKind::Folder);
    entries.filter_map(|entry| AgentName::parse(&entry.name).ok()).collect()
}

/// The names of all agents that have a folder.
pub(crate) fn all_agents(folder: &Folder) -> BTreeSet<String> {
    let all = [OUTPUTS, STAGING].into_iter().flat_map(|below| agents(folder, below));
    all.map(|agent| agent.to_string()).collect()
}

/// The outputs of a day, the oldest first.
pub(crate) fn outputs(folder: &Folder, day: Day) -> Vec<Item> {
    items(folder, OUTPUTS, |agent| layout::outputs(agent, day))
}

/// The staged items, the oldest first.
pub(crate) fn staged(folder: &Folder) -> Vec<Item> {
    items(folder, STAGING, layout::staging)
}

fn items(folder: &Folder, kind: &str, place: impl Fn(&AgentName) -> PathBuf) -> Vec<Item> {
    let mut found = Vec::new();
    for agent in agents(folder, kind) {
        let below = place(&agent);
        let entries = folder.list(&below).into_iter().filter(|entry| is_item(&entry.name));
        found.extend(entries.map(|entry| Item {
            path: below.join(&entry.name).to_string_lossy().into_owned(),
            agent: agent.clone(),
            bytes: entry.bytes,
            name: entry.name,
        }));
    }
    found.sort_unstable();
    found
}

/// An item, read, and the text of its file.
pub(crate) fn item(folder: &Folder, item: &Item, kind: Kind) -> Result<(Output, String), Skipped> {
    if item.bytes > ITEM_FILE_BYTES {
        let why = format!("it has {} bytes, and {ITEM_FILE_BYTES} is the most", item.bytes);
        return Err(Skipped::new(&item.path, why));
    }
    match folder.read_text(Path::new(&item.path)) {
        Ok(Some(text)) => Ok((Output::read(&text, kind, &item.agent), text)),
        Ok(None) => Err(Skipped::new(&item.path, "it is gone")),
        Err(problem) => Err(Skipped::new(&item.path, problem.message)),
    }
}

/// An output as the cross signals take it, by the agent that is called so.
pub(crate) fn said(item: &Item, agent: String, output: &Output, text: &str, day: Day, zone: Zone) -> Said {
    let head = text.find(&output.body).and_then(|at| text.get(..at)).unwrap_or_default();
    Said {
        agent,
        session: output.session.clone(),
        at_ms: from_rfc3339(&output.created_at).unwrap_or_else(|| zone.start_of(day)),
        path: item.path.clone(),
        title: output.title.clone(),
        entities: output.entities.clone(),
        body: output.body.clone(),
        first_line: 1 + head.matches('\n').count(),
        sha256: sha256(text.as_bytes()),
    }
}

/// Feedback, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) feedback: Feedback,
    /// Below the folder, with the line's number.
    pub(crate) proof: String,
    /// Its line as it stands there.
    pub(crate) line: String,
}

impl Told {
    /// The day that it counts for: the one that it names, else the one on which it was given.
    pub(crate) fn day(&self, zone: Zone) -> Option<Day> {
        let named = self.feedback.date.as_deref().and_then(|date| Day::parse(date).ok());
        named.or_else(|| from_rfc3339(&self.feedback.at).map(|at| zone.at(at).0))
    }
}

/// All feedback of the inbox, and how many lines are none.
pub(crate) fn feedback(folder: &Folder) -> Result<(Vec<Told>, usize), Problem> {
    let text = folder.read_text(Path::new(FEEDBACK_INBOX))?.unwrap_or_default();
    let (mut found, mut skipped) = (Vec::new(), 0);
    for (at, line) in text.lines().enumerate() {
        let (read, bad) = feedback::read(line);
        skipped += bad;
        found.extend(read.into_iter().map(|(feedback, line)| Told {
            feedback,
            proof: format!("{FEEDBACK_INBOX}:{}", at + 1),
            line: line.to_owned(),
        }));
    }
    Ok((found, skipped))
}
