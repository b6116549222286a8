//! A cheap look whether a call may name a folder that is kept: by its text alone, and so cheap that a call which does not name one costs
//! what it costs without.

use std::cell::Cell;

use memchr::memmem::Finder;
use wildmatch::WildMatch;

/// Words of commands that take away, or write over, all that is in a folder.
const DESTRUCTIVE: &[&str] = &[
    "rm",
    "rmdir",
    "mv",
    "rsync",
    "rclone",
    "git",
    "find",
    "fd",
    "trash",
    "trash-put",
    "shred",
    "unlink",
    "mount",
    "rename",
    "gio",
    "xargs",
];

/// Folders that are kept, as texts name them.
#[derive(Debug)]
pub struct Watch {
    folders: Vec<Folder>,
    /// Texts that stand in paths of such folders whatever these are called.
    marks: Vec<Finder<'static>>,
}

#[derive(Debug)]
struct Folder {
    path: String,
    name: Finder<'static>,
}

impl Watch {
    /// A look for folders by their absolute paths, and for texts that stand in paths into them. `None` when there is nothing to look for.
    #[must_use]
    pub fn new<'p>(paths: impl Iterator<Item = &'p str>, marks: &[&'static str]) -> Option<Self> {
        let folders: Vec<Folder> = paths
            .filter_map(|path| {
                let (_, name) = path.rsplit_once('/')?;
                (!name.is_empty())
                    .then(|| Folder { path: path.to_owned(), name: Finder::new(name).into_owned() })
            })
            .collect();
        let marks = marks.iter().map(|mark| Finder::new(*mark)).collect();
        (!folders.is_empty()).then_some(Self { folders, marks })
    }

    /// Whether a command line, or a path, may name such a folder, or one that it lies in together with what takes all of that away.
    pub(super) fn may_name(&self, text: &str, cwd: Option<&str>) -> bool {
        let bytes = text.as_bytes();
        if self.marks.iter().any(|mark| mark.find(bytes).is_some()) {
            return true;
        }
        let takes_all = Cell::new(None);
        let takes_all = || {
            takes_all.get().unwrap_or_else(|| {
                let found = is_destructive(text);
                takes_all.set(Some(found));
                found
            })
        };
        let has_patterns =
            memchr::memchr3(b'*', b'?', b'[', bytes).is_some() || memchr::memchr(b'{', bytes).is_some();
        self.folders.iter().any(|folder| {
            let cwd_is = |of: &str, cwd: &str| {
                of.strip_prefix(cwd).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            folder.name.find(bytes).is_some()
                || cwd.is_some_and(|cwd| cwd_is(cwd, &folder.path))
                || has_patterns && folder.may_match(text)
                || cwd.is_some_and(|cwd| cwd_is(&folder.path, cwd)) && may_mean_here(text) && takes_all()
                || folder.parent_may_be_in(text) && takes_all()
        })
    }
}

impl Folder {
    /// Whether a pattern of the shell in a text may match its name.
    fn may_match(&self, text: &str) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let ends = |c: char| c.is_whitespace() || "/\"'`;|&()<>=".contains(c);
        let is_pattern = |part: &&str| {
            // One that is only a `*` names all there is: that counts where all is taken away.
            part.contains(['*', '?', '[', '{'])
                && part.chars().any(|c| c.is_alphanumeric() || matches!(c, '[' | '{'))
        };
        text.split(ends).filter(is_pattern).any(|part| {
            let part = part.replace(['[', ']', '{', '}', ','], "*");
            WildMatch::new(&part).matches(name)
        })
    }

    /// Whether a text may name a folder that it lies in: one of the nearest two by its name, others by their paths or as somebody's home.
    fn parent_may_be_in(&self, text: &str) -> bool {
        let parents = || self.path.match_indices('/').skip(1).filter_map(|(at, _)| self.path.get(..at));
        let near = self.path.rsplit('/').skip(1).take(2);
        text.contains("../")
            || text.ends_with("..")
            || text.contains(".. ")
            || stands_alone(text, "~")
            || stands_alone(text, "HOME")
            || near.filter(|name| name.len() > 2).any(|name| text.contains(name))
            || parents().any(|parent| stands_alone(text, parent))
    }
}

/// Whether a text has a path of which nothing follows but what stands for all in it.
fn stands_alone(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let rest = text.get(at + path.len()..).unwrap_or_default();
        let rest = rest.trim_start_matches(['}', '"', '/', '*', '.']);
        rest.chars().next().is_none_or(|c| c.is_whitespace() || "'\"`;|&)".contains(c))
    })
}

/// Whether a text may name the folder that it runs in, or all in it.
fn may_mean_here(text: &str) -> bool {
    text.contains('*')
        || text.contains(" .")
        || text.contains("clean")
        || text.contains("stash")
        || text.contains("-delete")
}

fn is_destructive(text: &str) -> bool {
    let is_in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.split(|c| !is_in_word(c)).any(|word| DESTRUCTIVE.contains(&word))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_text_that_may_name_a_kept_folder_is_told() {
        let watch =
            Watch::new(std::iter::once("/home/me/.openclaw/workspace/shared-context"), &["priorities."])
                .unwrap();
        let may = |text: &str, cwd: Option<&str>| watch.may_name(text, cwd);
        for text in [
            "cat shared-context/x",
            "echo > /tmp/link/priorities.md",
            "echo > shared-c*/x",
            "echo > [s]hared-context/x",
            "echo > shared-{context,x}/y",
            "rm -rf ~/.openclaw",
            "rm -rf /home/me",
            "mv /home/me/.openclaw/workspace /tmp",
            "rm -rf ..",
        ] {
            assert!(may(text, None), "{text}");
        }
        for text in [
            "ls",
            "rm -rf node_modules",
            "cat src/*.rs",
            "cat ~/x",
            "git commit -m 'shared context'",
            "rm -rf build/*",
        ] {
            assert!(!may(text, None), "{text}");
        }
        let here = Some("/home/me/.openclaw/workspace");
        assert!(may("rm -rf *", here) && may("git clean -fdx", here) && may("find . -delete", here));
        assert!(!may("rm -rf node_modules", here) && !may("cargo build", here) && !may("git status", here));
        assert!(may("ls", Some("/home/me/.openclaw/workspace/shared-context/staging")));
        assert!(Watch::new(std::iter::empty(), &["x"]).is_none());
    }
}
