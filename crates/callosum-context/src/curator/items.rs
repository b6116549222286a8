//! What lies in the folder for the curator: outputs, staged items, feedback.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use callosum_core::model::time::from_rfc3339;

use crate::days::{Day, Zone};
use crate::feedback::{self, Feedback};
use crate::layout::{self, FEEDBACK_INBOX, OUTPUTS, STAGING};
use crate::limits::ITEM_BYTES;
use crate::names::{AgentName, sha256};
use crate::output::{Kind, Output};
use crate::signals::Said;

/// Bytes of an item with its head, and of an inbox, that are read.
const FILE_BYTES: u64 = (ITEM_BYTES + (16 << 10)) as u64;
pub(crate) const INBOX_BYTES: u64 = 64 << 20;

/// A file of an agent: an output or a staged item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    /// Its name in its folder, which begins with the time of the day.
    pub(crate) name: String,
    pub(crate) agent: AgentName,
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

/// The text of a file of at most `most` bytes; `None` where there is none. Links are not followed.
///
/// # Errors
/// What the system says, or that it is no file of ours.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Option<String>> {
    let facts = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        facts => facts?,
    };
    if !facts.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    if facts.len() > most {
        return Err(io::Error::other(format!("it has {} bytes, and {most} is the most", facts.len())));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())))
}

/// The names in a folder, sorted; none where there is no folder. A link is no folder.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    match fs::symlink_metadata(folder) {
        Ok(facts) if facts.is_dir() => {}
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => return Ok(Vec::new()),
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        // A name that is no text is none that we gave.
        names.extend(entry?.file_name().into_string().ok());
    }
    names.sort_unstable();
    Ok(names)
}

/// Whether a name is that of an item, not of a file that an editor or a synchroniser left.
fn is_item(name: &str) -> bool {
    name.ends_with(".md") && !name.starts_with('.') && !name.to_lowercase().contains("conflicted copy")
}

fn agents(folder: &Path) -> io::Result<Vec<AgentName>> {
    Ok(names(folder)?.iter().filter_map(|name| AgentName::parse(name).ok()).collect())
}

/// The names of all agents that have a folder.
pub(crate) fn all_agents(folder: &Path) -> io::Result<Vec<AgentName>> {
    let mut all = agents(&folder.join(OUTPUTS))?;
    all.extend(agents(&folder.join(STAGING))?);
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// The outputs of a day, the oldest first.
pub(crate) fn outputs(folder: &Path, day: Day) -> io::Result<Vec<Item>> {
    items(folder, &agents(&folder.join(OUTPUTS))?, |agent| layout::outputs(agent, day))
}

/// The staged items, the oldest first.
pub(crate) fn staged(folder: &Path) -> io::Result<Vec<Item>> {
    items(folder, &agents(&folder.join(STAGING))?, layout::staging)
}

fn items(folder: &Path, agents: &[AgentName], place: impl Fn(&AgentName) -> PathBuf) -> io::Result<Vec<Item>> {
    let mut found = Vec::new();
    for agent in agents {
        let below = place(agent);
        for name in names(&folder.join(&below))?.into_iter().filter(|name| is_item(name)) {
            let path = below.join(&name).to_string_lossy().into_owned();
            found.push(Item { name, agent: agent.clone(), path });
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// An item, read.
pub(crate) fn item(folder: &Path, item: &Item, kind: Kind) -> Result<(Output, String), Skipped> {
    match read(&folder.join(&item.path), FILE_BYTES) {
        Ok(Some(text)) => Ok((Output::read(&text, kind, &item.agent), text)),
        Ok(None) => Err(Skipped::new(&item.path, "it is gone")),
        Err(error) => Err(Skipped::new(&item.path, error.to_string())),
    }
}

/// An output as the cross signals take it.
pub(crate) fn said(item: &Item, output: &Output, text: &str, day: Day, zone: Zone) -> Said {
    let head = text.find(&output.body).and_then(|at| text.get(..at)).unwrap_or_default();
    Said {
        agent: item.agent.to_string(),
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
pub(crate) fn feedback(folder: &Path) -> io::Result<(Vec<Told>, usize)> {
    let text = read(&folder.join(FEEDBACK_INBOX), INBOX_BYTES)?.unwrap_or_default();
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
