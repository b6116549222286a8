//! One spelling for a resource that may be written in several ways, by what its key begins with.

use std::borrow::Cow;

use callosum_shell::command::kind_name;

use super::Lookup;

/// How the rest of a key is spelled, behind what it begins with.
type Spelling = for<'k> fn(&'k str, &Lookup<'_>) -> Cow<'k, str>;

/// What keys of channels of OpenClaw's begin with.
const CHANNEL: &str = "channel:";

/// The longest that fits counts: it stands before those that are its beginning.
const SPELLINGS: &[(&str, Spelling)] = &[
    (CHANNEL, channel),
    ("az:storage:", |path, _| Cow::Owned(path.replacen(".blob.core.windows.net", "", 1))),
    ("call:", |number, _| phone(number)),
    ("cron:", |job, _| job_name(job)),
    ("discord:", |channel, _| chat(channel)),
    ("dns:", |name, _| domain(name)),
    ("flux:", |object, _| object_name(object)),
    ("git-push:github.com/", |branch, _| github_name(branch)),
    ("github:", |item, _| github_name(item)),
    ("google:", |id, _| document(id)),
    ("gs:", |path, _| folder(path)),
    ("imessage:", |number, _| phone(number)),
    ("kube:", |object, _| object_name(object)),
    ("mattermost:", |channel, _| {
        Cow::Borrowed(channel.rsplit_once(':').map_or(channel, |(_, channel)| channel))
    }),
    ("monitor:sentry:", |issue, _| last_part(issue)),
    ("notion:", |id, _| without_dashes(id)),
    ("payment:", |to, _| wallet(to)),
    ("publish:docker:", |image, _| image_name(image)),
    ("publish:galaxy:", |name, _| galaxy_name(name)),
    ("publish:pypi:", |name, _| python_name(name)),
    ("queue:rabbitmq:", |queue, _| Cow::Borrowed(queue.strip_suffix("@/").unwrap_or(queue))),
    ("r2:", |path, _| folder(path)),
    ("s3:", |path, _| bucket(path)),
    ("service:", |unit, _| unit_name(unit)),
    ("signal:", |number, _| phone(number)),
    ("slack:", |channel, _| chat(channel)),
    ("sms:", |number, _| phone(number)),
    ("social:x:", |post, _| last_part(post)),
    // A user's or a channel's name may be written with an `@` before it.
    ("telegram:", |to, _| chat(to.strip_prefix('@').unwrap_or(to))),
    ("whatsapp:", |number, _| phone(number.strip_suffix("@s.whatsapp.net").unwrap_or(number))),
    ("zendesk:", |id, _| Cow::Borrowed(id.strip_suffix(".json").unwrap_or(id))),
];

/// A key in its one spelling.
pub(super) fn one_spelling<'k>(key: &'k str, params: &Lookup<'_>) -> Cow<'k, str> {
    // Most differ in their first letter.
    let may_begin = |prefix: &str| prefix.as_bytes().first() == key.as_bytes().first();
    let known = SPELLINGS
        .iter()
        .filter(|(prefix, _)| may_begin(prefix))
        .find_map(|(prefix, spelling)| Some((prefix, spelling, key.strip_prefix(prefix)?)));
    let Some((prefix, spelling, rest)) = known else { return Cow::Borrowed(key) };
    match spelling(rest, params) {
        Cow::Borrowed(same) if same.len() == rest.len() => Cow::Borrowed(key),
        spelled if spelled.is_empty() => Cow::Borrowed(key),
        spelled => Cow::Owned(format!("{prefix}{spelled}")),
    }
}

/// Hosts write a channel in several ways: `123`, `channel:123` and `discord:channel:123` are one, and so are `general` and `#general`. Only what
/// is so on every platform: on IRC the `#` belongs to the name, in `#alias:server` (Matrix) too, and a `user:1` is no channel.
fn channel<'k>(name: &'k str, params: &Lookup<'_>) -> Cow<'k, str> {
    let mut name = name;
    if let Some((platform, rest)) = name.split_once(':')
        && let Some(rest) = rest.strip_prefix(CHANNEL)
        && platform.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    {
        name = rest;
    }
    while let Some(rest) = name.strip_prefix(CHANNEL) {
        name = rest;
    }
    if let Some(rest) = name.strip_prefix('#')
        && rest.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
        && !params.texts("channel").iter().any(|platform| platform.eq_ignore_ascii_case("irc"))
    {
        name = rest;
    }
    Cow::Borrowed(name)
}

/// GitHub does not tell the case of owners and repositories apart, but that of branches, tags and ids.
fn github_name(name: &str) -> Cow<'_, str> {
    let ends = name.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(at, _)| at);
    let Some(owner) = ends.clone().next() else { return Cow::Borrowed(name) };
    let end = name.find('#').or_else(|| ends.clone().nth(1)).unwrap_or(name.len());
    match name.split_at_checked(end) {
        Some((repository, rest))
            if owner < end && repository.bytes().any(|byte| byte.is_ascii_uppercase()) =>
        {
            Cow::Owned(format!("{}{rest}", repository.to_ascii_lowercase()))
        }
        _ => Cow::Borrowed(name),
    }
}

/// The capitals of an address that begins with `0x` are a checksum (EIP-55): with and without them it is the same one.
fn wallet(to: &str) -> Cow<'_, str> {
    let is_address = |digits: &str| digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    match to.rsplit_once("0x") {
        Some((_, digits)) if is_address(digits) => Cow::Owned(to.to_ascii_lowercase()),
        _ => Cow::Borrowed(to),
    }
}

/// `+1 (555) 010-0199` is `+15550100199`, and so is `15550100199`, which some services want. What has no country's code or is no number
/// stays as it is.
fn phone(number: &str) -> Cow<'_, str> {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let is_number = number.chars().all(|c| c.is_ascii_digit() || "+-. ()".contains(c));
    if !is_number || digits.len() < 8 || digits.starts_with('0') && !digits.starts_with("00") {
        return Cow::Borrowed(number);
    }
    Cow::Owned(format!("+{}", digits.trim_start_matches("00")))
}

/// A document without the method behind its id: `sheets:1XyZ:append`.
fn document(id: &str) -> Cow<'_, str> {
    let (kind, name) = id.split_once(':').unwrap_or((id, ""));
    match name.rsplit_once(':') {
        Some((name, method)) if method.starts_with(|c: char| c.is_ascii_lowercase()) => {
            Cow::Owned(format!("{kind}:{name}"))
        }
        _ => Cow::Borrowed(id),
    }
}

/// An object of a cluster by its kind's one name: `prod/shop:pods/web` is `prod/shop:pod/web`.
fn object_name(object: &str) -> Cow<'_, str> {
    let Some((scope, (kind, name))) =
        object.rsplit_once(':').and_then(|(scope, rest)| Some((scope, rest.split_once('/')?)))
    else {
        return Cow::Borrowed(object);
    };
    match kind_name(kind) {
        Some(long) => Cow::Owned(format!("{scope}:{long}/{name}")),
        None => Cow::Borrowed(object),
    }
}

/// A unit of systemd without its usual ending, whatever machine it is on.
fn unit_name(unit: &str) -> Cow<'_, str> {
    match unit.split_once(".service@") {
        Some((name, host)) => Cow::Owned(format!("{name}@{host}")),
        None => Cow::Borrowed(unit.strip_suffix(".service").unwrap_or(unit)),
    }
}

/// A job of launchd by its label: `~/Library/LaunchAgents/com.acme.sync.plist`, `gui/501/com.acme.sync`. Elsewhere a slash is a part of the
/// name.
fn job_name(job: &str) -> Cow<'_, str> {
    // `/etc/cron.d/sync`
    if let Some((_, name)) = job.strip_prefix("/etc/cron.").and_then(|rest| rest.split_once('/')) {
        return Cow::Borrowed(name);
    }
    let file = job.strip_suffix(".plist");
    let in_domain = ["gui/", "user/", "system/"].iter().any(|domain| job.starts_with(domain));
    let name = match file {
        Some(path) => path.rsplit('/').next().unwrap_or(path),
        None if in_domain => job.rsplit('/').next().unwrap_or(job),
        None => job,
    };
    Cow::Borrowed(name)
}

/// What an address on the web shows, by the end of its path.
fn last_part(id: &str) -> Cow<'_, str> {
    let path = id.split_once("://").map(|(_, rest)| rest.split(['?', '#']).next().unwrap_or(rest));
    let parts = path.and_then(|path| path.trim_end_matches('/').rsplit_once('/'));
    Cow::Borrowed(parts.map_or(id, |(_, last)| last))
}

/// A channel without its `#`; an incoming webhook by what tells it from others, without its secret.
fn chat(name: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = name.split_once("://") else {
        let bare = name.strip_prefix(CHANNEL).unwrap_or(name);
        let bare = bare.strip_prefix('#').unwrap_or(bare);
        return Cow::Borrowed(bare);
    };
    let parts: Vec<&str> = rest.split(['/', '?']).filter(|part| !part.is_empty()).collect();
    match (scheme, parts.as_slice()) {
        ("https", ["hooks.slack.com", "services" | "workflows", team, bot, ..]) => {
            Cow::Owned(format!("webhook/{team}/{bot}"))
        }
        ("https", [_, "api", rest @ ..]) => {
            let webhook = rest.iter().position(|part| *part == "webhooks").and_then(|at| rest.get(at + 1));
            webhook.map_or(Cow::Borrowed(name), |id| Cow::Owned(format!("webhook/{id}")))
        }
        // The addresses that Apprise knows.
        ("slack", [.., channel]) if channel.starts_with(['#', '@', '+']) => {
            Cow::Borrowed(channel.trim_start_matches(['#', '+']))
        }
        ("slack", [team, bot, ..]) => Cow::Owned(format!("webhook/{team}/{bot}")),
        ("discord", [id, ..]) => Cow::Owned(format!("webhook/{id}")),
        ("tgram", [_, to, ..]) => Cow::Borrowed(to),
        _ => Cow::Borrowed(name),
    }
}

/// A path in a store without what stands for all that is in it.
fn folder(path: &str) -> Cow<'_, str> {
    let mut path = path;
    while let Some(shorter) =
        ["/", "/*", "/**"].iter().find_map(|end| path.strip_suffix(end)).filter(|it| it.len() > 2)
    {
        path = shorter;
    }
    Cow::Borrowed(path)
}

/// The same in S3, whose objects have addresses on the web: `//logs.s3.amazonaws.com/a`, `//s3.amazonaws.com/logs/a`.
fn bucket(path: &str) -> Cow<'_, str> {
    let host = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    if !host.ends_with(".amazonaws.com") {
        return folder(path);
    }
    let key = path.trim_start_matches('/').split_once('/').map_or("", |(_, key)| key);
    let whole = match host.split_once(".s3.") {
        Some((bucket, _)) => format!("//{bucket}/{key}"),
        None => format!("//{key}"),
    };
    Cow::Owned(folder(&whole).into_owned())
}

/// Domain names do not tell case apart, and may end in the dot of the root; `@` is the zone itself.
fn domain(name: &str) -> Cow<'_, str> {
    // `cli4 --delete /zones/:acme.example/dns_records/:www.acme.example`
    let name = name.strip_prefix(':').unwrap_or(name);
    let name = name.strip_prefix("@.").unwrap_or(name);
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) && name.contains('.') {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

/// Ids of Notion are written with dashes or without.
fn without_dashes(id: &str) -> Cow<'_, str> {
    // Shortened ones, too.
    let is_id = id.contains('-') && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_id { Cow::Owned(id.replace('-', "")) } else { Cow::Borrowed(id) }
}

/// `namespace-name`, as files are named, is `namespace.name`.
fn galaxy_name(name: &str) -> Cow<'_, str> {
    if name.contains(['/', '.']) { Cow::Borrowed(name) } else { Cow::Owned(name.replacen('-', ".", 1)) }
}

/// `My_Package` is `my-package`, by PEP 503; a folder stays as it is.
fn python_name(name: &str) -> Cow<'_, str> {
    if name.contains('/') {
        return Cow::Borrowed(name);
    }
    let steps: Vec<&str> = name.split(['-', '_', '.']).filter(|step| !step.is_empty()).collect();
    Cow::Owned(steps.join("-").to_lowercase())
}

/// An image without what its name means anyhow: `docker.io/library/` before it and `:latest` behind it.
fn image_name(image: &str) -> Cow<'_, str> {
    let name =
        image.strip_prefix("docker.io/").or_else(|| image.strip_prefix("index.docker.io/")).unwrap_or(image);
    let name = name.strip_prefix("library/").unwrap_or(name);
    Cow::Borrowed(name.strip_suffix(":latest").unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_resource_has_one_spelling() {
        let params = json!({});
        let params = Lookup::new(&params);
        for (written, spelled) in [
            ("sms:+1 (555) 010-0199", "sms:+15550100199"),
            ("sms:15550100199", "sms:+15550100199"),
            ("sms:0015550100199", "sms:+15550100199"),
            ("signal:+1 555 010 0199", "signal:+15550100199"),
            ("social:x:https://x.com/acme/status/1993001122334455667", "social:x:1993001122334455667"),
            ("imessage:lea@customer.example", "imessage:lea@customer.example"),
            ("slack:#ops", "slack:ops"),
            ("slack:https://hooks.slack.com/services/T1/B2/secret", "slack:webhook/T1/B2"),
            ("slack:slack://T1/B2/secret/#ops", "slack:ops"),
            ("discord:https://discord.com/api/webhooks/12/secret", "discord:webhook/12"),
            ("discord:https://discord.com/api/v10/webhooks/12/secret", "discord:webhook/12"),
            ("telegram:tgram://secret/-1001/", "telegram:-1001"),
            ("telegram:@acme_ops", "telegram:acme_ops"),
            (
                "payment:ethereum:0x9fB29AAc15b9A4B7F17c3385939b007540f4d791",
                "payment:ethereum:0x9fb29aac15b9a4b7f17c3385939b007540f4d791",
            ),
            ("payment:stripe:in_1A0xB", "payment:stripe:in_1A0xB"),
            ("mattermost:acme:town-square", "mattermost:town-square"),
            ("cron:~/Library/LaunchAgents/com.acme.sync.plist", "cron:com.acme.sync"),
            ("cron:gui/501/com.acme.sync", "cron:com.acme.sync"),
            ("cron:crontab/deploy", "cron:crontab/deploy"),
            ("cron:ops/report", "cron:ops/report"),
            ("sms:0555 0100199", "sms:0555 0100199"),
            ("sms:12345", "sms:12345"),
            ("sms:alice", "sms:alice"),
            ("whatsapp:15550100199@s.whatsapp.net", "whatsapp:+15550100199"),
            ("whatsapp:120363041234567890@g.us", "whatsapp:120363041234567890@g.us"),
            ("notion:1f2e3d4c-5b6a-7980-1234-56789abcdef0", "notion:1f2e3d4c5b6a7980123456789abcdef0"),
            ("notion:meeting-notes", "notion:meeting-notes"),
            ("monitor:sentry:https://acme.sentry.io/issues/SHOP-3F/?project=1", "monitor:sentry:SHOP-3F"),
            ("monitor:sentry:SHOP-3F", "monitor:sentry:SHOP-3F"),
            ("github:Acme/App#v1.0-RC", "github:acme/app#v1.0-RC"),
            ("github:PR_kwDOA", "github:PR_kwDOA"),
            ("github:gist#Ab/C", "github:gist#Ab/C"),
            ("git-push:github.com/Acme/App/Main", "git-push:github.com/acme/app/Main"),
            ("git-push:gitlab.com/Acme/App/Main", "git-push:gitlab.com/Acme/App/Main"),
            ("queue:rabbitmq:orders@/", "queue:rabbitmq:orders"),
            ("queue:rabbitmq:orders@prod", "queue:rabbitmq:orders@prod"),
            ("publish:docker:docker.io/library/nginx:latest", "publish:docker:nginx"),
            ("publish:docker:ghcr.io/acme/app:1.2", "publish:docker:ghcr.io/acme/app:1.2"),
            ("publish:pypi:Acme__Tools.x", "publish:pypi:acme-tools-x"),
            ("publish:pypi:/home/me/My_App", "publish:pypi:/home/me/My_App"),
            ("publish:galaxy:acme-tools", "publish:galaxy:acme.tools"),
            ("service:nginx.service", "service:nginx"),
            ("s3://acme-logs/2024/**", "s3://acme-logs/2024"),
            ("gs://acme-site/", "gs://acme-site"),
            ("dns:@.Acme.example.", "dns:acme.example"),
            ("channel:discord:channel:123", "channel:123"),
            ("channel:#general", "channel:general"),
            ("channel:#alias:server", "channel:#alias:server"),
            ("file:/a/b.service", "file:/a/b.service"),
        ] {
            assert_eq!(one_spelling(written, &params), spelled);
        }
    }
}
