//! Rules as matchers: patterns and templates made once, when the rules are loaded.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

use regex::Regex;
use serde_json::Value;

use super::candidate::Candidate;
use super::command_match::Effects;
use super::format::{ELSEWHERE, FILE_PATH, ParamFormat, RuleFormat, SQL, STORED, TARGET, Texts};
use super::index_builder::folded_tool;
use super::limits::{self, Budget};
use super::names::Names;
use super::source::{At, Source};
use super::tool_words::{NameWords, ToolWords};
use super::{Limited, Per, RateLimit, Reach, RuleError, Scope, sql};
use crate::model::digest::neutral_tool_name;
use crate::model::on_conflict::OnConflict;
use crate::model::settings::Mode;
use crate::model::tier::Tier;
use crate::model::tool_call::ToolCall;
use crate::rules::context_key::{Lookup, Template, guarded_path};

/// A rule ready to match.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) name: Arc<str>,
    pub(super) tier: Tier,
    pub(super) tools: Names,
    words: Option<ToolWords>,
    params: Vec<Param>,
    command_pattern: Option<Pattern>,
    /// What one of the commands in the line must be; without it the rule is for the whole line.
    pub(super) effects: Option<Effects>,
    pub(super) context_keys: Vec<Template>,
    /// How earlier versions named the same resources: evidence is looked for under these, too.
    pub(super) former_keys: Vec<Template>,
    pub(super) recent_window_ms: Option<u64>,
    pub(super) lease_ms: Option<u64>,
    pub(super) scope: Scope,
    pub(super) on_conflict: OnConflict,
    pub(super) limit: Option<RateLimit>,
    pub(super) reach: Option<Reach>,
    pub(super) mode: Option<Mode>,
    pub(super) journal_params: bool,
    agent: Option<Names>,
    session: Option<Names>,
    runtime: Option<Names>,
    /// It stands in no rules file: a call that it is for is refused.
    pub(super) is_standing: bool,
}

impl Rule {
    /// Whether it goes before another one where both may be meant.
    pub(super) fn is_above(&self, other: &Self) -> bool {
        self.tier > other.tier || self.is_standing && !other.is_standing
    }

    /// Compiles a rule; an error stands at the field that is wrong. Patterns are compiled when first needed, unless there
    /// is a budget, into which they must fit now.
    pub(super) fn compile(
        format: RuleFormat,
        source: Source<'_>,
        mut budget: Option<&mut Budget>,
    ) -> Result<Self, RuleError> {
        let name = format.name.value;
        let command_pattern = match format.command_pattern {
            None => None,
            Some(text) => {
                let pattern = Pattern::new(text.value);
                if let Some(budget) = &mut budget {
                    pattern.check(budget).map_err(|reason| {
                        source.error(text.at, Some(&name), format!("`commandPattern`: {reason}"))
                    })?;
                }
                Some(pattern)
            }
        };
        let is_for_commands = format.command.is_some() || format.http.is_some();
        let unless_flags = format.unless_flag.map(|flags| flags.value.0).unwrap_or_default();
        if !is_for_commands && !unless_flags.is_empty() {
            let message = "`unlessFlag` needs `command` or `http`: it applies to one command of a line";
            return Err(source.error(format.name.at, Some(&name), message));
        }
        let command_at = format.command.as_ref().map_or(format.name.at, |texts| texts.at);
        let patterns = format.command.map(|texts| texts.value.0).unwrap_or_default();
        let http = format.http.map(|http| http.value);
        let excuses = !format.tier.value.is_tracked();
        let effects = is_for_commands.then(|| Effects::new(patterns, unless_flags, http, excuses));
        if budget.is_some()
            && let Some(effects) = &effects
        {
            let wrong = |message| source.error(command_at, Some(&name), format!("`command`: {message}"));
            effects.check().map_err(wrong)?;
        }
        let templates = |keys: Option<&At<Texts>>, field| {
            let Some(keys) = keys else { return Ok(Vec::new()) };
            let wrong = |message| source.error(keys.at, Some(&name), format!("`{field}`: {message}"));
            keys.value.0.iter().map(|text| Template::parse(text).map_err(wrong)).collect::<Result<_, _>>()
        };
        let context_keys = templates(format.context_key.as_ref(), "contextKey")?;
        let former_keys = templates(format.former_keys.as_ref(), "formerKeys")?;
        let unless = format.unless_words.map(|words| words.value.0).unwrap_or_default();
        let words = match format.tool_words {
            Some(words) if is_for_commands => {
                let message = "`toolWords` is not for commands: tools that run them are told by `tool`";
                return Err(source.error(words.at, Some(&name), message));
            }
            None if !unless.is_empty() => {
                let message = "`unlessWords` needs `toolWords`: it takes tools out of them";
                return Err(source.error(format.name.at, Some(&name), message));
            }
            Some(words) => {
                let asked = ToolWords::new(&words.value, &unless, format.tier.value.is_tracked());
                asked.check().map_err(|message| {
                    source.error(words.at, Some(&name), format!("`toolWords`: {message}"))
                })?;
                Some(asked)
            }
            None => None,
        };
        let tools = format.tool.value.0.iter().map(|tool| compared_tool(tool).into_owned());
        Ok(Self {
            tier: format.tier.value,
            tools: Names::new(tools),
            words,
            params: format.params.into_iter().map(Param::compile).collect(),
            command_pattern,
            effects,
            context_keys,
            former_keys,
            recent_window_ms: format.recent_window_ms,
            lease_ms: format.lease_ms,
            scope: format.scope,
            on_conflict: format.on_conflict.map(|wanted| wanted.value).unwrap_or_default(),
            limit: format.limit.map(|limit| limit.value),
            reach: format.reach,
            mode: format.mode,
            journal_params: format.journal_params,
            agent: format.agent.map(Names::from),
            session: format.session.map(Names::from),
            runtime: format.runtime.map(Names::from),
            is_standing: false,
            name: name.into(),
        })
    }

    /// The same as a standing rule.
    pub(super) fn standing(self) -> Self {
        Self { is_standing: true, ..self }
    }

    /// Whether the rule is for this call, whose tool is known to fit, as far as the whole call says it; cheap
    /// conditions first.
    pub(super) fn matches<'p>(
        &'p self,
        call: &ToolCall,
        tool: &ToolName<'_>,
        runtime: &str,
        params: &Lookup<'p>,
    ) -> bool {
        self.is_for_caller(call, runtime)
            && self.words.as_ref().is_none_or(|words| words.are_in(tool.words(), params))
            && self.params.iter().all(|param| param.matches(call, params))
            && self.command_pattern.as_ref().is_none_or(|pattern| {
                let command = params.get("command");
                command
                    .as_ref()
                    .and_then(|command| command.as_str())
                    .is_some_and(|command| pattern.is_match(command))
            })
    }
}

impl Rule {
    /// Whether a candidate is for a tool.
    pub(super) fn is_for_tool(&self, candidate: Candidate, tool: &ToolName<'_>) -> bool {
        candidate.named
            || self.tools.matches_glob(&tool.neutral)
            || tool.own.as_ref().is_some_and(|own| self.tools.matches_glob(own))
    }

    /// Whether the rule is for some calls of a tool, by the tool's name or the words in it.
    pub(super) fn names_tool(&self, candidate: Candidate, tool: &ToolName<'_>) -> bool {
        let says = |words: &ToolWords| words.are_in(tool.words(), &Lookup::new(&Value::Null));
        self.is_for_tool(candidate, tool) && self.words.as_ref().is_none_or(says)
    }

    /// How far back it looks, milliseconds, if it says so.
    pub(super) fn window_ms(&self) -> Option<u64> {
        self.recent_window_ms.max(self.limit.map(|limit| limit.window_ms))
    }

    /// The limit that a call on these resources is under by it. Nothing is counted below tier 3, where nothing is stopped.
    pub(super) fn limited(&self, keys: &[String]) -> Option<Limited> {
        let limit = self.limit.filter(|_| self.tier.is_guarded())?;
        // Only where each is counted by itself it matters which they are.
        let keys = if limit.per == Per::Key { keys.to_vec() } else { Vec::new() };
        Some(Limited { rule: (*self.name).to_owned(), limit, keys })
    }

    /// The words of tools' names that it asks for.
    pub(super) fn words(&self) -> Option<&ToolWords> {
        self.words.as_ref()
    }

    /// The words by one of which the index finds it, where nothing else says for which tools it is.
    pub(super) fn words_to_find_it_by(&self) -> &[String] {
        let words = self.words.as_ref().filter(|_| self.tools.is_empty());
        words.map(ToolWords::first).unwrap_or_default()
    }

    /// Whether the rule is for callers like this, whatever the parameters of their calls.
    pub(super) fn is_for_caller(&self, call: &ToolCall, runtime: &str) -> bool {
        let fits = |names: &Option<Names>, name: &str| names.as_ref().is_none_or(|names| names.matches(name));
        fits(&self.runtime, runtime)
            && fits(&self.agent, call.agent.as_deref().unwrap_or_default())
            && fits(&self.session, &call.session)
    }

    /// Whether the rule is for calls whatever their parameters.
    pub(super) fn asks_no_parameters(&self) -> bool {
        self.params.is_empty()
            && self.words.is_none()
            && self.command_pattern.is_none()
            && self.effects.is_none()
    }

    /// Whether the rule is only for calls that are given some files, or an id, and so says nothing of a tool.
    pub(super) fn asks_for_what_is_given(&self) -> bool {
        self.params.iter().any(|param| matches!(param.path.as_str(), FILE_PATH | TARGET))
    }

    /// Whether the rule is only for calls that name what they act on by an id.
    pub(super) fn asks_for_an_id(&self) -> bool {
        self.params.iter().any(|param| param.path == TARGET)
    }

    /// Whether the rule is for the same calls as another one.
    pub(super) fn asks_the_same(&self, other: &Self) -> bool {
        let pattern = |rule: &Self| rule.command_pattern.as_ref().map(|pattern| pattern.text.clone());
        let callers = |rule: &Self| (rule.agent.clone(), rule.session.clone(), rule.runtime.clone());
        (&self.tools, &self.words, &self.params, &self.effects)
            == (&other.tools, &other.words, &other.params, &other.effects)
            && pattern(self) == pattern(other)
            && callers(self) == callers(other)
    }

    /// Which of its conditions led to it, in words.
    pub(super) fn because(&self, tool: &str, params: &Lookup<'_>) -> String {
        let words = self.words.as_ref().map(|words| {
            let matched = words.matched(&NameWords::of_tool(tool), params);
            let matched: Vec<String> = matched.iter().map(|word| format!("`{word}`")).collect();
            format!("the words {} of the tool's name", matched.join(" and "))
        });
        let mut reasons = Vec::new();
        match (&self.effects, &words) {
            (Some(effects), _) => reasons.extend(effects.because()),
            (None, Some(words)) => reasons.push(words.as_str()),
            (None, None) => reasons.push("the tool's name"),
        }
        if self.command_pattern.is_some() {
            reasons.push("the text of the command (`commandPattern`)");
        }
        if !self.params.is_empty() {
            reasons.push("parameters");
        }
        if self.agent.is_some() || self.session.is_some() || self.runtime.is_some() {
            reasons.push("who calls");
        }
        reasons.join(", ")
    }
}

/// A pattern, compiled when it is first asked: a short-lived process asks few.
#[derive(Clone, Debug)]
struct Pattern {
    text: String,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    fn new(text: String) -> Self {
        Self { text, regex: OnceLock::new() }
    }

    /// Compiles it now; says what is wrong with it.
    fn check(&self, budget: &mut Budget) -> Result<(), String> {
        let _ = self.regex.set(Some(budget.compile(&self.text)?));
        Ok(())
    }

    fn is_match(&self, text: &str) -> bool {
        let regex = self.regex.get_or_init(|| limits::compile(&self.text));
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

/// The name of a call's tool, as rules compare it.
pub(super) struct ToolName<'c> {
    /// Its neutral name, folded.
    pub(super) neutral: Cow<'c, str>,
    /// The host's own name for it, folded, where that is another one.
    pub(super) own: Option<Cow<'c, str>>,
    /// As the host gave it.
    pub(super) given: &'c str,
    words: OnceCell<NameWords>,
}

impl<'c> ToolName<'c> {
    pub(super) fn of(tool: &'c str) -> Self {
        let (neutral, own) = neutral_and_own(tool);
        Self { neutral, own, given: tool, words: OnceCell::new() }
    }

    /// The words of its name.
    pub(super) fn words(&self) -> &NameWords {
        self.words.get_or_init(|| NameWords::of_tool(self.given))
    }
}

/// A tool's neutral name, folded: what rules and calls are compared by.
pub(super) fn compared_tool(tool: &str) -> Cow<'_, str> {
    neutral_and_own(tool).0
}

/// The same, and the host's own name for it, folded, where that is another one.
fn neutral_and_own(tool: &str) -> (Cow<'_, str>, Option<Cow<'_, str>>) {
    let own = folded_tool(tool);
    let neutral = neutral_tool_name(&own);
    if neutral == own { (own, None) } else { (Cow::Owned(neutral.to_owned()), Some(own)) }
}

/// A parameter that must have one of some values.
#[derive(Clone, Debug, PartialEq)]
struct Param {
    path: String,
    values: Vec<Value>,
}

impl Param {
    fn compile(format: ParamFormat) -> Self {
        Self { path: format.path, values: format.values }
    }

    fn matches<'p>(&'p self, call: &ToolCall, params: &Lookup<'p>) -> bool {
        if self.path == FILE_PATH {
            return guarded_path(call, params).is_some();
        }
        if self.path == SQL {
            return sql::is_written(NameWords::of_tool(&call.tool).runs_psql(), params);
        }
        if self.path == TARGET {
            let tool = &call.tool;
            return match self.values.first().and_then(Value::as_str) {
                Some(ELSEWHERE) => params.is_elsewhere(tool),
                Some(STORED) => params.is_stored(tool),
                _ => params.is_identified(tool),
            };
        }
        let is = |actual: &Value| self.values.iter().any(|value| equal_values(&self.path, value, actual));
        params.get(&self.path).is_some_and(|actual| is(&actual))
    }
}

/// Whether two values of the parameter `path` count as one. Hosts write actions as `channel-delete`, `channelDelete`,
/// `channel_delete` or `Channel Delete`.
pub(super) fn equal_values(path: &str, one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) if path == "action" => folded(one).eq(folded(other)),
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

fn folded(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(|byte| !matches!(byte, b'-' | b'_' | b' ')).map(|byte| byte.to_ascii_lowercase())
}
