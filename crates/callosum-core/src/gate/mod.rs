//! The gate: what a runtime asks before and after each tool call. A façade over rules, ledger and decision.
//!
//! Every method takes `&self` and may be called from any thread. Those that a host calls on its event loop
//! never wait: where the guard is busy, too much is unread, or something must be flushed, they answer
//! [`Answer::Wait`] with a ticket, and [`Gate::finish`] does the rest on a thread that may wait. Tiers 0–2
//! do not wait at all: their records go to a bounded backlog. In a gate that was made [`Gate::beside_event_loop`] such
//! methods touch no file either: its writer does.

mod after;
mod backlog;
mod before;
mod call_id;
mod carried;
mod commit;
mod denied;
mod guest;
mod health;
mod intent;
mod late;
mod maintenance;
mod open_calls;
mod presence;
mod reader;
mod release;
mod report;
mod rules_in_force;
mod shared_context;
mod standing;
mod tickets;
mod transaction;
mod unreadable;
mod unseen;
mod writer;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::machine::Machine;
use crate::model::hashed::HashSet;
use crate::model::settings::Settings;
use crate::policy::Policy;
use crate::record::HookCounts;
use crate::rules::World;
use crate::store::context_file::ContextFile;
use crate::store::disk::{Disk, SystemDisk};
use crate::store::instance::Instance;
use crate::store::journal::Patience;
use crate::store::journal::line_counts::LineCounts;
use crate::store::journal::listing::Listing;
use crate::store::ledger::Ledger;
use crate::store::rules_file::RulesFile;
use crate::store::state_dir::StateDir;

use self::backlog::Backlog;
use self::carried::Before;
use self::health::Health;
use self::open_calls::OpenCalls;
use self::rules_in_force::KnownRules;
use self::tickets::Works;
use self::writer::Writer;

pub use self::guest::{
    Admitted, Fact, GUEST_RUNTIME, Guest, Lease, NotAdmitted, Settled, Terms, Verdict, Weighed,
};
pub use self::health::{Level, Notice};
pub use self::presence::Presence;
pub use self::report::{EndReport, Ran};
pub use self::tickets::GivenUp;
pub use self::unreadable::Unreadable;
pub use self::unseen::Untold;
pub use crate::store::instance::Options as GateOptions;

/// How long a worker may try to get the guard and the ledger.
pub const WORKER_DEADLINE: Duration = Duration::from_secs(3);
/// The same while the guard was not free the last time: a host has few workers, and whoever stops with the
/// guard in hand must not stop them all.
const DEGRADED_DEADLINE: Duration = Duration::from_millis(250);
/// How long a person may think about a call of which a host asks them, milliseconds: its lease is longer by that.
pub const ASKING_MS: u32 = 120_000;
/// More records than this are not written on a host's event loop.
const MAX_IMPATIENT_RECORDS: usize = 100;

/// What a host does with a call, or after a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The call may run; or there is nothing more to do.
    Proceed,
    /// The same, and [`Gate::maintain`] should run soon: records wait in the backlog.
    ProceedThenMaintain,
    /// The call may run; a person may be warned with this text.
    Warn(String),
    /// The call may run once a person whom the host asks with this text has allowed it.
    Ask(String),
    /// The call is refused with this text for the model.
    Refuse(String),
    /// [`Gate::finish`] with this ticket has the answer.
    Wait(u32),
}

/// What changes with every call; held for microseconds, by any thread.
#[derive(Debug, Default)]
struct Light {
    calls: OpenCalls,
    backlog: Backlog,
    /// Hook counts since the last `seen` record.
    seen: BTreeMap<String, HookCounts>,
    seen_written_up_ms: Option<u64>,
    /// Runs whose model calls the host tells, newest last.
    signalled: VecDeque<String>,
    signalled_set: HashSet<String>,
    /// Outcomes that could not be written when they came.
    late_ends: VecDeque<late::LateEnd>,
    /// Signals that could not be written when they came: written before anything is decided, as if they were in time.
    late_deliveries: VecDeque<late::Delivery>,
    /// Calls and outcomes that could not be written at once because the state failed.
    unwritten: u64,
}

/// The ledger, once opened, and what belongs to it.
#[derive(Debug, Default)]
struct LedgerSlot {
    ledger: Option<Ledger>,
    /// The index is corrupt: do without.
    without_index: bool,
    /// What an earlier ledger of this process knew.
    before: Option<Before>,
    /// Base of the segment in which this process has named its rules' window.
    window_named_in: Option<(u64, u64)>,
}

impl Answer {
    /// Whether as far as the gate has a say the call may run.
    fn lets_run(&self) -> bool {
        matches!(self, Self::Proceed | Self::ProceedThenMaintain | Self::Warn(_) | Self::Ask(_))
    }
}

/// The gate of one instance.
#[derive(Debug)]
pub struct Gate {
    settings: Settings,
    setting_problems: Vec<String>,
    instance: String,
    runtime: String,
    directory: StateDir,
    machine: OnceLock<Machine>,
    /// What lies around calls; read by threads that may wait.
    world: World,
    is_hook: bool,
    /// Held while the file is looked at and loaded; hooks of a gate with a writer take [`KnownRules`].
    rules: Mutex<RulesFile>,
    known_rules: Mutex<KnownRules>,
    /// Held while the file is looked at; hooks take the policy that came of it.
    contexts: Mutex<ContextFile>,
    known_policy: Mutex<Arc<Policy>>,
    light: Mutex<Light>,
    slot: Mutex<LedgerSlot>,
    works: Mutex<Works>,
    /// The writer has put a ticket down.
    put_down: Condvar,
    health: Mutex<Health>,
    line_counts: LineCounts,
    /// The closed segments as they were listed last.
    listing: Listing,
    closed: AtomicBool,
    /// It was closed, and what was left has been written: no file stays open.
    has_let_go: AtomicBool,
    /// Of a gate whose host has an event loop.
    writer: Option<Writer>,
}

/// Locks, whatever happened to a thread that held the lock before: every state behind these locks is
/// consistent between statements, and a gate that panics at every further call would be worse.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Light {
    /// How much waits for the state to work.
    fn waiting(&self) -> usize {
        self.backlog.len() + self.late_ends.len()
    }

    /// Whether nothing is to be written before the next record.
    fn has_nothing_late(&self) -> bool {
        self.waiting() == 0 && self.late_deliveries.is_empty()
    }
}

impl Gate {
    /// A gate that has not looked at anything yet.
    #[must_use]
    pub fn new(options: GateOptions) -> Self {
        Self::on_disk(options, Arc::new(SystemDisk))
    }

    /// The same on another disk than the system's.
    #[must_use]
    pub fn on_disk(options: GateOptions, disk: Arc<dyn Disk>) -> Self {
        let is_hook = options.is_hook;
        let Instance { name, runtime, settings, setting_problems, directory, rules, contexts } =
            Instance::new(options, disk);
        let gate = Self {
            known_rules: Mutex::new(rules.in_force().into()),
            rules: Mutex::new(rules),
            contexts: Mutex::new(contexts),
            known_policy: Mutex::default(),
            settings,
            instance: name,
            runtime,
            directory,
            machine: OnceLock::new(),
            world: World::of_process(),
            is_hook,
            light: Mutex::default(),
            slot: Mutex::default(),
            works: Mutex::default(),
            put_down: Condvar::new(),
            health: Mutex::default(),
            line_counts: LineCounts::default(),
            listing: Listing::default(),
            closed: AtomicBool::new(false),
            has_let_go: AtomicBool::new(false),
            writer: None,
            setting_problems,
        };
        for problem in &gate.setting_problems {
            lock(&gate.health).tell(Level::Error, format!("configuration: {problem}"));
        }
        gate
    }

    /// A gate for a host with an event loop: hooks touch no file, a thread of its own does. See ARCHITECTURE.
    #[must_use]
    pub fn beside_event_loop(options: GateOptions) -> Arc<Self> {
        Self::beside_event_loop_on(options, Arc::new(SystemDisk))
    }

    /// The same on another disk than the system's.
    #[must_use]
    pub fn beside_event_loop_on(options: GateOptions, disk: Arc<dyn Disk>) -> Arc<Self> {
        Arc::new_cyclic(|gate| Self {
            writer: Some(Writer::new(gate.clone())),
            ..Self::on_disk(options, disk)
        })
    }

    /// The machine this gate runs on, asked once. Its clock gives the `now` of every call.
    pub fn machine(&self) -> &Machine {
        self.machine.get_or_init(|| if self.is_hook { Machine::read_for_runtime() } else { Machine::read() })
    }

    /// The instance's name.
    #[must_use]
    pub fn instance(&self) -> &str {
        &self.instance
    }

    /// The state directory.
    #[must_use]
    pub fn state_dir(&self) -> &Path {
        &self.directory.path
    }

    /// What of the settings could not be used.
    #[must_use]
    pub fn setting_problems(&self) -> &[String] {
        &self.setting_problems
    }

    /// Whether a session that starts is to be told what others did.
    #[must_use]
    pub fn tells_sessions(&self) -> bool {
        self.settings.session_context
    }

    /// Log lines since the last call.
    pub fn take_notices(&self) -> Vec<Notice> {
        lock(&self.health).take_notices()
    }

    /// Whether [`Gate::take_notices`] has any.
    pub fn has_notices(&self) -> bool {
        lock(&self.health).has_notices()
    }

    /// How long a worker may wait now.
    fn patience(&self) -> Patience {
        let stuck = lock(&self.health).is_failing_with("guard-timeout");
        Patience::Until(Instant::now() + if stuck { DEGRADED_DEADLINE } else { WORKER_DEADLINE })
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}
