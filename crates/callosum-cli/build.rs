//! Links the program to a fixed address: at any other the loader writes to each of a hundred pages of pointers first, which takes a
//! fifth of a hook's time.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|it| it == value);
    // Elsewhere the linker's own start files have a say, or the system wants it otherwise.
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
