//! Functions of a line: kept until they are called, for only then is it known with which words and to read what.

use std::rc::Rc;

use brush_parser::ast::CompoundCommand;

use super::compact::Kept;

/// A function that the line defines, or another name for a command.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) body: Body,
    /// It was called: what it does was read.
    pub(super) is_called: bool,
    /// Its text is noted as one that was not read.
    pub(super) is_told: bool,
}

/// What a function does.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// A command, and what was taken out of the text that it stands in.
    Code(Rc<CompoundCommand>, Rc<Kept>),
    /// The beginning of a line: of `alias`.
    Text(Rc<str>),
}

impl Body {
    /// Whether the one is the other.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Code(one, _), Self::Code(other, _)) => Rc::ptr_eq(one, other),
            (Self::Text(one), Self::Text(other)) => Rc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// How much functions may be walked through in all, in bytes or so: one that is called again and again is soon more than is looked at.
pub(super) const MAX_WALK: usize = 2 * 1024 * 1024;
