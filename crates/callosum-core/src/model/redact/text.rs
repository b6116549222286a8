//! A text and places in it, counted in bytes. Nothing here can be out of bounds: behind the end there is nothing.

use std::ops::Range;

/// A text that is looked through.
#[derive(Clone, Copy)]
pub(super) struct Text<'t>(pub(super) &'t str);

/// Whether a byte may be part of a name: `X-Api-Key`, `client_secret`.
pub(super) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// A text as long as this one, as whoever it is for reads it: with lines where JSON writes `\n` or a patch marks them with a sign, and with
/// the signs that addresses, JSON and HTML write as codes: `%3D`, `\u003d`, `&quot;`. `None` when it has none of these.
pub(super) fn decoded(text: &str) -> Option<String> {
    let may_have_codes = memchr::memchr3(b'%', b'&', b'\\', text.as_bytes()).is_some();
    let is_patch = text.contains("\n+") || may_have_codes && text.contains("\\n+");
    let has_lines = is_patch || may_have_codes && text.contains("\\n");
    if !has_lines && !may_have_codes {
        return None;
    }
    let mut bytes = text.as_bytes().to_vec();
    let has_codes = may_have_codes && decode(&mut bytes);
    if has_lines {
        begin_lines(&mut bytes, is_patch);
    }
    if has_lines || has_codes { String::from_utf8(bytes).ok() } else { None }
}

/// Signs as HTML writes them.
const ENTITIES: &[(&[u8], u8)] = &[
    (b"&quot;", b'"'),
    (b"&apos;", b'\''),
    (b"&amp;", b'&'),
    (b"&#34;", b'"'),
    (b"&#39;", b'\''),
    (b"&#61;", b'='),
    (b"&#x22;", b'"'),
    (b"&#x27;", b'\''),
    (b"&#x3D;", b'='),
];

/// JSON in JSON has more backslashes in front of a code, but no more than these.
const MAX_SLASHES: usize = 8;

/// Writes the signs of which there are codes over them; whether there was one.
fn decode(bytes: &mut [u8]) -> bool {
    let (mut from, mut has_codes) = (0, false);
    while let Some(length) = memchr::memchr3(b'%', b'&', b'\\', bytes.get(from..).unwrap_or_default()) {
        let at = from + length;
        from = at + 1;
        let Some((sign, length)) = bytes.get(at..).and_then(code) else { continue };
        let is_behind_quote =
            matches!(at.checked_sub(1).and_then(|before| bytes.get(before)), Some(b'"' | b'\''));
        if let Some(code) = bytes.get_mut(at..at + length)
            && write(code, sign, is_behind_quote)
        {
            (from, has_codes) = (at + length, true);
        }
    }
    has_codes
}

/// The sign that the text begins with a code of, and how long that is: of an address in an address a `%` is `%25`.
fn code(text: &[u8]) -> Option<(u8, usize)> {
    let number = |from: usize| {
        let digits = str::from_utf8(text.get(from..from + 2)?).ok()?;
        let sign = u8::from_str_radix(digits, 16).ok()?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some((sign, from + 2))
    };
    match text.first()? {
        b'%' => {
            let mut from = 1;
            while text.get(from..).is_some_and(|rest| rest.starts_with(b"25")) {
                from += 2;
            }
            number(from)
        }
        b'\\' => {
            let slashes = text.iter().take(MAX_SLASHES).take_while(|byte| **byte == b'\\').count();
            let is_code = text.get(slashes..).is_some_and(|rest| rest.starts_with(b"u00"));
            if is_code { number(slashes + 3) } else { None }
        }
        _ => {
            let is_it =
                |code: &[u8]| text.get(..code.len()).is_some_and(|text| text.eq_ignore_ascii_case(code));
            ENTITIES.iter().find(|(code, _)| is_it(code)).map(|(code, sign)| (*sign, code.len()))
        }
    }
}

/// Writes a sign over its code, and beside it what changes nothing of what stands there; false where the sign matters to nobody.
fn write(code: &mut [u8], sign: u8, is_behind_quote: bool) -> bool {
    let beside = match sign {
        b'=' | b':' if is_behind_quote => b' ',
        // Part of a name, or of a host's.
        b'=' | b':' | b'@' => b'_',
        // A quote in a quoted text.
        b'"' | b'\'' => b'\\',
        b'\n' | b' ' | b'&' | b'?' | b'/' | b'#' | b',' | b';' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' => {
            sign
        }
        _ => return false,
    };
    code.fill(beside);
    let place = if sign == b'@' { code.first_mut() } else { code.last_mut() };
    place.into_iter().for_each(|byte| *byte = sign);
    true
}

/// Makes lines in a text of what it has lines in.
fn begin_lines(lines: &mut [u8], is_patch: bool) {
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
        if becomes != byte
            && let Some(written) = lines.get_mut(place - slashes..=place)
        {
            written.fill(b' ');
            written.last_mut().into_iter().for_each(|byte| *byte = becomes);
        }
        slashes = if byte == b'\\' { slashes + 1 } else { 0 };
    }
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
