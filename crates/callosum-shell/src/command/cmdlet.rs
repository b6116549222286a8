//! Commands of PowerShell: which make requests, and how their names and options are written.

use super::Command;
use crate::Argument;

/// Commands of PowerShell that rules, or what is known of files, name, as these write them.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "Invoke-RestMethod", "Invoke-WebRequest", "Set-Content", "Add-Content", "Clear-Content", "Out-File", "Tee-Object", "New-Item", "Remove-Item",
    "Copy-Item", "Move-Item", "Rename-Item", "Get-Content", "Send-MailMessage", "Send-MgUserMail", "Send-MailKitMessage", "Send-EmailMessage",
    "Publish-Module", "Publish-PSResource", "Publish-Script", "Set-Location",
];

/// A command of PowerShell, which takes names in whatever case, as rules write it; `None` where it is written so, or is none of these.
pub(crate) fn canonical(program: &str) -> Option<&'static str> {
    let short = || ["irm", "iwr"].into_iter().find(|name| name.eq_ignore_ascii_case(program));
    let known = match program.contains('-') {
        true => NAMES.iter().copied().find(|name| name.eq_ignore_ascii_case(program)),
        false if program.len() == 3 => short(),
        false => None,
    };
    known.filter(|name| *name != program)
}

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
