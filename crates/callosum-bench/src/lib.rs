//! What the native programs of `npm run bench` share. `scripts/bench` starts them, and `tests/races` the racer; each does
//! one thing, is told what by its arguments or a line of JSON, and answers with one line of JSON.

pub mod calls;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use callosum_core::gate::{Answer, Gate, GateOptions};
use callosum_core::model::time::Stamp;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

/// What the programs end with.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A gate on the journal in `directory` as a native runtime opens it. It does not flush, and nothing is pruned:
/// the size of the journal is what is measured.
#[must_use]
pub fn open_gate(directory: &Path) -> Gate {
    let settings = json!({
        "stateDir": directory, "instanceId": "bench", "durability": "os",
        "journalMaxBytes": 1_u64 << 50, "journalMaxAgeMs": 315_360_000_000_u64,
    });
    Gate::new(GateOptions {
        settings: settings.to_string(),
        runtime: "native".to_owned(),
        ..GateOptions::default()
    })
}

/// Brings an answer to its end on this thread, which may wait.
///
/// # Errors
/// When the call was refused: none of the benchmark's native calls should be.
pub fn settle(gate: &Gate, mut answer: Answer, now: &Stamp) -> Result<()> {
    if let Answer::Wait(ticket) = answer {
        answer = gate.finish(ticket, now);
        gate.forget(ticket);
    }
    match answer {
        Answer::Refuse(text) => Err(text.into()),
        Answer::ProceedThenMaintain => {
            gate.maintain(now);
            Ok(())
        }
        Answer::Proceed | Answer::Warn(_) | Answer::Ask(_) | Answer::Wait(_) => Ok(()),
    }
}

/// Microseconds of the clock that all processes of a machine share; `process.hrtime` shows the same one.
#[must_use]
pub fn monotonic_us() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000 + u64::try_from(now.tv_nsec / 1_000).unwrap_or(0)
}

/// The program's arguments, exactly as many as `usage` names.
///
/// # Errors
/// The usage, when there are more or fewer.
pub fn arguments<const N: usize>(usage: &str) -> Result<[String; N]> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    given.try_into().map_err(|_| format!("usage: {usage}").into())
}

/// Prints one line.
///
/// # Errors
/// When nobody reads any more.
pub fn answer(line: &impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
