//! By what a call is decided: what its classification and the settings come to. For the gate, and for who asks what it would do.

use crate::decision::CallFacts;
use crate::decision::history::Who;
use crate::model::on_conflict::OnConflict;
use crate::model::settings::Settings;
use crate::model::tier::Tier;
use crate::rules::context_key::keys_or_digest;
use crate::rules::{Classification, Limited, Scope};

/// What is decided by, beside the keys.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) tier: Tier,
    /// What an earlier version called the resources.
    pub(crate) former_keys: Vec<String>,
    /// How far back earlier actions count, milliseconds.
    pub(crate) window_ms: u64,
    /// How long its lease lasts, milliseconds.
    pub(crate) lease_ms: u64,
    /// Whose earlier actions count.
    pub(crate) scope: Scope,
    /// What becomes of it where they speak against it.
    pub(crate) on_conflict: OnConflict,
    /// The limits that it is under.
    pub(crate) limits: Vec<Limited>,
    /// What would stop it is only written down.
    pub(crate) observe: bool,
}

impl Terms {
    /// The terms of a call of `tool`, and its keys, which are taken out of its classification. `digest` is the call's, from tier 2 up.
    pub(crate) fn of(
        classification: &mut Classification,
        tool: &str,
        digest: Option<&str>,
        settings: &Settings,
    ) -> (Vec<String>, Self) {
        let tier = classification.tier;
        let keys = std::mem::take(&mut classification.context_keys);
        let keys = match digest {
            Some(digest) => keys_or_digest(keys, tier, tool, digest),
            None => keys,
        };
        let terms = Self {
            tier,
            former_keys: std::mem::take(&mut classification.former_keys),
            window_ms: classification.window_ms(settings),
            lease_ms: classification.lease_ms.unwrap_or(settings.lease_ms),
            scope: classification.scope,
            on_conflict: classification.on_conflict,
            limits: std::mem::take(&mut classification.limits),
            observe: classification.is_observed(settings),
        };
        (keys, terms)
    }

    /// The resources under all names they have had: where evidence may stand.
    pub(crate) fn all_keys(&self, keys: &[String]) -> Vec<String> {
        [keys, &self.former_keys].concat()
    }

    /// The call as the decision sees it, on all keys.
    pub(crate) fn call_facts<'a>(
        &'a self,
        who: &'a Who,
        all_keys: &'a [String],
        settings: &Settings,
    ) -> CallFacts<'a> {
        CallFacts {
            who,
            tier: self.tier,
            keys: all_keys,
            window_ms: self.window_ms,
            retry_window_ms: settings.retry_window_ms,
            scope: self.scope,
            on_conflict: self.on_conflict,
            limits: &self.limits,
        }
    }
}
