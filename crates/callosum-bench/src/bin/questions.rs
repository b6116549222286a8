//! Asks the page's questions piece after piece, and says how long each piece took.
//!
//! `questions DIRECTORY ROUNDS` reads an object of questions by name, `{"name":["question",{request}]}`, and answers
//! with the nanoseconds of their pieces, by name, all rounds together.

use std::collections::BTreeMap;
use std::io::stdin;
use std::path::Path;
use std::time::Instant;

use callosum_bench::{Result, answer, arguments, open_gate};
use callosum_core::gate::Gate;
use callosum_core::query::{self, Source};
use serde_json::{Map, Value, json};

type Request = Map<String, Value>;

/// Of a question about a large journal this many pieces are asked for in a round; the others are like them.
const PIECES: usize = 40;

fn main() -> Result<()> {
    let [directory, rounds] = arguments("questions DIRECTORY ROUNDS")?;
    let gate = open_gate(Path::new(&directory));
    let questions: BTreeMap<String, (String, Request)> = serde_json::from_reader(stdin().lock())?;
    // The first look opens the journal.
    gate.status(&gate.machine().now());
    let mut times: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for _ in 0..rounds.parse::<usize>()? {
        for (name, (question, request)) in &questions {
            times.entry(name).or_default().extend(pieces(&gate, question, request.clone())?);
        }
    }
    answer(&json!(times))?;
    Ok(())
}

fn pieces(gate: &Gate, question: &str, mut request: Request) -> Result<Vec<u64>> {
    let mut times = Vec::new();
    while times.len() < PIECES {
        let text = Value::from(request.clone()).to_string();
        let start = Instant::now();
        let piece = query::answer(gate, question, &text, &gate.machine().now())?;
        times.push(u64::try_from(start.elapsed().as_nanos())?);
        let piece: Value = serde_json::from_str(&piece)?;
        match piece.get("next") {
            None | Some(Value::Null) => break,
            Some(next) => request.insert("before".to_owned(), next.clone()),
        };
    }
    Ok(times)
}
