//! How the page's questions come: in the address, as JSON text under `q`.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::http::refusal::Refusal;

/// What is asked, as JSON text.
#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    q: Option<String>,
}

impl Asked {
    /// It, or that of an empty request.
    pub(super) fn text(self) -> String {
        self.q.unwrap_or_else(|| "{}".to_owned())
    }

    /// What it says.
    pub(super) fn read<T: DeserializeOwned>(self) -> Result<T, Refusal> {
        serde_json::from_str(&self.text())
            .map_err(|error| Refusal::field("q", format!("bad request: {error}")))
    }
}
