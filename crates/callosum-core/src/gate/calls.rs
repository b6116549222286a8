//! The calls this gate has let through or refused and has seen no after-hook of: what makes a second firing
//! of one hook the same call, and what an after-hook belongs to.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::journal::segment::SegmentFile;
use crate::tool_call::ToolCall;

use super::intent::Intent;
use super::report::EndReport;

/// A call as its runtime identifies it among the open ones: session, call id and run, one behind the other in one text.
/// Every call has one, and three texts would cost it more than all else that is done with them.
#[derive(Clone, Debug)]
pub(super) struct CallId {
    text: String,
    /// Where the session ends, and the call id.
    ends: (usize, usize),
    has_run: bool,
}

/// The same, borrowed: what calls are looked up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallRef<'a> {
    pub(super) session: &'a str,
    pub(super) run: Option<&'a str>,
    pub(super) call: &'a str,
}

impl<'a> CallRef<'a> {
    /// The identity of a call; `None` without a call id: then nothing can be told to be the same.
    pub(super) fn new(session: &'a str, run: Option<&'a str>, call: Option<&'a str>) -> Option<Self> {
        Some(Self { session, run, call: call? })
    }

    pub(super) fn to_owned(self) -> CallId {
        let Self { session, run, call } = self;
        CallId {
            text: [session, call, run.unwrap_or_default()].concat(),
            ends: (session.len(), session.len() + call.len()),
            has_run: run.is_some(),
        }
    }
}

impl ToolCall {
    /// The call among the open ones.
    pub(super) fn id(&self) -> Option<CallRef<'_>> {
        CallRef::new(&self.session, self.run.as_deref(), self.call.as_deref())
    }
}

impl CallId {
    pub(super) fn as_ref(&self) -> CallRef<'_> {
        let part = |from: usize, to: usize| self.text.get(from..to).unwrap_or_default();
        let (session, call) = self.ends;
        CallRef {
            session: part(0, session),
            call: part(session, call),
            run: self.has_run.then(|| part(call, self.text.len())),
        }
    }
}

/// What a call is looked up by, owned or borrowed: a map's way to find an owned key by a borrowed one.
trait Identity {
    fn borrowed(&self) -> CallRef<'_>;
}

impl Identity for CallId {
    fn borrowed(&self) -> CallRef<'_> {
        self.as_ref()
    }
}

impl Identity for CallRef<'_> {
    fn borrowed(&self) -> CallRef<'_> {
        *self
    }
}

impl Hash for dyn Identity + '_ {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.borrowed().hash(state);
    }
}

impl PartialEq for dyn Identity + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.borrowed() == other.borrowed()
    }
}

impl Eq for dyn Identity + '_ {}

impl Hash for CallRef<'_> {
    /// The run tells few calls apart that session and call id do not, and every text costs.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(self.session.as_bytes());
        state.write(self.call.as_bytes());
    }
}

impl Hash for CallId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_ref().hash(state);
    }
}

impl PartialEq for CallId {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Eq for CallId {}

impl<'a> Borrow<dyn Identity + 'a> for CallId {
    fn borrow(&self) -> &(dyn Identity + 'a) {
        self
    }
}

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
    Allowed { seq: u64, is_guarded: bool, unflushed: Option<Unflushed> },
    /// Refused with this text.
    Refused(String),
}

#[derive(Debug)]
struct OpenCall {
    /// Which one it is among those opened since this gate began.
    number: u64,
    asked: Asked,
    phase: Phase,
}

/// What a call was to do.
#[derive(Debug)]
struct Asked {
    tool: String,
    /// Below tier 2 there is none.
    digest: Option<String>,
    /// Where its relative paths start.
    cwd: Option<String>,
}

/// More open calls than this are forgotten, oldest first: their after-hooks never came.
const MAX_OPEN: usize = 4_096;

#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    calls: HashMap<CallId, OpenCall>,
    opened: u64,
}

impl OpenCalls {
    /// The phase of this very call, if it has been here and its after-hook has not.
    pub(super) fn again(&self, id: CallRef<'_>, tool: &str, digest: Option<&str>) -> Option<&Phase> {
        let known = self.calls.get(&id as &dyn Identity)?;
        let same = known.asked.tool == tool && known.asked.digest.as_deref() == digest;
        same.then_some(&known.phase)
    }

    /// Notes a call that has been classified no further.
    pub(super) fn open(&mut self, call: &ToolCall, phase: Phase) {
        let Some(id) = call.id() else { return };
        let asked = Asked { tool: call.tool.clone(), digest: None, cwd: None };
        self.insert(id.to_owned(), asked, phase);
    }

    /// Notes a call that has been classified.
    pub(super) fn open_intent(&mut self, intent: &Intent, phase: Phase) {
        let Some(id) = intent.id() else { return };
        let digest = intent.digest().map(str::to_owned);
        // Only what runs instead of what was asked is read again, and only where there is a digest.
        let cwd = digest.as_ref().and(intent.cwd.clone());
        self.insert(id.to_owned(), Asked { tool: intent.tool().to_owned(), digest, cwd }, phase);
    }

    fn insert(&mut self, id: CallId, asked: Asked, phase: Phase) {
        self.opened += 1;
        self.calls.insert(id, OpenCall { number: self.opened, asked, phase });
        if self.calls.len() > MAX_OPEN {
            // A quarter at once, so that a full house is not counted through at every call.
            let mut numbers: Vec<u64> = self.calls.values().map(|open| open.number).collect();
            let (_, edge, _) = numbers.select_nth_unstable(MAX_OPEN / 4);
            self.calls.retain(|_, open| open.number > *edge);
        }
    }

    /// Where the relative paths of an open call start, if it was to do something else than what has this digest; `None`
    /// below tier 2.
    pub(super) fn rewritten(&self, id: CallRef<'_>, tool: &str, digest: &str) -> Option<Option<String>> {
        let Asked { cwd, .. } =
            self.calls.get(&id as &dyn Identity).map(|known| &known.asked).filter(|asked| {
                asked.tool == tool && asked.digest.as_deref().is_some_and(|asked| asked != digest)
            })?;
        Some(cwd.clone())
    }

    /// Moves a call on to `phase`. Returns the report of its end when that came while it was decided.
    pub(super) fn settle(&mut self, id: CallRef<'_>, phase: Phase) -> Option<Box<EndReport>> {
        let known = self.calls.get_mut(&id as &dyn Identity)?;
        let before = std::mem::replace(&mut known.phase, phase);
        let Phase::Deciding(Some(report)) = before else { return None };
        self.calls.remove(&id as &dyn Identity);
        Some(report)
    }

    /// The after-hook of a call has come: takes the call out. One that is still being decided stays, with
    /// the report, until its worker settles it.
    pub(super) fn close(&mut self, id: CallRef<'_>, report: &EndReport) -> Option<Phase> {
        let (id, mut call) = self.calls.remove_entry(&id as &dyn Identity)?;
        if let Phase::Deciding(early) = &mut call.phase {
            *early = Some(Box::new(report.clone()));
            self.calls.insert(id, call);
            return Some(Phase::Deciding(None));
        }
        Some(call.phase)
    }

    /// The after-hook of a call has come: takes it out if nothing more will be written of it. Its tool, if that is
    /// counted: one that only carries others is not.
    pub(super) fn close_unwritten(&mut self, id: CallRef<'_>) -> Option<Option<String>> {
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
        if let Some(call) = self.calls.get_mut(id)
            && matches!(call.phase, Phase::Queued(queued) if queued == number)
        {
            call.phase = Phase::Allowed { seq, is_guarded, unflushed: None };
        }
    }

    /// The model has seen the results of the calls that `chosen` picks: from now on the same id is a new
    /// call, even where the host's after-hook never came. What is still being decided or written stays.
    pub(super) fn forget_read(&mut self, chosen: impl Fn(CallRef<'_>) -> bool) {
        self.calls.retain(|id, call| {
            matches!(call.phase, Phase::Deciding(_) | Phase::Queued(_)) || !chosen(id.as_ref())
        });
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
            open.open(call, Phase::Queued(number));
        }
        for (number, call) in (0..).zip(&calls) {
            let phase = open.again(call.id().unwrap(), "read", None);
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
            open.open(&call("s", None, id), phase);
        }
        let mut close = |id| open.close_unwritten(call("s", None, id).id().unwrap());
        assert_eq!(close("light"), Some(Some("read".to_owned())));
        assert_eq!((close("light"), close("wrapper")), (None, Some(None)));
        assert_eq!((close("queued"), close("never")), (None, None));
        assert!(open.again(call("s", None, "queued").id().unwrap(), "read", None).is_some());
    }
}
