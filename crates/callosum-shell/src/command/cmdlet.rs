//! The commands of PowerShell that make requests.

use super::Command;
use crate::Argument;

/// Whether a program is one of PowerShell's that make requests.
pub(super) fn is_cmdlet(program: &str) -> bool {
    matches!(program, "Invoke-RestMethod" | "Invoke-WebRequest" | "irm" | "iwr")
}

/// The values of such a one's option, given in small letters. PowerShell takes it in whatever case, and cut short to what no other begins
/// with.
pub(super) fn values<'l>(command: &Command<'l>, option: &str) -> Vec<&'l str> {
    /// `-Me`, `-Ur`, `-Bo`: no shorter one is clear.
    const SHORTEST: usize = 3;
    let is_it = |name: &str| {
        name.len() >= SHORTEST
            && option.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name))
    };
    let value = |argument: &Argument<'l>| match argument {
        Argument::Option { name, value, .. } if is_it(name) => Some(*value),
        _ => None,
    };
    command.arguments.iter().filter_map(value).collect()
}
