//! JSON as it comes: read piece by piece until the document is complete, without recursion, and as far as it can be read. A
//! reader that refuses what it does not understand would let the call in it pass unseen.
//!
//! Its value is what `serde_json` would make of a text that is whole (a test holds them equal). What can't be read becomes
//! [`NOT_READ`], and the first reason is kept.

use callosum_core::model::partly_read::NOT_READ;
use serde_json::{Map, Number, Value};

/// Deeper values are not read, as `serde_json` does not: whoever looks at a value, or drops it, recurses.
const MAX_DEPTH: usize = 127;
/// Memory for what is kept, about, in bytes.
const MAX_KEPT: usize = 64 << 20;
/// What a value takes beside its text.
const VALUE_BYTES: usize = 64;
/// Short texts of the outermost object and of what is directly in it are kept however much came before them: who calls what
/// stands there.
const ALWAYS_KEPT: usize = 4 << 10;
/// As many fields of these at most.
const MAX_FIELDS: usize = 1 << 10;

/// What was read.
#[derive(Debug)]
pub struct Document {
    /// The outermost object or array; `None` where there is none.
    pub value: Option<Value>,
    /// Why not all of it could be read.
    pub flaw: Option<String>,
    /// It ended before it was complete.
    pub is_cut: bool,
    /// The field of the outermost object in whose value it was cut.
    pub cut_in: Option<String>,
}

/// Reads one document.
#[derive(Debug, Default)]
pub struct Reader {
    stack: Vec<Frame>,
    /// How many containers are open that are too deep to be kept.
    below: usize,
    token: Token,
    /// The text of the token under way, as it was sent.
    text: Vec<u8>,
    /// The token is too long to be kept.
    is_too_long: bool,
    kept: usize,
    flaw: Option<String>,
    value: Option<Value>,
}

/// An open container.
#[derive(Debug)]
enum Frame {
    Object { fields: Map<String, Value>, key: Option<String> },
    Array(Vec<Value>),
}

/// What is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Token {
    #[default]
    None,
    Text,
    /// In a text, behind a backslash.
    Escape,
    /// A number, a word, or what is neither.
    Bare,
}

impl Reader {
    /// Whether the document is complete: what follows is not part of it.
    pub fn is_complete(&self) -> bool {
        self.value.is_some()
    }

    /// Reads on.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((&first, rest)) = bytes.split_first() {
            if self.is_complete() {
                return;
            }
            bytes = match self.token {
                Token::Text => self.text(bytes),
                Token::Escape => {
                    self.keep(&[first]);
                    self.token = Token::Text;
                    rest
                }
                Token::Bare => self.bare(bytes),
                Token::None => {
                    self.between(first);
                    rest
                }
            };
        }
    }

    /// What was read, once nothing more comes.
    pub fn finish(mut self) -> Document {
        if self.token == Token::Bare && !self.stack.is_empty() {
            self.bare_ends();
        }
        let is_cut = !self.is_complete() && !self.stack.is_empty();
        let cut_in = match self.stack.first() {
            Some(Frame::Object { key, .. }) if is_cut => key.clone(),
            _ => None,
        };
        if is_cut {
            self.note("it is cut off");
            self.close_all();
        }
        Document { value: self.value, flaw: self.flaw, is_cut, cut_in }
    }

    fn note(&mut self, flaw: &str) {
        if self.flaw.is_none() {
            self.flaw = Some(flaw.to_owned());
        }
    }

    /// Between two tokens.
    fn between(&mut self, byte: u8) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b':' => {}
            b',' => self.value_is_missing(),
            b'"' => {
                self.begin(Token::Text);
                self.keep(b"\"");
            }
            b'{' => self.open(Frame::Object { fields: Map::new(), key: None }),
            b'[' => self.open(Frame::Array(Vec::new())),
            b'}' | b']' => self.close(),
            byte => {
                self.begin(Token::Bare);
                self.keep(&[byte]);
            }
        }
    }

    fn begin(&mut self, token: Token) {
        self.token = token;
        self.text.clear();
        self.is_too_long = false;
    }

    /// Keeps a piece of the token.
    fn keep(&mut self, piece: &[u8]) {
        let length = self.text.len() + piece.len();
        let is_kept = self.kept + length <= MAX_KEPT || self.stack.len() <= 2 && length <= ALWAYS_KEPT;
        if is_kept && !self.is_too_long && self.below == 0 {
            self.text.extend_from_slice(piece);
        } else {
            self.is_too_long = true;
        }
    }

    /// Within a text, up to what ends it or is escaped; gives what is behind.
    fn text<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let end = bytes.iter().position(|byte| matches!(byte, b'"' | b'\\'));
        let Some((piece, rest)) = end.and_then(|end| bytes.split_at_checked(end + 1)) else {
            self.keep(bytes);
            return &[];
        };
        self.keep(piece);
        if piece.ends_with(b"\\") {
            self.token = Token::Escape;
        } else {
            self.token = Token::None;
            self.text_ends();
        }
        rest
    }

    /// Within a number or a word, up to what can't belong to it.
    fn bare<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let is_end = |byte: &u8| {
            matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b'"' | b'{' | b'}' | b'[' | b']')
        };
        let end = bytes.iter().position(is_end);
        let (piece, rest) = bytes.split_at_checked(end.unwrap_or(bytes.len())).unwrap_or((bytes, &[]));
        self.keep(piece);
        if end.is_some() {
            self.bare_ends();
        }
        rest
    }

    fn text_ends(&mut self) {
        if self.below > 0 || self.stack.is_empty() {
            return;
        }
        let text = if self.is_too_long {
            self.note("it is too long");
            None
        } else {
            let text = unescaped(&self.text);
            if text.is_none() {
                self.note("a text in it is no JSON");
            }
            text
        };
        self.kept += self.text.len();
        if let Some(Frame::Object { key: key @ None, .. }) = self.stack.last_mut() {
            *key = Some(text.unwrap_or_else(|| NOT_READ.to_owned()));
        } else {
            self.add(Value::String(text.unwrap_or_else(|| NOT_READ.to_owned())));
        }
    }

    fn bare_ends(&mut self) {
        self.token = Token::None;
        if self.below > 0 || self.stack.is_empty() {
            return;
        }
        let value = match self.text.as_slice() {
            _ if self.is_too_long => None,
            b"null" => Some(Value::Null),
            b"true" => Some(Value::Bool(true)),
            b"false" => Some(Value::Bool(false)),
            text => serde_json::from_slice::<Number>(text).ok().map(Value::Number),
        };
        if value.is_none() {
            self.note("a number or a word in it is no JSON, or out of range");
        }
        if let Some(Frame::Object { key: key @ None, .. }) = self.stack.last_mut() {
            *key = Some(String::from_utf8_lossy(&self.text).into_owned());
        } else {
            self.add(value.unwrap_or_else(not_read));
        }
    }

    /// A comma where a value should have come before it.
    fn value_is_missing(&mut self) {
        if self.below == 0 && matches!(self.stack.last(), Some(Frame::Object { key: Some(_), .. })) {
            self.note("a value in it is missing");
            self.add(not_read());
        }
    }

    fn open(&mut self, frame: Frame) {
        if self.below > 0 || self.stack.len() == MAX_DEPTH {
            self.below += 1;
        } else {
            self.stack.push(frame);
        }
    }

    fn close(&mut self) {
        if self.below > 0 {
            self.below -= 1;
            if self.below == 0 {
                self.note("it is nested too deeply");
                self.add(not_read());
            }
            return;
        }
        self.value_is_missing();
        match self.stack.pop() {
            Some(Frame::Object { fields, .. }) => self.add(Value::Object(fields)),
            Some(Frame::Array(items)) => self.add(Value::Array(items)),
            None => {}
        }
    }

    /// Puts a value where it belongs.
    fn add(&mut self, value: Value) {
        self.kept += VALUE_BYTES;
        let is_near = self.stack.len() <= 2;
        let is_too_much = self.kept > MAX_KEPT;
        match self.stack.last_mut() {
            None => self.value = Some(value),
            Some(Frame::Array(items)) if !is_too_much => items.push(value),
            Some(Frame::Array(items)) => {
                // One stands for all the rest.
                if items.last().is_none_or(|last| last != NOT_READ) {
                    items.push(not_read());
                }
                self.note("it is too long");
            }
            Some(Frame::Object { fields, key }) => {
                let Some(key) = key.take() else { return };
                let has_room = !is_too_much || is_near && fields.len() < MAX_FIELDS;
                let value = if has_room { value } else { not_read() };
                let key = if has_room { key } else { NOT_READ.to_owned() };
                match fields.get_mut(&key) {
                    None => drop(fields.insert(key, value)),
                    Some(other) if *other == value => {}
                    // Which of them its reader takes is anybody's guess.
                    Some(other) => {
                        *other = not_read();
                        self.note("a field is there twice");
                    }
                }
                if !has_room {
                    self.note("it is too long");
                }
            }
        }
    }

    /// Closes what is open. What stands within a field of the outermost object's fields is not read then: what is missing in
    /// it may be anything.
    fn close_all(&mut self) {
        self.below = 0;
        while let Some(frame) = self.stack.pop() {
            let is_kept = self.stack.len() <= 1;
            let value = match frame {
                Frame::Object { mut fields, key } => {
                    if let Some(key) = key {
                        fields.entry(key).or_insert_with(not_read);
                    }
                    Value::Object(fields)
                }
                Frame::Array(items) => Value::Array(items),
            };
            self.add(if is_kept { value } else { not_read() });
        }
    }
}

fn not_read() -> Value {
    Value::String(NOT_READ.to_owned())
}

/// The text of a token with its quotes. Runtimes in JavaScript cut texts anywhere, and write half a character as an escape
/// that is no character: that is read as the addon reads it, with U+FFFD for what is broken.
fn unescaped(token: &[u8]) -> Option<String> {
    serde_json::from_slice(token)
        .ok()
        .or_else(|| serde_json::from_str(&with_whole_characters(&String::from_utf8_lossy(token))).ok())
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
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
    use super::*;
    use callosum_core::model::partly_read::is_read;
    use serde_json::json;

    fn read(bytes: &[u8]) -> Document {
        let mut reader = Reader::default();
        reader.feed(bytes);
        reader.finish()
    }

    /// What the real runtimes told (see `tests/agents`), and what JSON may be.
    fn wholes() -> Vec<String> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/agents/samples");
        let samples = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
        let odd = [
            "{}",
            "[]",
            "[1,-2.5e3,0,1.0,18446744073709551615,-9223372036854775808,1e-400]",
            r#"{"a":{"b":[{"c":null},[],{}],"d":true},"":false}"#,
            "\u{feff} {\"a\" :\t\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00é😀\" } ",
        ];
        samples.chain(odd.map(str::to_owned)).collect()
    }

    #[test]
    fn a_whole_text_is_read_as_others_read_it_however_it_comes() {
        for whole in wholes() {
            let expected: Value = serde_json::from_str(whole.trim_start_matches('\u{feff}')).unwrap();
            let document = read(whole.as_bytes());
            assert_eq!(
                (document.value.as_ref(), document.flaw.as_deref(), document.is_cut),
                (Some(&expected), None, false),
                "{whole}"
            );
            for size in [1, 2, 3, 7] {
                let mut reader = Reader::default();
                whole.as_bytes().chunks(size).for_each(|chunk| reader.feed(chunk));
                assert!(reader.is_complete());
                assert_eq!(reader.finish().value.as_ref(), Some(&expected));
            }
        }
    }

    #[test]
    fn a_document_is_complete_as_soon_as_it_is() {
        for whole in wholes() {
            let whole = whole.trim();
            let (last, before) = whole.as_bytes().split_last().unwrap();
            let mut reader = Reader::default();
            reader.feed(before);
            assert!(!reader.is_complete(), "{whole}");
            reader.feed(&[*last]);
            assert!(reader.is_complete(), "{whole}");
            reader.feed(b"} trailing \"garbage");
            assert_eq!(reader.finish().flaw, None);
        }
    }

    #[test]
    fn what_is_cut_is_read_up_to_there_and_says_so() {
        let whole = r#"{"a":"é\n","b":{"c":[1,{"d":2}],"e":"x"},"f":12}"#;
        for length in 1..whole.len() {
            let document = read(&whole.as_bytes()[..length]);
            assert!(document.is_cut && document.flaw.is_some(), "{length}");
        }
        let cut = read(br#"{"a":1,"b":{"c":"x","d":[1,2"#);
        assert_eq!(cut.value, Some(json!({ "a": 1, "b": { "c": "x", "d": NOT_READ } })));
        assert_eq!(cut.cut_in.as_deref(), Some("b"));
        let cut = read(br#"{"a":1,"b":"x"#);
        assert_eq!(cut.value, Some(json!({ "a": 1, "b": NOT_READ })));
        // A number may have gone on.
        for empty in ["", "null", "no JSON", "\"text\"", "7", "}"] {
            let document = read(empty.as_bytes());
            assert!(document.value.is_none() && !document.is_cut, "{empty}");
        }
    }

    #[test]
    fn what_can_not_be_read_hides_nothing_beside_it() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for broken in ["1e999", "NaN", "-", "0x1", "undefined", "\"\\x\"", "\"a\nb\"", "", "1,\"x\":2"] {
            let document = read(format!(r#"{{"a":"1","x":{broken},"b":{{"c":2}}}}"#).as_bytes());
            let value = document.value.unwrap();
            assert_eq!(value, json!({ "a": "1", "x": NOT_READ, "b": { "c": 2 } }), "{broken}");
            assert!(document.flaw.is_some() && !is_read(&value) && is_read(&value["b"]), "{broken}");
        }
        for (levels, is_whole) in [(126, true), (127, false), (130, false), (100_000, false)] {
            let document = read(format!(r#"{{"x":{},"b":2}}"#, deep(levels)).as_bytes());
            let value = document.value.unwrap();
            assert_eq!((document.flaw.is_none(), is_read(&value["x"])), (is_whole, is_whole), "{levels}");
            assert_eq!(value["b"], 2);
        }
        // The same twice is no question.
        assert_eq!(read(br#"{"x":[1],"x":[1]}"#).flaw, None);
    }

    #[test]
    fn who_calls_what_is_kept_behind_however_much() {
        let long = "x".repeat(MAX_KEPT + 1);
        for huge in [format!("\"{long}\""), format!("[{}0]", "0,".repeat(MAX_KEPT / VALUE_BYTES))] {
            let document = read(
                format!(r#"{{"tool_input":{{"command":{huge},"a":"b"}},"tool_name":"Bash"}}"#).as_bytes(),
            );
            let value = document.value.unwrap();
            assert_eq!(value["tool_name"], "Bash");
            assert!(document.flaw.is_some() && !is_read(&value["tool_input"]["command"]));
        }
    }

    #[test]
    fn half_a_character_hides_no_call() {
        let parsed = |text: &str| unescaped(text.as_bytes());
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
        assert_eq!(unescaped(b"\"a\xffb\"").unwrap(), "a\u{fffd}b");
        for broken in [r#""\ud83"#, r#""\ud83d"#, "\"\\", r#""\ud8zz""#] {
            assert_eq!(parsed(broken), None, "{broken}");
        }
    }
}
