//! What records are looked up by.

use sha2::{Digest, Sha256};

use crate::decision::history::Who;
use crate::model::tier::Tier;
use crate::record::kind::IndexedAs;
use crate::record::{Action, AttemptId, Record};

/// The parts in which all that stands of a kind is kept.
const STANDING_PARTS: u64 = 32;

/// What a record is about, as a number that every process and version finds alike. Two topics with the same
/// number only cost a look at a record that is not wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Topic(pub(super) u64);

impl Topic {
    /// The actions on a resource.
    #[must_use]
    pub fn key(key: &str) -> Self {
        Self::of("key", &[key.as_bytes()])
    }

    /// The pauses of a session on a resource.
    #[must_use]
    pub fn pauses(who: &Who, key: &str) -> Self {
        Self::of("pauses", &[who.instance.as_bytes(), who.session.as_bytes(), key.as_bytes()])
    }

    /// The actions that the limit of a rule counts.
    #[must_use]
    pub fn limit(rule: &str) -> Self {
        Self::of("limit", &[rule.as_bytes()])
    }

    /// The same of one session.
    #[must_use]
    pub fn session_limit(who: &Who, rule: &str) -> Self {
        Self::of("session limit", &[who.instance.as_bytes(), who.session.as_bytes(), rule.as_bytes()])
    }

    /// Where a session runs.
    #[must_use]
    pub fn place(who: &Who) -> Self {
        Self::of("place", &[who.machine.as_bytes(), who.instance.as_bytes(), who.session.as_bytes()])
    }

    /// What became of the action, or the pause, whose first record is `seq`.
    #[must_use]
    pub fn sequel(seq: u64) -> Self {
        Self::of("sequel", &[&seq.to_le_bytes()])
    }

    /// What became of an action of another machine before its start came.
    #[must_use]
    pub fn attempt(attempt: AttemptId) -> Self {
        Self::of("attempt", &[attempt.to_string().as_bytes()])
    }

    /// The records of a kind that stand under a key, or stood under it lately.
    #[must_use]
    pub fn standing(kind: &Action, key: &str) -> Self {
        Self::of("standing", &[kind.name().as_bytes(), key.as_bytes()])
    }

    /// All records of a kind that stand, in so many parts: no hook that asks for a neighbour of theirs reads them all.
    pub fn all_standing(kind: &Action) -> impl Iterator<Item = Self> {
        (0..STANDING_PARTS).map(move |part| Self::standing_part(kind, part))
    }

    fn standing_part(kind: &Action, part: u64) -> Self {
        Self::of("all standing", &[kind.name().as_bytes(), &part.to_le_bytes()])
    }

    fn of(kind: &str, parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new_with_prefix(kind);
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let mut first = [0; 8];
        first.iter_mut().zip(hash.finalize()).for_each(|(to, from)| *to = from);
        Self(u64::from_le_bytes(first))
    }
}

/// The topics of a record, each with the sequence number of the record that belongs to it: an outcome also
/// puts its action on the keys it carries, because another plugin may have rewritten the call.
pub(super) fn topics(seq: u64, record: &Record) -> Vec<(Topic, u64)> {
    let keys = |of: u64| record.context_keys.iter().map(move |key| (Topic::key(key), of));
    let sequels = || record.of.iter().map(|of| (Topic::sequel(*of), seq));
    let early = || record.early_attempt().map(|attempt| (Topic::attempt(attempt), seq));
    match record.action.spec().index {
        IndexedAs::Action if record.tier.is_some_and(Tier::is_tracked) => {
            keys(seq).chain(limits(record).map(|topic| (topic, seq))).collect()
        }
        IndexedAs::Outcome if record.v == 0 && record.action == Action::Complete => keys(seq).collect(),
        IndexedAs::Outcome => {
            let of = record.of.first().copied();
            of.into_iter().flat_map(keys).chain(sequels()).chain(early()).collect()
        }
        IndexedAs::Sequel => sequels().chain(early()).collect(),
        IndexedAs::Pause if record.is_foreign() || record.is_block() => Vec::new(),
        IndexedAs::Pause => {
            let who = Who::of(record);
            record.context_keys.iter().map(|key| (Topic::pauses(&who, key), seq)).collect()
        }
        IndexedAs::Place if record.place.is_none() => Vec::new(),
        IndexedAs::Place => vec![(Topic::place(&Who::of(record)), seq)],
        IndexedAs::Standing => {
            let kind = record.original_kind();
            let key = record.key.as_deref().map(|key| Topic::standing(&kind, key));
            let part = key.filter(|_| !record.ended);
            let part = part.map(|Topic(key)| Topic::standing_part(&kind, key % STANDING_PARTS));
            key.into_iter().chain(part).map(|topic| (topic, seq)).collect()
        }
        IndexedAs::Action | IndexedAs::Counts | IndexedAs::Nothing => Vec::new(),
    }
}

/// Where an action is looked up that limits count: on this machine only.
fn limits(record: &Record) -> impl Iterator<Item = Topic> {
    let rules = if record.is_foreign() { &[][..] } else { &record.limits };
    let who = (!rules.is_empty()).then(|| Who::of(record));
    rules.iter().flat_map(move |rule| {
        let of_session = who.as_ref().map(|who| Topic::session_limit(who, rule));
        [Some(Topic::limit(rule)), of_session].into_iter().flatten()
    })
}
