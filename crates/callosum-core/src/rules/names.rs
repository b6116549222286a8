//! Names and globs that a rule gives.

use callosum_shell::glob::{Glob, is_glob};

use super::format::Texts;

/// Exact names and globs (`*` for any text, `?` for one character).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Names {
    exact: Vec<String>,
    globs: Vec<Glob>,
    /// No glob matches a name of fewer bytes.
    shortest: usize,
}

impl Names {
    pub(super) fn new(names: impl Iterator<Item = String>) -> Self {
        let (globs, exact) = names.partition::<Vec<_>, _>(|name| is_glob(name));
        let shortest = globs.iter().map(|glob| glob.len() - glob.matches('*').count()).min();
        let globs = globs.iter().map(|glob| Glob::new(glob)).collect();
        Self { exact, globs, shortest: shortest.unwrap_or(usize::MAX) }
    }

    pub(super) fn exact(&self) -> &[String] {
        &self.exact
    }

    pub(super) fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.globs.is_empty()
    }

    pub(super) fn has_globs(&self) -> bool {
        !self.globs.is_empty()
    }

    pub(super) fn matches_glob(&self, name: &str) -> bool {
        name.len() >= self.shortest && self.globs.iter().any(|glob| glob.matches(name))
    }

    /// Whether one of the names may stand in a text: of a glob its longest part.
    pub(super) fn may_be_in(&self, text: &str) -> bool {
        let part = |glob: &Glob| {
            let pattern = glob.pattern();
            let longest = pattern.split(['*', '?']).max_by_key(|part| part.len()).unwrap_or_default();
            text.contains(longest)
        };
        self.exact.iter().any(|exact| text.contains(exact.as_str())) || self.globs.iter().any(part)
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        self.exact.iter().any(|exact| exact == name) || self.matches_glob(name)
    }
}

impl From<Texts> for Names {
    fn from(texts: Texts) -> Self {
        Self::new(texts.0.into_iter())
    }
}
