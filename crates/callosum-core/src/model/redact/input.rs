//! What programs read: behind `<<<`, in a here-document, through a pipe, in a `<(…)`; and what is written to files.

use std::ops::Range;

use super::command::{self, Word, inner};
use super::text::{Text, in_name, is_blank};

/// What a program reads: behind `<<<`, a here-document, or what is piped into it.
pub(super) fn read(
    text: Text<'_>,
    program: usize,
    words: &[Word],
    end: usize,
    add: &mut impl FnMut(Range<usize>),
) {
    for (place, word) in words.iter().enumerate() {
        let said = text.part(word.clone());
        if !said.contains('<') {
            continue;
        }
        if let Some(at) = said.find("<<<") {
            let attached = inner(text, word.start + at + 3..word.end);
            let value = if attached.is_empty() {
                words.get(place + 1).map(|next| inner(text, next.clone()))
            } else {
                Some(attached)
            };
            value.into_iter().for_each(&mut *add);
        } else if said.contains("<<") {
            here_document(text, word, words.get(place + 1), end, add);
        } else if let Some(at) = said.find("<(") {
            printed(text, word.start + at).into_iter().for_each(&mut *add);
        }
    }
    let line = text.skip_back(program, |byte| byte != b'|');
    let between = text.part(line..program);
    if line == 0 || between.contains(['\n', ';', '&']) {
        return;
    }
    // Whoever says it first, whatever it goes through on its way.
    let pipe = line - 1;
    let speakers = ["echo ", "printf ", "print ", "cat <<", "base64 <<", "tee <<"];
    let mut first = None;
    for speaker in speakers {
        let mut from = 0;
        while let Some(place) = text.find(from, speaker).filter(|place| *place < pipe) {
            from = place + speaker.len();
            let before = text.before(place);
            if before != 0 && !before.is_ascii_whitespace() && !b";|&(`\"'/".contains(&before) {
                continue;
            }
            if leads_to(text, place, program) && first.is_none_or(|known| place < known) {
                first = Some(place);
            }
        }
    }
    let Some(first) = first else { return };
    let outer = text.quote_around(first);
    let (said, end) = command::words(text, first, outer);
    if let Some(word) = said.iter().find(|word| text.part((*word).clone()).contains("<<")) {
        if text.part(word.clone()).contains("<<<") {
            read(text, 0, &said, end, add);
        } else {
            let next = said.iter().position(|other| other == word).and_then(|place| said.get(place + 1));
            here_document(text, word, next, end, add);
        }
        return;
    }
    spoken(text, first, &said).into_iter().for_each(add);
}

/// Programs that say what they are given.
const SPEAKERS: &[&str] = &["echo", "printf", "print"];

/// What the command with the words `said`, whose first is at `first`, says: the words behind its options and its format.
fn spoken(text: Text<'_>, first: usize, said: &[Word]) -> Option<Range<usize>> {
    let mut words = said.iter().skip(1).peekable();
    while words.next_if(|word| text.at(word.start) == b'-' && word.len() <= 4).is_some() {}
    if text.rest(first).starts_with("printf") {
        let _ = words.next_if(|word| text.part((*word).clone()).contains('%') && said.len() > 2);
    }
    let begin = words.next().map(|word| inner(text, word.clone()).start)?;
    let last = said.last().map(|word| inner(text, word.clone()).end)?;
    Some(begin..last)
}

/// What a program reads as a file, or from it: `<(echo x)`, also `< <(printf '%s' x)`; `place` is where that stands.
pub(super) fn printed(text: Text<'_>, place: usize) -> Option<Range<usize>> {
    let place = text.skip(place, |byte| matches!(byte, b'<' | b' ' | b'"' | b'@')).checked_sub(1)?;
    if !text.rest(place).starts_with("<(") {
        return None;
    }
    let first = text.blanks(place + 2);
    let outer = text.quote_around(place);
    let (mut words, _) = command::words(text, first, outer);
    if !words.first().is_some_and(|word| SPEAKERS.contains(&text.part(word.clone()))) {
        return None;
    }
    // What closes it stands in its last word.
    let close = words.iter().position(|word| text.part(word.clone()).ends_with(')'))?;
    words.truncate(close + 1);
    let last = words.last_mut()?;
    last.end -= 1;
    spoken(text, first, &words).filter(|said| said.end > said.start)
}

/// How the names of files end that hold nothing but a secret, where they end in more than that.
const FILES: &[&str] = &["", ".txt", ".key", ".secret", ".pass", ".token"];

/// What is written into the file in whose name `name` is the last: `echo x > ~/.vault-token`, `tee token.txt <<< x`.
pub(super) fn stored(text: Text<'_>, name: &Range<usize>) -> Option<Range<usize>> {
    let in_path = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/~${}".contains(&byte);
    let path_end = text.skip(name.end, in_path);
    if !FILES.contains(&text.part(name.end..path_end)) {
        return None;
    }
    let path = text.skip_back(name.start, |byte| in_path(byte) || matches!(byte, b'"' | b'\''));
    let before = text.skip_back(path, |byte| matches!(byte, b' ' | b'\t'));
    let line = text.line_start(name.start);
    if text.before(before) == b'>' {
        let sign = text.skip_back(before, |byte| byte == b'>');
        let begin =
            text.part(line..sign).rfind([';', '&', '|', '(', '`', '{']).map_or(line, |at| line + at + 1);
        let is_word = |at: &usize| {
            !text.before(*at).is_ascii_alphanumeric() && is_blank(text.at(text.skip(*at, in_name)))
        };
        let speaker = |word: &&str| text.part(begin..sign).find(*word).map(|at| begin + at).filter(is_word);
        let first = SPEAKERS.iter().filter_map(speaker).min()?;
        let (words, _) = command::words(text, first, text.quote_around(first));
        let words = words.into_iter().take_while(|word| word.start < sign);
        let words: Vec<Word> = words.map(|word| word.start..word.end.min(sign)).collect();
        return spoken(text, first, &words);
    }
    let program = text.part(line..before).rfind("tee").map(|at| line + at)?;
    // With an option at most: `-a`.
    let is_tee = text.part(program + 3..before).trim().trim_start_matches('-').len() < 2
        && !in_name(text.before(program));
    let (words, end) = command::words(text, program + 3, text.quote_around(program));
    let mut secret = None;
    read(text, program, &words, end, &mut |value| secret = Some(value));
    secret.filter(|_| is_tee)
}

/// Whether what the command at `from` says goes through pipes to the program at `to`.
fn leads_to(text: Text<'_>, from: usize, to: usize) -> bool {
    let outer = text.quote_around(from);
    let mut place = from;
    loop {
        let (words, mut end) = command::words(text, place, outer);
        if let Some(word) = words.iter().find(|word| text.part((*word).clone()).contains("<<")) {
            // A here-document follows the line, the pipe does not wait for it.
            if word.start > to {
                return false;
            }
        }
        if end >= to {
            return place <= to && place > from;
        }
        if text.at(end) != b'|' || text.at(end + 1) == b'|' {
            return false;
        }
        end = text.skip(end + 1, |byte| byte == b'&');
        if end > to {
            return false;
        }
        place = text.skip(end, |byte| byte.is_ascii_whitespace());
    }
}

/// The lines of the here-document that `word` (and `next`, where its mark stands apart) begins.
fn here_document(
    text: Text<'_>,
    word: &Word,
    next: Option<&Word>,
    end: usize,
    add: &mut impl FnMut(Range<usize>),
) {
    let said = text.part(word.clone());
    let mark = said.split("<<").nth(1).unwrap_or_default().trim_start_matches('-');
    let mark = if mark.is_empty() { next.map_or("", |next| text.part(next.clone())) } else { mark };
    let mark = mark.trim_matches(['"', '\'', '\\']);
    let begin = text.line_end(end.max(word.end));
    if mark.is_empty() || begin >= text.len() {
        return;
    }
    let (mut line, begin) = (begin + 1, begin + 1);
    while line < text.len() {
        let line_end = text.line_end(line);
        if text.part(line..line_end).trim_matches([' ', '\t', '"', '\'', ')']) == mark {
            return add(begin..line.saturating_sub(1).max(begin));
        }
        line = line_end + 1;
    }
    add(begin..text.len());
}
