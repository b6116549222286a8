//! Which exit codes prove that a command did nothing, so that it may be tried again.

use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::{RuleSet, World};
use serde_json::json;

/// Which codes prove it of this line, under the shipped rules.
fn proving(command: &str) -> Vec<i64> {
    proving_under(&RuleSet::shipped(), command)
}

fn proving_under(rules: &RuleSet, command: &str) -> Vec<i64> {
    let call = ToolCall { tool: "exec".to_owned(), ..ToolCall::default() };
    let found = rules.classify(&call, "openclaw", &json!({ "command": command }), &World::unseen());
    assert!(found.tier as u8 >= 2, "{command}: tier {}", found.tier as u8);
    (-1..256).filter(|code| found.not_done_codes.contains(*code)).collect()
}

const NOT_STARTED: [i64; 2] = [126, 127];
const CURL: [i64; 8] = [1, 2, 3, 5, 6, 7, 126, 127];

#[test]
fn what_a_program_says_by_its_exit_code_is_taken_from_its_manual() {
    for (command, expected) in [
        ("curl -X POST https://api.example.com/orders -d '{}'", CURL.as_slice()),
        ("curl -sS -XPOST -H 'A: b' --data @x.json api.example.com/orders", &CURL),
        ("curl --url smtps://mx.example.com --mail-from a@x.com --mail-rcpt bob@x.com -T mail.txt", &CURL),
        ("cd /tmp && curl -X DELETE https://api.example.com/orders/1", &CURL),
        ("bash -c 'curl -X POST https://api.example.com/orders'", &CURL),
        ("wget --post-data=a=b https://api.example.com/orders", &[2, 126, 127]),
        ("git push origin main", &[1, 126, 127]),
        ("git -C /srv/app push -u origin HEAD:main", &[1, 126, 127]),
        ("git push origin --delete old", &[1, 126, 127]),
        ("gh pr create --title x --body y", &[4, 126, 127]),
        // What is merged by then, or made, stays so, whatever becomes of the branch or of a file.
        ("gh pr merge 12 -R a/b --delete-branch", &[4, 126, 127]),
        ("gh release create v1 a.tgz --notes x", &[4, 126, 127]),
        ("himalaya message send --to bob@x.com", &[2, 126, 127]),
        ("msmtp bob@x.com < mail.txt", &[64, 68, 78, 126, 127]),
        ("swaks --to bob@x.com", &[1, 2, 3, 10, 21, 22, 23, 24, 25, 28, 29, 126, 127]),
        ("mail -s hi bob@x.com", &NOT_STARTED),
        ("http POST api.example.com/orders a=b", &NOT_STARTED),
    ] {
        assert_eq!(proving(command), expected, "{command}");
    }
}

/// With each of these something may be done before the code comes.
#[test]
fn a_form_of_a_command_that_may_have_acted_first_is_not_called_failed() {
    for command in [
        "curl -L -X POST https://api.example.com/orders -d x",
        "curl -sL -X POST https://api.example.com/orders -d x",
        "curl --location-trusted -X POST https://api.example.com/orders -d x",
        "curl --retry 3 -X POST https://api.example.com/orders -d x",
        "curl -X POST https://a.example.com/orders https://b.example.com/orders",
        "curl -X POST https://a.example.com/orders --url https://b.example.com/orders",
        "curl -X POST 'https://{a,b}.example.com/orders'",
        "curl -X POST 'https://example.com/orders/[1-3]'",
        "curl -X POST $OPTIONS https://example.com/orders",
        "curl -K orders.cfg -X POST https://example.com/orders",
        "curl -Z -X POST https://example.com/orders",
        "git push",
        "git push origin",
        "git push origin main dev",
        "git push origin --tags",
        "git push origin main --follow-tags",
        "git push --mirror backup",
        "git push --all origin",
        "git push origin tag v1",
        "git push origin 'refs/heads/*:refs/heads/*'",
        "git push origin :",
        "git push --recurse-submodules=on-demand origin main",
        "git -c push.followTags=true push origin main",
        "git push origin $REF",
        "gh release create v1 a.tgz --notes x | tee log",
        "xurl post hello",
    ] {
        let codes = proving(command);
        assert!(codes.iter().all(|code| NOT_STARTED.contains(code)), "{command}: {codes:?}");
    }
}

/// The line's exit code is not that of the command.
#[test]
fn an_exit_code_of_something_else_in_the_line_proves_nothing() {
    let post = "curl -X POST https://api.example.com/orders";
    for line in [
        format!("{post}; exit 7"),
        format!("{post} && exit 7"),
        format!("{post} || exit 7"),
        format!("{post} | jq ."),
        format!("! {post}"),
        format!("{post} &"),
        format!("trap 'exit 7' EXIT; {post}"),
        format!("set -o pipefail; curl https://a.example.com | {post} -d @-"),
        format!("curl() {{ command curl \"$@\"; return 7; }}; {post}"),
        format!("for a in 1 2; do {post}; done"),
        format!("ssh web-1 '{post}'"),
        format!("{post}; {post}"),
        format!("x=$({post})"),
    ] {
        assert_eq!(proving(&line), [0_i64; 0], "{line}");
    }
}

#[test]
fn tier_4_is_never_called_failed_for_an_exit_code() {
    for command in ["stripe refunds create --charge ch_1", "openclaw message channel delete --channel-id 1"] {
        assert_eq!(proving(command), [0_i64; 0], "{command}");
    }
    let rules = r#"{"rules": [{"name": "a", "tier": 4, "tool": "exec", "command": "curl", "contextKey": "a"},
        {"name": "b", "tier": 4, "tool": "exec", "commandPattern": "swaks", "contextKey": "b"}]}"#;
    let rules = RuleSet::parse(rules).unwrap();
    for command in ["curl -X POST https://example.com", "swaks --to bob@x.com"] {
        assert_eq!(proving_under(&rules, command), [0_i64; 0], "{command}");
    }
}

#[test]
fn of_a_program_nobody_knows_only_that_the_shell_could_not_start_it() {
    let rules =
        r#"{"rules": [{"name": "a", "tier": 3, "tool": "exec", "commandPattern": "x", "contextKey": "a"}]}"#;
    let rules = RuleSet::parse(rules).unwrap();
    for command in ["false x", "deploy-x --now", "/usr/local/bin/x", "env A=b sendx"] {
        assert_eq!(proving_under(&rules, command), NOT_STARTED, "{command}");
    }
    for command in ["./x.sh", "npm x", "x | false", "x; false", "python3 x.py"] {
        assert_eq!(proving_under(&rules, command), [0_i64; 0], "{command}");
    }
}
