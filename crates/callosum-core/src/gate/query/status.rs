//! What an operator sees at a glance. One shape for the RPC and for `callosum status --json`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::decision::history::{Action as Past, Coverage, History, IsDead, Lost, State};
use crate::model::error::StateError;
use crate::model::settings::Mode;
use crate::model::time::{Stamp, to_rfc3339};
use crate::record::{HookCounts, Line};
use crate::store::disk::Open;
use crate::store::journal::segment_file::SegmentFile;
use crate::store::journal::segments::Segments;

use crate::gate::health::Degraded;
use crate::gate::transaction::NotNow;
use crate::gate::{Gate, lock};

/// How long a status waits for a look at the rules: it can always be told, and soon.
const LOOK_AT_RULES: Duration = Duration::from_millis(250);

/// Recent contexts listed.
const MAX_RECENT: usize = 50;

/// The state of a gate and of the journal it shares. Times are RFC 3339, in UTC.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// This gate's instance.
    pub instance_id: String,
    /// The version of Callosum.
    pub version: &'static str,
    /// The shared state directory.
    pub state_dir: String,
    /// Whether pauses are enforced or only written down.
    pub mode: Mode,
    /// How many rules are in force.
    pub rule_count: usize,
    /// Where they came from.
    pub rules: RulesStatus,
    /// The live leases, oldest first.
    pub locks: Vec<LockStatus>,
    /// The resources acted on lately by tier 2 and above, newest first.
    pub recent_contexts: Vec<ContextStatus>,
    /// The journal's size.
    pub journal: JournalStatus,
    /// Its lines, as the original named them.
    pub journal_lines: u64,
    /// Hooks seen: runtime → tool.
    pub coverage: BTreeMap<String, BTreeMap<String, CoverageStatus>>,
    /// What this gate holds in memory and could not write yet.
    pub waiting: WaitingStatus,
    /// Settings that could not be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setting_errors: Vec<String>,
    /// The last time that the journal was found lost, as long as that lies within the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<LostStatus>,
    /// Why the shared state can't be used, while it can't.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<Degraded>,
}

/// A journal that was deleted, cut off, replaced or damaged while it was in use.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LostStatus {
    /// When it was noticed.
    pub at: String,
    /// Who noticed.
    pub instance: String,
    /// How it was lost, and what was written anew.
    pub how: String,
}

/// The rules in force.
#[derive(Clone, Debug, Serialize)]
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

/// A live lease on one resource.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LockStatus {
    /// The resource.
    pub context_key: String,
    /// Whose.
    pub instance: String,
    /// Whose.
    pub session: String,
    /// What it does.
    pub tool: String,
    /// Its tier.
    pub tier: u8,
    /// Since when.
    pub since: String,
    /// Until when at the latest.
    pub expires_at: String,
}

/// The last action on one resource.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextStatus {
    /// The resource.
    pub context_key: String,
    /// Whose.
    pub instance: String,
    /// Whose.
    pub session: String,
    /// What it did.
    pub tool: String,
    /// Its tier.
    pub tier: u8,
    /// When it started.
    pub at: String,
    /// `running`, `complete`, `failed`, `refused` or `unknown`.
    pub state: &'static str,
}

/// The journal's size.
#[derive(Clone, Debug, Default, Serialize)]
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

/// Hooks seen of one tool, and when; up to five seconds late for other processes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CoverageStatus {
    /// Before-hooks.
    pub before: u64,
    /// After-hooks.
    pub after: u64,
    /// Calls that were paused or blocked: in most runtimes they have no after-hook.
    pub paused: u64,
    /// First report.
    pub first: String,
    /// Last report.
    pub last: String,
}

/// What waits in memory.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct WaitingStatus {
    /// Records in the backlog.
    pub queued: usize,
    /// Records that found no place in it.
    pub lost: u64,
    /// Calls and outcomes that could not be written at once.
    pub unwritten: u64,
}

impl CoverageStatus {
    /// Whether far fewer calls ended than began, so that the after-hook is likely missing. Of so many calls a few may still
    /// be running; of more than a fifth without an end the hook is the likelier reason. A call that was paused never began.
    /// The page judges alike.
    #[must_use]
    pub fn is_lacking(&self) -> bool {
        let began = self.before.saturating_sub(self.paused);
        began >= 10 && self.after.saturating_mul(5) < began.saturating_mul(4)
    }
}

impl Gate {
    /// The status now. For a thread that may wait. It can always be told; where the journal can't be read,
    /// `degraded` says why and its part is empty.
    pub fn status(&self, now: &Stamp) -> Status {
        let machine = self.machine();
        let is_dead = |boot, holder: &_| machine.is_dead(boot, holder);
        let _ = self.rules_within(LOOK_AT_RULES, now);
        let facts = if self.observer {
            self.observed_facts(now, &is_dead).map_err(NotNow::Failed)
        } else {
            self.look(now, |ledger| {
                let segments = self.segments_of(ledger.journal())?;
                let head = ledger.journal().active().base + ledger.journal().active().size();
                Ok(Facts::of(ledger.history(), segments, head, now, &is_dead))
            })
        };
        let Facts { locks, recent_contexts, mut coverage, skipped, lost, journal } =
            facts.unwrap_or_else(|reason| {
                if let NotNow::Failed(error) = reason {
                    lock(&self.health).failed(&error, now);
                }
                Facts::default()
            });
        let journal =
            journal.map(|(segments, head)| self.journal_status(&segments, head, skipped)).unwrap_or_default();
        self.add_own_counts(&mut coverage, now);
        let in_force = self.in_force();
        let light = lock(&self.light);
        Status {
            instance_id: self.instance.clone(),
            version: env!("CARGO_PKG_VERSION"),
            state_dir: self.directory.path.display().to_string(),
            mode: self.settings.mode,
            rule_count: in_force.rules.len(),
            rules: RulesStatus {
                source: in_force.source.clone(),
                loaded_at: to_rfc3339(in_force.loaded_wall_ms),
                error: in_force.error.clone(),
                loading: self.rules_are_awaited(),
            },
            locks,
            recent_contexts,
            journal_lines: journal.lines,
            journal,
            coverage,
            waiting: WaitingStatus {
                queued: light.waiting(),
                lost: light.backlog.lost,
                unwritten: light.unwritten,
            },
            setting_errors: self.setting_problems.clone(),
            lost,
            degraded: lock(&self.health).degraded(),
        }
    }

    fn observed_facts(&self, now: &Stamp, is_dead: IsDead<'_>) -> Result<Facts, StateError> {
        let Some(segments) = self.observe()? else { return Ok(Facts::default()) };
        let history = self.observed_history(&segments, now)?;
        let head = segments.head();
        Ok(Facts::of(&history, segments, head, now, is_dead))
    }

    /// This gate's own counts that are not in the journal yet.
    fn add_own_counts(&self, coverage: &mut BTreeMap<String, BTreeMap<String, CoverageStatus>>, now: &Stamp) {
        let light = lock(&self.light);
        for (tool, counts) in &light.seen {
            let at = to_rfc3339(now.wall_ms);
            let known = coverage
                .entry(self.runtime.clone())
                .or_default()
                .entry(tool.clone())
                .or_insert_with(|| CoverageStatus { first: at.clone(), ..CoverageStatus::default() });
            known.before += counts.before;
            known.after += counts.after;
            known.last = at;
        }
    }

    fn journal_status(&self, segments: &Segments, head: u64, skipped: u64) -> JournalStatus {
        let (active, file) = (segments.active.0, &segments.active.1);
        // A copy: to count takes as long as the disk does, and who writes clears what was counted.
        let before = Arc::clone(&lock(&self.counted));
        let mut counted = HashMap::clone(&before);
        let is_there = |base: &u64| segments.closed.binary_search_by_key(base, |(closed, _)| *closed).is_ok();
        counted.retain(|base, _| *base == active || is_there(base));
        let mut lines = 0;
        for (number, (base, path)) in segments.closed.iter().enumerate() {
            let next = segments.closed.get(number + 1).map_or(active, |(next, _)| *next);
            let known = counted.entry(*base).or_default();
            if known.bytes < next - base {
                let opened = SegmentFile::open(&segments.disk, path.clone(), Open::Read);
                let Ok(file) = opened else { continue };
                known.read_on(&file);
            }
            lines += known.lines;
        }
        let known = counted.entry(active).or_default();
        known.read_on(file);
        lines += known.lines;
        let mut kept = lock(&self.counted);
        if Arc::ptr_eq(&kept, &before) {
            *kept = Arc::new(counted);
        }
        drop(kept);
        let oldest_base = segments.closed.first().map_or(active, |(base, _)| *base);
        JournalStatus {
            lines,
            bytes: head.saturating_sub(oldest_base),
            segments: segments.closed.len() + 1,
            skipped,
            head,
            oldest: oldest(segments),
        }
    }
}

/// How many lines were counted in how many bytes of a segment.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::gate) struct Counted {
    bytes: u64,
    lines: u64,
}

impl Counted {
    /// Counts on from where it stopped.
    fn read_on(&mut self, file: &SegmentFile) {
        let Ok(facts) = file.facts() else { return };
        let unread = facts.size.saturating_sub(self.bytes);
        let mut buffer = vec![0; usize::try_from(unread.min(256 * 1024)).unwrap_or(0)];
        while let Ok(got @ 1..) = file.read_at(&mut buffer, self.bytes) {
            self.bytes += got as u64;
            let read = buffer.get(..got).unwrap_or_default();
            self.lines += memchr::memchr_iter(b'\n', read).count() as u64;
        }
    }
}

/// What the journal says, free of the ledger.
#[derive(Default)]
struct Facts {
    locks: Vec<LockStatus>,
    recent_contexts: Vec<ContextStatus>,
    coverage: BTreeMap<String, BTreeMap<String, CoverageStatus>>,
    skipped: u64,
    lost: Option<LostStatus>,
    /// The segments, and the sequence number that the next record will have; `None` when there is no journal.
    journal: Option<(Segments, u64)>,
}

impl Facts {
    fn of(history: &History, segments: Segments, head: u64, now: &Stamp, is_dead: IsDead<'_>) -> Self {
        Self {
            locks: live_leases(history, now, is_dead),
            recent_contexts: recent_contexts(history, now, is_dead),
            coverage: coverage(history),
            skipped: history.skipped,
            lost: history.lost.as_ref().filter(|lost| is_recent(lost, history, now)).map(|lost| LostStatus {
                at: to_rfc3339(lost.at),
                instance: lost.instance.clone(),
                how: lost.how.clone(),
            }),
            journal: Some((segments, head)),
        }
    }
}

fn is_recent(lost: &Lost, history: &History, now: &Stamp) -> bool {
    u64::try_from(now.wall_ms.saturating_sub(lost.at)).unwrap_or(0) <= history.keep_ms()
}

/// The live leases, oldest first.
pub(super) fn live_leases(history: &History, now: &Stamp, is_dead: IsDead<'_>) -> Vec<LockStatus> {
    let mut holding: Vec<&Past> =
        history.open_guarded().filter(|action| action.holds_lease(now, is_dead)).collect();
    holding.sort_unstable_by_key(|action| action.seq);
    holding.into_iter().flat_map(locks_of).collect()
}

pub(in crate::gate) fn locks_of(action: &Past) -> Vec<LockStatus> {
    action
        .keys
        .iter()
        .map(|key| LockStatus {
            context_key: key.as_ref().to_owned(),
            instance: action.who.instance.clone(),
            session: action.who.session.clone(),
            tool: action.tool.clone(),
            tier: action.tier.into(),
            since: to_rfc3339(action.started.wall_ms),
            expires_at: to_rfc3339(action.started.plus_ms(action.lease_ms).wall_ms),
        })
        .collect()
}

fn recent_contexts(history: &History, now: &Stamp, is_dead: IsDead<'_>) -> Vec<ContextStatus> {
    let mut seen = HashSet::new();
    let mut contexts = Vec::new();
    for action in history.newest() {
        for key in &action.keys {
            if contexts.len() == MAX_RECENT {
                return contexts;
            }
            if seen.insert(key) {
                contexts.push(ContextStatus {
                    context_key: key.as_ref().to_owned(),
                    instance: action.who.instance.clone(),
                    session: action.who.session.clone(),
                    tool: action.tool.clone(),
                    tier: action.tier.into(),
                    at: to_rfc3339(action.started.wall_ms),
                    state: state_word(action.state(now, is_dead)),
                });
            }
        }
    }
    contexts
}

/// A state in one word.
pub(super) fn state_word(state: State) -> &'static str {
    match state {
        State::InFlight => "running",
        State::Complete => "complete",
        State::Failed => "failed",
        State::Refused => "refused",
        State::Unknown | State::Lapsed | State::Orphaned => "unknown",
    }
}

fn coverage(history: &History) -> BTreeMap<String, BTreeMap<String, CoverageStatus>> {
    let status = |known: &Coverage| CoverageStatus {
        before: known.counts.before,
        after: known.counts.after,
        paused: known.paused,
        first: to_rfc3339(known.first_wall_ms),
        last: to_rfc3339(known.last_wall_ms),
    };
    let of_runtime = |tools: &BTreeMap<String, Coverage>| {
        // Where counts are written later than calls are, a tool may be known by a pause alone until they are.
        let counted = |known: &Coverage| known.counts != HookCounts::default();
        let tools = tools.iter().filter(|(_, known)| counted(known));
        tools.map(|(tool, known)| (tool.clone(), status(known))).collect()
    };
    let runtimes = history.coverage.iter().map(|(runtime, tools)| (runtime.clone(), of_runtime(tools)));
    runtimes.filter(|(_, tools): &(String, BTreeMap<_, _>)| !tools.is_empty()).collect()
}

/// When the oldest line that says its time was written: looked for among the first lines.
fn oldest(segments: &Segments) -> Option<String> {
    let first;
    let file = match segments.closed.first() {
        Some((_, path)) => {
            first = SegmentFile::open(&segments.disk, path.clone(), Open::Read).ok()?;
            &first
        }
        None => segments.active.1.as_ref(),
    };
    let mut head = vec![0; 16 * 1024];
    let got = file.read_at(&mut head, 0).ok()?;
    head.get(..got)?.split(|byte| *byte == b'\n').find_map(Line::stamp).map(|stamp| to_rfc3339(stamp.wall_ms))
}
