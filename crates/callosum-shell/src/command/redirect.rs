//! The files that a shell line writes to by `>`, as far as they may be ones that guard the gate, or jobs of cron's.

use super::outline::{GUARDED, GUARDED_WORDS};
use crate::{Invocation, Line};

/// What stands for the program of such a redirection: `> {guarded}` is a pattern.
pub(crate) const REDIRECTION: &str = ">";
/// Texts of which one is in the name of every path that guards the gate.
const GUARDED_NAMES: &[&str] = &[
    ".callosum",
    "CALLOSUM_STATE_DIR",
    ".claude",
    "CLAUDE_CONFIG_DIR",
    ".codex",
    "CODEX_HOME",
    ".gemini",
    "bin/callosum",
    "share/callosum",
    "extensions/callosum",
];

/// What is in the name of every folder whose files cron runs.
const CRON: &str = "/etc/cron.";

/// The redirections of a line whose `text` names what guards the gate, or a job of cron's; of one that works `in_guarded`, in a folder of such files,
/// none need be named.
pub fn told_redirects<'l>(line: &'l Line, text: &str, in_guarded: bool) -> &'l [Invocation] {
    let names = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let may_be =
        !line.redirects.is_empty() && (in_guarded || names(CRON) || GUARDED_WORDS.split('|').any(names));
    if may_be { &line.redirects } else { &[] }
}

/// Whether a text may name a path that guards the gate.
pub fn may_be_guarded_in(text: &str) -> bool {
    GUARDED_NAMES.iter().any(|name| text.contains(name))
}

/// Whether a text that was not read has what the pattern of this text asks of paths and redirections.
pub fn may_change_in(pattern: &str, text: &str) -> bool {
    !pattern.contains(GUARDED)
        || may_be_guarded_in(text) && (!pattern.starts_with(REDIRECTION) || text.contains(REDIRECTION))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joined;

    #[test]
    fn a_redirection_goes_to_the_folder_that_a_cd_before_it_went_to() {
        for (text, files) in [
            ("echo x > ~/.callosum/a", "~/.callosum/a"),
            ("echo x >> \"~/.callosum/a\"", "~/.callosum/a"),
            ("cd ~/.callosum && > a", "~/.callosum/a"),
            ("cd \"$HOME/.callosum\"; : >| a", "$HOME/.callosum/a"),
            ("cd ~ && cd .callosum\n: >a", "~/.callosum/a"),
            ("(cd ~/.callosum; : > a) > b", "b ~/.callosum/a"),
            ("bash -c 'cd ~/.callosum && echo > a'; echo > b", "~/.callosum/a b"),
            ("cd ~/.callosum && cat a 2>&1", ""),
            ("cd ~/.callosum && cat a 2>&- >&2", ""),
            ("cd ~/.callosum && jq 'select(.tier > 2)' a", ""),
            ("cd ~/.callosum && cat a > /tmp/b", "/tmp/b"),
            ("echo cd ~/.callosum > a", "a"),
            ("if cd -- ~/.callosum; then : > a; fi", "~/.callosum/a"),
            ("cd -P ~ && cd -; cd ~/.callosum && > a", "~/.callosum/a"),
            ("echo 'a -> ~/.callosum/a => .callosum'", ""),
            ("pushd -n ~/.callosum > a", "a"),
            ("cat ~/.callosum/a > $B", "$B"),
            ("cd a # b's\n: > c", "a/c"),
            ("cd a && grep '(' x && : > c", "a/c"),
            ("command cd a; : > c", "a/c"),
            ("builtin cd a; : > c", "a/c"),
            ("time cd a; : > c", "a/c"),
            ("X=1 cd a; : > c", "a/c"),
            ("a 2> b; a >& c; a &> d; a 3<> e; a <& 3; a 2>&1 3>&4-", "b c d e"),
            ("[[ 3 > 2 ]] && (( 2 > 1 )) && echo $((3 > 2)) > a", "a"),
            ("[[ -f x ]] > a; f() { :; } > b", "a b"),
            ("cat <<E > a\nb > c\nE\n", "a"),
            ("cat > f <<'E'\ncd a && ls\nE\necho x > b", "f b"),
            ("a 2>/dev/null >/dev/null", ""),
            ("echo \"x > a", "a"),
        ] {
            let line = Line::read(text);
            let found = line.redirects.iter();
            let found = found.map(|found| joined(found.folder.as_deref(), &found.words.concat()));
            assert_eq!(found.collect::<Vec<_>>().join(" "), files, "{text}");
        }
    }
}
