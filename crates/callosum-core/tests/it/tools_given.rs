//! Tools by what their calls are given: nothing, something of this machine, or an action.

use serde_json::{Value, json};

use crate::tools::{is_for, rules};

#[test]
fn a_call_of_a_server_that_names_nothing_of_this_machine() {
    let rules = rules(r#""toolWords":["set"],"params":{"{target}":"{elsewhere}"}"#);
    for (tool, params, expected) in [
        ("acme__set_rule", json!({"value": "x"}), true),
        ("acme__set_rule", json!({"path": "/home/me/x"}), false),
        ("acme__set_rule", json!({"filename": "x"}), false),
        ("acme__set_rule", json!({"elementId": "e1"}), false),
        ("acme__set_rule", json!({"x": 1, "y": 2}), false),
        ("acme__set_rule", json!({}), false),
        ("acme-local__set_rule", json!({"value": "x"}), false),
        ("set_rule", json!({"value": "x"}), false),
    ] {
        assert_eq!(is_for(&rules, tool, &params), expected, "{tool} {params}");
    }
}

#[test]
fn a_call_that_is_given_nothing_or_says_what_it_does_inside() {
    let strong = rules(r#""toolWords":["order","{acts}"]"#);
    // What is given nothing can't be about something: a server refuses it. A function of that name may need nothing.
    for (tool, expected) in [
        ("shop__cancel_order", false),
        ("shop__create_order", false),
        ("shop__cancel_all_orders", true),
        ("shop__sync_orders", true),
        ("cancel_order", true),
    ] {
        assert_eq!(is_for(&strong, tool, &json!({})), expected, "{tool}");
        assert!(is_for(&strong, tool, &json!({"id": 1})), "{tool}");
    }
    // An object's type, and the first word of a database's command.
    assert!(is_for(&strong, "order_action", &json!({"action": {"type": "cancel", "id": 1}})));
    assert!(is_for(
        &rules(r#""toolWords":["redis","del"]"#),
        "redis_command",
        &json!({"command": ["DEL", "a"]})
    ));
    assert!(!is_for(
        &rules(r#""toolWords":["redis","del"]"#),
        "redis_command",
        &json!({"command": ["GET", "a"]})
    ));
    assert!(is_for(&strong, "cancel_order", &Value::Null));
}
