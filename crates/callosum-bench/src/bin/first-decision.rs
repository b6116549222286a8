//! A fresh process and its first decision: opens the journal, decides one call of tier 3, closes it, and ends.

use std::path::Path;
use std::time::{Duration, Instant};

use callosum_bench::calls::Sample;
use callosum_bench::{Result, arguments, monotonic_us, open_gate, settle};

fn main() -> Result<()> {
    let [directory] = arguments("first-decision DIRECTORY")?;
    let gate = open_gate(Path::new(&directory));
    let now = gate.machine().now();
    // Nobody was mailed at this microsecond, so there is nothing to pause for.
    let Sample { call, params, .. } = Sample::mail(monotonic_us());
    settle(&gate, gate.before(&call, &params, &now), &now)?;
    // Else nobody writes an index, and each such process reads what all before it wrote.
    gate.settle(Instant::now() + Duration::from_secs(1), &now);
    std::mem::forget(gate);
    Ok(())
}
