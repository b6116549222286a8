//! The writer: a thread of its own for the gate of a host with an event loop. A file system that stalls holds whoever touches
//! it, however short that was to be; so the loop touches no file. It puts lines into the backlog and has them written, and
//! waits for the writer a few milliseconds only where it needs an answer.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::store::journal::{Check, Patience};
use crate::store::ledger::Needs;

use super::health::Level;
use super::transaction::NotNow;
use super::{Answer, Gate, WORKER_DEADLINE, lock};

/// How long a hook waits for the writer, at most twice: once for a look at the rules, once for a decision. It mostly takes some
/// 20 µs; on a machine where a thread waits longer for its turn than this, a ticket is better.
pub(super) const HOOK_WAIT: Duration = Duration::from_micros(500);
/// While calls come the writer looks at the rules as often as this by itself, so that hooks need not wait for a look.
const LOOK_EVERY: Duration = Duration::from_millis(4);
/// How long a process that ends waits for what is queued.
const EXIT_WAIT: Duration = Duration::from_millis(15);
/// When it is tried again to write what could not be written: as soon as this while the guard was busy, twice as late each time,
/// so that decisions get in between.
const RETRY: Duration = Duration::from_millis(1);
/// But no later than this, which is also when it is tried again after a failure.
const LATEST_RETRY: Duration = Duration::from_secs(1);
/// Who was put off for so long waits for the guard as a worker does, and so finds out what is wrong.
const PATIENT_AFTER: Duration = Duration::from_millis(100);

/// What the writer is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Write what waits.
    Write,
    /// Look whether the rules file has changed.
    LookAtRules,
    /// Do what this ticket stands for.
    Decide(u32),
}

/// The writer as its gate sees it. The thread starts with the first order and ends with the gate.
#[derive(Debug)]
pub(super) struct Writer {
    gate: Weak<Gate>,
    desk: Arc<Desk>,
    started: OnceLock<bool>,
}

/// Where orders are left; locked for moments only.
#[derive(Debug, Default)]
struct Desk {
    orders: Mutex<Orders>,
    ordered: Condvar,
    done: Condvar,
    /// A hook waited in vain, and nothing was done since: no other waits.
    stalled: AtomicBool,
}

#[derive(Debug, Default)]
struct Orders {
    waiting: VecDeque<(u64, Order)>,
    /// Numbers of the last order that was given, and of the last that was carried out: they are, in order.
    given: u64,
    done: u64,
    /// The thread sleeps until it is told.
    is_idle: bool,
    ended: bool,
    /// While an order waits: what is to be written must not go with a gate that its host lets go without closing it.
    gate: Option<Arc<Gate>>,
}

impl Writer {
    pub(super) fn new(gate: Weak<Gate>) -> Self {
        Self { gate, desk: Arc::default(), started: OnceLock::new() }
    }

    /// Whether the thread is there; starts it the first time.
    fn is_there(&self) -> bool {
        *self.started.get_or_init(|| {
            let (desk, gate) = (Arc::clone(&self.desk), Weak::clone(&self.gate));
            let thread = thread::Builder::new().name("callosum-writer".to_owned());
            let started = thread.spawn(move || desk.serve(&gate));
            if let (Err(error), Some(gate)) = (&started, self.gate.upgrade()) {
                let text = format!(
                    "no writer thread could be started, so hooks write themselves and wait for the disk: {error}"
                );
                lock(&gate.health).tell(Level::Warn, text);
            }
            started.is_ok()
        })
    }

    /// Gives an order, and returns its number. One that waits already is not given twice.
    pub(super) fn order(&self, order: Order) -> u64 {
        let mut orders = self.desk.orders();
        if let Some((number, _)) = orders.waiting.iter().rev().find(|(_, waiting)| *waiting == order) {
            return *number;
        }
        orders.given += 1;
        let number = orders.given;
        orders.waiting.push_back((number, order));
        if orders.gate.is_none() && !orders.ended {
            orders.gate = self.gate.upgrade();
        }
        let wake = std::mem::take(&mut orders.is_idle);
        drop(orders);
        if wake {
            self.desk.ordered.notify_one();
        }
        number
    }

    /// Takes back a ticket that nobody wants decided any more.
    pub(super) fn withdraw(&self, ticket: u32) {
        let mut orders = self.desk.orders();
        orders.waiting.retain(|(_, order)| *order != Order::Decide(ticket));
    }

    /// Waits until order `number` was carried out. A hook that waited in vain has the next ones not wait at all, until something
    /// was done again.
    pub(super) fn wait_in_hook(&self, number: u64) -> bool {
        self.wait_unless_stalled(number, HOOK_WAIT)
    }

    /// The same, for so long at the most.
    pub(super) fn wait_unless_stalled(&self, number: u64, most: Duration) -> bool {
        let is_stalled = self.desk.stalled.load(Ordering::Acquire);
        let done = self.wait(number, if is_stalled { Duration::ZERO } else { most });
        if !done {
            self.desk.stalled.store(true, Ordering::Release);
        }
        done
    }

    /// Waits until order `number` was carried out, for so long at the most.
    pub(super) fn wait(&self, number: u64, most: Duration) -> bool {
        let deadline = Instant::now() + most;
        let mut orders = self.desk.orders();
        while orders.done < number && !orders.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            orders = self.desk.done.wait_timeout(orders, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        orders.done >= number
    }

    /// Has the thread end after what it is at.
    pub(super) fn end(&self) {
        let gate = {
            let mut orders = self.desk.orders();
            orders.ended = true;
            orders.gate.take()
        };
        drop(gate);
        self.desk.ordered.notify_all();
        self.desk.done.notify_all();
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.end();
    }
}

impl Desk {
    fn orders(&self) -> MutexGuard<'_, Orders> {
        lock(&self.orders)
    }

    /// What the thread does all its life.
    fn serve(&self, gate: &Weak<Gate>) {
        let (mut retry, mut by_itself) = (None, None);
        // What could not be written holds the gate for as long as a worker would try.
        let mut unwritten: Option<(Arc<Gate>, Instant)> = None;
        while let Some((number, order, ordered_of)) = self.next(by_itself) {
            let Some(gate) = ordered_of.or_else(|| gate.upgrade()) else { return };
            // As at the addon's edge: a panic ends this order, never the writer.
            let carried_out = catch_unwind(AssertUnwindSafe(|| match order {
                Order::Write => retry = gate.write_what_waits(retry),
                Order::LookAtRules => drop(gate.look_at_rules(&gate.machine().now())),
                Order::Decide(ticket) => gate.decide_ahead(ticket, &gate.machine().now()),
            }));
            if let (Err(_), Order::Decide(ticket)) = (carried_out, order) {
                let _ = catch_unwind(AssertUnwindSafe(|| gate.broke_at(ticket)));
            }
            unwritten = retry.map(|_| {
                let since = unwritten.as_ref().map_or_else(Instant::now, |(_, since)| *since);
                (Arc::clone(&gate), since)
            });
            unwritten = unwritten.filter(|(_, since)| since.elapsed() < WORKER_DEADLINE);
            by_itself = match retry {
                Some(retry) => Some((retry, Order::Write)),
                None => gate.rules_are_asked_for().then_some((LOOK_EVERY, Order::LookAtRules)),
            };
            self.stalled.store(false, Ordering::Release);
            let mut orders = self.orders();
            orders.done = orders.done.max(number);
            drop(orders);
            self.done.notify_all();
        }
    }

    /// The next order with its number, and the gate that was kept for it; `None` at the end. What is to be done `by_itself`
    /// after a time nobody orders.
    fn next(&self, by_itself: Option<(Duration, Order)>) -> Option<(u64, Order, Option<Arc<Gate>>)> {
        let mut orders = self.orders();
        loop {
            if orders.ended {
                return None;
            }
            if let Some((number, order)) = orders.waiting.pop_front() {
                orders.is_idle = false;
                let is_last = orders.waiting.is_empty();
                let gate = if is_last { orders.gate.take() } else { orders.gate.clone() };
                return Some((number, order, gate));
            }
            orders.is_idle = true;
            if let Some((after, order)) = by_itself {
                let (woken, waited) =
                    self.ordered.wait_timeout(orders, after).unwrap_or_else(PoisonError::into_inner);
                orders = woken;
                if waited.timed_out() && orders.waiting.is_empty() {
                    orders.is_idle = false;
                    return Some((0, order, None));
                }
            } else {
                orders = self.ordered.wait(orders).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

impl Gate {
    /// The writer, where the host has an event loop and the system a thread to spare.
    pub(super) fn writer(&self) -> Option<&Writer> {
        self.writer.as_ref().filter(|writer| writer.is_there())
    }

    /// Writes what waits. When that was not possible: after what time it is to be tried again; `put_off` says what it was before.
    fn write_what_waits(&self, put_off: Option<Duration>) -> Option<Duration> {
        let is_patient = put_off.is_some_and(|since| since > PATIENT_AFTER);
        let patience = if is_patient { self.patience() } else { Patience::Brief };
        match self.write_within(patience, &self.machine().now()) {
            Ok(()) => None,
            Err(NotNow::Busy) => Some(put_off.map_or(RETRY, |before| (before * 2).min(LATEST_RETRY))),
            Err(NotNow::Failed(_)) => Some(LATEST_RETRY),
        }
    }

    /// Writes what waits. A failure is noted.
    pub(super) fn write_within(&self, patience: Patience, now: &Stamp) -> Result<(), NotNow> {
        // A journal that is gone is noticed before its lines are written: they may be evidence.
        let written = self.with_ledger(&Needs::default(), patience, Check::Journal, now, |_, _| Ok(()));
        if let Err(NotNow::Failed(error)) = &written {
            self.could_not_write(error, now);
        }
        written
    }

    fn could_not_write(&self, error: &StateError, now: &Stamp) {
        let was_well = lock(&self.health).degraded().is_none();
        lock(&self.health).failed(error, now);
        if was_well {
            let mut light = lock(&self.light);
            light.unwritten += light.waiting() as u64;
        }
    }

    /// What a hook answers that left a line in the backlog.
    pub(super) fn leave_to(&self, writer: &Writer) -> Answer {
        writer.order(Order::Write);
        if lock(&self.health).degraded().is_none() {
            return Answer::Proceed;
        }
        lock(&self.light).unwritten += 1;
        // So that the host soon asks for notices.
        Answer::ProceedThenMaintain
    }

    /// Has the writer write what a hook left in the backlog, where there is one.
    pub(super) fn have_written(&self) {
        if let Some(writer) = self.writer() {
            writer.order(Order::Write);
        }
    }

    /// Waits a moment for what hooks left to be written.
    pub(super) fn await_written(&self) {
        if let Some(writer) = self.writer().filter(|_| !lock(&self.light).has_nothing_late()) {
            writer.wait_in_hook(writer.order(Order::Write));
        }
    }

    /// Waits until what hooks left is written, for 15 ms at the most: for a process that ends now and has nobody to wait for
    /// [`Gate::close`].
    pub fn write_at_exit(&self) {
        let Some(writer) = self.writer().filter(|_| !self.is_closed()) else { return };
        let deadline = Instant::now() + EXIT_WAIT;
        let is_left = || !lock(&self.light).has_nothing_late();
        // More than once: the guard may be busy.
        while is_left()
            && writer.wait(writer.order(Order::Write), deadline.saturating_duration_since(Instant::now()))
        {
            if is_left() {
                thread::sleep(RETRY.min(deadline.saturating_duration_since(Instant::now())));
            }
        }
    }
}
