//! Calls whose end no hook tells of: closed by whoever knows it otherwise.

use std::time::{Duration, Instant};

use super::{Answer, Gate};
use super::late::Target;
use super::report::EndReport;
use crate::model::time::Stamp;
use crate::query::OpenCall;
use crate::record::outcome::Ended;
use crate::store::journal::Patience;

/// How long is waited for the guard.
const PATIENCE: Duration = Duration::from_millis(500);

impl Gate {
    /// Writes how a call ended, if nobody has; what can't be written soon is not written. For a thread that may wait.
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
        if let Answer::Wait(ticket) = self.end(&Target::Seq(call.seq), &report, patience, now) {
            let _ = self.finish(ticket, now);
        }
    }
}
