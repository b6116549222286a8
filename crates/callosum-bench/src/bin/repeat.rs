//! One kind of call over and over, before and after: what a counter of instructions is pointed at.

use std::path::Path;

use callosum_bench::calls::Sample;
use callosum_bench::{Result, arguments, open_gate, settle};
use callosum_core::outcome::Ended;

fn main() -> Result<()> {
    let [directory, kind, count] = arguments("repeat DIRECTORY read|write|command|message|mail COUNT")?;
    let sample = match kind.as_str() {
        "read" => Sample::read,
        "write" => Sample::write,
        "command" => Sample::command,
        "message" => Sample::message,
        "mail" => Sample::mail,
        other => return Err(format!("no call is called `{other}`").into()),
    };
    let gate = open_gate(Path::new(&directory));
    for number in 0..count.parse()? {
        let sample = sample(number);
        let now = gate.machine().now();
        settle(&gate, gate.before(&sample.call, &sample.params, &now), &now)?;
        let now = gate.machine().now();
        settle(&gate, gate.after_seeing(&sample.end(Ended::Ok), &sample.params, &now), &now)?;
    }
    Ok(())
}
