//! CALC's orchestrator bridge, version 2.0.0: a file in which agents leave tasks for each other.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use callosum_core::model::text::one_line;
use serde_json::{Map, Value, json};

use crate::error::{Code, Refusal};
use crate::names::Names;
use crate::task::{NewTask, State, TITLE_BYTES, Task};

const VERSION: &str = "2.0.0";
/// Bytes of a file that is read.
const MAX_BYTES: u64 = 16 << 20;
/// What a bridge file said besides its tasks, kept in the state directory between two of them.
const KEPT: &str = "bridge.json";
/// The fields of a task that have a place here. Who made it there and when stays as it was written.
const FIELDS: [&str; 7] =
    ["id", "assigned_to", "status", "priority", "prompt", "output_file", "completed_at"];

/// A bridge file's content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bridge(Map<String, Value>);

/// A task of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// To be made here.
    pub new: NewTask,
    /// The file says that it is done.
    pub is_complete: bool,
}

fn wrong(path: &Path, why: impl std::fmt::Display) -> Refusal {
    let message =
        format!("`{}` {}", one_line(&path.display().to_string(), 300), one_line(&why.to_string(), 200));
    Refusal::new(Code::CannotWrite, message, "give the path of a bridge file of version 2.0.0")
}

impl Bridge {
    /// Reads a file; `None` where there is none.
    ///
    /// # Errors
    /// When it is no bridge file.
    pub fn read(path: &Path) -> Result<Option<Self>, Refusal> {
        let Ok(facts) = std::fs::metadata(path) else { return Ok(None) };
        if !facts.is_file() {
            return Err(wrong(path, "is not a regular file"));
        }
        if facts.len() > MAX_BYTES {
            return Err(wrong(path, format!("has more than {MAX_BYTES} bytes")));
        }
        let text =
            std::fs::read_to_string(path).map_err(|error| wrong(path, format!("can't be read: {error}")))?;
        let fields: Map<String, Value> = serde_json::from_str(&text)
            .map_err(|error| wrong(path, format!("is no JSON object: {error}")))?;
        match fields.get("version").and_then(Value::as_str) {
            Some(VERSION) => Ok(Some(Self(fields))),
            _ => Err(wrong(path, "does not say that its version is 2.0.0")),
        }
    }

    /// What was kept of the last one that was taken over.
    ///
    /// # Errors
    /// When that can't be read.
    pub fn kept(state_dir: &Path) -> Result<Self, Refusal> {
        Ok(Self::read(&state_dir.join(KEPT))?.unwrap_or_default())
    }

    /// Keeps all but the tasks that are taken over, for the next one that is written.
    ///
    /// # Errors
    /// When the state directory can't be written.
    pub fn keep(&self, state_dir: &Path) -> Result<(), Refusal> {
        let mut rest = self.0.clone();
        let done: Vec<Value> =
            self.list("task_queue").filter(|task| is_complete(task)).map(|task| json!(task)).collect();
        rest.insert("task_queue".to_owned(), done.into());
        Self(rest).write(&state_dir.join(KEPT))
    }

    /// Replaces a file in one step.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn write(&self, path: &Path) -> Result<(), Refusal> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let written = || -> std::io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(serde_json::to_string_pretty(&self.0)?.as_bytes())?;
            file.write_all(b"\n")?;
            file.persist(path)?;
            Ok(())
        };
        written().map_err(|error| {
            let message = format!("can't write `{}`: {error}", one_line(&path.display().to_string(), 300));
            Refusal::new(Code::CannotWrite, message, "check that this user may write there")
        })
    }

    /// How many tasks it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list("task_queue").count()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn list(&self, field: &str) -> impl Iterator<Item = &Map<String, Value>> {
        let entries = self.0.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        entries.iter().filter_map(Value::as_object)
    }

    /// The tasks of the file.
    ///
    /// # Errors
    /// When one has no id.
    pub fn entries(&self, names: &Names) -> Result<Vec<Entry>, Refusal> {
        self.list("task_queue").map(|task| entry(task, names)).collect()
    }

    /// What the file says was found, which `kept` does not have: what, who says it, and when.
    #[must_use]
    pub fn discoveries(&self, kept: &Self) -> Vec<Value> {
        let known: BTreeSet<String> =
            kept.list("discoveries").map(|found| json!(found).to_string()).collect();
        let new = self
            .list("discoveries")
            .map(|found| json!(found))
            .filter(|found| !known.contains(&found.to_string()));
        new.collect()
    }

    /// The same file with these tasks, and with what was found and said here. Tasks that it has and nobody here knows stay as they are.
    #[must_use]
    pub fn with(
        &self,
        tasks: &[Task],
        discoveries: Vec<Value>,
        messages: Vec<Value>,
        names: &Names,
        writer: &str,
        at: &str,
    ) -> Self {
        let mut fields = self.0.clone();
        fields.insert("version".to_owned(), VERSION.into());
        fields.insert("last_updated".to_owned(), at.into());
        fields.insert("last_writer".to_owned(), writer.into());
        fields.entry("active_evolution").or_insert(Value::Null);
        fields.entry("account_state").or_insert_with(|| json!({}));
        let mut ours: BTreeMap<&str, &Task> = tasks.iter().map(|task| (task.id.as_str(), task)).collect();
        let in_file = self.list("task_queue").filter_map(|entry| {
            let known = entry.get("id").and_then(Value::as_str).and_then(|id| ours.remove(id));
            known.map_or_else(|| Some(json!(entry)), |task| exported(task, names))
        });
        let mut queue: Vec<Value> = in_file.collect();
        let new = tasks.iter().filter(|task| ours.contains_key(task.id.as_str()));
        queue.extend(new.filter_map(|task| exported(task, names)));
        fields.insert("task_queue".to_owned(), queue.into());
        for (field, more) in [("discoveries", discoveries), ("messages", messages)] {
            let mut all: Vec<Value> = self.list(field).map(|one| json!(one)).collect();
            for one in more {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
            fields.insert(field.to_owned(), all.into());
        }
        Self(fields)
    }
}

fn entry(task: &Map<String, Value>, names: &Names) -> Result<Entry, Refusal> {
    let text = |field: &str| task.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    let id = text("id")
        .ok_or_else(|| Refusal::new(Code::Limit, "a task of the bridge file has no id", "give it one"))?;
    let prompt = text("prompt").unwrap_or_default();
    let first = prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or("a task of the bridge file");
    let to = text("assigned_to").map(|to| names.runtime(to).unwrap_or(to).to_owned());
    let is_kept = |field: &&String| !FIELDS.contains(&field.as_str());
    let rest =
        task.keys().filter(is_kept).filter_map(|field| Some((field.clone(), task.get(field)?.clone())));
    let new = NewTask {
        id: Some(id.to_owned()),
        title: first.chars().take(TITLE_BYTES / 4).collect(),
        prompt: prompt.to_owned(),
        to,
        priority: task.get("priority").and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok()),
        output_file: text("output_file").map(str::to_owned),
        created_at: text("created_at").map(str::to_owned),
        is_unaccepted: true,
        bridge: rest.collect(),
        ..NewTask::default()
    };
    Ok(Entry { new, is_complete: is_complete(task) })
}

fn is_complete(task: &Map<String, Value>) -> bool {
    task.get("status").and_then(Value::as_str) == Some("complete")
}

/// A task as the file has it; `None` for one that has no place there.
fn exported(task: &Task, names: &Names) -> Option<Value> {
    let status = match task.state {
        State::Open | State::Blocked | State::Lost | State::Stalled => "pending",
        State::Claimed | State::InputRequired => "in_progress",
        State::Completed => "complete",
        State::Failed | State::Cancelled => return None,
    };
    let mut fields = task.bridge.clone();
    let source = if task.by.runtime.is_empty() { &task.by.instance } else { &task.by.runtime };
    fields.entry("created_by").or_insert_with(|| names.source(source).into());
    fields.entry("created_at").or_insert_with(|| task.created_at.clone().into());
    let own = json!({
        "id": task.id,
        "assigned_to": task.to.as_deref().map(|to| names.source(names.runtime(to).unwrap_or(to))),
        "status": status,
        "priority": task.priority,
        "prompt": if task.prompt.is_empty() { &task.title } else { &task.prompt },
        "output_file": task.output_file,
        "completed_at": (task.state == State::Completed).then_some(&task.updated_at),
    });
    if let Value::Object(own) = own {
        fields.extend(own);
    }
    Some(Value::Object(fields))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::process::Command;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bridge.json");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (sender, told) = mpsc::channel();
        thread::spawn(move || sender.send(Bridge::read(&path)));
        let refusal = told.recv_timeout(Duration::from_secs(60)).unwrap().unwrap_err();
        assert!(refusal.message.ends_with("is not a regular file"), "{refusal}");
    }
}
