//! `callosum inject`: types one fixed line into the terminal of an idle session, if it runs in tmux and nothing speaks against it.

use std::io::Write;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use callosum_core::query::{Activity, Filter, Session, Source};
use callosum_core::record::Action;
use callosum_runtimes::named;
use callosum_team::error::{Code, Refusal};
use callosum_team::inject::{LINE, is_prompt_empty};
use callosum_team::message::{Intent, Message};
use callosum_team::switch;
use callosum_team::team::Sessions;
use callosum_team::who::{Actor, Who};
use serde_json::{Value, json};

use crate::args::Args;
use crate::output::{json, name};

use super::{Answer, Writer, only_a_person};

/// What is written down of it.
const TOPIC: &str = "session.injected";
/// So long after the last time, a session gets no second line, milliseconds.
const AGAIN_MS: i64 = 10 * 60 * 1_000;
const MAX_EVENTS: usize = 1_000;
/// Nobody may have pressed a key for so long, seconds, and two looks this far apart must show the same.
const QUIET_SECONDS: i64 = 5;
const SETTLING: Duration = Duration::from_millis(1_500);
/// What was pasted is on the screen by then.
const SHOWING: Duration = Duration::from_millis(500);
const BUFFER: &str = "callosum";

pub(super) fn inject(args: &Args, to: &str, out: &mut dyn Write) -> Answer {
    let writer = Writer::new(args)?;
    only_a_person(&writer.actor, "has something typed into a terminal")?;
    writer.team().check_on(false)?;
    if !switch::wanted(writer.gate.state_dir()).is_some_and(|wanted| wanted.live_injection) {
        let remedy = "a person allows it with `callosum team on --live-injection`";
        return Err(Refusal::new(Code::Policy, "nothing is typed into terminals here", remedy).into());
    }
    let target = Target::find(&writer, to)?;
    target.check(&writer)?;
    let pane = Pane::of(&target.tty)?;
    let before = pane.look(target.hints)?;
    thread::sleep(SETTLING);
    target.check(&writer)?;
    if pane.look(target.hints)? != before {
        return Err(not_now("what its terminal shows is changing").into());
    }
    // Before anything is typed: what was not written down is not done.
    let mut record = writer.actor.record(Action::Event, &writer.gate.machine().now());
    record.topic = Some(TOPIC.to_owned());
    record.document = Some(json!({ "session": target.who.address() }));
    writer.team().publish(&record)?;
    pane.paste()?;
    thread::sleep(SHOWING);
    // Enter would answer whatever came up meanwhile.
    let screen = pane.screen()?;
    if !screen.contains("[Callosum]") || target.activity(&writer)? != Activity::Idle {
        let why = "the line was typed, but no Enter: it does not stand in the prompt alone, or the session does something";
        return Err(not_now(why).into());
    }
    pane.enter()?;
    if args.global.json {
        json(out, &json!({ "injected": { "session": target.who.address(), "pane": pane.id } }))?;
    } else {
        writeln!(out, "Typed into the terminal of {}.", name(&target.who.address()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn not_now(why: &str) -> Refusal {
    Refusal::new(Code::Blocked, why, "send it a message: it is told of that with its next prompt")
}

/// The session that is meant.
struct Target {
    who: Who,
    tty: String,
    hints: &'static [&'static str],
}

impl Target {
    fn find(writer: &Writer, to: &str) -> Result<Self, Refusal> {
        let sessions = Sessions::read(&writer.gate, &writer.now)?;
        let addressed = writer.names.address(to, &sessions)?.sessions;
        let [(instance, session)] = addressed.as_slice() else {
            let message = format!("`{}` is not one session", name(to));
            return Err(Refusal::new(Code::Ambiguous, message, "name one that `callosum sessions` lists"));
        };
        let who = Who { instance: instance.clone(), session: session.clone(), ..Who::default() };
        let found = sessions.alive().find(|one| is_it(one, &who));
        let tty =
            found.and_then(|session| session.tty.clone()).ok_or_else(|| not_now("it has no terminal"))?;
        let runtime = found.and_then(|session| named(session.runtime.as_deref()?));
        Ok(Self { who, tty, hints: runtime.map_or(&[], |runtime| runtime.facts().prompt_hints) })
    }

    fn activity(&self, writer: &Writer) -> Result<Activity, Refusal> {
        let sessions = Sessions::read(&writer.gate, &writer.gate.machine().now())?;
        Ok(sessions.alive().find(|one| is_it(one, &self.who)).map_or(Activity::Ended, |one| one.activity))
    }

    /// Whether the journal says that it may be.
    fn check(&self, writer: &Writer) -> Result<(), Refusal> {
        let activity = self.activity(writer)?;
        if activity != Activity::Idle {
            return Err(not_now(&format!("the session is not idle but {}", activity.name())));
        }
        let actor = Actor { who: self.who.clone(), ..Actor::default() };
        let is_request = |message: &Message| message.intent == Intent::Request && message.role.is_none();
        let waits = writer.team().on_mail(|mail| Ok(mail.waiting_for(&actor).iter().any(is_request)))?;
        if !waits {
            let message = "no unread request waits for that session";
            let remedy = "send one first: `callosum send SESSION TEXT --intent request`";
            return Err(Refusal::new(Code::Policy, message, remedy));
        }
        let now = writer.gate.machine().now();
        let filter = Filter {
            action: Some("event".to_owned()),
            since: Some(Value::from(now.wall_ms.saturating_sub(AGAIN_MS))),
            limit: MAX_EVENTS,
            ..Filter::default()
        };
        let lately = writer.gate.journal(&filter, &now)?.entries;
        let is_one = |entry: &Value| {
            let text = |pointer: &str| entry.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            text("/topic") == TOPIC && text("/document/session") == self.who.address()
        };
        if lately.iter().any(is_one) {
            let message = "that session got a line less than 10 minutes ago";
            return Err(Refusal::new(Code::Limit, message, "wait until it has read its messages"));
        }
        Ok(())
    }
}

fn is_it(session: &Session, who: &Who) -> bool {
    session.machine.is_none() && session.instance == who.instance && session.session == who.session
}

/// A pane of tmux.
struct Pane {
    id: String,
    window: String,
}

impl Pane {
    /// The one that is this terminal.
    fn of(tty: &str) -> Result<Self, Refusal> {
        let panes = tmux(&["list-panes", "-a", "-F", "#{pane_tty} #{pane_id} #{session_id}"], None)?;
        let found = panes.lines().find_map(|line| {
            let mut words = line.split(' ');
            let is_it = words.next() == Some(tty);
            is_it.then(|| Some(Self { id: words.next()?.to_owned(), window: words.next()?.to_owned() }))?
        });
        found.ok_or_else(|| not_now("its terminal is no pane of tmux here"))
    }

    fn screen(&self) -> Result<String, Refusal> {
        tmux(&["capture-pane", "-p", "-e", "-t", &self.id], None)
    }

    /// The screen, if nobody types there and its prompt is empty.
    fn look(&self, hints: &[&str]) -> Result<String, Refusal> {
        if tmux(&["display-message", "-p", "-t", &self.id, "#{pane_in_mode}"], None)?.trim() != "0" {
            return Err(not_now("somebody scrolls in its terminal"));
        }
        let clients = tmux(&["list-clients", "-t", &self.window, "-F", "#{client_activity}"], None)?;
        let now = callosum_core::machine::Machine::read().now().wall_ms / 1_000;
        let is_recent =
            |line: &str| line.trim().parse::<i64>().is_ok_and(|at| now.saturating_sub(at) < QUIET_SECONDS);
        if clients.lines().any(is_recent) {
            return Err(not_now("somebody has just pressed a key there"));
        }
        let screen = self.screen()?;
        if !is_prompt_empty(&screen, hints) {
            return Err(not_now("its prompt is not empty, or can't be told from the rest of the screen"));
        }
        Ok(screen)
    }

    fn paste(&self) -> Result<(), Refusal> {
        tmux(&["load-buffer", "-b", BUFFER, "-"], Some(LINE))?;
        tmux(&["paste-buffer", "-d", "-p", "-b", BUFFER, "-t", &self.id], None).map(drop)
    }

    fn enter(&self) -> Result<(), Refusal> {
        tmux(&["send-keys", "-t", &self.id, "Enter"], None).map(drop)
    }
}

/// What tmux answers.
fn tmux(words: &[&str], input: Option<&str>) -> Result<String, Refusal> {
    let failed = |why: String| {
        Refusal::new(
            Code::Blocked,
            format!("tmux can't be asked: {}", name(&why)),
            "check that tmux runs here",
        )
    };
    let mut command = Command::new("tmux");
    command.args(words).stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    if let (Some(mut pipe), Some(input)) = (child.stdin.take(), input) {
        pipe.write_all(input.as_bytes()).map_err(|error| failed(error.to_string()))?;
    }
    let answer = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
    if !answer.status.success() {
        return Err(failed(String::from_utf8_lossy(&answer.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&answer.stdout).into_owned())
}
