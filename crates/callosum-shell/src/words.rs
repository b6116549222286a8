//! Shell words: quotes, substitutions, and what stands in front of a program's name.

use std::iter::Peekable;
use std::str::Chars;

use super::braces;

/// Words as a shell takes them for what they are.
pub(super) fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("'{}' ", word.replace('\'', "'\\''"))).collect()
}

/// A word without its quotes. The tokenizer's own function takes every quotation mark away, those inside
/// other quotes too.
pub(super) fn unquote(word: &str) -> String {
    if !word.contains(['\'', '"', '\\']) {
        return word.to_owned();
    }
    if !word.contains("$(") || word.contains(EXPANSION) {
        return without_quotes(word);
    }
    // The quotes in a substitution are its own.
    let (mut short, mut copied) = (String::new(), 0);
    let spans = spans(word);
    for (start, end) in &spans {
        short.push_str(word.get(copied..*start).unwrap_or_default());
        short.push(EXPANSION);
        copied = *end;
    }
    short.push_str(word.get(copied..).unwrap_or_default());
    let plain = without_quotes(&short);
    let mut parts = plain.split(EXPANSION);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for (part, (start, end)) in parts.zip(spans) {
        whole.push_str(word.get(start..end).unwrap_or_default());
        whole.push_str(part);
    }
    whole
}

/// Stands for a substitution while quotes are taken away.
const EXPANSION: char = '\u{e002}';

/// Where in a word the substitutions stand, from their `$(` to behind their `)`.
fn spans(word: &str) -> Vec<(usize, usize)> {
    let bytes = word.as_bytes();
    let (mut spans, mut at, mut in_double) = (Vec::new(), 0, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\'' if !in_double => at = end_of_quote(bytes, at),
            b'"' => in_double = !in_double,
            b'$' if bytes.get(at + 1) == Some(&b'(') => {
                let Some(end) = closing_parenthesis(bytes, at + 2, 0, Inside::Cases) else { return spans };
                spans.push((at, end + 1));
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    spans
}

fn without_quotes(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => plain.extend(chars.by_ref().take_while(|&c| c != '\'')),
            '"' => {
                while let Some(c) = chars.next_if(|&c| c != '"') {
                    match chars.peek() {
                        Some(&escaped) if c == '\\' && matches!(escaped, '"' | '\\' | '$' | '`') => {
                            plain.push(escaped);
                            chars.next();
                        }
                        _ => plain.push(c),
                    }
                }
                chars.next();
            }
            '\\' => plain.extend(chars.next()),
            '$' if chars.next_if_eq(&'\'').is_some() => ansi_c(&mut chars, &mut plain),
            '$' if chars.peek() == Some(&'"') => {}
            _ => plain.push(c),
        }
    }
    plain
}

/// Reads what stands in `$'…'` up to its end, as bash's manual has it under "ANSI-C Quoting".
fn ansi_c(chars: &mut Peekable<Chars<'_>>, plain: &mut String) {
    while let Some(c) = chars.next().filter(|&c| c != '\'') {
        if c == '\\' { escape(chars, plain) } else { plain.push(c) }
    }
}

/// Reads what follows a backslash there.
fn escape(chars: &mut Peekable<Chars<'_>>, plain: &mut String) {
    let Some(escaped) = chars.next() else {
        plain.push('\\');
        return;
    };
    let digits = match escaped {
        'x' => Some((16, 2)),
        'u' => Some((16, 4)),
        'U' => Some((16, 8)),
        '0'..='7' => Some((8, 2)),
        _ => None,
    };
    plain.push(match (escaped, digits) {
        (_, Some((radix, most))) => {
            let first = escaped.to_digit(8).filter(|_| radix == 8);
            let mut code = first.unwrap_or(0);
            for _ in 0..most {
                let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
                code = code.wrapping_mul(radix).wrapping_add(digit);
                chars.next();
            }
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        ('a', _) => '\u{7}',
        ('b', _) => '\u{8}',
        ('e' | 'E', _) => '\u{1b}',
        ('f', _) => '\u{c}',
        ('n', _) => '\n',
        ('r', _) => '\r',
        ('t', _) => '\t',
        ('v', _) => '\u{b}',
        ('c', _) => chars.next().map_or('\0', |c| char::from(u8::try_from(c).unwrap_or(0) & 0x1f)),
        (other, _) => other,
    });
}

/// Longer words in braces hide none.
const MAX_GROUP: usize = 256;

/// Quotes and backslashes, `^`, `{`, and `$`: what words may be hidden by.
const QUOTE: u8 = 1;
const CARET: u8 = 2;
const BRACE: u8 = 4;
const DOLLAR: u8 = 8;
#[expect(clippy::indexing_slicing, reason = "a byte is less than 256")]
static HIDING: [u8; 256] = {
    let mut signs = [0; 256];
    (signs[b'\'' as usize], signs[b'"' as usize], signs[b'\\' as usize]) = (QUOTE, QUOTE, QUOTE);
    (signs[b'^' as usize], signs[b'{' as usize], signs[b'$' as usize]) = (CARET, BRACE, DOLLAR);
    signs
};

/// What in a text words may be hidden by, told by one look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hiding {
    signs: u8,
    /// A quotation cuts a word into pieces, or says it in a code.
    is_cut: bool,
    cuts_names: bool,
}

impl Hiding {
    /// A look at a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let (bytes, mut hiding) = (text.as_bytes(), Self::default());
        for (at, byte) in bytes.iter().enumerate() {
            let sign = HIDING.get(usize::from(*byte)).copied().unwrap_or(0);
            // Few bytes are one.
            if sign != 0 {
                hiding.signs |= sign;
                hiding.is_cut |= sign == QUOTE && is_code(bytes, at);
                // Where a quotation begins with a word, it cuts nothing.
                if sign == QUOTE && at > 0 && bytes.get(at - 1) != Some(&b' ') {
                    hiding.is_cut |= is_within_word(bytes, at);
                    hiding.cuts_names |= is_within_name(bytes, at);
                }
            }
        }
        hiding
    }

    /// Whether a quotation begins or ends within what may be the name of a file, of whatever signs that is.
    #[must_use]
    pub fn cuts_names(self) -> bool {
        self.cuts_names
    }

    /// Whether there is any.
    pub(super) fn is_any(self) -> bool {
        self.signs != 0
    }

    /// Whether variables are among it.
    pub(super) fn has_variables(self) -> bool {
        self.signs & DOLLAR != 0
    }
}

/// Whether a quote or backslash stands within the name of a file.
fn is_within_name(bytes: &[u8], at: usize) -> bool {
    let stands =
        |at: Option<&u8>| at.is_some_and(|byte| !byte.is_ascii_whitespace() && !b";|&()<>=,".contains(byte));
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    // A line that goes on, and a space that is a part of a name.
    let goes_on = || bytes.get(at) == Some(&b'\\') && bytes.get(at + 1).is_some_and(u8::is_ascii_whitespace);
    stands(before) && (stands(bytes.get(at + 1)) || goes_on())
}

fn is_in_word(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// Whether a quote or backslash stands within a word, or between a quotation and its neighbour.
fn is_within_word(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at + 1);
    let goes_on = || is_in_word(bytes, at + 1) || matches!(next, Some(b'\'' | b'"' | b'\\' | b'\n'));
    let Some(before) = at.checked_sub(1) else { return false };
    is_in_word(bytes, before) && goes_on()
        || bytes.get(before) == Some(&b'$') && bytes.get(at) == Some(&b'\'')
}

/// Whether a backslash begins what `printf '\x67it'` prints, for a shell.
fn is_code(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b'\\')
        && bytes.get(at + 1).is_some_and(|next| matches!(next, b'x' | b'u' | b'0'..=b'7'))
}

/// The text with the words whole that quoting cuts into pieces (`him''alaya`, `hima\laya`, `$'\x68imalaya'`): for a look at which
/// words stand in it. `None` when there is none of these, as nearly always.
pub(super) fn unhidden(text: &str, Hiding { signs, is_cut, .. }: Hiding) -> Option<String> {
    let bytes = text.as_bytes();
    // `^Cgit`, as it is typed into a terminal; `pus{h,}`.
    let is_key =
        |at: usize| matches!(bytes.get(at + 1), Some(b'A'..=b'Z' | b'[')) && is_in_word(bytes, at + 2);
    let has_key = signs & CARET != 0 && memchr::memchr_iter(b'^', bytes).any(is_key);
    let has_braces = signs & BRACE != 0
        && memchr::memchr_iter(b'{', bytes).any(|at| {
            let near = bytes.get(at..bytes.len().min(at + MAX_GROUP)).unwrap_or_default();
            let end = at + memchr::memchr(b'}', near).unwrap_or(0);
            let holds_words = bytes.get(end) == Some(&b'}')
                && text.get(at..end).is_some_and(|inside| inside.contains(',') || inside.contains(".."));
            holds_words
                && (at > 0 && is_in_word(bytes, at - 1)
                    || is_in_word(bytes, end + 1)
                    || bytes.get(end + 1) == Some(&b'{'))
        });
    if !is_cut && !has_key && !has_braces {
        return None;
    }
    let mut whole = pieces(text, false);
    if memchr::memchr_iter(b'\\', bytes).any(|at| is_code(bytes, at)) {
        whole.push('\n');
        whole.push_str(&pieces(text, true));
    }
    if has_key {
        for (at, _) in text.match_indices('^').filter(|(at, _)| is_key(*at)) {
            whole.push('\n');
            whole.extend(
                text.get(at + 2..).unwrap_or_default().chars().take_while(char::is_ascii_alphanumeric),
            );
        }
    }
    if has_braces {
        let most = 4 * (text.len() + whole.len()) + MAX_GROUP;
        for word in text.split_whitespace().filter(|word| braces::may_expand(word)) {
            if whole.len() > most {
                break;
            }
            braces::expanded(word).0.iter().for_each(|word| {
                whole.push('\n');
                whole.push_str(&pieces(word, false));
            });
        }
    }
    Some(whole)
}

/// The text without its quotes and backslashes; with what these mean to `printf`, if it is for one.
pub(super) fn pieces(text: &str, is_printed: bool) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '$' if chars.next_if_eq(&'\'').is_some() => ansi_c(&mut chars, &mut whole),
            '\\' if is_printed => escape(&mut chars, &mut whole),
            '\\' => drop(chars.next_if_eq(&'\n')),
            '\'' | '"' => {}
            _ => whole.push(c),
        }
    }
    whole
}

/// The name of the program that `word` runs: the last part of its path, without the ending that Windows gives it.
pub(super) fn program_name(word: &str) -> &str {
    // Most words are short, and no path: that is told sooner than where its last part begins.
    let is_path = word.as_bytes().contains(&b'/');
    let name = if is_path { word.rsplit('/').next().unwrap_or(word) } else { word };
    match name.strip_suffix(".exe") {
        Some(program) => program.rsplit('\\').next().unwrap_or(program),
        None => name,
    }
}

/// The program that a word names by where it is found: `$(which git)`, `"$(command -v git)"`.
pub(super) fn looked_up(word: &str) -> Option<&str> {
    let in_parentheses = || word.strip_prefix("$(")?.strip_suffix(')');
    let inside = in_parentheses().or_else(|| word.strip_prefix('`')?.strip_suffix('`'))?;
    let mut words = inside.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    let is_look_up = match words.next()? {
        "which" => true,
        "command" => words.next()? == "-v",
        "type" | "whence" => words.next()?.eq_ignore_ascii_case("-p"),
        _ => false,
    };
    let program = words.next().filter(|_| is_look_up)?;
    // With more behind it, it is not certain what it prints: `which git || echo hub`.
    (words.next().is_none_or(|next| next.contains(['>', '|', '&'])) && !program.starts_with(['-', '$']))
        .then_some(program)
}

/// A word without what is expanded in it: `g$x${y}i$(:)t` is `git` where none of these says something.
pub(super) fn without_expansions(word: &str) -> String {
    let (bytes, mut bare, mut at) = (word.as_bytes(), String::with_capacity(word.len()), 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'$', b'`', rest)) {
        bare.push_str(word.get(at..at + found).unwrap_or_default());
        at += found;
        let behind = bytes.get(at + 1..).unwrap_or_default();
        let length = match (bytes.get(at), behind.first()) {
            (Some(b'`'), _) => memchr::memchr(b'`', behind).map(|end| end + 2),
            (_, Some(b'{')) => memchr::memchr(b'}', behind).map(|end| end + 2),
            (_, Some(b'(')) => closing_parenthesis(bytes, at + 2, 0, Inside::Cases).map(|end| end + 1 - at),
            (_, Some(b'@' | b'*' | b'0'..=b'9')) => Some(2),
            _ => {
                let name = behind.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
                Some(1 + name.count())
            }
        };
        // What never ends is all the rest.
        at = length.map_or(bytes.len(), |length| at + length);
    }
    bare.push_str(word.get(at..).unwrap_or_default());
    bare
}

/// Whether `word` sets a variable before a command: `NAME=value`.
pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The commands that run in order to make a word: what stands in `$(…)` and between backquotes, outside single
/// quotes; and whether it is certain where they end. In the text of a here-document single quotes mean nothing.
pub(super) fn substitutions(raw: &str, in_document: bool) -> (Vec<String>, bool) {
    let bytes = raw.as_bytes();
    let (mut found, mut at, mut in_double, mut is_certain) = (Vec::new(), 0, in_document, true);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\'' if !in_double => at = end_of_quote(bytes, at),
            b'"' if !in_document => in_double = !in_double,
            b'`' => {
                let end = end_of_backquote(bytes, at);
                found.extend(raw.get(at + 1..end).map(|inner| inner.replace("\\`", "`")));
                at = end;
            }
            b'$' if bytes.get(at + 1) == Some(&b'(') => {
                let sum = end_of_sum(bytes, at + 2);
                let closing = sum.or_else(|| closing_parenthesis(bytes, at + 2, 0, Inside::Cases));
                // `case` may have been an argument.
                let end = closing.unwrap_or_else(|| {
                    is_certain = false;
                    closing_parenthesis(bytes, at + 2, 0, Inside::Commands).unwrap_or(bytes.len())
                });
                // `$((…))` calculates; what it calculates with may be a substitution.
                let inner = raw.get(at + 2..end).unwrap_or_default();
                match inner.strip_prefix('(').filter(|_| sum.is_some()) {
                    // Words are commands, whatever closes: where no shell runs them, one was meant to.
                    Some(sum) if !has_neighbours(sum) => {
                        let (inside, is_inside) = substitutions(sum, false);
                        found.extend(inside);
                        is_certain &= is_inside;
                    }
                    _ => found.push(inner.to_owned()),
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    (found, is_certain)
}

/// Whether two words stand beside each other with no operator between them: in a sum they never do.
fn has_neighbours(text: &str) -> bool {
    let is_operand = |word: &str| word.starts_with(|c: char| c.is_alphanumeric() || "'\"$-./".contains(c));
    let begins = |word: &str| {
        word.trim_start_matches('(').starts_with(|c: char| c.is_alphabetic() || "./_".contains(c))
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).any(|pair| {
        let [one, other] = pair else { return false };
        let ends = one.ends_with(|c: char| c.is_alphanumeric() || "'\"_".contains(c));
        begins(one) && ends && is_operand(other) && *other != "-"
    })
}

/// Where the single-quoted text that begins at `start` ends.
fn end_of_quote(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start + 1..).unwrap_or_default();
    memchr::memchr(b'\'', rest).map_or(bytes.len(), |length| start + 1 + length)
}

fn end_of_backquote(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'`' => break,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

/// Substitutions inside each other are followed so deep: as many as there may be in a text.
const MAX_DEPTH: usize = 128;

/// What stands in a parenthesis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Commands, where each `case` is one that an `esac` ends, whose patterns have a `)` of their own.
    Cases,
    /// Commands, where none is.
    Commands,
    /// A sum: it has no here-documents either.
    Sum,
}

/// The last `)` of the sum whose second `(` is at `start`, behind a `(` or `$(`; `None` where that is no sum but the parenthesis of a
/// command: `$((a); b)`, `$((a) )`. A shell tells them by what closes: of a sum nothing stands between the two `)`.
pub(super) fn end_of_sum(bytes: &[u8], start: usize) -> Option<usize> {
    if bytes.get(start) != Some(&b'(') {
        return None;
    }
    let end = closing_parenthesis(bytes, start + 1, 0, Inside::Sum)? + 1;
    (bytes.get(end) == Some(&b')')).then_some(end)
}

/// Where the parenthesis closes that was opened before `start`, if it does.
fn closing_parenthesis(bytes: &[u8], start: usize, depth: usize, inside: Inside) -> Option<usize> {
    let (mut at, mut open, mut in_double, mut cases) = (start, 1_usize, false, 0_usize);
    let (mut tags, mut has_documents) = (Vec::new(), inside != Inside::Sum);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\'' if !in_double => at = end_of_quote(bytes, at),
            b'"' => in_double = !in_double,
            b'$' if in_double && bytes.get(at + 1) == Some(&b'(') && depth < MAX_DEPTH => {
                at = closing_parenthesis(bytes, at + 2, depth + 1, inside)?;
            }
            _ if in_double => {}
            b'<' if has_documents && bytes.get(at + 1) == Some(&b'<') => {
                at += if bytes.get(at + 2) == Some(&b'<') { 2 } else { 1 };
                tags.extend(bytes.get(at + 1..).and_then(tag));
            }
            b'\n' => {
                for tag in tags.drain(..) {
                    let end = end_of_document(bytes, at, tag);
                    // One that never ends is looked for once.
                    has_documents &= end > at;
                    at = end;
                }
            }
            b'c' if inside == Inside::Cases && is_word(bytes, at, b"case") => cases += 1,
            b'e' if is_word(bytes, at, b"esac") => cases = cases.saturating_sub(1),
            b'(' => open += 1,
            b')' if open == 1 && cases > 0 => {}
            b')' => {
                open -= 1;
                if open == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a word stands at a place, and no more than it.
fn is_word(bytes: &[u8], at: usize, word: &[u8]) -> bool {
    let is_edge = |byte: Option<&u8>| byte.is_none_or(|byte| b" \t\n;&|()".contains(byte));
    bytes.get(at..).is_some_and(|rest| rest.starts_with(word))
        && is_edge(at.checked_sub(1).and_then(|before| bytes.get(before)))
        && is_edge(bytes.get(at + word.len()))
}

/// The tag of the here-document behind a `<<`.
fn tag(bytes: &[u8]) -> Option<&[u8]> {
    let start = bytes.iter().position(|byte| !b"- \t'\"\\".contains(byte))?;
    let mark = bytes.get(start..)?;
    let length =
        mark.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(mark.len());
    mark.get(..length).filter(|tag| !tag.is_empty())
}

/// The last byte of the here-document that begins behind the newline `at`; the newline, when it never ends.
fn end_of_document(bytes: &[u8], at: usize, tag: &[u8]) -> usize {
    let Some(document) = bytes.get(at + 1..) else { return at };
    let mut end = at;
    for line in document.split(|byte| *byte == b'\n') {
        end += 1 + line.len();
        let tabs = line.iter().take_while(|byte| **byte == b'\t').count();
        if line.get(tabs..) == Some(tag) {
            return end;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_a_program_would_get() {
        for (word, plain) in [
            ("plain", "plain"),
            ("'single \"quoted\" \\n'", "single \"quoted\" \\n"),
            ("\"it's \\\"this\\\" \\n\"", "it's \"this\" \\n"),
            ("$'a\\nb\\'c'", "a\nb'c"),
            ("a\\ b'c d'\"e f\"", "a bc de f"),
            ("$HOME/\"x y\"", "$HOME/x y"),
            ("", ""),
            ("\\", ""),
            ("'open", "open"),
        ] {
            assert_eq!(unquote(word), plain, "{word}");
        }
    }

    #[test]
    fn substitutions_are_found_where_a_shell_runs_them() {
        for (word, inside) in [
            ("plain$X", &[][..]),
            ("$(date)", &["date"]),
            ("\"a $(mail -s 'x)' bob) b\"`ls`", &["mail -s 'x)' bob", "ls"]),
            ("'$(date)'\"'$(a)'\"", &["a"]),
            ("$(a \"$(b ')' )\" (c))d", &["a \"$(b ')' )\" (c)"]),
            ("\\$(a)", &[]),
            ("`a \\`b\\``", &["a `b`"]),
            ("$((1 + $(a)))", &["a"]),
            ("$(((1 << $(a)) + x))", &["a"]),
            ("$(( (bash <<<x) ))", &[]),
            ("$(( (bash <<<x) ) )", &["( (bash <<<x) ) "]),
            ("$((a); (b))", &["(a); (b)"]),
            ("$((x)\n)$((1))$((y)|z)", &["(x)\n", "(y)|z"]),
            ("$((x \"))\" )\n)", &["(x \"))\" )\n"]),
            // The two that close are those of the document.
            ("$((cat <<E\n))\n$(a)\nE\n) )", &["a"]),
            ("$(open", &["open"]),
            ("`open", &["open"]),
        ] {
            assert_eq!(substitutions(word, false).0, inside, "{word}");
        }
        assert_eq!(substitutions("it's $(a)", true).0, ["a"]);
    }
}
