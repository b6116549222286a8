//! A session that writes at a steady pace: messages that go through, and now and then a mail that is paused.
//!
//! `steady DIRECTORY RECORDS_A_SECOND MILLISECONDS` prints how many records it wrote, and how many of them are pauses: one in about a hundred.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use callosum_bench::calls::Sample;
use callosum_bench::{Result, answer, arguments, open_gate, settle};
use callosum_core::gate::{Answer, Gate};
use callosum_core::record::outcome::Ended;
use serde_json::json;

/// Calls of a round: all but the last are messages, which leave two records each.
const ROUND: u64 = 50;

fn main() -> Result<()> {
    let [directory, rate, milliseconds] = arguments("steady DIRECTORY RECORDS_A_SECOND MILLISECONDS")?;
    let (rate, duration) = (rate.parse::<f64>()?, Duration::from_millis(milliseconds.parse()?));
    let gate = open_gate(Path::new(&directory));
    // The mail that later ones repeat. Where another process has sent it, it is paused itself.
    let is_first_paused = call(&gate, &Sample::mail(0))?;
    // Another process is other sessions: who was paused before and comes again gets through.
    let first = u64::from(std::process::id()) << 32;
    let began = Instant::now();
    let (mut number, mut records, mut pauses) = (0_u64, 0_u64, u64::from(is_first_paused));
    while began.elapsed() < duration {
        number += 1;
        let is_paused = number.is_multiple_of(ROUND);
        let sample =
            if is_paused { Sample::mail_again(first + number) } else { Sample::message(first + number) };
        if call(&gate, &sample)? != is_paused {
            return Err(format!("call {number} was not to be answered so").into());
        }
        records += if is_paused { 1 } else { 2 };
        pauses += u64::from(is_paused);
        let due = began + Duration::from_secs_f64(f64::from(u32::try_from(records)?) / rate);
        thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    gate.close(&gate.machine().now());
    answer(&json!({ "records": records, "pauses": pauses }))?;
    Ok(())
}

/// Makes a call; whether it was paused.
fn call(gate: &Gate, sample: &Sample) -> Result<bool> {
    let now = gate.machine().now();
    let mut given = gate.before(&sample.call, &sample.params, &now);
    if let Answer::Wait(ticket) = given {
        given = gate.finish(ticket, &now);
        gate.forget(ticket);
    }
    let is_paused = matches!(given, Answer::Refuse(_));
    if !is_paused {
        settle(gate, given, &now)?;
    }
    let now = gate.machine().now();
    settle(gate, gate.after(&sample.end(if is_paused { Ended::Refused } else { Ended::Ok }), &now), &now)?;
    Ok(is_paused)
}
