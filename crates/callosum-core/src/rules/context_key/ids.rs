//! What fields are for, by their names: those that name one thing of a service by an id, and those that name something beside it.

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
/// How ids end that say what a thing is like, as which step it is at: `dealStageId`.
const KINDS: &[&str] = &["activitytypeid", "stageid", "statusid", "priorityid"];
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
    "actorid", "agentid", "blockid", "cellid", "clipid", "elementid", "frameid", "layerid", "linenumber", "memoryid", "nodeid", "pagenumber", "pid",
    "processid", "requestid", "selectionid", "sessionid", "shapeid", "slidenumber", "stepid", "stepnumber", "tabid", "terminalid", "thoughtid",
    "thoughtnumber", "toolcallid", "toolid", "trackid", "traceid", "windowid",
];
/// Fields that name a file of this machine.
pub(super) const FILES: &[&str] = &[
    "filepath",
    "filename",
    "file",
    "directory",
    "dir",
    "cwd",
    "workdir",
    "workingdirectory",
    "projectpath",
    "projectroot",
];
/// Names of fields that end like those of targets and say whose call it is.
#[rustfmt::skip]
pub(super) const CALLERS: &[&str] = &[
    "accountid", "accountsid", "apikey", "organizationid", "orgid", "workspaceid", "tenantid", "clientorderid", "idempotencykey", "cloudid", "session", "sessionid", "usergoogleemail",
];
/// How fields begin and end that name something else than the target: who has it, where it goes, what it is like.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "actor", "approver", "assigned", "assignee", "author", "category", "client", "correlation", "creator", "currency", "from", "language", "locale", "manager",
    "new", "order", "owner", "parent", "priority", "reason", "rejection", "request", "reviewer", "sort", "source", "stage", "state", "status", "supplier", "target", "template", "timezone", "trace",
    "transition", "type", "user", "vendor", "version",
];
/// Words of names for what a thing is like, or has: what they are called like holds it, and does not name the thing.
#[rustfmt::skip]
pub(super) const TRAITS: &[&str] = &[
    "access", "amount", "balance", "bid", "budget", "color", "config", "configuration", "cost", "count", "date", "deadline", "discount", "fee", "grade",
    "hour", "image", "level", "limit", "mode", "passcode", "password", "permission", "photo", "plan", "point", "position", "price", "priority", "progress", "quantity", "rank", "rating", "salary", "score", "setting", "severity", "size", "stage", "state", "status", "stock", "thumbnail",
    "tier", "time", "urgency", "value", "visibility",
];

/// Whether a field names something else than the target, by how it begins.
pub(super) fn is_other(field: &str) -> bool {
    let is_named = ["statuspage", "orderid", "ordernumber", "orderno", "orderref", "orderkey"];
    field != "order"
        && OTHERS.iter().any(|other| field.starts_with(other))
        && !is_named.iter().any(|named| field.starts_with(named))
}

/// Whether a field names one thing of a service, by how it is called.
pub(super) fn is_id(field: &str) -> bool {
    let is_one = PLACES.contains(&field) || IDS.iter().any(|end| field.ends_with(end));
    let is_kind = KINDS.iter().any(|end| field.ends_with(end));
    is_one && !is_kind && ![LOCAL, CALLERS, WORDS].iter().any(|list| list.contains(&field))
}
