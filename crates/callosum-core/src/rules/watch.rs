//! A cheap look whether a call may name a folder that is kept: by its text alone, and so cheap that a call which does not name one costs
//! what it costs without.

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

/// Texts of which one stands in every line that takes away all in the folder that it runs in.
const TAKES_ALL_HERE: Marks = Marks::new(&["*", " .", "PWD", "clean", "stash", "-delete", "!("]);

/// Texts by which lines name somebody's home, and the folder above.
const HOMES: Marks = Marks::new(&["~", "HOME", ".."]);

/// No texts.
pub const NO_MARKS: Marks = Marks::new(&[]);

/// Texts that are known beforehand: a process that lives for one call does not work out again how they begin.
#[derive(Debug)]
pub struct Marks {
    texts: &'static [&'static str],
    begins: Begins,
}

impl Marks {
    /// These texts.
    #[must_use]
    pub const fn new(texts: &'static [&'static str]) -> Self {
        let mut begins = Begins([0; 128]);
        let mut rest = texts;
        while let [text, others @ ..] = rest {
            begins.add(text);
            rest = others;
        }
        Self { texts, begins }
    }
}

/// The pairs of bytes that texts begin with: a bit for each, of which some share one. A text of one byte has all that begin with it.
#[derive(Clone, Copy, Debug)]
struct Begins([u64; 128]);

impl Begins {
    #[expect(
        clippy::indexing_slicing,
        reason = "seven bits are below 128; a constant is computed by nothing else"
    )]
    const fn add(&mut self, text: &str) {
        match text.as_bytes() {
            [first, second, ..] => self.0[(*first & 127) as usize] |= 1 << (*second & 63),
            [letter] => self.0[(*letter & 127) as usize] = u64::MAX,
            [] => {}
        }
    }

    fn add_all(&mut self, others: &Self) {
        for (row, other) in self.0.iter_mut().zip(&others.0) {
            *row |= other;
        }
    }

    fn may_be(&self, first: u8, second: u8) -> bool {
        self.0.get(usize::from(first & 127)).is_some_and(|row| row & (1 << (second & 63)) != 0)
    }
}

/// Folders that are kept, as texts name them.
#[derive(Debug)]
pub struct Watch {
    /// Texts of which one stands in whatever names such a folder, or one that it lies in, but for patterns of the shell.
    words: Words,
    /// Texts that stand in paths of such folders whatever these are called.
    marks: &'static Marks,
    here: Words,
}

/// Words of which one is looked for, by the pairs of bytes that they begin with: nothing is compared where another one stands.
#[derive(Debug)]
struct Words {
    known: [&'static Marks; 2],
    /// Folders: words of their paths count too.
    folders: Vec<String>,
    /// How words of the folders' paths begin.
    of_folders: Begins,
    /// How any word begins.
    begins: Begins,
}

impl Words {
    fn new(known: [&'static Marks; 2], folders: Vec<String>) -> Self {
        let mut all = Self { known, folders, of_folders: NO_MARKS.begins, begins: NO_MARKS.begins };
        for word in all.folders.iter().flat_map(|path| words_of(path)) {
            all.of_folders.add(word);
        }
        let [first, second] = known;
        for begins in [&first.begins, &second.begins, &all.of_folders] {
            all.begins.add_all(begins);
        }
        all
    }

    fn is_match(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        // What most texts have is no more than the beginning of a word: the folders' own are made out only where one of them begins.
        let is_word = |at: usize, first: u8, second: u8| {
            let rest = bytes.get(at..).unwrap_or_default();
            let is_here = |word: &str| rest.starts_with(word.as_bytes());
            self.known.iter().any(|marks| marks.texts.iter().any(|text| is_here(text)))
                || self.of_folders.may_be(first, second)
                    && self.folders.iter().any(|path| words_of(path).any(is_here))
        };
        let mut pairs = bytes.iter().zip(bytes.iter().skip(1)).enumerate();
        let ends = |last: &u8| self.begins.may_be(*last, 0) && is_word(bytes.len() - 1, *last, 0);
        pairs.any(|(at, (first, second))| self.begins.may_be(*first, *second) && is_word(at, *first, *second))
            || bytes.last().is_some_and(ends)
    }
}

impl Watch {
    /// A look for folders by their absolute paths, and for texts that stand in paths into them. `None` when there is nothing to look for.
    #[must_use]
    pub fn new<'p>(paths: impl Iterator<Item = &'p str>, marks: &'static Marks) -> Option<Self> {
        let folders: Vec<String> = paths.filter(|path| path.len() > 1).map(str::to_owned).collect();
        if folders.is_empty() {
            return None;
        }
        let words = Words::new([marks, &HOMES], folders);
        Some(Self { words, marks, here: Words::new([&TAKES_ALL_HERE, &NO_MARKS], Vec::new()) })
    }

    /// Whether a command line, or a path, may name such a folder, or one that it lies in together with what takes all of that away.
    pub(super) fn may_name(&self, text: &str, cwd: Option<&str>) -> bool {
        let lies_in = |of: &str, folder: &str| {
            of.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_in = |cwd: &str| self.words.folders.iter().any(|folder| lies_in(cwd, folder));
        if cwd.is_some_and(is_in) {
            return true;
        }
        let bytes = text.as_bytes();
        let has_patterns =
            memchr::memchr3(b'*', b'?', b'[', bytes).is_some() || memchr::memchr(b'{', bytes).is_some();
        if has_patterns && self.words.folders.iter().any(|folder| pattern_may_match(text, name(folder))) {
            return true;
        }
        let is_above = |cwd: &str| self.words.folders.iter().any(|folder| lies_in(folder, cwd));
        let means_here = cwd.is_some_and(is_above) && self.here.is_match(text);
        if !means_here && !self.words.is_match(text) {
            return false;
        }
        let named = |folder: &String| has_part(text, name(folder));
        self.marks.texts.iter().any(|mark| text.contains(mark))
            || self.words.folders.iter().any(named)
            || is_destructive(text)
                && (means_here || self.words.folders.iter().any(|folder| parent_may_be_in(text, folder)))
    }
}

/// Words of which one stands in what names the folder at a path, or one that it lies in.
fn words_of(path: &str) -> impl Iterator<Item = &str> {
    let top = path.match_indices('/').nth(1).and_then(|(at, _)| path.get(..at));
    std::iter::once(name(path)).chain(near(path)).chain(top).filter(|word| !word.is_empty())
}

/// The name of the folder at a path.
fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The names of the nearest two folders that it lies in.
fn near(path: &str) -> impl Iterator<Item = &str> {
    path.rsplit('/').skip(1).take(2).filter(|name| name.len() > 2)
}

/// Whether a name stands in a text as a part of a path, and not as letters of another word: folders may be called `s`. What is written
/// right behind an option's letter, or behind an escaped character, counts.
fn has_part(text: &str, name: &str) -> bool {
    let is_in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let rest = before.trim_end_matches(is_in_word);
        let letters = before.get(rest.len()..).unwrap_or_default();
        let begins = letters.is_empty() || letters.starts_with('-') || rest.ends_with(['\\', '%']);
        let after = text.get(at + name.len()..).unwrap_or_default();
        begins && !after.starts_with(is_in_word)
    })
}

/// Whether a pattern of the shell in a text may match a name.
fn pattern_may_match(text: &str, name: &str) -> bool {
    let ends = |c: char| c.is_whitespace() || "/\"'`;|&()<>=".contains(c);
    let is_pattern = |part: &&str| {
        // One that is only a `*` names all there is: that counts where all is taken away.
        part.contains(['*', '?', '[', '{'])
            && part.contains(|c: char| c.is_alphanumeric() || matches!(c, '[' | '{'))
    };
    text.split(ends).filter(is_pattern).any(|part| WildMatch::new(&widened(part)).matches(name))
}

/// A pattern with any text for each set of characters, and for each choice of words.
fn widened(pattern: &str) -> String {
    let mut wide = String::with_capacity(pattern.len());
    let mut closes = None;
    for c in pattern.chars() {
        match (closes, c) {
            (Some(close), c) => closes = (c != close).then_some(close),
            (None, '[' | '{') => {
                wide.push('*');
                closes = Some(if c == '[' { ']' } else { '}' });
            }
            (None, c) => wide.push(c),
        }
    }
    wide
}

/// Whether a text may name a folder that another lies in: one of the nearest two by its name, others by their paths or as somebody's
/// home.
fn parent_may_be_in(text: &str, folder: &str) -> bool {
    let mut parents = folder.match_indices('/').skip(1).filter_map(|(at, _)| folder.get(..at));
    text.contains("../")
        || text.ends_with("..")
        || text.contains(".. ")
        || stands_alone(text, "~")
        || stands_alone(text, "HOME")
        || near(folder).any(|name| has_part(text, name))
        || parents.any(|parent| stands_alone(text, parent))
}

/// Whether a text has a path of which nothing follows but what stands for all in it.
fn stands_alone(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let rest = text.get(at + path.len()..).unwrap_or_default();
        let rest = rest.trim_start_matches(['}', '"', '/', '*', '.']);
        rest.chars().next().is_none_or(|c| c.is_whitespace() || "'\"`;|&)".contains(c))
    })
}

fn is_destructive(text: &str) -> bool {
    let is_in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.split(|c| !is_in_word(c)).any(|word| DESTRUCTIVE.contains(&word))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    const MARKS: Marks = Marks::new(&["priorities."]);

    #[test]
    fn a_text_that_may_name_a_kept_folder_is_told() {
        let watch =
            Watch::new(std::iter::once("/home/me/.openclaw/workspace/shared-context"), &MARKS).unwrap();
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
        assert!(Watch::new(std::iter::empty(), &MARKS).is_none());
    }

    #[test]
    fn words_are_found_wherever_they_stand() {
        let words = Words::new([&HOMES, &MARKS], vec!["/q/µx/abc/ab".to_owned()]);
        for text in ["~", "x~", "..", "a..", "ab", "xxab", "aab", "zµx", "a/priorities.m"] {
            assert!(words.is_match(text), "{text}");
        }
        // Of the last, the two bytes share their bit with those of `ab`.
        for text in ["", "a", ".", "ba", "a b", "b.a.", "µ", "a\""] {
            assert!(!words.is_match(text), "{text}");
        }
    }

    #[test]
    fn a_short_name_is_told_from_the_letters_of_other_words() {
        let watch = Watch::new(std::iter::once("/var/lib/s"), &NO_MARKS).unwrap();
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
        ] {
            assert!(watch.may_name(text, None), "{text}");
        }
        for text in ["ls", "cargo test", "cat src/main.rs", "git status -s-x", "ls x.s", "echo s.x"] {
            assert!(!watch.may_name(text, None), "{text}");
        }
    }
}
