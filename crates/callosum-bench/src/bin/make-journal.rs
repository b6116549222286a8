//! Makes a journal by letting a gate decide calls whose time is made up: of its lines about 90 % are of tiers 0–1,
//! 6 % of tier 2 and 4 % of tier 3, the last two with their outcomes.
//!
//! `make-journal DIRECTORY LINES SPAN_MS` spreads the lines evenly over that time until now.

use std::path::Path;

use callosum_bench::calls::Sample;
use callosum_bench::{Result, answer, arguments, open_gate, settle};
use callosum_core::gate::Gate;
use callosum_core::model::time::Stamp;
use callosum_core::record::outcome::Ended;
use serde_json::json;

/// One call in so many has an outcome, so writes two lines. Three of five such calls are of tier 2, so 10 lines of
/// 100 are theirs in the proportion 6 to 4.
const TRACKED_EVERY: u64 = 19;
/// What is out of the window is forgotten after so many calls, as a gateway does every few seconds.
const MAINTAIN_EVERY: u64 = 50_000;
/// One action in so many fails.
const FAILED_EVERY: u64 = 50;
const YEAR_MS: u64 = 365 * 24 * 3_600_000;

fn main() -> Result<()> {
    let [directory, lines, span_ms] = arguments("make-journal DIRECTORY LINES SPAN_MS")?;
    let (lines, span_ms) = (lines.parse::<u64>()?, span_ms.parse::<u64>()?);
    let gate = open_gate(Path::new(&directory));
    let end = gate.machine().now();
    let at = |written: u64| {
        let left = u128::from(lines.saturating_sub(written));
        earlier(&end, u64::try_from(u128::from(span_ms) * left / u128::from(lines.max(1))).unwrap_or(0))
    };
    let (mut written, mut number) = (0, 0);
    while written < lines {
        written += decide(&gate, number, &at(written), &at(written + 1))?;
        number += 1;
        if number.is_multiple_of(MAINTAIN_EVERY) {
            gate.maintain(&at(written));
        }
    }
    gate.close(&end);
    answer(&json!({ "lines": written }))?;
    Ok(())
}

/// Lets one call through; how many lines it wrote.
fn decide(gate: &Gate, number: u64, started: &Stamp, ended: &Stamp) -> Result<u64> {
    let round = number / TRACKED_EVERY;
    let tracked = number.is_multiple_of(TRACKED_EVERY);
    let sample = match (tracked, number % 5) {
        (true, _) if matches!(round % 5, 1 | 3) => Sample::mail(number),
        (true, _) => Sample::message(number),
        (false, 0 | 2 | 4) => Sample::read(number),
        (false, 1) => Sample::write(number),
        (false, _) => Sample::command(number),
    };
    settle(gate, gate.before(&sample.call, &sample.params, started), started)?;
    let outcome = if tracked && round.is_multiple_of(FAILED_EVERY) { Ended::Error } else { Ended::Ok };
    settle(gate, gate.after(&sample.end(outcome), ended), ended)?;
    Ok(if tracked { 2 } else { 1 })
}

/// The moment `ms` before `now`: in the same boot, or else in one before it.
fn earlier(now: &Stamp, ms: u64) -> Stamp {
    let wall_ms = now.wall_ms.saturating_sub_unsigned(ms);
    match now.up_ms.checked_sub(ms) {
        Some(up_ms) => Stamp { wall_ms, up_ms, boot: now.boot },
        None => Stamp { wall_ms, up_ms: YEAR_MS.saturating_sub(ms), boot: now.boot.map(|boot| !boot) },
    }
}
