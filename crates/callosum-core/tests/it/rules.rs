//! Rules: what matches, and what a mistake in them is told as.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use callosum_core::model::settings::Mode;
use callosum_core::model::tier::Tier;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::{RuleSet, Scope, World};
use serde_json::{Value, json};

fn call(tool: &str) -> ToolCall {
    ToolCall { tool: tool.to_owned(), session: "agent:main:pa".to_owned(), ..ToolCall::default() }
}

/// The name of the rule that matches, `-` when none does.
fn matching(rules: &Value, call: &ToolCall, runtime: &str, params: &Value) -> String {
    let rules = RuleSet::parse(&json!({ "rules": rules }).to_string()).unwrap();
    rules
        .classify(call, runtime, params, &World::unseen())
        .rule_name
        .map_or_else(|| "-".to_owned(), |name| (*name).to_owned())
}

#[test]
fn the_first_rule_that_matches_wins() {
    let rules = json!([
        {"name": "named", "tier": 1, "tool": "a"},
        {"name": "globbed", "tier": 1, "tool": ["b*", "?c"]},
        {"name": "named-too", "tier": 1, "tool": ["a", "bb", "d"]},
        {"name": "any", "tier": 1, "tool": "*"},
        {"name": "never", "tier": 1, "tool": "e"},
    ]);
    for (tool, rule) in [
        ("a", "named"),
        ("b", "globbed"),
        ("bb", "globbed"),
        ("xc", "globbed"),
        ("d", "named-too"),
        ("e", "any"),
        ("zz", "any"),
    ] {
        assert_eq!(matching(&rules, &call(tool), "openclaw", &json!({})), rule, "{tool}");
    }
}

#[test]
fn renamed_tools_match_under_both_names() {
    for (ruled, called, matches) in [
        ("automations", "cron", true),
        ("cron", "automations", true),
        ("cron", "cron", true),
        ("exec", "bash", true),
        ("bash", "exec", true),
        ("apply-patch", "apply_patch", true),
        ("cr*", "cron", true),
        ("auto*", "cron", true),
        ("cr*", "automations", false),
        ("Exec", "exec", true),
        ("Bash", "exec", true),
        ("cron", "Cron", true),
        ("applyPatch", "apply-patch", true),
        ("cron", "Cron", true),
        ("exec", "execute", false),
    ] {
        let rules = json!([{"name": "rule", "tier": 1, "tool": ruled}]);
        let expected = if matches { "rule" } else { "-" };
        assert_eq!(matching(&rules, &call(called), "openclaw", &json!({})), expected, "{ruled} {called}");
    }
}

#[test]
fn params_must_all_have_one_of_their_values() {
    for (required, params, matches) in [
        (json!({"a": "x"}), json!({"a": "x"}), true),
        (json!({"a": "x"}), json!({"a": "X"}), false),
        (json!({"a": "x"}), json!({}), false),
        (json!({"a": "x"}), json!({"a": ["x"]}), false),
        (json!({"a": ["x", "y"]}), json!({"a": "y"}), true),
        (json!({"a": "x", "b": 1}), json!({"a": "x"}), false),
        (json!({"a": "x", "b": 1}), json!({"a": "x", "b": 1.0}), true),
        (json!({"b": 1.5}), json!({"b": 1.5}), true),
        (json!({"b": 1}), json!({"b": "1"}), false),
        (json!({"b": true}), json!({"b": true}), true),
        (json!({"b": true}), json!({"b": false}), false),
        (json!({"job.kind": "x"}), json!({"job": {"kind": "x"}}), true),
        (json!({"action": "channel-delete"}), json!({"action": "channelDelete"}), true),
        (json!({"action": "channelDelete"}), json!({"action": "Channel_delete"}), true),
        (json!({"action": ["x", "leave group"]}), json!({"action": "leaveGroup"}), true),
        (json!({"action": "config.get"}), json!({"action": "configget"}), false),
        (json!({"other": "channel-delete"}), json!({"other": "channelDelete"}), false),
    ] {
        let rules = json!([{"name": "rule", "tier": 1, "tool": "t", "params": required}]);
        let expected = if matches { "rule" } else { "-" };
        assert_eq!(matching(&rules, &call("t"), "openclaw", &params), expected, "{required} {params}");
    }
}

#[test]
fn command_patterns_look_at_commands_that_are_text() {
    let rules = json!([{"name": "rule", "tier": 1, "tool": "exec", "commandPattern": "git push"}]);
    for (params, rule) in [
        (json!({"command": "cd x && git push origin"}), "rule"),
        (json!({"command": "git pull"}), "-"),
        (json!({"command": ["git push"]}), "-"),
        (json!({"cmd": "git push"}), "-"),
    ] {
        assert_eq!(matching(&rules, &call("exec"), "openclaw", &params), rule, "{params}");
    }
}

#[test]
fn rules_can_be_for_some_agents_sessions_and_runtimes() {
    let whole = ToolCall { agent: Some("main".to_owned()), ..call("t") };
    for (condition, expected) in [
        (json!({"agent": "main"}), "rule"),
        (json!({"agent": ["a", "m*"]}), "rule"),
        (json!({"agent": "other"}), "-"),
        (json!({"session": "agent:main:*"}), "rule"),
        (json!({"session": "agent:main"}), "-"),
        (json!({"runtime": "openclaw"}), "rule"),
        (json!({"runtime": ["codex", "claude-*"]}), "-"),
        (json!({"agent": "main", "runtime": "codex"}), "-"),
    ] {
        let mut rule = json!({"name": "rule", "tier": 1, "tool": "t"});
        rule.as_object_mut().unwrap().extend(condition.as_object().unwrap().clone());
        assert_eq!(matching(&json!([rule]), &whole, "openclaw", &json!({})), expected, "{condition}");
    }
    let agent_only = json!([{"name": "rule", "tier": 1, "tool": "t", "agent": "main"}]);
    assert_eq!(matching(&agent_only, &call("t"), "openclaw", &json!({})), "-");
}

#[test]
fn a_classification_carries_what_the_rule_says() {
    let text = json!({"$schema": "x", "$comment": "y", "rules": [
        {"$comment": "z", "name": "rule", "tier": 4, "tool": "t", "contextKey": "k", "recentWindowMs": 8.64e7,
         "lockExpiryMs": 1000, "scope": "otherSessions", "mode": "observe"},
        {"name": "plain", "tier": 2, "tool": "u", "recentWindowMs": 5}
    ]});
    let rules = RuleSet::parse(&text.to_string()).unwrap();
    let full = rules.classify(&call("t"), "openclaw", &json!({}), &World::unseen());
    assert_eq!(
        (full.tier, full.rule_name.as_deref(), full.context_keys),
        (Tier::Critical, Some("rule"), vec!["k".to_owned()])
    );
    assert_eq!((full.recent_window_ms, full.lease_ms), (Some(86_400_000), Some(1000)));
    assert_eq!(
        (full.scope, full.mode, full.too_many_keys),
        (Scope::OtherSessions, Some(Mode::Observe), false)
    );
    let plain = rules.classify(&call("u"), "openclaw", &json!({}), &World::unseen());
    assert_eq!((plain.tier, plain.scope, plain.mode, plain.lease_ms), (Tier::Medium, Scope::Any, None, None));
    let none = rules.classify(&call("v"), "openclaw", &json!({}), &World::unseen());
    assert_eq!((none.tier, none.rule_name, none.context_keys.len()), (Tier::None, None, 0));
    assert_eq!((rules.len(), rules.is_empty()), (2, false));
    assert!(RuleSet::default().is_empty());
    assert_eq!((rules.largest_window_ms(), rules.longest_lease_ms()), (86_400_000, 1000));
    assert_eq!(RuleSet::parse(r#"{"rules": []}"#).unwrap().largest_window_ms(), 0);
}

#[test]
fn own_rules_come_before_the_shipped_ones_and_replace_their_namesakes() {
    let shipped = r#"{"rules": [
        {"name": "a", "tier": 1, "tool": "t"}, {"name": "b", "tier": 2, "tool": ["t", "u"]}, {"name": "c", "tier": 1, "tool": "w"}
    ]}"#;
    let own = r#"{"extends": "default", "rules": [{"name": "b", "tier": 3, "tool": "u"}, {"name": "mine", "tier": 4, "tool": "w"}]}"#;
    let rules = RuleSet::parse_extending(own, shipped).unwrap();
    let tier = |tool| rules.classify(&call(tool), "openclaw", &json!({}), &World::unseen()).tier;
    assert_eq!((tier("t"), tier("u"), tier("w"), rules.len()), (Tier::Low, Tier::High, Tier::Critical, 4));

    let alone = RuleSet::parse_extending(r#"{"rules": []}"#, shipped).unwrap();
    assert!(alone.is_empty());
    let extended = RuleSet::parse(r#"{"extends": "default", "rules": []}"#).unwrap();
    assert_eq!(extended.len(), RuleSet::shipped().len());

    let error = RuleSet::parse_extending(own, "{").unwrap_err().to_string();
    assert!(error.contains("in the shipped rules"), "{error}");
    assert!(RuleSet::parse_extending(own, own).is_err());
}

#[test]
fn a_mistake_is_told_with_its_place_its_rule_and_its_remedy() {
    let rule = |field: &str| {
        format!(
            "{{\n  \"rules\": [\n    {{\"name\": \"ok\", \"tier\": 0, \"tool\": \"x\"}},\n    {{\"name\": \"bad\", \"tier\": 1, \"tool\": \"x\", {field}}}\n  ]\n}}"
        )
    };
    // Where the field of the bad rule begins, and its value.
    let key = 45;
    for (text, line, column, named, words) in [
        ("", 1, 1, None, "EOF"),
        ("{\"rules\": [}", 1, 12, None, "expected"),
        ("{\n  \"rules\": [\n  ],\n}", 4, 1, None, "trailing comma"),
        ("{\"žš\": 1,, }", 1, 10, None, "key must be a string"),
        ("[]", 1, 1, None, "an object in braces"),
        ("{}", 1, 1, None, "`rules` is missing"),
        ("{\"rules\": {}}", 1, 11, None, "sequence"),
        ("{\"rules\": [], \"rule\": 1}", 1, 15, None, "did you mean `rules`?"),
        ("{\"rules\": [], \"rules\": []}", 1, 15, None, "twice"),
        ("{\"extends\": \"shipped\", \"rules\": []}", 1, 13, None, "\"default\""),
        ("{\"rules\": [\n  5]}", 2, 3, None, "an object in braces"),
        ("{\"rules\": [\n  {\"tier\": 1, \"tool\": \"x\"}]}", 2, 3, None, "`name` is missing"),
        (
            "{\"rules\": [\n  {\"name\": \" \", \"tier\": 1, \"tool\": \"x\"}]}",
            2,
            12,
            None,
            "`name` is empty",
        ),
        ("{\"rules\": [\n  {\"name\": \"bad\", \"tool\": \"x\"}]}", 2, 3, Some("bad"), "`tier` is missing"),
        (
            "{\"rules\": [\n  {\"name\": \"bad\", \"tier\": 5, \"tool\": \"x\"}]}",
            2,
            27,
            Some("bad"),
            "tiers are 0 to 4",
        ),
        ("{\"rules\": [\n  {\"name\": \"bad\", \"tier\": 1}]}", 2, 3, Some("bad"), "`tool` is missing"),
        (
            "{\"rules\": [\n  {\"name\": \"bad\", \"tier\": 1, \"tool\": []}]}",
            2,
            38,
            Some("bad"),
            "that is not empty",
        ),
        (&rule("\"comandPattern\": \"x\""), 4, key, Some("bad"), "did you mean `commandPattern`?"),
        (&rule("\"zzzzzzzzzz\": \"x\""), 4, key, Some("bad"), "expected one of $comment, name"),
        (&rule("\"tier\": 2"), 4, key, Some("bad"), "twice"),
        (&rule("\"commandPattern\": \"a(b\""), 4, key + 18, Some("bad"), "unclosed group"),
        (&rule("\"commandPattern\": \"a(?!b)\""), 4, key + 18, Some("bad"), "look-around"),
        (&rule("\"commandPattern\": 5"), 4, key + 18, Some("bad"), "`commandPattern`: invalid type"),
        (&rule("\"contextKey\": \"a:{params.x\""), 4, key + 14, Some("bad"), "without its `}`"),
        (&rule("\"contextKey\": \"a:}\""), 4, key + 14, Some("bad"), "without its `{`"),
        (
            &rule("\"contextKey\": [\"a\", \"{recipient}\"]"),
            4,
            key + 14,
            Some("bad"),
            "expected one of {tool}",
        ),
        (&rule("\"command\": \"-x\""), 4, key + 11, Some("bad"), "begins with the name of its program"),
        (&rule("\"command\": [\"git push\", \"a b||c\"]"), 4, key + 11, Some("bad"), "`b||c` has an empty"),
        (&rule("\"unlessFlag\": \"--help\""), 4, 14, Some("bad"), "needs `command` or `http`"),
        (&rule("\"http\": {\"methods\": \"POST\"}"), 4, key + 9, Some("bad"), "did you mean `method`?"),
        (&rule("\"http\": {\"host\": []}"), 4, key + 17, Some("bad"), "that is not empty"),
        (&rule("\"contextKey\": \"{command.arg.0}\""), 4, key + 14, Some("bad"), "unknown placeholder"),
        (&rule("\"contextKey\": \"{params.}\""), 4, key + 14, Some("bad"), "empty name"),
        (&rule("\"contextKey\": \"\""), 4, key + 14, Some("bad"), "empty"),
        (&rule("\"recentWindowMs\": -1"), 4, key + 18, Some("bad"), "milliseconds"),
        (&rule("\"recentWindowMs\": 1.5"), 4, key + 18, Some("bad"), "milliseconds"),
        (&rule("\"recentWindowMs\": \"1h\""), 4, key + 18, Some("bad"), "milliseconds"),
        (&rule("\"scope\": \"others\""), 4, key + 9, Some("bad"), "otherSessions"),
        (&rule("\"mode\": \"off\""), 4, key + 8, Some("bad"), "observe"),
        (&rule("\"params\": {\"a\": 1,\n   \"b\": {\"c\": 1}}"), 5, 9, Some("bad"), "`params.b`"),
        (&rule("\"params\": {\"a\": []}"), 4, key + 16, Some("bad"), "`params.a`"),
        (&rule("\"params\": [1]"), 4, key + 10, Some("bad"), "an object in braces"),
        (&rule("\"agent\": \"\\ud800\""), 4, key + 16, Some("bad"), "hex escape"),
    ] {
        let error = RuleSet::parse(text).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{text}\n{error}");
        assert_eq!(error.rule.as_deref(), named, "{text}\n{error}");
        assert!(error.message.contains(words) && !error.message.contains('\n'), "{text}\n{error}");
    }
    let twice = "{\"rules\": [\n {\"name\": \"a\", \"tier\": 0, \"tool\": \"x\"},\n {\"tier\": 0, \"name\": \"a\", \"tool\": \"x\"}]}";
    assert_eq!(
        RuleSet::parse(twice).unwrap_err().to_string(),
        "line 3, column 22: rule `a`: another rule has this name: rename one, because the journal and the pauses show it"
    );
}

#[test]
fn a_byte_order_mark_and_nulls_do_no_harm() {
    let rules = RuleSet::parse(
        "\u{feff}{\"rules\": [{\"name\": \"a\", \"tier\": 1, \"tool\": \"t\", \"contextKey\": null}]}",
    )
    .unwrap();
    assert_eq!(rules.len(), 1);
}

#[test]
fn hostile_rule_files_are_refused_quickly() {
    for text in [
        "[".repeat(1_000_000),
        format!("{{\"rules\": [{{\"name\": \"a\", \"tier\": 1, \"tool\": \"t\", \"params\": {{\"a\": {}", "[".repeat(1_000_000)),
        format!("{{\"rules\": [{{\"name\": \"a\", \"tier\": 1, \"tool\": \"t\", \"params\": {}1{}}}]}}", "{\"a\":".repeat(10_000), "}".repeat(10_000)),
        "{\"rules\": [{\"name\": \"a\", \"tier\": 1, \"tool\": \"t\", \"commandPattern\": \"(((a{1000}){1000}){1000}){1000}\"}]}".to_owned(),
        format!("{{\"rules\": [{{\"name\": \"a\", \"tier\": 1, \"tool\": \"t\", \"commandPattern\": \"{}\"}}]}}", "(".repeat(100_000)),
        format!("{{\"{}\": 1}}", "r".repeat(1_000_000)),
    ] {
        assert!(RuleSet::parse(&text).is_err());
    }
}

fn says(rules: &str, command: &str) -> (u8, Vec<String>) {
    let call = ToolCall { tool: "exec".to_owned(), cwd: Some("/w".to_owned()), ..ToolCall::default() };
    let rules = RuleSet::parse(&format!("{{\"rules\": [{rules}]}}")).unwrap();
    let found = rules.classify(&call, "openclaw", &json!({ "command": command }), &World::unseen());
    assert_eq!(
        rules.explain(&call, "openclaw", &json!({ "command": command }), &World::unseen()).classification,
        found
    );
    (found.tier as u8, found.context_keys)
}

#[test]
fn rules_for_commands_see_one_command_at_a_time() {
    let ship = r#"{"name":"help","tier":0,"tool":"exec","command":"* --help"},
        {"name":"ship","tier":3,"tool":"exec","command":["ship it|them","ship --now","ship ... prod","ship ... to:* ..."],
         "unlessFlag":"--try","contextKey":"ship:{command.arg.1|command.flag.to|t|nowhere}"},
        {"name":"forced","tier":2,"tool":"exec","command":"* --force","contextKey":"forced:{command.program}"},
        {"name":"post","tier":3,"tool":"exec","http":{"method":"POST","host":["*.acme.io","private"],"path":"v1/*"},
         "contextKey":"{http.method} {http.url}"},
        {"name":"rest","tier":1,"tool":"exec","contextKey":"rest"}"#;
    for (command, tier, keys) in [
        ("ship it", 3, &["ship:nowhere"][..]),
        ("ship --color red them home", 3, &["ship:home"]),
        ("cd x && ship it a; ship it b", 3, &["ship:a", "ship:b"]),
        ("ship --now", 3, &["ship:nowhere"]),
        ("ship it --to a --to=b", 3, &["ship:a", "ship:b"]),
        ("ship it -t a", 3, &["ship:a"]),
        ("ship a b prod", 3, &["ship:a"]),
        ("ship prod b", 1, &["rest"]),
        ("ship a to:b c", 3, &["ship:a"]),
        ("ship", 1, &["rest"]),
        ("ship not it", 1, &["rest"]),
        ("ship it --try", 1, &["rest"]),
        ("ship it --try=false", 3, &["ship:nowhere"]),
        ("echo ship it", 1, &["rest"]),
        ("ship it --help", 0, &[]),
        ("unheard-of --force", 2, &["forced:unheard-of"]),
        ("unheard-of --force && ship it a", 3, &["forced:unheard-of", "ship:a"]),
        ("unheard-of", 1, &["rest"]),
        ("curl -d x https://api.acme.io/v1/a", 3, &["POST api.acme.io/a"]),
        ("curl -d x https://acme.io/v1/a", 1, &["rest"]),
        ("curl -d x http://10.1.2.3:80/v1/a", 3, &["POST 10.1.2.3/a"]),
        ("curl -G -d x https://api.acme.io/v1/a", 1, &["rest"]),
        ("curl -X POST https://api.acme.io/v2/a", 1, &["rest"]),
        ("ship it 'a", 3, &["ship:a"]),
        ("", 1, &["rest"]),
    ] {
        assert_eq!(
            says(ship, command),
            (tier, keys.iter().map(|key| (*key).to_owned()).collect()),
            "{command}"
        );
    }
}

#[test]
fn the_first_rule_wins_for_each_command_and_for_the_whole_line() {
    let whole = r#"{"name":"mine","tier":2,"tool":"exec","commandPattern":"deploy","contextKey":"mine"},
        {"name":"push","tier":3,"tool":"exec","command":"git push","contextKey":"push"}"#;
    assert_eq!(says(whole, "git push # deploy"), (2, vec!["mine".to_owned()]));
    assert_eq!(says(whole, "git push"), (3, vec!["push".to_owned()]));
    // What only explains itself is taken out of a rule for the whole line that stands behind.
    let help = r#"{"name":"help","tier":0,"tool":"exec","command":"* --help"},
        {"name":"mine","tier":3,"tool":"exec","commandPattern":"deploy","contextKey":"mine"}"#;
    assert_eq!(says(help, "./deploy.sh --help"), (0, Vec::new()));
    assert_eq!(says(help, "./deploy.sh"), (3, vec!["mine".to_owned()]));
    assert_eq!(says(help, "./deploy.sh --help; ./deploy.sh"), (3, vec!["mine".to_owned()]));
}

#[test]
fn a_line_of_several_rules_is_checked_by_the_stricter() {
    let rules = r#"{"name":"a","tier":3,"tool":"exec","command":"a","contextKey":"a","recentWindowMs":10,"lockExpiryMs":7,"scope":"otherSessions","mode":"observe"},
        {"name":"b","tier":3,"tool":"exec","command":"b","contextKey":"b","recentWindowMs":20},
        {"name":"c","tier":2,"tool":"exec","command":"c","contextKey":"c","recentWindowMs":99},
        {"name":"d","tier":1,"tool":"exec","command":"d","contextKey":"d"}"#;
    let rules = RuleSet::parse(&format!("{{\"rules\": [{rules}]}}")).unwrap();
    let call = ToolCall { tool: "exec".to_owned(), ..ToolCall::default() };
    let of =
        |command: &str| rules.classify(&call, "openclaw", &json!({ "command": command }), &World::unseen());
    let all = of("d; c; a; b");
    assert_eq!(all.context_keys, ["c", "a", "b"]);
    assert_eq!((all.tier as u8, all.rule_name.as_deref()), (3, Some("a")));
    assert_eq!((all.recent_window_ms, all.lease_ms), (Some(20), Some(7)));
    assert_eq!((all.scope, all.mode), (Scope::Any, None));
    let alone = of("c; a");
    assert_eq!(
        (alone.recent_window_ms, alone.scope, alone.mode),
        (Some(10), Scope::OtherSessions, Some(Mode::Observe))
    );
    for line in ["a", "d; a", "cd x && a"] {
        assert!(of(line).not_done_codes.contains(127), "{line}");
    }
    for line in ["a; d", "a && b", "c; a"] {
        assert!(of(line).not_done_codes.is_empty(), "{line}");
    }
}

/// Why rules matched a call, one after another, and whether its line was only cut roughly.
fn reasons(rules: &Value, command: &str) -> (Vec<String>, bool) {
    let rules = RuleSet::parse(&json!({ "rules": rules }).to_string()).unwrap();
    let call = ToolCall { agent: Some("main".to_owned()), ..call("exec") };
    let found =
        rules.explain(&call, "openclaw", &json!({ "command": command, "host": "node" }), &World::unseen());
    (found.matches.into_iter().map(|one| one.because).collect(), found.rough)
}

#[test]
fn an_explanation_names_every_condition_that_led_to_a_rule() {
    let program = "the program and its words (`command`)";
    let request = "the request it sends (`http`)";
    let name = "the tool's name";
    for (conditions, reason) in [
        (json!({}), name.to_owned()),
        (json!({"command": "curl"}), program.to_owned()),
        (json!({"http": {"method": "GET"}}), request.to_owned()),
        (json!({"command": "curl", "http": {"method": "GET"}}), format!("{program}, {request}")),
        (json!({"commandPattern": "a"}), format!("{name}, the text of the command (`commandPattern`)")),
        (json!({"params": {"host": "node"}}), format!("{name}, parameters")),
        (json!({"agent": "main"}), format!("{name}, who calls")),
        (json!({"session": "agent:*"}), format!("{name}, who calls")),
        (json!({"runtime": "openclaw"}), format!("{name}, who calls")),
        (json!({"command": "curl", "runtime": "openclaw"}), format!("{program}, who calls")),
    ] {
        let mut rule = json!({"name": "rule", "tier": 3, "tool": "exec"});
        rule.as_object_mut().unwrap().extend(conditions.as_object().unwrap().clone());
        assert_eq!(reasons(&json!([rule]), "curl https://a.example").0, [reason], "{conditions}");
    }
}

#[test]
fn only_a_line_that_a_rule_may_be_for_is_read_as_a_shell_would() {
    let ship = json!({"name": "ship", "tier": 3, "tool": "exec", "command": "ship it"});
    let rest = |tier: u8| json!({"name": "rest", "tier": tier, "tool": "exec"});
    let open_quote = "echo 'a";
    assert_eq!(reasons(&json!([ship, rest(1)]), open_quote), (vec!["the tool's name".to_owned()], false));
    assert_eq!(reasons(&json!([ship]), open_quote), (Vec::new(), false));
    // What may be taken back for one command is read, and so is what may be a command of a rule.
    assert!(reasons(&json!([ship, rest(2)]), open_quote).1);
    assert!(reasons(&json!([ship, rest(1)]), "echo 'ship it").1);
    assert!(!reasons(&json!([ship, rest(1)]), "echo ship it").1);
}

#[test]
fn the_program_of_a_pattern_ends_at_whatever_space_it_is_written_with() {
    for space in [" ", "  ", "\t", "\u{a0}", "\u{3000}"] {
        let rules = json!([{"name": "ship", "tier": 3, "tool": "exec", "command": format!("ship{space}it")}]);
        assert_eq!(reasons(&rules, "ship it").0, ["the program and its words (`command`)"], "{space:?}");
    }
}

#[test]
fn a_rule_for_the_whole_line_is_named_once_and_one_for_commands_with_each() {
    let rules = json!([
        {"name": "ship", "tier": 3, "tool": "exec", "command": "ship it"},
        {"name": "rest", "tier": 2, "tool": "exec"},
    ]);
    let (whole, command) = ("the tool's name", "the program and its words (`command`)");
    assert_eq!(reasons(&rules, "a; ship it; b; c; ship it").0, [whole, command, command]);
}

#[test]
fn a_tool_is_the_same_however_its_name_is_spelled() {
    let rules = json!([
        {"name": "ticket", "tier": 3, "tool": "helpdesk__create_ticket"},
        {"name": "page", "tier": 2, "tool": ["page-*", "*__PagePerson"]},
        {"name": "go", "tier": 3, "tool": "exec", "command": "go now"},
    ]);
    let rules = RuleSet::parse(&json!({ "rules": rules }).to_string()).unwrap();
    let of = |tool: &str| {
        let found = rules.classify(&call(tool), "openclaw", &json!({"command": "go now"}), &World::unseen());
        found.rule_name.as_deref().unwrap_or_default().to_owned()
    };
    for tool in [
        "helpdesk__create_ticket",
        "Helpdesk__createTicket",
        "help-desk__CREATE-TICKET",
        "help desk__create ticket",
    ] {
        assert_eq!(of(tool), "ticket", "{tool}");
    }
    for tool in ["page_all", "pageAll", "PAGE-", "pager", "x__page_person", "x-y__page-person"] {
        assert_eq!(of(tool), "page", "{tool}");
    }
    for tool in ["exec", "bash", "Exec"] {
        assert_eq!(of(tool), "go", "{tool}");
    }
    // A server is no part of a tool's name.
    for tool in ["helpdesk_create_ticket", "helpdesk__create__ticket", "create_ticket", "page", "executor"] {
        let expected = if tool == "page" { "page" } else { "" };
        assert_eq!(of(tool), expected, "{tool}");
    }
}

#[test]
fn programs_that_no_rule_names_are_found_by_their_verb() {
    let rules = json!([
        {"name": "acme", "tier": 1, "tool": "exec", "command": "acme"},
        {"name": "verb", "tier": 3, "tool": "exec", "command": "{unknown} {verb}"},
        {"name": "rest", "tier": 1, "tool": "exec"},
    ]);
    for (command, rule) in [
        ("mailer send lea", "verb"),
        ("cd app && ./bin/mailer campaign send 12", "verb"),
        ("npx mailer@2 send", "verb"),
        ("mailer list", "rest"),
        ("mailer order list", "rest"),
        ("mailer --note send-now", "rest"),
        ("acme send", "acme"),
        ("cargo publish", "rest"),
        ("python3.12 send", "rest"),
        ("mailer() { :; }; mailer send", "rest"),
        ("echo mailer send", "rest"),
    ] {
        assert_eq!(
            matching(&rules, &call("exec"), "openclaw", &json!({ "command": command })),
            rule,
            "{command}"
        );
    }
}

#[test]
fn databases_elsewhere_are_told_from_those_of_this_machine() {
    let rule = json!({"name": "sql", "tier": 3, "tool": "exec", "command": "psql {writes} {elsewhere}", "contextKey": "db:{server.database}"});
    let rules = RuleSet::parse(&json!({ "rules": [rule] }).to_string()).unwrap();
    let remote = [("PGHOST".to_owned(), "db.acme.example".to_owned())];
    let (bare, with_host) =
        (World::with_environment([].into()), World::with_environment(remote.into_iter().collect()));
    let keys = |world: &World, command: &str| {
        let found = rules.classify(&call("exec"), "openclaw", &json!({ "command": command }), world);
        (found.context_keys.join(" "), found.asked_around)
    };
    let none = (String::new(), false);
    let database = |name: &str| (format!("db:db.acme.example/{name}"), false);
    assert_eq!(keys(&bare, "psql -h db.acme.example shop -c 'DELETE FROM x'"), database("shop"));
    assert_eq!(keys(&bare, "psql -h db.acme.example shop -c 'SELECT 1'"), none);
    assert_eq!(keys(&bare, "psql shop -c 'DELETE FROM x'"), none);
    assert_eq!(keys(&with_host, "psql -d shop -c 'DELETE FROM x'"), database("shop"));
    assert_eq!(keys(&with_host, "psql -h localhost shop -c 'DELETE FROM x'"), none);
    // Where the environment may not be read, it may say another server: who may read it asks again.
    let unseen = rules.classify(
        &call("exec"),
        "openclaw",
        &json!({ "command": "psql shop -c 'DELETE FROM x'" }),
        &World::unseen(),
    );
    assert!(unseen.tier.is_tracked() && unseen.asked_around);
}
