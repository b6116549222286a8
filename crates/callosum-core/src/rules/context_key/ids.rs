//! What fields are for, by their names: those that name one thing of a service by an id, those that name something beside it, and those
//! that say which page of a list is wanted.

use super::fields::Fields;

/// How fields end that name one thing of a service.
const IDS: &[&str] = &[
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "gid",
    "iid",
    "slug",
    "number",
    "arn",
    "sku",
    "email",
    "emails",
    "emailaddress",
    "username",
    "identifier",
    "idorurl",
    "barcode",
];
/// Words that end so by chance.
const WORDS: &[&str] = &["bid", "grid", "hybrid", "invalid", "paid", "prepaid", "valid", "void"];
/// Fields that name a place of a service.
#[rustfmt::skip]
const PLACES: &[&str] = &[
    "bucket", "channel", "cluster", "domain", "featurekey", "flagkey", "issuekey", "objectkey", "pagekey", "projectkey", "queue", "repo", "repository",
    "spacekey", "topic", "zone",
];
/// Fields that end so and name things of this machine, or of a conversation.
#[rustfmt::skip]
pub(super) const LOCAL: &[&str] = &[
    "actorid", "agentid", "blockid", "cellid", "clipid", "elementid", "frameid", "hookid", "layerid", "linenumber", "memoryid", "nodeid", "pagenumber", "pid",
    "processid", "requestid", "selectionid", "sessionid", "shapeid", "slidenumber", "stepid", "stepnumber", "tabid", "terminalid", "thoughtid",
    "thoughtnumber", "toolcallid", "toolid", "trackid", "traceid", "windowid",
];
/// Names of fields that end like those of targets and say whose call it is.
#[rustfmt::skip]
pub(super) const CALLERS: &[&str] = &[
    "accountid", "apikey", "organizationid", "orgid", "workspaceid", "tenantid", "clientorderid", "idempotencykey", "cloudid", "sessionid",
];
/// How fields begin and end that name something else than the target: who has it, where it goes, what it is like.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "actor", "approver", "assigned", "assignee", "author", "category", "client", "correlation", "creator", "currency", "from", "language", "locale", "manager",
    "new", "order", "owner", "parent", "priority", "reason", "rejection", "request", "reviewer", "sort", "source", "stage", "state", "status", "target", "template", "timezone", "trace",
    "transition", "type", "user", "version",
];
/// Whether a field names something else than the target, by how it begins.
pub(super) fn is_other(field: &str) -> bool {
    let is_named = ["statuspage", "orderid", "ordernumber", "orderno", "orderref", "orderkey"];
    field != "order"
        && OTHERS.iter().any(|other| field.starts_with(other))
        && !is_named.iter().any(|named| field.starts_with(named))
}

/// Fields that say which part of a list is wanted, and in what order.
#[rustfmt::skip]
const PAGING: &[&str] = &[
    "after", "before", "cursor", "limit", "maxresults", "nexttoken", "offset", "page", "pagesize", "pagetoken", "perpage", "skip", "startcursor", "top",
];
#[rustfmt::skip]
const LISTING: &[&str] = &["ascending", "count", "descending", "direction", "expand", "fields", "include", "order", "orderby", "since", "sort", "sortby", "sortorder", "until"];

/// Whether a call says which page of something it wants, and nothing else but of what, by an id.
pub(super) fn only_pages(fields: &Fields) -> bool {
    let is_paging = |field: &str| PAGING.contains(&field);
    let is_beside = |field: &str| {
        LISTING.contains(&field) || is_id(field) || CALLERS.contains(&field) || field.ends_with("token")
    };
    fields.own().any(|(field, _)| is_paging(field))
        && fields.own().all(|(field, _)| is_paging(field) || is_beside(field))
}

/// Whether a call names something by an id, and says no more.
pub(super) fn only_names(fields: &Fields) -> bool {
    let mut own = fields.own().peekable();
    own.peek().is_some() && own.all(|(field, _)| is_id(field) || CALLERS.contains(&field))
}

/// Whether a field names one thing of a service, by how it is called.
pub(super) fn is_id(field: &str) -> bool {
    let is_one = PLACES.contains(&field) || IDS.iter().any(|end| field.ends_with(end));
    is_one && ![LOCAL, CALLERS, WORDS].iter().any(|list| list.contains(&field))
}
