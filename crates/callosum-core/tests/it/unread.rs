//! Reading that stops is never an allow: what stands behind a limit of the reader is looked through for what rules name.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use std::fmt::Write as _;

use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::{Explanation, RuleSet, World};
use serde_json::json;

const MAIL: &str = "gog gmail send --to bob@example.com --subject Hi --body Hello";

fn explain(command: &str) -> Explanation {
    let call = ToolCall { tool: "exec".to_owned(), cwd: Some("/w".to_owned()), ..ToolCall::default() };
    RuleSet::shipped().explain(&call, "openclaw", &json!({ "command": command }), &World::unseen())
}

fn tier(command: &str) -> u8 {
    explain(command).classification.tier.into()
}

fn keys(command: &str) -> Vec<String> {
    explain(command).classification.context_keys
}

fn head(command: &str) -> String {
    command.chars().take(120).collect()
}

#[test]
fn a_command_behind_many_is_guarded_by_its_own_key() {
    let comments = "# a comment of some length, as one finds in scripts\n".repeat(1_400);
    for before in ["true\n".repeat(255), "true; ".repeat(256), "V=$(cat f)\n".repeat(120), comments]
        .into_iter()
        .chain([
            "V=$(cat f)\n".repeat(2_000),
            "true; ".repeat(8_000),
            "if a; then echo \"${x} it's\"; fi\n".repeat(3_000),
        ])
    {
        let line = format!("{before}{MAIL}");
        assert_eq!(keys(&line), ["email:bob@example.com"], "{}", head(&line));
    }
}

#[test]
fn a_command_behind_a_limit_is_guarded_by_the_digest_of_its_call() {
    let mut functions = String::new();
    for number in 0..40 {
        let _ = write!(functions, "f{number}() {{ ");
    }
    for line in [
        format!("{}{MAIL}", "true; ".repeat(20_000)),
        format!("{}{MAIL}", "V=$(cat f) ".repeat(260)),
        format!("{}{MAIL}{}", "echo \"$(".repeat(20), ")\"".repeat(20)),
        format!("{}{MAIL}{}", "$(".repeat(200), ")".repeat(200)),
        format!("{functions}{MAIL}{}", "; }".repeat(40)),
        format!("{}{MAIL}", "sudo ".repeat(40)),
        format!("echo 'never closed; {MAIL}"),
        format!("bash -c \"{MAIL}"),
        format!("echo \"$(bash -c '{MAIL}'"),
    ] {
        let explained = explain(&line);
        let keys = &explained.classification.context_keys;
        assert_eq!(u8::from(explained.classification.tier), 3, "{}", head(&line));
        assert!(
            keys.iter().any(|key| key.starts_with("exec:") || key == "email:bob@example.com"),
            "{keys:?}"
        );
        assert!(!keys.iter().any(|key| key == "email:unknown"), "{keys:?}");
        assert!(!explained.unread.is_empty(), "{}", head(&line));
        assert!(explained.classification.not_done_codes.is_empty());
    }
}

#[test]
fn a_long_word_hides_neither_what_follows_it_nor_its_own_command() {
    let long = "Lorem ipsum (dolor); it is so & so. ".repeat(1_900);
    for quote in ['\'', '"'] {
        let line = format!("git commit -m {quote}{long}{quote} && git push origin main");
        assert_eq!(keys(&line), ["git-push:/w/main"]);
        let line = format!("himalaya message write --body {quote}{long}{quote} --to bob@example.com");
        assert_eq!(keys(&line), ["email:bob@example.com"]);
    }
    let dollars = "costs $5 or \\$6, \"so\". ".repeat(3_000);
    let line = format!("himalaya message write --body \"{dollars}\" --to bob@example.com");
    let keys = keys(&line);
    assert!(!keys.is_empty() && !keys.iter().any(|key| key == "email:unknown"), "{keys:?}");
}

#[test]
fn a_long_script_that_a_shell_reads_is_read() {
    let padding = "echo a line of a script, of some length\n".repeat(240);
    for line in [
        format!("bash <<'EOF'\n{padding}{MAIL}\nEOF"),
        format!("bash <<'EOF'\n{padding}{MAIL}\nEOF\necho done"),
        format!("ssh host bash -s <<'EOF'\n{padding}{MAIL}\nEOF"),
        format!("ssh host 'bash -s' <<EOF\n{padding}{MAIL}\nEOF"),
        format!("bash <<'EOF'\n{}{MAIL}\nEOF", "a\n".repeat(1_900)),
    ] {
        assert!(keys(&line).contains(&"email:bob@example.com".to_owned()), "{}", head(&line));
    }
    let line = format!("bash <<'EOF'\n{}{MAIL}\nEOF", "a\n".repeat(300_000));
    assert_eq!(tier(&line), 3);
}

#[test]
fn a_text_that_is_only_stored_is_no_command() {
    let text = format!("Then run `git push` and {MAIL}; it's \"simple\" (1) a) b\n");
    for line in [
        format!("cat > x.md <<'EOF'\n{}EOF", text.repeat(1_400)),
        format!("cat > x.md <<'EOF'\n{}EOF\necho done; ls", text.repeat(1_400)),
        format!("cat <<'EOF' > x.md && ls -la\n{}EOF\necho \"$HOME\"", text.repeat(40)),
        format!("cat > x.md <<'EOF'\n{}EOF\necho done", "a\nb\n".repeat(1_500)),
        format!("git commit -m \"$(cat <<'EOF'\n{}EOF\n)\"", text.repeat(200)),
        format!("python3 - <<'EOF'\nprint('''{}''')\nEOF\nls", text.repeat(100)),
        format!("echo '{}'", "git push ".repeat(9_000)),
        "docker run --rm img ls".to_owned(),
        "docker exec -it app ls -la".to_owned(),
        "kubectl exec pod -- ls".to_owned(),
        "echo \"git push\"; grep 'git push' file".to_owned(),
        "trap 'rm -f \"$tmp\"' EXIT; ls".to_owned(),
        "(( i = 1 + 2 )); ( ( ls ) )".to_owned(),
    ] {
        let explained = explain(&line);
        assert!(u8::from(explained.classification.tier) <= 1, "{}: {:?}", head(&line), explained.matches);
        assert_eq!(explained.unread, [], "{}", head(&line));
    }
}

#[test]
fn explain_says_what_was_not_read() {
    let explained = explain(&format!("{}{MAIL}", "true; ".repeat(20_000)));
    let [unread] = explained.unread.as_slice() else { panic!("{:?}", explained.unread) };
    assert!(unread.parts >= 1, "{unread:?}");
    assert!(unread.bytes > 60_000 && unread.begins == "true", "{unread:?}");
    assert_eq!(unread.because, "the line has more commands than are followed");
    let matched = explained.matches.last().unwrap();
    assert_eq!((matched.rule_name.as_str(), u8::from(matched.tier)), ("email-send", 3));
    assert!(matched.because.contains("not read"), "{}", matched.because);
}

#[test]
fn what_is_not_read_takes_no_time_either() {
    for line in [
        format!("cat <<E\n{}", "<<E\n".repeat(200_000)),
        format!("echo \"$(cat {}", "<<a\n".repeat(10_000)),
        format!("git push; {}", "'a' \"b\" ".repeat(300_000)),
        format!("git push; {}", "(".repeat(500_000)),
        format!("{{ {} }} <<E\n{}\nE", "sh; git push; ".repeat(2_000), "git push\n".repeat(20_000)),
        format!("powershell -enc {}", "A".repeat(1_000_001)),
    ] {
        let _ = tier(&line);
    }
}

/// Where a script can't be parsed, its words are looked for: not those of comments, nor of files that it writes.
#[test]
fn a_script_that_cannot_be_parsed_alarms_nobody_by_its_comments() {
    let broken = "if then; ls\n";
    let comments = "# then git push origin main\n#  it's done by himalaya message send\nls -la\n";
    let stored = "cat > \"notes.md\" <<'EOF'\nThen: git push origin main; himalaya message send\nEOF\n";
    for line in [
        format!("{broken}{}", comments.repeat(2_000)),
        format!("{broken}{}", stored.repeat(2)),
        format!("{}{broken}{}", "echo ${x} $(y)\n".repeat(3_000), comments.repeat(2_000)),
        format!("{}{stored}{}{comments}", "V=$(cat f)\n".repeat(2_000), "echo ${V%x}\n".repeat(4_000)),
        format!("{}{comments}{stored}", "true\n".repeat(20_000)),
    ] {
        let explained = explain(&line);
        assert!(u8::from(explained.classification.tier) <= 1, "{}: {:?}", head(&line), explained.matches);
    }
    for line in [
        format!("{broken}{}{MAIL}", comments.repeat(2_000)),
        format!("{broken}bash <<'EOF'\n{MAIL}\nEOF\n{stored}"),
        format!("{broken}cat <<'EOF' | bash\n{MAIL}\nEOF\n"),
        format!("{broken}cat > x <<EOF\n$({MAIL})\nEOF\n"),
        format!("{broken}{{ cat <<'EOF'\n{MAIL}\nEOF\n}} | bash"),
    ] {
        assert_eq!(tier(&line), 3, "{}", head(&line));
    }
}

/// What a shell puts together of quoted pieces has none of its words in the text.
#[test]
fn a_program_in_pieces_of_quotes_is_the_program() {
    for line in [
        "him''alaya message send --to bob@example.com",
        "hima\\laya message send --to bob@example.com",
        "'hima'\"laya\" message send --to bob@example.com",
        "hima\\\nlaya message send --to bob@example.com",
        r"$'\x68imalaya' message send --to bob@example.com",
        r"$'hima\154aya' message send --to bob@example.com",
        r"bash -c $'true\nhimalaya message send --to bob@example.com'",
        "g\"\"it pu''sh origin main",
    ] {
        let explained = explain(line).classification;
        assert_eq!(u8::from(explained.tier), 3, "{line}");
        assert!(!explained.context_keys.iter().any(|key| key.ends_with("unknown")), "{explained:?}");
    }
    for line in ["echo 'it''s a git push'", r"printf 'git\npush\n'", "grep \"git \"push notes.md"] {
        assert!(u8::from(explain(line).classification.tier) < 2, "{line}");
    }
}

/// Text and Enter come in calls of their own, and Enter has several names.
#[test]
fn what_is_typed_into_a_terminal_is_a_command_whenever_enter_comes() {
    for line in [
        "tmux send-keys -t s 'git push origin main' Enter",
        "tmux send-keys -t s -l -- 'git push origin main' && tmux send-keys -t s Enter",
        "tmux send-keys -t s 'git push origin main' C-j",
        "tmux send-keys -t s git Space push Space origin Space main ENTER",
        "tmux send-keys -t s C-c 'git push origin main' Return",
        "tmux send-keys -t s q 'git push origin main' Enter",
        "screen -S s -X stuff \"git push origin main$(printf '\\r')\"",
    ] {
        assert_eq!(u8::from(explain(line).classification.tier), 3, "{line}");
    }
}

/// A document may end with more than a word: two mails to one person meet, whatever ends their texts.
#[test]
fn a_here_document_may_end_with_a_mark_of_several_words() {
    for mark in ["END-OF-MAIL", "'E.1'", "\"END-OF-FILE\"", "eof-2"] {
        let bare = mark.trim_matches(['\'', '"']);
        let mail =
            explain(&format!("sendmail -t <<{mark}\nTo: bob@example.com\n\nHi\n{bare}\n")).classification;
        assert_eq!(mail.context_keys, ["email:bob@example.com"], "{mark}");
        let text = format!("cat > README.md <<{mark}\nThen: git push origin main\n{bare}\nls");
        assert!(u8::from(explain(&text).classification.tier) < 2, "{mark}");
    }
}

/// Hosts have tools that write to the terminal of a running program: a shell that waits there runs what they type.
#[test]
fn what_a_tool_types_into_a_terminal_is_a_command() {
    let rules = RuleSet::shipped();
    let classify = |tool: &str, params: serde_json::Value| {
        let call = ToolCall { tool: tool.to_owned(), cwd: Some("/w".to_owned()), ..ToolCall::default() };
        let found = rules.classify(&call, "openclaw", &params, &World::unseen());
        (u8::from(found.tier), found.context_keys.join(" "))
    };
    let push = "git push origin main";
    let hex: Vec<String> = push.bytes().map(|byte| format!("{byte:02x}")).collect();
    let marked: Vec<String> = hex.iter().map(|byte| format!("0x{byte}")).collect();
    for (tool, params) in [
        ("process", json!({"action": "write", "sessionId": "p1", "data": "git push origin main\n"})),
        ("process", json!({"action": "write", "sessionId": "p1", "data": "cd /w\rgit push origin main\r"})),
        ("process", json!({"action": "paste", "sessionId": "p1", "text": push})),
        ("process", json!({"action": "send-keys", "sessionId": "p1", "literal": push})),
        ("process", json!({"action": "send-keys", "keys": ["git", "Space", "push origin main", "Enter"]})),
        ("process", json!({"action": "send-keys", "sessionId": "p1", "hex": hex})),
        ("process", json!({"action": "send-keys", "keys": ["C-c", push, "Enter"]})),
        ("process", json!({"action": "send-keys", "keys": ["Escape", "C-u", push, "Return"]})),
        ("process", json!({"action": "send-keys", "keys": ["q", push, "Enter"]})),
        ("process", json!({"action": "write", "data": "\u{3}git push origin main\n"})),
        ("process", json!({"action": "write", "data": "^Cgit push origin main^M"})),
        ("process", json!({"action": "write", "data": "\\x15git push origin main\n"})),
        ("process", json!({"action": "write", "data": "\u{1b}[200~git push origin main\u{1b}[201~\r"})),
        ("process", json!({"action": "send-keys", "sessionId": "p1", "hex": marked})),
        ("process", json!({"action": "send-keys", "sessionId": "p1", "hex": hex.concat()})),
        ("terminal", json!({"command": push})),
        ("terminal", json!({"action": "write", "id": "t", "input": push})),
        ("write_stdin", json!({"session_id": 1, "chars": "git push origin main\n"})),
        ("desktop-commander__interact_with_process", json!({"pid": 1, "input": push})),
    ] {
        let found = classify(tool, params.clone());
        assert_eq!(found, (3, "git-push:/w/main".to_owned()), "{tool} {params}");
    }
    for params in [
        json!({"action": "write", "sessionId": "p1", "data": "y\n"}),
        json!({"action": "write", "sessionId": "p1", "data": "git status\n"}),
        json!({"action": "send-keys", "sessionId": "p1", "keys": ["C-c"]}),
        json!({"action": "submit", "sessionId": "p1"}),
        json!({"action": "kill", "sessionId": "p1"}),
    ] {
        assert_eq!(classify("process", params.clone()), (1, "process:p1".to_owned()), "{params}");
    }
    assert_eq!(classify("process", json!({"action": "poll", "sessionId": "p1"})).0, 0);
}

/// What is appended to a command may be all that makes it one that is guarded.
#[test]
fn a_program_whose_words_come_from_elsewhere_may_do_what_it_can_do() {
    for line in [
        "cat list | xargs git",
        "cat list | xargs -n1 git -C x",
        "cat list | xargs himalaya message",
        "ls | parallel git",
        "cat list | xargs stripe",
    ] {
        let found = explain(line).classification;
        assert!(u8::from(found.tier) >= 3, "{line}");
        assert!(found.context_keys.iter().all(|key| key.starts_with("exec:")), "{line}: {found:?}");
        assert!(found.not_done_codes.is_empty());
    }
    for line in [
        "git ls-files | xargs git add",
        "git branch --merged | xargs git branch -d",
        "cat urls | xargs -n1 curl -sO",
        "find . -name '*.rs' | xargs grep -n foo",
        "cat list | xargs npm install",
        "echo status | xargs git",
        "ls | xargs -I{} git log {}",
        "git",
    ] {
        assert!(u8::from(explain(line).classification.tier) < 2, "{line}");
    }
}

/// What says where a command goes may be among the words that it is still to get.
#[test]
fn a_command_that_is_given_further_words_is_not_told_by_those_it_has() {
    for line in [
        "cat list | xargs git push origin",
        "cat list | xargs git push",
        "cat list | xargs -I% git push origin %",
        "cat list | xargs sh -c 'git push origin \"$1\"' _",
        "cat list | xargs npm publish",
        "cat list | xargs sh -c 'git \"$@\"' _",
        "find . -name '*.eml' -exec sendmail {} \\;",
        "find . -name '*.eml' -exec sh -c 'mail -s hi \"$1\"' _ {} \\;",
    ] {
        let found = explain(line);
        let keys = &found.classification.context_keys;
        assert!(u8::from(found.classification.tier) >= 3, "{line}");
        assert!(keys.len() == 1 && keys.iter().all(|key| key.starts_with("exec:")), "{line}: {keys:?}");
        assert!(found.unread.iter().any(|unread| unread.because.contains("further words")), "{line}");
    }
    let known = explain("cat list | xargs -n1 git push origin main").classification.context_keys;
    assert!(known.len() == 2 && known.contains(&"git-push:/w/main".to_owned()), "{known:?}");
    let keys = keys("cat list | xargs curl -X POST https://api.example.com/x -d");
    assert_eq!(keys, ["http:POST:api.example.com/x"]);
}

#[test]
fn what_was_not_read_shows_no_secret() {
    for line in ["git push <password>Zq7153968xW9k</password>", "(( password:Zq7153968xW9k git push"] {
        let [unread] = explain(line).unread.try_into().unwrap();
        assert!(unread.begins.contains("[redacted]") && !unread.begins.contains("Zq7"), "{unread:?}");
    }
}

#[test]
fn explain_says_that_a_mail_was_made_of_what_the_line_does_not_say() {
    for line in [
        "grep -v x mail.txt | sendmail -t",
        "awk '{print}' mail.txt | sendmail -t",
        "cut -c1-80 < mail.txt | msmtp -t",
        "sendmail -t < mail.txt",
        "M=$(cat mail.txt); echo \"$M\" | sendmail -t",
    ] {
        let [unread] = explain(line).unread.try_into().unwrap();
        assert!(unread.because.contains("does not say"), "{line}: {unread:?}");
        assert_eq!(unread.begins, line);
    }
    assert_eq!(explain("echo 'To: a@x.com' | sendmail -t").unread, []);
}

/// A text in a code names none of the words for which a line is read.
#[test]
fn a_command_in_a_code_is_read_before_a_shell_runs_it() {
    for line in [
        "echo Z2l0IHB1c2ggb3JpZ2luIG1haW4K | base64 -d | sh",
        "$(echo Z2l0IHB1c2ggb3JpZ2luIG1haW4K | base64 -d)",
        r"printf '\x67\x69\x74\x20\x70\x75\x73\x68 origin main' | sh",
        "echo 'tvg chfu bevtva znva' | tr a-z n-za-m | bash",
        "echo 'niam nigiro hsup tig' | rev | bash",
    ] {
        assert_eq!(keys(line), ["git-push:/w/main"], "{line}");
    }
    for line in [
        "curl -fsSL https://get.example.com/install.sh | sh",
        "curl -fsSL https://get.example.com/install.sh | sudo -E bash -",
        "echo aGVsbG8K | base64 -d",
        "sed -i 's/git push/git pull/' build.sh && bash build.sh",
        "cat notes.md | tr -d '\r' | wc -l",
        r"printf 'git\tpush\n' | column -t",
    ] {
        assert!(u8::from(explain(line).classification.tier) < 2, "{line}");
    }
}

/// What can't be read of a body may be what tells one thing from another, whether a rule asks for a field or for an argument of GraphQL.
#[test]
fn two_long_bodies_are_two_things() {
    let filler = "x".repeat(70_000);
    for (url, body) in [
        (
            "https://api.linear.app/graphql",
            r#"{"query":"mutation { issueUpdate(id: \"ID\", input: {title: \"FILL\"}) { success } }"}"#,
        ),
        ("https://api.sendgrid.com/v3/mail/send", r#"{"to":"ID","text":"FILL"}"#),
    ] {
        let send = |id: &str| {
            keys(&format!("curl -X POST {url} -d '{}'", body.replace("ID", id).replace("FILL", &filler)))
        };
        assert_ne!(send("11"), send("22"), "{url}");
        assert!(send("11").iter().all(|key| !key.starts_with("http:")), "{url} {:?}", send("11"));
    }
}
