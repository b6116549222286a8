//! A call's parameters by the names of their fields, wherever these stand: hosts, servers and models spell and nest them as they like.

use std::borrow::Cow;

use serde_json::Value;

use super::field::folded;
use super::ids::is_other;
use super::page;
use super::text_of;
use super::whole::is_token;
use crate::model::redact::{Secrets, key_mark, names_a_secret};

/// A list or an object inside another inside … is followed so deep.
const MAX_DEPTH: usize = 8;
/// Of so many values the names are known.
const MAX_FIELDS: usize = 4096;
/// A text that is JSON counts as one up to so many bytes.
const MAX_JSON: usize = 64 * 1024;
/// Values longer than this name nothing.
const MAX_VALUE: usize = 1024;

/// How fields end that hold numbers of phones, without the `s` of several.
const PHONES: &[&str] =
    &["destination", "dst", "mobile", "msisdn", "number", "phone", "receiver", "recipient", "to"];
/// The number of a phone has as many digits, with the one of its area.
const MIN_PHONE: usize = 8;

/// Names that say something only of the call itself: in an object that is given along, they are that one's.
const OWN: &[&str] = &[
    "id",
    "ids",
    "key",
    "name",
    "number",
    "title",
    "to",
    "url",
    "slug",
    "uuid",
    "type",
    "kind",
    "path",
    "email",
    "address",
    "tag",
    "reference",
    "ref",
    "code",
    "serial",
];

/// Objects that hold what the call is given.
const CARRIERS: &[&str] = &[
    "args",
    "arguments",
    "beneficiary",
    "body",
    "create",
    "data",
    "destinations",
    "entities",
    "entity",
    "input",
    "inputs",
    "items",
    "json",
    "links",
    "message",
    "messages",
    "metafields",
    "objects",
    "options",
    "params",
    "parameters",
    "path",
    "payee",
    "payload",
    "query",
    "receiver",
    "record",
    "records",
    "request",
    "resource",
    "resources",
    "update",
    "updates",
    "variables",
    "where",
];

/// Texts that are not read, though they may be JSON.
const SENT: &[&str] = &["content", "message", "text", "value"];

/// Parts of the names of fields by which a caller shows who it is.
#[rustfmt::skip]
const PRIVATE: &[&str] = &[
    "accesstoken", "apikey", "apitoken", "authkey", "authorization", "authtoken", "bearertoken", "cookie", "credentials", "jwt", "mnemonic", "passphrase", "password",
    "privatekey", "secretkey", "secretseed", "sessionkey", "sessiontoken", "signingkey",
];

/// A value that has a name.
struct Named {
    depth: usize,
    /// Without case and signs.
    name: String,
    /// It is the call's own, not that of an object that is given along.
    is_own: bool,
    value: String,
}

/// The values of some parameters, the outermost first.
#[derive(Default)]
pub(super) struct Fields(Vec<Named>);

impl Fields {
    /// Those of parameters, with marks where one says a secret besides.
    pub(super) fn of(params: &Value, secrets: &Secrets) -> Self {
        let mut fields = Self::default();
        fields.add(params, "", true, 0);
        for field in &mut fields.0 {
            if let Some(marked) = secrets.marked_within(&field.value) {
                field.value = marked;
            }
        }
        fields.0.sort_by_key(|field| field.depth);
        fields
    }

    /// The values of the outermost fields of a name, folded; none when there is no such field.
    pub(super) fn named(&self, name: &str) -> Vec<String> {
        let is_own = OWN.contains(&name);
        let mut all =
            self.0.iter().filter(|field| field.name == name && (field.is_own || !is_own)).peekable();
        let depth = all.peek().map_or(0, |field| field.depth);
        super::distinct(
            all.filter(|field| field.depth == depth).map(|field| spelled(&field.name, &field.value)),
        )
    }

    /// The first of some fields that has values, with these.
    pub(super) fn first_named<'f>(
        &self,
        names: impl IntoIterator<Item = &'f &'f str>,
    ) -> Option<(&'f str, Vec<String>)> {
        names.into_iter().map(|name| (*name, self.named(name))).find(|(_, values)| !values.is_empty())
    }

    /// Of these the first value.
    pub(super) fn first_value<'f>(&self, names: impl IntoIterator<Item = &'f &'f str>) -> Option<String> {
        self.first_named(names).and_then(|(_, values)| values.into_iter().next())
    }

    /// The same of what names one thing by an id, however the id is called: `bookingUid` is a `bookingId`.
    pub(super) fn named_by_id(&self, name: &str) -> Vec<String> {
        let mut found = self.named(name);
        // A rule may ask for `idCard`.
        if let Some(thing) = name.strip_prefix("id").filter(|thing| found.is_empty() && thing.len() > 2) {
            found = self.named(&format!("{thing}id"));
        }
        let Some(thing) = name.strip_suffix("id").filter(|thing| found.is_empty() && !thing.is_empty())
        else {
            return found;
        };
        let is_it = |field: &&Named| {
            let ends = ["uid", "uuid", "guid", "gid", "sid"]
                .iter()
                .any(|end| field.name.strip_suffix(end).is_some_and(|rest| rest == thing));
            ends && field.name != name
        };
        self.0.iter().find(is_it).map(|field| spelled(&field.name, &field.value)).into_iter().collect()
    }

    /// The same of a field that is called nearly so: `purchaseOrderId`, `order_ref` and, where its value is no word, `order` for
    /// `orderId`.
    pub(super) fn named_nearly(&self, name: &str) -> Vec<String> {
        let Some(thing) = name.strip_suffix("id").filter(|thing| thing.len() > 2) else { return Vec::new() };
        let is_nearly = |(field, value): &(&str, &str)| {
            let ending = field.strip_prefix(thing);
            let is_it = match ending {
                Some("") => is_token(value) || value.bytes().all(|byte| byte.is_ascii_digit()),
                Some(ending) => {
                    ["ref", "key", "slug", "token", "identifier", "no", "number"].contains(&ending)
                }
                // A status page is no page of a site.
                None => field.ends_with(name) && !field.starts_with("status"),
            };
            is_it && !is_other(field)
        };
        let found = self.own().find(is_nearly).map(|(field, _)| self.named(field));
        found.unwrap_or_default()
    }

    /// The names of all fields, the outermost first.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|field| field.name.as_str())
    }

    /// The names of the call's own fields with their values, in order.
    pub(super) fn own(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter(|field| field.is_own).map(|field| (field.name.as_str(), field.value.as_str()))
    }

    /// The outermost of those that are meant, in order.
    pub(super) fn outermost(&self, is_meant: impl Fn(&str, &str) -> bool) -> Vec<(&str, &str)> {
        let is_it = |field: &&Named| field.is_own && is_meant(&field.name, &field.value);
        let mut found = self.0.iter().filter(is_it).peekable();
        let depth = found.peek().map_or(0, |field| field.depth);
        let of_depth = found.take_while(|field| field.depth == depth);
        of_depth.map(|field| (field.name.as_str(), field.value.as_str())).collect()
    }

    fn add(&mut self, value: &Value, name: &str, is_own: bool, depth: usize) {
        if depth > MAX_DEPTH || self.0.len() >= MAX_FIELDS {
            return;
        }
        match value {
            Value::Object(fields) => {
                let (is_given, is_own) = (is_own, is_own && (depth == 0 || is_carrier(name)));
                // All that a call says may stand in one object.
                let said = fields.values().filter(|value| !value.is_boolean() && !value.is_null()).count();
                let is_wrapped = depth == 0 && said == 1;
                for (inner, value) in fields {
                    let inner = named(inner);
                    if is_wrapped && value.is_object() {
                        self.add(value, &inner, is_own, depth);
                        continue;
                    }
                    // `project.key` is `projectKey`, too.
                    if (depth == 0 || !is_own) && !name.is_empty() && OWN.contains(&inner.as_str()) {
                        self.add(value, &format!("{name}{inner}"), is_given, depth + 1);
                    }
                    self.add(value, &inner, is_own, depth + 1);
                }
            }
            Value::Array(items) => match condition(name, items) {
                Some((field, value)) => self.add(value, &named(field), is_own, depth),
                None => items.iter().for_each(|item| self.add(item, name, is_own, depth)),
            },
            // What is sent as it is says nothing of the call.
            Value::String(_) if SENT.contains(&name) => self.note(value, name, is_own, depth),
            Value::String(text) => match json_in(text) {
                Some(inner) => self.add(&inner, name, is_own, depth),
                None => match numbers_in(name, text) {
                    Some(numbers) => {
                        numbers.for_each(|number| self.note(&number.into(), name, is_own, depth));
                    }
                    None => self.note(value, name, is_own, depth),
                },
            },
            Value::Number(_) | Value::Bool(_) => self.note(value, name, is_own, depth),
            Value::Null => {}
        }
    }

    fn note(&mut self, value: &Value, name: &str, is_own: bool, depth: usize) {
        let Some(value) = text_of(value).filter(|value| value.len() <= MAX_VALUE) else { return };
        // What a secret is called, or where it is kept, is none.
        let is_value = !["name", "id", "path", "slug"].iter().any(|end| name.ends_with(end));
        let value = if is_value && names_a_secret(name) { key_mark(&value) } else { value };
        // A token may be a document's, and the key of a secret its name: what is the caller's alone names nothing that a call acts on.
        let is_own = is_own && !(is_value && PRIVATE.iter().any(|word| name.ends_with(word)));
        let value = if name.ends_with("id") || name.ends_with("idorurl") { id_in(value) } else { value };
        // A patch says where it changes something: `/environments/production/on`.
        let environment = value.strip_prefix("/environments/").filter(|_| name == "path");
        if let Some(environment) = environment.and_then(|rest| rest.split('/').next()) {
            let (name, value) = ("environment".to_owned(), environment.to_owned());
            self.0.push(Named { depth, name, is_own: false, value });
        }
        if is_own && value.starts_with("http") {
            let named = page::named(name, &value);
            // What the call names itself goes before what an address has in it.
            let named = named.map(|(name, value)| Named { depth: depth + MAX_DEPTH, name, is_own, value });
            self.0.extend(named);
        }
        // A global id says of what it is one.
        let global = value.strip_prefix("gid://").filter(|_| is_own && is_open_id(name));
        let thing = global.and_then(|path| path.split('/').nth(1));
        let name = thing.map_or_else(|| name.to_owned(), |thing| format!("{}id", folded(thing)));
        self.0.push(Named { depth, name, is_own, value });
    }
}

/// Parameters that say what is meant by conditions on its fields.
const CONDITIONS: &[&str] = &["condition", "conditions", "domain", "filter", "filters", "where"];

/// The field and the value of a condition for what is equal to it: `["id", "=", 5]`.
fn condition<'v>(name: &str, items: &'v [Value]) -> Option<(&'v str, &'v Value)> {
    let [Value::String(field), Value::String(sign), value] = items else { return None };
    let is_equal = matches!(sign.as_str(), "=" | "==" | "eq" | "in" | "IN");
    (CONDITIONS.contains(&name) && is_equal).then_some((field, value))
}

/// Whether a field's name does not say of what it holds the id.
fn is_open_id(name: &str) -> bool {
    matches!(name, "id" | "globalid" | "ownerid" | "resourceid" | "subjectid")
}

/// A field's name without case and signs: `id_product` and `idProduct` are a `productId`, but `id_or_name` and `idOrName` are none.
fn named(name: &str) -> String {
    // `organization_id_str`
    let name = name.strip_suffix("_str").filter(|name| name.ends_with("_id")).unwrap_or(name);
    let is_capital = |rest: &str| rest.starts_with(|c: char| c.is_ascii_uppercase());
    let thing = name.strip_prefix("id").filter(|rest| rest.len() > 3);
    let thing = thing.filter(|rest| rest.starts_with('_') && !rest.starts_with("_or_") || is_capital(rest));
    match thing.filter(|rest| !rest.strip_prefix("Or").is_some_and(is_capital)) {
        Some(thing) => format!("{}id", folded(thing)),
        None => folded(name),
    }
}

fn is_carrier(name: &str) -> bool {
    let ends = [
        "request",
        "model",
        "schema",
        "input",
        "params",
        "arguments",
        "payload",
        "data",
        "body",
        "operations",
    ];
    CARRIERS.contains(&name) || ends.iter().any(|end| name.ends_with(end))
}

/// The list or object that a text is.
fn json_in(text: &str) -> Option<Value> {
    if text.len() > MAX_JSON || !text.trim_start().starts_with(['[', '{']) {
        return None;
    }
    serde_json::from_str::<Value>(text).ok().filter(|value| value.is_object() || value.is_array())
}

/// The numbers of phones that stand in one text, as some services want them: `+15550100, +15550101`.
fn numbers_in<'t>(name: &str, text: &'t str) -> Option<impl Iterator<Item = &'t str>> {
    let parts = || text.split([',', ';']).map(str::trim);
    let is_number = |part: &str| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        digits >= MIN_PHONE && part.bytes().all(|byte| byte.is_ascii_digit() || b"+-() ".contains(&byte))
    };
    let is_of_phones = PHONES.iter().any(|of| name.strip_suffix('s').unwrap_or(name).ends_with(of));
    (text.len() <= MAX_VALUE && text.contains([',', ';']) && is_of_phones && parts().all(is_number))
        .then(parts)
}

/// The id in the address of what it is the id of: `https://x.com/acme/status/1993` and `https://x.com/acme/status/1993/edit` are `1993`.
fn id_in(value: String) -> String {
    let path = value.strip_prefix("https://").and_then(|rest| rest.split(['?', '#']).next());
    let is_shown = |part: &&str| !matches!(*part, "" | "edit" | "preview" | "settings" | "show" | "view");
    let id = path.and_then(|path| path.split('/').skip(1).filter(is_shown).last());
    match id.filter(|id| id.bytes().any(|byte| byte.is_ascii_digit())) {
        Some(id) => id.to_owned(),
        None => value,
    }
}

/// A name without what only a transport adds: `acme%2Fshop` is `acme/shop`, `gid://shopify/Order/1001` is `1001`, `refs/heads/main` is
/// `main`.
pub(super) fn spelled(field: &str, value: &str) -> String {
    let value =
        ["refs/heads/", "refs/tags/"].iter().find_map(|prefix| value.strip_prefix(prefix)).unwrap_or(value);
    if let Some(path) = value.strip_prefix("gid://") {
        return path.rsplit('/').next().unwrap_or(path).to_owned();
    }
    let told = number(value).or_else(|| hardware_address(value)).or_else(|| wallet_address(value));
    if let Some(spelled) = told.or_else(|| host(field, value)) {
        return spelled;
    }
    // `#general`, `#1001`
    let is_marked =
        ["channel", "issue", "number", "order", "room", "ticket"].iter().any(|name| field.contains(name));
    if let Some(name) = value.strip_prefix('#').filter(|_| is_marked)
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    {
        return name.to_owned();
    }
    if !value.contains('%') || value.contains(' ') {
        return value.to_owned();
    }
    match percent_encoding::percent_decode_str(value).decode_utf8() {
        Ok(Cow::Owned(decoded)) => decoded,
        _ => value.to_owned(),
    }
}

/// A number without the spaces that only people put into it: `842 1123 9921` is `84211239921`, `+44 20 7946-0011` is `+442079460011`.
fn number(value: &str) -> Option<String> {
    let is_phone = value.starts_with('+');
    let is_sign = |c: char| c == ' ' || is_phone && "+-. ()".contains(c);
    let is_one = value.contains(is_sign) && value.chars().all(|c| c.is_ascii_digit() || is_sign(c));
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    (is_one && digits.len() >= 8).then(|| if is_phone { format!("+{digits}") } else { digits })
}

/// Hosts and mail addresses don't tell case apart, and an address on the web is the same with and without a slash at its end.
fn host(field: &str, value: &str) -> Option<String> {
    if let Some((scheme, rest)) = value.split_once("://") {
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        return Some(format!("{scheme}://{}{path}", host.to_ascii_lowercase()));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    let is_mail = |(user, host): (&str, &str)| {
        !user.is_empty() && host.contains('.') && user.chars().chain(host.chars()).all(is_plain)
    };
    let is_host = || {
        ["host", "hostname", "domain", "fqdn"].iter().any(|end| field.ends_with(end)) && value.contains('.')
    };
    (value.split_once('@').is_some_and(is_mail) || is_host()).then(|| value.to_ascii_lowercase())
}

/// The address of an account of Ethereum's kind in small letters: capitals in it only are a checksum (EIP-55).
fn wallet_address(value: &str) -> Option<String> {
    let digits = value.strip_prefix("0x").filter(|digits| digits.len() == 40)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| value.to_ascii_lowercase())
}

/// The address of a network card in small letters.
fn hardware_address(value: &str) -> Option<String> {
    let is_one = value.len() == 17
        && value.bytes().enumerate().all(|(place, byte)| match place % 3 {
            2 => matches!(byte, b':' | b'-'),
            _ => byte.is_ascii_hexdigit(),
        });
    is_one.then(|| value.to_ascii_lowercase().replace('-', ":"))
}
