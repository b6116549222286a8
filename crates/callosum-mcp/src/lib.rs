//! Callosum's MCP server: what sessions on this machine did and hand to each other, as tools of an agent runtime, on standard input
//! and output. It is no session itself: whoever calls is found out for each call, and what can't be told may only read.

mod answer;
mod caller;
mod lines;
mod own_tool;
mod recent;
mod server;
mod shared_context;
mod tools;

use std::io;

use callosum_core::gate::GateOptions;

/// Serves the client at standard input until that ends. `options` are those of a gate for whoever calls.
///
/// # Errors
/// When no thread or no event loop is to be had.
pub fn serve(options: GateOptions) -> io::Result<()> {
    server::serve(answer::Host::new(options))
}
