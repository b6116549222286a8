//! `callosum why`.

use std::io::Write;
use std::process::ExitCode;

use callosum_core::model::text::is_alike;
use callosum_core::query::{Observer, Source};

use crate::args::Args;
use crate::output::{Failure, json, local_time, long};

/// Resources that are named where there is nothing on the one that was asked for.
const MAX_ALIKE: usize = 3;

pub(crate) fn run(args: &Args, key: &str, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let observer = super::observer(args)?;
    let story = observer.why(key, &observer.machine().now())?;
    if args.global.json {
        json(out, &story)?;
    } else {
        write!(out, "{}", story.text(&local_time))?;
        let alike = if story.events.is_empty() { alike(&observer, key) } else { Vec::new() };
        if !alike.is_empty() {
            writeln!(out, "Recently acted on: {}", alike.join(", "))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Resources that were acted on lately and may have been meant by `key`.
fn alike(observer: &Observer, key: &str) -> Vec<String> {
    let recent = observer.status(&observer.machine().now()).recent_contexts;
    let keys = recent.iter().map(|context| &context.context_key);
    keys.filter(|known| is_alike(key, known)).take(MAX_ALIKE).map(|known| long(known)).collect()
}
