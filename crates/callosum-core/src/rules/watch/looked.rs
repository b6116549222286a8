//! A text, and what looks at it tell: each look is taken once, whoever asks.

use std::cell::OnceCell;

use callosum_shell::{Hiding, unhidden_by};

use super::kinds::{ENDS, Kinds, QUOTE};

/// A text, and what looks at it tell.
#[derive(Debug)]
pub(in crate::rules) struct Looked<'t> {
    pub(in crate::rules) text: &'t str,
    pub(super) kinds: Kinds,
    hiding: OnceCell<Hiding>,
}

impl<'t> Looked<'t> {
    /// A look at a text.
    pub(in crate::rules) fn at(text: &'t str) -> Self {
        Self { text, kinds: Kinds::of(text), hiding: OnceCell::new() }
    }

    fn hiding(&self) -> Hiding {
        *self.hiding.get_or_init(|| Hiding::of(self.text))
    }

    /// Whether it may have several commands: that of a line has an end which is not the line's.
    pub(in crate::rules) fn may_have_several(&self) -> bool {
        self.kinds.has_any(ENDS)
    }

    /// Whether a quotation begins or ends within a word of it.
    pub(super) fn has_quoted_parts(&self) -> bool {
        self.kinds.has_any(QUOTE) && self.hiding().cuts_names()
    }

    /// The text with its hidden words whole, where it has some: [`callosum_shell::unhidden`].
    pub(in crate::rules) fn unhidden(&self) -> Option<String> {
        if self.kinds.may_hide() { unhidden_by(self.text, self.hiding()) } else { None }
    }
}
