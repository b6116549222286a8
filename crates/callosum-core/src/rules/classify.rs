//! One call before the rules: which of them are for it, and what they say together.

use std::cell::{OnceCell, RefCell};

use super::asked::Asked;
use super::candidate::Candidate;
use super::command_match::shown;
use super::compile::{Rule, ToolName};
use super::guard::Guard;
use super::layer::Part;
use super::proved::proved;
use super::question::Question;
use super::rate_limit::add_limit;
use super::rule_set::RuleSet;
use super::tool_words::Letters;
use super::typed::{self, Typed};
use super::watch::{Looked, Watch};
use super::wider::{ALL, wider};
use super::world::{Outlook, World};
use super::{Classification, Explanation, Match, Scope, Unread, called, inner};
use crate::model::settings::Mode;
use crate::model::tier::Tier;
use crate::model::tool_call::{Parameters, ToolCall};
use crate::rules::context_key::{
    MAX_KEYS, Site, WORK_FOLDER, context_keys, guarded_path, is_in_guarded, is_unknown, tell_apart,
};
use callosum_shell::command::{Command, Fit, not_done_codes, told_redirects};
use callosum_shell::{ExitCodes, Limit, Line, unhidden};
use serde_json::Value;
use smallvec::SmallVec;

impl RuleSet {
    /// What the rules say of a call; tier 0 without keys when none is for it. `runtime` is the name of the agent runtime
    /// the call comes from. Reads only the parameters that rules ask for, and of the `world` only what their keys ask for.
    ///
    /// The first matching rule wins. In a shell line it wins for each command: the call has the highest of their
    /// tiers, and the keys of all.
    #[must_use]
    pub fn classify(
        &self,
        call: &ToolCall,
        runtime: &str,
        params: &dyn Parameters,
        world: &World,
    ) -> Classification {
        self.classify_watching(call, runtime, params, world, None, None)
    }

    /// The same, and whether the call may name a folder that is watched for. Programs of its line that no rule names go into `uncovered`.
    #[must_use]
    pub fn classify_watching(
        &self,
        call: &ToolCall,
        runtime: &str,
        params: &dyn Parameters,
        world: &World,
        watch: Option<&Watch>,
        uncovered: Option<&RefCell<Vec<String>>>,
    ) -> Classification {
        let outlook = Outlook::watching(world, watch, uncovered);
        self.explained(call, runtime, params, &outlook, None).classification
    }

    /// The same, with how it came about.
    #[must_use]
    pub fn explain(
        &self,
        call: &ToolCall,
        runtime: &str,
        params: &dyn Parameters,
        world: &World,
    ) -> Explanation {
        let mut matches = Vec::new();
        let outlook = Outlook::on(world);
        let Answer { classification, rough, unread } =
            self.explained(call, runtime, params, &outlook, Some(&mut matches));
        Explanation { classification, matches, rough, unread, untold: outlook.untold() }
    }

    fn explained(
        &self,
        call: &ToolCall,
        runtime: &str,
        params: &dyn Parameters,
        outlook: &Outlook<'_>,
        matches: Option<&mut Vec<Match>>,
    ) -> Answer {
        let mut answer = self.answered(call, runtime, params, outlook, matches);
        let Classification { context_keys, former_keys, .. } = &mut answer.classification;
        former_keys.retain(|key| !context_keys.contains(key));
        former_keys.truncate(MAX_KEYS.saturating_sub(context_keys.len()));
        if self.observes {
            answer.classification.mode = Some(Mode::Observe);
        }
        answer.classification.asked_around = outlook.asked_in_vain();
        answer.classification.names_kept = outlook.names_kept();
        answer
    }

    fn answered(
        &self,
        call: &ToolCall,
        runtime: &str,
        params: &dyn Parameters,
        outlook: &Outlook<'_>,
        mut matches: Option<&mut Vec<Match>>,
    ) -> Answer {
        let tool = ToolName::of(&call.tool);
        let letters = Letters::of(&call.tool);
        let typed = Typed::of(&tool, &letters, params);
        // What OpenClaw's own call passes the gate itself.
        let inner =
            if call.is_wrapper(runtime) { Vec::new() } else { inner::calls(&call.tool, &letters, params) };
        if !inner.is_empty() {
            return self.answered_inner(call, runtime, &inner, outlook, matches);
        }
        let mut question = Question::new(self, (call, runtime), tool, params, outlook);
        question.is_own = true;
        let Some(typed) = typed else { return question.answer(matches) };
        let answer = question.answer(matches.as_deref_mut());
        let tool = ToolName::of(typed::SHELL);
        let mut question = Question::new(self, (call, runtime), tool, &typed, outlook);
        question.is_typed = true;
        let mut of_line = question.answer(matches);
        let is_all = typed.says_all() && self.went_by_words(&answer);
        let is_no_more =
            !is_all && !typed.goes_before(of_line.classification.tier, answer.classification.tier);
        if is_no_more && of_line.classification.protected.is_none() {
            return answer;
        }
        // The exit code is not that of what was typed.
        of_line.classification.not_done_codes = ExitCodes::default();
        of_line
    }

    /// Whether an answer is that of a rule for words in tools' names.
    fn went_by_words(&self, answer: &Answer) -> bool {
        let name = answer.classification.rule_name.as_deref();
        self.iter().any(|rule| Some(&*rule.name) == name && rule.words().is_some())
    }
}

impl RuleSet {
    /// What the rules say of the calls that a call makes: the highest of their tiers, and the keys of all.
    fn answered_inner(
        &self,
        call: &ToolCall,
        runtime: &str,
        inner: &[(String, Value)],
        outlook: &Outlook<'_>,
        mut matches: Option<&mut Vec<Match>>,
    ) -> Answer {
        let mut all = Answer::default();
        for (tool, params) in inner {
            let call = ToolCall { tool: tool.clone(), ..call.clone() };
            let question = Question::new(self, (&call, runtime), ToolName::of(tool), params, outlook);
            let one = question.answer(matches.as_deref_mut());
            all.unread.extend(one.unread);
            all.rough |= one.rough;
            all.classification = all.classification.with(one.classification);
        }
        // What one outcome says of several calls proves nothing.
        all.classification.not_done_codes = ExitCodes::default();
        all
    }
}

/// Stands for a word that something else gives a command: what a key makes of it is not known.
const APPENDED_WORD: &str = "appended-word";

impl<'a> Question<'a> {
    /// What the rules say, and what of a shell line was not read.
    pub(super) fn answer(&self, matches: Option<&mut Vec<Match>>) -> Answer {
        let mut verdict = Verdict { matches, ..Verdict::default() };
        let parts = &self.rules.parts;
        let is_shell = parts.iter().any(|part| !part.index.for_commands(&self.tool.neutral).is_empty());
        let is_looked_at = is_shell || self.tool.neutral == typed::SHELL && self.outlook.looks_at_lines();
        let command = if is_looked_at { self.params.get("command") } else { None };
        let looked = Looked::at(command.as_ref().and_then(|command| command.as_str()).unwrap_or_default());
        let unhidden_text = OnceCell::new();
        let whole = || unhidden_text.get_or_init(|| looked.unhidden()).as_deref();
        self.note_uncovered(&looked);
        self.look_for_kept(&looked, whole);
        // Where no rule is for commands, none looks at the line.
        let text = if is_shell { looked.text } else { "" };
        let may_match = |text: &str| parts.iter().any(|part| part.index.may_match(text));
        let is_in_guarded = || self.works_in_guarded();
        let may_be_for_a_command =
            !text.is_empty() && (may_match(text) || whole().is_some_and(may_match) || is_in_guarded());
        let for_all = if may_be_for_a_command { None } else { self.for_whole_call() };
        // What may be taken back for one command (`* --help`) is worth reading the line.
        if !may_be_for_a_command && (text.is_empty() || !for_all.is_some_and(|rule| rule.tier.is_tracked())) {
            if let Some(rule) = for_all {
                verdict.take(rule, self.site(None));
                if rule.tier.is_tracked() && !self.rules.is_replay {
                    verdict.classification.not_done_codes = proved(&[self.codes_of_line()], rule.tier);
                }
            }
            return Answer { classification: verdict.classification, ..Answer::default() };
        }
        let line = Line::read(text);
        let mut proves = Vec::new();
        let in_guarded = !line.redirects.is_empty() && is_in_guarded();
        let redirects = told_redirects(&line, text, in_guarded);
        let guard = Guard::new(self.call, &self.params, text, &line);
        // Of the rules that commands were found for, with all they act on.
        let mut known: Vec<&str> = Vec::new();
        // Commands that something else gives words.
        let mut open: Vec<String> = Vec::new();
        // Programs that only run others, before these are known.
        let mut carriers: Vec<(&Rule, Command<'_>)> = Vec::new();
        for invocation in line.invocations.iter().chain(redirects) {
            if let Some(call) = called::call(invocation) {
                let matches = verdict.matches.as_deref_mut();
                let of_tool =
                    self.rules.answered_inner(self.call, self.runtime, &[call], self.outlook, matches);
                if of_tool.classification.tier.is_tracked() {
                    let sum = std::mem::take(&mut verdict.classification);
                    verdict.classification = sum.with(of_tool.classification);
                    proves.push(ExitCodes::default());
                    continue;
                }
            }
            let command = Command::new(invocation);
            let found = self.for_command(&command, &guard);
            if invocation.open
                && found.as_ref().is_none_or(|(_, fit)| fit.is_none())
                && let Some(rule) = self.for_open(&command)
            {
                verdict.take_open(rule, self.digest_key(rule), &command);
                proves.push(ExitCodes::default());
                open.push(command.written().join(" "));
                continue;
            }
            let Some((rule, fit)) = found else { continue };
            // What guards the gate itself has one key, whatever a loop goes over.
            let is_looped = !invocation.looped.is_empty() && !rule.is_standing;
            if (invocation.open || is_looped)
                && let Some(keys) = fit.as_ref().and_then(|fit| self.open_keys(rule, fit, &guard))
            {
                verdict.take_open(rule, keys, &command);
                proves.push(ExitCodes::default());
                open.push(command.written().join(" "));
                continue;
            }
            if fit.is_none() && verdict.has_taken(rule) {
                continue;
            }
            if invocation.carries && fit.is_some() && rule.tier == Tier::Medium {
                carriers.push((rule, Command::new(invocation)));
                continue;
            }
            if rule.tier.is_tracked() {
                // A rule for one command goes by that one's place in the line; one for the whole line only by a line of one.
                let counts = fit.is_some() || line.is_simple();
                proves.push(if counts { not_done_codes(text, invocation) } else { ExitCodes::default() });
            }
            if verdict.take(rule, self.site(fit.as_ref())) && !line.unread.is_empty() {
                known.push(&rule.name);
            }
        }
        // What is done is what the others do, where a rule says that this is more.
        carriers.retain(|_| !verdict.classification.tier.is_guarded());
        for (rule, command) in &carriers {
            if let Some((_, fit)) = self.for_command(command, &guard) {
                proves.push(not_done_codes(text, command.invocation));
                verdict.take(rule, self.site(fit.as_ref()));
            }
        }
        if line.invocations.is_empty()
            && let Some(rule) = self.for_whole_call()
        {
            verdict.take(rule, self.site(None));
        }
        let mut unread: Vec<Unread> = line.unread.iter().map(Unread::of).collect();
        let mut note = |limit, parts, text: &str| {
            let (bytes, text) = (text.len(), text.to_owned());
            unread.push(Unread::of(&callosum_shell::Unread { limit, parts, bytes, text }));
        };
        let left_out = self.params.without_recipients();
        if left_out > 0 {
            note(Limit::Recipients, left_out, text);
        }
        if !open.is_empty() {
            note(Limit::Arguments, open.len(), &open.join("\n"));
        }
        if left_out == 0 && self.params.has_unknown() {
            note(Limit::Input, 1, text);
        }
        let mut is_raised = left_out > 0;
        for unread in &line.unread {
            if let Some(rule) = self.for_unread(&unread.text, &known) {
                verdict.take_unread(rule, self.digest_key(rule), unread);
                is_raised = true;
            }
        }
        if let Some(protected) =
            verdict.classification.protected.as_mut().filter(|known| known.path.is_none())
        {
            protected.path = guard.met();
        }
        if !is_raised {
            verdict.classification.not_done_codes = proved(&proves, verdict.classification.tier);
        }
        Answer { classification: verdict.classification, rough: line.rough, unread }
    }

    /// The keys of a command that something else gives further words, where these change them: those that are its own whatever the
    /// words are, and what stands for the others.
    fn open_keys(&self, rule: &'a Rule, fit: &Fit<'_, '_>, guard: &Guard<'_, '_>) -> Option<Vec<String>> {
        if !rule.tier.is_tracked() {
            return None;
        }
        let (mut keys, _) = context_keys(&rule.context_keys, self.site(Some(fit)));
        let given = fit.command.invocation.given(APPENDED_WORD);
        let command = Command::new(&given);
        let with_word = self.for_command(&command, guard).filter(|(other, _)| std::ptr::eq(*other, rule));
        let others = with_word.map(|(_, fit)| context_keys(&rule.context_keys, self.site(fit.as_ref())).0);
        let others = others.unwrap_or_default();
        if keys == others {
            return None;
        }
        let given = fit.command.invocation.given(ALL);
        let command = Command::new(&given);
        let with_all = self.for_command(&command, guard).filter(|(other, _)| std::ptr::eq(*other, rule));
        let all = with_all.map(|(_, fit)| context_keys(&rule.context_keys, self.site(fit.as_ref())).0);
        keys.retain(|key| others.contains(key));
        // What no word changes is told as it is.
        let all: Vec<String> =
            all.unwrap_or_default().into_iter().filter(|key| !keys.contains(key)).collect();
        let wider: Vec<String> = all.iter().filter_map(|key| wider(key)).collect();
        let is_told = !wider.is_empty() && wider.len() == all.len();
        keys.extend(if is_told { wider } else { self.digest_key(rule) });
        (!keys.is_empty()).then_some(keys)
    }

    /// Whether the call works in a folder of files that guard the gate.
    fn works_in_guarded(&self) -> bool {
        self.call.cwd.as_deref().is_some_and(is_in_guarded)
            || self.params.get(WORK_FOLDER).is_some_and(|folder| folder.as_str().is_some_and(is_in_guarded))
    }

    /// Of the rules that may be for a command in a text that was not read, the first of the highest tier: their words
    /// stand in it, and commands they are for were not `known` for each time it names one of their programs.
    fn for_unread(&self, text: &str, known: &[&str]) -> Option<&'a Rule> {
        // A backslash may cut a word into pieces, or be the end of one: `send "openclaw update\r"`.
        let whole = unhidden(text);
        let both = std::iter::once(text).chain(whole.as_deref());
        let found = both.filter_map(|text| self.for_unread_words(text, known));
        found.reduce(|one, other| if other.is_above(one) { other } else { one })
    }

    /// The same by the words of a text as they stand there.
    fn for_unread_words(&self, text: &str, known: &[&str]) -> Option<&'a Rule> {
        let mut highest: Option<&Rule> = None;
        for part in self.rules.parts.iter().filter(|part| part.index.may_match(text)) {
            let named = part.index.named(text);
            let rules = part.index.for_commands(&self.tool.neutral).iter();
            for rule in rules.filter_map(|candidate| self.rule(part, candidate)) {
                let is_higher = highest.is_none_or(|highest| rule.is_above(highest));
                let found = known.iter().filter(|name| **name == &*rule.name).count();
                let may_be_in = || {
                    let effects = rule.effects.as_ref();
                    effects.is_some_and(|effects| {
                        effects.may_be_in(text, &named) && (found == 0 || effects.programs_in(text) > found)
                    })
                };
                if is_higher && rule.tier.is_tracked() && may_be_in() {
                    highest = Some(rule);
                }
            }
        }
        highest
    }

    /// Of the rules that may be for a command when its further words come from elsewhere (`xargs git`), the first of the
    /// highest tier.
    fn for_open(&self, command: &Command<'_>) -> Option<&'a Rule> {
        let mut highest: Option<&Rule> = None;
        for part in &self.rules.parts {
            let commands = part.index.for_commands(&self.tool.neutral);
            let places = part.index.rules(&command.invocation.program);
            for rule in places.filter_map(|place| self.rule(part, commands.at(place)?)) {
                let is_higher = rule.tier.is_tracked()
                    && !rule.is_standing
                    && highest.is_none_or(|known| rule.tier > known.tier);
                if is_higher && rule.effects.as_ref().is_some_and(|effects| effects.may_begin(command)) {
                    highest = Some(rule);
                }
            }
        }
        highest
    }

    /// A candidate's rule, if it is for the tool, and for the call as far as the whole of it tells.
    fn rule(&self, part: &'a Part, candidate: Candidate) -> Option<&'a Rule> {
        part.rule_for(candidate, &self.tool).filter(|rule| {
            !(rule.is_standing && self.rules.is_replay)
                && rule.matches(self.call, &self.tool, self.runtime, &self.params)
        })
    }

    /// The first rule that is for the whole call.
    fn for_whole_call(&self) -> Option<&'a Rule> {
        self.rules.asked().find_map(|(part, places)| {
            let calls = part.index.for_calls(&self.tool.neutral).iter();
            let by_name = calls
                .filter(|candidate| places.contains(&candidate.place))
                .find_map(|candidate| Some((candidate.place, self.rule(part, candidate)?)));
            let before = by_name.map_or(places.end, |(place, _)| place);
            let by_words = (self.tool.neutral != typed::SHELL)
                .then(|| part.index.said_in(&self.tool, || self.told_action(), before));
            let by_words = by_words.into_iter().flatten().find_map(|candidate| self.rule(part, candidate));
            by_words.or(by_name.map(|(_, rule)| rule))
        })
    }

    /// The first rule that is for a command of the line, or for the whole line.
    fn for_command<'c, 'l>(
        &self,
        command: &'c Command<'l>,
        guard: &Guard<'_, '_>,
    ) -> Option<(&'a Rule, Option<Fit<'c, 'l>>)> {
        let asked = Asked { question: self, command, guard };
        self.rules.asked().find_map(|(part, within)| {
            let candidates = part.index.for_command(&self.tool.neutral, &command.invocation.program);
            let mut rules = candidates
                .filter(|candidate| within.contains(&candidate.place))
                .filter_map(|candidate| self.rule(part, candidate));
            rules.find_map(|rule| match &rule.effects {
                Some(effects) => effects.fit(command, &asked).map(|fit| (rule, Some(fit))),
                None => Some((rule, None)),
            })
        })
    }
}

/// What the rules say of a call.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) classification: Classification,
    /// The shell line was only cut roughly.
    pub(super) rough: bool,
    /// What of the shell line was not read.
    pub(super) unread: Vec<Unread>,
}

/// What was found for a call so far.
#[derive(Default)]
struct Verdict<'r, 'm> {
    classification: Classification,
    /// What matched, if that is asked for.
    matches: Option<&'m mut Vec<Match>>,
    /// The names of the rules for the whole line that have been taken.
    whole: SmallVec<[&'r str; 4]>,
}

impl<'r> Verdict<'r, '_> {
    /// A rule for the whole line says the same of each command.
    fn has_taken(&self, rule: &Rule) -> bool {
        self.whole.contains(&&*rule.name)
    }

    /// Takes in what a rule says: the highest tier counts, and the keys of all. True when its keys are known.
    fn take(&mut self, rule: &'r Rule, site: Site<'_, 'r>) -> bool {
        let site = Site { words: rule.words(), ..site };
        // A call with too many is refused, whatever the others are.
        let (mut keys, too_many) = match self.classification.too_many_keys {
            true => (Vec::new(), true),
            false => context_keys(&rule.context_keys, site),
        };
        if rule.tier.is_guarded() {
            self.classification.former_keys.extend(tell_apart(&rule.context_keys, &mut keys, site));
        }
        if let Some(matches) = &mut self.matches {
            matches.push(Match {
                rule_name: (*rule.name).to_owned(),
                tier: rule.tier,
                reach: rule.reach,
                context_keys: keys.clone(),
                command: site.fit.map(|fit| shown(fit.command)),
                because: rule.because(&site.call.tool, site.params),
            });
        }
        if site.fit.is_none() {
            self.whole.push(&rule.name);
            if rule.is_standing {
                let path = guarded_path(site.call, site.params);
                self.classification.protected.get_or_insert_default().path = path;
            }
        }
        if rule.tier.is_guarded() && !rule.former_keys.is_empty() {
            // They were made of what the call alone says.
            let world = World::unseen();
            let outlook = Outlook::on(&world);
            let (former, _) = context_keys(&rule.former_keys, Site { outlook: &outlook, ..site });
            self.classification.former_keys.extend(former);
        }
        let is_known = !keys.is_empty() && !keys.iter().any(|key| is_unknown(key));
        self.add(rule, keys, too_many);
        is_known
    }

    /// Takes in a rule whose words stand in what was not read. Its key takes the place of those that say no more than
    /// that a target is unknown: everybody shares these.
    fn take_unread(&mut self, rule: &'r Rule, keys: Vec<String>, unread: &callosum_shell::Unread) {
        if let Some(matches) = &mut self.matches {
            matches.push(Match {
                rule_name: (*rule.name).to_owned(),
                tier: rule.tier,
                reach: rule.reach,
                context_keys: keys.clone(),
                command: None,
                because: format!("words in what was not read, as {}", unread.limit.reason()),
            });
        }
        if !keys.is_empty() {
            self.classification.context_keys.retain(|key| !is_unknown(key));
        }
        self.add(rule, keys, false);
    }

    /// Takes in a rule that a command may fit, with words that are not in the line.
    fn take_open(&mut self, rule: &'r Rule, keys: Vec<String>, command: &Command<'_>) {
        if let Some(matches) = &mut self.matches {
            matches.push(Match {
                rule_name: (*rule.name).to_owned(),
                tier: rule.tier,
                reach: rule.reach,
                context_keys: keys.clone(),
                command: Some(shown(command)),
                because: "the program, whose further words come from elsewhere".to_owned(),
            });
        }
        self.add(rule, keys, false);
    }

    fn add(&mut self, rule: &'r Rule, keys: Vec<String>, too_many: bool) {
        let sum = &mut self.classification;
        if rule.is_standing {
            sum.protected.get_or_insert_default();
        }
        if rule.tier.is_guarded() {
            // A wish of one part holds for the whole call: nothing gets around it by standing beside something else.
            let is_first = !sum.tier.is_guarded();
            sum.on_conflict = if is_first { rule.on_conflict } else { sum.on_conflict.max(rule.on_conflict) };
            if let Some(limited) = rule.limited(&keys) {
                add_limit(&mut sum.limits, limited);
            }
        }
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
            sum.lease_ms = rule.lease_ms;
            sum.scope = rule.scope;
            sum.mode = rule.mode;
        } else if rule.tier == sum.tier {
            // The stricter of both; a rule that names nothing goes by the configuration.
            sum.recent_window_ms = sum.recent_window_ms.max(rule.recent_window_ms);
            sum.lease_ms = sum.lease_ms.max(rule.lease_ms);
            if rule.scope == Scope::Any {
                sum.scope = Scope::Any;
            }
            if rule.mode != Some(Mode::Observe) {
                sum.mode = rule.mode;
            }
        }
    }
}
