//! Secrets that are known by their own shape, or by the address they stand in.

use std::ops::Range;

use super::names::{Tell, is_uuid, looks_made, looks_random, tell};
use super::text::Text;

/// How tokens of well-known services begin, and how many characters follow at least. Where the second number is 1, one of these must be a
/// digit: the beginning is that of ordinary words, too. Where it is 2, they are letters and digits only, too; where it is 3, of both cases
/// and with at most one `_` among them.
#[rustfmt::skip]
pub(super) const PREFIXES: &[(&str, usize, usize)] = &[
    ("sk-", 20, 1), ("sk-proj-", 16, 0), ("sk-ant-", 16, 0), ("sk-svcacct-", 16, 0), ("sk-or-", 16, 0), ("sk-live-", 16, 0), ("sk-test-", 16, 0),
    ("sk_live_", 10, 0), ("sk_test_", 10, 0), ("rk_live_", 10, 0), ("rk_test_", 10, 0), ("pk_live_", 10, 0), ("whsec_", 10, 0),
    ("ghp_", 20, 0), ("gho_", 20, 0), ("ghu_", 20, 0), ("ghs_", 20, 0), ("ghr_", 20, 0), ("github_pat_", 20, 0), ("glpat-", 16, 0),
    ("gldt-", 16, 0), ("glrt-", 16, 0), ("glptt-", 16, 0), ("glcbt-", 16, 0), ("glsoat-", 16, 0), ("glagent-", 16, 0),
    ("xoxa-", 10, 0), ("xoxb-", 10, 0), ("xoxe-", 10, 0), ("xoxe.", 10, 0), ("xoxo-", 10, 0), ("xoxp-", 10, 0), ("xoxr-", 10, 0), ("xoxs-", 10, 0),
    ("xoxc-", 10, 0), ("xoxd-", 10, 0), ("xapp-", 10, 0), ("AKIA", 16, 0), ("ASIA", 16, 0), ("ABIA", 16, 0), ("AIza", 30, 0), ("ya29.", 20, 0),
    ("GOCSPX-", 16, 0), ("eyJ", 17, 0), ("npm_", 30, 2), ("pypi-", 30, 0), ("hf_", 20, 0), ("SG.", 33, 0), ("dop_v1_", 20, 0), ("doo_v1_", 20, 0),
    ("shpat_", 20, 0), ("shpca_", 20, 0), ("shppa_", 20, 0), ("shpss_", 20, 0), ("AGE-SECRET-KEY-", 10, 0), ("dckr_pat_", 16, 0),
    ("tskey-", 16, 0), ("hvs.", 20, 0), ("hvb.", 20, 0), ("dp.pt.", 16, 0), ("dp.st.", 16, 0), ("lin_api_", 16, 0), ("figd_", 16, 0), ("ntn_", 20, 1),
    ("sq0atp-", 16, 0), ("sq0csp-", 16, 0), ("pat-na1-", 16, 0), ("sntrys_", 16, 0), ("sntryu_", 16, 0), ("gsk_", 20, 1), ("xai-", 20, 1), ("r8_", 20, 1),
    ("nvapi-", 20, 1), ("pplx-", 20, 1), ("sbp_", 20, 1), ("sb_secret_", 10, 0), ("re_", 16, 3), ("key-", 30, 2), ("pul-", 30, 1), ("atlasv1.", 16, 0),
    ("ATATT3", 20, 0), ("ATCTT3", 20, 0), ("CCIPAT_", 16, 0), ("PMAK-", 20, 0), ("phx_", 20, 1), ("ops_eyJ", 16, 0), ("FlyV1 ", 16, 0), ("fo1_", 16, 1),
    ("sk-admin-", 16, 0), ("sk-None-", 16, 0), ("sk_org_live_", 10, 0), ("secret_", 30, 2), ("fm1_", 20, 1), ("fm2_", 20, 1), ("glc_", 20, 1),
    ("glsa_", 20, 1), ("dapi", 32, 2), ("rubygems_", 30, 1), ("pscale_tkn_", 16, 0), ("pscale_pw_", 16, 0), ("pscale_oauth_", 16, 0), ("NRAK-", 20, 0),
    ("NRJS-", 16, 0), ("LTAI", 16, 2), ("lin_oauth_", 16, 0), ("dckr_oat_", 16, 0), ("CFPAT-", 20, 0), ("HRKU-", 20, 0), ("dp.ct.", 16, 0),
    ("dp.sa.", 16, 0), ("dp.scim.", 16, 0), ("dt0c01.", 20, 0), ("ATBB", 24, 2), ("bkua_", 20, 0), ("1//0", 30, 1), ("vcp_", 20, 1),
    ("EAA", 36, 2), ("api_org_", 20, 0), ("tvly-", 20, 1), ("fc-", 30, 2), ("e2b_", 20, 1), ("apify_api_", 20, 0), ("EZAK", 40, 2),
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
        _ => match digits {
            0 | 1 => true,
            2 => body.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            _ => {
                let joints = body.bytes().filter(|byte| !byte.is_ascii_alphanumeric()).count();
                (joints == 0 || joints == 1 && body.contains('_'))
                    && body.bytes().any(|byte| byte.is_ascii_lowercase())
                    && body.bytes().any(|byte| byte.is_ascii_uppercase())
            }
        },
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

/// Hosts whose addresses let in whoever knows them, what comes in their paths before the secret (`*` is any part, a last part without a
/// slash is how the secret's part begins), and whether the secret is all the rest.
pub(super) const HOOKS: &[(&str, &str, bool)] = &[
    ("hooks.slack.com", "services/*/*/", true),
    ("hooks.slack.com", "workflows/*/", true),
    ("hooks.slack.com", "triggers/*/", true),
    ("hooks.slack-gov.com", "services/*/*/", true),
    ("discord.com", "api/webhooks/*/", false),
    ("discord.com", "api/*/webhooks/*/", false),
    ("discordapp.com", "api/webhooks/*/", false),
    ("discordapp.com", "api/*/webhooks/*/", false),
    ("guilded.gg", "webhooks/*/", false),
    (".webhook.office.com", "webhookb2/", true),
    ("outlook.office.com", "webhook/", true),
    ("maker.ifttt.com", "trigger/*/with/key/", false),
    ("maker.ifttt.com", "trigger/*/json/with/key/", false),
    ("maker.ifttt.com", "use/", false),
    ("hooks.zapier.com", "hooks/*/*/", false),
    ("hooks.airtable.com", "workflows/v1/genericwebhook/*/", true),
    ("api.telegram.org", "bot", false),
    ("api.telegram.org", "file/bot", false),
    (".make.com", "", false),
    ("hook.integromat.com", "", false),
    (".n8n.cloud", "webhook/", true),
    (".n8n.cloud", "webhook-test/", true),
    ("open.feishu.cn", "open-apis/bot/v2/hook/", false),
    ("open.larksuite.com", "open-apis/bot/v2/hook/", false),
    ("sctapi.ftqq.com", "", false),
    ("api.day.app", "", false),
    ("ntfy.sh", "", false),
    ("webhook.site", "", false),
    ("hc-ping.com", "", true),
    ("hchk.io", "", true),
    ("cronitor.link", "p/", false),
    ("uptime.betterstack.com", "api/v1/heartbeat/", true),
    ("events.pagerduty.com", "integration/", false),
    ("api.netlify.com", "build_hooks/", true),
    ("api.vercel.com", "v1/integrations/deploy/", true),
];

/// Ends of hosts whose first part is the secret.
pub(super) const HOSTS: &[&str] = &[".m.pipedream.net", ".x.pipedream.net", ".m.d.pipedream.net"];

fn in_path(byte: u8) -> bool {
    byte > b' ' && !b"\"'`<>?#\\|;)]}&,".contains(&byte)
}

/// The place behind the slash at `place`, which JSON may write `\/`.
fn behind_slash(text: Text<'_>, place: usize) -> Option<usize> {
    let place = if text.at(place) == b'\\' { place + 1 } else { place };
    (text.at(place) == b'/').then_some(place + 1)
}

/// The secret in the path of host number `number`, which stands at `found`.
pub(super) fn in_hook(text: Text<'_>, found: &Range<usize>, number: usize) -> Option<Range<usize>> {
    let (host, path, rest) = HOOKS.get(number)?;
    let before = text.before(found.start);
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let first = text.part(text.skip_back(found.start, |byte| is_part(byte) || byte == b'.')..found.start);
    let is_host = match *host {
        ".make.com" => first.starts_with("hook."),
        // What stands under such a host's own name may be anything.
        _ if path.is_empty() => !is_part(before) && before != b'.',
        _ => host.starts_with('.') || !is_part(before),
    };
    if !is_host {
        return None;
    }
    let mut begin = behind_slash(text, found.end)?;
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            if !text.part(begin..begin + part.len()).eq_ignore_ascii_case(part) {
                return None;
            }
            begin += part.len();
            break;
        }
        let end = text.skip(begin, |byte| in_path(byte) && byte != b'/');
        if part != "*" && !text.part(begin..end).eq_ignore_ascii_case(part) {
            return None;
        }
        begin = behind_slash(text, end)?;
    }
    let mut end = text.skip(begin, |byte| in_path(byte) && byte != b'/');
    while *rest && let Some(next) = behind_slash(text, end) {
        end = text.skip(next, |byte| in_path(byte) && byte != b'/');
    }
    (end > begin && !text.is_variable(begin)).then_some(begin..end)
}

/// The secret part of a host whose end is at `found`.
pub(super) fn in_host(text: Text<'_>, found: &Range<usize>) -> Option<Range<usize>> {
    let begin = text.skip_back(found.start, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (begin < found.start).then_some(begin..found.start)
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

/// Addresses whose paths are made of names that people gave.
const STORES: &[&str] = &["s3", "gs", "az", "r2", "oci", "b2", "file"];
/// Keys that are.
const NAMED: &[&str] = &["kube", "helm", "git-push", "storage", "s3", "gs", "file", "github", "gitlab"];

/// Whether what stands in a key behind `secret/` or `session/` is the name of one.
pub(super) fn is_of_names(key: &str) -> bool {
    key.split_once(':').is_some_and(|(kind, _)| NAMED.contains(&kind))
}

/// The secrets in the address whose `://` is at `found`: a password, a token for a user, and parts of the path.
pub(super) fn in_address(
    text: Text<'_>,
    found: &Range<usize>,
    in_key: bool,
    mut add: impl FnMut(Range<usize>),
) {
    // Of an address that another one holds each slash was three bytes.
    let begin = text.skip(found.end, |byte| byte == b'/');
    let end = text.skip(begin, |byte| byte > b' ' && !b"\"'`<>/?#\\|".contains(&byte));
    if let Some(at) = text.part(begin..end).rfind('@').map(|length| begin + length) {
        let colon = text.part(begin..at).find(':').map(|length| begin + length);
        let is_token = |user: Range<usize>| user.len() >= 20 || looks_made(text.part(user));
        match colon {
            Some(colon) if colon + 1 < at => {
                add(colon + 1..at);
                // `https://x:x-oauth-basic@host`
                if is_token(begin..colon) {
                    add(begin..colon);
                }
            }
            Some(colon) if colon - begin >= 8 => add(begin..colon),
            None if is_token(begin..at) => add(begin..at),
            _ => {}
        }
    }
    if text.at(end) == b'/' {
        let scheme = text.skip_back(found.start, |byte| byte.is_ascii_alphanumeric());
        let by_name = !(STORES.contains(&text.part(scheme..found.start)) || in_key && is_of_names(text.0));
        in_parts(text, end + 1..text.skip(end, in_path), by_name, add);
    }
}

/// The password in `user:password@host`, which stands where an address without its scheme may: from `from` on to a blank or a quote.
pub(super) fn in_user(text: Text<'_>, from: usize) -> Option<Range<usize>> {
    let end = text.skip(from, |byte| byte > b' ' && !b"\"'`<>?#\\|;,)}".contains(&byte));
    let colon = from + text.part(from..end).find(':')?;
    let host = text.part(colon + 1..end);
    let at = colon + 1 + host.split('/').next().unwrap_or_default().rfind('@')?;
    let user = text.part(from..colon);
    (colon > from && at > colon + 1 && !user.contains(['/', '@', '='])).then_some(colon + 1..at)
}

/// The password of the user in the proxy whose word is at `found`: `--proxy u:x@h`, `--proxy-user u:x`, `https_proxy=u:x@h`, `"proxy": "u:x@h"`.
pub(super) fn in_proxy(text: Text<'_>, found: &Range<usize>) -> Option<Range<usize>> {
    let end = text.skip(found.end, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let begin =
        text.skip(end, |byte| matches!(byte, b'=' | b':' | b' ' | b'"' | b'\'' | b'\\' | b',' | b'['));
    if begin == end {
        return None;
    }
    if text.part(found.end..end).to_ascii_lowercase().ends_with("user") {
        let close = text.skip(begin, |byte| byte > b' ' && !b"\"'`\\".contains(&byte));
        let colon = begin + text.part(begin..close).find(':')?;
        return (colon > begin && colon + 1 < close).then_some(colon + 1..close);
    }
    in_user(text, begin)
}

/// The tokens among the parts of a path; `by_name`: also those that the part before tells of.
pub(super) fn in_parts(text: Text<'_>, path: Range<usize>, by_name: bool, mut add: impl FnMut(Range<usize>)) {
    let (mut begin, to) = (path.start, path.end);
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
            || ["hook", "webhook", "webhook-test"].contains(&before) && is_uuid(part)
            || by_name && looks_made(part) && tells()
            || bare.len() < part.len() && looks_random(bare)
        {
            add(begin..end);
        }
        before = part;
        begin = end + 1;
    }
}

/// The password's hash that begins at `found`: `$2y$05$…`, `$apr1$salt$…`, `{SHA}…`.
pub(super) fn hash(text: Text<'_>, found: &Range<usize>) -> Option<Range<usize>> {
    let in_hash = |byte: u8| byte.is_ascii_alphanumeric() || b"./$,=+-".contains(&byte);
    let end = text.skip(found.end, in_hash);
    let said = text.part(found.end..end);
    let has_parts = text.at(found.start) == b'{' || said.contains('$');
    (said.len() >= MIN_HASH && has_parts && said.bytes().any(|byte| byte.is_ascii_alphabetic()))
        .then_some(found.start..end)
}

/// What makes a hash is no shorter.
const MIN_HASH: usize = 22;
