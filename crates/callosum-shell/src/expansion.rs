//! What `$1`, `"$@"` and `$NAME` stand for where the line says it: the words that a function or a shell's text is called with, and
//! variables that were set to a text.

use super::braces;
use super::glob::Glob;
use super::words::unquote;

/// Longer values are not searched for what a pattern is for.
const MAX_SEARCHED: usize = 128;
/// Nor put together to longer ones than this, by a replacement.
const MAX_REPLACED: usize = 1024;

/// Stands for an argument that something else appends.
pub(super) const APPENDED: &str = "{}";

/// The words that a function, or a shell with a text of its own, is called with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parameters {
    /// What `$0` is, where the line says it.
    pub(super) zero: Option<String>,
    pub(super) words: Vec<String>,
    /// Something appends further ones: `xargs`.
    pub(super) open: bool,
    /// The commands that use them set them, too: `set -- a b`.
    pub(super) is_set: bool,
}

/// What an expansion stands for.
enum Value {
    One(String),
    /// Each a word of its own.
    Many(Vec<String>),
}

impl Parameters {
    /// Those behind the first `count`.
    pub(super) fn shifted(&self, count: usize) -> Self {
        Self { words: self.words.get(count..).unwrap_or_default().to_vec(), ..self.clone() }
    }

    fn value(&self, expansion: &Expansion<'_>) -> Option<Value> {
        let Expansion { name, rest, .. } = *expansion;
        if matches!(name, "@" | "*") {
            let from =
                rest.strip_prefix(':').and_then(|from| from.split(':').next()?.trim().parse::<usize>().ok());
            let mut words =
                self.words.get(from.unwrap_or(1).saturating_sub(1)..).unwrap_or_default().to_vec();
            words.extend(self.open.then(|| APPENDED.to_owned()));
            return Some(Value::Many(words));
        }
        let number = name.parse::<usize>().ok()?;
        let known = match number.checked_sub(1) {
            None => self.zero.as_ref(),
            Some(place) => self.words.get(place),
        };
        match known {
            None if self.open && number > 0 => Some(Value::One(APPENDED.to_owned())),
            known => expansion.of(known.map(String::as_str)).map(Value::One),
        }
    }
}

/// An expansion in a text.
#[derive(Clone, Copy)]
pub(super) struct Expansion<'t> {
    /// What is expanded: of a list one word, `a[0]`, or all, `a[@]`.
    pub(super) name: &'t str,
    /// What follows the name in its braces: `:-x`, `%.txt`.
    pub(super) rest: &'t str,
    /// The name is in the variable: `${!NAME}`.
    pub(super) is_indirect: bool,
    /// Bytes of all of it.
    length: usize,
}

impl<'t> Expansion<'t> {
    /// The expansion that `text` begins with: `$NAME`, `$1`, `$@`, `${NAME}`, `${1:-x}`, `${NAME[@]}`.
    fn read(text: &'t str) -> Option<Self> {
        let behind = text.strip_prefix('$')?;
        if let Some(inside) = behind.strip_prefix('{') {
            let (inside, _) =
                inside.split_once('}').filter(|(inside, _)| !inside.contains(['$', '{', '`']))?;
            let length = "${}".len() + inside.len();
            let indirect = inside.strip_prefix('!');
            let inside = indirect.unwrap_or(inside);
            let end = length_of_name(inside);
            let of_list = inside.get(end..).and_then(|rest| rest.strip_prefix('[')?.split_once(']'));
            let end = end + of_list.filter(|_| end > 0).map_or(0, |(place, _)| place.len() + "[]".len());
            let (name, rest) = inside.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
            return Some(Self { name, rest, is_indirect: indirect.is_some(), length });
        }
        let length = match behind.as_bytes().first()? {
            b'0'..=b'9' | b'@' | b'*' => 1,
            _ => length_of_name(behind),
        };
        let name = behind.get(..length).filter(|name| !name.is_empty())?;
        Some(Self { name, rest: "", is_indirect: false, length: 1 + length })
    }

    /// What the expansion of a variable with this value is; `None` where that can't be told.
    pub(super) fn of(&self, value: Option<&str>) -> Option<String> {
        let rest = self.rest;
        let is_set = value.is_some_and(|value| !value.is_empty());
        let otherwise = rest.strip_prefix(':').unwrap_or(rest);
        if let Some(default) = otherwise.strip_prefix(['-', '=']) {
            return Some(if is_set { value.unwrap_or_default().to_owned() } else { unquote(default) });
        }
        let value = value?;
        if let Some(other) = otherwise.strip_prefix('+') {
            return Some(if is_set { unquote(other) } else { String::new() });
        }
        match rest.as_bytes() {
            [] | [b':', b'?', ..] | [b'?', ..] => Some(value.to_owned()),
            [b'^', b'^'] => Some(value.to_uppercase()),
            [b',', b','] => Some(value.to_lowercase()),
            [b'^' | b','] => {
                let mut chars = value.chars();
                let first = chars.next()?;
                let first: String =
                    if rest == "^" { first.to_uppercase().collect() } else { first.to_lowercase().collect() };
                Some(first + chars.as_str())
            }
            [b'#' | b'%', ..] => trimmed(value, rest),
            [b'/', ..] => replaced(value, rest.get(1..)?),
            [b':', ..] => part(value, rest.get(1..)?),
            _ => None,
        }
    }
}

/// `${NAME#pattern}`, `##`, `%`, `%%`: a value without the shortest or longest piece at its beginning or end.
fn trimmed(value: &str, rest: &str) -> Option<String> {
    let mark = rest.get(..1)?;
    let pattern = rest.strip_prefix(mark)?;
    let (pattern, is_longest) = pattern.strip_prefix(mark).map_or((pattern, false), |rest| (rest, true));
    let pattern = unquote(pattern);
    if !pattern.contains(['*', '?', '[']) {
        let rest = if mark == "%" { value.strip_suffix(&pattern) } else { value.strip_prefix(&pattern) };
        return Some(rest.unwrap_or(value).to_owned());
    }
    if value.len() > MAX_SEARCHED || pattern.contains('[') {
        return None;
    }
    let pattern = Glob::new(&pattern);
    let ends = value.char_indices().map(|(at, _)| at).chain([value.len()]);
    let mut pieces: Vec<(&str, &str)> = ends.filter_map(|end| value.split_at_checked(end)).collect();
    let is_at_end = mark == "%";
    if is_at_end != is_longest {
        pieces.reverse();
    }
    let found = pieces.iter().find_map(|(before, behind)| {
        let (piece, kept) = if is_at_end { (behind, before) } else { (before, behind) };
        pattern.matches(piece).then(|| (*kept).to_owned())
    });
    Some(found.unwrap_or_else(|| value.to_owned()))
}

/// `${NAME/text/other}`, with `//` for all of them, `/#` and `/%` for one at the beginning or the end.
fn replaced(value: &str, rest: &str) -> Option<String> {
    let (rest, is_all) = rest.strip_prefix('/').map_or((rest, false), |rest| (rest, true));
    let (text, other) = rest.split_once('/').unwrap_or((rest, ""));
    let (text, other) = (unquote(text), unquote(other));
    let is_bounded = value.len() + other.len() <= MAX_REPLACED;
    if text.is_empty() || text.contains(['*', '?', '[']) || !is_bounded {
        return None;
    }
    if is_all {
        return Some(value.replace(&text, &other));
    }
    Some(match text.split_at_checked(1) {
        Some(("#", text)) => value.strip_prefix(text).map(|kept| other + kept),
        Some(("%", text)) => value.strip_suffix(text).map(|kept| kept.to_owned() + &other),
        _ => Some(value.replacen(&text, &other, 1)),
    })
    .map(|found| found.unwrap_or_else(|| value.to_owned()))
}

/// `${NAME:from:count}`, in characters.
fn part(value: &str, rest: &str) -> Option<String> {
    let (from, count) = match rest.split_once(':') {
        Some((from, count)) => (from, Some(count.trim().parse::<isize>().ok()?)),
        None => (rest, None),
    };
    let length = value.chars().count();
    let place = |number: isize| match usize::try_from(number) {
        Ok(number) => number,
        Err(_) => length.saturating_sub(number.unsigned_abs()),
    };
    let from = place(from.trim().parse().ok()?);
    let end = match count {
        None => length,
        Some(count) if count < 0 => place(count),
        Some(count) => from.saturating_add(place(count)),
    };
    Some(value.chars().take(end).skip(from).collect())
}

fn length_of_name(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(b'@' | b'*') => 1,
        Some(b'0'..=b'9') => bytes.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count(),
    }
}

/// The name of the variable that a word is: `$NAME`, `${NAME}`, `${NAME[@]}`, `${NAME[0]}`; of such that a program is given, quotes taken away.
pub(super) fn variable(word: &str) -> Option<&str> {
    let expansion = Expansion::read(word)
        .filter(|expansion| expansion.length == word.len() && expansion.rest.is_empty())
        .filter(|expansion| !expansion.is_indirect)?;
    expansion.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(expansion.name)
}

/// Whether a word is a list of words, where it has a name: `${NAME[@]}`.
pub(super) fn is_list(name: &str) -> bool {
    name.ends_with("[@]") || name.ends_with("[*]")
}

/// The name of a list of words, however it is expanded.
pub(super) fn list(name: &str) -> String {
    format!("{}[@]", name.strip_suffix("[*]").or_else(|| name.strip_suffix("[@]")).unwrap_or(name))
}

/// A text in which variables stand for what they are set to; `None` where none does. In a text that has no quotes any more, or is
/// a here-document. What that takes is taken off the bytes that are `left`; the error is that there are too few.
pub(super) fn in_text(
    text: &str,
    left: &mut usize,
    value: impl Fn(&Expansion<'_>) -> Option<String>,
) -> Result<Option<String>, ()> {
    let Some(mut at) = memchr::memchr(b'$', text.as_bytes()) else { return Ok(None) };
    let (mut whole, mut copied) = (String::new(), 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('$')) {
        at += found;
        let rest = text.get(at..).unwrap_or_default();
        let known = Expansion::read(rest).and_then(|expansion| Some((value(&expansion)?, expansion.length)));
        let Some((said, length)) = known else {
            at += 1;
            continue;
        };
        *left = left.checked_sub(said.len()).ok_or(())?;
        whole.push_str(text.get(copied..at).unwrap_or_default());
        whole.push_str(&said);
        at += length;
        copied = at;
    }
    whole.push_str(text.get(copied..).unwrap_or_default());
    Ok((copied > 0).then_some(whole))
}

/// The same of the parameters in a here-document.
pub(super) fn in_document(
    text: &str,
    left: &mut usize,
    parameters: &Parameters,
) -> Result<Option<String>, ()> {
    in_text(text, left, |expansion| match parameters.value(expansion)? {
        Value::One(word) => Some(word),
        Value::Many(words) => Some(words.join(" ")),
    })
}

/// The words that one is, as it is written, without quotes: its braces and parameters undone. False where that is not all.
pub(super) fn words(raw: &str, parameters: Option<&Parameters>) -> (Vec<String>, bool) {
    let (raws, is_all) = braces::expanded(raw);
    let words = raws.iter().flat_map(|raw| match parameters.filter(|_| raw.contains('$')) {
        Some(parameters) => given(raw, parameters),
        None => vec![unquote(raw)],
    });
    (words.collect(), is_all)
}

/// Ends a word within one.
const BREAK: char = '\u{e005}';
/// Stand for values while quotes are taken away: each the number of one.
const FIRST: u32 = 0xf_0000;

/// One word with the parameters in it undone.
fn given(raw: &str, parameters: &Parameters) -> Vec<String> {
    // What is in a substitution is read there.
    if raw.contains("$(") || raw.contains(['`', BREAK]) || raw.chars().any(|c| u32::from(c) >= FIRST) {
        return vec![unquote(raw)];
    }
    let (mut marked, mut values) = (String::with_capacity(raw.len()), Vec::new());
    let (mut in_double, mut is_list) = (false, false);
    let mut rest = raw;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '\\' => length += rest.chars().nth(1).map_or(0, char::len_utf8),
            '\'' if !in_double => {
                length += rest.get(1..).and_then(|rest| rest.find('\'')).map_or(0, |end| end + 1);
            }
            '"' => in_double = !in_double,
            '$' => {
                let expansion = Expansion::read(rest);
                let value = expansion.as_ref().and_then(|expansion| parameters.value(expansion));
                if let (Some(expansion), Some(value)) = (expansion, value) {
                    is_list |= matches!(value, Value::Many(_));
                    put(&mut marked, &mut values, value, in_double, expansion.name == "*");
                    rest = rest.get(expansion.length..).unwrap_or_default();
                    continue;
                }
            }
            _ => {}
        }
        marked.push_str(rest.get(..length).unwrap_or_default());
        rest = rest.get(length..).unwrap_or_default();
    }
    let plain = unquote(&marked);
    let words = plain.split(BREAK).map(|word| {
        let mut whole = String::with_capacity(word.len());
        for c in word.chars() {
            let value =
                u32::from(c).checked_sub(FIRST).and_then(|number| values.get(usize::try_from(number).ok()?));
            match value {
                Some(value) => whole.push_str(value),
                None => whole.push(c),
            }
        }
        whole
    });
    // Of no words `"$@"` makes none.
    words.filter(|word| !is_list || !word.is_empty()).collect()
}

/// Puts marks for a value.
fn put(marked: &mut String, values: &mut Vec<String>, value: Value, in_double: bool, is_joined: bool) {
    let parts: Vec<String> = match value {
        Value::One(word) if in_double => vec![word],
        Value::Many(words) if in_double && is_joined => vec![words.join(" ")],
        Value::Many(words) if in_double => words,
        Value::One(word) => word.split_whitespace().map(str::to_owned).collect(),
        Value::Many(words) => {
            words.iter().flat_map(|word| word.split_whitespace()).map(str::to_owned).collect()
        }
    };
    for (at, part) in parts.into_iter().enumerate() {
        if at > 0 {
            marked.push(BREAK);
        }
        let mark = u32::try_from(values.len()).ok().and_then(|number| char::from_u32(FIRST + number));
        if let Some(mark) = mark {
            marked.push(mark);
            values.push(part);
        }
    }
}

/// Where in a word a variable stands, and how long what stands for it is: `$name`, `${name}`.
pub(super) fn place_of(word: &str, name: &str) -> Option<(usize, usize)> {
    for (at, _) in word.match_indices('$') {
        let behind = word.get(at + 1..)?;
        if let Some(rest) = behind.strip_prefix(name)
            && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            return Some((at, 1 + name.len()));
        }
        let braced = behind.strip_prefix('{').and_then(|inside| inside.strip_prefix(name));
        if braced.is_some_and(|rest| rest.starts_with('}')) {
            return Some((at, 3 + name.len()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(words: &[&str]) -> Parameters {
        Parameters { words: words.iter().map(|word| (*word).to_owned()).collect(), ..Parameters::default() }
    }

    #[test]
    fn parameters_are_the_words_that_a_function_is_called_with() {
        let parameters = called(&["a b", "c"]);
        for (raw, all) in [
            ("\"$@\"", "a b|c"),
            ("$@", "a|b|c"),
            ("\"$*\"", "a b c"),
            ("\"$1\"", "a b"),
            ("$1", "a|b"),
            ("x$2.y", "xc.y"),
            ("x${2}y", "xcy"),
            ("'$1'", "$1"),
            ("\"'$1'\"", "'a b'"),
            ("\\$1", "$1"),
            ("$3", "$3"),
            ("${3:-d}", "d"),
            ("${2:-d}", "c"),
            ("\"${@:2}\"", "c"),
            ("\"x$@y\"", "xa b|cy"),
            ("$HOME", "$HOME"),
            ("$12", "a|b2"),
            ("$#", "$#"),
            ("$", "$"),
            ("{$2,d}", "c|d"),
        ] {
            assert_eq!(words(raw, Some(&parameters)).0.join("|"), all, "{raw}");
        }
        assert_eq!(words("\"$@\"", Some(&called(&[]))).0, [""; 0]);
        assert_eq!(words("\"$@\"", None).0, ["$@"]);
        let open = Parameters { open: true, ..called(&["a"]) };
        assert_eq!(words("\"$1$2\"", Some(&open)).0, ["a{}"]);
        assert_eq!(
            in_document("To: $2\n$@ $X", &mut 100, &parameters),
            Ok(Some("To: c\na b c $X".to_owned()))
        );
    }

    #[test]
    fn a_variable_is_what_the_line_sets_it_to() {
        let value = |expansion: &Expansion<'_>| expansion.of((expansion.name == "A").then_some("x y"));
        for (text, all) in [
            ("$A", "x y"),
            ("a ${A}b$A$B", "a x ybx y$B"),
            ("${A:-d}", "x y"),
            ("${B:-d}", "d"),
            ("${B-'d e'}", "d e"),
            ("${A:+d}", "d"),
            ("${A% y}.${A%%?y}.${A#x}.${A##*x}.${A%z}", "x.x. y. y.x y"),
            ("${A/y/z}${A//x/}${A/#x/z}${A/%y/z}${A/#y/z}", "x z yz yx zx y"),
            ("${A^}${A^^}${A,,}", "X yX Yx y"),
            ("${A:2}${A:0:1}${A: -1}${A:0:-2}", "yxyx"),
        ] {
            assert_eq!(in_text(text, &mut 100, value), Ok(Some(all.to_owned())), "{text}");
        }
        for text in ["", "$B", "A", "$", "${A", "$$", "${B%x}", "${B:+x}", "${A/*/x}", "${A@Q}", "${#A}"] {
            assert_eq!(in_text(text, &mut 100, value), Ok(None), "{text}");
        }
        assert_eq!(in_text("$A$A", &mut 5, value), Err(()));
        assert_eq!(
            ["$A", "${A}", "${A[@]}", "${A[0]}", "$1", "$A/b", "A", "${!A}"].map(variable),
            [Some("A"), Some("A"), Some("A[@]"), Some("A[0]"), None, None, None, None]
        );
    }
}
