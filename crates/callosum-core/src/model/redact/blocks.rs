//! Values on the lines below their names: blocks of YAML, headers that go on, a word below a heading.

use std::ops::Range;

use super::names::is_number;
use super::text::{Text, is_blank};

/// A block of YAML behind a name, `|` or `>`, which a tag may stand before: the lines that stand deeper than the name's.
pub(super) fn block(text: Text<'_>, name: usize, place: usize) -> Option<Range<usize>> {
    let has_tag = matches!(text.at(place), b'!' | b'&');
    let mark =
        if has_tag { text.blanks(text.skip(place, |byte| !byte.is_ascii_whitespace())) } else { place };
    if !matches!(text.at(mark), b'|' | b'>') {
        return None;
    }
    let mut head =
        text.skip(mark + 1, |byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b' ' | b'\t' | b'\r'));
    if text.at(head) == b'#' && is_blank(text.before(head)) {
        head = text.skip(text.line_end(head), |byte| byte == b'\r');
    }
    if text.at(head) != b'\n' {
        return None;
    }
    let end = deeper(text, name, head + 1)?;
    let begin = text.skip(head + 1, |byte| byte == b' ');
    (end > begin).then_some(begin..end)
}

/// Where a header ends whose first line ends at `end`: it goes on in lines that stand deeper than the one that it begins.
pub(super) fn folded(text: Text<'_>, name: usize, end: usize) -> usize {
    let next = text.skip(end, |byte| byte == b'\r');
    let begins_line = text.part(text.line_start(name)..name).trim_start_matches([' ', '-']).is_empty();
    if text.at(next) != b'\n' || !begins_line {
        return end;
    }
    deeper(text, name, next + 1).unwrap_or(end)
}

/// The end of the last of the lines from `line` on that stand deeper than the one of the name, if there is one.
fn deeper(text: Text<'_>, name: usize, mut line: usize) -> Option<usize> {
    let start = text.line_start(name);
    let spaces = |line: usize| text.skip(line, |byte| byte == b' ') - line;
    let own = text.skip(start, |byte| matches!(byte, b' ' | b'-')) - start;
    // What is in an item of a list stands as deep as what follows its sign.
    let least = if own > spaces(start) { own } else { own + 1 };
    let mut end = None;
    while line < text.len() {
        let line_end = text.line_end(line);
        if !text.part(line..line_end).trim().is_empty() {
            if spaces(line) < least {
                break;
            }
            end = Some(line_end);
        }
        line = text.skip(line_end, |byte| byte == b'\r') + 1;
    }
    end
}

/// The one word that stands on the next line with anything on it, as below a heading.
pub(super) fn below(text: Text<'_>, from: usize) -> Option<Range<usize>> {
    let line = text.skip(from, |byte| byte.is_ascii_whitespace() || byte == b'`');
    let word = text.part(line..text.line_end(line)).trim_end_matches(['`', ' ']);
    let looks = word.len() >= 6 && !word.contains(' ') && word.bytes().any(|byte| byte.is_ascii_digit());
    (looks && !is_number(word)).then_some(line..line + word.len())
}
