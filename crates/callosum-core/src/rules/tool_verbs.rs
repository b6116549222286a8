//! What the words of a tool's name say that it does: `send_message` sends, `message_history` and `user_posts` show something.

use super::words::{ASKING_VERBS, NOUNS, is_plain_verb};

/// What a word says of what a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// It does something.
    Does,
    /// It does something, or is the thing that something is done to: `order`.
    MayDo,
    /// Several things by such a name (`orders`), or one whose name has a verb in it (`order_book`).
    Things,
    /// It runs what another word names: `run_report`, `run_job`.
    Runs,
    /// It only asks or prepares.
    Asks,
    /// Only where it is the first word and nothing is done: `build_request`, but neither `trigger_build` nor `build_cancel`.
    MayPrepare,
    Other,
}

/// Verbs of tools that do something, besides those of commands. Sorted.
#[rustfmt::skip]
const ACTING: &[&str] = &[
    "abandon", "abort", "accept", "ack", "acknowledge", "activate", "adjust", "administer", "admit", "allocate", "allot", "allow", "amend",
    "annotate", "announce", "appeal", "append", "apply", "appoint", "arm", "attach", "authorize", "award", "ban", "bind", "blacklist",
    "blast", "block", "boost", "burn", "callout", "capture", "certify", "change", "checkin", "circulate", "claim", "clear", "clone", "collect",
    "commission", "commit", "compensate", "complete", "conclude", "configure", "confirm", "contain", "contribute", "convert", "copy",
    "cordon", "countersign", "creation", "crosspost", "deactivate", "deallocate", "deauthorize", "decline", "decommission", "decrease",
    "defer", "delegate", "deletion", "delist", "deliver", "demote", "deny", "deprovision", "designate", "detach", "disarm", "disburse",
    "discard", "discharge", "disconnect", "discontinue", "dismiss", "dispense", "dispute", "disqualify", "distribute", "divert", "donate",
    "downgrade", "downvote", "drain", "drop", "duplicate", "elevate", "empty", "end", "endorse", "enforce", "enqueue", "enrol", "enroll",
    "erase", "escalate", "esign", "evacuate", "evict", "excuse", "exempt", "expire", "extend", "favorite", "finalize", "flush", "follow",
    "forgive", "fork", "freeze", "grade", "grant", "hangup", "hire", "ignore", "impersonate", "import", "impose", "increase", "increment",
    "initialize", "initiate", "install", "invalidate", "invoke", "isolate", "join", "kill", "launch", "lease", "lend", "levy", "lift",
    "like", "link", "liquidate", "lock", "lodge", "make", "manage", "mark", "migrate", "moderate", "move", "mutate", "mute", "nack",
    "nominate", "notarize", "nudge", "offboard", "onboard", "override", "overwrite", "pause", "penalize", "pin", "place", "pledge",
    "prescribe", "press", "procure", "produce", "prorate", "quarantine", "raise", "ratify", "reactivate", "reassign", "rebalance", "reboot",
    "rebuild", "receive", "recharge", "reclaim", "reconcile", "redact", "redeem", "redeploy", "redispatch", "redrive", "reduce",
    "regenerate", "reimburse", "reindex", "reinstate", "rekey", "relabel", "relist", "relocate", "remediate", "remind", "remit", "renew",
    "reorder", "repay", "replay", "replenish", "reprice", "reprocess", "republish", "requeue", "reroute", "rerun", "reschedule", "rescind",
    "reseed", "reset", "resign", "resize", "restock", "restrict", "resume", "retire", "retract", "retry", "revalidate", "reverse", "revert",
    "revise", "reward", "rollout", "rotate", "sanction", "save", "seed", "seize", "settle", "shadowban", "shutdown", "sign", "silence",
    "snooze", "spawn", "split", "sponsor", "stake", "star", "start", "stop", "substitute", "supersede", "supply", "surrender", "suspend",
    "swap", "swipe", "sync", "tender", "throttle", "toggle", "transact", "transition", "trash", "truncate", "unack", "unarchive",
    "unassign", "unban", "unbind", "unblock", "uncordon", "undo", "unenrol", "unenroll", "unfollow", "unfreeze", "unhold", "uninstall",
    "unlike", "unlink", "unlist", "unlock", "unmark", "unmerge", "unpin", "unpublish", "unsend", "unsnooze", "unstake", "unstar",
    "unsuspend", "upgrade", "upvote", "void", "vote", "waive", "warn", "whitelist", "wipe", "withhold",
];
const RUNNING: &[&str] = &["execute", "perform", "run"];
/// Verbs of tools that only ask or prepare, besides those of commands.
#[rustfmt::skip]
const PREPARING: &[&str] = &[
    "ask", "calculate", "compose", "decode", "detect", "dry", "encode", "evaluate", "extract", "generate", "introspect", "parse",
    "predict", "prepare", "quote", "recommend", "rewrite", "simulate", "suggest", "summarize", "track", "translate",
];
const MAY_PREPARE: &[&str] = &["build", "format", "plan", "score", "test"];
/// Names of things that are made of verbs.
#[rustfmt::skip]
const COMPOUNDS: &[[&str; 2]] = &[
    ["add", "on"], ["add", "ons"], ["block", "height"], ["block", "number"], ["block", "transactions"], ["change", "history"],
    ["change", "log"], ["change", "set"], ["check", "ins"], ["check", "run"], ["check", "runs"], ["check", "suite"], ["data", "set"],
    ["end", "date"], ["end", "point"], ["end", "points"], ["end", "time"], ["merge", "request"], ["merge", "requests"], ["order", "book"],
    ["order", "books"], ["post", "mortem"], ["record", "set"], ["release", "note"], ["release", "notes"], ["replica", "set"],
    ["rule", "set"], ["sign", "in"], ["sign", "ins"], ["sign", "up"], ["sign", "ups"], ["start", "date"], ["start", "time"],
    ["stateful", "set"], ["stop", "times"], ["update", "history"],
];
/// Verbs of tools that are names of things as well, besides those of commands.
const THINGS: &[&str] = &[
    "broadcast",
    "checkout",
    "deposit",
    "label",
    "like",
    "link",
    "payout",
    "refund",
    "signal",
    "swap",
    "vote",
];
/// Names of things that are verbs where a name begins with them and one of these: `record_payment`, but neither `dns_record` nor `record_types`.
#[rustfmt::skip]
const BEFORE: &[(&str, &[&str])] = &[
    ("answer", &["call", "question", "ticket"]),
    ("dm", &["customer", "member", "user"]),
    ("file", &["appeal", "claim", "complaint", "dispute", "motion", "return"]),
    ("issue", &["card", "certificate", "credit", "invoice", "license", "payment", "payout", "refund", "reward", "token", "voucher"]),
    ("leave", &["channel", "chat", "group", "room", "server"]),
    ("log", &["activity", "call", "expense", "hours", "meeting", "time", "visit", "work"]),
    ("open", &["account", "case", "claim", "dispute", "door", "garage", "gate", "incident", "issue", "position", "ticket"]),
    ("page", &["engineer", "oncall", "responder", "responders", "team", "user"]),
    ("process", &["payment", "payout", "payroll", "return"]),
    ("record", &["donation", "expense", "invoice", "payment", "sale", "transaction"]),
    ("report", &["abuse", "bug", "incident", "outage", "spam", "user"]),
    ("request", &["access", "approval", "call", "callback", "changes", "leave", "payment", "pickup", "review", "reviewers", "ride", "signature", "time", "withdrawal"]),
    ("return", &["document", "item", "order", "submission"]),
    ("tag", &["contact", "conversation", "customer", "lead", "member", "subscriber", "user"]),
    ("text", &["customer", "guest", "member", "user"]),
    ("timeout", &["member", "user"]),
    ("wire", &["funds", "money"]),
];
/// What is placed. Elsewhere a place is one on a map.
const PLACED: &[&str] = &["bet", "bid", "booking", "call", "hold", "order", "orders", "reservation", "trade"];
/// Verbs of two words.
#[rustfmt::skip]
const PHRASES: &[[&str; 2]] = &[
    ["call", "out"], ["cash", "out"], ["check", "in"], ["check", "out"], ["clock", "in"], ["clock", "out"], ["dial", "out"], ["fail", "over"],
    ["hand", "off"], ["hand", "over"], ["hang", "up"], ["kick", "off"], ["maintenance", "off"], ["maintenance", "on"], ["opt", "in"], ["opt", "out"],
    ["pay", "out"], ["power", "cycle"], ["power", "off"], ["power", "on"], ["roll", "back"], ["roll", "out"], ["shut", "down"], ["shut", "off"],
    ["sign", "off"], ["spin", "down"], ["spin", "up"], ["switch", "off"], ["switch", "on"], ["take", "down"], ["tear", "down"], ["top", "up"],
    ["turn", "off"], ["turn", "on"],
];
/// What is done over a time, and what is shown of that: `purge_status`, `deploy_logs`.
#[rustfmt::skip]
const COURSES: &[&str] = &[
    "block", "cancel", "capture", "claim", "deploy", "freeze", "import", "install", "launch", "lock", "merge", "migrate", "pause", "place",
    "purge", "redeploy", "reindex", "restore", "rollback", "rollout", "stake", "sync", "upgrade",
];
/// What names of such things end with.
#[rustfmt::skip]
const OF_COURSES: &[&str] = &[
    "attempts", "candidates", "errors", "history", "log", "logs", "options", "policies", "policy", "progress", "result", "results", "runs", "statistics", "stats", "status",
    "timeline",
];
/// What names of runs end with besides.
#[rustfmt::skip]
const OF_RUNS: &[&str] = &[
    "artifacts", "details", "events", "info", "metrics", "output", "outputs", "state", "steps", "summary", "usage",
];
/// Things by which verbs are names of things before them: `order_items`, `message_reactions`.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "attachments", "comments", "fields", "fulfillments", "headers", "items", "lines", "reactions", "recipients", "refunds", "replies",
    "revisions", "threads", "transactions", "types",
];
/// Verbs that are mostly names of things before these.
const WITH_PARTS: &[&str] =
    &["bill", "charge", "comment", "email", "mail", "message", "order", "post", "release"];
/// Verbs that only ask and are names of what something is done with where another verb ends the name: `status_post`, `poll_close`.
const DONE_WITH: &[&str] = &["history", "logs", "poll", "snapshot", "stats", "status"];
/// Verbs that only ask wherever they stand at the end: `send_status_get`.
const LAST_ASKING: &[&str] = &["browse", "describe", "fetch", "get", "preflight", "prepare", "retrieve"];
/// Those that stand at the end of a name, too: `blob_upload`, but not `address_book`.
const LAST: &[&str] = &[
    "checkout", "comment", "email", "invite", "like", "mail", "message", "payout", "post", "purchase",
    "refund", "share", "sms", "transfer", "trigger", "tweet", "upload", "vote",
];
/// What a call of a tool shows whose name ends with such a word, unless a verb stands right before it: `place_order_preview`.
const PREVIEWED: &[&str] = &["preview", "simulation"];
/// Likewise, unless the name begins with a verb: `payout_change_check`, but not `create_uptime_check`.
const CHECKED: &[&str] = &["check", "eligibility", "validation", "verification"];
/// Likewise, unless there is a verb at all.
#[rustfmt::skip]
const SHOWN: &[&str] = &[
    "activity", "address", "addresses", "analysis", "analytics", "analyzer", "attribution", "availability", "balance", "balances",
    "benchmark", "benchmarks", "breakdown", "calculator", "catalog", "categories", "changes", "checker", "clicks", "comparables",
    "comparison", "confirmation", "conflicts", "cost", "costs", "count", "coverage", "credit", "credits", "dates", "depth", "detail",
    "details", "distribution", "docs", "documentation", "estimate", "estimator", "explorer", "faq", "fee", "feed", "fees", "finder",
    "forecast", "gateway", "guide", "health", "help", "history", "ideas", "indicators", "info", "information", "insights", "instructions",
    "lag", "limits", "list", "load", "log", "logs", "lookup", "margins", "members", "metadata", "metrics", "news", "offers", "opens",
    "options", "overview", "pdf", "performance", "policies", "policy", "price", "prices", "pricing", "progress", "quote", "quotes", "ranking",
    "rankings", "rate", "rates", "reader", "reasons", "recommendations", "recommender", "requirements", "result", "results", "reviews",
    "schema", "score", "search", "sentiment", "slots", "spread", "state", "statistics", "stats", "status", "summaries", "summary",
    "templates", "terms", "timeline", "times", "total", "totals", "tracker", "trends", "types", "usage", "verifier", "versions", "viewer",
    "volume", "zones",
];
/// Verbs that only ask and are names of what is shown, too.
const ALSO_SHOWN: &[&str] =
    &["check", "count", "history", "list", "logs", "snapshot", "stats", "status", "view"];
/// What is only asked for by a tool that runs it.
#[rustfmt::skip]
const RUN_TO_ASK: &[&str] = &[
    "analysis", "analytics", "audit", "card", "check", "checks", "dax", "diagnostics", "esql", "estimate", "eval", "evaluation",
    "insight", "insights", "look", "queries", "query", "report", "reports", "scan", "search", "simulation", "soql", "sosl", "test",
    "tests",
];
/// What stands before a thing that is only shown: `latest_post`, `my_order`.
const SHOWING: &[&str] = &[
    "best", "current", "daily", "full", "last", "latest", "my", "next", "previous", "random", "recent",
    "single", "today", "top", "trending", "user", "weekly",
];
/// What stands before several things that are only shown: `open_positions`, but not `open_position`.
#[rustfmt::skip]
const SHOWING_SEVERAL: &[&str] = &[
    "abandoned", "active", "all", "archived", "assigned", "available", "closed", "completed", "deleted", "failed", "inbound", "open", "outbound",
    "overdue", "past", "pending", "queued", "received", "scheduled", "sent", "unread", "upcoming",
];
/// What is said of a draft that does not stay one, before it and behind it.
const SENT_BEFORE: &[&str] = &["complete", "post", "publish", "schedule", "send", "submit"];
const SENT_BEHIND: &[&str] = &["publish", "send", "submit"];

/// What `resolve` asks for, and what it settles.
const LOOKED_UP: &[&str] = &[
    "by",
    "id",
    "ids",
    "handle",
    "library",
    "url",
    "did",
    "domain",
    "hostname",
    "address",
    "name",
    "names",
    "path",
    "dns",
    "assignees",
    "contacts",
    "members",
    "people",
    "recipients",
    "symbol",
    "ticker",
    "users",
];
#[rustfmt::skip]
const SETTLED: &[&str] = &[
    "alert", "annotation", "case", "comment", "conversation", "discussion", "dispute", "error", "event", "finding", "incident", "issue", "problem",
    "request", "review", "task", "thread", "ticket",
];
/// Verbs that make what only shows something, and what that is called: `create_mockup_task`, `start_simulation`.
const MAKING: &[&str] = &["add", "create", "make", "new", "start"];
#[rustfmt::skip]
const MADE_TO_SHOW: &[&str] = &["broadcast", "estimation", "favorite", "favorites", "favourite", "favourites", "forecast", "mockup", "newsletter", "simulation"];
/// A verb that is the name of a service as well.
const A_SERVICE: &str = "resend";
/// What is measured or written down of things.
#[rustfmt::skip]
const MEASURED: &[&str] = &[
    "activities", "analytics", "breakdown", "changes", "history", "insights", "logs", "metrics", "report", "reports", "statistics", "stats", "timeline", "usage",
];
/// What `set` and `switch` choose for later calls of the same session.
const CHOSEN: &[&str] = &["active", "context", "current"];

/// The word that says that a name looks something up or chooses something for its own session: `resolve_users_by_name`,
/// `set_active_board`.
fn preliminary<'n>(name: &[(&'n str, Sense)]) -> Option<&'n str> {
    let found = |list: &[&str]| name.iter().map(|(word, _)| *word).find(|word| list.contains(word));
    if found(MAKING).is_some()
        && let Some(shown) = found(MADE_TO_SHOW)
    {
        return Some(shown);
    }
    match name {
        [("resolve", _), ..] => found(LOOKED_UP).filter(|_| found(SETTLED).is_none()),
        [("set" | "switch", _), (next, _), ..] => Some(*next).filter(|next| CHOSEN.contains(next)),
        _ => None,
    }
}

/// What each word of a tool's own name says.
pub(super) fn senses(own: &[&str]) -> Vec<Sense> {
    let pair = |from: usize| own.get(from..from + 2).unwrap_or_default();
    let is_of = |list: &[[&str; 2]], from: usize| list.iter().any(|known| known == pair(from));
    let last = own.last().copied().unwrap_or_default();
    let ends_with_verb = || match sense_of(last) {
        Sense::Does => true,
        Sense::MayDo => LAST.contains(&last),
        _ => false,
    };
    let sense = |(place, word): (usize, &&str)| {
        let plain = sense_of(word);
        let behind = |steps: usize| own.get(place + steps).copied().unwrap_or_default();
        let is_behind = |list: &[[&str; 2]]| place.checked_sub(1).is_some_and(|before| is_of(list, before));
        let is_before_last = place + 2 == own.len();
        let is_first = place == 0 && own.len() > 1;
        let is_run = plain == Sense::Runs;
        let is_shown = || {
            let is_course = (is_run || COURSES.contains(word)) && OF_COURSES.contains(&last);
            let is_of_one = place > 0 && matches!(last, "jobs" | "tasks");
            is_before_last && (is_course || is_run && (is_of_one || OF_RUNS.contains(&last)))
        };
        let has_parts = || is_first && is_before_last && WITH_PARTS.contains(word) && PARTS.contains(&last);
        let is_named = || behind(1) == "by" && plain == Sense::MayDo;
        if is_of(COMPOUNDS, place) || is_behind(COMPOUNDS) || is_shown() || has_parts() || is_named() {
            return Sense::Things;
        }
        if is_of(PHRASES, place) {
            return Sense::Does;
        }
        // `find_and_replace`, `get_or_create`
        let is_led_on = || matches!(behind(1), "and" | "or") && sense_of(behind(2)) == Sense::Does;
        let is_done_with = || is_first && DONE_WITH.contains(word) && ends_with_verb();
        if plain == Sense::Asks && (is_led_on() || is_done_with()) || is_behind(PHRASES) {
            return Sense::Other;
        }
        // `new_order` makes one.
        let is_new = || *word == "new" && sense_of(behind(1)) == Sense::MayDo;
        if *word == "place" && !own.iter().any(|word| PLACED.contains(word)) {
            return Sense::Other;
        }
        let is_before = || {
            let things = BEFORE.iter().find(|(verb, _)| verb == word).map(|(_, things)| *things);
            is_first && things.is_some_and(|things| things.contains(&behind(1)))
        };
        if is_new() || is_before() { Sense::Does } else { plain }
    };
    own.iter().enumerate().map(sense).collect()
}

/// What a word may be the plural of, or a verb that says what somebody else does: `releases`, `pushes`. None of these tells a tool what to do.
fn plural_of(word: &str) -> impl Iterator<Item = &str> {
    let known = [("copies", "copy"), ("denies", "deny"), ("replies", "reply"), ("retries", "retry")];
    let known = known.into_iter().find(|(plural, _)| *plural == word).map(|(_, one)| one);
    [known, word.strip_suffix('s'), word.strip_suffix("es")].into_iter().flatten()
}

fn sense_of(word: &str) -> Sense {
    // What undoes something or does it again does something: `unmute`, `resync`.
    let does = |word: &str| is_plain_verb(word) || ACTING.binary_search(&word).is_ok();
    let is_thing = |word: &str| NOUNS.binary_search(&word).is_ok() || THINGS.contains(&word);
    if is_thing(word) {
        Sense::MayDo
    } else if word == "runs" || plural_of(word).any(|one| is_thing(one) || does(one)) {
        Sense::Things
    } else if does(word) || word.strip_prefix("un").is_some_and(does) {
        Sense::Does
    } else if RUNNING.contains(&word) {
        Sense::Runs
    } else if ASKING_VERBS.binary_search(&word).is_ok() || PREPARING.contains(&word) {
        Sense::Asks
    } else if word.strip_prefix("re").is_some_and(does) && word != A_SERVICE {
        Sense::Does
    } else if MAY_PREPARE.contains(&word) {
        Sense::MayPrepare
    } else {
        Sense::Other
    }
}

/// The verb that says that a tool does something: one that may be a thing (`message`, `order`) only before another word, alone, or at
/// the end of a name without any other verb (`blob_upload`, but neither `list_post` nor `my_post`).
pub(super) fn acting<'n>(name: &[(&'n str, Sense)]) -> Option<&'n str> {
    let does = |(place, (_, sense)): &(usize, &(&str, Sense))| match sense {
        Sense::Does | Sense::Runs => true,
        Sense::MayDo => name.len() == 1 || place + 1 < name.len(),
        _ => false,
    };
    if let Some((place, (word, sense))) = name.iter().enumerate().find(does) {
        // `work_order_create` creates an order.
        let behind = name.get(place + 1..).unwrap_or_default();
        return match behind {
            [(verb, Sense::Does)] if place > 0 && *sense == Sense::MayDo && is_plain_verb(verb) => Some(verb),
            _ => Some(word),
        };
    }
    let is_asked = name.iter().any(|(word, sense)| matches!(sense, Sense::Asks) || SHOWING.contains(word));
    match name {
        // `permalink_for_message`
        [.., ("by" | "for" | "from" | "in" | "of" | "with", _), _] => None,
        [.., (word, Sense::MayDo)] if !is_asked && LAST.contains(word) => Some(word),
        _ => None,
    }
}

/// A name up to what something is done with, where a verb says that something is: `create_voice` of `create_voice_from_preview`.
fn head<'a, 'n>(name: &'a [(&'n str, Sense)]) -> &'a [(&'n str, Sense)] {
    let is_with =
        |(word, _): &(&str, Sense)| matches!(*word, "by" | "for" | "from" | "using" | "via" | "with");
    let Some(at) = name.iter().position(is_with).filter(|at| *at > 1) else { return name };
    let (before, _) = name.split_at(at);
    if before.iter().any(|(_, sense)| *sense == Sense::Does) { before } else { name }
}

/// What a name ends with that shows what was measured or written down of what stands before it: `campaign_send_analytics`,
/// `message_delivery_report`; a verb that can't be a thing and stands first does something with it: `send_report`, `create_report`.
fn measured<'n>(name: &[(&'n str, Sense)]) -> Option<&'n str> {
    let [(_, first), .., (last, _)] = name else { return None };
    (MEASURED.contains(last) && *first != Sense::Does).then_some(*last)
}

/// Whether a name says so whatever a rule asks for.
pub(super) fn is_told(name: &[(&str, Sense)]) -> bool {
    preliminary(name).is_some() || measured(name).is_some()
}

/// The word that says that a tool only asks or prepares: one before a verb that does something, what the name ends with, or a draft.
pub(super) fn asking<'n>(name: &[(&'n str, Sense)]) -> Option<&'n str> {
    if let Some(word) = preliminary(name).or_else(|| measured(name)) {
        return Some(word);
    }
    if let Some(draft) = draft(name) {
        return Some(draft);
    }
    let has = |wanted: Sense| name.iter().any(|(_, sense)| *sense == wanted);
    let head = head(name);
    if let [first, .., (last, _)] = head {
        let before = head.len().checked_sub(2).and_then(|place| head.get(place));
        let is_behind_verb = before.is_some_and(|(word, sense)| *sense == Sense::Does && is_plain_verb(word));
        let is_shown = LAST_ASKING.contains(last)
            || PREVIEWED.contains(last) && !is_behind_verb
            || CHECKED.contains(last) && !is_behind_verb && first.1 != Sense::Does
            || SHOWN.contains(last) && !has(Sense::Does) && !has(Sense::Runs)
            || RUN_TO_ASK.contains(last) && has(Sense::Runs) && !has(Sense::Does);
        if is_shown {
            return Some(last);
        }
    }
    if let [(only, Sense::Other)] = name
        && SHOWN.contains(only)
    {
        return Some(only);
    }
    let ends_with_verb = name.last().is_some_and(|(_, sense)| *sense == Sense::Does);
    for (place, (word, sense)) in name.iter().enumerate() {
        match sense {
            // `order_status_update` updates.
            Sense::Asks if place > 0 && ends_with_verb && ALSO_SHOWN.contains(word) => {}
            Sense::Asks => return Some(word),
            Sense::MayPrepare if place == 0 && !has(Sense::Does) => return Some(word),
            Sense::Does | Sense::Runs => return None,
            Sense::MayDo | Sense::Things | Sense::MayPrepare | Sense::Other => {}
        }
    }
    None
}

/// Whether a word is a verb that does something.
pub(super) fn is_verb(word: &str) -> bool {
    sense_of(word) == Sense::Does
}

/// Whether a word by which a name only asks is a thing that is shown, and no verb.
pub(super) fn is_shown(word: &str) -> bool {
    SHOWN.contains(&word) && sense_of(word) == Sense::Other
}

/// Whether a name has no verb and names things that such a tool shows: `user_posts`, `inbound_messages`, `latest_order`.
pub(super) fn only_names_things(name: &[(&str, Sense)]) -> bool {
    let is_named = |(_, sense): &(&str, Sense)| matches!(sense, Sense::Things | Sense::MayDo);
    let shows_several = match name {
        [(first, _), .., (last, _)] => SHOWING_SEVERAL.contains(first) && last.ends_with('s'),
        _ => false,
    };
    (shows_several || name.iter().any(is_named)) && acting(name).is_none()
}

/// The word for a draft that stays one.
fn draft<'n>(name: &[(&'n str, Sense)]) -> Option<&'n str> {
    let word_at = |place: usize| name.get(place).map(|(word, _)| *word);
    let is_draft = |place: &usize| matches!(word_at(*place), Some("draft" | "drafts"));
    (0..name.len()).filter(is_draft).find_map(|place| {
        let before = place.checked_sub(1).and_then(word_at);
        let behind = word_at(place + 1);
        let is_sent = before.is_some_and(|word| SENT_BEFORE.contains(&word))
            || behind.is_some_and(|word| SENT_BEHIND.contains(&word));
        // Others see a pull request that is a draft.
        if is_sent || behind == Some("pull") { None } else { word_at(place) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::words::words;

    fn own(name: &str) -> String {
        words(name).map(str::to_lowercase).collect::<Vec<_>>().join(" ")
    }

    fn told<'n>(name: &[&'n str]) -> Vec<(&'n str, Sense)> {
        name.iter().copied().zip(senses(name)).collect()
    }

    #[test]
    fn verbs_are_sorted_and_stand_once() {
        assert!(ACTING.is_sorted_by(|one, other| one < other), "{ACTING:?}");
    }

    #[test]
    fn what_a_name_says_that_a_tool_does() {
        for (name, verb) in [
            ("send_message", Some("send")),
            ("message_send", Some("message")),
            ("storage_blob_upload", Some("upload")),
            ("jira_post", Some("post")),
            ("address_book", None),
            ("message", Some("message")),
            ("run_job", Some("run")),
            ("my_order", None),
            ("new_order", Some("new")),
            ("latest_post", None),
            ("place_details", None),
            ("place_order", Some("place")),
            ("sign_in_logs", None),
            ("record_set_list", None),
            ("user_posts", None),
            ("merge_request_discussions", None),
            ("order_book_depth", None),
            ("get_order", None),
            ("find_and_replace_text", Some("replace")),
            ("reorder_card", Some("reorder")),
            ("record_payment", Some("record")),
            ("dns_record", None),
            ("open_orders", None),
            ("power_off_server", Some("power")),
            ("server_power_off", Some("power")),
            ("maintenance_on", Some("maintenance")),
            ("check_in_guest", Some("check")),
            ("status_post", Some("post")),
            ("poll_vote", Some("vote")),
            ("booking_by_id", None),
            ("order_by_id", None),
            ("order_items", None),
            ("tts-callout", Some("callout")),
            ("permalink_for_message", None),
            ("leave_balance", None),
            ("leave_channel", Some("leave")),
        ] {
            let name = own(name);
            let name: Vec<&str> = name.split(' ').collect();
            assert_eq!(acting(&told(&name)), verb, "{name:?}");
        }
    }

    #[test]
    fn what_only_asks_shows_or_prepares() {
        for (name, word) in [
            ("order_list", Some("list")),
            ("refund_eligibility", Some("eligibility")),
            ("swap_quote", Some("quote")),
            ("order_costs", Some("costs")),
            ("post_details", Some("details")),
            ("payout-change-check", Some("check")),
            ("create_uptime_check", None),
            ("build_cancel", None),
            ("run_report", Some("report")),
            ("execute_query", Some("query")),
            ("update_status", None),
            ("order_status_update", None),
            ("list_update", Some("list")),
            ("create_price_list", None),
            ("trigger_build", None),
            ("build_refund", Some("build")),
            ("create_draft", Some("draft")),
            ("draft_post", Some("draft")),
            ("drafts_send", None),
            ("publish_draft", None),
            ("create_draft_pull_request", None),
            ("track_order", Some("track")),
            ("send_message", None),
            ("resolve_users_by_name", Some("users")),
            ("resolve_incident_by_id", None),
            ("resolve_thread", None),
            ("get_or_create_contact", None),
            ("get_terms_and_conditions", Some("get")),
            ("set_active_board", Some("active")),
            ("set_status", None),
            ("send_status_get", Some("get")),
            ("deposit_address", Some("address")),
            ("place_order", None),
            ("firewall_log", Some("log")),
            ("balance", Some("balance")),
            ("status_update", None),
            ("poll_close", None),
            ("request_logs", Some("logs")),
        ] {
            let name = own(name);
            let name: Vec<&str> = name.split(' ').collect();
            assert_eq!(asking(&told(&name)), word, "{name:?}");
        }
        for (name, expected) in [
            ("user_posts", true),
            ("inbound_messages", true),
            ("latest_post", true),
            ("release_notes", true),
            ("order_book_depth", true),
            ("create_merge_request", false),
            ("cancel_orders", false),
            ("blob_upload", false),
            ("scan_ports", false),
            ("purge_status", true),
            ("job_run_artifacts", true),
            ("run_logs", true),
            ("deployment_runs", true),
            ("message_by_id", true),
            ("thread_replies", true),
            ("open_positions", true),
            ("open_position", false),
            ("workflow_run_jobs", true),
            ("run_jobs", false),
            ("update_status", false),
            ("order_comment", false),
        ] {
            let name = own(name);
            let name: Vec<&str> = name.split(' ').collect();
            assert_eq!(only_names_things(&told(&name)), expected, "{name:?}");
        }
    }
}
