//! `command`, `unlessFlag` and `http` of a rule: what one command of a shell line must be.

use std::sync::OnceLock;

use super::compile::Names;
use super::format::HttpFormat;
use crate::command::{Command, Fit, Pattern, Request};

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

    /// The patterns as they are written.
    pub(super) fn texts(&self) -> &[String] {
        &self.texts
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
