//! The thread that writes for remote clients, one step after the other: so many of them take the guard no more often than one
//! process does, and calls that were let through together share one flush.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use callosum_core::gate::Gate;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

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

/// Whoever has this may have something written.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    steps: mpsc::Sender<Step>,
    /// Something went on unwritten, and is to be written soon.
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
    /// Starts the thread. It ends when nobody has a [`Writer`] any more.
    pub(crate) fn start(gate: Arc<Gate>) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (steps, waiting) = mpsc::channel(MAX_WAITING);
        let thread = thread::Builder::new().name("callosum-writer".to_owned());
        let thread = thread.spawn(move || write(&gate, waiting))?;
        Ok((Self { steps, gathers: Arc::default() }, thread))
    }

    /// Has what went on unwritten written in a moment, with what comes until then.
    pub(crate) fn write_soon(&self) {
        if self.gathers.swap(true, Ordering::AcqRel) {
            return;
        }
        let writer = self.clone();
        tokio::spawn(async move {
            sleep(GATHERING).await;
            writer.gathers.store(false, Ordering::Release);
            // Where no thread is left to do it, closing the gate does.
            if let Ok(place) = writer.steps.reserve().await {
                place.send(Box::new(|gate| {
                    gate.write_what_went_on(&gate.machine().now());
                    Box::new(|_| ())
                }));
            }
        });
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
        let place = self.steps.try_reserve().map_err(|_| NoAnswer::Busy)?;
        let (answer, answered) = oneshot::channel();
        place.send(Box::new(move |gate| {
            let done = step(gate);
            Box::new(move |gate| {
                // Whoever asked may have gone.
                let _ = answer.send(rest(gate, done));
            })
        }));
        answered.await.map_err(|_| NoAnswer::Broken)
    }
}

fn write(gate: &Gate, mut waiting: mpsc::Receiver<Step>) {
    // A panic ends its step, never the thread.
    let caught = |step: Step| catch_unwind(AssertUnwindSafe(|| step(gate))).ok();
    while let Some(first) = waiting.blocking_recv() {
        let mut rests: Vec<Rest> = caught(first).into_iter().collect();
        while rests.len() < TOGETHER
            && let Ok(next) = waiting.try_recv()
        {
            rests.extend(caught(next));
        }
        for rest in rests {
            let _ = catch_unwind(AssertUnwindSafe(|| rest(gate)));
        }
    }
}
