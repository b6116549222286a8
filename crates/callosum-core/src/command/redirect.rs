//! The files that a shell line writes to by `>`, as far as they may be ones that guard the gate.

use std::collections::HashSet;

use super::outline::GUARDED_WORDS;
use crate::shell::Invocation;

/// What stands for the program of such a redirection: `> {guarded}` is a pattern.
const REDIRECTION: &str = ">";
/// So many files of a line that may be meant are looked at; of more, the rule has found the first long before.
const MAX_REDIRECTIONS: usize = 64;

/// The redirections of a line that names what guards the gate, each as if it were a program that is given the file; read from
/// the text alone, so that one in quotes counts too. `folder` is where its last command runs.
pub(crate) fn guarded_redirects(text: &str, folder: Option<&str>) -> Vec<Invocation> {
    if memchr::memchr(b'>', text.as_bytes()).is_none() {
        return Vec::new();
    }
    let names = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if !GUARDED_WORDS.split('|').any(names) {
        return Vec::new();
    }
    let may_be_guarded = |path: &str| GUARDED_WORDS.split('|').any(|word| path.contains(word));
    let in_guarded = folder.is_some_and(may_be_guarded);
    let mut seen = HashSet::new();
    let behind = text.split('>').skip(1).map(|rest| rest.trim_start_matches(['|', '!', '&', ' ', '\t']));
    let files = behind.filter_map(|rest| {
        let ends = |c: char| c.is_whitespace() || ";|&<()".contains(c);
        let file = rest.split(ends).next().unwrap_or_default();
        let file: String = file.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect();
        let counts = !file.is_empty() && (in_guarded || may_be_guarded(&file)) && seen.insert(file.clone());
        counts.then_some(file)
    });
    let invocation = |file| Invocation {
        program: REDIRECTION.to_owned(),
        words: vec![file],
        folder: folder.map(str::to_owned),
        ..Invocation::default()
    };
    files.take(MAX_REDIRECTIONS).map(invocation).collect()
}
