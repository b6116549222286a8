//! Which exit codes of a command prove that it did nothing. In doubt none: what is called failed is no evidence, so a
//! mail that went out would go out again, while what is called unknown only pauses the next one.

use super::Command;
use crate::ExitCodes;
use crate::{Argument, Invocation};

/// A program whose manual says by which codes it tells that it has not begun.
struct Known {
    program: &'static str,
    codes: &'static [u8],
    /// Whether the codes say so of this form of the command; `None`: of every one.
    holds: Option<fn(&Command<'_>) -> bool>,
}

/// A shell's own codes for a command that it could not start (POSIX, "Shell Command Language", 2.8.2): found but not
/// executable, not found. They prove it of every program.
const NOT_STARTED: &[u8] = &[126, 127];

#[rustfmt::skip]
const PROGRAMS: &[Known] = &[
    // curl(1), EXIT CODES: 1 unsupported protocol, 2 failed to initialize, 3 URL malformed, 5 and 6 proxy or host could not be
    // resolved, 7 failed to connect. Not 22 (the server answered), 23 (what it answered could not be written), 28 (time ran
    // out), 35 (may come late, with TLS 1.3), 52, 55, 56 (the connection broke).
    Known { program: "curl", codes: &[1, 2, 3, 5, 6, 7], holds: Some(curl_tries_once) },
    // wget(1), EXIT STATUS: 2 parse error of the command line. Its 4 to 8 may come after a redirect or a retry.
    Known { program: "wget", codes: &[2], holds: None },
    // git-push(1): a ref that was rejected, or a hook that refused, ends it with 1. With 128 it dies, perhaps while it waits
    // for the report.
    Known { program: "git", codes: &[1], holds: Some(git_pushes_one_ref) },
    // gh-help-exit-codes(7): 4 a command requires authentication, which is asked for before it runs.
    Known { program: "gh", codes: &[4], holds: Some(is_gh_itself) },
    // Its options are read by clap, which exits with 2 where they are wrong; everything else ends it with 1.
    Known { program: "himalaya", codes: &[2], holds: None },
    // msmtp(1), EXIT STATUS, after sysexits.h: 64 usage, 68 host not found, 78 configuration.
    Known { program: "msmtp", codes: &[64, 68, 78], holds: None },
    // swaks(1), EXIT CODES: 1 options, 2 connect, 3 connection type, 10 prerequisites, 21 banner, 22 HELO, 23 MAIL, 24 no
    // recipient was accepted, 25 DATA, 28 AUTH, 29 TLS. Not 6 (closed unexpectedly), 26 (after the mail's text), 27.
    Known { program: "swaks", codes: &[1, 2, 3, 10, 21, 22, 23, 24, 25, 28, 29], holds: None },
];

/// The exit codes of the line `text` which prove that `invocation`, one of its programs, did nothing.
pub fn not_done_codes(text: &str, invocation: &Invocation) -> ExitCodes {
    if !invocation.proves || gives_another_code(text) {
        return ExitCodes::default();
    }
    let known = PROGRAMS.iter().find(|known| known.program == invocation.program && !is_hidden(invocation));
    let known = known.filter(|known| known.holds.is_none_or(|holds| holds(&Command::new(invocation))));
    let codes = known.map(|known| known.codes).unwrap_or_default();
    NOT_STARTED.iter().chain(codes).copied().collect()
}

/// Whether a line may exit with another code than that of its last command: a trap's, that of an earlier part of a pipeline,
/// that of a function which has the command's name.
fn gives_another_code(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Each of these is a command of its own beside the one that counts.
    if memchr::memchr3(b';', b'\n', b'(', bytes).or_else(|| memchr::memchr2(b'&', b'|', bytes)).is_none() {
        return false;
    }
    let has = |word: &str| memchr::memmem::find(bytes, word.as_bytes()).is_some();
    has("trap") || has("pipefail") && has("|") || has("()") || has("function ") || has("alias ")
}

/// Whether a word may stand for several: an option that is not seen, another address.
fn is_hidden(invocation: &Invocation) -> bool {
    invocation.words.iter().any(|word| word.starts_with(['$', '`']))
}

/// The names of the options, with their dashes.
fn options<'c>(command: &'c Command<'_>) -> impl Iterator<Item = &'c str> {
    command.arguments.iter().filter_map(|argument| match argument {
        Argument::Switch(name) | Argument::Option { name, .. } => Some(*name),
        Argument::Plain(_) => None,
    })
}

/// One transfer to one address, without a second try and without a redirect: each of these may fail to connect after
/// something was done.
fn curl_tries_once(command: &Command<'_>) -> bool {
    #[rustfmt::skip]
    const PLAIN: &[&str] = &[
        "-s", "-S", "-k", "-f", "-i", "-v", "-g", "-G", "-n", "-N", "-q", "-I", "-4", "-6", "--silent", "--show-error", "--insecure", "--fail",
        "--fail-with-body", "--include", "--verbose", "--globoff", "--get", "--netrc", "--no-buffer", "--head", "--ipv4", "--ipv6", "--compressed",
        "--http1.1", "--http2", "--no-progress-meter", "--ssl", "--ssl-reqd", "--crlf", "--tlsv1.2", "--tlsv1.3", "-X", "--request", "-H", "--header",
        "-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--data-ascii", "--json", "-F", "--form", "--form-string", "-T",
        "--upload-file", "-u", "--user", "-A", "--user-agent", "-o", "--output", "-w", "--write-out", "-m", "--max-time", "--connect-timeout", "-e",
        "--referer", "-b", "--cookie", "-c", "--cookie-jar", "--url", "--url-query", "--cacert", "--cert", "-E", "--key", "--pass", "--oauth2-bearer",
        "--mail-from", "--mail-rcpt", "--mail-auth", "-x", "--proxy", "-U", "--proxy-user",
    ];
    let mut urls = command.plain().chain(command.values(&["--url"]));
    let (url, another) = (urls.next().unwrap_or_default(), urls.next());
    let uploads = command.values(&["-T", "--upload-file"]);
    let globs = std::iter::once(url).chain(uploads.iter().copied()).any(|word| word.contains(['{', '[']));
    let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    // FTP and its like run commands before they connect again for the data.
    let scheme_fits =
        scheme.is_none_or(|scheme| matches!(scheme.as_str(), "http" | "https" | "smtp" | "smtps"));
    another.is_none()
        && uploads.len() <= 1
        && !globs
        && scheme_fits
        && options(command).all(|name| PLAIN.contains(&name))
}

/// One ref to one remote: of several some may have been taken.
fn git_pushes_one_ref(command: &Command<'_>) -> bool {
    #[rustfmt::skip]
    const ONE_REF: &[&str] = &[
        "-C", "--no-pager", "-u", "--set-upstream", "-f", "--force", "--force-with-lease", "--force-if-includes", "-v", "--verbose", "-q", "--quiet",
        "--progress", "--no-progress", "--no-verify", "--atomic", "-4", "-6", "--ipv4", "--ipv6", "--porcelain", "-d", "--delete", "-o", "--push-option",
        "--no-follow-tags", "--no-recurse-submodules", "--thin", "--no-thin", "--no-tags",
    ];
    let words: Vec<&str> = command.plain().collect();
    let ["push", _, refspec] = words.as_slice() else { return false };
    let several = refspec.contains(['*', '{']) || matches!(*refspec, ":" | "+:" | "tag");
    !several && options(command).all(|name| ONE_REF.contains(&name))
}

/// A command of gh's own: an extension exits as it likes.
fn is_gh_itself(command: &Command<'_>) -> bool {
    #[rustfmt::skip]
    const OWN: &[&str] = &[
        "api", "cache", "codespace", "gist", "issue", "label", "pr", "project", "release", "repo", "ruleset", "run", "secret", "ssh-key", "variable",
        "workflow",
    ];
    command.plain().next().is_some_and(|word| OWN.contains(&word))
}
