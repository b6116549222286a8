//! Tools that nobody has a rule for: what their names and parameters say.

use callosum_core::rules::RuleSet;
use serde_json::json;

use crate::tools::{classified, is_for, keys, rules};

#[test]
fn what_a_tool_asks_for_over_http_goes_by_the_rules_for_curl() {
    let shipped = RuleSet::shipped();
    let url = "https://api.acme.example/v1/users/42";
    let slack = "https://slack.com/api/chat.postMessage";
    for (tool, params, line) in [
        ("bridge__http_request", json!({"method": "delete", "url": url}), format!("curl -X DELETE {url}")),
        ("web.httpPut", json!({"url": url, "body": {"a": 1}}), format!("curl -X PUT {url} -d '{{\"a\":1}}'")),
        (
            "mcp__hub__request",
            json!({"http_method": "POST", "endpoint": slack, "body": "{\"channel\":\"C1\"}"}),
            format!("curl -X POST {slack} -d '{{\"channel\":\"C1\"}}'"),
        ),
    ] {
        let found = classified(&shipped, tool, &params);
        let same = classified(&shipped, "exec", &json!({"command": line}));
        assert_eq!(found.tier as u8, 3, "{tool}");
        assert_eq!((found.tier, found.context_keys), (same.tier, same.context_keys), "{tool}");
    }
    for params in [
        json!({"method": "GET", "url": url}),
        json!({"url": url}),
        json!({"method": "POST"}),
        json!({"method": "POST", "url": "file:///etc/hosts"}),
    ] {
        assert_eq!(classified(&shipped, "bridge__http_request", &params).tier as u8, 0, "{params}");
    }
}

#[test]
fn what_a_parameter_says_that_a_tool_does_finds_its_rule() {
    let shipped = RuleSet::shipped();
    for (tool, params, tier, keys) in [
        ("acme__projects", json!({"action": "create", "name": "Ada"}), 3, &["acme:project/Ada"][..]),
        ("acme__projects", json!({"operation": "delete", "id": "7"}), 3, &["acme:project/7"]),
        ("mcp__acme__projects", json!({"action": "rename", "id": "7", "name": "B"}), 3, &["acme:project/7"]),
        ("acme__projects", json!({"action": "list"}), 0, &[]),
        ("acme__members", json!({"action": "delete", "id": "7"}), 3, &["acme:member/7"]),
        ("acme__members", json!({"action": "list", "id": "7"}), 0, &[]),
        ("acme__projects", json!({"action": "get", "id": "7"}), 0, &[]),
        // What functions of a program end with says nothing.
        ("acme__delete_item_tool", json!({"id": "7"}), 3, &["acme:item/7"]),
        ("acme__list_items_tool", json!({"id": "7"}), 0, &[]),
        // Of several each, and the one who gets it.
        (
            "acme__send_sms",
            json!({"from": "+15550100", "to": "+15550101, +15550102"}),
            3,
            &["sms:+15550101", "sms:+15550102"],
        ),
        (
            "acme__send_sms",
            json!({"sender": "021110000", "receiver": "010-2222-3333"}),
            3,
            &["sms:010-2222-3333"],
        ),
        (
            "acme__update_dns_records",
            json!({"domain": "a.example", "records": [{"hostname": "www"}, {"hostname": "old"}]}),
            3,
            &["dns:old.a.example", "dns:www.a.example"],
        ),
        (
            "acme__update_domain",
            json!({"domain": "a.example", "nameservers": {"entry": [{"hostname": "ns1.b.example"}]}}),
            3,
            &["dns:a.example"],
        ),
        (
            "acme__create_transfer",
            json!({"transfers": [{"credit_iban": "FR76"}, {"credit_iban": "DE89"}]}),
            4,
            &["payment:acme:DE89", "payment:acme:FR76"],
        ),
        ("acme__pot_deposit", json!({"pot_id": "pot_4", "amount": 5}), 4, &["payment:acme:pot_4"]),
        // A time is added to a task that there is.
        ("acme__add_time_to_task", json!({"task_id": 5, "minutes": 3}), 3, &["acme:task/5"]),
        ("acme__update_task", json!({"task_id": 5, "title": "x"}), 3, &["acme:task/5"]),
        (
            "acme__create_issue",
            json!({"owner": "o", "repo": "r", "title": "Crash"}),
            3,
            &["acme:o/r#new:crash"],
        ),
        ("acme__create_album", json!({"title": "Trip", "public": true}), 3, &["acme:album/Trip"]),
        // What is copied is only read.
        (
            "acme__copy_item",
            json!({"item_id": "7", "target_folder_id": "9", "new_name": "b.txt"}),
            3,
            &["acme:item/9/b.txt"],
        ),
        ("acme__destroy_sandbox", json!({"id": "sb-1"}), 3, &["acme:sandbox/sb-1"]),
        // Where a record leads is not its name.
        (
            "acme__create_dns_record",
            json!({"domain": "a.example", "name": "www", "target": {"hostname": "lb.b.example"}}),
            3,
            &["dns:www.a.example"],
        ),
        ("acme__revoke_role", json!({"role": "r", "user": "u1"}), 3, &["acme:role/r/u1"]),
        ("mcp__dart__update_task", json!({"id": "abc"}), 3, &["dart:task/abc"]),
        // Files and folders of a service, by what it calls them; those of this machine have a path.
        ("acme__delete_file", json!({"fileId": "4f9c2a80-7d1e"}), 3, &["acme:file/4f9c2a80-7d1e"]),
        ("acme__delete_file", json!({"path": "/tmp/a.txt"}), 0, &[]),
        ("filesystem__delete_file", json!({"fileId": "4f9c2a80-7d1e"}), 0, &[]),
        (
            "onedrive__create_folder",
            json!({"name": "2027", "parentPath": "Finance"}),
            3,
            &["onedrive:folder/Finance/2027"],
        ),
        (
            "daytona__delete_file",
            json!({"id": "7c1f9e52", "file_path": "/tmp/app/a.csv"}),
            3,
            &["daytona:sandbox/7c1f9e52"],
        ),
        (
            "penpot__shapes",
            json!({"action": "delete", "fileId": "f1", "shapeId": "s1"}),
            3,
            &["penpot:file/f1"],
        ),
        // A number of a queue's job is that of another one's, too.
        ("bullmq__retry_job", json!({"jobId": "7714", "queue": "pdf"}), 3, &["bullmq:job/pdf/7714"]),
        ("bullmq__retry_job", json!({"jobId": "7714", "queue": "csv"}), 3, &["bullmq:job/csv/7714"]),
        // What a network's server does is paid for, unless it only prepares it.
        ("ton__revoke_soulbound_nft", json!({"nft_address": "EQfC"}), 4, &["payment:ton:EQfC"]),
        ("solana__build_transfer", json!({"to": "EQfC"}), 0, &[]),
        (
            "flutterwave__create_virtual_account",
            json!({"email": "a@b.example", "amount": 5}),
            4,
            &["payment:flutterwave:a@b.example"],
        ),
        (
            "wechat__reply_to_messages_by_contact",
            json!({"contact_name": "Li", "reply_message": "x"}),
            3,
            &["wechat:Li"],
        ),
        (
            "acme__ExecuteDynamicTool",
            json!({"toolName": "acme_delete_contact", "inputJson": "{\"contactId\": \"8d1a\"}"}),
            3,
            &["acme:contact/8d1a"],
        ),
        ("acme__deescalate_incident", json!({"id": "c4f7"}), 3, &["incident:acme:c4f7"]),
        // In each bucket there may be a file of that path.
        (
            "acme__delete_file",
            json!({"bucket": "shop", "key": "img/a.webp"}),
            3,
            &["acme:file/shop/img/a.webp"],
        ),
        (
            "acme__delete_file",
            json!({"driveId": "b!Qx7", "driveItemId": "01BYE5"}),
            3,
            &["acme:driveitem/b!Qx7/01BYE5"],
        ),
        (
            "adls2__rename_file",
            json!({"filesystem": "lake", "source_path": "a.csv", "destination_path": "b.csv"}),
            3,
            &["az:storage:lake/a.csv", "az:storage:lake/b.csv"],
        ),
        // A global id says of what it is one.
        (
            "shopify__manage_tags",
            json!({"action": "add", "id": "gid://shopify/Product/8", "tags": ["sale"]}),
            3,
            &["shopify:product/8"],
        ),
        ("namesilo__set_renewal", json!({"domain": "a.example", "option": "auto"}), 3, &["dns:a.example"]),
        ("namesilo__transfer_domain", json!({"domain": "a.example"}), 4, &["payment:namesilo:a.example"]),
        ("acme__place_bid", json!({"auctionId": "A-8", "amount": 5}), 4, &["payment:acme:A-8"]),
        ("acme__cdn_refresh", json!({"urls": ["https://a.example/x"]}), 3, &["acme:cdn:https://a.example/x"]),
        ("ms365__delete_todo_task", json!({"todoTaskId": "T1"}), 2, &["microsofttodo:T1"]),
        // Whoever signs names nothing.
        (
            "acme__transfer_asset",
            json!({"privateKey": "SB3KJ", "assetId": "a-1", "amount": "5"}),
            3,
            &["acme:asset/a-1"],
        ),
        ("acme__rotate_api_key", json!({"keyId": "k-1"}), 3, &["acme:key/k-1"]),
        ("ms365__add_mail_attachment", json!({"messageId": "M1"}), 1, &[]),
        ("telegram__promote_admin", json!({"group_id": -100, "user_id": 5}), 3, &["telegram:-100"]),
        (
            "acme__upload_file",
            json!({"bucket": "shop", "key": "img/a.webp", "file": "/home/x/a"}),
            3,
            &["acme:file/shop/img/a.webp"],
        ),
        (
            "gmail__delete_attachment",
            json!({"messageId": "M1", "attachmentId": "A1"}),
            3,
            &["gmail:attachment/A1"],
        ),
        ("ethereum__transfer_to_contract", json!({"to": "0xa"}), 4, &["payment:ethereum:0xa"]),
        (
            "registrar__buy_domain_with_lock",
            json!({"domain": "a.example"}),
            4,
            &["payment:registrar:a.example"],
        ),
        // A file of this machine, whatever else a call names.
        ("codemcp__write_file", json!({"path": "src/a.rs", "chat_id": "5"}), 0, &[]),
        ("acme__edit_file", json!({"path": "/workspace/a", "id": "3"}), 0, &[]),
        ("acme__edit_file", json!({"uri": "file:///home/u/a", "id": "3"}), 0, &[]),
        ("filesystem-with-morph__edit_file", json!({"path": "/home/u/a.py"}), 0, &[]),
        ("acme__mark_file_viewed", json!({"fileId": "3"}), 0, &[]),
        ("time-keeper__start_timer", json!({"name": "x"}), 0, &[]),
        ("acme__generate_api_key", json!({"length": 32}), 0, &[]),
        // What goes on here, and what is no verb of a tool.
        ("acme__timer", json!({"action": "stop"}), 0, &[]),
        ("acme__think", json!({"action": "add", "thought": "x"}), 0, &[]),
        ("acme__clustering", json!({"method": "merge", "k": 3}), 0, &[]),
        ("acme__str_replace_based_edit_tool", json!({"command": "create", "path": "/repo/a.py"}), 0, &[]),
        ("acme__add_custom_tool", json!({"name": "x"}), 0, &[]),
        ("acme__borrow_limit", json!({"asset": "USDC"}), 0, &[]),
        ("acme__minimum_deposit", json!({"asset": "USDC"}), 0, &[]),
    ] {
        let found = classified(&shipped, tool, &params);
        let mut told = found.context_keys;
        told.sort_unstable();
        assert_eq!(
            (found.tier as u8, &*told),
            (tier, &*keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>()),
            "{tool} {params}"
        );
    }
}

#[test]
fn the_address_of_a_page_names_what_stands_there() {
    let shipped = RuleSet::shipped();
    for (tool, params, key) in [
        (
            "github__add_issue_comment",
            json!({"url": "https://github.com/Acme/App/issues/12", "body": "x"}),
            "github:acme/app#12",
        ),
        (
            "github__add_issue_comment",
            json!({"owner": "Acme", "repo": "app", "issue_number": 12}),
            "github:acme/app#12",
        ),
        (
            "gitlab__approve_merge_request",
            json!({"url": "https://gitlab.com/acme/team/app/-/merge_requests/7"}),
            "gitlab:acme/team/app#7",
        ),
        (
            "jira__add_comment",
            json!({"url": "https://acme.example/browse/SHOP-12", "body": "x"}),
            "jira:SHOP-12",
        ),
        // What the call names itself goes first.
        (
            "jira__add_comment",
            json!({"issueKey": "OPS-1", "url": "https://acme.example/browse/SHOP-12"}),
            "jira:OPS-1",
        ),
    ] {
        assert_eq!(classified(&shipped, tool, &params).context_keys, [key], "{params}");
    }
}

#[test]
fn a_call_that_names_what_it_changes_by_an_id_is_one_of_a_service() {
    let rules = rules(r#""toolWords":[["update","restart"]],"params":{"{target}":"{id}"}"#);
    for (tool, params) in [
        ("acme__update_widget", json!({"widget_id": "w-1"})),
        ("acme__update_widget", json!({"widget": {"id": 4}})),
        ("acme__update_widgets", json!({"widgets": [4, 5]})),
        ("update_widget", json!({"widgetSlug": "a"})),
        ("acme__restart", json!({"queue": "mails"})),
    ] {
        assert!(is_for(&rules, tool, &params), "{tool} {params}");
    }
    for (tool, params) in [
        ("update", json!({"id": "w-1"})),
        ("acme__update_widget", json!({})),
        ("acme__update_widget", json!({"name": "w", "text": "x"})),
        ("acme__update_widget", json!({"widget_id": "w-1", "file_path": "a.ts"})),
        ("acme__update_widget", json!({"widget_id": "w-1", "source": "/home/me/a.ts"})),
        ("acme__update_widget", json!({"tabId": 4, "requestId": "r"})),
        ("acme__update_widget", json!({"paid": true, "apiKey": "k"})),
    ] {
        assert!(!is_for(&rules, tool, &params), "{tool} {params}");
    }
    let wrong = r#"{"rules":[{"name":"a","tier":3,"tool":"*","params":{"{target}":"name"}}]}"#;
    assert!(RuleSet::parse(wrong).unwrap_err().message.contains("{id}"));
}

#[test]
fn a_support_ticket_is_no_payment_and_one_for_a_train_is() {
    let shipped = RuleSet::shipped();
    for (tool, params, tier, key) in [
        ("desk__create_ticket", json!({"subject": "Printer"}), 3, "desk:inbox#new:printer"),
        ("desk__update_ticket", json!({"ticket_id": 4}), 3, "desk:4"),
        ("rail__book_ticket", json!({"offerId": "o-1"}), 4, "payment:rail:o-1"),
    ] {
        let found = classified(&shipped, tool, &params);
        assert_eq!((found.tier as u8, found.context_keys), (tier, vec![key.to_owned()]), "{tool}");
    }
}

#[test]
fn what_there_is_one_of_for_each_has_that_in_its_key() {
    for (tool, params, expected) in [
        (
            "lms__grade_submission",
            json!({"assignment_id": "a-1", "user_id": "u-1", "grade": 5}),
            "user/a-1/u-1",
        ),
        ("lms__enroll_student", json!({"course_id": "c-1", "student_id": "s-1"}), "course/c-1/s-1"),
        ("lms__unenroll", json!({"courseId": "c-1", "studentId": "s-1"}), "course/c-1/s-1"),
        ("words__approve_translation", json!({"key_id": "k-1", "locale": "de"}), "key/k-1/de"),
        ("desk__assign_ticket", json!({"ticket_id": "t-1", "user_id": "u-1"}), "t-1"),
        ("crm__deals_move_stage", json!({"deal_id": "d-1", "stage_id": "won"}), "deal/d-1"),
        ("net__device_action", json!({"action": "reboot", "deviceId": "d-1"}), "device/d-1"),
    ] {
        assert_eq!(keys("{tool.object}", tool, &params), [expected], "{tool}");
    }
    let shipped = RuleSet::shipped();
    let at = |time: &str| {
        let params = json!({"provider_id": "pr-1", "start": time});
        classified(&shipped, "clinic__book_appointment", &params).context_keys
    };
    assert_eq!(at("2026-12-01T10:00"), ["payment:clinic:pr-1@2026-12-01T10:00"]);
}

#[test]
fn an_action_that_is_given_nothing_is_done_by_the_tool_itself() {
    let shipped = RuleSet::shipped();
    let run = |action: &str| {
        classified(&shipped, "ops__run_action", &json!({"action": action, "cluster_id": "cl-1"}))
    };
    assert_eq!(run("failover").context_keys, ["ops:cluster/cl-1"]);
    assert_eq!(run("status").tier as u8, 0);
}

#[test]
fn what_is_only_tried_is_not_done() {
    let rules = rules(r#""toolWords":["widget","{acts}"]"#);
    for params in [
        json!({"confirmSend": false}),
        json!({"run_type": "plan_only"}),
        json!({"mode": "dry-run"}),
        json!({"draft": true}),
    ] {
        assert!(!is_for(&rules, "send_widget", &params), "{params}");
    }
    for params in [json!({"confirmSend": true}), json!({"mode": "fast"}), json!({"draft": false})] {
        assert!(is_for(&rules, "send_widget", &params), "{params}");
    }
    assert!(is_for(&rules, "merge_widget_pull_request", &json!({"draft": true})));
    assert!(is_for(&rules, "scale_widget", &json!({"id": 1, "replicas": 3})));
    assert!(!is_for(&rules, "scale_widget", &json!({"id": 1})));
}

#[test]
fn what_a_call_says_besides_tells_its_resource_from_others() {
    let shipped = RuleSet::shipped();
    for (tool, params, key, former) in [
        // What no placeholder asks for stands where the key would say no more than `primary`, `default` or `new`.
        ("cal__deleteEventType", json!({"eventTypeId": 91}), "calendar:primary/91", "calendar:primary"),
        (
            "slack__archive_it",
            json!({"huddle_id": "h-1", "template_id": "t-1"}),
            "slack:h-1",
            "slack:default",
        ),
        (
            "acme__create_payment_link",
            json!({"amount": 5, "customer_email": "Ana@acme.example"}),
            "payment:acme:new:ana-acme-example",
            "payment:acme:new",
        ),
        (
            "acme__create_status_page_incident",
            json!({"name": "Slow", "status_page_id": 3120}),
            "incident:statuspage:new:3120",
            "incident:statuspage:new",
        ),
        // Whoever changes an order acts on what was ordered.
        ("acme__assign_order", json!({"order_id": "o-1"}), "payment:acme:o-1", ""),
        (
            "acme__update_gadget",
            json!({"gadget_id": "recA1b2C3d4E5", "environment": "staging"}),
            "acme:gadget/recA1b2C3d4E5@staging",
            "",
        ),
    ] {
        let found = classified(&shipped, tool, &params);
        assert_eq!(found.context_keys.first().map(String::as_str), Some(key), "{tool}");
        let is_met = former.is_empty() || found.former_keys.iter().any(|key| key == former);
        assert!(is_met, "{tool} {:?}", found.former_keys);
    }
    // Whoever writes a key out means that one.
    let own = rules(r#""toolWords":["gadget","{acts}"],"contextKey":"gadgets:default""#);
    assert_eq!(classified(&own, "send_gadget", &json!({"gadget_id": 4})).context_keys, ["gadgets:default"]);
    // What the key has already, and whose call it is.
    for params in
        [json!({"channel": "C1", "channel_id": "C1"}), json!({"channel": "C1", "workspace_id": "w"})]
    {
        assert_eq!(classified(&shipped, "slack__post_it", &params).context_keys, ["slack:C1"], "{params}");
    }
}

#[test]
fn what_is_made_is_named_in_what_it_is_made_in() {
    for (tool, params, expected) in [
        (
            "crm__create_contract_milestone",
            json!({"contract_id": "c-1", "title": "Beta"}),
            "milestone/c-1/Beta",
        ),
        (
            "sign__create_document_from_template",
            json!({"template_uuid": "t-1", "name": "Offer"}),
            "document/Offer",
        ),
        ("erp__createRecord", json!({"recordType": "bill", "data": {"x": 1}}), "record/bill/new"),
        (
            "lms__create_announcement",
            json!({"course_identifier": "c-1", "title": "Room"}),
            "announcement/c-1/Room",
        ),
        ("chess__make_move", json!({"gameId": "g-1", "move": "e2e4"}), "game/g-1"),
        (
            "pms__log_visit",
            json!({"property_id": "8812", "unit_id": "4B", "date": "2026-12-01"}),
            "unit/8812/4B/2026-12-01",
        ),
        ("erp__delete_supplier", json!({"id": 3122, "companyName": "Derg"}), "supplier/Derg/3122"),
        ("crew__assign_shift", json!({"worker_id": "w-1", "date": "2026-12-01"}), "worker/w-1/2026-12-01"),
        (
            "list__add_lead_to_campaign",
            json!({"campaignId": "c", "email": "A@acme.example"}),
            "campaign/c/a@acme.example",
        ),
    ] {
        assert_eq!(keys("{tool.object}", tool, &params), [expected], "{tool}");
    }
}

#[test]
fn what_measures_pages_or_queries_only_asks() {
    let rules =
        rules(r#""toolWords":[["message","campaign","row","run","execute","change","sync","create"]]"#);
    for (tool, params) in [
        ("campaign_send_analytics", json!({"campaign_id": 1})),
        ("message_delivery_report", json!({"message_id": 1})),
        ("sync_rows", json!({"access_token": "t", "cursor": "c"})),
        ("execute_dql", json!({"statement": "fetch logs"})),
        ("run_nrql_query", json!({"nrql": "SELECT 1"})),
        ("execute_sql", json!({"statement": "select 1", "warehouse_id": "w"})),
        ("change_row_status", json!({"row_id": 1})),
        ("create_mockup_task", json!({"product_id": 1})),
        ("create_run", json!({"params": {"plan_only": true}})),
    ] {
        assert!(!is_for(&rules, tool, &params), "{tool}");
    }
    for (tool, params) in [
        ("send_message_report", json!({"id": 1})),
        ("sync_rows", json!({"cursor": "c", "text": "x"})),
        ("delete_message", json!({"channel_id": 1, "limit": 5})),
        ("execute_graphql", json!({"query": "mutation { a }"})),
        ("execute_sql", json!({"statement": "delete from a"})),
        ("change_row_status", json!({"row_id": 1, "status": "done"})),
        ("create_row_from_preview", json!({"id": 1})),
    ] {
        assert!(is_for(&rules, tool, &params), "{tool}");
    }
}
