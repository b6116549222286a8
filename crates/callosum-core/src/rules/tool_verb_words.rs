//! The words by which a tool's name says what it does.

/// Verbs of tools that do something, besides those of commands. Sorted.
#[rustfmt::skip]
pub(super) const ACTING: &[&str] = &[
    "abandon", "abort", "accept", "ack", "acknowledge", "activate", "adjust", "administer", "admit", "adopt", "allocate", "allot",
    "allow", "allowlist", "alter", "amend", "annotate", "announce", "appeal", "append", "apply", "appoint", "arm", "associate",
    "attach", "authorize", "autoscale", "award", "backfill", "ban", "bind", "blacklist", "blast", "block", "blocklist", "bookkeep",
    "boost", "burn", "callout", "capture", "cashout", "cease", "certify", "change", "checkin", "circulate", "claim", "clear", "clockin",
    "clockout", "clone", "collect", "commission", "commit", "compact", "compensate", "complete", "conclude", "configure", "confirm",
    "consolidate", "contain", "contribute", "convert", "copy", "cordon", "countersign", "creation", "crosspost", "deactivate",
    "deallocate", "deauthorize", "decline", "decommission", "decrease", "decrement", "deescalate", "defer", "delay", "delegate",
    "deletion", "delist", "deliver", "demolish", "demote", "deny", "denylist", "deprecate", "deprovision", "dequeue", "deregister",
    "designate", "detach", "detonate", "disarm", "disassociate", "disband", "disburse", "discard", "discharge", "disconnect",
    "discontinue", "disenroll", "dismiss", "disown", "dispense", "dispute", "disqualify", "dissociate", "dissolve", "distribute",
    "divert", "donate", "downgrade", "downvote", "drain", "drop", "duplicate", "elevate", "empty", "end", "endorse", "enforce",
    "enlist", "enqueue", "enrol", "enroll", "entitle", "erase", "escalate", "esign", "evacuate", "evict", "exclude", "excuse", "exempt",
    "expedite", "expel", "expire", "expose", "expunge", "extend", "favorite", "finalize", "flush", "follow", "forgive", "fork",
    "freeze", "grade", "grant", "halt", "handoff", "handover", "hangup", "harden", "hibernate", "hide", "hire", "hotfix", "ignore",
    "impersonate", "import", "impose", "impound", "increase", "increment", "ingest", "initialize", "initiate", "install", "invalidate",
    "invoke", "isolate", "jail", "join", "kickoff", "kill", "lapse", "launch", "lease", "lend", "levy", "lift", "like", "link",
    "liquidate", "lock", "lodge", "lose", "make", "manage", "mark", "migrate", "moderate", "move", "mutate", "mute", "nack", "nominate",
    "notarize", "nudge", "nuke", "nullify", "obliterate", "offboard", "offload", "onboard", "optout", "override", "overrule",
    "overwrite", "pause", "penalize", "permit", "pin", "place", "pledge", "preempt", "prepend", "prescribe", "press", "prioritize",
    "procure", "produce", "prohibit", "propagate", "propose", "prorate", "protect", "quarantine", "quash", "quiesce", "raise", "ratify",
    "reactivate", "reassign", "rebalance", "rebase", "reboot", "rebuild", "recategorize", "receive", "recharge", "reclaim", "reconcile",
    "recruit", "recycle", "redact", "redeem", "redeploy", "redispatch", "redrive", "reduce", "refuse", "regenerate", "reimburse",
    "reindex", "reinstate", "rekey", "relabel", "relate", "relist", "relocate", "remediate", "remind", "remit", "renew", "reorder",
    "repair", "repay", "replay", "replenish", "reprice", "reprioritize", "reprocess", "republish", "repurpose", "requeue", "reroute",
    "rerun", "reschedule", "rescind", "reseed", "reset", "resign", "resize", "restock", "restrict", "resume", "retain", "retire",
    "retract", "retry", "revalidate", "reverse", "revert", "revise", "reward", "rollout", "rollover", "rotate", "safelist", "sanction",
    "save", "scrub", "seal", "seed", "seize", "settle", "shadowban", "shelve", "shortlist", "shred", "shutdown", "sign", "silence",
    "snooze", "softreset", "softstop", "spawn", "split", "sponsor", "squash", "stake", "star", "start", "stop", "substitute",
    "subtract", "summon", "sunset", "supersede", "supply", "surrender", "suspend", "swap", "swipe", "switchover", "sync", "takedown",
    "takeover", "teardown", "tender", "throttle", "toggle", "topup", "transact", "transition", "trash", "triage", "truncate", "unack",
    "unarchive", "unassign", "unban", "unbind", "unblock", "uncordon", "undelete", "underwrite", "undo", "unenrol", "unenroll",
    "unfollow", "unfreeze", "unhold", "uninstall", "unlike", "unlink", "unlist", "unload", "unlock", "unmark", "unmerge", "unpin",
    "unpublish", "unregister", "unrelate", "unsend", "unsnooze", "unstake", "unstar", "unsuspend", "upgrade", "upvote", "vacate",
    "vest", "veto", "void", "vote", "waive", "warn", "whitelist", "win", "wipe", "withhold", "yank",
];
pub(super) const RUNNING: &[&str] = &["execute", "perform", "run"];
/// Verbs of tools that only ask or prepare, besides those of commands.
#[rustfmt::skip]
pub(super) const PREPARING: &[&str] = &[
    "ask", "calculate", "compose", "decode", "detect", "dry", "encode", "evaluate", "extract", "generate", "introspect", "parse",
    "predict", "prepare", "quote", "recommend", "render", "rewrite", "simulate", "suggest", "summarize", "track", "translate",
];
pub(super) const MAY_PREPARE: &[&str] = &["build", "format", "plan", "score", "test"];
/// Names of things that are made of verbs.
#[rustfmt::skip]
pub(super) const COMPOUNDS: &[[&str; 2]] = &[
    ["add", "on"], ["add", "ons"], ["block", "height"], ["block", "number"], ["block", "transactions"], ["change", "history"],
    ["change", "log"], ["change", "set"], ["check", "ins"], ["check", "run"], ["check", "runs"], ["check", "suite"], ["data", "set"],
    ["end", "date"], ["end", "point"], ["end", "points"], ["end", "time"], ["merge", "request"], ["merge", "requests"], ["order", "book"],
    ["order", "books"], ["post", "mortem"], ["record", "set"], ["release", "note"], ["release", "notes"], ["replica", "set"],
    ["rule", "set"], ["sign", "in"], ["sign", "ins"], ["sign", "up"], ["sign", "ups"], ["start", "date"], ["start", "time"],
    ["stateful", "set"], ["stop", "times"], ["update", "history"],
];
/// Verbs of tools that are names of things as well, besides those of commands.
pub(super) const THINGS: &[&str] = &[
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
pub(super) const BEFORE: &[(&str, &[&str])] = &[
    ("answer", &["call", "question", "ticket"]),
    ("control", &["call"]),
    ("dm", &["customer", "member", "user"]),
    ("file", &["appeal", "claim", "complaint", "dispute", "motion", "return"]),
    ("force", &["build", "deploy", "logout", "restart", "stop", "sync"]),
    ("generate", &["domain"]),
    ("identify", &["contact", "customer", "person", "user"]),
    ("issue", &["card", "certificate", "credit", "invoice", "license", "payment", "payout", "refund", "reward", "token", "voucher"]),
    ("leave", &["channel", "chat", "group", "room", "server"]),
    ("load", &["data"]),
    ("log", &["activity", "call", "expense", "hours", "meeting", "time", "visit", "work"]),
    ("logout", &["all", "device", "member", "session", "sessions", "user"]),
    ("open", &["account", "case", "claim", "dispute", "door", "garage", "gate", "incident", "issue", "position", "ticket"]),
    ("page", &["engineer", "oncall", "responder", "responders", "team", "user"]),
    ("process", &["payment", "payout", "payroll", "return"]),
    ("record", &["donation", "expense", "invoice", "loan", "payment", "sale", "transaction"]),
    ("report", &["abuse", "bug", "incident", "outage", "spam", "user"]),
    ("request", &["access", "approval", "call", "callback", "changes", "leave", "payment", "pickup", "quote", "quotes", "review", "reviewers", "ride", "signature", "time", "withdrawal"]),
    ("return", &["document", "item", "order", "submission"]),
    ("tag", &["contact", "conversation", "customer", "lead", "member", "order", "product", "shipment", "subscriber", "ticket", "user"]),
    ("text", &["customer", "guest", "member", "user"]),
    ("timeout", &["member", "user"]),
    ("trigger", &["check", "scan", "sync"]),
    ("wire", &["funds", "money"]),
];
/// What is placed. Elsewhere a place is one on a map.
pub(super) const PLACED: &[&str] =
    &["bet", "bid", "booking", "call", "hold", "order", "orders", "reservation", "trade"];
/// Verbs of two words.
#[rustfmt::skip]
pub(super) const PHRASES: &[[&str; 2]] = &[
    ["call", "out"], ["cash", "out"], ["check", "in"], ["check", "out"], ["clock", "in"], ["clock", "out"], ["dial", "out"], ["fail", "over"],
    ["hand", "off"], ["hand", "over"], ["hang", "up"], ["kick", "off"], ["maintenance", "off"], ["maintenance", "on"], ["opt", "in"], ["opt", "out"],
    ["pay", "out"], ["pot", "deposit"], ["power", "cycle"], ["power", "off"], ["power", "on"], ["quiet", "down"], ["roll", "back"], ["roll", "out"], ["shut", "down"], ["shut", "off"],
    ["sign", "off"], ["spin", "down"], ["spin", "up"], ["switch", "off"], ["switch", "on"], ["take", "down"], ["tear", "down"], ["top", "up"],
    ["turn", "in"], ["turn", "off"], ["turn", "on"], ["vault", "deposit"],
];
/// What is done over a time, and what is shown of that: `purge_status`, `deploy_logs`.
#[rustfmt::skip]
pub(super) const COURSES: &[&str] = &[
    "block", "cancel", "capture", "claim", "deploy", "freeze", "import", "install", "launch", "lock", "merge", "migrate", "pause", "place",
    "purge", "redeploy", "reindex", "restore", "rollback", "rollout", "stake", "sync", "upgrade",
];
/// What names of such things end with.
#[rustfmt::skip]
pub(super) const OF_COURSES: &[&str] = &[
    "attempts", "candidates", "errors", "history", "log", "logs", "options", "policies", "policy", "progress", "result", "results", "runs", "statistics", "stats", "status",
    "timeline",
];
/// What names of runs end with besides.
#[rustfmt::skip]
pub(super) const OF_RUNS: &[&str] = &[
    "artifacts", "details", "events", "info", "metrics", "output", "outputs", "state", "steps", "summary", "usage",
];
/// Things by which verbs are names of things before them: `order_items`, `message_reactions`.
#[rustfmt::skip]
pub(super) const PARTS: &[&str] = &[
    "attachments", "comments", "fields", "fulfillments", "headers", "items", "lines", "reactions", "recipients", "refunds", "replies",
    "revisions", "threads", "transactions", "types",
];
/// Verbs that are mostly names of things before these.
pub(super) const WITH_PARTS: &[&str] =
    &["bill", "charge", "comment", "email", "mail", "message", "order", "post", "release"];
/// Verbs that only ask and are names of what something is done with where another verb ends the name: `status_post`, `poll_close`.
pub(super) const DONE_WITH: &[&str] = &["history", "logs", "poll", "snapshot", "stats", "status"];
/// Verbs that only ask wherever they stand at the end: `send_status_get`.
pub(super) const LAST_ASKING: &[&str] =
    &["browse", "describe", "fetch", "get", "preflight", "prepare", "retrieve"];
/// Those that stand at the end of a name, too: `blob_upload`, but not `address_book`.
pub(super) const LAST: &[&str] = &[
    "checkout", "comment", "email", "invite", "like", "mail", "message", "payout", "post", "purchase",
    "refund", "share", "sms", "transfer", "trigger", "tweet", "upload", "vote",
];
/// What a call of a tool shows whose name ends with such a word, unless a verb stands right before it: `place_order_preview`.
pub(super) const PREVIEWED: &[&str] = &["preview", "simulation"];
/// Likewise, unless the name begins with a verb: `payout_change_check`, but not `create_uptime_check`.
pub(super) const CHECKED: &[&str] = &["check", "eligibility", "validation", "verification"];
/// Likewise, unless there is a verb at all.
#[rustfmt::skip]
pub(super) const SHOWN: &[&str] = &[
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
pub(super) const ALSO_SHOWN: &[&str] =
    &["check", "count", "history", "list", "logs", "snapshot", "stats", "status", "view"];
/// What is only asked for by a tool that runs it.
#[rustfmt::skip]
pub(super) const RUN_TO_ASK: &[&str] = &[
    "analysis", "analytics", "audit", "card", "check", "checks", "dax", "diagnostics", "esql", "estimate", "eval", "evaluation",
    "insight", "insights", "look", "queries", "query", "report", "reports", "scan", "search", "simulation", "soql", "sosl", "test",
    "tests",
];
/// What stands before a thing that is only shown: `latest_post`, `my_order`.
pub(super) const SHOWING: &[&str] = &[
    "best", "current", "daily", "full", "last", "latest", "my", "next", "previous", "random", "recent",
    "single", "today", "top", "trending", "user", "weekly",
];
/// What stands before several things that are only shown: `open_positions`, but not `open_position`.
#[rustfmt::skip]
pub(super) const SHOWING_SEVERAL: &[&str] = &[
    "abandoned", "active", "all", "archived", "assigned", "available", "closed", "completed", "deleted", "failed", "inbound", "open", "outbound",
    "overdue", "past", "pending", "queued", "received", "scheduled", "sent", "unread", "upcoming",
];
/// What is said of a draft that does not stay one, before it and behind it.
pub(super) const SENT_BEFORE: &[&str] = &["complete", "post", "publish", "schedule", "send", "submit"];
pub(super) const SENT_BEHIND: &[&str] = &["publish", "send", "submit"];

/// What `resolve` asks for, and what it settles.
pub(super) const LOOKED_UP: &[&str] = &[
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
pub(super) const SETTLED: &[&str] = &[
    "alert", "annotation", "case", "comment", "conversation", "discussion", "dispute", "error", "event", "finding", "incident", "issue", "problem",
    "request", "review", "task", "thread", "ticket",
];
/// Verbs that make what only shows something, and what that is called: `create_mockup_task`, `start_simulation`.
pub(super) const MAKING: &[&str] = &["add", "create", "make", "new", "start"];
#[rustfmt::skip]
pub(super) const MADE_TO_SHOW: &[&str] = &["broadcast", "estimation", "export", "favorite", "favorites", "favourite", "favourites", "forecast", "mockup", "newsletter", "simulation"];
/// A verb that is the name of a service as well.
pub(super) const A_SERVICE: &str = "resend";
/// What is measured or written down of things.
#[rustfmt::skip]
pub(super) const MEASURED: &[&str] = &[
    "activities", "analytics", "breakdown", "changes", "history", "info", "insights", "logs", "metrics", "report", "reports", "statistics", "stats", "timeline", "usage",
];
/// What is built and not signed yet, at the end of a name.
pub(super) const UNSIGNED: &[&str] = &["calldata", "psbt", "transaction", "tx", "txn"];
/// Verbs that are the name of a thing at the end: `evaluate_change`.
pub(super) const AT_END: &[&str] = &["change"];
/// What `set` and `switch` choose for later calls of the same session.
pub(super) const CHOSEN: &[&str] = &["active", "context", "current"];
