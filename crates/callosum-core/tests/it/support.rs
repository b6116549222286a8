//! A world for tests: a state directory, gates on it, and a clock that goes when told.

use std::path::{Path, PathBuf};

use callosum_core::gate::{Answer, EndReport, Gate, GateOptions};
use callosum_core::machine::Machine;
use callosum_core::model::time::Stamp;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::query::{Filter, ReadOnlyView, Source};
use callosum_core::record::outcome::Ended;
use callosum_testing::gate::options;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Rules of the tests: mail is tier 3, a payment tier 4, a message tier 2, a write tier 1.
pub(crate) const RULES: &str = r#"{"rules":[
  {"name":"mail","tier":3,"tool":"mail","contextKey":"email:{params.to}"},
  {"name":"push","tier":3,"tool":"push","contextKey":"push:{params.to}","scope":"otherSessions"},
  {"name":"pay","tier":4,"tool":"pay","contextKey":"email:{params.to}"},
  {"name":"ship","tier":3,"tool":"exec","commandPattern":"^ship","contextKey":"ship"},
  {"name":"bare","tier":3,"tool":"bare"},
  {"name":"watched","tier":3,"tool":"watched","contextKey":"email:{params.to}","mode":"observe"},
  {"name":"message","tier":2,"tool":"message","contextKey":"email:{params.to}"},
  {"name":"write","tier":1,"tool":"write","contextKey":"file:{params.path}"}
]}"#;

pub(crate) struct World {
    pub(crate) directory: TempDir,
    pub(crate) now: Stamp,
    calls: u32,
}

/// A session of one gate.
#[derive(Clone, Copy)]
pub(crate) struct Session<'a> {
    pub(crate) gate: &'a Gate,
    pub(crate) name: &'a str,
    pub(crate) run: &'a str,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("tiers.json"), RULES).unwrap();
        Self { directory, now: Machine::read().now(), calls: 0 }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn journal_path(&self) -> PathBuf {
        self.path().join("journal.jsonl")
    }

    pub(crate) fn gate(&self, instance: &str) -> Gate {
        self.gate_with(instance, &json!({}))
    }

    /// A gate with more settings.
    pub(crate) fn gate_with(&self, instance: &str, more: &Value) -> Gate {
        Gate::new(options(self.path(), instance, more))
    }

    /// Looks, and leaves no trace.
    pub(crate) fn view(&self) -> ReadOnlyView {
        ReadOnlyView::new(GateOptions {
            settings: json!({ "stateDir": self.path().to_str().unwrap() }).to_string(),
            home: self.path().to_owned(),
            ..GateOptions::default()
        })
    }

    pub(crate) fn pass(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
    }

    /// A new call id.
    pub(crate) fn id(&mut self) -> String {
        self.calls += 1;
        format!("call_{}", self.calls)
    }

    /// A call under a new id; returns the id and the final answer.
    pub(crate) fn try_call(&mut self, by: Session<'_>, tool: &str, params: &Value) -> (String, Answer) {
        let id = self.id();
        let answer = self.before(by, tool, &id, params);
        (id, answer)
    }

    /// The before-hook of a call, finished if it needs a worker.
    pub(crate) fn before(&self, by: Session<'_>, tool: &str, id: &str, params: &Value) -> Answer {
        let answer = by.gate.before(&call(by, tool, Some(id)), params, &self.now);
        self.finish(by.gate, answer)
    }

    pub(crate) fn finish(&self, gate: &Gate, answer: Answer) -> Answer {
        match answer {
            Answer::Wait(ticket) => {
                let answer = gate.finish(ticket, &self.now);
                gate.forget(ticket);
                answer
            }
            answer => answer,
        }
    }

    /// The after-hook of a call.
    pub(crate) fn after(&self, by: Session<'_>, tool: &str, id: &str, ended: Ended, exit_code: Option<i64>) {
        let answer = by.gate.after(&report(by, tool, Some(id), ended, exit_code), &self.now);
        let _ = self.finish(by.gate, answer);
    }

    /// A call that must be allowed and ends well.
    pub(crate) fn done(&mut self, by: Session<'_>, tool: &str, params: &Value) {
        let (id, answer) = self.try_call(by, tool, params);
        assert_eq!(answer, Answer::Proceed, "{tool} {params}");
        self.after(by, tool, &id, Ended::Ok, None);
    }

    /// A call that must be refused; the model reads the refusal. Returns the text.
    pub(crate) fn refused(&mut self, by: Session<'_>, tool: &str, params: &Value) -> String {
        let (id, answer) = self.try_call(by, tool, params);
        let Answer::Refuse(text) = answer else { panic!("{tool} {params}: {answer:?}") };
        self.after(by, tool, &id, Ended::Refused, None);
        self.pass(600);
        text
    }

    /// All records of the journal, oldest first.
    pub(crate) fn records(&self, source: &dyn Source) -> Vec<Value> {
        source.journal(&Filter { limit: 10_000, ..Filter::default() }, &self.now).unwrap().entries
    }

    /// Session and action of the records of calls.
    pub(crate) fn story(&self, gate: &Gate) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.records(gate)
            .iter()
            .filter(|record| record.get("session").is_some())
            .map(|record| (text(&record["session"]), text(&record["action"])))
            .collect()
    }
}

pub(crate) fn session<'a>(gate: &'a Gate, name: &'a str) -> Session<'a> {
    Session { gate, name, run: "run" }
}

pub(crate) fn call(by: Session<'_>, tool: &str, id: Option<&str>) -> ToolCall {
    ToolCall {
        tool: tool.to_owned(),
        session: by.name.to_owned(),
        run: Some(by.run.to_owned()),
        call: id.map(str::to_owned),
        ..ToolCall::default()
    }
}

pub(crate) fn report(
    by: Session<'_>,
    tool: &str,
    id: Option<&str>,
    ended: Ended,
    exit_code: Option<i64>,
) -> EndReport {
    EndReport {
        tool: tool.to_owned(),
        agent: None,
        session: by.name.to_owned(),
        run: Some(by.run.to_owned()),
        call: id.map(str::to_owned),
        digest: None,
        ended,
        exit_code,
        process: None,
        ran: None,
    }
}

/// A mail to Alice.
pub(crate) fn alice() -> Value {
    json!({"to": "alice@example.com", "body": "hello"})
}

/// `(session, action)` rows for comparing with [`World::story`].
pub(crate) fn rows(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(session, action)| ((*session).to_owned(), (*action).to_owned())).collect()
}
