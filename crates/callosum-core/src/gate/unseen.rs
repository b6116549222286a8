//! Calls whose end no hook tells of: closed by whoever knows it otherwise.

use std::time::{Duration, Instant};

use super::open_calls::Unflushed;
use super::report::EndReport;
use super::tickets::Work;
use super::{Answer, Gate};
use crate::decision::history::{Action as Past, Who};
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::record::outcome::Ended;
use crate::store::journal::{Check, Patience};
use crate::store::ledger::Needs;

/// How long is waited for the guard.
const PATIENCE: Duration = Duration::from_millis(500);

/// A call whose end nobody told.
#[derive(Clone, Copy, Debug)]
pub struct Untold<'c> {
    /// Sequence number of its start.
    pub seq: u64,
    /// Whose it is.
    pub who: &'c Who,
    /// The runtime's id of it.
    pub call: Option<&'c str>,
    /// The runtime.
    pub runtime: Option<&'c str>,
}

impl Gate {
    /// Writes how a call ended, whoever's it is, if nobody has; what can't be written soon is not written. For a thread that may wait.
    pub fn ended_unseen(&self, call: Untold<'_>, ended: Ended, now: &Stamp) {
        let report = EndReport {
            tool: String::new(),
            agent: None,
            session: call.who.session.clone(),
            run: None,
            call: call.call.map(str::to_owned),
            digest: None,
            ended,
            exit_code: None,
            process: None,
            ran: None,
        };
        let patience = Patience::Until(Instant::now() + PATIENCE);
        let needs = Needs { open: true, ..Needs::default() };
        let written = self.with_ledger(&needs, patience, Check::Seldom, now, |ledger, proof| {
            ledger.load_action(call.seq)?;
            let found = ledger.history().action(call.seq);
            // In a journal that was replaced meanwhile, the number may be somebody else's.
            let is_it = |of: &&Past| is_open(of, call);
            let Some(mut record) = found.filter(is_it).map(|of| self.outcome_of_action(of, &report, now))
            else {
                return Ok(None);
            };
            record.runtime = call.runtime.map(str::to_owned).or(record.runtime);
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

fn is_open(action: &Past, call: Untold<'_>) -> bool {
    *action.who == *call.who && action.call.as_deref() == call.call && action.outcome.is_none()
}
