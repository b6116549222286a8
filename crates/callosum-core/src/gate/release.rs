//! Ending a lease by hand.

use crate::decision::history::Action as Past;
use crate::model::error::QueryError;
use crate::model::text::one_line;
use crate::model::time::Stamp;
use crate::record::{Action, Record};
use crate::rules::context_key::named_key;
use crate::store::journal::Check;
use crate::store::ledger::Needs;

use super::Gate;

/// Characters of the name of who releases.
const BY_CHARS: usize = 200;

impl Gate {
    /// Ends every live lease on `key`, as it stands or in its one spelling, and writes down that `by` did. What the holder did stays evidence: whoever
    /// acts on the same next is still paused. Returns the actions whose leases were ended, oldest first; none when nobody
    /// held it. One that holds several resources lets go of all of them. For a thread that may wait.
    ///
    /// # Errors
    /// When nothing can be written to the journal.
    pub fn release(&self, key: &str, by: &str, now: &Stamp) -> Result<Vec<Past>, QueryError> {
        let machine = self.machine();
        // What a rule wrote stays as it is, where the call's parameters said so.
        let mut keys = vec![key.to_owned(), named_key(key)];
        keys.dedup();
        let needs = Needs { keys: &keys, open: true, ..Needs::default() };
        Ok(self.with_ledger(&needs, self.patience(), Check::All, now, |ledger, proof| {
            let is_dead = |boot, holder: &_| machine.is_dead(boot, holder);
            let on_keys = keys.iter().flat_map(|key| ledger.history().on_key(key));
            let mut holding: Vec<Past> =
                on_keys.filter(|action| action.holds_lease(now, &is_dead)).cloned().collect();
            holding.sort_by_key(|action| action.seq);
            holding.dedup_by_key(|action| action.seq);
            let mut record = Record::new(Action::Released, &self.instance, now);
            record.reason = Some(format!("by {}", one_line(by, BY_CHARS)));
            for action in &holding {
                let is_its = |key: &&String| action.keys.iter().any(|known| known.as_ref() == key.as_str());
                record.context_keys = keys.iter().filter(is_its).cloned().collect();
                record.of = vec![action.seq];
                record.attempt = action.attempt;
                ledger.append(&proof, &record, now)?;
            }
            Ok(holding)
        })?)
    }
}
