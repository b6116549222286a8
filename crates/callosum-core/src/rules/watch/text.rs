//! What a text may name: a part of a path, whole or by a pattern, and what takes all of a folder away. All by the text, in small letters, and in
//! time that grows with its length alone.

use callosum_shell::command;
use wildmatch::WildMatch;

/// At most this many signs behind the name of a folder may stand for all that is in it; of more nobody looks for the end.
const MAX_SIGNS: usize = 64;
/// In longer parts of paths patterns are not looked at: they may match whatever there is.
const MAX_PART: usize = 1_024;

/// Whether a byte of a word of a path stands there.
fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Where in a text a name stands as the beginning of a part of a path, and not as letters within another word: folders may be called `s`.
/// What is written right behind the letters of an option, or behind an escaped character, counts. Gives those letters, and what follows it.
fn parts<'t>(text: &'t str, name: &str) -> impl Iterator<Item = (&'t str, &'t str)> {
    // Where was looked for the last one, and where the word began that stands there.
    let mut known = (0, 0);
    text.match_indices(name).filter_map(move |(at, _)| {
        let (looked, began) = known;
        let before = text.get(looked..at)?;
        let begins = before.char_indices().rev().find(|(_, c)| !is_in_word(*c));
        let begins = begins.map_or(began, |(place, c)| looked + place + c.len_utf8());
        known = (at, begins);
        let letters = text.get(begins..at)?;
        let is_one = letters.is_empty()
            || letters.starts_with('-')
            || text.get(..begins).is_some_and(|rest| rest.ends_with(['\\', '%']));
        text.get(at + name.len()..).filter(|_| is_one).map(|after| (letters, after))
    })
}

/// Whether a name stands in a text as a part of a path.
pub(super) fn has_part(text: &str, name: &str) -> bool {
    text.contains(name) && parts(text, name).any(|(_, after)| !after.starts_with(is_in_word))
}

/// Whether a path ends in a name, or goes on with what stands for all that is in it. The names of folders above may be the ends of options'
/// names, as `me` is of `-name`: an option has one letter here.
pub(super) fn ends_in(text: &str, name: &str) -> bool {
    text.contains(name) && parts(text, name).any(|(letters, after)| letters.len() <= 2 && is_end(after))
}

/// Whether in a text a mark stands as the last of a path: `~`, `HOME`, `/`.
pub(super) fn stands_alone(text: &str, mark: &str) -> bool {
    text.match_indices(mark).any(|(at, _)| is_end(text.get(at + mark.len()..).unwrap_or_default()))
}

/// Whether a text names the root of all folders, and nothing in it.
pub(super) fn names_root(text: &str) -> bool {
    memchr::memchr_iter(b'/', text.as_bytes()).any(|at| {
        let begins = text.get(..at).is_some_and(|before| {
            before.is_empty() || before.ends_with(|c: char| c.is_whitespace() || "'\"`=(;|&".contains(c))
        });
        begins && text.get(at + 1..).is_some_and(is_end)
    })
}

/// Whether nothing of a path follows, or what stands for all that is in it, or a pattern for some of it.
fn is_end(rest: &str) -> bool {
    let mut has_pattern = false;
    for c in rest.chars().take(MAX_SIGNS) {
        match c {
            '*' | '?' => has_pattern = true,
            '}' | '"' | '\'' | '/' | '.' | ':' | '+' => {}
            '[' | '{' => return true,
            _ => return has_pattern || c.is_whitespace() || "`;|&),".contains(c),
        }
    }
    true
}

/// Whether a shell runs what another program prints.
pub(super) fn runs_what_is_made(text: &str) -> bool {
    memchr::memchr_iter(b'|', text.as_bytes()).any(|at| {
        let next = text.get(at + 1..).unwrap_or_default().trim_start_matches([' ', '\t', '&']);
        next.starts_with(['s', 'b', 'z', 'd', 'k'])
            && ["sh", "bash", "zsh", "dash", "ksh"]
                .iter()
                .any(|shell| next.strip_prefix(shell).is_some_and(|rest| !rest.starts_with(is_in_word)))
    })
}

/// Whether a name is put together in a text: what it begins with before a quotation's end or a variable, or what it ends with behind one.
pub(super) fn is_composed(text: &str, name: &str) -> bool {
    let cuts = name.char_indices().filter(|(at, c)| *at > 0 && !c.is_alphanumeric());
    cuts.map(|(at, c)| (name.get(..at + c.len_utf8()), name.get(at..))).any(|(first, last)| {
        let (first, last) = (first.unwrap_or_default(), last.unwrap_or_default());
        let is_before = |after: &str| after.starts_with(['\'', '"', '`', '$', '{']);
        let is_behind = |at: usize| {
            text.get(..at).is_some_and(|before| before.ends_with(['\'', '"', '`', '}', ')', ']']))
        };
        first.len() > 2 && text.contains(first) && parts(text, first).any(|(_, after)| is_before(after))
            || last.len() > 2 && text.match_indices(last).any(|(at, _)| is_behind(at))
    })
}

/// Whether a pattern of the shell in a text may match a name, or a word into which variables are put.
pub(super) fn pattern_may_match(text: &str, name: &str) -> bool {
    let ends = |c: char| c.is_whitespace() || "/\"'`;|&()<>=,".contains(c);
    let signs = ['*', '?', '[', '{', '}', '$'];
    text.split(ends).filter(|part| part.contains(signs)).any(|part| {
        part.len() > MAX_PART || widened(part).is_some_and(|pattern| WildMatch::new(&pattern).matches(name))
    })
}

/// A part of a path with any character for each set of them, and any text for each choice of words and each variable; `None` of one in which
/// nothing else stands: that names whatever there is.
fn widened(part: &str) -> Option<String> {
    let mut wide = String::with_capacity(part.len());
    let mut says = false;
    let mut rest = part;
    while let Some(c) = rest.chars().next() {
        let behind = rest.get(c.len_utf8()..).unwrap_or_default();
        rest = match c {
            '[' => {
                // Classes have brackets of their own.
                let inside = behind.rfind(":]").map_or(0, |at| at + 2);
                let close = behind.get(inside..).and_then(|left| Some(inside + left.find(']')?));
                let Some(close) = close.filter(|close| *close > 0) else { break };
                wide.push('?');
                says |= !part.contains('*');
                behind.get(close + 1..).unwrap_or_default()
            }
            '{' => {
                wide.push('*');
                // Cut off where a path goes on inside.
                behind.find('}').map_or("", |close| behind.get(close + 1..).unwrap_or_default())
            }
            '}' => {
                wide = "*".to_owned();
                says = false;
                behind
            }
            '$' => {
                wide.push('*');
                match behind.strip_prefix('{') {
                    Some(inside) => {
                        inside.find('}').map_or("", |close| inside.get(close + 1..).unwrap_or_default())
                    }
                    None => behind.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'),
                }
            }
            _ => {
                says |= c.is_alphanumeric() || c == '?' && !part.contains('*');
                wide.push(c);
                behind
            }
        };
    }
    says.then_some(wide)
}

/// Words of commands, and of code, that take away, or write over, all that is in a folder: of all that
/// `callosum_shell::command::writes` tells of such.
const DESTRUCTIVE: &[&str] = &[
    // Programs.
    "rm",
    "rmdir",
    "mv",
    "rsync",
    "rclone",
    "git",
    "find",
    "fd",
    "fdfind",
    "trash",
    "trash-put",
    "shred",
    "unlink",
    "mount",
    "umount",
    "rename",
    "prename",
    "mmv",
    "gio",
    "xargs",
    "aws",
    "gcloud",
    "mc",
    "s3cmd",
    "s5cmd",
    "tar",
    "gtar",
    "bsdtar",
    "remove-item",
    "ri",
    "move-item",
    "mi",
    "rename-item",
    "rni",
    // What code calls.
    "remove",
    "removesync",
    "removedirs",
    "rmsync",
    "rmdirsync",
    "rmtree",
    "rm_rf",
    "rm_r",
    "rm_f",
    "unlinksync",
    "delete",
    "move",
    "movesync",
    "renames",
    "renamesync",
    "replace",
];

/// Whether commands of a text may write files.
pub(super) fn may_write(text: &str) -> bool {
    text.contains('>') || is_destructive(text) || words(text).any(command::may_write)
}

/// Whether a text has such a word.
pub(in crate::rules) fn is_destructive(text: &str) -> bool {
    words(text).any(|word| DESTRUCTIVE.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

/// The words of a text that may be names of programs, or of what code calls.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
}
