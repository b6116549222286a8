//! `callosum journal`.

mod lines;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use callosum_core::model::text::nearest;
use callosum_core::query::{Filter, ReadOnlyView, Source, action_words};
use callosum_core::record::Action;
use callosum_runtimes::{RUNTIMES, openclaw};
use serde_json::{Value, json};

use super::known::{Known, is_of_project, meant, project_name};
use crate::args::{Args, Wanted};
use crate::output::{Failure, json, long, name, reader_goes_within, resource};

use self::lines::Lines;

/// Records that a call has at most, as a rule.
const RECORDS_A_CALL: usize = 3;
/// How often a followed journal is looked at.
const FOLLOW: Duration = Duration::from_millis(300);
/// What comes at once while a journal is followed.
const MAX_NEWS: usize = 10_000;

pub(crate) fn run(args: &Args, wanted: &Wanted, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let view = super::view(args)?;
    let mut filter = filter(args, wanted, view.machine().now().wall_ms)?;
    if let Some(runtime) = &wanted.runtime {
        check_runtime(&view, runtime)?;
    }
    if let Some(project) = &wanted.project {
        filter.sessions = Some(sessions_of(&view, project)?);
    }
    let joined = !wanted.records && !wanted.follow && !args.global.json;
    if joined {
        // A call has several records, and so many calls are wanted.
        filter.limit = filter.limit.saturating_mul(RECORDS_A_CALL).min(MAX_NEWS);
    }
    let found = view.journal(&filter, &view.machine().now())?;
    if wanted.follow {
        filter.limit = MAX_NEWS;
        return follow(args, &view, filter, found.entries, out);
    }
    if args.global.json {
        json(out, &found)?;
    } else if found.entries.is_empty() {
        writeln!(out, "No such record in {}.", long(&view.state_dir().display().to_string()))?;
        suggest(&Known::of(&view), wanted, out)?;
    } else {
        let lines = Lines { args, by_clock: false, joined, most: wanted.limit };
        lines.write(&found.entries, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows `entries`, then whatever comes, until the reader goes away.
fn follow(
    args: &Args,
    view: &ReadOnlyView,
    mut filter: Filter,
    mut news: Vec<Value>,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    // A call that has begun is told at once, and its end when it comes.
    let lines = Lines { args, by_clock: true, joined: false, most: MAX_NEWS };
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
        news = view.journal(&filter, &view.machine().now())?.entries;
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

/// The kinds of records that can be asked for, in the words that people read.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    action_words().map(|action| action.word)
}

/// Whether records of this kind can be asked for.
fn check_action(action: &str) -> Result<(), Failure> {
    if kinds().chain([Action::Intercept.name()]).any(|name| name == action) {
        return Ok(());
    }
    let all = || kinds().collect::<Vec<_>>().join(", ");
    let remedy = nearest(action, kinds())
        .map_or_else(|| format!("the journal has {}", all()), |meant| format!("did you mean `{meant}`?"));
    Err(Failure::CantLook { fragment: format!("no record is of the kind `{}`", name(action)), remedy })
}

/// Whether there may be records of this runtime.
fn check_runtime(view: &ReadOnlyView, runtime: &str) -> Result<(), Failure> {
    let mut known = Known::of(view).runtimes;
    known.extend(RUNTIMES.iter().map(|known| known.name().to_owned()).chain([openclaw::NAME.to_owned()]));
    if known.iter().any(|known| known == runtime) {
        return Ok(());
    }
    known.sort();
    known.dedup();
    let shown = || known.iter().map(|known| name(known)).collect::<Vec<_>>().join(", ");
    Err(Failure::CantLook {
        fragment: format!("no runtime is called `{}`", name(runtime)),
        remedy: meant(runtime, &known).map_or_else(
            || format!("known are {}", shown()),
            |meant| format!("did you mean `{}`?", name(meant)),
        ),
    })
}

/// The sessions that worked on a project, as far back as the journal reaches.
fn sessions_of(view: &ReadOnlyView, project: &str) -> Result<Vec<String>, Failure> {
    let sessions = view.sessions(u64::MAX, &view.machine().now())?;
    let found: Vec<String> = sessions
        .iter()
        .filter(|session| is_of_project(session, project))
        .map(|session| session.session.clone())
        .collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let known: Vec<String> = sessions.iter().filter_map(project_name).map(str::to_owned).collect();
    Err(Failure::CantLook {
        fragment: format!("no session of the journal worked on `{}`", name(project)),
        remedy: meant(project, &known).map_or_else(
            || "`callosum sessions --since 7d` lists sessions with their projects".to_owned(),
            |meant| format!("did you mean `{}`?", name(meant)),
        ),
    })
}

/// Says what may have been meant, where nothing was found.
fn suggest(known: &Known, wanted: &Wanted, out: &mut dyn Write) -> Result<(), Failure> {
    for (option, typed, known) in [
        ("--key", &wanted.key, &known.keys),
        ("--session", &wanted.session, &known.sessions),
        ("--instance", &wanted.instance, &known.instances),
        ("--tool", &wanted.tool, &known.tools),
    ] {
        let Some(typed) = typed else { continue };
        let is_known = known.iter().any(|known| known == typed);
        if let Some(meant) = meant(typed, known).filter(|_| !is_known) {
            writeln!(out, "Did you mean `{option} {}`?", resource(meant))?;
        }
    }
    Ok(())
}
