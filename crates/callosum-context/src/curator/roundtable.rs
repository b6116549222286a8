//! A day's report: what the journal proves beside what agents claim. Every line ends with its proof.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::days::Day;
use crate::inert::inert;
use crate::signals::{Signal, line as signal_line, of_key};

use super::activity::{Activity, Deed, OPEN, Refusal, Times};
use super::items::Told;

/// Lines of a section.
const MAX_LINES: usize = 100;
/// Characters of a key, and of a sentence of others.
const KEY_CHARS: usize = 200;
const SENTENCE_CHARS: usize = 300;
/// From this tier on an action leaves the machine or can't be undone, and has a line of its own.
const GUARDED: u64 = 3;

/// An output, as a line.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) agent: String,
    pub(crate) title: String,
    pub(crate) path: String,
}

/// A claim that the journal of the day does not bear out, and what it has instead.
#[derive(Clone, Debug)]
pub(crate) struct Unproved {
    pub(crate) agent: String,
    pub(crate) what: String,
    pub(crate) instead: String,
    pub(crate) path: String,
}

/// All that a roundtable tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) day: Day,
    pub(crate) is_partial: bool,
    pub(crate) activity: &'a Activity,
    pub(crate) written: &'a [Written],
    pub(crate) unproved: &'a [Unproved],
    /// Agents and the entities that their outputs name.
    pub(crate) named: &'a BTreeSet<(String, String)>,
    pub(crate) feedback: &'a [Told],
    pub(crate) signals: &'a [Signal],
}

/// Lines of a section, of which no more than so many are shown.
#[derive(Default)]
pub(super) struct Section {
    text: String,
    lines: usize,
}

impl Section {
    pub(super) fn line(&mut self, line: &str, proof: &str) {
        self.lines += 1;
        if self.lines <= MAX_LINES {
            let _ = writeln!(self.text, "- {line} {proof}");
        }
    }

    pub(super) fn add_to(self, text: &mut String, title: &str) {
        let _ = write!(text, "\n## {title}\n\n");
        if self.lines == 0 {
            text.push_str("Nothing.\n");
        }
        text.push_str(&self.text);
        if self.lines > MAX_LINES {
            let _ = writeln!(text, "\n{} more are not listed.", self.lines - MAX_LINES);
        }
    }
}

/// The report.
pub(crate) fn roundtable(facts: &Facts<'_>) -> String {
    let Facts { day, is_partial, activity, .. } = *facts;
    let mut text = format!("# Roundtable of {day}\n");
    if is_partial {
        text.push_str("\nThe day is not over.\n");
    }
    if activity.left_out > 0 {
        let _ = writeln!(text, "\n{} records of the journal found no place.", activity.left_out);
    }
    done(activity).add_to(&mut text, "Done (journal)");
    not_done(activity).add_to(&mut text, "Failed or unknown");
    let mut section = Section::default();
    for claim in facts.unproved {
        let (agent, what) = (inert(&claim.agent, 80), inert(&claim.what, KEY_CHARS));
        section.line(&format!("{agent}: {what}: {}", claim.instead), &file(&claim.path));
    }
    section.add_to(&mut text, "Claimed, not in the journal");
    not_reported(activity, facts.named).add_to(&mut text, "Done, not reported");
    contested(activity).add_to(&mut text, "Contested resources and pauses");
    let mut section = Section::default();
    for written in facts.written {
        let (agent, title) = (inert(&written.agent, 80), inert(&written.title, KEY_CHARS));
        section.line(&format!("{agent}: {title}"), &file(&written.path));
    }
    section.add_to(&mut text, "Outputs");
    feedback(facts.feedback).add_to(&mut text, "Feedback");
    let mut section = Section::default();
    for signal in facts.signals {
        let (said, proof) = signal_line(signal);
        section.line(&said, &proof);
    }
    section.add_to(&mut text, "Cross signals");
    text
}

pub(super) fn feedback(told: &[Told]) -> Section {
    let mut section = Section::default();
    for Told { feedback, proof, .. } in told {
        // Whoever appends a line can write any name there.
        let by = if feedback.by.is_empty() {
            String::new()
        } else {
            format!(" (by {}, as the line says)", inert(&feedback.by, 80))
        };
        let (agent, reason) = (inert(&feedback.agent, 80), inert(&feedback.reason, SENTENCE_CHARS));
        let decision = decision(feedback.decision);
        section.line(&format!("{agent}: {decision}: {reason}{by}"), &format!("[{proof}]"));
    }
    section
}

pub(super) fn decision(decision: crate::feedback::Decision) -> &'static str {
    use crate::feedback::Decision;
    match decision {
        Decision::Approved => "approved",
        Decision::ApprovedWithFeedback => "approved with feedback",
        Decision::Rejected => "rejected",
    }
}

fn file(path: &str) -> String {
    format!("[{}]", inert(path, SENTENCE_CHARS))
}

fn seqs(times: &Times) -> String {
    match times.count {
        1 => format!("[seq {}]", times.first),
        2 => format!("[seq {}] [seq {}]", times.first, times.last),
        _ => format!("[seq {}] … [seq {}]", times.first, times.last),
    }
}

fn often(count: u64) -> String {
    if count > 1 { format!(" {count} times") } else { String::new() }
}

/// Who did what to which resource.
fn of_deed(deed: &Deed) -> String {
    format!("{}: {} ({})", inert(&deed.agent, 80), inert(&deed.key, KEY_CHARS), inert(&deed.tool, 80))
}

fn done(activity: &Activity) -> Section {
    let mut section = Section::default();
    let mut lesser: BTreeMap<&str, (u64, u64, u64, u64)> = BTreeMap::new();
    for deed in &activity.deeds {
        let Some(times) = deed.outcomes.get("complete") else { continue };
        if deed.tier >= GUARDED {
            section.line(&format!("{}{}", of_deed(deed), often(times.count)), &seqs(times));
            continue;
        }
        let sum = lesser.entry(&deed.agent).or_insert((0, 0, times.first, times.last));
        *sum = (sum.0 + times.count, sum.1 + 1, sum.2.min(times.first), sum.3.max(times.last));
    }
    for (agent, (count, keys, first, last)) in lesser {
        let times = Times { count, first, last, at_ms: 0 };
        let line = format!("{}: {count} of lesser tiers, on {keys} resources", inert(agent, 80));
        section.line(&line, &seqs(&times));
    }
    section
}

fn not_done(activity: &Activity) -> Section {
    let mut section = Section::default();
    for deed in &activity.deeds {
        for (outcome, times) in deed.outcomes.iter().filter(|(outcome, _)| **outcome != "complete") {
            let how = if *outcome == OPEN { "no outcome by the end of the day" } else { outcome };
            section.line(&format!("{}: {how}{}", of_deed(deed), often(times.count)), &seqs(times));
        }
    }
    section
}

/// The name of an agent without what tells it from others of that name: outputs know no instance.
pub(crate) fn bare(agent: &str) -> &str {
    agent.split('@').next().unwrap_or(agent)
}

fn not_reported(activity: &Activity, named: &BTreeSet<(String, String)>) -> Section {
    let mut section = Section::default();
    for deed in activity.deeds.iter().filter(|deed| deed.tier >= GUARDED) {
        let Some(times) = deed.outcomes.get("complete") else { continue };
        let entity = of_key(&deed.key);
        let is_named = [deed.agent.as_str(), bare(&deed.agent)]
            .into_iter()
            .any(|agent| named.contains(&(agent.to_owned(), entity.clone())));
        if !is_named {
            section.line(&format!("{}{}", of_deed(deed), often(times.count)), &seqs(times));
        }
    }
    section
}

fn contested(activity: &Activity) -> Section {
    let mut section = Section::default();
    let mut by_key: BTreeMap<&str, Vec<&Deed>> = BTreeMap::new();
    for deed in activity.deeds.iter().filter(|deed| deed.outcomes.keys().any(|outcome| *outcome != "refused"))
    {
        by_key.entry(&deed.key).or_default().push(deed);
    }
    for (key, deeds) in by_key.into_iter().filter(|(_, deeds)| deeds.len() > 1) {
        let agents: Vec<String> = deeds.iter().map(|deed| inert(&deed.agent, 80)).collect();
        let proofs: Vec<String> =
            deeds.iter().take(8).map(|deed| format!("[seq {}]", deed.first())).collect();
        section.line(&format!("{}: {}", inert(key, KEY_CHARS), agents.join(", ")), &proofs.join(" "));
    }
    for Refusal { agent, what, verdict, times } in &activity.refusals {
        let line =
            format!("{}: {}: {verdict}{}", inert(agent, 80), inert(what, KEY_CHARS), often(times.count));
        section.line(&line, &seqs(times));
    }
    section
}
