//! The words that names of tools, commands and scripts are made of, and which of them say that something is done outside.

/// Verbs that say so whatever follows them: something is sent, shown, paid or taken away where others see it. Lower case, sorted.
pub const STRONG_VERBS: &[&str] = &[
    "approve",
    "ban",
    "bill",
    "book",
    "broadcast",
    "buy",
    "cancel",
    "charge",
    "checkout",
    "comment",
    "delete",
    "deploy",
    "deposit",
    "destroy",
    "dial",
    "dispatch",
    "email",
    "forward",
    "fulfill",
    "invite",
    "kick",
    "mail",
    "merge",
    "message",
    "mint",
    "notify",
    "order",
    "pay",
    "payout",
    "post",
    "promote",
    "provision",
    "publish",
    "purchase",
    "purge",
    "push",
    "react",
    "refund",
    "register",
    "reject",
    "release",
    "remove",
    "rent",
    "reply",
    "repost",
    "reserve",
    "respond",
    "retweet",
    "revoke",
    "rollback",
    "rsvp",
    "schedule",
    "sell",
    "send",
    "share",
    "ship",
    "sms",
    "submit",
    "subscribe",
    "terminate",
    "tip",
    "trade",
    "transfer",
    "trigger",
    "tweet",
    "unpublish",
    "unsubscribe",
    "upload",
    "withdraw",
];

/// Verbs that change something, which is as often a thing of this machine as one outside. Lower case, sorted.
pub const CHANGING_VERBS: &[&str] = &[
    "add", "archive", "assign", "close", "create", "disable", "edit", "enable", "insert", "modify", "patch",
    "put", "rename", "reopen", "replace", "resolve", "restart", "restore", "scale", "set", "update",
    "upsert", "write",
];

/// Verbs that only ask. Lower case, sorted.
pub const ASKING_VERBS: &[&str] = &[
    "analyze", "browse", "check", "compare", "count", "describe", "diff", "download", "estimate", "explain",
    "export", "fetch", "find", "get", "has", "history", "inspect", "is", "list", "logs", "lookup", "poll",
    "preview", "query", "read", "recall", "retrieve", "scan", "search", "show", "snapshot", "stats",
    "status", "validate", "verify", "view", "wait", "watch",
];

/// Strong verbs that are names of things, too: `order_list` lists orders. Sorted.
pub const NOUNS: &[&str] = &[
    "bill", "book", "charge", "comment", "email", "invite", "mail", "message", "order", "post", "purchase",
    "release", "schedule", "share", "sms", "tip", "trade", "transfer", "trigger", "tweet", "upload",
];

/// Things of this machine and of the session itself, which changing verbs are mostly said of. Sorted.
const LOCAL: &[&str] = &[
    "cell",
    "clipboard",
    "dir",
    "directory",
    "file",
    "files",
    "folder",
    "goal",
    "memories",
    "memory",
    "notebook",
    "plan",
    "tab",
    "todo",
    "todos",
    "viewport",
];

/// Whether a strong verb, in lower case, is the name of a thing, too.
#[must_use]
pub fn is_noun(verb: &str) -> bool {
    NOUNS.binary_search(&verb).is_ok()
}

/// Whether a verb says by itself that something is done outside.
#[must_use]
pub fn is_strong_verb(word: &str) -> bool {
    STRONG_VERBS.binary_search(&word).is_ok()
}

/// Whether a word is a strong or changing verb and no thing.
pub(super) fn is_plain_verb(word: &str) -> bool {
    let is_one = is_strong_verb(word) || CHANGING_VERBS.binary_search(&word).is_ok();
    is_one && !is_noun(word)
}

/// A word in the singular; `status` is.
pub(super) fn singular(word: &str) -> &str {
    let is_es = |stem: &&str| ["ch", "sh", "ss", "x", "tus"].iter().any(|end| stem.ends_with(end));
    if let Some(stem) = word.strip_suffix("es").filter(is_es) {
        return stem;
    }
    word.strip_suffix('s').filter(|word| word.len() > 2 && !word.ends_with(['s', 'u'])).unwrap_or(word)
}

/// The words of a name, as they are written: cut at whatever is neither letter nor digit, before a capital that follows a small
/// letter or a digit, and before the last capital of several if a small letter follows (`HTTPServer2Send`: `HTTP`, `Server2`, `Send`).
pub fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|char: char| !char.is_alphanumeric()).filter(|run| !run.is_empty()).flat_map(|run| {
        let mut rest = run;
        std::iter::from_fn(move || {
            let (word, after) = rest.split_at(end_of_word(rest));
            rest = after;
            (!word.is_empty()).then_some(word)
        })
    })
}

/// Where the first word ends of a run of letters and digits.
fn end_of_word(run: &str) -> usize {
    let mut before: Option<char> = None;
    let mut chars = run.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let is_begin = char.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || chars.peek().is_some_and(|(_, next)| next.is_lowercase())
            });
        if is_begin {
            return at;
        }
        before = Some(char);
    }
    run.len()
}

/// The strong or changing verb that makes a name sound like an effect outside; `None` where none does. What a host puts before
/// a tool's own name (`mcp__server__`) does not count.
#[must_use]
pub fn effect_verb(name: &str) -> Option<&'static str> {
    let own = name.rsplit("__").find(|part| !part.is_empty()).unwrap_or_default();
    let of = |list: &'static [&'static str], word: &str| {
        list.iter().copied().find(|known| known.eq_ignore_ascii_case(word))
    };
    let mut verb = None;
    for word in words(own) {
        if of(ASKING_VERBS, word).is_some() {
            // The first verb decides, unless it may be the name of what is asked for.
            return verb.filter(|verb| !NOUNS.contains(verb));
        }
        verb = verb.or_else(|| of(STRONG_VERBS, word)).or_else(|| of(CHANGING_VERBS, word));
    }
    verb.filter(|verb| !CHANGING_VERBS.contains(verb) || !words(own).any(|word| of(LOCAL, word).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        for (name, expected) in [
            ("mcp__slack__postMessage", &["mcp", "slack", "post", "Message"][..]),
            ("slack__post_message", &["slack", "post", "message"]),
            ("createPaymentIntent", &["create", "Payment", "Intent"]),
            ("GMAIL_SEND_EMAIL", &["GMAIL", "SEND", "EMAIL"]),
            ("HTTPServer2Send", &["HTTP", "Server2", "Send"]),
            ("notion-create-pages", &["notion", "create", "pages"]),
            ("chat.postMessage", &["chat", "post", "Message"]),
            ("sendSMS", &["send", "SMS"]),
            ("s3cmd", &["s3cmd"]),
            ("IDs", &["I", "Ds"]),
            ("ÜberweisungSenden", &["Überweisung", "Senden"]),
            ("发送Message", &["发送", "Message"]),
            ("__", &[]),
            ("", &[]),
        ] {
            assert_eq!(words(name).collect::<Vec<_>>(), expected, "{name}");
        }
    }

    #[test]
    fn names_that_sound_like_an_effect() {
        for (name, verb) in [
            ("mcp__slack__postMessage", Some("post")),
            ("slack__post_message", Some("post")),
            ("createPaymentIntent", Some("create")),
            ("GMAIL_SEND_EMAIL", Some("send")),
            ("HTTPServer2Send", Some("send")),
            ("issues.close", Some("close")),
            ("create_view", Some("create")),
            ("send_read_receipt", Some("send")),
            ("mcp__drive__upload_file", Some("upload")),
            ("merge_pull_request", Some("merge")),
            ("release", Some("release")),
            ("get_order", None),
            ("order_list", None),
            ("release.get", None),
            ("searchPosts", None),
            ("list_orders", None),
            ("mcp__release-notes__search", None),
            ("mcp__publish__", Some("publish")),
            ("update_plan", None),
            ("write_file", None),
            ("todoWrite", None),
            ("poster", None),
            ("", None),
        ] {
            assert_eq!(effect_verb(name), verb, "{name}");
        }
    }

    #[test]
    fn lists_are_sorted_and_have_each_verb_once() {
        for list in [STRONG_VERBS, CHANGING_VERBS, ASKING_VERBS, NOUNS, LOCAL] {
            assert!(list.is_sorted_by(|one, other| one < other), "{list:?}");
        }
        assert!(NOUNS.iter().all(|noun| STRONG_VERBS.contains(noun)));
        assert!(
            !ASKING_VERBS.iter().any(|verb| STRONG_VERBS.contains(verb) || CHANGING_VERBS.contains(verb))
        );
        assert!(!CHANGING_VERBS.iter().any(|verb| STRONG_VERBS.contains(verb)));
    }
}
