//! Tickets: what is left for a thread that may wait, and what happens when the host can't wait for it.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use crate::decision::pause_text;
use crate::decision::plan::HostState;
use crate::model::error::StateError;
use crate::model::hashed::HashMap;
use crate::model::settings::Mode;
use crate::model::settings::OnStateError;
use crate::model::time::Stamp;
use crate::model::tool_call::{AllParameters, Parameters, ToolCall};
use crate::rules::Classification;
use crate::store::journal::Patience;

use super::intent::Intent;
use super::late::{Delivery, Target};
use super::open_calls::Unflushed;
use super::report::EndReport;
use super::writer::{Order, Writer};
use super::{Answer, Gate, lock};

/// A step for a worker.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// Decide about a call that came before the rules were there.
    Classify { call: Arc<ToolCall>, params: Arc<AllParameters<'static>> },
    /// Decide about a call.
    Begin(Arc<Intent>),
    /// Make an allowed call's intent durable; then it may run.
    FlushIntent { intent: Arc<Intent>, seq: u64, unflushed: Unflushed },
    /// Write a call's outcome.
    End { target: Target, report: Box<EndReport> },
    /// Make an outcome durable.
    FlushOutcome(Unflushed),
    /// Write what waits, and make it durable.
    WriteWaiting,
    /// Write that pauses were delivered.
    Deliver(Delivery),
}

/// Why a call that the host has given up is refused.
pub(super) const TOO_LATE: &str = "the verdict came too late";

#[derive(Debug)]
struct Entry {
    work: Option<Work>,
    course: Arc<Course>,
    done: Option<Answer>,
    /// The writer is at it.
    at_writer: bool,
    /// The host wants it no more; the writer forgets it.
    forgotten: bool,
}

/// What the host that waits for a call and whoever is at it tell each other.
#[derive(Debug, Default)]
pub(super) struct Course {
    /// What the host was told when it gave the call up. Whoever writes what became of such a call goes by this: what ran must
    /// not stand there as refused, nor what was refused as begun.
    told: OnceLock<Answer>,
    /// What the host is told if it gives the call up while its refusal is being written.
    promised: Mutex<Option<String>>,
    /// The call, until somebody has closed it.
    intent: Mutex<Option<Arc<Intent>>>,
    /// The sequence number of its start, once that is written and noted, and its host had not given it up.
    started: Mutex<Option<u64>>,
}

impl Course {
    fn of(work: &Work) -> Self {
        let (intent, started) = match work {
            Work::Begin(intent) => (Some(intent), None),
            Work::FlushIntent { intent, seq, .. } => (Some(intent), Some(*seq)),
            _ => (None, None),
        };
        Self {
            told: OnceLock::new(),
            promised: Mutex::new(None),
            intent: Mutex::new(intent.map(Arc::clone)),
            started: Mutex::new(started),
        }
    }

    /// Whether nobody waits for the call any longer.
    pub(super) fn is_given_up(&self) -> bool {
        self.told.get().is_some()
    }

    /// Where the host is with the call; `observe`: it runs whatever is decided.
    pub(super) fn host_state(&self, observe: bool) -> HostState<'_> {
        match self.told.get() {
            Some(Answer::Refuse(text)) => HostState::Refused(text),
            None if !observe => HostState::Waits,
            _ => HostState::Runs,
        }
    }

    /// The text with which a host that has given the call up refused it; `None` when it waits, or let the call run.
    pub(super) fn refused(&self) -> Option<&str> {
        if let HostState::Refused(text) = self.host_state(false) { Some(text) } else { None }
    }

    /// Promises the host this text, if it still waits.
    pub(super) fn promise(&self, text: &str) -> Promise {
        let mut promised = lock(&self.promised);
        match self.told.get() {
            None => {
                *promised = Some(text.to_owned());
                Promise::Made
            }
            Some(Answer::Refuse(text)) => Promise::Refused(text.clone()),
            Some(_) => Promise::Runs,
        }
    }

    /// What was promised is not written after all.
    pub(super) fn withdraw(&self) {
        *lock(&self.promised) = None;
    }

    /// What the host that gives the call up is told: what was promised, else what `otherwise` says.
    pub(super) fn give_up(&self, otherwise: impl FnOnce() -> Answer) -> &Answer {
        let promised = lock(&self.promised);
        self.told.get_or_init(|| promised.clone().map_or_else(otherwise, Answer::Refuse))
    }

    /// The call's start stands in the journal, and its host had not given it up then.
    pub(super) fn begun(&self, seq: u64) {
        *lock(&self.started) = Some(seq);
    }

    /// It is known better now what is asked for.
    pub(super) fn is_about(&self, intent: &Arc<Intent>) {
        if let Some(known) = lock(&self.intent).as_mut() {
            *known = Arc::clone(intent);
        }
    }
}

/// What becomes of a text that a host is promised.
pub(super) enum Promise {
    /// It is told that, even if it gives the call up now.
    Made,
    /// It has refused the call with this text.
    Refused(String),
    /// It has let the call run.
    Runs,
}

/// What a worker finds under its ticket.
enum Taken {
    Work(Work, Arc<Course>),
    /// There is nothing left to do.
    Answered(Answer),
    /// The writer did not put it down in time.
    TooLate,
}

#[derive(Debug, Default)]
pub(super) struct Works {
    next: u32,
    entries: HashMap<u32, Entry>,
}

/// Why nobody waits for a ticket any longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenUp {
    /// The host's time is up.
    Late,
    /// The worker failed inside.
    Failed,
}

impl GivenUp {
    /// Both for a sentence.
    pub(super) fn cause_and_remedy(self) -> (&'static str, &'static str) {
        match self {
            Self::Late => (
                "the shared state did not answer in time",
                "look for a stopped process that holds the state guard, or a stuck disk",
            ),
            Self::Failed => ("the gate failed internally", "report this as a bug, with the host's log"),
        }
    }
}

impl Gate {
    /// Leaves `work` for a worker.
    pub(super) fn later(&self, work: Work) -> Answer {
        Answer::Wait(self.ticket_for(work))
    }

    fn ticket_for(&self, work: Work) -> u32 {
        let mut works = lock(&self.works);
        works.next = works.next.wrapping_add(1);
        let ticket = works.next;
        let course = Arc::new(Course::of(&work));
        let (at_writer, forgotten) = (false, false);
        let entry = Entry { work: Some(work), course, done: None, at_writer, forgotten };
        works.entries.insert(ticket, entry);
        ticket
    }

    /// Hands a call to the writer, and waits for what it says a few milliseconds. What takes longer is a worker's.
    pub(super) fn hand_over(&self, writer: &Writer, intent: Arc<Intent>) -> Answer {
        let ticket = self.ticket_for(Work::Begin(intent));
        if !writer.wait_in_hook(writer.order(Order::Decide(ticket))) {
            return Answer::Wait(ticket);
        }
        let mut works = lock(&self.works);
        match works.entries.get(&ticket) {
            Some(Entry { at_writer: false, done: Some(done), .. }) => {
                let done = done.clone();
                works.entries.remove(&ticket);
                done
            }
            _ => Answer::Wait(ticket),
        }
    }

    /// Leaves a call that can't be classified here to a worker: it came before the rules could be loaded, or files have to be read
    /// for its keys. Should the host not wait for that, `meanwhile` says how much there is at stake.
    pub(super) fn classify_later(
        &self,
        call: &ToolCall,
        params: &dyn Parameters,
        meanwhile: Classification,
    ) -> Answer {
        let all = params.all();
        let params = AllParameters { value: Cow::Owned(all.value.into_owned()), complete: all.complete };
        let intent = Arc::new(self.intent(call, meanwhile, &params));
        let work = Work::Classify { call: Arc::new(call.clone()), params: Arc::new(params) };
        let ticket = self.ticket_for(work);
        if let Some(entry) = lock(&self.works).entries.get(&ticket) {
            *lock(&entry.course.intent) = Some(intent);
        }
        Answer::Wait(ticket)
    }

    /// What a ticket stands for, done by the writer as far as that is quick; whoever finishes the ticket does the rest.
    pub(super) fn decide_ahead(&self, ticket: u32, now: &Stamp) {
        let taken = lock(&self.works).entries.get_mut(&ticket).and_then(|entry| {
            let work = entry.work.take()?;
            entry.at_writer = true;
            Some((work, Arc::clone(&entry.course)))
        });
        let Some((work, course)) = taken else { return };
        let answer = self.perform(work, Patience::Brief, &course, now);
        self.put_down(ticket, answer, now);
    }

    /// The gate failed inside while the writer was at a ticket: the state's policy decides.
    pub(super) fn broke_at(&self, ticket: u32) {
        let now = self.machine().now();
        let answer = self.abandon(ticket, GivenUp::Failed, &now);
        self.put_down(ticket, answer, &now);
    }

    fn put_down(&self, ticket: u32, answer: Answer, now: &Stamp) {
        let given_up = {
            let mut works = lock(&self.works);
            let next = if let Answer::Wait(next) = &answer { works.entries.remove(next) } else { None };
            let Some(entry) = works.entries.get_mut(&ticket) else { return };
            let given_up = entry.course.is_given_up();
            if let Some(next) = next.filter(|_| !given_up) {
                entry.work = next.work;
            }
            given_up
        };
        // Who gave a call up does not come for what is left of it: it is as good as let through, and closed.
        let answer = match answer {
            Answer::Wait(_) if given_up => Some(Answer::Proceed),
            Answer::Wait(_) => None,
            answer => Some(answer),
        };
        if let Some(answer) = answer {
            self.conclude(ticket, answer, now);
        }
        let mut works = lock(&self.works);
        if let Some(entry) = works.entries.get_mut(&ticket) {
            entry.at_writer = false;
            if entry.forgotten {
                works.entries.remove(&ticket);
            }
        }
        drop(works);
        self.put_down.notify_all();
    }

    /// Takes what a ticket stands for, when the writer has put it down.
    fn take(&self, ticket: u32, patience: Patience) -> Taken {
        let mut works = lock(&self.works);
        loop {
            let Some(entry) = works.entries.get_mut(&ticket) else {
                return Taken::Answered(self.of_unknown_ticket());
            };
            if !entry.at_writer {
                let course = Arc::clone(&entry.course);
                return match entry.work.take() {
                    Some(work) => Taken::Work(work, course),
                    None => {
                        let known = entry.done.clone().or_else(|| course.told.get().cloned());
                        Taken::Answered(
                            known.unwrap_or_else(|| self.without_answer(&course, GivenUp::Failed)),
                        )
                    }
                };
            }
            let Patience::Until(deadline) = patience else { return Taken::TooLate };
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Taken::TooLate;
            }
            works = self.put_down.wait_timeout(works, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Does what `ticket` stands for, within [`super::WORKER_DEADLINE`] (a flush may take as long as the disk
    /// does). Call it on a thread that may wait, once, then [`Gate::forget`] the ticket.
    pub fn finish(&self, ticket: u32, now: &Stamp) -> Answer {
        let (patience, began) = (self.patience(), Instant::now());
        let (mut work, course) = match self.take(ticket, patience) {
            Taken::Work(work, course) => (work, course),
            Taken::Answered(answer) => return answer,
            Taken::TooLate => {
                let waited_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                let path = self.directory.path.clone();
                lock(&self.health).failed(&StateError::GuardTimeout { path, waited_ms }, now);
                lock(&self.light).unwritten += 1;
                return self.abandon(ticket, GivenUp::Late, now);
            }
        };
        let answer = loop {
            let answer = self.perform(work, patience, &course, now);
            let Answer::Wait(next) = answer else { break answer };
            // One step led to the next (decided, now flush): go on under the first ticket.
            match lock(&self.works).entries.remove(&next).and_then(|next| next.work) {
                Some(next) => work = next,
                None => break self.without_answer(&course, GivenUp::Failed),
            }
        };
        self.conclude(ticket, answer, now)
    }

    fn perform(&self, work: Work, patience: Patience, course: &Course, now: &Stamp) -> Answer {
        match work {
            Work::Classify { call, params } => self.classified(&call, &*params, patience, course, now),
            Work::Begin(intent) => self.begin(intent, patience, course, now),
            Work::FlushIntent { intent, seq, unflushed } => {
                self.flush_intent(&intent, seq, &unflushed, course, now)
            }
            Work::End { target, report } => self.end(&target, &report, patience, now),
            Work::FlushOutcome(unflushed) => {
                match unflushed.file.flush(unflushed.end) {
                    Ok(_) => lock(&self.health).flushed(),
                    Err(error) => self.flush_failed(&error, now),
                }
                Answer::Proceed
            }
            Work::WriteWaiting => {
                self.write_waiting(patience, now);
                Answer::Proceed
            }
            Work::Deliver(delivery) => self.deliver(&delivery, patience, now),
        }
    }

    /// Notes the answer. When the host has stopped waiting, what stands in the journal is made to say what the host was told.
    fn conclude(&self, ticket: u32, answer: Answer, now: &Stamp) -> Answer {
        let course = {
            let mut works = lock(&self.works);
            let Some(entry) = works.entries.get_mut(&ticket) else { return answer };
            let told = entry.course.told.get();
            entry.done = Some(told.unwrap_or(&answer).clone());
            if told.is_none() {
                return answer;
            }
            Arc::clone(&entry.course)
        };
        let intent = lock(&course.intent).take();
        if let Some(mut intent) = intent {
            match (&answer, course.refused()) {
                (answer, Some(text)) if answer.lets_run() => {
                    let started = *lock(&course.started);
                    self.revoke_intent(&intent, started, TOO_LATE, text, now);
                }
                // It runs, though by now it was refused.
                (Answer::Refuse(_), None) => {
                    self.queue_start(Arc::make_mut(&mut intent), now);
                    self.have_written();
                }
                _ => {}
            }
        }
        course.told.get().cloned().unwrap_or(answer)
    }

    /// Nobody waits for `ticket` any longer. Gives the answer it has, else the one that `onStateError`
    /// wants.
    pub fn abandon(&self, ticket: u32, why: GivenUp, now: &Stamp) -> Answer {
        let (told, closed) = {
            let mut works = lock(&self.works);
            let Some(entry) = works.entries.get_mut(&ticket) else { return self.of_unknown_ticket() };
            let course = &entry.course;
            if let Some(known) = entry.done.as_ref().or_else(|| course.told.get()) {
                return known.clone();
            }
            let told = course.give_up(|| self.without_answer(course, why)).clone();
            // A decision that no worker has begun is not begun any more.
            let undecided = matches!(entry.work, Some(Work::Begin(_) | Work::Classify { .. }));
            if undecided {
                entry.work = None;
            }
            let started = *lock(&course.started);
            // One that is being decided its worker closes, while it has the guard; one that failed at it closes nothing. One that
            // waits for its flush is in the journal, and the disk may take longer than this process lives.
            let is_mine = match told {
                Answer::Refuse(_) => undecided || why == GivenUp::Failed || started.is_some(),
                _ => undecided || why == GivenUp::Failed && started.is_none(),
            };
            let intent = if is_mine { lock(&course.intent).take() } else { None };
            (told, intent.map(|intent| (intent, started)))
        };
        match (closed, &told) {
            (Some((intent, started)), Answer::Refuse(text)) => {
                let mut light = lock(&self.light);
                let record = light.close_as_refused(&intent, started, TOO_LATE, text, now);
                let _ = light.backlog.push(record, None);
                drop(light);
                self.have_written();
                told
            }
            // It runs, and no worker will write that it did.
            (Some((mut intent, _)), _) => {
                self.queue_start(Arc::make_mut(&mut intent), now);
                self.have_written();
                Answer::ProceedThenMaintain
            }
            (None, _) => told,
        }
    }

    /// What the host that has given up a call tells the model in the worker's stead.
    fn without_answer(&self, course: &Course, why: GivenUp) -> Answer {
        let (cause, remedy) = why.cause_and_remedy();
        match &*lock(&course.intent) {
            Some(intent) => self.without_state(intent, cause, remedy),
            // Nothing is decided under this ticket.
            None => Answer::Proceed,
        }
    }

    /// The answer under a ticket that nobody knows: what was asked may have been anything.
    fn of_unknown_ticket(&self) -> Answer {
        let is_open = self.settings.on_state_error == OnStateError::Open;
        if self.is_closed() || is_open || self.settings.mode == Mode::Observe {
            return Answer::Proceed;
        }
        let (_, remedy) = GivenUp::Failed.cause_and_remedy();
        Answer::Refuse(pause_text::state_error(&[], "the gate no longer knows this call", remedy))
    }

    /// The records of starts have other sequence numbers now.
    pub(super) fn renumber_works(&self, numbers: &HashMap<u64, u64>) {
        for entry in lock(&self.works).entries.values_mut() {
            let in_work = match &mut entry.work {
                Some(Work::FlushIntent { seq, .. } | Work::End { target: Target::Seq(seq), .. }) => Some(seq),
                _ => None,
            };
            let mut started = lock(&entry.course.started);
            for seq in started.as_mut().into_iter().chain(in_work) {
                if let Some(now) = numbers.get(seq) {
                    *seq = *now;
                }
            }
        }
    }

    /// The host has the answer of `ticket`.
    pub fn forget(&self, ticket: u32) {
        if let Some(writer) = self.writer() {
            writer.withdraw(ticket);
        }
        let mut works = lock(&self.works);
        match works.entries.get_mut(&ticket) {
            Some(entry) if entry.at_writer => entry.forgotten = true,
            _ => drop(works.entries.remove(&ticket)),
        }
    }

    /// What `onStateError` says of a call that can't be checked.
    pub(super) fn without_state(&self, intent: &Intent, cause: &str, remedy: &str) -> Answer {
        if self.refuses_undecided(intent) {
            Answer::Refuse(pause_text::state_error(intent.keys(), cause, remedy))
        } else {
            Answer::Proceed
        }
    }

    /// Whether a call about which nothing can be decided is refused.
    pub(super) fn refuses_undecided(&self, intent: &Intent) -> bool {
        let refuse = match self.settings.on_state_error {
            OnStateError::Tiered => intent.tier.is_guarded(),
            OnStateError::Open => false,
            OnStateError::Closed => true,
        };
        refuse && !intent.terms.observe
    }
}

#[cfg(test)]
mod tests;
