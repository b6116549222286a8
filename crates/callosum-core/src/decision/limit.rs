//! Limits of rules: how much of one is used, and when there is room again.

use crate::decision::history::{Action, History, Who};
use crate::model::time::{Stamp, to_rfc3339};
use crate::rules::{Limited, Per, RateLimit};

/// How much of a limit is used, where it is used most.
#[derive(Clone, Debug)]
pub struct Usage<'a> {
    /// The rule whose limit it is.
    pub rule: &'a str,
    /// The limit.
    pub limit: RateLimit,
    /// The resource whose calls are counted, where each is counted by itself.
    pub key: Option<&'a str>,
    /// The calls that count, newest first; of more than the limit allows, the newest.
    pub counted: Vec<&'a Action>,
}

/// A limit that is reached, free of the history it was counted in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The rule whose limit it is.
    pub rule: String,
    /// The limit.
    pub limit: RateLimit,
    /// The resource whose calls are counted, where each is counted by itself.
    pub key: Option<String>,
    /// How long until the oldest counted call leaves the window, milliseconds.
    pub free_in_ms: u64,
}

/// How much of `limited` a session's call on these resources finds used. `keys` are all that the call acts on.
#[must_use]
pub fn usage<'a>(
    history: &'a History,
    who: &Who,
    limited: &'a Limited,
    keys: &'a [String],
    now: &Stamp,
) -> Usage<'a> {
    let Limited { rule, limit, keys: own } = limited;
    let of = |key, counted| Usage { rule, limit: *limit, key, counted };
    let counts =
        |action: &&'a Action| action.counts_for(rule) && action.started.age_ms(now) < limit.window_ms;
    let most = usize::try_from(limit.count).unwrap_or(usize::MAX);
    match limit.per {
        Per::Rule => of(None, history.limited(rule).filter(counts).take(most).collect()),
        Per::Session => {
            let of_session = history.limited(rule).filter(|action| *action.who == *who);
            of(None, of_session.filter(counts).take(most).collect())
        }
        Per::Key => {
            // A rule that names no resource counts by what stands for one.
            let keys = if own.is_empty() { keys } else { own };
            let on = |key: &'a String| {
                let mut counted: Vec<&Action> = history.on_key(key).filter(counts).collect();
                counted.reverse();
                counted.truncate(most);
                of(Some(key.as_str()), counted)
            };
            // Where several are used up, the one that is free last.
            let place = |usage: &Usage<'_>| (usage.counted.len(), usage.free_in_ms(now));
            keys.iter().map(on).max_by_key(place).unwrap_or_else(|| of(None, Vec::new()))
        }
    }
}

impl Reached {
    /// In words for the journal, as it is at `now`.
    #[must_use]
    pub fn in_words(&self, now: &Stamp) -> String {
        let free = to_rfc3339(now.plus_ms(self.free_in_ms).wall_ms);
        format!("{}, all used; room again at {free}", self.limit.in_words())
    }
}

impl Usage<'_> {
    /// Whether no more calls are let through.
    #[must_use]
    pub fn is_reached(&self) -> bool {
        u32::try_from(self.counted.len()).is_ok_and(|used| used >= self.limit.count)
    }

    /// How long until there is room, milliseconds: until the oldest counted call leaves the window. 0 where there is room.
    #[must_use]
    pub fn free_in_ms(&self, now: &Stamp) -> u64 {
        if !self.is_reached() {
            return 0;
        }
        let oldest = self.counted.iter().map(|action| action.started.age_ms(now)).max().unwrap_or(0);
        self.limit.window_ms.saturating_sub(oldest)
    }

    /// What a refusal over it tells.
    pub(super) fn reached(&self, now: &Stamp) -> Reached {
        Reached {
            rule: self.rule.to_owned(),
            limit: self.limit,
            key: self.key.map(str::to_owned),
            free_in_ms: self.free_in_ms(now),
        }
    }
}
