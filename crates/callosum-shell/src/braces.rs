//! Brace words: what a shell makes of `pus{h,}`, `{git,push}`, `v{1..3}`.

/// Of one word so many are made, and so long ones in all, in bytes.
const MAX_WORDS: usize = 256;
const MAX_BYTES: usize = 16 * 1024;

/// Whether a word may stand for several.
pub(super) fn may_expand(raw: &str) -> bool {
    // Nearly no word has one, and words are short.
    raw.as_bytes().contains(&b'{')
        && raw.split_once('{').is_some_and(|(_, rest)| rest.contains(',') || rest.contains(".."))
}

/// The words that a shell makes of one, as they would be written; false where these are more than are made. Quotes keep their braces.
pub fn expanded(raw: &str) -> (Vec<String>, bool) {
    if !may_expand(raw) {
        return (vec![raw.to_owned()], true);
    }
    let (mut words, mut left, mut room) = (Vec::new(), vec![raw.to_owned()], MAX_BYTES);
    while let Some(word) = left.pop() {
        match group(&word) {
            Some(group) => {
                let length = group.choices.len().saturating_mul(word.len());
                let has_room = words.len() + left.len() + group.choices.len() <= MAX_WORDS;
                match room.checked_sub(length).filter(|_| has_room) {
                    Some(rest) => room = rest,
                    None => {
                        words.push(word);
                        return (words, false);
                    }
                }
                left.extend(group.words(&word));
            }
            // Of nothing no word comes: `{sudo,,git,push}`.
            None if word.is_empty() => {}
            None => words.push(word),
        }
    }
    (words, true)
}

/// The first braces of a word that mean something.
struct Group {
    /// Where they stand, both among it.
    from: usize,
    to: usize,
    /// What stands between their commas, or what their `..` says.
    choices: Vec<String>,
}

impl Group {
    /// The words that come of it, the last first.
    fn words(self, word: &str) -> Vec<String> {
        let (before, after) =
            (word.get(..self.from).unwrap_or_default(), word.get(self.to + 1..).unwrap_or_default());
        self.choices.iter().rev().map(|choice| format!("{before}{choice}{after}")).collect()
    }
}

/// Braces that are open: where, their commas, and whether a `$` stands before them.
struct Open {
    at: usize,
    commas: Vec<usize>,
    is_parameter: bool,
}

fn group(word: &str) -> Option<Group> {
    let bytes = word.as_bytes();
    let mut open: Vec<Open> = Vec::new();
    let (mut at, mut quote, mut found) = (0, None, None);
    while let Some(byte) = bytes.get(at) {
        match (quote, byte) {
            (Some(b'\''), b'\'') => quote = None,
            (Some(b'\''), _) => {}
            (_, b'\\') => at += 1,
            (Some(b'"'), b'"') => quote = None,
            (None, b'\'' | b'"') => quote = Some(*byte),
            (None, b'{') => {
                let is_parameter = at > 0 && bytes.get(at - 1) == Some(&b'$');
                open.push(Open { at, commas: Vec::new(), is_parameter });
            }
            (None, b',') => {
                if let Some(open) = open.last_mut() {
                    open.commas.push(at);
                }
            }
            (None, b'}') => {
                let closed =
                    open.pop().filter(|open| !open.is_parameter).and_then(|open| closed(word, open, at));
                // The outer ones come first.
                if let Some(group) = closed
                    && found.as_ref().is_none_or(|found: &Group| group.from < found.from)
                {
                    if open.is_empty() {
                        return Some(group);
                    }
                    found = Some(group);
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The group that ends at `to`, if it is one.
fn closed(word: &str, open: Open, to: usize) -> Option<Group> {
    if open.commas.is_empty() {
        let choices = sequence(word.get(open.at + 1..to)?)?;
        return Some(Group { from: open.at, to, choices });
    }
    let mut choices = Vec::with_capacity(open.commas.len() + 1);
    let mut from = open.at + 1;
    for end in open.commas.iter().copied().chain([to]) {
        choices.push(word.get(from..end)?.to_owned());
        from = end + 1;
    }
    Some(Group { from: open.at, to, choices })
}

/// What `a..e` and `1..3` say; nothing where it is too much to say.
fn sequence(range: &str) -> Option<Vec<String>> {
    let (first, last) = range.split_once("..")?;
    let mut letters = (first.chars(), last.chars());
    if let (Some(first), None, Some(last), None) =
        (letters.0.next(), letters.0.next(), letters.1.next(), letters.1.next())
        && first.is_ascii_alphabetic()
        && last.is_ascii_alphabetic()
    {
        let all = first.min(last)..=first.max(last);
        return Some(all.map(String::from).collect());
    }
    let (first, last) = (first.parse::<i32>().ok()?, last.parse::<i32>().ok()?);
    let all = first.min(last)..=first.max(last);
    let is_short = usize::try_from(i64::from(*all.end()) - i64::from(*all.start())).ok()? < MAX_WORDS / 4;
    is_short.then(|| all.map(|number| number.to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brace_word_is_the_words_that_a_shell_makes_of_it() {
        for (word, words) in [
            ("plain", "plain"),
            ("pus{h,}", "push|pus"),
            ("{git,push}", "git|push"),
            ("{git,\\ push}", "git|\\ push"),
            ("a{b,c}d{e,f}", "abde|abdf|acde|acdf"),
            ("a{b,{c,d}}e", "abe|ace|ade"),
            ("v{1..3}", "v1|v2|v3"),
            ("{c..a}", "a|b|c"),
            ("{a,b", "{a,b"),
            ("a{b}c,d", "a{b}c,d"),
            ("{}", "{}"),
            ("'{a,b}'", "'{a,b}'"),
            ("\"{a,b}\"", "\"{a,b}\""),
            ("\\{a,b}", "\\{a,b}"),
            ("{'a,b',c}", "'a,b'|c"),
            ("${x,,}{a,b}", "${x,,}a|${x,,}b"),
            ("{1..100000}", "{1..100000}"),
            ("HEAD@{1}", "HEAD@{1}"),
            ("{,}", ""),
            ("{sudo,,git,push}", "sudo|git|push"),
            ("{'',a}", "''|a"),
        ] {
            assert_eq!(expanded(word).0.join("|"), words, "{word}");
        }
        assert!(!expanded(&"{a,b}".repeat(64)).1);
        assert!(expanded(&"{".repeat(10_000)).1);
    }
}
