//! Asks a gate's bounded questions until all is told, as the page does, and says how long each piece took.
//!
//! `questions DIRECTORY` reads lines of JSON, `{"question","request"}`, and answers each with the microseconds of its pieces.

use std::io::stdin;
use std::path::Path;
use std::time::Instant;

use callosum_bench::{Result, answer, arguments, open_gate};
use callosum_core::gate::Gate;
use serde_json::{Value, json};

fn main() -> Result<()> {
    let [directory] = arguments("questions DIRECTORY")?;
    let gate = open_gate(Path::new(&directory));
    for line in stdin().lines() {
        let asked: Value = serde_json::from_str(&line?)?;
        let question = asked["question"].as_str().unwrap_or_default();
        answer(&json!(pieces(&gate, question, asked["request"].clone())?))?;
    }
    Ok(())
}

fn pieces(gate: &Gate, question: &str, mut request: Value) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    loop {
        let start = Instant::now();
        let text = gate.ask(question, &request.to_string(), &gate.machine().now())?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
        let piece: Value = serde_json::from_str(&text)?;
        match piece.get("next") {
            None | Some(Value::Null) => return Ok(times),
            Some(next) => request["before"] = next.clone(),
        }
    }
}
