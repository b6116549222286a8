//! What all of Git's configuration files say together, for one folder.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::address;
use super::config::{ConfigFile, Variable};
use super::ssh::SshConfig;
use crate::files::{Files, Parse};
use crate::place::{Place, path_from};

/// Files that include files that include … are followed so deep, as Git does.
const MAX_INCLUDES: usize = 10;
/// At most this many files are read, so that a circle of includes ends.
const MAX_FILES: usize = 32;
/// At most this many variables are taken from the environment.
const MAX_OF_ENVIRONMENT: usize = 16;

/// The repository that conditions of includes are about.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    pub(super) git_dir: &'a Path,
    pub(super) branch: Option<&'a str>,
}

/// Git's configuration: of the system, the user, the repository, the environment, later ones before earlier ones.
#[derive(Clone, Debug, Default)]
pub struct Configured {
    pieces: Vec<(Arc<ConfigFile>, Range<usize>)>,
}

impl Configured {
    /// That of the system and the user.
    #[must_use]
    pub fn of_user(files: &Files, place: &Place<'_>) -> Self {
        Self::read(files, place, &[], None)
    }

    pub(super) fn read(files: &Files, place: &Place<'_>, own: &[PathBuf], about: Option<About<'_>>) -> Self {
        let mut paths = Vec::new();
        if place.var("GIT_CONFIG_NOSYSTEM").is_none_or(|no| matches!(no.as_str(), "0" | "false")) {
            paths.push(PathBuf::from(
                place.var("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".to_owned()),
            ));
        }
        if let Some(path) = place.var("GIT_CONFIG_GLOBAL") {
            paths.push(PathBuf::from(path));
        } else {
            paths.extend(place.config_home().map(|config| config.join("git/config")));
            paths.extend(place.home().map(|home| home.join(".gitconfig")));
        }
        let mut reader = Reader { files, place, about, own, read: 0, configured: Self::default() };
        paths.iter().chain(own).for_each(|path| reader.add(path, 0));
        reader.add_environment();
        reader.configured
    }

    /// All variables, in their order.
    fn variables(&self) -> impl DoubleEndedIterator<Item = &Variable> {
        self.pieces.iter().flat_map(|(file, range)| file.variables.get(range.clone()).unwrap_or_default())
    }

    /// The value that counts.
    pub(super) fn last(&self, section: &str, subsection: Option<&str>, name: &str) -> Option<&str> {
        let is_it = |variable: &&Variable| {
            variable.name == name
                && variable.section == section
                && variable.subsection.as_deref() == subsection
        };
        self.variables().rev().find(is_it).and_then(|variable| variable.value.as_deref())
    }

    /// All values; an empty one takes back those before it.
    pub(super) fn all(&self, section: &str, subsection: &str, name: &str) -> Vec<&str> {
        let mut values = Vec::new();
        for variable in self.variables() {
            if variable.name == name
                && variable.section == section
                && variable.subsection.as_deref() == Some(subsection)
            {
                match variable.value.as_deref() {
                    Some("") => values.clear(),
                    value => values.extend(value),
                }
            }
        }
        values
    }

    /// The remotes, each once, in their order.
    pub(super) fn remotes(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for variable in self.variables().filter(|variable| variable.section == "remote") {
            if let Some(name) = variable.subsection.as_deref()
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }

    /// An address after `url.<base>.insteadOf`.
    pub(super) fn rewritten(&self, address: &str) -> String {
        self.by_longest_prefix(address, "insteadof").unwrap_or_else(|| address.to_owned())
    }

    /// An address after `url.<base>.pushInsteadOf`, if one is for it.
    pub(super) fn push_rewritten(&self, address: &str) -> Option<String> {
        self.by_longest_prefix(address, "pushinsteadof")
    }

    fn by_longest_prefix(&self, address: &str, name: &str) -> Option<String> {
        let fits = self.variables().filter(|variable| variable.section == "url" && variable.name == name);
        let fits = fits.filter_map(|variable| {
            let (base, prefix) = (variable.subsection.as_deref()?, variable.value.as_deref()?);
            address.strip_prefix(prefix).map(|rest| (prefix.len(), base, rest))
        });
        let (_, base, rest) = fits.max_by_key(|(length, ..)| *length)?;
        Some(format!("{base}{rest}"))
    }

    /// The identity of a repository by an address that somebody wrote: after `insteadOf` and the names of SSH.
    pub(crate) fn identity(&self, address: &str, place: &Place<'_>, files: &Files) -> Option<String> {
        let pushed = self.push_rewritten(address).unwrap_or_else(|| self.rewritten(address));
        self.identity_from(&pushed, place.folder, place, files)
    }

    /// The identity by an address that stands for itself, from `base`.
    pub(super) fn identity_from(
        &self,
        address: &str,
        base: &Path,
        place: &Place<'_>,
        files: &Files,
    ) -> Option<String> {
        let home = place.home();
        let host_of = |alias: &str| {
            let path = home.as_ref()?.join(".ssh/config");
            files.read::<SshConfig>(&path)?.host_of(alias)
        };
        address::identity(address, base, home.as_deref(), &host_of)
    }
}

struct Reader<'a> {
    files: &'a Files,
    place: &'a Place<'a>,
    about: Option<About<'a>>,
    /// The repository's own files.
    own: &'a [PathBuf],
    read: usize,
    configured: Configured,
}

impl Reader<'_> {
    fn add(&mut self, path: &Path, depth: usize) {
        self.read += 1;
        if depth > MAX_INCLUDES || self.read > MAX_FILES {
            return;
        }
        let Some(file) = self.files.read::<ConfigFile>(path) else { return };
        let mut from = 0;
        for (at, variable) in file.variables.iter().enumerate() {
            let Some(included) = self.included(variable, path) else { continue };
            self.configured.pieces.push((Arc::clone(&file), from..at));
            from = at + 1;
            self.add(&included, depth + 1);
        }
        let whole = file.variables.len();
        self.configured.pieces.push((file, from..whole));
    }

    /// The file that a variable includes, if its condition holds.
    fn included(&self, variable: &Variable, path: &Path) -> Option<PathBuf> {
        if variable.name != "path" {
            return None;
        }
        let holds = match (variable.section.as_str(), variable.subsection.as_deref()) {
            ("include", None) => true,
            ("includeif", Some(condition)) => self.holds(condition, path),
            _ => false,
        };
        let base = path.parent()?;
        let included = variable.value.as_deref().filter(|_| holds)?;
        Some(path_from(base, included, self.place.home().as_deref()))
    }

    /// Whether the condition of an include holds.
    fn holds(&self, condition: &str, path: &Path) -> bool {
        let Some((kind, pattern)) = condition.split_once(':') else { return false };
        match kind {
            "gitdir" | "gitdir/i" => {
                let Some(about) = self.about else { return false };
                let mut pattern = match pattern.strip_prefix("./") {
                    Some(rest) => {
                        format!("{}/{rest}", path.parent().unwrap_or_else(|| Path::new("")).display())
                    }
                    None => match (pattern.strip_prefix("~/"), self.place.home()) {
                        (Some(rest), Some(home)) => format!("{}/{rest}", home.display()),
                        _ if pattern.starts_with('/') => pattern.to_owned(),
                        _ => format!("**/{pattern}"),
                    },
                };
                if pattern.ends_with('/') {
                    pattern.push_str("**");
                }
                let fits = |git_dir: &Path| {
                    let git_dir = git_dir.to_string_lossy();
                    if kind == "gitdir" {
                        fast_glob::glob_match(&pattern, git_dir.as_bytes())
                    } else {
                        fast_glob::glob_match(pattern.to_lowercase(), git_dir.to_lowercase())
                    }
                };
                fits(about.git_dir) || std::fs::canonicalize(about.git_dir).is_ok_and(|real| fits(&real))
            }
            "onbranch" => {
                let pattern =
                    if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() };
                let branch = self.about.and_then(|about| about.branch);
                branch.is_some_and(|branch| fast_glob::glob_match(&pattern, branch))
            }
            "hasconfig" => {
                let Some(pattern) = pattern.strip_prefix("remote.*.url:") else { return false };
                let own = self.own.iter().filter_map(|path| self.files.read::<ConfigFile>(path));
                let is_such = |variable: &Variable| {
                    variable.section == "remote"
                        && variable.name == "url"
                        && variable.value.as_deref().is_some_and(|url| fast_glob::glob_match(pattern, url))
                };
                own.into_iter().any(|file| file.variables.iter().any(is_such))
            }
            _ => false,
        }
    }

    /// `GIT_CONFIG_COUNT` and the pairs it counts.
    fn add_environment(&mut self) {
        let Some(count) = self.place.var("GIT_CONFIG_COUNT").and_then(|count| count.parse::<usize>().ok())
        else {
            return;
        };
        let mut file = ConfigFile::default();
        for number in 0..count.min(MAX_OF_ENVIRONMENT) {
            let Some(key) = self.place.var(&format!("GIT_CONFIG_KEY_{number}")) else { continue };
            let value = (self.place.variable)(&format!("GIT_CONFIG_VALUE_{number}"));
            let Some((section, rest)) = key.split_once('.') else { continue };
            let (subsection, name) = match rest.rsplit_once('.') {
                Some((subsection, name)) => (Some(subsection.to_owned()), name),
                None => (None, rest),
            };
            let (section, name) = (section.to_ascii_lowercase(), name.to_ascii_lowercase());
            file.variables.push(Variable { section, subsection, name, value });
        }
        let whole = file.variables.len();
        self.configured.pieces.push((Arc::new(file), 0..whole));
    }
}

impl Parse for String {
    fn parse(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}
