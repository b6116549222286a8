//! The gate guards itself: what agents do to its state and to its hooks is refused, whatever the rules.

use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::{Classification, RuleSet, World};
use serde_json::{Value, json};

pub(crate) fn of(tool: &str, cwd: &str, params: &Value) -> Classification {
    let call = ToolCall { tool: tool.to_owned(), cwd: Some(cwd.to_owned()), ..ToolCall::default() };
    RuleSet::shipped().classify(&call, "openclaw", params, &World::unseen())
}

fn tier(command: &str) -> (u8, String) {
    let found = of("exec", "/w", &json!({ "command": command }));
    (found.tier as u8, found.context_keys.join(" "))
}

fn is_protected(command: &str) -> bool {
    of("exec", "/w", &json!({ "command": command })).protected.is_some()
}

#[test]
fn no_rules_file_lets_a_call_at_the_gate_s_own_files() {
    let all = r#"{"rules":[{"name":"mine","tier":0,"tool":["exec","write"]},{"name":"state.protected","tier":0,"tool":"*"}]}"#;
    let extending = all.replacen("{\"rules\"", "{\"extends\":\"default\",\"rules\"", 1);
    for text in [all, &extending, r#"{"rules":[]}"#] {
        let rules = RuleSet::parse(text).unwrap();
        let protected = |tool: &str, params: &Value| {
            let call = ToolCall { tool: tool.to_owned(), cwd: Some("/w".to_owned()), ..ToolCall::default() };
            rules.classify(&call, "openclaw", params, &World::unseen()).protected
        };
        let found = protected("exec", &json!({ "command": "ls && rm -rf ~/.callosum" })).unwrap();
        assert_eq!(found.path.as_deref(), Some("~/.callosum"), "{text}");
        let found = protected("write", &json!({ "path": "/home/me/.codex/hooks.json" })).unwrap();
        assert_eq!(found.path.as_deref(), Some("/home/me/.codex/hooks.json"), "{text}");
        let found = protected("fs__delete_file", &json!({ "path": "/home/me/.callosum/x" })).unwrap();
        assert_eq!(found.path.as_deref(), Some("/home/me/.callosum/x"), "{text}");
        assert_eq!(protected("exec", &json!({ "command": "callosum uninstall codex" })).unwrap().path, None);
        assert_eq!(protected("exec", &json!({ "command": "cat ~/.callosum/journal.jsonl" })), None);
        assert_eq!(protected("write", &json!({ "path": "a.md" })), None);
    }
}

#[test]
fn a_command_that_reaches_for_the_gate_is_protected() {
    let mut missed = vec![];
    for command in [
        "rm ~/.callosum/journal.jsonl",
        "rm -rf ~/.callosum",
        "rm -rf $HOME/.callosum/",
        "rm -f \"$CALLOSUM_STATE_DIR/journal.jsonl\"",
        "rm ${CALLOSUM_STATE_DIR}/journal.index",
        "rm /home/me/.callosum/*",
        "sudo rm -rf /home/me/.callosum",
        "bash -c 'rm -rf ~/.callosum'",
        "cd ~/.callosum && rm journal.jsonl",
        "cd ~ && mv .callosum old",
        "mv ~/.callosum/journal.jsonl /tmp/x",
        "truncate -s 0 ~/.callosum/journal.jsonl",
        "cp /tmp/settings.json ~/.callosum/settings.json",
        "cp settings.json ~/.callosum/",
        "ln -sf /dev/null ~/.callosum/journal.jsonl",
        "echo '{\"mode\":\"observe\"}' | tee ~/.callosum/settings.json",
        "echo '{\"mode\":\"observe\"}' > ~/.callosum/settings.json",
        "echo x >> ~/.callosum/tiers.json",
        "echo x >|~/.callosum/tiers.json",
        "cat > \"$HOME/.callosum/tiers.json\" <<'EOF'\n{\"rules\": []}\nEOF",
        ": > ~/.callosum/journal.jsonl",
        "> ~/.callosum/journal.jsonl",
        "cd ~/.callosum; : > journal.jsonl",
        "dd if=/dev/zero of=/home/me/.callosum/journal.jsonl",
        "sed -i 's/enforce/observe/' ~/.callosum/settings.json",
        "sed -i.bak s/a/b/ ~/.claude/settings.json",
        "chmod 000 ~/.callosum",
        "find ~/.callosum -name '*.jsonl' -delete",
        "rm ~/.claude/settings.json",
        "rm -rf ~/.codex",
        "echo '{}' > .claude/settings.local.json",
        "echo '' > ~/.codex/hooks.json",
        "sed -i '/callosum/d' ~/.codex/config.toml",
        "mv ~/.gemini/settings.json /tmp",
        "rm $CODEX_HOME/hooks.json",
        "callosum leases release email:alice@example.com",
        "callosum token add mine --rights operate",
        "callosum token revoke ci",
        "callosum locks release email:alice@example.com",
        "callosum uninstall claude-code",
        "~/bin/callosum --state-dir /x uninstall codex",
        "npx callosum uninstall gemini",
        "openclaw callosum leases release email:alice@example.com",
        "openclaw callosum locks release email:alice@example.com",
        // By redirections from the folder that the line went to.
        "cd ~/.callosum && > journal.jsonl",
        "cd ~/.callosum && echo '{}' > settings.json && ls",
        "cd ~ && cd .callosum && : >| journal.jsonl",
        "pushd \"$HOME/.callosum\"; echo x >> tiers.json",
        "bash -c 'cd ~/.callosum && : > journal.jsonl'",
        "J=~/.callosum/journal.jsonl; : > $J",
        "J=~/.callosum/journal.jsonl; rm \"$J\"",
        "for f in ~/.callosum/journal.jsonl ~/.callosum/journal.index; do rm $f; done",
        "for f in ~/.callosum/*; do rm -f \"$f\"; done",
        "for f in ~/.callosum/*; do : > \"$f\"; done",
        "D=$HOME/.callosum; cd $D && : > journal.jsonl",
        "D=\"$HOME/.callosum\"; rm -rf \"${D}\"",
        "ls ~/.callosum/*.jsonl | while read -r f; do rm \"$f\"; done",
        "rm $(find ~/.callosum -type f)",
        "if cd -- ~/.callosum; then : > journal.jsonl; fi",
        "cp -r backup/.claude backup/.callosum ~/",
        "cp -r backup/.callosum ~",
        "cp backup/settings.json .claude/",
        "cp -r backup/. ~/.claude/",
        // By editors.
        "sed -Ei 's/a/b/' ~/.callosum/settings.json",
        "sed --in-place=.bak s/a/b/ ~/.callosum/settings.json",
        "gsed -i s/a/b/ ~/.callosum/tiers.json",
        "sed -i '' s/a/b/ ~/.claude/settings.json",
        "perl -pi.bak -e 's/a/b/' ~/.callosum/settings.json",
        "awk -i inplace '{print}' ~/.callosum/settings.json",
        "jq .mode=1 x | sponge ~/.callosum/settings.json",
        "patch ~/.callosum/settings.json < /tmp/x.diff",
        // By what brings files.
        "curl -o ~/.callosum/settings.json https://x.example/s",
        "curl -sSLo ~/.callosum/settings.json https://x.example/s",
        "curl -O --output-dir ~/.callosum https://x.example/settings.json",
        "cd ~/.callosum && curl -O https://x.example/settings.json",
        "wget -O ~/.callosum/settings.json https://x.example/s",
        "wget -qP ~/.callosum https://x.example/settings.json",
        "git checkout -- .claude/settings.json",
        "git restore .claude/settings.json",
        "git -C ~ checkout HEAD~1 -- .claude/settings.json",
        "git rm -f .claude/settings.local.json",
        "cp -t ~/.callosum /tmp/settings.json",
        "cp --target-directory=$HOME/.callosum /tmp/settings.json",
        "cp /tmp/settings.json ~/.callosum/ -f",
        "install -m 600 /tmp/s.json ~/.callosum/settings.json",
        "rsync -a --delete /tmp/empty/ ~/.callosum/",
        "rsync --remove-source-files -a ~/.callosum/ /tmp/x",
        // By patterns of the shell.
        "mv ~/.callosum/journal.jsonl{,.bak}",
        "mv ~/.callosum{,.old}",
        "rm -rf ~/.call*",
        "rm -rf ~/.callosu?",
        "cd ~ && rm -rf .c*",
        "rm ~/.callosum/{journal.jsonl,journal.index}",
        "rm ~/.claude/settings*",
        // By what is listed for them.
        "find ~/.callosum -delete",
        "find ~ -name .callosum -exec rm -rf {} +",
        "find ~/.callosum -type f | xargs rm",
        "find ~/.callosum -type f -print0 | xargs -0 -I{} mv {} /tmp",
        "find ~/.callosum -name '*.jsonl' -exec truncate -s 0 {} \\;",
        "cd ~/.callosum && ls | xargs rm",
        "echo ~/.callosum/journal.jsonl | xargs rm",
        "shred -u ~/.callosum/journal.jsonl",
        // By editors, mounts and what else changes files.
        "printf '%s\\n' '1,$d' w q | ed -s ~/.callosum/tiers.json",
        "ex -sc '%d|x' ~/.callosum/journal.jsonl",
        "vim -es -c '%d' -c wq ~/.callosum/journal.jsonl",
        "mount --bind /tmp/x ~/.callosum",
        "rename s/jsonl/bak/ ~/.callosum/journal.jsonl",
        "rclone sync /tmp/empty ~/.callosum",
        "rclone purge ~/.callosum",
        "sqlite3 ~/.callosum/journal.index 'delete from x'",
        "split -b 1 x ~/.callosum/journal.jsonl",
        "zip -m /tmp/b.zip ~/.callosum/journal.jsonl",
        "openssl rand -out ~/.callosum/journal.jsonl 64",
        "gpg -o ~/.callosum/tiers.json -d x.gpg",
        "awk '{print > \"/home/me/.callosum/tiers.json\"}' x",
        "python3 -c 'open(\"/home/me/.callosum/tiers.json\", \"w\")'",
        "python3 - <<'E'\nimport os\nos.remove('/home/me/.callosum/journal.jsonl')\nE",
        "node -e \"require('fs').unlinkSync('/home/me/.callosum/journal.jsonl')\"",
        "perl -e 'unlink \"/home/me/.callosum/journal.jsonl\"'",
        // By functions, and scripts that the line writes.
        "clean() { rm -rf \"$1\"; }; clean ~/.callosum",
        "sh -c 'rm -rf \"$1\"' _ ~/.callosum",
        "set -- rm -rf ~/.callosum; \"$@\"",
        "a=(-rf ~/.callosum); rm \"${a[@]}\"",
        "echo 'rm -rf ~/.callosum' > x.sh; sh x.sh",
        // By redirections behind what a reader of the text alone stumbles over.
        "cd ~/.callosum # the gate's own files\necho '{}' > tiers.json",
        "cd .claude # project's\necho '{}' > settings.json",
        "cd ~/.callosum && grep '(' x && : > journal.jsonl",
        "cd ~/.callosum && sed 's/(//' a > t",
        "command cd ~/.callosum; : > t",
        "builtin cd ~/.callosum; : > t",
        "time cd ~/.callosum; : > t",
        "X=1 cd ~/.callosum; : > t",
        "ls 2> ~/.callosum/journal.jsonl",
        "ls >& ~/.callosum/journal.jsonl",
        "[[ a ]] > ~/.callosum/journal.jsonl",
        "f() { ls; } > ~/.callosum/journal.jsonl; f",
        "ls ~/.callosum > /tmp/l; xargs rm < /tmp/l",
        "f() { xargs rm; }; ls ~/.callosum | f",
        "xargs rm < <(ls ~/.callosum)",
        "{ xargs rm; } < <(ls -d ~/.callosum)",
        "ls -d ~/.callosum | (cd /; if true; then xargs rm; fi)",
        // By all that is in a folder.
        "rm -rf ~",
        "rm -rf $HOME/",
        "rm -rf /home/me",
        "mv ~ /tmp/callosum",
        "tar xzf b.tgz -C ~/.callosum",
        "unzip b.zip -d ~/.callosum",
        "gzip ~/.callosum/journal.jsonl",
        "xz -9 ~/.callosum/journal.jsonl",
        "zstd --rm ~/.callosum/journal.jsonl",
        "sort -u -o ~/.callosum/journal.jsonl x",
        "git -C ~/.callosum clean -fdx",
        "git -C ~/.callosum reset --hard",
        "git -C ~/.callosum stash",
        "git clone x ~/.callosum",
        "trash-put ~/.callosum",
        "gio trash ~/.callosum",
        "yq -i '.a = 1' ~/.callosum/settings.json",
        "find ~ -name '.call*' -exec rm -rf {} \\;",
        "find ~ -name '*callosum*' | xargs rm -rf",
        "find ~ -name '*callosum*' -delete",
        // In the folder that a carrier is given.
        "env -C ~/.callosum rm t",
        "env --chdir=$HOME/.callosum A=1 rm t",
        "sudo -u me -D ~/.callosum rm t",
        // By paths that are put together.
        "sed -i '/hooks/d' \"$(git rev-parse --show-toplevel)/.claude/settings.json\"",
        "rm \"$(pwd)/.claude/settings.json\"",
        "D=.callosum; rm -rf ~/$D",
        "rm -rf ${D:-~/.callosum}",
        "mount --bind ~/.callosum /mnt",
        "prettier --write ~/.callosum/tiers.json",
        // By the program itself.
        "callosum install claude-code --state-dir /tmp/other",
        "callosum --state-dir /tmp/other install codex",
        "callosum install gemini",
        "callosum observe",
        "callosum team off",
        "callosum join https://hub.example --token x",
        "callosum leave",
        "callosum inject s-1 hello",
        "callosum work --agents 3",
        "callosum rules suggest --write",
        "callosum context prune",
        "callosum context accept 3",
        "callosum task accept t-1",
        "/usr/local/bin/callosum context restore",
        "openclaw callosum token revoke ci",
        "python3 -c 'open(\"/home/me/.callosum/tiers.json\", \"w\")' --dry-run",
        // By a name that the folder has elsewhere.
        "docker run -v ~/.callosum:/x --rm alpine ls /x",
        "docker run --rm --volume=$HOME/.callosum:/x alpine ls",
        "podman run --mount type=bind,source=$HOME/.callosum,target=/x alpine ls",
        "docker compose run -v ~/.callosum:/x app",
        "docker run -v ~/.claude/settings.json:/x image",
        "bwrap --dev-bind / / --bind ~/.callosum /x ls",
        // What the hooks call, and what a gateway loads.
        "rm ~/.local/bin/callosum",
        "mv /usr/local/bin/callosum /tmp",
        "chmod -x ~/.local/bin/callosum",
        "ln -sf /bin/true ~/.local/bin/callosum",
        "mv $(command -v callosum) /tmp",
        "rm \"$(which callosum)\"",
        "rm -rf ~/.local/share/callosum",
        "npm uninstall -g callosum",
        "npm rm --global callosum",
        "cd /tmp && pnpm remove -g callosum",
        "yarn global remove callosum",
        "sudo apt-get remove -y callosum",
        "sudo dpkg -r callosum",
        "brew uninstall callosum",
        "cargo uninstall callosum-cli",
        "pkill -9 callosum-serve",
        "killall callosum",
        "npm rm -g other callosum",
        "npm uninstall --location=global callosum",
        "apt remove foo callosum",
        "killall foo callosum",
        "cargo uninstall callosum-server",
        "systemctl --user disable --now callosum",
        "systemctl stop callosum.service",
        "rm -rf ~/.openclaw/extensions/callosum",
        "mv ~/.openclaw/extensions/callosum /tmp",
        "echo > ~/.openclaw/extensions/callosum/index.js",
    ] {
        if tier(command) != (4, "callosum:state".to_owned()) || !is_protected(command) {
            missed.push(command);
        }
    }
    assert_eq!(missed, [""; 0]);
    for command in [
        "openclaw plugins uninstall callosum --force",
        "openclaw plugins disable callosum",
        "openclaw config unset plugins.entries.callosum",
    ] {
        assert_eq!(tier(command).0, 4, "{command}");
        assert!(!is_protected(command), "{command}");
    }
}

#[test]
fn reading_the_gate_and_work_elsewhere_stay_as_they_are() {
    let mut alarms = vec![];
    for command in [
        "cat ~/.callosum/journal.jsonl",
        "tail -f ~/.callosum/journal.jsonl | head",
        "grep mail ~/.callosum/journal.jsonl > /tmp/found",
        "ls ~/.callosum 2>/dev/null",
        "cat ~/.claude/settings.json 2>&1",
        "cp ~/.callosum/journal.jsonl /tmp/copy.jsonl",
        "callosum status",
        "callosum journal -n 20 > /tmp/callosum.txt",
        "callosum leases",
        "callosum locks",
        "callosum uninstall claude-code --dry-run",
        "callosum doctor",
        "callosum token list",
        "callosum rules suggest",
        "callosum context show",
        "callosum context write --title x --body y",
        "callosum task list",
        "callosum install --help",
        "npm uninstall callosum",
        "npm rm -g callosum-foo",
        "systemctl status callosum",
        "npm install -g callosum",
        "apt-get install callosum",
        "dpkg -l callosum",
        "pkill -f myserver",
        "rm -rf node_modules",
        "rm -rf dist/callosum",
        "echo x > callosum.txt",
        "echo x > .claude/commands/go.md",
        "rm .claude/commands/go.md",
        "mkdir -p .gemini",
        "git clone https://example.com/callosum.git > log 2>&1",
        "npm run build > build.log",
        "dd if=~/.callosum/journal.jsonl of=/tmp/x",
        "cp -r ~/.claude/commands .claude/",
        "mv .claude/go.md .claude/commands/",
        "for f in ~/.callosum/*; do wc -l $f > /tmp/$f; done",
        "ls ~/.callosum; rm -rf $TMP/x",
        "D=$(mktemp -d); ls ~/.callosum; rm -rf $D",
        "export CALLOSUM_STATE_DIR=$(mktemp -d); callosum status; rm -rf $CALLOSUM_STATE_DIR",
        "export CLAUDE_CONFIG_DIR=$(mktemp -d); echo '{}' > $CLAUDE_CONFIG_DIR/settings.json",
        "echo 'journal -> ~/.callosum/journal.jsonl'",
        "cp -r ~/.callosum /tmp",
        "cp -t /tmp ~/.callosum/journal.jsonl",
        "rsync -a ~/.callosum/ /tmp/backup/",
        "find . -name .callosum -prune -o -name '*.rs' -print",
        "find . -name .callosum -prune -o -name '*.orig' -delete",
        "find . ! -path './.callosum/*' -name '*.orig' -exec rm {} +",
        "find ~/.callosum -name '*.jsonl' -exec grep -l mail {} +",
        "find ~/.callosum -type f | xargs wc -l",
        "find . -name '*.orig' | xargs rm; cat ~/.callosum/tiers.json",
        "cd ~/.callosum && jq 'select(.tier > 2)' journal.jsonl",
        "cd ~/.callosum && awk '$3 > 5' journal.jsonl 2>&1 | head",
        "cd ~/.callosum && wc -l journal.jsonl > /tmp/lines",
        "(cd ~/.callosum && ls) > files.txt",
        "cd ~/.callosum && cat tiers.json; cd /srv && echo x > y",
        "sed -n '/tier/p' ~/.callosum/journal.jsonl",
        "sed 's/a/b/' ~/.claude/settings.json",
        "sed -i 's#~/.callosum/x#y#' README.md",
        "sed -i '/.callosum/d' .gitignore",
        "perl -ne 'print if /x/' ~/.callosum/journal.jsonl",
        "awk '{print $1}' ~/.callosum/journal.jsonl",
        "curl -d @/home/me/.callosum/x http://127.0.0.1:8080/",
        "git diff .claude/settings.json",
        "git add .claude/settings.json && git commit -m 'claude: settings'",
        "git restore --staged .claude/settings.json",
        "git commit -m 'codex says \"it is done",
        "rm -rf .*cache",
        "rm -rf /tmp/x/.*",
        "tar czf /tmp/b.tgz -C ~/.callosum .",
        "gzip -c ~/.callosum/journal.jsonl > /tmp/j.gz",
        "sort ~/.callosum/journal.jsonl",
        "git clone ~/.callosum /tmp/x",
        "git -C ~/.callosum stash list",
        "yq .a ~/.callosum/settings.json",
        "mv callosum.txt ~",
        "D=$(mktemp -d); rm -rf \"$(mktemp -d)/.claude\"",
        "find . -name '*callosum*' | xargs rm -rf",
        "vim -R ~/.callosum/journal.jsonl",
        "rclone copy ~/.callosum /mnt/backup",
        "sqlite3 -readonly ~/.callosum/x.db 'select 1'",
        "zip /tmp/b.zip ~/.callosum/journal.jsonl",
        "python3 -c 'print(open(\"/home/me/.callosum/journal.jsonl\").read())'",
        "node -p \"require('fs').readFileSync('/home/me/.callosum/journal.jsonl', 'utf8').length\"",
        "awk '$1 > 2 {print \"x\"}' ~/.callosum/journal.jsonl",
        // What is listed elsewhere in the line.
        "ls ~/.callosum; find . -name '*.o' | xargs rm",
        "ls -la ~/.claude && git ls-files -d | xargs git rm",
        "find ~/.callosum -size +1M; find /tmp/x -type f -exec rm {} +",
        "if ls ~/.callosum; then\n  git ls-files -o | xargs rm\nfi",
        // What only looks like a redirection.
        "grep -rn '> .callosum' docs",
        "git commit -m '> ~/.callosum is where state lives'",
        "echo 'Usage: callosum --state-dir <dir>/.callosum'",
        "sed 's/<state>/.callosum/' a",
        "git log --format='%an <%ae> .callosum'",
        "jq 'select(.a>.callosum)' x",
        "cat > README.md <<'E'\n> ~/.callosum holds it\na -> ~/.claude/settings.json\n<code>.callosum</code>\n(a) => '.callosum/x'\nE\n",
        "cat > README.md <<E\n> ~/.callosum holds it\nE\nls",
        "cat > f.sh <<'E'\ncd ~/.callosum && ls\nE\necho x > a.txt",
        // Settings that no runtime reads.
        "echo '{}' > tests/fixtures/.claude/settings.json",
        "rm -rf tests/fixtures/.claude",
        "cp a.json /w/tests/fixtures/.codex/hooks.json",
        "mkdir -p /tmp/home/.gemini && echo '{}' > /tmp/home/.gemini/settings.json",
        // Mounts that are only read, and other folders.
        "docker run -v ~/.callosum:/x:ro --rm alpine cat /x/tiers.json",
        "docker run --mount type=bind,src=$HOME/.callosum,dst=/x,readonly alpine ls /x",
        "docker run -v ~/.claude/commands:/x --rm alpine ls",
        "docker run -v ~/.claude:/root/.claude image",
        "docker build -t callosum .",
        "bwrap --ro-bind ~/.callosum /x ls",
        // Programs and extensions of other names, and Callosum's own work.
        "rm ~/.local/bin/other",
        "rm -rf ~/.openclaw/extensions/other",
        "cp target/release/callosum dist/callosum/bin/callosum",
        "rm -f target/debug/callosum bin/callosum",
        "~/.local/bin/callosum status > /tmp/status",
        "cat $(which callosum) > /tmp/copy",
        "cp -r notes ~/.openclaw/workspace/",
    ] {
        let (tier, keys) = tier(command);
        if tier > 2 || keys.contains("callosum:state") || is_protected(command) {
            alarms.push((command, tier, keys));
        }
    }
    assert_eq!(alarms, []);
}

#[test]
fn a_file_tool_that_writes_to_the_gate_is_of_tier_4() {
    let patch = |file: &str| json!({"input": format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+b\n*** End Patch")});
    for (tool, cwd, params) in [
        ("write", "/w", json!({"path": "/home/me/.callosum/settings.json", "content": "{}"})),
        ("write", "/w", json!({"file_path": "~/.callosum/tiers.json", "content": "{}"})),
        ("write", "/home/me/.callosum", json!({"path": "tiers.json", "content": "{}"})),
        ("edit", "/home/me", json!({"path": ".claude/settings.json", "oldText": "a", "newText": "b"})),
        ("edit", "/w", json!({"path": "/home/me/.claude/settings.local.json"})),
        ("write", "/w", json!({"path": "/home/me/.codex/hooks.json"})),
        ("write", "/w", json!({"path": "/home/me/.codex/config.toml"})),
        ("write", "/w", json!({"path": "/home/me/.gemini/settings.json"})),
        ("apply_patch", "/w", patch("/home/me/.callosum/journal.jsonl")),
        ("apply_patch", "/home/me", patch(".codex/hooks.json")),
        ("edit", "/w/app", json!({"path": "/w/.claude/settings.json"})),
        (
            "filesystem__write_file",
            "/w",
            json!({"path": "/home/me/.callosum/settings.json", "content": "{}"}),
        ),
        ("mcp__filesystem__edit_file", "/w", json!({"path": "~/.claude/settings.json", "edits": []})),
        (
            "filesystem.move_file",
            "/w",
            json!({"source": "/home/me/.callosum/journal.jsonl", "destination": "/tmp/x"}),
        ),
        ("fs/moveFile", "/w", json!({"source": "/tmp/x", "destination": "/home/me/.callosum/journal.jsonl"})),
        ("filesystem__create_directory", "/w", json!({"path": "/home/me/.callosum/journal.jsonl"})),
        ("multi_edit", "/home/me", json!({"file_path": ".codex/config.toml", "edits": []})),
        ("code__multi_edit", "/w", json!({"edits": [{"path": "~/.callosum/tiers.json", "old": "a"}]})),
        ("files__delete_file", "/home/me/.callosum", json!({"filename": "journal.jsonl"})),
        ("codex__apply_patch", "/w", patch("/home/me/.callosum/settings.json")),
        ("mcp__serena__replace_regex", "/home/me", json!({"relative_path": ".claude/settings.json"})),
        ("mcp__serena__replace_content", "/w", json!({"relative_path": ".claude/settings.json"})),
        ("serena__delete_lines", "/w", json!({"relative_path": ".codex/config.toml"})),
        (
            "x__str_replace_based_edit_tool",
            "/w",
            json!({"command": "create", "path": "~/.callosum/tiers.json"}),
        ),
        ("fs__copy_file", "/w", json!({"source": "/tmp/x", "destination": "~/.callosum/tiers.json"})),
    ] {
        let found = of(tool, cwd, &params);
        assert_eq!(
            (found.tier as u8, found.context_keys.join(" ")),
            (4, "callosum:state".to_owned()),
            "{tool} {params}"
        );
    }
    for (tool, params) in [
        ("write", json!({"path": "src/settings.json"})),
        ("write", json!({"path": "notes/callosum.md"})),
        ("edit", json!({"path": ".claude/commands/go.md"})),
        ("edit", json!({"path": "config.toml"})),
        ("write", json!({"content": "~/.callosum/tiers.json"})),
        ("apply_patch", patch("docs/.callosum.md")),
        ("write", json!({"path": "tests/fixtures/.claude/settings.json"})),
        ("edit", json!({"path": "/tmp/home/.codex/config.toml"})),
    ] {
        assert_eq!(of(tool, "/w", &params).tier as u8, 1, "{tool} {params}");
    }
    for (tool, params) in [
        ("read", json!({"path": "/home/me/.callosum/journal.jsonl"})),
        ("filesystem__read_file", json!({"path": "/home/me/.callosum/journal.jsonl"})),
        ("filesystem__write_file", json!({"path": "/w/a.md", "content": "see ~/.callosum/tiers.json"})),
        ("filesystem__move_file", json!({"source": "a", "destination": "b"})),
        ("filesystem__edit_file", json!({"path": "tests/fixtures/.claude/settings.json"})),
    ] {
        assert_eq!(of(tool, "/w", &params).tier as u8, 0, "{tool} {params}");
    }
    for (tool, params) in [
        ("x__str_replace_based_edit_tool", json!({"command": "view", "path": "~/.callosum/tiers.json"})),
        ("fs__copy_file", json!({"source": "~/.callosum/tiers.json", "destination": "/tmp/x"})),
        ("mcp__serena__replace_regex", json!({"relative_path": "src/.claude.md"})),
    ] {
        assert_eq!(of(tool, "/w", &params).protected, None, "{tool} {params}");
    }
}

#[test]
fn a_home_elsewhere_holds_hooks_too() {
    let home =
        |home: &str| World::with_environment(std::iter::once(("HOME".to_owned(), home.to_owned())).collect());
    let protected = |tool: &str, params: &Value, world: &World| {
        let call = ToolCall { tool: tool.to_owned(), cwd: Some("/w".to_owned()), ..ToolCall::default() };
        RuleSet::shipped().classify(&call, "codex", params, world).protected.is_some()
    };
    for folder in ["/var/lib/agent", "/data/data/com.termux/files/home", "/config"] {
        let world = home(folder);
        for settings in
            [".claude/settings.json", ".codex/hooks.json", ".codex/config.toml", ".gemini/settings.json"]
        {
            let path = format!("{folder}/{settings}");
            for command in
                [format!("rm {path}"), format!("cd {folder}; rm {settings}"), format!("echo > {path}")]
            {
                assert!(protected("exec", &json!({ "command": command }), &world), "{command}");
                // A folder that the line goes to is worked in, whosever home it is.
                let is_elsewhere = !protected("exec", &json!({ "command": command }), &home("/home/me"));
                assert_eq!(is_elsewhere, !command.starts_with("cd "), "{command}");
            }
            for tool in ["write", "mcp__serena__replace_regex"] {
                assert!(protected(tool, &json!({ "path": path }), &world), "{tool} {path}");
                assert!(!protected(tool, &json!({ "path": path }), &home("/home/me")), "{tool} {path}");
            }
            // Who may not look says that it has to be looked.
            let call = ToolCall { tool: "write".to_owned(), ..ToolCall::default() };
            let found =
                RuleSet::shipped().classify(&call, "openclaw", &json!({ "path": path }), &World::unseen());
            assert!(found.protected.is_some() || found.asked_around, "{path}");
        }
    }
}

#[test]
fn what_was_not_read_is_guarded_only_where_it_names_a_path_of_the_gate() {
    let unread = |rest: &str| format!("echo \"{} {rest}", "x".repeat(70_000));
    assert_eq!(tier(&unread("rm -rf ~/.callosum")).0, 4);
    assert_eq!(tier(&unread("echo {} > ~/.claude/settings.json")).0, 4);
    assert_eq!(tier(&unread("ask claude, codex or gemini > there")).0, 1);
    assert!(tier(&unread("> callosum, rm and mv")).0 < 4);
}

/// A host's tool has a parameter for the folder that a line runs in.
#[test]
fn a_command_whose_call_says_that_it_runs_in_a_folder_of_the_gate_need_not_name_it() {
    let tier = |command: &str| {
        of("exec", "/w", &json!({ "command": command, "workdir": "/home/me/.callosum" })).tier as u8
    };
    for command in [": > journal.jsonl", "truncate -s 0 journal.jsonl", "rm journal.jsonl"] {
        assert_eq!(tier(command), 4, "{command}");
    }
    assert_eq!(tier("cat journal.jsonl"), 1);
}

#[test]
fn a_command_in_a_folder_of_the_gate_need_not_name_it() {
    let tier = |cwd: &str, command: &str| of("exec", cwd, &json!({ "command": command })).tier as u8;
    for (cwd, command) in [
        ("/home/me/.callosum", ": > journal.jsonl"),
        ("/home/me/.callosum", "truncate -s 0 journal.jsonl"),
        ("/home/me/.callosum", "mv journal.jsonl /tmp"),
        ("/home/me/.callosum", "(echo x) > journal.jsonl"),
        ("/home/me/.claude", "echo '{}' > settings.json"),
        ("/home/me/.callosum", "bash -c 'echo x > tiers.json'"),
        ("/home/me/.callosum", ": > journal.jsonl; echo \"x"),
        ("/home/me/.claude/commands", "sed -i s/a/b/ ../settings.json"),
    ] {
        assert_eq!(tier(cwd, command), 4, "{command} in {cwd}");
    }
    for (cwd, command) in [
        ("/home/me/.callosum", "cat journal.jsonl > /tmp/x"),
        ("/home/me/.callosum", "jq 'select(.tier > 2)' journal.jsonl 2>&1 | tail"),
        ("/home/me/.claude/commands", "echo x > go.md"),
        ("/home/me/.cache", ": > journal.jsonl"),
        ("/home/me/.callosum", "[[ 3 > 2 ]] && cat journal.jsonl"),
        ("/home/me/.callosum", "(( 2 > 1 ))"),
        ("/home/me/.callosum", "cat <<E\na > b\nE"),
    ] {
        assert_eq!(tier(cwd, command), 1, "{command} in {cwd}");
    }
}
