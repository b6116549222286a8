//! A line of the journal in the making, and one that was made so being read: JSON, field by field. A call waits for the
//! lines it writes and for those it reads, so that is not done by a general serializer, which looks at every byte of
//! every name and value.

use std::borrow::Cow;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Deserializer, Error};

use crate::model::digest::hex_pairs;
use crate::model::json_text;
use crate::model::text::is_plain_json;
use crate::model::time::{Rfc3339, from_own_rfc3339};

use super::id::RandomId;

/// The fields of a line so far. Each is given with what stands before its value: `,"tool":`.
pub(crate) struct LineWriter {
    bytes: Vec<u8>,
}

impl LineWriter {
    /// A line without fields; the first has the brace before it.
    pub(crate) fn new() -> Self {
        // Most lines fit.
        Self { bytes: Vec::with_capacity(640) }
    }

    /// Adds bytes as they are.
    #[inline]
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds a field that is a text. What stands before a value is of a length that the compiler knows, here and in what follows: copying
    /// so few bytes is then no call of a function.
    pub(crate) fn text<const N: usize>(&mut self, before: &[u8; N], text: &str) -> Result<(), Error> {
        self.bytes.reserve(N + text.len() + 2);
        self.raw(before);
        if !is_plain_json(text) {
            return json_text::text_to_writer(&mut self.bytes, text);
        }
        self.bytes.push(b'"');
        self.raw(text.as_bytes());
        self.bytes.push(b'"');
        Ok(())
    }

    /// The same, if there is one.
    pub(crate) fn maybe_text<const N: usize>(
        &mut self,
        before: &[u8; N],
        text: Option<&str>,
    ) -> Result<(), Error> {
        text.map_or(Ok(()), |text| self.text(before, text))
    }

    /// Adds a field that is anything, if it is there.
    pub(crate) fn maybe<const N: usize>(
        &mut self,
        before: &[u8; N],
        value: Option<impl Serialize>,
    ) -> Result<(), Error> {
        let Some(value) = value else { return Ok(()) };
        self.raw(before);
        json_text::to_writer(&mut self.bytes, &value)
    }

    /// Adds a field that is a moment, if it is there.
    pub(crate) fn maybe_moment<const N: usize>(&mut self, before: &[u8; N], wall_ms: Option<i64>) {
        let Some(wall_ms) = wall_ms else { return };
        self.raw(before);
        self.raw(b"\"");
        self.raw(&Rfc3339::of(wall_ms).0);
        self.raw(b"\"");
    }

    /// Adds a field that is a boot, if it is there: eight hexadecimal digits.
    pub(crate) fn maybe_boot<const N: usize>(&mut self, before: &[u8; N], boot: Option<u32>) {
        let Some(boot) = boot else { return };
        self.raw(before);
        self.raw(b"\"");
        self.raw(hex_pairs(boot.to_be_bytes()).as_flattened());
        self.raw(b"\"");
    }

    /// Adds a field that is an id, if it is there.
    pub(crate) fn maybe_id<const N: usize>(&mut self, before: &[u8; N], id: Option<RandomId>) {
        let Some(id) = id else { return };
        self.raw(before);
        self.raw(b"\"");
        self.raw(id.digits().as_flattened());
        self.raw(b"\"");
    }

    /// Adds a field that is a list of texts, if there are any.
    pub(crate) fn texts<const N: usize>(&mut self, before: &[u8; N], texts: &[String]) -> Result<(), Error> {
        let Some((first, others)) = texts.split_first() else { return Ok(()) };
        self.raw(before);
        self.text(b"[", first)?;
        others.iter().try_for_each(|text| self.text(b",", text))?;
        self.raw(b"]");
        Ok(())
    }

    /// The whole line, newline included.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.raw(b"}\n");
        self.bytes
    }
}

/// A line that [`LineWriter`] made, without its newline, as far as it is not read yet. What is read must stand there as it is
/// written; `None` says that it does not.
pub(crate) struct LineReader<'a> {
    rest: &'a str,
}

impl<'a> LineReader<'a> {
    /// A line from its first byte on, or from the middle.
    pub(crate) fn new(line: &'a [u8]) -> Option<Self> {
        // Neither in a text nor between values such characters are written.
        let has_controls = line.iter().fold(false, |has, byte| has | (*byte < b' '));
        str::from_utf8(line).ok().filter(|_| !has_controls).map(|rest| Self { rest })
    }

    /// Whether this comes next; then it is read.
    #[inline]
    pub(crate) fn take(&mut self, text: &str) -> bool {
        let behind = self.rest.strip_prefix(text);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    /// Reads the value of a field if the field is there, which begins with `before`.
    #[inline]
    pub(crate) fn maybe<T>(
        &mut self,
        before: &str,
        value: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.take(before) { value(self).map(Some) } else { Some(None) }
    }

    /// Reads a field that is a list, or none where it is not there: no empty one is written.
    #[inline]
    pub(crate) fn list<T>(
        &mut self,
        before: &str,
        mut value: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        if !self.take(before) {
            return Some(Vec::new());
        }
        let mut values = vec![self.maybe("[", &mut value)??];
        while let Some(more) = self.maybe(",", &mut value)? {
            values.push(more);
        }
        self.take("]").then_some(values)
    }

    /// Reads a text.
    pub(crate) fn text(&mut self) -> Option<Cow<'a, str>> {
        let rest = self.rest.strip_prefix('"')?;
        let (text, behind) = rest.split_at_checked(memchr::memchr2(b'"', b'\\', rest.as_bytes())?)?;
        match behind.strip_prefix('"') {
            Some(behind) => {
                self.rest = behind;
                Some(Cow::Borrowed(text))
            }
            None => self.escaped(text, behind).map(Cow::Owned),
        }
    }

    /// Reads the text that begins with `plain`, where an escape comes after that.
    fn escaped(&mut self, plain: &str, mut rest: &'a str) -> Option<String> {
        let mut text = String::with_capacity(2 * plain.len() + 64);
        text.push_str(plain);
        while let Some(escape) = rest.strip_prefix('\\') {
            text.push(match escape.as_bytes().first()? {
                b'"' => '"',
                b'\\' => '\\',
                b'n' => '\n',
                _ => return self.value(),
            });
            let behind = escape.get(1..)?;
            let (plain, end) = behind.split_at_checked(memchr::memchr2(b'"', b'\\', behind.as_bytes())?)?;
            text.push_str(plain);
            rest = end;
        }
        self.rest = rest.strip_prefix('"')?;
        Some(text)
    }

    /// The same, to keep.
    pub(crate) fn string(&mut self) -> Option<String> {
        self.text().map(Cow::into_owned)
    }

    /// Reads a number that is not negative.
    pub(crate) fn number<T: FromStr>(&mut self) -> Option<T> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, behind) = self.rest.split_at_checked(digits)?;
        self.rest = behind;
        // JSON writes no zero before others.
        let is_plain = digits.len() == 1 || !digits.starts_with('0');
        digits.parse().ok().filter(|_| is_plain)
    }

    /// Reads a moment: wall-clock milliseconds.
    pub(crate) fn moment(&mut self) -> Option<i64> {
        let text = self.text()?;
        from_own_rfc3339(text.as_bytes().try_into().ok()?)
    }

    /// Reads a boot.
    pub(crate) fn boot(&mut self) -> Option<u32> {
        u32::from_str_radix(&self.text()?, 16).ok()
    }

    /// Reads an id.
    pub(crate) fn id(&mut self) -> Option<RandomId> {
        RandomId::read(&self.text()?)
    }

    /// Reads anything else.
    pub(crate) fn value<T: Deserialize<'a>>(&mut self) -> Option<T> {
        let mut values = Deserializer::from_str(self.rest).into_iter();
        let value = values.next()?.ok()?;
        self.rest = self.rest.get(values.byte_offset()..)?;
        Some(value)
    }

    /// Whether nothing more comes but the line's end.
    pub(crate) fn is_at_end(&self) -> bool {
        self.rest == "}"
    }
}
