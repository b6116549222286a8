//! The thread that writes for remote clients, one step after the other: so many of them take the guard no more often than one
//! process does, and calls that were let through together share one flush.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use callosum_core::gate::Gate;
use parking_lot::Mutex;
use tokio::sync::mpsc::Permit;
use tokio::sync::{mpsc, oneshot};

/// Steps that may wait; whoever comes then is told to come again.
const MAX_WAITING: usize = 1_024;
/// How long a connection's own thread waits for its turn. A step takes some 20 µs, and handing it over costs more than waiting for one;
/// who waits for longer waits for a disk.
const MAX_TURN: Duration = Duration::from_micros(500);
/// Steps that share a flush.
const TOGETHER: usize = 64;

/// What is left of a step once others of its batch have written, too.
type Rest = Box<dyn FnOnce(&Gate) + Send>;
/// A step on the gate.
type Step = Box<dyn FnOnce(&Gate) -> Rest + Send>;

/// Whoever has this may have something written.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    gate: Arc<Gate>,
    steps: mpsc::Sender<Step>,
    /// Who writes on a connection's own thread: one at a time, so that a disk that hangs holds one of them, not all.
    turn: Arc<Mutex<()>>,
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
        let writing = Arc::clone(&gate);
        let thread = thread.spawn(move || write(&writing, waiting))?;
        Ok((Self { gate, steps, turn: Arc::default() }, thread))
    }

    /// Has `step` done here and now, after those of other connections; handing it to another thread and waiting for its answer takes
    /// several times as long as most steps. `None` when it can't be done without waiting for longer than half a millisecond.
    pub(crate) fn at_once<A>(&self, step: impl FnOnce(&Gate) -> Option<A>) -> Option<A> {
        let _turn = self.turn.try_lock_for(MAX_TURN)?;
        step(&self.gate)
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
        done(place, step, rest).await
    }

    /// The same of what was begun [at once](Self::at_once): nobody is sent away with half of it done, so it waits for a place.
    pub(crate) async fn finish<A>(
        &self,
        rest: impl FnOnce(&Gate) -> A + Send + 'static,
    ) -> Result<A, NoAnswer>
    where
        A: Send + 'static,
    {
        let place = self.steps.reserve().await.map_err(|_| NoAnswer::Broken)?;
        done(place, |_| (), |gate, ()| rest(gate)).await
    }
}

/// Has a step done that has its place, and gives the answer of its `rest`.
async fn done<S, A>(
    place: Permit<'_, Step>,
    step: impl FnOnce(&Gate) -> S + Send + 'static,
    rest: impl FnOnce(&Gate, S) -> A + Send + 'static,
) -> Result<A, NoAnswer>
where
    S: Send + 'static,
    A: Send + 'static,
{
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
