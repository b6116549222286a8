//! What a call of a tool acts on: by the field that is called like the thing in the tool's name, else by the usual ones.

use super::container::container_place;
use super::fields::Fields;
use super::ids::{CALLERS, TRAITS, is_id, is_other};
use super::said::{self, Telling};
use super::site::Site;
use crate::rules::tool_words::NameWords;
use crate::rules::words::{is_noun, singular};

/// Words of names that are no things.
#[rustfmt::skip]
pub(super) const NO_THINGS: &[&str] = &[
    "a", "all", "an", "and", "api", "as", "at", "away", "batch", "bulk", "by", "completed", "done", "existing", "for", "from", "id", "in", "into", "many", "mcp", "multiple",
    "new", "of", "off", "on", "one", "or", "out", "paid", "single", "the", "to", "tool", "using", "via", "with",
];

/// The last word of the tool's name that is a thing, in the singular: `invoice` of `stripe_void_invoices`.
pub(super) fn thing(name: &NameWords) -> Option<String> {
    let verb = name.acting();
    let is_thing = |word: &&str| {
        !NO_THINGS.contains(word)
            && !DONE.contains(word)
            && verb != Some(*word)
            && !name.of_server().any(|server| server == *word)
    };
    let things: Vec<&str> = name.own().filter(is_thing).map(singular).collect();
    // The status of an issue belongs to the issue.
    let is_part = |word: &&str| [SAID, TRAITS, ASPECTS].iter().any(|list| list.contains(word));
    let whole = things.iter().rfind(|word| !is_part(word));
    whole.or(things.last()).map(|word| (*word).to_owned())
}

/// What is put to a thing and belongs to it from then on.
#[rustfmt::skip]
pub(super) const REMARKS: &[&str] = &[
    "article", "attachment", "comment", "label", "like", "note", "reaction", "reply", "tag", "vote", "watcher",
];

/// Behind the name of a thing, what names one of them.
pub(super) const SUFFIXES: &[&str] = &[
    "idorkey",
    "guid",
    "uuid",
    "uid",
    "id",
    "key",
    "iid",
    "gid",
    "number",
    "code",
    "slug",
    "url",
    "ref",
    "name",
    "token",
    "identifier",
    "no",
    "ids",
    "keys",
    "",
    "s",
];

/// Fields that name what most calls act on.
#[rustfmt::skip]
const USUAL: &[&str] = &[
    "id", "ids", "key", "keys", "number", "to", "recipient", "recipients", "channelid", "channel", "chatid", "chat", "target", "issuenumber",
    "issueid", "issuekey", "pullnumber", "orderid", "taskid", "cardid", "ticketid", "pageid", "symbol", "referenceid", "referencenumber", "referencenum",
    "reference", "slug", "identifier", "uuid", "guid", "sid", "resource", "resourceid",
];
/// Those that name whom a call reaches, and besides the person whom something is made for.
const PHONES: &[&str] = &["phonenumber", "phone"];
/// Those that do where neither they nor another id is there.
#[rustfmt::skip]
const NAMING: &[&str] = &[
    "topic", "queue", "path", "frompath", "sourcepath", "srcpath", "username", "user", "userid", "email", "emailaddress", "customer", "customerid", "url", "name", "title",
    "alias", "handle",
];
/// Those that mostly say what the thing stands in.
#[rustfmt::skip]
pub(super) const WIDE: &[&str] = &[
    "project", "projectid", "projectkey", "projectslug", "projectname", "app", "appid", "apphost", "site", "siteid", "domain", "bucket", "database", "table", "repo", "repository", "service",
    "serviceid",
];

/// How fields end that name one thing.
const ENDS: &[&str] =
    &["id", "ids", "key", "number", "name", "uuid", "sku", "serial", "mac", "hostname", "order", "invoice"];

/// Fields that are called like a thing and hold what is said of it.
const SAID: &[&str] = &[
    "announcement",
    "body",
    "caption",
    "code",
    "command",
    "comment",
    "content",
    "description",
    "html",
    "json",
    "markdown",
    "message",
    "note",
    "notification",
    "post",
    "prompt",
    "query",
    "reply",
    "script",
    "sql",
    "statement",
    "text",
    "tweet",
];

/// Words of names for what belongs to a thing and has no id of its own.
#[rustfmt::skip]
const ASPECTS: &[&str] = &[
    "assignee", "attribute", "avatar", "confirmation", "data", "detail", "expiry", "info", "information", "metadata", "name", "owner", "profile", "receipt",
    "reminder", "title",
];

/// Values by which a call names what it acts on.
pub(super) struct Found<'n> {
    /// The word of the tool's name that their field is called like.
    pub(super) thing: Option<&'n str>,
    /// The name of their field.
    pub(super) field: String,
    pub(super) values: Vec<String>,
}

/// Fields that say what is done.
const DONE: &[&str] = &["action", "command", "method", "mode", "op", "operation", "subcommand", "verb"];

/// Whether a field names a thing that a tool's name has, and does not hold what is said of it: `post` may be `urn:li:share:7100`.
fn is_name_of(thing: &str, suffix: &str, values: &[String]) -> bool {
    let is_id = |value: &String| {
        !value.contains(char::is_whitespace) && value.bytes().any(|byte| byte.is_ascii_digit())
    };
    match suffix {
        "" | "s" if TRAITS.contains(&thing) || DONE.contains(&thing) => false,
        "" | "s" if SAID.contains(&thing) => values.iter().all(is_id),
        _ => true,
    }
}

/// What a field names that is called like a thing in the tool's name.
pub(super) fn named_thing<'n>(name: &'n NameWords, fields: &Fields) -> Option<Found<'n>> {
    let own: Vec<&str> = name.own().collect();
    let verb = name.acting();
    let pairs = own.windows(2).map(|pair| (pair.concat(), pair.last().copied()));
    let words = own.iter().map(|word| ((*word).to_owned(), Some(*word)));
    let has_id = !name.makes() && fields.own().any(|(field, _)| field == "id");
    let is_put = fields.own().any(|(field, _)| is_id(field) && is_specific(field));
    // What is made in something that an id names is told by what is said of it: the `move` of `make_move`.
    let is_said = name.makes() && is_put;
    // What is moved is the thing, wherever it goes.
    let is_moved = own.contains(&"move") && own.contains(&"to");
    let mut words: Vec<_> = pairs.rev().chain(words.rev()).collect();
    // The stage that a deal gets to is none.
    let is_part = |thing: &str| TRAITS.contains(&thing) || ASPECTS.contains(&thing);
    words.sort_by_key(|(_, thing)| thing.is_some_and(|thing| is_part(singular(thing))));
    if is_moved {
        words.sort_by_key(|(_, thing)| thing.and_then(|thing| own.iter().position(|word| *word == thing)));
    }
    for (word, thing) in words {
        let word = singular(&word);
        if NO_THINGS.contains(&word) {
            continue;
        }
        for suffix in SUFFIXES {
            let field = format!("{word}{suffix}");
            let values = fields.named(&field);
            // `transition_id` is no name of what a transition is made of.
            let is_done = verb == Some(word) && (!is_noun(word) || matches!(*suffix, "" | "s"));
            let is_text = matches!(*suffix, "" | "s");
            let is_content = is_text && (is_said || is_put && REMARKS.contains(&word));
            // What has an id is called otherwise afterwards.
            let is_renamed = has_id && matches!(*suffix, "" | "name" | "s");
            if !values.is_empty()
                && !is_done
                && !is_content
                && !is_renamed
                && is_name_of(word, suffix, &values)
            {
                return Some(Found { thing: thing.map(singular), field, values });
            }
        }
        let is_one_word = thing.is_some_and(|thing| singular(thing) == word);
        if let Some(field) = abbreviated(word, fields).filter(|_| is_one_word && verb != Some(word)) {
            let values = fields.named(field);
            return Some(Found { thing: thing.map(singular), field: field.to_owned(), values });
        }
    }
    None
}

/// Whether a field names one thing, and neither what that stands in nor what is said of it.
pub(super) fn is_specific(field: &str) -> bool {
    let is_wide = container_place(field).is_some() || WIDE.contains(&field) || NAMING.contains(&field);
    !is_wide && !field.ends_with("name") && !is_other(field)
}

/// What a call acts on: the field that is called like the thing in the tool's name, else the first of the usual ones, else what tells it
/// best.
pub(super) fn target<'n>(name: &'n NameWords, fields: &Fields) -> Option<Found<'n>> {
    named_thing(name, fields).or_else(|| usual(name, fields))
}

/// The first of the usual fields, else what tells the target best.
fn usual<'n>(name: &NameWords, fields: &Fields) -> Option<Found<'n>> {
    let of = |names: &'static [&'static str]| {
        fields.first_named(names).map(|(field, values)| (field.to_owned(), values))
    };
    let others = |is_meant: &dyn Fn(&str) -> bool| {
        let mut ones = fields.own().filter(|(name, _)| ENDS.iter().any(|end| name.ends_with(end)));
        let (field, value) = ones.find(|(name, _)| !CALLERS.contains(name) && is_meant(name))?;
        let all = fields.named(field);
        Some((field.to_owned(), if all.is_empty() { vec![value.to_owned()] } else { all }))
    };
    let reached = || if name.makes() { None } else { of(PHONES) };
    let found = of(USUAL).or_else(reached).or_else(|| others(&is_specific)).or_else(|| of(NAMING));
    let told = |most| said::told(name, fields, most, "");
    // What is moved is what stands where it comes from.
    let moved = || {
        let is_source =
            |(field, _): &(&str, &str)| name.acting() == Some("move") && field.starts_with("source");
        fields.own().find(is_source).map(|(field, _)| (field.to_owned(), fields.named(field)))
    };
    let found = found.or_else(|| of(PHONES)).or_else(moved);
    let found = found.or_else(|| told(Telling::Address)).or_else(|| of(WIDE));
    let (field, values) = found.or_else(|| others(&|_| true)).or_else(|| told(Telling::Words))?;
    let values = as_paths(&field, values);
    Some(Found { thing: None, field, values })
}

/// Paths without what only some write: `/issues/482.json` is `issues/482`.
pub(super) fn as_paths(field: &str, values: Vec<String>) -> Vec<String> {
    let bare = |path: String| match path.strip_suffix(".json").unwrap_or(&path).trim_matches('/') {
        "" => path,
        bare => bare.to_owned(),
    };
    if field.ends_with("path") { values.into_iter().map(bare).collect() } else { values }
}

/// What names the thing in a tool's name, where that goes by a bare `id`: the `campaignId` of `pause_campaign`.
pub(super) fn own_id(wanted: &str, site: Site<'_, '_>) -> Vec<String> {
    let Some(wanted) = wanted.strip_suffix("id").filter(|thing| !thing.is_empty()) else { return Vec::new() };
    let ids = site.params.fields().named("id");
    let is_of_tool = !ids.is_empty() && site.words.is_some() && site.fit.is_none();
    if is_of_tool && thing(&NameWords::of_tool(&site.call.tool)).as_deref() == Some(wanted) {
        ids
    } else {
        Vec::new()
    }
}

/// The field that is called like the beginning of a thing: `snapname` for a snapshot, `docId` for a document.
fn abbreviated<'f>(thing: &str, fields: &'f Fields) -> Option<&'f str> {
    let is_it = |field: &&str| {
        let mut stems = SUFFIXES.iter().filter(|end| end.len() > 1).filter_map(|end| field.strip_suffix(end));
        let is_short = |stem: &str| stem.len() > 2 && thing.len() > stem.len() + 2 && thing.starts_with(stem);
        container_place(field).is_none() && !is_other(field) && stems.any(is_short)
    };
    fields.own().map(|(field, _)| field).find(is_it)
}
