//! A small journal that the gate itself has written, and its lines one by one.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use callosum_core::gate::{Answer, EndReport, Gate, GateOptions};
use callosum_core::model::time::{Stamp, to_rfc3339};
use callosum_core::model::tool_call::ToolCall;
use callosum_core::record::outcome::Ended;
use serde_json::{Value, json};

pub(crate) const RULES: &str = r#"{"rules":[
  {"name":"pay","tier":4,"tool":"pay","contextKey":"{params.to}"},
  {"name":"mail","tier":3,"tool":"mail","contextKey":"{params.to}"},
  {"name":"note","tier":2,"tool":"note","contextKey":"{params.to}"},
  {"name":"write","tier":1,"tool":"write","contextKey":"{params.to}"}
]}"#;

/// Where the sample begins: in a journal whose older segments are gone. An index is worth writing from here on.
pub(crate) const BASE: u64 = 1_000_000;

/// Late in a boot, so that one digit of a time that changes makes a line seem older than any window.
pub(crate) const BEGIN: Stamp =
    Stamp { wall_ms: 1_763_640_000_123, up_ms: 987_654_321, boot: Some(0x5ca1_ab1e) };

/// The resources of the sample. Alice was mailed, Bob is being mailed, the mail to Carol failed in the next segment, Dave
/// got a note, and session `p` was paused for it.
pub(crate) const KEYS: [&str; 4] = ["alice", "bob", "carol", "dave"];

/// Files of a state directory that hold history: name and content. The closed segment, and the active one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Files {
    pub(crate) closed: Vec<u8>,
    pub(crate) active: Vec<u8>,
}

/// The files in the order of the journal.
pub(crate) const CLOSED: usize = 0;
pub(crate) const ACTIVE: usize = 1;

/// A line of the undamaged sample.
#[derive(Debug)]
pub(crate) struct Original {
    /// Which file it is in.
    pub(crate) file: usize,
    /// Its first byte in that file, and its newline.
    pub(crate) start: usize,
    pub(crate) newline: usize,
    pub(crate) seq: u64,
    pub(crate) value: Value,
    /// The resources it is about.
    pub(crate) keys: BTreeSet<String>,
}

/// The sample.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) files: Files,
    pub(crate) lines: Vec<Original>,
    pub(crate) now: Stamp,
}

impl Files {
    pub(crate) fn get(&self, file: usize) -> &[u8] {
        if file == CLOSED { &self.closed } else { &self.active }
    }

    /// The same with another content of one file.
    pub(crate) fn with(&self, file: usize, content: Vec<u8>) -> Self {
        let mut files = self.clone();
        *(if file == CLOSED { &mut files.closed } else { &mut files.active }) = content;
        files
    }

    pub(crate) fn active_base(&self) -> u64 {
        BASE + self.closed.len() as u64
    }

    /// Where a file of the undamaged sample begins in the journal.
    pub(crate) fn base(&self, file: usize) -> u64 {
        if file == CLOSED { BASE } else { self.active_base() }
    }

    pub(crate) fn write(&self, directory: &Path) {
        fs::write(directory.join(closed_name()), &self.closed).unwrap();
        fs::write(directory.join("journal.jsonl"), &self.active).unwrap();
    }
}

pub(crate) fn closed_name() -> String {
    format!("journal.{BASE}.jsonl")
}

impl Sample {
    pub(crate) fn make() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        fs::write(path.join("tiers.json"), RULES).unwrap();
        let mut maker = Maker { gate: gate(path, "doug"), now: BEGIN, calls: 0 };
        append(path, &maker.line("opened", BASE));
        maker.done("mail", "alice", Ended::Ok);
        maker.begin("s", "mail", "bob");
        let carol = maker.begin("s", "mail", "carol");
        // A rotation that was cut off: the gate finishes it.
        let size = fs::read(path.join("journal.jsonl")).unwrap().len() as u64;
        let length = maker.line("closed", BASE).len() as u64;
        append(path, &maker.line("closed", BASE + size + length));
        maker.done("note", "dave", Ended::Ok);
        maker.end("s", "mail", &carol, Ended::Error);
        let paused = maker.call("p", "mail");
        assert!(matches!(maker.answer(&paused, "dave"), Answer::Refuse(_)));
        maker.done("write", "/x", Ended::Ok);
        maker.now = maker.now.plus_ms(1_000);
        maker.gate.close(&maker.now);
        let files = Files {
            closed: fs::read(path.join(closed_name())).unwrap(),
            active: fs::read(path.join("journal.jsonl")).unwrap(),
        };
        let lines = originals(&files);
        let actions: Vec<&str> = lines.iter().filter_map(|line| line.value["action"].as_str()).collect();
        assert_eq!(
            actions,
            [
                "opened",
                "rules",
                "intercept",
                "complete",
                "intercept",
                "intercept",
                "closed",
                "opened",
                "rules",
                "intercept",
                "complete",
                "failed",
                "blocked",
                "intercept",
                "seen",
            ]
        );
        Self { files, lines, now: maker.now.plus_ms(1_000) }
    }

    pub(crate) fn bytes_of(&self, line: &Original) -> &[u8] {
        &self.files.get(line.file)[line.start..line.newline]
    }

    /// The line that a byte of a file is in.
    pub(crate) fn line_at(&self, file: usize, byte: usize) -> usize {
        self.lines.iter().position(|line| line.file == file && byte <= line.newline).unwrap()
    }
}

/// Lines of whole files, by a reader of the test's own.
fn originals(files: &Files) -> Vec<Original> {
    let mut lines = Vec::new();
    for file in [CLOSED, ACTIVE] {
        let bytes = files.get(file);
        let mut start = 0;
        while let Some(length) = bytes[start..].iter().position(|byte| *byte == b'\n') {
            let newline = start + length;
            let value: Value = serde_json::from_slice(&bytes[start..newline]).unwrap();
            let keys = value["contextKeys"].as_array().into_iter().flatten();
            let keys = keys.map(|key| key.as_str().unwrap().to_owned()).collect();
            lines.push(Original { file, start, newline, seq: files.base(file) + start as u64, value, keys });
            start = newline + 1;
        }
        assert_eq!(start, bytes.len(), "the last line has its end");
    }
    lines
}

pub(crate) fn gate(directory: &Path, instance: &str) -> Gate {
    let settings = json!({
        "stateDir": directory, "instanceId": instance, "durability": "os", "paramsSummaryChars": 0,
        "journalMaxAgeMs": 3_600_000,
    });
    Gate::new(GateOptions {
        settings: settings.to_string(),
        runtime: "t".to_owned(),
        ..GateOptions::default()
    })
}

pub(crate) fn call(session: &str, tool: &str, id: &str) -> ToolCall {
    ToolCall {
        tool: tool.to_owned(),
        session: session.to_owned(),
        call: Some(id.to_owned()),
        ..ToolCall::default()
    }
}

/// Finishes what a host would leave to a worker.
pub(crate) fn finish(gate: &Gate, answer: Answer, now: &Stamp) -> Answer {
    let Answer::Wait(ticket) = answer else { return answer };
    let answer = gate.finish(ticket, now);
    gate.forget(ticket);
    answer
}

pub(crate) fn append(directory: &Path, text: &str) {
    let path = directory.join("journal.jsonl");
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Makes the calls of the sample.
struct Maker {
    gate: Gate,
    now: Stamp,
    calls: u32,
}

impl Maker {
    /// A line of the journal's own, as the format has it.
    fn line(&self, action: &str, base: u64) -> String {
        let at = to_rfc3339(self.now.wall_ms);
        let (up, boot) = (self.now.up_ms, self.now.boot.unwrap());
        format!(
            "{{\"v\":1,\"action\":\"{action}\",\"timestamp\":\"{at}\",\"up\":{up},\"boot\":\"{boot:08x}\",\"instance\":\
             \"doug\",\"base\":{base}}}\n"
        )
    }

    fn call(&mut self, session: &str, tool: &str) -> ToolCall {
        self.calls += 1;
        self.now = self.now.plus_ms(1_000);
        call(session, tool, &self.calls.to_string())
    }

    fn answer(&self, call: &ToolCall, to: &str) -> Answer {
        finish(&self.gate, self.gate.before(call, &json!({ "to": to }), &self.now), &self.now)
    }

    fn begin(&mut self, session: &str, tool: &str, to: &str) -> String {
        let call = self.call(session, tool);
        assert_eq!(self.answer(&call, to), Answer::Proceed, "{tool} {to}");
        call.call.unwrap()
    }

    fn end(&mut self, session: &str, tool: &str, id: &str, ended: Ended) {
        self.now = self.now.plus_ms(1_000);
        let report = EndReport {
            tool: tool.to_owned(),
            agent: None,
            session: session.to_owned(),
            run: None,
            call: Some(id.to_owned()),
            digest: None,
            ended,
            exit_code: None,
            process: None,
            ran: None,
        };
        finish(&self.gate, self.gate.after(&report, &self.now), &self.now);
    }

    fn done(&mut self, tool: &str, to: &str, ended: Ended) {
        let id = self.begin("s", tool, to);
        self.end("s", tool, &id, ended);
    }
}
