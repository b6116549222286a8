//! A line of the journal in the making: JSON, field by field. A call waits for the lines it writes, so they are not
//! made by a general serializer, which looks at every byte of every name and value.

use serde::Serialize;
use serde_json::Error;

use crate::digest::hex_digits;
use crate::text::is_plain_json;
use crate::time::Rfc3339;

/// The fields of a line so far. Each is given with what stands before its value: `,"tool":`.
pub(super) struct LineWriter {
    bytes: Vec<u8>,
}

impl LineWriter {
    /// A line without fields; the first has the brace before it.
    pub(super) fn new() -> Self {
        // Most lines fit.
        Self { bytes: Vec::with_capacity(640) }
    }

    /// Adds bytes as they are.
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds a field that is a text.
    pub(super) fn text(&mut self, before: &[u8], text: &str) -> Result<(), Error> {
        self.bytes.reserve(before.len() + text.len() + 2);
        self.raw(before);
        if !is_plain_json(text) {
            return serde_json::to_writer(&mut self.bytes, text);
        }
        self.bytes.push(b'"');
        self.raw(text.as_bytes());
        self.bytes.push(b'"');
        Ok(())
    }

    /// The same, if there is one.
    pub(super) fn maybe_text(&mut self, before: &[u8], text: Option<&str>) -> Result<(), Error> {
        text.map_or(Ok(()), |text| self.text(before, text))
    }

    /// Adds a field that is anything, if it is there.
    pub(super) fn maybe(&mut self, before: &[u8], value: Option<impl Serialize>) -> Result<(), Error> {
        let Some(value) = value else { return Ok(()) };
        self.raw(before);
        serde_json::to_writer(&mut self.bytes, &value)
    }

    /// Adds a field that is a moment, if it is there.
    pub(super) fn maybe_moment(&mut self, before: &[u8], wall_ms: Option<i64>) {
        let Some(wall_ms) = wall_ms else { return };
        self.raw(before);
        self.raw(b"\"");
        self.raw(Rfc3339::of(wall_ms).as_str().as_bytes());
        self.raw(b"\"");
    }

    /// Adds a field that is a boot, if it is there: eight hexadecimal digits.
    pub(super) fn maybe_boot(&mut self, before: &[u8], boot: Option<u32>) {
        let Some(boot) = boot else { return };
        self.raw(before);
        self.raw(b"\"");
        self.bytes.extend(hex_digits(boot.to_be_bytes().iter()));
        self.raw(b"\"");
    }

    /// Adds a field that is a list of texts, if there are any.
    pub(super) fn texts(&mut self, before: &[u8], texts: &[String]) -> Result<(), Error> {
        let Some((first, others)) = texts.split_first() else { return Ok(()) };
        self.raw(before);
        self.text(b"[", first)?;
        others.iter().try_for_each(|text| self.text(b",", text))?;
        self.raw(b"]");
        Ok(())
    }

    /// The whole line, newline included.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.raw(b"}\n");
        self.bytes
    }
}
