//! `callosum sessions`.

use std::io::Write;
use std::process::ExitCode;

use callosum_core::decision::pause_text::on_machine;
use callosum_core::model::time::for_people;
use callosum_core::query::{Over, Session, Source};
use serde_json::json;

use crate::args::Args;
use crate::output::{Failure, json, name, resource, table, when};

/// Resources that are listed of what a session holds.
const MAX_HELD: usize = 3;

pub(crate) fn run(args: &Args, since: &str, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let observer = super::observer(args)?;
    let now = observer.machine().now();
    let since_ms = super::moment(since, now.wall_ms)?;
    let window_ms = u64::try_from(now.wall_ms.saturating_sub(since_ms)).unwrap_or(0);
    let sessions = observer.sessions(window_ms, &now)?;
    if args.global.json {
        json(out, &json!({ "sessions": sessions }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if sessions.is_empty() {
        writeln!(out, "No session made itself known in the last {}.", for_people(window_ms))?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows = sessions.iter().map(|session| {
        let mut holds: Vec<String> = session.holds.iter().take(MAX_HELD).map(|key| resource(key)).collect();
        if session.holds.len() > MAX_HELD {
            holds.push(format!("and {} more", session.holds.len() - MAX_HELD));
        }
        vec![
            name(&session.session),
            on_machine(&session.instance, session.machine.as_deref()),
            name(session.runtime.as_deref().unwrap_or_default()),
            when(args, &session.last_at),
            name(session.last_tool.as_deref().unwrap_or_default()),
            session.calls.to_string(),
            session.paused.to_string(),
            holds.join(", "),
            over(session).to_owned(),
        ]
    });
    let header = ["SESSION", "INSTANCE", "RUNTIME", "LAST", "TOOL", "CALLS", "PAUSED", "HOLDS", "OVER"];
    table(out, None, &header, rows)?;
    Ok(ExitCode::SUCCESS)
}

fn over(session: &Session) -> &'static str {
    match session.over {
        Some(Over::Ended) => "ended",
        Some(Over::Gone) => "gone",
        None => "",
    }
}
