//! A week's report: what worked and what did not, by outcomes and feedback.

use std::collections::BTreeMap;

use crate::days::Week;
use crate::feedback::Decision;
use crate::inbox;
use crate::inert::inert;
use crate::names::{id, is_id};

use super::activity::Activity;
use super::items::Told;
use super::roundtable::{Section, decision, feedback};

/// Characters of a key, and of what is to be learned.
const KEY_CHARS: usize = 200;
const SENTENCE_CHARS: usize = 300;
/// The section of what might be promoted.
const CANDIDATES: &str = "Candidates to promote";
/// A failure that repeats came so often.
const REPEATS: u64 = 2;

/// How an agent's actions ended.
#[derive(Default)]
struct Sum {
    done: (u64, u64),
    not_done: (u64, u64),
}

/// The report of a week.
pub(super) fn weekly(week: Week, is_partial: bool, activity: &Activity, told: &[Told]) -> String {
    let mut text = format!("# Week {week}\n");
    if is_partial {
        text.push_str("\nThe week is not over.\n");
    }
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for deed in &activity.deeds {
        let sum = sums.entry(&deed.agent).or_default();
        for (outcome, times) in &deed.outcomes {
            let of = if *outcome == "complete" { &mut sum.done } else { &mut sum.not_done };
            *of = (of.0 + times.count, of.1.max(times.last));
        }
    }
    let by_outcome = |section: &mut Section, of: fn(&Sum) -> (u64, u64), words: &str| {
        for (agent, (count, last)) in sums.iter().map(|(agent, sum)| (agent, of(sum))) {
            if count > 0 {
                section.line(&format!("{}: {count} {words}", inert(agent, 80)), &format!("[seq … {last}]"));
            }
        }
    };
    let judged = |is_good: bool| -> Vec<Told> {
        told.iter()
            .filter(|told| (told.feedback.decision != Decision::Rejected) == is_good)
            .cloned()
            .collect()
    };
    let mut worked = feedback(&judged(true));
    by_outcome(&mut worked, |sum| sum.done, "actions done");
    worked.add_to(&mut text, "What worked");
    let mut failed = feedback(&judged(false));
    by_outcome(&mut failed, |sum| sum.not_done, "actions failed, refused or unknown");
    failed.add_to(&mut text, "What did not");

    let mut repeated = Section::default();
    let mut candidates = Section::default();
    // By its marker a person accepts or rejects it.
    let marked = |proof: &str, parts: &[&str]| format!("{proof} <!-- cx:id={} -->", id(parts));
    for (key, (count, first, last, agents)) in repeats(activity) {
        let line = format!("{}: {count} times, by {}", inert(key, KEY_CHARS), agents.join(", "));
        let proof = format!("[seq {first}] [seq {last}]");
        repeated.line(&line, &proof);
        let lesson = format!("{} failed {count} times: look before the next try", inert(key, KEY_CHARS));
        candidates.line(&lesson, &marked(&proof, &["candidate", "failed", key]));
    }
    repeated.add_to(&mut text, "Failures that repeat");
    for Told { feedback, proof, line } in told {
        let Some(learning) = feedback.learning.as_deref().filter(|learning| !learning.trim().is_empty())
        else {
            continue;
        };
        let about = format!("{} ({})", inert(learning, SENTENCE_CHARS), decision(feedback.decision));
        candidates.line(&about, &marked(&format!("[{proof}]"), &["candidate", "learning", line]));
    }
    candidates.add_to(&mut text, CANDIDATES);
    text
}

/// The candidates of a week's report: their ids, and what they say with its proof.
pub(crate) fn candidates(report: &str) -> Vec<(String, String)> {
    let heading = format!("\n## {CANDIDATES}\n");
    let section = report.split_once(&heading).map_or("", |(_, section)| section);
    let lines = section.lines().take_while(|line| !line.starts_with("## "));
    let read = lines.filter_map(|line| {
        let id = inbox::marked(line, "id").filter(|id| is_id(id))?;
        let (said, _) = line.strip_prefix("- ")?.rsplit_once(" <!-- cx:")?;
        Some((id.to_owned(), said.to_owned()))
    });
    read.collect()
}

/// A key on which actions failed: how often, the first and the last record, by whom.
type Repeated = (u64, u64, u64, Vec<String>);

fn repeats(activity: &Activity) -> BTreeMap<&str, Repeated> {
    let mut found: BTreeMap<&str, Repeated> = BTreeMap::new();
    for deed in &activity.deeds {
        let Some(times) = deed.outcomes.get("failed") else { continue };
        let known = found.entry(&deed.key).or_insert((0, times.first, times.last, Vec::new()));
        known.0 += times.count;
        known.1 = known.1.min(times.first);
        known.2 = known.2.max(times.last);
        known.3.push(inert(&deed.agent, 80));
    }
    found.retain(|_, (count, ..)| *count >= REPEATS);
    found
}
