//! One of several processes that make calls of tier 1, before and after, as fast as they can.
//!
//! `load DIRECTORY START_US MILLISECONDS` begins at that microsecond of the monotonic clock.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use callosum_bench::calls::Sample;
use callosum_bench::{Result, answer, arguments, monotonic_us, open_gate, settle};
use callosum_core::gate::{Answer, Gate};
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use serde_json::json;

/// How soon lines that had to be queued are written when no further call does it: as the OpenClaw plugin has it.
const MAINTAIN_SOON: Duration = Duration::from_millis(50);
/// After so many calls in a row that had to be queued it waits for the guard: it makes calls without a pause, and the
/// queue is bounded.
const MOST_QUEUED: u64 = 1_000;

fn main() -> Result<()> {
    let [directory, start, milliseconds] = arguments("load DIRECTORY START_US MILLISECONDS")?;
    let (start, duration) = (start.parse::<u64>()?, Duration::from_millis(milliseconds.parse()?));
    let gate = open_gate(Path::new(&directory));
    // A number is a call's id, so those of different processes must not meet.
    let first = u64::from(std::process::id()) << 32;
    // Opens the journal.
    call(&gate, first)?;
    gate.maintain(&gate.machine().now());

    thread::sleep(Duration::from_micros(start.saturating_sub(monotonic_us())));
    let began = Instant::now();
    let mut calls = 0;
    // Since the queue was last empty: a call that is written at once takes the queue along.
    let (mut queued, mut queued_since) = (0, Instant::now());
    while began.elapsed() < duration {
        calls += 1;
        if !call(&gate, first + calls)? {
            queued = 0;
            continue;
        }
        queued += 1;
        if queued == 1 {
            queued_since = Instant::now();
        }
        if queued >= MOST_QUEUED || queued_since.elapsed() > MAINTAIN_SOON {
            gate.maintain(&gate.machine().now());
            queued = 0;
        }
    }
    // A call whose line is not written yet is not done.
    gate.maintain(&gate.machine().now());
    let seconds = began.elapsed().as_secs_f64();
    let lost = gate.status(&gate.machine().now()).waiting.lost;
    gate.close(&gate.machine().now());
    answer(&json!({ "calls": calls, "lost": lost, "seconds": seconds }))?;
    Ok(())
}

/// One call of tier 1; whether its line had to be queued because the guard was taken.
fn call(gate: &Gate, number: u64) -> Result<bool> {
    let sample = Sample::write(number);
    let before = gate.before(&sample.call, &sample.params, &gate.machine().now());
    let now = gate.machine().now();
    settle(gate, gate.after(&sample.end(Ended::Ok), &now), &now)?;
    match before {
        Answer::Proceed => Ok(false),
        Answer::ProceedThenMaintain => Ok(true),
        other => Err(format!("a call of tier 1 was answered with {other:?}").into()),
    }
}
