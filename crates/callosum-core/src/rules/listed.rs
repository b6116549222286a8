//! The rules as their authors wrote them, for who wants to see them.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::format::{RuleFormat, Texts as FormatTexts, WrittenRules};
use super::rule_set::RuleSet;
use super::source::Source;
use super::{RateLimit, Reach, Scope};
use crate::model::on_conflict::OnConflict;
use crate::model::settings::Mode;
use crate::model::tier::Tier;

/// A rule as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedRule {
    /// Its name.
    pub name: String,
    /// The tier of the calls it is for.
    pub tier: Tier,
    /// It is not one of those that Callosum ships.
    pub own: bool,
    /// The tools it is for, names and globs.
    pub tool: Vec<String>,
    /// The commands it is for; empty when it is not for commands of a shell line.
    pub command: Vec<String>,
    /// What else must hold, a condition each: other parameters, patterns, requests, options, whose call it is.
    #[serde(rename = "where")]
    pub conditions: Vec<String>,
    /// The resources that its calls act on, as templates.
    pub context_key: Vec<String>,
    /// How far back earlier actions count, milliseconds, if the rule says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recent_window_ms: Option<u64>,
    /// How long a lease lasts, milliseconds, if the rule says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "lockExpiryMs")]
    pub lease_ms: Option<u64>,
    /// Whose earlier actions count.
    pub scope: Scope,
    /// What becomes of a call that evidence speaks against, if the rule says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_conflict: Option<OnConflict>,
    /// How many calls it lets through, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<RateLimit>,
    /// Where its keys mean the same resource, if the rule says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach: Option<Reach>,
    /// Whether it stops calls, if the rule says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Whether its calls' parameters are written down; not said where they are, as they are by default.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub journal_params: bool,
    /// What its author says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

impl RuleSet {
    /// The rules in the order in which they are asked, as they are written.
    #[must_use]
    pub fn listed(&self) -> Vec<ListedRule> {
        let mut names = HashSet::new();
        let mut rules = listed(&self.texts.first, !self.texts.is_shipped);
        rules.extend(self.texts.then.iter().flat_map(|text| listed(text, false)));
        // A rule takes the place of a shipped one of its name.
        rules.retain(|rule| names.insert(rule.name.clone()));
        rules
    }
}

/// The rules of a text that could be read before.
fn listed(text: &str, own: bool) -> Vec<ListedRule> {
    let source = Source::new(text);
    let Ok(file) = WrittenRules::read(source) else { return Vec::new() };
    let formats = file.rules.into_iter().filter_map(|rule| RuleFormat::read(source, rule.get()).ok());
    formats.map(|format| ListedRule::of(format, own)).collect()
}

impl ListedRule {
    fn of(format: RuleFormat, own: bool) -> Self {
        Self {
            conditions: conditions(&format),
            name: format.name.value,
            tier: format.tier.value,
            own,
            tool: format.tool.value.0,
            command: format.command.map(|texts| texts.value.0).unwrap_or_default(),
            context_key: format.context_key.map(|texts| texts.value.0).unwrap_or_default(),
            recent_window_ms: format.recent_window_ms,
            lease_ms: format.lease_ms,
            scope: format.scope,
            on_conflict: format.on_conflict.map(|wanted| wanted.value),
            limit: format.limit.map(|limit| limit.value),
            reach: format.reach,
            mode: format.mode,
            journal_params: format.journal_params,
            comment: format.comment,
        }
    }
}

fn conditions(format: &RuleFormat) -> Vec<String> {
    let texts = |texts: &FormatTexts| texts.0.join(" | ");
    let words = format.tool_words.iter().map(|words| {
        let groups: Vec<String> = words.value.iter().map(texts).collect();
        format!("the words {} in the tool's name", groups.join(" and "))
    });
    let mut all: Vec<String> = words.collect();
    all.extend(format.unless_words.iter().map(|words| format!("none of {} in it", texts(&words.value))));
    all.extend(format.params.iter().map(|param| {
        let values: Vec<String> = param
            .values
            .iter()
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect();
        format!("{} = {}", param.path, values.join(" | "))
    }));
    all.extend(format.command_pattern.iter().map(|pattern| format!("command like /{}/", pattern.value)));
    if let Some(http) = format.http.as_ref().map(|http| &http.value) {
        let parts = [("", &http.method), ("to ", &http.host), ("path ", &http.path)];
        let parts = parts.iter().filter_map(|(word, part)| Some(format!("{word}{}", texts(part.as_ref()?))));
        all.push(format!("sends HTTP {}", parts.collect::<Vec<_>>().join(" ")));
    }
    all.extend(format.unless_flag.iter().map(|flags| format!("without {}", texts(&flags.value))));
    let whose = [("agent", &format.agent), ("session", &format.session), ("runtime", &format.runtime)];
    all.extend(whose.iter().filter_map(|(name, whose)| Some(format!("{name} {}", texts(whose.as_ref()?)))));
    all
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    const SHIPPED: &str = r#"{"rules":[
      {"name":"read","tier":0,"tool":"read"},
      {"name":"mail","tier":3,"tool":"mail"}]}"#;

    fn names(rules: &[ListedRule]) -> Vec<(&str, bool)> {
        rules.iter().map(|rule| (rule.name.as_str(), rule.own)).collect()
    }

    #[test]
    fn rules_are_listed_in_order_and_say_whose_they_are() {
        let own = r#"{"extends":"default","rules":[{"name":"mail","tier":4,"tool":"mail"},{"name":"a","tier":1,"tool":"a"}]}"#;
        let rules = RuleSet::parse_extending(own, SHIPPED).unwrap().listed();
        assert_eq!(names(&rules), [("mail", true), ("a", true), ("read", false)]);
        assert_eq!(rules.first().map(|rule| rule.tier), Some(Tier::Critical));
        let alone = own.replace(r#""extends":"default","#, "");
        let rules = RuleSet::parse_extending(&alone, SHIPPED).unwrap().listed();
        assert_eq!(names(&rules), [("mail", true), ("a", true)]);
        let rules = RuleSet::parse_extending(SHIPPED, SHIPPED).unwrap().listed();
        assert_eq!(names(&rules), [("read", false), ("mail", false)]);
    }

    #[test]
    fn the_shipped_rules_are_listed_all() {
        let shipped = RuleSet::shipped();
        let rules = shipped.listed();
        assert_eq!(rules.len(), shipped.len());
        assert!(rules.iter().all(|rule| !rule.own));
    }

    #[test]
    fn a_listed_rule_says_all_that_is_written() {
        let text = r#"{"rules":[{"name":"all","tier":3,"tool":["exec","my_*"],"$comment":"why",
          "params":{"host":["node",1],"job.sure":true},"commandPattern":"^a","command":["a b","c"],
          "http":{"method":["POST","PUT"],"host":"*.acme.io","path":"v1/*"},"unlessFlag":["-n","--try"],
          "agent":"main","session":["a","b"],"runtime":"codex","contextKey":["k:{params.id}","l"],
          "recentWindowMs":5,"lockExpiryMs":6,"scope":"otherSessions","onConflict":"block",
          "limit":{"count":2,"windowMs":7,"per":"key"},"reach":"home","mode":"observe","journalParams":false},
          {"name":"http","tier":1,"tool":"x","http":{"path":"v2"}}]}"#;
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let all = ListedRule {
            name: "all".to_owned(),
            tier: Tier::High,
            own: true,
            tool: texts(&["exec", "my_*"]),
            command: texts(&["a b", "c"]),
            conditions: texts(&[
                "host = node | 1",
                "job.sure = true",
                "command like /^a/",
                "sends HTTP POST | PUT to *.acme.io path v1/*",
                "without -n | --try",
                "agent main",
                "session a | b",
                "runtime codex",
            ]),
            context_key: texts(&["k:{params.id}", "l"]),
            recent_window_ms: Some(5),
            lease_ms: Some(6),
            scope: Scope::OtherSessions,
            on_conflict: Some(OnConflict::Block),
            limit: Some(RateLimit { count: 2, window_ms: 7, per: crate::rules::Per::Key }),
            reach: Some(Reach::Home),
            mode: Some(Mode::Observe),
            journal_params: false,
            comment: Some("why".to_owned()),
        };
        let rules = RuleSet::parse(text).unwrap().listed();
        assert_eq!(rules.first(), Some(&all));
        let conditions: Vec<_> = rules.iter().skip(1).map(|rule| rule.conditions.clone()).collect();
        assert_eq!(conditions, [["sends HTTP path v2"]]);
    }
}
