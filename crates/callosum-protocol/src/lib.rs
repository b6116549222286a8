//! The protocol of five endpoints: calls, their ends, and leases of instances that share tools. What it asks for is told in
//! `docs/service.md`; its shapes are kept, and more fields never change what these mean.
//!
//! Whoever serves it brings requests and knows who asks; here is what they mean. The service takes the steps one by one, on its
//! writer's thread; a gateway has [`answer()`] take them all.

mod answer;
pub mod calls;
mod evidence;
mod keys;
pub mod locks;
mod name;
mod read;
mod refused;
mod speaker;
pub mod status;
mod unique;

pub use self::answer::{Answer, Request, answer};
pub use self::evidence::Evidence;
pub use self::name::{check_cwd, check_name, hex, new_id};
pub use self::read::read;
pub use self::refused::{Problem, Refused};
pub use self::speaker::{NotYours, Speaker, check_instance};
