//! `callosum why`.

use std::io::Write;
use std::process::ExitCode;

use callosum_core::query::Source;

use super::known::{Known, alike};
use crate::args::Args;
use crate::output::{Failure, json, local_time, resource};

/// Resources that are named where there is nothing on the one that was asked for.
const MAX_ALIKE: usize = 3;

pub(crate) fn run(args: &Args, key: &str, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let view = super::view(args)?;
    let story = view.why(key, &view.machine().now())?;
    if args.global.json {
        json(out, &story)?;
    } else {
        write!(out, "{}", story.text(&local_time))?;
        let keys = if story.events.is_empty() { Known::of(&view).keys } else { Vec::new() };
        let alike: Vec<String> = alike(key, &keys).take(MAX_ALIKE).map(resource).collect();
        if !alike.is_empty() {
            writeln!(out, "Recently acted on: {}", alike.join(", "))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
