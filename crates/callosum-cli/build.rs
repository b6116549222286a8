//! What makes a hook start sooner.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|it| it == value);
    // Elsewhere the linker's own start files have a say, or the system wants it otherwise.
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        // At a fixed address: at any other the loader writes to each of a hundred pages of pointers first, which takes a fifth of a
        // hook's time.
        println!("cargo::rustc-link-arg-bins=-no-pie");
        // With what unwinds a panic in it: to find and load the library for that takes an eighth of what it takes to start.
        println!("cargo::rustc-link-lib=static:+whole-archive=gcc_eh");
    }
}
