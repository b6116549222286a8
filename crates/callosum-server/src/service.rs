//! What all requests share.

use std::sync::Arc;

use callosum_core::gate::Gate;
use callosum_core::store::state_dir::StateDir;

use crate::base::Base;
use crate::caller::{Caller, Callers};
use crate::config::Config;
use crate::limits::Usage;
use crate::log::Log;
use crate::metrics::Metrics;
use crate::state::State;
use crate::tokens::Tokens;
use crate::writer::Writer;

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) base: Arc<Base>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) writer: Writer,
    pub(crate) tokens: Tokens,
    pub(crate) callers: Callers,
    pub(crate) usage: Arc<Usage>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Log,
}

impl Service {
    pub(crate) fn new(
        gate: Arc<Gate>,
        writer: Writer,
        log: Log,
        directory: &StateDir,
        config: &Config,
    ) -> Self {
        Self {
            base: Arc::new(Base::new(State::Gate(Arc::clone(&gate)))),
            gate,
            writer,
            tokens: Tokens::of(&directory.path),
            callers: Callers::default(),
            usage: Arc::new(Usage::new(config.limits)),
            metrics: Arc::default(),
            log,
        }
    }

    /// Whether what a caller showed still counts.
    pub(crate) fn still_counts(&self, caller: &Caller) -> bool {
        caller.still_counts(&self.tokens, self.gate.machine().now().wall_ms)
    }
}
