//! What `$1`, `"$@"` and `$NAME` stand for where the line says it: the words that a function or a shell's text is called with, and
//! variables that were set to a text.

use super::braces;
use super::words::unquote;

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
        let default = || rest.strip_prefix(':').unwrap_or(rest).strip_prefix(['-', '=']);
        match known {
            Some(word) => Some(Value::One(word.clone())),
            None if self.open && number > 0 => Some(Value::One(APPENDED.to_owned())),
            None => default().map(|text| Value::One(unquote(text))),
        }
    }
}

/// An expansion in a text.
#[derive(Clone, Copy)]
struct Expansion<'t> {
    name: &'t str,
    /// What follows the name in its braces: `:-x`.
    rest: &'t str,
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
            let end = match inside.strip_suffix("[@]").or_else(|| inside.strip_suffix("[*]")) {
                Some(name) if length_of_name(name) == name.len() => inside.len(),
                _ => length_of_name(inside),
            };
            let (name, rest) = inside.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
            return Some(Self { name, rest, length: "${}".len() + inside.len() });
        }
        let length = match behind.as_bytes().first()? {
            b'0'..=b'9' | b'@' | b'*' => 1,
            _ => length_of_name(behind),
        };
        let name = behind.get(..length).filter(|name| !name.is_empty())?;
        Some(Self { name, rest: "", length: 1 + length })
    }
}

fn length_of_name(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(b'@' | b'*') => 1,
        Some(b'0'..=b'9') => bytes.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count(),
    }
}

/// The name of the variable that a word is: `$NAME`, `${NAME}`, `${NAME[@]}`; of such that a program is given, quotes taken away.
pub(super) fn variable(word: &str) -> Option<&str> {
    let expansion = Expansion::read(word)
        .filter(|expansion| expansion.length == word.len() && expansion.rest.is_empty())?;
    expansion.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(expansion.name)
}

/// Whether a word is a list of words, where it has a name: `${NAME[@]}`.
pub(super) fn is_list(name: &str) -> bool {
    name.ends_with(']')
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
    value: impl Fn(&str) -> Option<String>,
) -> Result<Option<String>, ()> {
    let Some(mut at) = memchr::memchr(b'$', text.as_bytes()) else { return Ok(None) };
    let (mut whole, mut copied) = (String::new(), 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('$')) {
        at += found;
        let rest = text.get(at..).unwrap_or_default();
        let known =
            Expansion::read(rest).and_then(|expansion| Some((value(expansion.name)?, expansion.length)));
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
    in_text(text, left, |name| match parameters.value(&Expansion { name, rest: "", length: 0 })? {
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
        let value = |name: &str| (name == "A").then(|| "x y".to_owned());
        for (text, all) in [("$A", "x y"), ("a ${A}b$A$B", "a x ybx y$B"), ("${A:-d}", "x y")] {
            assert_eq!(in_text(text, &mut 100, value), Ok(Some(all.to_owned())), "{text}");
        }
        for text in ["", "$B", "A", "$", "${A", "$$"] {
            assert_eq!(in_text(text, &mut 100, value), Ok(None), "{text}");
        }
        assert_eq!(in_text("$A$A", &mut 5, value), Err(()));
        assert_eq!(
            ["$A", "${A}", "${A[@]}", "$1", "$A/b", "A"].map(variable),
            [Some("A"), Some("A"), Some("A[@]"), None, None, None]
        );
    }
}
