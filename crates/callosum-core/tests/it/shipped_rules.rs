//! The rules that Callosum ships: right for the tools of today's OpenClaw and for the older names.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use std::collections::BTreeMap;

use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::{RuleSet, SHIPPED_RULES, Scope, World};
use serde_json::{Value, json};

/// The tier and the keys of a call.
fn classify(rules: &RuleSet, tool: &str, params: &Value) -> (u8, String) {
    let call = ToolCall {
        tool: tool.to_owned(),
        session: "agent:main:pa".to_owned(),
        cwd: Some("/w".to_owned()),
        ..ToolCall::default()
    };
    let classification = rules.classify(&call, "openclaw", params, &World::unseen());
    assert!(!classification.too_many_keys);
    (classification.tier.into(), classification.context_keys.join(" "))
}

fn command(rules: &RuleSet, command: &str) -> (u8, String) {
    classify(rules, "exec", &json!({ "command": command }))
}

/// What a gate takes on trust when it reads the shipped rules, it checks in any other text.
#[test]
fn every_shipped_pattern_compiles() {
    let other = format!("{SHIPPED_RULES}\n");
    assert_eq!(RuleSet::parse(&other).map(|rules| rules.len()), Ok(RuleSet::shipped().len()));
    assert!(RuleSet::shipped().len() > 40);
}

#[test]
fn they_can_be_read_and_their_names_are_kebab_case() {
    let rules = RuleSet::parse(SHIPPED_RULES).unwrap_or_else(|error| panic!("tiers.json: {error}"));
    let text: Value = serde_json::from_str(SHIPPED_RULES).unwrap();
    let names: Vec<&str> = text
        .pointer("/rules")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule.get("name").unwrap().as_str().unwrap())
        .collect();
    assert_eq!(names.len(), rules.len());
    assert!(names.len() > 40);
    for name in names {
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{name}");
    }
    assert_eq!(text.get("$schema").unwrap(), "./tiers.schema.json");
    assert_eq!(rules.largest_window_ms(), 86_400_000);
}

#[test]
fn reads_cost_nothing() {
    let rules = RuleSet::shipped();
    for tool in [
        "read",
        "ls",
        "find",
        "grep",
        "glob",
        "web_search",
        "web_fetch",
        "x_search",
        "memory_search",
        "memory_get",
        "view_image",
        "pdf",
        "sessions_list",
        "sessions_history",
        "sessions_search",
        "agents_list",
        "conversations_list",
        "tool_search",
        "tool_search_code",
        "tool_describe",
        "tool_call",
        "wait",
        "some_tool_of_a_plugin",
        "server__tool",
    ] {
        assert_eq!(
            classify(&rules, tool, &json!({"path": "a", "action": "x"})),
            (0, String::new()),
            "{tool}"
        );
    }
}

#[test]
fn every_tool_of_the_host_has_its_tier_and_its_key() {
    let rules = RuleSet::shipped();
    for (tool, params, tier, keys) in [
        ("write", json!({"path": "a.md", "content": "x"}), 1, "file:/w/a.md"),
        ("edit", json!({"path": "/b.md", "edits": []}), 1, "file:/b.md"),
        ("apply_patch", json!({"input": "*** Add File: a\n*** Delete File: b\n"}), 1, "file:/w/a file:/w/b"),
        ("apply-patch", json!({"input": "*** Update File: a\n"}), 1, "file:/w/a"),
        ("exec", json!({"command": "ls -la"}), 1, ""),
        ("bash", json!({"command": "ls -la"}), 1, ""),
        ("process", json!({"action": "poll", "sessionId": "p1"}), 0, "process:p1"),
        ("process", json!({"action": "kill", "sessionId": "p1"}), 1, "process:p1"),
        ("terminal", json!({"action": "send-keys", "sessionId": "p1"}), 1, "process:p1"),
        (
            "message",
            json!({"action": "send", "channel": "discord", "target": "general"}),
            2,
            "channel:general",
        ),
        ("message", json!({"action": "send", "targets": ["a", "b"]}), 2, "channel:a channel:b"),
        (
            "message",
            json!({"action": "thread-reply", "target": "general", "threadId": "t9"}),
            2,
            "channel:t9",
        ),
        ("message", json!({"action": "send", "channel": "general"}), 2, "channel:general"),
        ("message", json!({"message": "x"}), 2, "channel:current"),
        ("message", json!({"action": "send", "target": "channel:123"}), 2, "channel:123"),
        ("message", json!({"action": "channel-delete", "channelId": "123"}), 4, "channel:123"),
        ("message", json!({"action": "channel-delete", "target": "discord:channel:123"}), 4, "channel:123"),
        ("message", json!({"action": "kick", "target": "guild", "userId": "u1"}), 3, "member:u1"),
        ("message", json!({"action": "broadcast", "targets": ["a", "b"]}), 3, "channel:a channel:b"),
        ("message", json!({"action": "channel-edit", "channelId": "c1"}), 3, "channel:c1"),
        ("message", json!({"action": "channelDelete", "channelId": "c1"}), 4, "channel:c1"),
        ("message", json!({"action": "category-delete", "categoryId": "c2"}), 4, "channel:c2"),
        ("conversations_send", json!({"conversationRef": "r1"}), 2, "conversation:r1"),
        ("conversations_turn", json!({"conversationRef": "r1"}), 2, "conversation:r1"),
        ("automations", json!({"action": "add", "job": {"name": "nightly"}}), 3, "cron:nightly"),
        (
            "automations",
            json!({"action": "add", "job": {"name": "n", "declarationKey": "d"}}),
            3,
            "cron:d cron:n",
        ),
        (
            "automations",
            json!({"action": "update", "jobId": "j1", "job": {"name": "n"}}),
            3,
            "cron:j1 cron:n",
        ),
        ("automations", json!({"action": "update", "jobId": "j1"}), 3, "cron:j1"),
        ("cron", json!({"action": "remove", "id": "j1"}), 3, "cron:j1"),
        ("cron", json!({"action": "run", "jobId": "j1"}), 3, "cron:j1"),
        ("cron", json!({"action": "list"}), 0, ""),
        ("automations", json!({"action": "next_check"}), 1, ""),
        ("sessions_send", json!({"sessionKey": "s1", "message": "x"}), 2, "session:s1"),
        ("sessions_send", json!({"label": "l1"}), 2, "session:l1"),
        ("sessions_spawn", json!({"task": "x", "label": "l1"}), 2, "session:l1"),
        ("sessions", json!({"action": "patch", "sessionKey": "s1"}), 1, "session:s1"),
        ("sessions", json!({"action": "group_add", "key": "s1"}), 2, "session:s1"),
        ("sessions", json!({"action": "assign_owner", "key": "s1"}), 2, "session:s1"),
        ("sessions", json!({"action": "reset", "sessionKey": "s1"}), 4, "session:s1"),
        ("sessions", json!({"action": "delete", "sessionKey": "s1"}), 4, "session:s1"),
        ("gateway", json!({"action": "config.get"}), 0, ""),
        ("gateway", json!({"action": "config.schema.lookup"}), 0, ""),
        ("gateway", json!({"action": "update.run"}), 4, "gateway:update.run"),
        ("gateway", json!({"action": "config.apply"}), 4, "gateway:config.apply"),
        ("gateway", json!({"action": "config.patch"}), 4, "gateway:config.patch"),
        ("gateway", json!({"action": "restart"}), 4, "gateway:restart"),
        ("openclaw", json!({"message": "set up"}), 4, "gateway:admin"),
        ("plugins", json!({"action": "list"}), 0, ""),
        ("plugins", json!({"action": "install"}), 4, "gateway:plugins"),
        ("nodes", json!({"action": "status"}), 0, ""),
        ("nodes", json!({"action": "camera_snap", "node": "pi"}), 1, "node:pi"),
        ("nodes", json!({"action": "invoke", "node": "pi"}), 2, "node:pi"),
        ("nodes", json!({"action": "approve", "requestId": "r1"}), 3, "node:r1"),
        ("browser", json!({"action": "snapshot"}), 0, ""),
        ("browser", json!({"action": "navigate", "targetId": "t1"}), 1, "browser:default:t1"),
        ("canvas", json!({}), 1, ""),
        ("computer", json!({}), 1, ""),
        ("image_generate", json!({}), 1, ""),
        ("tts", json!({"text": "x", "channel": "c"}), 2, "tts:c"),
        ("secrets", json!({"action": "list"}), 0, ""),
        ("secrets", json!({"action": "request", "name": "github"}), 2, "secret:github"),
        ("secrets", json!({"action": "delete", "name": "github"}), 3, "secret:github"),
        ("skill_workshop", json!({"action": "read", "name": "s"}), 0, ""),
        ("skill_workshop", json!({"action": "apply", "name": "s"}), 2, "skill:s"),
        ("skill_workshop", json!({"action": "draft", "name": "s"}), 1, "skill:s"),
        ("github_publish", json!({}), 3, "github:publish"),
        ("subagents", json!({"action": "list"}), 0, ""),
        ("subagents", json!({"action": "cancel", "id": "t1"}), 1, "task:t1"),
        ("send_email", json!({"to": "Alice@example.com"}), 3, "email:alice@example.com"),
        ("email", json!({"to": ["a@x.com", "b@x.com"]}), 3, "email:a@x.com email:b@x.com"),
        ("gmail__send_email", json!({"to": "a@x.com"}), 3, "email:a@x.com"),
        ("resend__send-email", json!({"to": ["a@x.com"]}), 3, "email:a@x.com"),
        ("resend__send-broadcast", json!({"id": "b"}), 3, "email:campaign/b"),
        (
            "sendgrid__send_email",
            json!({"to": [{"email": "a@x.com", "name": "A"}], "cc": {"address": "b@x.com"}}),
            3,
            "email:a@x.com email:b@x.com",
        ),
    ] {
        assert_eq!(classify(&rules, tool, &params), (tier, keys.to_owned()), "{tool} {params}");
    }
}

#[test]
fn every_action_of_the_message_tool_has_its_tier() {
    // As OpenClaw 2026.9.6 lists them (`CHANNEL_MESSAGE_ACTION_NAMES`).
    let tiers: BTreeMap<u8, &str> = BTreeMap::from([
        (
            0,
            "reactions read list-pins permissions thread-list search sticker-search member-info role-info emoji-list channel-info channel-list voice-status event-list download-file",
        ),
        (1, "react pin unpin poll-vote set-presence"),
        (
            2,
            "send poll edit unsend reply sendWithEffect sendAttachment delete thread-create thread-reply sticker emoji-upload sticker-upload conversation-open topic-create topic-edit event-create upload-file",
        ),
        (
            3,
            "broadcast renameGroup setGroupIcon addParticipant removeParticipant leaveGroup role-add role-remove channel-create channel-edit channel-move category-create category-edit timeout kick ban set-profile",
        ),
        (4, "channel-delete category-delete"),
    ]);
    let rules = RuleSet::shipped();
    let mut count = 0;
    for (tier, actions) in tiers {
        for action in actions.split(' ') {
            for spelling in
                [action.to_owned(), action.replace('-', "_").to_uppercase(), action.replace('-', " ")]
            {
                assert_eq!(classify(&rules, "message", &json!({ "action": spelling })).0, tier, "{spelling}");
            }
            count += 1;
        }
    }
    assert_eq!(count, 57);
}

#[test]
fn commands_that_send_mail_are_guarded_by_recipient_for_a_day() {
    let rules = RuleSet::shipped();
    for text in [
        "curl --url smtp://mail.example.com --mail-rcpt a@x.com -T mail.txt",
        "curl smtps://h:465 --mail-from me@x.com --mail-rcpt a@x.com",
        "curl \"$SMTP_URL\" --mail-rcpt a@x.com",
        "himalaya send a@x.com",
        "himalaya message send 'To: a@x.com'",
        "himalaya -a work \\\n  template send 'To: a@x.com'",
        "echo 'To: a@x.com' | himalaya template send",
        "echo hi | mail -s hi a@x.com",
        "mail a@x.com < body.txt",
        "mail -s 'a; b | c' a@x.com",
        "sudo -u bob mailx -s hi a@x.com",
        "A='b c' D=e /usr/bin/mutt -s hi -- a@x.com",
        "if true; then mail -s hi a@x.com; fi",
        "for i in 1 2; do mail -s hi a@x.com; done",
        "bash -lc 'mail -s hi a@x.com'",
        "timeout 5 msmtp a@x.com < m",
        "(cd x && sendmail -oi a@x.com < m)",
        "/usr/sbin/sendmail -t <<EOF\nTo: a@x.com\nEOF",
        "echo a@x.com | xargs -n 1 mail -s hi",
        "swaks --to a@x.com --server h",
        "gog gmail send --to a@x.com --subject hi",
        "gog --account me gmail send --to a@x.com --account me@x.com",
        "git send-email --to a@x.com 0001.patch",
    ] {
        assert_eq!(command(&rules, text), (3, "email:a@x.com".to_owned()), "{text}");
    }
    assert_eq!(command(&rules, "sendmail root < m"), (3, "email:root".to_owned()));
    assert_eq!(
        command(&rules, "himalaya message send < m"),
        (3, "email:unknown~19a1be3ab9ee9380".to_owned())
    );
    let call = ToolCall { tool: "exec".to_owned(), ..ToolCall::default() };
    let mail = rules.classify(&call, "openclaw", &json!({"command": "mail -s hi a@x.com"}), &World::unseen());
    assert_eq!((mail.recent_window_ms, mail.scope), (Some(86_400_000), Scope::Any));
}

#[test]
fn pushes_publishing_and_deploys_are_guarded_by_what_they_change() {
    let rules = RuleSet::shipped();
    for (text, key) in [
        ("git push", "git-push:/w/current"),
        ("git push origin main", "git-push:/w/main"),
        ("git -C /x push", "git-push:/x/current"),
        ("git -c a=b --no-pager push -f", "git-push:/w/current"),
        ("cd x && git push", "git-push:/w/x/current"),
        ("A=b git push; x", "git-push:/w/current"),
        ("npm publish", "publish:npm:/w"),
        ("npm publish --access public", "publish:npm:/w"),
        ("pnpm -r publish", "publish:npm:/w"),
        ("yarn npm publish", "publish:npm:/w"),
        ("cargo publish -p x", "publish:cargo:x"),
        ("cargo +nightly publish", "publish:cargo:/w"),
        ("twine upload dist/*", "publish:pypi:/w"),
        ("python3 -m twine upload dist/*", "publish:pypi:/w"),
        ("uv publish", "publish:pypi:/w"),
        ("docker push x/y:1", "publish:docker:x/y:1"),
        ("docker image push x", "publish:docker:x"),
        ("make && gem push x.gem", "publish:gem:x"),
        ("gh release create v1", "github:/w#v1"),
        ("npm run release", "publish:/w"),
        ("kubectl apply -f x.yml", "kube:current/default:x.yml"),
        ("kubectl -n prod delete pod x", "kube:current/prod:pod/x"),
        ("cat x | kubectl apply -f -", "kube:current/default:-"),
        ("terraform apply", "terraform:/w"),
        ("terraform -chdir=x destroy -auto-approve", "terraform:/w/x"),
        ("vercel deploy", "deploy:vercel:/w"),
        ("vercel -y --prod", "deploy:vercel:/w@production"),
        ("fly deploy", "deploy:fly:/w"),
        ("flyctl deploy -a x", "deploy:fly:x"),
        ("helm upgrade x y", "helm:current/default:x"),
        ("gcloud run deploy x", "gcloud:run:x"),
        ("netlify deploy --prod", "deploy:netlify:/w@production"),
        ("wrangler deploy", "deploy:wrangler:/w"),
        ("npm run deploy", "deploy:/w"),
        ("pulumi up", "pulumi:/w"),
        ("kubectl rollout restart deploy/x", "kube:current/default:deployment/x"),
        ("docker stack deploy x", "deploy:docker:x"),
    ] {
        assert_eq!(command(&rules, text), (3, key.to_owned()), "{text}");
    }
    let params = json!({"command": "git push", "workdir": "/repo"});
    assert_eq!(classify(&rules, "exec", &params), (3, "git-push:/repo/current".to_owned()));
    // The same folder on another machine is another one.
    for (host, key) in [
        (json!({"host": "gateway"}), "git-push:/w/current"),
        (json!({"host": "node", "node": "pi"}), "git-push:pi:current/current"),
        (json!({"host": "node", "node": "pi", "workdir": "/w"}), "git-push:pi:/w/current"),
        (json!({"host": "sandbox", "workdir": "/w"}), "git-push:sandbox:/w/current"),
    ] {
        let mut params = host;
        params.as_object_mut().unwrap().insert("command".to_owned(), json!("git push"));
        assert_eq!(classify(&rules, "exec", &params), (3, key.to_owned()), "{params}");
    }
}

#[test]
fn commands_that_only_look_are_not_guarded() {
    let rules = RuleSet::shipped();
    for text in [
        "himalaya list",
        "himalaya envelope list -f sent",
        "himalaya envelope list | grep send",
        "himalaya message send --help",
        "himalaya folder list; echo send",
        "mail",
        "mail -f mbox",
        "mailq",
        "apt install mailx",
        "man sendmail",
        "sendmail -bp",
        "which sendmail",
        "systemctl status sendmail",
        "grep -r sendmail .",
        "cat /var/mail/root",
        "ls mail",
        "msmtp --version",
        "msmtp --serverinfo",
        "gog gmail list",
        "git push --dry-run",
        "git push -n origin",
        "git push --help",
        "git stash push",
        "git log --grep push",
        "git status",
        "echo git push",
        "git commit -m 'then git push'",
        "npm publish --dry-run",
        "npm run build",
        "cargo publish --dry-run",
        "cargo build",
        "docker pull x",
        "docker ps",
        "kubectl get pods",
        "kubectl get pods -l app=delete",
        "kubectl apply --dry-run=client -f x.yml",
        "kubectl describe pod x",
        "terraform plan",
        "vercel ls",
        "vercel logs",
        "fly status",
        "fly deploy --help",
        "helm list",
        "gh release list",
        "echo done",
        "curl https://example.com/mail",
    ] {
        assert_eq!(command(&rules, text), (1, String::new()), "{text}");
    }
}

#[test]
fn a_dry_run_hides_nothing_that_is_done_besides() {
    let rules = RuleSet::shipped();
    for text in [
        "git push --dry-run && git push",
        "git push --dry-run\ngit push",
        "kubectl apply --dry-run=none -f x",
        "npm publish --dry-run=false",
        "himalaya message send \"try --help me\"",
        "himalaya message send 'To: a@x.com\n\nuse --dry-run first'",
        "git push origin main # --dry-run `git push`",
        "mail -s --help a@x.com",
    ] {
        assert_eq!(command(&rules, text).0, 3, "{text}");
    }
}

/// Forms of a few commands, of which the corpus has only some.
#[test]
fn pushes_and_releases_are_known_in_many_forms() {
    let rules = RuleSet::shipped();
    let call = ToolCall { tool: "exec".to_owned(), cwd: Some("/w".to_owned()), ..ToolCall::default() };
    let world = World::with_environment(BTreeMap::new());
    for (text, keys) in [
        (
            "GIT_SSH_COMMAND='ssh -i ~/.ssh/deploy_key' git push git@git.example.net:acme/app.git +main",
            "git-push:git.example.net/acme/app/main",
        ),
        ("cd services/api && git tag -f nightly && git push --tags", "git-push:/w/services/api/--tags"),
        (
            "git add -A && git commit -m \"Fix login redirect\" && git push -u origin HEAD",
            "git-push:/w/current",
        ),
        ("git tag -a v1.4.0 -m \"Release 1.4.0\" && git push origin v1.4.0", "git-push:/w/v1.4.0"),
        (
            "git remote add mirror https://git.example.org/acme/app.git && git push --mirror mirror",
            "git-push:git.example.org/acme/app/--mirror",
        ),
        ("git commit --amend --no-edit && git push -f", "git-push:/w/current"),
        (
            "git checkout -b hotfix/tls\ngit commit -qam 'Pin TLS to 1.3'\ngit push --set-upstream origin hotfix/tls",
            "git-push:/w/hotfix/tls",
        ),
        ("git branch -D old-api; git push origin --delete old-api", "git-push:/w/old-api"),
        (
            "git branch --merged main | grep -v main | xargs -I{} git push origin --delete {}",
            "exec:a9e847cb2d6b5736168ee162bd592fba",
        ),
        (
            "bash -c \"cd /srv/site && git push https://git.example.com/acme/site.git main:production\"",
            "git-push:git.example.com/acme/site/production",
        ),
        (
            "for r in origin backup; do git fetch -q \"$r\" && git push \"$r\" main; done",
            "git-push:/w/main git-push:/w@backup/main",
        ),
        (
            "git merge --no-ff develop -m 'Merge develop' && git push origin main develop",
            "git-push:/w/main git-push:/w/develop",
        ),
        ("bash <<'EOF'\nset -euo pipefail\ngit push --all backup\nEOF", "git-push:/w@backup/--all"),
        ("git rev-parse --short HEAD; git push origin :refs/tags/v0.9.0-rc1", "git-push:/w/v0.9.0-rc1"),
        (
            "cd web && npm run build && cd .. && git add web/dist && git commit -qm 'Rebuild' && git push 2>&1 | tail -3",
            "git-push:/w/current",
        ),
        ("npm version patch -m 'chore: %s' && git push --follow-tags origin main", "git-push:/w/main"),
        ("cd ../docs && gh pr create --fill --draft", "github:/docs#new"),
        ("npm pack && npm publish ./acme-widgets-1.2.0.tgz --provenance", "publish:npm:acme-widgets"),
    ] {
        let found = rules.classify(&call, "openclaw", &json!({ "command": text }), &world);
        assert_eq!((found.tier as u8, found.context_keys.join(" ")), (3, keys.to_owned()), "{text}");
    }
}

#[test]
fn a_tool_that_sends_mail_is_known_however_its_host_spells_it() {
    let tier = |tool: &str| {
        let call = ToolCall { tool: tool.to_owned(), ..ToolCall::default() };
        let found = RuleSet::shipped().classify(
            &call,
            "openclaw",
            &json!({"to": "Alice@example.com"}),
            &World::unseen(),
        );
        (found.tier as u8, found.context_keys.join(" "))
    };
    for tool in [
        "email",
        "send_email",
        "sendEmail",
        "SendEmail",
        "send-email",
        "send email",
        "SEND_EMAIL",
        "send_mail",
        "sendMail",
        "gmail_send_email",
        "GMAIL_SEND_EMAIL",
        "gmailSendEmail",
        "send_gmail_message",
        "gmail_send_message",
        "outlook_send_mail",
        "OUTLOOK_OUTLOOK_SEND_EMAIL",
        "outlook_send_message",
        "send_outlook_email",
        "reply_to_email",
        "replyToEmail",
        "GMAIL_REPLY_TO_THREAD",
        "gmail__reply",
        "send-draft",
        "sendDraft",
        "gmail_send_draft",
        "GMAIL_SEND_DRAFT",
        "drafts_send",
        "forward_email",
        "forwardMail",
        "mailer__send_email",
        "mailer__sendEmail",
        "Gmail__SEND-EMAIL",
        "email_send",
        "emailSend",
        "gmail__send",
        "gmail__send_message",
        "agentmail__send_message",
        "agentmail__reply_to_message",
        "google-workspace__send_gmail_message",
        "resend__send-email",
        "resend__send_broadcast",
        "ses_send_templated_email",
        "aws_ses_send_email",
        "microsoft365__send-mail",
        "ms365__reply-mail-message",
        "send_email_with_attachment",
        "sendgrid_send",
        "mail.send",
        "smtp_send",
        "gmail.users.messages.send",
        "gmail.send_email",
        "functions.send_email",
        "mailer:sendEmail",
        "mailer/send_mail",
        "imap__send",
        "imap.sendMessage",
        "himalaya__send",
        "imap_send",
        "himalaya_send_message",
        "mcp__x__gmail_send",
        "mcp__imap__send",
    ] {
        assert_eq!(tier(tool), (3, "email:alice@example.com".to_owned()), "{tool}");
    }
    for tool in [
        "read_email",
        "readEmail",
        "list_emails",
        "search_mail",
        "get_email",
        "get_email_template",
        "draft_email",
        "create_draft",
        "createDraft",
        "gmail_create_draft",
        "create_email_draft",
        "gmail_list_messages",
        "gmail__search_messages",
        "gmail__read_message",
        "list_sent_emails",
        "get_sent_mail",
        "email_search",
        "mark_email_read",
        "archive_email",
        "validate_email",
        "gmail_list_forwarding_addresses",
        "list_email_senders",
        "get_sender_email",
        "list_email_replies",
        "draft_email_reply",
        "outlook_list_messages",
        "mail__list_folders",
        "reply",
        "forward_port",
        "send_keys",
        "sendgrid_list_templates",
        "get_mail_send_status",
        "sendmail_config_get",
        "sendmail__get_config",
        "sendmail.settings_get",
        "gmail.users.messages.list",
        "gmail.users.settings.sendAs.list",
        "imap__search",
        "mail/list",
    ] {
        assert_eq!(tier(tool).0, 0, "{tool}");
    }
}

#[test]
fn each_shipped_rule_says_how_far_its_keys_reach_and_none_limits_how_often() {
    let listed = RuleSet::shipped().listed();
    let without: Vec<&str> =
        listed.iter().filter(|rule| rule.reach.is_none()).map(|rule| rule.name.as_str()).collect();
    assert_eq!(without, Vec::<&str>::new(), "mark them `home` or `machine`");
    assert!(listed.iter().all(|rule| rule.limit.is_none()), "what asks for limits looks at one's own rules");
}
