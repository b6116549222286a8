//! Secrets that are known by their own shape, or by the address they stand in.

use std::ops::Range;

use super::names::{Tell, looks_made, looks_random, tell};
use super::text::Text;

/// How tokens of well-known services begin, and how many characters follow at least. Where the second number is 1, one of these must be a
/// digit: the beginning is that of ordinary words, too.
#[rustfmt::skip]
pub(super) const PREFIXES: &[(&str, usize, usize)] = &[
    ("sk-", 20, 1), ("sk-proj-", 16, 0), ("sk-ant-", 16, 0), ("sk-svcacct-", 16, 0), ("sk-or-", 16, 0), ("sk-live-", 16, 0), ("sk-test-", 16, 0),
    ("sk_live_", 10, 0), ("sk_test_", 10, 0), ("rk_live_", 10, 0), ("rk_test_", 10, 0), ("pk_live_", 10, 0), ("whsec_", 10, 0),
    ("ghp_", 20, 0), ("gho_", 20, 0), ("ghu_", 20, 0), ("ghs_", 20, 0), ("ghr_", 20, 0), ("github_pat_", 20, 0), ("glpat-", 16, 0),
    ("gldt-", 16, 0), ("glrt-", 16, 0), ("glptt-", 16, 0), ("glcbt-", 16, 0), ("glsoat-", 16, 0), ("glagent-", 16, 0),
    ("xoxa-", 10, 0), ("xoxb-", 10, 0), ("xoxe-", 10, 0), ("xoxe.", 10, 0), ("xoxo-", 10, 0), ("xoxp-", 10, 0), ("xoxr-", 10, 0), ("xoxs-", 10, 0),
    ("xoxc-", 10, 0), ("xoxd-", 10, 0), ("xapp-", 10, 0), ("AKIA", 16, 0), ("ASIA", 16, 0), ("ABIA", 16, 0), ("AIza", 30, 0), ("ya29.", 20, 0),
    ("GOCSPX-", 16, 0), ("eyJ", 17, 0), ("npm_", 30, 0), ("pypi-", 30, 0), ("hf_", 20, 0), ("SG.", 33, 0), ("dop_v1_", 20, 0), ("doo_v1_", 20, 0),
    ("shpat_", 20, 0), ("shpca_", 20, 0), ("shppa_", 20, 0), ("shpss_", 20, 0), ("AGE-SECRET-KEY-", 10, 0), ("dckr_pat_", 16, 0),
    ("tskey-", 16, 0), ("hvs.", 20, 0), ("hvb.", 20, 0), ("dp.pt.", 16, 0), ("dp.st.", 16, 0), ("lin_api_", 16, 0), ("figd_", 16, 0), ("ntn_", 20, 1),
    ("sq0atp-", 16, 0), ("sq0csp-", 16, 0), ("pat-na1-", 16, 0), ("sntrys_", 16, 0), ("sntryu_", 16, 0), ("gsk_", 20, 1), ("xai-", 20, 1), ("r8_", 20, 1),
    ("nvapi-", 20, 1), ("pplx-", 20, 1), ("sbp_", 20, 1), ("sb_secret_", 10, 0), ("re_", 16, 1), ("key-", 30, 1), ("pul-", 30, 1), ("atlasv1.", 16, 0),
    ("ATATT3", 20, 0), ("ATCTT3", 20, 0), ("CCIPAT_", 16, 0), ("PMAK-", 20, 0), ("phx_", 20, 1), ("ops_eyJ", 16, 0), ("FlyV1 ", 16, 0), ("fo1_", 16, 1),
];

/// The token that begins with prefix number `number` at `found`.
pub(super) fn token(text: Text<'_>, found: &Range<usize>, number: usize) -> Option<Range<usize>> {
    let (prefix, least, digits) = PREFIXES.get(number)?;
    if text.part(found.clone()) != *prefix || text.before(found.start).is_ascii_alphanumeric() {
        return None;
    }
    let mut end = found.end;
    loop {
        end = text.skip(end, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        if text.at(end) != b'.' || !(text.at(end + 1).is_ascii_alphanumeric() || text.at(end + 1) == b'_') {
            break;
        }
        end += 1;
    }
    let body = text.part(found.end..end);
    let digits_in = body.bytes().filter(u8::is_ascii_digit).count();
    let fits = match *prefix {
        "AKIA" | "ASIA" | "ABIA" => {
            body.bytes().take(16).all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        }
        "eyJ" => body.contains('.'),
        // `sk-` is followed by letters and digits only, or by words that are prefixes of their own.
        "sk-" => !body.bytes().take(20).any(|byte| matches!(byte, b'-' | b'.')),
        _ => true,
    };
    (fits && body.len() >= *least && (*digits == 0 || digits_in > 0 || *prefix == "sk-"))
        .then_some(found.start..end)
}

/// A block of PEM, whatever is in it; one whose end is missing takes the rest.
pub(super) fn pem(text: Text<'_>, found: &Range<usize>) -> Option<Range<usize>> {
    let label =
        text.skip(found.end, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    if !text.rest(label).starts_with("-----") || label == found.end {
        return None;
    }
    let end = text
        .find(label + 5, "-----END ")
        .and_then(|end| text.find(end + 9, "-----"))
        .map_or(text.len(), |end| end + 5);
    Some(found.start..end)
}

/// What follows `bearer` or `basic`.
pub(super) fn scheme(text: Text<'_>, found: &Range<usize>) -> Option<Range<usize>> {
    let is_bearer = found.len() == "bearer".len();
    let begin = text.blanks(found.end);
    if begin == found.end || text.before(found.start).is_ascii_alphanumeric() {
        return None;
    }
    let in_token = |byte: u8| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte);
    let end = text.skip(begin, in_token);
    let least = if is_bearer { 12 } else { 16 };
    let said = text.part(begin..end);
    let made =
        end - begin >= 20 || said.bytes().any(|byte| byte.is_ascii_digit() || byte == b'=') || is_bearer;
    (end - begin >= least && made && !said.starts_with("authentication")).then_some(begin..end)
}

/// A bot's token, `123456:AAhd…`; `found` is its `:AA`.
pub(super) fn bot_token(text: Text<'_>, found: &Range<usize>) -> Option<Range<usize>> {
    let begin = text.skip_back(found.start, |byte| byte.is_ascii_digit());
    let end = text.skip(found.end, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    (found.start - begin >= 5 && end - found.end >= 16).then_some(begin..end)
}

/// Parts of addresses behind which a secret stands: so many parts of the path come before it, and whether it is all the rest.
pub(super) const PATHS: &[(&str, usize, bool)] = &[
    ("hooks.slack.com/services/", 2, true),
    ("hooks.slack.com/workflows/", 1, true),
    ("hooks.slack.com/triggers/", 1, true),
    ("/webhooks/", 1, false),
    ("office.com/webhook", 1, true),
    ("/with/key/", 0, false),
    ("hooks.zapier.com/hooks/catch/", 1, false),
    ("api.telegram.org/bot", 0, false),
    (".make.com/", 0, false),
    ("hc-ping.com/", 0, true),
    ("/build_hooks/", 0, true),
    ("/integrations/deploy/", 0, true),
];

fn in_path(byte: u8) -> bool {
    byte > b' ' && !b"\"'`<>?#\\|;)]}&,".contains(&byte)
}

/// The secret behind path number `number`.
pub(super) fn in_webhook(text: Text<'_>, found: &Range<usize>, number: usize) -> Option<Range<usize>> {
    let (path, skipped, rest) = PATHS.get(number)?;
    if *path == "/webhooks/" && !text.part(text.skip_back(found.start, in_path)..found.start).contains("/api")
    {
        return None;
    }
    let mut begin = found.end;
    for _ in 0..*skipped {
        begin = text.skip(begin, |byte| in_path(byte) && byte != b'/') + 1;
        if text.before(begin) != b'/' {
            return None;
        }
    }
    let end = text.skip(begin, |byte| in_path(byte) && (*rest || byte != b'/'));
    (end > begin && begin <= text.len() && (*path != ".make.com/" || looks_random(text.part(begin..end))))
        .then_some(begin..end)
}

/// Parts of paths behind which identifiers stand that anybody may see.
const IDENTIFIERS: &[&str] = &[
    "d",
    "document",
    "documents",
    "file",
    "files",
    "folder",
    "folders",
    "spreadsheets",
    "commit",
    "commits",
    "blob",
    "tree",
    "raw",
    "pull",
    "sha256",
    "page",
    "pages",
    "video",
    "videos",
    "p",
    "status",
    "id",
];
/// Parts of paths, besides names that tell, behind which a token stands.
const TELLING: &[&str] = &[
    "bot", "hook", "hooks", "webhook", "webhooks", "tokens", "keys", "magic", "verify", "confirm", "reset",
    "invite", "share",
];

/// The secrets in the address whose `://` is at `found`: a password, a token for a user, and parts of the path.
pub(super) fn in_address(text: Text<'_>, found: &Range<usize>, mut add: impl FnMut(Range<usize>)) {
    let end = text.skip(found.end, |byte| byte > b' ' && !b"\"'`<>/?#\\|".contains(&byte));
    if let Some(at) = text.part(found.end..end).rfind('@').map(|length| found.end + length) {
        let colon = text.part(found.end..at).find(':').map(|length| found.end + length);
        match colon {
            Some(colon) if colon + 1 < at => add(colon + 1..at),
            Some(colon) if colon - found.end >= 8 => add(found.end..colon),
            None if at - found.end >= 20 || looks_made(text.part(found.end..at)) => add(found.end..at),
            _ => {}
        }
    }
    if text.at(end) == b'/' {
        in_parts(text, end + 1, text.skip(end, in_path), add);
    }
}

/// The tokens among the parts of the path from `from` to `to`.
pub(super) fn in_parts(text: Text<'_>, from: usize, to: usize, mut add: impl FnMut(Range<usize>)) {
    let mut begin = from;
    let mut before = "";
    while begin < to {
        let end = text.skip(begin, |byte| byte != b'/').min(to);
        let part = text.part(begin..end);
        if part.len() < 8 {
            before = part;
            begin = end + 1;
            continue;
        }
        let tells = || TELLING.contains(&before) || before.len() < 40 && tell(before) >= Tell::Weak;
        let bare = part.strip_prefix("bot").unwrap_or(part);
        if !IDENTIFIERS.contains(&before) && looks_random(part)
            || looks_made(part) && tells()
            || bare.len() < part.len() && looks_random(bare)
        {
            add(begin..end);
        }
        before = part;
        begin = end + 1;
    }
}
