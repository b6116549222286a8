//! The causal story of a resource: who started, who was paused and shown what, who tried again, how it ended. Told from
//! all that the journal still holds, not only from the window.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use memchr::memmem;
use schemars::JsonSchema;
use serde::Serialize;

use crate::decision::ended::ended;
use crate::decision::history::{History, Who};
use crate::decision::pause_text::Whose;
use crate::model::error::{QueryError, StateError};
use crate::model::json_text;
use crate::model::on_conflict::OnConflict;
use crate::model::text::{name, one_line, without_our_name};
use crate::model::tier::Tier;
use crate::model::time::to_rfc3339;
use crate::record::kind::View;
use crate::record::{Action, Conflict, Line, Record};
use crate::store::journal::backward::Backward;
use crate::store::journal::segments::Segments;

use super::leases::{LeaseStatus, live_leases};
use super::reader::Reader;

/// Records on the resource that are gathered, the newest.
const MAX_RECORDS: usize = 1_000;
/// Calls that the text tells of, the newest.
const MAX_TOLD: usize = 25;
/// Characters in the text: of a name, of the resource, of a call's parameters.
const NAME_CHARS: usize = 80;
const KEY_CHARS: usize = 200;
const PARAMS_CHARS: usize = 160;
/// Earlier calls that one pause is said to have shown.
const MAX_SHOWN: usize = 8;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum EventKind {
    /// A call was let through.
    Started,
    /// A call was let through that had been paused before: it had been shown what was done.
    Retried,
    /// A call was let through that would have been paused, if that were not only observed.
    Observed,
    /// A call was let through although earlier ones spoke against it: its rule only notes that.
    Noted,
    /// A person was asked whether a call may run.
    Asked,
    /// A call was refused with the facts.
    Paused,
    /// A call was refused because another one held the resource, or because its rule blocks.
    Blocked,
    /// A call was refused because so many had been let through as a rule allows.
    Limited,
    /// A call was refused by a policy; a retry does not help.
    Denied,
    /// The model has read the pause.
    Read,
    /// It goes on in the background.
    Running,
    /// It was done.
    Complete,
    /// It was not done.
    Failed,
    /// It never ran.
    Refused,
    /// It ended, and nobody knows whether it was done.
    Unknown,
    /// An operator ended its lease.
    Released,
    /// A client of the service took the lease without a call.
    Leased,
    /// Its lease was renewed.
    Extended,
}

impl EventKind {
    /// Whether records that are this to views are events of stories and timelines.
    pub(super) fn may_be(view: View) -> bool {
        match view {
            View::Call
            | View::Stop
            | View::Denial
            | View::End
            | View::Background
            | View::Lease
            | View::Receipt => true,
            View::Session | View::Exchange | View::Fault | View::Maintenance | View::Unknown => false,
        }
    }

    pub(super) fn of(record: &Record) -> Option<Self> {
        Some(match &record.action {
            Action::Intercept if record.observed => Self::Observed,
            Action::Intercept if record.on_conflict == Some(OnConflict::Ask) => Self::Asked,
            Action::Intercept if record.on_conflict == Some(OnConflict::Note) => Self::Noted,
            Action::Intercept if record.evidence.is_empty() => Self::Started,
            Action::Intercept => Self::Retried,
            Action::Blocked if record.conflict == Some(Conflict::Limit) => Self::Limited,
            Action::Blocked if record.is_block() => Self::Blocked,
            Action::Blocked => Self::Paused,
            Action::Denied => Self::Denied,
            Action::Delivered => Self::Read,
            Action::Running => Self::Running,
            Action::Complete => Self::Complete,
            Action::Failed => Self::Failed,
            Action::Refused => Self::Refused,
            Action::Unknown => Self::Unknown,
            Action::Released => Self::Released,
            Action::Leased => Self::Leased,
            Action::Extended => Self::Extended,
            Action::Seen
            | Action::Session
            | Action::Context
            | Action::Unreadable
            | Action::Rules
            | Action::Lost
            | Action::Pruned
            | Action::Carried
            | Action::Task
            | Action::Message
            | Action::Event
            | Action::Opened
            | Action::Closed
            | Action::Other(_) => return None,
        })
    }
}

/// One record of the story.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Its sequence number.
    pub seq: u64,
    /// When: RFC 3339.
    pub at: String,
    /// What happened.
    pub what: EventKind,
    /// The machine that it came from; none for this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Whose call, or who wrote it.
    pub instance: String,
    /// Whose call.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The agent runtime.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// Where its session runs, where its runtime told that: the folder of the repository, else its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// What was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its tier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// The rule that classified it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_name: Option<String>,
    /// The event it is about: of an outcome its start, of a reading the pauses, of a release the calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<u64>,
    /// What a pause showed, or what a retry had been shown: the starts of earlier calls, on this resource and others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<u64>,
    /// The exit code that an outcome rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Why, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The call's parameters: a summary without secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<String>,
    /// Of a start without an outcome, how it stands now: in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stands: Option<String>,
    /// Of a block: the rule wants it, no lease.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_rule: bool,
}

/// The story of one resource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Story {
    /// The resource.
    pub key: String,
    /// What happened, oldest first.
    pub events: Vec<Event>,
    /// There is more further back than is told here.
    pub earlier: bool,
    /// The live leases on it.
    pub leases: Vec<LeaseStatus>,
}

/// The story of the resource `key`.
pub(super) fn story(reader: &Reader<'_>, key: &str) -> Result<Story, QueryError> {
    let Some(segments) = reader.segments()? else {
        return Ok(Story { key: key.to_owned(), events: Vec::new(), earlier: false, leases: Vec::new() });
    };
    let Gathered { records, earlier, projects } = gather(segments, key)?;
    let mut history = History::new(u64::MAX, reader.settings.lease_ms);
    for (seq, record) in &records {
        history.apply(*seq, record);
    }
    let (now, is_dead) = (&reader.now, reader.is_dead());
    let mut leases = live_leases(&history, now, &is_dead);
    leases.retain(|lease| lease.context_key == key);
    let events = records.iter().filter_map(|(seq, record)| {
        let mut event = event(*seq, record)?;
        event.project = projects.get(&Who::of(record)).cloned();
        let open = history.action(*seq).filter(|action| action.outcome.is_none());
        event.stands = open.map(|action| ended(action, action.state(now, &is_dead)));
        // It came before what it is about.
        let begun = record.early_attempt().and_then(|attempt| history.attempt(attempt));
        event.of.extend(begun.map(|action| action.seq).filter(|start| start != seq));
        Some(event)
    });
    Ok(Story { key: key.to_owned(), events: events.collect(), earlier, leases })
}

/// What a story is told from.
#[derive(Default)]
struct Gathered {
    /// The records on the resource and those about them, in order.
    records: BTreeMap<u64, Record>,
    /// There are more before.
    earlier: bool,
    /// Where sessions run.
    projects: HashMap<Who, String>,
}

/// What the journal has for the story of `key`.
fn gather(segments: &Segments, key: &str) -> Result<Gathered, StateError> {
    let Gathered { mut records, mut earlier, mut projects } = Gathered::default();
    let found = &mut records;
    // As it stands in a line: most lines need no parsing.
    let quoted = json_text::as_written(key);
    let names_key = memmem::Finder::new(&quoted);
    let names_project = memmem::Finder::new(br#""project":"#);
    let mut lines = Backward::of(segments);
    while let Some((seq, line)) = lines.next_line()? {
        if names_project.find(&line).is_some()
            && let Some(record) = read(&line)
            && let Some(project) = record.place.as_ref().and_then(|place| place.project.clone())
        {
            // The newest counts.
            projects.entry(Who::of(&record)).or_insert(project);
        }
        if names_key.find(&line).is_none() {
            continue;
        }
        let Some(record) = read(&line).filter(|record| record.context_keys.iter().any(|known| known == key))
        else {
            continue;
        };
        if found.len() == MAX_RECORDS {
            earlier = true;
            break;
        }
        found.insert(seq, record);
    }
    let Some(oldest) = found.keys().next().copied() else { return Ok(Gathered::default()) };
    // What names a call or a pause but not the resource: that a pause was read, or what ran instead.
    let about = memmem::Finder::new(br#""of":["#);
    let mut lines = Backward::of(segments);
    while let Some((seq, line)) = lines.next_line()?.filter(|(seq, _)| *seq > oldest) {
        if found.contains_key(&seq) || about.find(&line).is_none() {
            continue;
        }
        if let Some(record) = read(&line).filter(|record| record.of.iter().any(|of| found.contains_key(of))) {
            found.insert(seq, record);
        }
    }
    Ok(Gathered { records, earlier, projects })
}

/// A record of any tier, with its keys where this version has them.
pub(super) fn read(line: &[u8]) -> Option<Record> {
    match Line::read(line) {
        Line::Record(record) => Some(*record),
        Line::Light | Line::Counted(_) => serde_json::from_slice(line).ok(),
        Line::Newer(_) | Line::Foreign | Line::Blank => None,
    }
}

/// A record as an event; `None` when nothing happened to any call.
pub(super) fn event(seq: u64, record: &Record) -> Option<Event> {
    Some(Event {
        seq,
        at: to_rfc3339(record.wall_ms),
        what: EventKind::of(record)?,
        machine: record.machine.clone(),
        instance: record.instance.clone(),
        session: record.session.clone().unwrap_or_default(),
        runtime: record.runtime.clone(),
        project: None,
        tool: record.tool.clone(),
        tier: record.tier,
        rule_name: record.rule_name.clone(),
        of: record.of.clone(),
        shown: record.evidence.iter().map(|shown| shown.seq).collect(),
        exit_code: record.exit_code,
        reason: record.reason.clone(),
        params: record.params.clone(),
        stands: None,
        by_rule: record.on_conflict == Some(OnConflict::Block) && record.is_block(),
    })
}

impl Event {
    /// Whether it is a call of its own, and not what became of one.
    fn is_call(&self) -> bool {
        self.of.is_empty() && self.what != EventKind::Released
    }

    /// Whose call: the instance, and the session with its runtime and the project that it runs in.
    fn whose(&self) -> String {
        let (machine, runtime) = (self.machine.as_deref(), self.runtime.as_deref());
        let project = self.project.as_deref().and_then(|project| Path::new(project).file_name()?.to_str());
        Whose { instance: &self.instance, machine, session: &self.session, runtime, project }.name()
    }

    /// Who, what, how it went on.
    fn call_text(&self, numbers: &BTreeMap<u64, usize>) -> String {
        let who = self.whose();
        let tool =
            self.tool.as_deref().map_or(Cow::Borrowed("an unnamed tool"), |tool| name(tool, NAME_CHARS));
        let tier = self.tier.map_or_else(String::new, |tier| format!(", tier {}", tier as u8));
        let shown = self.shown_text(numbers);
        match self.what {
            EventKind::Retried => format!("{who} started {tool}{tier}, having been shown {shown}"),
            // Nothing spoke against it but the policy.
            EventKind::Observed if self.shown.is_empty() => {
                let rule = self.rule_name.as_deref().map(|rule| name(rule, NAME_CHARS));
                let rule = rule.map_or_else(String::new, |rule| format!(" {rule}"));
                format!(
                    "{who} started {tool}{tier}; it would have been refused by policy{rule}, but was only observed"
                )
            }
            EventKind::Observed => format!(
                "{who} started {tool}{tier}; it would have been paused over {shown}, but was only observed"
            ),
            EventKind::Paused => format!("{who} wanted {tool}{tier} and was paused: it was shown {shown}"),
            EventKind::Noted => {
                format!("{who} started {tool}{tier}; {shown} spoke against it, which was only noted")
            }
            EventKind::Asked => format!("{who} wanted {tool}{tier}, and a person was asked over {shown}"),
            EventKind::Blocked if self.by_rule => {
                format!("{who} wanted {tool}{tier} and was blocked by its rule over {shown}")
            }
            EventKind::Blocked => format!("{who} wanted {tool}{tier} and was blocked while {shown} held it"),
            EventKind::Limited => {
                let limit = self
                    .reason
                    .as_deref()
                    .map(|limit| without_our_name(&one_line(limit, KEY_CHARS)).into_owned());
                let limit = limit.unwrap_or_else(|| "all used".to_owned());
                format!(
                    "{who} wanted {tool}{tier} and was blocked by a limit ({limit}); {shown} leaves its window first"
                )
            }
            EventKind::Refused => format!("{who} wanted {tool}{tier} and was refused"),
            EventKind::Denied => {
                let rule = self.rule_name.as_deref().map(|rule| name(rule, NAME_CHARS));
                let rule = rule.map_or_else(String::new, |rule| format!(" {rule}"));
                format!("{who} wanted {tool}{tier} and was refused by policy{rule}")
            }
            EventKind::Leased => format!("{who} took the lease"),
            EventKind::Started
            | EventKind::Read
            | EventKind::Running
            | EventKind::Complete
            | EventKind::Failed
            | EventKind::Unknown
            | EventKind::Released
            | EventKind::Extended => format!("{who} started {tool}{tier}"),
        }
    }

    /// The calls that were shown, by their numbers in the story.
    fn shown_text(&self, numbers: &BTreeMap<u64, usize>) -> String {
        let known: Vec<String> =
            self.shown.iter().filter_map(|seq| numbers.get(seq)).map(|number| format!("{number}.")).collect();
        let mut parts: Vec<String> = known.iter().take(MAX_SHOWN).cloned().collect();
        let rest = self.shown.len() - parts.len();
        if rest > 0 {
            parts.push(if parts.is_empty() {
                format!("{rest} not shown here")
            } else {
                format!("{rest} more")
            });
        }
        if parts.is_empty() { "another call".to_owned() } else { parts.join(", ") }
    }

    /// What became of `start`, a call or a lease.
    fn sequel_text(&self, start: &Self) -> String {
        let mut text = match self.what {
            EventKind::Read => "the model read this".to_owned(),
            EventKind::Running => "continues in the background".to_owned(),
            EventKind::Complete => "ended: complete".to_owned(),
            EventKind::Failed => "ended: failed".to_owned(),
            // Nothing was to run.
            EventKind::Refused if start.what == EventKind::Leased => "the lease is over".to_owned(),
            EventKind::Refused => "ended: refused, it did not run".to_owned(),
            EventKind::Unknown => "ended: outcome unknown".to_owned(),
            EventKind::Released => "its lease was released".to_owned(),
            EventKind::Extended => "its lease was renewed".to_owned(),
            EventKind::Started
            | EventKind::Retried
            | EventKind::Observed
            | EventKind::Noted
            | EventKind::Asked
            | EventKind::Paused
            | EventKind::Blocked
            | EventKind::Limited
            | EventKind::Denied
            | EventKind::Leased => String::new(),
        };
        if let Some(code) = self.exit_code {
            text.push_str(&format!(" (exit {code})"));
        }
        if let Some(reason) = &self.reason {
            text.push_str(&format!(", {}", without_our_name(&one_line(reason, KEY_CHARS))));
        }
        text
    }
}

impl Story {
    /// The story for a person or a model, bounded, in lines; `clock` writes an RFC 3339 time for the reader.
    #[must_use]
    pub fn text(&self, clock: &dyn Fn(&str) -> String) -> String {
        let key = name(&self.key, KEY_CHARS);
        if self.events.is_empty() {
            return format!("{key}: the journal has no call on it.\n");
        }
        let calls: Vec<&Event> = self.events.iter().filter(|event| event.is_call()).collect();
        let whose = |call: &&Event| (call.machine.clone(), call.instance.clone(), call.session.clone());
        let sessions: HashSet<_> = calls.iter().map(whose).collect();
        let numbers: BTreeMap<u64, usize> =
            calls.iter().enumerate().map(|(place, call)| (call.seq, place + 1)).collect();
        let count =
            |count: usize, thing: &str| format!("{count} {thing}{}", if count == 1 { "" } else { "s" });
        let mut text =
            format!("{key}: {} by {}.\n", count(calls.len(), "call"), count(sessions.len(), "session"));
        if self.earlier {
            text.push_str("Only the newest records are shown; the journal has more.\n");
        }
        let untold = calls.len().saturating_sub(MAX_TOLD);
        if untold > 0 {
            text.push_str(&format!("\nThe first {untold} are left out here.\n"));
        }
        for call in calls.into_iter().skip(untold) {
            let number = numbers.get(&call.seq).copied().unwrap_or_default();
            text.push_str(&format!("\n{number}. {}  {}\n", clock(&call.at), call.call_text(&numbers)));
            if let Some(params) = &call.params {
                text.push_str(&format!("   with {}\n", without_our_name(&one_line(params, PARAMS_CHARS))));
            }
            for sequel in self.events.iter().filter(|event| event.of.contains(&call.seq)) {
                text.push_str(&format!("   {}  {}\n", clock(&sequel.at), sequel.sequel_text(call)));
            }
            if let Some(stands) = &call.stands {
                text.push_str(&format!("   now: {stands}\n"));
            }
        }
        text.push_str(match self.leases.is_empty() {
            true => "\nNobody holds it now.\n",
            false => "\nIt is held now:\n",
        });
        for lease in &self.leases {
            let (instance, session) = (lease.instance.as_str(), lease.session.as_str());
            let machine = lease.machine.as_deref();
            let who = Whose { instance, machine, session, ..Whose::default() }.name();
            text.push_str(&format!("  by {who}, until {} at the latest\n", clock(&lease.expires_at)));
        }
        text
    }
}
