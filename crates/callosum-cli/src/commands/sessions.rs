//! `callosum sessions`.

use std::collections::HashSet;
use std::io::Write;
use std::process::ExitCode;

use callosum_core::decision::pause_text::on_machine;
use callosum_core::model::time::{Stamp, for_people, from_rfc3339};
use callosum_core::query::{Activity, Filter, QueryError, ReadOnlyView, Session, Source};
use callosum_runtimes::named;
use serde_json::{Value, json};

use super::known::{is_of_project, project_name};
use crate::args::{Args, SessionsWanted};
use crate::output::{Failure, json, name, resource, table, when, width};

/// Resources that are listed of what a session holds.
const MAX_HELD: usize = 3;
/// Characters of a session's id that are shown at first, where it is a UUID, and how many more each time that two look alike.
const SHORT_ID: usize = 8;
const MORE_OF_ID: usize = 5;
const UUID_CHARS: usize = 36;
/// Tasks that ended, as far back as is looked for who has just ended one.
const MAX_ENDED: usize = 1_000;

pub(crate) fn run(args: &Args, wanted: &SessionsWanted, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let view = super::view(args)?;
    let now = view.machine().now();
    let since_ms = super::moment(&wanted.since, now.wall_ms)?;
    let window_ms = u64::try_from(now.wall_ms.saturating_sub(since_ms)).unwrap_or(0);
    let mut sessions = view.sessions(window_ms, &now)?;
    if let Some(part) = &wanted.session {
        let filter = Filter { session_part: Some(part.clone()), ..Filter::default() };
        sessions.retain(|session| filter.wants_session_part(Some(&session.session)));
    }
    if let Some(project) = &wanted.project {
        sessions.retain(|session| is_of_project(session, project));
    }
    if wanted.panes {
        let have_ended_tasks = ended_tasks(&view, since_ms, &now)?;
        let panes: Vec<Value> = sessions.iter().map(|session| pane(session, &have_ended_tasks)).collect();
        json(out, &json!({ "panes": panes }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.global.json {
        json(out, &json!({ "sessions": sessions }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if sessions.is_empty() {
        let which = wanted.session.as_deref().map(|part| format!(" {}", name(part))).unwrap_or_default();
        writeln!(out, "No session{which} made itself known in the last {}.", for_people(window_ms))?;
        return Ok(ExitCode::SUCCESS);
    }
    let ids = ids(&sessions, width().is_some());
    let rows = sessions.iter().zip(ids).map(|(session, id)| {
        let mut holds: Vec<String> = session.holds.iter().take(MAX_HELD).map(|key| resource(key)).collect();
        if session.holds.len() > MAX_HELD {
            holds.push(format!("and {} more", session.holds.len() - MAX_HELD));
        }
        vec![
            id,
            on_machine(&session.instance, session.machine.as_deref()),
            session.runtime.as_deref().map(name).unwrap_or_default(),
            project_name(session).map(name).unwrap_or_default(),
            session.activity.name().to_owned(),
            when(args, &session.activity_since),
            session.last_tool.as_deref().map(name).unwrap_or_default(),
            session.calls.to_string(),
            session.paused.to_string(),
            holds.join(", "),
        ]
    });
    let header = [
        "SESSION", "INSTANCE", "RUNTIME", "PROJECT", "ACTIVITY", "SINCE", "TOOL", "CALLS", "PAUSED", "HOLDS",
    ];
    table(out, None, &header, rows)?;
    Ok(ExitCode::SUCCESS)
}

/// What sessions are called in a table: where they may be short, UUIDs by as many of their first characters as tell them apart.
fn ids(sessions: &[Session], are_short: bool) -> Vec<String> {
    let is_uuid =
        |id: &str| id.len() == UUID_CHARS && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let all: HashSet<&str> = sessions.iter().map(|session| session.session.as_str()).collect();
    let short = |id: &str| {
        let mut lengths = (SHORT_ID..UUID_CHARS).step_by(MORE_OF_ID);
        let is_own = |length: &usize| {
            let Some(start) = id.get(..*length) else { return false };
            all.iter().filter(|other| other.starts_with(start)).count() == 1
        };
        lengths.find(is_own).and_then(|length| id.get(..length)).unwrap_or(id).to_owned()
    };
    let shown = |session: &Session| {
        let id = session.session.as_str();
        if are_short && is_uuid(id) { short(id) } else { name(id) }
    };
    sessions.iter().map(shown).collect()
}

/// Who has ended tasks, and when last, wall-clock milliseconds: instance, session and moment.
fn ended_tasks(
    view: &ReadOnlyView,
    since_ms: i64,
    now: &Stamp,
) -> Result<Vec<(String, String, i64)>, QueryError> {
    let filter = Filter {
        action: Some("task".to_owned()),
        since: Some(Value::from(since_ms)),
        limit: MAX_ENDED,
        ..Filter::default()
    };
    let entries = view.journal(&filter, now)?.entries;
    let of = |entry: &Value| {
        let text = |field: &str| entry.get(field).and_then(Value::as_str);
        let is_done = entry.pointer("/document/did").and_then(Value::as_str) == Some("completed");
        let at = from_rfc3339(text("timestamp")?)?;
        is_done.then_some((text("instance")?.to_owned(), text("session")?.to_owned(), at))
    };
    Ok(entries.iter().filter_map(of).collect())
}

/// A session as CALC's registry of panes has it: where it stands on a screen nobody knows, and prompts are not kept.
fn pane(session: &Session, have_ended_tasks: &[(String, String, i64)]) -> Value {
    let runtime = session.runtime.as_deref().unwrap_or_default();
    let facts = named(runtime).map(|runtime| runtime.facts());
    let turn_ms = session.last_prompt_ms.unwrap_or(i64::MIN);
    let has_ended_task = have_ended_tasks
        .iter()
        .any(|(instance, id, at)| *instance == session.instance && *id == session.session && *at >= turn_ms);
    let state = match session.activity {
        Activity::Ended => Some("SESSION_ENDED"),
        Activity::Compacting => Some("CONTEXT_EXHAUSTED"),
        Activity::Stuck => Some("STUCK_ON_ERROR"),
        Activity::Idle if has_ended_task => Some("TASK_COMPLETE"),
        Activity::Idle => Some("TRULY_IDLE"),
        Activity::Working => Some("WORKING"),
        Activity::Waiting | Activity::Paused | Activity::Unknown => None,
    };
    json!({
        "tty": session.tty,
        "pid": session.pid,
        "session_id": session.session,
        "project": project_name(session),
        "cwd": session.cwd,
        "last_prompt": null,
        "status": if session.over.is_some() { "inactive" } else { "active" },
        "activity_state": state,
        "quadrant": null,
        "last_active": session.last_at,
        "agent": facts.map_or(runtime, |facts| facts.program),
        "runtime": facts.map_or(runtime, |facts| facts.pane_runtime),
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn session(id: &str, activity: Activity) -> Session {
        Session {
            instance: "i".to_owned(),
            session: id.to_owned(),
            runtime: Some("codex".to_owned()),
            project: Some("/home/me/shop".to_owned()),
            activity,
            last_prompt_ms: Some(100),
            ..Session::default()
        }
    }

    #[test]
    fn a_session_is_called_by_as_much_of_its_id_as_tells_it_apart() {
        let sessions = [
            "3858ab12-0000-7000-8000-000000000001",
            "3858ab12-0001-7000-8000-000000000001",
            "9958ab12-0000-7000-8000-000000000001",
            "agent:main:main",
        ]
        .map(|id| session(id, Activity::Idle));
        assert_eq!(ids(&sessions, true), ["3858ab12-0000", "3858ab12-0001", "9958ab12", "agent:main:main"]);
        // Whoever reads a pipe gets them whole.
        assert_eq!(ids(&sessions, false).first().unwrap(), &sessions.first().unwrap().session);
    }

    #[test]
    fn panes_have_the_words_of_the_registry() {
        let ended = [("i".to_owned(), "done".to_owned(), 200), ("i".to_owned(), "long-ago".to_owned(), 50)];
        let state = |id: &str, activity| {
            pane(&session(id, activity), &ended).get("activity_state").unwrap().as_str().map(str::to_owned)
        };
        assert_eq!(state("done", Activity::Idle).as_deref(), Some("TASK_COMPLETE"));
        assert_eq!(state("long-ago", Activity::Idle).as_deref(), Some("TRULY_IDLE"));
        assert_eq!(state("a", Activity::Compacting).as_deref(), Some("CONTEXT_EXHAUSTED"));
        assert_eq!(state("a", Activity::Waiting), None);
        let pane = pane(&session("a", Activity::Working), &[]);
        assert_eq!(pane.as_object().unwrap().len(), 12);
        assert_eq!(
            (pane.get("runtime"), pane.get("agent")),
            (Some(&json!("codex-cli")), Some(&json!("codex")))
        );
        assert_eq!(pane.get("project"), Some(&json!("shop")));
    }
}
