//! One kind of call over and over, before and after: what a counter of instructions is pointed at.

use std::path::Path;

use callosum_bench::calls::Sample;
use callosum_bench::{Result, arguments, open_gate, settle};
use callosum_core::gate::Answer;
use callosum_core::record::outcome::Ended;

fn main() -> Result<()> {
    let [directory, kind, count] = arguments("repeat DIRECTORY read|write|command|message|mail|pause COUNT")?;
    let sample = match kind.as_str() {
        "read" => Sample::read,
        "write" => Sample::write,
        "command" => Sample::command,
        "message" => Sample::message,
        "mail" => Sample::mail,
        "pause" => Sample::mail_again,
        other => return Err(format!("no call is called `{other}`").into()),
    };
    let gate = open_gate(Path::new(&directory));
    for number in 0..count.parse()? {
        let sample = sample(number);
        let now = gate.machine().now();
        let answer = gate.before(&sample.call, &sample.params, &now);
        let is_paused = matches!(answer, Answer::Refuse(_));
        if is_paused != (kind == "pause" && number > 0) {
            return Err(format!("call {number} was not to be answered with {answer:?}").into());
        }
        if !is_paused {
            settle(&gate, answer, &now)?;
        }
        let end = sample.end(if is_paused { Ended::Refused } else { Ended::Ok });
        let now = gate.machine().now();
        settle(&gate, gate.after_seeing(&end, &sample.params, &now), &now)?;
    }
    Ok(())
}
