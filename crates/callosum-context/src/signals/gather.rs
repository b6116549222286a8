//! What a day's outputs and actions say of entities, taken one by one, so that no day is too large to be held.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use callosum_core::model::time::to_rfc3339;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::limits::TITLE_CHARS;
use crate::names::{id, sha256};
use crate::safe::line;

use super::fold::{folded, is_calendar, is_common, of_key};
use super::identifiers::Patterns;
use super::lines::{Section, lines};

/// More entities are not held of one day.
const MAX_ENTITIES: usize = 100_000;
/// Pieces of evidence that are kept of one agent on one entity, and shown of a signal.
const MAX_OF_AGENT: usize = 4;
pub(super) const MAX_EVIDENCE: usize = 24;
/// Signals of a day.
const MAX_SIGNALS: usize = 200;
/// Bytes of the sources that are listed: a document must be small enough to be read again.
const SOURCE_BYTES: usize = 2 << 20;
/// Engram's number of topics of a source.
const MAX_TOPICS: usize = 12;
/// A line of fewer characters may be the same in two texts by chance.
const QUOTABLE_CHARS: usize = 24;
/// Of fewer earlier days nobody knows what is there on most.
const LEAST_HISTORY: usize = 4;

/// What is known of a day before its outputs are read.
#[derive(Clone, Debug, Default)]
pub struct Day {
    /// Names of agents, which are no entities.
    pub agents: BTreeSet<String>,
    /// What sessions were told that day.
    pub injected: String,
    /// The entities of each of the last 30 days that has a document.
    pub history: Vec<BTreeSet<String>>,
    /// About how many names a model may be asked; 0 where none is asked.
    pub max_candidates: usize,
}

/// What an agent's actions on one resource came to, as the journal tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acted {
    /// The sequence number of the first that ended so.
    pub seq: u64,
    /// How many ended so.
    pub count: u64,
    /// Whose.
    pub agent: String,
    /// In which session.
    pub session: Option<String>,
    /// When the first did, wall-clock milliseconds.
    pub at_ms: i64,
    /// On what.
    pub key: String,
    /// How: the record's kind, `complete`, `failed`, `unknown`; `open` where none came.
    pub outcome: String,
}

/// What an agent wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Whose: as the gate knows it.
    pub agent: String,
    /// In which session.
    pub session: Option<String>,
    /// When, wall-clock milliseconds.
    pub at_ms: i64,
    /// Its path within the folder.
    pub path: String,
    /// Its title.
    pub title: String,
    /// What its frontmatter declares.
    pub entities: Vec<String>,
    /// Its text.
    pub body: String,
    /// The line of the file at which the text begins, counted from 1.
    pub first_line: usize,
    /// SHA-256 of the file, hexadecimal.
    pub sha256: String,
}

/// What an entity is known by: the strongest of its evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Two agents acted on it.
    Key,
    /// An agent declared it.
    Declared,
    /// It can be told by its form.
    Mentioned,
}

/// One reason why an entity counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Evidence {
    /// `journal`, `declared` or `mentioned`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The journal's sequence number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The file, within the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line of the file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// SHA-256 of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Whose.
    pub agent: String,
    /// In which session.
    pub session: Option<String>,
    /// When, RFC 3339.
    pub at: String,
}

/// An entity on which agents met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Signal {
    /// The same for the same entity on every day.
    pub id: String,
    /// In its one spelling.
    pub entity: String,
    /// What it is known by.
    pub kind: Kind,
    /// Who met on it, by name.
    pub agents: Vec<String>,
    /// Why; the first pieces of each agent.
    pub evidence: Vec<Evidence>,
    /// How the journal's actions on it ended, by the record's kind.
    pub outcomes: BTreeMap<String, u64>,
    /// Sessions were told of it, and nobody acted on it: that agents write of it shows nothing.
    pub echo: bool,
    /// Other names that a model says mean the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<String>,
}

/// What a day's signals were made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Who wrote it.
    pub agent: String,
    /// The file, within the folder.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Its first entities.
    pub topics: Vec<String>,
}

/// What a day gives.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// The strongest first.
    pub signals: Vec<Signal>,
    /// Where a model is asked: what one agent alone named, in the same order, no more than it may be asked about.
    pub alone: Vec<Signal>,
    /// About how many names it may be asked.
    pub max_candidates: usize,
    /// Entities that are there on most days, and were left out for that.
    pub common: Vec<String>,
    /// How many outputs were read.
    pub source_count: usize,
    /// The first of them.
    pub sources: Vec<Source>,
    /// Entities that found no place.
    pub left_out: u64,
    /// SHA-256 of all that was looked at.
    pub input_digest: String,
}

impl Signals {
    /// Puts the strongest first, and leaves out what is too much.
    pub(super) fn order(&mut self) {
        in_order(&mut self.signals);
        self.left_out += self.signals.len().saturating_sub(MAX_SIGNALS) as u64;
        self.signals.truncate(MAX_SIGNALS);
    }
}

fn in_order(signals: &mut [Signal]) {
    let strength = |signal: &Signal| (signal.echo, signal.kind, usize::MAX - signal.agents.len());
    signals.sort_by(|one, other| (strength(one), &one.entity).cmp(&(strength(other), &other.entity)));
}

#[derive(Debug, Default)]
struct Found {
    acted: BTreeSet<String>,
    is_declared: bool,
    evidence: BTreeMap<String, Vec<Evidence>>,
    outcomes: BTreeMap<String, u64>,
}

/// Takes a day's actions, then its outputs by age, and tells its signals.
#[derive(Debug)]
pub struct Gatherer<'p> {
    patterns: &'p Patterns,
    day: Day,
    agents: BTreeSet<String>,
    found: HashMap<String, Found>,
    /// Lines that were written, and by whose number first.
    written: HashMap<u64, u32>,
    writers: BTreeMap<String, u32>,
    sources: Vec<Source>,
    source_count: usize,
    source_bytes: usize,
    left_out: u64,
    digest: Sha256,
}

impl<'p> Gatherer<'p> {
    /// Nothing is known yet but what kind of day it is.
    #[must_use]
    pub fn new(patterns: &'p Patterns, day: Day) -> Self {
        let agents = day.agents.iter().map(|agent| folded(agent)).collect();
        let mut digest = Sha256::new();
        for text in
            day.agents.iter().chain(std::iter::once(&day.injected)).chain(day.history.iter().flatten())
        {
            update(&mut digest, text);
        }
        Self {
            patterns,
            day,
            agents,
            found: HashMap::new(),
            written: HashMap::new(),
            writers: BTreeMap::new(),
            sources: Vec::new(),
            source_count: 0,
            source_bytes: 0,
            left_out: 0,
            digest,
        }
    }

    /// Takes something else that the day's document is made of.
    pub fn also(&mut self, text: &str) {
        update(&mut self.digest, text);
    }

    /// Takes actions. All of them come before the first output.
    pub fn acted(&mut self, acted: &Acted) {
        update(
            &mut self.digest,
            &format!("{} {} {} {} {}", acted.seq, acted.count, acted.agent, acted.outcome, acted.key),
        );
        let evidence = Evidence {
            kind: "journal",
            seq: Some(acted.seq),
            path: None,
            line: None,
            sha256: None,
            agent: acted.agent.clone(),
            session: acted.session.clone(),
            at: to_rfc3339(acted.at_ms),
        };
        if let Some(found) = self.add(&of_key(&acted.key), evidence) {
            *found.outcomes.entry(acted.outcome.clone()).or_default() += acted.count;
            found.acted.insert(acted.agent.clone());
        }
    }

    /// Takes an output, and tells the entities that it names. The oldest comes first: who wrote a line later quotes it.
    pub fn said(&mut self, said: &Said) -> BTreeSet<String> {
        for text in [&said.path, &said.sha256, &said.agent] {
            update(&mut self.digest, text);
        }
        let writers = u32::try_from(self.writers.len()).unwrap_or(u32::MAX);
        let writer = *self.writers.entry(said.agent.clone()).or_insert(writers);
        let mut topics = Vec::new();
        for declared in &said.entities {
            self.declare(said, 1, declared, &mut topics);
        }
        for written in lines(&said.body) {
            let number = said.first_line.saturating_add(written.number.saturating_sub(1));
            if written.is_quote || self.is_copied(written.text, writer) {
                continue;
            }
            if written.section == Section::Entities {
                self.declare(said, number, written.text, &mut topics);
                continue;
            }
            let mut found = self.patterns.of_line(written.text);
            found.extend(self.keys_in(written.text));
            for entity in found {
                self.add(&entity, evidence("mentioned", said, number));
                topics.push(entity);
            }
        }
        let mut named = BTreeSet::new();
        topics.retain(|topic| named.insert(topic.clone()));
        topics.truncate(MAX_TOPICS);
        let (agent, path, title) = (said.agent.clone(), said.path.clone(), line(&said.title, TITLE_CHARS));
        self.source_count += 1;
        self.source_bytes +=
            [&agent, &path, &title].into_iter().chain(&topics).map(|text| text.len() + 16).sum::<usize>();
        if self.source_bytes <= SOURCE_BYTES {
            self.sources.push(Source { agent, path, title, topics });
        }
        named
    }

    fn declare(&mut self, said: &Said, line: usize, text: &str, topics: &mut Vec<String>) {
        // A declared address of the web is the same entity as a mentioned one.
        let entity = match &mut self.patterns.of_line(text)[..] {
            [only] if !text.trim().contains(char::is_whitespace) => std::mem::take(only),
            _ => folded(text),
        };
        if self.names_nothing(&entity) {
            return;
        }
        if let Some(found) = self.add(&entity, evidence("declared", said, line)) {
            found.is_declared = true;
        }
        topics.push(entity);
    }

    fn names_nothing(&self, entity: &str) -> bool {
        is_common(entity) || is_calendar(entity) || self.agents.contains(entity)
    }

    /// Whether another agent wrote this line before; else it is this one's.
    fn is_copied(&mut self, line: &str, writer: u32) -> bool {
        if line.chars().nth(QUOTABLE_CHARS).is_none() {
            return false;
        }
        let mut hasher = DefaultHasher::new();
        folded_line(line).hash(&mut hasher);
        *self.written.entry(hasher.finish()).or_insert(writer) != writer
    }

    /// Context keys of the day's actions that stand in a line as they are in the journal.
    fn keys_in(&self, line: &str) -> Vec<String> {
        let words =
            line.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | ',' | ';'));
        let keys = words.filter(|word| word.contains(':')).map(of_key);
        keys.filter(|key| self.found.get(key).is_some_and(|found| !found.acted.is_empty())).collect()
    }

    fn add(&mut self, entity: &str, evidence: Evidence) -> Option<&mut Found> {
        if !self.found.contains_key(entity) && self.found.len() >= MAX_ENTITIES {
            self.left_out += 1;
            return None;
        }
        let found = self.found.entry(entity.to_owned()).or_default();
        let known = found.evidence.entry(evidence.agent.clone()).or_default();
        let is_same = |other: &Evidence| {
            other.path.is_some() && other.path == evidence.path && other.kind == evidence.kind
        };
        if known.len() < MAX_OF_AGENT && !known.iter().any(is_same) {
            known.push(evidence);
        }
        Some(found)
    }

    /// The day's signals.
    #[must_use]
    pub fn finish(self) -> Signals {
        let injected = self.injected();
        let days = self.day.history.len();
        let is_usual = |entity: &str| {
            let with = self.day.history.iter().filter(|day| day.contains(entity)).count();
            days >= LEAST_HISTORY && 2 * with >= days
        };
        let max_candidates = self.day.max_candidates;
        let (mut signals, mut alone, mut common) = (Vec::new(), Vec::new(), Vec::new());
        for (entity, found) in self.found {
            let agents = distinct(found.evidence.keys());
            let is_alone = agents.len() < 2;
            if is_alone && (max_candidates == 0 || is_usual(&entity)) {
                continue;
            }
            // What agents acted on is a fact, however often.
            if found.acted.is_empty() && is_usual(&entity) {
                common.push(entity);
                continue;
            }
            let kind = match (distinct(found.acted.iter()).len(), found.is_declared) {
                (2.., _) => Kind::Key,
                (_, true) => Kind::Declared,
                (_, false) => Kind::Mentioned,
            };
            let echo = found.acted.is_empty() && injected.has(&entity);
            let mut evidence: Vec<Evidence> = found.evidence.into_values().flatten().collect();
            evidence.sort_by(|one, other| (&one.at, one).cmp(&(&other.at, other)));
            evidence.truncate(MAX_EVIDENCE);
            let (id, merged) = (id(&["signal", &entity]), Vec::new());
            let signal =
                Signal { id, entity, kind, agents, evidence, outcomes: found.outcomes, echo, merged };
            match is_alone {
                true if echo => {}
                true => alone.push(signal),
                false => signals.push(signal),
            }
        }
        in_order(&mut alone);
        alone.truncate(max_candidates);
        common.sort_unstable();
        common.truncate(MAX_SIGNALS);
        let input_digest = sha256(&self.digest.finalize());
        let (source_count, sources, left_out) = (self.source_count, self.sources, self.left_out);
        let mut all =
            Signals { signals, alone, max_candidates, common, source_count, sources, left_out, input_digest };
        all.order();
        all
    }

    fn injected(&self) -> Injected {
        let entities = self.day.injected.lines().flat_map(|line| self.patterns.of_line(line)).collect();
        Injected { entities, text: folded_line(&self.day.injected) }
    }
}

/// What sessions were told.
struct Injected {
    entities: BTreeSet<String>,
    text: String,
}

impl Injected {
    fn has(&self, entity: &str) -> bool {
        let stands = || {
            self.text.match_indices(entity).any(|(at, _)| {
                let before = self.text.get(..at).and_then(|text| text.chars().next_back());
                let behind = self.text.get(at + entity.len()..).and_then(|text| text.chars().next());
                [before, behind].into_iter().flatten().all(|c| !c.is_alphanumeric())
            })
        };
        self.entities.contains(entity) || stands()
    }
}

fn evidence(kind: &'static str, said: &Said, line: usize) -> Evidence {
    Evidence {
        kind,
        seq: None,
        path: Some(said.path.clone()),
        line: Some(line),
        sha256: Some(said.sha256.clone()),
        agent: said.agent.clone(),
        session: said.session.clone(),
        at: to_rfc3339(said.at_ms),
    }
}

/// The agents that are surely not the same: where `main@one` is told from `main@two`, a mere `main` may be either.
fn distinct<'a>(agents: impl Iterator<Item = &'a String>) -> Vec<String> {
    let all: Vec<&String> = agents.collect();
    let is_either =
        |agent: &str| all.iter().any(|other| other.split_once('@').is_some_and(|(name, _)| name == agent));
    all.iter().filter(|agent| !is_either(agent)).map(|agent| (*agent).clone()).collect()
}

/// The same for lines of any length.
fn folded_line(line: &str) -> String {
    if line.is_ascii() {
        return line.to_ascii_lowercase();
    }
    line.split_whitespace().map(folded).collect::<Vec<_>>().join(" ")
}

fn update(digest: &mut Sha256, text: &str) {
    digest.update((text.len() as u64).to_le_bytes());
    digest.update(text);
}
