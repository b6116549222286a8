//! Fuzzes what is read of a shell command.

#![no_main]

#[path = "../src/targets.rs"]
#[expect(dead_code, reason = "a target is one of them")]
mod targets;

// The shell's parser panics over some texts, which the product catches: only a panic that comes out counts. The fuzzer's
// own hook would end the run at either.
libfuzzer_sys::fuzz_target!(init: std::panic::set_hook(Box::new(|_| ())), |data: &[u8]| targets::commands(data));
