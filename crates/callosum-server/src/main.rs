//! `callosum-serve`: the program that `callosum serve`, `callosum token` and `callosum ui` start.

use std::process::ExitCode;

fn main() -> ExitCode {
    callosum_server::main()
}
