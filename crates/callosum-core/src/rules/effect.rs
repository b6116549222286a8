//! `command`, `unlessFlag` and `http` of a rule: what one command of a shell line must be.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::compile::Names;
use super::format::HttpFormat;
use crate::command::{Command, Fit, Pattern, Request};

/// What a rule asks of a command; all of it must hold.
#[derive(Clone, Debug)]
pub(super) struct Effects {
    /// One of these fits; none: every command does.
    pub(super) patterns: Vec<Pattern>,
    /// Options that must not be there, with their dashes.
    pub(super) unless_flags: Vec<String>,
    /// One of the requests that it sends is so.
    pub(super) http: Option<HttpMatch>,
}

impl Effects {
    /// Fits a rule to a command.
    pub(super) fn fit<'c, 'l>(
        &self,
        command: &'c Command<'l>,
        is_outside: &dyn Fn(&str) -> bool,
    ) -> Option<Fit<'c, 'l>> {
        let fit = match self.patterns.as_slice() {
            [] => command.whole(),
            patterns => patterns.iter().find_map(|pattern| pattern.fit(command, is_outside))?,
        };
        let sends = |http: &HttpMatch| command.requests().iter().any(|request| http.matches(request));
        let fits = self.http.as_ref().is_none_or(sends)
            && !self.unless_flags.iter().any(|flag| command.invocation.has_option(flag));
        fits.then_some(fit)
    }
}

impl Effects {
    /// Which of its conditions a command met, in words.
    pub(super) fn because(&self) -> Vec<&'static str> {
        let program = (!self.patterns.is_empty()).then_some("the program and its words (`command`)");
        program.into_iter().chain(self.http.is_some().then_some("the request it sends (`http`)")).collect()
    }
}

/// What an HTTP request must be like.
#[derive(Clone, Debug)]
pub(super) struct HttpMatch {
    method: Option<Names>,
    host: Option<Names>,
    /// Hosts of this machine and its network fit too.
    private: bool,
    path: Option<Names>,
}

/// Stands for the hosts of this machine and its network.
const PRIVATE: &str = "private";

impl HttpMatch {
    pub(super) fn new(format: HttpFormat) -> Self {
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

/// Programs that send HTTP requests of any kind.
const HTTP_CLIENTS: &[&str] = &["curl", "curlie", "wget", "http", "https", "xh", "xhs", "xurl"];

/// Tells which texts can hold no command that any rule is for, without reading them as a shell would: one pass
/// over the text for the words of all patterns.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefilter {
    words: Vec<String>,
    /// Of each pattern: of each of its words, the numbers of the alternatives.
    patterns: Vec<Vec<Vec<usize>>>,
    search: OnceLock<Option<AhoCorasick>>,
}

impl Prefilter {
    pub(super) fn new<'e>(effects: impl Iterator<Item = &'e Effects>) -> Self {
        let mut filter = Self::default();
        for effect in effects {
            if effect.patterns.is_empty() {
                filter.add(vec![HTTP_CLIENTS.to_vec()]);
            }
            for pattern in &effect.patterns {
                // One for whatever program (`* --help`) only takes back what another one makes of a command.
                let needs = pattern.needs();
                if needs.iter().flatten().any(|word| !word.is_empty()) {
                    filter.add(needs);
                }
            }
        }
        filter
    }

    fn add(&mut self, needs: Vec<Vec<&str>>) {
        let mut number = |word: &str| {
            self.words.iter().position(|known| known == word).unwrap_or_else(|| {
                self.words.push(word.to_owned());
                self.words.len() - 1
            })
        };
        // A word that may be anything asks for nothing.
        let needs: Vec<Vec<usize>> = needs
            .into_iter()
            .filter(|group| !group.iter().any(|word| word.is_empty()))
            .map(|group| group.into_iter().map(&mut number).collect())
            .collect();
        if !self.patterns.contains(&needs) {
            self.patterns.push(needs);
        }
    }

    /// Whether a command in `text` may be one that a rule is for.
    pub(super) fn may_match(&self, text: &str) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        let search = self
            .search
            .get_or_init(|| AhoCorasick::builder().match_kind(MatchKind::Standard).build(&self.words).ok());
        let Some(search) = search else { return true };
        let mut seen = vec![false; self.words.len()];
        let mut any = false;
        for found in search.find_overlapping_iter(text) {
            if let Some(seen) = seen.get_mut(found.pattern().as_usize()) {
                *seen = true;
                any = true;
            }
        }
        let is_seen = |number: &usize| seen.get(*number).copied().unwrap_or(false);
        any && self.patterns.iter().any(|groups| groups.iter().all(|group| group.iter().any(is_seen)))
    }
}
