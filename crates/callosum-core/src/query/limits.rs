//! How much of the limits of rules is used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::decision::history::{Action, History, Who};
use crate::decision::limit::{Usage, usage};
use crate::model::time::{Stamp, to_rfc3339};
use crate::rules::{Limited, MAX_COUNT, Per, RateLimit, RuleSet};

/// Sessions or resources of one rule that are told of: those that have used most of its limit.
const MAX_OF_RULE: usize = 5;

/// How much of a limit is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LimitStatus {
    /// The rule.
    pub rule_name: String,
    /// The limit.
    #[serde(flatten)]
    pub limit: RateLimit,
    /// How many calls count now.
    pub used: usize,
    /// The resource on which they are counted, where each is counted by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whose calls they are, where each session is counted by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When there is room again, where it is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_at: Option<String>,
}

impl LimitStatus {
    pub(super) fn of(usage: &Usage<'_>, now: &Stamp) -> Self {
        let free_at = || to_rfc3339(now.plus_ms(usage.free_in_ms(now)).wall_ms);
        Self {
            rule_name: usage.rule.to_owned(),
            limit: usage.limit,
            used: usage.counted.len(),
            key: usage.key.map(str::to_owned),
            session: None,
            free_at: usage.is_reached().then(free_at),
        }
    }
}

/// What has to be known for [`limits`]: the newest actions that each counts, whoever and whatever they are about.
#[must_use]
pub fn to_look_at(rules: &RuleSet) -> Vec<Limited> {
    let limited = |(rule, limit): (&str, RateLimit)| {
        let limit = RateLimit { count: MAX_COUNT, per: Per::Rule, ..limit };
        Limited { rule: rule.to_owned(), limit, keys: Vec::new() }
    };
    rules.limits().map(limited).collect()
}

/// The limits of these rules, each where it is used most.
#[must_use]
pub(super) fn limits(rules: &RuleSet, history: &History, now: &Stamp) -> Vec<LimitStatus> {
    rules.limits().flat_map(|(rule, limit)| of_rule(rule, limit, history, now)).collect()
}

fn of_rule(rule: &str, limit: RateLimit, history: &History, now: &Stamp) -> Vec<LimitStatus> {
    let counted = history.limited(rule).filter(|action| action.counts_for(rule));
    let counted: Vec<&Action> =
        counted.filter(|action| action.started.age_ms(now) < limit.window_ms).collect();
    let used = |who: &Who, keys: Vec<String>| {
        let limited = Limited { rule: rule.to_owned(), limit, keys };
        LimitStatus::of(&usage(history, who, &limited, &[], now), now)
    };
    let mut all: Vec<LimitStatus> = match limit.per {
        Per::Rule => vec![used(&Who::default(), Vec::new())],
        Per::Session => {
            let sessions: BTreeMap<(&str, &str), &Who> = counted
                .iter()
                .map(|action| ((action.who.instance.as_str(), action.who.session.as_str()), &*action.who))
                .collect();
            let of = |who: &&Who| LimitStatus { session: Some(who.session.clone()), ..used(who, Vec::new()) };
            sessions.values().map(of).collect()
        }
        Per::Key => {
            let keys = counted.iter().flat_map(|action| &action.keys);
            let keys: std::collections::BTreeSet<&str> = keys.map(AsRef::as_ref).collect();
            keys.into_iter().map(|key| used(&Who::default(), vec![key.to_owned()])).collect()
        }
    };
    all.sort_by_key(|limit| std::cmp::Reverse(limit.used));
    all.truncate(MAX_OF_RULE);
    all
}
