//! Starts programs again and again, each in turn, and tells how long each took from its start until it had ended.
//!
//! `spawn-times '{"rounds":50,"seconds":20,"programs":[["PROGRAM","ARGUMENT"], …],"stdin":"TEXT","before":"TEXT"}'`: the text
//! stands on their standard input, and nothing without one; where there is one `before`, each is started with that first,
//! untimed. `{round}` in a text is the number of the round.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use callosum_bench::{Result, answer, arguments};
use serde_json::{Value, json};

/// At least this many rounds are done, however long they take: fewer would have no median.
const LEAST_ROUNDS: u64 = 3;

fn main() -> Result<()> {
    let [order] = arguments("spawn-times ORDER")?;
    let order: Value = serde_json::from_str(&order)?;
    let number = |field: &str| order.get(field).and_then(Value::as_u64).ok_or(format!("no number `{field}`"));
    let (rounds, patience) = (number("rounds")?, Duration::from_secs(number("seconds")?));
    let programs: Vec<Vec<String>> =
        serde_json::from_value(order.get("programs").cloned().unwrap_or_default())?;
    let input = std::env::temp_dir().join(format!("spawn-times.{}", std::process::id()));
    let text = |field: &str, round: u64| {
        order.get(field).and_then(Value::as_str).map(|text| text.replace("{round}", &round.to_string()))
    };

    let began = Instant::now();
    let mut times: Vec<Vec<u64>> = vec![Vec::new(); programs.len()];
    for round in 0..rounds {
        if round >= LEAST_ROUNDS && began.elapsed() > patience {
            break;
        }
        for (program, times) in programs.iter().zip(&mut times) {
            if let Some(before) = text("before", round) {
                run(program, Some(&before), &input)?;
            }
            times.push(run(program, text("stdin", round).as_deref(), &input)?);
        }
    }
    fs::remove_file(&input).or_else(|error| if input.exists() { Err(error) } else { Ok(()) })?;
    answer(&json!(times))?;
    Ok(())
}

/// Nanoseconds that a program takes, with a text on its standard input that lies in the file `input`.
fn run(program: &[String], stdin: Option<&str>, input: &Path) -> Result<u64> {
    let Some((path, arguments)) = program.split_first() else { return Err("no program".into()) };
    let stdin = match stdin {
        Some(text) => {
            fs::write(input, text)?;
            Stdio::from(File::open(input)?)
        }
        None => Stdio::null(),
    };
    let started = Instant::now();
    // A pipe, as a runtime has it: a hook whose answer nobody can read ends otherwise. It holds more than any answer.
    let mut child = Command::new(path).args(arguments).stdin(stdin).stdout(Stdio::piped()).spawn()?;
    let answer = child.stdout.take();
    let status = child.wait()?;
    drop(answer);
    let took = started.elapsed();
    if !status.success() {
        return Err(format!("`{}` ended with {status}", program.join(" ")).into());
    }
    Ok(u64::try_from(took.as_nanos())?)
}
