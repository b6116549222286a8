//! Commands in the languages of clients and editors: `psql -c '\! git push'`, `sqlite3 db '.shell git push'`,
//! `vim -c ':!git push'`.

use super::super::{Around, Walk};
use super::foreign::{in_quotes, options};
use super::{code, nested};
use crate::carriers::Escapes;
use crate::{Texts, joined};

/// All texts that such a program may run: its words, what it reads, and files that the line has written.
fn texts(walk: &Walk, words: &[String], around: &Around) -> Vec<String> {
    let written = words.iter().flat_map(|word| {
        let path = word.rsplit('=').next().unwrap_or(word);
        walk.written(&joined(around.folder.as_deref(), path))
    });
    let read = written.chain(around.input.iter().cloned()).map(|text| text.to_string());
    words.iter().cloned().chain(read).collect()
}

/// Whether a program sends files over HTTP.
pub(super) fn sends(program: &str) -> bool {
    matches!(program, "curl" | "curlie" | "wget" | "http" | "https" | "xh" | "xhs" | "gh" | "glab" | "ntn")
}

/// The files that such a program sends (`-d @b.json`, `-F body=@b`, `--input b.json`), as far as the line has written them.
pub(super) fn sent(walk: &Walk, words: &[String], folder: Option<&str>) -> Texts {
    let by_option = words.windows(2).filter_map(|pair| match pair {
        [option, file] if matches!(option.as_str(), "--input" | "--post-file" | "--body-file") => {
            Some(file.as_str())
        }
        _ => None,
    });
    let marked = words.iter().filter_map(|word| Some(word.split_once('@')?.1));
    by_option.chain(marked).flat_map(|file| walk.written(&joined(folder, file))).collect()
}

/// A client of a database.
pub(super) fn client(walk: &mut Walk, escapes: Escapes, words: &[String], around: &Around) -> bool {
    let inside = Around { input: Vec::new(), last: false, ..around.clone() };
    let mut is_carried = false;
    for text in texts(walk, words, around) {
        for line in text.lines() {
            let behind = escapes.anywhere.iter().filter_map(|mark| Some(line.split_once(mark)?.1));
            let begun = escapes.lines.iter().filter_map(|mark| line.trim_start().strip_prefix(mark));
            let piped = escapes.pipes.iter().filter_map(|mark| piped(line.split_once(mark)?.1));
            let computed = line.trim_start().strip_prefix("\\set ").filter(|_| escapes.is_postgres);
            let computed = computed.and_then(|line| line.split('`').nth(1));
            for shell in behind.chain(begun).chain(piped).chain(computed) {
                is_carried |= nested(walk, shell, &inside);
            }
        }
        if escapes.is_postgres {
            for shell in programs(&text) {
                is_carried |= nested(walk, &shell, &inside);
            }
        }
    }
    is_carried
}

/// The command that a client is told to write to, or to read from: of `|git push`, `'|git push' table`.
fn piped(behind: &str) -> Option<&str> {
    let behind = behind.trim_start();
    let quote = behind.chars().next().filter(|first| matches!(first, '\'' | '"'));
    let shell = behind.trim_start_matches(['\'', '"']).strip_prefix('|')?;
    quote.map_or(Some(shell), |quote| shell.split(quote).next())
}

/// The commands in `COPY … PROGRAM 'git push'`.
fn programs(text: &str) -> Vec<String> {
    const NAME: &str = "PROGRAM";
    let upper = text.to_ascii_uppercase();
    let behind = upper.match_indices(NAME).filter_map(|(at, _)| text.get(at + NAME.len()..));
    let quoted = behind.filter(|behind| behind.starts_with(char::is_whitespace)).filter_map(|behind| {
        let behind = behind.trim_start();
        behind.strip_prefix(['E', 'e']).unwrap_or(behind).strip_prefix('\'')
    });
    let whole = quoted.map(|quoted| {
        // A quote in it stands there twice.
        let mut parts = quoted.split('\'');
        let mut shell = parts.next().unwrap_or_default().to_owned();
        while let (Some(""), Some(more)) = (parts.next(), parts.next()) {
            shell.push('\'');
            shell.push_str(more);
        }
        shell
    });
    whole.collect()
}

/// Editors and pagers of vi's kin.
pub(super) fn editor(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let is_short = |word: &&String| word.starts_with('-') && !word.starts_with("--");
    let reads = words.iter().filter(is_short).any(|word| word.contains(['e', 'E', 's']))
        || !words.iter().any(|word| word == "-");
    let mut commands: Vec<String> = options(words, &["-c", "--cmd"]).map(str::to_owned).collect();
    // `-sc '!git push'`
    let bundled = words.windows(2).filter_map(|pair| match pair {
        [option, text] if is_short(&option) && option.len() > 2 && option.ends_with('c') => Some(text),
        _ => None,
    });
    commands.extend(bundled.cloned());
    commands.extend(words.iter().filter_map(|word| word.strip_prefix('+')).map(str::to_owned));
    if reads {
        commands.extend(around.input.iter().map(ToString::to_string));
    }
    let inside = Around { input: Vec::new(), last: false, ..around.clone() };
    let mut is_carried = false;
    for line in commands.iter().flat_map(|text| text.lines()) {
        if let Some(shell) = of_editor(line) {
            is_carried |= nested(walk, shell, &inside);
        }
        code::calls(walk, line, &[line], "vim", &inside);
        if line.contains("os.execute") {
            let shell = in_quotes(line).into_iter().next();
            is_carried |= shell.is_some_and(|shell| nested(walk, &shell, &inside));
        }
    }
    is_carried
}

/// What a command of an editor gives a shell: of `:!git push`, `:%!sort`, `:w !mail`, `:terminal git push`.
fn of_editor(line: &str) -> Option<&str> {
    let plain = line.trim_start_matches([':', ' ', '\t']);
    if let Some(shell) = ["terminal ", "term ", "ter "].iter().find_map(|verb| plain.strip_prefix(verb)) {
        return Some(shell);
    }
    let mut start = 0;
    for command in line.split('|') {
        let shell = command.match_indices('!').take(3).find_map(|(at, _)| {
            let before = command.get(..at)?;
            // That of `silent!` is none.
            let is_it = !before.ends_with("silent") && !before.ends_with("sil") && is_filter(before);
            is_it.then(|| line.get(start + at + 1..)).flatten()
        });
        if shell.is_some() {
            return shell;
        }
        start += command.len() + 1;
    }
    None
}

/// Whether what stands before a `!` in an editor's command makes what follows a shell's: a range, a verb that writes to or reads from
/// a program, or nothing.
fn is_filter(before: &str) -> bool {
    let edges: &[char] = &[':', ' ', '\t', '!', '"', '\''];
    let mut before = before.trim_matches(edges);
    while let Some(rest) =
        ["silent", "sil", "execute", "exe"].iter().find_map(|verb| before.strip_prefix(verb))
    {
        before = rest.trim_start_matches(edges);
    }
    let verb = ["write", "read", "w", "r", "e"].iter().find_map(|verb| before.strip_suffix(verb));
    let is_of_range = |c: char| c.is_ascii_digit() || "%,.$;+-<>'* ".contains(c);
    verb.unwrap_or(before).chars().all(is_of_range)
}
