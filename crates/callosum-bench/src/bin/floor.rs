//! What no journal can be faster than: a plain loop on open descriptors, one exclusive `flock`, one write of as
//! many bytes, the unlock; and, where a flush is asked for, one `fdatasync`.
//!
//! `floor DIRECTORY`, then on standard input a line for each order: `{"bytes":300,"calls":200,"flush":false}`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::Instant;

use callosum_bench::{Result, answer, arguments};
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

fn main() -> Result<()> {
    let [directory] = arguments("floor DIRECTORY")?;
    let directory = Path::new(&directory);
    let guard = File::create(directory.join("guard"))?;
    let data = OpenOptions::new().create(true).append(true).open(directory.join("data"))?;
    for order in io::stdin().lock().lines() {
        let order: Value = serde_json::from_str(&order?)?;
        let number =
            |field: &str| order.get(field).and_then(Value::as_u64).ok_or(format!("no number `{field}`"));
        let line = vec![b'x'; usize::try_from(number("bytes")?)?];
        let flush = order.get("flush").and_then(Value::as_bool).unwrap_or(false);
        let mut times = Vec::new();
        for _ in 0..number("calls")? {
            let started = Instant::now();
            flock(&guard, FlockOperation::LockExclusive)?;
            if !line.is_empty() {
                (&data).write_all(&line)?;
            }
            flock(&guard, FlockOperation::Unlock)?;
            if flush {
                data.sync_data()?;
            }
            times.push(u64::try_from(started.elapsed().as_nanos())?);
        }
        answer(&json!(times))?;
    }
    Ok(())
}
