//! A text and places in it, counted in bytes. Nothing here can be out of bounds: behind the end there is nothing.

use std::ops::Range;

/// A text that is looked through.
#[derive(Clone, Copy)]
pub(super) struct Text<'t>(pub(super) &'t str);

/// Whether a byte may be part of a name: `X-Api-Key`, `client_secret`.
pub(super) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// A text as long as this one, in which what it has lines in is lines: those that JSON writes with `\n`, and those that a patch marks with
/// a sign. `None` when it has none.
pub(super) fn in_lines(text: &str) -> Option<String> {
    let is_patch = text.contains("\n+") || text.contains("\\n+");
    if !text.contains("\\n") && !is_patch {
        return None;
    }
    let mut lines = text.as_bytes().to_vec();
    let mut slashes = 0;
    for place in 0..lines.len() {
        let byte = lines.get(place).copied().unwrap_or_default();
        let before = place.checked_sub(1).and_then(|before| lines.get(before).copied()).unwrap_or(b'\n');
        let becomes = match byte {
            b'n' if slashes > 0 => b'\n',
            b'r' | b't' if slashes > 0 => b' ',
            b'+' | b'-' if is_patch && before == b'\n' => b' ',
            other => other,
        };
        if becomes != byte {
            lines.get_mut(place - slashes..place)?.fill(b' ');
            *lines.get_mut(place)? = becomes;
        }
        slashes = if byte == b'\\' { slashes + 1 } else { 0 };
    }
    String::from_utf8(lines).ok()
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl<'t> Text<'t> {
    pub(super) fn len(self) -> usize {
        self.0.len()
    }

    /// The byte there; 0 behind the end.
    pub(super) fn at(self, place: usize) -> u8 {
        self.0.as_bytes().get(place).copied().unwrap_or(0)
    }

    /// The byte before; 0 at the beginning.
    pub(super) fn before(self, place: usize) -> u8 {
        place.checked_sub(1).map_or(0, |place| self.at(place))
    }

    pub(super) fn part(self, range: Range<usize>) -> &'t str {
        self.0.get(range).unwrap_or_default()
    }

    pub(super) fn rest(self, from: usize) -> &'t str {
        self.0.get(from..).unwrap_or_default()
    }

    /// The first place from `from` on whose byte is not such a one, or the end.
    pub(super) fn skip(self, from: usize, is: impl Fn(u8) -> bool) -> usize {
        let bytes = self.0.as_bytes().get(from..).unwrap_or_default();
        from + bytes.iter().position(|byte| !is(*byte)).unwrap_or(bytes.len())
    }

    /// Where the bytes of such a sort begin that end at `from`.
    pub(super) fn skip_back(self, from: usize, is: impl Fn(u8) -> bool) -> usize {
        let bytes = self.0.as_bytes().get(..from).unwrap_or_default();
        bytes.iter().rposition(|byte| !is(*byte)).map_or(0, |place| place + 1)
    }

    /// The place so many bytes before `from`, or somewhat less: where a character begins.
    pub(super) fn back(self, from: usize, bytes: usize) -> usize {
        let far = from.saturating_sub(bytes);
        (far..from).find(|place| self.0.is_char_boundary(*place)).unwrap_or(from)
    }

    pub(super) fn blanks(self, from: usize) -> usize {
        self.skip(from, is_blank)
    }

    /// Whether a part of a path is a shell's variable, which stands at `place`: `$TOKEN`, `${TOKEN}`.
    pub(super) fn is_variable(self, place: usize) -> bool {
        let name = self.skip(place, |byte| matches!(byte, b'$' | b'{'));
        let end = self.skip(name, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let end = self.skip(end, |byte| byte == b'}');
        self.at(place) == b'$' && matches!(self.at(end), 0 | b'/' | b'?' | b'"' | b'\'' | b' ' | b'\n')
    }

    /// Where `what` stands first from `from` on.
    pub(super) fn find(self, from: usize, what: &str) -> Option<usize> {
        self.rest(from).find(what).map(|place| from + place)
    }

    /// The end of the line that `from` is in.
    pub(super) fn line_end(self, from: usize) -> usize {
        self.skip(from, |byte| !matches!(byte, b'\n' | b'\r'))
    }

    /// The beginning of the line that `from` is in.
    pub(super) fn line_start(self, from: usize) -> usize {
        self.skip_back(from, |byte| !matches!(byte, b'\n' | b'\r'))
    }

    /// The quote that encloses `place`, or 0: of a command in a quoted text.
    pub(super) fn quote_around(self, place: usize) -> u8 {
        let (mut quote, mut escaped) = (0, false);
        for byte in self.0.bytes().take(place) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' | b'\'' if quote == 0 => quote = byte,
                _ if byte == quote => quote = 0,
                _ => {}
            }
        }
        quote
    }

    /// The quoted text that begins at `from` with a quote, `\"` or `$'`: what is in it, and where it ends. One that is never closed
    /// takes the rest. `None` when no quote stands there.
    pub(super) fn quoted(self, from: usize) -> Option<(Range<usize>, usize)> {
        let open = if self.at(from) == b'$' && self.at(from + 1) == b'\'' { from + 1 } else { from };
        let slashes = self.skip(open, |byte| byte == b'\\') - open;
        let quote = self.at(open + slashes);
        if !matches!(quote, b'"' | b'\'' | b'`') || (slashes > 0 && quote == b'`') {
            return None;
        }
        let begin = open + slashes + 1;
        let mut place = begin;
        while place < self.len() {
            let run = self.skip(place, |byte| byte == b'\\') - place;
            if self.at(place + run) == quote {
                // Closed by as many backslashes as it was opened with; in plain double quotes an even number is text.
                let closes =
                    if slashes == 0 { run.is_multiple_of(2) || quote == b'\'' } else { run <= slashes };
                if closes {
                    let end = if slashes == 0 { place + run } else { place };
                    return Some((begin..end, place + run + 1));
                }
            }
            place += run + 1;
        }
        Some((begin..self.len(), self.len()))
    }
}
