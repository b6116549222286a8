//! The rules that hold, for who wants to see them.

use serde::Serialize;

use crate::rules::{ListedRule, Mode};
use crate::time::{Stamp, to_rfc3339};

use super::{Gate, lock};

/// The rules that hold, and where they came from.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RulesInForce {
    /// Their file, or `built in`.
    pub source: String,
    /// When they were loaded: RFC 3339.
    pub loaded_at: String,
    /// Why a newer file was not; null when there is nothing to say.
    pub error: Option<String>,
    /// In the order in which they are asked. Each has the `mode` that holds for it.
    pub rules: Vec<ListedRule>,
}

impl Gate {
    /// The rules that hold now.
    pub fn rules_in_force(&self, now: &Stamp) -> RulesInForce {
        let mut rules = self.current_rules(now).listed();
        for rule in &mut rules {
            let is_observed = self.settings.mode == Mode::Observe || rule.mode == Some(Mode::Observe);
            rule.mode = Some(if is_observed { Mode::Observe } else { Mode::Enforce });
        }
        let file = lock(&self.rules);
        RulesInForce {
            source: file.source().to_owned(),
            loaded_at: to_rfc3339(file.loaded_wall_ms()),
            error: file.error().map(str::to_owned),
            rules,
        }
    }
}
