//! Calls of tools are told apart by what they name besides what their rules ask for.

use callosum_core::rules::RuleSet;
use serde_json::{Value, json};

use crate::tools::{classified, keys, rules};

/// The key that a rule for gadgets gives.
fn key(template: &str, tool: &str, params: &Value) -> Vec<String> {
    let rules = rules(&format!(r#""toolWords":["gadget","{{acts}}"],"contextKey":{}"#, json!(template)));
    classified(&rules, tool, params).context_keys
}

#[test]
fn what_a_rule_finds_is_held_against_what_the_call_names() {
    let template = "{tool.service}:{field.siteId|name|number|default}";
    for (tool, params, expected) in [
        // Only what the thing stands in.
        ("acme__update_gadget", json!({"site_id": "s-1", "part_id": 7}), "acme:s-1/7"),
        ("acme__update_gadget", json!({"site_id": "s-1", "path": "/faq"}), "acme:s-1//faq"),
        (
            "acme__create_gadget",
            json!({"site_id": "s-1", "title": "Hello there"}),
            "acme:s-1/new:hello-there",
        ),
        ("acme__run_gadget", json!({"site_id": "s-1", "template_id": 4}), "acme:s-1/4"),
        // A name or a number that others may have, too.
        ("acme__stop_gadget", json!({"name": "api", "project": "shop"}), "acme:api@shop"),
        ("acme__stop_gadget", json!({"number": 5, "account": "a", "environment_id": "qa"}), "acme:5@a/qa"),
        ("acme__stop_gadget", json!({"name": "jobs/api", "connection": "office"}), "acme:jobs/api@office"),
        // 1 stands in 15 by chance.
        ("acme__stop_gadget", json!({"number": 15, "store_id": "1"}), "acme:15@1"),
        // Nothing at all, and what looks like a name.
        ("acme__link_gadget", json!({"mandate": "MD1", "amount": 5}), "acme:MD1"),
        ("acme__link_gadget", json!({"size": "x12"}), "acme:default"),
        // What there is one of at a time, and for each person.
        (
            "acme__book_gadget",
            json!({"name": "Flat", "checkInDateLocal": "2026-12-01", "checkOutDateLocal": "2026-12-05"}),
            "acme:Flat@2026-12-01",
        ),
        ("acme__grant_gadget", json!({"name": "sword", "player_id": "p-1"}), "acme:sword@p-1"),
        ("acme__run_gadget_pipeline", json!({"name": "ci", "branch": "main"}), "acme:ci@main"),
        // Neither a message nor who asks, why, and in what order says which it is.
        (
            "acme__stop_gadget",
            json!({"name": "g", "actorUserId": "u-1", "reason_id": "r-1", "message": "{\"app\":\"x\"}"}),
            "acme:g",
        ),
        // A person in the place of a thing is not one.
        ("acme__update_gadget", json!({"site_id": "s-1", "editor_email": "ana@acme.example"}), "acme:s-1"),
    ] {
        assert_eq!(key(template, tool, &params), [expected], "{tool} {params}");
    }
}

#[test]
fn the_shipped_rules_leave_out_nothing_that_a_call_names() {
    for (tool, params, expected) in [
        ("cal__deleteEventType", json!({"eventTypeId": 91}), "calendar:primary/91"),
        (
            "wordpress__update_shop_order",
            json!({"siteId": "s-1", "orderId": 7731}),
            "site:wordpress:s-1/7731@s-1",
        ),
        ("ecwid__update_order", json!({"orderNumber": 55, "storeId": 1003}), "payment:ecwid:55@1003"),
        (
            "acme__create_reservation",
            json!({"listingId": "l-77", "checkInDateLocalized": "2026-12-01"}),
            "payment:acme:l-77@2026-12-01",
        ),
        (
            "zoom__add_meeting_registrant",
            json!({"meeting_id": "84211239921", "email": "ana@acme.example"}),
            "zoom:84211239921@ana@acme.example",
        ),
        ("mongodb__delete-many", json!({"database": "shop", "collection": "carts"}), "db:shop/carts"),
    ] {
        let found = classified(&RuleSet::shipped(), tool, &params);
        assert_eq!(found.context_keys, [expected], "{tool} {params}");
    }
}

#[test]
fn a_rule_that_names_fields_alone_means_these() {
    let params = json!({"site_id": "s-1", "part_id": 7, "environment": "qa"});
    assert_eq!(key("gadgets:{field.siteId}", "acme__update_gadget", &params), ["gadgets:s-1"]);
    let open = "gadgets:{tool.besides}{field.siteId}";
    assert_eq!(key(open, "acme__update_gadget", &params), ["gadgets:s-1/7"]);
    // Where it finds nothing, the ids that there are say more than that.
    assert_eq!(key("gadgets:{field.x|default}", "acme__update_gadget", &params), ["gadgets:7/s-1"]);
}

#[test]
fn a_field_that_is_called_nearly_so_counts_where_no_other_does() {
    let order = "order:{field.orderId|id|unknown}";
    for (params, expected) in [
        (json!({"purchaseOrderId": "PO-1"}), "order:PO-1"),
        (json!({"order_ref": "r-1"}), "order:r-1"),
        (json!({"id_order": 41}), "order:41"),
        (json!({"idOrder": 41}), "order:41"),
        (json!({"order": "T3JkZXI6MTI="}), "order:T3JkZXI6MTI="),
        (json!({"order": "ascending"}), "order:unknown"),
        (json!({"parentOrderId": "PO-1"}), "order:unknown"),
        // Those that it names go first, wherever they stand in it.
        (json!({"purchaseOrderId": "PO-1", "id": 5}), "order:5"),
        (json!({"where": {"id": "c-1"}}), "order:c-1"),
    ] {
        assert_eq!(keys(order, "acme__send_it", &params), [expected], "{params}");
    }
    let page = |params: Value| keys("page:{field.pageId|unknown}", "acme__send_it", &params);
    assert_eq!(page(json!({"statusPageId": 3})), ["page:unknown"]);
    // A short word for the thing in the tool's name, and the machine that it stands in.
    let object = |tool: &str, params: Value| keys("{tool.object}", tool, &params);
    assert_eq!(
        object("acme__delete_vm_snapshot", json!({"vmid": 118, "snapname": "oct02"})),
        ["snapshot/118/oct02"]
    );
    assert_eq!(object("acme__update_document", json!({"docId": "d-1", "title": "x"})), ["document/d-1"]);
}

#[test]
fn a_value_is_one_however_people_write_it() {
    for (value, expected) in [
        ("842 1123 9921", "84211239921"),
        ("+44 (20) 7946-0011", "+442079460011"),
        ("2026-12-01", "2026-12-01"),
        ("3C-22-FB-10-9A-7E", "3c:22:fb:10:9a:7e"),
        ("12 34", "12 34"),
    ] {
        assert_eq!(keys("k:{field.it}", "acme__send_it", &json!({ "it": value })), [format!("k:{expected}")]);
    }
    // The same hour is in the plan of every day, and of everything that is planned.
    let run = json!({"run_id": "scheduled__2026-11-24T02:00:00+00:00", "dag_id": "d"});
    let found = keys("{tool.object}", "acme__clear_dag_run", &run);
    assert_eq!(found, ["run/d/scheduled__2026-11-24T02:00:00+00:00"]);
}

#[test]
fn a_record_has_its_whole_name() {
    for (tool, params, expected) in [
        ("acme__dns_create", json!({"domain": "Acme.example.", "subdomain": "www"}), "dns:www.acme.example"),
        (
            "acme__upsert_dns_record",
            json!({"domainName": "acme.example", "host": "www"}),
            "dns:www.acme.example",
        ),
        (
            "acme__update_dns_record",
            json!({"zone": "acme.example", "name": "www.acme.example"}),
            "dns:www.acme.example",
        ),
        ("acme__update_dns_record", json!({"zone": "acme.example", "name": "@"}), "dns:acme.example"),
        ("acme__update_dns_record", json!({"zoneId": "z1", "name": "www"}), "dns:z1/www"),
        ("acme__update_dns_record", json!({"zoneId": "z1", "recordId": 5}), "dns:z1/5"),
        (
            "acme__update_dns_record",
            json!({"zoneId": "z1", "recordId": "372e67954025e0ba6aaa6d586b9e0b59"}),
            "dns:372e67954025e0ba6aaa6d586b9e0b59",
        ),
        ("acme__delete_dns_zone", json!({"zone": "acme.example"}), "dns:acme.example"),
    ] {
        let found = classified(&RuleSet::shipped(), tool, &params);
        assert_eq!(found.context_keys, [expected], "{tool} {params}");
    }
}

#[test]
fn what_only_tells_how_something_is_done_does_nothing() {
    let shipped = RuleSet::shipped();
    let tier = |tool: &str, params: Value| classified(&shipped, tool, &params).tier as u8;
    assert!(tier("acme__delete_account_steps", json!({})) < 3);
    assert!(tier("acme-howto__reject_candidate", json!({})) < 3);
    assert!(tier("acme-howto__reject_candidate", json!({"candidate_id": 4})) >= 3);
    assert!(tier("acme__order_preflight", json!({"amount": 4})) < 3);
    assert!(tier("acme__create_newsletter", json!({"name": "May"})) < 3);
}
