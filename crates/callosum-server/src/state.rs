//! The shared state, as it can be asked: by a gate, or by who only looks and leaves no trace.

use std::path::Path;
use std::sync::Arc;

use callosum_core::gate::{Gate, GateOptions};
use callosum_core::machine::Machine;
use callosum_core::model::settings::SharedContext;
use callosum_core::model::time::Stamp;
use callosum_core::query::{QueryError, ReadOnlyView, Released, Source};

/// What answers about the shared state.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// The service's gate.
    Gate(Arc<Gate>),
    /// A view, and what a gate is made of when something is to be released after all.
    View(Arc<ReadOnlyView>, GateOptions),
}

impl State {
    /// What answers questions.
    pub(crate) fn source(&self) -> &dyn Source {
        match self {
            Self::Gate(gate) => &**gate,
            Self::View(view, _) => &**view,
        }
    }

    pub(crate) fn now(&self) -> Stamp {
        match self {
            Self::Gate(gate) => gate.machine().now(),
            Self::View(view, _) => view.machine().now(),
        }
    }

    /// The machine it runs on.
    pub(crate) fn machine(&self) -> &Machine {
        match self {
            Self::Gate(gate) => gate.machine(),
            Self::View(view, _) => view.machine(),
        }
    }

    /// The state directory.
    pub(crate) fn state_dir(&self) -> &Path {
        match self {
            Self::Gate(gate) => gate.state_dir(),
            Self::View(view, _) => view.state_dir(),
        }
    }

    /// The settings of the shared context.
    pub(crate) fn shared_context(&self) -> &SharedContext {
        match self {
            Self::Gate(gate) => gate.shared_context(),
            Self::View(view, _) => view.shared_context(),
        }
    }

    /// Has a gate do something. For a thread that may wait.
    pub(crate) fn by_gate<T>(&self, work: impl FnOnce(&Gate, &Stamp) -> T) -> T {
        let now = self.now();
        match self {
            Self::Gate(gate) => work(gate, &now),
            Self::View(_, options) => {
                let gate = Gate::new(options.clone());
                let done = work(&gate, &now);
                gate.close(&now);
                done
            }
        }
    }

    /// Ends the leases on `key`; the journal says that `by` did. For a thread that may wait.
    pub(crate) fn release(&self, key: &str, by: &str) -> Result<Released, QueryError> {
        Ok(Released::of(key, &self.by_gate(|gate, now| gate.release(key, by, now))?))
    }
}
