//! Ending a lease by hand.

use crate::decision::history::Action as Past;
use crate::model::error::QueryError;
use crate::model::text::one_line;
use crate::model::time::Stamp;
use crate::record::{Action, Record};
use crate::store::journal::Check;
use crate::store::ledger::Needs;

use super::Gate;

/// Characters of the name of who releases.
const BY_CHARS: usize = 200;

impl Gate {
    /// Ends every live lease on `key` and writes down that `by` did. What the holder did stays evidence: whoever
    /// acts on the same next is still paused. Returns the actions whose leases were ended, oldest first; none when nobody
    /// held it. One that holds several resources lets go of all of them. For a thread that may wait.
    ///
    /// # Errors
    /// When nothing can be written to the journal.
    pub fn release(&self, key: &str, by: &str, now: &Stamp) -> Result<Vec<Past>, QueryError> {
        let machine = self.machine();
        let keys = [key.to_owned()];
        let needs = Needs { keys: &keys, open: true, ..Needs::default() };
        Ok(self.with_ledger(&needs, self.patience(), Check::All, now, |ledger, proof| {
            let is_dead = |boot, holder: &_| machine.is_dead(boot, holder);
            let holding: Vec<&Past> =
                ledger.history().on_key(key).filter(|action| action.holds_lease(now, &is_dead)).collect();
            let mut record = Record::new(Action::Released, &self.instance, now);
            record.context_keys = keys.to_vec();
            record.reason = Some(format!("by {}", one_line(by, BY_CHARS)));
            let holding: Vec<Past> = holding.into_iter().cloned().collect();
            for action in &holding {
                record.of = vec![action.seq];
                record.attempt = action.attempt;
                ledger.append(&proof, &record, now)?;
            }
            Ok(holding)
        })?)
    }
}
