//! What the gate would make of a call now. Nothing is written, and nothing is let through.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::decision::history::History;
use crate::decision::pause_text;
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::model::tool_call::ToolCall;
use crate::rules::{Explanation, Match, Scope, Unread};

use super::request::QueryError;
use crate::gate::Gate;
use crate::record::Conflict;

/// The session of a question that names none: no journal has it.
const NOBODY: &str = "callosum-explain";

/// A call that is asked about.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Asked {
    /// The tool, as the host names it.
    pub tool: String,
    /// Its parameters: an object.
    pub params: Value,
    /// The session that would call.
    #[serde(default)]
    pub session: Option<String>,
    /// The agent.
    #[serde(default)]
    pub agent: Option<String>,
    /// The folder it would work in.
    #[serde(default)]
    pub cwd: Option<String>,
}

impl Asked {
    /// Reads a request from JSON text.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(text: &str) -> Result<Self, QueryError> {
        let asked: Self = super::request::request(text)?;
        if !asked.params.is_object() {
            return Err(QueryError::bad_request("bad request: `params` must be an object"));
        }
        Ok(asked)
    }
}

/// What a call would get.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    /// Its tier, 0 to 4.
    pub tier: Tier,
    /// The rule that says so; null when none is for the call.
    pub rule_name: Option<String>,
    /// The resources it acts on.
    pub context_keys: Vec<String>,
    /// How far back earlier actions count, milliseconds.
    pub recent_window_ms: u64,
    /// Whose earlier actions count.
    pub scope: Scope,
    /// `allow`, `pause`, `block`; `observe` where one of the latter would only be written down.
    pub verdict: &'static str,
    /// What the model would be told, when it would be stopped.
    pub text: Option<String>,
    /// Whether its parameters would be written down, secrets taken out; never below tier 2.
    pub journal_params: bool,
    /// The parts of the call that rules matched, and why.
    pub matched: Vec<Match>,
    /// The shell line could not be parsed: it was only cut at what looks like the end of a command.
    pub rough: bool,
    /// What of the shell line was not read: it was only looked through for words of rules.
    pub unread: Vec<Unread>,
}

impl Gate {
    /// What a call would get now, and which parts of it led there. A session that was paused for the same would be
    /// let through: that, too, goes by the session that is named.
    ///
    /// # Errors
    /// When the state can't be looked at; a call of a tier below 3 needs none.
    pub fn explain(&self, asked: &Asked, now: &Stamp) -> Result<Explained, QueryError> {
        let call = &ToolCall {
            tool: asked.tool.clone(),
            session: asked.session.clone().unwrap_or_else(|| NOBODY.to_owned()),
            agent: asked.agent.clone(),
            cwd: asked.cwd.clone(),
            ..ToolCall::default()
        };
        let params = &asked.params;
        let Explanation { classification, matches, rough, unread } =
            self.current_rules(now).explain(call, &self.runtime, params);
        let intent = self.intent(call, classification.clone(), params);
        let mut explained = Explained {
            tier: intent.tier,
            rule_name: classification.rule_name,
            context_keys: intent.keys().to_vec(),
            recent_window_ms: intent.window_ms,
            scope: intent.scope,
            verdict: "allow",
            text: None,
            journal_params: intent.tier.is_tracked() && classification.journal_params,
            matched: matches,
            rough,
            unread,
        };
        if !intent.tier.is_guarded() {
            return Ok(explained);
        }
        let history = match self.segments(now)? {
            Some(segments) => self.observed_history(&segments, now)?,
            None => History::new(self.keep_ms(), self.settings.lock_expiry_ms),
        };
        let verdict = self.verdict(&intent, &intent.who(), &history, now);
        let Some(conflict) = verdict.refuse else { return Ok(explained) };
        explained.text = Some(match conflict {
            Conflict::Lease => pause_text::block(&history, &verdict.told, now),
            _ => {
                let digest = intent.digest();
                pause_text::pause(&history, &verdict.told, digest, self.settings.recent_window_ms, now)
            }
        });
        explained.verdict = match conflict {
            _ if intent.observe => "observe",
            Conflict::Lease => "block",
            _ => "pause",
        };
        Ok(explained)
    }
}
