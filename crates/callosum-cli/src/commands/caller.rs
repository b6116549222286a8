//! Who runs this command. There is one way to tell: by the call that runs it.

use std::env;
use std::io::{self, IsTerminal};

use callosum_core::machine;
use callosum_core::model::error::QueryError;
use callosum_core::model::time::Stamp;
use callosum_core::query::Source;
use callosum_runtimes::{in_shell_of, is_program, runtime_of_program, shell_variables};
use callosum_team::caller::{Caller, Signs};

/// Who it is. A fence against mistakes and poisoned text: a program of the same user can say what it likes.
///
/// # Errors
/// When it is an agent, and the journal can't be read.
pub(crate) fn caller(source: &dyn Source, now: &Stamp) -> Result<Caller, QueryError> {
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let signs = Signs {
        is_program: &is_program,
        variable: shell_variables().find(is_set),
        has_terminal: io::stdin().is_terminal() && io::stderr().is_terminal(),
    };
    Caller::of(std::process::id(), &signs, source, now)
}

/// The runtime of an agent that can't be told from others of its runtime; `None` where not even that is known.
pub(crate) fn runtime() -> Option<&'static str> {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let of_ancestor = || runtime_of_program(&machine::ancestry(std::process::id())?);
    in_shell_of(is_set).map(|runtime| runtime.name()).or_else(of_ancestor)
}
