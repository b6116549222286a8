//! What a person at a terminal gets, and no pipe: a pager, an answer that is looked for again, names completed by the shell.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use callosum_runtimes::shell_variables;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::{Value, json};

use crate::command_line::{ago, lines, record, state_dir};

/// As long as anything is waited for.
const DEADLINE: Duration = Duration::from_secs(60);

/// A terminal of so many rows and columns: its own end, and the program's.
fn terminal(rows: u16, columns: u16) -> (File, File) {
    let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&own).unwrap();
    unlockpt(&own).unwrap();
    tcsetwinsize(&own, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&own, Vec::new()).unwrap();
    let path = Path::new(OsStr::from_bytes(name.as_bytes()));
    (File::from(own), OpenOptions::new().read(true).write(true).open(path).unwrap())
}

fn start(command: &mut Command, theirs: File) -> Child {
    let (out, err) = (theirs.try_clone().unwrap(), theirs.try_clone().unwrap());
    command.stdin(theirs).stdout(out).stderr(err).spawn().unwrap()
}

/// What a program shows on a terminal, as far as it is there before the program ends.
pub(crate) fn on_terminal(command: &mut Command, rows: u16, columns: u16) -> String {
    let (own, theirs) = terminal(rows, columns);
    let mut child = start(command, theirs);
    // A command that is kept holds its end of the terminal open, and so would no end ever be read.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let shown = thread::spawn(move || all_of(own));
    assert!(child.wait().unwrap().code().is_some());
    shown.join().unwrap()
}

fn all_of(mut terminal: File) -> String {
    let (mut shown, mut piece) = (Vec::new(), [0; 4096]);
    // When nobody has the other end any more, reading fails.
    while let Ok(length @ 1..) = terminal.read(&mut piece) {
        shown.extend_from_slice(&piece[..length]);
    }
    String::from_utf8(shown).unwrap().replace("\r\n", "\n")
}

fn callosum(state_dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
    command.args(args).env("CALLOSUM_STATE_DIR", state_dir).env("TZ", "UTC").env("TERM", "xterm");
    for name in shell_variables().chain(["PAGER", "CALLOSUM_PAGER", "NO_COLOR"]) {
        command.env_remove(name);
    }
    command
}

fn mails(count: usize) -> Vec<Value> {
    let mail = |number: usize| {
        let key = format!("email:ann{number}@example.com");
        record("intercept", "ann", &key, json!({ "expiresAt": ago(-3_000), "call": format!("c{number}") }))
    };
    let opened =
        json!({"v": 1, "action": "opened", "timestamp": ago(60), "instance": "gateway-1", "base": 0});
    [opened].into_iter().chain((0..count).map(mail)).collect()
}

#[test]
fn what_is_longer_than_the_screen_goes_to_the_pager_of_a_persons_choice() {
    let state = state_dir(&lines(&mails(30)));
    let paged = state.path().join("paged");
    let pager = format!("sh -c 'cat > \"{}\"'", paged.display());
    let look = |args: &[&str], rows: u16| {
        let _ = fs::remove_file(&paged);
        let shown = on_terminal(callosum(state.path(), args).env("CALLOSUM_PAGER", &pager), rows, 100);
        (shown, fs::read_to_string(&paged).ok())
    };
    let (shown, paged_text) = look(&["journal"], 10);
    assert_eq!(shown, "");
    let text = paged_text.unwrap();
    assert_eq!(text.lines().count(), 30, "{text}");
    let (_, coloured) = look(&["status"], 10);
    let is_coloured = coloured.as_ref().is_some_and(|text| text.contains('\u{1b}'));
    assert!(is_coloured, "colours stay: {coloured:?}");

    for (args, rows) in
        [(["journal", "--no-pager"], 10), (["journal", "-n5"], 10), (["journal", "--wide"], 40)]
    {
        let (shown, paged) = look(&args, rows);
        assert!(shown.contains("email:ann29@example.com") && paged.is_none(), "{args:?}: {shown}");
    }
    // Where colours are not wanted, a pager gets none; one that can't be run is no reason to show nothing.
    let mut plain = callosum(state.path(), &["status"]);
    let _ = on_terminal(plain.env("CALLOSUM_PAGER", &pager).env("NO_COLOR", "1"), 10, 100);
    assert!(!fs::read_to_string(&paged).unwrap().contains('\u{1b}'));
    let shown = on_terminal(callosum(state.path(), &["journal"]).env("PAGER", "/no/such/pager"), 10, 100);
    assert!(shown.contains("email:ann29@example.com"), "{shown}");

    // Nobody pages a pipe.
    fs::remove_file(&paged).unwrap();
    let piped = callosum(state.path(), &["journal"]).env("CALLOSUM_PAGER", &pager).output().unwrap();
    assert_eq!(String::from_utf8(piped.stdout).unwrap().lines().count(), 30);
    assert!(!paged.exists());
}

/// The lines of a program as they come.
fn lines_of(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    receiver
}

#[test]
fn a_watched_answer_comes_again_when_it_has_changed() {
    let state = state_dir(&lines(&mails(1)));
    let mut child =
        callosum(state.path(), &["leases", "--watch", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let answers = lines_of(&mut child);
    let held = || {
        let answer: Value = serde_json::from_str(&answers.recv_timeout(DEADLINE).unwrap()).unwrap();
        answer["locks"].as_array().unwrap().len()
    };
    assert_eq!(held(), 1);
    let mut journal = OpenOptions::new().append(true).open(state.path().join("journal.jsonl")).unwrap();
    journal.write_all(lines(&mails(2)).pop().unwrap().as_bytes()).unwrap();
    assert_eq!(held(), 2);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_watched_answer_stays_in_its_place_on_a_terminal() {
    let state = state_dir(&lines(&mails(30)));
    let (mut own, theirs) = terminal(12, 100);
    let mut command = callosum(state.path(), &["leases", "--watch"]);
    let mut child = start(&mut command, theirs);
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let (mut shown, mut piece) = (Vec::new(), [0; 4096]);
        while let Ok(length @ 1..) = own.read(&mut piece) {
            shown.extend_from_slice(&piece[..length]);
            let text = String::from_utf8_lossy(&shown).into_owned();
            if text.contains("more lines") && sender.send(text).is_err() {
                break;
            }
        }
    });
    let shown = receiver.recv_timeout(DEADLINE).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(shown.starts_with("\u{1b}[H\u{1b}[2J"), "{shown:?}");
    let screen = shown.split("\u{1b}[2J").nth(1).unwrap();
    assert_eq!(screen.lines().count(), 11, "{screen}");
}

/// What Bash completes a line with.
fn completed(state: &Path, line: &str) -> Vec<String> {
    let script = r#"
        source <("$PROGRAM" completions bash)
        COMP_LINE=$LINE COMP_POINT=${#LINE}
        _callosum_complete
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let output = Command::new("bash")
        .args(["--norc", "-c", script])
        .env("PROGRAM", env!("CARGO_BIN_EXE_callosum"))
        .env("LINE", line)
        .env("CALLOSUM_STATE_DIR", state)
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_shell_completes_commands_and_the_names_that_the_journal_has() {
    let state = state_dir(&lines(&[
        json!({"v": 1, "action": "opened", "timestamp": ago(60), "instance": "gateway-1", "base": 0}),
        record("intercept", "agent:main:ann", "email:ann@example.com", json!({})),
        record("intercept", "3858aa11-9c1e", "git-push:github.com/acme/app/main", json!({})),
        // What an agent may call a resource must not become a command.
        record("intercept", "$(touch pwned)", "email:$(touch pwned)", json!({})),
    ]));
    let of = |line: &str| completed(state.path(), line);
    assert_eq!(of("callosum sta"), ["status"]);
    // To Bash, a word begins behind each colon.
    assert_eq!(of("callosum why email:a"), ["ann@example.com"]);
    assert_eq!(of("callosum why git-push:github.com/ac"), ["github.com/acme/app/main"]);
    assert_eq!(of("callosum journal --session 38"), ["3858aa11-9c1e"]);
    assert_eq!(of("callosum journal --session agent:main:"), ["ann"]);
    assert_eq!(of("callosum leases release git"), ["git-push:github.com/acme/app/main"]);
    assert_eq!(of("callosum journal --action pau"), ["paused"]);
    // The newest first, and options behind them.
    let all = of("callosum why ");
    assert_eq!(all[..2], ["git-push:github.com/acme/app/main", "email:ann@example.com"]);
    assert!(all[2..].iter().all(|candidate| candidate.starts_with("--")), "{all:?}");
    let empty = tempfile::tempdir().unwrap();
    assert!(completed(empty.path(), "callosum why ema").is_empty());
    let elsewhere = format!("callosum --state-dir {} why email:", state.path().display());
    assert_eq!(completed(empty.path(), &elsewhere), ["ann@example.com"]);
}

/// Where fish is installed: it tells its completions without a terminal.
#[test]
fn fish_completes_the_same() {
    let state = state_dir(&lines(&[
        record("intercept", "agent:main:ann", "email:ann@example.com", json!({})),
        record("intercept", "bob", "email:(touch pwned)", json!({})),
    ]));
    let complete = |line: &str| {
        let script = r#"$PROGRAM completions fish | source; complete --do-complete "$LINE""#;
        let fish = Command::new("fish")
            .args(["--no-config", "--command", script])
            .env("PROGRAM", env!("CARGO_BIN_EXE_callosum"))
            .env("LINE", line)
            .env("CALLOSUM_STATE_DIR", state.path())
            .env("HOME", state.path())
            .output();
        Some(String::from_utf8(fish.ok()?.stdout).unwrap())
    };
    let Some(keys) = complete("callosum why ema") else {
        let text = b"no fish here: what it completes was not looked at\n";
        std::io::Write::write_all(&mut std::io::stderr(), text).unwrap();
        return;
    };
    assert_eq!(keys, "email:ann@example.com\n");
    assert_eq!(complete("callosum journal --session age").unwrap(), "agent:main:ann\n");
}

#[test]
fn every_shells_script_asks_this_program() {
    let state = tempfile::tempdir().unwrap();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = callosum(state.path(), &["completions", shell]).output().unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && script.contains("CALLOSUM_COMPLETE"), "{shell}: {script}");
        assert!(script.contains(env!("CARGO_BIN_EXE_callosum")), "{shell}: {script}");
    }
    // The variable means nothing to a hook.
    let hook = callosum(state.path(), &["hook", "claude-code"])
        .env("CALLOSUM_COMPLETE", "bash")
        .stdin(Stdio::null())
        .output();
    assert!(!String::from_utf8(hook.unwrap().stdout).unwrap().contains("complete"));
}
