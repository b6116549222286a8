//! What became of files of the shared context, as it is journaled.

use crate::model::settings::SharedContext;
use crate::model::text::one_line;
use crate::model::time::Stamp;
use crate::record::{Action, Record, SessionEvent, Suspect};

use super::Gate;

/// Characters of a path, and of why.
const PATH_CHARS: usize = 300;
const WHY_CHARS: usize = 200;

impl Gate {
    /// The settings of the shared context.
    #[must_use]
    pub fn shared_context(&self) -> &SharedContext {
        &self.settings.shared_context
    }

    /// Writes that the file at `path` is not as its writer left it: `why` says in a clause what is wrong with it, `suspects` are the
    /// calls that ran meanwhile. For a thread that may wait.
    pub fn context_tampered(&self, path: &str, why: &str, suspects: Vec<Suspect>, now: &Stamp) {
        if self.is_closed() {
            return;
        }
        let mut record = Record::new(Action::Context, self.instance(), now);
        record.path = Some(one_line(path, PATH_CHARS));
        record.reason = Some(one_line(why, WHY_CHARS));
        record.event = Some(SessionEvent::Tampered);
        record.suspects = suspects;
        self.write_soon(record, now);
    }
}
