//! The calls this gate has let through or refused and has seen no after-hook of: what makes a second firing
//! of one hook the same call, and what an after-hook belongs to.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::journal::segment::SegmentFile;
use crate::tool_call::ToolCall;

use super::report::EndReport;

/// A call as its runtime identifies it among the open ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CallId {
    pub(super) session: String,
    pub(super) run: Option<String>,
    pub(super) call: String,
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
    /// Tier 0 or 1: let through, nothing more will be written.
    Light,
    /// Tier 2, let through; its start waits in the backlog under this number.
    Queued(u64),
    /// A worker decides; the after-hook may come first, when the host gave up.
    Deciding(Option<Box<EndReport>>),
    /// Let through by the record with this sequence number.
    Allowed { seq: u64, unflushed: Option<Unflushed> },
    /// Refused with this text.
    Refused(String),
}

#[derive(Debug)]
struct OpenCall {
    tool: String,
    digest: Option<String>,
    cwd: Option<String>,
    phase: Phase,
}

/// More open calls than this are forgotten, oldest first: their after-hooks never came.
const MAX_OPEN: usize = 4_096;

#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    calls: HashMap<CallId, OpenCall>,
    order: VecDeque<CallId>,
}

impl OpenCalls {
    /// The phase of this very call, if it has been here and its after-hook has not.
    pub(super) fn again(&self, id: &CallId, tool: &str, digest: Option<&str>) -> Option<&Phase> {
        let known = self.calls.get(id)?;
        (known.tool == tool && known.digest.as_deref() == digest).then_some(&known.phase)
    }

    pub(super) fn open(&mut self, id: CallId, call: &ToolCall, digest: Option<String>, phase: Phase) {
        let open = OpenCall { tool: call.tool.clone(), digest, cwd: call.cwd.clone(), phase };
        if self.calls.insert(id.clone(), open).is_none() {
            self.order.push_back(id);
        }
        // Closed calls leave their place in the order behind; sweep when it has grown far past the calls.
        if self.order.len() > 2 * MAX_OPEN {
            let calls = &self.calls;
            self.order.retain(|id| calls.contains_key(id));
        }
        while self.calls.len() > MAX_OPEN {
            match self.order.pop_front() {
                Some(oldest) => drop(self.calls.remove(&oldest)),
                None => break,
            }
        }
    }

    /// The digest of what an open call was to do, and where its relative paths start; `None` below tier 2.
    pub(super) fn asked(&self, id: &CallId, tool: &str) -> Option<(String, Option<String>)> {
        let known = self.calls.get(id).filter(|known| known.tool == tool)?;
        Some((known.digest.clone()?, known.cwd.clone()))
    }

    /// Moves a call on to `phase`. Returns the report of its end when that came while it was decided.
    pub(super) fn settle(&mut self, id: &CallId, phase: Phase) -> Option<Box<EndReport>> {
        let known = self.calls.get_mut(id)?;
        let before = std::mem::replace(&mut known.phase, phase);
        let Phase::Deciding(Some(report)) = before else { return None };
        self.calls.remove(id);
        Some(report)
    }

    /// The after-hook of a call has come: takes the call out. One that is still being decided stays, with
    /// the report, until its worker settles it.
    pub(super) fn close(&mut self, id: &CallId, report: &EndReport) -> Option<Phase> {
        if let Some(OpenCall { phase: Phase::Deciding(early), .. }) = self.calls.get_mut(id) {
            *early = Some(Box::new(report.clone()));
            return Some(Phase::Deciding(None));
        }
        self.calls.remove(id).map(|call| call.phase)
    }

    /// A start that waited in the backlog was written.
    pub(super) fn written(&mut self, id: &CallId, number: u64, seq: u64) {
        if let Some(call) = self.calls.get_mut(id)
            && matches!(call.phase, Phase::Queued(queued) if queued == number)
        {
            call.phase = Phase::Allowed { seq, unflushed: None };
        }
    }

    /// The model has seen the results of the calls that `chosen` picks: from now on the same id is a new
    /// call, even where the host's after-hook never came. What is still being decided or written stays.
    pub(super) fn forget_read(&mut self, chosen: impl Fn(&CallId) -> bool) {
        self.calls
            .retain(|id, call| matches!(call.phase, Phase::Deciding(_) | Phase::Queued(_)) || !chosen(id));
    }
}
