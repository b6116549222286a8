//! What a set of rules was made of.

use std::borrow::Cow;

use super::SHIPPED_RULES;

/// The texts that a set of rules was made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    pub(super) first: Cow<'static, str>,
    /// The first is what is shipped.
    pub(super) is_shipped: bool,
    /// What follows the first where it extends the shipped rules.
    pub(super) then: Option<Cow<'static, str>>,
}

impl Texts {
    /// The texts of a set of rules: its own, and the shipped one if it extends that.
    pub(super) fn new(text: &str, shipped: &str, extends: bool) -> Self {
        Self { first: kept(text), is_shipped: text == shipped, then: extends.then(|| kept(shipped)) }
    }
}

/// The text itself where that costs nothing.
fn kept(text: &str) -> Cow<'static, str> {
    if text == SHIPPED_RULES { Cow::Borrowed(SHIPPED_RULES) } else { Cow::Owned(text.to_owned()) }
}
