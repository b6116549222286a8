//! What a session is doing, by what its runtime told of it. Only what was told counts: what nobody observed is not known.

use schemars::JsonSchema;
use serde::Serialize;

use crate::record::kind::View;
use crate::record::{Record, SessionEvent};

/// What a session is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// It got a prompt, or calls tools.
    Working,
    /// It has answered, or has just begun, and waits for a prompt.
    Idle,
    /// It waits until a person has allowed a call.
    Waiting,
    /// Its last call was refused, and it has done nothing since.
    Paused,
    /// Its turn ended with an error of the model's provider.
    Stuck,
    /// What it has in mind is being made shorter.
    Compacting,
    /// Its runtime said that it ended, or its process is dead.
    Ended,
    /// Nobody can tell.
    #[default]
    Unknown,
}

impl Activity {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Idle => "idle",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Stuck => "stuck",
            Self::Compacting => "compacting",
            Self::Ended => "ended",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the session's turn goes on, as far as it told.
    pub(super) fn is_in_turn(self) -> bool {
        matches!(self, Self::Working | Self::Paused | Self::Compacting)
    }
}

/// Why a session begins that goes on after its memory was made shorter.
const AFTER_COMPACTING: &str = "compact";

/// The latest activity, read from the newest line to the oldest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReportedActivity {
    is: Option<(Activity, i64)>,
    /// The line before says another one: nothing earlier counts.
    is_closed: bool,
    /// It was compacting, and is done with that.
    has_compacted: bool,
}

impl ReportedActivity {
    /// Takes in a line, each earlier than the one before.
    pub(super) fn earlier(&mut self, record: &Record) {
        if self.is_closed {
            return;
        }
        let Some(told) = self.told_by(record) else { return };
        match self.is {
            Some((known, _)) if known != told => self.is_closed = true,
            _ => self.is = Some((told, record.wall_ms)),
        }
    }

    /// That a call of it ended at this moment, which nothing later contradicts.
    pub(super) fn call_ended(&mut self, wall_ms: i64) {
        self.is = Some((Activity::Working, wall_ms));
    }

    fn told_by(&mut self, record: &Record) -> Option<Activity> {
        match record.action.spec().view {
            View::Session => self.told_by_runtime(record),
            // One that was let through after a pause does not make that pause go on.
            View::Stop if self.is.is_none() => Some(Activity::Paused),
            View::Stop | View::Call | View::Exchange => Some(Activity::Working),
            View::Denial
            | View::End
            | View::Background
            | View::Lease
            | View::Receipt
            | View::Fault
            | View::Maintenance
            | View::Unknown => None,
        }
    }

    fn told_by_runtime(&mut self, record: &Record) -> Option<Activity> {
        match record.event.as_ref()? {
            SessionEvent::Start if record.reason.as_deref() == Some(AFTER_COMPACTING) => {
                // It goes on with what it did before.
                self.has_compacted = true;
                None
            }
            SessionEvent::Compacting if self.has_compacted => {
                self.has_compacted = false;
                None
            }
            SessionEvent::Start | SessionEvent::Idle => Some(Activity::Idle),
            SessionEvent::Prompt => Some(Activity::Working),
            SessionEvent::Waiting => Some(Activity::Waiting),
            SessionEvent::Stuck => Some(Activity::Stuck),
            SessionEvent::Compacting => Some(Activity::Compacting),
            SessionEvent::End => Some(Activity::Ended),
            SessionEvent::Tampered | SessionEvent::Other(_) => None,
        }
    }

    /// What is known, and since when, wall-clock milliseconds.
    pub(super) fn is(&self) -> Option<(Activity, i64)> {
        self.is
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Stamp;
    use crate::record::Action;

    fn record(action: Action, event: Option<SessionEvent>, reason: &str, wall_ms: i64) -> Record {
        let mut record = Record::new(action, "i", &Stamp { wall_ms, up_ms: 0, boot: None });
        record.event = event;
        record.reason = Some(reason.to_owned());
        record
    }

    /// What lines say, the oldest first: `!` for a pause, `.` for a call.
    fn told(lines: &[&str]) -> Option<(Activity, i64)> {
        let mut told = ReportedActivity::default();
        for (place, line) in lines.iter().enumerate().rev() {
            let at = i64::try_from(place).unwrap_or(0);
            let event = match *line {
                "start" | "compact" => Some(SessionEvent::Start),
                "prompt" => Some(SessionEvent::Prompt),
                "idle" => Some(SessionEvent::Idle),
                "waiting" => Some(SessionEvent::Waiting),
                "stuck" => Some(SessionEvent::Stuck),
                "compacting" => Some(SessionEvent::Compacting),
                "end" => Some(SessionEvent::End),
                _ => None,
            };
            let action = match *line {
                "." => Action::Intercept,
                "!" => Action::Blocked,
                _ => Action::Session,
            };
            told.earlier(&record(action, event, line, at));
        }
        told.is()
    }

    #[test]
    fn the_newest_line_says_it_and_the_first_of_its_kind_since_when() {
        for (lines, expected) in [
            (&["start"][..], (Activity::Idle, 0)),
            (&["start", "prompt"], (Activity::Working, 1)),
            (&["start", "prompt", ".", "."], (Activity::Working, 1)),
            (&["prompt", ".", "idle"], (Activity::Idle, 2)),
            (&["prompt", "idle", "idle", "prompt", "."], (Activity::Working, 3)),
            (&["prompt", ".", "waiting"], (Activity::Waiting, 2)),
            (&["prompt", "waiting", "."], (Activity::Working, 2)),
            (&["prompt", ".", "!"], (Activity::Paused, 2)),
            (&["prompt", "!", "."], (Activity::Working, 0)),
            (&["prompt", "stuck"], (Activity::Stuck, 1)),
            (&["prompt", ".", "compacting"], (Activity::Compacting, 2)),
            // After it was made shorter it goes on with what it did.
            (&["prompt", ".", "compacting", "compact"], (Activity::Working, 0)),
            (&["prompt", "idle", "compacting", "compact"], (Activity::Idle, 1)),
            (&["prompt", "idle", "end"], (Activity::Ended, 2)),
        ] {
            assert_eq!(told(lines), Some(expected), "{lines:?}");
        }
        assert_eq!(told(&[]), None);
    }
}
