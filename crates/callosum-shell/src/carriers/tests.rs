//! Walks the table: what each of its entries carries is seen, and so is what they carry inside each other.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod elsewhere;
mod languages;

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use super::*;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::{RuleSet, World};

/// Commands that rules guard, of tiers 3 and 4. None of them has a key that says in which folder it runs.
const GUARDED: &[&str] = &[
    "gog gmail send --to bob@example.com --subject Hi --body 'Hello; you'",
    "himalaya message send 'To: bob@example.com'",
    "git push git@github.com:acme/app.git main",
    "curl -X POST https://api.example.com/things -d a=b",
    "stripe refunds create --charge ch_1",
    "openclaw update",
];

/// The tier and the keys of a command.
fn verdict(rules: &RuleSet, command: &str) -> (u8, BTreeSet<String>) {
    let call = ToolCall { tool: "exec".into(), cwd: Some("/w".into()), ..ToolCall::default() };
    let found = rules.classify(&call, "openclaw", &json!({ "command": command }), &World::unseen());
    (found.tier.into(), found.context_keys.into_iter().collect())
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The ways to write a command behind a carrier of this entry.
fn forms(carrier: &Carrier, name: &str, command: &str) -> Vec<String> {
    let verbs = if carrier.verbs.is_empty() { &[""] } else { carrier.verbs };
    let text = quoted(command);
    let mut forms = Vec::new();
    for verb in verbs {
        let operands = " op-1".repeat(carrier.operands);
        let mut options: Vec<String> =
            carrier.values.split_whitespace().map(|name| format!(" {name} v-1")).collect();
        options.extend(carrier.pairs.split_whitespace().map(|name| format!(" {name} v-1 v-2")));
        options.extend([String::new(), " -- ".to_owned(), " --unknown-option x".to_owned()]);
        let begin = format!("{name} {verb}");
        for option in &options {
            match carrier.rest {
                Rest::Command
                | Rest::Arguments
                | Rest::Package
                | Rest::Marked
                | Rest::Bin
                | Rest::Scoped
                | Rest::Late
                | Rest::Lone => {
                    forms.push(format!("{begin}{option}{operands} {command}"));
                }
                Rest::Joined if !command.contains('\'') => {
                    forms.push(format!("{begin}{option}{operands} {command}"));
                }
                _ => {}
            }
            // `time` belongs to the grammar.
            let takes_text =
                matches!(carrier.rest, Rest::Command | Rest::Lone | Rest::Joined | Rest::Each | Rest::First);
            // What has no blank is no text, but a program's name.
            if takes_text && name != "time" && command.contains(' ') {
                forms.push(format!("{begin}{option}{operands} {text}"));
            }
            if carrier.rest == Rest::Keys {
                forms.push(format!("{begin}{option} {text} Enter"));
            }
        }
        for option in carrier.texts.split_whitespace() {
            forms.push(format!("{begin} {option} {text}{operands}"));
        }
        if !carrier.program.is_empty() {
            // Braces around all of its words are no program's name.
            if let Some((program, words)) = command.split_once(' ') {
                forms.push(format!("{begin} {}={program}{operands} {words}", carrier.program));
            }
            forms.push(format!("{begin} {} sh{operands} -c {text}", carrier.program));
        }
        for option in carrier.begins.split_whitespace() {
            forms.push(format!("{begin} {option} {command}"));
        }
        // Behind `ssh` its words are a line again, without their quotes.
        if carrier.marks && !(carrier.verbs.contains(&"ssh") && command.contains(['\'', '"'])) {
            forms.push(format!("{begin}{operands} --unknown-option x -- {command}"));
        }
        if carrier.reads {
            forms.push(format!("{begin}{operands} <<'END_OF_IT'\n{command}\nEND_OF_IT"));
            forms.push(format!("{begin}{operands} <<< {text}"));
        }
        forms.extend(forms_of(carrier.rest, &format!("{begin}{operands}"), name, command, &text));
    }
    if forms.is_empty() { vec![format!("no form for {name}")] } else { forms }
}

/// The ways of a carrier that has its own.
fn forms_of(rest: Rest, begin: &str, name: &str, command: &str, text: &str) -> Vec<String> {
    // In the strings of Tcl, AppleScript and JSON.
    let string = command.replace('\\', "\\\\").replace('"', "\\\"");
    let with = |before: &str, inside: &str, after: &str| quoted(&format!("{before}{inside}{after}"));
    match rest {
        Rest::Scoped => vec![format!("{begin} test:{command}")],
        Rest::Late => vec![format!("{begin} v18.2 {command}")],
        Rest::As("kubectl") => {
            vec![format!("{begin} -- exec pod -- {command}"), format!("{begin} exec -n web pod -- {command}")]
        }
        Rest::As(_) => vec![format!("{begin} -A exec {command}"), format!("{begin} exec {command}")],
        Rest::CargoWatch => vec![
            format!("{begin} -c -s {text}"),
            format!("{begin} --shell={text}"),
            format!("{begin} -x {}", with("watch -- ", command, "")),
            format!("{begin} -w src -- {command}"),
        ],
        Rest::Debugger => vec![
            format!("{begin} -batch -ex {}", with("shell ", command, "")),
            format!("{begin} -ex {} ./a.out", with("!", command, "")),
            format!("{begin} --args {command}"),
        ],
        Rest::Expect => vec![
            format!("{begin} -c {}", with("set timeout 5; spawn ", command, "")),
            format!("{begin} <<'END_OF_IT'\nspawn sh\nsend \"{string}\\r\"\nEND_OF_IT"),
        ],
        Rest::AppleScript => vec![
            format!("{begin} -e {}", with("do shell script \"", &string, "\"")),
            format!(
                "{begin} <<'END_OF_IT'\ntell application \"Terminal\" to do script \"{string}\"\nEND_OF_IT"
            ),
        ],
        Rest::Makefile => vec![
            format!("{begin} -f - <<'END_OF_IT'\nall: a.o\n\t@{command}\nEND_OF_IT"),
            format!("{begin} -s -f- all <<'END_OF_IT'\nall: ; {command}\nEND_OF_IT"),
        ],
        Rest::Client(escapes) => {
            let anywhere = escapes.anywhere.iter().map(|mark| format!("select 1; {mark} {command}"));
            let lines = escapes.lines.iter().map(|mark| format!("{mark}{command}"));
            let pipes = escapes.pipes.iter().map(|mark| format!("{mark} |{command}"));
            let texts = anywhere.chain(lines).chain(pipes);
            texts
                .flat_map(|line| {
                    [
                        format!("{begin} -e {}", quoted(&line)),
                        format!("{begin} db <<'END_OF_IT'\nselect 1;\n{line}\nEND_OF_IT"),
                    ]
                })
                .collect()
        }
        Rest::Editor => vec![
            format!("{begin} -c {} f", with(":!", command, "")),
            format!("{begin} -c {} f", with("silent w !", command, "")),
            format!("{begin} {} f", with("+%!", command, "")),
            format!("{begin} -s f <<'END_OF_IT'\n!{command}\nEND_OF_IT"),
        ],
        Rest::Edits => vec![
            format!("{begin} {} f", with("1e ", command, "")),
            format!("{begin} -n -e {} f", with("/x/,$!e ", command, "")),
        ],
        Rest::Quoted(option) => vec![format!("{begin} {option} {}", with("commands=[\"", &string, "\"]"))],
        Rest::Shell => vec![
            format!("{name} -c {text}"),
            format!("{name} -lc {text} x y"),
            format!("{name} <<'END_OF_IT'\n{command}\nEND_OF_IT"),
            format!("{name} -s <<< {text}"),
            format!("{name} <(echo {text})"),
            format!("echo {text} | {name}"),
            format!("{name} < <(echo {text})"),
        ],
        Rest::Script => vec![
            format!("{name} <(echo {text})"),
            format!("{name} <(cat <<'END_OF_IT'\n{command}\nEND_OF_IT\n)"),
        ],
        Rest::Parallel => vec![
            format!("{name} {text} ::: 1 2"),
            format!("{name} -j 4 {text}"),
            format!("{name} ::: ls {text}"),
            format!("{name} --jobs 2 {command} {{}} ::: 1"),
        ],
        Rest::Executed => {
            vec![format!("{name} . -exec {command} \\;"), format!("{name} . -name x -exec {command} {{}} +")]
        }
        Rest::Module => vec![format!("{name} -m {command}"), format!("{name}3.12 -m {command}")],
        Rest::Flake => {
            let (program, words) = command.split_once(' ').unwrap();
            vec![
                format!("{name} run nixpkgs#{program} -- {words}"),
                format!("{name} run .#{program} {words}"),
            ]
        }
        Rest::Bracketed => vec![
            format!("{name} -c {text}"),
            format!("{name} -c {}", with("$[", command, "]")),
            format!("{name} -c {}", with("do { ^", command, " }")),
            format!("{name} <<'END_OF_IT'\ntry {{ {command} }}\nEND_OF_IT"),
        ],
        Rest::Magic => vec![
            format!("{name} -c {}", with("!", command, "")),
            format!("{name} <<'END_OF_IT'\nx = !{command}\nEND_OF_IT"),
        ],
        Rest::Named => {
            vec![format!("{begin} cross-env A=1 {command}"), format!("{begin} cross-env -- A=1 {command}")]
        }
        Rest::Again(program) => {
            let words = command.strip_prefix(&format!("{program} "));
            words.map_or_else(|| vec![command.to_owned()], |words| vec![format!("{begin} -- {words}")])
        }
        Rest::Tmux => {
            vec![format!("{begin} run-shell {text}"), format!("{begin} {}", with("run-shell ", text, ""))]
        }
        Rest::TmuxEach => vec![format!("{begin} true {}", with("run-shell ", text, ""))],
        Rest::TmuxLines => vec![
            format!("{begin} - <<'END_OF_IT'\nset -g mouse on\nrun-shell {text}\nEND_OF_IT"),
            format!("{begin} <(echo {})", with("run-shell ", text, "")),
        ],
        Rest::TmuxFormats => vec![
            format!("{begin} -g status-right {}", with("#(", command, ") %H")),
            format!("{begin} -g default-command {text}"),
        ],
        Rest::PowerShell => {
            let bytes: Vec<u8> = command.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let code = base64(&bytes);
            let (program, words) = command.split_once(' ').unwrap_or((command, ""));
            vec![
                format!("{name} -Command {text}"),
                format!("{name}.exe -NoProfile -ExecutionPolicy Bypass -c {text}"),
                format!("{name} {text}"),
                format!("{name} -EncodedCommand {code}"),
                format!("{name} -nop -w hidden -enc {code}"),
                format!("{name} -c {}", with("try { ", command, " } catch {}")),
                format!("{name} -c {}", with("$out = ", command, "")),
                format!("{name} -c {}", with("1..3 | % { ", command, " }")),
                format!("{name} -c {}", with("Start-Job { ", command, " }")),
                format!("{name} -c {}", with("if ($x) { 1 } else { ", command, " }")),
                format!("{name} -c {}", with("@'\n", command, "\n'@ | iex")),
                format!("{name} -c {}", with(&format!("& {program} "), words, "")),
                format!("{name} <<'END_OF_IT'\ntry {{ {command} }} finally {{}}\nEND_OF_IT"),
            ]
        }
        Rest::Prompt => vec![
            format!("{name} /c {text}"),
            format!("{name}.exe /d /s /k {text}"),
            format!("{name} //c {text}"),
            format!("{name} /c{text}"),
            format!("{name} /c start /b {text}"),
            format!("{name} /c {}", with("@echo off & call ", command, "")),
            format!("{name} /c {}", with("if 1==1 (", command, ") else (echo x)")),
            format!("{name} <<'END_OF_IT'\n@{command}\nEND_OF_IT"),
        ],
        _ => Vec::new(),
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut code = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            code.push(char::from(LETTERS[usize::try_from(bits >> (18 - 6 * place) & 63).unwrap()]));
        }
    }
    code + &"=".repeat((3 - bytes.len() % 3) % 3)
}

#[test]
fn what_each_program_of_the_table_carries_is_seen() {
    let rules = RuleSet::shipped();
    let mut wrong = String::new();
    for command in &GUARDED[..3] {
        let (tier, keys) = verdict(&rules, command);
        assert_eq!(tier, 3, "{command}");
        for carrier in CARRIERS {
            for name in carrier.names {
                for form in forms(carrier, name, command) {
                    let (found, all) = verdict(&rules, &form);
                    if found < tier || !keys.is_subset(&all) {
                        let _ = writeln!(wrong, "{form}\n    {found} {all:?}");
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "not seen:\n{wrong}");
}

#[test]
fn an_entry_is_found_by_each_of_its_names() {
    for carrier in CARRIERS {
        for name in carrier.names {
            assert!(carriers(name).any(|found| std::ptr::eq(found, carrier)), "{name}");
        }
    }
    assert_eq!(carriers("git-push").count() + carriers("").count() + carriers("ü").count(), 0);
}

/// Dice that fall the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        let at = self.roll(from.len());
        &from[at]
    }
}

/// The command with something around it: a carrier, quotes, a compound command, or much else before and behind it.
fn wrapped(dice: &mut Dice, command: &str) -> String {
    let text = quoted(command);
    // A document within a document ends with a line of its own, and no sign stands on that.
    let (id, end) = (command.len(), if command.contains("<<") { "\n" } else { "" });
    let count = *dice.pick(&[1, 3, 40, 300, 2_100, 5_000]);
    let long = "lorem ipsum; it's (dolor) ".repeat(*dice.pick(&[1, 30, 400, 3_000]));
    let plain = long.replace('\'', " ");
    let (program, words) = command.split_once(' ').unwrap_or((command, ""));
    let is_one = !command.contains(['\n', ';', '&', '|', '(', '{', '<', '\\', '$', '`']);
    match dice.roll(54) {
        0 => format!("( ( {command}{end} ) )"),
        1 => format!("({command}{end})"),
        2 => format!("{{ {command}\n}}"),
        3 => format!("if true; then {command}\nfi"),
        4 => format!("for i in 1 2; do {command}\ndone"),
        // Of braces in two parentheses no shell makes a command.
        5 if !command.starts_with("({") => format!("echo \"$({command}{end})\""),
        6 => format!("x=`date`; {command}"),
        7 => format!("eval \"$(cat <<'E{id}'\n{command}\nE{id}\n)\""),
        8 => format!("{}{command}", "true\n".repeat(count)),
        9 => format!("{}{command}", "true; ".repeat(count)),
        10 => format!("{}{command}", "# comment's\n".repeat(count)),
        11 => format!("{}{command}", "V=$(cat f)\n".repeat(count)),
        12 => format!("echo '{plain}' && {command}"),
        13 => format!("echo \"{plain}\" ; {command}"),
        14 => format!("echo \"{long}\" ; {command}"),
        15 => format!("cat > x.md <<'EOF_{id}'\n{long}\nEOF_{id}\n{command}"),
        16 => format!("cat > x.md <<EOF_{id}\n{long}\nEOF_{id}\n{command}"),
        17 => format!("bash <<'B_{id}'\n{}{command}\nB_{id}", "a\n".repeat(count)),
        18 => format!("bash <<'B_{id}'\necho \"{long}\"\n{command}\nB_{id}"),
        19 => format!("ssh host bash -s <<'S_{id}'\necho '{plain}'\n{command}\nS_{id}"),
        20 => format!("{command}\necho '{plain}'"),
        21 => format!("{}{command}{end}{}", "$(".repeat(count.min(140)), ")".repeat(count.min(140))),
        // These are words of a shell, and no programs.
        22 if !["alias ", "set ", "f() ", "run() ", "a=("].iter().any(|word| command.starts_with(word)) => {
            format!("{}{command}", "sudo ".repeat(count.min(60)))
        }
        23 => format!("{command}\necho 'never closed"),
        24 => format!("echo \"$(\n{command}"),
        25 => format!("f() {{ {command}\n}}; f"),
        26 => format!("case x in a) {command}{end};; esac"),
        27 if !command.contains('%') => format!("true | xargs -I% sh -c {text}"),
        28 if is_one => format!("run() {{ \"$@\"; }}; run {command}"),
        29 if is_one => format!("f() {{ {program} \"$@\"; }}; f {words}"),
        30 if is_one => format!("set -- {command}; \"$@\""),
        31 if is_one => format!("sh -c '\"$@\"' _ {command}"),
        32 if is_one => format!("f() {{ shift; \"$@\"; }}; f x {command}"),
        33 if is_one => format!("a=({command}); \"${{a[@]}}\""),
        34 => format!("f() {{ eval \"$1\"; }}; f {text}"),
        35 => format!("sh -c 'eval \"$1\"' _ {text}"),
        36 => format!("echo {} > x; echo {text} >> ./x; sh x", quoted("true")),
        37 => format!("cat > x{id}.sh <<'X_{id}'\n{command}\nX_{id}\ncp x{id}.sh y{id}.sh; bash y{id}.sh"),
        38 => format!("alias x={text}; x"),
        39 if is_one && !command.contains(['\'', ',']) => format!("{{{}}}", command.replace(' ', ",")),
        40 => format!("x=$(case $y in a) {command}{end};; esac)"),
        41 => format!("select x in a; do {command}\ndone"),
        _ => {
            let carrier = dice.pick(CARRIERS);
            let name = dice.pick(carrier.names);
            let has_language =
                matches!(carrier.rest, Rest::Expect | Rest::AppleScript | Rest::Makefile | Rest::Quoted(_))
                    || matches!(carrier.rest, Rest::Client(_) | Rest::Editor | Rest::Edits)
                    || matches!(
                        carrier.rest,
                        Rest::PowerShell | Rest::Prompt | Rest::Bracketed | Rest::Magic
                    );
            let has_language = has_language
                || matches!(carrier.rest, Rest::Tmux | Rest::TmuxEach | Rest::TmuxLines | Rest::TmuxFormats);
            let module = carrier.rest == Rest::Module || carrier.rest == Rest::Flake || has_language;
            // A command of several does not fit into the words of one.
            let is_one = !command.contains(['\n', ';', '&', '|', '(', '{', '<']);
            // In most languages a dollar is a sign, too.
            let is_one = is_one && !(has_language && command.contains('$'));
            let forms = if module && !is_one { Vec::new() } else { forms(carrier, name, command) };
            let is_read = |form: &str| form.contains("END_OF_IT") && !command.contains("END_OF_IT");
            let fits = |form: &&String| is_one || form.contains(&text) || is_read(form);
            let forms: Vec<&String> = forms.iter().filter(fits).collect();
            if forms.is_empty() { format!("bash -c {text}") } else { (*dice.pick(&forms)).clone() }
        }
    }
}

#[test]
fn what_the_search_found_stays_found() {
    let rules = RuleSet::shipped();
    let mail = "gog gmail send --to bob@example.com --subject Hi --body Hello";
    let quoted_twice = quoted(&format!("bash -c {}", quoted(mail)));
    for line in [
        format!("( ( {mail} ) )"),
        format!("( ( {{ bash <<'B'\n{mail}\nB\n}} ) )"),
        format!("echo \"$(({mail}))\""),
        format!("echo \"$(( ( {mail} ) ))\""),
        format!("echo \"$(( ( bash <<E\n{mail}\nE\n) )\n)\""),
        format!("parallel --jobs 2 wsl --user v-1 {} {{}} ::: 1", quoted(mail)),
        format!("echo \"$($(case x in a) {mail}\necho 'never closed;; esac\necho 'never closed))\""),
        format!("eval \"$(cat <<'E300'\necho \"$(bash -c {quoted_twice})\"\nE300\n)\""),
        format!("eval \"$(cat <<'E3'\ncase x in a) {mail};; esac\nE3\n)\""),
        format!("time -p {mail}"),
        "$(echo gog) gmail send --to bob@example.com --subject Hi --body Hello".to_owned(),
        format!("tmux new -d \\; send-keys {} Enter", quoted(mail)),
        "docker run --entrypoint gog img gmail send --to bob@example.com --body Hello".to_owned(),
        format!("kubectl exec pod -c app -- {mail}"),
        "{caffeinate,,gog,gmail,send,--to,bob@example.com,--body,Hello}".to_owned(),
        format!("alacritty -- sqlite3 -e {}", quoted(&format!(".sh {mail}"))),
        format!("distrobox enter op-1 dotenv exec -e v-1 bash -c {}", quoted(mail)),
    ] {
        let (tier, keys) = verdict(&rules, &line);
        assert_eq!(tier, 3, "{line}: {keys:?}");
    }
}

/// However a guarded command is wrapped, its tier is not below that of the bare one. `CALLOSUM_NESTINGS` says for how many
/// seconds to search, `CALLOSUM_SEED` with which dice.
#[test]
fn no_nesting_lowers_the_tier() {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = number("CALLOSUM_NESTINGS");
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut dice = Dice(number("CALLOSUM_SEED").unwrap_or(1));
    let rules = RuleSet::shipped();
    let bare: Vec<u8> = GUARDED.iter().map(|command| verdict(&rules, command).0).collect();
    assert_eq!(bare, [3, 3, 3, 3, 4, 4]);
    let (mut wrong, mut searched, mut rounds) = (String::new(), 0, 0);
    while until.map_or(rounds < 400, |until| Instant::now() < until) && wrong.len() < 20_000 {
        rounds += 1;
        let at = dice.roll(GUARDED.len());
        let mut command = GUARDED[at].to_owned();
        for _ in 0..=dice.roll(5) {
            command = wrapped(&mut dice, &command);
            if command.len() > 400_000 {
                break;
            }
        }
        searched += 1;
        let (tier, _) = verdict(&rules, &command);
        if tier < bare[at] {
            let chars: Vec<char> =
                command.replace("true\n", "").replace("# comment's\n", "").chars().collect();
            let shown = if chars.len() > 900 {
                [&chars[..450], &['…'], &chars[chars.len() - 450..]].concat()
            } else {
                chars
            };
            let shown: String = shown.into_iter().collect();
            let _ = writeln!(wrong, "{tier} below {}, {} bytes:\n{shown}\n----", bare[at], command.len());
        }
    }
    assert!(wrong.is_empty(), "of {searched}:\n{wrong}");
}
