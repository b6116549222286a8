//! The rules as the page lists them.

use super::*;

#[test]
fn the_rules_are_listed_in_the_order_in_which_they_are_asked() {
    let world = World::new();
    let text = r#"{"extends":"default","rules":[
      {"name":"mine","tier":3,"tool":["mail","post"],"contextKey":"email:{params.to}","recentWindowMs":5,"$comment":"why"},
      {"name":"watched","tier":2,"tool":"exec","command":"ship","mode":"observe","scope":"otherSessions","reach":"machine","lockExpiryMs":7},
      {"name":"narrow","tier":1,"tool":"exec","params":{"host":["a",1]},"commandPattern":"^x","unlessFlag":"--dry-run",
       "http":{"method":"POST","host":["b.example","c.example"]},"agent":"ops"}
    ]}"#;
    fs::write(world.path().join("tiers.json"), text).unwrap();
    let rules = ask(&world.gate("home"), "rules", &json!({}), &world.now);
    assert_eq!(rules["source"], world.path().join("tiers.json").to_str().unwrap());
    assert_eq!(rules["error"], Value::Null);
    assert!(from_rfc3339(rules["loadedAt"].as_str().unwrap()).is_some());
    let list = rules["rules"].as_array().unwrap();
    assert_eq!(
        list[0],
        json!({
            "name": "mine", "tier": 3, "own": true, "tool": ["mail", "post"], "command": [], "where": [],
            "contextKey": ["email:{params.to}"], "recentWindowMs": 5, "scope": "any", "mode": "enforce", "comment": "why",
        })
    );
    assert_eq!(
        list[1],
        json!({
            "name": "watched", "tier": 2, "own": true, "tool": ["exec"], "command": ["ship"], "where": [],
            "contextKey": [], "lockExpiryMs": 7, "scope": "otherSessions", "reach": "machine", "mode": "observe",
        })
    );
    let asked = json!({"tool": "exec", "params": {"command": "ship"}});
    let explained = ask(&world.gate("home"), "explain", &asked, &world.now);
    assert_eq!(explained["matched"][0]["reach"], "machine");
    let narrow = [
        "host = a | 1",
        "command like /^x/",
        "sends HTTP POST to b.example | c.example",
        "without --dry-run",
        "agent ops",
    ];
    assert_eq!(list[2]["where"], json!(narrow));
    let shipped: Value = serde_json::from_str(callosum_core::rules::SHIPPED_RULES).unwrap();
    let names = |rules: &[Value]| rules.iter().map(|rule| rule["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names(&list[3..]), names(shipped["rules"].as_array().unwrap()));
    assert!(list[3..].iter().all(|rule| rule["own"] == false));
    let watching = world.gate_with("home", &json!({ "mode": "observe" }));
    let rules = ask(&watching, "rules", &json!({}), &world.now);
    assert!(rules["rules"].as_array().unwrap().iter().all(|rule| rule["mode"] == "observe"));
}

#[test]
fn a_bad_edit_of_the_rules_is_told_and_a_rule_takes_the_place_of_a_shipped_one() {
    let mut world = World::new();
    let shipped: Value = serde_json::from_str(callosum_core::rules::SHIPPED_RULES).unwrap();
    let name = &shipped["rules"][3]["name"];
    let text = json!({ "extends": "default", "rules": [{ "name": name, "tier": 0, "tool": "x" }] });
    fs::write(world.path().join("tiers.json"), text.to_string()).unwrap();
    let gate = world.gate("home");
    let list = ask(&gate, "rules", &json!({}), &world.now)["rules"].clone();
    assert_eq!(list.as_array().unwrap().len(), shipped["rules"].as_array().unwrap().len());
    let of_name = list.as_array().unwrap().iter().filter(|rule| rule["name"] == *name);
    assert_eq!(of_name.map(|rule| rule["own"].clone()).collect::<Vec<_>>(), [json!(true)]);
    world.pass(1_000);
    fs::write(world.path().join("tiers.json"), "{").unwrap();
    let rules = ask(&gate, "rules", &json!({}), &world.now);
    assert!(rules["error"].as_str().unwrap().contains("tiers.json"));
    assert_eq!(rules["rules"], list);
    let none = World::new();
    fs::remove_file(none.path().join("tiers.json")).unwrap();
    let rules = ask(&none.gate("home"), "rules", &json!({}), &none.now);
    assert_eq!((&rules["source"], &rules["rules"][0]["own"]), (&json!("built in"), &json!(false)));
}
