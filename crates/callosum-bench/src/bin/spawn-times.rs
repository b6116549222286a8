//! Starts programs again and again, each in turn, and tells how long each took from its start until it had ended.
//!
//! `spawn-times '{"rounds":50,"seconds":20,"programs":[["PROGRAM","ARGUMENT"], …],"stdin":"FILE"}'`; without a file nothing
//! stands on their standard input.

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use callosum_bench::{Result, answer, arguments};
use serde_json::{Value, json};

/// So many rounds are done however long they take: fewer would have no median.
const LEAST_ROUNDS: u64 = 3;

fn main() -> Result<()> {
    let [order] = arguments("spawn-times ORDER")?;
    let order: Value = serde_json::from_str(&order)?;
    let number = |field: &str| order.get(field).and_then(Value::as_u64).ok_or(format!("no number `{field}`"));
    let (rounds, patience) = (number("rounds")?, Duration::from_secs(number("seconds")?));
    let programs: Vec<Vec<String>> =
        serde_json::from_value(order.get("programs").cloned().unwrap_or_default())?;

    let stdin = order.get("stdin").and_then(Value::as_str);

    let began = Instant::now();
    let mut times: Vec<Vec<u64>> = vec![Vec::new(); programs.len()];
    for round in 0..rounds {
        if round >= LEAST_ROUNDS && began.elapsed() > patience {
            break;
        }
        for (program, times) in programs.iter().zip(&mut times) {
            let Some((path, arguments)) = program.split_first() else { return Err("no program".into()) };
            let stdin = stdin.map_or(Ok(Stdio::null()), |file| File::open(file).map(Stdio::from))?;
            let started = Instant::now();
            let status = Command::new(path).args(arguments).stdin(stdin).stdout(Stdio::null()).status()?;
            times.push(u64::try_from(started.elapsed().as_nanos())?);
            if !status.success() {
                return Err(format!("`{}` ended with {status}", program.join(" ")).into());
            }
        }
    }
    answer(&json!(times))?;
    Ok(())
}
