//! What a rules file may ask for: a file that costs too much is refused when it is read, with the place and what to do.

use callosum_core::model::time::Stamp;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::lint::lint;
use callosum_core::rules::{RuleError, RuleSet, World};
use serde_json::{Value, json};

fn rule(name: &str, more: Value) -> Value {
    let mut rule = json!({"name": name, "tier": 3, "tool": "exec"});
    rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    rule
}

/// Why a file of these rules is refused, as the gate and as `callosum check` say it.
fn refusal(rules: &[Value]) -> RuleError {
    let text = json!({ "rules": rules }).to_string();
    let error = RuleSet::parse(&text).unwrap_err();
    assert_eq!(lint(&text).errors.first(), Some(&error));
    error
}

fn accepted(rules: &[Value]) {
    let text = json!({ "rules": rules }).to_string();
    assert_eq!(RuleSet::parse(&text).map(|rules| rules.len()), Ok(rules.len()));
    assert_eq!(lint(&text).errors, []);
}

const HUGE: &str = r"(?i)[\p{L}\p{N}]{1,200}N";

#[test]
fn a_pattern_that_takes_too_much_memory_is_refused_by_name() {
    for pattern in [HUGE, r"\w{1000}", r"(a{1,1000}){1,1000}", &"x|".repeat(20_000)] {
        let error = refusal(&[
            rule("fine", json!({"commandPattern": "x"})),
            rule("huge", json!({"commandPattern": pattern})),
        ]);
        assert_eq!(error.rule.as_deref(), Some("huge"), "{error}");
        assert!(error.message.contains("`commandPattern`"), "{error}");
        assert!(error.message.contains("`command`") || error.message.contains("limit"), "{error}");
    }
    // 300 of them are refused at the first.
    let many: Vec<Value> =
        (0..300).map(|at| rule(&format!("r{at}"), json!({ "commandPattern": HUGE }))).collect();
    assert_eq!(refusal(&many).rule.as_deref(), Some("r0"));
    accepted(&[
        rule("a", json!({"commandPattern": r"(?i)\b(deploy|release)\b[^;&|]*\b(prod|live)\b"})),
        rule("b", json!({"commandPattern": r"\w+@\w+\.\w{2,4}"})),
    ]);
}

#[test]
fn the_patterns_of_a_file_are_bounded_together_and_the_one_too_many_is_named() {
    let some = |count: usize| -> Vec<Value> {
        let pattern =
            |at: usize| rule(&format!("r{at}"), json!({"commandPattern": format!("{at}[^|;]{{0,400}}x")}));
        (0..count).map(pattern).collect()
    };
    accepted(&some(8));
    let error = refusal(&some(30));
    assert_eq!(error.rule.as_deref(), Some("r8"), "{error}");
    assert!(error.message.contains("the patterns of the file take more than 8 MiB"), "{error}");
    // Small ones may be many.
    let small: Vec<Value> =
        (0..400).map(|at| rule(&format!("r{at}"), json!({"commandPattern": format!("a{at}b")}))).collect();
    accepted(&small);
}

#[test]
fn a_file_may_have_only_so_many_rules() {
    let rules = |count: usize| -> Vec<Value> {
        (0..count).map(|at| rule(&format!("r{at}"), json!({"command": format!("p{at}")}))).collect()
    };
    accepted(&rules(300));
    assert!(refusal(&rules(2_001)).message.contains("more than 2000 rules"));
}

#[test]
fn a_name_is_short_and_on_one_line() {
    for (name, why) in [
        ("a\nb".to_owned(), "line breaks"),
        ("a\u{1b}[31m".to_owned(), "control"),
        ("a\u{202e}b".to_owned(), "invisible"),
        ("a\u{200b}".to_owned(), "invisible"),
        ("x".repeat(101), "longer than 100"),
        ("x".repeat(1_000_000), "longer than 100"),
        ("  ".to_owned(), "empty"),
    ] {
        let error = refusal(&[rule(&name, json!({}))]);
        assert!(error.message.contains(why), "{error}");
        assert!(
            error.to_string().len() < 300 && !error.to_string().contains(['\n', '\u{1b}', '\u{202e}']),
            "{error}"
        );
    }
    accepted(&[rule(&"ü".repeat(100), json!({}))]);
}

#[test]
fn texts_and_templates_are_bounded() {
    let long = "x".repeat(16 * 1024 + 1);
    for more in [
        json!({"tool": long}),
        json!({"command": ["a", long]}),
        json!({"unlessFlag": long, "command": "a"}),
        json!({"commandPattern": long}),
        json!({"contextKey": long}),
        json!({"agent": long}),
        json!({"http": {"host": long}}),
    ] {
        let error = refusal(&[rule("long", more)]);
        assert_eq!(error.rule.as_deref(), Some("long"), "{error}");
        assert!(error.message.contains("16384 bytes"), "{error}");
    }
    let error = refusal(&[rule("keys", json!({"contextKey": vec!["a"; 17]}))]);
    assert!(error.message.contains("more than 16 templates"), "{error}");
    let error = refusal(&[rule("keys", json!({"contextKey": "{params.a}".repeat(300)}))]);
    assert!(error.message.contains("more than 8 placeholders"), "{error}");
}

#[test]
fn a_window_or_a_lease_longer_than_a_year_is_refused() {
    for field in ["recentWindowMs", "lockExpiryMs"] {
        for ms in [json!(31_622_400_001_u64), json!(u64::MAX), json!(2.5e14), json!(1e300)] {
            let error = refusal(&[rule("long", json!({ field: ms }))]);
            assert!(error.message.contains(field) && error.message.contains("a year"), "{error}");
        }
        accepted(&[rule("year", json!({ field: 31_622_400_000_u64 }))]);
    }
}

/// What cannot be written as a time would be no record at all.
#[test]
fn a_moment_far_ahead_can_still_be_written() {
    let now = Stamp { wall_ms: 1_763_640_000_123, up_ms: 5, boot: Some(1) };
    for ms in [260_000_000_000_000, u64::MAX] {
        assert_eq!(
            callosum_core::model::time::to_rfc3339(now.plus_ms(ms).wall_ms),
            "9999-12-31T23:59:59.999Z"
        );
    }
}

#[test]
fn the_most_that_a_template_can_give_is_a_bounded_number_of_keys() {
    let rules = json!({"rules": [rule("most", json!({"tool": "*", "contextKey": vec!["{params.a}".repeat(8); 16]}))]});
    let values: Vec<String> = (0..1_001).map(|at| format!("{at}{}", "v".repeat(1_000))).collect();
    let call = ToolCall { tool: "x".to_owned(), ..ToolCall::default() };
    let found = RuleSet::parse(&rules.to_string()).unwrap().classify(
        &call,
        "openclaw",
        &json!({ "a": values }),
        &World::unseen(),
    );
    assert_eq!((found.context_keys.len(), found.too_many_keys), (1_000, true));
}
