//! Context keys: what resource a call acts on, out of its command or its parameters.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;

use callosum_core::model::tool_call::{AllParameters, Parameters, ToolCall};
use callosum_core::rules::{Classification, RuleSet, World};
use serde_json::{Value, json};

fn rules(template: &Value) -> RuleSet {
    let rule = json!({"name": "test", "tier": 3, "tool": "*", "contextKey": template});
    RuleSet::parse(&json!({"rules": [rule]}).to_string()).unwrap()
}

fn call(tool: &str) -> ToolCall {
    ToolCall { tool: tool.to_owned(), session: "agent:main:pa".to_owned(), ..ToolCall::default() }
}

fn classify(template: &Value, call: &ToolCall, params: &Value) -> Classification {
    rules(template).classify(call, "openclaw", params, &World::unseen())
}

fn recipients(command: &str) -> Vec<String> {
    let params = json!({ "command": command });
    classify(&json!("{commandRecipient}"), &call("exec"), &params).context_keys
}

#[test]
fn every_recipient_of_a_command_is_found() {
    for (command, expected) in [
        // curl
        ("curl --mail-rcpt alice@example.com smtp://h -T m", "alice@example.com"),
        ("curl --mail-rcpt=alice@example.com smtp://h", "alice@example.com"),
        ("curl smtp://h --mail-from me@x.com --mail-rcpt 'Alice@Example.COM'", "alice@example.com"),
        ("curl --mail-rcpt a@x.com --mail-rcpt \"b@x.com\" --mail-rcpt a@x.com smtp://h", "a@x.com b@x.com"),
        ("curl --mail-rcpt '<a@x.com>' --mail-rcpt-allowfails smtp://h", "a@x.com"),
        ("curl -u me@x.com:p@ss smtps://smtp.x.com --mail-from=me@x.com --mail-rcpt b@x.com", "b@x.com"),
        (
            "curl smtps://me%40x.com:pw@smtp.x.com -T m --mail-rcpt b@x.com -H 'To: c@x.com'",
            "b@x.com c@x.com",
        ),
        ("curl --mail-rcpt a@x.com \\\n  --mail-rcpt b@x.com \\\n smtp://h", "a@x.com b@x.com"),
        ("curl smtp://h --mail-rcpt \"$WHO\"", "$WHO"),
        ("export WHO=bob@x.com && mail -s hi \"${WHO}\"", "bob@x.com"),
        ("WHO=$(next) && mail -s hi \"$WHO\"", "$WHO"),
        ("WHO=bob@x.com; curl smtp://h --mail-from me@x.com --mail-rcpt \"$WHO\"", "bob@x.com"),
        ("for r in a@x.com b@x.com; do curl smtp://h --mail-rcpt $r; done", "a@x.com b@x.com"),
        ("(curl --mail-rcpt a@x.com smtp://h) && curl --mail-rcpt b@x.com smtp://h", "a@x.com b@x.com"),
        ("WHO=b@x.com; curl smtp://h --mail-rcpt a@x.com --mail-rcpt \"$WHO\"", "a@x.com b@x.com"),
        ("curl smtps://me:pw@smtp.x.com --mail-rcpt \"$WHO\"", "$WHO"),
        // swaks and kin
        ("swaks --to a@x.com,b@x.com --from me@x.com --server h", "a@x.com b@x.com"),
        ("swaks -t a@x.com -f me@x.com -s smtp.x.com -au me@x.com -ap p@w", "a@x.com"),
        ("swaks --to=a@x.com --cc b@x.com --bcc 'C <c@x.com>' --h-From me@x.com", "a@x.com b@x.com c@x.com"),
        ("swaks --server h --to a@x.com --header 'Subject: to: z@x.com' --body 'To: y@x.com'", "a@x.com"),
        ("sendemail -f me@x.com -t a@x.com b@x.com -u subject -m text", "a@x.com b@x.com"),
        // mail, mailx, mutt
        ("mail -s 'Hello, you' alice@example.com", "alice@example.com"),
        ("mail -s hi a@x.com b@x.com, c@x.com < body.txt", "a@x.com b@x.com c@x.com"),
        ("mail -s hi a@x.com,b@x.com 2>/dev/null", "a@x.com b@x.com"),
        ("mail -shi -c c@x.com -b d@x.com a@x.com", "c@x.com d@x.com a@x.com"),
        ("mail -vs hi -r me@x.com bob", "bob"),
        ("mail -s to@none.com root", "root"),
        ("mail -a 'From: me@x.com' -a 'Cc: b@x.com' -s hi a@x.com", "b@x.com a@x.com"),
        ("mailx -S smtp=smtp://h -S from=me@x.com -s hi a@x.com", "a@x.com"),
        ("/usr/bin/s-nail -r 'Me <me@x.com>' -s hi 'Bob <bob@x.com>'", "bob@x.com"),
        ("mutt -s hi -a one@2x.png two@2x.png -- a@x.com", "a@x.com"),
        ("echo body | mutt -e 'set from=me@x.com' -s hi -c c@x.com a@x.com", "c@x.com a@x.com"),
        ("sudo -u bob mail -s hi a@x.com", "a@x.com"),
        ("sudo -u bob mail -s hi root", "root"),
        ("LANG=C EMAIL=me@x.com timeout 5 mail -s hi a@x.com", "a@x.com"),
        ("bash -lc \"mail -s hi a@x.com\"", "a@x.com"),
        ("sh -c 'sh -c \"mail -s hi bob\"'", "bob"),
        ("echo a@x.com | xargs mail -s hi", "a@x.com"),
        ("if true; then mail -s hi bob; fi", "bob"),
        // sendmail, msmtp
        ("sendmail -f me@x.com -F 'Me' a@x.com b@x.com", "a@x.com b@x.com"),
        ("/usr/sbin/sendmail -oi -fme@x.com root < mail.txt", "root"),
        ("sendmail -oep root < mail.txt", "root"),
        ("msmtp -a work --from=me@x.com -- a@x.com", "a@x.com"),
        ("msmtp --account work a@x.com", "a@x.com"),
        (
            "printf 'To: a@x.com\\nCc: B <b@x.com>, c@x.com\\nFrom: me@x.com\\n\\nTo: z@x.com' | sendmail -t",
            "a@x.com b@x.com c@x.com",
        ),
        ("printf '%s\\n' 'To: a@x.com' 'From: me@x.com' '' 'write to z@x.com' | sendmail -t", "a@x.com"),
        ("printf 'From: me@x.com\\nTo: %s\\n\\nhi' bob@x.com | sendmail -t", "bob@x.com"),
        ("echo -e \"to: A@x.com\\nsubject: s\\n\\nbody\" | msmtp -t", "a@x.com"),
        (
            "sendmail -t <<EOF\nSubject: s\nTo: a@x.com,\n  b@x.com\nFrom: me@x.com\n\nTo: z@x.com\nEOF",
            "a@x.com b@x.com",
        ),
        ("sendmail -t <<-'EOF'\n\tTo: a@x.com\n\tEOF\n", "a@x.com"),
        ("sendmail -t <<< $'To: a@x.com\\nBcc: b@x.com\\n\\nhi'", "a@x.com b@x.com"),
        ("{ echo 'To: a@x.com'; echo 'Cc: b@x.com'; echo; cat body; } | sendmail -t", "a@x.com b@x.com"),
        // himalaya, gog
        (
            "himalaya template send 'From: me@x.com\nTo: Alice <alice@example.com>\nSubject: s\n\nhi'",
            "alice@example.com",
        ),
        ("himalaya message send -a me@x.com \"To: a@x.com\nCc: b@x.com\n\n.\"", "a@x.com b@x.com"),
        (
            "himalaya template write -H 'To: a@x.com' -H 'From: me@x.com' x | himalaya template send",
            "a@x.com",
        ),
        ("cat <<EOF | himalaya template send\nFrom: me@x.com\nTo: a@x.com\n\nhi b@x.com\nEOF", "a@x.com"),
        ("himalaya --account me@x.com message send < draft.eml", "unknown"),
        ("himalaya -a me@x.com message send < draft.eml", "unknown"),
        (
            "gog gmail send --to a@x.com --cc 'b@x.com, c@x.com' --subject 'to: d@x.com' --body hi",
            "a@x.com b@x.com c@x.com",
        ),
        ("gog gmail send --account=me@x.com --to='\"Doe, John\" <j@x.com>; k@x.com'", "j@x.com k@x.com"),
        ("git send-email --to=a@x.com --cc b@x.com --from me@x.com *.patch", "a@x.com b@x.com"),
        // Nothing that names a recipient: any address that is not a sender's.
        ("aws ses send-email --from me@x.com --destination ToAddresses=a@x.com", "a@x.com"),
        ("himalaya message send mailto:a@x.com --from me@x.com", "a@x.com"),
        ("himalaya message send", "unknown"),
        ("", "unknown"),
        // Broken syntax must not hide anybody.
        ("curl smtp://h --mail-from me@x.com --mail-rcpt 'a@x.com", "a@x.com"),
        ("mail -s \"it's a@x.com", "a@x.com"),
        ("mail -s broken' a@x.com", "a@x.com"),
        ("printf \"To: a@x.com\\nSubject: s\\n | sendmail -t", "a@x.com"),
        ("sendmail -t <<EOF\nTo: a@x.com\nFrom: me@x.com\n\nhi", "a@x.com"),
        ("sendmail -t z@x.com <<EOF\nTo: a@x.com,\n b@x.com\nFrom: me@x.com\n", "z@x.com a@x.com b@x.com"),
        ("curl --mail-rcpt $(cat <<X) a@x.com", "a@x.com"),
    ] {
        assert_eq!(recipients(command).join(" "), expected, "{command}");
    }
}

#[test]
fn recipients_survive_a_command_too_long_to_be_split() {
    let filler = "some words\n".repeat(100_000);
    let command = format!(
        "curl smtp://h --mail-from me@x.com --mail-rcpt a@x.com -d \"\n{filler}\" --mail-rcpt b@x.com"
    );
    assert_eq!(recipients(&command), ["a@x.com", "b@x.com"]);
}

#[test]
fn mail_tools_name_recipients_in_their_parameters() {
    let params =
        json!({"to": ["Alice <Alice@X.com>", "b@x.com"], "cc": "b@x.com, c@x.com", "from": "me@x.com"});
    let keys = classify(&json!("email:{commandRecipient}"), &call("send_email"), &params).context_keys;
    assert_eq!(keys, ["email:alice@x.com", "email:b@x.com", "email:c@x.com"]);
}

#[test]
fn templates_resolve() {
    let params = json!({
        "a": "one", "n": 5, "f": 1.0, "yes": true, "empty": "", "blank": "  ", "none": null, "object": {"x": 1},
        "list": ["p", "q", "p", "", null, 7], "nothing": [], "job": {"name": "nightly", "deep": {"id": 9}},
        "odd|name": 1
    });
    for (template, keys) in [
        ("plain", vec!["plain"]),
        ("{tool}", vec!["automations"]),
        ("x:{params.a}", vec!["x:one"]),
        ("x:{ params.a }:y", vec!["x:one:y"]),
        ("{params.n}/{params.f}/{params.yes}", vec!["5/1/true"]),
        ("{params.job.name}", vec!["nightly"]),
        ("{params.job.deep.id}", vec!["9"]),
        ("{params.missing}", vec!["unknown"]),
        (
            "{params.empty}{params.blank}{params.none}{params.object}{params.nothing}",
            vec!["unknownunknownunknownunknownunknown"],
        ),
        ("{params.missing|a|last}", vec!["one"]),
        ("{params.missing|empty|last}", vec!["last"]),
        ("{params.missing|a}", vec!["a"]),
        ("{params.missing|params.a}", vec!["one"]),
        ("{params.missing|job.name|last}", vec!["nightly"]),
        ("{params.missing|}", vec![""]),
        ("{params.a+missing+job.name|last}", vec!["one", "nightly"]),
        ("{params.a+a+list}", vec!["one", "p", "q", "7"]),
        ("{params.missing+empty|n+a|last}", vec!["5", "one"]),
        ("{params.missing+params.a}", vec!["one"]),
        ("{params.missing+empty}", vec!["unknown"]),
        ("{params.missing+empty|last}", vec!["last"]),
        ("{params.list}", vec!["p", "q", "7"]),
        ("{params.list}-{params.list}", vec!["p-p", "p-q", "p-7", "q-p", "q-q", "q-7", "7-p", "7-q", "7-7"]),
        ("{{{params.a}}}", vec!["{one}"]),
        ("{{params.a}}", vec!["{params.a}"]),
    ] {
        assert_eq!(classify(&json!(template), &call("cron"), &params).context_keys, keys, "{template}");
    }
    let both = json!(["a:{params.a}", "l:{params.list}", "a:one"]);
    assert_eq!(classify(&both, &call("x"), &params).context_keys, ["a:one", "l:p", "l:q", "l:7"]);
}

#[test]
fn a_channel_has_one_key_however_it_is_spelled() {
    for (target, platform, key) in [
        ("123", "discord", "channel:123"),
        ("channel:123", "discord", "channel:123"),
        ("channel:channel:123", "discord", "channel:123"),
        ("discord:channel:123", "discord", "channel:123"),
        ("general", "slack", "channel:general"),
        ("#general", "slack", "channel:general"),
        ("channel:#dev-ops_2", "slack", "channel:dev-ops_2"),
        ("#general", "irc", "channel:#general"),
        ("##general", "slack", "channel:##general"),
        ("#alias:example.org", "matrix", "channel:#alias:example.org"),
        ("#a b", "slack", "channel:#a b"),
        ("user:123", "discord", "channel:user:123"),
        ("discord:user:123", "discord", "channel:discord:user:123"),
        ("a b:channel:1", "x", "channel:a b:channel:1"),
        ("channel:", "discord", "channel:channel:"),
        ("#", "slack", "channel:#"),
    ] {
        let params = json!({"target": target, "channel": platform});
        let keys = classify(&json!("channel:{params.target}"), &call("message"), &params).context_keys;
        assert_eq!(keys, [key], "{target} on {platform}");
    }
    // Other keys keep what they begin with.
    let params = json!({"v": "x:#1"});
    assert_eq!(classify(&json!("x:{params.v}"), &call("t"), &params).context_keys, ["x:x:#1"]);
    // Spelled twice, one key.
    let params = json!({"targets": ["#a", "channel:a", "a"]});
    assert_eq!(classify(&json!("channel:{params.targets}"), &call("t"), &params).context_keys, ["channel:a"]);
}

#[test]
fn the_work_folder_is_absolute_and_knows_the_machine() {
    let at = |cwd: Option<&str>, params: Value| {
        let call = ToolCall { cwd: cwd.map(str::to_owned), ..call("exec") };
        classify(&json!("{workFolder}"), &call, &params).context_keys.join(" ")
    };
    assert_eq!(at(Some("/w"), json!({})), "/w");
    assert_eq!(at(None, json!({})), "current");
    assert_eq!(at(Some("/w"), json!({"workdir": "/w/"})), "/w");
    assert_eq!(at(Some("/w"), json!({"workdir": "."})), "/w");
    assert_eq!(at(Some("/w"), json!({"cwd": "a/.."})), "/w");
    assert_eq!(at(Some("/w"), json!({"host": "auto"})), "/w");
    assert_eq!(at(Some("/w"), json!({"host": "sandbox"})), "sandbox:current");
    assert_eq!(at(Some("/w"), json!({"host": "node", "node": "pi", "workdir": "/w"})), "pi:/w");
}

#[test]
fn the_digest_tells_calls_apart() {
    let key =
        |params: Value| classify(&json!("{tool}:{digest}"), &call("bash"), &params).context_keys.join(" ");
    let one = key(json!({"command": "a", "timeout": 1}));
    assert!(one.starts_with("exec:") && one.len() == "exec:".len() + 32, "{one}");
    assert_eq!(one, key(json!({"command": "a", "timeout": 2})));
    assert_ne!(one, key(json!({"command": "b", "timeout": 1})));
}

#[test]
fn file_paths_are_absolute_where_the_folder_is_known() {
    let at = |tool: &str, cwd: Option<&str>, params: Value| {
        let call = ToolCall { cwd: cwd.map(str::to_owned), ..call(tool) };
        classify(&json!("file:{filePath}"), &call, &params).context_keys.join(" ")
    };
    assert_eq!(at("write", Some("/w"), json!({"path": "a/../b.md"})), "file:/w/b.md");
    assert_eq!(at("write", Some("/w"), json!({"file_path": "/x//b.md"})), "file:/x/b.md");
    assert_eq!(at("write", None, json!({"filePath": "./b.md"})), "file:b.md");
    assert_eq!(at("write", Some("/w"), json!({"path": "~/b.md"})), "file:~/b.md");
    assert_eq!(at("write", Some("/w"), json!({"content": "x"})), "file:unknown");
    assert_eq!(at("exec", Some("/w"), json!({"path": "/b.md", "node": "pi"})), "file:pi:/b.md");
    assert_eq!(at("exec", Some("/w"), json!({"path": "b.md", "host": "sandbox"})), "file:sandbox:b.md");
    assert_eq!(at("exec", Some("/w"), json!({"path": "b.md", "host": "gateway"})), "file:/w/b.md");
    let patch = "*** Begin Patch\n*** Add File: a.md\n+*** Add File: no.md\n*** Update File: b.md\n*** Move to: c.md\n\
                 @@\n-x\n*** Delete File: /d.md\r\n*** Update File: a.md\n*** End Patch";
    assert_eq!(
        at("apply_patch", Some("/w"), json!({ "input": patch })),
        "file:/w/a.md file:/w/b.md file:/w/c.md file:/d.md"
    );
    assert_eq!(
        at("apply-patch", Some("/w"), json!({ "input": patch })),
        at("apply_patch", Some("/w"), json!({ "input": patch }))
    );
}

#[test]
fn keys_are_safe_to_show_and_stay_different() {
    let key = |value: String| {
        classify(&json!("k:{params.v}"), &call("x"), &json!({ "v": value })).context_keys.join(" ")
    };
    assert_eq!(key("a\nb\u{1b}[0m\u{202e}c".to_owned()), "k:a b [0m\u{fffd}c");
    assert!(!key("https://x/?token=hunter2".to_owned()).contains("hunter2"));
    assert_ne!(key("https://x/?token=hunter2".to_owned()), key("https://x/?token=hunter3".to_owned()));
    assert_eq!(key("v".repeat(198)), format!("k:{}", "v".repeat(198)));
    for length in [199, 2_000, 3_000_000] {
        let (one, other) = (key("v".repeat(length)), key("v".repeat(length) + "w"));
        assert_eq!(one.chars().count(), 180 + 1 + 16, "{length}");
        assert_ne!(one, other, "{length}");
    }
    // A secret that ends beyond what is looked at.
    assert!(!key(format!("{}ghp_{}", "x/".repeat(75), "S".repeat(4000))).contains('S'));
}

#[test]
fn too_many_keys_are_counted_not_listed() {
    let of = |template: Value, params: Value| {
        let classification = classify(&template, &call("message"), &params);
        (classification.context_keys.len(), classification.too_many_keys)
    };
    let numbers = |count: usize| (0..count).collect::<Vec<_>>();
    assert_eq!(of(json!("{params.a}"), json!({ "a": numbers(1000) })), (1000, false));
    assert_eq!(of(json!("{params.a}"), json!({ "a": numbers(1001) })), (1000, true));
    assert_eq!(of(json!("{params.a}"), json!({ "a": vec!["same"; 5000] })), (1, false));
    assert_eq!(of(json!("{params.a}:{params.a}"), json!({ "a": numbers(32) })), (1000, true));
    // Many combinations, few keys: what lies beyond the limit is not known to be among them.
    let same: Vec<String> = (1..50).map(|length| "x".repeat(length)).collect();
    assert!(of(json!("{params.a}{params.a}"), json!({ "a": same })).1);
    assert_eq!(of(json!(["a{params.a}", "b{params.a}"]), json!({ "a": numbers(501) })), (1000, true));

    let patch: String = (0..2000).map(|file| format!("*** Add File: {file}\n")).collect();
    let many = classify(&json!("{filePath}"), &call("apply_patch"), &json!({ "input": patch }));
    assert!(many.too_many_keys);
    let command: String = (0..2000).map(|at| format!(" --mail-rcpt {at}@x.com")).collect();
    assert!(
        classify(&json!("{commandRecipient}"), &call("exec"), &json!({ "command": command })).too_many_keys
    );
}

#[test]
fn a_body_that_is_too_long_to_be_read_is_told_by_its_digest() {
    let keys = |channel: &str, length: usize| {
        let body = json!({ "text": "x".repeat(length), "channel": channel }).to_string();
        let command = format!("curl https://slack.com/api/chat.postMessage -d '{body}'");
        let found = RuleSet::shipped().classify(
            &call("exec"),
            "openclaw",
            &json!({ "command": command }),
            &World::unseen(),
        );
        assert_eq!(found.tier as u8, 3);
        found.context_keys
    };
    assert_eq!(keys("C1", 60_000), ["slack:C1"]);
    let long = keys("C1", 70_000);
    assert!(long.len() == 1 && long[0].starts_with("slack:unknown~"), "{long:?}");
    assert_eq!(keys("C1", 70_000), long);
    assert_ne!(keys("C2", 70_000), long);
}

#[test]
fn huge_and_hostile_parameters_cost_little() {
    let long = "x".repeat(1_000_000);
    for command in [
        "a@".repeat(500_000),
        "@".repeat(1_000_000),
        "<".repeat(1_000_000),
        "To:\\n".repeat(200_000),
        format!("mail -s x {}", "a,".repeat(500_000)),
        format!("mail -s x {}", "<a@b".repeat(250_000)),
        format!("mail -s x '{}", "a@b ".repeat(250_000)),
        format!("mail -{}", "v".repeat(1_000_000)),
        format!("echo 'To: {}' | sendmail -t", "a@b\\n ".repeat(8_000)),
        "mutt -a x ".repeat(6_000),
        "sh -c '".repeat(9_000),
        "$(".repeat(500_000),
    ] {
        assert!(!recipients(&command).is_empty());
    }
    let list: Vec<String> = (0..100_000).map(|at| format!("{at}")).collect();
    let params = json!({ "a": long, "list": list });
    classify(&json!("{params.a}{params.list}{params.a}{params.list}"), &call("x"), &params);
}

/// Parameters that count how often they are read.
struct Counted {
    value: Value,
    reads: Cell<usize>,
}

impl Parameters for Counted {
    fn get(&self, path: &str) -> Option<Cow<'_, Value>> {
        self.reads.set(self.reads.get() + 1);
        self.value.get(path).map(|value| Cow::Owned(value.clone()))
    }

    fn all(&self) -> AllParameters<'_> {
        panic!("nothing asks for all parameters")
    }
}

#[test]
fn only_the_parameters_that_count_are_read_and_each_once() {
    let reads = |tool: &str, value: Value| {
        let params = Counted { value, reads: Cell::new(0) };
        let _ = RuleSet::shipped().classify(&call(tool), "openclaw", &params, &World::unseen());
        params.reads.get()
    };
    assert_eq!(reads("read", json!({"path": "a"})), 0);
    assert_eq!(reads("some_unknown_tool", json!({"path": "a"})), 0);
    // The command, and, where it names nothing, the folder: it may be the gate's own.
    assert_eq!(reads("exec", json!({"command": "ls"})), 2);
    assert_eq!(reads("exec", json!({"command": "himalaya message send"})), 1);
    // The action, whether it is only tried, the places where the target may stand up to the one where it does, and
    // whether there is a command whose exit code would say something.
    assert_eq!(reads("message", json!({"action": "send", "target": "general"})), 5);
}

/// The keys of the shipped rules for a command.
fn shipped_keys(command: &str) -> Vec<String> {
    RuleSet::shipped()
        .classify(
            &ToolCall { cwd: Some("/w".to_owned()), ..call("exec") },
            "openclaw",
            &json!({ "command": command }),
            &World::with_environment(BTreeMap::new()),
        )
        .context_keys
}

#[test]
fn who_pushes_and_with_which_token_makes_no_other_branch() {
    for user in [
        "",
        "user@",
        "u:hunter2@",
        "x-access-token:ghs_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@",
        "x-access-token:ghs_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@",
        "oauth2:glpat-abcdefghij0123456789@",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789@",
        "$GITHUB_TOKEN@",
        "x-access-token:${GITHUB_TOKEN}@",
    ] {
        let keys = shipped_keys(&format!("git push https://{user}github.com/acme/app main"));
        assert_eq!(keys, ["git-push:github.com/acme/app/main"], "{user}");
    }
}

#[test]
fn names_of_branches_and_secrets_stay_what_they_are_in_keys() {
    for branch in [
        "re_compile_pattern_2024",
        "key-value-store-benchmark-results-2024",
        "dependabot/npm_and_yarn/npm_and_yarn-security-group-4f3c1b2a9d",
        "claude/session/ab12cd34ef",
    ] {
        assert_eq!(shipped_keys(&format!("git push origin {branch}")), [format!("git-push:/w/{branch}")]);
    }
    for command in [
        "kubectl delete secret token-abc12def",
        "aws s3 cp a.txt s3://b/session/2024-10-11T10",
        "mail -s hi re_0123456789abcdefgh@x.org",
    ] {
        let keys = shipped_keys(command);
        assert!(!keys.is_empty() && keys.iter().all(|key| !key.contains("redacted")), "{keys:?}");
    }
}

#[test]
fn one_webhook_is_told_from_another_without_what_lets_anybody_post_there() {
    for hook in [
        "acme.webhook.office.com/webhookb2/{}/IncomingWebhook/b/c",
        "outlook.office.com/webhook/{}/IncomingWebhook/b/c",
        "hooks.zapier.com/hooks/catch/123/{}",
        "hooks.slack.com/workflows/T012345/{}",
        "hooks.slack.com/triggers/T012345/{}/b",
        "maker.ifttt.com/trigger/door/with/key/{}",
    ] {
        let keys = ["hd8aB3dE5gH7jK9mN1pQ3", "zz9aB3dE5gH7jK9mN1pQ3"].map(|secret| {
            let keys = shipped_keys(&format!("curl -d x https://{}", hook.replace("{}", secret)));
            assert!(!keys.concat().contains(secret) && keys.concat().contains("[redacted:"), "{keys:?}");
            keys
        });
        assert_ne!(keys[0], keys[1]);
    }
}
