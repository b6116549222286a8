//! Identifiers in prose: what is the same thing wherever it is written. Single words never are.

use regex::{Captures, Error, Regex};

use super::fold::folded;

/// The patterns, made ready once.
#[derive(Debug)]
pub struct Patterns {
    url: Regex,
    address: Regex,
    package: Regex,
    numbered: Regex,
    named_number: Regex,
    repository: Regex,
    issue: Regex,
    host: Regex,
    path: Regex,
    version: Regex,
}

/// Names before a number that make a standard, not an issue: `UTF-8`, `SHA-256`.
const STANDARDS: &[&str] = &[
    "AES", "ANSI", "ASCII", "BASE", "COVID", "CP", "CRC", "ED", "GMT", "GPT", "HTTP", "IEEE", "IP", "IPV",
    "ISO", "KOI", "LATIN", "MD", "MP", "P", "RFC", "RSA", "SHA", "SSL", "TLS", "TOP", "UCS", "UTC", "UTF",
    "WEP", "X",
];

/// Hosts whose paths begin with an owner and a repository.
const CODE_HOSTS: &[&str] = &["github.com", "gitlab.com", "codeberg.org", "bitbucket.org"];

impl Patterns {
    /// Makes them.
    ///
    /// # Errors
    /// When a pattern is wrong; a test makes them all.
    pub fn new() -> Result<Self, Error> {
        Ok(Self {
            url: Regex::new(r#"(?i)\bhttps?://[^\s<>"'`|\\^{}\[\]]+"#)?,
            address: Regex::new(r"(?i)[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}")?,
            package: Regex::new(r"(?:@[\w.-]+/)?[\w.-]*[A-Za-z][\w.-]*@v?\d+(?:\.\d+)+(?:[-+][\w.]+)?")?,
            numbered: Regex::new(r"([\w.-]*[A-Za-z][\w.-]*/[\w.-]*[A-Za-z][\w.-]*)#(\d+)")?,
            named_number: Regex::new(
                r"(?i)\b(?:issue|issues|pr|mr|pull request|merge request|ticket|bug)\s+#(\d+)\b",
            )?,
            repository: Regex::new(
                r"(?:`([\w.-]+/[\w.-]+)`|(?i:\brepo|\brepository|\bfork of)\s+([\w.-]+/[\w-]+))",
            )?,
            issue: Regex::new(
                r"\b(?:(?i:CVE-\d{4}-\d{4,}|GHSA(?:-[a-z0-9]{4}){3})|([A-Z][A-Z0-9]{1,9})-\d+)\b",
            )?,
            host: Regex::new(r"\b(?:\d{1,3}\.){3}\d{1,3}\b")?,
            path: Regex::new(
                r"(?:^|[^\w/.~@-])((?:~|\.{1,2})?/[\w.@+-]+(?:/[\w.@+-]+)+|(?:[\w.@+-]+/)+[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,5})",
            )?,
            version: Regex::new(r"\b(?:v(\d+(?:\.\d+)+(?:-[\w.]+)?)|(\d+\.\d+\.\d+(?:-[\w.]+)?))\b")?,
        })
    }

    /// The identifiers of a line, folded, each once, in no order that means anything.
    #[must_use]
    pub fn of_line(&self, line: &str) -> Vec<String> {
        let mut found = Vec::new();
        // Most lines have none of the signs that an identifier is made with.
        if !line.bytes().any(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'@' | b'#')) {
            return found;
        }
        let mut rest = line.to_owned();
        // To look for signs is a fraction of what it is to look for a pattern.
        let has = |sign: &str| line.contains(sign);
        let (digit, path, number) = (line.bytes().any(|byte| byte.is_ascii_digit()), has("/"), has("#"));
        let (at, dot) = (has("@"), has("."));
        let when = |holds: bool, pattern, rest: &mut String, each: &mut dyn FnMut(&Captures<'_>)| {
            if holds {
                take(pattern, rest, each);
            }
        };
        when(has("://"), &self.url, &mut rest, &mut |url| {
            url_entities(whole(url), &mut found);
        });
        when(at, &self.address, &mut rest, &mut |address| push(&mut found, whole(address)));
        when(at && digit, &self.package, &mut rest, &mut |package| push(&mut found, whole(package)));
        when(path && number, &self.numbered, &mut rest, &mut |numbered| {
            push(&mut found, part(numbered, 1));
            push(&mut found, whole(numbered));
        });
        when(number, &self.named_number, &mut rest, &mut |number| {
            found.push(format!("#{}", part(number, 1)));
        });
        when(digit && has("-"), &self.issue, &mut rest, &mut |issue| {
            if !STANDARDS.contains(&part(issue, 1)) {
                push(&mut found, whole(issue));
            }
        });
        when(digit && dot, &self.host, &mut rest, &mut |host| {
            if is_shared_host(whole(host)) {
                push(&mut found, whole(host));
            }
        });
        // Before the repositories: `src/main.rs` between backticks is a file.
        when(path, &self.path, &mut rest, &mut |path| push(&mut found, part(path, 1).trim_end_matches('.')));
        when(path, &self.repository, &mut rest, &mut |name| {
            let name = [part(name, 1), part(name, 2)].into_iter().find(|name| !name.is_empty());
            push(&mut found, name.unwrap_or_default());
        });
        when(digit && dot, &self.version, &mut rest, &mut |version| {
            let number = [part(version, 1), part(version, 2)].concat();
            if !is_date(&number) {
                push(&mut found, &format!("v{number}"));
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Gives every match to `each`, and puts blanks in its place: what is part of one identifier is not another.
fn take(pattern: &Regex, rest: &mut String, mut each: impl FnMut(&Captures<'_>)) {
    let mut spans = Vec::new();
    for captures in pattern.captures_iter(rest) {
        each(&captures);
        spans.extend(captures.get(0).map(|found| found.range()));
    }
    for span in spans.into_iter().rev() {
        let blank = " ".repeat(span.len());
        rest.replace_range(span, &blank);
    }
}

fn whole<'t>(captures: &Captures<'t>) -> &'t str {
    part(captures, 0)
}

fn part<'t>(captures: &Captures<'t>, group: usize) -> &'t str {
    captures.get(group).map_or("", |found| found.as_str())
}

fn push(found: &mut Vec<String>, text: &str) {
    let text = folded(text);
    if text.chars().nth(2).is_some() {
        found.push(text);
    }
}

/// Whether an IP address is one that others reach, too.
fn is_shared_host(host: &str) -> bool {
    let numbers: Vec<Option<u8>> = host.split('.').map(|number| number.parse().ok()).collect();
    matches!(numbers[..], [Some(first), Some(_), Some(_), Some(_)] if !matches!(first, 0 | 127 | 255))
}

/// Whether a number of three parts is a day as `24.11.2026`.
fn is_date(number: &str) -> bool {
    let parts: Vec<Option<u16>> = number.split('.').map(|part| part.parse().ok()).collect();
    matches!(parts[..], [Some(1..=31), Some(1..=31), Some(1900..=2199)])
}

/// An address of the web without its scheme, fragment and what a sentence puts behind it; of a code host also the repository and the
/// number of the issue.
fn url_entities(url: &str, found: &mut Vec<String>) {
    let mut url = url.split('#').next().unwrap_or_default();
    loop {
        let trimmed = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '/']);
        let unopened = trimmed.ends_with(')') && trimmed.matches(')').count() > trimmed.matches('(').count();
        let trimmed = if unopened { trimmed.strip_suffix(')').unwrap_or(trimmed) } else { trimmed };
        if trimmed == url {
            break;
        }
        url = trimmed;
    }
    let url = folded(url);
    let Some((_, rest)) = url.split_once("://") else { return };
    let (authority, path) = rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let host = authority.strip_prefix("www.").unwrap_or(authority);
    let host = host.strip_suffix(":443").or_else(|| host.strip_suffix(":80")).unwrap_or(host);
    let name = host.split(':').next().unwrap_or_default();
    let is_address = name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !name.contains('.') || (is_address && !is_shared_host(name)) || name.ends_with(".localhost") {
        return;
    }
    if CODE_HOSTS.contains(&host) {
        let mut parts = path.split(['/', '?']).filter(|part| !part.is_empty() && *part != "-");
        if let (Some(owner), Some(repository)) = (parts.next(), parts.next()) {
            let repository = repository.strip_suffix(".git").unwrap_or(repository);
            found.push(format!("{owner}/{repository}"));
            match (parts.next(), parts.next().map(|number| (number, number.parse::<u64>().is_ok()))) {
                (None, _) => return,
                (Some("issues" | "pull" | "pulls" | "merge_requests"), Some((number, true))) => {
                    found.push(format!("{owner}/{repository}#{number}"));
                    return;
                }
                _ => {}
            }
        }
    }
    let text = if path.is_empty() { host.to_owned() } else { format!("{host}/{path}") };
    push(found, &text);
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn found(line: &str) -> Vec<String> {
        Patterns::new().unwrap().of_line(line)
    }

    #[test]
    fn identifiers_are_found_in_their_one_spelling() {
        for (line, expected) in [
            ("see (https://Www.Example.com/a_(b)/c/).", &["example.com/a_(b)/c"][..]),
            (
                "https://github.com/Acme/Site.git and https://gitlab.com/a/b/-/merge_requests/7",
                &["a/b", "a/b#7", "acme/site"],
            ),
            (
                "https://github.com/acme/site/blob/main/x.rs",
                &["acme/site", "github.com/acme/site/blob/main/x.rs"],
            ),
            ("<Ines@Harbor.example>, react@19.2.0", &["ines@harbor.example", "react@19.2.0"]),
            ("acme/app#12, WEB-7, bug #9, UTF-8, #1 goal", &["#9", "acme/app", "acme/app#12", "web-7"]),
            (
                "`src/main.rs` in `acme/app`, ~/notes/a, /etc/hosts.",
                &["/etc/hosts", "acme/app", "src/main.rs", "~/notes/a"],
            ),
            ("10.0.0.7 and 127.0.0.1 and 300.1.1.1", &["10.0.0.7"]),
            ("1.4.2 is v1.4.2, on 24.11.2026, 1.5 hours", &["v1.4.2"]),
            ("http://localhost:3000/x http://127.0.0.1/y and/or his/her TCP/IP 24/7", &[]),
            ("nothing at all", &[]),
        ] {
            assert_eq!(found(line), expected, "{line}");
        }
    }

    #[test]
    fn letters_of_several_bytes_do_no_harm() {
        assert_eq!(
            found("ü https://ex.example/ü/é ü@x.example — «/a/ü»"),
            ["/a/ü", "ex.example/ü/é", "ü@x.example"]
        );
    }
}
