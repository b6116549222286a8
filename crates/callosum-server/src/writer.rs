//! The thread that writes for remote clients, one step after the other: so many of them take the guard no more often than one
//! process does, and calls that were let through together share one flush.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use callosum_core::gate::Gate;
use tokio::sync::oneshot;

/// Steps that may wait; whoever comes then is told to come again.
const MAX_WAITING: usize = 1_024;
/// How long what went on unwritten may wait for more to be written with: to wake the thread for each takes as long as to write it.
const GATHERING: Duration = Duration::from_millis(1);
/// Steps that share a flush.
const TOGETHER: usize = 64;

/// What is left of a step once others of its batch have written, too.
type Rest = Box<dyn FnOnce(&Gate) + Send>;
/// A step on the gate.
type Step = Box<dyn FnOnce(&Gate) -> Rest + Send>;

/// What the thread is told.
enum Told {
    /// To do this.
    Step(Step),
    /// That something went on unwritten.
    Unwritten,
}

/// Whoever has this may have something written.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    told: SyncSender<Told>,
    /// The thread knows that something went on unwritten, and has not come to it yet.
    gathers: Arc<AtomicBool>,
}

/// Why a step has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// Too many wait.
    Busy,
    /// It failed inside.
    Broken,
}

impl Writer {
    /// Starts the thread. It ends when nobody has a [`Writer`] any more, and closes what is returned beside it then.
    pub(crate) fn start(gate: Arc<Gate>) -> std::io::Result<(Self, Receiver<()>)> {
        let (at_end, written) = sync_channel(0);
        let (told, hears) = sync_channel(MAX_WAITING);
        let gathers = Arc::<AtomicBool>::default();
        let thread = thread::Builder::new().name("callosum-writer".to_owned());
        let known = Arc::clone(&gathers);
        thread.spawn(move || {
            write(&gate, &hears, &known);
            drop(at_end);
        })?;
        Ok((Self { told, gathers }, written))
    }

    /// Has what went on unwritten written in a moment, with what comes until then.
    pub(crate) fn write_soon(&self) {
        if !self.gathers.swap(true, Ordering::AcqRel) && self.told.try_send(Told::Unwritten).is_err() {
            // One of so many steps does it, or, where no thread is left, closing the gate.
            self.gathers.store(false, Ordering::Release);
        }
    }

    /// Has `step` done when its turn comes, and `rest` with what it gave once the steps after it have been done as well; the
    /// answer is what `rest` gives. Who goes away in between gets no answer, but what was begun is done.
    pub(crate) async fn write<S, A>(
        &self,
        step: impl FnOnce(&Gate) -> S + Send + 'static,
        rest: impl FnOnce(&Gate, S) -> A + Send + 'static,
    ) -> Result<A, NoAnswer>
    where
        S: Send + 'static,
        A: Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let step: Step = Box::new(move |gate| {
            let done = step(gate);
            Box::new(move |gate| {
                // Whoever asked may have gone.
                let _ = answer.send(rest(gate, done));
            })
        });
        self.told.try_send(Told::Step(step)).map_err(|_| NoAnswer::Busy)?;
        answered.await.map_err(|_| NoAnswer::Broken)
    }
}

fn write(gate: &Gate, hears: &Receiver<Told>, gathers: &AtomicBool) {
    // A panic ends its step, never the thread.
    let caught = |step: Step| catch_unwind(AssertUnwindSafe(|| step(gate))).ok();
    let mut due: Option<Instant> = None;
    loop {
        let told = match due {
            None => hears.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(due) => hears.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        let first = match told {
            Ok(Told::Step(first)) => first,
            Ok(Told::Unwritten) => {
                due = Some(Instant::now() + GATHERING);
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {
                due = None;
                // What comes from now on is told anew.
                gathers.store(false, Ordering::Release);
                let now = gate.machine().now();
                let _ = catch_unwind(AssertUnwindSafe(|| gate.write_what_went_on(&now)));
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let mut rests: Vec<Rest> = caught(first).into_iter().collect();
        while rests.len() < TOGETHER
            && let Ok(next) = hears.try_recv()
        {
            match next {
                Told::Step(next) => rests.extend(caught(next)),
                Told::Unwritten => due = Some(Instant::now() + GATHERING),
            }
        }
        for rest in rests {
            let _ = catch_unwind(AssertUnwindSafe(|| rest(gate)));
        }
    }
}
