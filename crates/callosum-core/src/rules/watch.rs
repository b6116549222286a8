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
const TAKES_ALL_HERE: &[Mark] = &[
    Mark::new("*"),
    Mark::new(" ."),
    Mark::new("PWD"),
    Mark::new("clean"),
    Mark::new("stash"),
    Mark::new("-delete"),
    Mark::new("!("),
];

/// A text by which lines name somebody's home.
const HOME: Mark = Mark::new("HOME");

/// The kinds of bytes that a text is made of, a bit for each, at even places and at odd ones: a text in which one of a word's kinds is
/// missing has not that word in it, and that is told of many words by one look at the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds([u64; 2]);

/// The kind of each byte. Letters have one each; what has none says nothing.
const KINDS: [u64; 256] = kinds();
/// A sign of the shell's patterns, one that hides words, somebody's home, and the folder above.
const PATTERN: Kinds = Kinds::of("*");
const HIDING: Kinds = Kinds::of("'");
const TILDE: Kinds = Kinds::of("~");
const DOTS: Kinds = Kinds::of("..");

#[expect(clippy::indexing_slicing, reason = "a byte is less than 256")]
const fn kinds() -> [u64; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    while byte < u8::MAX {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' => 1 << (byte - b'a'),
            b'A'..=b'Z' => 1 << (26 + byte - b'A'),
            b'*' | b'?' | b'[' | b'{' => 1 << 52,
            b'~' => 1 << 53,
            b'.' => 1 << 54,
            b'-' => 1 << 55,
            b'_' => 1 << 56,
            b'/' => 1 << 57,
            b'0'..=b'9' => 1 << 58,
            b'\'' | b'"' | b'\\' | b'^' | b'$' => 1 << 59,
            b'!' | b'(' => 1 << 60,
            _ => 0,
        };
        byte += 1;
    }
    kinds
}

impl Kinds {
    /// More than any text is made of.
    const OF_NO_TEXT: Self = Self([u64::MAX; 2]);

    pub(super) const fn of(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    #[expect(clippy::indexing_slicing, reason = "a byte is less than 256")]
    const fn of_bytes(bytes: &[u8]) -> Self {
        let (mut all, mut rest) = (Self([0, 0]), bytes);
        while let [even, odd, others @ ..] = rest {
            all.0[0] |= KINDS[*even as usize];
            all.0[1] |= KINDS[*odd as usize];
            rest = others;
        }
        if let [even] = rest {
            all.0[0] |= KINDS[*even as usize];
        }
        all
    }

    /// The kinds, wherever they stand.
    fn anywhere(self) -> u64 {
        let Self([even, odd]) = self;
        even | odd
    }

    /// Whether a text of these kinds may have words in it that quoting hides, or variables, or braces.
    pub(super) fn may_hide(self) -> bool {
        self.may_have(HIDING) || self.may_have(PATTERN)
    }

    /// Whether a text of these kinds may have a word of others in it.
    fn may_have(self, word: Self) -> bool {
        let Self([even, odd]) = self;
        let Self([first, second]) = word;
        word.anywhere() & !self.anywhere() == 0
            && (first & !even | second & !odd == 0 || first & !odd | second & !even == 0)
    }
}

/// A text that stands in paths of kept folders whatever these are called.
#[derive(Debug)]
pub struct Mark {
    text: &'static str,
    kinds: Kinds,
}

impl Mark {
    /// This text.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self { text, kinds: Kinds::of(text) }
    }

    fn is_in(&self, text: &str, kinds: Kinds) -> bool {
        kinds.may_have(self.kinds) && text.contains(self.text)
    }
}

/// Folders that are kept, as texts name them.
#[derive(Debug)]
pub struct Watch {
    folders: Vec<Watched>,
    marks: &'static [Mark],
    /// What each word is made of by which texts name such a folder, or one that it lies in, wherever in the word it stands.
    words: Vec<u64>,
}

#[derive(Debug)]
struct Watched {
    path: String,
    /// Where in it its name begins.
    name_at: usize,
    /// What its name is made of.
    kinds: Kinds,
    /// What the names of the nearest two folders are made of that it lies in, and the path of the topmost.
    above: [Kinds; 3],
}

impl Watched {
    fn new(path: &str) -> Self {
        // By bytes: each process that lives for one call does this.
        let bytes = path.as_bytes();
        let top = bytes.iter().skip(1).position(|byte| *byte == b'/').and_then(|at| bytes.get(..=at));
        let mut above = [Kinds::OF_NO_TEXT; 3];
        for (place, word) in above.iter_mut().zip(near(path).chain(top)) {
            *place = Kinds::of_bytes(word);
        }
        let name = last_name(bytes);
        Self { path: path.to_owned(), name_at: path.len() - name.len(), kinds: Kinds::of_bytes(name), above }
    }

    fn name(&self) -> &str {
        self.path.get(self.name_at..).unwrap_or_default()
    }

    /// Whether a text of these kinds of bytes may name a folder that this one lies in: one of the nearest two by its name, others by their
    /// paths or as somebody's home.
    fn parent_may_be_in(&self, text: &str, kinds: Kinds) -> bool {
        let mut parents = self.path.match_indices('/').skip(1).filter_map(|(at, _)| self.path.get(..at));
        kinds.may_have(DOTS) && (text.contains("../") || text.ends_with("..") || text.contains(".. "))
            || kinds.may_have(TILDE) && stands_alone(text, "~")
            || HOME.is_in(text, kinds) && stands_alone(text, HOME.text)
            || self.above.iter().any(|above| kinds.may_have(*above))
                && (near(&self.path).any(|name| str::from_utf8(name).is_ok_and(|name| has_part(text, name)))
                    || parents.any(|parent| stands_alone(text, parent)))
    }
}

impl Watch {
    /// A look for folders by their absolute paths, and for texts that stand in paths into them. `None` when there is nothing to look for.
    #[must_use]
    pub fn new<'p>(paths: impl Iterator<Item = &'p str>, marks: &'static [Mark]) -> Option<Self> {
        let folders: Vec<Watched> = paths.filter(|path| path.len() > 1).map(Watched::new).collect();
        if folders.is_empty() {
            return None;
        }
        let of_folders = folders.iter().flat_map(|folder| folder.above.iter().chain([&folder.kinds]));
        let words = marks.iter().map(|mark| &mark.kinds).chain(of_folders).chain([&HOME.kinds]);
        let mut all = Vec::with_capacity(marks.len() + 4 * folders.len() + 1);
        all.extend(words.map(|word| word.anywhere()));
        Some(Self { folders, marks, words: all })
    }

    /// Whether an absolute path may be in such a folder.
    pub(super) fn may_be_in(&self, path: &str) -> bool {
        let kinds = Kinds::of(path);
        self.may_have_word(kinds) && self.is_named(path, kinds)
    }

    /// Whether a command line, or a path, may name such a folder, or one that it lies in together with what takes all of that away.
    pub(super) fn may_name(&self, text: &str, kinds: Kinds, cwd: Option<&str>) -> bool {
        let lies_in = |of: &str, folder: &str| {
            of.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let folders = || self.folders.iter().map(|folder| folder.path.as_str());
        if cwd.is_some_and(|cwd| folders().any(|folder| lies_in(cwd, folder))) {
            return true;
        }
        let may_match = |folder: &Watched| pattern_may_match(text, folder.name());
        if kinds.may_have(PATTERN) && self.folders.iter().any(may_match) {
            return true;
        }
        let has_word = self.may_have_word(kinds);
        if has_word && self.is_named(text, kinds) {
            return true;
        }
        let is_above = |cwd: &str| folders().any(|folder| lies_in(folder, cwd));
        let means_here =
            cwd.is_some_and(is_above) && TAKES_ALL_HERE.iter().any(|word| word.is_in(text, kinds));
        let has_word = has_word || kinds.may_have(DOTS) || kinds.may_have(TILDE);
        let names_above = || self.folders.iter().any(|folder| folder.parent_may_be_in(text, kinds));
        (means_here || has_word && names_above()) && is_destructive(text)
    }

    /// Whether a text of these kinds may have one of the words in it.
    fn may_have_word(&self, kinds: Kinds) -> bool {
        let missing = !kinds.anywhere();
        self.words.iter().any(|word| word & missing == 0)
    }

    fn is_named(&self, text: &str, kinds: Kinds) -> bool {
        let is_it = |folder: &Watched| {
            // To look for the text alone is quicker.
            kinds.may_have(folder.kinds) && text.contains(folder.name()) && has_part(text, folder.name())
        };
        self.marks.iter().any(|mark| mark.is_in(text, kinds)) || self.folders.iter().any(is_it)
    }
}

/// The names of the nearest two folders that it lies in.
fn near(path: &str) -> impl Iterator<Item = &[u8]> {
    let names = path.as_bytes().rsplit(|byte| *byte == b'/');
    names.skip(1).take(2).filter(|name| name.len() > 2)
}

/// The name of what a path leads to.
fn last_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
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

    const MARKS: &[Mark] = &[Mark::new("priorities.")];

    #[test]
    fn a_text_that_may_name_a_kept_folder_is_told() {
        let watch =
            Watch::new(std::iter::once("/home/me/.openclaw/workspace/shared-context"), MARKS).unwrap();
        let may = |text: &str, cwd: Option<&str>| watch.may_name(text, Kinds::of(text), cwd);
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
        assert!(Watch::new(std::iter::empty(), MARKS).is_none());
    }

    #[test]
    fn only_words_of_other_kinds_of_bytes_are_left_out() {
        let may = |text: &str, word: &str| Kinds::of(text).may_have(Kinds::of(word));
        let (text, mut words) = ("xa-b/c_1.Dµ~", Vec::new());
        for from in 0..text.len() {
            words.extend((from..=text.len()).filter_map(|to| Some((text, text.get(from..to)?))));
        }
        for (text, word) in words.into_iter().chain([("", ""), ("xyza", "za"), ("µ", "ä")]) {
            assert!(may(text, word), "{text} {word}");
        }
        for (text, word) in
            [("", "a"), ("b", "a"), ("a", "A"), ("a", "a/"), ("axb", "ab"), ("x", "1"), ("a", "a.")]
        {
            assert!(!may(text, word), "{text} {word}");
        }
        assert!(may("{", "*") && Kinds::of("[x").may_have(PATTERN) && !Kinds::of("x~.").may_have(PATTERN));
        // What hides words from a look at a line (`callosum_shell::unhidden`).
        assert!(["'", "\"", "\\", "^", "{", "$"].iter().all(|sign| Kinds::of(sign).may_hide()));
        assert!(!Kinds::of("cat a-b/c.d ~").may_hide());
        // Each printed sign by itself, so that no two words are taken for one another.
        let all: Vec<u64> = (b'!'..=b'~').map(|byte| Kinds::of(&char::from(byte).to_string()).0[0]).collect();
        assert!(all.iter().all(|kind| kind.count_ones() <= 1));
    }

    #[test]
    fn a_short_name_is_told_from_the_letters_of_other_words() {
        let watch = Watch::new(std::iter::once("/var/lib/s"), &[]).unwrap();
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
            assert!(watch.may_name(text, Kinds::of(text), None), "{text}");
        }
        for text in ["ls", "cargo test", "cat src/main.rs", "git status -s-x", "ls x.s", "echo s.x"] {
            assert!(!watch.may_name(text, Kinds::of(text), None), "{text}");
        }
    }
}
