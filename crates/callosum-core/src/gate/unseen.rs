//! Calls whose end no hook tells of: closed by whoever knows it otherwise.

use std::time::{Duration, Instant};

use super::open_calls::Unflushed;
use super::report::EndReport;
use super::tickets::Work;
use super::{Answer, Gate};
use crate::decision::history::Action as Past;
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::query::OpenCall;
use crate::record::outcome::Ended;
use crate::store::journal::{Check, Patience};
use crate::store::ledger::Needs;

/// How long is waited for the guard.
const PATIENCE: Duration = Duration::from_millis(500);

impl Gate {
    /// Writes how a call ended, whoever's it is, if nobody has; what can't be written soon is not written. For a thread that may wait.
    pub fn ended_unseen(&self, call: &OpenCall, ended: Ended, now: &Stamp) {
        let report = EndReport {
            tool: call.tool.clone().unwrap_or_default(),
            agent: call.agent.clone(),
            session: call.who.session.clone(),
            run: None,
            call: call.call.clone(),
            digest: None,
            ended,
            exit_code: None,
            process: None,
            ran: None,
        };
        let patience = Patience::Until(Instant::now() + PATIENCE);
        let needs = Needs { open: true, ..Needs::default() };
        let written = self.with_ledger(&needs, patience, Check::Seldom, now, |ledger, proof| {
            ledger.bring_action(call.seq)?;
            let found = ledger.history().action(call.seq);
            // In a journal that was replaced meanwhile, the number may be somebody else's.
            let is_it = |of: &&Past| is_open(of, call);
            let Some(mut record) = found.filter(is_it).map(|of| self.outcome_of_action(of, &report, now))
            else {
                return Ok(None);
            };
            record.runtime = call.runtime.clone().or(record.runtime);
            let is_guarded = record.tier.is_some_and(Tier::is_guarded);
            let appended = self.append_of_call(ledger, &proof, &mut record, now)?;
            Ok(is_guarded.then_some(appended))
        });
        if let Ok(Some(appended)) = written
            && self.flushes()
        {
            let unflushed = Unflushed { file: appended.file, end: appended.end };
            if let Answer::Wait(ticket) = self.later(Work::FlushOutcome(unflushed)) {
                let _ = self.finish(ticket, now);
            }
        }
    }
}

fn is_open(action: &Past, call: &OpenCall) -> bool {
    *action.who == call.who && action.call == call.call && action.outcome.is_none()
}
