//! What the decision promises, said of what happened and what each session has read. Nothing here calls the
//! decision, the history or the gate, and nothing looks at a record: a session has read what a delivered
//! refusal told it, in the state in which that was told.

use std::collections::BTreeSet;

use stateright::{Model, Property};

use super::journal::Verdict;
use super::log::{Call, Entry, Fact, Keys, Log, Times, Wish};

/// A state in which promises were kept or broken.
pub(crate) trait Promised {
    /// Whether this one was broken on the way to it.
    fn has_broken(&self, promise: Promise) -> bool;
}

macro_rules! promises {
    ($($(#[$what:meta])* $promise:ident,)*) => {
        /// One promise; `why` it is one stands in DESIGN.md, The decision.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Promise {
            $($(#[$what])* $promise,)*
        }

        pub(crate) const ALL: &[Promise] = &[$(Promise::$promise),*];

        /// Each as a property, by its name: a property's condition is a plain function, and can't carry which promise it is for.
        pub(crate) fn properties<M: Model<State: Promised>>() -> Vec<Property<M>> {
            vec![$(Property::always(stringify!($promise), |_: &M, state: &M::State| {
                !state.has_broken(Promise::$promise)
            })),*]
        }
    };
}

promises! {
    /// Whoever acts on a key while another does has read that the other does.
    NoTwoUnawareInFlight,
    /// What may have been done is read before more is done.
    EvidenceIsReadFirst,
    /// Two equal calls in one message: the second is no retry.
    UndeliveredBuysNothing,
    /// What another session was told is not known to this one.
    OthersPausesBuyNothing,
    /// A block tells who holds the resource, not how it ended.
    BlocksAcknowledgeNothing,
    /// One's own allowed retry is news.
    OnePauseOneRetry,
    /// A newer record is news.
    NewOutcomeIsNews,
    /// What was read long ago was forgotten.
    OldPausesBuyNothing,
    /// Leave to act on one resource is no leave to act on another.
    OtherKeysBuyNothing,
    /// A retry of what was read in full goes through; time is no news.
    RetryWithoutNewsIsAllowed,
    /// Nobody is stopped for nothing: failures, refusals and what is long past are no evidence.
    NoPauseWithoutEvidence,
    /// A pause tells all that speaks against the call, as it stands.
    PausesTellAll,
    /// Tier 4 waits for every lease on its keys.
    CriticalWaitsForLeases,
    /// Nothing but a living lease blocks, and only tier 4.
    OnlyLeasesBlock,
    /// No more calls are let through within a limit's window than it allows.
    LimitsHold,
    /// A limit blocks only while it is reached, and only what is under it.
    OnlyReachedLimitsBlock,
}

use Promise::*;

/// What a session was told by one refusal.
struct Telling<'a> {
    at: u8,
    session: u8,
    told: &'a [Fact],
    block: bool,
    delivered: bool,
    fresh: bool,
}

impl Telling<'_> {
    /// A pause that its session has read, and not too long ago.
    fn is_read(&self) -> bool {
        !self.block && self.delivered && self.fresh
    }

    /// The keys on which it told of `call` as it stands.
    fn keys_of(&self, call: &Call) -> Keys {
        self.keys_where(|fact| fact.call == call.at && fact.ended == call.end.map(|(at, ..)| at))
    }

    fn keys_where(&self, chosen: impl Fn(&Fact) -> bool) -> Keys {
        self.told.iter().filter(|fact| chosen(fact)).fold(Keys::NONE, |all, fact| all.and(fact.keys))
    }
}

/// What happened, as the promises see it.
pub(crate) struct Past<'a> {
    times: Times,
    calls: Vec<Call>,
    tellings: Vec<Telling<'a>>,
}

impl<'a> Past<'a> {
    pub(crate) fn of(log: &'a Log, times: Times) -> Self {
        let telling = |(at, entry): (u8, &'a Entry)| match entry {
            Entry::Refusal { session, told, age, block, .. } => Some(Telling {
                at,
                session: *session,
                told,
                block: *block,
                delivered: log.is_delivered(at),
                fresh: times.can_be_answered(*age),
            }),
            _ => None,
        };
        Self { times, calls: log.calls(), tellings: log.entries().filter_map(telling).collect() }
    }

    /// The promises that an answer breaks.
    pub(crate) fn broken_by(&self, session: u8, wish: Wish, verdict: &Verdict) -> Vec<Promise> {
        let on_keys = |chosen: &dyn Fn(&Call) -> bool| -> Vec<(&Call, Keys)> {
            let chosen = self.calls.iter().filter(|call| chosen(call));
            let shared = chosen.map(|call| (call, call.wish.keys.shared(wish.keys)));
            shared.filter(|(_, keys)| !keys.is_empty()).collect()
        };
        let evidence = on_keys(&|call| {
            call.may_have_acted() && call.recent(self.times) && !(wish.others_only && call.session == session)
        });
        let leases = on_keys(&Call::holds_lease);
        let unread = evidence.iter().map(|(call, keys)| {
            let read = self.tellings.iter().filter(|telling| telling.session == session && telling.is_read());
            let read = read.fold(Keys::NONE, |all, telling| all.and(telling.keys_of(call)));
            (*call, keys.without(read))
        });
        let unread = unread.filter(|(_, keys)| !keys.is_empty()).collect();
        let asked = Asked { past: self, session, wish, verdict, evidence, leases, unread };
        ALL.iter().copied().filter(|promise| !asked.keeps(*promise)).collect()
    }
}

/// A call that was asked for, and the answer. Each call that matters stands with the keys that it shares.
struct Asked<'a> {
    past: &'a Past<'a>,
    session: u8,
    wish: Wish,
    verdict: &'a Verdict,
    /// What speaks against it.
    evidence: Vec<(&'a Call, Keys)>,
    /// What holds a lease on its keys.
    leases: Vec<(&'a Call, Keys)>,
    /// What of the evidence the session has not read as it stands, and on which keys.
    unread: Vec<(&'a Call, Keys)>,
}

impl Asked<'_> {
    fn keeps(&self, promise: Promise) -> bool {
        let paused = matches!(self.verdict, Verdict::Pause(_));
        match promise {
            NoTwoUnawareInFlight => !self.allowed_without(|call, _| call.in_flight()),
            EvidenceIsReadFirst => !self.allowed_without(|_, _| true),
            UndeliveredBuysNothing => !self.bought_by(|telling| {
                telling.session == self.session && !telling.block && !telling.delivered && telling.fresh
            }),
            OthersPausesBuyNothing => {
                !self.bought_by(|telling| telling.session != self.session && telling.is_read())
            }
            BlocksAcknowledgeNothing => {
                !self.bought_by(|telling| telling.session == self.session && telling.block && telling.fresh)
            }
            OldPausesBuyNothing => !self.bought_by(|telling| {
                telling.session == self.session && !telling.block && telling.delivered && !telling.fresh
            }),
            OnePauseOneRetry => !self.allowed_without(|call, keys| {
                let about_keys =
                    |telling: &Telling<'_>| !telling.keys_where(|_| true).shared(keys).is_empty();
                call.session == self.session
                    && self.has_read(|telling| telling.at < call.at && about_keys(telling))
            }),
            NewOutcomeIsNews => !self.allowed_without(|call, keys| {
                self.has_read(|telling| {
                    !telling.keys_where(|fact| fact.call == call.at).shared(keys).is_empty()
                })
            }),
            OtherKeysBuyNothing => {
                !self.allowed_without(|call, _| self.has_read(|telling| !telling.keys_of(call).is_empty()))
            }
            RetryWithoutNewsIsAllowed => !paused || self.evidence.is_empty() || !self.unread.is_empty(),
            NoPauseWithoutEvidence => !paused || !self.evidence.is_empty(),
            PausesTellAll => match self.verdict {
                Verdict::Pause(told) => tells(told, &self.evidence),
                _ => true,
            },
            CriticalWaitsForLeases => {
                !self.wish.critical || self.leases.is_empty() || matches!(self.verdict, Verdict::Block(_))
            }
            OnlyLeasesBlock => match self.verdict {
                Verdict::Block(told) => {
                    self.wish.critical && !self.leases.is_empty() && tells(told, &self.leases)
                }
                _ => true,
            },
            LimitsHold => *self.verdict != Verdict::Allow || !self.wish.limited || !self.is_reached(),
            OnlyReachedLimitsBlock => {
                *self.verdict != Verdict::Full || self.wish.limited && self.is_reached()
            }
        }
    }

    /// The one call that the limit allows was let through within its window.
    fn is_reached(&self) -> bool {
        self.past.calls.iter().any(|call| call.counts(self.past.times))
    }

    /// It was let through although the session had not read of such a call.
    fn allowed_without(&self, such: impl Fn(&Call, Keys) -> bool) -> bool {
        *self.verdict == Verdict::Allow && self.unread.iter().any(|(call, keys)| such(call, *keys))
    }

    /// It was let through although only such a refusal told of a call.
    fn bought_by(&self, such: impl Fn(&Telling<'_>) -> bool) -> bool {
        self.allowed_without(|call, keys| {
            self.past
                .tellings
                .iter()
                .any(|telling| such(telling) && !telling.keys_of(call).shared(keys).is_empty())
        })
    }

    /// The session has read such a pause.
    fn has_read(&self, such: impl Fn(&Telling<'_>) -> bool) -> bool {
        let tellings = self.past.tellings.iter();
        tellings.filter(|telling| telling.session == self.session && telling.is_read()).any(such)
    }
}

/// Whether `told` are just these calls as they stand.
fn tells(told: &[Fact], calls: &[(&Call, Keys)]) -> bool {
    let facts: BTreeSet<Fact> = calls
        .iter()
        .map(|(call, keys)| Fact { call: call.at, ended: call.end.map(|(at, ..)| at), keys: *keys })
        .collect();
    told.len() == facts.len() && told.iter().all(|fact| facts.contains(fact))
}
