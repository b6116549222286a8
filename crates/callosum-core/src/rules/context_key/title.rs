//! What is new has no id yet. Its key says `new`, and behind it the title, where the call says one: two new issues of one project are two
//! things, and the same one made twice is one.

use callosum_shell::command::Detail;

use super::around::Around;
use super::fields::Fields;
use super::site::Site;
use crate::model::digest::hash_text;
use crate::model::redact::redact_key;
use crate::model::text::head;
use crate::rules::tool_words::NameWords;

/// The word that keys of what is new end in.
pub(super) const NEW: &str = "new";
/// A title has so many characters in a key, and then a hash.
const MAX_TITLE: usize = 80;
/// An incident, an order or a payment is the same one in whatever words it is told.
const UNTITLED: &[&str] = &["payment", "incident", "monitor", "secret"];

/// Fields that name what is new.
const TITLES: &[&str] = &[
    "title", "subject", "summary", "topic", "headline", "dealname", "taskname", "itemname", "cardname",
    "name",
];
/// Those that name a person, before all others.
#[rustfmt::skip]
const PERSONS: &[&str] = &[
    "email", "emailaddress", "subscriberemail", "contactemail", "useremail", "memberemail", "phone", "phonenumber",
];
/// Things that are persons.
const PERSON: &[&str] =
    &["contact", "contacts", "customer", "lead", "member", "person", "subscriber", "user"];
/// Words for what wants one branch merged into another, of tools, programs and addresses. There is one of a branch.
const MERGING: &[&str] = &["merge", "mr", "mrs", "pr", "prs", "pull", "pulls", "pullrequest", "pullrequests"];
/// Fields that name that branch.
const HEADS: &[&str] = &["head", "headbranch", "sourcebranch", "sourcerefname", "headref", "source"];
/// Options that name the title, by program.
const OPTIONS: &[(&str, &[&str])] = &[
    ("gh", &["title", "t"]),
    ("glab", &["title", "t"]),
    ("tea", &["title", "t"]),
    ("jira", &["summary", "s"]),
    ("hub", &["message", "m"]),
];
const USUAL_OPTIONS: &[&str] = &["title", "summary", "subject", "name"];
/// Fields of a request's body that do.
#[rustfmt::skip]
const IN_BODY: &[&str] = &[
    "title", "fields.summary", "summary", "subject", "ticket.subject", "properties.email", "properties.dealname", "name", "content",
];

/// A key of something new with its title, for each that the call says.
pub(super) fn with_titles(key: String, site: Site<'_, '_>) -> Vec<String> {
    if !has_titles(&key) {
        return vec![key];
    }
    let titles = match site.fit {
        Some(_) => of_command(site),
        None => of_tool(&NameWords::of_tool(&site.call.tool), site.params.fields()),
    };
    let mut keys: Vec<String> =
        titles.iter().filter_map(|title| Some(format!("{key}:{}", spelled(title)?))).collect();
    if keys.is_empty() {
        // Which branch is meant the command does not say: it is the one that is checked out, unless the program asks for another.
        let here = site.fit.filter(|fit| is_of_merging(&fit.command.invocation.words));
        let branches = here.map(|_| Around::Branch.values(site)).unwrap_or_default();
        keys.extend(branches.iter().filter_map(|branch| Some(format!("{key}:{}", spelled(branch)?))));
        keys.insert(0, key);
    }
    keys
}

/// Whether the subcommands of a program are for what wants a branch merged.
fn is_of_merging(words: &[String]) -> bool {
    words.iter().take(2).any(|word| word.split('-').any(|part| MERGING.contains(&part)))
}

/// A key as it was before titles stood in keys.
pub(super) fn without_title(key: &str) -> Option<String> {
    let (new, _) = key.rsplit_once(':')?;
    has_titles(new).then(|| new.to_owned())
}

/// Whether a key is that of something new which goes by its title.
pub(super) fn has_titles(key: &str) -> bool {
    let of_what = key.strip_suffix(NEW).and_then(|rest| rest.strip_suffix(['#', '/', ':']));
    of_what.is_some_and(|what| !what.split(':').next().is_some_and(|service| UNTITLED.contains(&service)))
}

/// The titles that a call of a tool says.
pub(super) fn of_tool(name: &NameWords, fields: &Fields) -> Vec<String> {
    let is_of = |list: &[&str]| name.own().any(|word| list.contains(&word));
    let first = |names| first_with_values(names, |name| fields.named(name));
    if is_of(MERGING) {
        return first(HEADS);
    }
    let person = if is_of(PERSON) { first(PERSONS) } else { Vec::new() };
    if person.is_empty() { first(TITLES) } else { person }
}

fn of_command(site: Site<'_, '_>) -> Vec<String> {
    let Some(fit) = site.fit else { return Vec::new() };
    let invocation = &fit.command.invocation;
    let paths = site.detail(&Detail::HttpPath);
    let is_merging = |word: &str| MERGING.contains(&word);
    let in_body = |names| first_with_values(names, |name| site.detail(&Detail::HttpBody(name.to_owned())));
    let option = |names| first_with_values(names, |name| site.flag(name));
    if paths.iter().any(|path| path.split(['/', '_']).any(is_merging)) {
        return in_body(&["head", "source_branch", "source.branch.name"]);
    }
    if !paths.is_empty() {
        return in_body(IN_BODY);
    }
    if is_of_merging(&invocation.words) {
        return option(&["head", "H", "source-branch"]);
    }
    let known = OPTIONS.iter().find(|(program, _)| *program == invocation.program);
    option(known.map_or(USUAL_OPTIONS, |(_, names)| names))
}

/// The values of the first of some names that has any.
fn first_with_values(names: &[&str], values: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    names.iter().map(|name| values(name)).find(|values| !values.is_empty()).unwrap_or_default()
}

/// A title's words: `Cart loses items!` is `cart-loses-items`. Secrets are taken out before their signs are.
pub(super) fn spelled(title: &str) -> Option<String> {
    let title = redact_key(title).to_lowercase();
    let words: Vec<&str> =
        title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let words = words.join("-");
    match head(&words, MAX_TITLE) {
        _ if words.is_empty() => None,
        (_, false) => Some(words),
        (start, true) => Some(format!("{start}~{}", hash_text(&words, 4))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_its_words_and_the_key_without_it_is_that_of_before() {
        for (title, expected) in [
            ("Cart loses items!", Some("cart-loses-items")),
            ("  cart: LOSES items", Some("cart-loses-items")),
            ("Über 5 €", Some("über-5")),
            ("…", None),
        ] {
            assert_eq!(spelled(title).as_deref(), expected, "{title}");
        }
        let long = spelled(&"ab ".repeat(100)).unwrap_or_default();
        assert!(long.len() <= MAX_TITLE + "~12345678".len(), "{long}");
        let secret = spelled("token ghp_0123456789abcdefghijklmnopqrstuvwxyz").unwrap_or_default();
        assert!(secret.starts_with("token-redacted-") && !secret.contains("0123456789"), "{secret}");
        for (key, before) in [
            ("github:acme/app#new:login-loops", Some("github:acme/app#new")),
            ("zendesk:new:refund", Some("zendesk:new")),
            ("hubspot:contacts/new:li-example-com", Some("hubspot:contacts/new")),
            ("github:acme/app#12", None),
            ("payment:stripe:new", None),
            ("payment:stripe:new:x", None),
            ("mail:renew:x", None),
        ] {
            assert_eq!(without_title(key).as_deref(), before, "{key}");
        }
    }
}
