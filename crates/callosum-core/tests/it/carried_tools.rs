//! Calls inside calls, both ends of what lies between two things, and what is a person's own: whatever an attack of the rules found to
//! pass, or to be held for nothing.

use callosum_core::rules::RuleSet;
use serde_json::{Value, json};

use crate::tools::classified;

/// A call, its tier and its keys.
type Row<'a> = (&'a str, Value, u8, &'a [&'a str]);

fn all_are(rows: &[Row<'_>]) {
    let shipped = RuleSet::shipped();
    for (tool, params, tier, expected) in rows {
        let found = classified(&shipped, tool, params);
        let keys: Vec<&str> = found.context_keys.iter().map(String::as_str).collect();
        assert_eq!((found.tier as u8, &*keys), (*tier, *expected), "{tool} {params}");
    }
}

#[test]
fn what_a_tool_is_told_to_call_counts_and_so_does_what_it_does_itself() {
    let given = json!({"account": "shop", "key": "max", "value": "5"});
    let part = json!({"intent": "raise it", "command": "appconfig_kv_set", "parameters": given});
    let sentry =
        json!({"name": "update_issue", "arguments": {"organizationSlug": "acme", "issueId": "SHOP-1A2"}});
    let items = json!({"actions": [
        {"publish_collection_items": {"collection_id": "65b2a1", "request": {"itemIds": ["66c3b2"]}}},
        {"list_collection_items": {"collection_id": "65b2a1"}},
    ]});
    let beside = json!({"actions": [{"save": {"path": "a"}}, {"wipe_site": {"siteId": "s1"}, "note": "x"}]});
    let refund = json!({"actions": [{"notify": {"x": "a"}}], "charge": "ch_1"});
    let pays = json!({"actions": [{"write": {"path": "a"}}], "invoiceId": "i", "amount": 5});
    let halts = json!({"command": "halt", "intent": "x", "parameters": {}, "host": "web1"});
    let says_less =
        json!({"command": "get_status", "intent": "x", "parameters": {}, "action": "delete", "id": "1"});
    let pushes = json!({"tool": "exec", "args": {"command": "gh pr merge 12 -R a/b"}});
    all_are(&[
        ("azure__appconfig", part, 3, &["az:appconfig:shop/max"]),
        ("azure__appconfig_kv_set", given, 3, &["az:appconfig:shop/max"]),
        ("ssh__execute_command", halts, 3, &["host:web1"]),
        ("ops__run", says_less, 3, &["ops:id/1"]),
        ("mcp__sentry__execute_sentry_tool", sentry, 3, &["monitor:sentry:SHOP-1A2"]),
        ("tool-hub__invoke_tool", pushes, 3, &["github:a/b#12"]),
        ("mcp__webflow__data_cms_tool", items, 3, &["site:webflow:66c3b2@65b2a1"]),
        ("cms__items_tool", beside, 3, &["site:cms:a", "site:cms:s1"]),
        ("stripe__create_refund_tool", refund, 4, &["payment:stripe:ch_1", "stripe:x/a"]),
        ("bank__pay_invoice_tool", pays, 4, &["payment:bank:i"]),
    ]);
    let many: Vec<Value> = (0..200).map(|id| json!({"publish_items": {"itemId": id.to_string()}})).collect();
    let found = classified(&RuleSet::shipped(), "mcp__webflow__data_cms_tool", &json!({"actions": many}));
    assert!(found.context_keys.contains(&"site:webflow:199".to_owned()), "{:?}", found.context_keys);
}

#[test]
fn a_tool_that_is_called_like_a_command_of_glab_is_one() {
    let flags = |message: &str| json!({"message": message, "repo": "acme/shop"});
    all_are(&[
        (
            "glab__glab_mr_note",
            json!({"args": ["32"], "flags": flags("Rebased.")}),
            3,
            &["gitlab:acme/shop#32"],
        ),
        ("glab__glab_mr_merge", json!({"args": ["12"], "flags": flags("\0")}), 3, &["gitlab:acme/shop#12"]),
        ("glab__glab_issue_list", json!({"flags": {"repo": "acme/shop"}}), 1, &[]),
        // Those that are told otherwise are tools like others.
        ("x__glab_delete_project", json!({"project": "a/b"}), 3, &["x:project/a/b"]),
        ("gmail__glabel_delete", json!({"id": "1"}), 3, &["email:message/1"]),
    ]);
}

#[test]
fn what_says_how_something_is_done_is_no_verb() {
    let share = json!({"fileId": "F1", "email": "bob@example.com", "mode": "read"});
    let sent = json!({"iban": "DE1", "amount": 3, "mode": "verify"});
    let order = json!({"id": "1", "subCommand": "list", "command": "delete"});
    let rollout = |verb: &str| json!({"name": "web", "namespace": "shop", "resourceType": "deployment", "subCommand": verb});
    let ecs = |operation: &str| json!({"api_operation": operation, "api_params": {"cluster": "prod", "service": "checkout"}});
    all_are(&[
        ("gdrive__share_file", share, 3, &["google:drive:F1"]),
        ("bank__transfer_money", sent, 4, &["payment:bank:DE1"]),
        ("shop__manage_order", order, 4, &["payment:shop:1"]),
        ("kubernetes__kubectl_rollout", rollout("restart"), 3, &["kube:current/shop:deployment/web"]),
        ("kubernetes__kubectl_rollout", rollout("status"), 0, &[]),
        (
            "awslabs_ecs-mcp-server__ecs_resource_management",
            ecs("DeleteService"),
            3,
            &["aws:ecs:checkout@prod"],
        ),
        ("awslabs_ecs-mcp-server__ecs_resource_management", ecs("ListServices"), 0, &[]),
    ]);
}

#[test]
fn a_persons_own_marks_and_lists_are_no_effect_and_what_others_see_is_one() {
    let of_repository = || json!({"owner": "a", "repo": "b"});
    let chat = || json!({"chat_id": "1"});
    let tier_of = |tool: &str, params: &Value| classified(&RuleSet::shipped(), tool, params).tier as u8;
    for (tool, params, tier) in [
        ("gitlab__mark_todo_done", json!({"id": "3"}), 1),
        ("github__manage_notification_subscription", json!({"action": "ignore", "notificationID": "99"}), 1),
        ("linear__subscribeToIssue", json!({"issueId": "WEB-7"}), 1),
        ("telegram__archive_chat", chat(), 1),
        ("whatsapp__mark_read", json!({"chat_jid": "155501@s.whatsapp.net", "message_ids": ["3EB0"]}), 0),
        ("ms365__update-mail-message", json!({"messageId": "1", "body": {"isRead": true}}), 1),
        ("alpaca__create_watchlist", json!({"name": "semis"}), 2),
        ("kubernetes__helm_repo_remove", json!({"repo_name": "bitnami"}), 1),
        ("agentkit__CdpApiActionProvider_request_faucet_funds", json!({"assetId": "eth"}), 1),
        (
            "bitbucket__addPendingPullRequestComment",
            json!({"pull_request_id": "5", "repo_slug": "web", "workspace": "acme", "content": "x"}),
            1,
        ),
        ("github__create_issue_from_todo", json!({"owner": "a", "repo": "b", "title": "x"}), 3),
        (
            "github__post_notification_comment",
            json!({"owner": "a", "repo": "b", "issue_number": 3, "body": "x"}),
            3,
        ),
        ("gitlab__todo_delete_branch", json!({"project_id": "1", "branch": "x"}), 3),
        ("gitlab__create_notification_email", json!({"to": "bob@example.com"}), 3),
        ("github__delete_repository_and_unwatch", of_repository(), 3),
        ("intercom__close_conversation_and_unsubscribe", json!({"conversation_id": "1"}), 3),
        ("slack__subscribe_repository", json!({"channel": "C1", "repository": "a/b"}), 3),
        ("discord__mute_voice_chat", json!({"guildId": "1", "userId": "2"}), 3),
        ("telegram__mark_read_and_ban", chat(), 3),
        ("telegram__send_folder", json!({"chat_id": "1", "path": "/x"}), 3),
        ("brevo__update_campaign_status", json!({"campaignId": "1", "status": "queued"}), 3),
        ("watchlist__delete_account", json!({"id": "x"}), 3),
        ("kyc__remove_watchlist_customer", json!({"customerId": "x"}), 3),
        (
            "ms365__update-shared-mailbox-mail-message",
            json!({"messageId": "1", "userId": "team@example.com"}),
            3,
        ),
        ("azure-devops__update_pending_approval", json!({"project": "1", "approvalId": 2}), 3),
        ("nexus__create_helm_hosted_repository", json!({"name": "h"}), 3),
        ("wallet__send_from_faucet_wallet", json!({"to": "0x1", "amount": 1}), 4),
    ] {
        assert_eq!(tier_of(tool, &params), tier, "{tool} {params}");
    }
}

#[test]
fn what_moves_money_on_a_ledger_is_told_from_what_only_looks_at_it() {
    let to = "0x7fc5a2b0d1e94c3fa6b8d2e10c44f9ab3d5e6f70";
    let nft = json!({"contractAddress": "0x3F06FcF75f45F1bb61D56D68fA7b3F32763AA15c", "destination": to, "tokenId": "5609"});
    let token = json!({"amount": "40", "recipientAddress": to, "token": "USDT"});
    let kept = format!("payment:ethereum:{to}");
    let paid = format!("payment:bsc:{to}");
    all_are(&[
        ("agentkit__ERC721ActionProvider_transfer", nft, 4, &[&kept]),
        ("bsc__transferBEP20Token", token, 4, &[&paid]),
        (
            "stellar__stellar_payment",
            json!({"destination": "GABC", "amount": "5"}),
            4,
            &["payment:stellar:GABC"],
        ),
        ("stellar__payments", json!({"account": "GABC", "limit": 10}), 0, &[]),
        ("bank__transfers", json!({"minAmount": 3, "destinationAccount": "x"}), 0, &[]),
        ("tron__create_token_chart", json!({"name": "m"}), 0, &[]),
        (
            "cdp__X402ActionProvider_make_http_request_with_x402",
            json!({"url": "https://a.example/w", "method": "GET"}),
            4,
            &["payment:x402:https://a.example/w"],
        ),
        (
            "vercel__buy_domain",
            json!({"domain": "acme.dev", "confirm": true}),
            4,
            &["payment:vercel:acme.dev"],
        ),
        ("twilio__pay_participant", json!({"callSid": "CA1", "amount": 3}), 4, &["payment:twilio:CA1"]),
        ("supabase__pay_user", json!({"userId": "1", "amount": 3}), 4, &["payment:supabase:1"]),
    ]);
}

#[test]
fn statements_for_psql_are_its_command() {
    let command = |text: &str| json!({"app": "shop", "command": text});
    all_are(&[
        ("heroku__pg_psql", command("UPDATE a SET b = 1"), 3, &["db:shop"]),
        ("heroku__pg_psql", command("select 1; drop table users"), 3, &["db:shop"]),
        ("heroku__pg_psql", command("SELECT 1"), 0, &[]),
        ("heroku__pg_psql", command("\\dt"), 0, &[]),
        ("db__psql_connect", json!({"host": "x"}), 0, &[]),
    ]);
}

#[test]
fn what_lies_between_two_things_is_said_of_both() {
    let links = json!({"items": [
        {"sourceTaskId": "T-1", "targetTaskId": "T-2"}, {"sourceTaskId": "T-3", "targetTaskId": "T-4"},
    ]});
    let issues =
        json!({"project_id": "a/b", "issue_iid": "77", "target_project_id": "a/b", "target_issue_iid": "80"});
    all_are(&[
        ("t__link_tasks", links, 3, &["t:task/T-1", "t:task/T-3", "t:task/T-2", "t:task/T-4"]),
        (
            "t__delete_link",
            json!({"linkId": "L9", "sourceFolderId": "A", "targetFolderId": "B"}),
            3,
            &["t:link/L9"],
        ),
        (
            "linear__link_issues",
            json!({"issueId": "W-7", "relatedIssueId": "W-9"}),
            3,
            &["linear:W-7", "linear:W-9"],
        ),
        (
            "atlassian__createIssueLink",
            json!({"inwardIssue": "SHOP-1", "outwardIssue": "SHOP-2"}),
            3,
            &["jira:SHOP-1", "jira:SHOP-2"],
        ),
        ("gitlab__create_issue_link", issues, 3, &["gitlab:a/b#77", "gitlab:a/b#80"]),
    ]);
}

#[test]
fn the_field_that_names_the_thing_goes_before_what_is_said_of_it() {
    let number = json!({"AccountSid": "AC1", "Sid": "PN1", "SmsUrl": "https://a.example"});
    all_are(&[
        ("redis__set", json!({"name": "prod", "key": "a", "value": "1"}), 3, &["db:redis/a"]),
        ("redis__hdel", json!({"name": "user:1", "key": "avatar"}), 3, &["db:redis/user:1"]),
        (
            "vercel__assign_alias",
            json!({"alias": "x.app", "deploymentId": "d1"}),
            3,
            &["deploy:vercel:x.app"],
        ),
        ("wordpress__create_post", json!({"title": "x", "siteId": "77"}), 3, &["site:wordpress:77/new:x@77"]),
        ("zendesk__apply_macro", json!({"ticketId": "1", "macroId": "2"}), 3, &["zendesk:1"]),
        ("twilio__DeleteRecording", json!({"callSid": "CA1", "sid": "RE1"}), 3, &["twilio:call/CA1/RE1"]),
        ("twilio__UpdateIncomingPhoneNumber", number, 3, &["twilio:phone-number/PN1"]),
        ("slack__slack_update_list", json!({"list_id": "L1", "name": "x"}), 3, &["slack:L1"]),
        (
            "mailchimp__update_member",
            json!({"email_address": "a@example.com", "list_id": "l1"}),
            3,
            &["mailchimp:member/l1/a@example.com"],
        ),
        ("make__hooks_delete", json!({"hookId": 771_204}), 3, &["make:hook/771204"]),
        // A unit is no Unity, and who wins a deal changes it.
        ("acme__update_unit", json!({"unit_id": "5", "name": "kg"}), 3, &["acme:unit/5"]),
        ("mcp__unity__create_object", json!({"name": "Cube"}), 0, &[]),
        ("acme__deal_win", json!({"id": "5"}), 3, &["acme:deal/5"]),
        (
            "acme__update_records",
            json!({"where": [["id", "=", "R-5512"]], "values": {"a": 1}}),
            3,
            &["acme:record/R-5512"],
        ),
        (
            "google_workspace__update_paragraph_style",
            json!({"document_id": "1Doc"}),
            3,
            &["google:drive:1Doc"],
        ),
        ("google-bigquery__delete_table", json!({"datasetId": "d", "tableId": "t"}), 3, &["db:d/t"]),
    ]);
}
