//! What a call of a tool acts on, told by the tool's name and the usual fields: the service, the verb, the target, the repository of a
//! code host, the object in a cluster.

use std::path::Path;

use callosum_surroundings::Place;

use super::fields::Fields;
use super::mail_fields;
use super::site::Site;
use crate::rules::tool_words::{NameWords, parted};

/// Something of a call that the tool's name and its fields say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolDetail {
    /// The service: the server's name.
    Service,
    /// The word by which its rule knows the tool.
    Named,
    /// The verb in the tool's name.
    Verb,
    /// What kind of thing the tool's name names.
    Thing,
    /// What it acts on.
    Target,
    /// The same with its kind, and with what it stands in where its name alone may be that of another.
    Object,
    /// The mail addresses that its parameters name.
    Addresses,
    /// The network of a wallet.
    Network,
    /// The repository of a code host.
    Repository,
    /// The object in a cluster.
    KubeObject,
}

impl ToolDetail {
    pub(super) fn values(self, site: Site<'_, '_>) -> Vec<String> {
        let name = NameWords::of_tool(&site.call.tool);
        let one = |found: Option<String>| found.into_iter().collect();
        match self {
            Self::Service => one(service(&site.call.tool, &name)),
            Self::Named => one(site.words.and_then(|words| words.named(&name)).map(str::to_owned)),
            Self::Verb => one(name.acting().map(str::to_owned)),
            Self::Thing => one(thing(&name)),
            Self::Target => target(&name, site.params.fields()).map(|found| found.values).unwrap_or_default(),
            Self::Object => objects(&name, site.params.fields()),
            Self::Addresses => {
                let named = mail_fields::of_parameters(site.params, &site.call.tool);
                named.into_iter().filter(|name| name.contains('@')).collect()
            }
            Self::Network => one(network(&name, site.params.fields())),
            Self::Repository => one(repository(&name, site.params.fields())),
            Self::KubeObject => kube_objects(&name, site),
        }
    }
}

/// Servers that offer the tools of many services, whose names those of the tools begin with.
const BROKERS: &[&str] = &["arcade", "composio", "klavis", "pipedream", "rube", "zapier"];

/// The server's name in lower case, without what every server is called; of a broker's tool the service in its name.
fn service(tool: &str, name: &NameWords) -> Option<String> {
    let (server, _) = parted(tool);
    let words = server.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let is_name = |word: &String| !matches!(word.as_str(), "" | "mcp" | "server" | "api");
    let words: Vec<String> = words.filter(is_name).collect();
    // Connectors of a host by its own name: `acme_ai_Slack`.
    let words = match words.as_slice() {
        [_, ai, rest @ ..] if ai == "ai" && !rest.is_empty() => rest,
        all => all,
    };
    // A broker's tools are in capitals where no server stands before them: `TRELLO_ADD_CARD`.
    let is_broker = match words {
        [] => tool.contains('_') && tool.bytes().all(|byte| !byte.is_ascii_lowercase()),
        words => words.iter().any(|word| BROKERS.contains(&word.as_str())),
    };
    if is_broker {
        return name.own().find(|word| !BROKERS.contains(word)).map(str::to_owned);
    }
    (!words.is_empty()).then(|| words.join("-"))
}

/// Words of names that are no things.
const NO_THINGS: &[&str] = &[
    "a", "all", "an", "api", "batch", "bulk", "by", "for", "from", "id", "in", "multiple", "new", "of", "on",
    "the", "to", "with",
];

/// The last word of the tool's name that is a thing, in the singular: `invoice` of `stripe_void_invoices`.
fn thing(name: &NameWords) -> Option<String> {
    let verb = name.acting();
    let is_thing = |word: &&str| {
        !NO_THINGS.contains(word) && verb != Some(*word) && !name.of_server().any(|server| server == *word)
    };
    name.own().filter(is_thing).last().map(|word| singular(word).to_owned())
}

/// Behind the name of a thing, what names one of them.
const SUFFIXES: &[&str] = &[
    "idorkey", "guid", "uuid", "id", "key", "iid", "gid", "number", "slug", "ref", "name", "ids", "keys", "",
    "s",
];

/// Fields that name what most calls act on.
#[rustfmt::skip]
const USUAL: &[&str] = &[
    "id", "ids", "key", "number", "to", "recipient", "recipients", "channelid", "channel", "chatid", "chat", "phonenumber", "phone", "target", "issuenumber",
    "issueid", "issuekey", "pullnumber", "orderid", "taskid", "cardid", "ticketid", "pageid", "symbol", "referenceid", "referencenumber", "referencenum",
    "reference", "slug", "resource", "resourceid", "project", "projectid", "projectkey", "app", "appid", "apphost", "site", "siteid", "domain", "bucket", "database",
    "table", "topic", "queue", "username", "user", "userid", "email", "customer", "customerid", "url", "repo", "repository", "service", "serviceid", "path", "name", "title",
];

/// Names of fields that end like those of targets and say whose call it is.
const CALLERS: &[&str] = &[
    "accountid",
    "apikey",
    "organizationid",
    "orgid",
    "workspaceid",
    "tenantid",
    "clientorderid",
    "idempotencykey",
    "cloudid",
    "sessionid",
];

/// Fields that are called like a thing and hold what is said of it.
const SAID: &[&str] = &[
    "announcement",
    "body",
    "caption",
    "comment",
    "content",
    "description",
    "message",
    "note",
    "notification",
    "post",
    "reply",
    "text",
    "tweet",
];

/// Values by which a call names what it acts on.
struct Found<'n> {
    /// The word of the tool's name that their field is called like.
    thing: Option<&'n str>,
    /// The name of their field.
    field: String,
    values: Vec<String>,
}

/// The first of some fields that has values, with these.
fn first_named<'f>(
    names: impl IntoIterator<Item = &'f &'f str>,
    fields: &Fields,
) -> Option<(&'f str, Vec<String>)> {
    names.into_iter().map(|name| (*name, fields.named(name))).find(|(_, values)| !values.is_empty())
}

/// Of these the first value.
fn first_value<'f>(names: impl IntoIterator<Item = &'f &'f str>, fields: &Fields) -> Option<String> {
    first_named(names, fields).and_then(|(_, values)| values.into_iter().next())
}

/// What a call acts on: the field that is called like the thing in the tool's name, else the first of the usual ones.
fn target<'n>(name: &'n NameWords, fields: &Fields) -> Option<Found<'n>> {
    let own: Vec<&str> = name.own().collect();
    let pairs = own.windows(2).map(|pair| (pair.concat(), pair.last().copied()));
    let words = own.iter().map(|word| ((*word).to_owned(), Some(*word)));
    for (word, thing) in pairs.rev().chain(words.rev()) {
        let word = singular(&word);
        let suffixes = SUFFIXES.iter().filter(|suffix| !suffix.is_empty() || !SAID.contains(&word));
        for field in suffixes.map(|suffix| format!("{word}{suffix}")) {
            let values = fields.named(&field);
            if !values.is_empty() {
                return Some(Found { thing: thing.map(singular), field, values });
            }
        }
    }
    if let Some((field, values)) = first_named(USUAL, fields) {
        return Some(Found { thing: None, field: field.to_owned(), values });
    }
    let mut others = fields.own().filter(|(name, _)| !CALLERS.contains(name));
    let is_one = |name: &str| ["id", "ids", "key", "number", "name"].iter().any(|end| name.ends_with(end));
    let (field, value) = others.find(|(name, _)| is_one(name))?;
    Some(Found { thing: None, field: field.to_owned(), values: vec![value.to_owned()] })
}

/// Verbs of tools that make something.
const MAKING: &[&str] = &["add", "create", "insert", "make", "new", "provision", "register", "upload"];
/// Fields that name what is made.
const NAMES: &[&str] =
    &["name", "title", "slug", "identifier", "email", "username", "filename", "domain", "path", "url"];
/// Fields of what other things stand in, the narrowest first.
#[rustfmt::skip]
const CONTAINERS: &[&str] = &[
    "channelid", "chatid", "tableid", "table", "sheetid", "sheet", "calendarid", "listid", "boardid", "dashboarduid", "baseid", "databaseid", "database",
    "bucket", "spaceid", "space", "zoneid", "siteid", "storeid", "appid", "app", "dagid", "workflowid", "pipelineid", "jobname", "fullname", "projectid",
    "projectkey", "projectslug", "projectref", "project", "repo", "repository", "environmentid", "environmentkey", "environment", "env", "namespace",
    "cluster", "teamid", "team", "groupid", "guildid", "serverid", "owner", "organizationid", "organizationslug", "organization", "orgid", "orgslug",
    "org", "uuid",
];
/// A name that has as many bytes, with digits among them or of both cases, stands for one thing only, whatever it stands in.
const WHOLE: usize = 8;

/// What a call acts on, each as `<kind>/<name>`. A name that others may have, too, has in front of it what it stands in.
fn objects(name: &NameWords, fields: &Fields) -> Vec<String> {
    let Some(mut found) = target(name, fields) else { return Vec::new() };
    let is_made = name.acting().is_some_and(|verb| MAKING.contains(&verb));
    // What is made has a name only, and stands in what the call names by an id.
    if is_made
        && found.thing.is_none()
        && !NAMES.contains(&found.field.as_str())
        && let Some((field, values)) = first_named(NAMES, fields)
    {
        found = Found { thing: None, field: field.to_owned(), values };
    }
    let kind = found.thing.map_or_else(|| kind_of(&found.field, name), str::to_owned);
    let containers = CONTAINERS.iter().filter(|container| **container != found.field);
    let container = first_value(containers, fields);
    let in_container = |value: String| match &container {
        Some(container) if !is_whole(&value) => format!("{kind}/{container}/{value}"),
        _ => format!("{kind}/{value}"),
    };
    found.values.into_iter().map(in_container).collect()
}

/// What kind of thing a field names: `issue` is that of `issueid`, and the tool's own thing that of `id` and `name`.
fn kind_of(field: &str, name: &NameWords) -> String {
    let ends = SUFFIXES.iter().filter(|suffix| !suffix.is_empty());
    let kind = ends.filter_map(|suffix| field.strip_suffix(suffix)).min_by_key(|kind| kind.len());
    let kind = kind.map(singular).filter(|kind| !kind.is_empty()).map(str::to_owned);
    kind.or_else(|| thing(name)).unwrap_or_else(|| field.to_owned())
}

fn is_whole(value: &str) -> bool {
    let has = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
    value.len() >= WHOLE
        && (has(char::is_ascii_digit) || has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase))
        || value.contains('/')
}

/// Networks that servers for wallets are named after.
#[rustfmt::skip]
const NETWORKS: &[&str] = &[
    "algorand", "aptos", "arbitrum", "avalanche", "base", "bitcoin", "bsc", "cardano", "cosmos", "ethereum", "hedera", "lightning", "near",
    "optimism", "polkadot", "polygon", "sei", "solana", "stacks", "starknet", "stellar", "sui", "ton", "tron", "xrpl", "zksync",
];

/// The network that a transaction belongs to: the one that a field or the server names, else the usual one of addresses like its own.
fn network(name: &NameWords, fields: &Fields) -> Option<String> {
    let first = |names: &[&str]| first_value(names, fields);
    let of_server = || name.of_server().find(|word| NETWORKS.contains(word)).map(str::to_owned);
    first(&["network", "chain", "blockchain", "chainname", "chainid"]).or_else(of_server).or_else(|| {
        let to = first(&["to", "toaddress", "recipient", "recipientaddress", "destination", "address"])?;
        to.starts_with("0x").then(|| "ethereum".to_owned())
    })
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|word| word.len() > 2 && !word.ends_with('s')).unwrap_or(word)
}

/// `owner/name`, however a tool is told it.
fn repository(name: &NameWords, fields: &Fields) -> Option<String> {
    let first = |names: &[&str]| first_value(names, fields);
    let whole = first(&["repofullname", "fullname", "repositoryfullname", "nwo", "projectpath", "projectid"]);
    let mut named =
        first(&["repo", "repository", "reponame", "repositoryname", "reposlug", "repositoryid", "project"])
            .or(whole);
    if named.is_none() && name.own().any(|word| matches!(word, "repository" | "repo" | "project")) {
        named = first(&["name", "path"]);
    }
    let named = named?;
    let named = named.trim_end_matches('/').trim_end_matches(".git");
    if let Some((_, path)) = named.split_once("://").and_then(|(_, rest)| rest.split_once('/')) {
        return Some(path.to_owned());
    }
    if named.contains('/') {
        return Some(named.to_owned());
    }
    let owners =
        ["owner", "repoowner", "repositoryowner", "org", "organization", "workspace", "group", "namespace"];
    Some(match first(&owners) {
        Some(owner) => format!("{owner}/{named}"),
        None => named.to_owned(),
    })
}

/// Kinds that belong to no namespace.
const OF_CLUSTER: &[&str] = &[
    "clusterrole",
    "clusterrolebinding",
    "customresourcedefinition",
    "ingressclass",
    "namespace",
    "node",
    "persistentvolume",
    "priorityclass",
    "storageclass",
];

/// Other names of kinds: short ones, and what they stand for.
#[rustfmt::skip]
const KINDS: &[(&str, &str)] = &[
    ("cj", "cronjob"), ("cm", "configmap"), ("configuration", "configmap"), ("crd", "customresourcedefinition"), ("deploy", "deployment"), ("ds", "daemonset"),
    ("ep", "endpoints"), ("hpa", "horizontalpodautoscaler"), ("ing", "ingress"), ("netpol", "networkpolicy"), ("no", "node"), ("ns", "namespace"),
    ("pdb", "poddisruptionbudget"), ("po", "pod"), ("pv", "persistentvolume"), ("pvc", "persistentvolumeclaim"), ("rs", "replicaset"),
    ("sa", "serviceaccount"), ("sts", "statefulset"), ("svc", "service"),
];

/// Kinds that tools have in their names.
#[rustfmt::skip]
const IN_NAMES: &[&str] = &[
    "configmap", "cronjob", "daemonset", "deployment", "horizontalpodautoscaler", "ingress", "job", "namespace", "networkpolicy", "node", "persistentvolume",
    "persistentvolumeclaim", "pod", "replicaset", "role", "secret", "service", "serviceaccount", "statefulset",
];

/// A kind in full, in the singular and without its group: `deployments.apps` is `deployment`.
fn kind(word: &str) -> String {
    let word = word.split(['.', '/']).next().unwrap_or(word).to_lowercase();
    let full =
        |word: &str| KINDS.iter().find(|(short, _)| *short == word).map(|(_, full)| (*full).to_owned());
    full(&word).unwrap_or_else(|| match word.as_str() {
        "ingresses" => "ingress".to_owned(),
        "networkpolicies" => "networkpolicy".to_owned(),
        other => full(singular(other)).unwrap_or_else(|| singular(other).to_owned()),
    })
}

/// Objects in a cluster, as keys name them: `<cluster>/<namespace>:<kind>/<name>`.
fn kube_objects(name: &NameWords, site: Site<'_, '_>) -> Vec<String> {
    let fields = site.params.fields();
    let all = |names: &[&str]| first_named(names, fields).map(|(_, values)| values);
    let first = |names: &[&str]| all(names).and_then(|found| found.into_iter().next());
    let context = first(&["context", "contextname", "kubecontext", "cluster", "clustername", "clusterid"]);
    let folder = site.folder();
    let variable = |name: &str| site.variable(name);
    let place = Place { folder: Path::new(&folder), variable: &variable };
    let known = site.outlook.surroundings().and_then(|found| found.kube(context.as_deref(), &place));
    let (cluster, of_context) = match known {
        Some(target) if target.cluster.is_empty() => (target.context, target.namespace),
        Some(target) => (target.cluster, target.namespace),
        None => (context.unwrap_or_else(|| "current".to_owned()), String::new()),
    };
    let namespace = first(&["namespace", "ns"]).or_else(|| Some(of_context).filter(|name| !name.is_empty()));
    let namespace = namespace.unwrap_or_else(|| "default".to_owned());
    let mut objects: Vec<(String, String, String)> = Vec::new();
    for text in ["resource", "manifest", "manifests", "yaml", "content", "definition"]
        .iter()
        .flat_map(|name| fields.named(name))
    {
        objects.extend(
            in_yaml(&text).map(|(kind, name, own)| (kind, name, own.unwrap_or_else(|| namespace.clone()))),
        );
    }
    if objects.is_empty() {
        let in_name = || {
            let kinds = name.own().map(kind);
            let found = kinds.filter(|kind| IN_NAMES.contains(&kind.as_str())).last();
            // What is scaled or rolled out without a kind is one.
            let is_rolled = || name.own().any(|word| matches!(word, "rollout" | "scale"));
            let found = found.or_else(|| is_rolled().then(|| "deployment".to_owned()));
            found.into_iter().collect::<Vec<_>>()
        };
        let kinds = all(&["resourcetype", "kind", "resourcekind", "type"]).unwrap_or_else(in_name);
        let kinds: Vec<String> = kinds.iter().map(|word| kind(word)).collect();
        let named = kinds.iter().find_map(|kind| first(&[&format!("{kind}name"), kind]));
        let names = named
            .map(|name| vec![name])
            .or_else(|| all(&["name", "names", "resourcename", "labelselector", "selector"]));
        let names = names.unwrap_or_else(|| vec!["*".to_owned()]);
        for kind in kinds {
            objects.extend(names.iter().map(|name| (kind.clone(), name.clone(), namespace.clone())));
        }
    }
    let key = |(kind, name, namespace): (String, String, String)| match OF_CLUSTER.contains(&kind.as_str()) {
        true => format!("{cluster}:{kind}/{name}"),
        false => format!("{cluster}/{namespace}:{kind}/{name}"),
    };
    objects.into_iter().map(key).collect()
}

/// The objects that manifests describe: kind, name, and the namespace where they name one.
fn in_yaml(text: &str) -> impl Iterator<Item = (String, String, Option<String>)> {
    text.split("\n---").filter_map(|document| {
        let value = |line: &str, name: &str| {
            let value = line.strip_prefix(name)?.strip_prefix(':')?.split(" #").next()?;
            Some(value.trim().trim_matches(['"', '\'']).to_owned()).filter(|value| !value.is_empty())
        };
        let kind_of = document.lines().find_map(|line| value(line, "kind"))?;
        let metadata = document.lines().skip_while(|line| !line.starts_with("metadata:")).skip(1);
        let metadata: Vec<&str> = metadata.take_while(|line| line.starts_with([' ', '\t'])).collect();
        let indent = metadata.first().map_or(0, |line| line.len() - line.trim_start().len());
        let of = |name: &str| metadata.iter().find_map(|line| value(line.get(indent..)?, name));
        Some((kind(&kind_of), of("name").or_else(|| of("generateName"))?, of("namespace")))
    })
}
