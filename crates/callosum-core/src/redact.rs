//! Secrets taken out of what is written down: parameter summaries, context keys, pause texts.
//!
//! A best effort on well-known shapes. It errs towards taking out too much.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;
use serde_json::Value;

use crate::digest::{hash_text, number_text};
use crate::text::{head, one_line};
use crate::tool_call::AllParameters;

/// A name that says that a secret follows, as it is written in flags, variables, headers and JSON.
const NAME: &str = r"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|auth[_-]?key|credentials?)";

/// The value after such a name: quoted, quoted within a quoted text, or bare; a quote that is never closed
/// takes the rest.
const VALUE: &str = r#"(\\"(?:[^"\\]|\\[^"])*|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"',;&|)}\]]+)"#;

/// No text with a secret is shorter, in bytes: `pwd=x`.
const SHORTEST: usize = 5;

/// What every text with a name of [`NAME`] in it holds.
const NAME_PARTS: &[&str] = &["pass", "pwd", "secret", "token", "key", "credential"];

/// Where secrets stand. The first group of each pattern is the secret, the rest is kept.
static SECRETS: LazyLock<Patterns> = LazyLock::new(|| {
    Patterns::new(vec![
        (
            &["PRIVATE KEY"],
            r"(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*-----|\z))".to_owned(),
        ),
        // Headers: to the end of the line or of the quoted argument.
        (
            &["authorization", "cookie"],
            r#"(?i-u:authorization|cookie)\\?["']?[ \t]*[:=][ \t]*\\?["']?([^"'\r\n\\]+)"#.to_owned(),
        ),
        (NAME_PARTS, format!(r#"(?i-u:{NAME})\\?["']?[ \t]*=[ \t]*{VALUE}"#)),
        // Flags whose value is the next word.
        (NAME_PARTS, format!(r#"(?:^|[\s"'])--?(?i-u:[a-z0-9_-]*{NAME})[ \t]+{VALUE}"#)),
        (&["-ap", "sshpass"], format!(r"(?:^|\s)(?:-ap|sshpass[ \t]+-p)[ \t]*{VALUE}")),
        (
            &["-u"],
            r#"(?:^|\s)(?:-u|-U|--user|--proxy-user)[ \t=]*["']?[^\s:"']*:([^\s"']+)"#.to_owned(),
        ),
        (&["://"], r#"(?i-u:[a-z][a-z0-9+.-]*)://[^\s/:@"'?#]*:([^\s/"'<>]+)@"#.to_owned()),
        (&["://"], r"(?-u)://([A-Za-z0-9_-]{20,})@".to_owned()),
        (
            &["bearer", "basic"],
            r"(?i-u)\b(?:bearer[ \t]+([a-z0-9._~+/=-]{12,})|basic[ \t]+([a-z0-9+/=]{20,}))".to_owned(),
        ),
        // Tokens and addresses that are secrets by their own shape.
        (
            &[
                "sk-", "sk_", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "xapp-",
                "AKIA", "ASIA", "AIza", "ya29.", "eyJ", "npm_", "pypi-", "hf_", "SG.", "dop_v1_", "shpat_",
            ],
            concat!(
                r"(?-u)\b(sk-(?:(?:proj|ant|svcacct|or|live|test)-[\w-]{16,}|[A-Za-z0-9]{20,})|[sr]k_(?:live|test)_\w{10,}",
                r"|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}",
                r"|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",
                r"|npm_\w{30,}|pypi-[\w-]{30,}|hf_\w{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|dop_v1_\w{20,}|shpat_\w{20,})",
            )
            .to_owned(),
        ),
        (
            &["0:", "1:", "2:", "3:", "4:", "5:", "6:", "7:", "8:", "9:"],
            r"(?-u)\b(\d{8,12}:[A-Za-z][\w-]{33,})".to_owned(),
        ),
        (&["hooks.slack.com"], r"(?-u)hooks\.slack\.com/services/\w+/\w+/([\w-]+)".to_owned()),
        (&["/api/webhooks/"], r"(?-u)/api/webhooks/\d+/([\w-]+)".to_owned()),
    ])
});

/// Names followed by a colon: secrets in running text, but not in a context key, which is itself
/// `kind:name` (`secret:github` names a secret, it is none).
static AFTER_COLON: LazyLock<Patterns> = LazyLock::new(|| {
    Patterns::new(vec![(NAME_PARTS, format!(r#"(?i-u:{NAME})\\?["']?[ \t]*:[ \t]*{VALUE}"#))])
});

/// Patterns that are looked for one after the other. Each is compiled when a text first holds one of the
/// words without which it can't match: most texts hold none, and a short-lived process compiles nothing.
struct Patterns {
    words: Option<AhoCorasick>,
    /// By word, the pattern it is for.
    pattern_of: Vec<usize>,
    patterns: Vec<(String, OnceLock<Option<Regex>>)>,
}

impl Patterns {
    /// Words (in whatever case) and patterns. They are constants; a test proves that none is lost here.
    fn new(patterns: Vec<(&[&str], String)>) -> Self {
        let words = patterns.iter().flat_map(|(words, _)| *words);
        let words = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .ascii_case_insensitive(true)
            .build(words);
        let numbers = patterns.iter().enumerate();
        Self {
            words: words.ok(),
            pattern_of: numbers.flat_map(|(number, (words, _))| words.iter().map(move |_| number)).collect(),
            patterns: patterns.into_iter().map(|(_, pattern)| (pattern, OnceLock::new())).collect(),
        }
    }

    /// The patterns that may match `text`, in order.
    fn that_may_match(&self, text: &str) -> Vec<&Regex> {
        if text.len() < SHORTEST {
            return Vec::new();
        }
        // One bit for each pattern.
        let mut wanted = 0_u32;
        for found in self.words.iter().flat_map(|words| words.find_overlapping_iter(text)) {
            wanted |= self.pattern_of.get(found.pattern().as_usize()).map_or(0, |number| 1 << number);
        }
        let chosen = self.patterns.iter().enumerate().filter(|(number, _)| wanted & (1 << number) != 0);
        chosen
            .filter_map(|(_, (pattern, regex))| regex.get_or_init(|| Regex::new(pattern).ok()).as_ref())
            .collect()
    }
}

/// `text` with each secret in it replaced by `[redacted]`.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mark = |_: &str| "[redacted]".to_owned();
    match replace(text, &AFTER_COLON, mark) {
        Cow::Borrowed(text) => replace(text, &SECRETS, mark),
        Cow::Owned(text) => Cow::Owned(replace(&text, &SECRETS, mark).into_owned()),
    }
}

/// `key` with each secret in it replaced by `[redacted:` and eight hexadecimal characters of its SHA-256,
/// so that keys with different secrets stay different.
#[must_use]
pub fn redact_key(key: &str) -> Cow<'_, str> {
    replace(key, &SECRETS, |secret| format!("[redacted:{}]", hash_text(secret, 4)))
}

fn replace<'t>(text: &'t str, patterns: &Patterns, mark: impl Fn(&str) -> String) -> Cow<'t, str> {
    let mut text = Cow::Borrowed(text);
    for pattern in patterns.that_may_match(&text) {
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
    let mut summary = Summary { text: String::new(), left: max_chars.saturating_add(1) };
    summary.value(&params.value, 0);
    if !params.complete {
        summary.push(" …");
    }
    one_line(&summary.text, max_chars)
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
fn shorten(text: &str, max_chars: usize) -> String {
    let (looked_at, cut) = head(text, LOOKED_AT);
    let redacted = redact(looked_at);
    if !cut {
        return one_line(&redacted, max_chars);
    }
    let sure = redacted.chars().count().saturating_sub(UNSURE).min(max_chars.saturating_sub(1));
    let mut line = one_line(head(&redacted, sure).0, max_chars);
    line.push('…');
    line
}

/// Whether a field of this name holds a secret, whatever its value looks like.
fn names_a_secret(name: &str) -> bool {
    let plain: String = head(name, 64)
        .0
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let holds =
        ["password", "passwd", "passphrase", "passcode", "secret", "apikey", "accesskey", "privatekey"];
    let holds_too = ["authkey", "authorization", "credential", "cookie"];
    let ends = ["token", "pwd", "pass", "bearer"];
    holds.iter().chain(&holds_too).any(|part| plain.contains(part))
        || ends.iter().any(|end| plain.ends_with(end))
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
        for patterns in [&SECRETS, &AFTER_COLON] {
            assert!(patterns.words.is_some());
            for (pattern, _) in &patterns.patterns {
                assert!(Regex::new(pattern).is_ok(), "{pattern}");
            }
        }
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
