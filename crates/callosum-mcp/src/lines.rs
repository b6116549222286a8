//! The client's lines, each one message of bounded length. One that is too long is never kept: it is answered, and the next is read.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use serde::Deserialize;
use serde_json::{Value, json};

/// Bytes of a message. The longest text that a tool takes has 64 KiB, and each of its bytes may be written in six.
pub(crate) const MAX_BYTES: usize = 1 << 20;
/// The method of the request that stands for one that is too long.
pub(crate) const TOO_LONG: &str = "callosum/too-long";
/// Characters of a request's id.
const ID_CHARS: usize = 128;

/// Reads the next line into `line`, with its end. In the place of one that is too long there is a request of the same id that
/// says so. Whether there is one.
///
/// # Errors
/// When it can't be read.
pub(crate) fn next(from: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    from.by_ref().take(most).read_until(b'\n', line)?;
    if line.is_empty() {
        return Ok(false);
    }
    if line.ends_with(b"\n") {
        return Ok(true);
    }
    if line.len() == MAX_BYTES {
        let head = std::mem::take(line);
        let mut rest = RestOfLine { from, is_over: false };
        // A parser asks for one byte at a time.
        let id = id_of(BufReader::new(Cursor::new(head).chain(&mut rest)));
        io::copy(&mut rest, &mut io::sink())?;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": TOO_LONG });
        line.extend_from_slice(request.to_string().as_bytes());
    }
    line.push(b'\n');
    Ok(true)
}

/// The id of a request, read without keeping the rest of it; null where there is none.
fn id_of(message: impl Read) -> Value {
    #[derive(Deserialize)]
    struct Request {
        id: Id,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Id {
        Number(i64),
        Text(String),
    }
    match serde_json::from_reader(message).map(|request: Request| request.id) {
        Ok(Id::Number(id)) => id.into(),
        Ok(Id::Text(id)) if id.chars().count() <= ID_CHARS => id.into(),
        _ => Value::Null,
    }
}

/// A line to its end.
struct RestOfLine<'r, R> {
    from: &'r mut R,
    is_over: bool,
}

impl<R: BufRead> Read for RestOfLine<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_over {
            return Ok(0);
        }
        let there = self.from.fill_buf()?;
        let end = there.iter().position(|byte| *byte == b'\n');
        let wanted = end.unwrap_or(there.len()).min(into.len());
        for (to, byte) in into.iter_mut().zip(there).take(wanted) {
            *to = *byte;
        }
        self.is_over = there.is_empty() || end == Some(wanted);
        self.from.consume(wanted + usize::from(end == Some(wanted)));
        Ok(wanted)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        // Pieces of a length that meets no end of anything.
        let mut from = BufReader::with_capacity(7, text.as_bytes());
        let (mut line, mut found) = (Vec::new(), Vec::new());
        while next(&mut from, &mut line).unwrap() {
            found.push(String::from_utf8(line.clone()).unwrap());
        }
        found
    }

    #[test]
    fn a_line_of_the_greatest_length_is_read_and_one_byte_more_is_not() {
        let just = format!("{}\n", "a".repeat(MAX_BYTES - 1));
        assert_eq!(lines(&just), std::slice::from_ref(&just));
        let told = |id: &str| format!("{{\"id\":{id},\"jsonrpc\":\"2.0\",\"method\":\"{TOO_LONG}\"}}\n");
        let more = format!("{}\nnext\nlast", "a".repeat(MAX_BYTES));
        assert_eq!(lines(&more), [told("null"), "next\n".to_owned(), "last\n".to_owned()]);
    }

    #[test]
    fn what_is_too_long_is_answered_under_its_own_id() {
        let body = "b".repeat(MAX_BYTES);
        for (message, id) in [
            (format!(r#"{{"params":{{"id":1,"body":"{body}"}},"id":7}}"#), "7"),
            (format!(r#"{{"id":"x","params":"{body}"}}"#), r#""x""#),
            (format!(r#"{{"id":"{body}"}}"#), "null"),
            (format!(r#"{{"id":{{"a":"{body}"}}}}"#), "null"),
            (format!(r#"{{"id":7,"params":"{body}"#), "null"),
        ] {
            let found = lines(&format!("{message}\n{{}}\n"));
            assert_eq!(found.len(), 2);
            assert!(found[0].contains(&format!("\"id\":{id},")), "{}", found[0]);
            assert_eq!(found[1], "{}\n");
        }
    }
}
