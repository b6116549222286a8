//! What an operator sees at a glance. One shape for the RPC and for `callosum status --json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::error::Degraded;
use crate::model::settings::Mode;
use crate::model::time::to_rfc3339;
use crate::record::{Line, PROGRAM};
use crate::store::disk::OpenMode;
use crate::store::journal::segment_file::SegmentFile;
use crate::store::journal::segments::Segments;

use super::leases::LeaseStatus;
use super::limits::LimitStatus;
use super::overview::{ContextStatus, CoverageStatus, LostStatus, Overview};
use super::reader::{ObservedBy, Reader, WaitingStatus};
use super::uncovered::{Seen, Uncovered, uncovered};
use super::webhooks::{WebhookStatus, webhooks};

/// The state of an instance and of the journal it shares. Times are RFC 3339, in UTC.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The instance that was asked.
    pub instance_id: String,
    /// The version of Callosum.
    pub version: &'static str,
    /// The shared state directory.
    pub state_dir: String,
    /// Whether pauses are enforced or only written down.
    pub mode: Mode,
    /// What says that nothing is paused; absent where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_by: Option<ObservedBy>,
    /// How many rules are in force.
    pub rule_count: usize,
    /// Where they came from.
    pub rules: RulesStatus,
    /// The live leases, oldest first.
    #[serde(rename = "locks")]
    pub leases: Vec<LeaseStatus>,
    /// The limits of rules, each where it is used most: up to five sessions or resources of a rule.
    pub limits: Vec<LimitStatus>,
    /// The resources acted on lately by tier 2 and above, newest first.
    pub recent_contexts: Vec<ContextStatus>,
    /// The journal's size.
    pub journal: JournalStatus,
    /// Its lines, as the original named them.
    pub journal_lines: u64,
    /// Hooks seen: runtime → tool.
    pub coverage: BTreeMap<String, BTreeMap<String, CoverageStatus>>,
    /// The tools and programs seen that no rule names: those that sound like an effect first, then the most used.
    pub uncovered: Vec<Uncovered>,
    /// What it holds in memory and could not write yet.
    pub waiting: WaitingStatus,
    /// The service's webhooks, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub webhooks: Vec<WebhookStatus>,
    /// Why nothing can be said of the service's webhooks: a clause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhooks_error: Option<String>,
    /// Settings that could not be used, and the file that names the folders of shared contexts, where that can't be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setting_errors: Vec<String>,
    /// The last time that the journal was found lost, as long as that lies within the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<LostStatus>,
    /// Why the shared state can't be used, while it can't.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<Degraded>,
}

/// The rules in force.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulesStatus {
    /// Their file, or `built in`.
    pub source: String,
    /// When they were loaded.
    pub loaded_at: String,
    /// Why a newer file was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The file is being looked at and takes long: calls go by the rules before it until that is done.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub loading: bool,
}

/// The journal's size.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct JournalStatus {
    /// Lines of all segments.
    pub lines: u64,
    /// Bytes of all segments.
    pub bytes: u64,
    /// Files.
    pub segments: usize,
    /// Torn or foreign lines met in what was read.
    pub skipped: u64,
    /// The sequence number that the next record will have.
    pub head: u64,
    /// When the oldest record was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest: Option<String>,
}

/// The status now.
pub(super) fn status(mut reader: Reader<'_>) -> Status {
    let Overview { leases, limits, recent_contexts, mut coverage, mut programs, skipped, lost } =
        std::mem::take(&mut reader.overview);
    add_unwritten(&reader, &mut coverage, &mut programs);
    let journal = match &reader.journal {
        Ok(Some(segments)) => journal_status(&reader, segments, skipped),
        Ok(None) | Err(_) => JournalStatus::default(),
    };
    let (webhooks, webhooks_error) = match webhooks(reader.state_dir, journal.head) {
        Ok(webhooks) => (webhooks, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    let observed_by = reader.observed_by();
    let (in_force, live) = (&reader.rules, reader.live);
    let uncovered = uncovered(&in_force.rules, &mut coverage, &programs);
    Status {
        instance_id: reader.instance.to_owned(),
        version: env!("CARGO_PKG_VERSION"),
        state_dir: reader.state_dir.display().to_string(),
        mode: if observed_by.is_some() { Mode::Observe } else { Mode::Enforce },
        observed_by,
        rule_count: in_force.rules.len(),
        rules: RulesStatus {
            source: in_force.source.clone(),
            loaded_at: to_rfc3339(in_force.loaded_wall_ms),
            error: in_force.error.clone(),
            loading: live.rules_are_loading,
        },
        leases,
        limits,
        recent_contexts,
        journal_lines: journal.lines,
        journal,
        coverage,
        uncovered,
        waiting: live.waiting,
        webhooks,
        webhooks_error,
        setting_errors: reader.setting_problems.iter().cloned().chain(reader.context_error).collect(),
        lost,
        degraded: live.degraded,
    }
}

/// The hooks that are not in the journal yet.
fn add_unwritten(reader: &Reader<'_>, tools: &mut Seen, programs: &mut Seen) {
    for (name, counts) in &reader.live.seen {
        let at = to_rfc3339(reader.now.wall_ms);
        let (seen, name) =
            name.strip_prefix(PROGRAM).map_or((&mut *tools, name.as_str()), |name| (&mut *programs, name));
        let known = seen
            .entry(reader.runtime.to_owned())
            .or_default()
            .entry(name.to_owned())
            .or_insert_with(|| CoverageStatus { first: at.clone(), ..CoverageStatus::default() });
        known.before += counts.before;
        known.after += counts.after;
        known.last = at;
    }
}

fn journal_status(reader: &Reader<'_>, segments: &Segments, skipped: u64) -> JournalStatus {
    let head = segments.head();
    let oldest_base = segments.closed.first().map_or(segments.active.0, |(base, _)| *base);
    JournalStatus {
        lines: reader.line_counts.count(segments),
        bytes: head.saturating_sub(oldest_base),
        segments: segments.closed.len() + 1,
        skipped,
        head,
        oldest: oldest(segments),
    }
}

/// When the oldest line that says its time was written: looked for among the first lines.
fn oldest(segments: &Segments) -> Option<String> {
    let first;
    let file = match segments.closed.first() {
        Some((_, path)) => {
            first = SegmentFile::open(&segments.disk, path.clone(), OpenMode::Read).ok()?;
            &first
        }
        None => segments.active.1.as_ref(),
    };
    let mut head = vec![0; 16 * 1024];
    let got = file.read_at(&mut head, 0).ok()?;
    head.get(..got)?.split(|byte| *byte == b'\n').find_map(Line::stamp).map(|stamp| to_rfc3339(stamp.wall_ms))
}
