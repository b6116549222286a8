//! What programs in a pipeline make of a text that the line holds, for a shell behind them that runs it: those that print it,
//! and filters that put it in another form.

use std::borrow::Cow;
use std::rc::Rc;

use super::expansion::{self, Expansion};
use super::{Invocation, Texts, encoded};

/// Longer texts are not put in another form, nor into one that is longer: a line may have two thousand filters behind each other.
const MAX_BYTES: usize = 16 * 1024;

/// What `echo` and `printf` print; `None` when that is longer than `most` and than what they are called with: a format stands
/// there again for each of its words.
pub(super) fn said(command: &Invocation, most: usize) -> Option<String> {
    let mut room = most;
    let mut all = Vec::with_capacity(command.words.len());
    for word in &command.words {
        let value = |expansion: &Expansion<'_>| {
            let known = command.variables.iter().rev().find(|(known, _)| known == expansion.name);
            expansion.of(known.map(|(_, value)| value.as_str())).filter(|_| !expansion.is_indirect)
        };
        let word = match expansion::in_text(word, &mut room, value) {
            Ok(undone) => undone.map_or(Cow::Borrowed(word.as_str()), Cow::Owned),
            Err(()) => return None,
        };
        all.push(word);
    }
    let is_own = |word: &&str| match command.program.as_str() {
        "echo" => word.len() > 1 && word.starts_with('-') && !word.contains(|c| !"-neE".contains(c)),
        _ => *word == "--",
    };
    let mut words = all.iter().map(AsRef::as_ref).skip_while(is_own);
    if command.program != "printf" {
        return Some(unescaped(&words.collect::<Vec<_>>().join(" "), ""));
    }
    let format = unescaped(words.next().unwrap_or_default(), "'\"");
    let words: Vec<&str> = words.collect();
    if !format.contains('%') {
        return Some(format);
    }
    let most = most + format.len() + words.iter().map(|word| word.len()).sum::<usize>();
    let (mut said, mut rest) = (String::new(), words.as_slice());
    loop {
        let before = rest.len();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                said.push(c);
                continue;
            }
            // `%s`, `%-20s`, `%b`
            match chars.by_ref().find(|c| c.is_ascii_alphabetic() || *c == '%') {
                Some('%') | None => said.push('%'),
                Some(kind) => {
                    let (word, after) = rest.split_first().map_or(("", rest), |(word, after)| (*word, after));
                    rest = after;
                    said.push_str(&if kind == 'b' { unescaped(word, "") } else { word.to_owned() });
                }
            }
        }
        if said.len() > most {
            return None;
        }
        if rest.is_empty() || rest.len() == before {
            return Some(said);
        }
    }
}

/// A text with the escapes undone that `echo -e` and `printf` know, and those of `quotes`, which only a format has. What ends a
/// line for a terminal goes.
fn unescaped(text: &str, quotes: &str) -> String {
    let Some(first) = memchr::memchr(b'\\', text.as_bytes()) else { return text.to_owned() };
    let (plain, rest) = text.split_at(first);
    let mut whole = plain.to_owned();
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(escaped) = chars.peek().copied().filter(|_| c == '\\') else {
            whole.push(c);
            continue;
        };
        let (radix, most) = match escaped {
            'x' => (16, 2),
            'u' => (16, 4),
            'U' => (16, 8),
            '0' => (8, 4),
            '1'..='7' => (8, 3),
            _ => {
                chars.next();
                match escaped {
                    'n' => whole.push('\n'),
                    't' => whole.push('\t'),
                    'r' => {}
                    '\\' => whole.push(escaped),
                    quote if quotes.contains(quote) => whole.push(quote),
                    other => whole.extend(['\\', other]),
                }
                continue;
            }
        };
        if radix == 16 {
            chars.next();
        }
        let (mut code, mut digits) = (0_u32, 0);
        while digits < most
            && let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix))
        {
            code = code.wrapping_mul(radix).wrapping_add(digit);
            digits += 1;
            chars.next();
        }
        whole.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    whole
}

/// What a filter makes of what it reads; `None` where that is not known.
pub(super) fn turned(command: &Invocation) -> Option<String> {
    if !matches!(
        command.program.as_str(),
        "base64" | "gbase64" | "base32" | "xxd" | "openssl" | "rev" | "tac" | "tr" | "sed" | "gsed"
    ) {
        return None;
    }
    let text = command.input.join("\n");
    if text.is_empty() || text.len() > MAX_BYTES {
        return None;
    }
    let decodes = |letters: &[char]| {
        command.words.iter().any(|word| {
            word == "--decode"
                || word == "-revert"
                || !word.starts_with("--") && word.starts_with('-') && word.contains(letters)
        })
    };
    let code = || text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let bytes = match command.program.as_str() {
        "base64" | "gbase64" if decodes(&['d', 'D']) => encoded::of_base64(&code())?,
        "base32" if decodes(&['d', 'D']) => encoded::of_base32(&code())?,
        "xxd" if decodes(&['r']) && decodes(&['p']) => encoded::of_hex(&code())?,
        "openssl" => {
            let is = |name: &str| command.words.iter().any(|word| word == name);
            if !is("-d") || !(is("base64") || is("-base64") || is("-a")) {
                return None;
            }
            encoded::of_base64(&code())?
        }
        "rev" => {
            return Some(text.lines().map(|line| line.chars().rev().collect::<String>() + "\n").collect());
        }
        "tac" => return Some(text.lines().rev().map(|line| line.to_owned() + "\n").collect()),
        "tr" => return translated(&text, &command.words),
        "sed" | "gsed" => return substituted(&text, &command.words),
        _ => return None,
    };
    String::from_utf8(bytes).ok()
}

/// `tr a-z n-za-m`, `tr -d x`
fn translated(text: &str, words: &[String]) -> Option<String> {
    match words {
        [option, set] if option == "-d" => {
            let gone = set_of(set)?;
            Some(text.chars().filter(|c| !gone.contains(c)).collect())
        }
        [from, to] if !from.starts_with('-') => {
            let (from, to) = (set_of(from)?, set_of(to)?);
            let last = *to.last()?;
            let put = |c: char| {
                let at = from.iter().rposition(|known| *known == c);
                at.map_or(c, |at| to.get(at).copied().unwrap_or(last))
            };
            Some(text.chars().map(put).collect())
        }
        _ => None,
    }
}

/// The characters of a set of `tr`: `a-zA-Z`, `[:upper:]`, `\n`.
fn set_of(set: &str) -> Option<Vec<char>> {
    let set = unescaped(
        &set.replace("[:upper:]", "A-Z").replace("[:lower:]", "a-z").replace("[:digit:]", "0-9"),
        "",
    );
    if set.contains("[:") {
        return None;
    }
    let chars: Vec<char> = set.chars().collect();
    let (mut all, mut rest) = (Vec::new(), chars.as_slice());
    while let [first, after @ ..] = rest {
        rest = match after {
            ['-', last, after @ ..] if first <= last && u32::from(*last) < 0x250 => {
                all.extend(*first..=*last);
                after
            }
            _ => {
                all.push(*first);
                after
            }
        };
    }
    Some(all)
}

/// `sed 's/x/ /g'`, where what is sought is a plain text.
fn substituted(text: &str, words: &[String]) -> Option<String> {
    let mut text = text.to_owned();
    let mut scripts =
        words.iter().filter(|word| !matches!(word.as_str(), "-e" | "-E" | "-r" | "-u")).peekable();
    scripts.peek()?;
    for script in scripts {
        let rest = script.strip_prefix('s')?;
        let mark = rest.chars().next().filter(|mark| !mark.is_alphanumeric())?;
        let mut parts = rest.split(mark).skip(1);
        let (from, to, flags) = (parts.next()?, parts.next()?, parts.next()?);
        let is_plain =
            |part: &str| !part.contains(['\\', '.', '*', '[', '^', '$', '+', '?', '(', '{', '|', '&']);
        if parts.next().is_some() || from.is_empty() || !is_plain(from) || !is_plain(to) {
            return None;
        }
        let of_line = |line: &str| match flags {
            "g" => line.matches(from).count(),
            _ => 1,
        };
        // Two small texts make one that there is no memory for.
        let count: usize = text.split_inclusive('\n').map(of_line).sum();
        if text.len() + count * to.len() > MAX_BYTES {
            return None;
        }
        let lines = text.split_inclusive('\n').map(|line| match flags {
            "g" => Some(line.replace(from, to)),
            "" => Some(line.replacen(from, to, 1)),
            _ => None,
        });
        text = lines.collect::<Option<String>>()?;
    }
    Some(text)
}

/// Texts of the line from which what a stage of a pipeline prints is made in a way that is not known: what it reads, the
/// program that it is given, and the same of the stages `before`.
pub(super) fn hidden(stage: &[Invocation], before: Texts) -> Texts {
    let mut texts = before;
    for command in stage {
        texts.extend(command.input.iter().cloned());
        let family = command.program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let has_program = matches!(
            family,
            "sed" | "gsed" | "awk" | "gawk" | "mawk" | "perl" | "python" | "ruby" | "node" | "php" | "jq"
        );
        if has_program {
            texts.push(Rc::from(command.words.join(" ")));
        }
    }
    texts
}
