//! Code in which lines behind a `!` are for a shell: IPython's.

use super::super::{Around, Walk};
use super::foreign::options;
use super::{code, nested};

/// `ipython -c '!git push'`; without `-c` it reads its code.
pub(super) fn read(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let mut texts: Vec<String> = options(words, &["-c"]).map(str::to_owned).collect();
    if texts.is_empty() {
        texts.extend(around.input.iter().map(ToString::to_string));
    }
    let inside = Around { input: Vec::new(), last: false, ..around.clone() };
    let mut is_carried = false;
    for line in texts.iter().flat_map(|text| text.split(['\n', ';'])) {
        // `x = !git push`, `%sx git push`
        let line =
            line.split_once('=').map_or(line, |(_, value)| if is_magic(value) { value } else { line }).trim();
        if is_magic(line) {
            let shell = line.trim_start_matches(['!', '%']);
            let named = ["sx ", "system ", "bash ", "sh "].iter().find_map(|name| shell.strip_prefix(name));
            is_carried |= nested(walk, named.unwrap_or(shell), &inside);
        }
    }
    code::read(walk, "python", words, around);
    is_carried
}

fn is_magic(line: &str) -> bool {
    line.trim_start().starts_with(['!', '%'])
}
