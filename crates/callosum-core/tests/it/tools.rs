//! Tools by the words of their names, and what their calls act on.

use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::lint::{WarningKind, lint};
use callosum_core::rules::{Classification, RuleSet, World};
use serde_json::{Value, json};

pub(crate) fn classified(rules: &RuleSet, tool: &str, params: &Value) -> Classification {
    let call = ToolCall { tool: tool.to_owned(), cwd: Some("/w".to_owned()), ..ToolCall::default() };
    rules.classify(&call, "test", params, &World::unseen())
}

/// Rules with one for the words of tools' names.
pub(crate) fn rules(fields: &str) -> RuleSet {
    RuleSet::parse(&format!(r#"{{"rules":[{{"name":"a","tier":3,{fields}}}]}}"#)).unwrap()
}

pub(crate) fn is_for(rules: &RuleSet, tool: &str, params: &Value) -> bool {
    classified(rules, tool, params).rule_name.is_some()
}

/// The keys that a template gives for a call of `tool`.
pub(crate) fn keys(template: &str, tool: &str, params: &Value) -> Vec<String> {
    let rules = rules(&format!(r#""tool":"*","contextKey":{}"#, json!(template)));
    classified(&rules, tool, params).context_keys
}

const MAIL: &str = r#""toolWords":[["mail","email"],["send","reply"]],"unlessWords":"template""#;

#[test]
fn names_are_read_in_whatever_way_a_host_writes_them() {
    let rules = rules(MAIL);
    for tool in [
        "send_email",
        "sendEmail",
        "SEND_EMAIL",
        "send-emails",
        "EmailService.send",
        "mcp__gmail__send_email",
        "mcp_work_reply_mail",
        "mail.reply",
        "mcp__mail-server__send",
        "mail__send",
        "composio__OUTLOOK_SEND_EMAIL",
    ] {
        assert!(is_for(&rules, tool, &Value::Null), "{tool}");
    }
    for tool in [
        "send_message",
        "email",
        "emailer_sends",
        "mcp__send-mail__list",
        "gmail__send",
        "send_email_template",
        "read",
        "",
    ] {
        assert!(!is_for(&rules, tool, &Value::Null), "{tool}");
    }
    // Words that stand together, on one side of the name.
    let rules = self::rules(r#""toolWords":["pull-request","merge"]"#);
    for (tool, expected) in [
        ("github__merge_pull_request", true),
        ("mergePullRequest", true),
        ("merge_pullrequests", true),
        ("pull__request_merge", false),
        ("request_pull_merge", false),
    ] {
        assert_eq!(is_for(&rules, tool, &Value::Null), expected, "{tool}");
    }
}

#[test]
fn what_only_asks_or_tries_is_no_call_of_a_strong_rule() {
    let strong = rules(r#""toolWords":["order","{acts}"]"#);
    let none = Value::Null;
    for (tool, expected) in [
        ("create_order", true),
        ("orders_cancel", true),
        ("order.update", true),
        ("get_order", false),
        ("order_list", false),
        ("listOrders", false),
        ("create_order_draft", false),
        ("send_order_draft", false),
        ("submit_draft_order", true),
        ("preview_order_update", false),
        ("place_order_preview", false),
        ("create_preview_order", true),
        ("order", true),
        ("my_order", false),
        ("orders", false),
        ("open_orders_feed", false),
        ("order_book", false),
        ("order_cancellation_policy", false),
        ("order_status_update", true),
    ] {
        assert_eq!(is_for(&strong, tool, &none), expected, "{tool}");
    }
    for trial in ["dry_run", "dryRun", "preview"] {
        assert!(!is_for(&strong, "create_order", &json!({ (trial): true })), "{trial}");
        assert!(is_for(&strong, "create_order", &json!({ (trial): false })), "{trial}");
    }
    for trial in
        [json!({"options": {"dryRun": "server"}}), json!({"DryRun": "true"}), json!({"validate-only": true})]
    {
        assert!(!is_for(&strong, "create_order", &trial), "{trial}");
    }
    assert!(is_for(
        &strong,
        "create_order",
        &json!({"dry_run": "none", "link": {"preview": true}, "content": "{\"dryRun\": true}"})
    ));
    assert!(!is_for(&strong, "create_order", &json!({"confirm": false})));
    assert!(is_for(&strong, "create_order", &json!({"confirm": true})));
    assert!(!is_for(&strong, "create_order", &json!({"status": "draft"})));
    // One tool for several things says which by a parameter.
    for (params, expected) in [
        (json!({"action": "create"}), true),
        (json!({"action": "cancelOrder"}), true),
        (json!({"method": "DELETE"}), true),
        (json!({"operation": "list"}), false),
        (json!({"action": "get"}), false),
        (json!({"action": 1}), false),
        (json!({}), false),
    ] {
        assert_eq!(is_for(&strong, "manage-none__orders", &params), expected, "{params}");
    }
    assert!(!is_for(&strong, "create_order", &json!({"action": "list"})));
    // A word that the rule itself asks for is meant.
    assert!(is_for(&rules(r#""toolWords":["database","query"]"#), "query_database", &none));
    let weak = RuleSet::parse(r#"{"rules":[{"name":"a","tier":1,"toolWords":["order"]}]}"#).unwrap();
    assert!(is_for(&weak, "get_order", &none));
}

#[test]
fn a_servers_name_counts_but_for_its_verbs() {
    let rules = rules(r#""toolWords":[["slack","publish"],["post","delete"]]"#);
    assert!(is_for(&rules, "mcp__slack__post", &Value::Null));
    assert!(is_for(&rules, "publish.post", &Value::Null) == is_for(&rules, "publish__post", &Value::Null));
    assert!(!is_for(&rules, "mcp__publish-tools__delete_it", &json!({})));
    assert!(!is_for(&rules, "mcp__delete-server__slack_ping", &json!({})));
}

#[test]
fn both_the_name_and_its_words_must_hold_where_both_are_asked_for() {
    let rules = rules(r#""tool":"acme__*","toolWords":["send"]"#);
    assert!(is_for(&rules, "acme__send_it", &Value::Null));
    assert!(!is_for(&rules, "acme__do_it", &json!({})) && !is_for(&rules, "other__send_it", &json!({})));
}

#[test]
fn shell_lines_are_none_of_these_tools() {
    let rules = rules(r#""toolWords":["exec"]"#);
    assert!(!is_for(&rules, "exec", &json!({"command": "ls"})));
    assert!(!is_for(&rules, "bash", &json!({"command": "ls"})));
}

#[test]
fn the_first_rule_wins_whether_it_goes_by_names_or_by_words() {
    let rule = |name: &str, fields: &str| format!(r#"{{"name":"{name}","tier":3,{fields}}}"#);
    let (words, name) =
        (rule("words", r#""toolWords":["send"]"#), rule("name", r#""tool":["a__send","b__*"]"#));
    for (order, expected) in [([&words, &name], "words"), ([&name, &words], "name")] {
        let rules = RuleSet::parse(&format!(r#"{{"rules":[{},{}]}}"#, order[0], order[1])).unwrap();
        for tool in ["a__send", "b__send"] {
            assert_eq!(classified(&rules, tool, &Value::Null).rule_name.as_deref(), Some(expected), "{tool}");
        }
    }
}

#[test]
fn explanations_name_the_words() {
    let call = ToolCall { tool: "mcp__gmail__sendEmail".to_owned(), ..ToolCall::default() };
    let explained = rules(MAIL).explain(&call, "test", &json!({"to": "a@acme.example"}), &World::unseen());
    assert_eq!(explained.matches[0].because, "the words `email` and `send` of the tool's name");
    let listed = rules(MAIL).listed();
    assert_eq!(
        listed[0].conditions,
        ["the words mail | email and send | reply in the tool's name", "none of template in it"]
    );
}

#[test]
fn wrong_words_are_told() {
    let errors = |fields: &str| {
        let text = format!(r#"{{"rules":[{{"name":"a","tier":1,{fields}}}]}}"#);
        lint(&text).errors.first().map(|error| error.message.clone()).unwrap_or_default()
    };
    assert!(errors(r#""toolWords":[]"#).contains("`toolWords` is empty"));
    assert!(errors(r#""toolWords":[[]]"#).contains("toolWords"));
    assert!(errors(r#""toolWords":["{acts}"]"#).contains("first group"));
    assert!(errors(r#""toolWords":["a"],"command":"git push""#).contains("not for commands"));
    assert!(errors(r#""tool":"a","unlessWords":"b""#).contains("needs `toolWords`"));
    assert!(errors(r#""unlessWords":"b""#).contains("`tool` is missing"));
    assert_eq!(errors(r#""toolWords":["a"],"unlessWords":"b""#), "");
    let warnings = |rules: &str| {
        let found = lint(&format!(r#"{{"rules":[{rules}]}}"#)).warnings;
        found.into_iter().map(|warning| (warning.kind, warning.message)).collect::<Vec<_>>()
    };
    let one = |fields: &str| warnings(&format!(r#"{{"name":"a","tier":1,{fields}}}"#));
    for fields in [
        r#""toolWords":["a","_"]"#,
        r#""toolWords":["send-it-to-him"]"#,
        r#""toolWords":["a",["b","c"]],"unlessWords":["B","c","d"]"#,
    ] {
        assert_eq!(
            one(fields).iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
            [WarningKind::NeverFits],
            "{fields}"
        );
    }
    assert_eq!(one(r#""toolWords":["a",["b","c"]],"unlessWords":["b"]"#), []);
    let two = |first: &str, second: &str| {
        let rules = format!(r#"{{"name":"a","tier":1,{first}}},{{"name":"b","tier":1,{second}}}"#);
        warnings(&rules).iter().any(|(kind, _)| *kind == WarningKind::Unreachable)
    };
    let wide = r#""toolWords":[["send","post"],["mail","email"]]"#;
    assert!(two(wide, r#""toolWords":["email","send"]"#));
    assert!(two(r#""tool":"*""#, r#""toolWords":["email","send"]"#));
    assert!(two(wide, r#""toolWords":["email","send","now"],"unlessWords":"x""#));
    assert!(!two(wide, r#""toolWords":[["email","sms"],"send"]"#));
    assert!(!two(wide, r#""toolWords":["email"]"#));
    assert!(!two(r#""toolWords":["send"],"unlessWords":"x""#, r#""toolWords":["send"]"#));
    assert!(!two(wide, r#""tool":"*""#));
}

#[test]
fn fields_are_found_wherever_they_stand() {
    for (params, expected) in [
        (json!({"channel_id": "C1"}), "C1"),
        (json!({"ChannelID": 7}), "7"),
        (json!({"request": {"channel-id": "C1"}}), "C1"),
        (json!({"arguments": "{\"channelId\": \"C1\"}"}), "C1"),
        (json!({"other": {"channelId": "C2"}, "channelId": "C1"}), "C1"),
        (json!({"channel": {"id": "C1"}}), "C1"),
        (json!({"channelId": "acme%2Fshop"}), "acme/shop"),
        (json!({"channelId": "refs/heads/main"}), "main"),
        (json!({"channelId": "gid://shopify/Order/1001"}), "1001"),
        (json!({"channelId": null, "x": [[[[[[[[[{"channelId": 1}]]]]]]]]]}), "1"),
        (json!({"channelId": "  "}), "unknown"),
        (json!({}), "unknown"),
    ] {
        assert_eq!(keys("k:{field.channelId}", "t", &params), [format!("k:{expected}")], "{params}");
    }
    assert_eq!(keys("{field.ids}", "t", &json!({"ids": ["a", "b", "a"]})), ["a", "b"]);
    // An id of something else that is given along is not the call's own.
    assert_eq!(keys("{field.id|new}", "t", &json!({"labels": [{"id": "l1"}]})), ["new"]);
    assert_eq!(keys("{field.id|new}", "t", &json!({"records": [{"id": "r1"}, {"id": "r2"}]})), ["r1", "r2"]);
    // Secrets are marked.
    let secret = keys("{field.apiKey}", "t", &json!({"apiKey": "hunter2hunter2"}));
    assert!(!secret[0].contains("hunter2"), "{secret:?}");
}

#[test]
fn a_template_may_have_an_alternative_and_parts_that_may_be_missing() {
    let template = "a:{field.id} ?? a:{field.team|inbox}#new";
    assert_eq!(keys(template, "t", &json!({"id": 1, "team": "x"})), ["a:1"]);
    assert_eq!(keys(template, "t", &json!({"team": "x"})), ["a:x#new"]);
    assert_eq!(keys(template, "t", &json!({})), ["a:inbox#new"]);
    assert_eq!(keys("b:{field.cal|primary}{/field.event|uid}", "t", &json!({})), ["b:primary"]);
    assert_eq!(
        keys("b:{field.cal|primary}{/field.event|uid}", "t", &json!({"uid": ["x", "y"]})),
        ["b:primary/x", "b:primary/y"]
    );
    assert_eq!(keys("b:{field.repo}{#field.number}", "t", &json!({"repo": "r", "number": 3})), ["b:r#3"]);
    let rules = rules(r#""tool":"*","contextKey":["k:{field.id}","l:{field.to} ??"]"#);
    assert_eq!(classified(&rules, "t", &json!({"id": 1})).context_keys, ["k:1"]);
    assert_eq!(classified(&rules, "t", &json!({"id": 1, "to": "x"})).context_keys, ["k:1", "l:x"]);
}

#[test]
fn the_name_of_a_tool_says_service_verb_thing_and_target() {
    for (tool, params, expected) in [
        ("mcp__acme-mcp-server__void_invoices", json!({"invoice_id": 7, "id": 8}), "acme:void:invoice:7"),
        ("acme.delete_card", json!({"cardId": "c1", "boardId": "b1"}), "acme:delete:card:c1"),
        ("mcp_acme_remove", json!({"name": "x"}), "acme:remove:unknown:x"),
        ("acme__close_ticket", json!({"session_id": "s", "caseNumber": 4}), "acme:close:ticket:4"),
        ("close_it", json!({}), "unknown:close:it:unknown"),
        // What is said is no target.
        ("acme__send_message", json!({"message": "hi"}), "acme:send:message:unknown"),
        ("acme__blob_upload", json!({"blob": "b"}), "acme:upload:blob:b"),
        // A broker's tools are named by the service.
        ("mcp__zapier__trello_archive_card", json!({"card": "c"}), "trello:archive:card:c"),
        ("TRELLO_ARCHIVE_CARD", json!({"card": "c"}), "trello:archive:card:c"),
        ("mcp__claude_ai_Acme__close_case", json!({"id": 1}), "acme:close:case:1"),
    ] {
        let template = "{tool.service}:{tool.verb}:{tool.thing}:{tool.target}";
        assert_eq!(keys(template, tool, &params), [expected], "{tool}");
    }
    for (params, expected) in [
        (json!({"owner": "acme", "repo": "app"}), "acme/app"),
        (json!({"repository": "acme/app"}), "acme/app"),
        (json!({"repo": "https://github.com/acme/app.git", "owner": "x"}), "acme/app"),
        (json!({"project_id": "acme%2Fshop"}), "acme/shop"),
        (json!({"project_id": 4711}), "4711"),
        (json!({"name": "edge", "organization": "acme"}), "acme/edge"),
        (json!({}), "unknown"),
    ] {
        assert_eq!(keys("{tool.repository}", "forge__create_repository", &params), [expected], "{params}");
    }
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels:\n    name: no\n  name: cfg\n---\nkind: Node\nmetadata: {}\n";
    for (tool, params, expected) in [
        (
            "k__delete",
            json!({"resourceType": "deploy", "name": "web", "namespace": "shop", "context": "prod"}),
            "prod/shop:deployment/web",
        ),
        ("k__pods_delete", json!({"name": "web-1"}), "current/default:pod/web-1"),
        ("k__node_management", json!({"operation": "drain", "nodeName": "n1"}), "current:node/n1"),
        ("k__delete_hpa", json!({"name": "web", "cluster": "c"}), "c/default:horizontalpodautoscaler/web"),
        ("k__apply", json!({"resource": manifest}), "current/default:configmap/cfg"),
        ("k__kubectl_scale", json!({"name": "web", "namespace": "shop"}), "current/shop:deployment/web"),
        ("k__restart_deployment", json!({"deployment": "web"}), "current/default:deployment/web"),
        ("k__scale", json!({"kind": "Deployments.apps", "name": "web"}), "current/default:deployment/web"),
    ] {
        assert_eq!(keys("{tool.kube}", tool, &params), [expected], "{tool}");
    }
}

#[test]
fn what_a_call_acts_on_is_told_from_what_it_says_of_it_and_where_that_stands() {
    for (tool, params, expected) in [
        // What holds a status, a text or a command is no name.
        ("acme__set_member_status", json!({"member_id": "m1", "status": "away"}), "member/m1"),
        ("acme__update_member_price", json!({"id": "m1", "price": 3}), "member/m1"),
        ("acme__execute_vm_command", json!({"vmid": 102, "command": "apt upgrade"}), "vm/102"),
        ("acme__edit_post", json!({"post": "urn:li:share:7100", "text": "x"}), "post/urn:li:share:7100"),
        ("acme__edit_post", json!({"post": "hello", "pageId": "p"}), "page/p"),
        // Neither is the verb's own field.
        ("acme__grade_essay", json!({"essayId": 3, "grade": 80}), "essay/3"),
        ("acme__transition_request", json!({"requestKey": "R-1", "transitionId": 5}), "request/R-1"),
        // A call's own id goes before what it stands in; a name needs that, a short id, too, but not where in a board it is.
        ("acme__restart_it", json!({"site": "default", "mac": "aa:01"}), "it/default/aa:01"),
        ("acme__delete_environment", json!({"environment_id": "qa", "space_id": "s"}), "environment/s/qa"),
        ("acme__create_board", json!({"title": "Order Badges", "parentId": "1"}), "board/1/Order Badges"),
        ("acme__update_card", json!({"card_id": 41, "board_id": 1, "stack_id": 5}), "card/1/41"),
        ("acme__delete_branch", json!({"branchId": "br-a2k9x", "projectId": "p"}), "branch/br-a2k9x"),
        ("acme__delete_run", json!({"run_id": "manual__1", "dag_id": "d"}), "run/d/manual__1"),
        (
            "acme__create_transaction",
            json!({"budgetId": "b", "accountId": "a", "amount": 3}),
            "transaction/b/a/new",
        ),
        // What is moved is the thing, and who is put into something is one with it.
        ("acme__move_card_to_list", json!({"card_id": "c1", "list_id": "l1"}), "card/c1"),
        ("acme__add_user_to_group", json!({"userId": "u1", "groupId": "g1"}), "group/g1/u1"),
        ("acme__remove_user_from_group", json!({"user_id": "u1", "group": "g1"}), "group/g1/u1"),
        // Paths are paths, whatever the tool is called; issues and chats have no kind.
        ("acme__upload_text", json!({"path": "/a.md", "text": "x"}), "path/a.md"),
        ("acme__close_ticket", json!({"ticketId": 4}), "4"),
        // A kind may be two words, where no field says another.
        ("acme__delete_proxy_host", json!({"id": 14}), "proxy-host/14"),
        ("acme__delete_redirection_host", json!({"id": 14}), "redirection-host/14"),
        ("acme__edit-time-entry", json!({"timeEntryId": "t-1"}), "time-entry/t-1"),
        ("acme__delete_shared_folder", json!({"folder_name": "projects"}), "folder/projects"),
        ("acme__delete_project_label", json!({"labelId": "l-1"}), "label/l-1"),
        // What something is added to, the id that is registered, and the thing of a mark.
        ("acme__ac_add_to_watchlist", json!({"name": "Semis", "symbol": "AMD"}), "watchlist/Semis"),
        ("acme__register-service", json!({"id": "web-2", "name": "web", "port": 8080}), "service/web-2"),
        ("acme__mark_task_done", json!({"id": 70233}), "task/70233"),
    ] {
        assert_eq!(keys("{tool.object}", tool, &params), [expected], "{tool} {params}");
    }
    let within = |params: Value| keys("k{@tool.within}", "acme__delete_entry", &params);
    assert_eq!(within(json!({"entryId": "e1", "environment": "qa", "space": "s"})), ["k@s/qa"]);
    assert_eq!(within(json!({"entryId": "5KsDB3kx9", "environment": "qa"})), ["k"]);
    for (tool, expected) in
        [("binance_cancel_order", "binance"), ("cancel_order", "unknown"), ("issue_close", "issue")]
    {
        assert_eq!(keys("{tool.service}", tool, &json!({})), [expected], "{tool}");
    }
    // However an id is called.
    assert_eq!(keys("{field.bookingId}", "t", &json!({"bookingUid": "b1"})), ["b1"]);
    assert_eq!(keys("{field.bookingId|new}", "t", &json!({"uid": "b1"})), ["new"]);
    let patch = json!({"patch": [{"op": "replace", "path": "/environments/production/on"}]});
    assert_eq!(keys("f{@field.environment}", "t", &patch), ["f@production"]);
}

#[test]
fn what_is_new_is_told_by_its_title_and_by_its_branch() {
    let shipped = RuleSet::parse(callosum_core::rules::SHIPPED_RULES).unwrap();
    let found = |tool: &str, params: Value| classified(&shipped, tool, &params);
    let issue = |title: &str| json!({"owner": "acme", "repo": "app", "title": title});
    let one = found("github__create_issue", issue("Login loops!"));
    assert_eq!(one.context_keys, ["github:acme/app#new:login-loops"]);
    // The name it had before counts as well.
    assert_eq!(one.former_keys, ["github:acme/app#new"]);
    let command = |line: &str| found("exec", json!({"command": line})).context_keys;
    assert_eq!(command("gh issue create -R acme/app -t 'login: loops'"), one.context_keys);
    assert_eq!(
        command("curl https://api.github.com/repos/acme/app/issues -d '{\"title\":\"Login loops\"}'"),
        one.context_keys
    );
    assert_eq!(command("gh issue create -R acme/app --web"), ["github:acme/app#new"]);
    // There is one pull request of a branch, in whatever words.
    let pull = |head: &str, title: &str| {
        let params = json!({"owner": "acme", "repo": "app", "head": head, "base": "main", "title": title});
        found("github__create_pull_request", params).context_keys
    };
    assert_eq!(pull("fix-login", "A"), ["github:acme/app#new:fix-login"]);
    assert_eq!(pull("fix-login", "A"), pull("fix-login", "B"));
    assert_eq!(command("gh pr create -R acme/app --head fix-login --fill"), pull("fix-login", "A"));
    // A person is one by the address.
    let person = json!({"email": "Li@example.com", "firstname": "Li", "title": "Dr"});
    assert_eq!(found("hubspot_create_contact", person).context_keys, ["hubspot:contacts/new:li-example-com"]);
    // A payment is one whatever it is called, and so is a mail.
    let price = json!({"price": "price_1", "title": "x"});
    assert_eq!(found("mcp__stripe__create_payment_link", price).context_keys, ["payment:stripe:new"]);
    // No secret gets into a key by a title.
    let secret =
        found("github__create_issue", issue("ghp_0123456789abcdefghijklmnopqrstuvwxyz")).context_keys;
    assert!(!secret[0].contains("0123456789"), "{secret:?}");
}

#[test]
fn a_tool_that_lets_a_command_only_look_around_does_nothing() {
    let rules = rules(r#""toolWords":["vm","{acts}"]"#);
    let is_for =
        |command: Value| is_for(&rules, "acme__execute_vm_command", &json!({"vmid": 1, "command": command}));
    for looks in [
        json!("systemctl status nginx"),
        json!("ls -la /srv"),
        json!(["cat", "/etc/hosts"]),
        json!("hostname"),
    ] {
        assert!(!is_for(looks.clone()), "{looks}");
    }
    for does in [
        json!("systemctl restart nginx"),
        json!("cat a > b"),
        json!("ls; reboot"),
        json!("hostname web2"),
        json!("reboot"),
        json!(7),
        json!("tail -f a | tee b"),
        json!("ls $(reboot)"),
    ] {
        assert!(is_for(does.clone()), "{does}");
    }
}

#[test]
fn sql_that_writes_is_a_condition() {
    let rules = rules(r#""tool":"*","params":{"{sql}":"{writes}"}"#);
    for (params, expected) in [
        (json!({"sql": "drop table t"}), true),
        (json!({"query": "SELECT 1"}), false),
        (json!({"params": {"sql": "update t set a = 1"}}), true),
        (json!({"query": "MATCH (n) DETACH DELETE n"}), true),
        (json!({"query": "sum(rate(requests[5m]))"}), false),
        (json!({"params": {"sqlStatements": ["select 1", "delete from t"]}}), true),
        (json!({"filter": "delete from t"}), false),
    ] {
        assert_eq!(is_for(&rules, "t", &params), expected, "{params}");
    }
    let wrong = r#"{"rules":[{"name":"a","tier":3,"tool":"*","params":{"{sql}":"reads"}}]}"#;
    assert!(RuleSet::parse(wrong).unwrap_err().message.contains("{writes}"));
}

#[test]
fn tools_that_run_commands_go_by_the_rules_for_commands() {
    let shipped = RuleSet::shipped();
    let line = "gh pr merge 12 -R acme/app";
    for (tool, params) in [
        ("mcp__shell__execute_command", json!({"command": line})),
        ("run_terminal_cmd", json!({"command": line})),
        ("mcp__desktop-commander__start_process", json!({"command": line, "timeout_ms": 1})),
        ("mcp_term_shell", json!({"cmd": line})),
        ("terminal.run", json!({"command": ["gh", "pr", "merge", "12", "-R", "acme/app"]})),
        ("x__run_command", json!({"command": "gh", "args": ["pr", "merge", "12", "-R", "acme/app"]})),
        ("aws__call_aws", json!({"cli_command": line})),
    ] {
        let found = classified(&shipped, tool, &params);
        assert_eq!(
            (found.tier as u8, found.context_keys.as_slice()),
            (3, &["github:acme/app#12".to_owned()][..]),
            "{tool}"
        );
        assert!(
            classified(&shipped, tool, &json!({"command": "ls", "cmd": "ls", "cli_command": "ls"})).tier
                as u8
                <= 1,
            "{tool}"
        );
    }
    assert_eq!(classified(&shipped, "x__run_report", &json!({"command": line})).tier as u8, 0);
}

#[test]
fn what_a_tool_for_ssh_runs_is_done_on_its_host() {
    let shipped = RuleSet::shipped();
    let restart = "systemctl restart nginx";
    for (tool, params, expected) in [
        ("mcp__ssh__execute_command", json!({"host": "web1", "command": restart}), "web1"),
        ("ops__ssh_execute", json!({"server": "web1", "command": restart}), "web1"),
        ("mcp__ssh-prod__exec", json!({"command": restart}), "ssh-prod"),
        // An option in a host's place is none.
        ("ssh__exec", json!({"host": "-oProxyCommand=x", "command": restart}), "ssh"),
    ] {
        let line = json!({"command": format!("ssh {expected} '{restart}'")});
        let (found, same) = (classified(&shipped, tool, &params), classified(&shipped, "exec", &line));
        assert!(found.context_keys.iter().any(|key| key.contains(expected)), "{tool}: {found:?}");
        assert_eq!((found.tier, found.context_keys), (same.tier, same.context_keys), "{tool}");
    }
    assert!(
        classified(&shipped, "mcp__ssh__execute_command", &json!({"host": "a", "command": "uptime"})).tier
            as u8
            <= 2
    );
}

#[test]
fn addresses_are_those_that_parameters_name() {
    let params =
        json!({"recipientId": "rec_1", "to": "Ana@example.com", "cc": ["bo@example.com"], "amount": 1});
    assert_eq!(
        keys("email:{tool.addresses} ??", "acme__send_invoice", &params),
        ["email:ana@example.com", "email:bo@example.com"]
    );
    assert_eq!(
        keys("email:{tool.addresses} ??", "acme__send_invoice", &json!({"recipientId": "rec_1"})),
        Vec::<String>::new()
    );
}

#[test]
fn a_service_is_named_by_the_word_that_a_rule_knows_it_by() {
    let rules = rules(
        r#""toolWords":[["grafana","new-relic","rootly"],"{acts}"],"contextKey":"m:{tool.named}:{field.id|new}""#,
    );
    for (tool, expected) in [
        ("mcp__grafana-prod__delete_alert", "m:grafana:1"),
        ("hub__new_relic_delete_alert", "m:newrelic:1"),
        ("Rootly.closeAlerts", "m:rootly:1"),
    ] {
        assert_eq!(classified(&rules, tool, &json!({"id": 1})).context_keys, [expected], "{tool}");
    }
    assert_eq!(keys("{tool.named|none}", "grafana__x", &json!({})), ["none"]);
}

#[test]
fn a_wallets_network_is_the_one_that_is_named() {
    for (params, expected) in [
        (json!({"to": "0x1", "chain": "base"}), "base"),
        (json!({"transaction": {"to": "0x1"}, "to": "0x1"}), "ethereum"),
        (json!({"to": "9xQe"}), "acme"),
    ] {
        assert_eq!(keys("{tool.network|tool.service}", "acme__send", &params), [expected], "{params}");
    }
    assert_eq!(keys("{tool.network}", "mcp__base-wallet__send", &json!({"to": "0x1"})), ["base"]);
}

#[test]
fn a_tool_that_calls_tools_is_what_it_calls() {
    let shipped = RuleSet::shipped();
    let mail = json!({"tool_slug": "GMAIL_SEND_EMAIL", "arguments": {"recipient_email": "ana@example.com"}});
    let merge = json!({"tool": "GITHUB_MERGE_A_PULL_REQUEST", "arguments": "{\"owner\":\"acme\",\"repo\":\"app\",\"pull_number\":12}"});
    let read = json!({"tool_slug": "GMAIL_FETCH_EMAILS", "arguments": {}});
    let both = json!({"tools": [mail, merge, read]});
    let found = classified(&shipped, "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL", &both);
    assert_eq!(
        (found.tier as u8, found.context_keys),
        (3, vec!["email:ana@example.com".to_owned(), "github:acme/app#12".to_owned()])
    );
    let found = classified(&shipped, "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL", &json!({"tools": [read]}));
    assert!(found.tier as u8 <= 1, "{found:?}");
    let called =
        json!({"server_name": "slack", "tool_name": "post_message", "arguments": {"channel": "#ops"}});
    assert_eq!(classified(&shipped, "hub__call_tool", &called).context_keys, ["slack:ops"]);
}

#[test]
fn a_tool_and_a_command_meet_at_what_they_act_on() {
    let shipped = RuleSet::shipped();
    let line = |command: &str| classified(&shipped, "exec", &json!({ "command": command })).context_keys;
    let tool = |tool: &str, params: Value| classified(&shipped, tool, &params).context_keys;
    let merged =
        tool("mcp__github__merge_pull_request", json!({"owner": "acme", "repo": "app", "pullNumber": 12}));
    assert_eq!(merged, line("gh pr merge 12 -R acme/app"));
    assert_eq!(merged, ["github:acme/app#12"]);
    let mailed = tool("mcp__gmail__send_email", json!({"to": ["Ana@example.com"], "subject": "Hi"}));
    assert_eq!(mailed, line("echo Hi | mail -s Hi ana@example.com"));
}
