//! Whether whoever has claimed a task is still at it.

use callosum_core::model::time::from_rfc3339;
use callosum_core::record::Holder;

use super::TaskHolder;

/// Who does nothing for so long has stalled; who lives by beats alone is gone, milliseconds.
pub const IDLE_MS: u64 = 15 * 60 * 1_000;

/// How a holder is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Life {
    /// It is at it.
    Alive,
    /// It has done nothing for long.
    Idle,
    /// It is gone: why, in a clause.
    Gone(&'static str),
}

/// Signs of life of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// The last thing that was heard of it, wall-clock milliseconds.
    pub last_ms: i64,
    /// When its runtime said that it ended, if that was the last thing.
    pub ended_ms: Option<i64>,
    /// It has a call that runs.
    pub is_calling: bool,
}

impl TaskHolder {
    /// How it is at `now_ms`, wall-clock milliseconds. Only a process that is surely dead, or a session that has ended, is gone
    /// while it has a process; a call that runs for hours loses nothing.
    pub fn life(
        &self,
        signs: Option<&Signs>,
        now_ms: i64,
        is_dead: impl Fn(Option<u32>, &Holder) -> bool,
    ) -> Life {
        let claimed_ms = from_rfc3339(&self.claimed_at).unwrap_or(0);
        let beat_ms = from_rfc3339(&self.beat_at).unwrap_or(claimed_ms);
        let is_silent =
            |since_ms: i64| now_ms.saturating_sub(since_ms) >= i64::try_from(IDLE_MS).unwrap_or(i64::MAX);
        if self.process.is_some_and(|process| is_dead(process.boot, &process.holder)) {
            return Life::Gone("its process ended");
        }
        if signs.and_then(|signs| signs.ended_ms).is_some_and(|ended_ms| ended_ms >= claimed_ms) {
            return Life::Gone("its session ended");
        }
        if self.process.is_none() {
            return if is_silent(beat_ms) {
                Life::Gone("nothing was heard of it for 15 minutes")
            } else {
                Life::Alive
            };
        }
        let last_ms = signs.map_or(0, |signs| signs.last_ms).max(beat_ms);
        let is_calling = signs.is_some_and(|signs| signs.is_calling);
        if !is_calling && is_silent(last_ms) { Life::Idle } else { Life::Alive }
    }
}

#[cfg(test)]
mod tests {
    use callosum_core::model::time::to_rfc3339;

    use super::*;
    use crate::who::Process;

    const START: i64 = 1_800_000_000_000;
    const MINUTE: i64 = 60_000;

    fn holder(has_process: bool) -> TaskHolder {
        let process = Process { holder: Holder { pid: 7, start: 8, ns: 9 }, boot: Some(1) };
        TaskHolder {
            process: has_process.then_some(process),
            claimed_at: to_rfc3339(START),
            beat_at: to_rfc3339(START),
            ..TaskHolder::default()
        }
    }

    #[test]
    fn a_holder_is_gone_with_its_process_or_its_session() {
        let alive = |_, _: &Holder| false;
        let dead = |boot, holder: &Holder| boot == Some(1) && holder.pid == 7;
        let soon = START + MINUTE;
        assert_eq!(holder(true).life(None, soon, alive), Life::Alive);
        assert_eq!(holder(true).life(None, soon, dead), Life::Gone("its process ended"));
        let ended = |ms| Signs { last_ms: ms, ended_ms: Some(ms), is_calling: false };
        assert_eq!(holder(true).life(Some(&ended(START)), soon, alive), Life::Gone("its session ended"));
        assert_eq!(holder(true).life(Some(&ended(START - 1)), soon, alive), Life::Alive);
    }

    #[test]
    fn fifteen_minutes_of_silence_stall_a_process_and_end_who_has_none() {
        let alive = |_, _: &Holder| false;
        let (just, over) = (START + 15 * MINUTE - 1, START + 15 * MINUTE);
        assert_eq!(holder(true).life(None, just, alive), Life::Alive);
        assert_eq!(holder(true).life(None, over, alive), Life::Idle);
        assert_eq!(holder(false).life(None, just, alive), Life::Alive);
        assert!(matches!(holder(false).life(None, over, alive), Life::Gone(_)));
        // An hour in one call, or a call a minute ago.
        let calling = Signs { is_calling: true, ..Signs::default() };
        assert_eq!(holder(true).life(Some(&calling), START + 60 * MINUTE, alive), Life::Alive);
        let heard = Signs { last_ms: START + 59 * MINUTE, ..Signs::default() };
        assert_eq!(holder(true).life(Some(&heard), START + 60 * MINUTE, alive), Life::Alive);
    }
}
