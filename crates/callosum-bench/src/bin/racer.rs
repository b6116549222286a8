//! A native process for the races in `tests/races`: does the rounds it is told on standard input, one JSON
//! object a line, and answers each with what it did. `racer.ts` is the same on the Node addon.

use std::io::{self, BufRead, Write};
use std::thread;
use std::time::Duration;

use callosum_bench::Result;
use callosum_core::gate::{Answer, EndReport, Gate, GateOptions, GivenUp};
use callosum_core::model::tool_call::ToolCall;
use callosum_core::record::outcome::Ended;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

fn main() -> Result<()> {
    let name = std::env::args().nth(1).ok_or("usage: racer NAME")?;
    let mut racer = Racer { name, gate: None };
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let order: Value = serde_json::from_str(&line?)?;
        let answer = racer.obey(&order)?;
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

struct Racer {
    name: String,
    gate: Option<Gate>,
}

/// A verdict, and whether it took a worker.
struct Verdict {
    refused: Option<String>,
    waited: bool,
}

impl Racer {
    fn obey(&mut self, order: &Value) -> Result<Value> {
        match text(order, "do")? {
            "open" => {
                self.close();
                let options = GateOptions {
                    settings: order.get("config").ok_or("no config")?.to_string(),
                    runtime: "native".to_owned(),
                    ..GateOptions::default()
                };
                self.gate = Some(Gate::new(options));
                Ok(json!({ "did": "open" }))
            }
            "maintain" => {
                let gate = self.gate()?;
                gate.maintain(&gate.machine().now());
                Ok(json!({ "did": "maintain" }))
            }
            "close" => {
                self.close();
                Ok(json!({ "did": "close" }))
            }
            "race" => self.race(order),
            other => Err(format!("can't do `{other}`").into()),
        }
    }

    fn gate(&self) -> Result<&Gate> {
        self.gate.as_ref().ok_or_else(|| "no gate is open".into())
    }

    fn close(&mut self) {
        if let Some(gate) = self.gate.take() {
            gate.close(&gate.machine().now());
        }
    }

    fn race(&self, order: &Value) -> Result<Value> {
        let gate = self.gate()?;
        let round = number(order, "round")?;
        let mut side = Vec::new();
        for index in 0..number(order, "side")? {
            let tier = 1 + index % 2;
            let (tool, call) = (format!("side-{tier}"), format!("{}-{round}-{index}", self.name));
            let params = json!({ "name": self.name });
            let verdict = self.before(gate, &tool, &call, &params);
            self.after(gate, &tool, &call);
            side.push(json!({ "call": call, "tier": tier, "allowed": verdict.refused.is_none() }));
        }
        // The clock that all processes of a machine share.
        let start = number(order, "startUs")?;
        thread::sleep(Duration::from_micros(start.saturating_sub(monotonic_us())));
        let call = format!("{}-{round}", self.name);
        let params = json!({ "to": text(order, "to")? });
        let from_us = monotonic_us();
        let verdict = self.before(gate, "send", &call, &params);
        let to_us = monotonic_us();
        let allowed = verdict.refused.is_none();
        if allowed {
            thread::sleep(Duration::from_micros(number(order, "workUs")?));
            self.after(gate, "send", &call);
        }
        let notices: Vec<String> = gate.take_notices().into_iter().map(|notice| notice.text).collect();
        Ok(json!({
            "did": "race", "name": self.name, "pid": std::process::id(), "round": round, "call": call, "session": self.name,
            "allowed": allowed, "text": verdict.refused, "waited": verdict.waited, "fromUs": from_us, "toUs": to_us,
            "side": side, "notices": notices,
        }))
    }

    fn before(&self, gate: &Gate, tool: &str, call: &str, params: &Value) -> Verdict {
        let asked = ToolCall {
            tool: tool.to_owned(),
            session: self.name.clone(),
            run: Some("race".to_owned()),
            call: Some(call.to_owned()),
            ..ToolCall::default()
        };
        let answer = gate.before(&asked, params, &gate.machine().now());
        let waited = matches!(answer, Answer::Wait(_));
        let refused = match finish(gate, answer) {
            Answer::Refuse(text) => Some(text),
            _ => None,
        };
        Verdict { refused, waited }
    }

    fn after(&self, gate: &Gate, tool: &str, call: &str) {
        let report = EndReport {
            tool: tool.to_owned(),
            agent: None,
            session: self.name.clone(),
            run: Some("race".to_owned()),
            call: Some(call.to_owned()),
            digest: None,
            ended: Ended::Ok,
            exit_code: Some(0),
            process: None,
            ran: None,
        };
        finish(gate, gate.after(&report, &gate.machine().now()));
    }
}

/// What the addon does with a ticket: it is worked off on another thread.
fn finish(gate: &Gate, answer: Answer) -> Answer {
    let Answer::Wait(ticket) = answer else { return answer };
    let work = || gate.finish(ticket, &gate.machine().now());
    let answer = thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|_| {
        // As the addon after a panic: the state's policy decides.
        gate.abandon(ticket, GivenUp::Late, &gate.machine().now())
    });
    gate.forget(ticket);
    answer
}

fn text<'a>(order: &'a Value, field: &str) -> Result<&'a str> {
    order.get(field).and_then(Value::as_str).ok_or_else(|| format!("no text `{field}` in {order}").into())
}

fn number(order: &Value, field: &str) -> Result<u64> {
    order.get(field).and_then(Value::as_u64).ok_or_else(|| format!("no number `{field}` in {order}").into())
}

fn monotonic_us() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000 + u64::try_from(now.tv_nsec / 1_000).unwrap_or(0)
}
