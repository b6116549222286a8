//! The gate guards itself: what agents do to its state and to its hooks is of tier 4.

use callosum_core::rules::{Classification, RuleSet};
use callosum_core::tool_call::ToolCall;
use serde_json::{Value, json};

fn of(tool: &str, cwd: &str, params: &Value) -> Classification {
    let call = ToolCall { tool: tool.to_owned(), cwd: Some(cwd.to_owned()), ..ToolCall::default() };
    RuleSet::shipped().classify(&call, "openclaw", params)
}

fn tier(command: &str) -> (u8, String) {
    let found = of("exec", "/w", &json!({ "command": command }));
    (found.tier as u8, found.context_keys.join(" "))
}

#[test]
fn a_command_that_reaches_for_the_gate_is_of_tier_4() {
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
        "callosum locks release email:alice@example.com",
        "callosum uninstall claude-code",
        "~/bin/callosum --state-dir /x uninstall codex",
        "npx callosum uninstall gemini",
        "openclaw callosum locks release email:alice@example.com",
    ] {
        assert_eq!(tier(command), (4, "callosum:state".to_owned()), "{command}");
    }
    for command in [
        "openclaw plugins uninstall callosum --force",
        "openclaw plugins disable callosum",
        "openclaw config unset plugins.entries.callosum",
    ] {
        assert_eq!(tier(command).0, 4, "{command}");
    }
}

#[test]
fn reading_the_gate_and_work_elsewhere_stay_as_they_are() {
    for command in [
        "cat ~/.callosum/journal.jsonl",
        "tail -f ~/.callosum/journal.jsonl | head",
        "grep mail ~/.callosum/journal.jsonl > /tmp/found",
        "ls ~/.callosum 2>/dev/null",
        "cat ~/.claude/settings.json 2>&1",
        "cp ~/.callosum/journal.jsonl /tmp/copy.jsonl",
        "callosum status",
        "callosum journal -n 20 > /tmp/callosum.txt",
        "callosum locks",
        "callosum uninstall claude-code --dry-run",
        "callosum doctor",
        "rm -rf node_modules",
        "rm -rf dist/callosum",
        "echo x > callosum.txt",
        "echo x > .claude/commands/go.md",
        "rm .claude/commands/go.md",
        "mkdir -p .gemini",
        "git clone https://example.com/callosum.git > log 2>&1",
        "npm run build > build.log",
    ] {
        let (tier, keys) = tier(command);
        assert!(tier <= 2 && !keys.contains("callosum:state"), "{command}: {tier} {keys}");
    }
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
    ] {
        assert_eq!(of(tool, "/w", &params).tier as u8, 1, "{tool} {params}");
    }
    assert_eq!(of("read", "/w", &json!({"path": "/home/me/.callosum/journal.jsonl"})).tier as u8, 0);
}
