//! Names in requests, and those that are made up where none is given.

use crate::Refused;

/// Characters of a name in a request: of more, nothing would be told from its beginning.
const MAX_NAME: usize = 300;

/// Names tell things from each other: none is empty or blank, and none is so long that it would be cut.
///
/// # Errors
/// What is wrong with the name in the field `path`.
pub fn check_name(path: &str, name: &str) -> Result<(), Refused> {
    let what = if name.trim().is_empty() {
        "it is empty; expected a name"
    } else if name.chars().count() > MAX_NAME {
        "it has more than 300 characters"
    } else {
        return Ok(());
    };
    Err(Refused::field(path, what))
}

/// A folder that relative paths start from is absolute, or nobody could tell where it is.
///
/// # Errors
/// What is wrong with the field `cwd`.
pub fn check_cwd(cwd: Option<&str>) -> Result<(), Refused> {
    if cwd.is_none_or(|cwd| cwd.starts_with('/')) {
        return Ok(());
    }
    Err(Refused::field("cwd", "it is no absolute path; expected one, such as `/home/ann/project`"))
}

/// An id for a call that came without one.
///
/// # Errors
/// When the system gives no random bytes.
pub fn new_id() -> Result<String, Refused> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|_| Refused::broken())?;
    Ok(format!("call_{}", hex(&random)))
}

/// Bytes in hex.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(if half < 10 { b'0' + half } else { b'a' - 10 + half });
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
    }
    text
}
