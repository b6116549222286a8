//! A call's parameters on one line, without the secrets that their texts, their fields' names and their neighbours tell of.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Value};

use super::names::{Tell, is_secret, tell};
use super::pairs::HELD_AT;
use super::{REDACTED, cards, in_words, may_tell, redact, replaced, secrets_in, tells};
use crate::model::digest::number_text;
use crate::model::text::{as_one_line, head, one_line};
use crate::model::tool_call::AllParameters;

/// Of a long string so many characters are looked at, and so many are shown.
pub(super) const LOOKED_AT: usize = 1024;
const SHOWN: usize = 120;
/// At most this many characters at the end of a cut text may be the head of a token too short to be known as one.
const UNSURE: usize = 64;
/// Deeper values are shown as `…`.
pub(super) const MAX_DEPTH: usize = 8;

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
    go_through(&mut summary, &params.value, 0, Told::by_name(Tell::No));
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

/// What is made of parameters as they are gone through.
pub(super) trait Sink {
    /// Whether nothing more is wanted.
    fn is_full(&self) -> bool;
    /// What is shown as it is: brackets, numbers.
    fn sign(&mut self, text: &str);
    /// A field's name, of which a word may tell of a secret.
    fn name(&mut self, name: &str, may_tell: bool);
    /// A text of which nothing but itself says what in it is a secret.
    fn text(&mut self, text: &str);
    /// A word of a command, whose secrets the words around it tell.
    fn word(&mut self, word: &str, secrets: &[Range<usize>]);
    /// A value that is a secret as a whole; `is_named` where nothing but its field's own name says so.
    fn secret(&mut self, value: &Value, is_named: bool);
}

/// What is said of a value by what stands around it.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub(super) tells: Tell,
    /// Nothing but its field's own name tells.
    pub(super) is_named: bool,
    /// It is a payment card.
    pub(super) is_card: bool,
}

impl Told {
    /// What is said where a field's own name tells so much.
    pub(super) fn by_name(tells: Tell) -> Self {
        Self { tells, is_named: true, is_card: false }
    }
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

impl Sink for Summary {
    fn is_full(&self) -> bool {
        self.left == 0
    }

    fn sign(&mut self, text: &str) {
        self.push(text);
    }

    fn name(&mut self, name: &str, may_tell: bool) {
        // Most names have none of the words that tell.
        self.string(&if may_tell { shorten(name, SHOWN) } else { as_one_line(name, SHOWN) });
    }

    fn text(&mut self, text: &str) {
        self.string(&shorten(text, SHOWN));
    }

    fn word(&mut self, word: &str, secrets: &[Range<usize>]) {
        self.string(&as_one_line(&replaced(word, secrets, |_| REDACTED.to_owned()), SHOWN));
    }

    fn secret(&mut self, _: &Value, _: bool) {
        self.string(REDACTED);
    }
}

/// A value, of which so much is said.
pub(super) fn go_through(sink: &mut impl Sink, value: &Value, depth: usize, told: Told) {
    let tells = told.tells;
    match value {
        _ if depth > MAX_DEPTH => sink.sign("…"),
        Value::Null => sink.sign("null"),
        Value::Bool(flag) => sink.sign(if *flag { "true" } else { "false" }),
        Value::String(text) if tells == Tell::No => sink.text(text),
        Value::String(text) if is_secret(tells, head(text, LOOKED_AT).0) => {
            sink.secret(value, told.is_named);
        }
        Value::String(text) => sink.text(text),
        _ if tells >= Tell::Likely => sink.secret(value, told.is_named),
        Value::Number(number) => sink.sign(&number_text(number)),
        Value::Array(items) => list(sink, items, None, depth, told),
        Value::Object(fields) => object(sink, fields, depth, told.is_card),
    }
}

fn list(sink: &mut impl Sink, items: &[Value], program: Option<&str>, depth: usize, told: Told) {
    let words = arguments(items, program);
    sink.sign("[");
    let mut before = "";
    for (at, item) in items.iter().enumerate() {
        if sink.is_full() {
            return;
        }
        sink.sign(if at == 0 { "" } else { "," });
        match (item, words.get(at)) {
            (Value::String(_) | Value::Number(_), _)
                if follows_its_name(before, item, program, items.len()) =>
            {
                sink.secret(item, false);
            }
            (Value::String(text), Some(secrets)) if told.tells == Tell::No && !secrets.is_empty() => {
                sink.word(text, secrets);
            }
            _ => go_through(sink, item, depth + 1, told),
        }
        before = item.as_str().unwrap_or_default();
    }
    sink.sign("]");
}

fn object(sink: &mut impl Sink, fields: &Map<String, Value>, depth: usize, of_card: bool) {
    let (label, place, program) = told_by(fields);
    sink.sign("{");
    for (at, (name, value)) in fields.iter().enumerate() {
        if sink.is_full() {
            return;
        }
        sink.sign(if at == 0 { "" } else { "," });
        let may_tell = may_tell(name);
        let by_name = if may_tell { tell(name) } else { Tell::No };
        let mut tells = by_name;
        sink.name(name, may_tell);
        sink.sign(":");
        if label > tells && Role::of(name) == Some(Role::Held) {
            tells = label;
        }
        if let Some(place) = place.filter(|_| may_belong(name, value))
            && Role::of(name) == Some(Role::Held)
        {
            tells = tells.max(of_place(place, name));
        }
        if matches!(name.as_str(), "data" | "stringData") && is_secret_manifest(fields) {
            tells = Tell::Surely;
        }
        let is_card = cards::names_one(name);
        let is_number = (is_card || of_card && cards::names_its_number(name)) && cards::is_number(value);
        if is_number {
            tells = Tell::Surely;
        }
        let told = Told { tells, is_named: tells == by_name && !is_number, is_card };
        match (value, program) {
            (Value::Array(items), Some(_)) if tells < Tell::Likely => {
                list(sink, items, program, depth + 1, told);
            }
            (Value::String(input), Some(program))
                if Role::of(name) == Some(Role::Input) && reads_a_secret(program, fields, input) =>
            {
                sink.secret(value, false);
            }
            _ => go_through(sink, value, depth + 1, told),
        }
    }
    sink.sign("}");
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

/// The secrets in each of a list of words, as the arguments of a command; empty for another list, or a long one.
fn arguments(items: &[Value], program: Option<&str>) -> Vec<Vec<Range<usize>>> {
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
    let mut secrets = in_words(&words);
    secrets.drain(..usize::from(program.is_some()));
    secrets
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
