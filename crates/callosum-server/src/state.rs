//! The shared state, as it can be asked: by a gate, or by who only looks and leaves no trace.

use std::sync::Arc;

use callosum_core::gate::{Gate, GateOptions};
use callosum_core::model::time::Stamp;
use callosum_core::query::{Observer, QueryError, Released, Source};

/// What answers about the shared state.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// The service's gate.
    Gate(Arc<Gate>),
    /// An observer, and what a gate is made of when something is to be released after all.
    Observer(Arc<Observer>, GateOptions),
}

impl State {
    /// What answers questions.
    pub(crate) fn source(&self) -> &dyn Source {
        match self {
            Self::Gate(gate) => &**gate,
            Self::Observer(observer, _) => &**observer,
        }
    }

    pub(crate) fn now(&self) -> Stamp {
        match self {
            Self::Gate(gate) => gate.machine().now(),
            Self::Observer(observer, _) => observer.machine().now(),
        }
    }

    /// Ends the leases on `key`; the journal says that `by` did. For a thread that may wait.
    pub(crate) fn release(&self, key: &str, by: &str) -> Result<Released, QueryError> {
        let now = self.now();
        let held = match self {
            Self::Gate(gate) => gate.release(key, by, &now)?,
            Self::Observer(_, options) => {
                let gate = Gate::new(options.clone());
                let held = gate.release(key, by, &now)?;
                gate.close(&now);
                held
            }
        };
        Ok(Released::of(key, &held))
    }
}
