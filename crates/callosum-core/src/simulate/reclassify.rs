//! What rules say of a journaled call, as far as the journal keeps what they ask for.
//!
//! 1. **Anew**, where the rules ask only for what is known. A summary that has the digest of the call's own
//!    parameters holds all of them; else a value counts when nothing of it was cut, taken out or made one line. A
//!    call of tier 0 or 1 is known by its tool and caller alone.
//! 2. **Its keys as recorded**, where it is known which rules are for a call but not all that its keys are made of:
//!    if those rules give the same keys as the rules in force, and those are the ones that wrote it.
//! 3. **At the journal's word**, where it is not known which rules are for it: the rule that the record names. For
//!    a call of tier 0 or 1 this is so only when both sets surely have the same rule for it; for one of
//!    tier 2 and up it is assumed, and counted, because another rule may be for what was cut off.

use std::sync::Arc;

use serde::Serialize;

use crate::model::on_conflict::OnConflict;
use crate::model::settings::Mode;
use crate::model::settings::Settings;
use crate::model::tier::Tier;
use crate::model::tool_call::ToolCall;
use crate::record::Record;
use crate::rules::context_key::keys_or_digest;
use crate::rules::{Classification, Limited, RuleSet, Scope, World};

use super::journaled_params::Kept;

/// A folder that no call works in: whether another folder would change what rules say.
const ELSEWHERE: &str = "/callosum/simulate/elsewhere";

/// Why it can't be told what rules would have made of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// The rules look at parameters of a call of tier 0 or 1: the journal keeps none of them, or too little.
    Parameters,
    /// Only the journal tells its rule, and one of the sets has none of that name.
    Rule,
    /// Its resources are made of what the journal does not keep.
    Keys,
    /// It was refused before anything was decided about it.
    Undecided,
    /// The original plugin wrote it.
    Original,
}

/// A call as a set of rules sees it.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) tier: Tier,
    pub(super) rule_name: Option<String>,
    pub(super) keys: Vec<String>,
    pub(super) window_ms: u64,
    pub(super) lease_ms: u64,
    pub(super) scope: Scope,
    pub(super) on_conflict: OnConflict,
    pub(super) limits: Vec<Limited>,
    pub(super) observe: bool,
    /// The journal's word was taken for its rule.
    pub(super) assumed: bool,
}

/// Two sets of rules, to be asked about the same calls.
#[derive(Debug)]
pub(super) struct Judge {
    before: Set,
    after: Set,
    recent_window_ms: u64,
    lease_ms: u64,
}

#[derive(Debug)]
struct Set {
    rules: Arc<RuleSet>,
    /// The same, to be asked for tiers, rules and keys.
    keyed: RuleSet,
    /// The same without keys: what is asked for to tell which rule is for a call.
    bare: RuleSet,
}

/// What rules say of a call anew.
enum Anew {
    /// All of it is known.
    Known(Classification),
    /// It is not known how its resources are called; what they are called when nobody said which folder it worked in,
    /// where only that is not known.
    Keyless(Classification, Option<Vec<String>>),
    /// It is not known which rules are for it.
    Unknown,
}

impl Anew {
    fn rule_name(&self) -> Option<&str> {
        match self {
            Self::Known(found) | Self::Keyless(found, _) => found.rule_name.as_deref(),
            Self::Unknown => None,
        }
    }
}

/// A call and what is kept of it.
struct Case<'a> {
    record: &'a Record,
    call: ToolCall,
    runtime: &'a str,
    kept: Kept,
}

impl Judge {
    pub(super) fn new(before: Arc<RuleSet>, after: Arc<RuleSet>, settings: &Settings) -> Self {
        Self {
            before: Set::new(before),
            after: Set::new(after),
            recent_window_ms: settings.recent_window_ms,
            lease_ms: settings.lease_ms,
        }
    }

    pub(super) fn before(&self) -> &RuleSet {
        &self.before.rules
    }

    pub(super) fn after(&self) -> &RuleSet {
        &self.after.rules
    }

    /// What both sets say of a call.
    pub(super) fn judge(&self, record: &Record) -> (Result<Judged, Reason>, Result<Judged, Reason>) {
        let case = Case::new(record);
        let (before, after) = (self.before.anew(&case), self.after.anew(&case));
        let was = self.settled(&self.before, &before, &before, &case);
        let is = self.settled(&self.after, &after, &before, &case);
        // The lease of a rule that names none was the setting's, and stands in the journal.
        let by_setting = was.as_ref().is_ok_and(|(found, _)| found.lease_ms.is_none());
        let lease_ms = record.expires_ms.and_then(|end| u64::try_from(end - record.wall_ms).ok());
        let lease_ms = lease_ms.filter(|_| by_setting).unwrap_or(self.lease_ms);
        (
            was.and_then(|found| self.judged(found, lease_ms, record)),
            is.and_then(|found| self.judged(found, lease_ms, record)),
        )
    }

    fn judged(
        &self,
        (found, assumed): (Classification, bool),
        lease_ms: u64,
        record: &Record,
    ) -> Result<Judged, Reason> {
        let tool = record.tool.as_deref().unwrap_or_default();
        let keys = match &record.digest {
            Some(digest) => keys_or_digest(found.context_keys, found.tier, tool, digest),
            None if found.context_keys.is_empty() && found.tier.is_guarded() => return Err(Reason::Keys),
            None => found.context_keys,
        };
        Ok(Judged {
            tier: found.tier,
            rule_name: found.rule_name.as_deref().map(str::to_owned),
            keys,
            window_ms: found.recent_window_ms.unwrap_or(self.recent_window_ms),
            lease_ms: found.lease_ms.unwrap_or(lease_ms),
            scope: found.scope,
            on_conflict: found.on_conflict,
            limits: found.limits,
            observe: found.mode == Some(Mode::Observe),
            assumed,
        })
    }

    /// What `set` says of a call, and whether that is only assumed. `anew` is what it says anew, `before` what the
    /// rules in force say.
    fn settled(
        &self,
        set: &Set,
        anew: &Anew,
        before: &Anew,
        case: &Case<'_>,
    ) -> Result<(Classification, bool), Reason> {
        match anew {
            Anew::Known(found) => Ok((found.clone(), false)),
            Anew::Keyless(found, folderless) => {
                let mut found = found.clone();
                found.context_keys = self.recorded_keys(set, folderless.as_ref(), before, case)?;
                Ok((found, false))
            }
            Anew::Unknown => self.at_its_word(set, case),
        }
    }

    fn recorded_keys(
        &self,
        set: &Set,
        folderless: Option<&Vec<String>>,
        before: &Anew,
        case: &Case<'_>,
    ) -> Result<Vec<String>, Reason> {
        let recorded = &case.record.context_keys;
        let is_theirs = case.record.rule_name.as_deref() == before.rule_name();
        if !is_theirs || matches!(before, Anew::Unknown) {
            return Err(Reason::Keys);
        }
        // The runtime did not say the folder then, so it says nothing now.
        if let (Some(keys), Anew::Keyless(_, Some(then))) = (folderless, before)
            && then == recorded
        {
            return Ok(keys.clone());
        }
        let (rules, then) = (set.rules_for(case), self.before.rules_for(case));
        let alike = rules.len() == then.len()
            && rules
                .iter()
                .zip(&then)
                .all(|(rule, then)| set.rules.gives_keys_like(rule, &self.before.rules, then));
        if alike { Ok(recorded.clone()) } else { Err(Reason::Keys) }
    }

    fn at_its_word(&self, set: &Set, case: &Case<'_>) -> Result<(Classification, bool), Reason> {
        let name = case.record.rule_name.as_deref();
        let found = match name {
            Some(name) => self.before.rules.named(name).and_then(|_| set.rules.named(name)),
            // No rule was for it.
            None => (!case.is_tracked()).then(Classification::default),
        };
        let mut found = found.ok_or(Reason::Rule)?;
        let sure = set.rules.agrees_about(&self.before.rules, &case.call, case.runtime, name);
        if !sure && !case.is_tracked() {
            return Err(Reason::Parameters);
        }
        if found.tier.is_tracked() {
            let alike = |name| set.rules.gives_keys_like(name, &self.before.rules, name);
            if !name.is_some_and(alike) {
                return Err(Reason::Keys);
            }
            found.context_keys.clone_from(&case.record.context_keys);
        }
        Ok((found, !sure))
    }
}

impl Set {
    fn new(rules: Arc<RuleSet>) -> Self {
        Self { keyed: rules.without_proof(), bare: rules.without_keys(), rules }
    }

    fn anew(&self, case: &Case<'_>) -> Anew {
        let ask = |rules: &RuleSet, call: &ToolCall| {
            case.kept.watch(|kept| rules.classify(call, case.runtime, kept, &World::unseen()))
        };
        let (found, in_vain) = ask(&self.keyed, &case.call);
        if in_vain {
            return match ask(&self.bare, &case.call) {
                (_, true) => Anew::Unknown,
                (found, false) if found.tier.is_tracked() => Anew::Keyless(found, None),
                (found, false) => Anew::Known(found),
            };
        }
        if !found.tier.is_tracked() {
            return Anew::Known(found);
        }
        // The journal does not tell in which folder a call worked.
        let elsewhere = ToolCall { cwd: Some(ELSEWHERE.to_owned()), ..case.call.clone() };
        let (there, _) = ask(&self.keyed, &elsewhere);
        if there == found && !found.asked_around {
            return Anew::Known(found);
        }
        if (there.tier, &there.rule_name) != (found.tier, &found.rule_name) {
            return Anew::Unknown;
        }
        let folderless = found.context_keys.clone();
        Anew::Keyless(found, Some(folderless))
    }

    /// The rules that give a call its keys, in order.
    fn rules_for(&self, case: &Case<'_>) -> Vec<String> {
        let explained = self.bare.explain(&case.call, case.runtime, &case.kept, &World::unseen());
        let is_tracked = explained.classification.tier.is_tracked();
        let matches = explained.matches.into_iter().filter(|found| found.tier.is_tracked() == is_tracked);
        matches.map(|found| found.rule_name).collect()
    }
}

impl<'a> Case<'a> {
    fn new(record: &'a Record) -> Self {
        let call = ToolCall {
            tool: record.tool.clone().unwrap_or_default(),
            agent: record.agent.clone(),
            session: record.session.clone().unwrap_or_default(),
            run: record.run.clone(),
            call: record.call.clone(),
            ..ToolCall::default()
        };
        let kept = Kept::of(record, &call);
        Self { record, runtime: record.runtime.as_deref().unwrap_or_default(), call, kept }
    }

    fn is_tracked(&self) -> bool {
        self.record.tier.is_some_and(Tier::is_tracked)
    }
}
