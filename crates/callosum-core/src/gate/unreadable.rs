//! Events of a runtime's hooks that could not be read, or not whole: each leaves a line, and a call that may be guarded is not
//! let through unseen.

use std::collections::BTreeMap;

use crate::model::partly_read::PartlyRead;
use crate::model::text::one_line;
use crate::model::time::Stamp;
use crate::model::tool_call::ToolCall;
use crate::record::{Action, HookCounts, Record, UNREADABLE_EVENTS};

use super::call_id::{short_name, with_short_names};
use super::{Answer, Gate, lock};

/// Characters of why.
const WHY_CHARS: usize = 200;

/// An event of which too little could be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unreadable<'a> {
    /// The session, if it could be read.
    pub session: Option<&'a str>,
    /// The tool, if it could be read.
    pub tool: Option<&'a str>,
    /// What is wrong with the event: a clause.
    pub why: &'a str,
}

impl Gate {
    /// Writes that an event came that could not be read. For a thread that may wait.
    pub fn unreadable(&self, event: &Unreadable<'_>, now: &Stamp) {
        if self.is_closed() {
            return;
        }
        let name = |name: &str| short_name(name).into_owned();
        let mut record = Record::new(Action::Unreadable, self.instance(), now);
        record.runtime = Some(self.runtime.clone());
        record.session = event.session.map(name);
        record.tool = event.tool.map(name);
        record.reason = Some(one_line(event.why, WHY_CHARS));
        // It may have been either; as both it is no call whose end is missing.
        record.seen = BTreeMap::from([(UNREADABLE_EVENTS.to_owned(), HookCounts { before: 1, after: 1 })]);
        self.write_soon(record, now);
    }

    /// What becomes of a tool call whose event could not be read whole. If its rules ask for nothing that is missing, it is a
    /// call like any other. Else it may be what the strictest of its rules is for: `onStateError` says what becomes of that.
    /// `is_known`: nothing that could not be read would give it another name or another folder; else it may be anything. For a
    /// thread that may wait.
    pub fn before_partly_read(
        &self,
        call: &ToolCall,
        is_known: bool,
        params: &PartlyRead,
        why: &str,
        now: &Stamp,
    ) -> Answer {
        let mut classification = self.classify(call, params, now);
        if self.is_closed() || is_known && !params.was_asked_in_vain() {
            return self.before(call, params, now);
        }
        let call = with_short_names(call);
        let strictest = self.current_rules(now).strictest_for(&call, &self.runtime, is_known);
        classification.tier = classification.tier.max(strictest);
        let intent = self.intent(&call, classification, params);
        if !self.refuses_undecided(&intent) {
            let tool = Some(call.tool.as_str()).filter(|_| is_known);
            self.unreadable(&Unreadable { session: Some(&call.session), tool, why }, now);
            return self.before(&call, params, now);
        }
        let why = one_line(why, WHY_CHARS);
        lock(&self.light).count(&call.tool, |counts| counts.before += 1);
        self.write_soon(intent.refused(&format!("its event could not be read: {why}"), None, now), now);
        Answer::Refuse(format!(
            "[Callosum] Can't tell what this call does: its event could not be read whole ({why}). It may be one that has to be \
             checked against what other sessions did, so it is not let through. Make the call smaller and plainer, and try \
             again; if that does not help, tell the operator."
        ))
    }
}
