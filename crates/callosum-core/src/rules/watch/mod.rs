//! A cheap look whether a call may name a folder that is kept: by its text alone, and so cheap that a call which does not name one costs
//! what it costs without. It may say yes too often, for then the policy is asked; where it says no, nobody is.
//!
//! `kinds` tells by its bytes which words a text can't have, `text` what it may name; `looked` keeps what was told.

mod kinds;
mod looked;
mod text;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::sync::OnceLock;

use callosum_shell::in_one_piece;

pub use self::kinds::Mark;
use self::kinds::{BAR, Kinds, PATTERN};
pub(super) use self::looked::Looked;
pub(super) use self::text::is_destructive;
use self::text::{
    ends_in, has_part, is_composed, may_write, names_root, pattern_may_match, runs_what_is_made, stands_alone,
};

/// Texts of which one stands in every line that takes away all in the folder that it runs in.
const TAKES_ALL_HERE: &[Mark] = &[
    Mark::new("*"),
    Mark::new("?"),
    Mark::new(" ."),
    Mark::new("\t."),
    Mark::new("\"."),
    Mark::new("'."),
    Mark::new("(."),
    Mark::new("PWD"),
    Mark::new("pwd"),
    Mark::new("~+"),
    Mark::new("/proc/"),
    Mark::new("clean"),
    Mark::new("stash"),
    Mark::new("-delete"),
    Mark::new("!("),
    Mark::new("-exec"),
    Mark::new("xargs"),
    Mark::new("while"),
    Mark::new("$(ls"),
    Mark::new("`ls"),
];

/// Of those of which one stands in lines whose commands are in a code: that is undone where the line is read.
const CODED: &[Mark] =
    &[Mark::new("base64"), Mark::new("base32"), Mark::new("xxd"), Mark::new("-enc"), Mark::new("-Enc")];

/// A text by which lines name somebody's home.
const HOME: Mark = Mark::new("HOME");
/// All folders in a folder.
const EACH: Mark = Mark::new("*/");
/// What the names of all shells end in.
const SHELL: Kinds = Kinds::of_word("sh");
/// The folder above, somebody's home, and what paths have.
const DOTS: Kinds = Kinds::of_word("..");
const TILDE: Kinds = Kinds::of_word("~");
const SLASH: Kinds = Kinds::of_word("/");

/// Folders that are kept, as texts name them.
#[derive(Debug)]
pub struct Watch {
    folders: Vec<Watched>,
    marks: &'static [Mark],
    /// What each word is made of by which texts name such a folder, wherever in the word it stands.
    words: Vec<u64>,
    /// The folders that they lie in, each once, by their names; once they were asked for.
    above: OnceLock<Vec<Above>>,
}

/// A folder in which one that is kept lies.
#[derive(Debug, PartialEq, Eq)]
struct Above {
    /// Its name in small letters.
    name: String,
    kinds: Kinds,
}

#[derive(Debug)]
struct Watched {
    path: String,
    /// The path in small letters: some disks don't tell them from capital ones.
    small: String,
    /// Where in it its name begins.
    name_at: usize,
    /// What its name is made of.
    kinds: Kinds,
}

/// Where a call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In such a folder.
    In,
    /// In one that such a folder lies in.
    Above,
    /// Elsewhere, or nobody says.
    Elsewhere,
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A command line, which says itself what it does.
    Line,
    /// A path, for a tool that takes away all that is in a folder, or not.
    Path { takes_all: bool },
}

impl Watched {
    fn new(path: &str) -> Self {
        let small = path.to_ascii_lowercase();
        let name_at = small.rfind('/').map_or(0, |at| at + 1);
        let kinds = Kinds::of_word(path.get(name_at..).unwrap_or_default());
        Self { path: path.to_owned(), small, name_at, kinds }
    }

    fn name(&self) -> &str {
        self.small.get(self.name_at..).unwrap_or_default()
    }

    /// The names of the folders that it lies in.
    fn above(&self) -> impl Iterator<Item = &str> {
        let above = self.small.get(..self.name_at).unwrap_or_default();
        above.split('/').filter(|name| !name.is_empty())
    }
}

impl Watch {
    /// A look for folders by their absolute paths, and for texts that stand in paths into them. `None` when there is nothing to look for.
    #[must_use]
    pub fn new<'p>(paths: impl Iterator<Item = &'p str>, marks: &'static [Mark]) -> Option<Self> {
        let mut folders = Vec::new();
        for path in paths.filter(|path| path.len() > 1) {
            folders.push(Watched::new(path));
            if path.contains(['\'', '"', '\\']) {
                folders.push(Watched::new(&in_one_piece(path)));
            }
        }
        if folders.is_empty() {
            return None;
        }
        let names = folders.iter().map(|folder| folder.kinds.anywhere());
        let words = marks.iter().map(Mark::made_of).chain(names).collect();
        Some(Self { folders, marks, words, above: OnceLock::new() })
    }

    /// The folders that they lie in.
    fn above(&self) -> &[Above] {
        self.above.get_or_init(|| {
            let mut above: Vec<Above> = Vec::new();
            for name in self.folders.iter().flat_map(Watched::above) {
                if !above.iter().any(|known| known.name == name) {
                    above.push(Above { name: name.to_owned(), kinds: Kinds::of_word(name) });
                }
            }
            above
        })
    }

    /// Whether an absolute path may be in such a folder.
    pub(super) fn may_be_in(&self, path: &str) -> bool {
        let kinds = Kinds::of(path);
        has_one(&self.words, kinds) && self.is_named(path, &small(path), kinds)
    }

    /// Whether a text of a call that runs in `cwd` may name such a folder, or one that it lies in together with what takes all of that away.
    pub(super) fn may_name(&self, looked: &Looked<'_>, cwd: Option<&str>, what: What) -> bool {
        let place = cwd.map_or(Place::Elsewhere, |cwd| self.place(cwd));
        if place == Place::In || self.is_told(looked.text, looked.kinds, place, what) {
            return true;
        }
        // Without its quotes: they may stand anywhere in a name.
        looked.has_quoted_parts() && {
            let whole = in_one_piece(looked.text);
            self.is_told(&whole, Kinds::of(&whole), place, what)
        }
    }

    /// Whether commands in a text that nobody read may write to such a folder.
    pub(crate) fn may_be_written(&self, text: &str, cwd: Option<&str>) -> bool {
        self.may_name(&Looked::at(text), cwd, What::Line) && may_write(text)
    }

    fn place(&self, cwd: &str) -> Place {
        let lies_in = |of: &str, folder: &str| {
            let folder = folder.trim_end_matches('/');
            of.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if self.folders.iter().any(|folder| lies_in(cwd, &folder.path)) {
            Place::In
        } else if self.folders.iter().any(|folder| lies_in(&folder.path, cwd)) {
            Place::Above
        } else {
            Place::Elsewhere
        }
    }

    /// The same of the text as it stands.
    fn is_told(&self, text: &str, kinds: Kinds, place: Place, what: What) -> bool {
        let small = LazyCell::new(|| small(text));
        let has_pattern = kinds.has_any(PATTERN);
        if has_pattern && self.folders.iter().any(|folder| pattern_may_match(&small, folder.name())) {
            return true;
        }
        if has_one(&self.words, kinds) && self.is_named(text, &small, kinds) {
            return true;
        }
        let is_made = || kinds.has_any(BAR) && kinds.may_have(SHELL) && runs_what_is_made(text);
        if what == What::Line && (CODED.iter().any(|code| code.is_in(text, kinds)) || is_made()) {
            return true;
        }
        let takes_each = has_pattern && EACH.is_in(text, kinds);
        let means_here = place == Place::Above
            && (takes_each || TAKES_ALL_HERE.iter().any(|word| word.is_in(text, kinds)));
        let takes_all = || match what {
            What::Line => takes_each || is_destructive(text),
            What::Path { takes_all } => takes_all || takes_each,
        };
        (means_here || self.names_above(text, &small, kinds)) && takes_all()
    }

    /// Whether the text may name a folder that such a one lies in as the last of a path.
    fn names_above<'t>(
        &self,
        text: &'t str,
        small: &LazyCell<Cow<'t, str>, impl FnOnce() -> Cow<'t, str>>,
        kinds: Kinds,
    ) -> bool {
        let may_be_it = |above: &&Above| kinds.may_have(above.kinds);
        kinds.may_have(DOTS) && (text.contains("../") || text.ends_with("..") || text.contains(".. "))
            || kinds.may_have(TILDE) && stands_alone(text, "~")
            || kinds.may_have(SLASH) && names_root(text)
            || HOME.is_in(text, kinds) && stands_alone(text, HOME.text)
            || self.above().iter().filter(may_be_it).any(|above| ends_in(small, &above.name))
            || kinds.has_any(PATTERN)
                && self.above().iter().any(|above| pattern_may_match(small, &above.name))
    }

    fn is_named(&self, text: &str, small: &str, kinds: Kinds) -> bool {
        let is_it = |folder: &Watched| {
            has_one(&[folder.kinds.anywhere()], kinds)
                && (kinds.may_have(folder.kinds) && has_part(small, folder.name())
                    || kinds.may_hide() && is_composed(small, folder.name()))
        };
        self.marks.iter().any(|mark| mark.is_in(text, kinds)) || self.folders.iter().any(is_it)
    }
}

/// Whether a text of these kinds may have one of the words in it.
fn has_one(words: &[u64], kinds: Kinds) -> bool {
    let missing = !kinds.anywhere();
    words.iter().any(|word| word & missing == 0)
}

/// A text in small letters.
fn small(text: &str) -> Cow<'_, str> {
    // Each byte is looked at, as then several are at once.
    if text.bytes().fold(false, |found, byte| found | byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    const MARKS: &[Mark] = &[Mark::new("priorities.")];
    const TREE: &str = "/home/me/.openclaw/workspace/shared-context";

    fn watch(path: &str) -> Watch {
        Watch::new(std::iter::once(path), MARKS).unwrap()
    }

    fn may(watch: &Watch, text: &str, cwd: Option<&str>) -> bool {
        watch.may_name(&Looked::at(text), cwd, What::Line)
    }

    #[test]
    fn a_text_that_may_name_a_kept_folder_is_told() {
        let watch = watch(TREE);
        for text in [
            "cat shared-context/x",
            "echo > /tmp/link/priorities.md",
            "echo > shared-c*/x",
            "echo > [s]hared-context/x",
            "echo > [[:alpha:]]hared-context/x",
            "echo > shared-{context,x}/y",
            "rm -rf ~/.openclaw",
            "rm -rf ~/.open*",
            "rm -rf /home/me",
            "rm -rf /home//./me/",
            "rm -rf /",
            "mv /home/me/.openclaw/workspace /tmp",
            "rm -rf workspace",
            "rm -rf ..",
            "rm -rf \"${HOME:?}\"",
            // Quotes may stand anywhere in a name.
            "rm -rf \"shared\"-context",
            "rm -rf shared'-'context",
            "rm -rf shared\\-context",
            "echo x > shared-\\\ncontext/t.md",
            "echo > \"shared-c\"*/x",
            "rm -rf /home/\"me\"",
            // What is put together.
            "d=shared; rm -rf $d-context",
            "rm -rf \"${d}-context\"",
            "python3 -c \"d='shared'; open(d+'-context/t.md','w')\"",
            "node -e \"a='shared'; f(`${a}-context/t.md`)\"",
            "python3 -c \"import shutil; shutil.rmtree('/home/me')\"",
            "Remove-Item -Recurse /home/me/.openclaw",
            "aws s3 sync --delete s3://b /home/me/.openclaw/workspace",
            "echo ZWNobwo= | base64 -d | sh",
            "sed -i s/a/b/ ~/.openclaw/workspace/*/*.md",
            "rm -rf SHARED-CONTEXT",
        ] {
            assert!(may(&watch, text, None), "{text}");
        }
        for text in [
            "ls",
            "rm -rf node_modules",
            "cat src/*.rs",
            "cat ~/x",
            "git commit -m 'shared context'",
            "git -C /home/me/project status",
            "rm -rf build/*",
            "[ -f x ] && awk '{print $1}' x",
            "find . -name '*.md' -exec wc {} +",
            "curl -d '{\"a\": 1}' http://x.example",
            "echo \"$HOME/x\" ${a[0]}",
            "grep -rn \"[a-z]\" src/",
        ] {
            assert!(!may(&watch, text, None), "{text}");
        }
    }

    #[test]
    fn a_line_that_may_take_all_away_where_it_runs_is_told() {
        let watch = watch(TREE);
        for here in ["/home/me/.openclaw/workspace", "/home/me/.openclaw/workspace/", "/home/me", "/"] {
            for text in [
                "rm -rf *",
                "git clean -fdx",
                "find . -delete",
                "rm -rf \".\"",
                "rm -rf\t.",
                "rm -rf $(pwd)/",
                "ls | xargs rm -rf",
                "ls | while read f; do rm -rf \"$f\"; done",
                "sed -i s/a/b/ */*.md",
                "python3 -c \"shutil.rmtree('.')\"",
            ] {
                assert!(may(&watch, text, Some(here)), "{text} in {here}");
            }
            for text in ["rm -rf node_modules", "cargo build", "git status"] {
                assert!(!may(&watch, text, Some(here)), "{text} in {here}");
            }
        }
        for inside in [TREE, "/home/me/.openclaw/workspace/shared-context/staging"] {
            assert!(may(&watch, "ls", Some(inside)), "{inside}");
        }
        assert!(!may(&watch, "rm -rf *", Some("/home/me/.openclaw/workspace/shared-context-2")));
        assert!(Watch::new(std::iter::empty(), MARKS).is_none());
    }

    #[test]
    fn a_path_of_a_tool_that_takes_all_away_may_be_one_above() {
        let watch = watch(TREE);
        let may =
            |text: &str, takes_all: bool| watch.may_name(&Looked::at(text), None, What::Path { takes_all });
        for text in ["/home/me", "/home/me/.openclaw/workspace/", "..", "~", "/"] {
            assert!(may(text, true) && !may(text, false), "{text}");
        }
        assert!(!may("/home/me/project", true));
        for path in [TREE, "/x/Shared-Context/a.md", "/link/priorities.md"] {
            assert!(watch.may_be_in(path) && may(path, false), "{path}");
        }
        assert!(!watch.may_be_in("/home/me/.openclaw/workspace/notes.md"));
    }

    #[test]
    fn a_short_name_is_told_from_the_letters_of_other_words() {
        let watch = watch("/var/lib/s");
        for text in [
            "cat /var/lib/s/x",
            "cat ../s",
            "cd s; ls",
            "git -Cs status",
            "tar --directory=s -x",
            "cat \"$a\"s/x",
            "cat ${a}s",
            "printf '\\x2fs'",
            "curl file:///var%2Flib%2Fs",
            "rm -rf ?",
        ] {
            assert!(may(&watch, text, None), "{text}");
        }
        for text in ["ls", "cargo test", "cat src/main.rs", "git status -s-x", "ls x.s", "echo s.x"] {
            assert!(!may(&watch, text, None), "{text}");
        }
    }

    #[test]
    fn names_with_any_signs_are_told_however_they_are_quoted() {
        for (name, texts) in [
            ("shared context", &["rm -rf shared\\ context", "rm -rf 'shared context'"][..]),
            ("a+b", &["rm -rf a\\+b", "rm -rf a+b"]),
            ("ann's", &["rm -rf ann\\'s", "rm -rf \"ann's\""]),
            ("kontext-für-alle", &["rm -rf kontext-f\\ür-alle", "rm -rf kontext-für-alle"]),
        ] {
            let watch = watch(&format!("/home/me/{name}"));
            for text in texts {
                assert!(may(&watch, text, None), "{name}: {text}");
            }
        }
    }

    /// Who looks back over the whole word for each name in it, or ahead over the rest of the text for each sign, is not done in an hour.
    #[test]
    fn what_is_repeated_a_million_times_is_looked_at_in_time() {
        for part in ["ashared-context", "\"/", "[a]", "[[:a:]", "{a}", "$a", "~*", "me/", "|sx", "'-", "a\\ "]
        {
            let text = format!("rm -rf {}", part.repeat(1_000_000));
            may(&watch(TREE), &text, Some("/home/me"));
        }
        let text = format!("echo {}; rm -rf x", "ashared-context".repeat(50_000));
        assert!(!may(&watch(TREE), &text, None));
        assert!(may(&watch(TREE), &(text + " shared-context"), None));
    }
}
