//! `callosum-serve`: the program that `callosum serve`, `callosum token`, `callosum ui` and `callosum mcp` start.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A request makes some hundred small allocations, on whichever thread, and these are a third of its work with the system's.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    callosum_server::main()
}
