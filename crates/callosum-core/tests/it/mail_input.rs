//! Whom a mail goes to that comes from elsewhere than the command's words: here-documents, pipes, files that the line wrote.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::{Explanation, RuleSet, World};
use serde_json::json;

fn explain_by(rules: &RuleSet, command: &str) -> Explanation {
    let call = ToolCall { tool: "exec".to_owned(), cwd: Some("/w".to_owned()), ..ToolCall::default() };
    rules.explain(&call, "openclaw", &json!({ "command": command }), &World::unseen())
}

fn explain(command: &str) -> Explanation {
    explain_by(&RuleSet::shipped(), command)
}

fn keys(command: &str) -> Vec<String> {
    explain(command).classification.context_keys
}

const MAIL: &str = "To: bob@example.com\n\nask carol@x.com\n";

#[test]
fn no_mark_of_a_here_document_loses_or_invents_a_recipient() {
    for (mark, end) in [
        ("!", "!"),
        (".", "."),
        ("\"E O\"", "E O"),
        ("'a b c'", "a b c"),
        ("\\EOF", "EOF"),
        ("E'O'F", "EOF"),
        ("'A-B'", "A-B"),
        ("$X", "$X"),
        ("'a@b.com'", "a@b.com"),
        ("''", ""),
        ("  %", "%"),
        ("ÄÖ", "ÄÖ"),
    ] {
        let mail = if end.is_empty() { "To: bob@example.com\n" } else { MAIL };
        for line in [
            format!("sendmail -t <<{mark}\n{mail}{end}\nls"),
            format!("cat <<{mark} | msmtp -t && ls\n{mail}{end}\n"),
            format!("(sendmail -t <<{mark}\n{mail}{end}\n) ; echo \"a << b\""),
            format!("x=$(sendmail -t <<{mark}\n{mail}{end}\n)"),
            format!("bash -s <<'OUTER'\nsendmail -t <<{mark}\n{mail}{end}\nOUTER\n"),
        ] {
            let found = explain(&line);
            assert_eq!(found.classification.context_keys, ["email:bob@example.com"], "{line}");
            assert_eq!(found.unread, [], "{line}");
        }
    }
    // Tabs in front of the lines are none of theirs.
    let line =
        "sendmail -t <<-'A-B'\n\tSubject: Hi\n\tTo: bob@example.com\n\n\tHi\n\tA-B\ngit push origin main";
    assert_eq!(keys(line), ["email:bob@example.com", "git-push:/w/main"]);
}

#[test]
fn signs_of_a_here_document_in_a_text_alarm_nobody() {
    for line in [
        "cat > notes.md <<'EOF'\nuse `a << b`, 1<<(2), cat <<'' then git push origin main\nEOF\nls -la",
        "(echo \"1 << (2)\"; grep 'git push <<' f)",
        "x=$((1 << (n - 1))); echo 'git push'",
        "(( x = 1 << n )); echo 'git push'",
        "git commit -m \"$(cat <<'EOF'\nfix a <<< b << c; then git push\nEOF\n)\" && ls",
        "echo $'a << b\\'' '<<' \"<<''\" # << git push\nls",
        "cat > a <<E1; cat > b <<'E 2'\n<<!\ngit push\nE1\n<<E1\nnpm publish\nE 2\nls",
    ] {
        let found = explain(line);
        assert!(u8::from(found.classification.tier) <= 1, "{line}: {:?}", found.matches);
        assert_eq!((found.rough, found.unread), (false, vec![]), "{line}");
    }
}

#[test]
fn a_mail_is_read_through_what_only_hands_it_on() {
    for line in [
        "cat <<EOF | envsubst | sendmail -t\n{M}EOF\n",
        "cat <<EOF | envsubst '$NAME' | tee sent.log | sendmail -t\n{M}EOF\n",
        "cat <<EOF | head -n 100 | tail -n +1 | msmtp -t\n{M}EOF\n",
        "printf 'To: bob@example.com\\n\\nHi' | iconv -f utf8 -t latin1 | fold -w 72 -s | unix2dos | sendmail -t",
        "echo 'To: bob@example.com' | pv -q | mbuffer -m 1M | dos2unix | sponge | sendmail -t",
        "{ echo 'Subject: Hi'; echo 'To: bob@example.com'; echo; echo 'ask carol@x.com'; } | cat - | msmtp -t",
        "mutt -H - <<EOF\n{M}EOF\n",
        "mail -t <<EOF\n{M}EOF\n",
        "cat > /tmp/m1 <<'EOF'\n{M}EOF\nhimalaya message send < /tmp/m1",
        "cat > /tmp/m1 <<'EOF' && himalaya message send < /tmp/m1\n{M}EOF",
        "cd /tmp && cat <<'EOF' > m1\n{M}EOF\nsendmail -t < /tmp/m1",
        "tee m1 <<'EOF' >/dev/null\n{M}EOF\ncat m1 | envsubst | sendmail -t",
        "printf 'To: bob@example.com\\n\\nHi' > m; sendmail -t < m",
        "printf 'To: bob@example.com\\n\\nHi' > m; head -n 9 m | sendmail -t",
        "{ echo 'To: bob@example.com'; echo; } > m; mutt -H m",
        "cat > m <<E\n{M}E\ncurl smtp://h:25 -T m --mail-from me@x.com",
        "himalaya message send \"$(cat <<'EOF'\n{M}EOF\n)\"",
        "himalaya message send \"$(printf 'To: bob@example.com\\n\\nask carol@x.com')\"",
        "himalaya message send --to \"$(cat <<EOF\nbob@example.com\nEOF\n)\" --body 'ask carol@x.com'",
    ] {
        let line = line.replace("{M}", MAIL);
        assert_eq!(keys(&line), ["email:bob@example.com"], "{line}");
    }
}

/// Two mails of which nobody knows whom they go to are two mails; the same line is the same.
#[test]
fn unknown_mails_of_different_lines_do_not_meet() {
    let lines = [
        "cat m | envsubst | sendmail -t",
        "cat m2 | envsubst | sendmail -t",
        "sed 's/x/y/' m | msmtp -t",
        "sed 's/x/z/' m | msmtp -t",
        "sendmail -t < m",
        "cat <<EOF | cat other | sendmail -t\nTo: carol@x.com\nEOF\n",
    ];
    let mut all: Vec<Vec<String>> = lines.iter().map(|line| keys(line)).collect();
    for (line, found) in lines.iter().zip(&all) {
        assert!(found.iter().all(|key| key.starts_with("email:unknown~")) && found.len() == 1, "{found:?}");
        assert_eq!(&keys(&format!(" {line}\n")), found);
    }
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), lines.len());
}

/// Each of two filters prints what it reads twice; soon that is more than there is memory for.
#[test]
fn what_filters_print_twice_is_bounded() {
    let line = format!("{{ cat; cat; }} <<E{}| sendmail -t\n{MAIL}E\n", "| { cat; cat; }".repeat(60));
    let found = explain(&line);
    assert_eq!(u8::from(found.classification.tier), 3);
    assert!(found.classification.context_keys.iter().all(|key| !key.ends_with("unknown")), "{found:?}");
    let line =
        format!("cat <<E {}| sendmail -t\n{}{MAIL}E\n", "| cat ".repeat(500), "X-A: b\n".repeat(20_000));
    assert_eq!(keys(&line), ["email:bob@example.com"]);
}

#[test]
fn a_long_variable_is_not_kept_for_each_of_thousands_of_programs() {
    let line =
        format!("X='{}'; TO=bob@example.com\n{}mail -s hi $TO", "x".repeat(900_000), "true\n".repeat(8_000));
    assert_eq!(keys(&line), ["email:bob@example.com"]);
}

/// Hundreds of programs may read one text of a megabyte.
#[test]
fn a_text_that_many_programs_read_is_read_once() {
    let mail = format!("{MAIL}{}", "Lorem ipsum, dolor@sit.\n".repeat(40_000));
    let line = format!("{{ {} }} <<'E'\n{mail}E\n", "sendmail -t; ".repeat(2_000));
    assert_eq!(keys(&line), ["email:bob@example.com"]);
    let template = vec!["{commandRecipients}".repeat(8); 16];
    let rules = json!({"rules": [{"name": "m", "tier": 3, "tool": "exec", "command": "sendmail", "contextKey": template}]});
    let found = explain_by(&RuleSet::parse(&rules.to_string()).unwrap(), &line);
    assert!(found.classification.context_keys.contains(&"bob@example.com".repeat(8)));
    // More than there are keys for is told, and not without a key.
    assert!(found.classification.context_keys.iter().any(|key| key.starts_with("unknown~")));
    let [unread] = found.unread.as_slice() else { unreachable!("{:?}", found.unread) };
    assert_eq!(unread.because, "the line has more mails to more people than are followed");
    assert!(found.classification.not_done_codes.is_empty());
}

#[test]
fn recipients_in_lists_inside_each_other_are_found() {
    for depth in [1, 15, 16, 17, 100] {
        let list = format!("{}\"a@x.com\"{}", "[".repeat(depth), "]".repeat(depth));
        for text in [format!("{{\"to\":{list}}}"), format!("{{\"to\":{list},\"body\":\"b\"}}")] {
            let params: serde_json::Value = serde_json::from_str(&text).unwrap();
            let call = ToolCall { tool: "send_email".to_owned(), ..ToolCall::default() };
            let found = RuleSet::shipped().classify(&call, "openclaw", &params, &World::unseen());
            assert_eq!(found.context_keys, ["email:a@x.com"], "{depth}");
        }
    }
}

#[test]
fn git_push_by_its_other_names_is_git_push() {
    for line in [
        "git-push origin main",
        "/usr/lib/git-core/git-push origin main",
        "sudo git-push origin main",
        "git --attr-source=x push origin main",
        "git --attr-source x push origin main",
        "git --config-env http.x=X push origin main",
    ] {
        assert_eq!(keys(line), ["git-push:/w/main"], "{line}");
    }
}
