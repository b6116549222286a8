//! One call before the rules: which of them are for it, and what they say together.

use super::compile::{Rule, ToolName};
use super::index::Candidate;
use super::part::Part;
use super::rule_set::RuleSet;
use super::{Classification, Match, Mode, Scope};
use crate::command::{Asked, Command, Fit, guarded_redirects, not_done_codes};
use crate::context_key::{
    Lookup, MAX_KEYS, Site, context_keys, is_guarded, is_outside, path_in, work_folder,
};
use crate::outcome::ExitCodes;
use crate::shell::{Line, joined, shortened};
use crate::tier::Tier;
use crate::tool_call::ToolCall;

/// A call, and the rules that may be for its tool.
pub(super) struct Question<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) call: &'a ToolCall,
    pub(super) tool: ToolName<'a>,
    pub(super) runtime: &'a str,
    pub(super) params: Lookup<'a>,
}

impl<'a> Question<'a> {
    /// What the rules say, and whether a shell line had to be cut roughly.
    pub(super) fn answer(&self, matches: Option<&mut Vec<Match>>) -> (Classification, bool) {
        let mut verdict = Verdict { matches, ..Verdict::default() };
        let parts = &self.rules.parts;
        let is_shell = parts.iter().any(|part| !part.index.candidates(&self.tool.neutral).1.is_empty());
        let command = if is_shell { self.params.get("command") } else { None };
        let text = shortened(command.as_ref().and_then(|command| command.as_str()).unwrap_or_default());
        let may_be_for_a_command = !text.is_empty() && parts.iter().any(|part| part.index.may_match(&text));
        let for_all = if may_be_for_a_command { None } else { self.for_whole_call() };
        // What may be taken back for one command (`* --help`) is worth reading the line.
        if !may_be_for_a_command && (text.is_empty() || !for_all.is_some_and(|rule| rule.tier.is_tracked())) {
            if let Some(rule) = for_all {
                verdict.take(rule, self.site(None));
                if rule.tier.is_tracked() && !self.rules.without_proof {
                    verdict.classification.not_done_codes = proved(&[self.codes_of_line()], rule.tier);
                }
            }
            return (verdict.classification, false);
        }
        let line = Line::read(&text);
        let mut proves = Vec::new();
        let folder = line.invocations.last().and_then(|last| last.folder.as_deref());
        let redirects = guarded_redirects(&text, folder);
        for invocation in line.invocations.iter().chain(&redirects) {
            let command = Command::new(invocation);
            let Some((rule, fit)) = self.for_command(&command) else { continue };
            if fit.is_none() && verdict.has_taken(rule) {
                continue;
            }
            if rule.tier.is_tracked() {
                // A rule for one command goes by that one's place in the line; one for the whole line only by a line of one.
                let counts = fit.is_some() || line.is_simple();
                proves.push(if counts { not_done_codes(&text, invocation) } else { ExitCodes::default() });
            }
            verdict.take(rule, self.site(fit.as_ref()));
        }
        if line.invocations.is_empty()
            && let Some(rule) = self.for_whole_call()
        {
            verdict.take(rule, self.site(None));
        }
        verdict.classification.not_done_codes = proved(&proves, verdict.classification.tier);
        (verdict.classification, line.rough)
    }

    fn site<'s>(&'s self, fit: Option<&'s Fit<'s, 's>>) -> Site<'s, 'a> {
        Site { call: self.call, params: &self.params, fit }
    }

    /// A candidate's rule, if it is for the tool, and for the call as far as the whole of it tells.
    fn rule(&self, part: &'a Part, candidate: Candidate) -> Option<&'a Rule> {
        part.rule(candidate.place).filter(|rule| {
            rule.is_for_tool(candidate, &self.tool) && rule.matches(self.call, self.runtime, &self.params)
        })
    }

    /// The first rule that is for the whole call.
    fn for_whole_call(&self) -> Option<&'a Rule> {
        self.rules.parts.iter().find_map(|part| {
            let (calls, _) = part.index.candidates(&self.tool.neutral);
            calls.iter().find_map(|candidate| self.rule(part, candidate))
        })
    }

    /// The first rule that is for a command of the line, or for the whole line.
    fn for_command<'c, 'l>(&self, command: &'c Command<'l>) -> Option<(&'a Rule, Option<Fit<'c, 'l>>)> {
        let is = |asked, path: &str| {
            let went_to = command.whole().folder();
            let whole = path_in(&work_folder(self.call, &self.params, went_to.as_deref()), path);
            match asked {
                Asked::Outside => is_outside(&work_folder(self.call, &self.params, None), &whole),
                // `cd ~/.callosum` leads to no absolute folder.
                Asked::Guarded => is_guarded(&whole) || is_guarded(&joined(went_to.as_deref(), path)),
            }
        };
        self.rules.parts.iter().find_map(|part| {
            let (calls, commands) = part.index.candidates(&self.tool.neutral);
            let mut rules = part.index.rules(&command.invocation.program).filter_map(|place| {
                let candidate = commands.at(place).or_else(|| calls.at(place))?;
                self.rule(part, candidate)
            });
            rules.find_map(|rule| match &rule.effects {
                Some(effects) => effects.fit(command, &is).map(|fit| (rule, Some(fit))),
                None => Some((rule, None)),
            })
        })
    }

    /// What the exit code proves of a shell line of one command.
    fn codes_of_line(&self) -> ExitCodes {
        let command = self.params.get("command");
        let text = command.as_ref().and_then(|command| command.as_str()).unwrap_or_default();
        match Line::read(text).invocations.as_slice() {
            [only] => not_done_codes(text, only),
            _ => ExitCodes::default(),
        }
    }
}

/// What the exit code of a line proves, from what it proves of each command with an effect: of one of several nothing. At
/// tier 4 it never does: there a needless pause costs less than a second deed.
fn proved(codes: &[ExitCodes], tier: Tier) -> ExitCodes {
    match codes {
        [codes] if tier != Tier::Critical => *codes,
        _ => ExitCodes::default(),
    }
}

/// What was found for a call so far.
#[derive(Default)]
struct Verdict<'r, 'm> {
    classification: Classification,
    /// What matched, if that is asked for.
    matches: Option<&'m mut Vec<Match>>,
    /// The names of the rules for the whole line that have been taken.
    whole: Vec<&'r str>,
}

impl<'r> Verdict<'r, '_> {
    /// A rule for the whole line says the same of each command.
    fn has_taken(&self, rule: &Rule) -> bool {
        self.whole.contains(&rule.name.as_str())
    }

    /// Takes in what a rule says: the highest tier counts, and the keys of all.
    fn take(&mut self, rule: &'r Rule, site: Site<'_, 'r>) {
        let (keys, too_many) = context_keys(&rule.context_keys, site);
        if let Some(matches) = &mut self.matches {
            matches.push(Match {
                rule_name: rule.name.clone(),
                tier: rule.tier,
                context_keys: keys.clone(),
                command: site.fit.map(|fit| fit.command.to_string()),
                because: rule.because(),
            });
        }
        if site.fit.is_none() {
            self.whole.push(&rule.name);
        }
        let sum = &mut self.classification;
        // What one command must not show, the line it stands in must not either.
        sum.journal_params &= rule.journal_params;
        if rule.tier.is_tracked() != sum.tier.is_tracked() {
            // What is only logged has no say in what is checked.
            if sum.tier.is_tracked() {
                return;
            }
            sum.context_keys.clear();
        }
        sum.too_many_keys |= too_many;
        if sum.context_keys.is_empty() {
            sum.context_keys = keys;
        } else {
            let fresh: Vec<String> = keys.into_iter().filter(|key| !sum.context_keys.contains(key)).collect();
            sum.context_keys.extend(fresh);
        }
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
}
