//! Cross signals: on which entities two agents or more met in a day. Nothing is guessed: an entity is a resource that the journal names,
//! one that an agent declared, or an identifier that can be told by its form. Single words of prose never are. Where a model is asked,
//! it only says which of these names mean the same.

mod document;
mod fold;
mod gather;
mod identifiers;
mod lines;
mod semantic;
#[cfg(test)]
mod tests;

pub(crate) use document::line;
pub use document::{ByDecision, Document, Overlap, Window, markdown};
pub use fold::{folded, of_key};
pub use gather::{Acted, Day, Evidence, Gatherer, Kind, Said, Signal, Signals, Source};
pub use identifiers::Patterns;
pub(crate) use lines::{Section, lines};
pub use semantic::{Answer, Question, Semantic};
