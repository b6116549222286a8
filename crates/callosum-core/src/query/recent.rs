//! What was done lately: for a plan, not only at the gate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::decision::history::Action as Past;
use crate::decision::pause_text;
use crate::model::error::QueryError;
use crate::model::text::{name, short_name};
use crate::model::tier::Tier;
use crate::model::time::to_rfc3339;

use super::leases::{LeaseStatus, live_leases};
use super::reader::Reader;

/// Actions given at once at the most, and when nothing is said.
const MAX_LIMIT: usize = 100;
const LIMIT: usize = 20;
/// Characters of a key, and keys of an action, in the text.
const KEY_CHARS: usize = 200;
const MAX_KEYS: usize = 3;

/// Which actions are wanted; all given conditions must hold.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RecentRequest {
    /// On this context key.
    pub key: Option<String>,
    /// By a session of this name, in whichever instance.
    pub session: Option<String>,
    /// Not by this session of the asked instance itself.
    pub except_session: Option<String>,
    /// How many at most: those that hold a lease, then the newest.
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    pub limit: usize,
}

impl Default for RecentRequest {
    fn default() -> Self {
        Self { key: None, session: None, except_session: None, limit: LIMIT }
    }
}

impl RecentRequest {
    /// Reads a request from JSON text.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(text: &str) -> Result<Self, QueryError> {
        let wanted: Self = super::request::request(text)?;
        if wanted.limit == 0 || wanted.limit > MAX_LIMIT {
            let message = format!("bad request: `limit` must be from 1 to {MAX_LIMIT}");
            return Err(QueryError::bad_request(message));
        }
        Ok(wanted)
    }

    fn wants_session(&self, own_instance: &str, instance: &str, session: &str) -> bool {
        // The journal has the name as the gate keeps it.
        let is = |asked: &Option<String>| asked.as_deref().is_some_and(|asked| short_name(asked) == session);
        let excepted = instance == own_instance && is(&self.except_session);
        !excepted && (self.session.is_none() || is(&self.session))
    }
}

/// An action of tier 2 or more.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecentAction {
    /// When it started: RFC 3339.
    pub at: String,
    /// Whose.
    pub instance: String,
    /// Whose.
    pub session: String,
    /// What it did.
    pub tool: String,
    /// Its tier.
    pub tier: Tier,
    /// The resources.
    pub context_keys: Vec<String>,
    /// `running`, `complete`, `failed`, `refused` or `unknown`.
    pub state: &'static str,
}

/// What was done lately.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RecentActions {
    /// The live leases, oldest first.
    pub leases: Vec<LeaseStatus>,
    /// The actions: first those that hold a lease, then the others, each newest first.
    pub actions: Vec<RecentAction>,
    /// Both in a few bounded lines; empty when there is nothing.
    pub text: String,
}

/// The significant actions within the window.
pub(super) fn recent(reader: &Reader<'_>, wanted: &RecentRequest) -> Result<RecentActions, QueryError> {
    let (history, now, is_dead) = (reader.history()?, &reader.now, reader.is_dead());
    let wants = |instance: &str, session: &str| wanted.wants_session(reader.instance, instance, session);
    let mut leases = live_leases(&history, now, &is_dead);
    leases.retain(|lease| {
        let on_key = wanted.key.as_ref().is_none_or(|key| *key == lease.context_key);
        on_key && wants(&lease.instance, &lease.session)
    });
    leases.truncate(MAX_LIMIT);
    let on_key = |action: &&Past| {
        wanted.key.as_ref().is_none_or(|key| action.keys.iter().any(|known| **known == **key))
    };
    let found = || {
        history
            .newest()
            .filter(|action| action.last_sign_age_ms(now) <= history.keep_ms())
            .filter(on_key)
            .filter(|action| wants(&action.who.instance, &action.who.session))
    };
    let is_held = |action: &&Past| action.holds_lease(now, &is_dead);
    // However much came after it: what is held now is what a plan meets.
    let held = found().filter(is_held);
    let actions: Vec<&Past> =
        held.chain(found().filter(|action| !is_held(action))).take(wanted.limit).collect();
    let mut text = String::new();
    for action in &actions {
        text.push_str(&pause_text::line(&history, action, action.state(now, &is_dead), now));
        let keys: Vec<_> = action.keys.iter().take(MAX_KEYS).map(|key| name(key, KEY_CHARS)).collect();
        let more = action.keys.len().saturating_sub(MAX_KEYS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        text.push_str(&format!(" ({}{more})\n", keys.join(", ")));
    }
    let actions = actions.into_iter().map(|action| RecentAction {
        at: to_rfc3339(action.started.wall_ms),
        instance: action.who.instance.clone(),
        session: action.who.session.clone(),
        tool: action.tool.clone(),
        tier: action.tier,
        context_keys: action.keys.iter().map(ToString::to_string).collect(),
        state: action.state(now, &is_dead).word(),
    });
    Ok(RecentActions { actions: actions.collect(), leases, text })
}
