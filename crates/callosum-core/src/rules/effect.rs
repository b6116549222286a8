//! `command`, `unlessFlag` and `http` of a rule: what one command of a shell line must be.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::compile::{Names, Rule};
use super::format::HttpFormat;
use crate::command::{Command, Fit, Pattern, Request};
use crate::tier::Tier;

/// What a rule asks of a command; all of it must hold.
#[derive(Clone, Debug)]
pub(super) struct Effects {
    texts: Vec<String>,
    /// Made of the texts when they are first asked: a short-lived process asks few.
    patterns: OnceLock<Vec<Pattern>>,
    /// Options that must not be there, with their dashes.
    unless_flags: Vec<String>,
    /// One of the requests that it sends is so.
    http: Option<HttpMatch>,
}

impl Effects {
    /// One of the patterns fits (none: every command does), no option is there that must not be, and one of the
    /// requests is so.
    pub(super) fn new(patterns: Vec<String>, unless_flags: Vec<String>, http: Option<HttpFormat>) -> Self {
        Self { texts: patterns, patterns: OnceLock::new(), unless_flags, http: http.map(HttpMatch::new) }
    }

    /// Says what is wrong with a pattern.
    pub(super) fn check(&self) -> Result<(), String> {
        self.texts.iter().try_for_each(|text| Pattern::parse(text).map(drop))
    }

    fn patterns(&self) -> &[Pattern] {
        let parse = || self.texts.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
        self.patterns.get_or_init(parse)
    }

    /// Fits a rule to a command.
    pub(super) fn fit<'c, 'l>(
        &self,
        command: &'c Command<'l>,
        is_outside: &dyn Fn(&str) -> bool,
    ) -> Option<Fit<'c, 'l>> {
        let fit = match self.patterns() {
            [] => command.whole(),
            patterns => patterns.iter().find_map(|pattern| pattern.fit(command, is_outside))?,
        };
        let sends = |http: &HttpMatch| command.requests().iter().any(|request| http.matches(request));
        let fits = self.http.as_ref().is_none_or(sends)
            && !self.unless_flags.iter().any(|flag| command.has_option(flag));
        fits.then_some(fit)
    }
}

impl PartialEq for Effects {
    /// By what was written; what was made of it follows.
    fn eq(&self, other: &Self) -> bool {
        (&self.texts, &self.unless_flags, &self.http) == (&other.texts, &other.unless_flags, &other.http)
    }
}

impl Effects {
    /// Which of its conditions a command met, in words.
    pub(super) fn because(&self) -> Vec<&'static str> {
        let program = (!self.texts.is_empty()).then_some("the program and its words (`command`)");
        program.into_iter().chain(self.http.is_some().then_some("the request it sends (`http`)")).collect()
    }
}

/// What an HTTP request must be like.
#[derive(Clone, Debug, PartialEq)]
struct HttpMatch {
    method: Option<Names>,
    host: Option<Names>,
    /// Hosts of this machine and its network fit too.
    private: bool,
    path: Option<Names>,
}

/// Stands for the hosts of this machine and its network.
pub(super) const PRIVATE: &str = "private";

impl HttpMatch {
    fn new(format: HttpFormat) -> Self {
        let mut hosts = format.host.map(|hosts| hosts.0);
        let private = hosts.as_ref().is_some_and(|hosts| hosts.iter().any(|host| host == PRIVATE));
        if let Some(hosts) = &mut hosts {
            hosts.retain(|host| host != PRIVATE);
        }
        Self {
            method: format
                .method
                .map(|methods| Names::new(methods.0.into_iter().map(|name| name.to_uppercase()))),
            host: hosts.map(|hosts| Names::new(hosts.into_iter())),
            private,
            path: format.path.map(Names::from),
        }
    }

    fn matches(&self, request: &Request) -> bool {
        self.method.as_ref().is_none_or(|methods| methods.matches(&request.method))
            && self
                .host
                .as_ref()
                .is_none_or(|hosts| hosts.matches(&request.host) || self.private && request.is_private())
            && self.path.as_ref().is_none_or(|paths| paths.matches(&request.path))
    }
}

/// Programs that send HTTP requests.
pub(super) const HTTP_CLIENTS: &[&str] =
    &["curl", "curlie", "wget", "http", "https", "xh", "xhs", "xurl", "gh", "glab", "ntn"];

/// Which rules may be for which commands, without reading a line as a shell would.
#[derive(Clone, Debug, Default)]
pub(super) struct CommandIndex {
    /// The rules that name a program, by its name, in order.
    by_program: HashMap<String, Vec<usize>>,
    /// Those for any program, and for whole lines.
    for_any: Vec<usize>,
    /// The words of all patterns, by number.
    words: HashMap<String, usize>,
    /// By their first byte, how long they are, a bit for each length: that alone tells most words of a text from them.
    lengths: Vec<u64>,
    /// By the number of each word that a pattern may begin with: of each of its words, the numbers of the alternatives.
    patterns: HashMap<usize, HashSet<Vec<Vec<usize>>>>,
    /// There is a pattern of which no word need be in the text.
    always: bool,
}

impl CommandIndex {
    /// An index of rules in order.
    pub(super) fn new(rules: &[Rule]) -> Self {
        let mut index = Self::default();
        for (number, rule) in rules.iter().enumerate() {
            match &rule.effects {
                None => index.for_any.push(number),
                Some(effects) => index.add(number, effects, rule.tier),
            }
        }
        index
    }

    fn add(&mut self, number: usize, effects: &Effects, tier: Tier) {
        let mut programs: Vec<&str> = Vec::new();
        let mut any = false;
        for text in &effects.texts {
            let program = Pattern::outline(text).next().unwrap_or_default();
            any |= program.contains(['*', '?']);
            programs.extend(program.split('|'));
            self.require(Pattern::outline(text), tier);
        }
        if effects.texts.is_empty() {
            programs.extend(HTTP_CLIENTS);
            self.require(std::iter::once(HTTP_CLIENTS.join("|").as_str()), tier);
        }
        if any {
            self.for_any.push(number);
            return;
        }
        for program in programs {
            let rules = self.by_program.entry(program.to_owned()).or_default();
            if rules.last() != Some(&number) {
                rules.push(number);
            }
        }
    }

    /// Notes that a text must hold one alternative of each of a pattern's words. A pattern for whatever program and of
    /// a low tier (`* --help`) only takes back what another one makes of a command: it asks for no look.
    fn require<'t>(&mut self, pattern: impl Iterator<Item = &'t str>, tier: Tier) {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for word in pattern {
            let whole: Option<Vec<&str>> = word.split('|').map(whole_word).collect();
            // A word that may be anything asks for nothing.
            if let Some(whole) = whole {
                groups.push(whole.into_iter().map(|word| self.number(word)).collect());
            }
        }
        self.always |= groups.is_empty() && tier.is_tracked();
        for number in groups.first().cloned().unwrap_or_default() {
            self.patterns.entry(number).or_default().insert(groups.clone());
        }
    }

    fn number(&mut self, word: &str) -> usize {
        let next = self.words.len();
        let first = word.bytes().next().map_or(0, usize::from);
        if self.lengths.len() <= first {
            self.lengths.resize(first + 1, 0);
        }
        if let Some(lengths) = self.lengths.get_mut(first) {
            *lengths |= length_bit(word.len());
        }
        *self.words.entry(word.to_owned()).or_insert(next)
    }

    /// Whether there may be a command in `text` that a rule is for: one pass over its words.
    pub(super) fn may_match(&self, text: &str) -> bool {
        let mut seen = Vec::new();
        for word in words(text) {
            let lengths = word.first().and_then(|first| self.lengths.get(usize::from(*first)));
            if lengths.is_some_and(|lengths| lengths & length_bit(word.len()) != 0)
                && let Ok(word) = str::from_utf8(word)
                && let Some(number) = self.words.get(word)
                && !seen.contains(number)
            {
                seen.push(*number);
            }
        }
        let is_seen = |number: &usize| seen.contains(number);
        let mut patterns = seen.iter().filter_map(|number| self.patterns.get(number)).flatten();
        self.always || patterns.any(|groups| groups.iter().all(|group| group.iter().any(is_seen)))
    }

    /// The rules that may be for a command of `program`, in order.
    pub(super) fn rules(&self, program: &str) -> impl Iterator<Item = usize> {
        let named = self.by_program.get(program).map(Vec::as_slice).unwrap_or_default();
        let (mut named, mut any) =
            (named.iter().copied().peekable(), self.for_any.iter().copied().peekable());
        std::iter::from_fn(move || match (named.peek(), any.peek()) {
            (Some(one), Some(other)) if one < other => named.next(),
            (Some(_), None) => named.next(),
            _ => any.next(),
        })
    }
}

/// The longest word that every text has which the alternative matches; `None` when there is none: of `get*`.
fn whole_word(alternative: &str) -> Option<&str> {
    let parts = alternative.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '*' | '?'));
    parts.filter(|part| !part.is_empty() && !part.contains(['*', '?'])).max_by_key(|part| part.len())
}

/// The runs of letters, digits and underscores in `text`.
fn words(text: &str) -> impl Iterator<Item = &[u8]> {
    text.as_bytes()
        .split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|word| !word.is_empty())
}

/// The bit of a length; all beyond 63 share one.
fn length_bit(length: usize) -> u64 {
    1 << length.min(63)
}
