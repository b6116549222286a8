//! What things stand in, by the names of fields: the list of a task, the shop of an order, the environment of a flag.

use super::fields::Fields;
use super::ids::{CALLERS, TRAITS};
use super::title::NEW;
use super::whole::{NAMES, is_whole};
use crate::rules::tool_words::NameWords;
use crate::rules::words::singular;

/// What other things stand in, the narrowest first: fields of these names, or with one of `ENDINGS` behind.
#[rustfmt::skip]
const CONTAINERS: &[&str] = &[
    "model", "objectslug", "objecttype", "resourcetype", "recordtype", "entitytype", "entityname", "contenttype", "contentmodel", "doctype", "documenttype", "itemtype", "nodetype", "mount", "mountpath",
    "channel", "chat", "table", "collection", "worksheet", "sheet", "calendar", "stack", "column", "section", "list", "parent", "parentfolder", "folder",
    "folderpath", "wiki", "board", "dashboard", "audience", "form", "survey", "quiz", "assignment", "coursework", "course", "case", "event", "warehouse",
    "facility", "plant", "venue", "ledger", "campaign", "broadcaster", "spreadsheet", "queue", "queueurl", "exchange", "vhost", "node", "base", "dataset", "database", "schema", "catalog",
    "bucket", "filesystem", "drive", "vectorstore", "container", "zone", "domain", "site", "siteurl", "blog", "publication", "shop", "store", "merchant", "property", "app", "application", "dag", "workflow",
    "pipeline", "job", "fullname", "repository", "repo", "environment", "env", "space", "project", "namespace", "cluster", "account", "budget",
    "vault", "realm", "restaurant", "hotel", "clinic", "salon", "place", "vpc", "network", "device", "router", "firewall", "gateway", "fleet", "host", "website", "team", "group", "guild", "server", "location", "region", "company", "owner", "workspace", "organization", "org", "tenant", "apptoken", "connection", "broker", "uuid",
];
/// How fields of containers end.
#[rustfmt::skip]
const ENDINGS: &[&str] = &["identifier", "guid", "uuid", "uid", "iid", "gid", "id", "key", "slug", "hash", "name", "ref"];

/// The place of what a field names among the containers.
pub(super) fn container_place(field: &str) -> Option<usize> {
    let place = |name: &str| CONTAINERS.iter().position(|container| *container == name);
    place(field).or_else(|| {
        let mut nouns = ENDINGS.iter().filter_map(|end| field.strip_suffix(end));
        nouns.find_map(place)
    })
}

/// What has the same things once more, under the same ids.
const SPACES: &[&str] = &["environment", "env", "realm", "exchange", "sandbox"];

/// The environment that a call names, or what has the same things once more like one. Those that something new is made for are what it
/// is given.
pub(super) fn space(name: &NameWords, fields: &Fields) -> Option<String> {
    let is_one = |field: &&str| {
        let one = if name.makes() { field } else { singular(field) };
        let mut nouns = ENDINGS.iter().filter_map(|end| one.strip_suffix(end)).chain([one]);
        nouns.any(|noun| SPACES.contains(&noun))
    };
    let found = fields.names().filter(is_one).find_map(|name| fields.named(name).into_iter().next());
    found.filter(|name| !name.contains(char::is_whitespace))
}

/// Places in a board or a folder, between which things are moved: names of things may be told apart by them, ids need no such thing.
#[rustfmt::skip]
const PLACES: &[&str] = &[
    "stackid", "columnid", "sectionid", "listid", "listname", "parentid", "parentuid", "parentfolderid", "folderid", "folderpath", "groupid", "companyid",
    "teamid",
];

/// Fields of what has no other kind than that of its collection.
const KEPT: &[&str] = &["document", "doc", "entry", "id", "item", "key", "object", "record", "row", "slug"];

/// What the thing of a field stands in: the narrowest that is named, with the next wider one where others may have its name.
pub(super) fn container(field: &str, fields: &Fields) -> Option<String> {
    container_of("", field, fields)
}

/// The same of a thing of a kind that is told: what is called after that is said of the thing itself.
pub(super) fn container_of(kind: &str, field: &str, fields: &Fields) -> Option<String> {
    let is_named = NAMES.contains(&field) || field.ends_with("name") || field == NEW;
    let is_its = |container: &str| {
        // Whoever a person works for is no part of the person.
        let is_of_person = is_named && container.starts_with("company");
        // So may what is kept in a collection, unless that says what kind of thing it is.
        let is_place = PLACES.contains(&container)
            || container.starts_with("collection") && !KEPT.iter().any(|kept| field.starts_with(kept));
        // A number of the caller's own account is given with what is his.
        let is_place = is_place || CALLERS.contains(&container);
        // Who has it may be another one tomorrow; an owner's name stands before that of a repository.
        let is_place = is_place || container.starts_with("owner") && container != "owner";
        // The course's name says no more than its id.
        let is_same =
            container_place(field).is_some() && container_place(field) == container_place(container);
        let is_own = !kind.is_empty() && ENDINGS.iter().any(|end| container.strip_suffix(end) == Some(kind));
        // Where people meet is no region of a cloud.
        let is_venue = container == "location" && fields.names().any(|name| name.starts_with("start"));
        // `budget` is how much, `budgetId` is which.
        let is_amount = TRAITS.contains(&container);
        !is_same
            && !is_own
            && !is_amount
            && !is_venue
            && container != field
            && !is_of_person
            && (is_named || !is_place)
    };
    let mut others: Vec<(usize, &str, String)> = fields
        .names()
        .filter(|name| is_its(name))
        .filter_map(|name| Some((container_place(name)?, name, fields.named(name).into_iter().next()?)))
        .collect();
    others.sort_by_key(|(place, _, _)| *place);
    others.dedup_by_key(|(place, _, _)| *place);
    let mut others = others.into_iter();
    let (_, narrow, value) = others.next()?;
    let is_enough = is_whole(narrow, &value);
    match others.find(|(_, _, wider)| *wider != value).filter(|_| !is_enough) {
        Some((_, _, wider)) => Some(format!("{wider}/{value}")),
        None => Some(value),
    }
}
