//! The rules in force, listed for who wants to see them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::settings::Mode;
use crate::model::time::to_rfc3339;
use crate::rules::ListedRule;

use super::reader::Reader;

/// The rules that hold, and where they came from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
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

/// The rules that hold now.
pub(super) fn rules_in_force(reader: &Reader<'_>) -> RulesInForce {
    let in_force = &reader.rules;
    let mut rules = in_force.rules.listed();
    for rule in &mut rules {
        let is_observed = reader.observed_by().is_some() || rule.mode == Some(Mode::Observe);
        rule.mode = Some(if is_observed { Mode::Observe } else { Mode::Enforce });
    }
    RulesInForce {
        source: in_force.source.clone(),
        loaded_at: to_rfc3339(in_force.loaded_wall_ms),
        error: in_force.error.clone(),
        rules,
    }
}
