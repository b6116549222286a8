//! Where sessions run, as far as their runtimes tell it.

use std::path::Path;

use crate::model::hashed::HashMap;
use crate::model::time::Stamp;
use crate::record::Record;

use super::Who;

/// The project of every session that told one.
#[derive(Debug, Default)]
pub(super) struct Places(HashMap<Who, Project>);

#[derive(Debug)]
struct Project {
    /// The record that says so.
    seq: u64,
    told: Stamp,
    /// What its folder is called.
    name: Box<str>,
}

impl Places {
    /// Notes what a record of a session says of its place. The newest counts, whatever comes first.
    pub(super) fn note(&mut self, seq: u64, record: &Record) {
        let project = record.place.as_ref().and_then(|place| place.project.as_deref());
        let Some(name) = project.and_then(|project| Path::new(project).file_name()?.to_str()) else { return };
        let who = Who::of(record);
        if self.0.get(&who).is_none_or(|known| known.seq < seq) {
            self.0.insert(who, Project { seq, told: record.stamp(), name: name.into() });
        }
    }

    /// What the folder of a session's project is called.
    pub(super) fn of(&self, who: &Who) -> Option<&str> {
        self.0.get(who).map(|project| &*project.name)
    }

    /// Forgets what is older than `keep_ms`.
    pub(super) fn prune(&mut self, now: &Stamp, keep_ms: u64) {
        self.0.retain(|_, project| project.told.age_ms(now) <= keep_ms);
    }
}
