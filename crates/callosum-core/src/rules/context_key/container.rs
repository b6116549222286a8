//! What things stand in, by the names of fields: the list of a task, the shop of an order, the environment of a flag.

use super::fields::Fields;
use crate::rules::words::singular;

/// What other things stand in, the narrowest first: fields of these names, or with one of `ENDINGS` behind.
#[rustfmt::skip]
const CONTAINERS: &[&str] = &[
    "model", "objectslug", "objecttype", "resourcetype", "recordtype", "entitytype", "entityname", "contenttype", "contentmodel", "mount", "mountpath",
    "channel", "chat", "table", "collection", "worksheet", "sheet", "calendar", "stack", "column", "section", "list", "parent", "parentfolder", "folder",
    "folderpath", "wiki", "board", "dashboard", "audience", "form", "survey", "quiz", "assignment", "coursework", "course", "case", "event", "warehouse",
    "facility", "venue", "campaign", "broadcaster", "spreadsheet", "exchange", "vhost", "node", "base", "dataset", "database", "schema", "catalog",
    "bucket", "zone", "site", "siteurl", "blog", "publication", "shop", "store", "merchant", "property", "app", "application", "dag", "workflow",
    "pipeline", "job", "fullname", "repository", "repo", "environment", "env", "space", "project", "namespace", "cluster", "account", "budget",
    "vault", "realm", "team", "group", "guild", "server", "location", "region", "company", "owner", "workspace", "organization", "org", "uuid",
];
/// How fields of containers end.
#[rustfmt::skip]
const ENDINGS: &[&str] = &["identifier", "uuid", "uid", "iid", "gid", "id", "key", "slug", "hash", "name", "ref"];

/// The place of what a field names among the containers.
pub(super) fn container_place(field: &str) -> Option<usize> {
    let place = |name: &str| CONTAINERS.iter().position(|container| *container == name);
    place(field).or_else(|| {
        let mut nouns = ENDINGS.iter().filter_map(|end| field.strip_suffix(end));
        nouns.find_map(place)
    })
}
/// The environment that a call names.
pub(super) fn environment(fields: &Fields) -> Option<String> {
    let is_one = |field: &&str| {
        let mut nouns =
            ENDINGS.iter().filter_map(|end| singular(field).strip_suffix(end)).chain([singular(field)]);
        nouns.any(|noun| matches!(noun, "environment" | "env"))
    };
    let found = fields.names().filter(is_one).find_map(|name| fields.named(name).into_iter().next());
    found.filter(|name| !name.contains(char::is_whitespace))
}
