//! Where a path that a call writes leads: `~` and variables put in, made whole, links followed, patterns of the shell as what they may match.

use std::path::Path;

use callosum_shell::command::ANYWHERE;
use callosum_surroundings::{is_same, real_path};

use super::tree::{Found, Kept};
use crate::rules::World;
use crate::rules::context_key::{may_be, path_in};

/// Names of the folder that a process works in.
const WORKING: &[&str] = &["/proc/self/cwd", "/proc/thread-self/cwd", "/proc/$$/cwd", "/dev/fd/../cwd"];

/// What paths of a call are put together with.
pub(super) struct Places<'a> {
    pub(super) home: &'a str,
    pub(super) cwd: Option<&'a str>,
    pub(super) world: &'a World,
}

impl Places<'_> {
    /// Where a path leads, seen from a folder that is kept: into it, or to a folder in which that lies. `None` when it leads elsewhere, or
    /// nobody knows where.
    pub(super) fn in_kept(&self, path: &str, kept: &Kept) -> Option<Found> {
        let whole = self.whole(path, kept)?;
        if let Some((start, name)) = whole.split_once(&format!("/{ANYWHERE}/")) {
            return self.led(start, kept).and_then(|start| sought(&start, name, kept));
        }
        self.led(&whole, kept)
    }

    /// The same of an absolute path.
    fn led(&self, whole: &str, kept: &Kept) -> Option<Found> {
        // As text, as tools that clean paths up take it; and as the system does, which follows links before it goes up.
        let by_text = path_in("/", whole);
        seen_from(&by_text, kept).or_else(|| {
            // What a pattern stands for is looked for below what is there.
            let parts: Vec<&str> = whole.split('/').collect();
            let plain = parts.iter().take_while(|part| !is_pattern(part)).count();
            let (head, rest) = parts.split_at(plain);
            let real = self.world.sees_files().then(|| real_path(Path::new(&head.join("/")))).flatten()?;
            let real = real.to_str()?;
            let real = if rest.is_empty() { real.to_owned() } else { format!("{real}/{}", rest.join("/")) };
            seen_from(&real, kept)
        })
    }

    /// An absolute path. A relative one of a call of which nobody says where it runs is taken to be meant from where the folder lies, if it
    /// names that.
    fn whole(&self, path: &str, kept: &Kept) -> Option<String> {
        let under = |base: &str, rest: &str| {
            format!("{}/{}", base.trim_end_matches('/'), rest.trim_start_matches('/'))
        };
        if let Some(rest) = path.strip_prefix('~') {
            let (user, rest) = rest.split_once('/').unwrap_or((rest, ""));
            let own = self.home.rsplit('/').next().unwrap_or_default();
            return Some(match user {
                "" => under(self.home, rest),
                "+" => under(self.cwd?, rest),
                "root" if own != "root" => under("/root", rest),
                user if user == own => under(self.home, rest),
                user => under("/home", &format!("{user}/{rest}")),
            });
        }
        if let Some(expansion) = path.strip_prefix('$') {
            let is_in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let (name, rest) = match expansion.strip_prefix('{') {
                Some(inside) => inside.split_once('}')?,
                None => expansion.split_at(expansion.find(|c| !is_in_name(c)).unwrap_or(expansion.len())),
            };
            // `${HOME:?}`: what is done where it has no value.
            let name = name.split([':', '-', '?', '=', '%', '#']).next().unwrap_or_default();
            let value = match name {
                "PWD" => self.cwd?.to_owned(),
                "HOME" => self.home.to_owned(),
                name if name.chars().all(is_in_name) => {
                    self.world.variable(name).filter(|value| value.starts_with('/'))?
                }
                _ => return None,
            };
            return (rest.is_empty() || rest.starts_with('/')).then(|| under(&value, rest));
        }
        if let Some(rest) = WORKING.iter().find_map(|name| path.strip_prefix(name)) {
            return Some(under(self.cwd?, rest));
        }
        if path.starts_with('/') {
            return Some(path.to_owned());
        }
        if path.contains("://") {
            return None;
        }
        match self.cwd {
            Some(cwd) => Some(under(cwd, path)),
            None => {
                let (folder, name) = kept.path.rsplit_once('/')?;
                let first = path.split('/').find(|part| !matches!(*part, "" | "."))?;
                (first == name).then(|| under(folder, path))
            }
        }
    }
}

fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '[']) || choice(part).is_some()
}

/// What bash's `!(a|b)`, and its like, stands for, where that is all of a part of a path: whether for all but these, and these.
fn choice(part: &str) -> Option<(bool, impl Iterator<Item = &str>)> {
    let inside = part.strip_suffix(')')?;
    let inside = ["!(", "@(", "+(", "?(", "*("].iter().find_map(|begin| inside.strip_prefix(begin))?;
    Some((part.starts_with('!'), inside.split('|')))
}

/// Whether a pattern may stand for a name.
fn may_stand_for(part: &str, name: &str) -> bool {
    match choice(part) {
        Some((negates, mut words)) => words.any(|word| word == name || may_be(word, name)) != negates,
        None => may_be(part, name),
    }
}

/// What something that looks for a name may come upon, from a folder that is kept, in it or above it: a file of that name.
fn sought(start: &Found, name: &str, kept: &Kept) -> Option<Found> {
    let is_called = |file: &str| file == name || may_be(name, file);
    let from = start.below.clone().unwrap_or_default();
    let of =
        |below: Vec<String>| Found { path: format!("{}/{}", kept.path, below.join("/")), below: Some(below) };
    if start.below.is_none() && kept.path.rsplit('/').next().is_some_and(is_called) {
        return Some(of(Vec::new()));
    }
    let mut files = kept.files().iter().map(|file| file.split('/').map(str::to_owned).collect::<Vec<_>>());
    files.find(|file| file.starts_with(&from) && file.last().is_some_and(|file| is_called(file))).map(of)
}

/// A whole path without `.` and `..`, seen from a folder that is kept.
fn seen_from(path: &str, kept: &Kept) -> Option<Found> {
    let parts = |path: &str| {
        path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<String>>()
    };
    let (own, of_kept) = (parts(path), parts(&kept.path));
    let mut differs_in_case = false;
    let is_like = |(one, other): (&String, &String)| {
        let exact = one == other || is_pattern(one) && may_stand_for(one, other);
        differs_in_case |= !exact;
        exact || one.eq_ignore_ascii_case(other)
    };
    if !own.iter().zip(&of_kept).all(is_like) {
        return None;
    }
    let head: Vec<&str> = own.iter().take(of_kept.len()).map(String::as_str).collect();
    let of_it: Vec<&str> = of_kept.iter().take(head.len()).map(String::as_str).collect();
    let whole = |parts: &[&str]| format!("/{}", parts.join("/"));
    if differs_in_case && !is_same(Path::new(&whole(&head)), Path::new(&whole(&of_it))) {
        return None;
    }
    let below = (own.len() >= of_kept.len()).then(|| own.get(of_kept.len()..).unwrap_or_default().to_vec());
    Some(Found { path: path.to_owned(), below })
}
