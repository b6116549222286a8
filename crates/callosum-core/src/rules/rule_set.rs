//! A whole set of rules, and what it says of a call.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::classify::Question;
use super::compile::Rule;
use super::effect::CommandIndex;
use super::format::{RuleFormat, RulesFile};
use super::listed::Texts;
use super::source::Source;
use super::{Classification, Explanation, Match, RuleError, SHIPPED_RULES};
use crate::context_key::Lookup;
use crate::digest::neutral_tool_name;
use crate::tool_call::{Parameters, ToolCall};

/// Rules in order, compiled once; the first that matches a call says what it is.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    pub(super) rules: Vec<Rule>,
    /// The rules that may match a tool some rule names, in order, by the tool's neutral name: a call to
    /// `read` is not compared with fifty other names.
    by_tool: HashMap<String, Vec<Candidate>>,
    /// The rules with globs, in order: what may match any other tool.
    with_globs: Vec<Candidate>,
    /// Of all rules; made when a command is first asked about.
    commands: OnceLock<CommandIndex>,
    largest_window_ms: u64,
    largest_lock_expiry_ms: u64,
    /// What the rules were made of.
    pub(super) texts: Texts,
    /// It is not asked whether an exit code proves something.
    pub(super) without_proof: bool,
}

/// A rule that may match a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) rule: usize,
    /// Whether the rule names the tool; else a glob of the rule must match it.
    pub(super) named: bool,
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
        Ok(Self { texts: Texts::new(text, shipped, extends_default), ..Self::index(rules) })
    }

    /// The rules that Callosum ships. A test proves that they can be read.
    #[must_use]
    pub fn shipped() -> Self {
        Self::parse(SHIPPED_RULES).unwrap_or_default()
    }

    pub(super) fn index(rules: Vec<Rule>) -> Self {
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
            commands: OnceLock::new(),
            texts: Texts::default(),
            without_proof: false,
            largest_window_ms: largest(|rule| rule.recent_window_ms),
            largest_lock_expiry_ms: largest(|rule| rule.lock_expiry_ms),
            rules,
        }
    }

    /// What the rules say of a call; tier 0 without keys when none is for it. `runtime` is the name of the agent runtime
    /// the call comes from. Reads only the parameters that rules ask for.
    ///
    /// The first matching rule wins. In a shell line it wins for each command: the call has the highest of their
    /// tiers, and the keys of all.
    #[must_use]
    pub fn classify(&self, call: &ToolCall, runtime: &str, params: &dyn Parameters) -> Classification {
        self.explained(call, runtime, params, None).0
    }

    /// The same, with how it came about.
    #[must_use]
    pub fn explain(&self, call: &ToolCall, runtime: &str, params: &dyn Parameters) -> Explanation {
        let mut matches = Vec::new();
        let (classification, rough) = self.explained(call, runtime, params, Some(&mut matches));
        Explanation { classification, matches, rough }
    }

    fn explained(
        &self,
        call: &ToolCall,
        runtime: &str,
        params: &dyn Parameters,
        matches: Option<&mut Vec<Match>>,
    ) -> (Classification, bool) {
        let neutral = neutral_tool_name(&call.tool);
        let candidates = self.by_tool.get(neutral).unwrap_or(&self.with_globs);
        Question { rules: self, call, neutral, runtime, params: Lookup::new(params), candidates }
            .answer(matches)
    }

    /// The rules that may be for calls of a tool, in order.
    pub(super) fn for_tool<'s>(&'s self, tool: &'s str) -> impl Iterator<Item = &'s Rule> {
        let neutral = neutral_tool_name(tool);
        let candidates = self.by_tool.get(neutral).unwrap_or(&self.with_globs);
        candidates.iter().filter_map(move |candidate| {
            let rule = self.rule(*candidate)?;
            let fits = candidate.named || rule.tools.matches_glob(tool) || rule.tools.matches_glob(neutral);
            fits.then_some(rule)
        })
    }

    pub(super) fn rule(&self, candidate: Candidate) -> Option<&Rule> {
        self.rules.get(candidate.rule)
    }

    /// The index of the rules that are for commands.
    pub(super) fn commands(&self) -> &CommandIndex {
        self.commands.get_or_init(|| CommandIndex::new(&self.rules))
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
    for text in file.rules {
        rules.push(Rule::compile(read_rule(source, text.get(), &mut names)?, source, check)?);
    }
    Ok((rules, file.extends_default))
}

/// Reads one rule of a file; `names` are those of the rules before it.
pub(super) fn read_rule<'a>(
    source: Source<'a>,
    text: &'a str,
    names: &mut HashSet<String>,
) -> Result<RuleFormat, RuleError> {
    let format = RuleFormat::read(source, text)?;
    let name = &format.name;
    if !names.insert(name.value.clone()) {
        let message = "another rule has this name: give each its own, the journal and the pauses show it";
        return Err(source.error(name.at, Some(&name.value), message));
    }
    Ok(format)
}
