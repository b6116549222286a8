//! Callosum's core: one shared memory of actions for every AI-agent session on a machine.
//!
//! A tool call is classified into a tier and context keys ([`rules`], [`context_key`]); what the journal
//! says of these keys ([`journal`], [`history`]) decides whether it runs ([`decision`]); [`gate`] is the
//! façade that runtimes talk to; [`simulate`] replays a journal under other rules. Only [`store`] and [`journal`]
//! touch the machine; nothing here knows a runtime, an async executor or a command line, and no code but
//! [`store::machine`] has a clock.

pub mod decision;
pub mod gate;
pub mod machine;
pub mod model;
pub mod record;
pub mod rules;
pub mod runtime;
pub mod simulate;
pub mod store;
