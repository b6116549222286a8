//! What shell lines run, read and hand on, and that no line breaks or stalls the parser.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
use super::*;

fn programs(command: &str) -> Vec<String> {
    let line = Line::read(command);
    assert!(!line.rough, "{command}");
    let shown = |one: &Invocation| {
        std::iter::once(&one.program).chain(&one.words).cloned().collect::<Vec<_>>().join(" ")
    };
    line.invocations.iter().map(shown).collect()
}

#[test]
fn what_a_line_runs() {
    for (command, runs) in [
        ("", &[][..]),
        ("# git push", &[]),
        ("A=b", &[]),
        ("git push", &["git push"]),
        ("cd x && git push; ls | wc -l &", &["cd x", "git push", "ls", "wc -l"]),
        ("A=b /usr/bin/git -C 'a b' push 2>&1 >/dev/null", &["git -C a b push"]),
        ("echo 'git push' \"git push\" git\\ push", &["echo git push git push git push"]),
        ("(a; { b; })", &["a", "b"]),
        ("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]),
        ("for i in $(seq 3); do mail $i; done", &["seq 3", "mail $i"]),
        ("while read x; do a; done < f", &["read x", "a"]),
        ("case $x in a) b;; *) c;; esac", &["b", "c"]),
        ("f() { a; }; f", &["a", "f"]),
        ("[[ -f x ]] && a", &["a"]),
        ("a \"$(b `c`)\"", &["c", "b `c`", "a $(b `c`)"]),
        ("X=$(a) b", &["a", "b"]),
        ("X=$(a)", &["a"]),
        ("diff <(a) <(b)", &["a", "b", "diff <(…) <(…)"]),
        ("cat <<'E'\n$(a)\nE\n", &["cat"]),
        // By what closes: a command in a parenthesis, or a sum.
        ("$(( ( bash <<E\na\nE\n) )\n)", &["a", "$(( ( bash <<E\na\nE\n) )\n)"]),
        ("((bash <<E\na\nE\n) ); b", &["a", "b"]),
        ("((a); (b)); ((c) )", &["a", "b", "c"]),
        ("x $(( (1 << 2) + $(a) )) $((b) )", &["a", "b", "x $(( (1 << 2) + $(a) )) $((b) )"]),
        ("cat <<E\n$(a)\nE\n", &["a", "cat"]),
        ("sudo -u bob A=1 env -i B=2 nohup timeout -k 5 10 nice -n 5 git push &", &["git push"]),
        ("bash -lc 'cd x && git push'", &["cd x", "git push"]),
        ("bash -euo pipefail -c \"git push\"", &["git push"]),
        ("bash script.sh -c x", &["bash script.sh -c x"]),
        ("bash <<'E'\ngit push\nE\n", &["git push"]),
        ("echo 'git push' | sh", &["echo git push", "git push"]),
        ("eval \"git push\"", &["git push"]),
        ("xargs -n 1 -I {} git push {}", &["git push {}"]),
        (
            "find . -name x -exec rm -rf {} \\; -print",
            &["rm -rf {}", "find . -name x -exec rm -rf {} ; -print"],
        ),
        ("ssh -p 22 me@host 'git push'", &["git push", "ssh -p 22 me@host git push"]),
        ("tmux send-keys -t w:0 'git push' Enter", &["git push", "tmux send-keys -t w:0 git push Enter"]),
        ("tmux send-keys -t w 'git push'", &["git push", "tmux send-keys -t w git push"]),
        ("docker exec app sh -c 'git push'", &["git push", "docker exec app sh -c git push"]),
        ("npx -y wrangler@4 deploy", &["wrangler deploy"]),
        ("npx --yes @scope/tool@1.2 x", &["tool x"]),
        ("pnpm exec vercel --prod", &["vercel --prod"]),
        ("pnpm publish", &["pnpm publish"]),
        ("npm exec -c 'git push'", &["git push"]),
        ("uvx twine upload d", &["twine upload d"]),
        ("uv run twine upload d", &["twine upload d"]),
        ("uv publish", &["uv publish"]),
        ("python3.12 -m twine upload d", &["twine upload d"]),
        ("command -v git", &[]),
        ("command git push", &["git push"]),
        ("time git push", &["git push"]),
        ("! git push", &["git push"]),
        ("op run --env-file x -- git push", &["git push"]),
        ("op item get x", &["op item get x"]),
        ("flock /tmp/l git push", &["git push"]),
    ] {
        assert_eq!(programs(command), runs, "{command}");
    }
}

#[test]
fn what_a_program_reads_and_where_it_runs() {
    let last = |command: &str| Line::read(command).invocations.last().cloned().unwrap();
    let reads = |command: &str| last(command).input.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(reads("sendmail -t <<E\nTo: a\nE\n"), ["To: a\n"]);
    assert_eq!(reads("sendmail -t <<< 'To: a'"), ["To: a"]);
    assert_eq!(reads("printf 'To: a\\n\\nb' | sendmail -t"), ["To: a\n\nb"]);
    assert_eq!(reads("echo -e \"To: a\" | sudo sendmail -t"), ["To: a"]);
    assert_eq!(reads("cat <<E | sendmail -t\nTo: a\nE\n"), ["To: a\n"]);
    assert_eq!(reads("ls | sendmail -t"), Vec::<String>::new());
    assert_eq!(last("A=1 B='2 3' a").variables, [("A".into(), "1".into()), ("B".into(), "2 3".into())]);
    for (command, folder) in [
        ("cd /x && a", Some("/x")),
        ("cd x; cd y; a", Some("x/y")),
        ("(cd x); a", None),
        ("cd x | true; a", None),
        ("cd; a", None),
        ("bash -c 'cd x && a'", Some("x")),
        ("cd $X && a", Some("$X")),
    ] {
        assert_eq!(last(command).folder.as_deref(), folder, "{command}");
    }
}

/// The parser's tokenizer took all memory for some of these.
#[test]
fn a_here_document_that_never_begins_is_read_to_the_end() {
    let ends =
        ["", "#  ", "E#", "\n", "\nx", ")", "\n)", "\nE ", " b", "\\ ", "' ", "<<  F   ", "\n<<  F   "];
    for around in ["", "$(", "`", "<(", "$((", "\"$(", "${a:-$(", "$(b; $(", "$(a |", "x=$("] {
        for (before, behind) in (0..4).flat_map(|before| (0..5).map(move |behind| (before, behind))) {
            for (blank, end) in [" ", "\t"].into_iter().flat_map(|blank| ends.map(|end| (blank, end))) {
                let mark = format!("<<{}E{}", blank.repeat(before), blank.repeat(behind));
                let line = Line::read(&format!("git push; {around}{mark}{end}"));
                assert!(line.rough || line.invocations[0].program == "git", "{around}{mark}{end}");
            }
        }
    }
    for mark in [
        "''",
        "\"\"",
        "\r",
        " \r",
        "\\\n''",
        "$''",
        "''\\\n",
        "-''",
        "- \"\"",
        " ''",
        "\\\n \\\n ''",
        "<<''",
        "\"E$(",
        "E$(  ",
        "'E'$(",
        "\"E${a:-",
        "E$((",
        "$(",
        "\"`",
    ] {
        for end in ["", " ", "  ", " #", " a ", "\n", "\n\n", "\na\n\n", "\na ", " <<E\n\nE "] {
            for around in ["", "$(", "${a:-", "$((", "((", "\\<"] {
                let line = Line::read(&format!("git push; cat {around}<<{mark}{end}"));
                assert!(line.rough || line.invocations[0].program == "git", "{around}{mark}{end}");
            }
        }
    }
    for (rough, line) in [
        (true, "echo $(cat <<''\na\n)"),
        (true, "echo $(cat <<\"E$(\"\na\nE\n)"),
        (false, "echo $(cat <<''\na\n\n)"),
        (false, "echo $(cat <<  E\na\nE\n)"),
        (false, "echo $(cat <<E'F'\na\nEF\n)"),
        (true, "echo $(cat <<'E\na\nE\n)"),
        (false, "echo $(cat << E\na\nE\n)"),
        (false, "echo $(cat <<-'E_1'\na\nE_1\n)"),
        (false, "echo $(cat <<\\E\na\nE\n)"),
        (false, "echo $(cat <<\"E\"\na\nE\n)"),
        (false, "echo $(cat <<< 'a b')   "),
        (true, "echo $(cat \\<<< 'a b')   "),
    ] {
        assert_eq!(Line::read(line).rough, rough, "{line}");
    }
}

#[test]
fn long_documents_are_read_whole() {
    let long = "word and more\n".repeat(100_000);
    let line = Line::read(&format!("sendmail -t <<'EOF' && git push\nTo: a@x.com\n\n{long}EOF\nnpm publish"));
    assert!(!line.rough);
    let runs: Vec<_> = line.invocations.iter().map(|one| one.program.as_str()).collect();
    assert_eq!(runs, ["sendmail", "git", "npm"]);
    assert!(line.invocations[0].input[0].starts_with("To: a@x.com\n\nword"));
    assert_eq!(line.invocations[0].input[0].len(), "To: a@x.com\n\n".len() + long.len());
    // Only a line of nothing but the mark ends it, tabs before it or not.
    let inside = format!("{long}EOF and more\n EOF\nxEOF\n\tEOF2\nEOF.\n{long}");
    let line = Line::read(&format!("sendmail -t <<-EOF\n{inside}\t\tEOF\nnpm publish"));
    let runs: Vec<_> = line.invocations.iter().map(|one| one.program.as_str()).collect();
    assert_eq!((line.rough, runs), (false, vec!["sendmail", "npm"]));
    // One that is never ended, or whose mark is in quotes, is left alone.
    for command in [format!("cat <<EOF\n{long}"), format!("echo '<<' '{long}'")] {
        let _ = Line::read(&command);
    }
}

#[test]
fn an_exit_code_proves_that_the_last_command_did_nothing() {
    let proves = |command: &str| Line::read(command).invocations.last().is_some_and(|last| last.proves);
    for command in [
        "himalaya template send",
        "/usr/bin/msmtp -t < mail.txt",
        "A=b C='d e' sendmail -t",
        "env A=b sendmail -t",
        "sudo sendmail -t",
        "cd x && git push origin main 2>&1",
        "true; git push",
        "printf x | mail -s \"it's | here\" bob@x",
        "sendmail -t <<EOF\nTo: a@x\n\na; b | c\nEOF",
        "himalaya \\\n  send",
        "(send)",
        "{ send; }",
        "if true; then send; fi",
        "bash -c 'send'",
        "false || send",
    ] {
        assert!(proves(command), "{command}");
    }
    for command in [
        "",
        " ",
        "A=b",
        "# nothing",
        "send &",
        "send &\n",
        "! send",
        "for i in 1 2; do send; done",
        "while send; do x; done",
        "bash x.sh",
        "eval",
        "source x",
        ". x",
        "xargs send",
        "timeout 5 send",
        "parallel send ::: a b",
        "python3 -c 'x'",
        "node x.js",
        "make send",
        "./send.sh",
        "scripts/send",
        "send.py a",
        "$SEND a",
        "npm publish",
        "kubectl apply -f x",
        "send 'a",
        "cat <<EOF\na",
        "curl smtp://h --next smtp://g",
        "f() { send; }",
        "coproc send",
        "-x",
        "~/send",
    ] {
        assert!(!proves(command), "{command}");
    }
    assert!(Line::read("send").is_simple());
    assert!(!Line::read("send; send").is_simple());
    assert!(!Line::read("send && false").invocations[0].proves);
    assert!(!Line::read("send | cat").invocations[0].proves);
    assert!(!Line::read("send $(date)").is_simple());
}

#[test]
fn what_cannot_be_parsed_is_cut_roughly() {
    let line = Line::read("if then; cd x && FOO=1 sudo git push 'a\nnpm publish");
    assert!(line.rough);
    let runs: Vec<_> = line.invocations.iter().map(|one| one.program.as_str()).collect();
    assert_eq!(runs, ["cd", "git", "npm"]);
    // So is what is written to a file that is named again.
    let much = "V=$(cat f)\n".repeat(200);
    let line = format!("if true; then {much}cat > x.sh <<'X'\n( ( npm publish ) )\nX\nsh x.sh\nfi");
    assert!(Line::read(&line).invocations.iter().any(|one| one.program == "npm"));
}

#[test]
fn no_command_breaks_or_stalls_the_parser() {
    for command in [
        "$(".repeat(32_000),
        "${".repeat(32_000),
        "$(".repeat(128) + &")".repeat(128),
        "(".repeat(60),
        "( ".repeat(5_000),
        "((".repeat(30_000),
        "{ ".repeat(5_000),
        "for x in a; do ".repeat(3_000),
        "if ".repeat(20_000),
        "case x in a) ".repeat(4_000),
        "f() { ".repeat(5_000),
        "! ".repeat(30_000),
        format!("[[ {} a ]]", "a&&".repeat(21_000)),
        format!("[[ {} a ]]", "a||".repeat(21_000)),
        format!("[[ {} a ]]", "! ".repeat(30_000)),
        "a | ".repeat(10_000),
        "bash -c '".repeat(1_000),
        "sudo ".repeat(10_000),
        "xargs ".repeat(10_000) + "x",
        format!("cat <<X{}\nX\n", " a".repeat(30_000)),
        format!("cat <<'{}'\n{}", "t".repeat(14_000), "\n".repeat(2_000)),
        "<<a ".repeat(500),
        "$(cat <<X)".to_owned(),
        "${cat <<X}".to_owned(),
        "`".repeat(30_001),
        "2 44444444444444444444<(a; ".to_owned(),
        "44444444444444444444>x".to_owned(),
        "a ".repeat(2_000_000),
        "a;".repeat(500_000),
        "@(".repeat(30_000),
        "\u{0}\u{1}<<\u{2}\n".to_owned(),
        "echo ".to_owned() + &"\"$(".repeat(60) + &")\"".repeat(60),
    ] {
        let line = Line::read(&command);
        assert!(line.invocations.len() <= MAX_INVOCATIONS);
        for invocation in &line.invocations {
            let _ = invocation.arguments();
        }
    }
}

#[test]
fn options_and_arguments() {
    let shown = |command: &str| {
        let line = Line::read(command);
        let arguments = line.invocations[0].arguments();
        let shown = arguments.iter().map(|argument| match argument {
            Argument::Switch(name) => (*name).to_owned(),
            Argument::Option { name, value, unsure } => {
                format!("{name}={value}{}", if *unsure { "?" } else { "" })
            }
            Argument::Plain(word) => format!("<{word}>"),
        });
        shown.collect::<Vec<_>>().join(" ")
    };
    for (command, arguments) in [
        ("git -C dir push -u origin main", "-C=dir <push> -u <origin> <main>"),
        ("gh pr merge 12 -s -d --repo=a/b", "<pr> <merge> <12> -s -d --repo=a/b"),
        ("gh pr review 12 -a -b ok", "<pr> <review> <12> -a -b=ok"),
        ("gh issue close 3 -c done -R a/b", "<issue> <close> <3> -c=done -R=a/b"),
        ("kubectl -n web delete pod a b --force", "-n=web <delete> <pod> <a> <b> --force"),
        ("curl -sSXPOST -d@f u", "-s -S -X=POST -d=@f <u>"),
        ("curl -sS -X POST u", "-s -S -X=POST <u>"),
        (
            "aws ec2 stop-instances --instance-ids i-1 i-2 --no-cli-pager",
            "<ec2> <stop-instances> --instance-ids=i-1 --instance-ids=i-2 --no-cli-pager",
        ),
        ("tool send --to bob -v x -- -y", "<send> --to=bob? -v <x> <-y>"),
        ("rm -rf -- -x", "-rf <-x>"),
    ] {
        assert_eq!(shown(command), arguments, "{command}");
    }
    let with = |command: &str, look: &dyn Fn(&[Argument<'_>]) -> bool| {
        let line = Line::read(command);
        look(&line.invocations[0].arguments())
    };
    assert!(with("rm -rf x", &|rm| has_option(rm, "-r") && has_option(rm, "-f") && !has_option(rm, "-i")));
    assert!(!with("kubectl apply --dry-run=none -f x", &|apply| has_option(apply, "--dry-run")));
    assert!(with("t -x a", &|t| option_values(t, "x") == ["a"]));
}

/// What a shell is handed is read in the form in which it gets it.
#[test]
fn what_a_pipeline_hands_to_a_shell_is_read_in_the_form_it_has_then() {
    const CODE: &str = "Z2l0IHB1c2ggb3JpZ2luIG1haW4K";
    for line in [
        &format!("echo {CODE} | base64 -d | sh"),
        &format!("echo {CODE} | base64 --decode | tee log | sudo bash"),
        &format!("base64 -d <<< {CODE} | ssh host bash -s"),
        &format!("base64 -d <<'E' | sh\n{CODE}\nE"),
        &format!("eval \"$(echo {CODE} | base64 -d)\""),
        &format!("bash -c \"$(echo {CODE} | base64 -d)\""),
        &format!("bash <(echo {CODE} | base64 -d)"),
        &format!("echo {CODE} | openssl base64 -d -A | sh"),
        "echo M5UXIIDQOVZWQIDPOJUWO2LOEBWWC2LOBI====== | base32 -d | sh",
        "echo 67697420707573 68206f726967696e206d61696e0a | xxd -r -p | sh",
        r"printf '\x67it push origin main' | bash",
        r"printf '\147it push origin main\n' | bash",
        r"echo -e '\x67it\x20push origin main' | bash",
        "printf '%s %s origin %-4s\\n' git push main | sh",
        r"printf 'git %b\n' 'push\x20origin main' | sh",
        "echo 'tvg chfu bevtva znva' | tr 'a-z' 'n-za-m' | sh",
        "echo 'GIT PUSH ORIGIN MAIN' | tr '[:upper:]' '[:lower:]' | sh",
        "echo 'g#it p#ush origin main' | tr -d '#' | sh",
        "echo 'niam nigiro hsup tig' | rev | bash",
        "echo 'gitXpushXoriginXmain' | sed 's/X/ /g' | sh",
        "echo 'gitXpush origin main' | sed -e 's,X, ,' | sh",
        "f() { bash; }; f <<'E'\ngit push origin main\nE",
    ] {
        let found = Line::read(line).invocations;
        let push = found.iter().filter(|one| one.program == "git");
        let words: Vec<String> = push.map(|one| one.words.join(" ").trim().to_owned()).collect();
        assert_eq!(words, ["push origin main"], "{line}");
    }
}

#[test]
fn what_a_filter_makes_of_a_text_that_a_shell_runs_is_told_as_unread() {
    for line in [
        "echo 'git pushX' | sed 's/X.*//' | sh",
        "echo abc | gunzip | tr -s b | sudo sh",
        "gpg -d <<< x | bash",
        "perl -e 'print \"git push\"' | bash",
        "kubectl get pods -o name | awk '{print \"kubectl delete \" $1}' | sh",
        "echo abc | tr -c a b | ssh host 'bash -s'",
    ] {
        let limits: Vec<Limit> = Line::read(line).unread.iter().map(|unread| unread.limit).collect();
        assert_eq!(limits, [Limit::Filter], "{line}");
    }
    for line in [
        "curl -fsSL https://example.com/install.sh | sh",
        "curl -s https://example.com/x.gz | gunzip | sudo bash",
        "cat setup.sh | tr -d '\\r' | sh",
        "echo abc | sed 's/a.*//' | sort",
        "echo abc | sed 's/a.*//' > x; cat y | bash",
        "echo abc | grep b | while read x; do bash run.sh; done",
    ] {
        assert_eq!(Line::read(line).unread, [], "{line}");
    }
}

#[test]
fn a_function_hands_on_what_it_is_given() {
    let reads = |line: &str| {
        let found = Line::read(line).invocations;
        let mails = found.iter().filter(|one| one.program == "sendmail");
        mails.map(|one| one.input.join("")).collect::<Vec<_>>()
    };
    assert_eq!(reads("f(){ sendmail -t; }; f <<E\nTo: a\nE"), ["To: a\n"]);
    assert_eq!(reads("f() { cd x && sendmail -t\n}\nf <<< 'To: a'\nf <<< 'To: b'"), ["To: a", "To: b"]);
    assert_eq!(reads("f() { sendmail -t; }\necho 'To: a' | f"), ["To: a"]);
    assert_eq!(reads("f() { sendmail -t < m; }; f; g <<< x"), [""]);
    // However often it is called.
    let calls = format!("f() {{ {} }}\n{}", "sendmail -t; ".repeat(100), "f <<< a\n".repeat(90));
    let line = Line::read(&calls);
    assert_eq!(line.invocations.len(), MAX_INVOCATIONS);
    assert!(!line.unread.is_empty());
}

#[test]
fn what_xargs_reads_is_appended_where_the_line_says_it() {
    for (line, runs) in [
        ("echo origin main | xargs git push", &["echo origin main", "git push origin main"][..]),
        ("echo push | xargs -r git", &["echo push", "git push"]),
        ("echo a b | xargs -I{} git push {}", &["echo a b", "git push a b"]),
        (
            "printf 'a\\nb\\n' | xargs -I % sh -c 'git push %'",
            &["printf a\\nb\\n", "git push a", "git push b"],
        ),
        ("xargs -n1 -P 4 git push <<< main", &["git push main"]),
        ("xargs --replace=@ git push @ <<< main", &["git push main"]),
        ("cat x | xargs git push", &["cat x", "git push"]),
        ("echo 'git push' | xargs -0 sh -c", &["echo git push", "git push"]),
        (
            "printf 'ls\\ngit push\\n' | xargs -d '\\n' -n1 sh -c",
            &["printf ls\\ngit push\\n", "ls", "git push"],
        ),
        ("xargs -L1 bash -c <<'E'\n'git push'\n\"ls\"\nE", &["git push", "ls"]),
        ("printf '%s\\0' a@x.com | xargs -0 mail -s hi", &["printf %s\\0 a@x.com", "mail -s hi a@x.com"]),
        ("xargs -0I% mail % <<< 'a b'", &["mail a b"]),
        ("echo x | xargs -a file git push", &["echo x", "git push"]),
    ] {
        assert_eq!(programs(line), runs, "{line}");
    }
    let open = |line: &str| Line::read(line).invocations.last().unwrap().open;
    assert!(open("cat x | xargs git push") && open("echo x | xargs -a file git push"));
    assert!(!open("echo x | xargs git push"));
}

/// What stands at odd places in the words of programs that carry others.
#[test]
fn a_carrier_is_looked_behind_however_it_is_called() {
    for line in [
        "env - git push",
        "env - A=b git push",
        "su - bob -c 'git push'",
        "sudo -u bob -i 'git push'",
        "sudo -s 'git push'",
        "sg - docker -c 'git push'",
        "newgrp docker <<< 'git push'",
        "script -q /dev/null git push",
        "docker run --rm -it --entrypoint sh img -c 'git push'",
        "docker run --entrypoint=/bin/bash -v x:y img -lc 'git push'",
        "docker run --rm -v .:/git alpine/git:latest push",
        "flatpak run --command=sh org.x.App -c 'git push'",
        "minikube -p dev kubectl -- exec pod -- git push",
        "k3s kubectl -n web exec pod -- git push",
        "yarn workspaces foreach -pt --include x exec git push",
        "pnpm recursive exec -- git push",
        "cargo watch -w src -s 'git push'",
        "hatch -e dev run git push",
        "nvm exec --silent 18 git push",
        "busybox timeout 5 git push",
        "screen -S s -p 0 -X stuff 'git push\\n'",
        "screen -S s -X stuff \"git push^M\"",
        "screen -S s -X eval 'stuff \"git push\\015\"'",
        "tmux send-keys -t s ls Enter 'git push' Enter",
        "tmux send-keys -t s 'git pu' sh C-m",
        "tmux load-buffer - <<< 'git push'",
    ] {
        let found = programs(line);
        assert!(found.iter().any(|program| program == "git push"), "{line}: {found:?}");
    }
}

/// Small texts that a line puts together to one that there is no memory for: a gateway died of them.
#[test]
fn what_grows_beyond_the_line_is_unread_and_not_built() {
    for (limit, line) in [
        (
            Limit::Filter,
            format!("git push; echo {} | sed 's/a/{}/g' | sh", "a".repeat(16_000), "b".repeat(20_000)),
        ),
        (Limit::Length, format!("git push; printf '{}%s' {}| sh", "x".repeat(20_000), "a ".repeat(10_000))),
        (
            Limit::Length,
            format!("git push; parallel git push origin {} ::: {}", "{}".repeat(50_000), "b".repeat(100_000)),
        ),
        (
            Limit::Length,
            format!(
                "git push; xargs -I{{}} git push origin {} <<< {}",
                "{}".repeat(10_000),
                "b".repeat(20_000)
            ),
        ),
    ] {
        let read = Line::read(&line);
        assert_eq!(read.invocations[0].program, "git", "{:?}", line.get(..40));
        assert!(read.unread.iter().any(|unread| unread.limit == limit), "{:?}", line.get(..40));
        let bytes = |one: &Invocation| {
            one.words.iter().map(String::len).sum::<usize>()
                + one.input.iter().map(|text| text.len()).sum::<usize>()
        };
        assert!(read.invocations.iter().map(bytes).sum::<usize>() < 10 * line.len() + 128 * 1024);
    }
    let folders =
        Line::read(&format!("git push origin main; {}", format!("cd {}; ", "a".repeat(110)).repeat(8_100)));
    assert!(
        folders.invocations.iter().all(|one| one.folder.as_ref().is_none_or(|folder| folder.len() <= 4096))
    );
    let calls = Line::read(&format!("f() {{ {} }}; {}", "cat; ".repeat(5_000), "f <<< x; ".repeat(5_000)));
    assert_eq!(calls.invocations.len(), MAX_INVOCATIONS);
    assert!(calls.unread.iter().any(|unread| unread.limit == Limit::Commands));
}

#[test]
fn a_program_named_by_where_it_is_found_is_that_program() {
    for line in [
        "$(which git) push",
        "\"$(command -v git)\" push",
        "sudo `which git` push",
        "$(type -P git) push",
        "\"$(which git 2>/dev/null)\" push",
    ] {
        assert!(programs(line).iter().any(|program| program == "git push"), "{line}: {:?}", programs(line));
    }
}

/// The parser's tokenizer takes a `(` in `${…}` to open a group that goes on to the next `)`, over whole lines.
#[test]
fn a_parenthesis_in_an_expansion_swallows_no_command() {
    for line in [
        "n=${line#*(}; git push; n=${n%)*}",
        "echo ${x:+(}\ngit push\necho ${x:-)}",
        "echo \"${x#*(}\" && git push; echo \"${x%)*}\"",
        "a=\"$(echo ${x%%@(})\"; git push; b=${c#!(}; d=(1)",
        "a=${x%%+(${y})}; b=${x/(/[}; git push; echo ')'",
        "echo 'it: ${a(' ${x#?(}; git push # ${b)}",
    ] {
        assert!(programs(line).iter().any(|program| program == "git push"), "{line}: {:?}", programs(line));
    }
    assert_eq!(programs("echo ${x##*(a|b)} '${x#(}'"), ["echo ${x##*(a|b)} ${x#(}"]);
    assert_eq!(programs("echo ${x#*(}"), ["echo ${x#*(}"]);
}

#[test]
fn a_shell_reads_its_input_whatever_options_it_has() {
    for shell in [
        "bash -euo pipefail",
        "bash -o pipefail",
        "bash -eu -o pipefail",
        "bash -O extglob",
        "bash --rcfile f",
        "bash --init-file f --norc",
        "bash +x",
        "bash -s a b",
        "bash -x -- /dev/stdin",
        "bash -",
        "zsh -o errexit",
        "docker exec -i c bash -euo pipefail",
        "ssh host bash -euo pipefail",
        "bash /dev/stdin",
        "sh /dev/fd/0 a",
        "bash /proc/self/fd/0",
        ". /dev/stdin",
        "source /dev/stdin",
    ] {
        for line in [format!("{shell} <<'E'\ngit push\nE"), format!("echo 'git push' | {shell}")] {
            let found = programs(&line);
            assert!(found.iter().any(|program| program == "git push"), "{line}: {found:?}");
        }
    }
    for line in ["bash x.sh -s <<< 'git push'", "bash -o pipefail x.sh <<< 'git push'", ". x <<< 'git push'"]
    {
        assert!(!programs(line).iter().any(|program| program == "git push"), "{line}");
    }
}

#[test]
fn variables_of_variables_are_followed_only_so_far() {
    let sets = |at: usize| format!("V{at}='{}'; ", format!("$V{}; ", at + 1).repeat(20));
    let line: String = (0..12).map(sets).collect();
    for line in [line + "V12='X=1'; eval \"$V0\"", "A='$A x'; eval \"$A\"".to_owned()] {
        assert!(!Line::read(&line).unread.is_empty(), "{line}");
    }
}
