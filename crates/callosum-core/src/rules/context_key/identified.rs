//! Whether a call of a tool names what it acts on as services do.

use super::fields::Fields;
use super::ids::{CALLERS, FILES, LOCAL, is_id, is_other};
use super::target::{Found, named_thing};
use crate::rules::tool_words::NameWords;

/// Fields that say how something looks, where it stands in a window or a drawing, or which program of this machine has it.
#[rustfmt::skip]
const SHOWN: &[&str] = &[
    "angle", "color", "fontsize", "height", "inputpath", "offset", "opacity", "outputfile", "outputpath", "radius", "rotation", "selector", "savepath", "width", "x",
    "xpath", "y",
];

/// Where a service keeps files: what a call names there is none of this machine.
const STORES: &[&str] = &["bucket", "bucketid", "bucketname", "driveid", "filesystem", "filesystemname"];

/// Parts of the names of ids that are those of files, and of what these lie in.
const STORED: &[&str] = &["directory", "document", "drive", "file", "folder", "item", "parent"];
/// Fields that name a file of this machine by a path, besides [`FILES`].
const PATHS: &[&str] = &["files", "paths", "targetfile", "uri", "uris"];

/// Verbs by which a file of this machine gets somewhere else.
const SENDING: &[&str] = &["attach", "deploy", "publish", "submit", "upload"];

/// How paths of this machine begin.
const ROOTS: &[&str] = &[
    "/Users/",
    "/Volumes/",
    "/etc/",
    "/home/",
    "/opt/",
    "/private/",
    "/root/",
    "/srv/",
    "/tmp/",
    "/var/",
    "/workspace/",
    "/workspaces/",
    "C:\\",
    "file://",
    "./",
    "../",
    "~/",
];

/// Whether a call names a file of this machine.
fn names_a_file(fields: &Fields) -> bool {
    fields
        .own()
        .any(|(field, value)| FILES.contains(&field) || ROOTS.iter().any(|root| value.starts_with(root)))
}

/// Whether a call of a server's tool is given something, and nothing of this machine: no file, no thing of a program's window.
pub(super) fn is_elsewhere(tool: &str, fields: &Fields) -> bool {
    let has = |names: &[&str]| fields.own().any(|(field, _)| names.contains(&field));
    let name = NameWords::of_tool(tool);
    let mut server = name.of_server().peekable();
    server.peek().is_some()
        && !server.any(|word| word.ends_with("local"))
        && fields.own().next().is_some()
        && !names_a_file(fields)
        && !has(LOCAL)
        && !has(SHOWN)
}

/// Whether a call names what keeps the files of a service.
pub(super) fn names_a_store(fields: &Fields) -> bool {
    fields.own().any(|(field, _)| STORES.contains(&field))
}

/// Whether a call of a server's tool names a file that a service keeps: by what keeps it, or by an id, and by no path.
pub(super) fn is_stored(tool: &str, fields: &Fields) -> bool {
    if NameWords::of_tool(tool).of_server().next().is_none() {
        return false;
    }
    let is_path = |field: &str| field.ends_with("path") || PATHS.contains(&field);
    let is_of_file = |field: &str| {
        matches!(field, "id" | "ids" | "uuid")
            || is_id(field) && STORED.iter().any(|thing| field.contains(thing)) && !CALLERS.contains(&field)
    };
    names_a_store(fields)
        || !names_a_file(fields)
            && !fields.own().any(|(field, _)| is_path(field))
            && fields.own().any(|(field, _)| is_of_file(field))
}

/// Whether a call names what it acts on as services do, by an id, and no file of this machine.
pub(crate) fn is_identified(tool: &str, fields: &Fields) -> bool {
    let name = NameWords::of_tool(tool);
    // `edit` and `write` of a host itself.
    if name.of_server().next().is_none() && name.own().nth(1).is_none() {
        return false;
    }
    // What is sent somewhere comes from here.
    let is_sent = name.acting().is_some_and(|verb| SENDING.contains(&verb));
    if names_a_file(fields) && !is_sent {
        return false;
    }
    let is_of_thing = |found: Found<'_>| {
        let is_number = |value: &String| value.bytes().all(|byte| byte.is_ascii_digit());
        !LOCAL.contains(&found.field.as_str()) && found.values.iter().all(is_number)
    };
    let has = |names: &[&str]| fields.own().any(|(field, _)| names.contains(&field));
    let is_kept = has(&["collection", "collectionid", "collectionname"]) && has(&["key", "keys"]);
    is_kept
        || fields.own().any(|(field, _)| is_id(field))
        || named_thing(&name, fields).is_some_and(is_of_thing)
}

/// Fields that say which part of a list is wanted, and in what order.
#[rustfmt::skip]
const PAGING: &[&str] = &[
    "after", "before", "cursor", "limit", "maxresults", "nexttoken", "offset", "page", "pagesize", "pagetoken", "perpage", "skip", "startcursor", "top",
];
#[rustfmt::skip]
const LISTING: &[&str] = &["ascending", "count", "descending", "direction", "expand", "fields", "include", "module", "order", "orderby", "since", "sort", "sortby", "sortorder", "until"];

/// Whether a call says which page of something it wants, and nothing else but of what, by an id.
pub(super) fn only_pages(fields: &Fields) -> bool {
    let is_paging = |field: &str| PAGING.contains(&field);
    let is_beside = |field: &str| {
        LISTING.contains(&field) || is_id(field) || CALLERS.contains(&field) || field.ends_with("token")
    };
    fields.own().any(|(field, _)| is_paging(field))
        && fields.names().all(|field| is_paging(field) || is_beside(field))
}

/// Whether a call names something by an id, and says no more.
pub(super) fn only_names(fields: &Fields) -> bool {
    let mut own = fields.own().peekable();
    // The state that it shall have is more.
    own.peek().is_some() && own.all(|(field, _)| is_id(field) && !is_other(field) || CALLERS.contains(&field))
}
