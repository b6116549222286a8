//! Tools by the words of their names: `send` and `mail` stand in `mcp__gmail__send_email`, `GMAIL_SEND_EMAIL` and `EmailService.send`.

use std::cell::OnceCell;

use serde_json::Value;

use super::format::Texts;
use super::index_builder::{said_word, stem};
use super::tool_verbs::{self, Sense};
use super::{sql, words};
use crate::rules::context_key::Lookup;

/// At most this many words that stand together in a name may be one word of a rule: `pull_request` is `pullrequest`.
pub(super) const MAX_JOINED: usize = 3;
/// Of a name so many words are looked at: no tool has a longer one.
const MAX_WORDS: usize = 32;
/// A parameter that says what is done is no longer than this, in bytes.
const MAX_ACTION: usize = 80;
/// Parameters that say what a tool does which does several things.
#[rustfmt::skip]
const ACTIONS: &[&str] = &[
    "action", "method", "operation", "op", "verb", "run_action", "action_type", "actionType", "operation_type", "operationType", "http_method",
    "httpMethod", "subcommand", "command", "subCommand", "api_operation", "apiOperation",
];
/// Parameters that say that nothing is to be done, without case and signs, and what they are then.
const TRIALS: &[&str] = &["dryrun", "previewrun", "whatif"];
/// The same, with `only` behind: `plan_only`.
const ONLY_TRIED: &[&str] = &[
    "check",
    "dryrun",
    "estimate",
    "plan",
    "preview",
    "quote",
    "simulate",
    "simulation",
    "validate",
    "validation",
    "verify",
];
const TRIED: &[&str] = &["true", "all", "client", "server"];
/// Parameters that say how something is done, and what they are then.
const MODES: &[&str] = &["mode", "runmode", "runtype", "executionmode"];
#[rustfmt::skip]
const TRIED_MODES: &[&str] = &["dry-run", "dry_run", "dryRun", "dryrun", "plan", "plan-only", "plan_only", "preview", "simulate", "validate"];
/// Parameters of the call itself that are true there.
const PREVIEWS: &[&str] = &["preview", "simulate"];
/// Parameters of the call itself that begin so are false there: `confirm`, `confirmed`, `confirmSend`.
const CONFIRMED: &str = "confirm";
/// Parts of the names of parameters that say how many there shall be.
#[rustfmt::skip]
const NUMBERS: &[&str] = &[
    "amount", "count", "desired", "dyno", "formation", "instance", "machine", "max", "min", "number", "quantity", "replica", "scale", "size",
];
/// Words of servers and at the ends of names for what tells how something is done.
const GUIDES: &[&str] = &["docs", "documentation", "guide", "howto", "instructions", "steps", "tutorial"];
/// Query languages in which something is written, too.
const WRITING_LANGUAGES: &[&str] = &["gql", "graphql", "mysql", "nosql", "postgresql", "psql", "sql"];
/// Words of names for what others see as a draft, too.
const SEEN_DRAFTS: &[&str] = &["pull", "pullrequest", "pr", "merge", "mr"];
/// Verbs of what is given another value.
const SETTING: &[&str] = &["change", "edit", "modify", "set", "submit", "update"];
/// Verbs of what is told by a call: `reply_to_customer`.
#[rustfmt::skip]
const NEEDING: &[&str] = &[
    "approve", "assign", "book", "cancel", "comment", "delete", "disqualify", "edit", "forward", "insert", "invite", "modify", "move", "pay", "post",
    "refund", "reject", "remove", "rename", "reply", "reschedule", "reserve", "send", "transfer", "update", "upload", "upsert", "write",
];
/// Likewise, but for what has no properties.
const MADE: &[&str] = &["add", "create"];
#[rustfmt::skip]
const MADE_OF_NOTHING: &[&str] = &[
    "address", "backup", "checkpoint", "dump", "key", "link", "restore", "room", "sandbox", "session", "snapshot", "token", "url", "wallet",
];
/// Words of names that say to what it is done.
const UNDERSTOOD: &[&str] =
    &["all", "current", "everything", "last", "latest", "my", "own", "pending", "webhook"];
/// Words of tools that run a command somewhere else, which their parameter says.
const RUNNERS: &[&str] = &["exec", "execute", "run", "command", "shell", "ssh", "psql"];
/// Programs that only look around, and subcommands of others that do.
#[rustfmt::skip]
const LOOKING: &[&str] = &[
    "cat", "date", "df", "dmesg", "du", "free", "grep", "head", "hostname", "id", "journalctl", "ls", "lsblk", "lscpu", "netstat", "nproc", "ps", "pwd",
    "ss", "stat", "tail", "uname", "uptime", "vmstat", "wc", "whoami",
];
const LOOKING_BY_WORD: &[(&str, &[&str])] = &[
    ("systemctl", &["status", "show", "is-active", "is-enabled", "is-failed", "list-units", "cat"]),
    ("docker", &["ps", "logs", "inspect", "images", "stats"]),
    ("service", &["--status-all"]),
];
/// What stands before a tool that is one: something draws with it, or an agent is given it.
const TOOLS: &[&str] = &[
    "agent",
    "brush",
    "crop",
    "custom",
    "drawing",
    "edit",
    "editing",
    "external",
    "lines",
    "local",
    "mcp",
    "move",
    "new",
    "paint",
    "patch",
    "remote",
    "select",
    "selection",
];
/// What the functions of a server's program end with, and its tools after them.
const TAILS: &[&str] = &["handler", "impl", "mcp", "tool"];
/// Stands in a group for every verb that does something.
const ACTS: &str = "{acts}";
/// The words of a name, in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NameWords {
    /// All of them, one after the other.
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
    /// How many are the server's.
    of_server: usize,
    /// What those of the tool itself say, from the first that is not the server's once more.
    senses: OnceCell<Vec<Sense>>,
}

impl NameWords {
    /// Those of a tool's name, as whatever host writes it: `mcp__server__tool`, `server__tool`, `mcp_server_tool`, `server.tool`.
    pub(crate) fn of_tool(tool: &str) -> Self {
        let (server, own) = parted(tool);
        let mut all = Self::default();
        all.add(server);
        all.of_server = all.ends.len();
        all.add(own);
        // `delete_item_tool` deletes an item; `create_tool` makes a tool.
        let words: Vec<&str> = all.own().collect();
        let is_tail =
            matches!(&*words, [_, .., before, last] if TAILS.contains(last) && !TOOLS.contains(before));
        if is_tail {
            all.ends.pop();
            all.text.truncate(all.ends.last().copied().unwrap_or(0));
        }
        all
    }

    /// Those of a text that has no server.
    fn of(text: &str) -> Self {
        let mut all = Self::default();
        all.add(text);
        all
    }

    fn add(&mut self, text: &str) {
        let room = MAX_WORDS.saturating_sub(self.ends.len());
        for word in words::words(text).take(room) {
            self.text.extend(word.chars().flat_map(char::to_lowercase));
            self.ends.push(self.text.len());
        }
    }

    /// The words from one to another, as one.
    fn joined(&self, from: usize, to: usize) -> &str {
        let start = from.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = to.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or(0);
        self.text.get(start..end).unwrap_or_default()
    }

    /// Those of the tool itself.
    pub(crate) fn own(&self) -> impl Iterator<Item = &str> {
        (self.of_server..self.ends.len()).map(|place| self.joined(place, place + 1))
    }

    /// Those of the server.
    pub(crate) fn of_server(&self) -> impl Iterator<Item = &str> {
        (0..self.of_server).map(|place| self.joined(place, place + 1))
    }

    /// What may stand in a rule: each word and those that stand together, in the singular, and whether they are the server's.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&str, bool)> {
        self.runs().map(|(run, is_of_server)| (stem(run), is_of_server))
    }

    /// Each word and those that stand together, and whether they are the server's.
    fn runs(&self) -> impl Iterator<Item = (&str, bool)> {
        (0..self.ends.len()).flat_map(move |from| {
            let is_of_server = from < self.of_server;
            let end = if is_of_server { self.of_server } else { self.ends.len() };
            (from + 1..=end.min(from + MAX_JOINED)).map(move |to| (self.joined(from, to), is_of_server))
        })
    }

    /// What each word of the tool itself says of what it does.
    fn senses(&self) -> Vec<(&str, Sense)> {
        let own: Vec<&str> = self.own().collect();
        // Many servers write their name before that of each tool.
        let of_server = own.iter().take_while(|word| self.of_server().any(|server| server == **word)).count();
        let begin = of_server.min(own.len().saturating_sub(1));
        let mut named = own.get(begin..).unwrap_or_default();
        // Who is called like what looks for tools, and then some, is no such one: `tool_search_send_email`.
        if let ["tool", "search", rest @ ..] = named
            && !rest.is_empty()
        {
            named = rest;
        }
        // Each rule that may be for the tool asks.
        let senses = self.senses.get_or_init(|| tool_verbs::senses(named));
        named.iter().copied().zip(senses.iter().copied()).collect()
    }

    /// Whether the name begins with a word that is neither a verb nor the name of a thing that verbs are said of, and has a verb behind
    /// it.
    pub(crate) fn is_begun_by_a_name(&self) -> bool {
        let senses = self.senses();
        matches!(senses.first(), Some((_, Sense::Other))) && tool_verbs::acting(&senses).is_some()
    }

    /// Whether the tool makes something.
    pub(crate) fn makes(&self) -> bool {
        self.acting().is_some_and(|verb| MAKING.contains(&verb))
    }

    /// Whether the tool runs `psql`, which is told statements as its command.
    pub(super) fn runs_psql(&self) -> bool {
        self.own().any(|word| word == "psql")
    }

    /// The verb that says that the tool does something.
    pub(crate) fn acting(&self) -> Option<&str> {
        tool_verbs::acting(&self.senses())
    }
}

/// Verbs of tools that make something.
const MAKING: &[&str] = &["add", "create", "insert", "make", "new", "provision", "register", "upload"];

/// The name of the server, as far as it is told, and the tool's own.
pub(crate) fn parted(tool: &str) -> (&str, &str) {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric();
    // Nearly all names are one word: those have no server.
    if tool.bytes().all(is_letter) {
        return ("", tool);
    }
    let of_mcp = tool.strip_prefix("mcp__");
    let name = of_mcp.unwrap_or(tool);
    if let Some(parts) = name.split_once("__") {
        return parts;
    }
    if let Some(parts) = tool.strip_prefix("mcp_").and_then(|name| name.split_once('_')) {
        return parts;
    }
    name.split_once(['.', ':', '/']).unwrap_or(("", name))
}

/// The letters and digits of a tool's own name, in lower case: `sendKeys`, `send_keys` and `terminal.send-keys` are `sendkeys`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Letters {
    bytes: [u8; Self::MOST],
    len: usize,
    has_server: bool,
}

impl Letters {
    /// No name that is asked for has more.
    const MOST: usize = 32;

    /// Those of a tool as its host names it; none where it has more than are asked for.
    pub(super) fn of(tool: &str) -> Self {
        let (server, own) = parted(tool);
        let mut letters = Self { has_server: !server.is_empty(), ..Self::default() };
        for byte in own.bytes().filter(u8::is_ascii_alphanumeric) {
            let Some(place) = letters.bytes.get_mut(letters.len) else {
                return Self { has_server: letters.has_server, ..Self::default() };
            };
            *place = byte.to_ascii_lowercase();
            letters.len += 1;
        }
        letters
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Whether the name tells whose tool it is.
    pub(super) fn has_server(&self) -> bool {
        self.has_server
    }
}

/// The words that a rule asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolWords {
    /// Of each group one must stand in the name.
    groups: Vec<Vec<String>>,
    /// None of these may.
    unless: Vec<String>,
    /// Its calls are decided about: what only asks is not one of them.
    is_tracked: bool,
}

impl ToolWords {
    pub(super) fn new(groups: &[Texts], unless: &[String], is_tracked: bool) -> Self {
        let word = |word: &String| if word == ACTS { word.clone() } else { said_word(word) };
        let said = |texts: &[String]| texts.iter().map(word).collect::<Vec<_>>();
        Self { groups: groups.iter().map(|group| said(&group.0)).collect(), unless: said(unless), is_tracked }
    }

    /// What is wrong with them.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.first().iter().any(|word| word == ACTS) {
            return Err(format!(
                "`{ACTS}` can't stand in the first group: most names have a verb, so begin with what tells the tool"
            ));
        }
        Ok(())
    }

    /// The first group: by its words rules are found.
    pub(super) fn first(&self) -> &[String] {
        self.groups.first().map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether whatever the other rule takes, this one does.
    pub(super) fn takes(&self, other: &Self) -> bool {
        let is_met =
            |group: &Vec<String>| other.groups.iter().any(|of| of.iter().all(|word| group.contains(word)));
        (other.is_tracked || !self.is_tracked)
            && self.groups.iter().all(is_met)
            && self.unless.iter().all(|word| other.unless.contains(word))
    }

    /// The group of which all words are excluded, too.
    pub(super) fn excluded(&self) -> Option<usize> {
        self.groups.iter().position(|group| group.iter().all(|word| self.unless.contains(word)))
    }

    /// Whether the rule is for a call of a tool with such a name.
    pub(super) fn are_in<'p>(&self, name: &NameWords, params: &Lookup<'p>) -> bool {
        let action = action(params);
        let has_all = (0..self.groups.len()).all(|group| self.found(group, name, action.as_ref()).is_some());
        has_all
            && !self.is_excluded(name, action.as_ref())
            && !(self.is_tracked && self.asks(name, action.as_ref(), params))
    }

    /// The words that led to it, one of each group.
    pub(super) fn matched(&self, name: &NameWords, params: &Lookup<'_>) -> Vec<String> {
        let action = action(params);
        let all = 0..self.groups.len();
        all.filter_map(|group| self.found(group, name, action.as_ref()).map(str::to_owned)).collect()
    }

    /// The word of the first group as the name has it.
    pub(crate) fn named<'n>(&self, name: &'n NameWords) -> Option<&'n str> {
        let is_it = |run: &&str| self.first().iter().any(|word| word == stem(run));
        let of = |server: bool| name.runs().filter(move |(_, of)| *of == server).map(|(run, _)| run);
        of(false).chain(of(true)).find(is_it)
    }

    /// Whether a word stands in one of its groups.
    pub(crate) fn asks_for(&self, word: &str) -> bool {
        self.groups.iter().flatten().any(|own| own == stem(word))
    }

    fn found<'n>(&self, group: usize, name: &'n NameWords, action: Option<&'n NameWords>) -> Option<&'n str> {
        let words = self.groups.get(group)?;
        let is_it = |term: &str| words.iter().any(|word| word == term);
        if words.iter().any(|word| word == ACTS)
            && let Some(verb) = name.acting().or_else(|| action.and_then(NameWords::acting))
        {
            return Some(verb);
        }
        // What the tool itself is called goes before the server's name, of which verbs say nothing of the tool.
        let own = name
            .terms()
            .filter(|(_, is_of_server)| !is_of_server)
            .chain(action.into_iter().flat_map(NameWords::terms));
        let of_server =
            name.terms().filter(|(term, is_of_server)| *is_of_server && !tool_verbs::is_verb(term));
        own.chain(of_server).map(|(term, _)| term).find(|term| is_it(term))
    }

    fn is_excluded(&self, name: &NameWords, action: Option<&NameWords>) -> bool {
        let own = name.terms().filter(|(_, is_of_server)| !is_of_server);
        let mut all = own.chain(action.into_iter().flat_map(NameWords::terms));
        all.any(|(term, _)| self.unless.iter().any(|word| word == term))
    }

    /// Whether the call only asks, by a word that the rule does not ask for itself, or is a trial.
    fn asks(&self, name: &NameWords, action: Option<&NameWords>, params: &Lookup<'_>) -> bool {
        let senses = name.senses();
        let of_action = action.map(NameWords::senses).unwrap_or_default();
        // `members` shows them, unless a parameter says that one is taken out.
        let acts = || senses.len() == 1 && tool_verbs::acting(&of_action).is_some();
        let is_done_to = |word: &&str| tool_verbs::is_shown(word) && acts();
        let asking = tool_verbs::asking(&senses).filter(|word| !is_done_to(word));
        let asking = asking.or_else(|| tool_verbs::asking(&of_action));
        let is_told = tool_verbs::is_told(&senses) || tool_verbs::is_told(&of_action);
        let only_names = tool_verbs::only_names_things(&senses) && tool_verbs::acting(&of_action).is_none();
        let is = |name: &'static str, value: &Value| params.get(name).is_some_and(|found| *found == *value);
        only_names
            || is_told
            || asking.is_some_and(|word| !self.asks_for(word) || tool_verbs::is_shown(word))
            || params.is_own_one_of(TRIED, |name| {
                TRIALS.contains(&name) || name.strip_suffix("only").is_some_and(|tried| ONLY_TRIED.contains(&tried))
            })
            || PREVIEWS.iter().any(|name| is(name, &Value::Bool(true)))
            || MODES.iter().any(|name| params.has_own(name, TRIED_MODES))
            || params.is_own_false(CONFIRMED)
            // `resources_scale` without a number tells how many there are.
            || name.acting() == Some("scale") && !params.has_own_named(NUMBERS)
            // A server refuses `cancel_booking` without anything; a function of that name may need nothing.
            || name.of_server().next().is_some() && params.gives_nothing() && needs_something(&senses)
            // `delete_account_steps` without anything tells how that is done.
            || params.is_empty() && name.of_server().chain(name.own().last()).any(|word| GUIDES.contains(&word))
            // `change_approval_status` without one tells it.
            || name.own().last().is_some_and(|last| matches!(last, "state" | "status"))
                && name.acting().is_some_and(|verb| SETTING.contains(&verb))
                && params.only_names()
            // A book in another format is another file.
            || name.acting() == Some("convert") && params.has_own_named(&["format"])
            // What is written and not shown yet.
            || ["status", "type", "ordertype"].iter().any(|field| params.has_own(field, &["draft", "Draft"]))
            || is("draft", &Value::Bool(true)) && !name.own().any(|word| SEEN_DRAFTS.contains(&word))
            || (RUNNERS.iter().any(|word| name.own().any(|own| own == *word)) && (only_looks(params) || only_queries(name, params)))
            || only_pages(&senses, params)
    }
}

/// Whether the verb of a name can't be done without saying to what, or with what.
fn needs_something(senses: &[(&str, Sense)]) -> bool {
    let has = |words: &[&str]| senses.iter().any(|(word, _)| words.contains(word));
    let verb = tool_verbs::acting(senses);
    senses.len() > 1
        && verb.is_some_and(|verb| NEEDING.contains(&verb) || MADE.contains(&verb) && !has(MADE_OF_NOTHING))
        && !has(UNDERSTOOD)
}

/// Whether a tool that runs something is given a query in a language that only asks, or SQL that does.
fn only_queries(name: &NameWords, params: &Lookup<'_>) -> bool {
    let is_language =
        |word: &str| word.len() > 2 && word.ends_with("ql") && !WRITING_LANGUAGES.contains(&word);
    let own: Vec<&str> = name.own().collect();
    let joined = own.windows(2).any(|pair| matches!(pair, [_, "ql"]));
    joined || own.iter().any(|word| is_language(word)) || sql::is_only_read(name.runs_psql(), params)
}

/// Whether a call says no more than which page of what it wants, and its verb may well be for that: `transactions_sync` with a cursor.
fn only_pages(senses: &[(&str, Sense)], params: &Lookup<'_>) -> bool {
    let is_strong = senses.iter().any(|(word, sense)| *sense == Sense::Does && words::is_plain_verb(word));
    !is_strong && params.only_pages()
}

/// Whether the command that a tool is to run only looks around: one program, without signs of a shell.
fn only_looks(params: &Lookup<'_>) -> bool {
    let Some(command) = params.get("command") else { return false };
    let line = match &*command {
        Value::String(line) if line.len() <= MAX_ACTION => line.clone(),
        Value::Array(words) if words.len() <= MAX_ACTION => {
            let Some(words) = words.iter().map(Value::as_str).collect::<Option<Vec<_>>>() else {
                return false;
            };
            words.join(" ")
        }
        _ => return false,
    };
    if line.contains(['|', ';', '&', '>', '<', '`', '$', '\n', '\\']) {
        return false;
    }
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default();
    let by_word = LOOKING_BY_WORD.iter().find(|(known, _)| *known == program);
    // Names of hosts and dates are set by an argument.
    let sets =
        matches!(program, "hostname" | "date" | "dmesg" | "journalctl") && words.clone().next().is_some();
    LOOKING.contains(&program) && !sets
        || by_word.is_some_and(|(_, known)| words.next().is_some_and(|word| known.contains(&word)))
}

/// What a parameter says that the call does.
pub(super) fn action(params: &Lookup<'_>) -> Option<NameWords> {
    params.action(ACTIONS, MAX_ACTION).map(NameWords::of)
}
