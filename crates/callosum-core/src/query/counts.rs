//! How many calls there were, by time and session and by rule: all of them, of every tier.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::error::QueryError;
use crate::model::on_conflict::OnConflict;
use crate::model::tier::Tier;
use crate::record::kind::View;
use crate::record::{Conflict, blocks};
use crate::store::journal::line_start::LineStart;
use crate::store::journal::span::{Span, SpanReader};

use super::json_line::Text;
use super::reader::Reader;

/// Buckets that one request may ask for.
const MAX_BUCKETS: i64 = 10_000;
/// Rows of a piece; more come with the next.
const MAX_ROWS: usize = 20_000;

/// Which calls are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CountsRequest {
    /// Those from this moment on, wall-clock milliseconds.
    pub from: i64,
    /// Those up to this moment, wall-clock milliseconds.
    pub to: i64,
    /// How long a bucket is, milliseconds; at most 10,000 of them.
    #[schemars(range(min = 1))]
    pub bucket_ms: i64,
    /// Only those with a lower sequence number: the `next` of the piece before.
    #[serde(default)]
    pub before: Option<u64>,
}

impl CountsRequest {
    /// Reads a request from JSON text.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(text: &str) -> Result<Self, QueryError> {
        let wanted: Self = super::request::request(text)?;
        if wanted.from > wanted.to {
            return Err(QueryError::bad_request("bad request: `from` must not be later than `to`"));
        }
        if wanted.bucket_ms < 1 {
            return Err(QueryError::bad_request("bad request: `bucketMs` must be at least 1"));
        }
        if wanted.to.saturating_sub(wanted.from) / wanted.bucket_ms >= MAX_BUCKETS {
            let message = format!("bad request: more than {MAX_BUCKETS} buckets: choose a longer `bucketMs`");
            return Err(QueryError::bad_request(message));
        }
        Ok(wanted)
    }

    /// When the bucket of a moment within the wanted time begins.
    fn bucket(&self, wall_ms: i64) -> i64 {
        let past_begin = (i128::from(wall_ms) - i128::from(self.from)) % i128::from(self.bucket_ms);
        wall_ms.saturating_sub(i64::try_from(past_begin).unwrap_or(0))
    }
}

/// A piece of the counts: to be added to those of the other pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// By time, session and tier; in that order.
    pub buckets: Vec<BucketCount>,
    /// By rule, in the order of their names.
    pub rules: Vec<RuleCount>,
    /// The `before` to go on with, for what is older; null when all is counted.
    pub next: Option<u64>,
    /// How far back this piece went, wall-clock milliseconds.
    pub reached: i64,
}

/// The calls of a session of one tier in one bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BucketCount {
    /// When the bucket begins, wall-clock milliseconds: the request's `from` and a whole number of `bucketMs`.
    pub at: i64,
    /// Whose calls.
    pub instance: String,
    /// Whose calls; empty where none was named.
    pub session: String,
    /// The agent runtime; empty where none was named.
    pub runtime: String,
    /// The tier.
    pub tier: Tier,
    /// How many calls, those that were paused or blocked too.
    pub calls: u64,
    /// How many of them were paused or blocked.
    pub paused: u64,
}

/// The calls that one rule classified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleCount {
    /// Its name; null for calls that no rule is for.
    pub rule: Option<String>,
    /// How many calls, those that were paused or blocked too.
    pub calls: u64,
    /// How many of them were paused.
    pub paused: u64,
    /// How many of them were blocked: by a lease, a limit or the rule.
    pub blocked: u64,
    /// When the last was, wall-clock milliseconds.
    pub last: i64,
}

/// What is read of a call's line.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call<'l> {
    #[serde(borrow)]
    action: Cow<'l, str>,
    #[serde(default)]
    tier: Option<Tier>,
    #[serde(borrow, default)]
    instance: Cow<'l, str>,
    #[serde(borrow, default)]
    session: Option<Text<'l>>,
    #[serde(borrow, default)]
    runtime: Option<Text<'l>>,
    #[serde(borrow, default)]
    rule_name: Option<Text<'l>>,
    #[serde(default)]
    conflict: Option<Conflict>,
    #[serde(default)]
    on_conflict: Option<OnConflict>,
}

impl Call<'_> {
    /// The call of a line; `None` when it is none, or not a call's first.
    fn read(line: &[u8]) -> Option<Call<'_>> {
        if LineStart::read(line).is_some_and(|start| !is_call(View::named(start.action))) {
            return None;
        }
        serde_json::from_slice(line).ok().filter(|call: &Call<'_>| is_call(call.view()))
    }

    fn view(&self) -> View {
        View::named(self.action.as_bytes())
    }
}

/// Whether such a record is a call's first. A call that a policy refused was never a question of what others do, and is not counted.
fn is_call(view: View) -> bool {
    match view {
        View::Call | View::Stop => true,
        View::Denial
        | View::End
        | View::Background
        | View::Lease
        | View::Receipt
        | View::Session
        | View::Exchange
        | View::Fault
        | View::Maintenance
        | View::Unknown => false,
    }
}

/// Whose calls: instance, session, runtime.
type Caller = [String; 3];

/// What was counted so far.
#[derive(Default)]
struct Counter {
    /// The callers and their numbers.
    callers: HashMap<Caller, usize>,
    /// Calls, and those that were refused, by bucket, caller's number and tier.
    buckets: HashMap<(i64, usize, Tier), (u64, u64)>,
    rules: BTreeMap<Option<String>, RuleCount>,
}

impl Counter {
    fn add(&mut self, call: Call<'_>, at: i64, wall_ms: i64) {
        let was_refused = call.view() == View::Stop;
        let was_blocked = was_refused && blocks(call.conflict, call.on_conflict);
        let text = |text: Option<Text<'_>>| text.map(|text| text.0.into_owned());
        let [session, runtime] = [call.session, call.runtime].map(|name| text(name).unwrap_or_default());
        let number = self.callers.len();
        let caller = *self.callers.entry([call.instance.into_owned(), session, runtime]).or_insert(number);
        let tier = call.tier.unwrap_or(Tier::None);
        let (calls, refused) = self.buckets.entry((at, caller, tier)).or_default();
        *calls += 1;
        *refused += u64::from(was_refused);
        let name = text(call.rule_name);
        let rule = self.rules.entry(name).or_insert_with_key(|name| RuleCount {
            rule: name.clone(),
            calls: 0,
            paused: 0,
            blocked: 0,
            last: wall_ms,
        });
        rule.calls += 1;
        rule.paused += u64::from(was_refused && !was_blocked);
        rule.blocked += u64::from(was_blocked);
        rule.last = rule.last.max(wall_ms);
    }

    fn rows(&self) -> usize {
        self.buckets.len() + self.rules.len()
    }

    fn into_rows(self) -> (Vec<BucketCount>, Vec<RuleCount>) {
        let names: HashMap<usize, &Caller> =
            self.callers.iter().map(|(caller, number)| (*number, caller)).collect();
        let row = |((at, caller, tier), (calls, paused))| {
            let [instance, session, runtime] = names.get(&caller).copied().cloned().unwrap_or_default();
            BucketCount { at, instance, session, runtime, tier, calls, paused }
        };
        let mut buckets: Vec<BucketCount> = self.buckets.into_iter().map(row).collect();
        buckets.sort_unstable_by(|one, other| one.place().cmp(&other.place()));
        (buckets, self.rules.into_values().collect())
    }
}

impl BucketCount {
    /// Where it stands among the others.
    fn place(&self) -> (i64, [&str; 3], Tier) {
        (self.at, [&self.instance, &self.session, &self.runtime], self.tier)
    }
}

/// The newest piece of the counts that `wanted` asks for.
pub(super) fn counts(reader: &Reader<'_>, wanted: &CountsRequest) -> Result<Counts, QueryError> {
    let Some(segments) = reader.segments()? else {
        return Ok(Counts { buckets: Vec::new(), rules: Vec::new(), next: None, reached: wanted.from });
    };
    let span =
        Span { from_ms: Some(wanted.from), to_ms: Some(wanted.to), after: None, before: wanted.before };
    let mut span_reader = SpanReader::new(segments, span, true)?;
    let mut counter = Counter::default();
    while let Some(met) = span_reader.next_line()? {
        let Some(wall_ms) = met.wall_ms.filter(|wall_ms| (wanted.from..=wanted.to).contains(wall_ms)) else {
            continue;
        };
        let Some(call) = Call::read(&met.bytes) else { continue };
        counter.add(call, wanted.bucket(wall_ms), wall_ms);
        if counter.rows() >= MAX_ROWS {
            span_reader.cut();
            break;
        }
    }
    let (buckets, rules) = counter.into_rows();
    let reached = span_reader.reached_ms(wanted.from, wanted.to);
    Ok(Counts { buckets, rules, next: span_reader.next(), reached })
}
