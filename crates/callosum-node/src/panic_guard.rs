//! A panic never leaves the addon: it would abort the whole gateway.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `step`; if it panics, gives `otherwise` instead. The core's locks recover by themselves, and Rust
/// has printed the panic's message and place to standard error.
pub(crate) fn guarded<T>(otherwise: T, step: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or(otherwise)
}
