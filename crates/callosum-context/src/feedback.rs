//! Feedback: one JSON object a line, in Engram's fields and some of our own.

use callosum_core::model::text::one_line;
use serde::{Deserialize, Serialize};

use crate::days::Day;
use crate::error::Problem;
use crate::names::id;
use crate::safe;

/// Characters of a sentence at most.
const SENTENCE_CHARS: usize = 2_000;
/// Characters of a word at most.
const WORD_CHARS: usize = 120;

/// What somebody decided about a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It is good.
    Approved,
    /// It is good, and something is to be said about it.
    ApprovedWithFeedback,
    /// It is not.
    Rejected,
}

impl Decision {
    /// The decision of that name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self, Problem> {
        match name {
            "approved" => Ok(Self::Approved),
            "approved_with_feedback" => Ok(Self::ApprovedWithFeedback),
            "rejected" => Ok(Self::Rejected),
            other => Err(Problem::input(
                format!("`{}` is no decision", one_line(other, 60)),
                "give `approved`, `approved_with_feedback` or `rejected`",
            )),
        }
    }
}

/// One line. Fields that are not there are not written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Feedback {
    /// The version of these fields: 1.
    #[serde(default)]
    pub v: u32,
    /// Its id.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// When it was given: RFC 3339.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
    /// Who gave it: `operator`, or an agent's name. A line that was not written by a command of ours only claims it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// The session that gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who asked for it, as the host of the agent that gave it says: `owner`, where that is its owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    /// Whose work it is about.
    pub agent: String,
    /// What was decided.
    pub decision: Decision,
    /// Why.
    pub reason: String,
    /// The day that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// What to learn from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning: Option<String>,
    /// What came of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// How grave it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// How sure that is, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The work that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// From when on the evidence counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_window_start: Option<String>,
    /// Until when the evidence counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_window_end: Option<String>,
    /// What proves it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
}

impl Feedback {
    /// The same, made safe, with its version and its id.
    ///
    /// # Errors
    /// When a field can't be what it says.
    pub fn checked(self) -> Result<Self, Problem> {
        let words = |text: Option<String>| text.map(|text| safe::line(&text, WORD_CHARS));
        let sentence = |text: Option<String>| text.map(|text| safe::line(&text, SENTENCE_CHARS));
        if let Some(date) = &self.date {
            Day::parse(date)?;
        }
        if self.confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
            return Err(Problem::input("the confidence is not between 0 and 1", "give a number such as 0.8"));
        }
        let mut checked = Self {
            v: 1,
            agent: safe::line(&self.agent, WORD_CHARS),
            reason: safe::line(&self.reason, SENTENCE_CHARS),
            learning: sentence(self.learning),
            outcome: words(self.outcome),
            severity: words(self.severity),
            workflow: words(self.workflow),
            tags: safe::list(self.tags.iter().map(String::as_str)),
            evidence_window_start: words(self.evidence_window_start),
            evidence_window_end: words(self.evidence_window_end),
            refs: safe::list(self.refs.iter().map(String::as_str)),
            ..self
        };
        for (name, text) in [("agent", &checked.agent), ("reason", &checked.reason)] {
            if text.is_empty() {
                return Err(Problem::input(
                    format!("the {name} of this feedback is empty"),
                    format!("give one by `--{name}`"),
                ));
            }
        }
        checked.id = id(&["feedback", &checked.by, &checked.at, &checked.agent, &checked.reason]);
        Ok(checked)
    }

    /// As a line of a file, newline included.
    ///
    /// # Errors
    /// When it can't be written as JSON: a confidence that is no number.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|line| line + "\n")
    }
}

/// The feedback of an inbox or a week, in order, each with its line; and how many lines are none.
#[must_use]
pub fn read(text: &str) -> (Vec<(Feedback, &str)>, usize) {
    let mut skipped = 0;
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str::<Feedback>(line) {
            Ok(mut feedback) => {
                if feedback.id.is_empty() {
                    feedback.id = id(&["feedback", line]);
                }
                found.push((feedback, line));
            }
            Err(_) => skipped += 1,
        }
    }
    (found, skipped)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn given(fields: &str) -> Result<Feedback, Problem> {
        let feedback: Feedback = serde_json::from_str(&format!(
            r#"{{"agent":"bob","decision":"rejected","reason":"Too\nlong"{fields}}}"#
        ))
        .unwrap();
        feedback.checked()
    }

    #[test]
    fn a_line_is_one_line_and_reads_the_same() {
        let feedback =
            given(r#","tags":["tone"],"confidence":0.5,"date":"2026-11-24"}"#.trim_end_matches('}')).unwrap();
        let line = feedback.to_line().unwrap();
        assert_eq!(line.matches('\n').count(), 1);
        assert_eq!(feedback.reason, "Too long");
        assert_eq!(read(&line).0.first().map(|(read, _)| read), Some(&feedback));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for fields in [r#","confidence":1.5"#, r#","date":"yesterday""#] {
            assert_eq!(given(fields).unwrap_err().code.exit_code(), 2, "{fields}");
        }
        assert!(Decision::named("maybe").is_err());
        let mut empty = given("").unwrap();
        empty.reason = "\n".to_owned();
        assert!(empty.checked().unwrap_err().message.contains("reason"));
    }

    #[test]
    fn torn_and_foreign_lines_swallow_nothing_else() {
        let good = given("").unwrap().to_line().unwrap();
        let engram = r#"{"agent":"a","decision":"approved","reason":"ok","extra":1}"#;
        let text = format!("{{\"agent\":\n{good}not json\n{engram}\n");
        let (found, skipped) = read(&text);
        assert_eq!((found.len(), skipped), (2, 2));
        assert!(found.iter().all(|(feedback, _)| !feedback.id.is_empty()));
    }
}
