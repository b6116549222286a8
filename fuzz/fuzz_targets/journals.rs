//! Fuzzes a gate on a whole journal.

#![no_main]

#[path = "../src/targets.rs"]
#[expect(dead_code, reason = "a target is one of them")]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::journals(data));
