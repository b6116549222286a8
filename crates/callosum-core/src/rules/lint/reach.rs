//! Which rules no call ever gets to, because earlier ones take all that they are for.
//!
//! A rule is cut into its cases: one tool of its list, one value of each parameter, one command … Where earlier rules
//! take each case whole, it is never reached. A case is only taken when that is certain: a `commandPattern` only by
//! the same one, a list of subcommands only by one that reads every line alike.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use super::programs_are;
use crate::rules::command_match::PRIVATE;
use crate::rules::compile::{compared_tool, equal_values};
use crate::rules::format::{ParamFormat, RuleFormat, Texts};
use crate::rules::index_builder::HTTP_CLIENTS;
use crate::rules::tool_words::ToolWords;
use callosum_shell::command::Pattern;
use callosum_shell::glob::covers;

/// A rule with more cases than this is taken for reachable.
const MAX_CASES: usize = 10_000;

/// For each rule in order the earlier ones, by number, that together take all it is for; none when it can be reached.
pub(super) fn takers(rules: &[RuleFormat]) -> Vec<Vec<usize>> {
    let facets: Vec<Facets<'_>> = rules.iter().map(Facets::of).collect();
    let before = |(number, rule): (usize, &Facets<'_>)| rule.takers(facets.get(..number).unwrap_or_default());
    facets.iter().enumerate().map(before).collect()
}

/// Whether `earlier` takes all that `rule` is for.
pub(super) fn takes_all(earlier: &RuleFormat, rule: &RuleFormat) -> bool {
    !Facets::of(rule).takers(&[Facets::of(earlier)]).is_empty()
}

/// What a rule asks of a call: of each list one must hold.
struct Facets<'r> {
    /// Exact names are neutral ones; all are folded.
    tools: Vec<Cow<'r, str>>,
    agents: Vec<&'r str>,
    sessions: Vec<&'r str>,
    runtimes: Vec<&'r str>,
    /// What it asks of the words of the tool's name.
    words: Option<ToolWords>,
    params: &'r [ParamFormat],
    command_pattern: Option<&'r str>,
    /// `None`: it is for the whole call.
    effects: Option<EffectFacets<'r>>,
}

/// What a rule asks of one command.
struct EffectFacets<'r> {
    /// None: whatever command sends the request.
    patterns: Vec<(&'r str, Pattern)>,
    unless_flags: &'r [String],
    http: Option<HttpFacets<'r>>,
}

/// What a rule asks of a request.
struct HttpFacets<'r> {
    methods: Vec<String>,
    hosts: Vec<&'r str>,
    paths: Vec<&'r str>,
    /// It asks this of all requests of a command, not of one.
    all: bool,
}

/// What a rule asks of the words of tools' names.
pub(super) fn said(rule: &RuleFormat) -> Option<ToolWords> {
    let words = rule.tool_words.as_ref()?;
    let unless = rule.unless_words.as_ref().map(|words| words.value.0.as_slice()).unwrap_or_default();
    Some(ToolWords::new(&words.value, unless, rule.tier.value.is_tracked()))
}

/// What is not asked for may be anything.
fn names(texts: Option<&Texts>) -> Vec<&str> {
    texts.map_or_else(|| vec!["*"], |texts| texts.0.iter().map(String::as_str).collect())
}

impl<'r> Facets<'r> {
    fn of(rule: &'r RuleFormat) -> Self {
        let commands = rule.command.as_ref().map(|command| command.value.0.as_slice()).unwrap_or_default();
        let patterns = commands.iter().filter_map(|text| Some((text.as_str(), Pattern::parse(text).ok()?)));
        let http = rule.http.as_ref().map(|http| &http.value).map(|http| HttpFacets {
            methods: names(http.method.as_ref()).into_iter().map(str::to_uppercase).collect(),
            hosts: names(http.host.as_ref()),
            paths: names(http.path.as_ref()),
            all: !rule.tier.value.is_tracked(),
        });
        let is_for_commands = rule.command.is_some() || http.is_some();
        let unless_flags =
            rule.unless_flag.as_ref().map(|flags| flags.value.0.as_slice()).unwrap_or_default();
        let effects = EffectFacets { patterns: patterns.collect(), unless_flags, http };
        Self {
            tools: match rule.tool.value.0.as_slice() {
                // Only words say for which tools it is.
                [] => vec![Cow::Borrowed("*")],
                tools => tools.iter().map(|tool| compared_tool(tool)).collect(),
            },
            words: said(rule),
            agents: names(rule.agent.as_ref()),
            sessions: names(rule.session.as_ref()),
            runtimes: names(rule.runtime.as_ref()),
            params: &rule.params,
            command_pattern: rule.command_pattern.as_ref().map(|pattern| pattern.value.as_str()),
            effects: is_for_commands.then_some(effects),
        }
    }

    /// The rules of `earlier` that take all cases; none when one case is left.
    fn takers(&self, earlier: &[Self]) -> Vec<usize> {
        let mut takers = BTreeSet::new();
        for number in 0..self.count() {
            let case = self.case(number);
            let Some(taker) = earlier.iter().position(|rule| rule.takes(&case)) else { return Vec::new() };
            takers.insert(taker);
        }
        takers.into_iter().collect()
    }

    /// How many cases there are; 0 when they are too many.
    fn count(&self) -> usize {
        let mut lengths = vec![self.tools.len(), self.agents.len(), self.sessions.len(), self.runtimes.len()];
        lengths.extend(self.params.iter().map(|param| param.values.len()));
        if let Some(effects) = &self.effects {
            lengths.push(effects.patterns.len().max(1));
            if let Some(http) = &effects.http {
                lengths.extend([http.methods.len(), http.hosts.len(), http.paths.len()]);
            }
        }
        let count = lengths.into_iter().try_fold(1, usize::checked_mul);
        count.filter(|count| *count <= MAX_CASES).unwrap_or(0)
    }

    /// A case by its number: each list takes its part of the number, as the digits of a clock do.
    fn case(&self, mut number: usize) -> Case<'_> {
        let mut of = |length: usize| {
            let index = number.checked_rem(length).unwrap_or_default();
            number = number.checked_div(length).unwrap_or_default();
            index
        };
        let tool = self.tools.get(of(self.tools.len())).map(AsRef::as_ref).unwrap_or_default();
        let mut pick = |list: &[&'r str]| list.get(of(list.len())).copied().unwrap_or_default();
        let [agent, session, runtime] = [&self.agents, &self.sessions, &self.runtimes].map(|list| pick(list));
        let params = self.params.iter();
        let params =
            params.filter_map(|param| Some((param.path.as_str(), param.values.get(of(param.values.len()))?)));
        let params = params.collect();
        let effects = self.effects.as_ref().map(|effects| EffectCase {
            pattern: effects.patterns.get(of(effects.patterns.len().max(1))),
            unless_flags: effects.unless_flags,
            request: effects.http.as_ref().and_then(|http| {
                let (method, host) = (of(http.methods.len()), of(http.hosts.len()));
                let path = http.paths.get(of(http.paths.len()))?;
                Some((http.methods.get(method)?.as_str(), *http.hosts.get(host)?, *path))
            }),
            http: effects.http.as_ref(),
        });
        Case {
            tool,
            words: self.words.as_ref(),
            agent,
            session,
            runtime,
            params,
            command_pattern: self.command_pattern,
            effects,
        }
    }

    /// Whether the rule matches every call of a case.
    fn takes(&self, case: &Case<'_>) -> bool {
        let any = |wide: &[&str], narrow: &str| wide.iter().any(|wide| covers(wide, narrow));
        let has = |param: &ParamFormat| {
            let is = |(path, value): &(&str, &Value)| {
                *path == param.path && param.values.iter().any(|own| equal_values(path, own, value))
            };
            case.params.iter().any(is)
        };
        self.tools.iter().any(|wide| covers(wide, case.tool))
            && self.words.as_ref().is_none_or(|own| case.words.is_some_and(|of| own.takes(of)))
            && any(&self.agents, case.agent)
            && any(&self.sessions, case.session)
            && any(&self.runtimes, case.runtime)
            && self.params.iter().all(has)
            && self.command_pattern.is_none_or(|pattern| case.command_pattern == Some(pattern))
            && self.effects.as_ref().is_none_or(|own| case.effects.as_ref().is_some_and(|of| own.take(of)))
    }
}

impl EffectFacets<'_> {
    fn take(&self, case: &EffectCase<'_>) -> bool {
        let fits = match case.pattern {
            // Who names no program is only asked about those that send requests.
            Some((text, _)) if self.patterns.is_empty() => {
                programs_are(text, |name| HTTP_CLIENTS.contains(&name))
            }
            Some((_, narrow)) => self.patterns.iter().any(|(_, wide)| wide.covers(narrow)),
            None => self.patterns.is_empty(),
        };
        let sends = self.http.as_ref().is_none_or(|own| match case.http {
            // One command may send requests of several cases.
            Some(of) if own.all => of.all && of.requests().all(|request| own.take(request)),
            _ => case.request.is_some_and(|request| own.take(request)),
        });
        fits && sends && self.unless_flags.iter().all(|flag| case.unless_flags.contains(flag))
    }
}

impl HttpFacets<'_> {
    /// What is asked of one request, in all its combinations.
    fn requests(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let paths = |method, host| self.paths.iter().map(move |path| (method, host, *path));
        let hosts = move |method| self.hosts.iter().flat_map(move |host| paths(method, *host));
        self.methods.iter().flat_map(move |method| hosts(method.as_str()))
    }

    fn take(&self, (method, host, path): (&str, &str, &str)) -> bool {
        // `private` stands for many hosts: a glob for its letters says nothing of them.
        let host_fits = |own: &&str| match host {
            PRIVATE => matches!(*own, PRIVATE | "*"),
            host => covers(own, host),
        };
        self.methods.iter().any(|own| covers(own, method))
            && self.hosts.iter().any(host_fits)
            && self.paths.iter().any(|own| covers(own, path))
    }
}

/// One case of a rule.
struct Case<'r> {
    tool: &'r str,
    words: Option<&'r ToolWords>,
    agent: &'r str,
    session: &'r str,
    runtime: &'r str,
    params: Vec<(&'r str, &'r Value)>,
    command_pattern: Option<&'r str>,
    effects: Option<EffectCase<'r>>,
}

/// One command of a rule.
struct EffectCase<'r> {
    pattern: Option<&'r (&'r str, Pattern)>,
    unless_flags: &'r [String],
    /// Method, host and path.
    request: Option<(&'r str, &'r str, &'r str)>,
    http: Option<&'r HttpFacets<'r>>,
}
