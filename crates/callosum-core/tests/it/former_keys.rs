//! A gate of today on the journal of a version that named the same resources otherwise: what was done then is met.

use std::fs;
use std::process::Command;

use callosum_core::gate::Answer;
use callosum_core::model::time::Stamp;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{World, session};

const NOW: Stamp = Stamp { wall_ms: 1_768_478_400_000, up_ms: 5_000_000, boot: Some(0xab) };

/// Lines as that version wrote them: three actions, done 100 seconds ago by another session, each under its former key.
const YESTERDAY: &str = r#"{"v":1,"action":"opened","timestamp":"2026-01-15T11:05:00.000Z","up":1700000,"boot":"000000ab","instance":"home","of":[0],"journal":"0123456789abcdef0123456789abcdef","base":0}
{"v":1,"action":"intercept","tier":3,"timestamp":"2026-01-15T11:58:10.000Z","up":4890000,"boot":"000000ab","instance":"home","runtime":"openclaw","agent":"main","session":"theirs","run":"r1","call":"c1","tool":"exec","ruleName":"git-push","contextKeys":["git-push:origin/main"],"digest":"00000000000000000000000000000001","expiresAt":"2026-01-15T12:00:10.000Z"}
{"v":1,"action":"complete","tier":3,"timestamp":"2026-01-15T11:58:20.000Z","up":4900000,"boot":"000000ab","instance":"home","runtime":"openclaw","agent":"main","session":"theirs","run":"r1","call":"c1","tool":"exec","of":[1],"contextKeys":["git-push:origin/main"],"exitCode":0}
{"v":1,"action":"intercept","tier":3,"timestamp":"2026-01-15T11:58:10.000Z","up":4890000,"boot":"000000ab","instance":"home","runtime":"openclaw","agent":"main","session":"theirs","run":"r1","call":"c2","tool":"exec","ruleName":"kubernetes","contextKeys":["kube:current:deployment/web"],"digest":"00000000000000000000000000000002","expiresAt":"2026-01-15T12:00:10.000Z"}
{"v":1,"action":"complete","tier":3,"timestamp":"2026-01-15T11:58:20.000Z","up":4900000,"boot":"000000ab","instance":"home","runtime":"openclaw","agent":"main","session":"theirs","run":"r1","call":"c2","tool":"exec","of":[3],"contextKeys":["kube:current:deployment/web"],"exitCode":0}
"#;

fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for words in
        [&["init", "-q", "-b", "main"][..], &["remote", "add", "origin", "git@github.com:acme/app.git"]]
    {
        assert!(Command::new("git").arg("-C").arg(folder.path()).args(words).status().unwrap().success());
    }
    folder
}

#[test]
fn what_was_done_under_a_former_name_is_met_and_a_retry_goes_through() {
    let repository = repository();
    for (command, former, now) in [
        ("git push origin main", "git-push:origin/main", "git-push:github.com/acme/app/main"),
        (
            "kubectl --kubeconfig none rollout restart deploy/web",
            "kube:current:deployment/web",
            "kube:current/default:deployment/web",
        ),
    ] {
        let mut world = World::new();
        world.now = NOW;
        // By the shipped rules.
        fs::remove_file(world.path().join("tiers.json")).unwrap();
        fs::write(world.journal_path(), YESTERDAY).unwrap();
        let gate = world.gate("home");
        let by = session(&gate, "ours");
        let params = json!({ "command": command, "workdir": repository.path() });
        let text = world.refused(by, "exec", &params);
        assert!(text.contains(former), "{text}");
        world.done(by, "exec", &params);
        let records = world.records(&gate);
        let start = records.iter().rfind(|record| record["action"] == "intercept").unwrap();
        assert_eq!(start["contextKeys"], json!([now]), "{command}");
        let pause = records.iter().rfind(|record| record["action"] == "blocked").unwrap();
        assert_eq!(pause["contextKeys"], json!([now, former]), "{command}");
        // Nobody was there under any other name.
        let other = json!({ "command": command.replace("main", "other").replace("web", "api"), "workdir": repository.path() });
        let (_, answer) = world.try_call(by, "exec", &other);
        assert_eq!(world.finish(&gate, answer), Answer::Proceed);
    }
}

/// Two lines of a version that left out of the key of a tool's call what the call names besides.
fn without(tool: &str, key: &str) -> String {
    r#"{"v":1,"action":"opened","timestamp":"2026-01-15T11:05:00.000Z","up":1700000,"boot":"000000ab","instance":"home","of":[0],"journal":"0123456789abcdef0123456789abcdef","base":0}
{"v":1,"action":"intercept","tier":3,"timestamp":"2026-01-15T11:58:10.000Z","up":4890000,"boot":"000000ab","instance":"home","runtime":"openclaw","agent":"main","session":"theirs","run":"r1","call":"c1","tool":"TOOL","ruleName":"a-tool","contextKeys":["KEY"],"digest":"00000000000000000000000000000001","expiresAt":"2026-01-15T12:00:10.000Z"}
{"v":1,"action":"complete","tier":3,"timestamp":"2026-01-15T11:58:20.000Z","up":4900000,"boot":"000000ab","instance":"home","runtime":"openclaw","agent":"main","session":"theirs","run":"r1","call":"c1","tool":"TOOL","of":[1],"contextKeys":["KEY"]}
"#
    .replace("TOOL", tool)
    .replace("KEY", key)
}

#[test]
fn what_was_done_when_keys_had_not_all_that_calls_name_is_met() {
    for (tool, params, former, now) in [
        ("cal__deleteEventType", json!({"eventTypeId": 91}), "calendar:primary", "calendar:primary/91"),
        (
            "sentry__update_issue",
            json!({"issueId": "APP-42", "organizationSlug": "acme", "status": "resolved"}),
            "monitor:sentry:APP-42",
            "monitor:sentry:APP-42@acme",
        ),
        (
            "wordpress__create_post",
            json!({"siteId": "site-1", "title": "Hello"}),
            "site:wordpress:site-1@site-1",
            "site:wordpress:site-1/new:hello@site-1",
        ),
        ("redis__hset", json!({"key": "cart:7", "field": "n", "value": "1"}), "db:redis", "db:redis/cart:7"),
        (
            "acme__update_dns_record",
            json!({"domain": "acme.example", "name": "www", "content": "192.0.2.1"}),
            "dns:acme.example",
            "dns:www.acme.example",
        ),
    ] {
        let mut world = World::new();
        world.now = NOW;
        fs::remove_file(world.path().join("tiers.json")).unwrap();
        fs::write(world.journal_path(), without(tool, former)).unwrap();
        let gate = world.gate("home");
        let by = session(&gate, "ours");
        let text = world.refused(by, tool, &params);
        assert!(text.contains(former), "{text}");
        world.done(by, tool, &params);
        let records = world.records(&gate);
        let start = records.iter().rfind(|record| record["action"] == "intercept").unwrap();
        assert_eq!(start["contextKeys"], json!([now]), "{tool}");
    }
}
