//! Shell commands as words: enough to find who a mail goes to and whether a command is only one command.
//! What a whole shell line does is not told here.

use std::panic;

use brush_parser::{Token, TokenizerOptions, uncached_tokenize_str};

/// Longer commands are not tokenized.
const MAX_BYTES: usize = 64 * 1024;
/// The tokenizer calls itself for each expansion inside another: so many in all are let through.
const MAX_EXPANSIONS: usize = 128;
/// With a here-document in it, the tokenizer's time is the square of the number of tokens.
const MAX_WITH_HERE_DOCUMENT: (usize, usize) = (32 * 1024, 2048);

/// A part of a command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A word, quotes taken away. Expansions (`$X`, `$(…)`) stand as they were written.
    Word(String),
    /// The text of a here-document or here-string: what the command reads.
    Input(String),
    /// A control operator: `;`, `&&`, `|`, a line break, a parenthesis …
    Control(String),
}

/// The command's pieces, redirections left out; `None` when its syntax is broken or it is too much to read.
pub(crate) fn pieces(command: &str) -> Option<Vec<Piece>> {
    let tokens = tokens(command)?;
    let mut pieces = Vec::with_capacity(tokens.len());
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            Token::Word(word, span) => {
                let redirects = tokens.peek().is_some_and(|next| {
                    matches!(next, Token::Operator(operator, at) if is_redirection(operator) && at.start.index == span.end.index)
                });
                // The `2` of `2>&1`.
                if !(redirects && word.bytes().all(|byte| byte.is_ascii_digit())) {
                    pieces.push(Piece::Word(unquote(&word)));
                }
            }
            Token::Operator(operator, _) if operator.starts_with("<<") && operator != "<<<" => {
                // The tokenizer gives the tag, the text, and the tag once more.
                tokens.next();
                if let Some(text) = tokens.next() {
                    pieces.push(Piece::Input(text.to_str().to_owned()));
                }
                tokens.next();
            }
            Token::Operator(operator, _) if is_redirection(&operator) => {
                let target = tokens.next_if(|next| matches!(next, Token::Word(..)));
                if let (Some(text), "<<<") = (target, operator.as_str()) {
                    pieces.push(Piece::Input(unquote(text.to_str())));
                }
            }
            Token::Operator(operator, _) => pieces.push(Piece::Control(operator)),
        }
    }
    Some(pieces)
}

fn is_redirection(operator: &str) -> bool {
    operator.contains(['<', '>'])
}

fn tokens(command: &str) -> Option<Vec<Token>> {
    if command.len() > MAX_BYTES || expansions(command) > MAX_EXPANSIONS {
        return None;
    }
    let breaks = || command.bytes().filter(|byte| b" \t\n;&|()<>".contains(byte)).count();
    let (max_bytes, max_breaks) = MAX_WITH_HERE_DOCUMENT;
    if command.contains("<<") && (command.len() > max_bytes || breaks() > max_breaks) {
        return None;
    }
    // The tokenizer unwraps in places (an unfinished here-document inside `$(…)`), and a command that breaks
    // it is only a command with broken syntax. Its cached entry point would keep commands, with the
    // secrets in them, for the life of the process.
    let tokenize = || uncached_tokenize_str(command, &TokenizerOptions::default());
    panic::catch_unwind(tokenize).ok()?.ok()
}

fn expansions(command: &str) -> usize {
    command.as_bytes().windows(2).filter(|pair| matches!(pair, [b'$', b'(' | b'{' | b'['])).count()
}

/// A word without its quotes. The tokenizer's own function takes every quotation mark away, those inside
/// other quotes too.
pub(crate) fn unquote(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => plain.extend(chars.by_ref().take_while(|&c| c != '\'')),
            '"' => {
                while let Some(c) = chars.next_if(|&c| c != '"') {
                    match chars.peek() {
                        Some(&escaped) if c == '\\' && matches!(escaped, '"' | '\\' | '$' | '`') => {
                            plain.push(escaped);
                            chars.next();
                        }
                        _ => plain.push(c),
                    }
                }
                chars.next();
            }
            '\\' => plain.extend(chars.next()),
            '$' if chars.next_if_eq(&'\'').is_some() => {
                while let Some(c) = chars.next_if(|&c| c != '\'') {
                    let escaped = if c == '\\' { chars.next() } else { None };
                    plain.push(match escaped {
                        Some('n') => '\n',
                        Some('r') => '\r',
                        Some('t') => '\t',
                        Some(other) => other,
                        None => c,
                    });
                }
                chars.next();
            }
            '$' if chars.peek() == Some(&'"') => {}
            _ => plain.push(c),
        }
    }
    plain
}

/// The name of the program that `word` runs: the last part of its path.
pub(crate) fn program_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether `word` sets a variable before a command: `NAME=value`.
pub(crate) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Words that begin something other than a simple command.
const RESERVED: &[&str] = &[
    "!", "{", "}", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "in", "select", "then", "time", "until", "while",
];

/// Programs behind which several commands, or a command and something of its own, may hide: shells and
/// their built-ins, wrappers, interpreters, runners, and tools that take many steps before they fail.
#[rustfmt::skip]
const COMPOUND: &[&str] = &[
    ".", "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "busybox", "toybox", "pwsh", "powershell",
    "eval", "source", "exec", "command", "builtin", "trap", "alias",
    "xargs", "parallel", "timeout", "gtimeout", "nice", "ionice", "nohup", "setsid", "stdbuf", "unbuffer", "script", "watch", "find", "fd",
    "sudo", "doas", "su", "runuser", "chroot", "unshare", "nsenter", "flock", "strace", "ltrace", "systemd-run", "at", "batch",
    "tmux", "screen", "expect", "ssh", "rsh", "mosh", "docker", "podman", "nerdctl", "lxc", "vagrant",
    "python", "pypy", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "osascript", "tclsh", "awk", "gawk", "mawk",
    "R", "Rscript", "java", "dotnet", "go", "tsx", "ts-node",
    "npm", "npx", "pnpm", "pnpx", "yarn", "bunx", "uv", "uvx", "pipx", "poetry", "pipenv", "hatch", "cargo", "bundle", "rake", "composer",
    "make", "gmake", "just", "task", "ninja", "cmake", "ant", "mvn", "gradle", "gradlew", "bazel", "tox", "nox", "pytest", "act",
    "kubectl", "oc", "helm", "terraform", "tofu", "terragrunt", "pulumi", "ansible", "ansible-playbook", "cdk", "sam", "serverless", "sls",
    "vercel", "netlify", "wrangler", "fly", "flyctl", "firebase", "heroku", "railway", "kamal", "eb", "gcloud", "aws", "az", "twine",
];

/// Whether `command` is one simple command: no operator, loop, subshell or substitution, and its program is
/// none that may run several. Only then a non-zero exit says that the command did nothing.
/// What can't be read is none.
#[must_use]
pub fn is_simple_command(command: &str) -> bool {
    // A substitution runs commands of its own, wherever it stands. Inside single quotes it would not;
    // too few simple commands are the safe mistake.
    if command.contains('`') || command.contains("$(") {
        return false;
    }
    let Some(pieces) = pieces(command.trim()) else { return false };
    let mut words = Vec::new();
    for piece in &pieces {
        match piece {
            Piece::Word(word) => words.push(word.as_str()),
            Piece::Input(_) => {}
            // A here-document ends in a line break of its own.
            Piece::Control(operator) if operator == "\n" && ends_after(&pieces, piece) => {}
            Piece::Control(_) => return false,
        }
    }
    let mut words = words.into_iter().skip_while(|word| is_assignment(word));
    let mut program = words.next();
    if program.map(program_name) == Some("env") {
        program = words.find(|word| !is_assignment(word));
    }
    // `curl --next` does several transfers.
    program.is_some_and(runs_one_command) && !words.any(|word| matches!(word, "--next" | "-:"))
}

/// Whether nothing but line breaks and inputs stands at `piece` and after it.
fn ends_after(pieces: &[Piece], piece: &Piece) -> bool {
    let rest = pieces.iter().skip_while(|one| !std::ptr::eq(*one, piece));
    rest.into_iter()
        .all(|one| !matches!(one, Piece::Word(_)) && !matches!(one, Piece::Control(o) if o != "\n"))
}

fn runs_one_command(program: &str) -> bool {
    let name = program_name(program);
    // A path outside the usual folders leads to a script as likely as to a program.
    let folder = program.strip_suffix(name).unwrap_or_default();
    let usual_folder = folder.is_empty() || folder.ends_with("bin/");
    let is_script = [".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".ts", ".rb", ".pl", ".php"]
        .iter()
        .any(|ending| name.ends_with(ending));
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let family = if family.is_empty() { name } else { family };
    let plain = !name.is_empty() && !name.starts_with('-') && !name.contains(['$', '*', '?', '[', '~', '=']);
    plain
        && usual_folder
        && !is_script
        && !RESERVED.contains(&name)
        && !COMPOUND.contains(&name)
        && !COMPOUND.contains(&family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_commands() {
        for command in [
            "himalaya template send",
            "  curl --mail-rcpt a@x smtp://h -T mail.txt\n",
            "/usr/bin/msmtp -t < mail.txt",
            "A=b C='d e' sendmail -t",
            "env A=b sendmail -t",
            "git push origin main 2>&1",
            "mail -s 'a; b && c' bob@x > /dev/null",
            "mail -s \"it's | here\" bob@x",
            "sendmail -t <<EOF\nTo: a@x\n\na; b | c\nEOF",
            "sendmail -t <<EOF\nTo: a@x\nEOF\n\n",
            "swaks --to a@x --body $BODY",
            "himalaya \\\n  send",
        ] {
            assert!(is_simple_command(command), "{command}");
        }
    }

    #[test]
    fn everything_else() {
        for command in [
            "",
            " ",
            "A=b",
            "# nothing",
            "send; false",
            "send && false",
            "send || true",
            "send | cat",
            "send &",
            "send &\n",
            "send\nfalse",
            "(send)",
            "{ send; }",
            "! send",
            "if send; then x; fi",
            "for i in 1 2; do send; done",
            "while send; do x; done",
            "case x in x) send;; esac",
            "send $(date)",
            "send \"$(date)\"",
            "send `date`",
            "send <(date)",
            "sh -c 'send; false'",
            "bash x.sh",
            "/bin/bash -c send",
            "zsh -c send",
            "eval send",
            "source x",
            ". x",
            "xargs send",
            "timeout 5 send",
            "parallel send ::: a b",
            "env -S 'a b'",
            "env",
            "env A=b bash -c x",
            "ssh host send",
            "python3 -c 'x'",
            "python3.12 x.py",
            "node x.js",
            "make send",
            "sudo send",
            "./send.sh",
            "scripts/send",
            "send.py a",
            "$SEND a",
            "time send",
            "exec send",
            "npm publish",
            "kubectl apply -f x",
            "send 'a",
            "send \"a",
            "cat <<EOF\na",
            "curl smtp://h --next smtp://g",
            "sendmail -t <<EOF\na\nEOF\nfalse",
            "f() { send; }",
            "[[ -f x ]]",
            "send |& cat",
            "coproc send",
            "function f { send; }",
            "-x",
            "~/send",
        ] {
            assert!(!is_simple_command(command), "{command}");
        }
    }

    #[test]
    fn words_are_what_a_program_would_get() {
        for (word, plain) in [
            ("plain", "plain"),
            ("'single \"quoted\" \\n'", "single \"quoted\" \\n"),
            ("\"it's \\\"this\\\" \\n\"", "it's \"this\" \\n"),
            ("$'a\\nb\\'c'", "a\nb'c"),
            ("a\\ b'c d'\"e f\"", "a bc de f"),
            ("$HOME/\"x y\"", "$HOME/x y"),
            ("", ""),
            ("\\", ""),
            ("'open", "open"),
        ] {
            assert_eq!(unquote(word), plain, "{word}");
        }
    }

    #[test]
    fn pieces_leave_redirections_out_and_keep_what_is_read() {
        let word = |text: &str| Piece::Word(text.to_owned());
        let control = |text: &str| Piece::Control(text.to_owned());
        assert_eq!(
            pieces("a 2>&1 >x b <<'E' c | d <<< 'e f'\nline 'q'\nE\n").unwrap_or_default(),
            [
                word("a"),
                word("b"),
                Piece::Input("line 'q'\n".to_owned()),
                word("c"),
                control("|"),
                word("d"),
                Piece::Input("e f".to_owned()),
                control("\n"),
            ]
        );
    }

    #[test]
    fn no_command_breaks_or_stalls_the_tokenizer() {
        for command in [
            "$(".repeat(32_000),
            "${".repeat(32_000),
            "$(".repeat(MAX_EXPANSIONS) + &")".repeat(MAX_EXPANSIONS),
            format!("cat <<X{}\nX\n", " a".repeat(30_000)),
            format!("cat <<X{}\nX\n", " a".repeat(1_000)),
            format!("cat <<'{}'\n{}", "t".repeat(14_000), "\n".repeat(2_000)),
            "<<a ".repeat(500),
            "$(cat <<X)".to_owned(),
            "${cat <<X}".to_owned(),
            "((".repeat(30_000),
            "`".repeat(30_001),
            "a ".repeat(2_000_000),
            "@(".repeat(30_000),
            "\u{0}\u{1}<<\u{2}\n".to_owned(),
        ] {
            let _ = is_simple_command(&command);
            let _ = pieces(&command);
        }
    }
}
