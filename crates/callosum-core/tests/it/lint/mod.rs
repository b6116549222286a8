//! What a lint of rules finds: every mistake, rules that are never reached and only those, and other warnings.

mod reach;
mod stops;

use std::collections::BTreeSet;

use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::lint::{Lint, Warning, WarningKind, lint};
use callosum_core::rules::{RuleSet, SHIPPED_RULES, STARTER_RULES, World};
use serde_json::{Value, json};

/// Rules, each with tier 1 and the name of its place: `0`, `1` …; for `exec` unless they say otherwise.
fn rules(rules: &[Value]) -> String {
    let whole = |(number, rule): (usize, &Value)| {
        let mut whole = json!({"name": number.to_string(), "tier": 1, "tool": "exec"});
        whole.as_object_mut().unwrap().extend(rule.as_object().unwrap().clone());
        whole
    };
    json!({ "rules": rules.iter().enumerate().map(whole).collect::<Vec<_>>() }).to_string()
}

fn unreachable(found: &Lint) -> Vec<&str> {
    let of_kind = found.warnings.iter().filter(|warning| warning.kind == WarningKind::Unreachable);
    of_kind.map(|warning| warning.rule.as_str()).collect()
}

/// The calls of the corpora.
fn calls() -> Vec<(String, Value)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/commands");
    let mut calls = Vec::new();
    for file in ["corpus.jsonl", "blind.jsonl", "tools.jsonl"] {
        for line in std::fs::read_to_string(folder.join(file)).unwrap().lines() {
            let call: Value = serde_json::from_str(line).unwrap();
            calls.push(match call["command"].as_str() {
                Some(command) => ("exec".to_owned(), json!({ "command": command })),
                None => (call["tool"].as_str().unwrap().to_owned(), call["params"].clone()),
            });
        }
    }
    calls
}

#[test]
fn the_shipped_rules_and_the_starter_are_without_a_warning() {
    for text in [SHIPPED_RULES, STARTER_RULES] {
        let found = lint(text);
        assert_eq!((found.errors, found.warnings), (vec![], vec![]));
        assert_eq!(found.rule_count, RuleSet::parse(text).unwrap().len());
    }
}

#[test]
fn the_starter_extends_the_shipped_rules_and_only_observes() {
    let starter: Value = serde_json::from_str(STARTER_RULES).unwrap();
    assert_eq!(starter["extends"], "default");
    let own = starter["rules"].as_array().unwrap();
    assert_eq!(RuleSet::parse(STARTER_RULES).unwrap().len(), RuleSet::shipped().len() + own.len());
    for rule in own {
        assert_eq!(rule["mode"], "observe", "{rule}");
        assert!(rule["$comment"].is_string(), "{rule}");
    }
}

#[test]
fn each_wrong_rule_is_told_and_the_right_ones_are_looked_at() {
    let text = r#"{"rules": [
        {"name": "field", "tier": 1, "tol": "exec"},
        {"name": "pattern", "tier": 1, "tool": "exec", "commandPattern": "a(?!b)"},
        {"name": "command", "tier": 1, "tool": "exec", "command": ["git push", "a||b"]},
        {"name": "template", "tier": 1, "tool": "exec", "contextKey": "{params.x"},
        {"name": "fine", "tier": 3, "tool": "exec"},
        {"name": "fine", "tier": 1, "tool": "read"},
        {"name": "scope", "tier": 1, "tool": "exec", "scope": "othersession"},
        {"name": "reach", "tier": 1, "tool": "exec", "reach": "machines"},
        5
    ]}"#;
    let found = lint(text);
    let told: Vec<(usize, Option<&str>, &str)> = found
        .errors
        .iter()
        .map(|error| (error.line, error.rule.as_deref(), error.message.as_str()))
        .collect();
    let expected = [
        (2, Some("field"), "unknown field `tol`: did you mean `tool`?"),
        (3, Some("pattern"), "`commandPattern`: look-around"),
        (4, Some("command"), "`command`: `a||b` has an empty alternative"),
        (5, Some("template"), "`contextKey`: a `{` without its `}`"),
        (7, Some("fine"), "another rule has this name"),
        (8, Some("scope"), "`scope`: unknown value `othersession`: did you mean `otherSessions`?"),
        (9, Some("reach"), "`reach`: unknown value `machines`: did you mean `machine`?"),
        (10, None, "invalid type"),
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for ((line, rule, message), (expected_line, expected_rule, words)) in told.into_iter().zip(expected) {
        assert_eq!((line, rule), (expected_line, expected_rule), "{message}");
        assert!(message.starts_with(words), "{message}");
    }
    assert_eq!(found.rule_count, 0);
    assert_eq!(found.warnings.len(), 1);
    assert_eq!((found.warnings[0].kind, found.warnings[0].line), (WarningKind::NoContextKey, 6));
    assert_eq!(RuleSet::parse(text).unwrap_err(), found.errors[0]);
}

#[test]
fn what_is_wrong_with_the_file_itself_is_told_alone() {
    for (text, words) in [
        ("{", "EOF"),
        ("{\"rules\": [{}, ]}", "expected value"),
        ("{\"rule\": []}", "did you mean `rules`?"),
        ("{\"extends\": \"defaults\", \"rules\": []}", "\"default\""),
    ] {
        let found = lint(text);
        assert_eq!((found.errors.len(), found.warnings.len()), (1, 0), "{text}");
        assert!(found.errors[0].message.contains(words), "{}", found.errors[0]);
    }
}

#[test]
fn a_misspelt_placeholder_names_the_one_that_was_meant() {
    for (template, meant) in [
        ("{filepath}", "did you mean `{filePath}`?"),
        ("{commandrecipient}", "did you mean `{commandRecipients}`?"),
        ("{param.to}", "did you mean `{params.to}`?"),
        ("{comand.flag.to|t}", "did you mean `{command.flag.to}`?"),
        ("{git.brnach}", "did you mean `{git.branch}`?"),
        ("{to}", "expected one of {tool}"),
    ] {
        let found = lint(&rules(&[json!({"contextKey": template})]));
        assert!(found.errors[0].message.contains(meant), "{}", found.errors[0]);
    }
}

#[test]
fn a_rule_that_switches_off_the_shipped_ones_for_commands_is_found() {
    let found = |rule: Value| {
        let mut text: Value = serde_json::from_str(&rules(&[json!({"tool": "read"}), rule])).unwrap();
        text["extends"] = "default".into();
        lint(&text.to_string()).warnings
    };
    for hiding in [json!({}), json!({"tool": "*"}), json!({"tool": ["read", "e*"]}), json!({"tool": "bash"})]
    {
        let warnings = found(hiding.clone());
        let [warning] = warnings.as_slice() else { panic!("{hiding}: {warnings:?}") };
        assert_eq!((warning.kind, warning.rule.as_str()), (WarningKind::HidesShipped, "1"));
        assert!(
            warning.message.starts_with("sets no condition on the command, so it hides the "),
            "{warning:?}"
        );
    }
    // For some calls only, or for no command.
    for harmless in [
        json!({"command": "git push"}),
        json!({"commandPattern": "."}),
        json!({"http": {"method": "POST"}}),
        json!({"params": {"elevated": true}}),
        json!({"session": "cron*"}),
        json!({"runtime": "codex"}),
        json!({"tool": "message"}),
    ] {
        assert_eq!(found(harmless.clone()), [], "{harmless}");
    }
    // Without the shipped rules there is nothing to hide, and a rule that is never reached hides nothing.
    assert!(lint(&rules(&[json!({})])).warnings.is_empty());
    let text = json!({"extends": "default", "rules": [
        {"name": "a", "tier": 1, "tool": "exec"},
        {"name": "b", "tier": 1, "tool": "exec"},
    ]});
    let kinds: Vec<_> = lint(&text.to_string()).warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, [WarningKind::HidesShipped, WarningKind::Unreachable]);
}

/// Rules of which the last is never reached, and just by those before it that are named.
#[test]
fn a_rule_that_earlier_ones_take_all_of_is_found() {
    let post = |more: Value| {
        let mut http = json!({"method": "POST", "host": "api.acme.io"});
        http.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "http": http })
    };
    for (case, takers) in [
        // Tools.
        (vec![json!({}), json!({})], &["0"][..]),
        (vec![json!({"tool": "*"}), json!({"tool": "message"})], &["0"]),
        (vec![json!({"tool": "*"}), json!({"tool": "*__send"})], &["0"]),
        (vec![json!({"tool": "*__send_*"}), json!({"tool": ["a__send_b", "*__send_email"]})], &["0"]),
        (vec![json!({"tool": "a?"}), json!({"tool": ["ab", "a?"]})], &["0"]),
        (vec![json!({"tool": "exec"}), json!({"tool": "bash"})], &["0"]),
        (vec![json!({"tool": "cron"}), json!({"tool": "automations"})], &["0"]),
        (
            vec![json!({"tool": "read"}), json!({"tool": "write"}), json!({"tool": ["write", "read"]})],
            &["0", "1"],
        ),
        (vec![json!({"tool": "read"}), json!({}), json!({"params": {"a": 1}})], &["1"]),
        // Whom they are for.
        (vec![json!({}), json!({"agent": "main", "session": "a*", "runtime": "openclaw"})], &["0"]),
        (vec![json!({"agent": "m*"}), json!({"agent": ["main", "ma*"]})], &["0"]),
        (vec![json!({"agent": "*"}), json!({})], &["0"]),
        (vec![json!({"session": "a"}), json!({"session": "b"}), json!({"session": ["a", "b"]})], &["0", "1"]),
        (vec![json!({"runtime": ["openclaw", "codex"]}), json!({"runtime": "codex"})], &["0"]),
        // Parameters.
        (vec![json!({"params": {"a": [1, 2]}}), json!({"params": {"a": 2.0, "b": "x"}})], &["0"]),
        (
            vec![
                json!({"params": {"action": "channel-delete"}}),
                json!({"params": {"action": "Channel_Delete"}}),
            ],
            &["0"],
        ),
        (
            vec![json!({"params": {"a": 1}}), json!({"params": {"a": 2}}), json!({"params": {"a": [1, 2]}})],
            &["0", "1"],
        ),
        // Commands.
        (vec![json!({"commandPattern": "git"}), json!({"commandPattern": "git", "agent": "a"})], &["0"]),
        (vec![json!({}), json!({"command": "git push"})], &["0"]),
        (vec![json!({"commandPattern": "x"}), json!({"commandPattern": "x", "command": "git push"})], &["0"]),
        (
            vec![json!({"command": "git"}), json!({"command": ["git push", "git ... main", "git --force"]})],
            &["0"],
        ),
        (vec![json!({"command": "git push|pull"}), json!({"command": "git push origin"})], &["0"]),
        (vec![json!({"command": "git *"}), json!({"command": "git push"})], &["0"]),
        (
            vec![json!({"command": "gh *-pr|pr create|merge"}), json!({"command": "gh *-pr|pr merge x"})],
            &["0"],
        ),
        (vec![json!({"command": "* --help"}), json!({"command": "git push --help"})], &["0"]),
        (vec![json!({"command": "a --x|-x"}), json!({"command": "a b --x"})], &["0"]),
        (
            vec![
                json!({"command": "make ... deploy-* ..."}),
                json!({"command": ["make deploy-a", "make ... deploy-b", "make x ... deploy-c ..."]}),
            ],
            &["0"],
        ),
        (vec![json!({"command": "aws s3 ... s3://*"}), json!({"command": "aws s3 cp ... s3://a"})], &["0"]),
        (vec![json!({"command": "rm {outside}"}), json!({"command": "rm -r {outside}"})], &["0"]),
        (
            vec![
                json!({"command": "git push"}),
                json!({"command": "git pull"}),
                json!({"command": ["git push x", "git pull x"]}),
            ],
            &["0", "1"],
        ),
        (
            vec![
                json!({"command": "a", "unlessFlag": "-n"}),
                json!({"command": "a b", "unlessFlag": ["-n", "-h"]}),
            ],
            &["0"],
        ),
        // Requests.
        (vec![json!({"command": "curl"}), json!({"command": "curl", "http": {"method": "POST"}})], &["0"]),
        (vec![json!({"http": {}}), post(json!({}))], &["0"]),
        (vec![json!({"http": {"method": "post"}}), post(json!({"path": "v1/*"}))], &["0"]),
        (vec![json!({"http": {"host": "*.io"}}), post(json!({}))], &["0"]),
        (vec![json!({"http": {"path": "v1/*"}}), post(json!({"path": ["v1/a", "v1/b*"]}))], &["0"]),
        (
            vec![json!({"http": {"host": "private"}}), json!({"http": {"host": "private", "method": "PUT"}})],
            &["0"],
        ),
        (vec![json!({"http": {"host": "*"}}), json!({"http": {"host": "private"}})], &["0"]),
        (
            vec![
                json!({"http": {"method": "POST"}}),
                json!({"command": "curl|gh api", "http": {"method": "POST"}}),
            ],
            &["0"],
        ),
        (
            vec![
                json!({"tier": 3, "http": {"method": "POST"}}),
                json!({"tier": 3, "http": {"method": "PUT"}}),
                json!({"http": {"method": ["PUT", "POST"], "host": "a.io"}}),
            ],
            &["0", "1"],
        ),
    ] {
        let text = rules(&case);
        let found = lint(&text);
        assert_eq!(unreachable(&found), [(case.len() - 1).to_string()], "{text}");
        let warning = found.warnings.iter().find(|warning| warning.kind == WarningKind::Unreachable).unwrap();
        let named: Vec<String> = takers.iter().map(|name| format!("`{name}` (line 1)")).collect();
        let verb = if takers.len() == 1 { "takes" } else { "take" };
        assert!(
            warning.message.starts_with(&format!("never matches: {} before it {verb} ", named.join(", "))),
            "{text}\n{}",
            warning.message
        );
    }
}

/// Rules of which each can be reached, however near it comes.
#[test]
fn a_rule_that_some_call_gets_to_is_let_be() {
    for case in [
        // Tools.
        vec![json!({"tool": "read"}), json!({"tool": ["read", "write"]})],
        vec![json!({"tool": "exec"}), json!({"tool": "*"})],
        vec![json!({"tool": "a?"}), json!({"tool": "a*"})],
        vec![json!({"tool": "*_a"}), json!({"tool": "a*"})],
        // The glob is for one of the two names of the tool only.
        vec![json!({"tool": "cr*"}), json!({"tool": "cron"})],
        vec![json!({"tool": "ba*"}), json!({"tool": "bash"})],
        // Whom they are for.
        vec![json!({"agent": "main"}), json!({})],
        vec![json!({"agent": "?*"}), json!({})],
        vec![json!({"session": "a"}), json!({"session": ["a", "b"]})],
        vec![json!({"runtime": "codex"}), json!({"runtime": "c*"})],
        // Parameters.
        vec![json!({"params": {"a": 1}}), json!({})],
        vec![json!({"params": {"a": 1}}), json!({"params": {"a": [1, 2]}})],
        vec![json!({"params": {"a": 1}}), json!({"params": {"a": "1"}})],
        vec![json!({"params": {"a": 1}}), json!({"params": {"b": 1}})],
        vec![json!({"params": {"a": 1, "b": 1}}), json!({"params": {"a": 1}})],
        vec![json!({"params": {"other": "x-y"}}), json!({"params": {"other": "xY"}})],
        vec![
            json!({"params": {"a": 1}, "agent": "x"}),
            json!({"params": {"a": 2}, "agent": "y"}),
            json!({"params": {"a": [1, 2]}, "agent": ["x", "y"]}),
        ],
        // Requests: one command may send a POST and a PUT, and the first rules excuse only what sends nothing else.
        vec![
            json!({"http": {"method": "POST"}}),
            json!({"http": {"method": "PUT"}}),
            json!({"http": {"method": ["PUT", "POST"], "host": "a.io"}}),
        ],
        vec![json!({"http": {"method": "POST"}}), json!({"tier": 3, "http": {"method": "POST"}})],
        // Commands.
        vec![json!({"commandPattern": "git"}), json!({"commandPattern": "git push"})],
        vec![json!({"commandPattern": "git"}), json!({"command": "git"})],
        vec![json!({"command": "git push"}), json!({})],
        vec![json!({"command": "*"}), json!({})],
        vec![json!({"command": "git push"}), json!({"commandPattern": "git push"})],
        vec![json!({"command": "git push origin"}), json!({"command": "git push"})],
        vec![json!({"command": "git push"}), json!({"command": "git push|pull"})],
        vec![json!({"command": "git pu?"}), json!({"command": "git pu*"})],
        vec![json!({"command": "git push --force"}), json!({"command": "git push"})],
        vec![json!({"command": "git push --force"}), json!({"command": "git push --force|-f"})],
        vec![json!({"command": "git ... main"}), json!({"command": "git main"})],
        vec![json!({"command": "git ... main"}), json!({"command": "git ... main ..."})],
        vec![json!({"command": "git push ... main ..."}), json!({"command": "git push --to"})],
        vec![json!({"command": "rm {outside}"}), json!({"command": "rm /"})],
        vec![json!({"command": "a", "unlessFlag": "-n"}), json!({"command": "a"})],
        vec![json!({"command": "a", "unlessFlag": "-n"}), json!({"command": "a -n"})],
        vec![
            json!({"command": "a", "unlessFlag": ["-n", "-h"]}),
            json!({"command": "a", "unlessFlag": "-n"}),
        ],
        // `tool --x issue pr create`: the wider word takes the option's value for its subcommand.
        vec![json!({"command": "tool pr|issue create"}), json!({"command": "tool pr create"})],
        // Requests.
        vec![json!({"command": "curl", "http": {"method": "POST"}}), json!({"command": "curl"})],
        vec![json!({"http": {}}), json!({"command": "curl"})],
        vec![json!({"http": {"method": "POST"}}), json!({"http": {"method": "P*"}})],
        vec![json!({"http": {"host": "private"}}), json!({"http": {"host": "localhost"}})],
        vec![json!({"http": {"host": "pri*"}}), json!({"http": {"host": "private"}})],
        vec![json!({"http": {"host": "a.io"}}), json!({"http": {"path": "x"}})],
        vec![
            json!({"http": {"method": "POST"}}),
            json!({"command": "curl|acme", "http": {"method": "POST"}}),
        ],
        vec![json!({"command": "curl", "http": {"method": "POST"}}), json!({"http": {"method": "POST"}})],
    ] {
        let text = rules(&case);
        let found = lint(&text);
        assert_eq!(found.errors, [], "{text}");
        assert_eq!(unreachable(&found), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn the_value_of_an_unknown_option_is_why_a_wider_word_covers_no_narrower_one() {
    let text = rules(&[json!({"command": "tool pr|issue create"}), json!({"command": "tool pr create"})]);
    let call = ToolCall { tool: "exec".to_owned(), ..ToolCall::default() };
    let found = RuleSet::parse(&text).unwrap().classify(
        &call,
        "openclaw",
        &json!({"command": "tool --x issue pr create"}),
        &World::unseen(),
    );
    assert_eq!(found.rule_name.as_deref(), Some("1"));
}

#[test]
fn what_can_not_be_cut_into_few_cases_is_let_be() {
    let many: Vec<String> = (0..200).map(|number| format!("a{number}")).collect();
    let text = rules(&[json!({}), json!({"agent": many, "session": many})]);
    assert_eq!(unreachable(&lint(&text)), Vec::<&str>::new());
    let few = rules(&[json!({}), json!({"agent": many})]);
    assert_eq!(unreachable(&lint(&few)), ["1"]);
}

#[test]
fn of_many_rules_that_take_it_a_few_are_named() {
    let mut case: Vec<Value> = (0..9).map(|number| json!({"agent": number.to_string()})).collect();
    case.push(json!({"agent": (0..9).map(|number| number.to_string()).collect::<Vec<_>>()}));
    let found = lint(&rules(&case));
    let expected =
        "never matches: `0` (line 1), `1` (line 1), `2` (line 1) and 6 more before it take every call";
    assert!(found.warnings[0].message.starts_with(expected), "{}", found.warnings[0].message);
}

fn only(text: &str) -> Vec<Warning> {
    let found = lint(text);
    assert_eq!(found.errors, [], "{text}");
    found.warnings
}

#[test]
fn a_tool_that_nobody_has_is_named_with_the_one_that_was_meant() {
    let text = r#"{"rules": [
  {"name": "typo", "tier": 1,
   "tool": ["mesage", "read", "mail__send", "x*"]},
  {"name": "plugin", "tier": 1, "tool": "jira_create"},
  {"name": "older", "tier": 1, "tool": ["cron", "bash", "apply-patch", "image"]},
  {"name": "elsewhere", "tier": 1, "tool": "Shell", "runtime": "claude-code"},
  {"name": "here-too", "tier": 1, "tool": "Bassh", "runtime": ["claude-code", "open*"]}
]}"#;
    let warnings = only(text);
    let told: Vec<(usize, usize, &str)> =
        warnings.iter().map(|warning| (warning.line, warning.column, warning.message.as_str())).collect();
    assert!(warnings.iter().all(|warning| warning.kind == WarningKind::UnknownTool), "{told:#?}");
    assert_eq!(
        told,
        [
            (3, 12, "no known host has a tool `mesage`: did you mean `message`?"),
            (
                4,
                41,
                "no known host has a tool `jira_create`: ignore this if a plugin brings it; MCP tools are named \
                 `server__tool`"
            ),
            (7, 43, "no known host has a tool `Bassh`: did you mean `bash`?"),
        ]
    );
}

#[test]
fn tier_3_and_4_want_a_context_key() {
    let keyless = |tier: u8| only(&rules(&[json!({"tier": tier})])).len();
    assert_eq!([0, 1, 2, 3, 4].map(keyless), [0, 0, 0, 1, 1]);
    assert_eq!(only(&rules(&[json!({"tier": 3, "contextKey": "x"})])), []);
    let warning = &only("{\"rules\": [\n  {\"name\": \"a\",\n   \"tier\": 3, \"tool\": \"exec\"}]}")[0];
    assert_eq!((warning.line, warning.column, warning.kind), (3, 12, WarningKind::NoContextKey));
}

#[test]
fn parameters_kept_out_of_where_none_are_journaled_are_told() {
    let told = |tier: u8, tool: &str| {
        let warnings =
            only(&rules(&[json!({"tier": tier, "tool": tool, "journalParams": false, "contextKey": "x"})]));
        warnings.into_iter().filter(|warning| warning.kind == WarningKind::NoParameters).count()
    };
    assert_eq!([0, 1, 2, 3, 4].map(|tier| told(tier, "secrets")), [1, 1, 0, 0, 0]);
    // Another command of the same line may be of a higher tier.
    assert_eq!(["exec", "bash", "Exec", "ex*", "*"].map(|tool| told(1, tool)), [0; 5]);
    assert_eq!(only(&rules(&[json!({"tier": 1, "tool": "secrets", "journalParams": true})])), []);
}

#[test]
fn a_placeholder_that_no_call_fills_is_found() {
    for (rule, never) in [
        (json!({"contextKey": "a:{command.arg.1|x}"}), &["{command.arg.1}"][..]),
        (json!({"contextKey": "a:{command.flag.to|t|params.to}"}), &[]),
        (json!({"contextKey": "{git.remote|workFolder}/{git.branch}"}), &["{git.branch}"]),
        (
            json!({"contextKey": "{command.path.1}{command.outside}"}),
            &["{command.path.1}", "{command.outside}"],
        ),
        (json!({"contextKey": "{params.x}{tool}{digest}{filePath}{commandRecipients}{workFolder}"}), &[]),
        (
            json!({"command": "git push", "contextKey": "{git.remote}{command.word.1}{command.verb}{command.arg.3}"}),
            &[],
        ),
        (json!({"command": ["git", "git push x"], "contextKey": "{command.word.2}"}), &[]),
        (json!({"command": ["git", "git push x"], "contextKey": "{command.word.3}"}), &["{command.word.3}"]),
        (json!({"command": "git", "contextKey": "{command.verb}"}), &["{command.verb}"]),
        (json!({"command": "git", "contextKey": "{http.url|http.host}"}), &["{http.url|http.host}"]),
        (json!({"command": ["git", "cu*"], "contextKey": "{http.url}"}), &[]),
        (json!({"http": {}, "contextKey": "{http.url}{command.flag.x}"}), &[]),
        (json!({"http": {}, "contextKey": "{command.verb}"}), &["{command.verb}"]),
    ] {
        let warnings = only(&rules(std::slice::from_ref(&rule)));
        assert!(warnings.iter().all(|warning| warning.kind == WarningKind::NeverFilled), "{rule}");
        assert_eq!(warnings.len(), never.len(), "{rule}\n{warnings:#?}");
        for (warning, placeholder) in warnings.iter().zip(never) {
            let start = format!("`contextKey`: `{placeholder}` never has a value: ");
            assert!(warning.message.starts_with(&start), "{rule}\n{}", warning.message);
        }
    }
}

#[test]
fn a_last_word_that_looks_like_a_parameter_is_found() {
    for (key, words) in [
        ("crm:{field.dealId|opportunityId}", &["`opportunityId`"][..]),
        ("crm:{field.dealId|new} ?? crm:{params.a|contactId}", &["`contactId`"]),
        ("crm:{field.dealId|field.opportunityId}{/field.a|noteId}{@field.a|orgId}", &[]),
        ("crm:{field.dealId|opportunity_id}", &["`opportunity_id`"]),
        ("crm:{field.dealId|inbox} ?? crm:{params.a|teamUpdates}", &[]),
    ] {
        let rule = json!({"toolWords": ["crm", "send"], "contextKey": key});
        let warnings = only(&rules(std::slice::from_ref(&rule)));
        assert_eq!(warnings.len(), words.len(), "{key}\n{warnings:#?}");
        for (warning, word) in warnings.iter().zip(words) {
            assert_eq!(warning.kind, WarningKind::NeverFilled);
            assert!(warning.message.contains(word), "{}", warning.message);
        }
    }
}

#[test]
fn a_text_that_nothing_ever_looks_like_is_found() {
    for (rule, words) in [
        (json!({"command": "./release.sh now"}), &["`./release.sh` never matches"][..]),
        (json!({"command": "mvn|bin/mvnw deploy"}), &["write `mvnw`"]),
        (json!({"command": "aws s3 ... s3://x/*"}), &[]),
        (json!({"command": "a", "unlessFlag": ["dry-run", "-n"]}), &["like `--dry-run`"]),
        (json!({"http": {"host": "API.acme.io", "path": "/v1/*"}}), &["write `api.acme.io`", "write `v1/*`"]),
        (json!({"http": {"host": ["$HOST", "api.acme.io"], "path": "v1/A"}}), &[]),
    ] {
        let warnings = only(&rules(std::slice::from_ref(&rule)));
        assert_eq!(warnings.len(), words.len(), "{rule}\n{warnings:#?}");
        for (warning, words) in warnings.iter().zip(words) {
            assert_eq!(warning.kind, WarningKind::NeverFits);
            assert!(warning.message.contains(words), "{rule}\n{}", warning.message);
        }
    }
}

#[test]
fn nothing_of_a_hostile_file_gets_through_as_it_is() {
    let evil = "a\u{1b}[31m\n\u{202e}b";
    let text = json!({"rules": [
        {"name": "one", "tier": 3, "tool": evil, "command": format!("x/{}", "y".repeat(10_000)), "unlessFlag": evil,
         "http": {"host": format!("A{evil}"), "path": format!("/{evil}")}},
        {"name": "two", "tier": 3, "tool": evil, "command": "x"},
        {"name": evil, "tier": 3, "tool": "exec", "contextKey": format!("{{params.{evil}")},
        {"name": "three", "tier": 3, "tool": "exec", "scope": evil},
        {"name": "four", "tier": 3, "tool": "exec", "contextKey": format!("{{command.flag.{evil}|x}}")},
    ]});
    let found = lint(&text.to_string());
    assert!(found.errors.len() >= 2 && found.warnings.len() > 5, "{found:#?}");
    let errors = found.errors.iter().map(|error| (error.rule.clone().unwrap_or_default(), &error.message));
    let warnings = found.warnings.iter().map(|warning| (warning.rule.clone(), &warning.message));
    for (rule, message) in errors.chain(warnings) {
        let shown = format!("{rule}{message}");
        assert!(!shown.contains(['\u{1b}', '\n', '\u{202e}']) && shown.len() < 2_000, "{shown:?}");
    }
}

#[test]
fn every_tool_of_the_host_is_known() {
    let tools: BTreeSet<String> = calls().into_iter().map(|(tool, _)| tool).collect();
    assert!(tools.len() > 100, "{}", tools.len());
    assert_eq!(only(&rules(&[json!({ "tool": tools })])), []);
}
