//! What the programs of clouds act on: `aws`, `gcloud`, `az`.
//!
//! The options' names are those of the manuals: AWS CLI command reference, gcloud reference, Azure CLI reference.

use super::Fit;
use crate::{Argument, option_values};

/// What of an `aws` command names no resource of its own: where and as whom it is done, and what it is made of.
const NO_RESOURCE: &[&str] = &[
    "profile",
    "region",
    "endpoint-url",
    "policy-arn",
    "role-arn",
    "execution-role-arn",
    "service-role-arn",
    "task-role-arn",
    "kms-key-id",
    "image-id",
    "subnet-id",
    "subnet-ids",
    "vpc-id",
    "security-group-ids",
    "client-request-token",
    "account-id",
    "hash-key",
    "document-name",
    "key-name",
    "instance-type",
    "session-name",
    "role-session-name",
    "certificate-arn",
    "availability-zone-id",
    "branch-name",
];

/// Names of resources that go before all others of a command: what they are in is named besides.
const FIRST: &[&str] = &[
    "function-name",
    "service-arn",
    "db-instance-identifier",
    "db-cluster-identifier",
    "user-name",
    "role-name",
    "group-name",
    "stack-name",
    "table-name",
    "queue-url",
    "topic-arn",
    "target-arn",
    "state-machine-arn",
    "secret-id",
    "repository-name",
    "distribution-id",
    "hosted-zone-id",
    "instance-ids",
    "instance-id",
    "auto-scaling-group-name",
    "bucket",
    "app-id",
    "name",
];

/// How options end that name a resource.
const ENDINGS: &[&str] =
    &["-names", "-name", "-ids", "-id", "-identifiers", "-identifier", "-arns", "-arn", "-url", "-number"];

/// What an `aws` command acts on, as `service:name`, one for each name.
pub(super) fn aws(fit: &Fit<'_, '_>) -> Vec<String> {
    let mut words = fit.command.plain();
    let (service, verb) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let values = |name: &str| option_values(&fit.command.arguments, name);
    let storage = || {
        let bucket = values("bucket").pop()?;
        let key = values("key").pop().or_else(|| values("prefix").pop());
        Some(key.map_or_else(|| bucket.to_owned(), |key| format!("{bucket}/{key}")))
    };
    if matches!(service, "s3api" | "s3control") {
        return storage().into_iter().collect();
    }
    let mut names: Vec<String> =
        aws_names(fit, service, verb).into_iter().map(|name| of_arn(service, name)).collect();
    if service == "ecs"
        && let Some(cluster) = values("cluster").pop().map(|name| of_arn(service, name))
    {
        for name in names.iter_mut().filter(|name| **name != cluster) {
            if !name.starts_with(&format!("{cluster}/")) {
                *name = format!("{cluster}/{name}");
            }
        }
    }
    if names.is_empty() {
        names.extend(words.next().map(|word| of_arn(service, word)).or_else(|| Some(verb.to_owned())));
    }
    names.into_iter().map(|name| format!("{service}:{name}")).collect()
}

/// The values of the option that names the resource: the one that is called like what the verb says is done to, else the first that names
/// one.
fn aws_names<'l>(fit: &Fit<'_, 'l>, service: &str, verb: &str) -> Vec<&'l str> {
    let values = |name: &str| {
        let mut values = option_values(&fit.command.arguments, name);
        // `--function-name resize out.json`: what follows the one name is an argument.
        if !name.ends_with('s') {
            values.truncate(1);
        }
        values
    };
    let noun = verb.split_once('-').map_or("", |(_, noun)| noun);
    let singular = noun.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let singular = singular.as_deref().or(noun.strip_suffix('s')).unwrap_or(noun);
    let of_noun = [noun, singular].into_iter().filter(|noun| !noun.is_empty()).find_map(|noun| {
        let whole =
            Some(values(noun)).filter(|found| !found.is_empty() && found.iter().all(|value| is_name(value)));
        whole.or_else(|| {
            ENDINGS.iter().map(|ending| values(&format!("{noun}{ending}"))).find(|found| !found.is_empty())
        })
    });
    // Keys and policies of an account belong to whoever has them.
    if let Some(found) =
        of_noun.filter(|_| service != "iam" || FIRST.iter().all(|name| values(name).is_empty()))
    {
        return found;
    }
    if let Some(found) = FIRST.iter().map(|name| values(name)).find(|found| !found.is_empty()) {
        return found;
    }
    let named = fit.command.arguments.iter().find_map(|argument| match argument {
        Argument::Option { name, .. } => {
            let name = name.trim_start_matches('-');
            let is_name = ENDINGS.iter().any(|ending| name.ends_with(ending)) && !NO_RESOURCE.contains(&name);
            (is_name || matches!(name, "cluster" | "service" | "task")).then(|| values(name))
        }
        _ => None,
    });
    named.unwrap_or_default()
}

/// The name in `arn:aws:lambda:eu-west-1:111122223333:function:resize`, in a queue's address, or the name itself.
fn of_arn(service: &str, name: &str) -> String {
    if let Some(queue) = name.strip_prefix("https://sqs.") {
        return queue.rsplit('/').next().unwrap_or(queue).to_owned();
    }
    let Some(resource) = name.strip_prefix("arn:").and_then(|rest| rest.splitn(5, ':').nth(4)) else {
        return name.to_owned();
    };
    // `function:resize`, `stateMachine:refund`, `service/shop/web`, or no kind at all.
    let name = resource.split_once(['/', ':']).map_or(resource, |(_, name)| name);
    // Behind the name of some stands an id that the service made.
    let named = name.rsplit_once('/').filter(|(_, id)| service != "ecs" && is_made(id));
    named.map_or(name, |(name, _)| name).to_owned()
}

/// Whether an option's value names something: it is no number, no file and no structure.
fn is_name(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_alphabetic())
        && !value.contains(['=', '{'])
        && !value.starts_with("file")
}

fn is_made(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && id.bytes().any(|byte| byte.is_ascii_digit())
}

/// The region that an ARN or a queue's address says.
pub(super) fn aws_region(fit: &Fit<'_, '_>) -> Option<String> {
    let of = |argument: &Argument<'_>| {
        let (Argument::Option { value, .. } | Argument::Plain(value)) = argument else { return None };
        if let Some(host) = value.strip_prefix("https://sqs.") {
            return host.split('.').next().map(str::to_owned);
        }
        let region = value.strip_prefix("arn:")?.split(':').nth(2)?;
        (!region.is_empty()).then(|| region.to_owned())
    };
    fit.command.arguments.iter().find_map(of)
}

/// The group of a `gcloud` command: its first word, without the stage, with the kind for `compute`.
pub(super) fn gcloud_group(fit: &Fit<'_, '_>) -> Option<String> {
    let mut words = fit.command.plain().filter(|word| !matches!(*word, "alpha" | "beta" | "preview"));
    let group = words.next()?;
    match words.next().filter(|_| group == "compute") {
        Some(kind) => Some(format!("{group}/{kind}")),
        None => Some(group.to_owned()),
    }
}

/// What an `az` command acts on: its group, and the resource's name.
pub(super) fn azure(fit: &Fit<'_, '_>) -> Vec<String> {
    let group = fit.command.plain().next().unwrap_or_default();
    let values = |name: &str| option_values(&fit.command.arguments, name);
    if group == "storage" {
        let parts = [
            "account-name",
            "container-name",
            "c",
            "share-name",
            "queue-name",
            "table-name",
            "destination",
            "d",
            "name",
            "n",
        ];
        let parts: Vec<&str> = parts.iter().filter_map(|name| values(name).pop()).collect();
        return vec![format!("{group}:{}", parts.join("/"))];
    }
    let ids: Vec<&str> =
        values("ids").into_iter().chain(values("id")).filter(|id| id.starts_with('/')).collect();
    if !ids.is_empty() {
        return ids.iter().map(|id| format!("{group}:{}", id.rsplit('/').next().unwrap_or(id))).collect();
    }
    let names =
        ["name", "n", "resource", "app-name", "server-name", "cluster-name", "vault-name", "registry", "r"];
    let name = names.iter().find_map(|name| values(name).pop()).or_else(|| fit.arguments().first().copied());
    let name = name.or_else(|| fit.command.plain().take(fit.subcommands).last()).unwrap_or_default();
    vec![format!("{group}:{name}")]
}

/// The part of the resource ids of an `az` command behind a word: `subscriptions`, `resourceGroups`.
pub(super) fn azure_part(fit: &Fit<'_, '_>, part: &str) -> Option<String> {
    let ids = option_values(&fit.command.arguments, "ids").into_iter();
    let ids = ids
        .chain(option_values(&fit.command.arguments, "id"))
        .chain(option_values(&fit.command.arguments, "scope"));
    ids.filter(|id| id.starts_with('/')).find_map(|id| {
        let mut parts = id.split('/').skip_while(|found| !found.eq_ignore_ascii_case(part));
        parts.nth(1).map(str::to_owned)
    })
}
