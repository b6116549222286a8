//! The shared context as a person looks at it on the page: what holds, what is proposed, what was found, what was tampered with. It
//! only looks: nobody is kept from anything meanwhile, and nothing is written.

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};

use callosum_core::model::error::QueryError;
use callosum_core::model::settings::SharedContext;
use callosum_core::model::text::one_line;
use callosum_core::model::time::Stamp;
use callosum_core::query::{Filter, Source};
use serde::Serialize;
use serde_json::Value;

use crate::decide::{Proposal, proposals};
use crate::error::Problem;
use crate::folder::Folder;
use crate::layout::{PRIORITIES, ROUNDTABLE, SIGNALS};
use crate::priorities::{Priorities, Section};
use crate::registry::{PolicyMode, Registry, VARIABLE};
use crate::safe;
use crate::tend::{Pending, Seen};

/// What is shown at most, the newest or the first of it.
const MOST_LINES: usize = 200;
const MOST_PROPOSALS: usize = 100;
const MOST_SIGNALS: usize = 50;
const MOST_EVIDENCE: usize = 12;
const MOST_TAMPERED: usize = 20;
/// Lines that are shown of what was changed in a file: so many that are new, and so many that are gone.
const MOST_CHANGED: usize = 12;
/// Suspects that are named of one change.
const MOST_SUSPECTS: usize = 12;
/// Characters of a line, and of a report.
const LINE_CHARS: usize = 600;
const REPORT_CHARS: usize = 24_000;
/// Pieces of the journal that are looked through for changes: some 30 ms each.
const MOST_PIECES: usize = 8;
/// So far back changes are told, milliseconds.
const TAMPERED_MS: i64 = 30 * 24 * 3_600_000;

/// Who looks, and from where.
#[derive(Clone, Copy)]
pub struct Seat<'a> {
    /// The settings.
    pub settings: &'a SharedContext,
    /// The state directory.
    pub state_dir: &'a Path,
    /// The user's home.
    pub home: &'a Path,
    /// What answers about the journal.
    pub journal: &'a dyn Source,
    /// The time.
    pub now: Stamp,
}

/// All that is shown. Where it is not switched on, only that.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// Whether a folder is in use here.
    pub on: bool,
    /// Where it lies.
    pub dir: Option<PathBuf>,
    /// What the policy does.
    pub mode: Option<PolicyMode>,
    /// The lines of `priorities.md`, without its own.
    pub priorities: Vec<Priority>,
    /// What nobody has decided about.
    pub proposals: Vec<Proposal>,
    /// How many of these are not listed.
    pub more_proposals: usize,
    /// The newest digest that nobody but the curator wrote.
    pub roundtable: Option<Report>,
    /// The newest signals, likewise.
    pub signals: Option<Signals>,
    /// Files that are not as their writer left them.
    pub pending: Vec<Altered>,
    /// What the journal tells of such changes, the newest first.
    pub tampered: Vec<Tampered>,
}

/// A line of `priorities.md`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Priority {
    /// `current`, `inputs` or `notes`.
    pub section: &'static str,
    /// What it says.
    pub text: String,
    /// Whose proposal it was; none of a line that a person wrote.
    pub agent: Option<String>,
    /// Whether it counts as a person's word.
    pub is_persons: bool,
}

/// A digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Its day.
    pub date: String,
    /// Its text, in Markdown: data.
    pub text: String,
}

/// The cross signals of a day, as its document has them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Signals {
    /// The day.
    pub date: String,
    /// The first of them, each with the first of its evidence.
    pub signals: Vec<Value>,
    /// How many are not listed.
    pub more: usize,
}

/// A file that is not as its writer left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Altered {
    /// Which.
    #[serde(flatten)]
    pub file: Pending,
    /// Lines that are new in it, the first of them: data.
    pub added: Vec<String>,
    /// Lines that are gone.
    pub gone: Vec<String>,
    /// How many of both are not listed.
    pub more: usize,
}

/// A change that something other than the file's writer made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tampered {
    /// The number of its record.
    pub seq: Value,
    /// When it was noticed.
    pub at: Value,
    /// The file.
    pub path: String,
    /// What happened to it: a clause.
    pub why: String,
    /// The calls that ran meanwhile.
    pub suspects: Vec<Value>,
}

/// All that is shown.
///
/// # Errors
/// When the folder, or what is remembered of it, can't be read.
pub fn overview(seat: &Seat<'_>) -> Result<Overview, Problem> {
    if seat.settings.enabled == Some(false) {
        return Ok(Overview::default());
    }
    let registry = Registry::read(seat.state_dir)?;
    if registry.in_use().next().is_none() {
        return Ok(Overview::default());
    }
    let root = registry.locate(seat.settings.dir.as_deref(), env::var(VARIABLE).ok().as_deref(), seat.home);
    let folder = Folder::open(&root)?;
    let Some(recorded) = registry.of(folder.root()).filter(|known| known.mode != PolicyMode::Off) else {
        return Ok(Overview::default());
    };
    let seen = Seen::last(folder, seat.state_dir)?;
    let mut open = proposals(&seen)?;
    let more_proposals = open.len().saturating_sub(MOST_PROPOSALS);
    // The newest are what one waits for.
    open.drain(..more_proposals);
    Ok(Overview {
        on: true,
        dir: Some(recorded.path.clone()),
        mode: Some(recorded.mode),
        priorities: priorities(&seen)?,
        proposals: open,
        more_proposals,
        roundtable: roundtable(&seen),
        signals: signals(&seen),
        pending: seen.pending().into_iter().map(|file| altered(&seen, file)).collect(),
        tampered: tampered(seat)?,
    })
}

fn priorities(seen: &Seen) -> Result<Vec<Priority>, Problem> {
    let file = seen.folder().read_text(Path::new(PRIORITIES))?.unwrap_or_default();
    let read = Priorities::read(&file);
    let is_said = |text: &str| !text.is_empty() && !text.starts_with("<!--");
    let lines = read.lines().iter().filter(|line| !line.is_heading && is_said(line.text.trim()));
    let told = lines.filter_map(|line| {
        let section = match line.section? {
            Section::Current => "current",
            Section::Inputs => "inputs",
            Section::Notes => "notes",
        };
        let text = line.text.trim();
        Some(Priority {
            section,
            text: safe::line(text.strip_prefix("- ").unwrap_or(text), LINE_CHARS),
            agent: line.marker.as_ref().map(|marker| one_line(&marker.agent, LINE_CHARS)),
            is_persons: line.marker.as_ref().is_none_or(|marker| marker.accepted.is_some()),
        })
    });
    Ok(told.take(MOST_LINES).collect())
}

fn date_of(path: &str) -> Option<String> {
    Some(Path::new(path).file_stem()?.to_str()?.to_owned())
}

fn roundtable(seen: &Seen) -> Option<Report> {
    let path = seen.confirmed_in(ROUNDTABLE).pop()?;
    let text: String = safe::body(&seen.confirmed(&path)?).text.chars().take(REPORT_CHARS).collect();
    Some(Report { date: date_of(&path)?, text })
}

fn signals(seen: &Seen) -> Option<Signals> {
    let path = seen.confirmed_in(SIGNALS).into_iter().rfind(|path| path.ends_with(".json"))?;
    let mut document: Value = serde_json::from_str(&seen.confirmed(&path)?).ok()?;
    let mut all = std::mem::take(document.get_mut("signals")?.as_array_mut()?);
    let more = all.len().saturating_sub(MOST_SIGNALS);
    all.truncate(MOST_SIGNALS);
    for signal in &mut all {
        if let Some(evidence) = signal.get_mut("evidence").and_then(Value::as_array_mut) {
            evidence.truncate(MOST_EVIDENCE);
        }
    }
    Some(Signals { date: date_of(&path)?, signals: all, more })
}

fn altered(seen: &Seen, file: Pending) -> Altered {
    let (before, now) = seen.before_and_now(&file);
    let (mut added, mut gone) = (lines_beyond(&now, &before), lines_beyond(&before, &now));
    let more = [&added, &gone].map(|lines| lines.len().saturating_sub(MOST_CHANGED)).iter().sum();
    for lines in [&mut added, &mut gone] {
        lines.truncate(MOST_CHANGED);
    }
    Altered { file, added: shown(added), gone: shown(gone), more }
}

/// The lines of a text that another one has not, or less often.
fn lines_beyond<'t>(text: &'t str, other: &'t str) -> Vec<&'t str> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for line in other.lines() {
        *known.entry(line).or_default() += 1;
    }
    let mut beyond = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match known.get_mut(line) {
            Some(left) if *left > 0 => *left -= 1,
            _ => beyond.push(line),
        }
    }
    beyond
}

fn shown(lines: Vec<&str>) -> Vec<String> {
    lines.into_iter().map(|line| safe::line(line, LINE_CHARS)).collect()
}

fn tampered(seat: &Seat<'_>) -> Result<Vec<Tampered>, Problem> {
    let unread = |error: QueryError| Problem::input(error.message, "see `callosum doctor`");
    let mut found = Vec::new();
    let since = seat.now.wall_ms.saturating_sub(TAMPERED_MS);
    let mut before = None;
    for _ in 0..MOST_PIECES {
        let filter = Filter {
            limit: MOST_TAMPERED,
            action: Some("context".to_owned()),
            since: Some(since.into()),
            before,
            budget: true,
            ..Filter::default()
        };
        let page = seat.journal.journal(&filter, &seat.now).map_err(unread)?;
        found.extend(page.entries.iter().rev().filter_map(tampered_of));
        before = page.next;
        if before.is_none() || found.len() >= MOST_TAMPERED {
            break;
        }
    }
    found.truncate(MOST_TAMPERED);
    Ok(found)
}

fn tampered_of(record: &Value) -> Option<Tampered> {
    if record.get("event")?.as_str()? != "tampered" {
        return None;
    }
    let text = |name: &str| {
        let text = record.get(name).and_then(Value::as_str).unwrap_or_default();
        safe::line(text, LINE_CHARS)
    };
    let suspects = record.get("suspects").and_then(Value::as_array).into_iter().flatten();
    Some(Tampered {
        seq: record.get("seq")?.clone(),
        at: record.get("timestamp")?.clone(),
        path: text("path"),
        why: text("reason"),
        suspects: suspects.take(MOST_SUSPECTS).cloned().collect(),
    })
}
