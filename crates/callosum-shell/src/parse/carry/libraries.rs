//! What code does by libraries that an interpreter is given.

use super::super::{Around, Walk};
use crate::Texts;
use crate::code::{commands, language};

/// Runs the commands that do what codes do.
pub(super) fn told(walk: &mut Walk, family: &str, codes: &Texts, inside: &Around) {
    let Some(language) = language(family) else { return };
    for code in codes {
        for command in commands(language, code) {
            walk.run(command, inside.clone());
        }
    }
}
