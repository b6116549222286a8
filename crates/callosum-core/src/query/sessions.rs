//! Who is active: the sessions that the journal names.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::decision::history::{History, IsDead, State, Who};
use crate::model::error::QueryError;
use crate::model::time::{Stamp, to_rfc3339};
use crate::record::kind::{Ending, Fold, View};
use crate::record::{Holder, Line, Place, Record, SessionEvent};
use crate::store::journal::backward::Backward;
use crate::store::journal::recent::Edge;

use super::activity::{Activity, ReportedActivity};
use super::leases::live_leases;
use super::reader::Reader;

/// Who was in a turn and has told nothing for so long may have been interrupted, which nobody tells; milliseconds.
const SILENT_MS: u64 = 15 * 60 * 1_000;

/// How a session is known to be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// Its runtime said that it ended.
    Ended,
    /// The process that ran it is dead, and said nothing.
    Gone,
}

/// A session, and what it did within the time that was asked about.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The machine that it runs on; none for this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Its instance.
    pub instance: String,
    /// Its name.
    pub session: String,
    /// The runtime of its last sign of life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// The agent of its last sign of life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Its last sign of life, RFC 3339: a call, something of a task, a message or an event, or that it began, got a prompt or ended.
    pub last_at: String,
    /// What it is doing.
    pub activity: Activity,
    /// Since when, RFC 3339.
    pub activity_since: String,
    /// Its folder.
    pub cwd: Option<String>,
    /// The folder of the repository that this lies in, one for all its working trees; else the same folder.
    pub project: Option<String>,
    /// The id of the process that runs it.
    pub pid: Option<u32>,
    /// Its terminal.
    pub tty: Option<String>,
    /// What it called last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_tool: Option<String>,
    /// How it is known to be over; absent as long as nothing says that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// Calls that were let through.
    pub calls: u64,
    /// Calls that were paused or blocked.
    pub paused: u64,
    /// The resources it holds now.
    pub holds: Vec<String>,
    /// The process that runs it, and in which boot.
    #[serde(skip)]
    pub holder: Option<(Holder, Option<u32>)>,
    /// Why it ended, in its runtime's own word.
    #[serde(skip)]
    pub end_reason: Option<String>,
    /// When it got its last prompt, wall-clock milliseconds.
    #[serde(skip)]
    pub last_prompt_ms: Option<i64>,
}

/// A session while the journal is read back.
struct Heard {
    session: Session,
    /// Whether the process that ran it last is dead, once a line has named it.
    is_dead: Option<bool>,
    activity: ReportedActivity,
    place: Option<Box<Place>>,
    /// Its runtime tells of sessions: it has told something of this one.
    tells: bool,
    last_ms: i64,
}

/// The sessions that showed a sign of life in the last `window_ms` milliseconds, the latest first.
pub(super) fn sessions(reader: &Reader<'_>, window_ms: u64) -> Result<Vec<Session>, QueryError> {
    let Some(segments) = reader.segments()? else { return Ok(Vec::new()) };
    let (history, now, is_dead) = (reader.history()?, &reader.now, reader.is_dead());
    let leases = live_leases(&history, now, &is_dead);
    let mut sessions: Vec<Heard> = Vec::new();
    let mut known: HashMap<Who, usize> = HashMap::new();
    // Calls that ended after the last sign of life of their session.
    let mut ended: HashMap<Who, i64> = HashMap::new();
    // Instances whose runtimes were heard to tell how turns end.
    let mut tell_ends: HashSet<(Option<String>, String)> = HashSet::new();
    let mut edge = Edge::new(window_ms);
    let mut lines = Backward::of(segments);
    while let Some((_, bytes)) = lines.next_line()? {
        let line = Line::read_without_document(&bytes);
        if edge.is_beyond(&line, &bytes, now) {
            break;
        }
        let record = if let Line::Record(record) = line {
            *record
        } else if let Ok(record) = serde_json::from_slice::<Record>(&bytes) {
            record
        } else {
            continue;
        };
        let spec = record.action.spec();
        if shows_work(spec.fold) && record.session.is_some() {
            let who = Who::of(&record);
            if !known.contains_key(&who) {
                ended.entry(who).or_insert(record.wall_ms);
            }
        }
        if !is_sign_of_life(spec.view) || record.session.is_none() || record.stamp().age_ms(now) > window_ms {
            continue;
        }
        let place = *known.entry(Who::of(&record)).or_insert_with_key(|who| {
            let holds = leases
                .iter()
                .filter(|lease| lease.machine == who.foreign_machine())
                .filter(|lease| lease.instance == who.instance && lease.session == who.session)
                .map(|lease| lease.context_key.clone());
            let session = Session::last_seen(who, &record, holds.collect());
            let mut activity = ReportedActivity::default();
            // Not of one whose end is the newest that was told.
            if let Some(at) = ended.get(who).filter(|_| record.event != Some(SessionEvent::End)) {
                activity.call_ended(*at);
            }
            let last_ms = record.wall_ms;
            sessions.push(Heard { session, is_dead: None, activity, place: None, tells: false, last_ms });
            sessions.len() - 1
        });
        if matches!(record.event, Some(SessionEvent::Idle | SessionEvent::Stuck)) {
            tell_ends.insert((record.machine.clone(), record.instance.clone()));
        }
        if let Some(heard) = sessions.get_mut(place) {
            if let (None, Some(holder)) = (heard.is_dead, &record.holder) {
                heard.is_dead = Some(is_dead(record.boot, holder));
                heard.session.pid = Some(holder.pid);
                heard.session.holder = Some((*holder, record.boot));
            }
            heard.earlier(record);
        }
    }
    let calling = calling(&history, now, &is_dead);
    let finish = |heard: Heard| {
        let session = &heard.session;
        let tells_ends = tell_ends.contains(&(session.machine.clone(), session.instance.clone()));
        let is_calling = calling.iter().any(|who| {
            who.instance == session.instance
                && who.session == session.session
                && who.foreign_machine() == session.machine
        });
        let is_silent =
            now.wall_ms.saturating_sub(heard.last_ms) >= i64::try_from(SILENT_MS).unwrap_or(i64::MAX);
        heard.finish(tells_ends, is_silent && !is_calling)
    };
    Ok(sessions.into_iter().map(finish).collect())
}

/// Whether a record is a sign of life of its session. What becomes of a call later, others may write, and when nobody is there any more.
fn is_sign_of_life(view: View) -> bool {
    match view {
        View::Call | View::Stop | View::Session | View::Exchange => true,
        View::Denial
        | View::End
        | View::Background
        | View::Lease
        | View::Receipt
        | View::Fault
        | View::Maintenance
        | View::Unknown => false,
    }
}

/// Whether a record says that a call has run until now. One that is not known to have ended may have been given up.
fn shows_work(fold: Fold) -> bool {
    match fold {
        Fold::Outcome(Ending::Complete | Ending::Failed) => true,
        Fold::Outcome(Ending::Refused | Ending::Unknown)
        | Fold::Start
        | Fold::Background
        | Fold::Release
        | Fold::Renewal
        | Fold::Pause
        | Fold::Place
        | Fold::Delivery
        | Fold::Window
        | Fold::Segment
        | Fold::Prune
        | Fold::Loss
        | Fold::Nothing => false,
    }
}

/// Whose calls run.
fn calling(history: &History, now: &Stamp, is_dead: IsDead<'_>) -> Vec<Who> {
    let open = history.open().filter(|action| action.state(now, is_dead) == State::InFlight);
    open.map(|action| (*action.who).clone()).collect()
}

impl Session {
    /// As its newest line tells.
    fn last_seen(who: &Who, newest: &Record, holds: Vec<String>) -> Self {
        Self {
            machine: who.foreign_machine(),
            instance: who.instance.clone(),
            session: who.session.clone(),
            runtime: newest.runtime.clone(),
            agent: newest.agent.clone(),
            last_at: to_rfc3339(newest.wall_ms),
            activity: Activity::Unknown,
            activity_since: to_rfc3339(newest.wall_ms),
            cwd: None,
            project: None,
            pid: None,
            tty: None,
            last_tool: None,
            over: (newest.event == Some(SessionEvent::End)).then_some(Over::Ended),
            calls: 0,
            paused: 0,
            holds,
            holder: None,
            end_reason: newest.reason.clone().filter(|_| newest.event == Some(SessionEvent::End)),
            last_prompt_ms: None,
        }
    }
}

impl Heard {
    /// Takes in a line, each earlier than the one before.
    fn earlier(&mut self, record: Record) {
        self.activity.earlier(&record);
        let session = &mut self.session;
        match record.action.spec().view {
            View::Session => {
                // Only a runtime that tells of sessions tells each process that takes one over.
                if session.over.is_none() && self.is_dead == Some(true) {
                    session.over = Some(Over::Gone);
                }
                if record.event == Some(SessionEvent::Prompt) {
                    session.last_prompt_ms.get_or_insert(record.wall_ms);
                }
                self.tells = true;
                self.place = self.place.take().or(record.place);
                return;
            }
            View::Call => session.calls += 1,
            View::Stop => session.paused += 1,
            View::Denial
            | View::End
            | View::Background
            | View::Lease
            | View::Receipt
            | View::Exchange
            | View::Fault
            | View::Maintenance
            | View::Unknown => return,
        }
        session.last_tool = session.last_tool.take().or(record.tool);
    }

    /// What is known of it. `tells_ends`: its runtime was heard to tell how turns end; `is_silent`: it has told nothing for long, and no
    /// call of it runs.
    fn finish(self, tells_ends: bool, is_silent: bool) -> Session {
        let Self { mut session, activity, place, tells, last_ms, .. } = self;
        let (mut is, since) = activity.is().unwrap_or((Activity::Unknown, last_ms));
        let is_believed = tells && (tells_ends || place.as_ref().is_some_and(|place| !place.needs_trust));
        if is.is_in_turn() && (!is_believed || is_silent) || !tells {
            is = Activity::Unknown;
        }
        if session.over.is_some() {
            is = Activity::Ended;
        }
        session.activity = is;
        session.activity_since = to_rfc3339(if is == Activity::Unknown { last_ms } else { since });
        if let Some(place) = place {
            (session.cwd, session.project, session.tty) = (place.cwd, place.project, place.tty);
        }
        session
    }
}
