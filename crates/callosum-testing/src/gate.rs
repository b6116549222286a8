//! Gates of tests.

use std::path::Path;

use callosum_core::gate::GateOptions;
use serde_json::{Value, json};

/// What a gate on a state directory is opened with, which is its home, too. `more` has further settings, which come before these. Nothing is
/// flushed unless they say so: tests that are about flushing do.
#[must_use]
pub fn options(state_dir: &Path, instance: &str, more: &Value) -> GateOptions {
    let mut settings = json!({ "instanceId": instance, "stateDir": state_dir, "durability": "os" });
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    GateOptions {
        settings: settings.to_string(),
        runtime: "test".to_owned(),
        home: state_dir.to_owned(),
        ..GateOptions::default()
    }
}
