//! What a history says in short: for the status.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::decision::history::{Coverage, History, IsDead, Lost};
use crate::model::time::{Stamp, to_rfc3339};
use crate::record::{HookCounts, PROGRAM};
use crate::rules::RuleSet;

use super::leases::{LeaseStatus, live_leases};
use super::limits::{LimitStatus, limits};

/// Recent contexts listed.
const MAX_RECENT: usize = 50;

/// What a history says in short.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// The live leases, oldest first.
    pub leases: Vec<LeaseStatus>,
    /// The limits of rules, each where it is used most.
    pub limits: Vec<LimitStatus>,
    /// The resources acted on lately by tier 2 and above, newest first.
    pub recent_contexts: Vec<ContextStatus>,
    /// Hooks seen: runtime → tool.
    pub coverage: BTreeMap<String, BTreeMap<String, CoverageStatus>>,
    /// Programs of shell lines that no rule was for: runtime → program.
    pub programs: BTreeMap<String, BTreeMap<String, CoverageStatus>>,
    /// Torn and foreign lines met.
    pub skipped: u64,
    /// The last time that the journal was found lost, as long as that lies within the window.
    pub lost: Option<LostStatus>,
}

impl Overview {
    /// Of this history.
    #[must_use]
    pub fn of(history: &History, rules: &RuleSet, now: &Stamp, is_dead: IsDead<'_>) -> Self {
        Self {
            limits: limits(rules, history, now),
            leases: live_leases(history, now, is_dead),
            recent_contexts: recent_contexts(history, now, is_dead),
            coverage: coverage(history, |name| (!name.starts_with(PROGRAM)).then_some(name)),
            programs: coverage(history, |name| name.strip_prefix(PROGRAM)),
            skipped: history.skipped,
            lost: history.lost.as_ref().filter(|lost| is_recent(lost, history, now)).map(|lost| LostStatus {
                at: to_rfc3339(lost.at),
                instance: lost.instance.clone(),
                how: lost.how.clone(),
            }),
        }
    }
}

fn is_recent(lost: &Lost, history: &History, now: &Stamp) -> bool {
    u64::try_from(now.wall_ms.saturating_sub(lost.at)).unwrap_or(0) <= history.keep_ms()
}

fn recent_contexts(history: &History, now: &Stamp, is_dead: IsDead<'_>) -> Vec<ContextStatus> {
    let mut seen = HashSet::new();
    let mut contexts = Vec::new();
    for action in history.newest() {
        for key in &action.keys {
            if contexts.len() == MAX_RECENT {
                return contexts;
            }
            if seen.insert(key) {
                contexts.push(ContextStatus {
                    context_key: key.as_ref().to_owned(),
                    instance: action.who.instance.clone(),
                    session: action.who.session.clone(),
                    tool: action.tool.clone(),
                    tier: action.tier.into(),
                    at: to_rfc3339(action.started.wall_ms),
                    state: action.state(now, is_dead).word(),
                });
            }
        }
    }
    contexts
}

/// What was counted under the names that `wanted` gives a name here.
fn coverage(
    history: &History,
    wanted: impl Fn(&str) -> Option<&str>,
) -> BTreeMap<String, BTreeMap<String, CoverageStatus>> {
    let status = |known: &Coverage| CoverageStatus {
        before: known.counts.before,
        after: known.counts.after,
        paused: known.paused,
        covered: false,
        by_id: false,
        first: to_rfc3339(known.first_wall_ms),
        last: to_rfc3339(known.last_wall_ms),
    };
    let of_runtime = |tools: &BTreeMap<String, Coverage>| {
        // Where counts are written later than calls are, a tool may be known by a pause alone until they are.
        let counted = |known: &Coverage| known.counts != HookCounts::default();
        let tools = tools.iter().filter(|(_, known)| counted(known));
        tools.filter_map(|(name, known)| Some((wanted(name)?.to_owned(), status(known)))).collect()
    };
    let runtimes = history.coverage.iter().map(|(runtime, tools)| (runtime.clone(), of_runtime(tools)));
    runtimes.filter(|(_, tools): &(String, BTreeMap<_, _>)| !tools.is_empty()).collect()
}

/// A journal that was deleted, cut off, replaced or damaged while it was in use.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LostStatus {
    /// When it was noticed.
    pub at: String,
    /// Who noticed.
    pub instance: String,
    /// How it was lost, and what was written anew.
    pub how: String,
}

/// The last action on one resource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextStatus {
    /// The resource.
    pub context_key: String,
    /// Whose.
    pub instance: String,
    /// Whose.
    pub session: String,
    /// What it did.
    pub tool: String,
    /// Its tier.
    pub tier: u8,
    /// When it started.
    pub at: String,
    /// `running`, `complete`, `failed`, `refused` or `unknown`.
    pub state: &'static str,
}

/// Hooks seen of one tool, and when; up to five seconds late for other processes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverageStatus {
    /// Before-hooks.
    pub before: u64,
    /// After-hooks.
    pub after: u64,
    /// Calls that were paused or blocked: in most runtimes they have no after-hook.
    pub paused: u64,
    /// A rule names the tool: one of those in force.
    pub covered: bool,
    /// None does, but one is for those of its calls that name what they act on by an id.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_id: bool,
    /// First report.
    pub first: String,
    /// Last report.
    pub last: String,
}

impl CoverageStatus {
    /// Whether far fewer calls ended than began, so that the after-hook is likely missing. Of so many calls a few may still
    /// be running; of more than a fifth without an end the hook is the likelier reason. A call that was paused never began.
    /// The page judges alike.
    #[must_use]
    pub fn is_lacking(&self) -> bool {
        let began = self.before.saturating_sub(self.paused);
        began >= 10 && self.after.saturating_mul(5) < began.saturating_mul(4)
    }
}
