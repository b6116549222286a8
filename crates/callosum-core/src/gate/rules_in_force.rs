//! The rules that hold: looked at and loaded, by the writer where there is one.

use std::sync::Arc;
use std::time::Duration;

use crate::model::time::Stamp;
use crate::rules::RuleSet;
use crate::store::rules_file::{Change, InForce};

use super::health::Level;
use super::writer::{HOOK_WAIT, Order};
use super::{Gate, WORKER_DEADLINE, lock};

/// What was looked at in the last so many milliseconds is not looked at again.
const LOOKED_LATELY_MS: u64 = 5;

/// A hook that comes within this time, milliseconds, is one of many: the writer looks at the rules by itself.
const BUSY_MS: u64 = 1_000;
/// While the last look is no older than this, milliseconds, the next is only late, and a hook waits no longer than for a decision.
const LATE_MS: u64 = 50;
/// How long it waits otherwise: nobody looked for long, or there are no rules yet, without which nothing can be said at once.
const LOOK_WAIT: Duration = Duration::from_millis(5);
const FIRST_LOOK_WAIT: Duration = Duration::from_millis(12);

/// The rules as whoever looked last left them: hooks take them from here, and wait for no file.
#[derive(Debug)]
pub(super) struct KnownRules {
    in_force: Arc<InForce>,
    looked: Option<Stamp>,
    /// When a hook asked for them last.
    asked: Option<Stamp>,
    /// A hook went on without the look it had asked for.
    awaited: bool,
}

impl From<&InForce> for KnownRules {
    fn from(in_force: &InForce) -> Self {
        Self { in_force: Arc::new(in_force.clone()), looked: None, asked: None, awaited: false }
    }
}

impl Gate {
    /// What was in force at the last look.
    pub(super) fn in_force(&self) -> Arc<InForce> {
        Arc::clone(&lock(&self.known_rules).in_force)
    }

    /// Whether a look at the file takes so long that hooks go by the rules before it.
    pub(super) fn rules_are_awaited(&self) -> bool {
        lock(&self.known_rules).awaited
    }

    /// The largest window and the longest lease that the rules in force name, milliseconds.
    pub(super) fn longest_of_rules_ms(&self) -> (u64, u64) {
        let known = lock(&self.known_rules);
        let rules = &known.in_force.rules;
        (rules.largest_window_ms(), rules.longest_lease_ms())
    }

    /// The rules that hold now, for a thread that may wait.
    pub(super) fn current_rules(&self, now: &Stamp) -> Arc<RuleSet> {
        self.rules_within(WORKER_DEADLINE, now)
    }

    /// The same, for a thread that waits for a look at them so long at the most.
    pub(super) fn rules_within(&self, most: Duration, now: &Stamp) -> Arc<RuleSet> {
        let Some(writer) = self.writer() else { return self.look_at_rules(now) };
        let looked = writer.wait(writer.order(Order::LookAtRules), most);
        let mut known = lock(&self.known_rules);
        known.awaited = !looked;
        if known.looked.is_some() {
            return Arc::clone(&known.in_force.rules);
        }
        drop(known);
        Arc::new(RuleSet::shipped())
    }

    /// The same for a hook, which waits a few milliseconds at the most, and then goes by the rules before. `None` when there
    /// were none yet.
    pub(super) fn rules_in_hook(&self, now: &Stamp) -> Option<Arc<RuleSet>> {
        let Some(writer) = self.writer() else { return Some(self.look_at_rules(now)) };
        let lately =
            |known: &KnownRules| known.looked.is_some_and(|at| at.is_close_to(now, LOOKED_LATELY_MS));
        let wait = {
            let mut known = lock(&self.known_rules);
            known.asked = Some(*now);
            match known.looked {
                Some(_) if lately(&known) => return Some(Arc::clone(&known.in_force.rules)),
                Some(looked) if looked.is_close_to(now, LATE_MS) => HOOK_WAIT,
                Some(_) => LOOK_WAIT,
                None => FIRST_LOOK_WAIT,
            }
        };
        let looked = writer.wait_unless_stalled(writer.order(Order::LookAtRules), wait);
        let mut known = lock(&self.known_rules);
        known.awaited = !looked && !lately(&known);
        known.looked.map(|_| Arc::clone(&known.in_force.rules))
    }

    /// Whether hooks ask for the rules so often that the writer had better look by itself.
    pub(super) fn rules_are_asked_for(&self) -> bool {
        let asked = lock(&self.known_rules).asked;
        asked.is_some_and(|asked| asked.is_close_to(&self.machine().now(), BUSY_MS))
    }

    /// Has the writer load the rules before the first call asks for them.
    pub(super) fn have_rules_loaded(&self) {
        if let Some(writer) = self.writer().filter(|_| lock(&self.known_rules).looked.is_none()) {
            writer.order(Order::LookAtRules);
        }
    }

    /// Looks whether the file has changed, and loads it then; and whether the one that names folders has. Whoever notices an edit has it
    /// logged.
    pub(super) fn look_at_rules(&self, now: &Stamp) -> Arc<RuleSet> {
        self.look_at_context(now);
        let mut file = lock(&self.rules);
        let change = file.refresh(now);
        let in_force = file.in_force();
        let rules = Arc::clone(&in_force.rules);
        let notice = match change {
            Change::None => None,
            Change::Loaded => {
                Some((Level::Info, format!("{} rules in force, from {}", rules.len(), in_force.source)))
            }
            Change::Rejected => {
                let reason = in_force.error.as_deref().unwrap_or_default();
                Some((Level::Error, format!("rules not loaded, the last good ones stay in force: {reason}")))
            }
        };
        if notice.is_some() || self.writer.is_some() {
            let mut known = lock(&self.known_rules);
            if notice.is_some() {
                known.in_force = Arc::new(in_force.clone());
            }
            (known.looked, known.awaited) = (Some(*now), false);
        }
        if let Some((level, text)) = notice {
            lock(&self.health).tell(level, text);
        }
        rules
    }
}
