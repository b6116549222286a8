//! The labelled days.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints what it measured"
)]

use std::collections::BTreeSet;

use callosum_core::model::time::from_rfc3339;
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Labelled {
    day: String,
    outputs: Vec<Written>,
    #[serde(default)]
    journal: Vec<Done>,
    #[serde(default)]
    history: Vec<BTreeSet<String>>,
    #[serde(default)]
    injected: String,
    expected: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Written {
    agent: String,
    at: String,
    title: String,
    #[serde(default)]
    entities: Vec<String>,
    body: String,
}

#[derive(Deserialize)]
struct Done {
    agent: String,
    key: String,
    seq: u64,
    action: String,
}

fn signals(day: &Labelled) -> Signals {
    let patterns = Patterns::new().unwrap();
    let names =
        day.outputs.iter().map(|output| &output.agent).chain(day.journal.iter().map(|done| &done.agent));
    let known = Day {
        agents: names.cloned().collect(),
        injected: day.injected.clone(),
        history: day.history.clone(),
        max_candidates: 0,
    };
    let mut gatherer = Gatherer::new(&patterns, known);
    for done in &day.journal {
        gatherer.acted(&Acted {
            seq: done.seq,
            count: 1,
            agent: done.agent.clone(),
            session: None,
            at_ms: 0,
            key: done.key.clone(),
            outcome: done.action.clone(),
        });
    }
    for (at, output) in day.outputs.iter().enumerate() {
        gatherer.said(&Said {
            agent: output.agent.clone(),
            at_ms: from_rfc3339(&output.at).unwrap(),
            path: format!("agent-outputs/{}/{at}.md", output.agent),
            title: output.title.clone(),
            entities: output.entities.clone(),
            body: output.body.clone(),
            first_line: 1,
            ..Said::default()
        });
    }
    gatherer.finish()
}

/// What no rule can find: a person's name in prose. A change that finds it takes it out here.
const MISSED: &[&str] = &["dana whitfield"];

#[test]
fn what_is_found_on_labelled_days_is_right_and_most_of_what_there_is() {
    let days: Vec<Labelled> = serde_json::from_str(include_str!("../../tests/signals/corpus.json")).unwrap();
    let (mut right, mut wrong, mut missed) = (0.0, Vec::new(), Vec::new());
    for day in &days {
        let found =
            signals(day).signals.into_iter().filter(|signal| !signal.echo).map(|signal| signal.entity);
        let found: BTreeSet<String> = found.collect();
        wrong.extend(found.difference(&day.expected).map(|entity| format!("{}: {entity}", day.day)));
        missed.extend(day.expected.difference(&found).cloned());
        right += found.intersection(&day.expected).map(|_| 1.0).sum::<f64>();
    }
    let of = |others: usize| right / (right + others as f64);
    println!("{} days: precision {:.3}, recall {:.3}", days.len(), of(wrong.len()), of(missed.len()));
    assert_eq!(wrong, [""; 0]);
    assert_eq!(missed, MISSED);
}
