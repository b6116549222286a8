//! Questions by name, answered as JSON text: what the addon, the gateway's methods and the page hand over.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::time::Stamp;

use super::Gate;
use super::explain::Asked;
use super::query::{Filter, QueryError};
use super::recent::Lately;
use super::story::Story;

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
    /// - `status`: nothing. The answer is a [`Status`](super::Status).
    /// - `journal`: a [`Filter`]. The answer is `{"entries":[…]}`.
    /// - `recent`: a [`Lately`]. The answer is a [`RecentActions`](super::RecentActions).
    /// - `why`: `key`. The answer is a [`Story`] with its `text`.
    /// - `explain`: an [`Asked`]. The answer is an [`Explained`](super::Explained).
    ///
    /// For a thread that may wait.
    ///
    /// # Errors
    /// When there is no such question, the request is wrong, or the state can't be looked at.
    pub fn ask(&self, question: &str, request: &str, now: &Stamp) -> Result<String, QueryError> {
        let answer = match question {
            "status" => serde_json::to_string(&self.status(now)),
            "journal" => {
                let filter = Filter::read(request).map_err(QueryError::bad_request)?;
                serde_json::to_string(&json!({ "entries": self.journal(&filter, now)? }))
            }
            "recent" => serde_json::to_string(&self.recent(&Lately::read(request)?, now)?),
            "why" => {
                let wanted: OnKey = serde_json::from_str(request)
                    .map_err(|error| QueryError::bad_request(format!("bad request: {error}")))?;
                let story = self.why(&wanted.key, now)?;
                serde_json::to_string(&Told { text: story.text(&str::to_owned), story: &story })
            }
            "explain" => serde_json::to_string(&self.explain(&Asked::read(request)?, now)?),
            _ => return Err(QueryError::bad_request(format!("no question is called `{question}`"))),
        };
        answer.map_err(|error| QueryError { code: "internal".to_owned(), message: error.to_string() })
    }
}
