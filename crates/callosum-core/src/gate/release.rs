//! Ending a lease by hand.

use serde::Serialize;

use crate::decision::history::Action as Past;
use crate::model::text::one_line;
use crate::model::time::Stamp;
use crate::record::{Action, Record};
use crate::store::journal::Check;
use crate::store::ledger::Needs;

use super::Gate;
use super::query::request::QueryError;
use super::query::status::{LockStatus, locks_of};

/// Characters of the name of who releases.
const BY_CHARS: usize = 200;

/// What a release ended.
#[derive(Clone, Debug, Serialize)]
pub struct Released {
    /// The resource.
    pub key: String,
    /// The leases on it that were ended, oldest first; none when nobody held it. A call that holds several resources
    /// lets go of all of them.
    pub released: Vec<LockStatus>,
}

impl Gate {
    /// Ends every live lease on `key` and writes down that `by` did. What the holder did stays evidence: whoever
    /// acts on the same next is still paused. For a thread that may wait.
    ///
    /// # Errors
    /// When nothing can be written to the journal.
    pub fn release(&self, key: &str, by: &str, now: &Stamp) -> Result<Released, QueryError> {
        let machine = self.machine();
        let keys = [key.to_owned()];
        let needs = Needs { keys: &keys, open: true, ..Needs::default() };
        let released = self.with_ledger(&needs, self.patience(), Check::All, now, |ledger, proof| {
            let is_dead = |boot, holder: &_| machine.is_dead(boot, holder);
            let holding: Vec<&Past> =
                ledger.history().on_key(key).filter(|action| action.holds_lease(now, &is_dead)).collect();
            let released: Vec<LockStatus> = holding.iter().copied().flat_map(locks_of).collect();
            let mut record = Record::new(Action::Released, &self.instance, now);
            record.of = holding.iter().map(|action| action.seq).collect();
            record.context_keys = keys.to_vec();
            record.reason = Some(format!("by {}", one_line(by, BY_CHARS)));
            if !released.is_empty() {
                ledger.append(&proof, &record, now)?;
            }
            Ok(released)
        })?;
        Ok(Released { key: key.to_owned(), released })
    }
}
