//! The words of a command in a text, as they are written.

use std::ops::Range;

use super::text::{Text, is_blank};

/// A word as it is written, quotes and all.
pub(super) type Word = Range<usize>;

/// The words of a command from `from` on, and where it ends: before the sign that separates it from the next.
pub(super) fn words(text: Text<'_>, from: usize, outer: u8) -> (Vec<Word>, usize) {
    let mut words = Vec::new();
    let mut place = from;
    loop {
        place = text.blanks(place);
        if text.at(place) == b'\\' && matches!(text.at(place + 1), b'\n' | b'\r') {
            place = text.skip(place + 1, |byte| byte.is_ascii_whitespace());
            continue;
        }
        let begin = place;
        while place < text.len() {
            let byte = text.at(place);
            match byte {
                b'"' | b'\'' if outer == byte => break,
                b'"' | b'\'' => place = text.quoted(place).map_or(place + 1, |(_, end)| end),
                b'\\' if matches!(text.at(place + 1), b'"' | b'\'') => {
                    place = text.quoted(place).map_or(place + 2, |(_, end)| end);
                }
                b'\\' if text.at(place + 1) == b'\n' => break,
                b'\\' => place += 2,
                b'$' if text.at(place + 1) == b'(' => place += 2,
                b'<' | b'>' => place += 1,
                _ if byte.is_ascii_whitespace() || matches!(byte, b';' | b'|' | b'&') => break,
                _ => place += 1,
            }
        }
        let place_in = place.min(text.len());
        if place_in > begin {
            words.push(begin..place_in);
            place = place_in;
        }
        if !is_blank(text.at(place)) && text.at(place) != b'\\' || place >= text.len() || words.len() > 200 {
            return (words, place.min(text.len()));
        }
    }
}

/// What is in a word, its quotes taken off.
pub(super) fn inner(text: Text<'_>, word: Word) -> Word {
    match text.quoted(word.start) {
        Some((inside, end)) if end >= word.end => inside,
        _ => word,
    }
}
