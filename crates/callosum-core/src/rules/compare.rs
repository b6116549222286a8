//! Two sets of rules, and a call whose parameters are not known: what can be said of it all the same.

use std::rc::Rc;

use super::Classification;
use super::candidate::Candidate;
use super::compile::{Rule, ToolName};
use super::layer::Part;
use super::rule_set::RuleSet;
use crate::model::tier::Tier;
use crate::model::tool_call::ToolCall;

impl RuleSet {
    /// The same rules, which do not say whether a call's exit code proves something, nor whether it is refused whatever they say: they
    /// read only the parameters that decide which of them is for a call, and what its keys are.
    #[must_use]
    pub fn without_proof(&self) -> Self {
        let mut rules = self.clone();
        rules.is_replay = true;
        // Where nothing else stands beside them, they ask for parameters all the same.
        rules.parts.retain(|part| part.standing == 0 || part.len() > 0);
        rules
    }

    /// The same, and none of them gives a key.
    #[must_use]
    pub fn without_keys(&self) -> Self {
        let mut rules: Vec<Rule> = self.iter().filter(|rule| !rule.is_standing).cloned().collect();
        rules.iter_mut().for_each(|rule| rule.context_keys.clear());
        Self { parts: vec![Part::loaded(rules)], is_replay: true, ..Self::default() }
    }

    /// What the rule of this name says of a call, its keys aside; `None` when there is no such rule.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<Classification> {
        let rule = self.rule_named(name)?;
        Some(Classification {
            tier: rule.tier,
            rule_name: Some(rule.name.clone()),
            recent_window_ms: rule.recent_window_ms,
            lease_ms: rule.lease_ms,
            scope: rule.scope,
            mode: rule.mode,
            on_conflict: rule.on_conflict,
            limits: rule.limited(&[]).into_iter().collect(),
            journal_params: rule.journal_params,
            ..Classification::default()
        })
    }

    /// Whether a rule here gives a call the same keys as a rule of `other`.
    #[must_use]
    pub fn gives_keys_like(&self, name: &str, other: &Self, other_name: &str) -> bool {
        match (self.rule_named(name), other.rule_named(other_name)) {
            (Some(rule), Some(other)) => rule.context_keys == other.context_keys,
            _ => false,
        }
    }

    /// Whether both sets surely have the same rule for a call, whatever its parameters: the one that has the
    /// name `name` in `other` (`None`: no rule is for it). What that rule says may differ, and so may what those of
    /// higher tiers say: were one of them for this call, it would have had the say. Its own tier must not fall where
    /// it is for commands, because another command of the line would then have the say.
    #[must_use]
    pub fn agrees_about(&self, other: &Self, call: &ToolCall, runtime: &str, name: Option<&str>) -> bool {
        let tier = name.and_then(|name| other.rule_named(name)).map(|rule| rule.tier);
        // The standing ones are the same in both.
        let of_files = |rule: &&Rule| !rule.is_standing;
        let mut rules = self.may_be_for(call, runtime).filter(of_files);
        let mut others = other.may_be_for(call, runtime).filter(of_files);
        loop {
            let (rule, other) = match (rules.next(), others.next()) {
                (Some(rule), Some(other)) => (rule, other),
                (rule, other) => return rule.is_none() && other.is_none(),
            };
            let may_differ = if Some(&*other.name) == name {
                rule.name == other.name && (rule.effects.is_none() || rule.tier >= other.tier)
            } else {
                tier.is_none_or(|tier| other.tier > tier)
            };
            if !rule.asks_the_same(other) || !(may_differ || says_the_same(rule, other)) {
                return false;
            }
            // None behind it is asked.
            if rule.asks_no_parameters() {
                return true;
            }
        }
    }

    /// The highest tier of the rules that may be for a call, whatever its parameters; where its tool is not known either, of
    /// all that may be for its caller.
    #[must_use]
    pub fn strictest_for(&self, call: &ToolCall, runtime: &str, is_tool_known: bool) -> Tier {
        let tier = if is_tool_known {
            self.may_be_for(call, runtime).map(|rule| rule.tier).max()
        } else {
            self.iter().filter(|rule| rule.is_for_caller(call, runtime)).map(|rule| rule.tier).max()
        };
        tier.unwrap_or(Tier::None)
    }

    fn may_be_for<'s>(&'s self, call: &'s ToolCall, runtime: &'s str) -> impl Iterator<Item = &'s Rule> {
        let tool = Rc::new(ToolName::of(&call.tool));
        self.parts.iter().flat_map(move |part| {
            let neutral = &tool.neutral;
            let (calls, commands) = (part.index.for_calls(neutral), part.index.for_commands(neutral));
            let mut candidates: Vec<Candidate> = calls.iter().chain(commands.iter()).collect();
            candidates.extend(part.index.said_in(&tool, || None, usize::MAX));
            candidates.sort_unstable_by_key(|candidate| candidate.place);
            let tool = Rc::clone(&tool);
            candidates.into_iter().filter_map(move |candidate| {
                let rule = part.rule(candidate.place)?;
                (rule.is_for_tool(candidate, &tool) && rule.is_for_caller(call, runtime)).then_some(rule)
            })
        })
    }

    fn rule_named(&self, name: &str) -> Option<&Rule> {
        self.iter().find(|rule| *rule.name == *name)
    }
}

pub(super) fn says_the_same(one: &Rule, other: &Rule) -> bool {
    let says = |rule: &Rule| (rule.tier, rule.recent_window_ms, rule.lease_ms, rule.scope, rule.mode);
    let stops = |rule: &Rule| (rule.on_conflict, rule.limit);
    says(one) == says(other) && stops(one) == stops(other) && one.context_keys == other.context_keys
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::model::settings::Mode;
    use crate::model::tier::Tier;
    use crate::rules::Scope;

    const RULES: &str = r#"{"rules":[
      {"name":"a","tier":1,"tool":"exec","command":"a"},
      {"name":"b","tier":1,"tool":"exec","command":"b"},
      {"name":"c","tier":3,"tool":"exec","command":"c"},
      {"name":"rest","tier":0,"tool":"exec"},
      {"name":"behind","tier":0,"tool":"exec"}]}"#;

    /// Whether both agree about a call of the tool, once `from` is `to`.
    fn agree(tool: &str, name: Option<&str>, from: &str, to: &str) -> bool {
        assert!(RULES.contains(from), "{from}");
        let call = ToolCall { tool: tool.to_owned(), session: "s".to_owned(), ..ToolCall::default() };
        let (before, after) = (RULES, RULES.replacen(from, to, 1));
        let (before, after) = (RuleSet::parse(before).unwrap(), RuleSet::parse(&after).unwrap());
        after.agrees_about(&before, &call, "test", name)
    }

    #[test]
    fn sets_agree_about_a_call_where_what_may_be_for_it_is_the_same() {
        let tier = |of: Option<&str>, name: &str, from: u8, to: u8| {
            let rule = |tier: u8| format!(r#""name":"{name}","tier":{tier}"#);
            agree("exec", of, &rule(from), &rule(to))
        };
        // What the call's own rule says is looked up; but another command may have the say when it falls.
        assert!(tier(Some("a"), "a", 1, 3) && tier(Some("c"), "c", 3, 4));
        assert!(!tier(Some("c"), "c", 3, 2));
        // Those of higher tiers are not for it, those of the same and of lower ones may be for another command.
        assert!(tier(Some("a"), "c", 3, 4) && tier(None, "b", 1, 3));
        assert!(!tier(Some("a"), "b", 1, 3) && !tier(Some("a"), "rest", 0, 3));
        // None behind one that takes all is asked.
        assert!(tier(Some("a"), "behind", 0, 3));
        let asks = |tool: &str, to: &str| agree(tool, Some("a"), r#""command":"c""#, to);
        assert!(!asks("exec", r#""command":"d""#) && asks("read", r#""command":"d""#));
        assert!(!asks("exec", r#""command":"c","session":"t""#));
        let more = |session: &str| {
            let rule = format!(
                r#"{{"rules":[{{"name":"z","tier":3,"tool":"exec","command":"z","session":"{session}"}},"#
            );
            agree("exec", Some("a"), r#"{"rules":["#, &rule)
        };
        assert!(more("t") && !more("s"));
    }

    #[test]
    fn sets_disagree_where_one_goes_on_behind_the_other() {
        let set = |names: &[&str]| {
            let rule =
                |name: &&str| format!(r#"{{"name":"{name}","tier":1,"tool":"exec","command":"{name}"}}"#);
            let rules: Vec<String> = names.iter().map(rule).collect();
            RuleSet::parse(&format!(r#"{{"rules":[{}]}}"#, rules.join(","))).unwrap()
        };
        let call = ToolCall { tool: "exec".to_owned(), ..ToolCall::default() };
        let agree =
            |one: &[&str], other: &[&str]| set(one).agrees_about(&set(other), &call, "test", Some("a"));
        assert!(agree(&["a", "b"], &["a", "b"]) && agree(&[], &[]));
        assert!(!agree(&["a", "b"], &["a"]) && !agree(&["a"], &["a", "b"]) && !agree(&[], &["b"]));
    }

    #[test]
    fn what_a_rule_says_is_told_by_its_name() {
        let rules = r#"{"rules":[{"name":"other","tier":1,"tool":"x"},
          {"name":"all","tier":3,"tool":"x","contextKey":"k","recentWindowMs":5,"lockExpiryMs":6,
           "scope":"otherSessions","mode":"observe"}]}"#;
        let rules = RuleSet::parse(rules).unwrap();
        let said = Classification {
            tier: Tier::High,
            rule_name: Some("all".into()),
            recent_window_ms: Some(5),
            lease_ms: Some(6),
            scope: Scope::OtherSessions,
            mode: Some(Mode::Observe),
            ..Classification::default()
        };
        assert_eq!(rules.named("all"), Some(said));
        assert_eq!(rules.named("none"), None);
    }
}
