//! `callosum journal`.

mod lines;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use callosum_core::model::text::nearest;
use callosum_core::query::{Filter, Observer, Source};
use callosum_core::record::Action;
use serde_json::{Value, json};

use crate::args::{Args, Wanted};
use crate::output::{Failure, json, long, name, reader_goes_within};

use self::lines::Lines;

/// How often a followed journal is looked at.
const FOLLOW: Duration = Duration::from_millis(300);
/// What comes at once while a journal is followed.
const MAX_NEWS: usize = 10_000;

pub(crate) fn run(args: &Args, wanted: &Wanted, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let observer = super::observer(args)?;
    let mut filter = filter(args, wanted, observer.machine().now().wall_ms)?;
    let found = observer.journal(&filter, &observer.machine().now())?;
    if wanted.follow {
        filter.limit = MAX_NEWS;
        return follow(args, &observer, filter, found.entries, out);
    }
    if args.global.json {
        json(out, &found)?;
    } else if found.entries.is_empty() {
        writeln!(out, "No such record in {}.", long(&observer.state_dir().display().to_string()))?;
    } else {
        let lines = Lines { args, by_clock: false, joined: !wanted.records };
        lines.write(&found.entries, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows `entries`, then whatever comes, until the reader goes away.
fn follow(
    args: &Args,
    observer: &Observer,
    mut filter: Filter,
    mut news: Vec<Value>,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    // A call that has begun is told at once, and its end when it comes.
    let lines = Lines { args, by_clock: true, joined: false };
    loop {
        if args.global.json {
            news.iter().try_for_each(|entry| json(out, entry))?;
        } else {
            lines.write(&news, out)?;
        }
        out.flush()?;
        if let Some(last) = news.last().and_then(|entry| entry.get("seq")).and_then(Value::as_u64) {
            filter.after = Some(last);
        }
        if reader_goes_within(FOLLOW) {
            return Ok(ExitCode::SUCCESS);
        }
        news = observer.journal(&filter, &observer.machine().now())?.entries;
    }
}

/// The filter as the RPC takes it, so that both check it alike.
fn filter(args: &Args, wanted: &Wanted, now_ms: i64) -> Result<Filter, Failure> {
    let since = wanted.since.as_ref().map(|text| super::moment(text, now_ms)).transpose()?;
    let until = wanted.until.as_ref().map(|text| super::moment(text, now_ms)).transpose()?;
    if let Some(action) = &wanted.action {
        check_action(action)?;
    }
    let text = json!({
        "limit": wanted.limit,
        "key": wanted.key,
        "sessionPart": wanted.session,
        "instance": wanted.instance,
        "runtime": wanted.runtime,
        "tool": wanted.tool,
        "tier": wanted.tier,
        "text": wanted.text,
        "action": wanted.action,
        "callsOnly": !wanted.all && !args.global.json && wanted.action.is_none(),
        "since": since,
        "until": until,
    });
    Filter::read(&text.to_string()).map_err(|fragment| Failure::CantLook {
        fragment,
        remedy: "see `callosum journal --help`".to_owned(),
    })
}

/// Whether records of this kind can be asked for.
fn check_action(action: &str) -> Result<(), Failure> {
    let known = || Action::KNOWN.iter().map(Action::name).chain(["started", "paused"]);
    if known().any(|name| name == action) {
        return Ok(());
    }
    let all = || known().filter(|name| *name != "intercept").collect::<Vec<_>>().join(", ");
    let remedy = nearest(action, known())
        .map_or_else(|| format!("the journal has {}", all()), |meant| format!("did you mean `{meant}`?"));
    Err(Failure::CantLook { fragment: format!("no record is of the kind `{}`", name(action)), remedy })
}
