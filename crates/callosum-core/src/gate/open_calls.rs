//! The calls this gate has let through or refused and has seen no after-hook of: what makes a second firing
//! of one hook the same call, and what an after-hook belongs to.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use crate::model::hashed::HashMap;
use crate::model::time::Stamp;
use crate::model::tool_call::ToolCall;
use crate::record::outcome::Ended;
use crate::store::journal::segment_file::SegmentFile;

use super::Answer;
use super::call_id::{CallId, CallRef, Identity};
use super::intent::Intent;
use super::report::EndReport;

/// What still has to be flushed before a call may run.
#[derive(Clone, Debug)]
pub(super) struct Unflushed {
    pub(super) file: Arc<SegmentFile>,
    pub(super) end: u64,
}

/// How far the gate is with a call.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    /// Only carries other calls, which come through the gate themselves.
    Wrapper,
    /// Tier 0 or 1: let through, nothing more will be written.
    Light,
    /// Tier 2, let through; its start waits in the backlog under this number.
    Queued(u64),
    /// A worker decides; the after-hook may come first, when the host gave up.
    Deciding(Option<Box<EndReport>>),
    /// Let through by the record with this sequence number.
    /// The host is answered `leave`.
    Allowed { seq: u64, is_guarded: bool, unflushed: Option<Unflushed>, leave: Answer },
    /// Refused with this text.
    Refused(String),
}

#[derive(Debug)]
struct OpenCall {
    /// Which one it is among those opened since this gate began.
    number: u64,
    asked: Asked,
    phase: Phase,
    /// When it came to this phase.
    since: Stamp,
}

/// What a call was to do.
#[derive(Debug)]
struct Asked {
    tool: String,
    /// Below tier 2 there is none.
    digest: Option<String>,
    /// The same for a quick look.
    mark: u64,
    /// Where its relative paths start.
    cwd: Option<String>,
}

/// More open calls than this are forgotten, oldest first: their after-hooks never came.
const MAX_OPEN: usize = 4_096;
/// How long after a call was let through or refused, milliseconds, its hook may fire once more. A host that fires twice does
/// so within milliseconds, one handler after the other; a model or a client that makes the same call again needs longer than
/// that, and an id that comes again later was used again.
const FIRES_TWICE_MS: u64 = 1_000;

#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    /// The newest under each id.
    calls: HashMap<CallId, OpenCall>,
    /// The ones before it under the same id that something may still be written of, oldest first: a host may use an id again
    /// and never tell an end.
    before: HashMap<CallId, VecDeque<OpenCall>>,
    opened: u64,
}

impl OpenCall {
    /// Whether it goes on: nobody may run it yet, so the host is still at its hooks.
    fn is_under_way(&self) -> bool {
        matches!(self.phase, Phase::Deciding(None) | Phase::Allowed { unflushed: Some(_), .. })
    }

    /// Whether its end has something to write, or to be told from another's by.
    fn is_awaited(&self) -> bool {
        !matches!(self.phase, Phase::Light | Phase::Wrapper)
    }

    /// Whether it is still being decided, or waits to be written.
    fn is_unsettled(&self) -> bool {
        matches!(self.phase, Phase::Deciding(_) | Phase::Queued(_))
    }

    /// How much speaks for it that `report` is about it.
    fn fits(&self, report: &EndReport) -> u8 {
        if matches!(self.phase, Phase::Deciding(Some(_))) {
            // It has its report.
            return 0;
        }
        let is_refusal = report.ended == Ended::Refused;
        let as_decided = is_refusal == matches!(self.phase, Phase::Refused(_));
        let is_alike = report.digest.is_some() && report.digest == self.asked.digest;
        4 * u8::from(is_alike) + 2 * u8::from(self.asked.tool == report.tool) + u8::from(as_decided)
    }
}

impl OpenCalls {
    /// Number and phase of this very call, if its hook has fired before and fires once more now. That is so only where a host
    /// may fire twice for one call: within a run, under the same id, of the same tool and digest, before an after-hook, while the
    /// first firing is decided or shortly afterwards. Whatever else has the id of an open call is a new one: a client may send
    /// one id again and again (OpenClaw's `tools.invoke` with an idempotency key), without a run and without after-hooks.
    pub(super) fn again(
        &self,
        id: CallRef<'_>,
        tool: &str,
        digest: Option<&str>,
        now: &Stamp,
    ) -> Option<(u64, &Phase)> {
        id.run?;
        let known = self.calls.get(&id as &dyn Identity)?;
        let is_same = known.asked.tool == tool && known.asked.digest.as_deref() == digest;
        let is_now = || known.is_under_way() || known.since.is_close_to(now, FIRES_TWICE_MS);
        (is_same && is_now()).then_some((known.number, &known.phase))
    }

    /// The phase of the open call with this number.
    pub(super) fn phase(&self, id: CallRef<'_>, number: u64) -> Option<&Phase> {
        self.under(id).find(|call| call.number == number).map(|call| &call.phase)
    }

    /// Notes a call that has been classified no further.
    pub(super) fn open(&mut self, call: &ToolCall, phase: Phase, now: &Stamp) {
        let Some(id) = call.id() else { return };
        let asked = Asked { tool: call.tool.clone(), digest: None, mark: 0, cwd: None };
        self.insert(id.to_owned(), asked, phase, now);
    }

    /// Notes how far the gate is with a call that has been classified. Returns the report of its end when that came while it
    /// was decided: then the call is no longer open.
    pub(super) fn note(&mut self, intent: &mut Intent, phase: Phase, now: &Stamp) -> Option<Box<EndReport>> {
        let id = intent.id()?;
        let phase = match intent.open {
            Some(number) => match self.settle(id, number, phase, now) {
                Ok(report) => return report,
                // It was forgotten meanwhile.
                Err(phase) => phase,
            },
            None => phase,
        };
        let digest = intent.digest().map(str::to_owned);
        // Only what runs instead of what was asked is read again, and only where there is a digest.
        let cwd = digest.as_ref().and(intent.cwd.clone());
        let asked = Asked { tool: intent.tool().to_owned(), digest, mark: intent.mark, cwd };
        intent.open = Some(self.insert(id.to_owned(), asked, phase, now));
        None
    }

    fn insert(&mut self, id: CallId, asked: Asked, phase: Phase, now: &Stamp) -> u64 {
        self.opened += 1;
        let call = OpenCall { number: self.opened, asked, phase, since: *now };
        match self.calls.entry(id) {
            Entry::Vacant(place) => drop(place.insert(call)),
            Entry::Occupied(mut place) => {
                let before = place.insert(call);
                if before.is_awaited() {
                    self.before.entry(place.key().clone()).or_default().push_back(before);
                }
            }
        }
        self.forget_oldest();
        self.opened
    }

    fn forget_oldest(&mut self) {
        let before: usize = self.before.values().map(VecDeque::len).sum();
        if self.calls.len() + before <= MAX_OPEN {
            return;
        }
        // A quarter at once, so that a full house is not counted through at every call.
        let all = self.calls.values().chain(self.before.values().flatten());
        let mut numbers: Vec<u64> = all.map(|open| open.number).collect();
        let edge = *numbers.select_nth_unstable(MAX_OPEN / 4).1;
        self.retain(|_, open| open.number > edge);
    }

    fn retain(&mut self, keep: impl Fn(CallRef<'_>, &OpenCall) -> bool) {
        self.calls.retain(|id, call| keep(id.as_ref(), call));
        let calls = &mut self.calls;
        self.before.retain(|id, before| {
            before.retain(|call| keep(id.as_ref(), call));
            if !calls.contains_key(id)
                && let Some(newest) = before.pop_back()
            {
                calls.insert(id.clone(), newest);
            }
            !before.is_empty()
        });
    }

    /// The open calls under an id, oldest first.
    fn under(&self, id: CallRef<'_>) -> impl Iterator<Item = &OpenCall> {
        let before = if self.before.is_empty() { None } else { self.before.get(&id as &dyn Identity) };
        before.into_iter().flatten().chain(self.calls.get(&id as &dyn Identity))
    }

    /// The open call that `such` picks among those under an id.
    fn under_mut(&mut self, id: CallRef<'_>, such: impl Fn(&OpenCall) -> bool) -> Option<&mut OpenCall> {
        let before = if self.before.is_empty() { None } else { self.before.get_mut(&id as &dyn Identity) };
        let newest = self.calls.get_mut(&id as &dyn Identity);
        before.into_iter().flatten().chain(newest).find(|call| such(call))
    }

    /// Takes out the open call with this number.
    fn remove(&mut self, id: CallRef<'_>, number: u64) -> Option<OpenCall> {
        if self.before.is_empty() {
            return self.calls.remove(&id as &dyn Identity);
        }
        let Some(before) = self.before.get_mut(&id as &dyn Identity) else {
            return self.calls.remove(&id as &dyn Identity);
        };
        let removed = match before.iter().position(|call| call.number == number) {
            Some(place) => before.remove(place),
            None => {
                let newest = self.calls.get_mut(&id as &dyn Identity)?;
                before.pop_back().map(|last| std::mem::replace(newest, last))
            }
        };
        if before.is_empty() {
            self.before.remove(&id as &dyn Identity);
        }
        removed
    }

    /// Which of the open calls under its id a report is about: the oldest of those that fit best.
    fn reported(&self, id: CallRef<'_>, report: &EndReport) -> Option<&OpenCall> {
        self.under(id).reduce(|best, call| if call.fits(report) > best.fits(report) { call } else { best })
    }

    /// Whether several calls are open under an id, so that an end must be told from another's by what ran.
    pub(super) fn are_several(&self, id: CallRef<'_>) -> bool {
        !self.before.is_empty() && self.before.contains_key(&id as &dyn Identity)
    }

    /// Where the relative paths of the open call start that `report` is about, if it was to do something else than what has
    /// this mark; `None` below tier 2.
    pub(super) fn rewritten(&self, id: CallRef<'_>, report: &EndReport, mark: u64) -> Option<Option<String>> {
        let Asked { cwd, .. } = self
            .reported(id, report)
            .map(|known| &known.asked)
            .filter(|asked| asked.tool == report.tool && asked.digest.is_some() && asked.mark != mark)?;
        Some(cwd.clone())
    }

    /// Moves the call with this number on to `phase`. Returns the report of its end when that came while it was decided.
    ///
    /// # Errors
    /// The phase, when the call is no longer known.
    pub(super) fn settle(
        &mut self,
        id: CallRef<'_>,
        number: u64,
        phase: Phase,
        now: &Stamp,
    ) -> Result<Option<Box<EndReport>>, Phase> {
        let Some(known) = self.under_mut(id, |call| call.number == number) else { return Err(phase) };
        known.since = *now;
        let before = std::mem::replace(&mut known.phase, phase);
        let Phase::Deciding(Some(report)) = before else { return Ok(None) };
        self.remove(id, number);
        Ok(Some(report))
    }

    /// The start of a call was flushed, or the call goes on without: now it may run.
    pub(super) fn flushed(&mut self, id: CallRef<'_>, number: u64, seq: u64, now: &Stamp) {
        if let Some(call) = self.under_mut(id, |call| call.number == number)
            && let Phase::Allowed { seq: allowed, unflushed, .. } = &mut call.phase
            && *allowed == seq
        {
            *unflushed = None;
            call.since = *now;
        }
    }

    /// The after-hook of a call has come: takes the call out. One that is still being decided stays, with
    /// the report, until its worker settles it.
    pub(super) fn close(&mut self, id: CallRef<'_>, report: &EndReport) -> Option<Phase> {
        if !self.are_several(id) {
            // Nearly always it is the only one: looked up once.
            let (id, mut call) = self.calls.remove_entry(&id as &dyn Identity)?;
            let Phase::Deciding(early) = &mut call.phase else { return Some(call.phase) };
            *early = Some(Box::new(report.clone()));
            self.calls.insert(id, call);
            return Some(Phase::Deciding(None));
        }
        let number = self.reported(id, report)?.number;
        let call = self.under_mut(id, |call| call.number == number)?;
        if let Phase::Deciding(early) = &mut call.phase {
            *early = Some(Box::new(report.clone()));
            return Some(Phase::Deciding(None));
        }
        self.remove(id, number).map(|call| call.phase)
    }

    /// The after-hook of a call has come: takes it out if nothing more will be written of it. Its tool, if that is
    /// counted: one that only carries others is not.
    pub(super) fn close_unwritten(&mut self, id: CallRef<'_>) -> Option<Option<String>> {
        if self.are_several(id) {
            // The report must tell whose end it is.
            return None;
        }
        // Nearly every call is such a one: looked up once.
        let (id, call) = self.calls.remove_entry(&id as &dyn Identity)?;
        match call.phase {
            Phase::Light => Some(Some(call.asked.tool)),
            Phase::Wrapper => Some(None),
            _ => {
                self.calls.insert(id, call);
                None
            }
        }
    }

    /// A start that waited in the backlog was written.
    pub(super) fn written(&mut self, id: &CallId, number: u64, seq: u64, is_guarded: bool) {
        let waits = |call: &OpenCall| matches!(call.phase, Phase::Queued(queued) if queued == number);
        if let Some(call) = self.under_mut(id.as_ref(), waits) {
            call.phase = Phase::Allowed { seq, is_guarded, unflushed: None, leave: Answer::Proceed };
        }
    }

    /// The records of calls that were let through have other sequence numbers now.
    pub(super) fn renumber(&mut self, numbers: &HashMap<u64, u64>) {
        for call in self.calls.values_mut().chain(self.before.values_mut().flatten()) {
            if let Phase::Allowed { seq, .. } = &mut call.phase
                && let Some(now) = numbers.get(seq)
            {
                *seq = *now;
            }
        }
    }

    /// The model has seen the results of the calls that `chosen` picks: from now on the same id is a new
    /// call, even where the host's after-hook never came. What is still being decided or written stays.
    pub(super) fn forget_read(&mut self, chosen: impl Fn(CallRef<'_>) -> bool) {
        self.retain(|id, call| call.is_unsettled() || !chosen(id));
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn call(session: &str, run: Option<&str>, call: &str) -> ToolCall {
        let owned = str::to_owned;
        ToolCall {
            tool: owned("read"),
            session: owned(session),
            run: run.map(owned),
            call: Some(owned(call)),
            ..ToolCall::default()
        }
    }

    fn now() -> Stamp {
        Stamp { wall_ms: 1_800_000_000_000, up_ms: 900_000_000, boot: Some(7) }
    }

    #[test]
    fn calls_are_told_apart_wherever_one_part_of_their_id_ends() {
        let calls = [
            call("ab", Some("d"), "c"),
            call("a", Some("d"), "bc"),
            call("ab", None, "cd"),
            call("ab", Some(""), "cd"),
        ];
        let mut open = OpenCalls::default();
        for (number, call) in (0..).zip(&calls) {
            open.open(call, Phase::Queued(number), &now());
        }
        for (number, call) in (0..).zip(&calls) {
            let phase = open.phase(call.id().unwrap(), number + 1);
            assert!(matches!(phase, Some(Phase::Queued(found)) if *found == number), "{call:?}");
            assert_eq!(call.id().unwrap().to_owned().as_ref(), call.id().unwrap());
        }
    }

    #[test]
    fn only_a_call_of_which_no_more_is_written_is_closed_by_its_id_alone() {
        let mut open = OpenCalls::default();
        for (id, phase) in
            [("light", Phase::Light), ("wrapper", Phase::Wrapper), ("queued", Phase::Queued(1))]
        {
            open.open(&call("s", Some("r"), id), phase, &now());
        }
        let mut close = |id| open.close_unwritten(call("s", Some("r"), id).id().unwrap());
        assert_eq!(close("light"), Some(Some("read".to_owned())));
        assert_eq!((close("light"), close("wrapper")), (None, Some(None)));
        assert_eq!((close("queued"), close("never")), (None, None));
        assert!(open.again(call("s", Some("r"), "queued").id().unwrap(), "read", None, &now()).is_some());
    }

    #[test]
    fn calls_of_one_id_are_forgotten_oldest_first_and_never_pile_up() {
        let mut open = OpenCalls::default();
        let same = call("s", None, "key");
        for number in 1..=2 * MAX_OPEN as u64 {
            open.open(&same, Phase::Queued(number), &now());
        }
        let kept: Vec<u64> = open.under(same.id().unwrap()).map(|call| call.number).collect();
        assert!(kept.len() <= MAX_OPEN && kept.is_sorted(), "{}", kept.len());
        assert_eq!(kept.last(), Some(&(2 * MAX_OPEN as u64)));
        // A light one has nothing to be told apart by, and takes no place.
        open.forget_read(|_| true);
        assert_eq!(open.under(same.id().unwrap()).count(), kept.len(), "what waits to be written stays");
        let number = *kept.last().unwrap();
        assert!(open.settle(same.id().unwrap(), number, Phase::Refused(String::new()), &now()).is_ok());
        open.forget_read(|_| true);
        let newest = open.under(same.id().unwrap()).last().map(|call| call.number);
        assert_eq!(newest, Some(number - 1), "the one before takes its place");
    }
}
