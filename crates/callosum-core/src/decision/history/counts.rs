//! Counting hooks: what a journal's lines say of how often tools and programs were seen.

use std::collections::BTreeMap;

use crate::record::light::SeenCounts;
use crate::record::{Action as Kind, HookCounts, Record, has_room};

use super::History;
use super::action::Coverage;

/// Tools whose counts are kept; what more a hostile host names is not.
const MAX_COVERED_TOOLS: usize = 1_000;
/// The same of programs.
const MAX_COVERED_PROGRAMS: usize = 300;

impl History {
    /// Adds the hook counts that a record carries: once for each line that is read, unlike `apply`.
    pub fn count(&mut self, record: &Record) {
        if record.is_foreign() {
            return;
        }
        let runtime = record.runtime.as_deref().unwrap_or_default();
        self.add_counts(runtime, &record.seen, record.wall_ms);
        // What was only observed ran.
        let is_stopped = matches!(record.action, Kind::Blocked | Kind::Denied) && !record.observed;
        if let (true, Some(tool)) = (is_stopped, &record.tool) {
            self.cover(runtime, tool, record.wall_ms, |coverage| {
                coverage.paused = coverage.paused.saturating_add(1);
            });
        }
    }

    /// The same of a line of tier 0 or 1.
    pub fn count_light(&mut self, counted: &SeenCounts) {
        self.add_counts(&counted.runtime, &counted.seen, counted.wall_ms);
    }

    /// Adds the hook counts of a runtime's tools, written at `wall_ms`.
    pub fn add_counts(&mut self, runtime: &str, seen: &BTreeMap<String, HookCounts>, wall_ms: i64) {
        for (tool, counts) in seen {
            self.cover(runtime, tool, wall_ms, |coverage| {
                coverage.counts.before = coverage.counts.before.saturating_add(counts.before);
                coverage.counts.after = coverage.counts.after.saturating_add(counts.after);
            });
        }
    }

    /// Adds to what is counted of a tool by a line that was written at `wall_ms`, unless there are too many tools.
    fn cover(&mut self, runtime: &str, tool: &str, wall_ms: i64, add: impl FnOnce(&mut Coverage)) {
        let coverage = match self.coverage.get_mut(runtime).and_then(|tools| tools.get_mut(tool)) {
            Some(known) => known,
            None => {
                let names = self.coverage.values().flat_map(BTreeMap::keys);
                if !has_room(names, tool, MAX_COVERED_TOOLS, MAX_COVERED_PROGRAMS) {
                    return;
                }
                let tools = self.coverage.entry(runtime.to_owned()).or_default();
                let new = Coverage { first_wall_ms: wall_ms, ..Coverage::default() };
                tools.entry(tool.to_owned()).or_insert(new)
            }
        };
        add(coverage);
        // Lines are read in any order.
        coverage.first_wall_ms = coverage.first_wall_ms.min(wall_ms);
        coverage.last_wall_ms = coverage.last_wall_ms.max(wall_ms);
    }
}
