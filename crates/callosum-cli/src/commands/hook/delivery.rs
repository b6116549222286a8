//! What a hook tells its session of the others, where sessions work together: in Callosum's own words alone.

use callosum_core::gate::Gate;
use callosum_core::model::time::{Stamp, from_rfc3339};
use callosum_core::query::{Filter, Session, Source};
use callosum_runtimes::Runtime;
use callosum_runtimes::event::Event;
use callosum_runtimes::openclaw::Tool;
use callosum_runtimes::runtime::Moment;
use callosum_team::delivery::{self, Known};
use callosum_team::message::{Intent, Message};
use callosum_team::names::Names;
use callosum_team::route::Routes;
use callosum_team::switch::{self, Wanted};
use callosum_team::team::{self, AT_WORK_MS, Sessions, Team};
use callosum_team::who::{Actor, Who};
use serde_json::Value;

/// So long after a session wrote a file, another one that writes it is told, milliseconds.
const FILE_NOTE_MS: i64 = 15 * 60 * 1_000;
/// Writes that are looked at, and events.
const MAX_WRITES: usize = 200;
const MAX_EVENTS: usize = 200;
/// How far back discoveries are counted, milliseconds.
const DISCOVERED_MS: i64 = 24 * 3_600_000;
/// What keys of files begin with.
const FILE_KEY: &str = "file:";
const DISCOVERY: &str = "calc.discovery";

/// What a session is told, and which messages it knows of then.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    /// The text.
    pub(super) text: Option<String>,
    /// Whom that tells of which messages, once it was told.
    pub(super) notices: Option<(Actor, Vec<String>)>,
}

/// Whether there may be anything to tell at this event: one look at the disk. A subagent gets no mail.
pub(super) fn is_worth_a_look(gate: &Gate, event: &Event) -> bool {
    let is_one = match event.moment {
        Moment::Start | Moment::Prompt | Moment::After | Moment::Failed | Moment::Idle => true,
        Moment::Before
        | Moment::End
        | Moment::Waiting
        | Moment::Stuck
        | Moment::Compacting
        | Moment::Notice
        | Moment::Other
        | Moment::Unknown => false,
    };
    is_one && !event.is_of_subagent && switch::is_on(gate.state_dir())
}

/// What there is to tell at this event. Whatever fails is left out: a hook has other things to say.
pub(super) fn of(gate: &Gate, told: Told, now: &Stamp) -> Option<Delivery> {
    let actor = actor(gate, &told);
    let moment = told.moment;
    let at = At { gate, event: told, actor, now: *now };
    match moment {
        Moment::Start | Moment::Prompt => at.prompt(),
        Moment::Idle => at.idle(),
        _ => at.call(),
    }
}

/// What has to be known of an event.
pub(super) struct Told {
    runtime: Runtime,
    moment: Moment,
    session: String,
    agent: Option<String>,
    tool: String,
    call: Option<String>,
    has_continued: bool,
}

impl Told {
    pub(super) fn by(event: &Event) -> Self {
        let call = &event.call;
        Self {
            runtime: event.runtime,
            moment: event.moment,
            session: call.session.clone(),
            agent: call.agent.clone(),
            tool: call.tool.clone(),
            call: call.call.clone(),
            has_continued: event.has_continued,
        }
    }
}

/// Says that a session was told of these messages.
pub(super) fn noticed(gate: &Gate, actor: &Actor, ids: &[String], now: &Stamp) {
    let team = Team { gate, actor, now: *now };
    // What can't be written is told once more.
    let _ = team.on_mail(|mail| {
        mail.noticed(ids, actor);
        Ok(())
    });
}

/// The session that the event is of.
fn actor(gate: &Gate, event: &Told) -> Actor {
    let mut actor = Actor::session_at(gate, event.runtime.name(), event.agent.as_deref(), &event.session);
    // Where the routes can't be used, nobody has a role; all else is told.
    Names::of(&Routes::read(gate.state_dir()).unwrap_or_default()).name(&mut actor);
    actor
}

/// A session at an event of it.
struct At<'a> {
    gate: &'a Gate,
    event: Told,
    actor: Actor,
    now: Stamp,
}

impl At<'_> {
    fn team(&self) -> Team<'_> {
        Team { gate: self.gate, actor: &self.actor, now: self.now }
    }

    fn is_own(&self, session: &Session) -> bool {
        session.instance == self.actor.who.instance && session.session == self.actor.who.session
    }

    /// Mail to a role goes to who sits at a terminal.
    fn takes(&self, message: &Message) -> bool {
        message.role.is_none() || self.gate.machine().terminal().is_some()
    }

    /// Takes these messages out to be told, and gives the text and what it tells of.
    fn told(self, text: Option<String>, notices: Vec<Message>) -> Delivery {
        let ids: Vec<String> = notices.into_iter().map(|message| message.id).collect();
        Delivery { text, notices: (!ids.is_empty()).then_some((self.actor, ids)) }
    }

    fn prompt(self) -> Option<Delivery> {
        let (gate, now) = (self.gate, &self.now);
        let sessions = Sessions::within(gate, AT_WORK_MS, now).ok()?;
        if self.event.moment == Moment::Start {
            self.team().inherit(&sessions).ok()?;
        }
        let tasks = team::tasks_in_brief(gate, &sessions, gate.machine(), now).ok()?;
        let (unread, notices) = self
            .team()
            .on_mail(|mail| {
                let mut unread = mail.waiting_for(&self.actor);
                unread.retain(|message| self.takes(message));
                Ok((unread, mail.notice(&self.actor, |message| self.takes(message))))
            })
            .ok()?;
        let discoveries = self.discoveries();
        let own = sessions.alive().find(|session| self.is_own(session));
        let known = Known {
            actor: &self.actor,
            project: own.and_then(|own| own.project.as_deref()),
            sessions: &sessions,
            tasks: &tasks,
            unread: &unread,
            discoveries: &discoveries,
        };
        let text = delivery::at_prompt(&known);
        Some(self.told(text, notices))
    }

    /// A turn that ends goes on where that is wanted, a request waits, somebody sits there, and it did not go on already.
    fn idle(self) -> Option<Delivery> {
        let has_terminal = self.gate.machine().terminal().is_some();
        if !may_go_on(switch::wanted(self.gate.state_dir()).as_ref(), self.event.has_continued, has_terminal)
        {
            return None;
        }
        let is_request = |message: &Message| message.intent == Intent::Request && message.role.is_none();
        let waits = self.team().on_mail(|mail| Ok(mail.waiting_for(&self.actor).iter().any(is_request)));
        waits
            .is_ok_and(|waits| waits)
            .then(|| Delivery { text: Some(delivery::CONTINUE.to_owned()), notices: None })
    }

    /// In the middle of a turn: what should not wait, and that another session wrote the same file.
    fn call(self) -> Option<Delivery> {
        let note = self.file_note();
        let is_urgent = |message: &Message| message.urgent && self.takes(message);
        let standing = self.gate.standing(&callosum_core::record::Action::Message, &self.now).ok()?;
        let has_any = standing.all().next().is_some();
        // The guard is taken only where there is something to write.
        let urgent = if has_any {
            self.team().on_mail(|mail| Ok(mail.notice(&self.actor, is_urgent))).unwrap_or_default()
        } else {
            Vec::new()
        };
        let texts: Vec<String> = note.into_iter().chain(delivery::in_turn(&urgent)).collect();
        let text = (!texts.is_empty()).then(|| texts.join("\n"));
        Some(self.told(text, urgent))
    }

    /// The newest discoveries that others told of, by the numbers of their records.
    fn discoveries(&self) -> Vec<u64> {
        let filter = Filter {
            action: Some("event".to_owned()),
            since: Some(Value::from(self.now.wall_ms.saturating_sub(DISCOVERED_MS))),
            limit: MAX_EVENTS,
            budget: true,
            ..Filter::default()
        };
        let own = &self.actor.who;
        let is_one = |entry: &&Value| {
            let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
            let is_own = text("instance") == own.instance && text("session") == own.session;
            text("topic") == DISCOVERY && !is_own
        };
        let entries = self.gate.journal(&filter, &self.now).map(|page| page.entries).unwrap_or_default();
        entries.iter().rev().filter(is_one).filter_map(|entry| entry.get("seq")?.as_u64()).collect()
    }

    /// Tells a session that it has just written what another live session wrote last, and tells that one.
    fn file_note(&self) -> Option<String> {
        let writes = [Tool::Write, Tool::Edit, Tool::ApplyPatch];
        if !writes.iter().any(|tool| tool.name() == self.event.tool) {
            return None;
        }
        let writes = self.writes()?;
        let who = &self.actor.who;
        let mine = writes
            .iter()
            .rev()
            .find(|write| write.is_by(who) && (self.event.call.is_none() || write.call == self.event.call))?;
        mine.keys.iter().find_map(|key| self.note_on(key, mine, &writes))
    }

    fn note_on(&self, key: &String, mine: &Write, writes: &[Write]) -> Option<String> {
        // The one before it: of several of its own in a row only the first is told.
        let before = writes.iter().rev().find(|write| write.seq < mine.seq && write.keys.contains(key))?;
        if before.is_by(&self.actor.who) {
            return None;
        }
        let sessions = Sessions::within(self.gate, AT_WORK_MS, &self.now).ok()?;
        let other = sessions
            .alive()
            .find(|session| session.instance == before.instance && session.session == before.session)?;
        let to = Who { instance: other.instance.clone(), session: other.session.clone(), ..Who::default() };
        // What can't be told to the other one, this one is told all the same.
        let _ = self.team().notify(&to, &delivery::was_written(&self.actor, key));
        let seconds = u64::try_from(mine.wall_ms.saturating_sub(before.wall_ms) / 1_000).unwrap_or(0);
        Some(delivery::wrote_too(other, seconds))
    }

    /// The calls that wrote files lately, the newest last.
    fn writes(&self) -> Option<Vec<Write>> {
        let filter = Filter {
            action: Some("intercept".to_owned()),
            text: Some(FILE_KEY.to_owned()),
            since: Some(Value::from(self.now.wall_ms.saturating_sub(FILE_NOTE_MS))),
            limit: MAX_WRITES,
            budget: true,
            ..Filter::default()
        };
        let entries = self.gate.journal(&filter, &self.now).ok()?.entries;
        Some(entries.iter().filter_map(Write::read).collect())
    }
}

/// Whether a turn that ends may go on: where that is wanted, once, and never without a terminal.
fn may_go_on(wanted: Option<&Wanted>, has_continued: bool, has_terminal: bool) -> bool {
    wanted.is_some_and(|wanted| wanted.continue_on_request) && !has_continued && has_terminal
}

/// A call that wrote files.
struct Write {
    seq: u64,
    wall_ms: i64,
    instance: String,
    session: String,
    call: Option<String>,
    keys: Vec<String>,
}

impl Write {
    fn read(entry: &Value) -> Option<Self> {
        let text = |field: &str| entry.get(field).and_then(Value::as_str);
        let keys = entry.get("contextKeys")?.as_array()?.iter().filter_map(Value::as_str);
        let keys: Vec<String> = keys.filter(|key| key.starts_with(FILE_KEY)).map(str::to_owned).collect();
        // Another machine's files are others.
        let is_here = text("machine").is_none() && !keys.is_empty();
        is_here.then_some(Self {
            seq: entry.get("seq")?.as_u64()?,
            wall_ms: from_rfc3339(text("timestamp")?)?,
            instance: text("instance")?.to_owned(),
            session: text("session")?.to_owned(),
            call: text("call").map(str::to_owned),
            keys,
        })
    }

    fn is_by(&self, who: &Who) -> bool {
        self.instance == who.instance && self.session == who.session
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_goes_on_only_where_that_is_wanted_once_and_at_a_terminal() {
        let (unsaid, wanted) = (Wanted::default(), Wanted { continue_on_request: true, ..Wanted::default() });
        let wanted = Some(&wanted);
        assert!(may_go_on(wanted, false, true));
        for (wanted, has_continued, has_terminal) in
            [(None, false, true), (Some(&unsaid), false, true), (wanted, true, true), (wanted, false, false)]
        {
            assert!(!may_go_on(wanted, has_continued, has_terminal), "{wanted:?}");
        }
    }
}
