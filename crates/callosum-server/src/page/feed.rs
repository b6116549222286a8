//! How far the journal reaches: what pages that listen are told.

use serde::Deserialize;

/// How far the journal reaches.
#[derive(Clone)]
pub(super) struct Head {
    pub(super) head: u64,
    /// The core's answer, for the page.
    pub(super) text: String,
}

impl Head {
    /// Reads the core's answer.
    pub(super) fn read(text: String) -> Option<Self> {
        #[derive(Deserialize)]
        struct Known {
            head: u64,
        }
        let Known { head } = serde_json::from_str(&text).ok()?;
        Some(Self { head, text })
    }
}
