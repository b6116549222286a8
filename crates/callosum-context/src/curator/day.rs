//! What is made of one day: its cross signals and its roundtable. Nothing is written here.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use callosum_core::model::time::{Stamp, from_rfc3339, to_rfc3339};
use callosum_core::query::{Filter, Source};
use callosum_core::record::Action;
use callosum_core::record::kind::View;
use serde_json::Value;

use crate::days::{Day, Zone};
use crate::error::Problem;
use crate::folder::Folder;
use crate::layout;
use crate::output::Kind;
use crate::priorities::Priorities;
use crate::signals::{
    Answer, Day as Known, Document, Gatherer, Patterns, Question, Window, markdown, of_key,
};

use super::activity::{Activity, whose};
use super::claims::{What, claims};
use super::items::{self, Skipped, Told};
use super::roundtable::{Facts, Unproved, Written, bare, roundtable};

/// Days before that are compared with.
const HISTORY_DAYS: u64 = 30;
/// Sequence numbers that are looked up for the claims of a day.
const MAX_LOOKUPS: usize = 500;

/// What the curator looks at.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The shared context.
    pub(crate) folder: &'a Folder,
    pub(crate) journal: &'a dyn Source,
    pub(crate) patterns: &'a Patterns,
    pub(crate) zone: Zone,
    pub(crate) now: Stamp,
    /// About how many names a model may be asked; 0 where none is asked.
    pub(crate) max_candidates: usize,
    /// What it said just now about inputs of that digest.
    pub(crate) answer: Option<(&'a str, &'a Answer)>,
}

impl Place<'_> {
    /// The day that is today.
    pub(crate) fn today(&self) -> Day {
        self.zone.at(self.now.wall_ms).0
    }

    /// The journal's word on the time from the beginning of a day to that of another.
    pub(crate) fn activity(&self, from: Day, to: Day) -> Result<Activity, Problem> {
        let span = (self.zone.start_of(from), self.zone.start_of(to));
        let is_over = span.1 <= self.now.wall_ms;
        Activity::read(self.journal, span, is_over, &self.now).map_err(|error| {
            Problem::input(format!("the journal can't be read: {error}"), "run `callosum doctor`")
        })
    }
}

/// What was made of a day.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) day: Day,
    pub(crate) is_partial: bool,
    pub(crate) window: Window,
    pub(crate) document: Document,
    /// What a model is to be asked about it.
    pub(crate) question: Option<Question>,
    /// Below the folder, in the order in which they are written.
    pub(crate) files: Vec<(PathBuf, Vec<u8>)>,
    /// Below the folder.
    pub(crate) inputs: Vec<String>,
    pub(crate) skipped: Vec<Skipped>,
}

/// Makes the documents of a day.
pub(crate) fn make(place: &Place<'_>, day: Day, feedback: &[Told]) -> Result<Made, Problem> {
    let activity = place.activity(day, day.next())?;
    let feedback: Vec<Told> =
        feedback.iter().filter(|told| told.day(place.zone) == Some(day)).cloned().collect();
    let known = known(place, day, &activity)?;
    let mut gatherer = Gatherer::new(place.patterns, known);
    feedback.iter().for_each(|told| gatherer.also(&told.line));
    activity.acted().for_each(|acted| gatherer.acted(&acted));
    let deeds: HashSet<String> = activity.deeds.iter().map(|deed| of_key(&deed.key)).collect();
    let mut proofs = Proofs::new(place, &activity);
    let (mut written, mut unproved, mut named) = (Vec::new(), Vec::new(), BTreeSet::new());
    let (mut inputs, mut skipped) = (Vec::new(), Vec::new());
    let mut newest_ms = activity.newest_ms;
    for item in items::outputs(place.folder, day) {
        let (output, text) = match items::item(place.folder, &item, Kind::Output) {
            Ok(read) => read,
            Err(why) => {
                skipped.push(why);
                continue;
            }
        };
        let agent = activity.name(output.instance.as_deref(), item.agent.as_str());
        let said = items::said(&item, agent, &output, &text, day, place.zone);
        let entities = gatherer.said(&said);
        let references = output.refs.iter().map(|key| of_key(key)).chain(entities);
        named.extend(
            references.filter(|entity| deeds.contains(entity)).map(|entity| (said.agent.clone(), entity)),
        );
        for what in claims(&output.refs, &output.body) {
            unproved.extend(proofs.instead(&said.agent, what, &item.path)?);
        }
        newest_ms = newest_ms.max(Some(said.at_ms));
        inputs.push(item.path.clone());
        written.push(Written { agent: said.agent, title: said.title, path: item.path });
    }
    if !feedback.is_empty() {
        inputs.push(layout::FEEDBACK_INBOX.to_owned());
    }
    let given = feedback.iter().filter_map(|told| from_rfc3339(&told.feedback.at));
    let newest_ms = given.chain(newest_ms).max().unwrap_or_else(|| place.zone.start_of(day));
    let entries = feedback.iter().map(|told| told.feedback.clone()).collect();
    let found = gatherer.finish();
    let answer = match place.answer {
        Some((input_digest, answer)) if found.input_digest == input_digest => Some(answer.clone()),
        // A document that can't be read says nothing.
        _ => place
            .folder
            .read(&layout::signals(day))
            .unwrap_or_default()
            .and_then(|made| Document::answer(&made, &found.input_digest)),
    };
    let generated_at = to_rfc3339(newest_ms);
    let (document, question) =
        Document::new(day, generated_at, activity.window, entries, found, answer.as_ref());
    let is_partial = place.zone.start_of(day.next()) > place.now.wall_ms;
    let report = roundtable(&Facts {
        day,
        is_partial,
        activity: &activity,
        written: &written,
        unproved: &unproved,
        named: &named,
        feedback: &feedback,
        signals: &document.signals,
    });
    let signals = layout::signals(day);
    let json = document.to_bytes().map_err(|error| Problem::io("write", &signals, &error.into()))?;
    let files = vec![
        (signals.clone(), json),
        (signals.with_extension("md"), markdown(&document).into_bytes()),
        (layout::roundtable(day), report.into_bytes()),
    ];
    Ok(Made { day, is_partial, window: activity.window, document, question, files, inputs, skipped })
}

/// What is known before the outputs are read: who the agents are, what sessions were told, what the days before had.
fn known(place: &Place<'_>, day: Day, activity: &Activity) -> Result<Known, Problem> {
    let mut agents = items::all_agents(place.folder);
    for deed in &activity.deeds {
        agents.extend([deed.agent.clone(), bare(&deed.agent).to_owned()]);
    }
    let priorities = place.folder.read_text(Path::new(layout::PRIORITIES))?;
    let injected = Priorities::read(&priorities.unwrap_or_default()).operators_words();
    let mut history = Vec::new();
    for days in 1..=HISTORY_DAYS {
        // A document that can't be read is a day of which nothing is known.
        let bytes = place.folder.read(&layout::signals(day.before(days))).unwrap_or_default();
        history.extend(bytes.and_then(|bytes| Document::entities(&bytes)));
    }
    Ok(Known { agents, injected, history, max_candidates: place.max_candidates })
}

/// Looks for what proves claims.
struct Proofs<'a> {
    place: &'a Place<'a>,
    /// How each agent's actions on an entity ended, with the first record of it.
    ended: BTreeMap<(String, String), BTreeMap<&'static str, u64>>,
    lookups: usize,
}

impl<'a> Proofs<'a> {
    fn new(place: &'a Place<'a>, activity: &Activity) -> Self {
        let mut ended: BTreeMap<(String, String), BTreeMap<&'static str, u64>> = BTreeMap::new();
        for deed in &activity.deeds {
            let known = ended.entry((bare(&deed.agent).to_owned(), of_key(&deed.key))).or_default();
            for (outcome, times) in &deed.outcomes {
                known.entry(outcome).or_insert(times.first);
            }
        }
        Self { place, ended, lookups: 0 }
    }

    /// What the journal has instead of what was claimed; `None` where it bears it out.
    fn instead(&mut self, agent: &str, what: What, path: &str) -> Result<Option<Unproved>, Problem> {
        let (what, instead) = match what {
            What::Key(key) => {
                let instead = self.of_key(agent, &key);
                (key, instead)
            }
            What::Seq(seq) => (format!("seq {seq}"), self.of_seq(agent, seq)?),
        };
        Ok(instead.map(|instead| Unproved { agent: agent.to_owned(), what, instead, path: path.to_owned() }))
    }

    fn of_key(&self, agent: &str, key: &str) -> Option<String> {
        let Some(ended) = self.ended.get(&(bare(agent).to_owned(), of_key(key))) else {
            return Some("no such action in this day's journal".to_owned());
        };
        if ended.contains_key("complete") {
            return None;
        }
        let known: Vec<String> =
            ended.iter().map(|(outcome, seq)| format!("{outcome} [seq {seq}]")).collect();
        Some(format!("the journal has {}", known.join(", ")))
    }

    fn of_seq(&mut self, agent: &str, seq: u64) -> Result<Option<String>, Problem> {
        self.lookups += 1;
        if self.lookups > MAX_LOOKUPS {
            return Ok(Some("not looked up: too many claims".to_owned()));
        }
        let filter = Filter {
            limit: 1,
            after: seq.checked_sub(1),
            before: Some(seq.saturating_add(1)),
            ..Filter::default()
        };
        let page = self.place.journal.journal(&filter, &self.place.now);
        let page = page.map_err(|error| {
            Problem::input(format!("the journal can't be read: {error}"), "run `callosum doctor`")
        })?;
        let text = |record: &Value, name: &str| {
            record.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let Some(record) = page.entries.first().filter(|entry| entry.get("seq") == Some(&Value::from(seq)))
        else {
            return Ok(Some("the journal has no such record".to_owned()));
        };
        let whose = whose(record);
        if whose != bare(agent) {
            return Ok(Some(format!("that record is {}'s", crate::inert::inert(whose, 80))));
        }
        let keys = record
            .get("contextKeys")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let kind = Action::named(&text(record, "action"));
        let another = Some(format!("that record is `{}`", crate::inert::inert(kind.name(), 40)));
        Ok(match kind.spec().view {
            View::End if kind == Action::Complete => None,
            View::Call if record.get("tier").and_then(Value::as_u64).unwrap_or(0) < 2 => None,
            View::Call => keys.map(|key| self.of_key(agent, key)).find(Option::is_some).flatten(),
            View::End
            | View::Stop
            | View::Denial
            | View::Background
            | View::Lease
            | View::Receipt
            | View::Session
            | View::Exchange
            | View::Fault
            | View::Maintenance
            | View::Unknown => another,
        })
    }
}
