//! What speaks against a call, as its caller is told.

use callosum_core::decision::history::State;
use callosum_core::gate::Fact;
use callosum_core::model::time::to_rfc3339;
use schemars::JsonSchema;
use serde::Serialize;

/// An action that speaks against a call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Its sequence number in the journal.
    seq: u64,
    /// Whose it is.
    instance: String,
    /// Whose it is.
    session: String,
    /// The tool.
    tool: String,
    /// Its tier.
    tier: u8,
    /// The first of the resources that both act on.
    context_key: String,
    /// All of them.
    context_keys: Vec<String>,
    /// When it began: RFC 3339.
    timestamp: String,
    /// `running`, `complete` or `unknown`.
    state: &'static str,
    /// While it runs: when its lease ends at the latest, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// Whether its parameters are the same.
    identical: bool,
}

impl Evidence {
    /// A fact, with its instance as its reader calls it.
    #[must_use]
    pub fn of(fact: &Fact, name: impl Fn(&str) -> String) -> Self {
        Self {
            seq: fact.seq,
            instance: name(&fact.who.instance),
            session: fact.who.session.clone(),
            tool: fact.tool.clone(),
            tier: fact.tier.into(),
            context_key: fact.keys.first().cloned().unwrap_or_default(),
            context_keys: fact.keys.clone(),
            timestamp: to_rfc3339(fact.started_ms),
            state: fact.state.word(),
            expires_at: (fact.state == State::InFlight).then(|| to_rfc3339(fact.expires_ms)),
            identical: fact.is_identical,
        }
    }
}
