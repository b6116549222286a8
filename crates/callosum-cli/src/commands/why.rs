//! `callosum why`.

use std::io::Write;
use std::process::ExitCode;

use crate::args::Args;
use crate::output::{Failure, json, local_time};

pub(crate) fn run(args: &Args, key: &str, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let gate = super::observer(args)?;
    let story = gate.why(key, &gate.machine().now())?;
    if args.global.json {
        json(out, &story)?;
    } else {
        write!(out, "{}", story.text(&local_time))?;
    }
    Ok(ExitCode::SUCCESS)
}
