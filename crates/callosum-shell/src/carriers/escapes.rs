//! How the languages of databases' clients run commands.

/// How a client's language runs a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Escapes {
    /// Behind these, wherever they stand, up to the end of the line.
    pub(crate) anywhere: &'static [&'static str],
    /// Behind these where a line begins with one.
    pub(crate) lines: &'static [&'static str],
    /// Behind these and a `|`.
    pub(crate) pipes: &'static [&'static str],
    /// In the quotes behind a `PROGRAM`, and between backticks behind a `\\set`.
    pub(crate) is_postgres: bool,
}

pub(super) const PSQL: Escapes =
    Escapes { anywhere: &["\\!"], lines: &[], pipes: &["\\gx", "\\g", "\\o", "\\w"], is_postgres: true };
pub(super) const MYSQL: Escapes =
    Escapes { anywhere: &["\\!"], lines: &["system ", "pager ", "\\P "], pipes: &[], is_postgres: false };
pub(super) const SQLITE: Escapes = Escapes {
    anywhere: &[],
    lines: &[".shell ", ".shel ", ".she ", ".sh ", ".system ", ".syst ", ".sys ", ".sy "],
    pipes: &[".once", ".output", ".import"],
    is_postgres: false,
};
