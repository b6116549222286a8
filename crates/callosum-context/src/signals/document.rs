//! A day's signals as others read them: JSON with Engram's fields and ours, and Markdown.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::days::Day;
use crate::feedback::{Decision, Feedback};
use crate::inert::inert;

use super::gather::{Evidence, Signal, Signals, Source};
use super::semantic::{Answer, Question, Semantic, merge};

/// Pieces of evidence that people are shown of a signal.
const MAX_SHOWN: usize = 6;

/// About so many names a model may be asked, where nothing else is set: what Engram says where none is.
const DEFAULT_CANDIDATES: usize = 120;

/// Bytes of the feedback that is listed: a document must be small enough to be read again.
const FEEDBACK_BYTES: usize = 1 << 20;

/// A signal as Engram has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Overlap {
    /// The entity.
    pub token: String,
    /// Who met on it.
    pub agents: Vec<String>,
    /// In which files.
    pub source_paths: Vec<String>,
    /// How many met.
    pub agent_count: usize,
}

/// `cross-signals/<date>.json`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// The format.
    pub v: u8,
    /// The day.
    pub date: String,
    /// The moment of the newest input, RFC 3339: so equal inputs give equal bytes.
    pub generated_at: String,
    /// Which part of the journal was read.
    pub window: Window,
    /// SHA-256 of all that was looked at.
    pub input_digest: String,
    /// Outputs that were read.
    pub source_count: usize,
    /// Feedback of the day.
    pub feedback_count: usize,
    /// How many said what.
    pub feedback_by_decision: ByDecision,
    /// The first of the entries themselves.
    pub feedback_entries: Vec<Feedback>,
    /// The first of the outputs.
    pub sources: Vec<Source>,
    /// The signals that are no echo, as Engram has them.
    pub overlaps: Vec<Overlap>,
    /// What a model added.
    pub semantic: Semantic,
    /// The signals with their evidence.
    pub signals: Vec<Signal>,
    /// Entities that are there on most days, and were left out for that.
    pub common: Vec<String>,
    /// Entities that found no place.
    pub left_out: u64,
}

/// A stretch of the journal: the sequence numbers of the first and the last record of the day; both 0 where it has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Window {
    /// Of the first.
    pub from_seq: u64,
    /// Of the last.
    pub to_seq: u64,
}

/// Feedback by its decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ByDecision {
    /// [`Decision::Approved`].
    pub approved: u64,
    /// [`Decision::ApprovedWithFeedback`].
    pub approved_with_feedback: u64,
    /// [`Decision::Rejected`].
    pub rejected: u64,
}

impl ByDecision {
    /// Counts it.
    #[must_use]
    pub fn of(feedback: &[Feedback]) -> Self {
        let mut counted = Self::default();
        for entry in feedback {
            match entry.decision {
                Decision::Approved => counted.approved += 1,
                Decision::ApprovedWithFeedback => counted.approved_with_feedback += 1,
                Decision::Rejected => counted.rejected += 1,
            }
        }
        counted
    }
}

impl Document {
    /// The document of a day, with the day's feedback; and what a model is to be asked about it, where one is asked and this is not
    /// known. `answer` is what it said for these inputs.
    #[must_use]
    pub fn new(
        date: Day,
        generated_at: String,
        window: Window,
        feedback: Vec<Feedback>,
        mut found: Signals,
        answer: Option<&Answer>,
    ) -> (Self, Option<Question>) {
        let is_asked = found.max_candidates > 0;
        let question = Question::new(&date.to_string(), &found);
        let question = question.filter(|_| is_asked && !matches!(answer, Some(Answer::Groups(_))));
        let semantic = match is_asked {
            true => merge(&mut found, answer),
            false => Semantic { max_candidates: DEFAULT_CANDIDATES, ..Semantic::default() },
        };
        let document = Self {
            v: 1,
            date: date.to_string(),
            generated_at,
            window,
            input_digest: found.input_digest,
            source_count: found.source_count,
            feedback_count: feedback.len(),
            feedback_by_decision: ByDecision::of(&feedback),
            feedback_entries: listed(feedback),
            overlaps: found.signals.iter().filter(|signal| !signal.echo).map(overlap).collect(),
            sources: found.sources,
            semantic,
            signals: found.signals,
            common: found.common,
            left_out: found.left_out,
        };
        (document, question)
    }

    /// What a model said, as a document tells that was made of these inputs.
    #[must_use]
    pub fn answer(document: &[u8], input_digest: &str) -> Option<Answer> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Made {
            input_digest: String,
            semantic: Semantic,
        }
        let made: Made = serde_json::from_slice(document).ok()?;
        let is_same = made.input_digest == input_digest;
        match (made.semantic.applied, made.semantic.timed_out) {
            (true, _) => Some(Answer::Groups(made.semantic.merges)).filter(|_| is_same),
            (false, true) => Some(Answer::TimedOut).filter(|_| is_same),
            (false, false) => None,
        }
    }

    /// The file's bytes.
    ///
    /// # Errors
    /// When it can't be written as JSON; none of ours can't.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// The entities that a day's document names, also those left out as common: what the days after it compare with.
    #[must_use]
    pub fn entities(document: &[u8]) -> Option<BTreeSet<String>> {
        let document: Value = serde_json::from_slice(document).ok()?;
        let signals = document.get("signals")?.as_array()?;
        let named = signals.iter().filter_map(|signal| signal.get("entity"));
        let merged = signals.iter().filter_map(|signal| signal.get("merged")?.as_array()).flatten();
        let common = document.get("common").and_then(Value::as_array);
        let all = named.chain(merged).chain(common.into_iter().flatten());
        Some(all.filter_map(Value::as_str).map(str::to_owned).collect())
    }
}

/// The first entries, as many as there is room for.
fn listed(feedback: Vec<Feedback>) -> Vec<Feedback> {
    let mut bytes = 0;
    let has_room = |entry: &Feedback| {
        bytes += entry.to_line().map_or(0, |line| line.len());
        bytes <= FEEDBACK_BYTES
    };
    feedback.into_iter().take_while(has_room).collect()
}

fn overlap(signal: &Signal) -> Overlap {
    let paths: BTreeSet<&String> =
        signal.evidence.iter().filter_map(|evidence| evidence.path.as_ref()).collect();
    Overlap {
        token: signal.entity.clone(),
        agents: signal.agents.clone(),
        source_paths: paths.into_iter().cloned().collect(),
        agent_count: signal.agents.len(),
    }
}

/// The same for people: a line for each signal, each with its proof.
#[must_use]
pub fn markdown(document: &Document) -> String {
    let mut text = format!("# Cross signals of {}\n\n", document.date);
    if document.signals.is_empty() {
        text.push_str("No two agents worked on the same thing.\n");
    }
    for signal in &document.signals {
        let (said, proof) = line(signal);
        let _ = writeln!(text, "- {said} {proof}");
    }
    if document.left_out > 0 {
        let _ = writeln!(text, "\n{} more found no place.", document.left_out);
    }
    text
}

/// What a signal says in a line, and its proof.
pub(crate) fn line(signal: &Signal) -> (String, String) {
    let agents: Vec<String> = signal.agents.iter().map(|agent| inert(agent, 80)).collect();
    let mut said = format!("{}: {}", inert(&signal.entity, 200), agents.join(", "));
    let outcomes: Vec<String> =
        signal.outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
    if !outcomes.is_empty() {
        let _ = write!(said, " ({})", outcomes.join(", "));
    }
    if !signal.merged.is_empty() {
        let others: Vec<String> = signal.merged.iter().map(|other| inert(other, 200)).collect();
        let _ = write!(said, " (a model says that it is the same as {})", others.join(", "));
    }
    if signal.echo {
        said.push_str(" (an echo of what sessions were told)");
    }
    let shown = signal.evidence.iter().take(MAX_SHOWN).filter_map(proof);
    (said, shown.collect::<Vec<_>>().join(" "))
}

fn proof(evidence: &Evidence) -> Option<String> {
    let of_file = |path: &String| format!("[{}]", inert(path, 200));
    evidence.seq.map(|seq| format!("[seq {seq}]")).or_else(|| evidence.path.as_ref().map(of_file))
}
