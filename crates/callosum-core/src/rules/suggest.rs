//! Rules for what was seen and no rule names: drafts for one's own file that only observe.

use std::collections::HashSet;

use serde::Serialize;

use super::Scope;
use super::covered::is_program_name;
use super::words::words;
use crate::model::settings::Mode;
use crate::model::tier::Tier;

/// What begins the name of a suggested rule.
const PREFIX: &str = "seen-";
/// Bytes of a tool's name that a rule is suggested for: hosts take no longer ones.
const MAX_TOOL: usize = 128;
/// Bytes of a rule's name.
const MAX_NAME: usize = 80;

/// Words of names of what moves money or makes a debt. Sorted.
const PAYING: &[&str] = &[
    "bill",
    "book",
    "booking",
    "buy",
    "charge",
    "checkout",
    "deposit",
    "invoice",
    "mint",
    "order",
    "pay",
    "payment",
    "payments",
    "payout",
    "payouts",
    "purchase",
    "refund",
    "refunds",
    "rent",
    "reservation",
    "reserve",
    "sell",
    "tip",
    "trade",
    "transfer",
    "withdraw",
    "withdrawal",
];

/// How far back a suggested rule looks, milliseconds: ten minutes, or a day where it is about money.
const WINDOW_MS: u64 = 600_000;
const PAYING_WINDOW_MS: u64 = 86_400_000;

/// The fields that mostly say whom or what a call is for, the likeliest first, and what tells two of one name apart.
const TARGET: &str = "{params.to|recipient|recipients|channel|channel_id|channelId|chat_id|chatId|target|email|phone|issue_number|\
                      issueNumber|pull_number|number|key|id|page_id|url|name|title|unknown}\
                      {@params.owner|params.org|params.account, params.repo|params.repository|params.project}";

/// What a rule is suggested for.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A tool, as its host names it.
    Tool(&'a str),
    /// A program as [`RuleSet::uncovered_in`](super::RuleSet::uncovered_in) tells it.
    Program(&'a str),
}

/// A rule as it is written into a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// A name that no other rule has.
    pub name: String,
    tier: Tier,
    /// What it is for.
    pub tool: String,
    /// What it is for, of a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    context_key: String,
    #[serde(skip_serializing_if = "is_any")]
    scope: Scope,
    recent_window_ms: u64,
    mode: Mode,
}

fn is_any(scope: &Scope) -> bool {
    *scope == Scope::Any
}

impl Suggestion {
    /// A rule for the subject, whose name sounds like an effect by this verb; its name is added to those `taken`. `None` where the
    /// subject's name is none that a rule could be trusted with: agents and servers may call a tool whatever they like.
    #[must_use]
    pub fn of(subject: Subject<'_>, verb: &str, taken: &mut HashSet<String>) -> Option<Self> {
        let (tool, command, context_key) = match subject {
            Subject::Tool(tool) => {
                if !is_tool_name(tool) {
                    return None;
                }
                let own = tool.strip_prefix("mcp__").unwrap_or(tool);
                let whose = own.split_once("__").map_or(own, |(server, _)| server);
                (tool.to_owned(), None, format!("{whose}:{verb}:{TARGET}"))
            }
            Subject::Program(seen) => {
                let (program, word) =
                    seen.split_once(' ').map_or((seen, None), |(name, word)| (name, Some(word)));
                if !is_program_name(program) {
                    return None;
                }
                let target = match word {
                    Some(_) => format!("{program}:{verb}:{{command.arg.1|workFolder}}"),
                    // A script is its repository's, and is told the stage, if anything.
                    None => format!("{program}:{{repository|workFolder}}{{@command.arg.1}}"),
                };
                ("exec".to_owned(), Some(seen.to_owned()), target)
            }
        };
        let of = command.as_deref().unwrap_or(&tool);
        let pays = words(of).any(|word| PAYING.iter().any(|known| known.eq_ignore_ascii_case(word)));
        Some(Self {
            name: free_name(of, taken),
            tier: if pays { Tier::Critical } else { Tier::High },
            tool,
            command,
            context_key,
            scope: if pays { Scope::Any } else { Scope::OtherSessions },
            recent_window_ms: if pays { PAYING_WINDOW_MS } else { WINDOW_MS },
            mode: Mode::Observe,
        })
    }
}

/// Whether a tool's name means itself alone in a rule: no glob, nothing that a template or a terminal would take for something else.
fn is_tool_name(name: &str) -> bool {
    name.len() <= MAX_TOOL
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-:/".contains(&byte))
}

/// A rule's name made of another one, which no rule has yet: a shipped rule whose name were taken would be gone.
fn free_name(of: &str, taken: &mut HashSet<String>) -> String {
    let mut name = PREFIX.to_owned();
    for word in words(of) {
        if name.len() + word.len() < MAX_NAME {
            name.push_str(if name == PREFIX { "" } else { "-" });
            name.push_str(&word.to_ascii_lowercase());
        }
    }
    let free = (1..).map(|number| if number == 1 { name.clone() } else { format!("{name}-{number}") });
    let free = free.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use serde_json::{Value, json};

    use super::*;
    use crate::model::tool_call::ToolCall;
    use crate::rules::lint::lint;
    use crate::rules::{RuleSet, World};

    fn suggested(subject: Subject<'_>, verb: &str) -> Suggestion {
        Suggestion::of(subject, verb, &mut HashSet::new()).unwrap()
    }

    /// Tier and keys of a call under the suggested rule alone.
    fn ruled(suggestion: &Suggestion, params: &Value) -> (Tier, Vec<String>) {
        let text = json!({ "rules": [suggestion] }).to_string();
        let found = lint(&text);
        assert!(found.errors.is_empty() && found.warnings.is_empty(), "{found:?}");
        let call = ToolCall {
            tool: suggestion.tool.clone(),
            session: "s".to_owned(),
            cwd: Some("/srv/app".to_owned()),
            ..ToolCall::default()
        };
        let classification = RuleSet::parse(&text).unwrap().classify(&call, "t", params, &World::unseen());
        assert_eq!(classification.mode, Some(Mode::Observe));
        (classification.tier, classification.context_keys)
    }

    #[test]
    fn a_tool_gets_a_rule_with_its_usual_fields() {
        let rule = suggested(Subject::Tool("mcp__acme-chat__postMessage"), "post");
        assert_eq!(rule.name, "seen-mcp-acme-chat-post-message");
        let of = |params: Value| ruled(&rule, &params);
        assert_eq!(
            of(json!({"channel": "C1", "text": "x"})),
            (Tier::High, vec!["acme-chat:post:C1".to_owned()])
        );
        let issue = json!({"owner": "acme", "repo": "app", "issue_number": 7});
        assert_eq!(of(issue), (Tier::High, vec!["acme-chat:post:7@acme/app".to_owned()]));
        assert_eq!(of(json!({"text": "x"})), (Tier::High, vec!["acme-chat:post:unknown".to_owned()]));
        let paying = suggested(Subject::Tool("acme__createPayment"), "create");
        assert_eq!(ruled(&paying, &json!({"to": "bob"})).0, Tier::Critical);
    }

    #[test]
    fn a_program_gets_a_rule_for_its_verb_or_for_itself() {
        let of = |seen, verb, line: &str| {
            ruled(&suggested(Subject::Program(seen), verb), &json!({"command": line}))
        };
        let key = |key: &str| (Tier::High, vec![key.to_owned()]);
        assert_eq!(of("acme deploy", "deploy", "acme deploy web --now"), key("acme:deploy:web"));
        assert_eq!(of("acme deploy", "deploy", "acme deploy"), key("acme:deploy:/srv/app"));
        assert_eq!(of("acme send-*", "send", "acme send-mail bob"), key("acme:send:bob"));
        assert_eq!(of("deploy.sh", "deploy", "./deploy.sh prod"), key("deploy.sh:/srv/app@prod"));
    }

    #[test]
    fn names_are_taken_once_and_shipped_rules_stay() {
        let mut taken = HashSet::from(["seen-post-it".to_owned()]);
        let mut name = |tool| Suggestion::of(Subject::Tool(tool), "post", &mut taken).unwrap().name;
        assert_eq!(
            [name("post_it"), name("postIt"), name("POST-IT")],
            ["seen-post-it-2", "seen-post-it-3", "seen-post-it-4"]
        );
        let long = "post_".repeat(25);
        assert!(name(&long).len() <= MAX_NAME);
    }

    #[test]
    fn what_could_mean_something_else_in_a_rule_gets_none() {
        let mut taken = HashSet::new();
        for tool in [
            "*",
            "post*",
            "a b",
            "{post}",
            "po\"st",
            "post\n",
            "\u{1b}[2Jpost",
            "pöst",
            "",
            "-post",
            &"post".repeat(40),
        ] {
            assert_eq!(Suggestion::of(Subject::Tool(tool), "post", &mut taken), None, "{tool}");
        }
        for program in ["*", "a*b deploy", "", "{x} deploy", "$X deploy"] {
            assert_eq!(Suggestion::of(Subject::Program(program), "deploy", &mut taken), None, "{program}");
        }
    }
}
