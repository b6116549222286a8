//! Callosum's core: one shared memory of actions for every AI-agent session on a machine.
//!
//! A tool call is classified into a tier and context keys ([`rules`]); what the journal says of these keys ([`store`],
//! [`decision::history`]) decides whether it runs ([`decision`]), unless a [`policy`] refuses it; [`gate`] is the path of a call, and what runtimes talk to;
//! [`query`] answers questions about the journal; [`simulate`] replays it under other rules. [`model`] and [`record`] are what all of them
//! speak of. Only [`store`] touches the state directory; [`rules`] and
//! [`policy`] see what lies around a call through `callosum-surroundings`. Only [`machine`] has a wall clock; nothing here knows an async executor or a command line.

pub mod decision;
pub mod gate;
pub mod machine;
pub mod model;
pub mod policy;
pub mod query;
pub mod record;
pub mod rules;
pub mod simulate;
pub mod store;
