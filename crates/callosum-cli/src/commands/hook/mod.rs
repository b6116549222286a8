//! `callosum hook`: what an agent runtime asks before and after each of its tool calls. One process an event.
//!
//! Whatever goes wrong, it exits with 0 and says what the runtime understands, or nothing: a runtime takes any other exit, or
//! a word it does not know, for what suits it. There is one exception: a refusal that can't be said on standard output is
//! said by exit code 2 and standard error, which all three take for one.

mod answer;
mod delivery;
mod input;
mod transcript;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use callosum_core::gate::{Answer, Gate, GateOptions, GivenUp, Unreadable, Untold};
use callosum_core::model::text::{one_line, short_name};
use callosum_core::model::time::Stamp;
use callosum_core::query::{OpenCall, RecentRequest, Source};
use callosum_core::record::outcome::Ended;
use callosum_core::store::settings_file::SettingsFile;
use callosum_runtimes::answer::Said;
use callosum_runtimes::event::{Event, Params};
use callosum_runtimes::openclaw::Tool;
use callosum_runtimes::runtime::Moment;
use callosum_runtimes::{Runtime, session_start};
use callosum_team::who::Actor;
use serde_json::Value;

use self::answer::say;
use self::delivery::Delivery;
use super::shared_context::{self, When};
use crate::args::{Args, Global, Hook};

/// The runtime's timeout for a hook whose command does not name it: an entry that an older version wrote.
const UNSAID: Duration = Duration::from_secs(5);
/// How long an answer may take once the event is there, and what is left to be written then.
const ANSWERING: Duration = Duration::from_millis(3_500);
const SETTLING: Duration = Duration::from_millis(4_500);
/// Deadlines, as a percentage of the runtime's timeout: for reading the event, for answering, and for waiting for others. The second value
/// is the least time to leave; the later of the two applies. A runtime that has to end a hook ignores its answer, and its timeout begins
/// before this process does.
const READING: (u32, Duration) = (60, Duration::from_secs(5));
const ANSWERING_UNTIL: (u32, Duration) = (70, Duration::from_secs(3));
const LIVING: (u32, Duration) = (75, Duration::from_secs(2));

/// The runtime of a hook whose words name none that is known.
const UNKNOWN: &str = "unknown";

/// How long the shared context is looked after at most, and so long for what goes on among sessions.
const BESIDES: Duration = Duration::from_millis(1_500);
/// Characters that stand around what a session is told, at most.
const FRAMES: usize = 500;

/// What this process may take, from its start.
struct Deadlines {
    began: Instant,
    given: Duration,
}

impl Deadlines {
    fn of(given: Duration) -> Self {
        Self { began: Instant::now(), given }
    }

    fn at(&self, (percent, left): (u32, Duration)) -> Instant {
        self.began + (self.given * percent / 100).max(self.given.saturating_sub(left))
    }

    /// The event is there: until then an answer must be.
    fn answer(&self) -> Instant {
        self.at(ANSWERING_UNTIL).min(Instant::now() + ANSWERING)
    }

    fn settle(&self) -> Instant {
        self.at(LIVING).min(Instant::now() + SETTLING)
    }
}

/// How long the runtime waits, as the hook's command says it.
fn given(said: Option<&str>) -> Result<Duration, String> {
    let Some(said) = said else { return Ok(UNSAID) };
    let seconds = said.parse::<u32>();
    let seconds =
        seconds.map_err(|error| format!("its hook's `--timeout {}`: {error}", one_line(said, 40)))?;
    Ok(Duration::from_secs(seconds.clamp(1, 3_600).into()))
}

/// Never fails: what a runtime can't be told, it is not told.
pub(crate) fn run(args: &Args, hook: &Hook) -> ExitCode {
    let runtime = hook.runtime;
    let given = given(hook.timeout.as_deref());
    let deadlines = Deadlines::of(*given.as_ref().unwrap_or(&UNSAID));
    let document = input::read(deadlines.at(READING));
    let (answer_by, settle_by) = (deadlines.answer(), deadlines.settle());
    let gate = Arc::new(Gate::new(options(&args.global, runtime.name())));
    let event = Event::read(runtime, hook.event.as_deref(), document, || nobody(&gate, runtime));
    let unreadable = |session: Option<&str>, tool: Option<&str>, why: &str| {
        gate.unreadable(&Unreadable { session, tool, why }, &gate.machine().now());
    };
    let code = match &event {
        Ok(event) => {
            let told = answer(&gate, event, answer_by);
            let (code, was_heard) = say(&told.said);
            // Never before it was told: what nobody heard comes again.
            if let Some((actor, ids)) = told.notices.filter(|_| was_heard) {
                delivery::noticed(&gate, &actor, &ids, &gate.machine().now());
            }
            // It was decided about, but who runs this machine has to know that not all is as it was.
            if let Some(why) = &event.oddity {
                unreadable(Some(&event.call.session), Some(&event.call.tool), why);
            }
            code
        }
        Err(unread) => {
            unreadable(unread.session.as_deref(), unread.tool.as_deref(), &unread.why);
            ExitCode::SUCCESS
        }
    };
    for why in hook.misuse.iter().chain(given.as_ref().err()) {
        unreadable(None, None, why);
    }
    // The runtime has its answer; what is left is to count, and to keep the index.
    gate.settle(settle_by, &gate.machine().now());
    // The process ends, and with it all that the gate holds.
    std::mem::forget(gate);
    code
}

/// A hook that names no runtime that is known: nobody knows how to refuse, and a runtime may take any exit but 0 for that. It leaves a
/// line that says `why`.
pub(crate) fn misused(global: &Global, why: &str) {
    let deadlines = Deadlines::of(UNSAID);
    let _ = input::read(deadlines.at(READING));
    let gate = Gate::new(options(global, UNKNOWN));
    gate.unreadable(&Unreadable { why, ..Unreadable::default() }, &gate.machine().now());
    gate.settle(deadlines.settle(), &gate.machine().now());
}

/// A hook goes on without what can't be used: of its settings, which `callosum status` names, and of its words, where the
/// gate then refuses the state directory.
fn options(global: &Global, runtime: &str) -> GateOptions {
    let options = super::shared_options(global).unwrap_or_else(|_| GateOptions {
        state_dir_variable: Some('\u{fffd}'.to_string()),
        ..GateOptions::default()
    });
    let SettingsFile { settings, problem } = SettingsFile::of(&options);
    let folder = options.home.join(format!(".{runtime}"));
    GateOptions {
        settings: Value::from(settings).to_string(),
        settings_problem: problem,
        runtime: runtime.to_owned(),
        runtime_state_dir: folder.to_string_lossy().into_owned(),
        host_name: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        is_hook: true,
        ..options
    }
}

/// The session of events that name none: the runtime's process. Its hooks are told apart from those of every other.
fn nobody(gate: &Gate, runtime: Runtime) -> String {
    let holder = gate.machine().holder();
    holder.map_or_else(
        || runtime.name().to_owned(),
        |of| format!("{} process {} of {}", runtime.name(), of.pid, of.start),
    )
}

/// What a hook has to say, and whom that tells of which messages.
struct Told {
    said: Said,
    notices: Option<(Actor, Vec<String>)>,
}

impl From<Said> for Told {
    fn from(said: Said) -> Self {
        Self { said, notices: None }
    }
}

/// The answer about an event. A panic is answered as whatever else can't be decided.
fn answer(gate: &Arc<Gate>, event: &Event, deadline: Instant) -> Told {
    caught(|| decided(gate, event, deadline), || answer_after_panic(gate, event))
}

/// What `decide` says; if it panics, what `answer_after_panic` says; nothing, if that does too.
fn caught(decide: impl FnOnce() -> Told, answer_after_panic: impl FnOnce() -> Said) -> Told {
    catch_unwind(AssertUnwindSafe(decide))
        .or_else(|_| catch_unwind(AssertUnwindSafe(|| answer_after_panic().into())))
        .unwrap_or_else(|_| Said::Nothing.into())
}

/// What is said about an event when the gate itself has failed.
fn answer_after_panic(gate: &Gate, event: &Event) -> Said {
    let now = gate.machine().now();
    match (&event.params, event.moment) {
        (Params::Whole(params), Moment::Before) => {
            said(event, gate.answer_after_panic(&event.call, params, &now))
        }
        (Params::Partly { params, .. }, Moment::Before) => {
            said(event, gate.answer_after_panic(&event.call, params, &now))
        }
        _ => Said::Nothing,
    }
}

fn decided(gate: &Arc<Gate>, event: &Event, deadline: Instant) -> Told {
    let now = gate.machine().now();
    if event.moment == Moment::Idle {
        close_untold(gate, event, &now);
    }
    if event.moment == Moment::Idle
        && let Some(reason) = delivered(gate, event, deadline, &now).text
    {
        // Its turn goes on.
        return Said::Context(event.runtime.continuation(&event.name, &reason)).into();
    }
    if let Some(presence) = event.presence() {
        gate.presence(&presence, &now);
    }
    let said = match event.moment {
        Moment::Before => {
            let answer = match &event.params {
                Params::Whole(params) => gate.before(&event.call, params, &now),
                Params::Partly { params, is_known, why } => {
                    gate.before_partly_read(&event.call, *is_known, params, why, &now)
                }
            };
            said(event, finish(gate, answer, deadline))
        }
        Moment::After | Moment::Failed => {
            let _ = finish(gate, gate.after(&event.report(transcript::tail), &now), deadline);
            attended(gate, event, When::Call, deadline, &now);
            let Delivery { text, notices } = delivered(gate, event, deadline, &now);
            return Told { said: context(event, text), notices };
        }
        Moment::Start => {
            let shared = attended(gate, event, When::Start, deadline, &now);
            let Delivery { text, notices } = delivered(gate, event, deadline, &now);
            let text = told(gate, &event.call.session, joined(shared, text), &now);
            return Told { said: context(event, text), notices };
        }
        Moment::Prompt => {
            let shared = attended(gate, event, When::Prompt, deadline, &now);
            let Delivery { text, notices } = delivered(gate, event, deadline, &now);
            return Told { said: context(event, joined(shared, text)), notices };
        }
        Moment::End
        | Moment::Idle
        | Moment::Waiting
        | Moment::Stuck
        | Moment::Compacting
        | Moment::Notice
        | Moment::Other
        | Moment::Unknown => Said::Nothing,
    };
    said.into()
}

/// A call that failed may have no after-hook; when its turn is over, it is. What a shell runs may go on.
fn close_untold(gate: &Gate, event: &Event, now: &Stamp) {
    if event.runtime.facts().tells_failures {
        return;
    }
    let session = short_name(&event.call.session);
    let is_untold = |call: &OpenCall| {
        let is_own = call.who.is_of(gate.instance()) && call.who.session == session;
        is_own && call.tool.as_deref() != Some(Tool::Exec.name())
    };
    for call in gate.open_calls(now).unwrap_or_default().into_iter().filter(is_untold) {
        let (id, runtime) = (call.call.as_deref(), call.runtime.as_deref());
        let untold = Untold { seq: call.seq, who: &call.who, call: id, runtime };
        gate.ended_unseen(untold, Ended::Maybe, now);
    }
}

/// Two texts, one behind the other, as far as they are there.
fn joined(one: Option<String>, other: Option<String>) -> Option<String> {
    let texts: Vec<String> = one.into_iter().chain(other).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// What the session is told of the others where sessions work together; in time, or not at all.
fn delivered(gate: &Arc<Gate>, event: &Event, deadline: Instant, now: &Stamp) -> Delivery {
    if !delivery::is_worth_a_look(gate, event) {
        return Delivery::default();
    }
    let (worker, told, now) = (Arc::clone(gate), delivery::Told::by(event), *now);
    in_time(deadline, move || delivery::of(&worker, told, &now)).unwrap_or_default()
}

/// What comes of `work`, if it does in time: a hook waits for nothing longer that is not its call's.
fn in_time<T: Send + 'static>(
    deadline: Instant,
    work: impl FnOnce() -> Option<T> + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || sender.send(work())).ok()?;
    let rest = deadline.saturating_duration_since(Instant::now()).min(BESIDES);
    receiver.recv_timeout(rest).ok().flatten()
}

/// A text for the model, if there is any.
fn context(event: &Event, text: Option<String>) -> Said {
    text.map_or(Said::Nothing, |text| Said::Context(event.runtime.context(&event.name, &text)))
}

/// What the session is told of the shared context, whose folders are looked after; in time, or not at all.
fn attended(gate: &Arc<Gate>, event: &Event, when: When, deadline: Instant, now: &Stamp) -> Option<String> {
    // Nothing is looked for where none is switched on, nor after a call that only reads.
    if !shared_context::is_worth_a_look(gate, when, &event.call.tool) {
        return None;
    }
    if when == When::Call && shared_context::has_changed_nothing(gate, &event.call.session, now) {
        return None;
    }
    let (worker, session, now) = (Arc::clone(gate), event.call.session.clone(), *now);
    let home = std::env::home_dir().unwrap_or_default();
    in_time(deadline, move || shared_context::attend(&worker, &session, when, &home, &now))
}

/// What is said of a call that is about to run.
fn said(event: &Event, answer: Answer) -> Said {
    match answer {
        Answer::Refuse(text) => Said::refusal(event.runtime, &event.name, text),
        Answer::Ask(text) => Said::question(event.runtime, &event.name, text),
        Answer::Warn(text) => Said::Warning(event.runtime.warning(&text)),
        Answer::Proceed | Answer::ProceedThenMaintain | Answer::Wait(_) => Said::Nothing,
    }
}

/// The final answer, in time: what can't be decided by then goes by `onStateError`.
fn finish(gate: &Arc<Gate>, answer: Answer, deadline: Instant) -> Answer {
    let Answer::Wait(ticket) = answer else { return answer };
    let (sender, receiver) = mpsc::channel();
    let worker = Arc::clone(gate);
    let work = move || sender.send(worker.finish(ticket, &worker.machine().now()));
    if thread::Builder::new().spawn(work).is_err() {
        // No thread is to be had: only a stalled disk takes longer than the deadline then.
        return gate.finish(ticket, &gate.machine().now());
    }
    match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => gate.abandon(ticket, GivenUp::Late, &gate.machine().now()),
        Err(RecvTimeoutError::Disconnected) => gate.abandon(ticket, GivenUp::Failed, &gate.machine().now()),
    }
}

/// What a session is told that begins, or goes on with less in its memory. `None` when there is nothing to tell.
fn told(gate: &Gate, session: &str, shared: Option<String>, now: &Stamp) -> Option<String> {
    let own = RecentRequest {
        session: Some(session.to_owned()),
        limit: session_start::ACTIONS,
        ..RecentRequest::default()
    };
    let others = RecentRequest { session: None, except_session: own.session.clone(), ..own.clone() };
    let lately = |wanted: &RecentRequest| {
        let recent = gate.tells_sessions().then(|| gate.recent(wanted, now).ok()).flatten();
        recent.map(|recent| recent.text).unwrap_or_default()
    };
    let facts = |chars| session_start::text(gate.setting_problems(), &lately(&others), &lately(&own), chars);
    let Some(shared) = shared else { return facts(session_start::CHARS) };
    // Both have a frame of their own, and settings that are wrong are told besides.
    let room = session_start::ALL_CHARS.saturating_sub(shared.chars().count() + FRAMES);
    let parts = if gate.setting_problems().is_empty() { 1 } else { 2 };
    let facts = facts((room / parts).min(session_start::CHARS));
    Some(facts.map_or_else(|| shared.clone(), |facts| format!("{facts}\n{shared}")))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
    use super::*;
    use callosum_runtimes::json::Reader;
    use callosum_runtimes::named;

    fn event(name: &str, command: &str) -> Event {
        let text = format!(
            r#"{{"session_id":"s","hook_event_name":"{name}","tool_name":"Bash","tool_input":{{"command":"{command}"}}}}"#
        );
        let mut reader = Reader::default();
        reader.feed(text.as_bytes());
        Event::read(named("claude-code").unwrap(), None, reader.finish(), || "nobody".to_owned()).unwrap()
    }

    #[test]
    fn a_panic_before_a_call_that_is_guarded_refuses_it_and_any_other_stops_nothing() {
        let mail = "gog gmail send --to alice@example.com --subject a --body b";
        for (name, command, is_refused) in
            [("PreToolUse", mail, true), ("PreToolUse", "ls", false), ("PostToolUse", mail, false)]
        {
            let directory = tempfile::tempdir().unwrap();
            let state_dir_variable = Some(directory.path().display().to_string());
            let gate = Gate::new(GateOptions { state_dir_variable, is_hook: true, ..GateOptions::default() });
            let event = event(name, command);
            let said = caught(|| panic!("while it decides"), || answer_after_panic(&gate, &event)).said;
            assert_eq!(matches!(said, Said::Refusal(..)), is_refused, "{name} {command}");
        }
        let nothing = caught(|| panic!("while it decides"), || panic!("while it refuses"));
        assert!(matches!(nothing.said, Said::Nothing));
    }

    #[test]
    fn an_event_may_come_as_late_as_leaves_time_to_answer() {
        let seconds = |given, of| {
            let deadlines = Deadlines::of(Duration::from_secs(given));
            deadlines.at(of).duration_since(deadlines.began).as_millis()
        };
        assert_eq!([READING, ANSWERING_UNTIL, LIVING].map(|of| seconds(20, of)), [15_000, 17_000, 18_000]);
        assert_eq!([READING, ANSWERING_UNTIL, LIVING].map(|of| seconds(5, of)), [3_000, 3_500, 3_750]);
    }
}
