//! The files that a shell line writes to by `>`, as far as they may be ones that guard the gate.

use std::collections::HashSet;

use super::outline::{GUARDED, GUARDED_WORDS};
use crate::{Invocation, joined};

/// What stands for the program of such a redirection: `> {guarded}` is a pattern.
const REDIRECTION: &str = ">";
/// So many files of a line that may be meant are looked at; of more, the rule has found the first long before.
const MAX_REDIRECTIONS: usize = 64;
/// No folder has a longer path.
const MAX_PATH: usize = 4096;
/// Of so many parentheses and quotations inside each other the folder outside is kept.
const MAX_DEPTH: usize = 64;
/// Texts of which one is in the name of every path that guards the gate.
const GUARDED_NAMES: &[&str] =
    &[".callosum", "CALLOSUM_STATE_DIR", ".claude", "CLAUDE_CONFIG_DIR", ".codex", "CODEX_HOME", ".gemini"];

/// The redirections of a line that names what guards the gate, each as if it were a program that is given the file, with the
/// `variables` that the line sets. They are read from the text alone, so that one in quotes counts too. Where the call works
/// `in_guarded`, in a folder of such files, none need be named.
pub fn guarded_redirects(text: &str, variables: &[(String, String)], in_guarded: bool) -> Vec<Invocation> {
    if memchr::memchr(b'>', text.as_bytes()).is_none() {
        return Vec::new();
    }
    let names = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if !in_guarded && !GUARDED_WORDS.split('|').any(names) {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let invocation = |(file, folder)| Invocation {
        program: REDIRECTION.to_owned(),
        words: vec![file],
        folder,
        variables: variables.to_vec(),
        ..Invocation::default()
    };
    let files = Reader::new(text, in_guarded).filter(|found| seen.insert(found.clone()));
    files.take(MAX_REDIRECTIONS).map(invocation).collect()
}

/// Whether a text may name a path that guards the gate.
pub fn may_be_guarded_in(text: &str) -> bool {
    GUARDED_NAMES.iter().any(|name| text.contains(name))
}

/// Whether a text that was not read has what the pattern of this text asks of paths and redirections.
pub fn may_change_in(pattern: &str, text: &str) -> bool {
    !pattern.contains(GUARDED)
        || may_be_guarded_in(text) && (!pattern.starts_with(REDIRECTION) || text.contains(REDIRECTION))
}

/// Finds the redirections of a text, and the folder that a `cd` before them went to.
struct Reader<'t> {
    text: &'t str,
    in_guarded: bool,
    at: usize,
    /// A command begins here.
    begins: bool,
    folder: Option<String>,
    /// What was opened and not closed (parentheses, quotes), and the folder outside.
    open: Vec<(u8, Option<String>)>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, in_guarded: bool) -> Self {
        Self { text, in_guarded, at: 0, begins: true, folder: None, open: Vec::new() }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Begins what `mark` opens. What a quotation holds is mostly no command of the line: a `>` in it goes by a `cd` in it.
    fn enter(&mut self, mark: u8) {
        let is_kept = mark == b'(' && self.open.len() < MAX_DEPTH;
        let inside = if is_kept { self.folder.clone() } else { None };
        self.open.push((mark, std::mem::replace(&mut self.folder, inside)));
        self.begins = true;
    }

    fn leave(&mut self) {
        if let Some((_, folder)) = self.open.pop() {
            self.folder = folder;
        }
        self.begins = false;
    }

    /// Whether the `>` that was just passed ends `->` or `=>`.
    fn is_arrow(&self) -> bool {
        let before = self.at.checked_sub(2).and_then(|at| self.text.as_bytes().get(at));
        matches!(before, Some(b'-' | b'='))
    }

    /// The word that begins here, without its quotes.
    fn word(&self) -> String {
        let rest = self.rest().trim_start_matches([' ', '\t']);
        let ends = |c: char| c.is_whitespace() || ";|&<>()".contains(c);
        let word = rest.split(ends).next().unwrap_or_default();
        word.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect()
    }

    /// Follows a `cd` that begins here.
    fn follow(&mut self) {
        let Some(name) = ["cd", "pushd"]
            .into_iter()
            .find(|name| self.rest().strip_prefix(name).is_some_and(|after| after.starts_with([' ', '\t'])))
        else {
            return;
        };
        self.at += name.len();
        let mut to = self.word();
        while matches!(to.as_str(), "--" | "-L" | "-P" | "-e") {
            self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len() + to.len();
            to = self.word();
        }
        let folder = (!to.starts_with('-')).then(|| joined(self.folder.as_deref(), &to));
        self.folder = folder.filter(|folder| folder.len() <= MAX_PATH);
    }

    /// The file of the redirection whose `>` was just passed.
    fn file(&mut self) -> Option<(String, Option<String>)> {
        let rest = self.rest();
        let is_descriptor = rest.starts_with('&');
        self.at += rest.len() - rest.trim_start_matches(['>', '|', '!', '&']).len();
        let file = self.word();
        let is_number = file == "-" || file.bytes().all(|byte| byte.is_ascii_digit());
        if file.is_empty() || is_descriptor && is_number {
            return None;
        }
        let may_be_guarded = |path: &str| GUARDED_WORDS.split('|').any(|word| path.contains(word));
        let counts = file.starts_with('$')
            || self.in_guarded && self.open.iter().all(|(mark, _)| *mark == b'(')
            || may_be_guarded(&file)
            || self.folder.as_deref().is_some_and(|folder| may_be_guarded(folder) || folder.starts_with('$'));
        counts.then(|| (file, self.folder.clone()))
    }
}

impl Iterator for Reader<'_> {
    type Item = (String, Option<String>);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(byte) = self.text.as_bytes().get(self.at).copied() {
            if self.begins && matches!(byte, b'c' | b'p') {
                self.follow();
            }
            let opener = ["then ", "do ", "if ", "else ", "while ", "until ", "! "]
                .into_iter()
                .find(|word| self.begins && self.rest().starts_with(word));
            if let Some(opener) = opener {
                self.at += opener.len();
                continue;
            }
            let quote = self.open.last().map(|(mark, _)| *mark);
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'\'' | b'"' if quote == Some(byte) => self.leave(),
                // An apostrophe.
                b'\'' if quote == Some(b'"') => {}
                b'\'' | b'"' | b'(' => self.enter(byte),
                b')' if quote == Some(b'(') => self.leave(),
                // An arrow in a text.
                b'>' if matches!(quote, Some(b'\'' | b'"')) && self.is_arrow() => {}
                b'>' => {
                    self.begins = false;
                    let found = self.file();
                    if found.is_some() {
                        return found;
                    }
                }
                b';' | b'&' | b'|' | b'\n' | b'{' | b'`' => self.begins = true,
                b' ' | b'\t' => {}
                _ => self.begins = false,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirection_goes_to_the_folder_that_a_cd_before_it_went_to() {
        for (text, files) in [
            ("echo x > ~/.callosum/a", "~/.callosum/a"),
            ("echo x >> \"~/.callosum/a\"", "~/.callosum/a"),
            ("cd ~/.callosum && > a", "~/.callosum/a"),
            ("cd \"$HOME/.callosum\"; : >| a", "$HOME/.callosum/a"),
            ("cd ~ && cd .callosum\n: >a", "~/.callosum/a"),
            ("(cd ~/.callosum; : > a) > b", "~/.callosum/a"),
            ("bash -c 'cd ~/.callosum && echo > a'; echo > b", "~/.callosum/a"),
            ("cd ~/.callosum && cat a 2>&1", ""),
            ("cd ~/.callosum && cat a 2>&- >&2", ""),
            ("cd ~/.callosum && jq 'select(.tier > 2)' a", ""),
            ("cd ~/.callosum && cat a > /tmp/b", "/tmp/b"),
            ("echo cd ~/.callosum > a", ""),
            ("if cd -- ~/.callosum; then : > a; fi", "~/.callosum/a"),
            ("cd -P ~ && cd -; cd ~/.callosum && > a", "~/.callosum/a"),
            ("echo 'a -> ~/.callosum/a => .callosum'", ""),
            ("pushd -n ~/.callosum > a", ""),
            ("cat ~/.callosum/a > $B", "$B"),
        ] {
            let found = guarded_redirects(text, &[], false).into_iter();
            let found = found.map(|found| joined(found.folder.as_deref(), &found.words.concat()));
            assert_eq!(found.collect::<Vec<_>>().join(" "), files, "{text}");
        }
        let nested = format!("cd ~/.callosum{}; {}: > a", "/x".repeat(1000), "(".repeat(100_000));
        assert_eq!(guarded_redirects(&nested, &[], false).len(), 0);
        let inside = |text| guarded_redirects(text, &[], true).len();
        assert_eq!([": > a", "jq '.tier > 2' a", "cat a 2>&1"].map(inside), [1, 0, 0]);
    }
}
