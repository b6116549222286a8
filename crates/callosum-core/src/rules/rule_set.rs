//! A whole set of rules, and what it says of a call.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::compile::Rule;
use super::effect::CommandIndex;
use super::format::RulesFile;
use super::source::Source;
use super::{Classification, Explanation, Match, Mode, RuleError, SHIPPED_RULES, Scope};
use crate::command::Command;
use crate::context_key::{Lookup, MAX_KEYS, Site, context_keys, is_outside, path_in, work_folder};
use crate::digest::neutral_tool_name;
use crate::shell::{Line, shortened};
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
    /// Of all rules; made when a command is first asked about.
    commands: OnceLock<CommandIndex>,
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
            commands: OnceLock::new(),
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
        let lookup = Lookup::new(params);
        let is_for_tool = |candidate: &Candidate, rule: &Rule| {
            candidate.named || rule.tools.matches_glob(&call.tool) || rule.tools.matches_glob(neutral)
        };
        // As far as the whole call tells.
        let fits = |rule: &Rule| rule.matches(call, runtime, &lookup);
        let of = |candidate: &Candidate| self.rules.get(candidate.rule);
        let has_effects = |candidate: &Candidate| of(candidate).is_some_and(|rule| rule.effects.is_some());
        let command = if candidates.iter().any(has_effects) { lookup.get("command") } else { None };
        let text = shortened(command.as_ref().and_then(|command| command.as_str()).unwrap_or_default());
        let commands = || {
            self.commands.get_or_init(|| {
                CommandIndex::new(self.rules.iter().map(|rule| rule.effects.as_ref()).enumerate())
            })
        };
        let mut verdict = Verdict { matches, ..Verdict::default() };
        let whole_line = || {
            let mut rules =
                candidates.iter().filter_map(|candidate| of(candidate).map(|rule| (candidate, rule)));
            rules.find(|(candidate, rule)| {
                rule.effects.is_none() && is_for_tool(candidate, rule) && fits(rule)
            })
        };
        if text.is_empty() || !commands().may_match(&text) {
            if let Some((_, rule)) = whole_line() {
                verdict.take(rule, Site { call, params: &lookup, fit: None });
                verdict.whole_line(&lookup);
            }
            return (verdict.classification, false);
        }
        let line = Line::read(&text);
        let mut proves = Vec::new();
        for invocation in &line.invocations {
            let command = Command::new(invocation);
            let outside = |path: &str| {
                let folder = work_folder(call, &lookup, command.whole().folder().as_deref());
                is_outside(&work_folder(call, &lookup, None), &path_in(&folder, path))
            };
            let rules = commands().rules(&invocation.program).filter_map(|number| {
                let candidate =
                    candidates.get(candidates.partition_point(|candidate| candidate.rule < number))?;
                let rule = self.rules.get(number).filter(|_| candidate.rule == number)?;
                is_for_tool(candidate, rule).then_some(rule)
            });
            let found = rules.filter(|rule| fits(rule)).find_map(|rule| match &rule.effects {
                Some(effects) => effects.fit(&command, &outside).map(|fit| (rule, Some(fit))),
                None => Some((rule, None)),
            });
            let Some((rule, fit)) = found else { continue };
            // A rule for the whole line says the same of each command.
            if fit.is_none() && verdict.took_whole(rule) {
                continue;
            }
            if rule.tier.is_tracked() {
                proves.push(invocation.proves);
            }
            verdict.take(rule, Site { call, params: &lookup, fit: fit.as_ref() });
        }
        if line.invocations.is_empty()
            && let Some((_, rule)) = whole_line()
        {
            verdict.take(rule, Site { call, params: &lookup, fit: None });
        }
        verdict.classification.exit_proves = proves == [true];
        (verdict.classification, line.rough)
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

/// What was found for a call so far.
#[derive(Default)]
struct Verdict<'m> {
    classification: Classification,
    /// What matched, if that is asked for.
    matches: Option<&'m mut Vec<Match>>,
    /// The rules for the whole line that have been taken.
    whole: Vec<String>,
}

impl Verdict<'_> {
    fn took_whole(&self, rule: &Rule) -> bool {
        self.whole.contains(&rule.name)
    }

    /// Takes in what a rule says: the highest tier counts, and the keys of all.
    fn take(&mut self, rule: &Rule, site: Site<'_, '_>) {
        let (keys, too_many) = context_keys(&rule.context_keys, site);
        if let Some(matches) = &mut self.matches {
            matches.push(Match {
                rule_name: rule.name.clone(),
                tier: rule.tier,
                context_keys: keys.clone(),
                command: site.fit.map(|fit| fit.command.to_string()),
                because: rule.because(site.fit.is_some()),
            });
        }
        if site.fit.is_none() {
            self.whole.push(rule.name.clone());
        }
        let sum = &mut self.classification;
        if rule.tier.is_tracked() != sum.tier.is_tracked() {
            // What is only logged has no say in what is checked.
            if sum.tier.is_tracked() {
                return;
            }
            sum.context_keys.clear();
        }
        sum.too_many_keys |= too_many;
        let fresh: Vec<String> = keys.into_iter().filter(|key| !sum.context_keys.contains(key)).collect();
        sum.context_keys.extend(fresh);
        sum.too_many_keys |= sum.context_keys.len() > MAX_KEYS;
        sum.context_keys.truncate(MAX_KEYS);
        if sum.rule_name.is_none() || rule.tier > sum.tier {
            sum.tier = rule.tier;
            sum.rule_name = Some(rule.name.clone());
            sum.recent_window_ms = rule.recent_window_ms;
            sum.lock_expiry_ms = rule.lock_expiry_ms;
            sum.scope = rule.scope;
            sum.mode = rule.mode;
        } else if rule.tier == sum.tier {
            // The stricter of both; a rule that names nothing goes by the configuration.
            sum.recent_window_ms = sum.recent_window_ms.max(rule.recent_window_ms);
            sum.lock_expiry_ms = sum.lock_expiry_ms.max(rule.lock_expiry_ms);
            if rule.scope == Scope::Any {
                sum.scope = Scope::Any;
            }
            if rule.mode != Some(Mode::Observe) {
                sum.mode = rule.mode;
            }
        }
    }

    /// Nothing in the line is known but that a rule is for all of it.
    fn whole_line(&mut self, params: &Lookup<'_>) {
        if self.classification.tier.is_tracked() {
            let command = params.get("command");
            let text = command.as_ref().and_then(|command| command.as_str());
            self.classification.exit_proves = text.is_some_and(|text| Line::read(text).is_simple());
        }
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
