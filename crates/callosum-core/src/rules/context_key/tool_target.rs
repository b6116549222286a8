//! What a call of a tool acts on, told by the tool's name and the usual fields: the service, the verb, the target, the repository of a
//! code host, the object in a cluster.

use super::container::{container, container_of, container_place, space};
use super::dns;
use super::ends::ends;
use super::family::{RUNS, is_in_family};
use super::fields::Fields;
use super::identified::names_a_store;
use super::ids::{CALLERS, TRAITS, is_id, is_other};
use super::kube_object::kube_objects;
use super::mail_fields;
use super::one_for_each::{PERSONS, WHO, one_for_each};
use super::page;
use super::said;
use super::site::Site;
use super::target::{NO_THINGS, REMARKS, SUFFIXES, as_paths, is_specific, target, thing};
use super::title::NEW;
use super::whole::{NAMES, has_part, is_whole};
use crate::rules::tool_words::{NameWords, parted};
use crate::rules::words::singular;

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
    /// The object where the call says which one: nothing for what is new and has no name.
    Known,
    /// What it acts on without its kind, where that is a thing that is paid for.
    Paid,
    /// What it stands in, where its name alone may be that of another.
    Within,
    /// Nothing by itself: what the call names besides may stand in the key.
    Besides,
    /// The mail addresses that its parameters name.
    Addresses,
    /// The name of a record or a zone.
    Record,
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
            Self::Service => one(service(&site.call.tool, &name, site)),
            Self::Named => one(site.words.and_then(|words| words.named(&name)).map(str::to_owned)),
            Self::Verb => one(name.acting().map(str::to_owned)),
            Self::Thing => one(thing(&name)),
            Self::Target => target(&name, site.params.fields()).map(|found| found.values).unwrap_or_default(),
            Self::Object => objects(&name, site.params.fields()).iter().map(Object::named).collect(),
            Self::Known => {
                let is_known =
                    named_objects(&name, site.params.fields()).is_some_and(|named| named.field != NEW);
                if is_known { Self::Object.values(site) } else { Vec::new() }
            }
            Self::Paid => paid(&name, site.params.fields()),
            Self::Within => one(within(&name, site.params.fields())),
            Self::Besides => vec![String::new()],
            Self::Addresses => {
                let named = mail_fields::of_parameters(site.params, &site.call.tool);
                named.into_iter().filter(|name| name.contains('@')).collect()
            }
            Self::Record => dns::records(&name, site.params.fields()),
            Self::Network => one(network(&name, site.params.fields())),
            Self::Repository => one(repository(&name, site.params.fields())),
            Self::KubeObject => kube_objects(&name, site),
        }
    }
}

/// Servers that offer the tools of many services, whose names those of the tools begin with.
const BROKERS: &[&str] = &["arcade", "composio", "klavis", "pipedream", "rube", "zapier"];

/// The server's name in lower case, without what every server is called; of a broker's tool the service in its name, and so where the
/// name has no server's and begins with neither a verb nor what the rule asks for: `binance_cancel_order`.
fn service(tool: &str, name: &NameWords, site: Site<'_, '_>) -> Option<String> {
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
    if is_broker && (words.is_empty() || name.is_begun_by_a_name()) {
        return name.own().find(|word| !BROKERS.contains(word)).map(str::to_owned);
    }
    if words.is_empty() {
        let first = name.own().next()?;
        let is_asked_for = site.words.is_some_and(|words| words.asks_for(first));
        return (name.is_begun_by_a_name() && !is_asked_for).then(|| first.to_owned());
    }
    Some(words.join("-"))
}

/// What a call acts on, as its name and its fields say together.
struct Named {
    kind: String,
    field: String,
    values: Vec<String>,
    /// What a thing that is made stands in, where no container is called so.
    within: Option<String>,
    /// No word of the tool's name is the kind of thing that the field names.
    is_guessed: bool,
}

/// What a call acts on, with the kind of thing that it is.
fn named_objects(name: &NameWords, fields: &Fields) -> Option<Named> {
    if let Some((kind, values)) = belonging(name, fields).or_else(|| joined(name, fields)) {
        return Some(Named { kind, field: String::new(), values, within: None, is_guessed: false });
    }
    if let Some((end, values)) = ends(name, fields) {
        let kind = kind_of(end, name);
        return Some(Named { kind, field: "id".to_owned(), values, within: None, is_guessed: false });
    }
    if let Some((kind, values)) = added_to(name, fields).or_else(|| copied_to(name, fields)) {
        return Some(Named { kind, field: "name".to_owned(), values, within: None, is_guessed: false });
    }
    if let Some((kind, values)) = declared(fields) {
        return Some(Named { kind, field: "name".to_owned(), values, within: None, is_guessed: false });
    }
    if let Some((kind, values)) = stored(name, fields) {
        return Some(Named { kind, field: "key".to_owned(), values, within: None, is_guessed: false });
    }
    let found = target(name, fields);
    let is_made = name.makes();
    let is_in = |kind: &String| {
        let is_remark = REMARKS.contains(&kind.as_str());
        is_remark && found.as_ref().is_some_and(|found| is_id(&found.field) && is_specific(&found.field))
    };
    let made = if is_made { made(name).filter(|kind| !is_in(kind)) } else { None };
    let new = |kind: String| {
        let (field, values) = (NEW.to_owned(), vec![NEW.to_owned()]);
        Named { kind, field, values, within: None, is_guessed: false }
    };
    let Some(found) = found else {
        // Of what it stands in at least is told which.
        return made.filter(|_| fields.names().any(|name| container_place(name).is_some())).map(new);
    };
    // What is made has a name only, and stands in what the call names by an id.
    let is_own = found.thing.is_some() && found.thing.map(str::to_owned) == made;
    // Who registers something says under which id.
    let is_own = is_own || name.acting() == Some("register") && found.field == "id";
    if let Some(kind) = made.clone().filter(|_| !is_own)
        && let Some((field, values)) = fields.first_named(NAMES)
    {
        let is_in = found.thing.is_some() && is_id(&found.field) && container_place(&found.field).is_none();
        let is_its = is_other(&found.field) || found.field == field;
        let within = found.values.into_iter().next().filter(|_| is_in && !is_its);
        let (kind, values) = (kind_of_named(field, kind), as_paths(field, values));
        return Some(Named { kind, field: field.to_owned(), values, within, is_guessed: false });
    }
    // What is made and has no name at all is the new one there.
    let is_beside = container_place(&found.field).is_some() || is_other(&found.field);
    let is_there = is_beside && found.thing.is_none();
    if let Some(kind) = made.filter(|_| is_there) {
        return Some(new(kind));
    }
    let is_guessed = found.thing.is_none() && !OWN_IDS.contains(&found.field.as_str());
    let kind = found.thing.map_or_else(|| kind_of(&found.field, name), str::to_owned);
    // A tool for all kinds of things is told which.
    let told = || fields.first_value(TYPES).filter(|told| !told.contains(char::is_whitespace));
    let told = if NO_KINDS.contains(&kind.as_str()) || kind == found.field { told() } else { None };
    let kind = told.map_or(kind, |told| singular(&told.to_lowercase()).to_owned());
    // Who has an account is named by an address.
    let is_account = kind == "email" && name.own().any(|word| word == "account");
    let kind = if is_account { "account".to_owned() } else { kind };
    // Whom the tool's name speaks of is named by one, too: the member of `update_member`.
    let person = || thing(name).filter(|thing| PERSONS.contains(&thing.as_str()));
    let is_address = matches!(found.field.as_str(), "email" | "emailaddress");
    let kind = if is_address { person().unwrap_or(kind) } else { kind };
    Some(Named { kind, field: found.field, values: found.values, within: None, is_guessed })
}

/// What is made, by the name of a tool that makes something: `document` of `create_document_from_template`.
fn made(name: &NameWords) -> Option<String> {
    let own: Vec<&str> = name.own().collect();
    let is_with =
        |word: &&str| matches!(*word, "by" | "for" | "from" | "in" | "on" | "to" | "using" | "via" | "with");
    let end = own.iter().position(is_with).unwrap_or(own.len());
    let verb = name.acting();
    // What something is added to is no new thing: `add_to_watchlist`.
    let is_added = end > 0 && own.get(end).is_some_and(|word| matches!(*word, "in" | "to"));
    if is_added && own.get(end - 1).copied() == verb {
        return None;
    }
    let is_thing = |word: &&&str| {
        !NO_THINGS.contains(*word) && verb != Some(**word) && !name.of_server().any(|server| server == **word)
    };
    own.get(..end)?.iter().rfind(is_thing).map(|word| singular(word).to_owned())
}

/// The kind of what is made and has only a name, by whose field it may be told better.
fn kind_of_named(field: &str, made: String) -> String {
    if field == "path" { field.to_owned() } else { made }
}

/// Of a call that puts something into what goes by a name only, or takes it out: the watchlist of `add_to_watchlist`.
fn added_to(name: &NameWords, fields: &Fields) -> Option<(String, Vec<String>)> {
    let own: Vec<&str> = name.own().collect();
    let at = own.iter().position(|word| matches!(*word, "from" | "into" | "to")).filter(|at| *at > 0)?;
    let is_moved = own.get(at - 1).is_some_and(|word| matches!(*word, "add" | "remove"));
    let whole = singular(own.last().filter(|_| is_moved && own.len() == at + 2)?);
    let has_id = fields.own().any(|(field, _)| is_id(field));
    let names = [format!("{whole}name"), whole.to_owned(), "name".to_owned()];
    let found = names.iter().map(|field| fields.named(field)).find(|values| !values.is_empty());
    Some((whole.to_owned(), found.filter(|_| !has_id)?))
}

/// Of a call that copies or makes something: where to, and under which name. What is copied is only read.
fn copied_to(name: &NameWords, fields: &Fields) -> Option<(String, Vec<String>)> {
    let beginnings: &[&str] = match name.acting()? {
        "clone" | "copy" | "duplicate" => &["dest", "target", "newparent"],
        "create" | "make" => &["parentpath", "parentfolderpath"],
        _ => return None,
    };
    let is_place = |field: &str| {
        let begins = beginnings.iter().any(|begin| field.starts_with(begin));
        begins && ["folder", "folderid", "parent", "parentid", "path"].iter().any(|end| field.ends_with(end))
    };
    let (_, place) = fields.own().find(|(field, _)| is_place(field))?;
    let called = fields.first_value(&["newname", "newtitle", "name", "title"])?;
    Some((thing(name)?, vec![format!("{place}/{called}")]))
}

/// What a call names like a manifest, by its kind and its name.
fn declared(fields: &Fields) -> Option<(String, Vec<String>)> {
    let is_one = fields.own().any(|(field, _)| matches!(field, "apiversion" | "namespace"));
    let kind = fields.first_value(&["kind"]).filter(|kind| is_one && !kind.contains(char::is_whitespace))?;
    let names = fields.named("name");
    (!names.is_empty()).then(|| (kind.to_lowercase(), names))
}

/// Of a call that names a file by its place in a bucket: that, wherever its content comes from.
fn stored(name: &NameWords, fields: &Fields) -> Option<(String, Vec<String>)> {
    let places = ["key", "keys", "objectkey", "objectkeys", "objectname", "objectpath"];
    let (_, values) = fields.first_named(&places).filter(|_| names_a_store(fields))?;
    Some((thing(name).unwrap_or_else(|| "file".to_owned()), values))
}

/// Of a call that changes who belongs to something: that, and who.
fn belonging(name: &NameWords, fields: &Fields) -> Option<(String, Vec<String>)> {
    let own: Vec<&str> = name.own().collect();
    let at = own.iter().position(|word| matches!(*word, "to" | "from"))?;
    let (before, behind) = (own.get(..at)?, own.get(at + 1..)?);
    let named = |word: &str| {
        let word = singular(word);
        let ends = ["id", "email", "emailaddress", "ids", "emails", "name", "key", ""];
        ends.iter().map(|end| fields.named(&format!("{word}{end}"))).find(|values| !values.is_empty())
    };
    let person = before.iter().map(|word| singular(word)).find(|word| PERSONS.contains(word))?;
    let persons =
        named(person).or_else(|| fields.first_named(&["email", "emailaddress"]).map(|(_, values)| values))?;
    let whole = behind.iter().rev().find(|word| !NO_THINGS.contains(word))?;
    let where_to = named(whole)?.into_iter().next()?;
    let values = persons.into_iter().map(|person| format!("{where_to}/{person}")).collect();
    Some((singular(whole).to_owned(), values))
}

/// Verbs by which a person gets into something or out of it.
#[rustfmt::skip]
const JOINING: &[&str] = &[
    "admit", "ban", "enrol", "enroll", "kick", "register", "subscribe", "tag", "timeout", "unban", "unenrol", "unenroll", "unregister", "unsubscribe", "untag",
];

/// Of a call by which a person gets into something or out of it: that, and who.
fn joined(name: &NameWords, fields: &Fields) -> Option<(String, Vec<String>)> {
    name.acting().filter(|verb| JOINING.contains(verb))?;
    let (who, persons) = fields.first_named(WHO)?;
    let is_whole = |field: &str| {
        let is_who = WHO.contains(&field) || CALLERS.contains(&field) || field == who;
        field.ends_with("id") && field != "id" && !is_who && !is_other(field)
    };
    let (field, whole) = fields.own().find(|(field, _)| is_whole(field))?;
    let values = persons.into_iter().map(|person| format!("{whole}/{person}")).collect();
    Some((kind_of(field, name), values))
}

/// Fields that name what a tool itself is for.
const OWN_IDS: &[&str] = &["id", "ids", "key", "number", "slug", "identifier", "uuid", "guid", "sid"];
/// At most this many other ids stand behind what a call seems to act on.
const MAX_BESIDES: usize = 2;
/// Words for things of whatever kind, and the fields that tell which.
const NO_KINDS: &[&str] = &["entity", "item", "object", "resource"];
const TYPES: &[&str] =
    &["type", "kind", "resourcetype", "entitysetname", "entitytype", "objecttype", "itemtype"];
/// Kinds of what people are asked to do, and of where they talk.
#[rustfmt::skip]
const TALKED_IN: &[&str] = &["bug", "channel", "chat", "conversation", "issue", "room", "story", "thread", "ticket"];

/// One of the things that a call acts on.
struct Object {
    kind: String,
    /// What it stands in, where others may have its name, the widest first.
    within: Option<String>,
    name: String,
    /// The environment or the like.
    space: Option<String>,
}

impl Object {
    /// As `<kind>/<name>`. A name that others may have, too, has in front of it what it stands in.
    fn named(&self) -> String {
        // These have keys of their own, under which whoever says something there speaks of them.
        let kind = if TALKED_IN.contains(&self.kind.as_str()) { "" } else { &self.kind };
        let parts = [kind, self.within.as_deref().unwrap_or_default(), &self.name];
        let object = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        match &self.space {
            // Staging is not production.
            Some(name) if !has_part(&object, name) => format!("{object}@{name}"),
            _ => object,
        }
    }

    /// Without its kind, and with what tells it from others behind it.
    fn qualified(&self) -> String {
        let around: Vec<&str> = self.within.iter().chain(&self.space).map(String::as_str).collect();
        if around.is_empty() { self.name.clone() } else { format!("{}@{}", self.name, around.join("/")) }
    }
}

/// What a call acts on.
fn objects(name: &NameWords, fields: &Fields) -> Vec<Object> {
    let Some(Named { kind, field, values, within, is_guessed }) = named_objects(name, fields) else {
        return Vec::new();
    };
    let container = container_of(&kind, &field, fields);
    let container = match (container, within) {
        (Some(wide), Some(narrow)) => Some(format!("{wide}/{narrow}")),
        (wide, narrow) => wide.or(narrow),
    };
    // The machine of a snapshot, where the tool's name has both.
    let container = container.or_else(|| owner(name, &kind, &field, fields));
    let is_named = !field.is_empty();
    let container = container.or_else(|| said::beside(name, fields, &field).filter(|_| is_named));
    let mut which = if is_named { one_for_each(name, &field, fields) } else { String::new() };
    if is_guessed && values.iter().all(|value| !is_whole(&field, value)) {
        which.insert_str(0, &besides(&field, fields));
    }
    let space = space(name, fields);
    let kind = compound(name, &kind, &field, fields).unwrap_or(kind);
    // Of a file the path is whole, but in each bucket there may be one.
    let is_stored = ["key", "keys", "path"].iter().any(|end| field.ends_with(end)) && names_a_store(fields);
    let object = |value: String| {
        let is_alone = is_whole(&field, &value) && !is_stored;
        // Addresses and handles don't tell case apart.
        let is_address = |(name, host): (&str, &str)| name.is_empty() || host.contains('.');
        let is_address = value.split_once('@').is_some_and(is_address);
        let shown = if is_address { value.to_lowercase() } else { value };
        Object {
            kind: kind.clone(),
            within: container.clone().filter(|_| !is_alone),
            name: format!("{shown}{which}"),
            space: space.clone(),
        }
    };
    values.into_iter().map(object).collect()
}

/// Words before a thing that say how it is, and not what: the old backup is a backup. Those that end as participles do are, too.
const STATES: &[&str] = &[
    "active",
    "current",
    "default",
    "draft",
    "entire",
    "full",
    "latest",
    "old",
    "open",
    "private",
    "public",
    "specific",
    "temporary",
];

/// A kind that two words name, where nothing but the tool's name tells it, or a field is called so: the proxy host and the redirection
/// host of one number, the `time-entry` of a `timeEntryId`.
fn compound(name: &NameWords, kind: &str, field: &str, fields: &Fields) -> Option<String> {
    let has_keys =
        [PAID, TALKED_IN, TRAITS, RUNS].iter().any(|kinds| kinds.contains(&kind)) || is_in_family(kind);
    let own: Vec<&str> = name.own().collect();
    let at = own.iter().rposition(|word| singular(word) == kind).filter(|_| !has_keys)?;
    let word = *own.get(at.checked_sub(1)?)?;
    let verb = own.iter().position(|word| name.acting() == Some(*word))?;
    // What stands first may be the service, and what it is called may stand anywhere.
    let service = name.of_server().find(|word| !matches!(*word, "mcp" | "server" | "api"));
    let says_which =
        NO_THINGS.contains(&word) || STATES.contains(&word) || word.ends_with("ed") || word.ends_with("ing");
    let is_thing = verb + 1 < at && word.len() > 2 && !says_which && service != Some(word);
    let is_told = field.starts_with(&format!("{word}{kind}"));
    let is_named = matches!(field, "name" | "title") || field.strip_suffix("name") == Some(kind);
    let is_open = OWN_IDS.contains(&field) || is_named || field == NEW;
    // The machine of a snapshot is no kind of snapshots.
    let is_owner = SUFFIXES.iter().any(|end| !fields.named(&format!("{}{end}", singular(word))).is_empty());
    (is_thing && (is_told || is_open && !is_owner)).then(|| format!("{word}-{kind}"))
}

/// What has the thing that a tool's name ends with, where it is named right before it: 118 of `delete_vm_snapshot` with a `vmid`.
fn owner(name: &NameWords, kind: &str, found: &str, fields: &Fields) -> Option<String> {
    let own: Vec<&str> = name.own().map(singular).collect();
    let at = own.iter().rposition(|word| *word == kind)?;
    let word = own.get(at.checked_sub(1)?).filter(|word| name.acting() != Some(**word))?;
    let ids = SUFFIXES.iter().filter(|end| !matches!(**end, "" | "s"));
    let mut named = ids.map(|end| format!("{word}{end}")).filter(|field| field != found);
    named.find_map(|field| fields.named(&field).into_iter().next())
}

/// Kinds of things that are paid for: their keys are those of payments, whatever is done to them.
const PAID: &[&str] =
    &["booking", "charge", "invoice", "order", "payment", "payout", "refund", "reservation", "shipment"];

/// What a call acts on, without its kind, where that is one that is paid for.
fn paid(name: &NameWords, fields: &Fields) -> Vec<String> {
    let paid = objects(name, fields).into_iter().filter(|object| PAID.contains(&object.kind.as_str()));
    paid.map(|object| object.qualified()).collect()
}

/// What a call names by ids besides a field that may be the target as well as they: the flat besides the house.
fn besides(found: &str, fields: &Fields) -> String {
    let is_beside = |field: &str| {
        field != found
            && is_id(field)
            && !field.ends_with("ids")
            && container_place(field).is_none()
            && !is_other(field)
            && !WHO.contains(&field)
            && !PERSONS.iter().any(|person| field.starts_with(person))
    };
    let mut ids: Vec<(&str, &str)> = fields.own().filter(|(field, _)| is_beside(field)).collect();
    // Hosts hand on parameters in any order.
    ids.sort_unstable();
    ids.iter().take(MAX_BESIDES).map(|(_, value)| format!("/{value}")).collect()
}

/// What a call's target stands in, where its name alone may be that of another.
fn within(name: &NameWords, fields: &Fields) -> Option<String> {
    let Named { field, values, .. } = named_objects(name, fields)?;
    if values.iter().all(|value| is_whole(&field, value)) { None } else { container(&field, fields) }
}

/// What kind of thing a field names: `issue` is that of `issueid`, and the tool's own thing that of `id` and `name`.
fn kind_of(field: &str, name: &NameWords) -> String {
    if field.ends_with("path") {
        return "path".to_owned();
    }
    // No suffix of an id is left of it, as of `id` and `uuid`.
    if field == "sid" {
        return thing(name).unwrap_or_else(|| field.to_owned());
    }
    let ends = SUFFIXES.iter().filter(|suffix| !suffix.is_empty());
    // `tagId` is that of a tag, and not the `gid` of something else.
    let is_told = |kind: &&str| name.own().any(|word| singular(word) == singular(kind));
    let kinds = ends.filter_map(|suffix| field.strip_suffix(suffix));
    let kind = kinds.clone().find(is_told).or_else(|| kinds.min_by_key(|kind| kind.len()));
    let kind = kind.map(singular).filter(|kind| !kind.is_empty());
    // `translationJobUid` of `close_job` is that of a job.
    let of_tool = |kind: &str| {
        let is_it = |word: &&str| word.len() > 2 && name.acting() != Some(*word) && kind.ends_with(*word);
        name.own().map(singular).find(is_it).map(str::to_owned)
    };
    let kind = kind.map(|kind| of_tool(kind).unwrap_or_else(|| kind.to_owned()));
    kind.or_else(|| thing(name)).unwrap_or_else(|| field.to_owned())
}

/// Networks that servers for wallets are named after.
#[rustfmt::skip]
const NETWORKS: &[&str] = &[
    "algorand", "aptos", "arbitrum", "avalanche", "base", "bitcoin", "bsc", "cardano", "cosmos", "ethereum", "hedera", "lightning", "near",
    "optimism", "polkadot", "polygon", "sei", "solana", "stacks", "starknet", "stellar", "sui", "ton", "tron", "xrpl", "zksync",
];

/// The network that a transaction belongs to: the one that a field or the server names, else the usual one of addresses like its own.
fn network(name: &NameWords, fields: &Fields) -> Option<String> {
    let first = |names: &[&str]| fields.first_value(names);
    let of_server = || name.of_server().find(|word| NETWORKS.contains(word)).map(str::to_owned);
    first(&["network", "chain", "blockchain", "chainname", "chainid"]).or_else(of_server).or_else(|| {
        let to = first(&["to", "toaddress", "recipient", "recipientaddress", "destination", "address"])?;
        to.starts_with("0x").then(|| "ethereum".to_owned())
    })
}

/// `owner/name`, however a tool is told it.
fn repository(name: &NameWords, fields: &Fields) -> Option<String> {
    let first = |names: &[&str]| fields.first_value(names);
    let whole = first(&["repofullname", "fullname", "repositoryfullname", "nwo", "projectpath", "projectid"]);
    let mut named =
        first(&["repo", "repository", "reponame", "repositoryname", "reposlug", "repositoryid", "project"])
            .or(whole);
    if named.is_none() && name.own().any(|word| matches!(word, "repository" | "repo" | "project")) {
        named = first(&["name", "path"]);
    }
    let named = named?;
    let named = named.trim_end_matches('/').trim_end_matches(".git");
    if let Some((_, rest)) = named.split_once("://") {
        let (host, path) = rest.split_once('/')?;
        let parts: Vec<String> = path.split('/').filter(|part| *part != "-").map(str::to_owned).collect();
        return page::repository(host, &parts).or_else(|| Some(path.to_owned()));
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
