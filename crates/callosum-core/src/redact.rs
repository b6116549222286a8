//! Secrets taken out of what is written down: parameter summaries, context keys, pause texts.
//!
//! A best effort on well-known shapes. It errs towards taking out too much.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;
use serde_json::Value;

use crate::digest::{hash_text, number_text};
use crate::text::{as_one_line, head, one_line};
use crate::tool_call::AllParameters;

/// A name that says that a secret follows, as it is written in flags, variables, headers and JSON.
const NAME: &str = r"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key(?:_base)?|(?:auth|application|subscription)[_-]?key|credentials?)";

/// The value after such a name: quoted, quoted within a quoted text, or bare; a quote that is never closed
/// takes the rest.
const VALUE: &str = r#"(\\"(?:[^"\\]|\\[^"])*|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"',;&|)}\]]+)"#;

/// What every text with a name of [`NAME`] in it holds.
const NAME_PARTS: &[&str] = &["pass", "pwd", "secret", "token", "key", "credential"];

/// Where secrets stand: words (in whatever case) of which every such place has one, and its pattern, in which `{NAME}` and
/// `{VALUE}` stand for [`NAME`] and [`VALUE`]. The first group of each pattern is the secret, the rest is kept.
const PLACES: &[(&[&str], &str)] = &[
    // Names followed by a colon: secrets in running text, but not in a context key, which is itself `kind:name`
    // (`secret:github` names a secret, it is none).
    (NAME_PARTS, r#"(?i-u:{NAME})\\?["']?[ \t]*:[ \t]*{VALUE}"#),
    (&["PRIVATE KEY"], r"(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*-----|\z))"),
    // Headers: to the end of the line or of the quoted argument.
    (
        &["authorization", "cookie"],
        r#"(?i-u:authorization|cookie)\\?["']?[ \t]*[:=][ \t]*\\?["']?([^"'\r\n\\]+)"#,
    ),
    (NAME_PARTS, r#"(?i-u:{NAME})\\?["']?[ \t]*=[ \t]*{VALUE}"#),
    // Flags whose value is the next word.
    (NAME_PARTS, r#"(?:^|[\s"'])--?(?i-u:[a-z0-9_-]*{NAME})[ \t]+{VALUE}"#),
    (
        NAME_PARTS,
        r#"config(?:ure)?[ \t]+set[ \t]+["']?[^\s=]*(?i-u:{NAME})["']?[ \t]+("[^"]*"?|'[^']*'?|[^\s"',;&|)}\]-][^\s"',;&|)}\]]*)"#,
    ),
    // Flags of a program's own, up to the end of its command.
    (
        &["secret"],
        r"(?:gh|az[ \t]+keyvault)[ \t]+secret[ \t]+set[ \t][^\n;|&]*?(?:--body|-b|--value)[ \t=]+{VALUE}",
    ),
    (
        &[" login", "twine", "vsce"],
        r"(?:(?:docker|podman|registry|az)[ \t]+login|twine[ \t]+upload|vsce[ \t]+publish)[ \t](?:[^\n;|&]*?[ \t])?-p[ \t=]+{VALUE}",
    ),
    (&["nuget"], r"nuget[ \t]+push[ \t][^\n;|&]*?[ \t]-k[ \t=]+{VALUE}"),
    (&["mysql"], r"mysql[a-z]*[ \t](?:[^\n;|&]*?[ \t])?-p{VALUE}"),
    (&["-ap", "sshpass"], r"(?:^|\s)(?:-ap|sshpass[ \t]+-p)[ \t]*{VALUE}"),
    // In quotes to their end: passwords of apps are written with blanks. `-sSku` is curl's.
    (
        &["-u", "su ", "ku "],
        r#"(?:^|\s)(?:-[fgikLnNsSvG]*u|-U|--user|--proxy-user)[ \t=]*(?:'[^\s':]*:([^']+)|"[^\s":]*:([^"]+)|[^\s:"']*:([^\s"']+))"#,
    ),
    (&["://"], r#"(?i-u:[a-z][a-z0-9+.-]*)://[^\s/:@"'?#]*:([^\s/"'<>]+)@"#),
    (&["://"], r"(?-u)://([A-Za-z0-9_-]{20,})@"),
    (&["bearer", "basic"], r"(?i-u)\b(?:bearer[ \t]+([a-z0-9._~+/=-]{12,})|basic[ \t]+([a-z0-9+/=]{20,}))"),
    // Tokens and addresses that are secrets by their own shape.
    (
        &[
            "sk-",
            "sk_",
            "rk_",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "glpat-",
            "xox",
            "xapp-",
            "AKIA",
            "ASIA",
            "AIza",
            "ya29.",
            "eyJ",
            "npm_",
            "pypi-",
            "hf_",
            "SG.",
            "dop_v1_",
            "shpat_",
        ],
        concat!(
            r"(?-u)\b(sk-(?:(?:proj|ant|svcacct|or|live|test)-[\w-]{16,}|[A-Za-z0-9]{20,})|[sr]k_(?:live|test)_\w{10,}",
            r"|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}",
            r"|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",
            r"|npm_\w{30,}|pypi-[\w-]{30,}|hf_\w{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|dop_v1_\w{20,}|shpat_\w{20,})",
        ),
    ),
    (
        &["0:", "1:", "2:", "3:", "4:", "5:", "6:", "7:", "8:", "9:"],
        r"(?-u)(?:\b|bot)(\d{8,12}:[A-Za-z][\w-]{33,})",
    ),
    (
        &["hooks.slack.com"],
        r"(?-u)hooks\.slack\.com/(?:services/\w+/\w+|(?:workflows|triggers)/\w+)/([\w/-]+)",
    ),
    (&["webhooks/"], r"(?-u)/api/(?:v\d+/)?webhooks/\d+/([\w-]+)"),
    (&["office.com/webhook"], r#"office\.com/webhook[a-z0-9]*/([^\s"'?#]+)"#),
    (&["/with/key/"], r"(?-u)/with/key/([\w-]+)"),
    (&["hooks.zapier.com"], r"(?-u)hooks\.zapier\.com/hooks/catch/\w+/(\w+)"),
    // Addresses that are signed.
    (&["sig=", "signature="], r#"[?&](?i-u:sig|x-amz-signature)=([^&\s"'\\]+)"#),
];

/// The first of [`PLACES`], as a set of places.
const AFTER_COLON: u32 = 1;

/// The pattern of each place, compiled when a text first has one of its words: most texts have none, and a short-lived
/// process compiles nothing.
type Patterns = [OnceLock<Option<Regex>>; PLACES.len()];

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| [const { OnceLock::new() }; PLACES.len()]);

/// The words of [`PLACES`], found by one pass over a text. Made by the compiler.
const WORDS: &Words = &Words::of(PLACES);

struct Words {
    /// For each byte, the words (one bit for each) that have it first, second and third. A word of two has any byte third.
    with: [[u64; 256]; 3],
    /// Each word, and the places it is for: one bit for each.
    words: [(&'static str, u32); 64],
}

impl Words {
    #[expect(
        clippy::indexing_slicing,
        reason = "run by the compiler: what is out of bounds does not compile"
    )]
    const fn of(places: &[(&[&'static str], &str)]) -> Self {
        let mut made = Self { with: [[0; 256]; 3], words: [("", 0); 64] };
        let (mut place, mut count) = (0, 0);
        while place < places.len() {
            let words = places[place].0;
            let mut number = 0;
            while number < words.len() {
                let (word, mut known) = (words[number], 0);
                while known < count && !is_same(made.words[known].0, word) {
                    known += 1;
                }
                if known == count {
                    made.add(count, word);
                    count += 1;
                }
                made.words[known].1 |= 1 << place;
                number += 1;
            }
            place += 1;
        }
        made
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "run by the compiler: what is out of bounds does not compile"
    )]
    const fn add(&mut self, number: usize, word: &'static str) {
        let bytes = word.as_bytes();
        self.words[number].0 = word;
        let mut at = 0;
        while at < 3 {
            if at == 2 && bytes.len() == 2 {
                let mut any = 0;
                while any < 256 {
                    self.with[at][any] |= 1 << number;
                    any += 1;
                }
            } else {
                self.with[at][bytes[at].to_ascii_lowercase() as usize] |= 1 << number;
                self.with[at][bytes[at].to_ascii_uppercase() as usize] |= 1 << number;
            }
            at += 1;
        }
    }

    /// The places that may be in `text`.
    fn places_in(&self, text: &str) -> u32 {
        let [first, second, third] = &self.with;
        let with = |table: &[u64; 256], byte: u8| table.get(usize::from(byte)).copied().unwrap_or(0);
        let (mut after_one, mut after_two, mut places) = (0, 0, 0);
        // One more byte, for a word of two at the end.
        for (end, byte) in text.bytes().chain([0]).enumerate() {
            let mut begun = after_two & with(third, byte);
            while begun != 0 {
                let number = begun.trailing_zeros();
                begun &= begun - 1;
                let Some((word, of)) = self.words.get(number as usize) else { break };
                let found = text.as_bytes().get(end - 2..end - 2 + word.len());
                if found.is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes())) {
                    places |= of;
                }
            }
            after_two = after_one & with(second, byte);
            after_one = with(first, byte);
        }
        places
    }
}

#[expect(clippy::indexing_slicing, reason = "run by the compiler: what is out of bounds does not compile")]
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

fn pattern(place: usize) -> Option<&'static Regex> {
    let (_, text) = PLACES.get(place)?;
    let compile = || Regex::new(&text.replace("{NAME}", NAME).replace("{VALUE}", VALUE)).ok();
    PATTERNS.get(place)?.get_or_init(compile).as_ref()
}

/// `text` with each secret in it replaced by `[redacted]`.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mark = |_: &str| "[redacted]".to_owned();
    let places = WORDS.places_in(text);
    match replace(text, places & AFTER_COLON, mark) {
        Cow::Borrowed(text) => replace(text, places & !AFTER_COLON, mark),
        Cow::Owned(text) => {
            let places = WORDS.places_in(&text) & !AFTER_COLON;
            Cow::Owned(replace(&text, places, mark).into_owned())
        }
    }
}

/// `key` with each secret in it replaced by `[redacted:` and eight hexadecimal characters of its SHA-256,
/// so that keys with different secrets stay different.
#[must_use]
pub fn redact_key(key: &str) -> Cow<'_, str> {
    let places = WORDS.places_in(key) & !AFTER_COLON;
    replace(key, places, |secret| format!("[redacted:{}]", hash_text(secret, 4)))
}

/// Replaces what stands in the `places`, one place after the other.
fn replace(text: &str, mut places: u32, mark: impl Fn(&str) -> String) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    while places != 0 {
        let place = places.trailing_zeros();
        places &= places - 1;
        let Some(pattern) = pattern(place as usize) else { continue };
        let mut replaced = String::new();
        let mut copied = 0;
        for found in pattern.captures_iter(&text) {
            let Some(secret) = found.iter().skip(1).flatten().next() else { continue };
            // Marked already, by an earlier pattern or an earlier time: marking it again would change a key.
            if secret.as_str().trim_start_matches(['"', '\'', '\\']).starts_with("[redacted") {
                continue;
            }
            replaced.push_str(text.get(copied..secret.start()).unwrap_or_default());
            replaced.push_str(&mark(secret.as_str()));
            copied = secret.end();
        }
        if copied > 0 {
            replaced.push_str(text.get(copied..).unwrap_or_default());
            text = Cow::Owned(replaced);
        }
    }
    text
}

/// Of a long string so many characters are looked at, and so many are shown.
const LOOKED_AT: usize = 1024;
const SHOWN: usize = 120;
/// So many characters at the end of a cut text may be the head of a token too short to be known as one.
const UNSURE: usize = 64;
/// Deeper values are shown as `…`.
const MAX_DEPTH: usize = 8;

/// The parameters on one line, much like JSON, for people: at most `max_chars` characters, long strings cut,
/// secrets taken out, those told by a field's name (`password`, `apiKey`, `authorization` …) whole.
/// The cost goes by `max_chars`, not by the parameters' size.
#[must_use]
pub fn summarize(params: &AllParameters<'_>, max_chars: usize) -> String {
    let mut summary = Summary { text: String::with_capacity(256), left: max_chars.saturating_add(1) };
    summary.value(&params.value, 0);
    if !params.complete {
        summary.push(" …");
    }
    match as_one_line(&summary.text, max_chars) {
        Cow::Borrowed(_) => summary.text,
        Cow::Owned(line) => line,
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

    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            _ if depth > MAX_DEPTH => self.push("…"),
            Value::String(text) => self.string(text),
            Value::Number(number) => self.push(&number_text(number)),
            Value::Array(items) => {
                self.push("[");
                for (at, item) in items.iter().enumerate() {
                    if self.left == 0 {
                        return;
                    }
                    self.push(if at == 0 { "" } else { "," });
                    self.value(item, depth + 1);
                }
                self.push("]");
            }
            Value::Object(fields) => {
                self.push("{");
                for (at, (name, value)) in fields.iter().enumerate() {
                    if self.left == 0 {
                        return;
                    }
                    self.push(if at == 0 { "" } else { "," });
                    self.string(name);
                    self.push(":");
                    if names_a_secret(name) && !value.is_null() {
                        self.push("\"[redacted]\"");
                    } else {
                        self.value(value, depth + 1);
                    }
                }
                self.push("}");
            }
            Value::Null => self.push("null"),
            Value::Bool(flag) => self.push(if *flag { "true" } else { "false" }),
        }
    }

    fn string(&mut self, text: &str) {
        let shown = shorten(text, SHOWN);
        self.push("\"");
        if shown.contains(['\\', '"']) {
            self.push(&shown.replace('\\', "\\\\").replace('"', "\\\""));
        } else {
            self.push(&shown);
        }
        self.push("\"");
    }
}

/// The head of `text` on one line, secrets taken out. Only the head is looked at, and what is shown ends well
/// before the end of what was looked at: a token that the cut made too short to be known is not shown.
fn shorten(text: &str, max_chars: usize) -> Cow<'_, str> {
    let (looked_at, cut) = head(text, LOOKED_AT);
    let redacted = redact(looked_at);
    if !cut {
        return match redacted {
            Cow::Borrowed(text) => as_one_line(text, max_chars),
            Cow::Owned(text) => Cow::Owned(one_line(&text, max_chars)),
        };
    }
    let sure = redacted.chars().count().saturating_sub(UNSURE).min(max_chars.saturating_sub(1));
    let mut line = one_line(head(&redacted, sure).0, max_chars);
    line.push('…');
    Cow::Owned(line)
}

/// Whether a field of this name holds a secret, whatever its value looks like.
fn names_a_secret(name: &str) -> bool {
    let letters = head(name, 64).0.bytes().filter(u8::is_ascii_alphanumeric);
    let mut plain = [0; 64];
    let length = plain.iter_mut().zip(letters).map(|(to, letter)| *to = letter.to_ascii_lowercase()).count();
    let plain = plain.get(..length).unwrap_or_default();
    let holds =
        ["password", "passwd", "passphrase", "passcode", "secret", "apikey", "accesskey", "privatekey"];
    let holds_too = ["authkey", "authorization", "credential", "cookie"];
    let ends = ["token", "pwd", "pass", "bearer"];
    // Most letters begin none of them.
    let begins_one = |rest: &[u8]| {
        matches!(rest.first(), Some(b'a' | b'c' | b'p' | b's'))
            && holds.into_iter().chain(holds_too).any(|part| rest.starts_with(part.as_bytes()))
    };
    (0..length).any(|at| plain.get(at..).is_some_and(begins_one))
        || ends.into_iter().any(|end| plain.ends_with(end.as_bytes()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool_call::Parameters;

    fn summary(params: &Value, max_chars: usize) -> String {
        summarize(&params.all(), max_chars)
    }

    #[test]
    fn every_pattern_compiles() {
        for (place, (_, text)) in PLACES.iter().enumerate() {
            assert!(pattern(place).is_some(), "{text}");
        }
    }

    #[test]
    fn a_place_is_found_by_any_of_its_words_in_whatever_case() {
        let slow = |text: &str| {
            let text = text.to_ascii_lowercase();
            let has = |(words, _): &(&[&str], &str)| {
                words.iter().any(|word| text.contains(&word.to_ascii_lowercase()))
            };
            let places = PLACES.iter().enumerate().filter(|(_, place)| has(place));
            places.map(|(place, _)| 1 << place).sum::<u32>()
        };
        let words: Vec<&str> = PLACES.iter().flat_map(|(words, _)| *words).copied().collect();
        for (at, word) in words.iter().enumerate() {
            for text in [
                (*word).to_owned(),
                word.to_uppercase(),
                format!("é{word}é"),
                word.chars().skip(1).collect(),
                word.chars().rev().skip(1).collect::<String>().chars().rev().collect(),
                words.iter().skip(at % 7).step_by(at % 5 + 1).map(|word| word.to_lowercase()).collect(),
            ] {
                assert_eq!(WORDS.places_in(&text), slow(&text), "{text}");
            }
            assert!(WORDS.places_in(word) != 0);
        }
        assert_eq!(WORDS.places_in(""), 0);
    }

    #[test]
    fn secrets_in_running_text_are_taken_out() {
        for (text, redacted) in [
            ("curl -H 'Authorization: Bearer abc.def' x", "curl -H 'Authorization: [redacted]' x"),
            ("curl -H \"X-Api-Key: s3cr3t\" x", "curl -H \"X-Api-Key: [redacted]\" x"),
            ("curl -b 'Cookie: a=b; c=d' x", "curl -b 'Cookie: [redacted]' x"),
            ("curl -u me@x.com:hunter2 smtp://h", "curl -u me@x.com:[redacted] smtp://h"),
            ("curl --user 'me:hunter2' x", "curl --user 'me:[redacted]' x"),
            ("curl smtps://me:hun%40ter@mail.x.com/", "curl smtps://me:[redacted]@mail.x.com/"),
            ("git clone https://abcdefghijklmnopqrstuvwx@h/r", "git clone https://[redacted]@h/r"),
            ("GITHUB_TOKEN=abc gh pr", "GITHUB_TOKEN=[redacted] gh pr"),
            ("export API_KEY=\"a b\" && x", "export API_KEY=[redacted] && x"),
            ("swaks --auth-password hunter2 --to a@x", "swaks --auth-password [redacted] --to a@x"),
            ("swaks -ap hunter2 --to a@x", "swaks -ap [redacted] --to a@x"),
            ("sshpass -phunter2 ssh h", "sshpass -p[redacted] ssh h"),
            ("x --token=abc --to a", "x --token=[redacted] --to a"),
            ("x --client-secret 'a b' --to a", "x --client-secret [redacted] --to a"),
            ("{\"password\": \"a\\\"b\", \"to\": 1}", "{\"password\": [redacted], \"to\": 1}"),
            (
                "-d \"{\\\"token\\\":\\\"abc\\\",\\\"a\\\":1}\"",
                "-d \"{\\\"token\\\":[redacted]\\\",\\\"a\\\":1}\"",
            ),
            ("https://x/y?access_token=abc&to=b", "https://x/y?access_token=[redacted]&to=b"),
            ("key sk-proj-abcdefghij0123456789 end", "key [redacted] end"),
            ("ghp_abcdefghijklmnopqrstuvwxyz012345", "[redacted]"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig-x", "[redacted]"),
            (
                "https://hooks.slack.com/services/T0/B0/abc",
                "https://hooks.slack.com/services/T0/B0/[redacted]",
            ),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE", "[redacted]"),
            ("curl --user 'me@gmail.com:abcd efgh' x", "curl --user 'me@gmail.com:[redacted]' x"),
            ("curl -su ci:hunter2 x", "curl -su ci:[redacted] x"),
            ("curl -sSku 'ci:hunter2' x", "curl -sSku 'ci:[redacted]' x"),
            (
                "https://api.telegram.org/bot123456789:AAabcdefghijklmnopqrstuvwxyz0123456/sendMessage",
                "https://api.telegram.org/bot[redacted]/sendMessage",
            ),
            (
                "https://discord.com/api/v10/webhooks/1/abc-d",
                "https://discord.com/api/v10/webhooks/1/[redacted]",
            ),
            (
                "https://hooks.slack.com/workflows/T0/A0/1/abc",
                "https://hooks.slack.com/workflows/T0/[redacted]",
            ),
            ("https://hooks.slack.com/triggers/T0/1/abc", "https://hooks.slack.com/triggers/T0/[redacted]"),
            (
                "https://acme.webhook.office.com/webhookb2/a@b/IncomingWebhook/c/d",
                "https://acme.webhook.office.com/webhookb2/[redacted]",
            ),
            (
                "https://maker.ifttt.com/trigger/e/with/key/abc",
                "https://maker.ifttt.com/trigger/e/with/key/[redacted]",
            ),
            (
                "https://hooks.zapier.com/hooks/catch/12/abc/",
                "https://hooks.zapier.com/hooks/catch/12/[redacted]/",
            ),
            (
                "openclaw config set gateway.auth.token abc",
                "openclaw config set gateway.auth.token [redacted]",
            ),
            (
                "aws configure set aws_secret_access_key abc",
                "aws configure set aws_secret_access_key [redacted]",
            ),
            ("SECRET_KEY_BASE=abc rails s", "SECRET_KEY_BASE=[redacted] rails s"),
            ("gh secret set TOKEN --body abc", "gh secret set TOKEN --body [redacted]"),
            (
                "az keyvault secret set -n db --value 'a b' -o none",
                "az keyvault secret set -n db --value [redacted] -o none",
            ),
            ("docker login -u me -p abc r.io", "docker login -u me -p [redacted] r.io"),
            ("twine upload -u me -p abc dist/a", "twine upload -u me -p [redacted] dist/a"),
            ("vsce publish -p abc", "vsce publish -p [redacted]"),
            ("dotnet nuget push a.nupkg -k abc -s x", "dotnet nuget push a.nupkg -k [redacted] -s x"),
            ("mysql -u root -phunter2 db", "mysql -u root -p[redacted] db"),
            ("https://x.blob/y?sv=1&sig=a%2Bb&se=2", "https://x.blob/y?sv=1&sig=[redacted]&se=2"),
            ("https://s3/y?X-Amz-Signature=abc", "https://s3/y?X-Amz-Signature=[redacted]"),
            ("curl -H 'DD-APPLICATION-KEY: abc' x", "curl -H 'DD-APPLICATION-KEY: [redacted]' x"),
            ("-H 'Ocp-Apim-Subscription-Key: abc'", "-H 'Ocp-Apim-Subscription-Key: [redacted]'"),
            ("x 'value: Bearer abcdefghijklmnop'", "x 'value: Bearer [redacted]'"),
        ] {
            assert_eq!(redact(text), redacted, "{text}");
            assert_eq!(redact(redacted), redacted, "again: {text}");
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "mail -s 'the tokens arrived' bob@example.com",
            "git push origin main",
            "gh secret set NAME < file.txt",
            "docker login r.io && docker run -p 80:80 x",
            "mysql --protocol tcp -P 3306 -p db",
            "twine upload dist/* && mkdir -p a",
            "the design=1 is set by config set gateway.port 80",
            "https://x/y?design=1&signature_type=2",
            "su - deploy; npm publish --access public",
            "https://discord.com/api/v10/channels/1/messages",
            "curl http://localhost:8080/a?to=b@c.de",
            "mkdir -p a/b && ls -u",
            "max_tokens=100 sessionKey=agent:main:pa",
            "/home/me/sk-learn-notes/basic authentication.md",
        ] {
            assert!(matches!(redact(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn keys_stay_readable_and_different() {
        assert_eq!(redact_key("secret:github"), "secret:github");
        assert_eq!(redact_key("email:alice@example.com"), "email:alice@example.com");
        let one = redact_key("api:https://x?token=one").into_owned();
        let two = redact_key("api:https://x?token=two").into_owned();
        assert_ne!(one, two);
        assert!(one.starts_with("api:https://x?token=[redacted:") && !one.contains("one"), "{one}");
        assert_eq!(redact_key(&one), one);
    }

    #[test]
    fn a_summary_is_short_and_without_secrets() {
        let params =
            json!({"command": "x --token abc\n\"q\"", "apiKey": {"a": 1}, "n": [1, 2.0, null, true]});
        assert_eq!(
            summary(&params, 200),
            r#"{"apiKey":"[redacted]","command":"x --token [redacted] \"q\"","n":[1,2,null,true]}"#
        );
        let cut = summary(&json!({"a": "b".repeat(500), "c": "d".repeat(500)}), 140);
        assert!(
            cut.chars().count() == 140 && cut.contains("bb…\",\"c\":\"dd") && cut.ends_with('…'),
            "{cut}"
        );
    }

    #[test]
    fn a_cut_shows_no_head_of_a_secret() {
        for start in 0..1100 {
            let text = format!("{}ghp_{}", "x ".repeat(start / 2), "S".repeat(60));
            let shown = summary(&json!({"command": text}), 400);
            assert!(!shown.contains('S'), "{start}: {shown}");
        }
        // What is taken out shortens the text: what follows must not slip into view cut in half.
        let long = format!("token={} ", "a".repeat(900));
        for fill in 0..120 {
            let text = format!("{long}{} ghp_{}", "x".repeat(fill), "S".repeat(60));
            assert!(!summary(&json!({"command": text}), 400).contains('S'), "{fill}");
        }
    }

    #[test]
    fn a_huge_parameter_costs_no_more_than_a_small_one() {
        let params = json!({"a": "x".repeat(20_000_000), "b": vec![0; 1_000_000]});
        for _ in 0..20 {
            assert!(summary(&params, 300).chars().count() == 300);
        }
    }
}
