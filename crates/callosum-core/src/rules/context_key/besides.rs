//! What a call of a tool says besides what the key of its rule asks for, and what tells its resource from others all the same.
//!
//! A rule names fields, and no list of them is complete. So what it found is held against all that the call names: where that is nothing,
//! or only what the thing stands in, the ids that the call names are put behind it; where it is a name or a number that others may have,
//! too, what it stands in is.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::container::{container, container_place, space};
use super::family::{RUNS, in_family, parted};
use super::fields::{self, Fields};
use super::ids::{CALLERS, TRAITS, is_id, is_other};
use super::one_for_each::{person, times};
use super::said::{self, Telling};
use super::site::Site;
use super::target::{WIDE, thing};
use super::template::Template;
use super::title::{NEW, has_titles, of_tool, spelled, without_title};
use super::whole::{has_part, is_token, is_whole};
use super::{UNKNOWN, safe};
use crate::rules::tool_words::NameWords;
use crate::rules::words::singular;

/// Words that stand in a key for what a rule's placeholders did not find in a call.
const NOT_FOUND: &[&str] = &["default", "primary", UNKNOWN];
/// At most this many ids of a call stand in such a key.
const MAX_IDS: usize = 3;
/// What keys begin with that say all there is to say: an address, the branch of a repository, an object in a cluster, what goes by one
/// number in all of a service.
const COMPLETE: &[&str] = &[
    "asana",
    "clickup",
    "db",
    "dns",
    "email",
    "git-push",
    "gitea",
    "github",
    "gitlab",
    "jira",
    "kube",
    "linear",
    "monday",
    "openproject",
    "phabricator",
    "redmine",
    "trello",
];
/// Fields that name where something is said. Whatever is said there, and whatever becomes of it, belongs to the place.
const TALKS: &[&str] = &["channel", "chat", "room", "conversation", "thread", "topic"];
/// Fields that tell what is meant where nothing has an id.
const LAST: &[&str] =
    &["account", "accounts", "audience", "mandate", "profile", "profiles", "scope", "segment", "selector"];
/// Fields that name the server that is spoken to: what it has is another's under the same name.
const SERVERS: &[&str] =
    &["broker", "brokerid", "connection", "connectionid", "connectionname", "tenant", "tenantid"];
/// Fields that name one of several things in what a key ends with.
const NAMED: &[&str] = &["path", "slug", "key"];
/// The fields that name the branch that something runs on.
const BRANCHES: &[&str] = &["branch", "branchname", "ref", "gitref"];
/// Verbs that bring something new about, besides those that make it.
#[rustfmt::skip]
const BRINGING: &[&str] = &[
    "book", "buy", "charge", "donate", "initiate", "issue", "order", "pay", "place", "post", "purchase", "request", "reserve", "schedule", "send", "submit", "transfer", "withdraw",
];

/// Gives the keys of a call what it says besides. How they were before, and before there were titles in them: evidence counts there, too.
pub(crate) fn tell_apart(templates: &[Template], keys: &mut [String], site: Site<'_, '_>) -> Vec<String> {
    let mut former: Vec<String> = keys.iter().filter_map(|key| without_title(key)).collect();
    let is_of_tool = site.words.is_some() && site.fit.is_none();
    if is_of_tool && templates.iter().any(Template::may_find_nothing) {
        let said = Said::of(&site.call.tool, site.params.fields());
        // Whoever writes a rule that names fields, and nothing else, means these.
        let is_open = templates.iter().any(Template::asks_for_tool);
        for key in keys.iter_mut() {
            former.extend(in_family(key).map(|whole| std::mem::replace(key, whole)));
            let mut found = said.with_ids(key);
            if is_complete(key) || !is_open {
                former.extend(found.map(|whole| std::mem::replace(key, whole)));
                continue;
            }
            found = found.or_else(|| said.narrowed(key)).or_else(|| said.qualified(key));
            let timed = said.timed(found.as_deref().unwrap_or(key));
            if let Some(whole) = timed.or(found) {
                former.push(std::mem::replace(key, whole));
            }
        }
        let secrets = site.params.secrets();
        for key in keys {
            if let Some(marked) = secrets.marked(key) {
                *key = marked;
            }
        }
    }
    former
}

/// What a call says. What is the same for all its keys is looked for once: there may be a thousand, of a list in the call.
struct Said<'a> {
    name: NameWords,
    fields: &'a Fields,
    /// Of each value the field that has it, best one that does not say what a thing stands in: that, its place, its name.
    endings: OnceCell<HashMap<String, (bool, usize, &'a str)>>,
    times: OnceCell<Vec<String>>,
    /// What lies around the thing of a field.
    around: RefCell<HashMap<&'a str, Option<Rc<[String]>>>>,
}

impl<'a> Said<'a> {
    fn of(tool: &str, fields: &'a Fields) -> Self {
        Self {
            name: NameWords::of_tool(tool),
            fields,
            endings: OnceCell::new(),
            times: OnceCell::new(),
            around: RefCell::default(),
        }
    }

    /// A key of which its rule found no more than that it is new, or the usual one there: with the ids by which the call names something
    /// that the key does not have.
    fn with_ids(&self, key: &str) -> Option<String> {
        let (start, qualifiers) = parted(key);
        let end = start.rsplit([':', '#', '/']).next()?;
        let is_new = end == NEW;
        if !is_new && !NOT_FOUND.contains(&end) {
            return None;
        }
        // Whom a call names besides, and not what it does something to.
        let names_persons = is_new || end != "primary" && self.name.makes();
        let mut ids = self.ids(key, |field, value| {
            is_id(field)
                && (!is_other(field) || self.is_named(field))
                && (names_persons || !value.contains('@'))
        });
        if ids.is_empty() {
            ids = self.ids(key, |field, _| NAMED.contains(&field));
        }
        if ids.is_empty() {
            ids = self.ids(key, |field, value| {
                let is_trait = is_other(field) || TRAITS.iter().any(|like| field.contains(like));
                LAST.contains(&field) || !is_trait && is_token(value)
            });
        }
        if ids.is_empty() && end == UNKNOWN {
            ids = self.ids(key, |field, _| CALLERS.contains(&field) && field.ends_with("id"));
        }
        let is_own = !ids.is_empty() && self.names_own_id(&ids);
        let mut ids = ids.join("/");
        let before = start.strip_suffix(end)?;
        let titled = if ids.is_empty() && end != "primary" { self.titled(before, qualifiers) } else { None };
        if titled.is_some() {
            return titled;
        }
        if ids.is_empty() && end != "primary" && self.name.acting().is_some() {
            let most = if end == "default" { Telling::Address } else { Telling::Words };
            let told = || said::told(&self.name, self.fields, most, key).map(|(_, values)| values.join("/"));
            ids = said::beside(&self.name, self.fields, "").or_else(told).unwrap_or_default();
        }
        match end {
            _ if ids.is_empty() => None,
            // What a call changes that it names is not new.
            NEW if is_own || !is_making(&self.name) => Some(safe(format!("{before}{ids}{qualifiers}"))),
            NEW => Some(format!("{start}:{}{qualifiers}", spelled(&ids)?)),
            "primary" => Some(safe(format!("{start}/{ids}{qualifiers}"))),
            _ => Some(safe(format!("{before}{ids}{qualifiers}"))),
        }
    }

    /// Whether these ids are that of the very thing that the tool is named after: `link_id` of `create_payment_link`.
    fn names_own_id(&self, ids: &[String]) -> bool {
        let Some(thing) = thing(&self.name) else { return false };
        let own = [format!("{thing}id"), format!("{thing}number"), format!("{thing}key")];
        ids.len() == 1 && own.iter().any(|field| self.fields.named(field) == *ids)
    }

    /// A key that ends with what the thing stands in: with the ids by which the call names the thing itself.
    fn narrowed(&self, key: &str) -> Option<String> {
        let (start, qualifiers) = parted(key);
        let field = self.ending(start)?;
        let thing = thing(&self.name);
        let is_talk = TALKS.iter().any(|talk| field.starts_with(talk));
        if !is_wide(field) || is_talk {
            return None;
        }
        // Who gets into what the tool is named after is told by the tool's name, too.
        let is_meant = thing.is_some_and(|thing| field.starts_with(&thing));
        let mut ids = self.ids(key, |field, value| {
            is_id(field)
                && !is_other(field)
                && !is_wide(field)
                && !value.contains('@')
                && (!is_meant || self.is_named(field))
        });
        if ids.is_empty() && !is_meant {
            ids = self.ids(key, |field, _| NAMED.contains(&field));
        }
        if ids.is_empty() && !is_meant {
            let titled = self.titled(&format!("{start}/"), qualifiers);
            if titled.is_some() {
                return titled;
            }
            ids = self.ids(key, |field, _| is_id(field) && field.starts_with("template"));
        }
        if ids.is_empty() { None } else { Some(safe(format!("{start}/{}{qualifiers}", ids.join("/")))) }
    }

    /// Whether a field is called like a thing in the tool's name.
    fn is_named(&self, field: &str) -> bool {
        let verb = self.name.acting();
        self.name.own().any(|word| verb != Some(word) && field.starts_with(singular(word)))
    }

    /// The key of something new with its title.
    fn titled(&self, before: &str, qualifiers: &str) -> Option<String> {
        if !self.name.makes() || !has_titles(&format!("{before}{NEW}")) || before.starts_with("calendar:") {
            return None;
        }
        let title = of_tool(&self.name, self.fields).iter().find_map(|title| spelled(title))?;
        Some(safe(format!("{before}{NEW}:{title}{qualifiers}")))
    }

    /// A key of what there is one of at a time, or for each person: with the time and the person that the call says.
    fn timed(&self, key: &str) -> Option<String> {
        let times = self.times.get_or_init(|| times(&self.name, self.fields).into_iter().collect());
        let person = self.ending(parted(key).0).and_then(|found| person(&self.name, found, self.fields));
        let said = times.iter().cloned().chain(person).filter(|said| !has_part(key, said));
        with_qualifiers(key, said)
    }

    /// A key that ends with a name or a number that others may have, too: with what it stands in.
    fn qualified(&self, key: &str) -> Option<String> {
        let (start, _) = parted(key);
        let field = self.ending(start)?;
        let around = self.around(field)?;
        with_qualifiers(key, around.iter().filter(|name| !has_part(start, name)).cloned())
    }

    /// What lies around what a field names; nothing where that is no name.
    fn around(&self, field: &'a str) -> Option<Rc<[String]>> {
        let mut known = self.around.borrow_mut();
        let around = known.entry(field).or_insert_with(|| {
            let value = self.fields.named(field).into_iter().next()?;
            if NOT_FOUND.contains(&value.as_str()) {
                return None;
            }
            let is_whole = is_whole(field, &value);
            let container = if is_whole { None } else { container(field, self.fields) };
            let beside = || said::beside(&self.name, self.fields, field).filter(|_| !is_whole);
            let container = container.or_else(beside);
            let around = container.iter().flat_map(|whole| whole.split('/')).map(str::to_owned);
            let server = SERVERS.iter().find_map(|name| self.fields.named(name).into_iter().next());
            let space = space(&self.name, self.fields);
            Some(around.chain(space).chain(self.branch()).chain(server).collect())
        });
        around.clone()
    }

    /// The branch that something is run on.
    fn branch(&self) -> Option<String> {
        let is_run = self.name.own().any(|word| RUNS.contains(&singular(word)));
        if is_run { self.fields.first_value(BRANCHES) } else { None }
    }

    /// The ids that are meant and that a key does not have.
    fn ids(&self, key: &str, is_meant: impl Fn(&str, &str) -> bool) -> Vec<String> {
        let is_said = |value: &str| matches!(value, "true" | "false") || value.contains(char::is_whitespace);
        let mut ids = self
            .fields
            .outermost(|field, value| !is_said(value) && !has_part(key, value) && is_meant(field, value));
        // Hosts hand on parameters in any order.
        ids.sort_unstable();
        ids.dedup_by_key(|(_, value)| *value);
        // A global id says what kind of thing it is of, where nothing else does.
        let shown = |(field, value): (&str, &str)| match value.strip_prefix("gid://") {
            Some(_) => value.to_owned(),
            None => fields::spelled(field, value),
        };
        ids.into_iter().map(shown).take(MAX_IDS).collect()
    }

    /// The field whose value a key ends with: one that says what the thing stands in only where no other has that value.
    fn ending(&self, start: &str) -> Option<&'a str> {
        let endings = self.endings.get_or_init(|| {
            let mut endings = HashMap::new();
            for (place, (field, value)) in self.fields.own().enumerate() {
                let found = (is_wide(field), place, field);
                let best = endings.entry(fields::spelled(field, value)).or_insert(found);
                *best = found.min(*best);
            }
            endings
        });
        let ends =
            start.match_indices([':', '/', '#']).filter_map(|(at, _)| endings.get(start.get(at + 1..)?));
        ends.min().map(|(_, _, field)| *field)
    }
}

/// A key with more qualifiers, each once.
fn with_qualifiers(key: &str, qualifiers: impl Iterator<Item = String>) -> Option<String> {
    let mut whole = key.to_owned();
    let (_, behind) = parted(key);
    let mut said: Vec<String> = behind.trim_start_matches('@').split('/').map(str::to_owned).collect();
    for name in qualifiers {
        if !said.contains(&name) {
            whole.push(if whole.contains('@') { '/' } else { '@' });
            whole.push_str(&name);
            said.push(name);
        }
    }
    (whole != key).then(|| safe(whole))
}

/// Whether a key says all there is to say.
fn is_complete(key: &str) -> bool {
    COMPLETE.iter().any(|service| key.strip_prefix(service).is_some_and(|rest| rest.starts_with(':')))
}

/// Whether a tool makes something new, or has it made.
fn is_making(name: &NameWords) -> bool {
    name.makes() || name.acting().is_some_and(|verb| BRINGING.contains(&verb))
}

/// Whether a field mostly says what a thing stands in.
fn is_wide(field: &str) -> bool {
    container_place(field).is_some() || WIDE.contains(&field)
}
