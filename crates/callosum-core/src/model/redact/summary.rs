//! A call's parameters on one line, without the secrets that their texts, their fields' names and their neighbours tell of.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::names::{Tell, is_secret, tell};
use super::pairs::HELD_AT;
use super::{REDACTED, may_tell, redact, redact_words, secrets_in, tells};
use crate::model::digest::number_text;
use crate::model::text::{as_one_line, head, one_line};
use crate::model::tool_call::AllParameters;

/// Of a long string so many characters are looked at, and so many are shown.
const LOOKED_AT: usize = 1024;
const SHOWN: usize = 120;
/// At most this many characters at the end of a cut text may be the head of a token too short to be known as one.
const UNSURE: usize = 64;
/// Deeper values are shown as `…`.
const MAX_DEPTH: usize = 8;

/// What a field is to the others of its object, as far as its name says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It names what another one holds.
    Label,
    /// It says where the value belongs that another one holds: its last name tells.
    Place,
    /// It holds what another one names.
    Held,
    /// It is a program, whose arguments are a list beside it.
    Program,
    /// It is what a program reads.
    Input,
}

impl Role {
    fn of(name: &str) -> Option<Self> {
        // By length: most names are none of these.
        let known: &[(&str, Self)] = match name.len() {
            1 => &[("k", Self::Label), ("n", Self::Label), ("v", Self::Held)],
            2 => &[("id", Self::Label)],
            3 => &[
                ("key", Self::Label),
                ("env", Self::Label),
                ("val", Self::Held),
                ("cmd", Self::Program),
                ("exe", Self::Program),
                ("bin", Self::Program),
            ],
            4 => &[
                ("name", Self::Label),
                ("type", Self::Label),
                ("data", Self::Held),
                ("text", Self::Held),
                ("path", Self::Place),
                ("file", Self::Program),
            ],
            5 => &[
                ("param", Self::Label),
                ("label", Self::Label),
                ("field", Self::Label),
                ("value", Self::Held),
                ("input", Self::Input),
                ("stdin", Self::Input),
            ],
            6 => &[
                ("header", Self::Label),
                ("option", Self::Label),
                ("target", Self::Label),
                ("values", Self::Held),
                ("string", Self::Held),
            ],
            7 => &[
                ("pointer", Self::Place),
                ("keyPath", Self::Place),
                ("content", Self::Held),
                ("default", Self::Held),
                ("setting", Self::Label),
                ("element", Self::Label),
                ("locator", Self::Label),
                ("program", Self::Program),
                ("command", Self::Program),
            ],
            8 => &[
                ("jsonPath", Self::Place),
                ("variable", Self::Label),
                ("property", Self::Label),
                ("selector", Self::Label),
                ("newValue", Self::Held),
            ],
            9 => &[
                ("file_path", Self::Place),
                ("fieldPath", Self::Place),
                ("json_path", Self::Place),
                ("parameter", Self::Label),
                ("new_value", Self::Held),
            ],
            10 => &[("executable", Self::Program)],
            12 => &[("variableName", Self::Label)],
            13 => &[("variable_name", Self::Label), ("variableValue", Self::Held)],
            14 => &[("variable_value", Self::Held)],
            _ => return None,
        };
        let begins =
            |known: &str| known.bytes().next() == name.bytes().next().map(|byte| byte.to_ascii_lowercase());
        let is_it = |known: &str| begins(known) && known.eq_ignore_ascii_case(name);
        known.iter().find(|(known, _)| is_it(known)).map(|(_, role)| *role)
    }
}

/// The parameters on one line, much like JSON, for people: at most `max_chars` characters, long strings cut,
/// secrets taken out, those told by a field's name (`password`, `apiKey`, `authorization` …) whole.
/// The cost goes by `max_chars`, not by the parameters' size.
#[must_use]
pub fn summarize(params: &AllParameters<'_>, max_chars: usize) -> String {
    let mut summary = Summary { text: String::with_capacity(256), left: max_chars.saturating_add(1) };
    summary.value(&params.value, 0, Tell::No);
    if !params.complete {
        summary.push(" …");
    }
    match as_one_line(&summary.text, max_chars) {
        Cow::Borrowed(_) => summary.text,
        Cow::Owned(line) => line,
    }
}

/// The first line of a command as the parameters of a call that has nothing else, [as people read them](summarize). What follows it
/// is marked as left out.
#[must_use]
pub fn summarize_command(command: &str, max_chars: usize) -> String {
    let (mut line, goes_on) = first_line(command.trim_start(), SHOWN);
    if goes_on && !line.ends_with('…') {
        line.push_str(" …");
    }
    let mut summary = Summary { text: String::with_capacity(160), left: max_chars.saturating_add(1) };
    summary.push("{\"command\":");
    summary.string(&line);
    summary.push("}");
    one_line(&summary.text, max_chars)
}

/// The first line of a text, at most `max_chars` characters of it, secrets taken out, and whether more follows. That is looked at, too:
/// it may tell of a secret on the first line.
pub(crate) fn first_line(text: &str, max_chars: usize) -> (String, bool) {
    let (known, cut) = known_part(text);
    let first = known.lines().next().unwrap_or_default();
    (one_line(first, max_chars), cut || known.trim_end().len() > first.len())
}

struct Summary {
    text: String,
    /// Characters that may still be added: one more than are shown, so that the cut is seen.
    left: usize,
}

impl Summary {
    fn push(&mut self, text: &str) {
        let (text, cut) = head(text, self.left);
        self.left = if cut { 0 } else { self.left.saturating_sub(text.chars().count()) };
        self.text.push_str(text);
    }

    /// A value, of which what it belongs to says as much as `tells`.
    fn value(&mut self, value: &Value, depth: usize, tells: Tell) {
        match value {
            _ if depth > MAX_DEPTH => self.push("…"),
            Value::Null => self.push("null"),
            Value::Bool(flag) => self.push(if *flag { "true" } else { "false" }),
            Value::String(text) if tells == Tell::No => self.string(&shorten(text, SHOWN)),
            Value::String(text) if is_secret(tells, head(text, LOOKED_AT).0) => self.string(REDACTED),
            Value::String(text) => self.string(&shorten(text, SHOWN)),
            _ if tells >= Tell::Likely => self.string(REDACTED),
            Value::Number(number) => self.push(&number_text(number)),
            Value::Array(items) => self.list(items, None, depth, tells),
            Value::Object(fields) => self.object(fields, depth),
        }
    }

    fn list(&mut self, items: &[Value], program: Option<&str>, depth: usize, tells: Tell) {
        let words = arguments(items, program);
        self.push("[");
        let mut before = "";
        for (at, item) in items.iter().enumerate() {
            if self.left == 0 {
                return;
            }
            self.push(if at == 0 { "" } else { "," });
            match (item, words.get(at)) {
                (Value::String(_) | Value::Number(_), _)
                    if follows_its_name(before, item, program, items.len()) =>
                {
                    self.string(REDACTED);
                }
                (Value::String(text), Some(word)) if tells == Tell::No && *word != *text => {
                    self.string(&as_one_line(word, SHOWN));
                }
                _ => self.value(item, depth + 1, tells),
            }
            before = item.as_str().unwrap_or_default();
        }
        self.push("]");
    }

    fn object(&mut self, fields: &Map<String, Value>, depth: usize) {
        let (told, place, program) = told_by(fields);
        self.push("{");
        for (at, (name, value)) in fields.iter().enumerate() {
            if self.left == 0 {
                return;
            }
            self.push(if at == 0 { "" } else { "," });
            // Most names have none of the words that tell.
            let mut tells = Tell::No;
            if may_tell(name) {
                tells = tell(name);
                self.string(&shorten(name, SHOWN));
            } else {
                self.string(&as_one_line(name, SHOWN));
            }
            self.push(":");
            if told > tells && Role::of(name) == Some(Role::Held) {
                tells = told;
            }
            if let Some(place) = place.filter(|_| may_belong(name, value))
                && Role::of(name) == Some(Role::Held)
            {
                tells = tells.max(of_place(place, name));
            }
            if matches!(name.as_str(), "data" | "stringData") && is_secret_manifest(fields) {
                tells = Tell::Surely;
            }
            match (value, program) {
                (Value::Array(items), Some(_)) if tells < Tell::Likely => {
                    self.list(items, program, depth + 1, tells);
                }
                (Value::String(input), Some(program))
                    if Role::of(name) == Some(Role::Input) && reads_a_secret(program, fields, input) =>
                {
                    self.string(REDACTED);
                }
                _ => self.value(value, depth + 1, tells),
            }
        }
        self.push("}");
    }

    /// A text in quotes.
    fn string(&mut self, shown: &str) {
        self.push("\"");
        if shown.contains(['\\', '"']) {
            self.push(&shown.replace('\\', "\\\\").replace('"', "\\\""));
        } else {
            self.push(shown);
        }
        self.push("\"");
    }
}

/// What an object's own label says of what it holds, `{"name": "Authorization", "value": …}`, the place where that belongs,
/// `{"path": "/auth/token", "value": …}`, and the program in it.
fn told_by(fields: &Map<String, Value>) -> (Tell, Option<&str>, Option<&str>) {
    let (mut told, mut place, mut program) = (Tell::No, None, None);
    if fields.len() > 1 {
        for (name, value) in fields {
            match (Role::of(name), value) {
                (Some(Role::Label), Value::String(label)) => told = told.max(of_label(label)),
                (Some(Role::Place), Value::String(text)) => place = place.or(Some(text.as_str())),
                (Some(Role::Program), Value::String(text)) => program = program.or(Some(text.as_str())),
                _ => {}
            }
            if ["secretName", "secret_name", "SecretId"].contains(&name.as_str()) {
                told = Tell::Surely;
            }
        }
    }
    (told, place, program)
}

/// Whether the field `name` may hold what belongs to a place alone: a file holds more than a secret, except where it is one word.
fn may_belong(name: &str, value: &Value) -> bool {
    let is_word = |text: &str| memchr::memchr2(b' ', b'\n', text.trim_end_matches('\n').as_bytes()).is_none();
    HELD_AT.contains(&name) || value.as_str().is_some_and(is_word)
}

/// What the last name in a place, `/auth/token`, `auth.tokens[0]`, says of the value there, which the field `name` holds.
fn of_place(place: &str, name: &str) -> Tell {
    let is_name = |part: &&str| part.bytes().any(|byte| byte.is_ascii_alphabetic());
    let last = place.rsplit(['/', '.', '[', ']']).find(is_name).unwrap_or_default();
    let tells = if last.len() < 80 { tells(last) } else { Tell::No };
    if HELD_AT.contains(&name) || tells == Tell::Surely { tells } else { Tell::No }
}

/// Whether an object is a manifest whose data are secrets.
fn is_secret_manifest(fields: &Map<String, Value>) -> bool {
    fields.get("kind").is_some_and(|kind| kind == "Secret")
}

/// What a label says of what it is for, also one that a page has for people: `Password field`.
fn of_label(label: &str) -> Tell {
    let label = head(label, 80).0;
    if label == "SecureString" {
        return Tell::Surely;
    }
    tells(label.strip_suffix(" field").or_else(|| label.strip_suffix(" input")).unwrap_or(label))
}

/// A list of words as the arguments of a command, secrets taken out; empty for another list, or a long one.
fn arguments<'i>(items: &'i [Value], program: Option<&'i str>) -> Vec<Cow<'i, str>> {
    let mut words: Vec<&str> = program.into_iter().collect();
    let mut length = 0;
    for item in items {
        let Value::String(word) = item else { return Vec::new() };
        length += word.len();
        if length > LOOKED_AT {
            return Vec::new();
        }
        words.push(word);
    }
    let mut shown = redact_words(&words);
    shown.drain(..usize::from(program.is_some()));
    shown
}

/// Programs whose `-p` is no password.
const NO_PASSWORD: &[&str] = &[
    "mkdir", "cp", "ssh", "scp", "tar", "claude", "cargo", "touch", "patch", "install", "ps", "lsof", "unzip",
];

/// Whether an element of a list is the secret that the one before it names: `["--password", "x"]`, `["Authorization", "x"]`, `["-p", "x"]`.
fn follows_its_name(before: &str, item: &Value, program: Option<&str>, length: usize) -> bool {
    if before.is_empty() || before.len() > 80 || length < 2 {
        return false;
    }
    let text = item.as_str();
    if before == "-p" {
        let name = program.unwrap_or_default().rsplit('/').next().unwrap_or_default();
        let harmless = |text: &str| {
            text.starts_with('-')
                || text.contains(['/', ':', ' '])
                || text.bytes().all(|byte| byte.is_ascii_digit())
        };
        return !NO_PASSWORD.contains(&name) && text.is_some_and(|text| !harmless(text));
    }
    let name = before.trim_end_matches(':');
    let is_name =
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b' ' | b'.'));
    let tells = if is_name { tells(name) } else { Tell::No };
    match text {
        _ if tells == Tell::No => false,
        None => tells >= Tell::Likely,
        Some(text) if text.starts_with("--") => false,
        // A list of names is no list of values.
        Some(text) => {
            is_secret(tells, text)
                && (before.starts_with('-') || tell(text) == Tell::No || text.contains(' '))
        }
    }
}

/// Whether the program is one that is given a secret to read.
fn reads_a_secret(program: &str, fields: &Map<String, Value>, input: &str) -> bool {
    let mut line = head(program, LOOKED_AT).0.to_owned();
    for word in fields.values().filter_map(Value::as_array).flatten().filter_map(Value::as_str).take(32) {
        line.push(' ');
        line.push_str(head(word, 80).0);
    }
    line.push_str(" <<<");
    let from = line.len();
    line.push('"');
    line.push_str(&head(input, 80).0.replace(['"', '\\'], "_"));
    line.push('"');
    secrets_in(&line, false).iter().any(|secret| secret.end > from + 1)
}

/// The head of `text` on one line, secrets taken out.
fn shorten(text: &str, max_chars: usize) -> Cow<'_, str> {
    match known_part(text) {
        (Cow::Borrowed(text), false) => as_one_line(text, max_chars),
        (Cow::Owned(text), false) => Cow::Owned(one_line(&text, max_chars)),
        (known, true) => {
            let mut line = one_line(head(&known, max_chars.saturating_sub(1)).0, max_chars);
            line.push('…');
            Cow::Owned(line)
        }
    }
}

/// What is known of a text, secrets taken out, and whether it is cut off. Only the head is looked at, and what is known ends well
/// before the end of what was looked at: a token that the cut made too short to be known is not in it.
fn known_part(text: &str) -> (Cow<'_, str>, bool) {
    let (looked_at, cut) = head(text, LOOKED_AT);
    let redacted = redact(looked_at);
    if !cut {
        return (redacted, false);
    }
    let sure = redacted.chars().count().saturating_sub(UNSURE);
    let end = head(&redacted, sure).0.len();
    let known = match redacted {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(..end).unwrap_or_default()),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    };
    (known, true)
}
