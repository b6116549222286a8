//! What each fuzz target does with its bytes. `cargo fuzz` feeds it new ones, `cargo test` the corpus: both run
//! this file.

use std::cell::RefCell;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::sync::LazyLock;

use callosum_core::gate::{Answer, Gate, GateOptions};
use callosum_core::model::time::Stamp;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::query::{Filter, Source};
use callosum_core::record::Line;
use callosum_core::rules::lint::lint;
use callosum_core::rules::{Classification, RuleSet, World};
use callosum_shell::Line as ShellLine;
use serde_json::json;
use tempfile::TempDir;

/// A target by its name, which is its corpus's folder too.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// All targets.
pub(crate) const TARGETS: &[Target] = &[
    ("rules", rules),
    ("templates", templates),
    ("commands", commands),
    ("lines", lines),
    ("journals", journals),
];

/// The text of a `tiers.json`: it is rules, or an error that says where.
pub(crate) fn rules(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let found = lint(text);
    match RuleSet::parse(text) {
        Ok(rules) => {
            assert_eq!((found.errors.len(), found.rule_count), (0, rules.len()));
            let params =
                json!({"action": "add", "command": "send --to a@x", "to": ["a", "b"], "path": "x/../y"});
            for tool in ["exec", "message", "mcp__a__b"] {
                check_keys(&rules.classify(&call(tool), "openclaw", &params, &World::unseen()));
            }
        }
        Err(error) => {
            assert_eq!(found.errors.first(), Some(&error));
            let lines: Vec<&str> = text.split('\n').collect();
            let line = lines.get(error.line.wrapping_sub(1));
            let line = line.unwrap_or_else(|| panic!("no such line: {error}"));
            assert!((1..=line.chars().count() + 1).contains(&error.column), "no such column: {error}");
            assert!(!error.message.is_empty() && !error.to_string().contains('\n'), "{error}");
        }
    }
}

/// A template in the first line, a call's parameters as JSON in the others.
pub(crate) fn templates(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (template, rest) = text.split_once('\n').unwrap_or((text, ""));
    let params =
        serde_json::from_str(rest).unwrap_or_else(|_| json!({"command": rest, "to": rest, "path": rest}));
    if let Ok(rules) = RuleSet::parse(&one_rule(template)) {
        let classification = rules.classify(&call("tool"), "openclaw", &params, &World::unseen());
        check_keys(&classification);
        assert!(!classification.context_keys.is_empty(), "a template gives a key for any call");
        assert_eq!(rules.classify(&call("tool"), "openclaw", &params, &World::unseen()), classification);
    }
}

/// A shell command.
pub(crate) fn commands(data: &[u8]) {
    let command = String::from_utf8_lossy(data);
    let line = ShellLine::read(&command);
    if line.is_simple() && !line.rough && !command.ends_with('\\') {
        assert!(!ShellLine::read(&format!("{command}\nfalse")).is_simple(), "two commands are no simple one");
    }
    let params = json!({ "command": command });
    static SHIPPED: LazyLock<RuleSet> = LazyLock::new(RuleSet::shipped);
    let explained = SHIPPED.explain(&call("exec"), "openclaw", &params, &World::unseen());
    check_keys(&explained.classification);
    assert_eq!(
        explained.classification,
        SHIPPED.classify(&call("exec"), "openclaw", &params, &World::unseen())
    );
    for matched in &explained.matches {
        assert!(matched.tier <= explained.classification.tier, "the highest tier counts");
    }
    for template in ["{commandRecipients}", "{workFolder}", "{filePath}", "{command.args}", "{kube.object}"] {
        let Ok(rules) = RuleSet::parse(&one_rule(template)) else { panic!("{template} is no template") };
        check_keys(&rules.classify(&call("tool"), "openclaw", &params, &World::unseen()));
    }
}

/// Lines of a journal.
pub(crate) fn lines(data: &[u8]) {
    for line in data.split(|byte| *byte == b'\n') {
        let _ = Line::stamp(line);
        let Line::Record(mut record) = Line::read(line) else { continue };
        let again = record.to_line().expect("a record can be written");
        let Some((b'\n', again)) = again.split_last() else { panic!("a line has an end") };
        assert!(!again.contains(&b'\n'), "a record is one line");
        // The original plugin's field is read, and never written.
        record.context_key = None;
        match Line::read(again) {
            Line::Record(read) => assert_eq!(read, record),
            Line::Light | Line::Counted(_) => {}
            other => panic!("written, it reads as {other:?}"),
        }
    }
}

/// A whole journal: a gate looks at it, decides on it, writes behind it, and can be asked again.
pub(crate) fn journals(data: &[u8]) {
    // Made once: to make a gate is to read the shipped rules, which takes longer than all else here.
    thread_local!(static BENCH: RefCell<Bench> = RefCell::new(Bench::new()));
    BENCH.with_borrow_mut(|bench| bench.journal(data));
}

struct Bench {
    directory: TempDir,
    gate: Gate,
    calls: u32,
}

impl Bench {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a folder for the state");
        fs::write(directory.path().join("tiers.json"), one_rule("email:{params.to}")).expect("rules");
        let settings =
            json!({"stateDir": directory.path(), "durability": "os", "instanceId": "fuzz"}).to_string();
        Self { directory, gate: Gate::new(GateOptions { settings, ..GateOptions::default() }), calls: 0 }
    }

    fn journal(&mut self, data: &[u8]) {
        let now = self.gate.machine().now();
        self.forget(&now);
        fs::write(self.directory.path().join("journal.jsonl"), data).expect("a journal");
        let _ = self.gate.status(&now);
        if self.decide(&now) == Answer::Proceed {
            assert!(matches!(self.decide(&now), Answer::Refuse(_)), "what was let through is evidence");
        }
        self.gate.maintain(&now);
        let records =
            self.gate.journal(&Filter { limit: 10_000, ..Filter::default() }, &now).unwrap_or_default();
        let seqs: Vec<u64> =
            records.entries.iter().filter_map(|record| record.get("seq")?.as_u64()).collect();
        assert!(seqs.is_sorted_by(|one, next| one < next), "sequence numbers rise: {seqs:?}");
    }

    /// Makes the gate let go of its files, which are deleted then: nothing is used of a folder that others may write.
    fn forget(&self, now: &Stamp) {
        let path = self.directory.path();
        let open_to = |mode| fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
        open_to(0o777);
        assert!(self.gate.status(now).degraded.is_some());
        open_to(0o700);
        for entry in fs::read_dir(path).expect("a folder").flatten() {
            if !["tiers.json", "state.guard"].iter().any(|kept| entry.file_name() == *kept) {
                fs::remove_file(entry.path()).expect("a file");
            }
        }
    }

    fn decide(&mut self, now: &Stamp) -> Answer {
        self.calls += 1;
        let call = ToolCall { call: Some(self.calls.to_string()), ..call("tool") };
        match self.gate.before(&call, &json!({"to": "alice@example.com"}), now) {
            Answer::Wait(ticket) => {
                let answer = self.gate.finish(ticket, now);
                self.gate.forget(ticket);
                answer
            }
            answer => answer,
        }
    }
}

fn call(tool: &str) -> ToolCall {
    ToolCall {
        tool: tool.to_owned(),
        session: "s".to_owned(),
        cwd: Some("/work".to_owned()),
        ..ToolCall::default()
    }
}

fn one_rule(template: &str) -> String {
    json!({"rules": [{"name": "fuzz", "tier": 3, "tool": "tool", "contextKey": template}]}).to_string()
}

/// Keys are few enough, each once, on one line, and short enough to be shown and stored.
fn check_keys(classification: &Classification) {
    let keys = &classification.context_keys;
    assert!(keys.len() <= 1_000, "{} keys", keys.len());
    for (index, key) in keys.iter().enumerate() {
        assert!(!key.contains(char::is_control) && key.chars().count() <= 200, "{key:?}");
        assert!(!keys.iter().take(index).any(|earlier| earlier == key), "twice: {key:?}");
    }
}
