//! `command`, `unlessFlag` and `http` of a rule: what one command of a shell line must be.

use std::sync::OnceLock;

use super::format::HttpFormat;
use super::index_builder::HTTP_CLIENTS;
use super::names::Names;
use super::word_lists::Named;
use crate::model::redact::redact_words;
use crate::model::text::one_line;
use callosum_shell::command::{Circumstances, Command, Fit, Pattern, Request, may_change_in, outline};
use callosum_shell::glob::is_glob;

/// What a rule asks of a command; all of it must hold.
#[derive(Clone, Debug)]
pub(super) struct Effects {
    patterns: Vec<Written>,
    /// Options that must not be there, with their dashes.
    unless_flags: Vec<String>,
    /// One of the requests that it sends is so.
    http: Option<HttpMatch>,
}

impl Effects {
    /// One of the patterns fits (none: every command does), no option is there that must not be, and one of the
    /// requests is so; where the rule `excuses`, all of them.
    pub(super) fn new(
        patterns: Vec<String>,
        unless_flags: Vec<String>,
        http: Option<HttpFormat>,
        excuses: bool,
    ) -> Self {
        let patterns = patterns.into_iter().map(|text| Written { text, read: OnceLock::new() }).collect();
        Self { patterns, unless_flags, http: http.map(|http| HttpMatch::new(http, excuses)) }
    }

    /// Says what is wrong with a pattern.
    pub(super) fn check(&self) -> Result<(), String> {
        self.texts().try_for_each(|text| Pattern::parse(text).map(drop))
    }

    /// The patterns as they are written.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(|pattern| pattern.text.as_str())
    }

    /// Fits a rule to a command.
    pub(super) fn fit<'c, 'l>(
        &self,
        command: &'c Command<'l>,
        circumstances: &dyn Circumstances,
    ) -> Option<Fit<'c, 'l>> {
        let fit = match self.patterns.as_slice() {
            [] => command.whole(),
            patterns => patterns.iter().find_map(|pattern| pattern.fit(command, circumstances))?,
        };
        let sends = |http: &HttpMatch| http.fits(command.requests());
        let fits = self.http.as_ref().is_none_or(sends)
            && !self.unless_flags.iter().any(|flag| command.has_option(flag));
        fits.then_some(fit)
    }
}

impl PartialEq for Effects {
    /// By what was written; what was made of it follows.
    fn eq(&self, other: &Self) -> bool {
        self.texts().eq(other.texts())
            && (&self.unless_flags, &self.http) == (&other.unless_flags, &other.http)
    }
}

impl Effects {
    /// How often a text names a program that these are about.
    pub(super) fn programs_in(&self, text: &str) -> usize {
        let first = |pattern| outline(pattern).next().unwrap_or_default();
        let mut named: Vec<&str> = self.texts().flat_map(|pattern| first(pattern).split('|')).collect();
        if self.patterns.is_empty() {
            named.extend(HTTP_CLIENTS);
        }
        let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
        words.filter(|word| named.iter().any(|name| name == word || is_glob(name))).count()
    }

    /// Whether a command that fits may be in a text that was not read, of which it is known what it names. What only takes a
    /// command out (`unlessFlag`) is not asked: it may stand elsewhere.
    pub(super) fn may_be_in(&self, text: &str, named: &Named<'_>) -> bool {
        let mut patterns = self.texts();
        let is_named = if self.patterns.is_empty() {
            HTTP_CLIENTS.iter().any(|client| named.may_have(std::iter::once(*client)))
        } else {
            patterns.any(|pattern| named.may_have(outline(pattern)) && may_change_in(pattern, text))
        };
        is_named && self.http.as_ref().is_none_or(|http| http.may_be_in(text))
    }

    /// Whether a command may fit when something appends further words to it.
    pub(super) fn may_begin(&self, command: &Command<'_>) -> bool {
        let mut patterns = self.patterns.iter().filter_map(|pattern| pattern.pattern(command));
        patterns.any(|pattern| pattern.may_begin(command))
    }

    /// Which of its conditions a command met, in words.
    pub(super) fn because(&self) -> Vec<&'static str> {
        let program = (!self.patterns.is_empty()).then_some("the program and its words (`command`)");
        program.into_iter().chain(self.http.is_some().then_some("the request it sends (`http`)")).collect()
    }
}

/// A pattern as it is written. It is read when a command of its program comes: a process that lives for one call needs few.
#[derive(Clone, Debug)]
struct Written {
    text: String,
    read: OnceLock<Option<Pattern>>,
}

impl Written {
    fn fit<'c, 'l>(
        &self,
        command: &'c Command<'l>,
        circumstances: &dyn Circumstances,
    ) -> Option<Fit<'c, 'l>> {
        self.pattern(command)?.fit(command, circumstances)
    }

    /// The pattern, where it may be for the command.
    fn pattern(&self, command: &Command<'_>) -> Option<&Pattern> {
        if self.read.get().is_none() && !Pattern::may_be_for(&self.text, command) {
            return None;
        }
        self.read.get_or_init(|| Pattern::parse(&self.text).ok()).as_ref()
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
    body: Vec<(String, Names)>,
    /// All requests of a command must be so: the rule excuses it, and one that is so excuses no other.
    all: bool,
}

/// Stands for the hosts of this machine and its network.
pub(super) const PRIVATE: &str = "private";

impl HttpMatch {
    fn new(format: HttpFormat, all: bool) -> Self {
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
            body: format.body.into_iter().map(|(path, texts)| (path, Names::from(texts))).collect(),
            all,
        }
    }

    fn fits(&self, requests: &[Request]) -> bool {
        let fits = |request: &Request| self.matches(request);
        if self.all { !requests.is_empty() && requests.iter().all(fits) } else { requests.iter().any(fits) }
    }

    /// Whether the text names a host that is meant.
    fn may_be_in(&self, text: &str) -> bool {
        self.private || self.host.as_ref().is_none_or(|hosts| hosts.may_be_in(text))
    }

    fn matches(&self, request: &Request) -> bool {
        self.method.as_ref().is_none_or(|methods| methods.matches(&request.method))
            && self
                .host
                .as_ref()
                .is_none_or(|hosts| hosts.matches(&request.host) || self.private && request.is_private())
            && self.path.as_ref().is_none_or(|paths| paths.matches(&request.path))
            && self
                .body
                .iter()
                .all(|(path, wanted)| request.in_body(path).iter().any(|value| wanted.matches(value)))
    }
}

/// A command on one line, secrets cut.
pub(super) fn shown(command: &Command<'_>) -> String {
    one_line(&redact_words(&command.written()).join(" "), 200)
}
