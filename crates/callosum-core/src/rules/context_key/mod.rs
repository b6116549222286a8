//! Context keys: names of the resources a call acts on, made from templates like `email:{commandRecipients}`.

mod address;
mod around;
mod besides;
mod command_recipient;
mod container;
mod dns;
mod ends;
mod family;
mod field;
mod fields;
mod file_path;
mod guarded;
mod identified;
mod ids;
mod kube_object;
mod mail_fields;
mod mail_text;
mod one_for_each;
mod page;
mod placeholder;
mod said;
mod server;
mod site;
mod spelling;
mod target;
mod template;
mod title;
mod tool_target;
mod value;
mod whole;

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use std::ops::Deref;
use std::rc::Rc;

use callosum_shell::command::is_stage;
use serde_json::Value;
use smallvec::SmallVec;

pub(crate) use around::Around;
pub(crate) use besides::tell_apart;
pub(crate) use file_path::{
    PATH_NAMES, WORK_FOLDER, file_paths, is_outside, other_machine, patch_text, path_in, path_texts,
    work_folder,
};
pub(crate) use guarded::{
    Looked, READ, TARGETS, guarded_path, is_guarded, is_in_guarded, may_be, meanings, other_paths,
};
pub use placeholder::{PLACEHOLDERS, Placeholder};
pub(crate) use site::Site;
pub(crate) use template::Template;
pub(crate) use value::Picked;

use self::fields::Fields;
use self::mail_text::MailTexts;
use self::spelling::one_spelling;
use crate::model::digest::{hash_text, number_text};
use crate::model::redact::{Secrets, key_mark, redact_key, secrets_of_words};
use crate::model::text::{Shown, head, is_plain, shown};
use crate::model::tier::Tier;
use crate::model::tool_call::{AllParameters, Parameters};
use crate::rules::world::Outlook;

/// A call with more keys than this is not understood, only listed.
pub(crate) const MAX_KEYS: usize = 1000;
/// Longer keys end in a hash.
const MAX_KEY_CHARS: usize = 200;
/// So much of a long key stands before its hash.
const KEY_HEAD_CHARS: usize = 180;
/// A single value in a key is cut here at first, so that a thousand keys of a megabyte each never exist.
const MAX_VALUE_CHARS: usize = 1024;

/// Options that say where something is done.
const PLACES: &[&str] = &[
    "project",
    "config",
    "environment",
    "env",
    "region",
    "app",
    "namespace",
    "profile",
    "repo",
    "org",
    "stage",
];

/// So few texts are told apart one by one: for them a set takes longer.
const FEW: usize = 8;

/// What stands for a value that is not there.
const UNKNOWN: &str = "unknown";

/// Most calls are asked for at most this many parameters.
const FEW_PARAMETERS: usize = 4;

/// A call's parameters, each read from the host at most once: reading one may copy a megabyte.
pub(crate) struct Lookup<'a> {
    params: &'a dyn Parameters,
    /// What lies around the call, where that may be asked.
    outlook: Option<&'a Outlook<'a>>,
    read: RefCell<SmallVec<[(&'a str, Found<'a>); FEW_PARAMETERS]>>,
    mails: MailTexts,
    unknown: OnceCell<String>,
    secrets: OnceCell<Secrets>,
    fields: OnceCell<Fields>,
    action: OnceCell<Option<String>>,
}

type Found<'a> = Option<Given<'a>>;

/// A parameter as it was read: the caller's own, or what the host was asked for.
#[derive(Clone)]
pub(crate) enum Given<'a> {
    Own(&'a Value),
    Copied(Rc<Value>),
}

impl Deref for Given<'_> {
    type Target = Value;

    fn deref(&self) -> &Value {
        match self {
            Self::Own(value) => value,
            Self::Copied(value) => value,
        }
    }
}

/// What a parameter says that a call does: a text, an object's type, or the first word of a database's command (`["DEL", "key"]`).
fn said_action(value: &Value) -> Option<&str> {
    match value {
        Value::String(action) => Some(action),
        Value::Object(action) => action.get("type")?.as_str(),
        Value::Array(words) => {
            let first = words.first()?.as_str()?;
            let is_command = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_uppercase());
            is_command.then_some(first)
        }
        _ => None,
    }
}

impl<'a> Lookup<'a> {
    pub(crate) fn new(params: &'a dyn Parameters) -> Self {
        Self {
            params,
            outlook: None,
            read: RefCell::default(),
            mails: MailTexts::default(),
            unknown: OnceCell::new(),
            secrets: OnceCell::new(),
            fields: OnceCell::new(),
            action: OnceCell::new(),
        }
    }

    /// The same of a call whose environment may be asked for.
    pub(crate) fn in_world(params: &'a dyn Parameters, outlook: &'a Outlook<'a>) -> Self {
        Self { outlook: Some(outlook), ..Self::new(params) }
    }

    /// Whether a folder is the home that the environment of the call names.
    pub(crate) fn is_own_home(&self, folder: &str) -> bool {
        let home = self.outlook.and_then(|outlook| outlook.variable("HOME"));
        home.is_some_and(|home| home.len() > 1 && home.trim_end_matches('/') == folder)
    }

    /// The value at a dotted path.
    pub(crate) fn get(&self, path: &'a str) -> Found<'a> {
        if let Some((_, found)) = self.read.borrow().iter().find(|(read, _)| *read == path) {
            return found.clone();
        }
        let found = self.params.get(path).map(|value| match value {
            Cow::Borrowed(value) => Given::Own(value),
            Cow::Owned(value) => Given::Copied(Rc::new(value)),
        });
        self.read.borrow_mut().push((path, found.clone()));
        found
    }

    /// The texts at a dotted path: one, or one for each element of a list. Numbers and truth values are their
    /// text; what is empty or an object is none.
    fn texts(&self, path: &'a str) -> Vec<String> {
        match self.get(path).as_deref() {
            Some(Value::Array(items)) => distinct(items.iter().filter_map(text_of)),
            Some(value) => text_of(value).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// The values in them by the names of their fields, wherever these stand.
    fn fields(&self) -> &Fields {
        self.fields.get_or_init(|| {
            let all = self.params.all();
            Fields::of(&all.value, self.secrets.get_or_init(|| Secrets::of(&all.value)))
        })
    }

    /// What is taken out of them where they are shown, as far as they were read: it stands in no key.
    fn secrets(&self) -> Cow<'_, Secrets> {
        match self.secrets.get() {
            Some(of_all) => Cow::Borrowed(of_all),
            None => {
                let read = self.read.borrow();
                let read = read.iter().filter_map(|(path, found)| Some((*path, found.as_deref()?)));
                Cow::Owned(Secrets::of_some(read))
            }
        }
    }

    /// Whether a field of the call itself that is meant, by its name in small letters and without signs, has one of some values.
    pub(crate) fn is_own_one_of(&self, values: &[&str], is_meant: impl Fn(&str) -> bool) -> bool {
        self.fields().own().any(|(own, value)| values.contains(&value) && is_meant(own))
    }

    /// Whether a field of the call itself, by its name in small letters and without signs, has one of some values. What stands in an
    /// object that is given along says nothing.
    pub(crate) fn has_own(&self, name: &str, values: &[&str]) -> bool {
        self.fields().own().any(|(own, value)| own == name && values.contains(&value))
    }

    /// What the first of some parameters that is there says that is done, if that is a word or two of so many bytes at most. A caller asks
    /// for the same ones each time.
    pub(crate) fn action(&self, names: &'static [&'static str], most: usize) -> Option<&str> {
        let found = self.action.get_or_init(|| {
            let of = |params: &dyn Parameters| {
                let mut said = names.iter().filter_map(|name| params.get(name));
                said.find_map(|said| said_action(&said).map(str::to_owned))
            };
            // All that a call says may stand in one of its parameters.
            let wrapped = || of(&*self.params.get("request").filter(|inner| inner.is_object())?);
            let said = of(self.params).or_else(wrapped)?;
            (said.len() <= most && said.split_whitespace().count() <= 2).then_some(said)
        });
        found.as_deref()
    }

    /// Whether a call of a server's tool is given something, and nothing of this machine.
    pub(crate) fn is_elsewhere(&self, tool: &str) -> bool {
        identified::is_elsewhere(tool, self.fields())
    }

    /// Whether a call of a server's tool names a file that a service keeps.
    pub(crate) fn is_stored(&self, tool: &str) -> bool {
        identified::is_stored(tool, self.fields())
    }

    /// Whether a call of a tool names what it acts on as services do, by an id.
    pub(crate) fn is_identified(&self, tool: &str) -> bool {
        identified::is_identified(tool, self.fields())
    }

    /// Whether a call says nothing but which tool it is of.
    pub(crate) fn is_empty(&self) -> bool {
        self.fields().own().next().is_none()
    }

    /// Whether the host says that a call is given nothing.
    pub(crate) fn gives_nothing(&self) -> bool {
        // All of them are read only where there are hardly any.
        self.is_empty() && self.params.all().value.as_object().is_some_and(serde_json::Map::is_empty)
    }

    /// Whether a call names something by an id, and says no more.
    pub(crate) fn only_names(&self) -> bool {
        identified::only_names(self.fields())
    }

    /// Whether a call says which page of something it wants, and nothing else but of what.
    pub(crate) fn only_pages(&self) -> bool {
        identified::only_pages(self.fields())
    }

    /// Whether a field of the call itself is false whose name, in small letters and without signs, begins so.
    pub(crate) fn is_own_false(&self, begin: &str) -> bool {
        self.fields().own().any(|(own, value)| own.starts_with(begin) && value == "false")
    }

    /// Whether a field of the call itself has one of some words in its name.
    pub(crate) fn has_own_named(&self, words: &[&str]) -> bool {
        self.fields().own().any(|(own, _)| words.iter().any(|word| own.contains(word)))
    }

    pub(crate) fn all(&self) -> AllParameters<'a> {
        self.params.all()
    }

    /// For how many commands recipients were left out of the keys: there were too many before.
    pub(crate) fn without_recipients(&self) -> usize {
        self.mails.left_out()
    }

    /// Whether a target was asked for that the call's command line does not say.
    pub(crate) fn has_unknown(&self) -> bool {
        self.unknown.get().is_some()
    }

    /// What stands for a target that this call's command line does not say: the same line has the same one, another line
    /// another one.
    fn unknown_in(&self, line: &str) -> String {
        self.unknown.get_or_init(|| format!("{UNKNOWN}~{}", hash_text(line.trim(), 8))).clone()
    }

    /// A parameter by itself: all of them together may have been too much.
    fn read_again(&self, name: &str) -> Option<Value> {
        self.params.get(name).map(Cow::into_owned)
    }
}

/// The texts, each once and in order; at most one more than there may be keys, so that too many are noticed.
fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    for text in texts {
        if found.len() == FEW && seen.is_empty() {
            seen.extend(found.iter().cloned());
        }
        let is_new = if found.len() < FEW { !found.contains(&text) } else { seen.insert(text.clone()) };
        if is_new {
            found.push(text);
        }
        if found.len() > MAX_KEYS {
            break;
        }
    }
    found
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number_text(number)),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A key that a caller names itself, as the rules write the same resource: in its one spelling, without secrets, cut.
#[must_use]
pub fn named_key(key: &str) -> String {
    let no_params = Value::Null;
    let key = without_user(key.trim().to_owned());
    safe(one_spelling(&key, &Lookup::new(&no_params)).into_owned())
}

/// The keys that the templates give for a call, in order and each once, and whether there were too many.
pub(crate) fn context_keys<'p>(templates: &'p [Template], site: Site<'_, 'p>) -> (Vec<String>, bool) {
    // Of most calls nothing is a resource.
    if templates.is_empty() {
        return (Vec::new(), false);
    }
    let mut too_many = false;
    let resolved: Vec<String> = templates
        .iter()
        .flat_map(|template| {
            let mut keys = if too_many { Vec::new() } else { template.resolve(site) };
            if template.may_be_new() {
                keys = keys.into_iter().flat_map(|key| title::with_titles(key, site)).collect();
            }
            too_many |= keys.len() > MAX_KEYS;
            keys
        })
        .collect();
    // No address is a secret that a command is given.
    let fit = site.fit.filter(|_| !templates.iter().all(Template::is_of_recipients));
    let mut secrets = fit.map(|fit| secrets_of_words(&fit.command.written())).unwrap_or_default();
    if !secrets.is_empty() {
        // What says where is none, wherever it stands among the words.
        let mut places: Vec<String> = PLACES.iter().flat_map(|name| site.flag(name)).collect();
        if fit.is_some_and(|fit| fit.command.invocation.program == "doppler") {
            places.extend(["p", "c"].iter().flat_map(|name| site.flag(name)));
        }
        secrets.retain(|secret| !is_stage(secret) && !places.contains(secret));
    }
    let is_of_values = site.fit.is_none() && templates.iter().any(Template::is_of_values);
    let taken_out = is_of_values.then(|| site.params.secrets());
    let mut keys = distinct(resolved.into_iter().map(|key| {
        let mut key = without_user(key);
        key = taken_out.as_ref().and_then(|secrets| secrets.marked(&key)).unwrap_or(key);
        for secret in &secrets {
            key = key.replace(secret, &key_mark(secret));
        }
        let spelled = match one_spelling(&key, site.params) {
            Cow::Borrowed(same) if same.len() == key.len() => None,
            other => Some(other.into_owned()),
        };
        safe(spelled.unwrap_or(key))
    }));
    too_many |= keys.len() > MAX_KEYS;
    keys.truncate(MAX_KEYS);
    (keys, too_many)
}

/// A key without the user and the password in its address on the web: who asks changes nothing of what is meant, and a token is a new one
/// each time.
fn without_user(mut key: String) -> String {
    let is_address = |at: usize| key.as_bytes().get(at + 1..at + 3) == Some(b"//");
    if !memchr::memchr_iter(b':', key.as_bytes()).any(is_address) {
        return key;
    }
    let mut from = 0;
    while let Some(at) = key.get(from..).and_then(|rest| rest.find("://")).map(|at| from + at) {
        from = at + "://".len();
        let bytes = key.as_bytes();
        let is_web = ["http", "https"].iter().any(|scheme| {
            let before = at.checked_sub(scheme.len()).and_then(|begin| bytes.get(begin..at));
            before.is_some_and(|before| before.eq_ignore_ascii_case(scheme.as_bytes()))
        });
        let rest = key.get(from..).unwrap_or_default();
        let host = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        if let Some(user) = host.rfind('@').filter(|_| is_web) {
            key.replace_range(from..=from + user, "");
        }
    }
    key
}

/// Whether a key says no more of its target than that it is not known.
pub(crate) fn is_unknown(key: &str) -> bool {
    let target = memchr::memrchr(b':', key.as_bytes()).map_or(Some(key), |at| key.get(at + 1..));
    let target = target.and_then(|target| target.strip_prefix(UNKNOWN));
    target.is_some_and(|line| line.is_empty() || line.starts_with('~'))
}

/// The keys of a call; a guarded one without a key of its own is at least not done twice in the same form.
pub(crate) fn keys_or_digest(mut keys: Vec<String>, tier: Tier, tool: &str, digest: &str) -> Vec<String> {
    if keys.is_empty() && tier.is_guarded() {
        keys.push(format!("{tool}:{}", digest.trim_end_matches('~')));
    }
    keys
}

/// A key that may be shown and stored: no secrets, one line, of bounded length; different keys stay different.
fn safe(key: String) -> String {
    let redacted = match redact_key(&key) {
        Cow::Borrowed(_) => None,
        Cow::Owned(redacted) => Some(redacted),
    };
    match redacted {
        // Most keys are such.
        None if key.len() <= MAX_KEY_CHARS && is_plain(&key) => key,
        redacted => safely(&key, redacted.as_deref().unwrap_or(&key)),
    }
}

/// The same of a key that is `redacted` without its secrets.
fn safely(key: &str, redacted: &str) -> String {
    let visible = |c| match shown(c) {
        Shown::As(c) => Some(c),
        Shown::Dropped => None,
    };
    let plain = |text: &str| text.chars().filter_map(visible).collect::<String>();
    match head(redacted, MAX_KEY_CHARS) {
        (whole, false) => plain(whole),
        _ => format!("{}~{}", plain(head(redacted, KEY_HEAD_CHARS).0), hash_text(key, 8)),
    }
}

/// A value short enough to be part of many keys; different values stay different.
fn bounded(value: String) -> String {
    match head(&value, MAX_VALUE_CHARS) {
        (_, false) => value,
        (start, true) => format!("{start}~{}", hash_text(&value, 8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_safe_as_it_is_is_what_it_would_be_made() {
        let keys = [
            "file:/srv/agent/out/1.md".to_owned(),
            "email:alice@example.com".to_owned(),
            String::new(),
            "channel:x\ny\u{200b}é\u{fe0f}".to_owned(),
            format!("http:{}", "a/".repeat(150)),
            "é".repeat(MAX_KEY_CHARS),
            "http:POST:https://example.com/?token=ghp_0123456789abcdefghijklmnopqrstuvwxyz".to_owned(),
        ];
        for key in keys {
            assert_eq!(safe(key.clone()), safely(&key, &redact_key(&key)), "{key}");
        }
    }
}
