//! The names that the journal knows, for who completes one and who mistypes one.

use std::path::Path;

use callosum_core::model::text::{is_alike, nearest};
use callosum_core::query::{Filter, ReadOnlyView, Session, Source};
use serde_json::Value;

use crate::args::Global;

/// Records that are looked through, the newest.
const MAX_RECORDS: usize = 5_000;
/// Names of a sort that are kept.
const MAX_NAMES: usize = 500;
/// How far back sessions are looked for; milliseconds.
const SESSIONS_MS: u64 = 24 * 60 * 60 * 1_000;

/// Names, the newest first.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) keys: Vec<String>,
    pub(crate) sessions: Vec<String>,
    pub(crate) instances: Vec<String>,
    pub(crate) runtimes: Vec<String>,
    pub(crate) tools: Vec<String>,
    pub(crate) projects: Vec<String>,
}

impl Known {
    /// Those of the journal that `view` looks at. What can't be read has none.
    pub(crate) fn of(view: &ReadOnlyView) -> Self {
        let now = view.machine().now();
        let filter = Filter { limit: MAX_RECORDS, calls_only: true, budget: true, ..Filter::default() };
        let records = view.journal(&filter, &now).map(|page| page.entries).unwrap_or_default();
        let mut known = Self::default();
        for record in records.iter().rev() {
            let text = |field: &str| record.get(field).and_then(Value::as_str);
            let keys = record.get("contextKeys").and_then(Value::as_array).into_iter().flatten();
            keys.filter_map(Value::as_str).for_each(|key| add(&mut known.keys, Some(key)));
            add(&mut known.sessions, text("session"));
            add(&mut known.instances, text("instance"));
            add(&mut known.runtimes, text("runtime"));
            add(&mut known.tools, text("tool"));
        }
        for session in view.sessions(SESSIONS_MS, &now).unwrap_or_default() {
            add(&mut known.projects, project_name(&session));
        }
        known
    }

    /// Those in a state directory, the one that holds here if none is named.
    pub(crate) fn for_completion(state_dir: Option<&Path>) -> Self {
        let global = Global { state_dir: state_dir.map(Path::to_path_buf), ..Global::default() };
        super::view_of(&global).map(|view| Self::of(&view)).unwrap_or_default()
    }
}

fn add(names: &mut Vec<String>, name: Option<&str>) {
    if let Some(name) = name
        && names.len() < MAX_NAMES
        && !names.iter().any(|known| known == name)
    {
        names.push(name.to_owned());
    }
}

/// What a project is called: the last folder of its path.
pub(crate) fn project_name(session: &Session) -> Option<&str> {
    Path::new(session.project.as_deref()?).file_name()?.to_str()
}

/// Whether a session works on the project that was named, by its name or its folder.
pub(crate) fn is_of_project(session: &Session, named: &str) -> bool {
    project_name(session) == Some(named) || session.project.as_deref() == Some(named.trim_end_matches('/'))
}

/// What may have been meant by `typed`, among these.
pub(crate) fn alike<'k>(typed: &'k str, known: &'k [String]) -> impl Iterator<Item = &'k str> {
    known.iter().map(String::as_str).filter(move |known| is_alike(typed, known))
}

/// What was probably meant by `typed`, among these.
pub(crate) fn meant<'k>(typed: &'k str, known: &'k [String]) -> Option<&'k str> {
    alike(typed, known).next().or_else(|| nearest(typed, known.iter().map(String::as_str)))
}
