//! A whole set of rules, and what it says of a call.

use std::collections::{HashMap, HashSet};

use super::compile::Rule;
use super::format::RulesFile;
use super::source::Source;
use super::{Classification, RuleError, SHIPPED_RULES};
use crate::context_key::{Lookup, context_keys};
use crate::digest::neutral_tool_name;
use crate::tool_call::{Parameters, ToolCall};

/// Rules in order, compiled once; the first that matches a call says what it is.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    /// The rules that may match a tool some rule names, in order, by the tool's neutral name: a call to
    /// `read` is not compared with fifty other names.
    by_tool: HashMap<String, Vec<Candidate>>,
    /// The rules with globs, in order: what may match any other tool.
    with_globs: Vec<Candidate>,
    largest_window_ms: u64,
    largest_lock_expiry_ms: u64,
}

/// A rule that may match a tool.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    rule: usize,
    /// Whether the rule names the tool; else a glob of the rule must match it.
    named: bool,
}

impl RuleSet {
    /// Reads the text of a `tiers.json`. `"extends": "default"` puts the shipped rules after its own.
    ///
    /// # Errors
    /// The first thing that is wrong, and where it stands.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        Self::parse_extending(text, SHIPPED_RULES)
    }

    /// Reads the text of a `tiers.json` with another text as the shipped rules. A rule of the text takes the
    /// place of a shipped one of the same name.
    ///
    /// # Errors
    /// The first thing that is wrong, and where it stands; when that is in `shipped`, the message says so.
    pub fn parse_extending(text: &str, shipped: &str) -> Result<Self, RuleError> {
        let (mut rules, extends_default) = compile_all(text)?;
        if extends_default {
            let (shipped, extends_too) = compile_all(shipped).map_err(|error| RuleError {
                message: format!("in the shipped rules: {}", error.message),
                ..error
            })?;
            if extends_too {
                let message = "the shipped rules cannot extend themselves: take `extends` out of them";
                return Err(RuleError { line: 1, column: 1, rule: None, message: message.to_owned() });
            }
            let own: HashSet<String> = rules.iter().map(|rule| rule.name.clone()).collect();
            rules.extend(shipped.into_iter().filter(|rule| !own.contains(&rule.name)));
        }
        Ok(Self::index(rules))
    }

    /// The rules that Callosum ships. A test proves that they can be read.
    #[must_use]
    pub fn shipped() -> Self {
        Self::parse(SHIPPED_RULES).unwrap_or_default()
    }

    fn index(rules: Vec<Rule>) -> Self {
        let candidates = |tool: Option<&str>| {
            let candidate = |(index, rule): (usize, &Rule)| {
                let named = tool.is_some_and(|tool| rule.tools.exact().iter().any(|exact| exact == tool));
                (named || rule.tools.has_globs()).then_some(Candidate { rule: index, named })
            };
            rules.iter().enumerate().filter_map(candidate).collect()
        };
        let named: HashSet<&String> = rules.iter().flat_map(|rule| rule.tools.exact()).collect();
        let by_tool = named.into_iter().map(|tool| (tool.clone(), candidates(Some(tool)))).collect();
        let with_globs = candidates(None);
        let largest = |of: fn(&Rule) -> Option<u64>| rules.iter().filter_map(of).max().unwrap_or(0);
        Self {
            by_tool,
            with_globs,
            largest_window_ms: largest(|rule| rule.recent_window_ms),
            largest_lock_expiry_ms: largest(|rule| rule.lock_expiry_ms),
            rules,
        }
    }

    /// What the first matching rule says of a call; tier 0 without keys when none matches. `runtime` is the
    /// name of the agent runtime the call comes from. Reads only the parameters that rules ask for.
    #[must_use]
    pub fn classify(&self, call: &ToolCall, runtime: &str, params: &dyn Parameters) -> Classification {
        let neutral = neutral_tool_name(&call.tool);
        let candidates = self.by_tool.get(neutral).unwrap_or(&self.with_globs);
        let lookup = Lookup::new(params);
        for candidate in candidates {
            let Some(rule) = self.rules.get(candidate.rule) else { continue };
            let is_for_tool =
                candidate.named || rule.tools.matches_glob(&call.tool) || rule.tools.matches_glob(neutral);
            if is_for_tool && rule.matches(call, runtime, &lookup) {
                let (context_keys, too_many_keys) = context_keys(&rule.context_keys, call, &lookup);
                return Classification {
                    tier: rule.tier,
                    rule_name: Some(rule.name.clone()),
                    context_keys,
                    recent_window_ms: rule.recent_window_ms,
                    lock_expiry_ms: rule.lock_expiry_ms,
                    scope: rule.scope,
                    mode: rule.mode,
                    too_many_keys,
                };
            }
        }
        Classification::unmatched()
    }

    /// How many rules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The largest `recentWindowMs` that a rule names, in milliseconds; 0 when none does.
    #[must_use]
    pub fn largest_window_ms(&self) -> u64 {
        self.largest_window_ms
    }

    /// The largest `lockExpiryMs` that a rule names, in milliseconds; 0 when none does.
    #[must_use]
    pub fn largest_lock_expiry_ms(&self) -> u64 {
        self.largest_lock_expiry_ms
    }
}

/// The rules of one text in order, and whether the shipped ones are to follow.
fn compile_all(text: &str) -> Result<(Vec<Rule>, bool), RuleError> {
    let source = Source::new(text);
    let file = RulesFile::read(source)?;
    // A test has compiled the shipped patterns.
    let check = text != SHIPPED_RULES;
    let mut names = HashSet::new();
    let mut rules = Vec::with_capacity(file.rules.len());
    for format in file.rules {
        let name = &format.name;
        if !names.insert(name.value.clone()) {
            let message = "another rule has this name: give each its own, the journal and the pauses show it";
            return Err(source.error(name.at, Some(&name.value), message));
        }
        rules.push(Rule::compile(format, source, check)?);
    }
    Ok((rules, file.extends_default))
}
