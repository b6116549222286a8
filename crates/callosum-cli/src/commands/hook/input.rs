//! What a runtime tells of an event: all of standard input, as JSON.

use std::io::{self, BufRead};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use serde_json::Value;

/// More of an event is not kept. What a runtime sends is read to its end all the same.
const MAX_INPUT: usize = 64 << 20;

/// Standard input to its end; `None` when it does not end in time, or is too long to be kept.
pub(super) fn read(patience: Duration) -> Option<Vec<u8>> {
    let began = Instant::now();
    let mut stdin = io::stdin().lock();
    let mut input = Vec::new();
    // A runtime that writes into a closed pipe may take that for a failure of ours: what is not kept is read as well.
    let mut is_kept = true;
    loop {
        let left = patience.checked_sub(began.elapsed())?;
        // Whether it is readable or broken, reading tells then without waiting.
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&left.try_into().ok()?)) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(_) => return None,
        }
        let length = match stdin.fill_buf() {
            Ok([]) => return is_kept.then_some(input),
            Ok(read) => {
                is_kept &= input.len() + read.len() <= MAX_INPUT;
                if is_kept {
                    input.extend_from_slice(read);
                }
                read.len()
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Err(_) => return None,
        };
        stdin.consume(length);
    }
}

/// The event. Runtimes in JavaScript cut texts anywhere, and write half a character as an escape that is no character: such
/// a call must not pass unseen. It is read as the addon reads it, with U+FFFD for what is broken.
pub(super) fn parse(input: &[u8]) -> Option<Value> {
    serde_json::from_slice(input)
        .ok()
        .or_else(|| serde_json::from_str(&with_whole_characters(&String::from_utf8_lossy(input))).ok())
}

/// The JSON text with `\\ufffd` for each escape of half a surrogate pair.
fn with_whole_characters(json: &str) -> String {
    let mut whole = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        whole.push_str(before);
        let follows = |from: usize| escape.get(from..).and_then(surrogate);
        let (kept, length) = match (surrogate(escape), follows(6)) {
            (Some(Half::High), Some(Half::Low)) => (escape.get(..12), 12),
            (Some(_), _) => (Some("\\ufffd"), 6),
            // Whatever is escaped: it is no escape's beginning itself.
            (None, _) => {
                let length = 1 + escape.chars().nth(1).map_or(0, char::len_utf8);
                (escape.get(..length), length)
            }
        };
        whole.push_str(kept.unwrap_or_default());
        rest = escape.get(length..).unwrap_or_default();
    }
    whole + rest
}

/// Half of a surrogate pair.
enum Half {
    High,
    Low,
}

/// The half that an escape at the beginning of `text` stands for.
fn surrogate(text: &str) -> Option<Half> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::High),
        0xdc00..=0xdfff => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn half_a_character_hides_no_call() {
        let parsed = |text: &str| parse(text.as_bytes()).map(|value| value.as_str().unwrap().to_owned());
        for (text, read) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\ude00b""#, "\u{fffd}b"),
            (r#""\ud83d\ud83d\ude00\ude00""#, "\u{fffd}\u{1f600}\u{fffd}"),
            (r#""\uD83Dx\uDE00""#, "\u{fffd}x\u{fffd}"),
            (r#""\ud83d\n\\ud83d\"\u00e9""#, "\u{fffd}\n\\ud83d\"\u{e9}"),
            (r#""\ud83d é\\""#, "\u{fffd} é\\"),
        ] {
            assert_eq!(parsed(text).as_deref(), Some(read), "{text}");
        }
        assert_eq!(parse(b"\"a\xffb\"").unwrap(), "a\u{fffd}b");
        for broken in [r#""\ud83"#, r#""\ud83d"#, "\"\\", r#""\ud8zz""#, "{", ""] {
            assert_eq!(parse(broken.as_bytes()), None, "{broken}");
        }
    }
}
