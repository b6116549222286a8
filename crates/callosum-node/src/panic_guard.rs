//! A panic never leaves the addon: it would abort the whole gateway.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `step`; if it panics, gives `otherwise` instead. The core's locks recover by themselves, and Rust
/// has printed the panic's message and place to standard error. `name` is the exported function's: a
/// build with `fault-injection` panics in those that `CALLOSUM_PANIC_IN` names, separated by commas.
pub(crate) fn guarded<T>(name: &str, otherwise: T, step: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(|| {
        inject(name);
        step()
    }))
    .unwrap_or(otherwise)
}

#[cfg(feature = "fault-injection")]
#[expect(clippy::panic, reason = "this is the fault")]
fn inject(name: &str) {
    let named = std::env::var("CALLOSUM_PANIC_IN").unwrap_or_default();
    if named.split(',').any(|wanted| wanted == name) {
        panic!("injected in `{name}`");
    }
}

#[cfg(not(feature = "fault-injection"))]
fn inject(_name: &str) {}
