//! Rules that no call gets to.

use super::*;

#[test]
fn warnings_come_in_the_order_of_the_file() {
    let text = r#"{"rules": [{"name": "all", "tool": "exec", "tier": 1}, {"contextKey": "{command.last}", "tier": 3, "tool": "exec", "name": "b"},
        {"tool": "nobody_has_it", "tier": 4, "name": "c"}]}"#;
    let found: Vec<(usize, WarningKind)> =
        lint(text).warnings.iter().map(|warning| (warning.line, warning.kind)).collect();
    let expected = [
        (1, WarningKind::NeverFilled),
        (1, WarningKind::Unreachable),
        (2, WarningKind::UnknownTool),
        (2, WarningKind::NoContextKey),
    ];
    assert_eq!(found, expected);
}

#[test]
fn own_rules_may_hide_shipped_ones_but_not_each_other() {
    let text = r#"{"extends": "default", "rules": [{"name": "all", "tier": 1, "tool": "*"}, {"name": "exec", "tier": 1, "tool": "exec"}]}"#;
    let found = lint(text);
    assert_eq!(unreachable(&found), ["exec"]);
    assert_eq!(found.rule_count, RuleSet::shipped().len() + 1);
}

/// The shipped rules in other orders, with narrower copies of them in between: no call gets to a rule of which the
/// lint says so.
#[test]
fn no_call_gets_to_a_rule_that_is_said_to_be_out_of_reach() {
    let shipped: Value = serde_json::from_str(SHIPPED_RULES).unwrap();
    let mut pool = shipped["rules"].as_array().unwrap().clone();
    for rule in pool.clone() {
        for field in ["command", "tool"] {
            if let Some(list) = rule[field].as_array() {
                let mut narrower = rule.clone();
                narrower[field] = list[list.len() / 2].clone();
                narrower["name"] = json!(format!("{}-{field}", rule["name"].as_str().unwrap()));
                pool.push(narrower);
            }
        }
    }
    let calls = calls();
    assert!(calls.len() > 900 && pool.len() > 200, "{} {}", calls.len(), pool.len());
    let mut seed: u64 = 7;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let mut said = 0;
    for _ in 0..6 {
        // The widest rules late, or they hide nearly all others.
        let mut order: Vec<(usize, Value)> = pool
            .iter()
            .map(|rule| {
                let is_wide = rule.get("command").or(rule.get("params")).or(rule.get("http")).is_none();
                (random(1000) + if is_wide { 700 } else { 0 }, rule.clone())
            })
            .collect();
        order.sort_by_key(|(place, _)| *place);
        let order: Vec<Value> = order.into_iter().map(|(_, rule)| rule).collect();
        let text = json!({ "rules": order }).to_string();
        let found = lint(&text);
        assert_eq!(found.errors, []);
        let hidden: BTreeSet<&str> = unreachable(&found).into_iter().collect();
        said += hidden.len();
        let rules = RuleSet::parse(&text).unwrap();
        for (tool, params) in &calls {
            let call =
                ToolCall { tool: tool.clone(), cwd: Some("/home/me/app".to_owned()), ..ToolCall::default() };
            for matched in rules.explain(&call, "openclaw", params, &World::unseen()).matches {
                let name = matched.rule_name.as_str();
                assert!(!hidden.contains(name), "`{name}` got {tool} {params}");
            }
        }
    }
    assert!(said > 200, "{said}");
}
