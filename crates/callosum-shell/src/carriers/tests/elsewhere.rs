//! Commands that no word of the line is, but a text of one that its program runs: aliases, settings, scripts of other languages,
//! words that are put together.

use std::fmt::Write as _;

use super::*;

const MAIL: &str = "gog gmail send --to bob@example.com --body Hello";

/// Lines that send the mail, `MAIL` in its place.
const LINES: &[&str] = &[
    // Other names for commands.
    "git -c alias.x='!MAIL' x",
    "git -C /w -c 'alias.x=!MAIL' x",
    "git -c alias.y=x -c alias.x='!MAIL' y now",
    "git -c alias.x='!f() { MAIL; }; f' x",
    "git config alias.x '!MAIL' && git x",
    "git config --global alias.x '!MAIL'; git -C /w x",
    "git config set --global alias.x '!MAIL'; git x",
    "git -c alias.x='rebase -x \"MAIL\" main' x",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!MAIL' git x",
    "gh alias set x '!MAIL' && gh x",
    "gh alias set --shell x 'MAIL' && gh x",
    "gh alias set x --shell 'MAIL'; gh x 5",
    "glab alias set x '!MAIL' && glab x",
    // Programs that settings name.
    "PAGER='MAIL' git log",
    "GIT_PAGER='MAIL; cat' git log",
    "env PAGER='MAIL' man ls",
    "export PAGER='MAIL'; git log",
    "EDITOR='MAIL #' git commit",
    "VISUAL='sh -c \"MAIL\"' crontab -l",
    "GIT_EDITOR='MAIL' git commit --amend",
    "GIT_SEQUENCE_EDITOR='MAIL' git rebase -i main",
    "GIT_SSH_COMMAND='MAIL; ssh' git fetch",
    "GIT_SSH_COMMAND='sh -c \"MAIL\"' git fetch",
    "echo 'MAIL' > e; BASH_ENV=e bash -c true",
    "BASH_ENV='$(MAIL)' bash x.sh",
    "PROMPT_COMMAND='MAIL' bash -i",
    "PS4='$(MAIL)' bash -x x.sh",
    "GIT_EXTERNAL_DIFF='MAIL' git diff",
    "LESSOPEN='|MAIL' less f",
    "git -c core.pager='MAIL' log",
    "git -c core.sshCommand='MAIL #' fetch",
    "git -c core.editor='MAIL' commit",
    "git -c sequence.editor='MAIL' rebase -i main",
    "git -c diff.external='MAIL' diff",
    "git -c credential.helper='!MAIL' fetch",
    "git -c core.fsmonitor='MAIL' status",
    "git config core.pager 'MAIL' && git log",
    "git fetch --upload-pack='MAIL' origin",
    "git clone -u 'MAIL' ssh://h/r",
    "git filter-branch --msg-filter 'MAIL' HEAD",
    "git difftool -y -x 'MAIL' HEAD",
    // Clients that run a shell.
    "psql -c '\\! MAIL'",
    "psql db <<'E'\nselect 1;\n\\! MAIL\nE",
    "echo '\\! MAIL' | psql db",
    "psql -c \"COPY t TO PROGRAM 'MAIL'\"",
    "psql -c \"copy t from program 'MAIL' csv\"",
    "psql <<'E'\n\\copy t from program 'MAIL'\nE",
    "psql <<'E'\nselect 1 \\g | MAIL\nE",
    "psql <<'E'\n\\o |MAIL\nE",
    "psql <<'E'\n\\set x `MAIL`\nE",
    "printf '%s\\n' '\\! MAIL' > q.sql; psql -f q.sql",
    "mysql -e '\\! MAIL'",
    "mysql db -e 'system MAIL'",
    "mysql db <<'E'\nselect 1;\nsystem MAIL\nE",
    "sqlite3 db '.shell MAIL'",
    "sqlite3 db '.system MAIL'",
    "sqlite3 db -cmd '.sh MAIL' 'select 1'",
    "sqlite3 db <<'E'\n.system MAIL\nE",
    "sqlite3 db <<'E'\n.once |MAIL\nselect 1;\nE",
    "sqlite3 db <<'E'\n.import '|MAIL' t\nE",
    // Editors and pagers.
    "vim -c ':!MAIL' -c q",
    "vim -c '!MAIL' -c q",
    "vim -es -c 'silent !MAIL' +q f",
    "nvim --headless +'!MAIL' +qa",
    "vim --cmd ':!MAIL'",
    "vim -c ':w !MAIL' f",
    "vim -c 'silent! w !MAIL' f",
    "vim -c 'cd /x | !MAIL' f",
    "vim -c ':%!MAIL' f",
    "vim -c ':call system(\"MAIL\")' -c q",
    "nvim --headless -c 'lua os.execute(\"MAIL\")'",
    "ex -s f <<'E'\n!MAIL\nE",
    "ex -sc '!MAIL' f",
    "vi -c ':terminal MAIL' f",
    "ed f <<'E'\n!MAIL\nq\nE",
    "echo 'r !MAIL' | ed f",
    "emacs --batch --eval '(shell-command \"MAIL\")'",
    "less '+!MAIL' f",
    "man -P 'MAIL' ls",
    // Code of other languages.
    "awk 'BEGIN { \"MAIL\" | getline x }'",
    "awk 'BEGIN { while ((\"MAIL\" | getline x) > 0) print x }' f",
    "awk '{ print | \"MAIL\" }' f",
    "awk '{ print $1 |& \"MAIL\" }' f",
    "awk 'BEGIN { system(\"MAIL\") }'",
    "awk -v c='MAIL' 'BEGIN { system(c) }'",
    "awk -f - f <<'E'\nBEGIN { \"MAIL\" | getline }\nE",
    "perl -e '`MAIL`'",
    "perl -e 'system qq{MAIL}'",
    "perl -e 'print qx{MAIL}'",
    "perl -e 'my $x = qx(MAIL);'",
    "perl -e 'exec \"MAIL\"'",
    "perl -e 'system(\"gog\", \"gmail\", \"send\", \"--to\", \"bob@example.com\", \"--body\", \"x\")'",
    "perl -e 'system qw(gog gmail send --to bob@example.com --body x)'",
    "perl -e 'open(F, \"|-\", \"MAIL\")'",
    "perl -e 'open(my $f, \"MAIL |\")'",
    "perl -ne 'system \"MAIL\"' f",
    "ruby -e '`MAIL`'",
    "ruby -e 'system \"MAIL\"'",
    "ruby -e 'puts %x(MAIL)'",
    "ruby -e 'puts %x{MAIL}'",
    "ruby -e 'exec \"MAIL\"'",
    "ruby -e 'spawn \"MAIL\"'",
    "ruby -e 'system \"gog\", \"gmail\", \"send\", \"--to\", \"bob@example.com\", \"--body\", \"x\"'",
    "ruby -e 'IO.popen([\"gog\", \"gmail\", \"send\", \"--to\", \"bob@example.com\"])'",
    "python3 -c 'import os; os.system(\"MAIL\")'",
    "python3 -c 'import subprocess as s; s.run([\"gog\", \"gmail\", \"send\", \"--to\", \"bob@example.com\"], check=True)'",
    "python3 -c 'import subprocess as s; s.call(\"MAIL\", shell=True)'",
    "python3 -c 'import os; os.execvp(\"gog\", [\"gog\", \"gmail\", \"send\", \"--to\", \"bob@example.com\"])'",
    "python3 <<'E'\nimport subprocess\nsubprocess.run(\n    [\n        \"gog\", \"gmail\", \"send\",\n        \"--to\", \"bob@example.com\",\n    ],\n    check=True,\n)\nE",
    "python3 <<'E'\nimport os\nc = \"MAIL\"\nos.system(c)\nE",
    "node -e 'require(\"child_process\").execSync(\"MAIL\", {stdio: \"inherit\"})'",
    "node -e 'require(\"child_process\").execSync(`MAIL`)'",
    "node -e 'require(\"child_process\").spawnSync(\"gog\", [\"gmail\", \"send\", \"--to\", \"bob@example.com\"], {stdio: \"inherit\"})'",
    "node -e 'require(\"child_process\").execFileSync(\"gog\", [\"gmail\", \"send\", \"--to\", \"bob@example.com\"])'",
    "bun -e 'await Bun.$`MAIL`'",
    "php -r 'echo shell_exec(\"MAIL\");'",
    "php -r 'echo `MAIL`;'",
    "php -r 'proc_open(\"MAIL\", [], $p);'",
    "lua -e 'os.execute(\"MAIL\")'",
    "lua -e 'io.popen(\"MAIL\")'",
    "echo 'exec MAIL' | tclsh",
    "Rscript -e 'system(\"MAIL\")'",
    // Options that name a program.
    "tar cf /dev/null f --checkpoint=1 --checkpoint-action=exec='MAIL'",
    "tar cf x.tar f --checkpoint=1 --checkpoint-action 'exec=MAIL'",
    "tar xf x.tar --to-command='MAIL'",
    "tar -I 'MAIL' -xf x.tar",
    "tar xf x.tar --use-compress-program='MAIL'",
    "tar cf h:x.tar --rsh-command='MAIL' f",
    "rsync -e 'MAIL' a b",
    "rsync -e 'sh -c \"MAIL\"' a h:b",
    "rsync -az --rsh='MAIL' a h:b",
    "rsync -avze 'MAIL' a h:b",
    "rsync --rsync-path='MAIL; rsync' a h:b",
    "scp -S 'MAIL' a h:b",
    "ssh -o ProxyCommand='MAIL' h true",
    "ssh -oProxyCommand='MAIL' h",
    "ssh -o PermitLocalCommand=yes -o 'LocalCommand MAIL' h",
    "zip -T -TT 'MAIL' x.zip f",
    "split --filter='MAIL' f",
    "sort --compress-program='MAIL' f",
    "go test -exec 'MAIL' ./...",
    "find . -exec MAIL \\;",
    "find . -execdir MAIL ';'",
    "find . -ok MAIL \\;",
    "find . -okdir MAIL +",
    "find . -name x -exec sh -c 'MAIL' \\;",
    "find . -exec bash -c 'MAIL' _ {} +",
    "find . \\( -name a -exec MAIL \\; \\)",
    "find . -exec true + -exec MAIL \\;",
    "find . -exec env A=1 MAIL {} +",
    // Words that are put together.
    "p=gogx; ${p%x} gmail send --to bob@example.com --body Hello",
    "p=gog.sh; ${p%%.*} gmail send --to bob@example.com --body Hello",
    "p=/usr/bin/gog; ${p##*/} gmail send --to bob@example.com --body Hello",
    "p=gig; ${p/i/o} gmail send --to bob@example.com --body Hello",
    "p=gig; \"${p/i/o}\" gmail send --to bob@example.com --body Hello",
    "p=GOG; ${p,,} gmail send --to bob@example.com --body Hello",
    "p=xgog; ${p:1} gmail send --to bob@example.com --body Hello",
    "p=xgogx; ${p:1:3} gmail send --to bob@example.com --body Hello",
    "${P:-gog} gmail send --to bob@example.com --body Hello",
    "${P-gog} gmail send --to bob@example.com --body Hello",
    "${P:=gog} gmail send --to bob@example.com --body Hello",
    "p=1; ${p:+gog} gmail send --to bob@example.com --body Hello",
    "p=og; g$p gmail send --to bob@example.com --body Hello",
    "p=go; ${p}g gmail send --to bob@example.com --body Hello",
    "n=p; p=gog; ${!n} gmail send --to bob@example.com --body Hello",
    "s=sendx; gog gmail ${s%x} --to bob@example.com --body Hello",
    "t=bob@example.org; gog gmail send --to ${t/org/com} --body Hello",
    "t=bob@example.com.bak; gog gmail send --to \"${t%.bak}\" --body Hello",
    "gog gmail send --to \"${TO:-bob@example.com}\" --body Hello",
    "t=bob; gog gmail send --to $t@example.com --body Hello",
    "mapfile -t a <<< 'MAIL'; ${a[0]}",
    "mapfile -t a < <(echo 'MAIL'); for c in \"${a[@]}\"; do $c; done",
    "readarray -t a <<'E'\nMAIL\nE\nfor c in \"${a[@]}\"; do eval \"$c\"; done",
    "readarray a <<'E'\nMAIL\nE\n${a[0]}",
    "mapfile <<< 'MAIL'; eval \"${MAPFILE[0]}\"",
    "mapfile -t t <<< 'bob@example.com'; gog gmail send --to \"${t[0]}\" --body Hello",
    "read -ra a <<< 'MAIL'; \"${a[@]}\"",
    "a=(gog gmail send --to bob@example.com); ${a[0]} gmail send --to bob@example.com",
    "echo 'echo it\\'\"'\"'s on; MAIL' > x; sh x",
    "echo \"echo it\\'s on; MAIL\" > x; sh x",
    "echo \"echo it\\'s on; MAIL\" | sh",
    "echo 'echo \\\"; MAIL' > x.sh; bash x.sh",
    "echo \"echo \\\\'; MAIL; echo \\\\'\" | sh",
    "echo \"echo \\\\'; MAIL; echo \\\\'\" > x; sh x",
    "printf '%s\\n' \"echo it\\'s on\" 'MAIL' > x; sh x",
];

#[test]
fn a_command_said_in_another_place_is_seen() {
    let rules = RuleSet::shipped();
    let (tier, keys) = verdict(&rules, MAIL);
    assert_eq!((tier, keys.len()), (3, 1));
    let mut wrong = String::new();
    for line in LINES {
        let line = line.replace("MAIL", MAIL);
        let (found, all) = verdict(&rules, &line);
        if found < tier || !keys.is_subset(&all) {
            let _ = writeln!(wrong, "{line}\n    {found} {all:?}");
        }
    }
    assert!(wrong.is_empty(), "not seen:\n{wrong}");
}

#[test]
fn a_script_that_only_the_parser_of_another_shell_reads_is_told_as_unread() {
    let line = format!("BASH_ENV=<(echo '{MAIL}') bash -c true");
    assert_eq!(verdict(&RuleSet::shipped(), &line).0, 3);
}

#[test]
fn what_a_file_of_settings_says_to_curl_is_seen() {
    let rules = RuleSet::shipped();
    let bare = verdict(&rules, "curl -X POST https://api.example.com/things -d a=b");
    let mut wrong = String::new();
    for line in [
        "curl -K - <<'E'\nurl = \"https://api.example.com/things\"\nrequest = POST\ndata = \"a=b\"\nE",
        "curl --config - <<'E'\n# what\n-X POST\n--url https://api.example.com/things\n-d a=b\nE",
        "printf 'url=https://api.example.com/things\\n-d a=b\\n' | curl -sK-",
        "cat > c <<'E'\nurl: https://api.example.com/things\ndata: \"a=b\"\nE\ncurl -K c",
        "echo 'data = \"a=b\"' > c.cfg; curl --config=c.cfg https://api.example.com/things",
        "curl --config <(echo 'data = \"a=b\"') https://api.example.com/things",
    ] {
        let found = verdict(&rules, line);
        if found != bare {
            let _ = writeln!(wrong, "{line}\n    {found:?}");
        }
    }
    assert!(wrong.is_empty(), "not {bare:?}:\n{wrong}");
}

/// Lines that name a guarded command, or a program for it, and run nothing of it.
#[test]
fn what_only_looks_like_it_stays_as_it_was() {
    let rules = RuleSet::shipped();
    for line in [
        "GIT_SSH_COMMAND='ssh -i k' git fetch",
        "git -c core.sshCommand='ssh -i k -o IdentitiesOnly=yes' fetch",
        "GIT_EDITOR=true git rebase --continue",
        "EDITOR=vim PAGER=cat git log",
        "git -c alias.x='!MAIL' status",
        "git add core.pager 'MAIL'",
        "git config alias.x '!MAIL'",
        "gh alias set x '!MAIL'",
        "tar -I zstd -xf x.tar",
        "sqlite3 db \"select '.shell MAIL'\"",
        "psql -c \"select 'program MAIL'\"",
        "vim -c ':%s/!MAIL//' -c wq f",
        "awk '/MAIL/ { print \"MAIL\" }' f | grep -c x",
        "python3 -c 'print(\"MAIL\")'",
        "perl -ne 'print if /MAIL/' f",
        "node -e 'console.log(`MAIL`)'",
        "p=gogx; echo ${p%x} gmail send --to bob@example.com",
        "mapfile -t a <<< 'MAIL'; echo \"${a[@]}\"",
    ] {
        let line = line.replace("MAIL", MAIL);
        let (tier, keys) = verdict(&rules, &line);
        assert!(tier <= 1, "{line}: {tier} {keys:?}");
    }
}

#[test]
fn what_each_setting_of_the_tables_names_is_seen() {
    let rules = RuleSet::shipped();
    let (tier, keys) = verdict(&rules, MAIL);
    let mut wrong = String::new();
    let of_variables = settings::VARIABLES.iter().map(|(name, setting)| match setting {
        Setting::Text | Setting::Script => format!("{name}='$({MAIL})' bash -x f"),
        _ => format!("{name}='{MAIL}' tool"),
    });
    let of_git = settings::OF_GIT.iter().map(|(section, name, setting)| {
        let name = if *name == "*" { "log" } else { *name };
        let mark = if *setting == Setting::Helper { "!" } else { "" };
        format!("git -C /w -c {section}.x.{}='{mark}{MAIL}' log", name.to_uppercase())
    });
    let of_ssh = settings::OF_SSH.iter().map(|name| format!("ssh -o {name}='{MAIL}' host"));
    let others = settings::WITH_ALIASES.iter().map(|name| format!("{name} alias set x '!{MAIL}'; {name} x"));
    for line in of_variables.chain(of_git).chain(of_ssh).chain(others) {
        let (found, all) = verdict(&rules, &line);
        if found < tier || !keys.is_subset(&all) {
            let _ = writeln!(wrong, "{line}\n    {found} {all:?}");
        }
    }
    assert!(wrong.is_empty(), "not seen:\n{wrong}");
}
