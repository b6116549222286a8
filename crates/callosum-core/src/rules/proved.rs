//! What the exit code of a call proves.

use super::question::Question;
use crate::model::tier::Tier;
use callosum_shell::command::not_done_codes;
use callosum_shell::{ExitCodes, Line};

impl Question<'_> {
    /// What the exit code proves of a shell line of one command.
    pub(super) fn codes_of_line(&self) -> ExitCodes {
        let command = self.params.get("command");
        let Some(text) = command.as_ref().and_then(|command| command.as_str()) else {
            return ExitCodes::default();
        };
        match Line::read(text).invocations.as_slice() {
            [only] => not_done_codes(text, only),
            _ => ExitCodes::default(),
        }
    }
}

/// What the exit code of a line proves, from what it proves of each command with an effect: of one of several nothing. At
/// tier 4 it never does: there a needless pause costs less than a second deed.
pub(super) fn proved(codes: &[ExitCodes], tier: Tier) -> ExitCodes {
    match codes {
        [codes] if tier != Tier::Critical => *codes,
        _ => ExitCodes::default(),
    }
}
