//! Paths that code puts together of texts and of variables that hold one: `os.path.join('a', 'b')`, `d + '/b'`, `f'{d}/b'`, `Path('a') / 'b'`,
//! and the folder that it goes to first. Nothing is executed.

use std::borrow::Cow;

use crate::joined;

/// Node's module of paths, where it is asked for on the spot.
const MODULES: &[&str] =
    &["require('path')", "require(\"path\")", "require('node:path')", "require(\"node:path\")"];

/// At most this many bytes before a text are looked through for a folder that the code has gone to.
const NEAR: usize = 10_000;

/// A text of a code, with what stands before and behind it.
pub(super) type Text<'c> = (&'c str, &'c str, &'c str);

/// The path that a text is a part of, and what stands before and behind all of it.
pub(super) fn path_of<'c>(
    texts: &[Text<'c>],
    (text, before, after): Text<'c>,
) -> (Cow<'c, str>, &'c str, &'c str) {
    let (path, before, after) =
        put_together(texts, text, before, after).unwrap_or((Cow::Borrowed(text), before, after));
    match gone_to(before) {
        Some(folder) if !path.is_empty() => (Cow::Owned(joined(Some(folder), &path)), before, after),
        _ => (path, before, after),
    }
}

fn put_together<'c>(
    texts: &[Text<'c>],
    text: &'c str,
    before: &'c str,
    after: &'c str,
) -> Option<(Cow<'c, str>, &'c str, &'c str)> {
    let head = before.trim_end();
    let head = head.strip_suffix(['f', 'r', 'b']).filter(|head| !head.ends_with(is_in_name)).unwrap_or(head);
    // `f'{d}/b'`, `${d}/b`
    let template =
        text.strip_prefix('$').unwrap_or(text).strip_prefix('{').and_then(|rest| rest.split_once('}'));
    if let Some((name, rest)) = template
        && let Some(value) = value_of(texts, name.trim())
    {
        return Some((Cow::Owned(format!("{value}{rest}")), head, after));
    }
    if let Some(left) = head.strip_suffix('+') {
        let (left, name) = last_name(left.trim_end());
        return Some((Cow::Owned(format!("{}{text}", value_of(texts, name)?)), left, after));
    }
    if let Some(left) = head.strip_suffix('/') {
        let left = left.trim_end();
        if let Some(inside) = left.strip_suffix(')') {
            let (call, base) = inside.rsplit_once("Path(")?;
            let (left, _) = last_name(call);
            return Some((Cow::Owned(format!("{}/{text}", in_quotes(base)?)), left, after));
        }
        let (left, name) = last_name(left);
        return Some((Cow::Owned(format!("{}/{text}", value_of(texts, name)?)), left, after));
    }
    let (callee, _) = call_around(head).filter(|_| head.ends_with(['(', ',']))?;
    let is_path = match callee.rsplit('.').next() {
        Some("join" | "joinpath" | "resolve") => false,
        // `Path('a', 'b')`
        Some("Path" | "PurePath") if after.trim_start().starts_with(',') => true,
        _ => return None,
    };
    let opens = head.rfind(&format!("{callee}("))?;
    // The first of its texts stands for all.
    let given = head.get(opens + callee.len() + 1..).filter(|given| !given.contains(['\'', '"', '`']))?;
    let (rest, behind) = after.split_once(')')?;
    let whole = format!("{given}'{text}'{rest}");
    let parts = whole.split(',').map(str::trim).filter(|part| !part.is_empty());
    let parts: Option<Vec<&str>> =
        parts.map(|part| in_quotes(part).or_else(|| value_of(texts, part))).collect();
    if is_path {
        return Some((Cow::Owned(parts?.join("/")), head, after.get(rest.len()..)?));
    }
    let left = head.get(..opens)?;
    let left = MODULES.iter().find_map(|module| left.strip_suffix(module)).unwrap_or(left);
    Some((Cow::Owned(parts?.join("/")), left, behind))
}

/// The text in quotes that is all of `text`.
fn in_quotes(text: &str) -> Option<&str> {
    let text = text.trim();
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
    text.strip_prefix(quote)?.strip_suffix(quote)
}

/// What stands before a name that ends a text, and the name.
fn last_name(text: &str) -> (&str, &str) {
    let from = text.trim_end_matches(|c: char| is_in_name(c) || c == '.').len();
    text.split_at(from)
}

/// The text that a variable is set to.
fn value_of<'c>(texts: &[Text<'c>], name: &str) -> Option<&'c str> {
    let is_it = |(_, before, _): &&Text<'c>| !name.is_empty() && assigned(before) == Some(name);
    texts.iter().find(is_it).map(|(text, ..)| *text)
}

/// The folder that the code has gone to before.
fn gone_to(before: &str) -> Option<&str> {
    let near = before.get(before.len().saturating_sub(NEAR)..).unwrap_or_default();
    let (_, behind) = near.rsplit_once("chdir(")?;
    let quote = behind.trim_start().chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
    behind.trim_start().get(1..)?.split_once(quote).map(|(folder, _)| folder)
}

pub(super) fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// The call that what stands behind `before` is an argument of, and which.
pub(super) fn call_around(before: &str) -> Option<(&str, usize)> {
    let (mut depth, mut place) = (0_usize, 0);
    for (at, c) in before.char_indices().rev().take(1_000) {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' if depth == 0 => {
                let head = before.get(..at).unwrap_or_default().trim_end();
                let from = head.rfind(|c: char| !is_in_name(c) && c != '.').map_or(0, |at| {
                    at + head.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
                });
                return Some((head.get(from..).unwrap_or_default(), place));
            }
            '(' | '[' | '{' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => place += 1,
            ';' | '\n' if depth == 0 && place == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The variable that what stands behind `before` is assigned to.
pub(super) fn assigned(before: &str) -> Option<&str> {
    let before = before.trim_end();
    // `NAME = Path('…')`
    let before = before
        .strip_suffix("Path(")
        .map_or(before, |before| before.trim_end_matches(|c: char| is_in_name(c) || c == '.'));
    let left = before.trim_end().strip_suffix('=')?.trim_end();
    let from = left.rfind(|c: char| !is_in_name(c)).map_or(0, |at| at + 1);
    left.get(from..).filter(|name| !name.is_empty())
}
