//! What is read by tool: a file of the folder, or what there is. All of it is data: secrets are taken out, and no line of it can be
//! taken for one of Callosum's.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use callosum_core::model::redact::redact;
use callosum_core::model::text::{one_line, without_our_name};
use callosum_core::model::time::from_rfc3339;
use serde_json::{Value, json};

use crate::decide;
use crate::error::{Code, Problem};
use crate::folder::{EntryKind, Folder, UNFINISHED, is_conflicted};
use crate::layout::{OUTPUTS, PRIORITIES, ROUNDTABLE, SIGNALS, WEEKLY};
use crate::lock;
use crate::names::AgentName;
use crate::output::{Kind, Output};
use crate::site::Site;

use super::params::Params;

/// Characters of a file that one call gives.
const PIECE_CHARS: usize = 16_000;
/// Outputs that are listed without a limit, and at most.
const SOME_OUTPUTS: usize = 20;
const MOST_OUTPUTS: usize = 100;
/// Characters of a title.
const TITLE_CHARS: usize = 200;
/// Proposals that are listed at most.
const MOST_PROPOSALS: usize = 20;

/// A file by its `path`, from the character `offset` on; without one what there is: the newest outputs, of one `agent` or of all, and
/// where everything else lies.
pub(super) fn read(site: &Site<'_>, params: Params<'_>) -> Result<Value, Problem> {
    let (folder, recorded) = site.folder()?;
    if let Some(path) = params.text(&["path"])? {
        return file(&folder, path, params.count("offset")?.unwrap_or(0));
    }
    let agent = params.text(&["agent", "agentId"])?.map(AgentName::parse).transpose()?;
    let limit = params.count("limit")?.unwrap_or(SOME_OUTPUTS).min(MOST_OUTPUTS);
    let outputs = newest(&folder, agent.as_ref(), limit);
    let mut lines = vec![format!(
        "The shared context is {} (policy: {}).",
        recorded.path.display(),
        recorded.mode.as_str()
    )];
    lines.push("Newest outputs:".to_owned());
    lines.extend(listed(&folder, &outputs, site.now.wall_ms));
    if outputs.is_empty() {
        lines.push("(none)".to_owned());
    }
    let mut tender = site.tender(lock::PATIENCE)?;
    tender.save()?;
    let open = decide::proposals(&tender)?;
    if !open.is_empty() {
        lines.push("Proposals that the operator has not decided about:".to_owned());
        lines.extend(open.iter().take(MOST_PROPOSALS).map(|proposal| {
            format!("- {} by {}: {}", proposal.id, proposal.agent, one_line(&proposal.text, TITLE_CHARS))
        }));
        let more = open.len().saturating_sub(MOST_PROPOSALS);
        lines.extend((more > 0).then(|| format!("({more} more)")));
    }
    let digests = [ROUNDTABLE, SIGNALS, WEEKLY].into_iter().filter_map(|place| {
        let newest = folder.list(Path::new(place)).into_iter().rfind(|entry| entry.name.ends_with(".md"))?;
        Some(format!("{place}/{}", newest.name))
    });
    let files: Vec<String> = [PRIORITIES.to_owned()].into_iter().chain(digests).collect();
    lines.push(format!("Read these by `path`, too: {}", files.join(", ")));
    Ok(json!({ "text": safe(&lines.join("\n")), "outputs": outputs.len(), "proposals": open.len() }))
}

/// A text that nobody takes for more than data.
pub(super) fn safe(text: &str) -> String {
    let plain: String = text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect();
    without_our_name(&redact(&plain)).into_owned()
}

fn file(folder: &Folder, path: &str, offset: usize) -> Result<Value, Problem> {
    // Tools and commands tell whole paths.
    let below = Path::new(path).strip_prefix(folder.root()).unwrap_or(Path::new(path));
    let shown = one_line(path, TITLE_CHARS);
    let unknown = |what: &str| {
        Problem::new(
            Code::Unknown,
            format!("`{shown}` {what}"),
            "call `shared_context_read` without a `path` to see what there is",
        )
    };
    let name = below.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if is_conflicted(name) || name.starts_with(UNFINISHED) {
        return Err(unknown("is a copy that nobody has merged, or unfinished"));
    }
    if folder.entry(below).is_some_and(|entry| entry.kind == EntryKind::Folder) {
        let names = folder.list(below).into_iter().map(|entry| match entry.kind {
            EntryKind::Folder => format!("{}/", entry.name),
            EntryKind::File | EntryKind::Other => entry.name,
        });
        let text: String = names.collect::<Vec<_>>().join("\n").chars().take(PIECE_CHARS).collect();
        return Ok(json!({ "text": safe(&text), "path": below }));
    }
    let text = folder.read_text(below)?.ok_or_else(|| unknown("is no file of the shared context"))?;
    let mut rest = text.chars().skip(offset);
    let piece: String = rest.by_ref().take(PIECE_CHARS).collect();
    let next = rest.next().is_some().then_some(offset.saturating_add(PIECE_CHARS));
    Ok(json!({ "text": safe(&piece), "path": below, "next": next }))
}

/// The paths of the newest outputs, of one agent or of all, newest first.
fn newest(folder: &Folder, agent: Option<&AgentName>, limit: usize) -> Vec<(PathBuf, AgentName)> {
    let agents =
        folder.list(Path::new(OUTPUTS)).into_iter().filter_map(|entry| AgentName::parse(&entry.name).ok());
    let mut found = Vec::new();
    for agent in agents.filter(|known| agent.is_none_or(|agent| agent == known)) {
        let of_agent = Path::new(OUTPUTS).join(agent.as_str());
        let days = folder.list(&of_agent).into_iter().rev().map(|day| day.name);
        let files = days.flat_map(|day| {
            let files = folder.list(&of_agent.join(&day)).into_iter().rev();
            files.filter(|file| file.kind == EntryKind::File).map(move |file| (day.clone(), file.name))
        });
        let files = files.take(limit).map(|(day, name)| (day, name, agent.clone()));
        found.extend(files);
    }
    found.sort_by(|one, other| other.cmp(one));
    found.truncate(limit);
    let path = |(day, name, agent): (String, String, AgentName)| {
        (Path::new(OUTPUTS).join(agent.as_str()).join(day).join(name), agent)
    };
    found.into_iter().map(path).collect()
}

/// One line each: the path, the title, and what else is to be known before one relies on it.
fn listed(folder: &Folder, outputs: &[(PathBuf, AgentName)], now_ms: i64) -> Vec<String> {
    let read = outputs.iter().filter_map(|(path, agent)| {
        let text = folder.read_text(path).ok().flatten()?;
        Some((path, Output::read(&text, Kind::Output, agent)))
    });
    let read: Vec<_> = read.collect();
    let superseded: BTreeSet<&str> =
        read.iter().filter_map(|(_, output)| output.supersedes.as_deref()).collect();
    let line = |(path, output): &(&PathBuf, Output)| {
        let expires = output.expires_at.as_deref().and_then(from_rfc3339);
        let notes = [
            (!output.created_at.is_empty()).then(|| one_line(&output.created_at, 40)),
            output.asked_by.as_ref().map(|_| "says that the owner asked for it".to_owned()),
            output.claimed_agent.as_ref().map(|name| format!("says that it is {}'s", one_line(name, 64))),
            expires.is_some_and(|at| at < now_ms).then(|| "expired".to_owned()),
            superseded.contains(output.id.as_str()).then(|| "superseded".to_owned()),
        ];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        format!("- {}: {} ({})", path.display(), one_line(&output.title, TITLE_CHARS), notes.join(", "))
    };
    read.iter().map(line).collect()
}
