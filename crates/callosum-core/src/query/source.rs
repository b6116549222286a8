//! Who can be asked.

use crate::model::error::QueryError;
use crate::model::time::Stamp;
use crate::record::Action;
use crate::rules::RuleSet;
use crate::store::standing::{Standing, Stands};

use super::counts::{self, Counts, CountsRequest};
use super::explain::{self, ExplainRequest, ExplainResponse};
use super::filter::Filter;
use super::following::{self, Following};
use super::head::{self, HeadResponse};
use super::journal::{self, JournalPage};
use super::observed::{self, Observed};
use super::open_calls::{self, OpenCall};
use super::reader::{Needs, Reader};
use super::recent::{self, RecentActions, RecentRequest};
use super::rules::{self, RulesInForce};
use super::sessions::{self, Session};
use super::simulate::{self, Simulated};
use super::standing;
use super::status::{self, Status};
use super::story::{self, Story};
use super::timeline::{self, Timeline, TimelineRequest};
use super::unfinished::{self, Unfinished};

/// Who can be asked: whoever hands out readers. All questions are for a thread that may wait.
pub trait Source {
    /// What may be looked at now for a question that needs so much.
    fn reader(&self, needs: Needs, now: &Stamp) -> Reader<'_>;

    /// How far the journal reaches. Looks at files only, and waits for nobody, but a moment for the writer.
    ///
    /// # Errors
    /// When the journal can't be looked at.
    fn head(&self, now: &Stamp) -> Result<HeadResponse, QueryError> {
        head::head(&self.reader(Needs::Head, now))
    }

    /// The records from the sequence number `from` on, as far as a bounded piece reaches.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn following(&self, from: u64, now: &Stamp) -> Result<Following, QueryError> {
        following::following(&self.reader(Needs::Head, now), from)
    }

    /// The calls of tier 2 and up that run now, as far as anybody knows, oldest first.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn open_calls(&self, now: &Stamp) -> Result<Vec<OpenCall>, QueryError> {
        open_calls::open_calls(&self.reader(Needs::Journal, now))
    }

    /// All records of a kind that stand.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn standing(&self, kind: &Action, now: &Stamp) -> Result<Standing, QueryError> {
        standing::standing(&self.reader(Needs::Head, now), kind)
    }

    /// The same with no more of each document than these fields: for one who looks through many and has little time.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn standing_briefly(
        &self,
        kind: &Action,
        fields: &'static [&'static str],
        now: &Stamp,
    ) -> Result<Standing, QueryError> {
        standing::standing_briefly(&self.reader(Needs::Head, now), kind, fields)
    }

    /// The newest record of a kind on a key, also where it says that it has ended, if that is not long ago.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn newest_on(&self, kind: &Action, key: &str, now: &Stamp) -> Result<Option<Stands>, QueryError> {
        standing::newest_on(&self.reader(Needs::Head, now), kind, key)
    }

    /// The status. It can always be told: `degraded` says why the journal can't be written or read. What is to be written is `waiting`
    /// then; of a journal that can't be read, its part is empty.
    fn status(&self, now: &Stamp) -> Status {
        status::status(self.reader(Needs::Overview, now))
    }

    /// The newest records that `filter` wants.
    ///
    /// # Errors
    /// When the filter is wrong or the journal can't be read.
    fn journal(&self, filter: &Filter, now: &Stamp) -> Result<JournalPage, QueryError> {
        journal::journal(&self.reader(Needs::Journal, now), filter)
    }

    /// The same as the text of a [`JournalPage`].
    ///
    /// # Errors
    /// As [`Source::journal`].
    fn journal_text(&self, filter: &Filter, now: &Stamp) -> Result<String, QueryError> {
        journal::journal_text(&self.reader(Needs::Journal, now), filter)
    }

    /// The newest piece of the timeline that `wanted` tells: what is found in some 30 ms or 8 MiB.
    ///
    /// How a start without an outcome stands is told where it is known: the source has it in mind, or nothing was left out
    /// between it and the journal's end.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn timeline(&self, wanted: &TimelineRequest, now: &Stamp) -> Result<Timeline, QueryError> {
        timeline::timeline(&self.reader(Needs::Standing, now), wanted)
    }

    /// The newest piece of the counts that `wanted` asks for: what can be counted in some 30 ms or 8 MiB.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn counts(&self, wanted: &CountsRequest, now: &Stamp) -> Result<Counts, QueryError> {
        counts::counts(&self.reader(Needs::Journal, now), wanted)
    }

    /// The rules that hold now.
    fn rules_in_force(&self, now: &Stamp) -> RulesInForce {
        rules::rules_in_force(&self.reader(Needs::Rules, now))
    }

    /// The significant actions within the window, by other processes too.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn recent(&self, wanted: &RecentRequest, now: &Stamp) -> Result<RecentActions, QueryError> {
        recent::recent(&self.reader(Needs::RulesAndJournal, now), wanted)
    }

    /// The story of the resource `key`. The whole journal is read.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn why(&self, key: &str, now: &Stamp) -> Result<Story, QueryError> {
        story::story(&self.reader(Needs::Journal, now), key)
    }

    /// What a call would get now, and which parts of it led there. A session that was paused for the same would be
    /// let through: that, too, goes by the session that is named.
    ///
    /// # Errors
    /// When the state can't be looked at; a call of a tier below 3 needs none.
    fn explain(&self, asked: &ExplainRequest, now: &Stamp) -> Result<ExplainResponse, QueryError> {
        explain::explain(&self.reader(Needs::RulesAndJournal, now), asked)
    }

    /// The sessions that showed a sign of life in the last `window_ms` milliseconds, the latest first.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn sessions(&self, window_ms: u64, now: &Stamp) -> Result<Vec<Session>, QueryError> {
        sessions::sessions(&self.reader(Needs::RulesAndJournal, now), window_ms)
    }

    /// What would have been stopped since `since_ms` (wall-clock milliseconds; default: as far back as the journal reaches) where the
    /// gate only observed.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn observed(&self, since_ms: Option<i64>, now: &Stamp) -> Result<Observed, QueryError> {
        observed::observed(&self.reader(Needs::Journal, now), since_ms)
    }

    /// The actions without an outcome that hold no lease any more, oldest first, as the journal's window tells them.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn unfinished(&self, now: &Stamp) -> Result<Vec<Unfinished>, QueryError> {
        unfinished::unfinished(&self.reader(Needs::RulesAndJournal, now))
    }

    /// What the journal's calls since `since_ms` (wall-clock milliseconds; default: all) would have got under the
    /// rules `after`, beside what they get under those in force. `progress` is told now and then how many bytes of
    /// how many were read.
    ///
    /// # Errors
    /// When the journal can't be read.
    fn simulate(
        &self,
        after: RuleSet,
        since_ms: Option<i64>,
        now: &Stamp,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Simulated, QueryError> {
        simulate::simulate(&self.reader(Needs::RulesAndJournal, now), after, since_ms, progress)
    }
}
