//! Questions by name, answered as JSON text: what the addon, the gateway's methods and the page hand over.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::model::time::Stamp;

use super::counts::TallyRequest;
use super::explain::Asked;
use super::filter::Filter;
use super::recent::Lately;
use super::request::{QueryError, request};
use super::story::Story;
use super::timeline::TimelineRequest;
use crate::gate::Gate;

/// Asks for the story of a resource.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnKey {
    key: String,
}

/// A story with its text for people.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    story: &'a Story,
    text: String,
}

impl Gate {
    /// Answers `question` with JSON text. `request` is JSON text too, an object; what is in it depends on the question:
    ///
    /// | question | request | answer |
    /// |---|---|---|
    /// | `head` | nothing | `{"head","now"}`: the sequence number that the next record will have, and the wall clock, milliseconds |
    /// | `status` | nothing | a [`Status`](crate::gate::Status) |
    /// | `journal` | a [`Filter`] | [`Found`](crate::gate::Found) records |
    /// | `timeline` | a [`TimelineRequest`] | a piece of a [`Timeline`](crate::gate::Timeline) |
    /// | `tally` | a [`TallyRequest`] | a piece of a [`Tally`](crate::gate::Tally) |
    /// | `rules` | nothing | the [`RulesInForce`](crate::gate::RulesInForce) |
    /// | `recent` | a [`Lately`] | [`RecentActions`](crate::gate::RecentActions) |
    /// | `why` | `key` | a [`Story`] with its `text` |
    /// | `explain` | an [`Asked`] | an [`Explained`](crate::gate::Explained) |
    ///
    /// `timeline`, `tally` and a `journal` with a `budget` do a bounded piece of work each time. Whoever wants more asks again
    /// with `before` set to the answer's `next`, until that is null.
    ///
    /// For a thread that may wait.
    ///
    /// # Errors
    /// When there is no such question, the request is wrong, or the state can't be looked at.
    pub fn ask(&self, question: &str, text: &str, now: &Stamp) -> Result<String, QueryError> {
        let answer = match question {
            "head" => serde_json::to_string(&json!({ "head": self.head()?, "now": now.wall_ms })),
            "status" => serde_json::to_string(&self.status(now)),
            "journal" => {
                let filter = Filter::read(text).map_err(QueryError::bad_request)?;
                Ok(self.journal_text(&filter, now)?)
            }
            "timeline" => serde_json::to_string(&self.timeline(&TimelineRequest::read(text)?, now)?),
            "tally" => serde_json::to_string(&self.tally(&TallyRequest::read(text)?, now)?),
            "rules" => serde_json::to_string(&self.rules_in_force(now)),
            "recent" => serde_json::to_string(&self.recent(&Lately::read(text)?, now)?),
            "why" => {
                let wanted: OnKey = request(text)?;
                let story = self.why(&wanted.key, now)?;
                serde_json::to_string(&Told { text: story.text(&str::to_owned), story: &story })
            }
            "explain" => serde_json::to_string(&self.explain(&Asked::read(text)?, now)?),
            _ => return Err(QueryError::bad_request(format!("there is no question `{question}`"))),
        };
        answer.map_err(|error| QueryError { code: "internal".to_owned(), message: error.to_string() })
    }
}
